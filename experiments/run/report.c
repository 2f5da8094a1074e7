/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Markdown to one HTML page: see report.h. */
#define _GNU_SOURCE 1
#include "attest/experiments/run/report.h"

#include <cmark-gfm.h>
#include <cmark-gfm-core-extensions.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attest/core/file.h"
#include "attest/experiments/run/report_html.h"

enum { MOST_ROWS = 60 };   /* of a table shown under its figure; the file holds all */

void at_report_init(at_report *report)
{
    *report = (at_report) { 0 };
}

void at_report_clear(at_report *report)
{
    for (size_t k = 0; k < report->figures; k++) {
        free(report->svg_paths[k]);
        free(report->captions[k]);
        free(report->tables[k]);
    }
    free(report->svg_paths);
    free(report->captions);
    free(report->tables);
    free(report->text);
    *report = (at_report) { 0 };
}

static void append(at_report *report, const char *text, size_t length)
{
    if (report->failed)
        return;
    if (report->length + length + 1 > report->capacity) {
        size_t capacity = 2 * (report->length + length) + 4096;
        char *grown = realloc(report->text, capacity);
        if (grown == NULL) {
            report->failed = 1;
            return;
        }
        report->text = grown;
        report->capacity = capacity;
    }
    memcpy(report->text + report->length, text, length);
    report->length += length;
    report->text[report->length] = '\0';
}

void at_report_markdown(at_report *report, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0) {
        report->failed = 1;
        return;
    }
    append(report, text, (size_t) length);
    free(text);
}

void at_report_text(at_report *report, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\n' || *text == '\r') {
            append(report, " ", 1);
            continue;
        }
        if (strchr("\\`*_{}[]<>()#+-.!|&~$", *text) != NULL)
            append(report, "\\", 1);
        append(report, text, 1);
    }
}

void at_report_figure(at_report *report, const char *svg_path, const char *caption, const char *table_path)
{
    size_t count = report->figures + 1;
    char **svgs = realloc(report->svg_paths, count * sizeof *svgs);
    if (svgs != NULL)
        report->svg_paths = svgs;
    char **captions = realloc(report->captions, count * sizeof *captions);
    if (captions != NULL)
        report->captions = captions;
    char **tables = realloc(report->tables, count * sizeof *tables);
    if (tables != NULL)
        report->tables = tables;
    if (svgs == NULL || captions == NULL || tables == NULL) {
        report->failed = 1;
        return;
    }
    svgs[count - 1] = strdup(svg_path);
    captions[count - 1] = strdup(caption);
    tables[count - 1] = strdup(table_path);
    report->figures = count;
    if (svgs[count - 1] == NULL || captions[count - 1] == NULL || tables[count - 1] == NULL)
        report->failed = 1;
    at_report_markdown(report, "\n<!--figure-%zu-->\n\n", count - 1);
}

/* GitHub's table extension on top of CommonMark, which has no tables. */
static char *render(const char *markdown)
{
    cmark_gfm_core_extensions_ensure_registered();
    cmark_parser *parser = cmark_parser_new(CMARK_OPT_UNSAFE | CMARK_OPT_VALIDATE_UTF8);
    cmark_syntax_extension *table = cmark_find_syntax_extension("table");
    if (parser == NULL || table == NULL)
        return NULL;
    cmark_parser_attach_syntax_extension(parser, table);
    cmark_parser_feed(parser, markdown, strlen(markdown));
    cmark_node *document = cmark_parser_finish(parser);
    char *html = document != NULL
        ? cmark_render_html(document, CMARK_OPT_UNSAFE, cmark_parser_get_syntax_extensions(parser))
        : NULL;
    if (document != NULL)
        cmark_node_free(document);
    cmark_parser_free(parser);
    return html;
}

