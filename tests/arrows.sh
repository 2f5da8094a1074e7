#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Who may include whom: experiments -> {theory, numeric, plots} -> core; FLINT only through
# theory/flint/compat.h and only in theory/ and experiments/; CBLAS only in numeric/kernels/blas.c.
cd "${top_srcdir:?}" || exit 99
failed=0

# forbid FOLDER PATTERN WHY [EXCEPTION]
forbid() {
    found=$(grep -nE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"](attest/)?$2" -r "$1" \
                --include='*.[ch]' | grep -v "^${4:-no exception}:")
    if [ -n "$found" ]; then
        printf '%s\n%s\n' "$3:" "$found"
        failed=1
    fi
}

forbid core '(theory|numeric|plots|experiments)/' 'core/ stands alone'
forbid core '(flint/|arb|gsl/|cblas|omp)' 'core/ is libc, jansson and zlib'
forbid theory '(numeric|plots|experiments)/' 'theory/ knows core/ only'
forbid theory '(gsl/|cblas|omp|pthread)' 'theory/ has no GSL, no BLAS, no threads'
forbid theory '(flint/|calcium/|arb|acb|arf|mag|qqbar|gmp|mpfr)' \
    'theory/ reaches FLINT through theory/flint/compat.h' theory/flint/compat.h
forbid numeric '(theory|plots|experiments)/' 'numeric/ knows core/ only'
forbid numeric '(flint/|arb|acb|qqbar|gmp|mpfr)' 'numeric/ has no FLINT'
forbid numeric 'cblas' 'CBLAS is called in numeric/kernels/blas.c' numeric/kernels/blas.c
forbid plots '(theory|numeric|experiments)/' 'plots/ knows core/ only'
exit $failed
