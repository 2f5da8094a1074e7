/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tokeniser of documents (see text.h): UTF-8 checked, lower case, punctuation
 * and English clitics split off. */
#define _GNU_SOURCE 1
#include "attest/numeric/text/text.h"

#include <ctype.h>
#include <string.h>
#include <wctype.h>

/* Length of the UTF-8 character at s (of at most left bytes) and its code point; 0 when it is
 * malformed: overlong, a surrogate, past U+10FFFF, cut off, or NUL. */
static size_t decode(uint32_t *code, const unsigned char *s, size_t left)
{
    size_t length = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3
                    : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;
    static const uint32_t least[5] = { 0, 1, 0x80, 0x800, 0x10000 };
    uint32_t c = length == 1 ? s[0] : s[0] & (0x7fu >> length);

    if (length == 0 || length > left)
        return 0;
    for (size_t k = 1; k < length; k++) {
        if ((s[k] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[k] & 0x3f);
    }
    if (c < least[length] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    *code = c;
    return length;
}

static size_t encode(unsigned char *s, uint32_t c)
{
    if (c < 0x80) {
        s[0] = (unsigned char) c;
        return 1;
    }
    if (c < 0x800) {
        s[0] = (unsigned char) (0xc0 | c >> 6);
        s[1] = (unsigned char) (0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        s[0] = (unsigned char) (0xe0 | c >> 12);
        s[1] = (unsigned char) (0x80 | (c >> 6 & 0x3f));
        s[2] = (unsigned char) (0x80 | (c & 0x3f));
        return 3;
    }
    s[0] = (unsigned char) (0xf0 | c >> 18);
    s[1] = (unsigned char) (0x80 | (c >> 12 & 0x3f));
    s[2] = (unsigned char) (0x80 | (c >> 6 & 0x3f));
    s[3] = (unsigned char) (0x80 | (c & 0x3f));
    return 4;
}

/* Lower case of Latin, Greek and Cyrillic letters, whose two cases take as many bytes; the C
 * locale's towlower knows ASCII only and a named locale may not be installed. */
static uint32_t lower(uint32_t c)
{
    if (c < 0x80)
        return (uint32_t) tolower((int) c);
    if ((c >= 0xc0 && c <= 0xde && c != 0xd7) || (c >= 0x391 && c <= 0x3a9 && c != 0x3a2)
        || (c >= 0x410 && c <= 0x42f))
        return c + 32;
    if (c >= 0x400 && c <= 0x40f)
        return c + 80;
    if ((c >= 0x100 && c <= 0x137 && c != 0x130 && c != 0x131) || (c >= 0x14a && c <= 0x177))
        return c | 1;
    return c;
}

static bool is_blank(uint32_t c)
{
    return c == ' ' || (c >= 9 && c <= 13) || c == 0xa0 || c == 0x85 || (c >= 0x2000 && c <= 0x200b)
           || c == 0x3000 || c == 0xfeff || c == 0x2028 || c == 0x2029;
}

/* Typographic marks as the typewriter has them; *code becomes 0 where something was written. */
static size_t typewriter(unsigned char *out, uint32_t *code)
{
    uint32_t c = *code;
    const char *mark = c == 0x2018 || c == 0x2019 || c == 0xb4 ? "'"
                       : (c >= 0x201a && c <= 0x201f) || c == 0xab || c == 0xbb ? "\""
                       : c == 0x2026 ? "..." : c >= 0x2012 && c <= 0x2015 ? "--"
                       : c == 0x2010 || c == 0x2011 ? "-" : NULL;

    if (mark == NULL)
        return 0;
    *code = 0;
    memcpy(out, mark, strlen(mark));
    return strlen(mark);
}

/* Checks, lowers, makes every blank a ' ', "<br />" (and "<br>", "<br/>") one too; the new length
 * (never larger), or SIZE_MAX when the text is not UTF-8. */
static size_t normalise(char *text, size_t length)
{
    unsigned char *s = (unsigned char *) text, *out = s;
    size_t at = 0;

    while (at < length) {
        uint32_t code = 0;
        size_t step = s[at] == '\0' ? 0 : decode(&code, s + at, length - at);
        if (step == 0)
            return SIZE_MAX;
        if (is_blank(code)) {
            *out++ = ' ';
            at += step;
            continue;
        }
        if (code == '<' && length - at >= 4 && tolower(s[at + 1]) == 'b'
            && tolower(s[at + 2]) == 'r') {
            size_t end = at + 3;
            while (end < length && (s[end] == ' ' || s[end] == '/'))
                end++;
            if (end < length && s[end] == '>') {
                *out++ = ' ';
                at = end + 1;
                continue;
            }
        }
        out += typewriter(out, &code);
        if (code != 0)
            out += encode(out, lower(code));
        at += step;
    }
    return (size_t) (out - s);
}

/* A letter, a digit, or a byte of a character beyond ASCII. */
static bool is_word(char c)
{
    return isalnum((unsigned char) c) || (unsigned char) c >= 0x80;
}

/* Length of the clitic that ends s[0 … length): n't or '+letters; 0 when none does. */
static size_t clitic(const char *s, size_t length)
{
    static const char *const endings[] = { "n't", "'s", "'re", "'ve", "'ll", "'d", "'m" };

    for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++) {
        size_t size = strlen(endings[k]);
        if (length > size && memcmp(s + length - size, endings[k], size) == 0)
            return size;
    }
    return 0;
}

typedef struct {
    bool (*take)(const char *token, size_t length, void *context);
    void *context;
} receiver;

/* A run of word characters with inner - ' . _ & (ex-wife, o'neill, u.s, at_t); its clitic apart. */
static bool take_word(const char *s, size_t length, const receiver *to)
{
    size_t tail = clitic(s, length);

    return to->take(s, length - tail, to->context)
           && (tail == 0 || to->take(s + length - tail, tail, to->context));
}

/* One blank-delimited piece. */
static bool take_piece(const char *s, size_t length, const receiver *to)
{
    size_t at = 0;

    while (at < length) {
        size_t end = at;
        if (!is_word(s[at])) {
            /* Equal marks stay together ("...", "--", "!!"). */
            while (end < length && s[end] == s[at])
                end++;
            /* A clitic that stands alone, "'s" after a quote or a bracket. */
            if (s[at] == '\'' && end == at + 1) {
                size_t stop = end;
                while (stop < length && is_word(s[stop]))
                    stop++;
                if (stop > end && clitic(s + at - (at > 0), stop - at + (at > 0)) == stop - at)
                    end = stop;
            }
            if (!to->take(s + at, end - at, to->context))
                return false;
        } else {
            while (
                end < length
                && (is_word(s[end])
                    || (strchr("-'._&,:", s[end]) != NULL && end + 1 < length && is_word(s[end + 1])
                        && (strchr(",:.", s[end]) == NULL
                            || (isdigit((unsigned char) s[end - 1])
                                && isdigit((unsigned char) s[end + 1]))))))
                end++;
            if (!take_word(s + at, end - at, to))
                return false;
        }
        at = end;
    }
    return true;
}

bool at_tokenise(char *text, size_t length, bool split_punctuation,
                 bool (*take)(const char *token, size_t length, void *context), void *context)
{
    const receiver to = { take, context };
    size_t size = normalise(text, length);

    if (size == SIZE_MAX)
        return false;
    for (size_t at = 0; at < size;) {
        const char *blank = memchr(text + at, ' ', size - at);
        size_t end = blank != NULL ? (size_t) (blank - text) : size;
        if (end > at && !(split_punctuation ? take_piece(text + at, end - at, &to)
                                            : take(text + at, end - at, context)))
            return false;
        at = end + 1;
    }
    return true;
}
