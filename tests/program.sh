#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The program's front door: help, version, mistakes and their exit statuses.
failed=0
out=$(mktemp) && err=$(mktemp) || exit 99
trap 'rm -f "$out" "$err"' EXIT

# expect STATUS PATTERN(of stdout and stderr together) ARGUMENT...
expect() {
    status=$1 pattern=$2
    shift 2
    "$ATTEST" "$@" >"$out" 2>"$err" </dev/null
    got=$?
    if [ "$got" -ne "$status" ]; then
        echo "attest $*: exit status $got, expected $status"
        failed=1
    fi
    if ! cat "$out" "$err" | grep -q -e "$pattern"; then
        echo "attest $*: said nothing like '$pattern' but:"
        cat "$out" "$err"
        failed=1
    fi
}

expect 0 '^Usage: attest COMMAND' --help
expect 0 'Exit status' --help
expect 0 '^attest [0-9]*\.[0-9]*\.[0-9]*$' --version
for library in FLINT GSL; do
    expect 0 "^$library [0-9]" --version
done
expect 2 "no command 'no-such-command'" no-such-command
expect 0 '^Usage: attest floor' help floor
expect 2 "no command 'flor'; did you mean 'floor'" help flor
expect 2 '^Usage: attest COMMAND'

expect 0 '^BLAS kernel .' --version

# Levels of kernels.
fastest=$("$ATTEST" --version | sed -n 's/^kernels //p')
for level in generic avx2 avx512; do
    ATTEST_KERNELS=$level "$ATTEST" --version >"$out" 2>"$err"
    got=$?
    if [ $got = 0 ] && grep -qx "kernels $level" "$out"; then
        continue
    fi
    if [ $got != 4 ] || ! grep -q "ATTEST_KERNELS=$level: .* $fastest$" "$err"; then
        echo "ATTEST_KERNELS=$level: status $got"
        cat "$out" "$err"
        failed=1
    fi
done
export ATTEST_KERNELS
ATTEST_KERNELS=sse9 expect 2 'levels generic, avx2 and avx512' --version
ATTEST_KERNELS=sse9 expect 2 'levels generic, avx2 and avx512' claims
ATTEST_KERNELS=sse9 expect 0 '^Usage' --help
ATTEST_KERNELS='' expect 0 "^kernels $fastest$" --version
unset ATTEST_KERNELS

# A mistake is told on stderr and nothing on stdout.
"$ATTEST" no-such-command >"$out" 2>/dev/null </dev/null
if [ -s "$out" ]; then
    echo 'an unknown command prints to the standard output'
    failed=1
fi

# Each command in the list has help of one screen with an example.
for command in $("$ATTEST" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\)  .*/\1/p'); do
    expect 0 "attest $command" "$command" --help
    lines=$(wc -l <"$out")
    if [ "$lines" -gt 50 ]; then
        echo "attest $command --help: $lines lines are more than a screen"
        failed=1
    fi
    expect 2 . "$command" --no-such-option
done

# A full disk is not success.
if [ -w /dev/full ]; then
    "$ATTEST" --help >/dev/full 2>/dev/null
    got=$?
    if [ "$got" -ne 4 ]; then
        echo "attest --help >/dev/full: exit status $got, expected 4"
        failed=1
    fi
fi
exit $failed
