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
forbid plots '(theory|numeric|experiments)/' 'plots/ knows core/ only'

# CBLAS is called in one file, by its own name or GSL's.
found=$(grep -nE '\<(cblas|gsl_blas)_[a-z]|\<gsl_c?blas[a-z_]*\.h|<cblas' -r core theory numeric plots experiments \
            --include='*.[ch]' | grep -v '^numeric/kernels/blas\.c:')
[ -z "$found" ] || { printf 'CBLAS is called in numeric/kernels/blas.c:\n%s\n' "$found"; failed=1; }

# No circles: no file calls one that calls it again, by whatever way.  What calls nothing that is left, or is
# called by nothing that is left, is no part of a circle; what stays is one.
cd "${top_builddir:-.}" || exit 99
if command -v nm >/dev/null 2>&1 && [ -e libcore.la ]; then
    find core theory numeric plots experiments -name '*.o' ! -path '*/bench/exact_*' | while read -r object; do
        nm "$object" 2>/dev/null | awk -v file="$object" '
            BEGIN { sub(/\.libs\//, "", file); sub(/lib[a-z0-9_]*_la-/, "", file); sub(/\.o$/, "", file) }
            NF == 3 && $2 ~ /^[TDRBCGSV]$/ { print "has", file, $3 }
            $1 == "U" { print "wants", file, $2 }'
    done | awk '
        $1 == "has" && !($3 in owner) { owner[$3] = $2 }
        $1 == "wants" && !(($2, $3) in seen) { seen[$2, $3]; user[++wants] = $2; name[wants] = $3 }
        END {
            for (k = 1; k <= wants; k++)
                if (name[k] in owner && owner[name[k]] != user[k]) {
                    from[++n] = user[k]; to[n] = owner[name[k]]; why[n] = name[k]
                }
            if (n < 100) { print "nm shows " n + 0 " calls between files"; exit 1 }
            do {
                gone = 0
                split("", leaves); split("", enters)
                for (e = 1; e <= n; e++) if (!cut[e]) { leaves[from[e]] = 1; enters[to[e]] = 1 }
                for (e = 1; e <= n; e++)
                    if (!cut[e] && (!(to[e] in leaves) || !(from[e] in enters))) { cut[e] = 1; gone = 1 }
            } while (gone)
            for (e = 1; e <= n; e++) if (!cut[e]) { print from[e] " calls " to[e] ": " why[e]; circles = 1 }
            exit circles
        }' || { echo 'files call each other in a circle'; failed=1; }
fi
exit $failed
