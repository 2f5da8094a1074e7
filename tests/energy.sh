#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# attest energy: descent decided on documents, bad input named, exit statuses, run folder.
set -eu
: "${ATTEST:?}"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "energy.sh: $*" >&2; exit 1; }
expect() { # STATUS MESSAGE-PART ARGUMENTS...
    want=$1 part=$2
    shift 2
    set +e
    "$ATTEST" energy -q --out "$dir/run" --force "$@" >"$dir/out" 2>"$dir/err" </dev/null
    got=$?
    set -e
    [ "$got" -eq "$want" ] || { cat "$dir/out" "$dir/err" >&2; fail "$*: status $got, not $want"; }
    grep -qF -e "$part" "$dir/out" "$dir/err" || { cat "$dir/out" "$dir/err" >&2; fail "$*: no '$part'"; }
}

printf 'sentence\tlabel\na good film .\t1\nA BAD bad film\t0\nunknown words only\t1\ngood good good\t1\nfilm a\t0\n' \
    >"$dir/a.tsv"
printf 'good 0.5 1\nbad -1 0.25\nfilm 0 0.125\n. 1 1\n' >"$dir/v.txt"

# Real files: counts, certificates, the run folder.
expect 0 'certified in balls: 48 of 48' --text "$dir/a.tsv" --embeddings "$dir/v.txt" --certify
expect 0 'words without a vector: 6 of 16' --text "$dir/a.tsv" --embeddings "$dir/v.txt"
expect 0 '1 without any vector' --text "$dir/a.tsv" --embeddings "$dir/v.txt"
for file in config.json summary.json metrics.tsv documents.tsv energy.tsv; do
    [ -s "$dir/run/$file" ] || fail "no $file"
done
[ "$(wc -l <"$dir/run/energy.tsv")" -eq 14 ] || fail "energy.tsv has not 13 rows"
[ "$(wc -l <"$dir/run/documents.tsv")" -eq 5 ] || fail "documents.tsv has not 4 rows"
gzip -c "$dir/v.txt" >"$dir/v.txt.gz"
expect 0 'certified in balls: 48 of 48' --text "$dir/a.tsv" --embeddings "$dir/v.txt.gz" --certify

# JSON: the numbers of the interface, and the same result with another number of threads.
expect 0 '"steps": 24' --json --certify --documents 2 --threads 1
cp "$dir/out" "$dir/one"
expect 0 '"steps": 24' --json --certify --documents 2 --threads 2
grep -v seconds "$dir/one" >"$dir/one.rest"
grep -v seconds "$dir/out" | cmp -s - "$dir/one.rest" || fail "the result depends on the threads"
for key in documents tokens words_missing layers descending rising tied certified undecided energy_mean; do
    grep -q "\"$key\"" "$dir/out" || fail "no $key in the summary"
done
grep -q 'made-up' "$dir/run/energy.tsv" || fail "the curve is not said to be made up"
grep -q 'made-up documents' "$dir/out" || fail "made-up documents are not said to be made up"

# Nor on the threads that the BLAS would take by itself, norms and random weights included.
for own in 1 2 3; do
    OPENBLAS_NUM_THREADS=$own "$ATTEST" energy -q --out "$dir/run" --force --step parallel --weights random --relu \
        --documents 20 --dimension 300 --layers 2 >/dev/null || fail "--dimension 300"
    cp "$dir/run/energy.tsv" "$dir/threads.$own"
    cmp -s "$dir/threads.$own" "$dir/threads.1" || fail "the result depends on the BLAS's threads"
done

# Each step; those whose claim says that they descend do, in balls.
for step in released softmax-beta no-self jacobi residual-input relaxed sphere value-matrix multi-head \
            parallel sequential identity permutation; do
    expect 0 " layers of $step" --step "$step" --documents 3 --dimension 8 --layers 3 --certify
    [ "$step" = sphere ] ||
        expect 0 " layers of $step" --step "$step" --documents 3 --dimension 8 --layers 3 --weights random \
            --certify
done
expect 0 'no claim that this layer descends' --step released --weights random --relu --documents 3
expect 0 'ReLU, from ReLU(Y⁰)' --step parallel --weights random --relu --documents 3
expect 0 'no claim that this layer descends' --step relaxed --alpha 2.5 --documents 3
expect 0 'descends, as proved' --rho '1-1/(1+z)^2' --documents 3 --dimension 8 --layers 3 --certify
grep -q 'concave on \[0, .*certified' "$dir/out" || fail "concavity of a formula is not certified"
expect 0 'no claim that this layer descends' --rho 'z-z^3/100000000' --documents 3 --dimension 8
grep -q 'not certified between' "$dir/out" || fail "an uncertified rho is not said"
expect 0 'mean energy' --documents 3 --dimension 8 --layers 2 \
    --rho 'log(2+z)+log(3+z)+log(4+z)+log(5+z)+log(6+z)+log(7+z)+log(8+z)+log(9+z)+log(10+z)+log(11+z)'