static void put_escaped(FILE *out, const char *text, size_t length)
{
    for (size_t k = 0; k < length; k++)
        switch (text[k]) {
        case '&': fputs("&amp;", out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc(text[k], out);
        }
}

/* The drawing itself, its ids made unique: two drawings of gnuplot on a page share theirs. */
static void put_svg(FILE *out, const char *svg, size_t figure)
{
    static const char *const marks[] = { " id=\"", " id='", "href=\"#", "href='#", "url(#" };
    const char *start = strstr(svg, "<svg");
    while (start != NULL && *start != '\0') {
        size_t used = 0;
        for (size_t k = 0; k < sizeof marks / sizeof *marks && used == 0; k++)
            if (strncmp(start, marks[k], strlen(marks[k])) == 0)
                used = strlen(marks[k]);
        if (used > 0)
            fprintf(out, "%.*sf%zu-", (int) used, start, figure);
        else if (strncmp(start, "<svg", 4) == 0) {
            fprintf(out, "<svg role=\"img\" aria-labelledby=\"caption-%zu\"", figure);
            used = 4;
        } else if (strncmp(start, "<title>", 7) == 0 && strstr(start, "</title>") != NULL)
            used = (size_t) (strstr(start, "</title>") + 8 - start);   /* "Gnuplot" helps nobody */
        else if (strncmp(start, "<desc>", 6) == 0 && strstr(start, "</desc>") != NULL)
            used = (size_t) (strstr(start, "</desc>") + 7 - start);
        else {
            fputc(*start, out);
            used = 1;
        }
        start += used;
    }
}

/* A table of tab-separated lines, the text alternative of its figure. */
static void put_table(FILE *out, const char *path)
{
    char *bytes;
    size_t size, rows = 0;
    if (at_file_read(&bytes, &size, path, (size_t) 1 << 26, NULL) != AT_OK)
        return;
    const char *slash = strrchr(path, '/');
    fputs("<details><summary>The numbers (", out);
    put_escaped(out, slash ? slash + 1 : path, strlen(slash ? slash + 1 : path));
    fputs(")</summary><div class=\"scroll\"><table>\n", out);
    for (char *line = bytes; *line != '\0'; rows++) {
        size_t length = strcspn(line, "\n");
        if (rows <= MOST_ROWS) {
            fputs("<tr>", out);
            for (char *cell = line; cell <= line + length;) {
                size_t width = strcspn(cell, "\t\n");
                fputs(rows == 0 ? "<th>" : "<td>", out);
                put_escaped(out, cell, width);
                fputs(rows == 0 ? "</th>" : "</td>", out);
                cell += width + 1;
            }
            fputs("</tr>\n", out);
        }
        line += length + (line[length] == '\n');
    }
    fputs("</table></div>", out);
    if (rows > MOST_ROWS + 1)
        fprintf(out, "<p>The first %d of %zu rows; the file has all.</p>", MOST_ROWS, rows - 1);
    fputs("</details>\n", out);
    free(bytes);
}

static void put_figure(FILE *out, const at_report *report, size_t figure)
{
    char *svg;
    size_t size;
    fputs("<figure>\n", out);
    if (at_file_read(&svg, &size, report->svg_paths[figure], (size_t) 1 << 28, NULL) == AT_OK) {
        fputs("<div class=\"drawing\">", out);
        put_svg(out, svg, figure);
        fputs("</div>\n", out);
        free(svg);
    } else
        fputs("<p class=\"absent\">This figure was not drawn; the numbers below are there all the "
              "same.</p>\n", out);
    fprintf(out, "<figcaption id=\"caption-%zu\">Figure %zu. ", figure, figure + 1);
    put_escaped(out, report->captions[figure], strlen(report->captions[figure]));
    fputs("</figcaption>\n", out);
    put_table(out, report->tables[figure]);
    fputs("</figure>\n", out);
}

/* The rendered page with each figure in its place, and ids on the headings for the contents. */
static void put_body(FILE *out, const at_report *report, const char *html)
{
    size_t heading = 0;
    while (*html != '\0') {
        size_t figure;
        if (sscanf(html, "<!--figure-%zu-->", &figure) == 1 && figure < report->figures) {
            put_figure(out, report, figure);
            html = strstr(html, "-->") + 3;
        } else if (strncmp(html, "<h2>", 4) == 0) {
            fprintf(out, "<h2 id=\"section-%zu\">", ++heading);
            html += 4;
        } else if (strncmp(html, "<table>", 7) == 0) {
            fputs("<div class=\"scroll\"><table>", out);
            html += 7;
        } else if (strncmp(html, "</table>", 8) == 0) {
            fputs("</table></div>", out);
            html += 8;
        } else
            fputc(*html++, out);
    }
}

static void put_contents(FILE *out, const char *html)
{
    size_t heading = 0;
    fputs("<nav aria-label=\"Contents\"><ol>\n", out);
    for (const char *at = html; (at = strstr(at, "<h2>")) != NULL; at += 4) {
        const char *end = strstr(at, "</h2>");
        if (end == NULL)
            break;
        fprintf(out, "<li><a href=\"#section-%zu\">%.*s</a></li>\n", ++heading, (int) (end - at - 4), at + 4);
    }
    fputs("</ol></nav>\n", out);
}

int at_report_write(const at_report *report, const char *title, const char *path, at_error *err)
{
    at_outfile out;
    char *html = report->failed || report->text == NULL ? NULL : render(report->text);
    if (html == NULL)
        return at_error_memory(err, "the report");
    int status = at_outfile_open(&out, path, err);
    if (status == AT_OK) {
        fputs(at_report_head, out.stream);
        put_escaped(out.stream, title, strlen(title));
        fputs(at_report_style, out.stream);
        fputs("<h1>", out.stream);
        put_escaped(out.stream, title, strlen(title));
        fputs("</h1>\n", out.stream);
        put_contents(out.stream, html);
        put_body(out.stream, report, html);
        fputs("</main></body></html>\n", out.stream);
        status = at_outfile_commit(&out, err);
    }
    free(html);
    return status;
}
