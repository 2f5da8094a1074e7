# SPDX-License-Identifier: GPL-3.0-or-later
# The page attest(1): doc/man/attest.roff with the commands as the program lists them.
#     for c in $(attest --list commands); do attest $c --describe; done |
#         awk -v version=0.1.0 -v date=2026-11-30 -v page=doc/man/attest.roff -f doc/man/front.awk
BEGIN { FS = "\t" }

$1 == "command" {
    name = $2
    see = see ".BR attest\\-" name " (1),\n"
}

$1 == "brief" {
    gsub(/-/, "\\-", $2)
    gsub(/'/, "\\(aq", $2)
    list = list ".TP\n.BR attest\\-" name " (1)\n" $2 "\n"
}

END {
    while ((getline line <page) > 0) {
        gsub(/@DATE@/, date, line)
        gsub(/@VERSION@/, version, line)
        if (line == "@COMMANDS@")
            printf "%s", list
        else if (line == "@SEE@")
            printf "%s", see
        else
            print line
        lines++
    }
    if (lines == 0 || list == "") {
        print "front.awk: nothing to make a page of" >"/dev/stderr"
        exit 1
    }
}
