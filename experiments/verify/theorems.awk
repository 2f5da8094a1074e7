# SPDX-License-Identifier: GPL-3.0-or-later
# Turns proofs/statements*.v into experiments/verify/theorems.c; the convention is in the head of
# proofs/statements.v.  Every line of claims is followed by its Check.
BEGIN {
    print "/* Made by experiments/verify/theorems.awk from proofs/statements*.v: edit those. */"
    print "#include \"attest/experiments/verify/theorems.h\"\n"
    print "const at_theorem at_theorems[] = {"
}
/^\(\* claim: / {
    sub(/^\(\* claim: */, ""); sub(/ *\*\)$/, "")
    ids = ids " " $0
    next
}
/^Check \([a-z0-9_]+\.[A-Za-z0-9_]+/ && ids != "" {
    name = $2
    sub(/^\(/, "", name)
    file = name; sub(/\..*/, "", file)
    sub(/^[^.]*\./, "", name)
    count = split(ids, claims, " ")
    for (k = 1; k <= count; k++) {
        printf "    { \"%s\", \"proofs/%s.v\", \"%s\" },\n", claims[k], file, name
        total++
    }
    ids = ""
}
END {
    if (ids != "") { print "theorems.awk: no Check follows the claims" ids > "/dev/stderr"; exit 1 }
    print "    { \"\", \"\", \"\" }\n};\nconst size_t at_theorem_count = " total + 0 ";"
}
