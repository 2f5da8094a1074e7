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
                      "seconds", "steps", "witness", "kernel_checked", "theorems"}, claim.keys()
assert claim["verdict"] == claim["expected"] == "CERTIFIED"
assert claim["steps"] and all(set(s) == {"name", "method", "verdict", "detail"}
                              for s in claim["steps"])
END

expect 0 "$ATTEST" verify --certificate "$folder/certificate.json"
expect 0 "$PYTHON3" "$srcdir/tests/recheck.py" "$folder/certificate.json"
cat "$folder/out"

# A certificate that was tampered with is found out.  Where a fact is changed, recomputation must
# object: always for the other relation, for stated digits, rows and sums, and for every number on
# which the fact depends.  Some do not matter (1^2, a gate of a value 0): the checksum guards them.
"$PYTHON3" - "$folder" "$srcdir" <<'END' || fail "tampered certificates are found out"
import json, os, re, sys
folder, source = sys.argv[1:]
sys.path.insert(0, os.path.join(source, "tests"))
sys.dont_write_bytecode = True
import recheck
with open(os.path.join(folder, "certificate.json"), "rb") as file:
    text = file.read()
claims = json.loads(text)["claims"]

def survives(claim, fact):
    good, messages = recheck.check_claim({"id": claim["id"], "verdict": claim["verdict"],
                                          "witness": claim["witness"], "facts": [fact]})
    assert good or messages
    return good

other = {"=": "!=", "!=": "=", "<": ">=", ">": "<=", "<=": ">", ">=": "<"}
altered, missed, always = {}, {}, ("left_value", "right_value", "rows", "sums", "c", "n", "scale")
for claim in claims:
    assert claim["verdict"] != "REFUTED" or recheck.check_claim(dict(claim, facts=[]))[1], claim["id"]
    for fact in claim["facts"]:
        assert survives(claim, fact), fact
        if fact["kind"] == "relation":
            assert not survives(claim, dict(fact, relation=other[fact["relation"]])), fact
        for key, value in fact.items():
            numbers = list(re.finditer(r"\d+", value)) if key not in ("kind", "label", "normaliser") else []
            for number in numbers[::max(1, len(numbers) // 3)]:
                wrong = "%s%d%s" % (value[:number.start()], int(number.group()) + 1, value[number.end():])
                found = not survives(claim, dict(fact, **{key: wrong}))
                assert found or key not in always, (key, value, wrong)
                altered[fact["kind"]] = altered.get(fact["kind"], 0) + 1
                missed[fact["kind"]] = missed.get(fact["kind"], 0) + (not found)
assert set(altered) == set(recheck.KINDS), altered
assert altered["relation"] > 200 and altered["rows"] > 200, altered
for kind in altered:
    assert missed[kind] <= 0.25 * altered[kind], (kind, missed, altered)

# and no digit of the file may change, wherever it stands
assert recheck.sound(text)
digits = [k for k, byte in enumerate(text) if chr(byte).isdigit()]
for k in digits[::len(digits) // 400]:
    wrong = bytearray(text)
    wrong[k] = ord("0") + (wrong[k] - ord("0") + 1) % 10
    assert not recheck.sound(bytes(wrong)), k
wrong[digits[len(digits) // 2]] ^= 1
with open(os.path.join(folder, "damaged.json"), "wb") as file:
    file.write(wrong)
END
expect 1 "$PYTHON3" "$srcdir/tests/recheck.py" "$folder/damaged.json"
grep -q '^checksum' "$folder/out" || fail "a damaged certificate passes"

[ "$failures" -eq 0 ]
