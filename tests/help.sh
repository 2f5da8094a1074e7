#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Every example that a command's --help shows is run, as it stands, in a folder that has what it
# reads.  What takes longer than $HELP_SECONDS (0.5) is interrupted, as a user would, and must end
# cleanly; a mistake in an example would be refused long before.
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
PATH=$(dirname "$ATTEST"):$PATH
export PATH
command -v timeout >/dev/null 2>&1 || { echo 'timeout is not there'; exit 77; }
failed=0
run=0

mkdir start
printf 'sentence\tlabel\na fine film\t1\nnot a fine film at all\t0\n' >start/sst2.tsv
printf 'review,sentiment\n"A fine film, really.",positive\n"Not a fine film.",negative\n' \
    >start/reviews.csv
printf 'a 1 0 2\nfine 0 1 1\nfilm 1 1 0\nnot -1 0 1\nat 0 0 1\nall 2 1 0\n' | gzip \
    >start/glove.txt.gz
cp start/glove.txt.gz start/glove.100d.txt.gz
cp start/reviews.csv start/imdb.csv

# Small runs for the examples that read one.
attest fit --task pi -n 4 --vocab 5 --layers 1 --d 8 --heads 2 --ffn 8 --steps 2 --batch 2 \
    --no-figures -q >log 2>&1 || { cat log; exit 1; }
attest energy --documents 2 --layers 2 -q >log 2>&1 || { cat log; exit 1; }

try() { (cd here && timeout -s INT "${HELP_SECONDS-0.5}" sh -c "exec $1 -q") >out 2>err </dev/null; }

for command in $(attest --list commands); do
    attest "$command" --describe | sed -n 's/^example	//p' >examples
    [ -s examples ] || { echo "FAIL: attest $command --help has no example"; failed=1; }
    while read -r example; do
        rm -rf here && cp -r start here || exit 99
        case $example in
            *attest-out*) cp -r attest-out here/ ;;
        esac
        run=$((run + 1))
        case $example in    # there must be something to resume
            *' --resume'*) try "${example% --resume*}" ;;
        esac
        try "$example"
        status=$?
        case $status in
            0|124) continue ;;
        esac
        echo "FAIL: $example: status $status"
        cat err
        failed=1
    done <examples
done
echo "$run examples run"
[ "$run" -ge 30 ] || { echo 'FAIL: too few examples'; failed=1; }
exit $failed
