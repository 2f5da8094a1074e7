#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every fact of `attest verify` as a lemma: Coq takes them all, and refuses the opposite of each.
: "${top_srcdir:?}" "${ATTEST:?}"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
fail() { printf 'FAIL: %s\n' "$*"; failed=1; }

"$ATTEST" verify --quiet --coq "$work/facts.v" || fail 'attest verify --coq'
facts=$(grep -c '^(\* [a-z]*\.' "$work/facts.v")
lemmas=$(grep -c '^Lemma [a-z]*_.*_\(relation\|rows\|sums\)_' "$work/facts.v")
[ "$facts" -ge 100 ] && [ "$lemmas" -ge "$facts" ] || fail "$facts facts and $lemmas lemmas"

# Nothing half-written, and the status of a disk that is full.
"$ATTEST" verify rpe.floor --coq "$work/none/facts.v" >/dev/null 2>&1
[ $? -eq 4 ] || fail 'a folder that is not there'
if [ -w /dev/full ]; then
    "$ATTEST" verify rpe.floor --coq /dev/full >/dev/null 2>&1
    [ $? -eq 4 ] || fail 'a full disk'
fi

if [ -n "${ATTEST_NO_PROOFS-}" ]; then
    [ $failed = 0 ] || exit 1
    echo 'Coq is not asked: --no-proofs (ATTEST_NO_PROOFS) was asked for'
    exit 77
fi
echo 'From Interval Require Import Tactic.' >"$work/probe.v"
if ! command -v coqc >/dev/null 2>&1 || ! coqc -q "$work/probe.v" >/dev/null 2>&1; then
    [ $failed = 0 ] || exit 1
    echo 'Coq is not asked: no coqc with Coq-Interval here (Debian packages: coq, libcoq-interval)'
    exit 77
fi

awk -f "$top_srcdir/tests/flip.awk" "$work/facts.v" >"$work/flipped.v" || fail 'flip.awk'
grep -q "^(\* $lemmas \*)" "$work/flipped.v" || fail 'not every lemma was flipped'
coqc -q "$work/facts.v" >"$work/facts.out" 2>&1 &
coqc -q "$work/flipped.v" >"$work/flipped.out" 2>&1 || { tail -n 5 "$work/flipped.out"; fail 'an opposite passes'; }
wait $! || { tail -n 5 "$work/facts.out"; fail 'Coq does not take a fact'; }
echo "$lemmas lemmas of $facts facts taken, their opposites refused"
exit $failed
