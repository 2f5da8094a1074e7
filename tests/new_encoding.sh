#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The worked example of doc/adding.md: the patch applies to a copy of the sources, the program builds
# from it, and its claims, gradient checks and training know the new encoding.
#
# The new id comes last in core's enum, so an object of the build at hand stays good unless its
# source is patched or asks how many encodings there are; those alone are compiled again.
: "${top_srcdir:?}" "${top_builddir:?}" "${CC:?}"
command -v patch >/dev/null 2>&1 || { echo 'patch is not there'; exit 77; }
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
        build-aux core doc experiments m4 numeric plots tests theory) \
    | (cd "$work/source" && tar -xpf -) || exit 99
chmod -R u+w "$work/source"
(cd "$work/source" && patch -s -p1 <"$patch") || { fail 'the patch does not apply'; exit 1; }

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
included=$(printf '%s\n' $patched | grep '\.c$')
for source in $(cd "$work/source" && for folder in $folders; do
                    grep -l AT_ENC_COUNT "$folder"/*.c
                    for file in $included; do grep -l "include \"$file\"" "$folder"/*.c; done
                done) $patched; do
    case $source in
    *.c) object=${source%.c}; rm -f "$work/build/$object.o" "$work/build/$object.lo" ;;
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
