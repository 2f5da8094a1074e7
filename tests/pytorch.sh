#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# doc/examples/pytorch.py: models of attest fit scored by PyTorch, their state dicts scored and trained
# on by attest.
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

script=$top_srcdir/doc/examples/pytorch.py
sizes='-n 6 --vocab 9 --d 8 --heads 2 --ffn 12 --layers 2 --batch 4 --lr 0.01 --warmup 1 --threads 1
    --no-figures --quiet'

# score TASK FILE
score() {
    "$ATTEST" eval --model "$2" --task "$1" --constant --count 9 --threads 1 --json
}

# The decoder of pi has its own weights, that of etp the embedding's; etp has tables for each layer.
for task in pi etp; do
    for encoding in none rpe urpe ape; do
        run=$folder/$task-$encoding
        # shellcheck disable=SC2086
        "$ATTEST" fit --task $task --encoding $encoding $sizes --steps 20 --out "$run" >/dev/null || exit 1
        OMP_NUM_THREADS=1 "$python" "$script" --task $task "$run/model.safetensors" \
            "$run/back.safetensors" >"$run/torch.json" || exit 1
        score $task "$run/model.safetensors" >"$run/ours.json" || exit 1
        score $task "$run/back.safetensors" >"$run/returned.json" || exit 1
        # Trained on from either file: the same bits.
        for file in model back; do
            # shellcheck disable=SC2086
            "$ATTEST" fit --task $task --encoding $encoding $sizes --steps 3 \
                --init "$run/$file.safetensors" --out "$run/from-$file" >/dev/null || exit 1
        done
        cmp "$run/from-model/model.safetensors" "$run/from-back/model.safetensors" || exit 1
        "$python" - "$run" $task <<'END' || exit 1
import json
import sys

run, task = sys.argv[1:]
torch, ours, back = (json.load(open(f"{run}/{name}.json")) for name in ("torch", "ours", "returned"))
print(task, ours["encoding"], torch, ours["loss"], back["loss"])
assert abs(torch["loss"] - ours["loss"]) < 1e-9 and abs(torch["accuracy"] - ours["accuracy"]) < 1e-9
assert abs(back["loss"] - ours["loss"]) < 1e-12 and back["encoding"] == ours["encoding"]
END
    done
done

# A decoder that is not the embedding does not belong to a tied model.
"$python" - "$script" "$folder/etp-rpe/back.safetensors" "$folder/bad.safetensors" <<'END' || exit 1
import runpy
import sys

script, source, target = sys.argv[1:]
functions = runpy.run_path(script)
tensors, metadata = functions["read"](source)
tensors["dec.weight"] = tensors["dec.weight"] + 1
functions["write"](target, tensors, metadata)
END
# shellcheck disable=SC2086
"$ATTEST" fit --task etp --encoding rpe $sizes --steps 3 --init "$folder/bad.safetensors" \
    --out "$folder/bad" >/dev/null 2>"$folder/err"
[ $? = 3 ] && grep -q 'dec.weight' "$folder/err"
