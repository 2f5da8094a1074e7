#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What every command prints with --json, and what its run stores, is what doc/attest.schema.json
# says; and the schema is strict: tests/schema.py spoils each document in every place.
set -u
[ -n "${PYTHON3-}" ] && "$PYTHON3" -c 1 2>/dev/null || { echo 'python3 is not there'; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
failed=0
documents=

# prints NAME ARGUMENT...: the command's document is one of the schema's NAME.
count=0
prints() {
    name=$1
    shift
    count=$((count + 1))
    "$ATTEST" "$@" --json -q >"$count.json" 2>err </dev/null
    status=$?
    if [ $status -gt 1 ] || [ ! -s "$count.json" ]; then
        echo "FAIL: attest $*: status $status"
        cat err
        failed=1
        return
    fi
    documents="$documents $name $count.json"
}

# keeps NAME FOLDER: its config.json and summary.json, which must be the last document printed.
keeps() {
    documents="$documents $1 $2/summary.json config $2/config.json"
    cmp -s "$2/summary.json" "$count.json" || { echo "FAIL: $2/summary.json is not what was printed"; failed=1; }
}

# stays FOLDER COMMAND ARGUMENT...: with --out the document that is printed is kept, beside config.json.
stays() {
    folder=$1
    shift
    prints "$1" "$@" --out "$folder"
    documents="$documents config $folder/config.json"
    cmp -s "$folder/output.json" "$count.json" || { echo "FAIL: $folder/output.json is not what was printed"; failed=1; }
}

small='-n 4 --vocab 5 --layers 1 --d 8 --heads 2 --ffn 8 --steps 2 --batch 2'
prints claims claims
prints verify verify urpe.row-sums opt.causal rpe.right-stochastic/empty-row
prints verify verify opt.causal --search --budget 0.1
"$ATTEST" verify 'rpe.right*' urpe.row-sums opt.causal opt.plain-softmax --certificate c.json \
    >log 2>&1 || { cat log; failed=1; }
documents="$documents certificate c.json"
stays kept-claims claims 'urpe.*'
stays kept-verify verify opt.causal --budget 0.5
stays kept-floor floor -n 3 --function 'i*x[1]' --domain -1/2,2
prints floor floor -n 3 --function 'i*x[1]'
prints floor floor -n 3 --function 'i*x[1] - i*x[1]^3'
prints floor floor -n 4 --function reversal
prints floor floor -n 4 --task etp --class symmetric
prints floor floor -n 4 --function 'x[1]*x[2]' --class equivariant
prints fit fit --task pi $small --out pi && keeps fit pi
prints fit fit --task etp $small --optimizer lbfgs --out etp && keeps fit etp
prints fit fit --function 'i*x[1]' -n 3 --steps 4 --out function && keeps fit function
prints eval eval --model pi/model.safetensors --task pi
prints eval eval --model pi/model.safetensors --task pi --constant
prints plot plot pi
stays kept-eval eval --model pi/model.safetensors --task pi --count 5 -n 4
stays kept-plot plot pi --figure training
prints energy energy --documents 2 --layers 2 --certify --out energy && keeps energy energy
prints energy energy --documents 2 --layers 2 --step parallel --weights random --alpha 1.5 \
    --out parallel && keeps energy parallel
prints energy energy --documents 2 --layers 2 --step released --weights trained --updates 5 \
    --dimension 4 --out trained && keeps energy trained
for figure in $("$ATTEST" --list energy-figures); do
    prints energy_figure energy --documents 2 --layers 2 --figure "$figure" --out "$figure" &&
        keeps energy_figure "$figure"
done
prints sweep sweep --task pi $small --grid encoding=rpe,urpe --out tasks && keeps sweep tasks
prints sweep sweep --function position --steps 4 --grid n=2,3 --out functions &&
    keeps sweep functions
stays kept-gradcheck gradcheck --entries 1
stays kept-bench bench --only exact
prints bench bench --only training --d 8 --heads 2 --ffn 8 --batch 2 -n 4 --vocab 8
prints reproduce reproduce --parts energy-regions,energy-rho --out all && keeps reproduce all

# Every command is here.
for command in $("$ATTEST" --list commands); do
    case " $documents " in
        *" $command "*) ;;
        *) echo "FAIL: attest $command --json is not tried"; failed=1 ;;
    esac
done
# shellcheck disable=SC2086
"$PYTHON3" "$top_srcdir/tests/schema.py" --break "$top_srcdir/doc/attest.schema.json" $documents || failed=1
exit $failed
