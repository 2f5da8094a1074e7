/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report's page: what comes from outside stays text, figures stand in their places, a missing
 * drawing is said; and the tables and folders of a run. */
#include "tests/at_check.h"

#include <unistd.h>

#include "attest/core/file.h"
#include "attest/experiments/run/report.h"
#include "attest/experiments/run/run.h"

static char *read_whole(const char *path)
{
    char *bytes = NULL;
    size_t size;
    ck_assert_int_eq(at_file_read(&bytes, &size, path, 1 << 24, NULL), AT_OK);
    return bytes;
}

static char *scratch(void)
{
    static char directory[64];
    snprintf(directory, sizeof directory, "check_report-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    return directory;
}

static char *page_of(at_report *report, const char *directory)
{
    at_error err = AT_ERROR_INIT;
    char *path = at_path_join(directory, "report.html");
    ck_assert_msg(at_report_write(report, "A <title> & more", path, &err) == AT_OK, "%s", err.text);
    char *page = read_whole(path);
    unlink(path);
    free(path);
    return page;
}

START_TEST(hostile_text_stays_text)
{
    at_report report;
    char *directory = scratch();
    at_report_init(&report);
    at_report_markdown(&report, "## Section\n\n| a | b |\n|---|---|\n| ");
    at_report_text(&report, "<script>alert(1)</script> | `x` **y** [z](http://example.org)\n## no");
    at_report_markdown(&report, " | 2 |\n");
    char *page = page_of(&report, directory);
    ck_assert_ptr_null(strstr(page, "<script"));
    ck_assert_ptr_null(strstr(page, "<a href=\"http"));
    ck_assert_ptr_null(strstr(page, "<strong>y"));
    ck_assert_ptr_nonnull(strstr(page, "&lt;script&gt;"));
    ck_assert_ptr_nonnull(strstr(page, "<td>2</td>"));
    ck_assert_ptr_nonnull(strstr(page, "<title>A &lt;title&gt; &amp; more</title>"));
    ck_assert_ptr_nonnull(strstr(page, "<a href=\"#section-1\">Section</a>"));
    ck_assert_ptr_nonnull(strstr(page, "<h2 id=\"section-1\">"));
    free(page);
    at_report_clear(&report);
    rmdir(directory);
}
END_TEST

static const char drawing[] =
    "<?xml version=\"1.0\"?>\n<svg width=\"8\"><title>Gnuplot</title><desc>made by it</desc>\n\n"
    "<defs><circle id='dot'/><clipPath id=\"c\"/></defs><use href='#dot'/><g clip-path=\"url(#c)\"/></svg>";

START_TEST(figures_stand_in_their_places)
{
    at_report report;
    char *directory = scratch();
    char *svg = at_path_join(directory, "f.svg"), *table = at_path_join(directory, "f.tsv");
    ck_assert_int_eq(at_file_write(svg, drawing, sizeof drawing - 1, NULL), AT_OK);
    ck_assert_int_eq(at_file_write(table, "n\terror<1>\n2\t0.5\n", 18, NULL), AT_OK);
    at_report_init(&report);
    at_report_markdown(&report, "said before\n");
    at_report_figure(&report, svg, "What to see: a < b.", table);
    at_report_figure(&report, svg, "Again.", "absent.tsv");
    at_report_figure(&report, "absent.svg", "Not drawn.", table);
    at_report_markdown(&report, "said after\n");
    char *page = page_of(&report, directory);
    const char *first = strstr(page, "id='f0-dot'"), *second = strstr(page, "id='f1-dot'");
    ck_assert_ptr_nonnull(first);
    ck_assert_ptr_nonnull(second);
    ck_assert_ptr_nonnull(strstr(page, "href='#f1-dot'"));
    ck_assert_ptr_nonnull(strstr(page, "url(#f0-c)"));
    ck_assert(strstr(page, "said before") < first && first < second
              && second < strstr(page, "said after"));
    ck_assert_ptr_null(strstr(page, "Gnuplot"));
    ck_assert_ptr_null(strstr(page, "<?xml"));
    ck_assert_ptr_nonnull(strstr(page, "a &lt; b."));
    ck_assert_ptr_nonnull(strstr(page, "<th>error&lt;1&gt;</th>"));
    ck_assert_ptr_nonnull(strstr(page, "<td>0.5</td>"));
    ck_assert_ptr_nonnull(strstr(page, "was not drawn"));
    free(page);
    at_report_clear(&report);
    unlink(svg);
    unlink(table);
    free(svg);
    free(table);
    rmdir(directory);
}
END_TEST

START_TEST(a_folder_is_one_run)
{
    char *directory = scratch();
    at_common common = { .command = "fit", .seed = 7, .threads = 2, .out = directory };
    at_error err = AT_ERROR_INIT;
    at_run run;
    common.resumable = true;
    ck_assert_int_eq(at_run_open(&run, &common, json_pack("{s:i}", "n", 8), &err), AT_OK);
    ck_assert_int_eq(json_integer_value(json_object_get(run.config, "seed")), 7);
    at_run_clear(&run);
    ck_assert_int_eq(at_run_open(&run, &common, json_pack("{s:i}", "n", 8), &err), AT_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "--resume"));
    common.resumable = false;   /* of a command that is no run */
    ck_assert_int_eq(at_run_open(&run, &common, json_pack("{s:i}", "n", 8), &err), AT_USAGE);
    ck_assert_ptr_null(strstr(err.text, "--resume"));
    common.resume = true;
    common.threads = 1;   /* results do not depend on threads: not another run */
    ck_assert_int_eq(at_run_open(&run, &common, json_pack("{s:i}", "n", 8), &err), AT_OK);
    ck_assert(run.resumed);
    at_run_clear(&run);
    ck_assert_int_eq(at_run_open(&run, &common, json_pack("{s:i}", "n", 9), &err), AT_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "n = 8"));
    common.resume = false;
    common.force = true;
    char *own = at_path_join(directory, "notes.txt"), *old = at_path_join(directory, "metrics.tsv");
    ck_assert_int_eq(at_file_write(own, "mine", 4, NULL), AT_OK);
    ck_assert_int_eq(at_file_write(old, "old", 3, NULL), AT_OK);
    ck_assert_int_eq(at_run_open(&run, &common, json_pack("{s:i}", "n", 9), &err), AT_OK);
    ck_assert_int_eq(access(own, F_OK), 0);
    ck_assert_int_ne(access(old, F_OK), 0);
    char *config = at_run_path(&run, "config.json");
    unlink(config);
    free(config);
    at_run_clear(&run);
    common.force = false;
    common.resume = true;
    /* Nothing to go on with is missing input. */
    ck_assert_int_eq(at_run_open(&run, &common, json_object(), &err), AT_INPUT);
    unlink(own);
    free(own);
    free(old);
    rmdir(directory);
}
END_TEST

