#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# attest verify --search: what it finds is said, in text and in JSON, and changes no verdict.
set -u
failed=0
fail() { echo "$1"; failed=1; }

text=$("$ATTEST" verify opt.causal opt.relu-nilpotent opt.majorize --search --budget 3) || fail "status $?"
echo "$text" | grep -q 'search: a counterexample from random starts' || fail "nothing found: $text"
echo "$text" | grep -q 'confirmed exactly' || fail "not confirmed: $text"
echo "$text" | grep -q '^3 claims, 3 as expected, 0 not' || fail "verdicts: $text"
[ "$(echo "$text" | grep -c 'search: ')" -eq 2 ] || fail "a proved claim was searched: $text"

# a refutation that is no point of a space says so
text=$("$ATTEST" verify rpe.poster-nope urpe.universal/bias-free --search) || fail "status $?"
[ "$(echo "$text" | grep -c 'search: none')" -eq 2 ] || fail "no word on the search: $text"
echo "$text" | grep -q 'bounds a probability' || fail "no reason: $text"

# every other refuted claim finds something, a position or an energy alike
text=$("$ATTEST" verify 'rpe.*' 'urpe.*' opt.no-self-term/strict --search --budget 3) || fail "status $?"
[ "$(echo "$text" | grep -c 'search: a counterexample')" -eq 12 ] || fail "searches of rpe.*: $text"

json=$("$ATTEST" verify opt.plain-softmax --search --json) || fail "status $?"
echo "$json" | grep -q '"search: a counterexample' || fail "no step in the JSON: $json"
echo "$json" | grep -q '"verdict": "REFUTED"' || fail "verdict: $json"

"$ATTEST" verify opt.plain-softmax | grep -q 'search' && fail "searched without being asked"
exit $failed
