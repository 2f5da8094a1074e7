#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs `./quickstart check` of this tree in a fresh Debian 13 made by debootstrap (as root).
# Usage: tests/debian13.sh FOLDER [SUITE]     FOLDER is kept and used again; SUITE: trixie
set -eu
folder=${1:?usage: tests/debian13.sh FOLDER [SUITE]}
suite=${2-trixie}
top=$(cd "$(dirname "$0")/.." && pwd)
[ -x "$folder/bin/sh" ] || debootstrap --variant=minbase "$suite" "$folder"
mkdir -p "$folder/root/attest"
git -C "$top" archive HEAD | tar -x -C "$folder/root/attest"
exec chroot "$folder" /usr/bin/env -i PATH="$PATH" HOME=/root CI=true /root/attest/quickstart check
