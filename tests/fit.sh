#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# attest fit and attest sweep: bounds held in every run, mistakes named, replays, and a run that is
# killed and resumed ends with the same bits.
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
failed=0

fail() {
    echo "FAIL: $*"
    failed=1
}

# expect STATUS WORDS...: runs attest; its output is in out and err.
expect() {
    wanted=$1
    shift
    "$ATTEST" "$@" >out 2>err
    got=$?
    [ "$got" = "$wanted" ] || { fail "attest $*: status $got, not $wanted"; cat out err; }
}

says() {
    grep -q -- "$1" "${2-out}" || { fail "no '$1' in the output"; cat "${2-out}"; }
}

small="--task pi -n 6 --vocab 9 --d 16 --heads 2 --ffn 16 --layers 1 --batch 8 --every 10"

# A token task: the bound of theory stands in the output, in the summary and in the table.
# shellcheck disable=SC2086
expect 0 fit $small --steps 30 --encoding rpe --out rpe
says 'at most 0.1667 by theorem'
grep -q '"within_bounds": true' rpe/summary.json || fail 'no bound in summary.json'
[ "$(wc -l <rpe/metrics.tsv)" = 5 ] || fail 'metrics.tsv: header and rows 0, 10, 20, 30'
awk -F'\t' 'NR > 1 && $9 > 1 / 6 + 1e-15 { exit 1 }' rpe/metrics.tsv || fail 'ceiling crossed'
for file in config.json model.safetensors encoding-tables.tsv bounds.tsv; do
    [ -s "rpe/$file" ] || fail "no $file"
done

# Another run's folder, and a replay from its configuration with other threads: the same bits.
# shellcheck disable=SC2086
expect 2 fit $small --steps 30 --encoding rpe --out rpe
says 'holds another run' err
expect 0 fit --config rpe/config.json --threads 2 --out again --no-figures
cmp rpe/model.safetensors again/model.safetensors || fail 'replay: other weights'
cmp rpe/metrics.tsv again/metrics.tsv || fail 'replay: other metrics'

# Killed at any moment, resumed: the same bits as a run that was not.
# shellcheck disable=SC2086
expect 0 fit $small --steps 250 --precision double --out whole --no-figures
for pause in 0.1 0.3; do
    # shellcheck disable=SC2086
    "$ATTEST" fit $small --steps 250 --precision double --out cut --force --no-figures \
        >/dev/null 2>&1 &
    process=$!
    sleep $pause
    kill -9 $process 2>/dev/null
    wait $process 2>/dev/null
    if [ -e cut/config.json ]; then
        expect 0 fit --resume cut --no-figures
        cmp whole/model.safetensors cut/model.safetensors || fail "killed after $pause s: weights"
        cmp whole/metrics.tsv cut/metrics.tsv || fail "killed after $pause s: metrics"
    fi
    rm -rf cut
done

# SIGINT: a clean end with what there is.
# shellcheck disable=SC2086
"$ATTEST" fit $small --steps 1000000 --out stop --no-figures >out 2>err &
process=$!
tries=0
until [ -e stop/checkpoint.safetensors ] || [ $tries = 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -TERM $process
wait $process
[ $? = 143 ] || fail 'an interrupted run does not end with status 143'
grep -q '"interrupted": true' stop/summary.json || fail 'interrupted: summary.json'
says 'incomplete: interrupted at step' err
says 'resume goes on' err

# Start from stored weights.
# shellcheck disable=SC2086
expect 0 fit $small --steps 1 --encoding rpe --init rpe/model.safetensors --out warm --no-figures
# shellcheck disable=SC2086
expect 3 fit $small --steps 1 --encoding urpe --init rpe/model.safetensors --out warm2
says 'urpe.weight' err
# shellcheck disable=SC2086
expect 0 fit $small --steps 1 --encoding rpe --activation relu --causal --init rpe/model.safetensors --no-figures \
    --out warm3
grep -q "without a causal mask, this fit is with one" err && grep -q "with gelu, this fit has relu" err ||
    fail "weights of another model start a fit unsaid"

# Functions: never below the floor without position, far below it with URPE.
expect 0 fit --function position -n 3 --encoding none --out none
says 'certified floor 1: not beaten'
says '(no more progress)\|(all of --steps)\|(converged)\|(stalled)'
# On constants the outputs of a collapsing model are one curve, and the targets are not.
apart='{ if ($3 in low) { if ($5 < low[$3]) low[$3] = $5; if ($5 > high[$3]) high[$3] = $5 }
         else low[$3] = high[$3] = $5; if ($3 == 1 && $4 > most) most = $4 }
       END { for (t in low) if (high[t] - low[t] > d) d = high[t] - low[t]; print most, (d > LIMIT) }'
