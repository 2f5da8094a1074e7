#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# attest floor as a user types it: values, JSON, mistakes and exit statuses.
failed=0

# says STATUS PATTERN ARGUMENTS...: the exit status and a line of the output.
says() {
    wanted=$1 pattern=$2
    shift 2
    output=$("$ATTEST" floor "$@" 2>&1)
    status=$?
    if [ $status -ne "$wanted" ] || ! printf '%s\n' "$output" | grep -qe "$pattern"; then
        printf 'attest floor %s: status %s, wanted %s and "%s":\n%s\n' "$*" $status "$wanted" \
            "$pattern" "$output"
        failed=1
    fi
}

says 0 '^floor  *7/2$' -n 8 --function 'i*x[1]'
says 0 '^floor  *7/2$' -n 8 --function position
says 0 '27\*t^2-4' -n 3 --function 'i*x[1] - i*x[1]^3'
says 0 'no floor at constants' -n 8 --function reversal
says 0 'no floor at constants' -n 8 --function running-mean
says 0 '^floor  *7/2$' -n 8 --task pi
says 0 'accuracy <= 1/8' -n 8 --task pi
says 0 'accuracy <= 3/5' -n 5 --task etp
says 0 '^floor  *2$' -n 5 --task pi --class symmetric
says 0 'accuracy <= 3/5' -n 5 --task pi --class symmetric
says 0 '^7/2$' -n 8 --function 'i*x[1]' --quiet
says 0 '^7$' -n 8 --function 'i*x[1]' --domain -1,2 --quiet
says 0 '"floor": "7/2"' -n 8 --function 'i*x[1]' --json
says 0 '"floor": "0"' -n 8 --function reversal --json
says 0 '"floor": null' -n 3 --function 'i*x[1] - i*x[1]^3' --json
says 2 "did you mean 'position'" -n 8 --function positon
says 2 'column 2' -n 8 --function '2x[1]'
says 2 'write 0,1' -n 8 --function position --domain 1,0
says 2 'token k is written' -n 8 --function 'i*x1'
says 2 'token k is written' -n 8 --function 'x_1'
says 2 "no function 'sin' in a formula" -n 8 --function 'sin(x[1])'
says 0 'output 8 is 8 there, output 1 is 1;' -n 8 --function 'i*x[1]'
says 0 'output 3 is 1.1547' -n 3 --function 'i*x[1] - i*x[1]^3'
says 0 'squared error >= 1/20$' -n 4 --function 'i*x[1]' --domain 0.1,0.2
# A floor of the mean square that is irrational, or a long fraction, is rounded down.
says 0 'squared error >= 0\.03076071951368[0-9]*$' -n 3 --function 'i*(x[1]-x[1]^2-x[1]^4)' --domain 0,1/2
says 0 'squared error >= [0-9]\.[0-9]*e-10$' -n 4 --function 'i*x[1]/1234567 + i^3*x[2]^3/1100001'
# An index that counts from 0, or passes n, at every output; where some output reads a token, none.
says 0 '^attest floor: note: .*x\[0\], which is 0 for every i: the tokens are x\[1\] to x\[4\]$' -n 4 --function 'i*x[0]'
says 0 'note: .*x\[5\] to x\[8\], which are 0' -n 4 --function 'x[1]+x[n+i]'
for function in 'x[i-1]' 'x[2*i]' shift etp; do
    "$ATTEST" floor -n 4 --function "$function" 2>&1 | grep note && { echo "$function: a note"; failed=1; }
done
"$ATTEST" floor -n 4 --function 'i*x[0]' -q 2>&1 | grep note && { echo 'a note with --quiet'; failed=1; }
says 2 'two rationals' -n 8 --function position --domain 0..1
says 2 'the length is missing' --function position
says 2 'the function is missing' -n 8
says 2 'a divisor is zero' -n 8 --function 'x[1]/(i-1)'
says 2 "symmetric" -n 8 --function position --class symetric

# All mistakes at once.
output=$("$ATTEST" floor -n 0 --function 'y' --domain q 2>&1)
if [ "$(printf '%s\n' "$output" | grep -c '^attest floor: ')" -ne 3 ]; then
    printf 'not all three mistakes are named:\n%s\n' "$output"
    failed=1
fi

if [ -n "$PYTHON3" ]; then
    "$ATTEST" floor -n 3 --function 'i*x[1] - i*x[1]^3' --json | "$PYTHON3" -c '
import json, sys
from fractions import Fraction
d = json.load(sys.stdin)
keys = ["function", "n", "domain", "floor", "enclosure", "minimal_polynomial", "witness",
        "has_floor", "losses", "seconds"]
assert all(k in d for k in keys), d.keys()
assert d["minimal_polynomial"] == [-4, 0, 27] and d["domain"] == ["0", "1"] and d["n"] == 3
lo, hi = map(Fraction, d["enclosure"])
assert 0 < hi - lo < Fraction(1, 10**15) and 27 * lo**2 < 4 < 27 * hi**2
c = d["witness"]["constant"]
lo, hi = map(Fraction, c["enclosure"])
assert c["minimal_polynomial"] == [-1, 0, 3] and 3 * lo**2 < 1 < 3 * hi**2
assert len(d["witness"]["rows"]) == 3 and d["losses"]["mse"] == "8/81"
assert d["losses"]["accuracy"] == "1/3" and d["has_floor"] is True
' || failed=1
fi
exit $failed
