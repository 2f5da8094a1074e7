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

# What a file does not say is asked for, all at once, and never assumed; it is not contradicted either.
for key in causal activation encoding; do
    wrong=$(echo $key | sed 's/^./_/')
    LC_ALL=C sed "s/\"$key\"/\"$wrong\"/" "$model" >"$folder/$key" || exit 99
done
LC_ALL=C sed 's/"causal"/"_ausal"/; s/"activation"/"_ctivation"/' "$model" >"$folder/both" || exit 99
says 2 'causal (--causal yes|no)' --model "$folder/causal" --task pi
says 2 'activation (--activation relu|gelu)' --model "$folder/activation" --task pi
says 2 'say: causal .*, activation ' --model "$folder/both" --task pi
says 2 'say: activation ' --model "$folder/both" --task pi --causal no
says 0 '^urpe\|: urpe' --model "$folder/encoding" --task pi     # its tables say it
says 2 'its metadata say causal = 0, not 1' --model "$model" --task pi --causal yes
says 2 'activation = gelu, not relu' --model "$model" --task pi --activation relu
says 2 'causal' --model "$folder/both" --task pi --causal maybe
whole=$("$ATTEST" eval --model "$model" --task pi --quiet)
said=$("$ATTEST" eval --model "$folder/both" --task pi --quiet --causal no --activation gelu)
[ "$whole" = "$said" ] || { echo "said and stored differ: $whole, $said"; failed=1; }
for other in '--causal yes --activation gelu' '--causal no --activation relu'; do
    # shellcheck disable=SC2086
    loss=$("$ATTEST" eval --model "$folder/both" --task pi --json $other | grep '"loss"')
    [ "$loss" != "$("$ATTEST" eval --model "$model" --task pi --json | grep '"loss"')" ] ||
        { echo "$other changes nothing"; failed=1; }
done
LC_ALL=C sed 's/"emb.weight"/"em_.weight"/' "$model" >"$folder/renamed" || exit 99
says 3 'expected tensors emb.weight (or in.weight).*found 23: .*em_.weight' --model "$folder/renamed" --task pi
LC_ALL=C sed 's/"dense.bias"/"dense.bia_"/' "$model" >"$folder/renamed" || exit 99
says 3 'dense.bias \[8\] is missing' --model "$folder/renamed" --task pi
says 3 'dense.bia_, \[8\] of F32, has no place' --model "$folder/renamed" --task pi

# The same bytes, the same scores, whatever the threads.
one=$("$ATTEST" eval --model "$model" --task pi --count 300 --threads 1 --json)
two=$("$ATTEST" eval --model "$model" --task pi --count 300 --threads 2 --json)
[ -n "$one" ] && [ "$one" = "$two" ] || { echo "threads change the score"; failed=1; }
exit $failed
