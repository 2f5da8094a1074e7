#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The worked example of doc/adding.md: the patch applies to a copy of the sources, the program builds
# from it, and its claims, gradient checks and training know the new encoding.
: "${top_srcdir:?}" "${CC:?}"
command -v patch >/dev/null 2>&1 || { echo 'patch is not there'; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
fail() { printf 'FAIL: %s\n' "$*"; failed=1; }
unset ATTEST

# The sources alone: a build folder may lie among them.  -p: times as they are, or make would want
# to run automake.
mkdir "$work/source" "$work/build" || exit 99
(cd "$top_srcdir" && find . -maxdepth 1 -type f ! -name config.status ! -name Makefile ! -name config.h \
    ! -name '*.la' ! -name attest -print0 \
    | xargs -0 tar -cf - --exclude='*.o' --exclude='*.lo' --exclude='*.la' --exclude=.libs --exclude=.deps \
        build-aux core doc experiments m4 numeric plots tests theory) \
    | (cd "$work/source" && tar -xpf -) || exit 99
chmod -R u+w "$work/source"
(cd "$work/source" && patch -s -p1 <"$top_srcdir/doc/examples/new-encoding.patch") \
    || { fail 'the patch does not apply'; exit 1; }

(cd "$work/build" && ../source/configure --disable-shared --disable-dependency-tracking \
    CC="$CC" CFLAGS='-O0 -Wall -Wextra -Wpedantic -Werror' && make -j2 attest) >"$work/log" 2>&1 \
    || { tail -n 40 "$work/log"; fail 'the patched program does not build'; exit 1; }
attest=$work/build/attest

"$attest" verify rpe.deep-collapse -v >"$work/out" || fail 'rpe.deep-collapse does not verify'
grep -q ' gaussian .*collapses' "$work/out" || { cat "$work/out"; fail 'no row of gaussian'; }
"$attest" gradcheck >"$work/out" || { cat "$work/out"; fail 'gradcheck'; }
grep -q 'gaussian' "$work/out" || fail 'gradcheck does not know gaussian'
"$attest" fit --task pi --encoding gaussian --n 6 --vocab 8 --d 8 --heads 2 --layers 1 --steps 3 \
    --out "$work/run" >"$work/out" 2>&1 || { cat "$work/out"; fail 'fit --encoding gaussian'; }
exit $failed
