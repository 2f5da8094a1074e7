#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The energy model as released, n = 512, d = 300, 12 layers and 13 energies: PyTorch and attest by turns,
# with the same number of threads.  Prints each pair's seconds and ratio, then the median ratio.
#
#     experiments/bench/energy_pairs.sh [ATTEST [THREADS [PAIRS]]]
set -eu
attest=${1:-attest} threads=${2:-2} pairs=${3:-5}
here=$(dirname "$0")
python=${PYTHON:-/usr/bin/python3}
pair=1
while [ "$pair" -le "$pairs" ]; do
    "$python" "$here/energy_torch.py" --threads "$threads" --repeat 1
    "$attest" bench --only energy --threads "$threads" --json | tr -d '\n'
    echo
    pair=$((pair + 1))
done | "$python" -c '
import json, statistics, sys
rows = [json.loads(line) for line in sys.stdin]
ratios = []
for torch, ours in zip(rows[::2], rows[1::2]):
    seconds = [row["seconds"] for row in ours["energy"] if row["n"] == 512][0]
    ratios.append(torch["seconds"] / seconds)
    print("%.3f s  %.4f s  %.1f" % (torch["seconds"], seconds, ratios[-1]))
print("median ratio %.1f of %d pairs" % (statistics.median(ratios), len(ratios)))
'
