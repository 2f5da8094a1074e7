#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Where attest runs changes nothing of what it writes: locale, time zone, home, temporary folder,
# names of folders.  A folder that cannot be written is a failed environment, said in one line.
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
failed=0
fail() {
    echo "FAIL: $*"
    failed=1
}
fit() { "$ATTEST" fit --function position -n 2 --steps 2 --no-figures --quiet --force --out "$@"; }

fit plain >out 2>err || { cat err; exit 1; }
same() {
    for file in config.json metrics.tsv model.safetensors; do
        cmp -s plain/$file "$1/$file" || fail "$2: another $file"
    done
}

# Surroundings.
(unset HOME TMPDIR LANG; TZ=Asia/Kathmandu; export TZ; fit bare) >out 2>err || fail "bare: $(cat err)"
same bare 'no home'
(HOME=/nonexistent TMPDIR=/nonexistent; export HOME TMPDIR; fit nowhere) >out 2>err ||
    fail "nowhere: $(cat err)"
same nowhere 'no temporary folder'

# A decimal comma, where such a locale can be had.
if localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" >out 2>&1 || [ -d "$work/de_DE.UTF-8" ]; then
    (LOCPATH=$work LC_ALL=de_DE.UTF-8; export LOCPATH LC_ALL; fit comma) >out 2>err ||
        fail "comma: $(cat err)"
    same comma 'a decimal comma'
    if [ -n "${GNUPLOT-}" ]; then
        cp -r plain drawn
        "$ATTEST" plot --figure encoding-tables drawn >out 2>err || fail "plot: $(cat err)"
        LOCPATH=$work LC_ALL=de_DE.UTF-8 "$ATTEST" plot --figure encoding-tables comma >out 2>err ||
            fail "plot with a decimal comma: $(cat err)"
        cmp -s drawn/encoding-tables.svg comma/encoding-tables.svg || fail "another figure"
    fi
fi

# Names.
for name in 'a b' "q'uo\"te" 'new
line' 'per%cent%s%n' './-dash'; do
    fit "$name" >out 2>err || fail "$name: $(cat err)"
    same "$name" "$name"
    [ -z "${GNUPLOT-}" ] || "$ATTEST" plot -- "$name" >out 2>err || fail "plot $name: $(cat err)"
done
ln -s 'a b' link
fit link >out 2>err || fail "link: $(cat err)"
[ -L link ] || fail "the link was replaced"

# Folders that cannot be.
echo kept >file
ln -s absent/far dangling
for name in file file/below dangling; do
    fit $name >out 2>err
    [ $? = 4 ] || fail "--out $name: not status 4"
    [ "$(wc -l <err)" = 1 ] || fail "--out $name: $(cat err)"
done
[ "$(cat file)" = kept ] || fail "a file was replaced by a folder"

# Text through standard input.
printf 'a good film\nbad\n' | "$ATTEST" energy --text /dev/stdin --layers 2 --out piped --quiet \
    >out 2>err || fail "text from a pipe: $(cat err)"
grep -q '"documents": 2,' piped/summary.json || fail "text from a pipe: not two documents"
exit $failed
