#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The worked example of doc/adding.md still applies to these sources, and the page quotes it
# truly.  tests/new_encoding.sh builds and runs it.
: "${top_srcdir:?}"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
fail() { printf 'FAIL: %s\n' "$*"; failed=1; }

# The page quotes the patch: every line of its ```diff blocks is one of the patch.
awk '/^```diff$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$top_srcdir/doc/adding.md" \
    >"$work/quoted"
[ -s "$work/quoted" ] || fail 'doc/adding.md quotes nothing'
grep -v -x -F -f "$top_srcdir/doc/examples/new-encoding.patch" "$work/quoted" \
    && fail 'doc/adding.md quotes lines that the patch does not have'

command -v patch >/dev/null 2>&1 || { echo 'patch is not there'; [ $failed = 0 ] && exit 77; exit 1; }
patch=$top_srcdir/doc/examples/new-encoding.patch
for file in $(sed -n 's,^+++ b/,,p' "$patch"); do
    mkdir -p "$work/source/${file%/*}" || exit 99
    [ -e "$top_srcdir/$file" ] || continue     # a new file
    cp "$top_srcdir/$file" "$work/source/$file" || exit 99
done
chmod -R u+w "$work/source"
(cd "$work/source" && patch -p1 <"$patch") || fail 'the patch does not apply'
exit $failed
