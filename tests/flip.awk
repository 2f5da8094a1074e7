# SPDX-License-Identifier: GPL-3.0-or-later
# Of the lemmas of `attest verify --coq` makes their opposites, each of which its tactic must refuse:
# < becomes >, > becomes <, = and <> each other, and what is equal becomes 1 less.
function opposite(statement,    depth, k, letter, left, right, sign) {
    for (k = 1; k <= length(statement); k++) {
        letter = substr(statement, k, 1)
        depth += (letter == "(") - (letter == ")")
        if (depth == 0 && match(substr(statement, k), /^ (<|>|=|<=|>=|<>) /)) {
            sign = substr(statement, k + 1, RLENGTH - 2)
            left = substr(statement, 1, k - 1)
            right = substr(statement, k + RLENGTH)
        }
    }
    if (sign == "") { print "no relation: " statement > "/dev/stderr"; exit 1 }
    if (sign == "<>") return left " = " right
    if (sign == "=") return left " = (" right ") - 1"
    return left (sign ~ /^</ ? " > " : " < ") right
}
/^Lemma [a-z]+_.*_(relation|rows|sums)_[0-9_]+ : / {
    statement = $0
    sub(/^Lemma [A-Za-z0-9_]+ : /, "", statement)
    sub(/\.$/, "", statement)
    getline tactic
    sub(/^Proof\. /, "", tactic); sub(/\. *Qed\.$/, "", tactic)
    gsub(/\. /, "; ", tactic)
    if (statement ~ / <> /)
        tactic = "equal"
    else if (statement !~ / [<>]=? /)       # joined by ";" the tactic still proves what is true
        print "Goal " statement ".\nProof. (" tactic "). Qed."
    print "Goal " opposite(statement) ".\nFail (" tactic ").\nAbort."
    flipped++
    next
}
{ print }
END { print "(* " flipped + 0 " *)" }
