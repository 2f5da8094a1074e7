/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fixed parts of the report's page. */
#ifndef ATTEST_EXPERIMENTS_RUN_REPORT_HTML_H
#define ATTEST_EXPERIMENTS_RUN_REPORT_HTML_H

/* From the doctype to the title's text. */
extern const char *const at_report_head;
/* From the title's end to the start of <main>. */
extern const char *const at_report_style;

#endif
