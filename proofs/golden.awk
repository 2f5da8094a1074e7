# SPDX-License-Identifier: GPL-3.0-or-later
# Golden files of statements, in two steps.
#
# With -v ask=FILE: reads FILE.v, a file of statements, and writes the Coq file that asks for each
# theorem named there its statement, and for all of them together what they assume (one by one, Coq
# would walk through the whole library once a theorem).
# Without: reads coqc's answer and writes, the same for every version of Coq,
#     theorem FILE.NAME
#       STATEMENT
# for each, and at the end
#     all assume NAME NAME ...
# The primitive integers, on which Coq-Interval computes, are many constants and one word here.
ask != "" && FNR == 1 {
    print "From Coq Require Import Reals List ZArith."
    printf "From Attest Require Import %s.\n", ask
    print "Open Scope R_scope."
    print "Set Printing Width 1000000."
    print "Set Printing Depth 100000."
}
ask != "" {
    if ($0 ~ /^From Attest Require/) print
    if (match($0, /^Check \(@?[a-z_0-9]+\.[A-Za-z_0-9]+/)) {
        name = substr($0, RSTART, RLENGTH)
        sub(/^Check \(@?/, "", name)
        if (!(name in asked)) {
            asked[name] = 1
            printf "Check tt.\nCheck @%s.\n", name
            theorems = theorems (theorems == "" ? "" : ", ") "@" name
        }
    }
    next
}

# tt : unit stands before a statement, true : bool before the assumptions.
$0 == "tt" { getline; end_statement(); next }
$0 == "true" { getline; end_statement(); assumptions = 1; next }
!assumptions {
    gsub(/[ \t]+/, " ")
    text = text $0
    next
}
/^Axioms:/ || /^Closed under/ { next }
/^[A-Za-z_]/ {
    name = $1
    sub(/:$/, "", name)
    integers = name ~ /(Int63|Uint63|Float)/ || name ~ /^(int|float|lsl|lsr|land|lor|lxor|add|sub|mul|mulc|div|mod|eqb|ltb|leb|compare|head0|tail0|addc|addcarryc|subc|subcarryc|diveucl|diveucl_21|addmuldiv|asr|divs|mods|ltsb|lesb|compares)$/ || name ~ /_spec$/
    sub(/.*\./, "", name)
    set[integers ? "primitive_integers" : name] = 1
}
function end_statement(    head) {
    if (text == "") return
    head = text
    sub(/ :.*/, "", head)
    sub(/^@/, "", head)
    sub(/^[^:]*: /, "", text)
    printf "theorem %s\n  %s\n", head, text
    text = ""
}
function end_assumptions(    n, list, i, j, t) {
    n = 0
    for (t in set) list[++n] = t
    for (i = 2; i <= n; i++)
        for (j = i; j > 1 && list[j] < list[j - 1]; j--) {
            t = list[j]; list[j] = list[j - 1]; list[j - 1] = t
        }
    printf "all assume"
    for (i = 1; i <= n; i++) printf " %s", list[i]
    print (n > 0 ? "" : " nothing")
}
END {
    if (ask == "") end_assumptions()
    else printf "Definition all := (%s).\nCheck true.\nPrint Assumptions all.\n", theorems
}
