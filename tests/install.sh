#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What a user of the library gets: `make install` into a folder, every public header compiled
# alone, a program built with pkg-config and run, the exported symbols, then `make uninstall`.
: "${top_builddir:?}" "${CC:?}"
cd "$top_builddir" || exit 99
command -v pkg-config >/dev/null 2>&1 || { echo 'pkg-config is not there'; exit 77; }

export LC_ALL=C
stage=$(mktemp -d) || exit 99
trap 'rm -rf "$stage"' EXIT
failed=0
fail() { printf '%s\n' "$*"; failed=1; }

make -s DESTDIR="$stage" install >"$stage/log" 2>&1 || { cat "$stage/log"; exit 1; }
pc=$(find "$stage" -name attest.pc)
[ -n "$pc" ] || { echo 'attest.pc is not installed'; exit 1; }
prefix=$(sed -n 's/^prefix=//p' "$pc")
export PKG_CONFIG_PATH="${pc%/*}"
cflags=$(pkg-config --define-variable=prefix="$stage$prefix" --cflags attest)
version=$(pkg-config --modversion attest)
library=$(find "$stage" -name 'libattest.so.*.*' | head -n 1)
[ -n "$library" ] || static=--static
# shellcheck disable=SC2086
libs=$(pkg-config --define-variable=prefix="$stage$prefix" ${static-} --libs attest)
include=$(find "$stage" -type d -path '*/include/attest')

# Each header stands on its own, under the names that its sources use; for C++ too, where there
# is a compiler for it.
cxx=$(command -v "${CXX-c++}")
for header in $(cd "$include" && find . -name '*.h' | sed 's,^\./,,' | sort); do
    printf '#include "attest/%s"\nint at_alone;\n' "$header" >"$stage/alone.c"
    # shellcheck disable=SC2086
    $CC ${CFLAGS-} -std=gnu11 -Wall -Wextra -Wpedantic -Werror $cflags \
        -fsyntax-only "$stage/alone.c" || fail "$header does not compile alone"
    [ -z "$cxx" ] && continue
    # shellcheck disable=SC2086
    $cxx -x c++ -std=gnu++11 -Wall -Wextra -Wpedantic -Werror $cflags -fsyntax-only "$stage/alone.c" ||
        fail "$header is not C++"
done

# Each prototype has its contract above it: no paragraph of prototypes is without a comment.
for header in $(find "$include" -name '*.h'); do
    bare=$(awk 'BEGIN { RS = "" }
        /(^|\n)[a-z_][A-Za-z0-9_ *]*at_[a-z0-9_]+\(/ && !/\/\*/ {
            match($0, /at_[a-z0-9_]+\(/); print substr($0, RSTART, RLENGTH - 1) }' "$header")
    [ -z "$bare" ] || fail "${header#"$include"/}: without a comment: $bare"
done

cat >"$stage/user.c" <<'EOF'
#include <stdio.h>
#include "attest/core/version.h"
#include <attest/theory/flint/version.h>    /* both forms are found */
int main(void)
{
    printf("%s\n%s\n", at_version(), at_flint_version());
    return 0;
}
EOF
# shellcheck disable=SC2086
if $CC ${CFLAGS-} $cflags "$stage/user.c" -o "$stage/user" $libs; then
    LD_LIBRARY_PATH=$(dirname "$library") "$stage/user" >"$stage/out" || fail 'the program fails'
    [ "$(head -n 1 "$stage/out")" = "$version" ] || fail "the library is not version $version"
else
    fail 'a program does not build with pkg-config'
fi

# The examples build against what was installed, as their first lines say, and print what is
# committed beside them.
flint_libs=$(pkg-config --variable=flint_libs attest)
for expected in "${top_srcdir:?}"/doc/examples/*.txt; do
    example=${expected%.txt}
    name=${example##*/}
    more=
    grep -q 'flint_libs' "$example.c" && more=$flint_libs
    grep -q 'attest gsl' "$example.c" && more=$(pkg-config --libs gsl)
    # shellcheck disable=SC2086
    if $CC ${CFLAGS-} -Wall -Wextra -Wpedantic -Werror $cflags "$example.c" -o "$stage/example" $libs $more
    then
        LD_LIBRARY_PATH=$(dirname "$library") "$stage/example" >"$stage/out" 2>&1
        cmp -s "$stage/out" "$expected" || fail "doc/examples/$name prints something else when installed"
    else
        fail "doc/examples/$name.c does not build against the installed library"
    fi
done

# Nothing but what the public headers declare leaves the library.
if [ -n "$library" ] && command -v nm >/dev/null 2>&1; then
    nm -D --defined-only "$library" | awk '$2 ~ /[A-Z]/ { print $3 }' | sort >"$stage/exported"
    find "$include" -name '*.h' -exec cat {} + | tr -c 'A-Za-z0-9_' '\n' | sort -u >"$stage/words"
    foreign=$(comm -23 "$stage/exported" "$stage/words")
    [ -z "$foreign" ] || fail "exported, but in no public header: $foreign"
    foreign=$(grep -v '^at_' "$stage/exported")
    [ -z "$foreign" ] || fail "exported without our prefix: $foreign"
    grep -qx at_version "$stage/exported" || fail 'at_version is not exported'
fi

make -s DESTDIR="$stage" uninstall >"$stage/log" 2>&1 || { cat "$stage/log"; failed=1; }
left=$(find "$stage$prefix" -type f)
[ -z "$left" ] || fail "uninstall leaves: $left"
exit $failed
