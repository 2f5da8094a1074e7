#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes configure and the Makefile.in from their sources. Needs Autoconf, Automake, Libtool
# and pkg-config; a release tarball comes with the results and does not need this step.
set -e
cd "$(dirname "$0")"
mkdir -p build-aux
exec autoreconf --force --install "$@"
