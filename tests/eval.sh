#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# attest eval: scores of a model that attest fit wrote, and of files that are none.
: "${ATTEST:=./attest}"
folder=$(mktemp -d) || exit 99
trap 'rm -rf "$folder"' EXIT
failed=0

# says STATUS PATTERN ARGUMENTS...
says() {
    wanted=$1 pattern=$2
    shift 2
    output=$("$ATTEST" eval "$@" 2>&1)
    status=$?
    if [ $status -ne "$wanted" ] || ! printf '%s\n' "$output" | grep -qe "$pattern"; then
        printf 'attest eval %s: status %s, wanted %s and "%s":\n%s\n' "$*" $status "$wanted" \
            "$pattern" "$output"
        failed=1
    fi
}

for task in pi etp; do
    "$ATTEST" fit --task $task --encoding urpe -n 6 --vocab 9 --d 8 --heads 2 --ffn 12 --layers 1 \
        --steps 3 --batch 4 --threads 1 --no-figures --quiet --out "$folder/$task" || exit 1
done
model=$folder/pi/model.safetensors
says 0 '^accuracy  *0\.' --model "$model" --task pi --count 20
says 0 '"sequences": 9,' --model "$model" --task pi --constant --json
says 0 '"least_loss"' --model "$model" --task pi --constant --json
says 0 '"task": "etp"' --model "$folder/etp/model.safetensors" --task etp --json
says 3 '6 outputs, but the task has 9 classes' --model "$model" --task etp
says 2 'the model is missing' --task pi
says 2 'the task is missing' --model "$model"
says 3 'absent' --model "$folder/absent" --task pi
printf 'no tensors here' >"$folder/text"
says 3 'text' --model "$folder/text" --task pi

# One token has no first half: no number stands for its accuracy, and nan is none.
text=$("$ATTEST" fit --task etp --encoding none -n 1 --vocab 6 --d 8 --heads 2 --ffn 8 --layers 1 --steps 2 \
    --batch 2 --threads 1 --no-figures --out "$folder/one") || failed=1
text="$text $("$ATTEST" eval --model "$folder/one/model.safetensors" --task etp)" || failed=1
case $text in *nan*) printf 'nan in: %s\n' "$text"; failed=1 ;; esac
says 0 '"accuracy_nontrivial": null' --model "$folder/one/model.safetensors" --task etp --json

# The same bytes, the same scores, whatever the threads.
one=$("$ATTEST" eval --model "$model" --task pi --count 300 --threads 1 --json)
two=$("$ATTEST" eval --model "$model" --task pi --count 300 --threads 2 --json)
[ -n "$one" ] && [ "$one" = "$two" ] || { echo "threads change the score"; failed=1; }
exit $failed
