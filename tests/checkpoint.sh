#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What attest fit --resume, --init and attest eval do with weights from another hand: a checkpoint or
# a model that was forged, cut or damaged is bad input, said once with the file's name, never a score.
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
LC_ALL=C
export LC_ALL
failed=0
fail() {
    echo "FAIL: $*"
    failed=1
}

fit="--task pi -n 6 --vocab 9 --d 16 --heads 2 --ffn 16 --layers 1 --batch 8 --every 10 --steps 20"
# shellcheck disable=SC2086
"$ATTEST" fit $fit --encoding rpe --out whole --no-figures --quiet >out 2>err || { cat err; exit 1; }
checkpoint=whole/checkpoint.safetensors

# The header's length and where the data begin.
length() { od -An -t u8 -N 8 "$1" | tr -d ' '; }
# put FILE OFFSET BYTES: overwrites in place; offsets below zero count from the end.
put() {
    offset=$2
    [ "$offset" -ge 0 ] || offset=$(($(wc -c <"$1") + offset))
    printf "$3" | dd of="$1" bs=1 seek="$offset" conv=notrunc 2>/dev/null
}
# header FILE SCRIPT: edits the header with sed and mends its length.
header() {
    size=$(length "$1")
    dd if="$1" bs=1 skip=8 count="$size" 2>/dev/null | sed "$2" | tr -d '\n' >text
    tail -c +$((size + 9)) "$1" >data
    size=$(wc -c <text)
    { printf "\\$(printf %o $((size % 256)))\\$(printf %o $((size / 256 % 256)))"
      printf "\\$(printf %o $((size / 65536)))\\0\\0\\0\\0\\0"; cat text data; } >"$1"
}

# refused PATTERN COMMAND...: bad input, the pattern in the message, the file named once a line.
refused() {
    pattern=$1
    shift
    "$ATTEST" "$@" >out 2>err
    status=$?
    [ $status = 3 ] || fail "attest $*: status $status, not 3 ($pattern)"
    grep -q -e "$pattern" err || { fail "attest $*: nothing like '$pattern'"; cat err; }
    [ "$(grep -o 'checkpoint.safetensors' err | wc -l)" -le 1 ] || fail "the file is named twice"
    [ -s out ] && fail "attest $*: a score in spite of bad input"
}

fresh() { rm -rf run; cp -r whole run; }
resume() {
    refused "$1" fit --resume run --no-figures
    cmp -s whole/summary.json run/summary.json || fail "a refused run was changed ($1)"
}

# The edits work at all: one that changes nothing is accepted.
fresh
header run/checkpoint.safetensors 's/x/x/'
cmp -s whole/checkpoint.safetensors run/checkpoint.safetensors || fail "the edit of a header"
"$ATTEST" fit --resume run --no-figures >out 2>err || fail "a whole checkpoint is refused"

for forged in 's/"step":"20"/"step":"99999999999"/ "step"' 's/"step":"20"/"step":"-1"/ "step"' \
    's/"step":"20"/"step":"20x"/ "step"' 's/"step":"20"/"stop":"20"/ "step"' \
    's/"step":"20"/"step":"18446744073709551626"/ "step"' \
    's/"loss_sum":"[^"]*"/"loss_sum":"nan"/ "loss_sum"' \
    's/"loss_sum":"[^"]*"/"loss_sum":"x"/ "loss_sum"' \
    's/"loss_count":"[^"]*"/"loss_count":"21"/ "loss_count"' \
    's/"within_bounds":"1"/"within_bounds":"yes"/ "within_bounds"' \
    's/"metrics":"[^"]*"/"metrics":""/ "metrics"' \
    's/"metrics":"step/"metrics":"stop/ "metrics"' \
    's/"metrics":"\([^"]*\)"/"metrics":"\1 30"/ "metrics"' \
    's/"emb.weight"/"emb.height"/ emb.weight' 's/"adam.v"/"adam.w"/ adam.v' \
    's/"shape":\[9,16\]/"shape":[16,9]/ emb.weight' 's/"F32"/"F16"/ offsets' \
    's/"loss_count"/"end":"never","loss_count"/ "end"'; do
    fresh
    header run/checkpoint.safetensors "${forged% *}"
    cmp -s whole/checkpoint.safetensors run/checkpoint.safetensors && fail "no edit: $forged"
    resume "${forged##* }"
done

# Numbers that are none: the first weight, and the last of Adam's mean squares.
begin=$(($(length $checkpoint) + 8))
first=$(dd if=$checkpoint bs=1 skip=8 count="$(length $checkpoint)" 2>/dev/null |
        sed 's/.*"\([a-z0-9._]*\)":{[^}]*"data_offsets":\[0,.*/\1/')
for bytes in '\0\0\300\177' '\0\0\200\377'; do
    fresh
    put run/checkpoint.safetensors "$begin" "$bytes"
    resume "$first"
done
fresh
put run/checkpoint.safetensors -4 '\0\0\300\177'
resume adam.v
fresh
put run/checkpoint.safetensors -4 '\0\0\200\277'
resume adam.v

# Files that are no such files.
fresh
head -c 1000 $checkpoint >run/checkpoint.safetensors
resume 'cut short'
fresh
head -c -4 $checkpoint >run/checkpoint.safetensors
resume 'outside the file'
fresh
: >run/checkpoint.safetensors
resume '0 are there'
fresh
printf '\377\377\377\377\377\377\377\177{}' >run/checkpoint.safetensors
resume 'header'
fresh
{ printf '\0\040\0\0\0\0\0\0'; head -c 8192 /dev/zero | tr '\0' '['; } >run/checkpoint.safetensors
resume 'JSON'

# eval and --init: the same weights, the same care.
model() { cp whole/model.safetensors model.safetensors; }
begin=$(($(length whole/model.safetensors) + 8))
model
put model.safetensors "$begin" '\0\0\300\177'
refused 'nan at element 0' eval --model model.safetensors --task pi
# shellcheck disable=SC2086
refused 'nan at element 0' fit $fit --encoding rpe --init model.safetensors --out init
for forged in 's/"emb.weight"/"emb.height"/ emb.weight' 's/"ln0.weight"/"other.weight"/ ln0' \
    's/"heads":"2"/"heads":"3"/ heads' 's/"d":"16"/"d":"99999999999999999999"/ d' \
    's/"ffn":"16"/"ffn":"x"/ ffn' 's/"causal":"0"/"causal":"maybe"/ causal' \
    's/"n":"6"/"n":"-5"/ n' 's/"n":"6"/"n":"7"/ rpe.weight' 's/"F32"/"F16"/ offsets' \
    's/"encoding":"[^"]*"/"encoding":"none"/ rpe.weight'; do
    model
    header model.safetensors "${forged% *}"
    cmp -s whole/model.safetensors model.safetensors && fail "no edit: $forged"
    refused "${forged##* }" eval --model model.safetensors --task pi
done

exit $failed