[ "$(wc -l <none/constants.tsv)" = $((1 + 3 * 102)) ] || fail 'constants.tsv: 102 constants, 3 positions'
[ "$(awk -F'\t' -v LIMIT=1e-6 "NR > 1 $apart" none/constants.tsv)" = '3 0' ] ||
    fail 'constants.tsv: a model without encoding tells positions apart'
expect 0 fit --function position -n 3 --encoding urpe --json --out urpe
times=$(sed -n 's/.*"times_below_floor": \([0-9.]*\),*/\1/p' out)
[ "$(awk -F'\t' -v LIMIT=1.5 "NR > 1 $apart" urpe/constants.tsv)" = '3 1' ] ||
    fail 'constants.tsv: URPE does not tell positions apart'
awk "BEGIN { exit !($times >= 100) }" || fail "URPE is only $times times below the floor"
expect 0 fit --function running-mean -n 3 --encoding none --steps 4 --out mean
says 'no certified floor'
expect 0 fit --function shift -n 3 --domain -1/2,1/2 --optimizer lbfgs --steps 20 --out lbfgs
says 'collapsing models 1/4'
for optimizer in bfgs2 conjugate-pr conjugate-fr steepest adam; do
    expect 0 fit --function shift -n 2 --optimizer $optimizer --steps 12 --out $optimizer
done

# All mistakes at once.
expect 2 fit --task pj --encoding urpp --layers x --optimizr adam --out none2
says "did you mean 'pi'" err
says "did you mean 'urpe'" err
says 'layers takes a whole number' err
says 'did you mean --optimizer' err
expect 2 fit
says 'nothing to fit' err
expect 2 fit --task pi --function position
expect 2 fit --task pi --optimizer levenberg-marquardt
expect 2 fit --task pi --as-released --vocab 10
says '20 symbols' err
expect 3 fit --resume nowhere
expect 2 fit --function position --domain 1,0

# A configuration with values that fit does not take, or of another command: bad input, named.
for fault in 's/"optimizer": "adam"/"optimizer": ["adam"]/' 's/"steps": 30/"steps": null/' \
    's/"seed": 1/"seed": -1/' 's/"command": "fit"/"command": "energy"/'; do
    sed "$fault" rpe/config.json >bad.json
    expect 3 fit --config bad.json --out bad
    says 'bad.json: ' err
done
expect 3 fit --config rpe/summary.json --out bad
expect 2 fit --task pi --seed 18446744073709551615 --out bad

# eval scores the model that is stored, or none; a file that describes no model says why.
expect 2 eval --model rpe/model.safetensors --task pi --encoding urpe
expect 2 eval --model rpe/model.safetensors --task pi --heads 1

# A grid: its table, a resumed sweep that has nothing to do, a gap that is required.
expect 0 sweep --function position --grid n=2,3 --grid encoding=none,urpe --require-gap 100 \
    --out grid
[ "$(wc -l <grid/sweep.tsv)" = 5 ] || fail 'sweep.tsv: header and four cells'
[ "$(wc -l <grid/gaps.tsv)" = 5 ] || fail 'gaps.tsv: header and four cells'
rm -r grid/cell-0002*
expect 0 sweep --function position --grid n=2,3 --grid encoding=none,urpe --require-gap 100 \
    --out grid --resume
says '4 of 4 cells'
for damage in '{}' '{"interrupted": false, "within_bounds": true}' 'x'; do
    cut -f 1-15 grid/sweep.tsv >before
    echo "$damage" >"$(echo grid/cell-0001*)/summary.json"
    expect 0 sweep --function position --grid n=2,3 --grid encoding=none,urpe --require-gap 100 \
        --out grid --resume
    cut -f 1-15 grid/sweep.tsv | cmp -s - before || fail "a damaged summary: $damage"
