#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The worked example of doc/adding.md: the patch applies to a copy of the sources, the program builds
# from it, and its claims, gradient checks and training know the new encoding.
#
# The new id comes last in core's enum, so an object of the build at hand stays good unless its
# source is patched or asks how many encodings there are; those alone are compiled again.
: "${top_srcdir:?}" "${top_builddir:?}" "${CC:?}"
command -v patch >/dev/null 2>&1 || { echo 'patch is not there'; exit 77; }
command -v autoreconf >/dev/null 2>&1 || { echo 'autoreconf is not there'; exit 77; }
work=$(mktemp -d) || exit 99
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
failed=0
fail() { printf 'FAIL: %s\n' "$*"; failed=1; }
unset ATTEST
patch=$top_srcdir/doc/examples/new-encoding.patch

# The sources alone: a build folder may lie among them.  -p: times as they are, or make would want
# to run automake.
mkdir "$work/source" "$work/build" || exit 99
(cd "$top_srcdir" && find . -maxdepth 1 -type f ! -name config.status ! -name Makefile ! -name config.h \
    ! -name '*.la' ! -name attest -print0 \
    | xargs -0 tar -cf - --exclude='*.o' --exclude='*.lo' --exclude='*.la' --exclude=.libs --exclude=.deps \
        build-aux m4 $(find . -mindepth 2 -maxdepth 2 -name Makefile.inc -exec dirname {} \;)) \
    | (cd "$work/source" && tar -xpf -) || exit 99
chmod -R u+w "$work/source"
(cd "$work/source" && patch -s -p1 <"$patch") || { fail 'the patch does not apply'; exit 1; }
# Source lists changed.
(cd "$work/source" && autoreconf -fi) >"$work/log" 2>&1 \
    || { tail -n 40 "$work/log"; fail 'autoreconf on the patched sources'; exit 1; }

# The same configuration as the build at hand but for where the sources lie, new sources under -Werror.
eval "set -- $(cd "$top_builddir" && ./config.status --config)"
(cd "$work/build" && ../source/configure -q "$@" --srcdir=../source --disable-dependency-tracking CC="$CC" \
    CFLAGS="$CFLAGS -Wall -Wextra -Wpedantic -Werror") >"$work/log" 2>&1 \
    || { tail -n 40 "$work/log"; fail 'the patched sources do not configure'; exit 1; }
folders='core theory numeric experiments plots'
(cd "$top_builddir" && for folder in $folders; do
    find $folder -name '*.o' -print -o -name '*.lo' -print -o -name .dirstamp -print
done | tar -cf - -T -) | (cd "$work/build" && tar -xmf -) || exit 99
find "$work/build" -name .dirstamp -exec touch -t 200001010000 {} +     # older than every object
patched=$(sed -n 's,^+++ b/,,p' "$patch")
for source in $(cd "$work/source" && grep -rl --include='*.c' -e AT_ENC_COUNT -e encodings.def $folders) $patched; do
    case $source in
    *.c)
        name=$(basename "$source" .c)
        folder=$work/build/$(dirname "$source")
        rm -f "$folder/$name".o "$folder/$name".lo "$folder"/lib*-"$name".o "$folder"/lib*-"$name".lo ;;
    esac
done
kept=$(find "$work/build" -name '*.lo' | wc -l)
(cd "$work/build" && make -j2 attest) >"$work/log" 2>&1 \
    || { tail -n 40 "$work/log"; fail 'the patched program does not build'; exit 1; }
echo "$kept objects were kept, $(grep -c '^  CC ' "$work/log") compiled"
attest=$work/build/attest

"$attest" verify rpe.deep-collapse -v >"$work/out" || fail 'rpe.deep-collapse does not verify'
grep -q ' gaussian .*collapses' "$work/out" || { cat "$work/out"; fail 'no row of gaussian'; }
"$attest" gradcheck >"$work/out" || { cat "$work/out"; fail 'gradcheck'; }
grep -q 'gaussian' "$work/out" || fail 'gradcheck does not know gaussian'
"$attest" fit --task pi --encoding gaussian --n 6 --vocab 8 --d 8 --heads 2 --layers 1 --steps 3 \
    --out "$work/run" >"$work/out" 2>&1 || { cat "$work/out"; fail 'fit --encoding gaussian'; }
exit $failed
