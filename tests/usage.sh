#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What every command owes its user: help on one screen with examples, all mistakes of a command
# line in one go, the nearest valid name, nothing on standard output when it refuses.
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
failures=0
fail() { echo "FAIL: $*"; failures=$((failures + 1)); }

commands=$("$ATTEST" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(echo "$commands" | wc -w)" -ge 8 ] || fail "attest --help lists too few commands: $commands"
for command in $commands; do
    "$ATTEST" "$command" --help >out 2>err || fail "$command --help: status $?"
    [ -s err ] && fail "$command --help wrote on standard error"
    [ "$(wc -l <out)" -le 50 ] || fail "$command --help is longer than a screen"
    awk 'length($0) > 79 { exit 1 }' out || fail "$command --help is wider than a screen"
    grep -q "^  attest $command" out || fail "$command --help has no example"
    grep -q -e --json out || fail "$command takes no --json"

    "$ATTEST" "$command" --jsn --no-such-thing --seed=1x --seed >out 2>err
    [ $? = 2 ] || fail "$command: wrong options are not status 2"
    [ -s out ] && fail "$command: a refusal wrote on standard output"
    grep -q 'did you mean --json' err || fail "$command: the nearest option was not suggested"
    grep -q 'no-such-thing' err || fail "$command: not all mistakes were named"
    [ -e attest-out ] && fail "$command: a refused command left a folder"
done

# The lists that completion reads; completion itself, where there is bash.
for kind in $("$ATTEST" --list); do
    [ -n "$("$ATTEST" --list "$kind")" ] || fail "--list $kind is empty"
done
"$ATTEST" --list encodngs 2>err && fail "--list of an unknown kind succeeded"
grep -q "did you mean 'encodings'" err || fail "--list: the nearest kind was not suggested"
"$ATTEST" fit --encoding rpee >out 2>err && fail "fit took the encoding rpee"
grep -q "did you mean 'rpe'" err || fail "the nearest encoding is an alias, and was not suggested"
# WANTED for WORDS, the last of which is to be completed; bash takes --name=value apart at the =.
cat >completions <<'EOF'
reproduce|attest repro
softmax-beta|attest energy --step softm
--certify|attest energy --cert
urpe.position-aware|attest verify urpe.position-a
alibi alibi-symmetric|attest fit --encoding = ali
small paper|attest fit --preset = 
quick small paper|attest reproduce --preset = 
regions relu-regions|attest energy --figure = re
encoding=|attest sweep --grid enc
none,kerple-log none,kerple-power|attest sweep --grid encoding = none,ker
energy-figures|attest --list energy
floor|attest help flo
EOF
PATH=$(dirname "$ATTEST"):$PATH
export PATH
if command -v bash >/dev/null 2>&1; then
    cat >complete.bash <<'EOF'
. "$1"
while IFS='|' read -r wanted line; do
    IFS=' ' read -r -a COMP_WORDS <<<"$line"
    [[ $line == *'= ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _attest 2>/dev/null
    [[ "${COMPREPLY[*]}" == "$wanted" ]] || echo "$line: ${COMPREPLY[*]}"
done
EOF
    bash complete.bash "$top_srcdir/doc/completion/attest.bash" <completions >out 2>&1
    [ -s out ] && fail "bash completion: $(cat out)"
fi
# zsh's own functions are stood in for; what is offered counts, by prefix as zsh would filter it.
if command -v zsh >/dev/null 2>&1; then
    cat >complete.zsh <<'EOF'
compadd() { [[ $1 == -S ]] && shift 2; [[ $1 == -a ]] && offered+=(${(P)2}) || { [[ $1 == -- ]] && shift; offered+=($@) } }
compset() { PREFIX=${PREFIX##${~2}} }
_describe() { offered+=(${(P)2%%:*}) }
_files() { }
file=$1
complete() { source $file }
while IFS='|' read -r wanted line; do
    words=(${(z)${line/ = /=}}) offered=()
    CURRENT=$#words PREFIX=$words[-1]
    complete
    offered=(${(M)offered:#${PREFIX}*})
    [[ "$offered" == "${wanted//none,/}" ]] || print -r -- "$line: $offered"
done
EOF
    zsh -f complete.zsh "$top_srcdir/doc/completion/_attest" <completions >out 2>&1
    [ -s out ] && fail "zsh completion: $(cat out)"
fi

# Lists and options agree: what a list names the option takes, and what it refuses it refuses
# with exactly that list.
for command in $commands; do
    "$ATTEST" "$command" --describe | awk -F '\t' '$1 == "option" && $6 != "" { print $3, $6 }' >takers
    while read -r option kind; do
        for value in $("$ATTEST" --list "$kind"); do
            "$ATTEST" "$command" --"$option" "$value" --no-such-thing 2>&1 |
                grep -q -e "--$option '$value'" && fail "$command --$option refuses $value"
        done
        case $kind in functions|rhos|weights) continue ;; esac
        "$ATTEST" "$command" --"$option" zzzzzzzzzzzz 2>&1 | sed -n 's/.*it is one of: //p' |
            tr ' ' '\n' | sort >have
        "$ATTEST" --list "$kind" | sort | cmp -s - have ||
            fail "$command --$option takes $(tr '\n' ' ' <have), which is not the list $kind"
    done <takers
done

"$ATTEST" --list encodings tasks >out 2>err && fail "--list passed over a second kind"
grep -q "'tasks'" err || fail "--list: the second kind was not named"

# No option takes an empty value, and one mistake does not hide the next.
for command in $commands; do
    options=$("$ATTEST" "$command" --help | sed -n 's/^.*  --\([a-z0-9-]*\)=.*/\1/p')
    words=
    [ -n "$options" ] || continue
    for option in $options; do words="$words --$option="; done
    # shellcheck disable=SC2086
    "$ATTEST" "$command" $words >out 2>err
    [ $? = 2 ] || fail "$command: empty values are not status 2"
    for option in $options; do
        grep -q -e "--$option needs a value" err || fail "$command --$option= was not named"
    done
    [ -e attest-out ] && fail "$command: a refused command left a folder"
done
"$ATTEST" plot '' 2>err
grep -q 'argument is empty' err || fail "an empty argument was not named"
"$ATTEST" fit --function '@' --domain 1e3,2 --lr x --d 7 --heads 2 2>err
for word in '--lr takes' "--function '@'" '--d 7 is not'; do
    grep -q -e "$word" err || fail "fit: not all mistakes were named: $word"
done
"$ATTEST" fit --function position --domain 0x1,2 2>err
grep -q 'two rationals' err || fail "fit: a hexadecimal domain was taken"
"$ATTEST" sweep --task pi --heads 2 --grid d=8,7 --grid seed=1,x 2>err
grep -q 'whole number below' err || fail "sweep: a seed that is none"
"$ATTEST" sweep --task pi --heads 2 --grid d=8,7 --grid seed=1,2 2>err
[ $? = 2 ] || fail "sweep: a cell that fit refuses is not wrong usage"
grep -q -e '--d 7 is not a multiple' err || fail "sweep: the cell's mistake was not named"
"$ATTEST" sweep --task pi --grid n=, 2>err
grep -q 'has no values' err || fail "sweep: a grid without values"

# A long value is quoted by its ends, between the option's name and the remedy.
long=$(head -c 50000 /dev/zero | tr '\0' 7)
"$ATTEST" floor -n 4 --function "$long" --domain "$long" 2>err && fail "a number of 50000 digits"
[ "$(wc -c <err)" -lt 2000 ] || fail "a long value is echoed whole"
grep -q -e "--function '777.*\[\.\.\.\].*" err || fail "a long formula is not shortened"
grep -q -e '--domain .*such as 0,1' err || fail "a shortened message lost its remedy"

# A full disk under standard output is said, not passed over, and so is a closed one.
small="--function position -n 2 --steps 2 --no-figures --quiet --force"
"$ATTEST" fit --task pi -n 4 --vocab 5 --d 8 --heads 2 --ffn 8 --layers 1 --steps 1 --out model \
    --no-figures --quiet >out 2>err || fail "fit: $(cat err)"
unheard() {
    "$ATTEST" "$@" >/dev/full 2>err
    [ $? = 4 ] || fail "attest $* on a full disk: not status 4"
    [ "$(wc -l <err)" = 1 ] || fail "attest $* on a full disk: $(cat err)"
    "$ATTEST" "$@" >&- 2>err
    [ $? = 4 ] || fail "attest $* on a closed standard output: not status 4"
    [ "$(wc -l <err)" = 1 ] || fail "attest $* on a closed standard output: $(cat err)"
}
if [ -c /dev/full ]; then
    unheard --version
    unheard --list encodings
    unheard fit --help
    for form in -v --json; do
        unheard claims $form
        unheard verify rpe.causal-mask $form
        unheard floor -n 4 --function position $form
        unheard eval --model model/model.safetensors --task pi --count 4 $form
        unheard energy --documents 2 --layers 2 --out energy --force --quiet $form
        # shellcheck disable=SC2086
        unheard fit $small --out function $form
    done
fi

# Commands that are no runs: without --out they write nothing; with it config.json and the document,
# printed or not; a folder of another run is theirs only with --force, and there is no --resume.
mkdir plain && cd plain || exit 99
kept() {
    name=$1
    shift
    "$ATTEST" "$@" >text 2>err || fail "attest $*: $(cat err)"
    rm -f text err
    [ -z "$(ls -A)" ] || fail "attest $* without --out left $(ls -A)"
    "$ATTEST" "$@" --out "$name" >text 2>err || fail "attest $* --out: $(cat err)"
    [ -s text ] || fail "attest $* --out printed nothing"
    [ "$(cd "$name" && echo *)" = 'config.json output.json' ] || fail "attest $* --out left $(ls "$name")"
    "$ATTEST" "$@" --json >document 2>err
    clean='s/"seconds": [^,}]*//; s/"certified_seconds": [^,}]*//; s/"sgemm_gflops": [^,}]*//'
    sed "$clean" document >printed
    sed "$clean" "$name/output.json" | cmp -s - printed || fail "attest $*: output.json is not the document"
    "$ATTEST" "$@" --out "$name" >text 2>err
    [ $? = 2 ] || fail "attest $* took the folder of another run"
    grep -q 'holds another run: --force replaces it' err || fail "attest $*: $(cat err)"
    [ -s text ] && fail "attest $* refused the folder and printed"
    "$ATTEST" "$@" --out "$name" --force >text 2>err || fail "attest $* --force: $(cat err)"
    "$ATTEST" "$@" --out "$name" --resume 2>&1 | grep -q 'no option --resume' || fail "attest $* took --resume"
    rm -rf ./*
}
kept claims claims 'urpe.*'
kept verify verify opt.causal
kept floor floor -n 4 --function position
kept eval eval --model ../model/model.safetensors --task pi --count 4
kept gradcheck gradcheck --entries 1
kept bench bench --only exact
"$ATTEST" eval --model ../model/model.safetensors --task pi --count 4 --out ../model >text 2>err
[ $? = 2 ] && [ -s ../model/model.safetensors ] || fail "eval wrote into the model's folder"
cd .. || exit 99

# A closed standard stream does not become the next file that is opened.
# shellcheck disable=SC2086
"$ATTEST" fit $small --out closed <&- >&- 2>&-
for file in closed/config.json closed/summary.json; do
    [ -s $file ] && sed -n 1p $file | grep -q '^{' || fail "closed streams: $file is missing"
done
# Where the address space is limited, commands end: with their result, or for want of memory.  A
# library's own exit is no verdict.
if (ulimit -v 400000) 2>/dev/null; then
    for limit in 120000 400000; do
        for words in claims "floor -n 4 --function position" "fit $small --out limited --threads 4"; do
            # shellcheck disable=SC2086
            (ulimit -v $limit; timeout -k 1 20 "$ATTEST" $words >out 2>err)
            status=$?
            [ $status = 0 ] || [ $status = 4 ] || [ $status = 127 ] ||
                fail "attest $words in $limit kB: status $status, $(cat err)"
        done
    done
    (ulimit -v 400000; "$ATTEST" claims) >out 2>err || fail "claims in 400 MB: $(cat err)"
fi
"$ATTEST" fit --task pi --layers 1000 --d 65536 --heads 1 --out vast >out 2>err
[ $? = 4 ] || fail "a model of petabytes: not status 4"
grep -q 'out of memory: the model' err || fail "a model of petabytes: $(cat err)"
exit $((failures > 0))
