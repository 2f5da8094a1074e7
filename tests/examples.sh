#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The programs of doc/examples/ print what is committed beside them.
failed=0
for expected in "$top_srcdir"/doc/examples/*.txt; do
    name=$(basename "$expected" .txt)
    output=$("$top_builddir/doc/examples/$name" 2>&1) || failed=1
    if [ "$output" != "$(cat "$expected")" ]; then
        printf 'doc/examples/%s printed\n%s\ninstead of\n%s\n' "$name" "$output" "$(cat "$expected")"
        failed=1
    fi
done
exit $failed
