#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Stands for the unit tests in a build without Check, so that the summary shows a skip.
echo "the unit tests are skipped: configure did not find Check (Debian package: check)"
exit 77
