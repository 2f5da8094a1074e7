# SPDX-License-Identifier: GPL-3.0-or-later
# The manual page of a command, from what the program says of itself and what doc/man/ adds:
#     attest fit --describe | awk -v name=fit -v version=0.1.0 -v date=2026-11-30 \
#         -v names="fit sweep" -v added=doc/man/fit.roff -f doc/man/page.awk
# names: the commands of SEE ALSO.  Names, options and examples come from the program, so they cannot disagree with it.  The added
# file begins with paragraphs for DESCRIPTION and goes on with sections, which come after OPTIONS.
BEGIN { FS = "\t" }

function escape(text)
{
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    gsub(/'/, "\\(aq", text)
    gsub(/`/, "\\(ga", text)
    gsub(/\^/, "\\(ha", text)
    gsub(/~/, "\\(ti", text)
    return text ~ /^[.]/ ? "\\&" text : text
}

$1 == "command" { arguments = $3 }
$1 == "brief" { brief = $2 }
$1 == "summary" { summary = $2 }
$1 == "option" {
    value = $4 != "" ? "\\fI" escape($4) "\\fR" : ""
    tag = ""
    if ($2 != "")
        tag = "\\fB\\-" $2 "\\fR" ($3 == "" && value != "" ? " " value : "")
    if ($3 != "")
        tag = tag ($2 != "" ? ", " : "") "\\fB\\-\\-" escape($3) "\\fR" (value != "" ? "=" value : "")
    options = options ".TP\n" tag "\n" escape($7) ($7 ~ /[.]$/ ? "" : ".") "\n"
}
$1 == "example" { examples = examples (examples != "" ? ".PP\n" : "") ".RS 4\n.nf\n\\fB" escape($2) "\\fR\n.fi\n.RE\n" }

END {
    if (summary == "" || options == "" || examples == "") {
        print "page.awk: attest " name " --describe said too little" >"/dev/stderr"
        exit 1
    }
    printf ".\\\" Made by doc/man/page.awk.\n.\\\" SPDX-License-Identifier: GPL-3.0-or-later\n"
    printf ".TH ATTEST\\-%s 1 \"%s\" \"attest %s\" \"User Commands\"\n", toupper(name), date, version
    printf ".SH NAME\nattest\\-%s \\- %s\n", name, escape(brief)
    printf ".SH SYNOPSIS\n.B attest %s\n[\\fIOPTION\\fR]...", name
    gsub(/[A-Z]+/, "\\fI&\\fR", arguments)
    printf "%s\n", arguments != "" ? " " arguments : ""
    printf ".SH DESCRIPTION\n%s\n", escape(summary)
    while ((getline line <added) > 0) {
        if (line ~ /^\.\\"/)
            continue
        if (line ~ /^\.SH/ && !sections++)
            printf ".SH OPTIONS\n%s", options
        print line
        lines++
    }
    if (lines == 0 || sections == 0) {
        print "page.awk: " added " has no sections" >"/dev/stderr"
        exit 1
    }
    printf ".SH EXAMPLES\n%s", examples
    printf ".SH SEE ALSO\n.BR attest (1)"
    count = split(names, others, " ")
    for (k = 1; k <= count; k++)
        printf ",\n.BR attest\\-%s (1)", others[k]
    printf "\n"
}