done
expect 1 sweep --function position --grid n=3 --grid encoding=urpe --steps 1 --require-gap 100 \
    --out gap
says 'times below' err
# Both tasks in one grid, beside the theorem's verdict; time and memory of urpe over rpe.
expect 0 sweep -n 6 --vocab 5 --d 8 --heads 2 --ffn 8 --layers 1 --steps 20 --batch 4 --grid task=pi,etp \
    --grid encoding=none,shaw,urpe --out both
[ "$(cut -f2,3 both/encodings.tsv | tail -n 3 | tr '\t\n' ' ;')" = 'none collapses;shaw -;urpe -;' ] ||
    fail 'encodings.tsv: encodings and verdicts'
awk -F '\t' 'NR > 1 && $3 == "collapses" && ($5 > $8 + 1e-12 || $7 > $9 + 1e-12) { exit 1 }' \
    both/encodings.tsv || fail 'encodings.tsv: a ceiling is crossed'
expect 0 sweep --cost --task pi --d 8 --heads 2 --ffn 8 --layers 1 --steps 12 --batch 4 --grid n=8,16 \
    --grid encoding=rpe,urpe --out cost
awk -F '\t' 'NR > 1 { rows++; if (!($4 > 0 && $7 > 0)) exit 1 } END { exit rows != 2 }' cost/cost.tsv ||
    fail 'cost.tsv: a positive ratio for each length'
# The ceilings on random sequences: 1/n without encoding, 1 - V^(1-n)(1 - 1/n) where constants collapse,
# half where distances alone count; a causal mask lets a model without encoding count, too.
tiny="--task pi -n 4 --vocab 3 --d 8 --heads 2 --ffn 8 --layers 1 --steps 4 --batch 4"
# shellcheck disable=SC2086
expect 0 sweep $tiny --grid encoding=none,rpe,kerple-log,urpe --out ceilings
# A word stays a word: what awk makes of nan as a number differs from one to the next.
[ "$(awk -F'\t' '$1 == 1 { print $4, $8 == "nan" ? $8 : sprintf("%.4f", $8) }' ceilings/bars.tsv | tr '\n' ';')" = \
    'none 0.2500;t5 0.9722;kerple-log 0.5000;urpe nan;' ] || fail 'bars.tsv: ceilings on random sequences'
# shellcheck disable=SC2086
expect 0 sweep $tiny --task etp --grid encoding=none,urpe --out halves
grep -i warning err && fail 'bars: gnuplot warns of a panel without a ceiling'
# shellcheck disable=SC2086
expect 0 fit $tiny --encoding none --causal --no-figures --out mask
says 'at most 0.972222 in expectation'
expect 0 sweep --function running-mean --grid n=2,3 --grid encoding=none --steps 4 --out floorless
expect 2 sweep --function position --grid encodin=none --out wrong
says 'did you mean encoding' err
expect 2 sweep --function position --grid encoding=none,nine --out wrong
expect 2 sweep --function position

# A finished run that is resumed reports what it reached, a function's run too, and replays.
expect 0 fit --task pi -n 4 --vocab 5 --d 8 --heads 2 --ffn 8 --layers 1 --steps 20 --every 10 --out ended
first=$(grep -v seconds ended/summary.json | grep -v -e tokens_per_s -e peak_rss | tr -d ',')
cp ended/metrics.tsv ended.tsv
expect 0 fit --resume ended
[ "$first" = "$(grep -v seconds ended/summary.json | grep -v -e tokens_per_s -e peak_rss | tr -d ',')" ] || {
    echo 'resuming a finished run changed its summary'; failed=1; }
cmp -s ended.tsv ended/metrics.tsv || { echo 'resuming a finished run changed its metrics'; failed=1; }
expect 0 fit --function position -n 3 --encoding none --out function
expect 0 fit --resume function
expect 0 fit --config function/config.json --out function-again
cmp -s function/metrics.tsv function-again/metrics.tsv || { echo 'a replay differs'; failed=1; }

exit $failed
