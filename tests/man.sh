#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The manual pages: one a command, with every option and example that the program has, named in
# attest(1), and rendered without a warning where man or mandoc are there.
: "${top_builddir:?}"
failed=0
fail() { printf 'FAIL: %s\n' "$*"; failed=1; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
pages=$top_builddir/doc
front=$pages/attest.1
[ -f "$front" ] || { echo 'no pages were made (a cross build)'; exit 77; }

# A page as plain text: the few escapes that the pages use, undone.
plain() { sed -e 's/\\f[BIR]//g' -e 's/\\-/-/g' -e "s/\\\\(aq/'/g" -e 's/\\(ha/^/g' -e 's/\\(ti/~/g' \
    -e 's/\\(ga/`/g' -e 's/\\e/\\/g' "$1"; }

plain "$front" >"$work/front"
for command in $("$ATTEST" --list commands); do
    page=$pages/attest-$command.1
    [ -f "$page" ] || { fail "attest $command has no page"; continue; }
    grep -q "^.BR attest-$command (1)" "$work/front" || fail "attest(1) does not name attest-$command(1)"
    plain "$page" >"$work/page"
    "$ATTEST" "$command" --describe >"$work/said"
    while IFS= read -r line; do
        case $line in
            option*)
                name=$(printf '%s\n' "$line" | awk -F '\t' '{ print ($3 != "") ? "--" $3 : "-" $2 }')
                grep -q -e "^\(-[a-z], \)\{0,1\}$name\([ =]\|\$\)" "$work/page" ||
                    fail "attest-$command(1) lacks $name" ;;
            example*)
                grep -qxF -e "${line#example?}" "$work/page" ||
                    fail "attest-$command(1) lacks: ${line#example?}" ;;
        esac
    done <"$work/said"
done
for page in "$pages"/attest-*.1; do
    command=${page##*/attest-}
    "$ATTEST" --list commands | grep -qx "${command%.1}" || fail "$page: there is no such command"
done

# Options that all commands share are told in attest(1), and nothing that is none.
for name in json quiet verbose help describe seed threads out resume force; do
    grep -q -e "--$name" "$work/front" || fail "attest(1) lacks --$name"
done
for page in "$front" "$pages"/attest-*.1; do
    if command -v man >/dev/null 2>&1; then
        said=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -l "$page" 2>&1 >/dev/null)
        case $said in
            '') ;;
            *'unrecognized option'*|*'invalid option'*|*'unknown option'*) ;;
            *) fail "$page: $said" ;;
        esac
    fi
    if command -v mandoc >/dev/null 2>&1; then
        said=$(mandoc -T lint -W warning "$page" 2>&1) || fail "$said"
    fi
done
exit $failed
