#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# attest claims and attest verify: forms, exit statuses, certificates and their re-check.
set -u
folder=$(mktemp -d "${TMPDIR:-/tmp}/attest-verify.XXXXXX") || exit 99
trap 'rm -rf "$folder"' EXIT
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# expect STATUS COMMAND...: output to $folder/out and $folder/err
expect() {
    wanted=$1
    shift
    "$@" >"$folder/out" 2>"$folder/err" </dev/null
    got=$?
    [ "$got" -eq "$wanted" ] || { fail "$* gave $got, not $wanted"; cat "$folder/err"; }
}

expect 0 "$ATTEST" claims
grep -q '^rpe.layer-collapse  \[' "$folder/out" || fail "claims lists rpe.layer-collapse"
expect 0 "$ATTEST" claims 'urpe.*'
grep -q '^rpe\.' "$folder/out" && fail "claims 'urpe.*' lists rpe.*"
expect 0 "$ATTEST" verify
grep -q ' 0 not, in ' "$folder/out" || fail "all claims as expected"
grep -q '^UNDECIDED' "$folder/out" && fail "no claim is undecided"
expect 0 "$ATTEST" verify urpe.row-sums -v
grep -q 'right inverse' "$folder/out" || fail "-v shows the steps"
if grep -q "^        .\{72\}" "$folder/out"; then
    fail "-v passes 79 columns"
fi
expect 0 "$ATTEST" verify urpe.solves-etp -v
grep -q '(cross-check)$' "$folder/out" || fail "-v does not tell cross-checks from proof steps"
grep -q 'layer 2: logits$' "$folder/out" || fail "a step of the proof is called a cross-check"
expect 2 "$ATTEST" verify urpe
grep -q "the pattern 'urpe\.\*'" "$folder/err" || fail "a family's name is not explained"
expect 2 "$ATTEST" claims collapse
grep -q "the pattern '\*collapse\*'" "$folder/err" || fail "a word in ids is not explained"
expect 2 "$ATTEST" verify rpe.flor
grep -q "did you mean 'rpe.floor'" "$folder/err" || fail "a misspelt id is not explained"
expect 0 "$ATTEST" verify --quiet rpe.floor
[ -s "$folder/out" ] && fail "--quiet prints nothing when all is as expected"

# the handbook speaks of every claim about positions
srcdir=${top_srcdir:-.}
for id in $("$ATTEST" claims 'rpe.*' 'urpe.*' | sed -n 's/^\(u\{0,1\}rpe\.[^ ]*\)  .*/\1/p'); do
    case $id in
    */*) grep -q "/${id#*/}" "$srcdir/doc/theory.md" || fail "doc/theory.md lacks $id" ;;
    *) grep -q "$id" "$srcdir/doc/theory.md" || fail "doc/theory.md lacks $id" ;;
    esac
done

# wrong usage: the nearest id is named
expect 2 "$ATTEST" verify rpe.flor
grep -q "rpe.floor" "$folder/err" || fail "the nearest id is named"
expect 2 "$ATTEST" verify rpe.floor --budget never
expect 2 "$ATTEST" verify 'nothing.*'
expect 4 "$ATTEST" verify rpe.floor --certificate "$folder/none/certificate.json"

# neither threads nor the selection change a result
for threads in 1 2; do
    expect 0 "$ATTEST" verify 'rpe.*' --json --threads $threads
    sed 's/"seconds": .*//' "$folder/out" >"$folder/threads$threads"
done
cmp "$folder/threads1" "$folder/threads2" || fail "one and two threads agree"

# same seed, same verdicts and counts
expect 0 "$ATTEST" verify rpe.deep-collapse --seed 7 --json
[ -n "${PYTHON3-}" ] && [ "$PYTHON3" != no ] || { [ "$failures" -eq 0 ]; exit; }
"$PYTHON3" - "$folder/out" <<'END' || fail "form of the JSON"
import json, sys
document = json.load(open(sys.argv[1]))
assert set(document) == {"attest", "claims", "as_expected"}, document.keys()
assert document["as_expected"] is True
(claim,) = document["claims"]
assert set(claim) == {"id", "statement", "source", "expected", "verdict", "as_expected", "scope",
                      "seconds", "steps", "witness"}, claim.keys()
assert claim["verdict"] == claim["expected"] == "CERTIFIED"
assert claim["steps"] and all(set(s) == {"name", "method", "verdict", "detail"}
                              for s in claim["steps"])
END

expect 0 "$ATTEST" verify --certificate "$folder/certificate.json"
expect 0 "$PYTHON3" "$srcdir/tests/recheck.py" "$folder/certificate.json"
cat "$folder/out"

# a certificate that was tampered with is found out, whichever fact was changed
"$PYTHON3" - "$folder" "$srcdir" <<'END' || fail "tampered certificates are found out"
import copy, json, os, sys
folder, source = sys.argv[1:]
sys.path.insert(0, os.path.join(source, "tests"))
sys.dont_write_bytecode = True
import recheck
claims = json.load(open(os.path.join(folder, "certificate.json")))["claims"]
tampered = 0
for claim in claims:
    for k, fact in enumerate(claim["facts"]):
        other = copy.deepcopy(claim)
        wrong = other["facts"][k]
        if fact["kind"] == "relation":
            wrong["relation"] = {"=": "!=", "!=": "=", "<": ">=", ">": "<=", "<=": ">",
                                 ">=": "<"}[fact["relation"]]
        elif fact["kind"] == "rows":
            first, _, rest = fact["rows"].partition(";")
            wrong["rows"] = "1/97 + " + first + (";" + rest if rest else "")
        else:
            wrong["sums"] = fact["sums"].replace("1", "2", 1)
        good, messages = recheck.check_claim(other)
        assert good == len(claim["facts"]) - 1 and messages, fact
        tampered += 1
    if claim["verdict"] == "REFUTED":
        other = copy.deepcopy(claim)
        other["facts"] = []
        assert recheck.check_claim(other)[1], claim["id"]
assert tampered > 40, tampered
END

[ "$failures" -eq 0 ]
