#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What URPE's factors cost: a training step with URPE and with RPE (t5 without buckets) by turns, d = 128, 8 heads,
# 4,096 tokens a step.  Prints for each n the median of the pairs' ratios, their range, and both medians.
#
#     experiments/bench/urpe_pairs.sh [ATTEST [THREADS [PAIRS]]]
set -eu
attest=${1:-attest} threads=${2:-2} pairs=${3:-5}
python=${PYTHON:-/usr/bin/python3}
for n in 128 256 512; do
    pair=1
    while [ "$pair" -le "$pairs" ]; do
        for encoding in t5 urpe; do
            "$attest" bench --only training --d 128 --heads 8 --ffn 512 -n "$n" --batch $((4096 / n)) \
                --steps 9 --threads "$threads" --encoding $encoding --json | tr -d '\n'
            echo
        done
        pair=$((pair + 1))
    done
done | "$python" -c '
import json, statistics, sys
rows = [json.loads(line)["training"][0] for line in sys.stdin]
pairs = list(zip(rows[::2], rows[1::2]))
for n in sorted({rpe["n"] for rpe, urpe in pairs}):
    these = [pair for pair in pairs if pair[0]["n"] == n]
    time = [100 * (rpe["tokens_per_s"] / urpe["tokens_per_s"] - 1) for rpe, urpe in these]
    memory = [100 * (urpe["peak_rss_mb"] / rpe["peak_rss_mb"] - 1) for rpe, urpe in these]
    print("n = %d: time %+.1f %% (%+.1f to %+.1f), memory %+.1f %%; tokens/s RPE %.0f, URPE %.0f"
          % (n, statistics.median(time), min(time), max(time), statistics.median(memory),
             statistics.median(rpe["tokens_per_s"] for rpe, urpe in these),
             statistics.median(urpe["tokens_per_s"] for rpe, urpe in these)))
'
