#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What is decided does not hang on the processor: the numeric suites and the energies of `attest
# reproduce` with the kernels of other processors than this one's.  The fastest level here is what
# every other test runs at.  An old processor has both, kernels of level generic and a BLAS of its
# time, and a C library without fused multiply-add.
#
#     levels.sh         the test
#     levels.sh list    the settings of `make check-levels`, one a line
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

# of SETTING...: what `attest --version` calls its own kernels and those of BLAS, in one line.
kernels_of() {
    env "$@" "$ATTEST" --version 2>/dev/null | sed -n 's/^kernels //p; s/^BLAS kernel //p' | sort | tr 'A-Z\n' 'a-z '
}

# Whether the program really takes that setting, NAME=VALUE, and the processor runs it: OpenBLAS
# passes over names that it does not know, and trusts those that it knows.
is_had() {
    case " $(kernels_of "$1")" in
        *" $(echo "${1#*=}" | tr A-Z a-z) "*) ;;
        *) return 1 ;;
    esac
    env ATTEST_KERNELS=generic "$1" "$ATTEST" fit --function position -n 2 --steps 2 --no-figures --quiet \
        --force --out "$work/tried" >"$work/out" 2>&1
}

had() {
    for setting in "$@"; do
        is_had "$setting" && echo "$setting"
    done
}

if [ "${1-}" = list ]; then
    had ATTEST_KERNELS=generic ATTEST_KERNELS=avx2 ATTEST_KERNELS=avx512 OPENBLAS_CORETYPE=PRESCOTT \
        OPENBLAS_CORETYPE=NEHALEM OPENBLAS_CORETYPE=SANDYBRIDGE OPENBLAS_CORETYPE=HASWELL OPENBLAS_CORETYPE=ZEN
    exit 0
fi
[ -z "${ATTEST_KERNELS-}" ] || { echo "skipped: ATTEST_KERNELS is set"; exit 77; }
[ -z "${AT_ONE_LEVEL-}" ] || { echo "skipped: make check-levels visits them"; exit 77; }

# The suites that compute in floating point, less those that visit every level by themselves
# (kernels, products) and two that take long and multiply no matrices (random, search).
numeric_suites() {
    for suite in $AT_SUITES; do
        case $suite in
            *check_kernels | *check_products | *check_random | *check_search) ;;
            *) grep -q libgsl "$top_builddir/$suite" && echo "$suite" ;;
        esac
    done
}

energies='energy-*'
failed=0
# with SETTING...: everything there, failures shown.
with() {
    echo "== $*: $(kernels_of "$@")"
    for suite in $suites; do
        env "$@" "$top_builddir/$suite" >"$work/out" 2>&1
        grep -q '^1\.\.[1-9]' "$work/out" && ! grep -q '^not ok' "$work/out" && continue
        echo "FAIL: $* $suite"
        grep -v '^ok' "$work/out"
        failed=1
    done
    [ -n "${GNUPLOT-}" ] || return
    env "$@" "$ATTEST" reproduce --parts "$energies" --out "$work/energies" --force --quiet >"$work/out" 2>&1 &&
        return
    echo "FAIL: $* attest reproduce --parts $energies"
    cat "$work/out"
    for log in "$work"/energies/*/log.txt; do [ -s "$log" ] && { echo "== $log"; cat "$log"; }; done
    failed=1
}

suites=$(numeric_suites)
fastest=$("$ATTEST" --version | sed -n 's/^kernels //p')
old='GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F'
[ "$fastest" = avx512 ] && with ATTEST_KERNELS=avx2
for setting in $(had OPENBLAS_CORETYPE=PRESCOTT OPENBLAS_CORETYPE=SANDYBRIDGE); do
    with ATTEST_KERNELS=generic "$setting" "$old"
done
# Where BLAS has no such names.
[ -n "${setting-}" ] || [ "$fastest" = generic ] || with ATTEST_KERNELS=generic "$old"
exit $failed