expect 2 'not concave at z = 1.00' --documents 3 --dimension 8 \
    --rho '-exp(-z)+exp(-(z-1.001)*(z-1.001)*100000000)/100'
expect 0 'held out' --weights trained --step released --documents 5 --updates 20 --dimension 8
cp "$dir/run/model.safetensors" "$dir/model.safetensors"
expect 0 "mean energy" --weights "$dir/model.safetensors" --documents 3 --dimension 8 --step parallel

# The figures' tables.
for figure in regions relu-regions panels layers rho; do
    expect 0 "figure $figure" --figure "$figure" --documents 3 --dimension 8 --layers 2 --weights random
    [ "$(wc -l <"$dir/run/$figure.tsv")" -ge 7 ] || fail "no table of $figure"
done
# Every layer with every rho, a formula beside them; multi-head with more heads than value-matrix has.
expect 0 '"layers_by_rho"' --figure layers --documents 2 --dimension 8 --layers 2 --weights random \
    --rho '1-1/(1+z)^2' --json
[ "$(wc -l <"$dir/run/layers.tsv")" -eq 62 ] || fail "not each of 13 layers with each of five rho"
awk -F '\t' '$2 ~ /1-1/ && $4 == "descends" && $9 == 0 { n++ } END { exit n < 4 }' "$dir/run/layers.tsv" ||
    fail "a certified formula is not said to descend"
awk -F '\t' 'NR > 1 && $3 == "-" { exit 1 }' "$dir/run/layers.tsv" || fail "a layer without a claim"
tr -d '\n' <"$dir/run/summary.json" | sed 's/"claim"/\n&/g' >"$dir/layers"
heads() { grep "\"label\": \"$1, exp" "$dir/layers" | sed 's/.*"energy_mean": \[ *\([^,]*\),.*/\1/'; }
[ -n "$(heads multi-head)" ] && [ "$(heads multi-head)" != "$(heads value-matrix)" ] ||
    fail "multi-head has one head in the figure of layers"
expect 2 'not concave' --figure rho --documents 2 --dimension 8 --rho 'z^2'
expect 2 'a figure has its own layers' --figure panels --step parallel
expect 2 '--heads is of the step multi-head' --heads 3

# Trained panels: a second set of weights for the layers with ReLU, which a second text takes over.
expect 0 'figure panels' --figure panels --weights trained --documents 4 --updates 20 --dimension 8 --layers 2
grep -q '"training_relu"' "$dir/run/summary.json" && grep -q '"updates_scaled"' "$dir/run/summary.json" || fail "no second training, with ReLU"
for name in W_a relu.W_a relu.classifier; do
    grep -aq "\"$name\"" "$dir/run/model.safetensors" || fail "no $name among the trained weights"
done
cp "$dir/run/model.safetensors" "$dir/both.safetensors"
"$ATTEST" energy -q --out "$dir/own" --force --step parallel --relu --weights "$dir/both.safetensors" --documents 4 \
    --dimension 8 --layers 2 >/dev/null || fail "weights with a second set do not run"
"$ATTEST" energy -q --out "$dir/first" --force --step parallel --weights "$dir/both.safetensors" --documents 4 \
    --dimension 8 --layers 2 >/dev/null || fail "weights with a second set do not run"
cp "$dir/own/energy.tsv" "$dir/own.tsv"
expect 0 'figure panels' --figure panels --weights "$dir/both.safetensors" --documents 4 --dimension 8 --layers 2
mean() { awk -F '\t' -v p="$2" -v c="$3" '$1 == p && $3 == 2 { print $c }' "$1"; }
[ "$(mean "$dir/run/panels.tsv" 4 9)" = "$(mean "$dir/own.tsv" 1 4)" ] ||
    fail "the ReLU panel does not run the weights trained with ReLU"
[ "$(mean "$dir/run/panels.tsv" 3 9)" = "$(mean "$dir/first/energy.tsv" 1 4)" ] ||
    fail "the linear panel does not run the weights trained without ReLU"

expect 0 'figure panels' --figure panels --documents 2 --dimension 8 --layers 2 --weights random --certify
awk -F '\t' 'NR > 1 && ($12 != $7 || ($4 == "descends" && $9 > 0)) { exit 1 }' "$dir/run/panels-steps.tsv" ||
    fail "a step of the panels is not certified, or rises where it must not"

# No pin, and a tie that no rule proves: it stays undecided and is named.
for step in jacobi residual-input; do
    expect 0 'certified in balls: 4 of 4' --step $step --lambda 0 --documents 2 --dimension 8 --layers 2 --certify
done
expect 0 'undecided: 2 in document 2, the first in layer 1' --rho z --step relaxed --alpha 2 --documents 2 --dimension 2 --layers 2
expect 0 'decided by a proved rounding bound: ' --documents 2 --text "$dir/a.tsv" --embeddings "$dir/v.txt"
awk -F '\t' 'NR > 1 && $8 + $7 + $12 != $3 { exit 1 }' "$dir/run/documents.tsv" || fail "steps are not what decided them"

