#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# attest sweep and attest reproduce, killed with -9 at several moments and resumed, end as if they had
# not been; an interrupt ends cleanly with what there is; a folder takes one process at a time.
set -u
: "${ATTEST:?}"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
failed=0
fail() { echo "FAIL: $*"; failed=1; }

# same DIR DIR: the tables and models of two runs, but for the times in them.
same() {
    (cd "$1" && find . -name '*.tsv' -o -name '*.safetensors' -o -name summary.json) |
        sort | while read -r file; do
            case $file in
                */checkpoint.safetensors) continue ;;
                */sweep.tsv)
                    sed 's/\t[^\t]*$//' "$1/$file" >one
                    sed 's/\t[^\t]*$//' "$2/$file" >two ;;
                *.json)
                    grep -v -e seconds -e tokens_per_s -e peak_rss -e '"report"' "$1/$file" | tr -d , >one
                    grep -v -e seconds -e tokens_per_s -e peak_rss -e '"report"' "$2/$file" | tr -d , >two ;;
                *) cp "$1/$file" one && cp "$2/$file" two ;;
            esac
            cmp -s one two || { echo "$file differs"; diff one two | head -n 5; }
        done >differences
    [ -s differences ] && { cat differences; return 1; }
    (cd "$1" && find . -name '*.tsv') | grep -q . || { echo "no tables in $1"; return 1; }
}

