# SPDX-License-Identifier: GPL-3.0-or-later
# Rules of make: the object of each file waits for those that `From Attest Require` names in it.
function base(path) { sub(/.*\//, "", path); sub(/\.v$/, "", path); return path }
FNR == 1 { inside = 0 }
/^From Attest Require/ { inside = 1; sub(/^From Attest Require( Import| Export)?/, "") }
inside {
    ends = sub(/\..*/, "")
    for (i = 1; i <= NF; i++)
        printf "%s/%s.vo: %s/%s.vo\n", out, base(FILENAME), out, $i
    if (ends)
        inside = 0
}
