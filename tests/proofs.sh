#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Coq's kernel takes every proof of proofs/; nothing is assumed there; statements and assumptions
# are those agreed in the golden files, and a statement that is changed is noticed.
: "${top_srcdir:?}" "${top_builddir:?}"
out=$top_builddir/proofs
failed=0
fail() { printf 'FAIL: %s\n' "$*"; failed=1; }

# The release holds all that the folder holds.
for file in "$top_srcdir"/proofs/*.v "$top_srcdir"/proofs/*.golden; do
    name=proofs/${file##*/}
    case $name in proofs/golden_*) continue ;; esac
    grep -q "^	$name\( \\\\\)\{0,1\}\$" "$top_srcdir/proofs/Makefile.inc" ||
        fail "proofs/Makefile.inc does not list $name"
done
[ $failed = 0 ] || exit 1

if [ -n "${ATTEST_NO_PROOFS-}" ]; then
    echo 'the proofs are skipped: --no-proofs (ATTEST_NO_PROOFS) was asked for'
    exit 77
fi
if ! command -v coqc >/dev/null 2>&1; then
    echo 'the proofs are skipped: no coqc here (Debian packages: coq, libcoq-interval)'
    exit 77
fi
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
echo 'From Interval Require Import Tactic.' >"$work/probe.v"
if ! coqc -q "$work/probe.v" >/dev/null 2>&1; then
    echo 'the proofs are skipped: no Coq-Interval here (Debian package: libcoq-interval)'
    exit 77
fi

make -j2 --no-print-directory -C "$top_srcdir/proofs" O="$out" || exit 1

# Words that would leave a gap are refused, and so is a statement other than the agreed one.
mkdir "$work/proofs" || exit 99
cp "$top_srcdir"/proofs/*.v "$top_srcdir"/proofs/*.golden "$top_srcdir"/proofs/*.awk \
    "$top_srcdir/proofs/Makefile" "$work/proofs"
chmod -R u+w "$work/proofs"
rm -f "$work"/proofs/golden_*.v
for word in 'Lemma gap : False. Admitted.' 'Axiom gap : False.' 'Parameter gap : False.' \
    'Unset Guard Checking.'; do
    cp "$top_srcdir/proofs/sums.v" "$work/proofs/sums.v"
    chmod u+w "$work/proofs/sums.v"
    echo "$word" >>"$work/proofs/sums.v"
    make --no-print-directory -C "$work/proofs" forbidden >/dev/null 2>&1 &&
        fail "make lets '$word' pass"
done
cp "$top_srcdir/proofs/sums.v" "$work/proofs/sums.v"
make --no-print-directory -C "$work/proofs" forbidden || fail 'make refuses the proofs as they are'

# A theorem with one hypothesis more says less: the restatement no longer fits it.
cat >"$work/weaker.v" <<'COQ'
From Coq Require Import Reals.
From Attest Require Import sums model.
From Attest Require softmax.
Lemma softmax_row_sum n (m : nat -> bool) (s : nat -> R) i :
  (2 <= n)%nat -> (i < n)%nat -> m i = true -> sum n (softmax n m s) = 1%R.
Proof. intros _. apply softmax.softmax_row_sum. Qed.
COQ
sed -n '/^Check (softmax.softmax_row_sum/,/)\.$/p' "$top_srcdir/proofs/statements.v" |
    sed 's/softmax.softmax_row_sum/softmax_row_sum/' >"$work/check"
[ -s "$work/check" ] || fail 'statements.v does not restate softmax_row_sum'
{ echo 'From Coq Require Import Reals. From Attest Require Import sums model softmax.'
  echo 'Open Scope R_scope.'; cat "$work/check"; } >"$work/agreed.v"
{ cat "$work/weaker.v"; echo 'Open Scope R_scope.'; cat "$work/check"; } >"$work/refused.v"
coqc -q -Q "$out" Attest "$work/agreed.v" >/dev/null || fail 'the restatement does not fit'
coqc -q -Q "$out" Attest "$work/refused.v" >/dev/null 2>&1 &&
    fail 'a theorem with one hypothesis more passes'

# So does a golden file that says something else.
sed 's/(i < n)/(i <= n)/' "$top_srcdir/proofs/statements.golden" >"$work/proofs/statements.golden"
make --no-print-directory -C "$top_srcdir/proofs" O="$out" agree agreed="$work/proofs" \
    >"$work/said" 2>&1 && fail 'another golden statement passes'
grep -q 'not as agreed' "$work/said" || { fail 'agree does not say why'; cat "$work/said"; }
exit $failed