# Bad input: file, line, remedy.
printf 'good 1 2\nbad 1\n' >"$dir/bad.txt"
expect 3 "$dir/bad.txt:2: expected a word and 2 numbers" --text "$dir/a.tsv" --embeddings "$dir/bad.txt"
printf 'good 1 2\nbad 1 nan\n' >"$dir/bad.txt"
expect 3 "$dir/bad.txt:2: number 2 of the vector of 'bad'" --text "$dir/a.tsv" --embeddings "$dir/bad.txt"
head -c 40 "$dir/v.txt.gz" >"$dir/cut.gz"
expect 3 "$dir/cut.gz" --text "$dir/a.tsv" --embeddings "$dir/cut.gz"
printf 'good 1 2\nbad 1 -inf\n' >"$dir/bad.txt"
expect 3 "$dir/bad.txt:2: number 2 of the vector of 'bad'" --text "$dir/a.tsv" --embeddings "$dir/bad.txt"
printf 'good 1 2\nbad 1 2 3\n' >"$dir/bad.txt"
expect 3 "$dir/bad.txt:2: expected a word and 2 numbers" --text "$dir/a.tsv" --embeddings "$dir/bad.txt"
printf 'good 1e200 2\nfilm 1 -1e200\n' >"$dir/bad.txt"
expect 3 'beyond 1e100' --text "$dir/a.tsv" --embeddings "$dir/bad.txt" --rho log
# Skipped and counted, on the terminal and in the summary.
{ cat "$dir/v.txt"; printf 'good 9 9\nnew york 1 2\n'; } | sed 's/$/\r/' >"$dir/odd.txt"
printf 'good film\r\n\r\nbad \377 film\r\nbad film\r\n' >"$dir/odd.txt.lines"
expect 0 'vectors left out: 1 of a word that had one, 1 of words with blanks, 0 without a word' --text "$dir/odd.txt.lines" \
    --embeddings "$dir/odd.txt" --certify
grep -q 'left out: 1 empty, 1 not UTF-8' "$dir/out" || fail "empty and malformed documents are not counted"
for count in '"documents_empty": 1' '"documents_not_utf8": 1' '"vectors_repeated": 1' '"vectors_with_blanks": 1' \
             '"documents": 2'; do
    grep -q "$count" "$dir/run/summary.json" || fail "no $count in the summary"
done
expect 3 "$dir/none.txt: cannot be read" --text "$dir/a.tsv" --embeddings "$dir/none.txt"
grep -q 'expected GloVe or word2vec text' "$dir/err" || fail "no remedy for missing vectors"
expect 3 "$dir/none.tsv" --text "$dir/none.tsv"
printf 'sentence\tlabel\nx\t7\n' >"$dir/label.tsv"
expect 3 "$dir/label.tsv:2: expected a label" --text "$dir/label.tsv"
expect 3 'training needs labels' --text "$0" --weights trained
expect 3 'none.safetensors' --weights "$dir/none.safetensors" --documents 3

# Tables as people have them: what was taken for what is said, and what is no known table is refused.
printf '\n;Text;Stars;LABEL\n0;"good; good film";5;Positive\n1;bad;1;negative\n' | sed 1d >"$dir/t.csv"
expect 0 "(text from column 'Text', label from 'LABEL', 2 others skipped)" --text "$dir/t.csv"
expect 0 '2 documents, 2 tokens' --text "$dir/t.csv" --text-column stars
expect 3 "no column 'mark' for the label; the columns are" --text "$dir/t.csv" --label-column mark
expect 3 "with the column 'opinion'" --text "$dir/t.csv" --text-column opinion
expect 2 'name it with --text' --text-column opinion
printf '"good, good film","positive"\n"bad","negative"\n' >"$dir/t.csv"
expect 3 "t.csv:1: this looks like a table with 2 columns between commas" --text "$dir/t.csv"
expect 0 'plain lines' --text "$dir/t.csv" --text-column=-
mkdir -p "$dir/train/pos" "$dir/train/neg" "$dir/train/unsup"
echo 'good good film' >"$dir/train/pos/0_9.txt"; echo 'bad film' >"$dir/train/neg/0_1.txt"
echo '9 0:2 3:1' >"$dir/train/labeledBow.feat"; echo 'http://example.org' >"$dir/train/urls_pos.txt"
expect 0 'not read: 3 entries of the folder' --text "$dir/train"
grep -q '2 documents, 5 tokens; folder of reviews' "$dir/out" || fail "pos and neg are not read"

# Wrong usage: every mistake at once.
expect 2 'did you mean' --step softmax-bet --rho 'foo' --documents none
grep -q 'rho is one of' "$dir/err" || fail "the second mistake is not named"
grep -q -e '--documents takes' "$dir/err" || fail "the third mistake is not named"
expect 2 'not concave' --rho 'z^2'
expect 2 'needs --text' --embeddings "$dir/v.txt"
expect 2 'feed-forward' --relu
set +e
"$ATTEST" energy -q --documents 2 --out "$dir/run" >/dev/null 2>"$dir/err"
[ $? -eq 2 ] || fail "a folder that holds a run is no usage error"
set -e
