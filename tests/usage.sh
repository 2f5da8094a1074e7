#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What every command owes its user: help on one screen with examples, all mistakes of a command
# line in one go, the nearest valid name, nothing on standard output when it refuses.
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
failures=0
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }

commands=$("$ATTEST" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(echo "$commands" | wc -w)" -ge 8 ] || fail "attest --help lists too few commands: $commands"
for command in $commands; do
    "$ATTEST" "$command" --help >out 2>err || fail "$command --help: status $?"
    [ -s err ] && fail "$command --help wrote on standard error"
    [ "$(wc -l <out)" -le 50 ] || fail "$command --help is longer than a screen"
    awk 'length($0) > 120 { exit 1 }' out || fail "$command --help is wider than a screen"
    grep -q "^  attest $command" out || fail "$command --help has no example"
    grep -q -e --json out || fail "$command takes no --json"

    "$ATTEST" "$command" --jsn --no-such-thing --seed=1x --seed >out 2>err
    [ $? = 2 ] || fail "$command: wrong options are not status 2"
    [ -s out ] && fail "$command: a refusal wrote on standard output"
    grep -q 'did you mean --json' err || fail "$command: the nearest option was not suggested"
    grep -q 'no-such-thing' err || fail "$command: not all mistakes were named"
    [ -e attest-out ] && fail "$command: a refused command left a folder"
done

# The lists that completion reads; completion itself, where there is bash.
for kind in $("$ATTEST" --list); do
    [ -n "$("$ATTEST" --list "$kind")" ] || fail "--list $kind is empty"
done
"$ATTEST" --list encodngs 2>err && fail "--list of an unknown kind succeeded"
grep -q "did you mean 'encodings'" err || fail "--list: the nearest kind was not suggested"
if command -v bash >/dev/null; then
    PATH=$(dirname "$ATTEST"):$PATH bash -c '. "$1"
        complete_words() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _attest; echo "${COMPREPLY[@]}"; }
        [ "$(complete_words attest repro)" = reproduce ] &&
        [ "$(complete_words attest energy --step softm)" = softmax-beta ] &&
        [ "$(complete_words attest energy --cert)" = --certify ] &&
        [ "$(complete_words attest verify urpe.position-a)" = urpe.position-aware ]' \
        bash "$top_srcdir/doc/completion/attest.bash" || fail "bash completion"
fi

# A full disk under standard output is said, not passed over.
if [ -c /dev/full ]; then
    "$ATTEST" claims >/dev/full 2>err
    [ $? = 4 ] || fail "a full disk is not status 4"
fi
exit $((failures > 0))
