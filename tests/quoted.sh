#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Output that the README and the handbook quote is what the program prints: every block fenced as
# ```console is run, command by command, in one scratch folder a page.  Seconds may differ, and a
# line of three dots stands for any lines.
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
PATH=$(dirname "$ATTEST"):$PATH
export PATH
failures=0
commands=0

# The lines of $2 (quoted) against those of $1 (printed).
compare() {
    sed 's/[0-9][0-9.]* s\b/T s/g' "$1" >"$work/printed"
    sed 's/[0-9][0-9.]* s\b/T s/g' "$2" >"$work/quoted"
    awk -v printed="$work/printed" '
        BEGIN { while ((getline line < printed) > 0) have[++n] = line; at = 1 }
        $0 == "..." { open = 1; next }
        {
            if (open) { while (at <= n && have[at] != $0) at++; open = 0 }
            if (at > n || have[at] != $0) { print "quoted:  " $0; print "printed: " have[at]; bad = 1; exit }
            at++
        }
        END { if (!bad && !open && at <= n) { print "not quoted: " have[at]; bad = 1 } exit bad }' "$work/quoted"
}

for page in "$top_srcdir"/README.md "$top_srcdir"/doc/*.md; do
    folder=$work/$(basename "$page" .md)
    mkdir -p "$folder/blocks"
    # blocks/NNN.command and blocks/NNN.output
    awk -v d="$folder/blocks" '
        /^```console$/ { inside = 1; next }
        /^```/ { inside = 0; next }
        inside && /^\$ / { name = sprintf("%s/%03d", d, ++k); print substr($0, 3) > (name ".command")
                           printf "" > (name ".output"); next }
        inside && k { print > (name ".output") }' "$page"
    for command in "$folder"/blocks/*.command; do
        [ -e "$command" ] || continue
        commands=$((commands + 1))
        (cd "$folder" && sh "$command") >"$work/stdout" 2>/dev/null
        if ! compare "$work/stdout" "${command%.command}.output"; then
            echo "FAIL: $(basename "$page"): $(cat "$command")"
            failures=$((failures + 1))
        fi
    done
done
echo "$commands commands quoted, $failures differ"
[ "$commands" -gt 0 ] && [ "$failures" = 0 ]
