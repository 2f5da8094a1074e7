/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of `attest reproduce`: each is a command that a person could type, run in a folder of
 * its own below the report's. */
#ifndef ATTEST_EXPERIMENTS_REPRODUCE_H
#define ATTEST_EXPERIMENTS_REPRODUCE_H

#include <jansson.h>
#include "core/error.h"
#include "experiments/jobs.h"
#include "experiments/options.h"

enum at_preset { AT_PRESET_QUICK = 1, AT_PRESET_SMALL = 2, AT_PRESET_PAPER = 4 };

/* Sections of the report that parts belong to. */
enum at_section { AT_SECTION_VERDICT, AT_SECTION_POSITION, AT_SECTION_ENERGY };

typedef struct {
    const char *name;       /* of the part and of its folder */
    unsigned presets;       /* AT_PRESET_… in which it runs */
    enum at_section section;
    unsigned cores;
    const char *title;      /* of its heading in the report */
    const char *command;    /* words separated by blanks; %DATA stands for --text and --embeddings */
} at_part;

/* Ended by a NULL name; the longest first, so that the cores stay busy to the end. */
extern const at_part at_parts[];

typedef struct {
    enum at_preset preset;
    const char *text, *embeddings;   /* NULL: made-up documents and vectors */
    char *directory;
    const at_part **parts;           /* those of the preset */
    at_job *jobs;                    /* in the order of parts */
    size_t count;
    double seconds;
} at_reproduction;

/* Writes report.html from what the parts left in their folders. */
int at_reproduce_report(const at_reproduction *reproduction, const at_common *common,
                        const json_t *config, at_error *err) AT_MUST_CHECK;

/* DIR/PART/NAME as JSON: a new reference, NULL when it is not there or malformed. */
json_t *at_part_json(const at_reproduction *reproduction, const char *part, const char *name);

#endif
