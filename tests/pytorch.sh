#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# doc/examples/pytorch.py: a model of attest fit scored by PyTorch, its state dict scored by attest.
: "${ATTEST:=./attest}" "${top_srcdir:=.}"
python=
for candidate in "${PYTHON3:-python3}" /usr/bin/python3; do
    if "$candidate" -c 'import torch, numpy' 2>/dev/null; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "PyTorch is not installed: skipped"
    exit 77
fi
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT

score() {
    "$ATTEST" eval --model "$1" --task pi --constant --count 9 --threads 1 --json
}

"$ATTEST" fit --task pi --encoding urpe -n 6 --vocab 9 --d 8 --heads 2 --ffn 12 \
    --layers 2 --steps 20 --batch 4 --lr 0.01 --warmup 1 --threads 1 --no-figures --quiet \
    --out "$folder/run" >/dev/null || exit 1
OMP_NUM_THREADS=1 "$python" "$top_srcdir/doc/examples/pytorch.py" \
    "$folder/run/model.safetensors" "$folder/back.safetensors" >"$folder/torch.json" || exit 1
score "$folder/run/model.safetensors" >"$folder/ours.json" || exit 1
score "$folder/back.safetensors" >"$folder/back.json" || exit 1
"$python" - "$folder" <<'END' || exit 1
import json
import sys

torch, ours, back = (json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("torch", "ours", "back"))
print(torch, ours["loss"], back["loss"])
assert abs(torch["loss"] - ours["loss"]) < 1e-9 and abs(torch["accuracy"] - ours["accuracy"]) < 1e-9
assert abs(back["loss"] - ours["loss"]) < 1e-12 and back["encoding"] == ours["encoding"]
END
