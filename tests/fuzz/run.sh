#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Fuzzes the readers with clang's libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer.
#
#     tests/fuzz/run.sh [SECONDS [TARGET...]]
#
# SECONDS in all (3600), divided among the targets (all).  The build is kept in $FUZZ_FOLDER
# (./fuzz), the corpora in its corpus/; what fails is left there as crash-*, and the status is 1.
set -u
source=$(cd "$(dirname "$0")/../.." && pwd) || exit 99
seconds=${1-3600}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- safetensors text vectors formula expq config checkpoint
folder=${FUZZ_FOLDER-fuzz}
CC=${FUZZ_CC-clang}
command -v "${CC##* }" >/dev/null 2>&1 || { echo "clang is not there: apt-get install clang"; exit 77; }
mkdir -p "$folder" && cd "$folder" || exit 99

flags='-O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=undefined'
rooms='libexperiments.la libplots.la libtheory.la libnumeric.la libcore.la'
if [ ! -f Makefile ]; then
    "$source/configure" --disable-shared CC="$CC" \
        CFLAGS="$flags -fsanitize=fuzzer-no-link,address,undefined" >configure.log 2>&1 ||
        { tail configure.log; exit 99; }
fi
# shellcheck disable=SC2086
make $rooms attest >make.log 2>&1 || { tail make.log; exit 99; }
# shellcheck disable=SC2086
./libtool --silent --tag=CC --mode=link $CC $flags -fsanitize=fuzzer,address,undefined -I. -Iinclude \
    -I"$source" $(sed -n 's/^\(FLINT\|GSL\|BLAS\|JANSSON\)_CFLAGS = //p' Makefile) -o fuzz \
    "$source/tests/fuzz/fuzz.c" $rooms || exit 99

# Seeds: small good inputs of each kind.
seed() { mkdir -p "corpus/$1"; cat >"corpus/$1/seed-$2"; }
printf 'sentence\tlabel\na b\t1\nc\t0\n' | seed text 1
printf '"review","sentiment"\n"a<br />\nb, ""c""","positive"\n"d","neg"\n' | seed text 2
printf ',text;label\r0;"a;b";1\r1;c;0\r' | seed text 3
printf 'id\tsentiment\treview\n"1_8"\t1\t"a, \\"b\\" c"\n' | seed text 4
printf 'Plain, with words.\n\nAnd don'\''t \303\251\n' | seed text 5
printf 'a,b\nx,1\ny,0\n' | gzip | seed text 6
printf 'the 1 2\na -0.5 1e-3\n. . 3 4\n 5 6\n' | seed vectors 1
printf '2 3\nb 1 2 3\ncd 4 5 6\n' | seed vectors 2
printf 'b 1 2\n' | gzip | seed vectors 3
printf '1-1/(1+z)^2' | seed formula 1
printf 'exp(-z/2)*log(1+z)+sqrt(z)' | seed formula 2
printf 'i*x[1] + x[2*i]^2/3 - sum(x[1..n])' | seed formula 3
printf '(2 + e^(-9/5))/(1 + exp(-9/5))' | seed expq 1
printf '3/4 - 0.5*e^2^3' | seed expq 2
fit='--task pi -n 3 --vocab 4 --layers 1 --d 4 --heads 2 --ffn 4 --steps 2 --batch 2 --threads 1'
# shellcheck disable=SC2086
ASAN_OPTIONS=detect_leaks=0 ./attest fit $fit --no-figures --quiet --force --out seed-run >fit.log 2>&1 ||
    { cat fit.log; exit 99; }
seed safetensors 1 <seed-run/model.safetensors
gzip -c seed-run/model.safetensors | seed safetensors 2
LC_ALL=C sed 's/"F32"/"F16"/' seed-run/model.safetensors | seed safetensors 3
seed checkpoint 1 <seed-run/checkpoint.safetensors
seed config 1 <seed-run/config.json

failed=0
for target; do
    echo "$target: $((seconds / $#)) s"
    ATTEST_FUZZ=$target ./fuzz -max_total_time=$((seconds / $#)) -timeout=20 -rss_limit_mb=3000 -verbosity=1 \
        -max_len=20000 -print_final_stats=1 -artifact_prefix="crash-$target-" "corpus/$target" \
        >"$target.log" 2>&1 || failed=1
    grep -E '^stat::number_of_executed|^SUMMARY|runtime error|ERROR' "$target.log"
done
exit $failed
