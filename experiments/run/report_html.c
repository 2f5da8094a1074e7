/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page around the report: no script, no font or image from elsewhere, so that it opens the
 * same from a disk, a mail or an archive; light and dark, phone and paper. */
#include "attest/experiments/run/report_html.h"

const char *const at_report_head =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<link rel=\"icon\" href=\"data:,\">\n<title>";

const char *const at_report_style =
    "</title>\n<style>\n"
    ":root { color-scheme: light dark; --text: #1b1b1b; --page: #fff; --soft: #555; --line: #d8d8d8;"
    " --link: #0060a0; --band: #f4f5f7; }\n"
    "@media (prefers-color-scheme: dark) { :root { --text: #e6e6e6; --page: #16181b; --soft: #a8a8a8;"
    " --line: #3a3d42; --link: #6cb6ff; --band: #202327; } }\n"
    "body { margin: 0; background: var(--page); color: var(--text);"
    " font: 16px/1.55 system-ui, 'DejaVu Sans', sans-serif; }\n"
    "main { max-width: 58rem; margin: 0 auto; padding: 1rem 1.2rem 4rem; }\n"
    "h1 { font-size: 1.8rem; line-height: 1.2; }\n"
    "h2 { margin-top: 2.6rem; border-bottom: 1px solid var(--line); padding-bottom: .2rem; }\n"
    "a { color: var(--link); }\n"
    "nav ol { columns: 2; padding-left: 1.4rem; }\n"
    "code { font: .9em/1.4 'DejaVu Sans Mono', monospace; background: var(--band); padding: .05em .3em;"
    " border-radius: 3px; overflow-wrap: anywhere; }\n"
    "td:first-child code { white-space: nowrap; overflow-wrap: normal; padding-left: 0; }\n"
    "pre { background: var(--band); padding: .7rem; overflow-x: auto; }\n"
    "pre code { padding: 0; overflow-wrap: normal; }\n"
    ".scroll { overflow-x: auto; }\n"
    "table { border-collapse: collapse; font-size: .92rem; margin: .6rem 0; }\n"
    "th, td { text-align: left; vertical-align: top; padding: .25rem .7rem .25rem 0;"
    " border-bottom: 1px solid var(--line); }\n"
    "figure { margin: 1.6rem 0; }\n"
    ".drawing { background: #fff; border: 1px solid var(--line); border-radius: 4px;"
    " padding: .6rem .3rem; overflow-y: hidden; }\n"
    ".drawing svg { display: block; width: 100%; height: auto; }\n"
    "figcaption { color: var(--soft); margin: .5rem 0; }\n"
    "details { color: var(--soft); font-size: .9rem; }\n"
    ".absent { border: 1px dashed var(--line); padding: 1rem; }\n"
    /* Figures are drawn on white: in the dark lightness is turned round and hues stay. */
    "@media screen and (prefers-color-scheme: dark) {"
    " .drawing { filter: invert(.9) hue-rotate(180deg); border-color: #ccc; } }\n"
    "@media (max-width: 40rem) { nav ol { columns: 1; } h1 { font-size: 1.4rem; }"
    " td:first-child code { white-space: normal; overflow-wrap: break-word; }"
    " .scroll table:has(th:nth-child(4)) { min-width: 36rem; }"
    " .drawing { overflow-x: auto; } .drawing svg { min-width: 36rem; } }\n"
    "@media print { :root { --text: #000; --page: #fff; --soft: #333; --band: #fff; --line: #999; }"
    " body { font-size: 10pt; } main { max-width: none; padding: 0; } nav { display: none; }"
    " h2, h3, h2 + p { break-after: avoid; } figure, tr { break-inside: avoid; }"
    " thead { display: table-header-group; }"
    " td:first-child code { white-space: normal; overflow-wrap: break-word; }"
    " .drawing svg { width: auto; max-width: 100%; max-height: 7.4cm; margin: auto; }"
    " th, td { padding-top: .06rem; padding-bottom: .06rem; } figure { margin: .8rem 0; } }\n"
    "</style></head><body><main>\n";