START_TEST(tables_are_written_whole)
{
    char *directory = scratch();
    at_run run = { .directory = directory };
    at_table table;
    at_table_init(&table, "step\tloss_nats");
    for (int k = 0; k < 1000; k++)
        at_table_row(&table, "%d\t%.17g", k, k / 7.0);
    ck_assert_uint_eq(table.rows, 1000);
    ck_assert_int_eq(at_table_write(&table, &run, "metrics.tsv", NULL), AT_OK);
    char *path = at_run_path(&run, "metrics.tsv"), *text = read_whole(path);
    ck_assert_int_eq(strncmp(text, "step\tloss_nats\n0\t0\n", 19), 0);
    double last;
    ck_assert_int_eq(sscanf(strstr(text, "\n999\t"), "\n999\t%lf\n", &last), 1);
    ck_assert(last == 999 / 7.0);
    unlink(path);
    free(path);
    free(text);
    at_table_clear(&table);
    rmdir(directory);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("report");
    TCase *t = tcase_create("report");
    tcase_add_test(t, hostile_text_stays_text);
    tcase_add_test(t, figures_stand_in_their_places);
    tcase_add_test(t, a_folder_is_one_run);
    tcase_add_test(t, tables_are_written_whole);
    suite_add_tcase(s, t);
    return s;
}

AT_CHECK_MAIN(suite)
