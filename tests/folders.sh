#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Nothing of a person's is lost: --force removes what attest wrote and no more, a folder of another
# program is refused, so is one that holds an input; what a killed run left goes.  And the small things
# that a shell user expects: -h, -d=VALUE, names by their beginning, status 3 for what is not there.
set -u
: "${ATTEST:?}"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
failed=0
fail() {
    echo "FAIL: $*"
    cat err 2>/dev/null
    failed=1
}
fit() { "$ATTEST" fit --function position -n 2 --steps 2 --no-figures --quiet "$@" >out 2>err; }
status() {
    want=$1
    shift
    "$ATTEST" "$@" >out 2>err </dev/null
    got=$?
    [ $got = "$want" ] || fail "attest $*: status $got, not $want"
}

# --force: a person's files stay, also those with endings like attest's.
fit --out run || fail 'fit'
[ -s run/files.json ] || fail 'a run does not record its files'
mkdir run/metrics
for file in README.md notes.json other.tsv mine.safetensors picture.svg 'metrics.tsv~'; do
    echo mine >"run/$file"
done
echo old >run/window.svg
fit --out run --force || fail 'fit --force'
for file in README.md notes.json other.tsv mine.safetensors picture.svg 'metrics.tsv~'; do
    [ "$(cat "run/$file" 2>/dev/null)" = mine ] || fail "--force removed $file"
done
[ -d run/metrics ] || fail '--force removed a folder'
[ -e run/window.svg ] && fail '--force left a figure of the run'
# Without a record: the names that this attest writes.  With one: those in it, in the folder itself.
rm run/files.json
echo old >run/window.svg
fit --out run --force && [ -e run/window.svg ] && fail 'without a record a figure was left'
echo mine >kept.txt
echo old >run/window.svg
echo '{"files": ["old.table", "../kept.txt", "."]}' >run/files.json
echo old >run/old.table
fit --out run --force || fail 'fit --force'
[ -e run/old.table ] && fail '--force left what the run recorded'
[ "$(cat kept.txt)" = mine ] || fail '--force left the folder'
[ -e run/window.svg ] || fail '--force removed what the run had not recorded'

# A configuration of another program is not replaced.
for text in '{"model_type": "bert", "attest": "x"}' '[]' 'x' ''; do
    mkdir -p foreign
    printf '%s' "$text" >foreign/config.json
    echo mine >foreign/metrics.tsv
    for mode in --force --quiet; do
        fit --out foreign $mode
        [ $? = 2 ] || fail "a foreign config.json '$text' was replaced ($mode)"
    done
    [ "$(cat foreign/config.json)" = "$text" ] && [ "$(cat foreign/metrics.tsv)" = mine ] ||
        fail "a foreign config.json '$text': something was touched"
done

# A folder that holds an input is refused before anything is touched.
mkdir in
printf 'a good film\n' >in/text.txt
cp run/model.safetensors run/config.json in
status 2 energy --text in/text.txt --layers 1 --out in --force
grep -q 'holds in/text.txt, which is read' err || fail 'the input is not named'
status 2 energy --text in/text.txt --layers 1 --out . --force
status 2 fit --function position -n 2 --init in/model.safetensors --out in --force
status 2 fit --config in/config.json --out in --force
status 2 sweep --function position --init in/model.safetensors --grid n=2 --out in --force
status 2 eval --model in/model.safetensors --task pi --out in --force
status 2 reproduce --text in/text.txt --parts gradcheck --out in --force
[ "$(ls in | tr '\n' ' ')" = 'config.json model.safetensors text.txt ' ] || fail "in holds $(ls in)"

# Leftovers of a process that was killed.
for file in metrics.tsv.tmp-123 .gaps-123.svg; do echo half >run/$file; done
for file in mine.tmp-123 .mine-123.svg metrics.tsv.tmp-x; do echo mine >run/$file; done
fit --out run --resume || fail 'fit --resume'
[ -e run/metrics.tsv.tmp-123 ] || [ -e run/.gaps-123.svg ] && fail 'a leftover stayed'
for file in mine.tmp-123 .mine-123.svg metrics.tsv.tmp-x; do
    [ -e run/$file ] || fail "$file was removed"
done

# What is not there is bad input.
status 3 plot none
status 3 energy --text none
status 3 energy --text in/text.txt --embeddings none
status 3 energy --weights none/model.safetensors
status 3 eval --model none --task pi
status 3 fit --config none
status 3 fit --task pi --init none
status 3 fit --resume none
status 3 reproduce --text none
status 3 sweep --task pi --init none --grid n=4,6
status 2 plot none --wrong
[ -e none ] && fail 'a folder was made'

# -h, and a value behind a letter and a sign.
for command in $("$ATTEST" --list commands); do
    status 0 "$command" -h
    grep -q Usage out || fail "$command -h shows no help"
done
status 0 floor --function 'x[1]' -n=2 -q
status 0 floor --function 'i*x[i]' -n=2 -d=-1/2,3 --json
grep -q '"-1/2"' out || fail "-d=-1/2,3 was read as $(grep domain out)"

# Names by their beginning.
status 2 plot run --terminal png
grep -q "did you mean 'pngcairo'" err || fail 'png'
status 2 fit --task pi --encoding kerple
grep -q "did you mean 'kerple-log'" err || fail 'kerple'
status 2 repro
grep -q "did you mean 'reproduce'" err || fail 'repro'
exit $failed
