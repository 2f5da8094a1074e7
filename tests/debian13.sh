#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Tries this tree on a bare Debian, as a newcomer would: makes the system with debootstrap in
# FOLDER (kept, and used again), copies the files that git knows into it, and runs there, in a
# chroot with nothing else installed, `./quickstart check` or the command given.
#
# Usage, as root:  tests/debian13.sh FOLDER [SUITE [COMMAND...]]
#   tests/debian13.sh /var/tmp/trixie
#   tests/debian13.sh /var/tmp/bookworm bookworm ./quickstart
# Exit status: the command's.
set -eu

if [ $# -lt 1 ]; then
    sed -n 's/^# \{0,1\}//; /^Usage/,/bookworm bookworm/p' "$0" >&2
    exit 2
fi
folder=$1
suite=${2-trixie}
[ $# -lt 2 ] || shift
shift
[ $# -gt 0 ] || set -- ./quickstart check
if [ "$(id -u)" -ne 0 ]; then
    echo "debian13.sh: debootstrap and chroot need root" >&2
    exit 4
fi

top=$(cd "$(dirname "$0")/.." && pwd)
if [ ! -f "$folder/.complete" ]; then
    rm -rf "$folder/debootstrap"
    debootstrap --variant=minbase "$suite" "$folder"
    touch "$folder/.complete"
fi

# The working copy's files, not the last commit's; files gone from it go there too, while the
# build folder stays, so that a second run is quick.
work=$folder/usr/src/attest
mkdir -p "$work"
find "$work" -mindepth 1 -maxdepth 1 ! -name build ! -name configure ! -name build-aux \
    ! -name m4 ! -name aclocal.m4 ! -name Makefile.in ! -name config.h.in -exec rm -rf {} +
(cd "$top" && git ls-files -z --cached --others --exclude-standard |
     tar -c --ignore-failed-read --null -T - -f -) | tar -x -C "$work" -f -

# /proc, /dev and the name server's address are what that a chroot lacks.
cp /etc/resolv.conf "$folder/etc/resolv.conf"
mount --bind /dev "$folder/dev"
mount -t proc proc "$folder/proc" 2>/dev/null || mount --bind /proc "$folder/proc"
trap 'umount "$folder/proc" "$folder/dev"' EXIT

status=0
chroot "$folder" /usr/bin/env -i HOME=/root LC_ALL=C.UTF-8 CI=true \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    sh -c 'cat /etc/debian_version && cd /usr/src/attest && exec "$@"' sh "$@" </dev/null || status=$?
exit $status
