# SPDX-License-Identifier: GPL-3.0-or-later
# Turns gnuplot scripts into plots/scripts.c: awk -f embed.awk FILE.gp...
# Letter by letter: the replacement text of gsub treats backslashes differently from awk to awk.
function quoted(text,    k, letter, result) {
    for (k = 1; k <= length(text); k++) {
        letter = substr(text, k, 1)
        result = result (letter == "\\" || letter == "\"" ? "\\" : "") letter
    }
    return result
}
BEGIN {
    print "/* Made by plots/embed.awk from the .gp files beside it: edit those. */"
    print "#include <stddef.h>\n#include \"attest/plots/scripts.h\"\n"
}
FNR == 1 {
    if (count) print "    NULL\n};\n"
    name = FILENAME
    sub(/.*\//, "", name); sub(/\.gp$/, "", name)
    names[++count] = name
    symbol = name; gsub(/[^A-Za-z0-9]/, "_", symbol)
    symbols[count] = symbol
    printf "static const char *const script_%s[] = {\n", symbol
}
/^#/ && !/^#!/ && FNR <= 2 && /SPDX/ { next }
{
    printf "    \"%s\\n\",\n", quoted($0)
}
END {
    if (count) print "    NULL\n};\n"
    print "const at_script at_scripts[] = {"
    for (k = 1; k <= count; k++) printf "    { \"%s\", script_%s },\n", names[k], symbols[k]
    print "    { NULL, NULL }\n};"
}
