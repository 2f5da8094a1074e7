#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# doc/theory.md against the registry: every claim has a row that names the function which decides it
# and the file which defines it, the registry pairs the same two, and no row or difference names a
# claim that is not there.
: "${top_srcdir:?}" "${ATTEST:?}"
page=$top_srcdir/doc/theory.md
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
fail() { printf 'FAIL: %s\n' "$*"; failed=1; }

"$ATTEST" claims >"$work/claims" || fail 'attest claims'
sed -n 's/^\([a-z]*\.[^ ]*\)  \[.*/\1/p' "$work/claims" | sort >"$work/ids"
[ "$(wc -l <"$work/ids")" -ge 80 ] || fail "attest claims lists $(wc -l <"$work/ids") claims"

# id, function, file of each row
sed -n 's/^| `\([a-z]*\.[^`]*\)`.*| `\(at_[a-z0-9_]*\)` | `\(theory\/[a-z_\/]*\.c\)` |$/\1 \2 \3/p' "$page" \
    >"$work/rows"
cut -d ' ' -f 1 "$work/rows" | sort >"$work/told"
cmp -s "$work/ids" "$work/told" || { diff "$work/ids" "$work/told"; fail 'rows of doc/theory.md'; }

while read -r id function file; do
    grep -q "^int $function(" "$top_srcdir/$file" || fail "$file does not define $function ($id)"
    table=$top_srcdir/theory/claims/${id%%.*}/${id%%.*}.c
    awk -v id="{ \"$id\"," -v function_name="$function," '
        index($0, id) { inside = 1 }
        inside && index($0, function_name) { found = 1; exit }
        inside && / },$/ { inside = 0 }
        END { exit !found }' "$table" || fail "$table decides $id by another function than $function"
done <"$work/rows"

# every id that the page names is a claim
grep -o '\(rpe\|urpe\|opt\)\.[a-z][a-z0-9-]*\(/[a-z][a-z0-9-]*\)\{0,1\}' "$page" | grep -v '\.c$' | sort -u >"$work/named"
comm -23 "$work/named" "$work/ids" | grep . && fail 'doc/theory.md names what is no claim'
exit $failed
