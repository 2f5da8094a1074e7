/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of `attest reproduce`: each is a command that a person could type, run in a folder of
 * its own below the report's. */
#ifndef ATTEST_EXPERIMENTS_REPRODUCE_REPRODUCE_H
#define ATTEST_EXPERIMENTS_REPRODUCE_REPRODUCE_H

#include <jansson.h>
#include <stdbool.h>
#include "attest/core/error.h"
#include "attest/experiments/run/jobs.h"
#include "attest/experiments/cli/options.h"
#include "attest/experiments/run/report.h"

enum at_preset { AT_PRESET_QUICK = 1, AT_PRESET_SMALL = 2, AT_PRESET_PAPER = 4 };

/* Sections of the report that parts belong to. */
enum at_section { AT_SECTION_VERDICT, AT_SECTION_POSITION, AT_SECTION_ENERGY };

typedef struct {
    const char *name;       /* of the part and of its folder */
    unsigned presets;       /* AT_PRESET_… in which it runs */
    enum at_section section;
    unsigned cores;
    /* Of one core that makes 100 GFLOP/s in float32 products, in preset small: with sentences or
     * without a text, and more for reviews; what the expected duration is made of. */
    struct { double sentences, reviews; } seconds;
    const char *title;      /* of its heading in the report */
    /* Words separated by blanks.  A part with %DATA runs once for each text, and %DATA stands for
     * its --text and --embeddings; %DOCUMENTS for the preset's --documents for texts of that
     * length, %DOCUMENTS/K for a Kth of them; %CERTIFY for --certify where that is affordable;
     * %TRAINED for the weights trained on the first text with labels. */
    const char *command;
} at_part;

/* Ended by a NULL name; the longest first, so that the cores stay busy to the end. */
extern const at_part at_parts[];

enum { AT_TEXTS = 16 };

typedef struct {
    const char *path;
    char name[40];          /* of its folders: letters, digits and hyphens */
    bool labelled;          /* every document has a label: weights can be trained */
    bool lengthy;           /* reviews rather than sentences */
} at_text;

/* A part with its text: what one process does. */
typedef struct {
    const at_part *part;
    const at_text *text;    /* NULL: none, or made up */
    char *name, *title;     /* of its folder and heading, owned */
} at_planned;

typedef struct {
    enum at_preset preset;
    const char *paths[AT_TEXTS];     /* of the texts, as given */
    at_text texts[AT_TEXTS];
    size_t text_count;               /* 0: made-up documents and vectors */
    const char *embeddings;
    const char *only;                /* pattern that the names of the parts must match; NULL: all */
    char *directory;
    at_planned *planned;             /* those of the preset */
    at_job *jobs;                    /* in their order */
    size_t count;
    bool untrained;                  /* no text has labels: the parts with %TRAINED are left out */
    double seconds;
} at_reproduction;

/* Looks into the texts: labels, lengths, names.  AT_INPUT of the reader. */
int at_reproduce_look(at_reproduction *reproduction, at_error *err) AT_MUST_CHECK;
/* planned and jobs, from the preset and the texts; makes the folders.  AT_USAGE when no part
 * matches `only`. */
int at_reproduce_plan(at_reproduction *reproduction, const at_common *common,
                      at_error *err) AT_MUST_CHECK;
void at_reproduce_clear(at_reproduction *reproduction);

/* Seconds that the jobs which are not done may take, with that many cores of that many GFLOP/s. */
double at_reproduce_expected(const at_reproduction *reproduction, unsigned cores, double gflops);

/* Writes report.html from what the parts left in their folders. */
int at_reproduce_report(const at_reproduction *reproduction, const at_common *common,
                        const json_t *config, at_error *err) AT_MUST_CHECK;

/* The layers of an energy run or figure, a line each: the claim that says whether it descends, the
 * verdict of claims (the list of `attest verify --json`; NULL: none), and how many half-steps do.
 * Nothing for the summary of another part. */
void at_report_layers(at_report *report, const json_t *summary, const json_t *claims);

/* DIR/PART/NAME as JSON: a new reference, NULL when it is not there or malformed. */
json_t *at_part_json(const at_reproduction *reproduction, const char *part, const char *name);

#endif