# killed PAUSES DIR WORDS...: runs attest and kills it after each pause, resuming; then to the end.
killed() {
    pauses=$1 dir=$2
    shift 2
    for pause in $pauses; do
        mode=--force
        [ -e "$dir/config.json" ] && mode=--resume
        "$ATTEST" "$@" --out "$dir" $mode >/dev/null 2>&1 &
        process=$!
        sleep "$pause"
        kill -9 $process 2>/dev/null
        wait $process 2>/dev/null
    done
    "$ATTEST" "$@" --out "$dir" --resume >out 2>err ||
        { fail "$1: resumed with status $?"; cat out err "$dir"/*/log.txt; }
}

grid="sweep --task pi -n 6 --vocab 9 --d 16 --heads 2 --ffn 16 --layers 1 --batch 8 --every 40
    --steps 600 --grid encoding=none,urpe --grid seed=1,2"
# shellcheck disable=SC2086
"$ATTEST" $grid --out whole >out 2>err || { fail 'sweep'; cat out err; }
# shellcheck disable=SC2086
killed '0.07 0.31 0.17 0.23' cut $grid
same whole cut || fail 'sweep: killed and resumed, it ends otherwise'

# A replaced sweep that is killed early does not take the old cells for its own.
# shellcheck disable=SC2086
"$ATTEST" $grid --lr 5e-3 --out cut --force >/dev/null 2>&1 &
process=$!
tries=0
until grep -q '"lr"' cut/config.json 2>/dev/null || [ $tries = 200 ]; do
    sleep 0.02
    tries=$((tries + 1))
done
kill -9 $process
wait $process 2>/dev/null
# shellcheck disable=SC2086
"$ATTEST" $grid --lr 5e-3 --out cut --resume >out 2>err || { fail 'a replaced sweep'; cat out err; }
cmp -s whole/cell-0004-urpe-2/model.safetensors cut/cell-0004-urpe-2/model.safetensors &&
    fail 'a replaced sweep kept an old cell'

# Interrupted: whole processes' group, as a terminal does, or the one process.
long="sweep --task pi -n 6 --vocab 9 --d 16 --heads 2 --ffn 16 --layers 1 --batch 8 --every 200
    --grid encoding=none,urpe --threads 2 --steps 4000"
# shellcheck disable=SC2086
"$ATTEST" $long --out unbroken >out 2>err || { fail 'sweep'; cat out err; }
for target in process group; do
    # shellcheck disable=SC2086
    setsid "$ATTEST" $long --out stopped-$target >out 2>err &
    process=$!
    tries=0
    until [ -e stopped-$target/cell-0001-none/checkpoint.safetensors ] || [ $tries = 100 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    if [ $target = group ]; then kill -INT -$process; else kill -TERM $process; fi
    wait $process
    status=$?
    [ $status = $([ $target = group ] && echo 130 || echo 143) ] ||
        fail "an interrupted sweep ends with status $status ($target)"
    grep -q 'incomplete: interrupted.*--resume' err || fail "an interrupted sweep does not say so ($target)"
    [ -s stopped-$target/incomplete.tsv ] || fail "an interrupted sweep's figures hide it ($target)"
    [ -s stopped-$target/summary.json ] || fail "an interrupted sweep leaves no summary ($target)"
    grep -q '"interrupted": true' stopped-$target/cell-0001-none/summary.json ||
        fail "an interrupted cell leaves no summary ($target)"
    # shellcheck disable=SC2086
    "$ATTEST" $long --out stopped-$target --resume >out 2>err || { fail 'sweep'; cat out err; }
    [ -e stopped-$target/incomplete.tsv ] && fail "a resumed sweep's figures say that cells are missing ($target)"
    same unbroken stopped-$target || fail "interrupted ($target) and resumed, a sweep ends otherwise"
done

# One process at a time in a folder.
"$ATTEST" fit --task pi -n 6 --d 16 --heads 2 --layers 1 --steps 1000000 --every 20 --out busy \
    >/dev/null 2>&1 &
process=$!
tries=0
until [ -e busy/checkpoint.safetensors ] || [ $tries = 100 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
for mode in --force --resume; do
    "$ATTEST" fit --task pi -n 6 --d 16 --heads 2 --layers 1 --steps 1000000 --every 20 \
        --out busy $mode >out 2>err
    status=$?
    [ $status = 2 ] || fail "a folder in use, $mode: status $status"
    grep -q 'at work in this folder' err || { fail "a folder in use, $mode"; cat err; }
done
kill -9 $process
wait $process 2>/dev/null

# reproduce, with two texts: the weights trained on the one with labels serve the other.
printf 'sentence\tlabel\na good film .\t1\nA BAD bad film\t0\nno words\t1\ngood good good\t1\n' >a.tsv
printf 'film a\t0\nbad bad\t0\ngood film\t1\na good bad film\t0\n' >>a.tsv
printf 'review\n"A good, good film<br />"\n"bad. film"\n' >b.csv
printf 'good 0.5 1\nbad -1 0.25\nfilm 0 0.125\n. 1 1\n' >v.txt
parts="reproduce --parts pi-urpe,energy-panels-*,energy-parallel-*,energy-rho-* --text a.tsv
    --text b.csv --embeddings v.txt --threads 2"
# shellcheck disable=SC2086
"$ATTEST" $parts --out all >out 2>err || { fail 'reproduce'; cat out err all/*/log.txt; }
for name in pi-urpe energy-panels-trained-a energy-panels-trained-b energy-parallel-b energy-rho-a; do
    [ -s all/$name/summary.json ] || fail "reproduce: no part $name"
done
grep -q 'energy-panels-trained-a/model.safetensors' all/energy-panels-trained-b/config.json ||
    fail 'the second text does not use the weights of the first'
grep -q 'b.csv' all/report.html || fail 'the report does not name the second text'
# shellcheck disable=SC2086
killed '0.15 0.4 0.9 0.3' part $parts
same all part >same.out || { grep -v -e config <same.out | head; fail 'reproduce: killed and resumed'; }

# Interrupted, it writes the report of what it has.
"$ATTEST" reproduce --parts gaps,gradcheck,pi-rpe --out broken >out 2>err &
process=$!
tries=0
until [ -e broken/gaps/config.json ] || [ $tries = 100 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
kill -TERM $process
wait $process
[ $? = 143 ] || fail 'an interrupted reproduce does not end with status 143'
grep -q 'incomplete: interrupted.*--resume' err || fail 'an interrupted reproduce does not say how to go on'
grep -q 'NOT all' out && fail 'an interrupted reproduce looks like a refutation'
[ -s broken/report.html ] || fail 'an interrupted reproduce leaves no report'
grep -q 'did not run' broken/report.html || fail 'an interrupted reproduce hides what did not run'

# Without labels nothing is trained, and the report says so.
"$ATTEST" reproduce --preset small --parts 'energy-panels-*' --text b.csv --out unlabelled >out 2>err ||
    { fail 'a text without labels'; cat out err; }
grep -q 'No text has labels' unlabelled/report.html || fail 'the report hides what was left out'
[ -e unlabelled/energy-panels-trained ] && fail 'weights were trained without labels'
"$ATTEST" reproduce --parts nothing --out none >out 2>err
[ $? = 2 ] || fail 'a pattern that matches no part is wrong usage'

exit $failed
