#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# attest plot: every figure from a small table; each redrawable by gnuplot alone; failures said.
set -u
[ -n "${GNUPLOT-}" ] || { echo "skipped: gnuplot is not installed"; exit 77; }
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL: $*"; cat "$work/stderr" 2>/dev/null; exit 1; }
run=$work/run
mkdir "$run"

awk -v d="$run" 'BEGIN { OFS = "\t"
    print "panel", "function", "n", "encoding", "floor", "error_constants", "error_random" > (d "/gaps.tsv")
    split("none t5 urpe learned", e, " ")
    for (p = 1; p <= 2; p++) for (n = 2; n <= 8; n++) for (k = 1; k <= 4; k++)
        print p, p == 1 ? "position" : "i*x[1] - i*x[1]^3", n, e[k], (n - 1) / 2, k < 3 ? n : 1e-5, 1 > (d "/gaps.tsv")
    print "step", "loss_nats", "accuracy_random", "accuracy_constant", "nontrivial_random",
        "nontrivial_constant", "loss_random_nats", "loss_constant_nats" > (d "/metrics.tsv")
    for (s = 0; s <= 50; s++) print s, 3 - s / 50, s / 60, s / 70, s / 60, s / 70, 3, 3.5 > (d "/metrics.tsv")
    print "loss_floor_constant", "accuracy_ceiling_constant", "accuracy_ceiling_random" > (d "/bounds.tsv")
    print 3.46, 0.03, 0.99 > (d "/bounds.tsv")
    print "panel", "table", "head", "offset", "value" > (d "/encoding-tables.tsv")
    for (p = 1; p <= 2; p++) for (h = 1; h <= 2; h++) for (k = -7; k <= 7; k++)
        print p, p == 1 ? "b" : "c", h, k, p - 1 + k * h / 50 > (d "/encoding-tables.tsv")
    print "curve", "position", "token", "target", "output", "encoding", "floor", "witness" > (d "/constants.tsv")
    for (c = 1; c <= 3; c++) for (t = 0; t <= 10; t++)
        print c, c, t / 10, c * t / 10, t / 5, "rope", 1, 1 > (d "/constants.tsv")
    print "curve", "variant", "layer", "mean", "q1", "median", "q3" > (d "/energy.tsv")
    for (c = 1; c <= 2; c++) for (l = 0; l <= 12; l++) print c, "v" c, l, -l * c, -l * c - 1, -l * c, -l * c + 1 > (d "/energy.tsv")
    print "document", "tokens", "steps", "descending", "rising", "tied", "undecided", "certified" > (d "/documents.tsv")
    for (i = 1; i <= 20; i++) print i, 9, 12, 10, 1, 1, 0, 12 > (d "/documents.tsv")
    print "curve", "label", "half_step", "log_excess", "energy", "to_f", "to_h", "rise", "cycle_rise", "sure_to_descend" > (d "/alternation.tsv")
    for (c = 1; c <= 2; c++) for (t = 0; t <= 200; t++)
        print c, "rate " c, t, 0.02 + 3 / (1 + t * t) + t % 2 / 100, 1, 1, 1, t % 2, 0, 1 > (d "/alternation.tsv")
    print "panel", "measure", "position", "encoding", "mean", "low", "high", "ceiling" > (d "/bars.tsv")
    split("none t5 urpe", e, " ")
    for (p = 1; p <= 2; p++) for (k = 1; k <= 3; k++)
        print p, p == 1 ? "random" : "constant", k, e[k], k / 4, k / 4 - 0.1, k / 4 + 0.1, k < 3 ? 0.5 : 1 > (d "/bars.tsv")
}' 2>"$work/stderr" </dev/null || fail "awk"

"$ATTEST" plot "$run" >"$work/stdout" 2>"$work/stderr" || fail "plot ended with status $?"
for figure in gaps training constants encoding-tables energy certificates alternation bars; do
    grep -q "/$figure\$" "$work/stdout" || fail "$figure is not among what was drawn"
    tail -c 10 "$run/$figure.svg" | grep -q '</svg>' || fail "$figure.svg does not end"
    rm "$run/$figure.svg"
    (cd "$run" && "$GNUPLOT" "$figure.gp") 2>"$work/stderr" || fail "gnuplot $figure.gp alone"
    [ -s "$run/$figure.svg" ] || fail "gnuplot $figure.gp left no drawing"
done
grep -q 'rings: half-steps that rise' "$run/alternation.svg" || fail "alternation: its rings are not explained"
grep -qi "<use .*color='#ffffff'" "$run/bars.svg" && fail "bars: dots on their tops"
grep -q 'encoding rope' "$run/constants.svg" || fail "constants: the encoding is not in the title"
grep -q '2 × floor = 2' "$run/constants.svg" || fail "constants: the floor is not in the legend"
grep -q 'i\*x\[1\] - i\*x\[1\]^3' "$run/gaps.svg" || fail "the formula is not on its panel"

"$ATTEST" plot --figure energy --terminal dumb "$run" >"$work/stdout" 2>"$work/stderr" || fail "dumb: status $?"
[ "$(wc -l <"$work/stdout")" -gt 20 ] || fail "the terminal dumb drew nothing"

# In characters every figure fits the terminal, and its legend says which character is which.
for size in '80 24' '120 40' '40 10'; do
    COLUMNS=${size% *} LINES=${size#* } "$ATTEST" plot --terminal dumb "$run" >"$work/stdout" 2>"$work/stderr" ||
        fail "dumb at $size: status $?"
    for legend in 'A none' 'D APE' '-+- floor' '[*] training' '# constant' '[$] random' '[*] i = 1' '# + above'; do
        grep -q -e "$legend" "$work/stdout" || fail "dumb at $size: no legend '$legend'"
    done
    [ "$size" = '40 10' ] || [ "$(LC_ALL=C.UTF-8 wc -L <"$work/stdout")" -le "${size% *}" ] ||
        fail "dumb at $size: wider than the terminal"
done
grep -q '■ training' "$run/training.svg" || fail "training: the legend has no colour"

# What a run lacks stands on its figures, until it is made up for.
printf 'what\tdone\texpected\ncells\t10\t56\n' >"$run/incomplete.tsv"
"$ATTEST" plot "$run" >"$work/stdout" 2>"$work/stderr" || fail "plot of an incomplete run: status $?"
for figure in gaps training constants encoding-tables energy certificates alternation bars; do
    grep -q 'only 10 of 56 cells' "$run/$figure.svg" || fail "$figure hides that cells are missing"
done
rm "$run/incomplete.tsv"
"$ATTEST" plot "$run" >"$work/stdout" 2>"$work/stderr" || fail "plot: status $?"
grep -l 'only 10' "$run"/*.svg && fail "a figure of a whole run says that it is not"

# --out: the run is only read, its tables go along, and its name parts it from others.
chmod a-w "$run"
before=$(ls -l "$run")
"$ATTEST" plot --figure training --out "$work/drawn" "$run" >"$work/stdout" 2>"$work/stderr" || fail "--out: status $?"
[ "$(cat "$work/stdout")" = "$work/drawn/training" ] || fail "--out: not what was drawn: $(cat "$work/stdout")"
[ "$(cd "$work/drawn" && echo *)" = 'bounds.tsv config.json metrics.tsv output.json training.gp training.svg' ] ||
    fail "--out left $(ls "$work/drawn")"
(cd "$work/drawn" && rm training.svg && "$GNUPLOT" training.gp && [ -s training.svg ]) || fail "--out: not redrawable"
[ "$(ls -l "$run")" = "$before" ] || fail "--out changed the run"
chmod u+w "$run"
"$ATTEST" plot --figure training --out "$work/drawn" "$run" >"$work/stdout" 2>"$work/stderr"
[ $? = 2 ] || fail "--out took a folder with another run"
mkdir "$work/other" && cp "$run"/*.tsv "$work/other"
"$ATTEST" plot --figure energy --out "$work/drawn" --force "$run" "$work/other" >"$work/stdout" 2>"$work/stderr" ||
    fail "--out of two runs: status $?"
[ -s "$work/drawn/run/energy.svg" ] && [ -s "$work/drawn/other/energy.svg" ] || fail "--out of two runs: $(ls "$work/drawn")"
rm -r "$work/drawn"
"$ATTEST" plot --out "$work/drawn" "$run" >"$work/stdout" 2>"$work/stderr" || fail "--out of all figures: status $?"
for figure in gaps training constants encoding-tables energy certificates alternation bars; do
    [ -s "$work/drawn/$figure.svg" ] || fail "--out of all figures: no $figure"
done
for folder in "$run" "$work" /; do
    "$ATTEST" plot --out "$folder" --force "$run" >"$work/stdout" 2>"$work/stderr"
    [ $? = 2 ] && grep -q 'which is read' "$work/stderr" || fail "--out $folder --force would remove the run"
done
"$ATTEST" plot --out "$work/two" "$run" "$run/." >"$work/stdout" 2>"$work/stderr"
[ $? = 2 ] && grep -q 'two runs are called run' "$work/stderr" || fail "--out: two runs of one name"

# Standard output that takes nothing is a failure; the drawing leaves no file behind.
if [ -c /dev/full ]; then
    "$ATTEST" plot --figure energy --terminal dumb "$run" >/dev/full 2>"$work/stderr"
    [ $? = 4 ] || fail "dumb on a full disk: not status 4"
fi
"$ATTEST" plot --figure energy --terminal dumb "$run" | head -n 1 >/dev/null
find "$run" -name '.*' -type f | grep . && fail "a drawing of characters was left"
"$ATTEST" plot --terminal dumb --json "$run" >"$work/stdout" 2>"$work/stderr"
[ $? = 2 ] || fail "dumb and --json both on standard output"

# A gnuplot that fails and says nothing.
mkdir "$work/bin"
printf '#!/bin/sh\nexit 3\n' >"$work/bin/gnuplot"
chmod +x "$work/bin/gnuplot"
PATH=$work/bin:$PATH "$ATTEST" plot --figure energy "$run" >"$work/stdout" 2>"$work/stderr"
[ $? = 4 ] || fail "a gnuplot that fails: not status 4"
grep -q 'status 3): it gave no reason' "$work/stderr" || fail "a silent gnuplot: the reason is empty"

# A table that is none is bad input: the file and the line.
cp "$run/energy.tsv" "$work/energy.tsv"
for table in '' '\n' 'garbage' 'curve\tvariant\n' 'curve\tvariant\n1\n' 'curve\tvariant\n1\t\000\n'; do
    printf "$table" >"$run/energy.tsv"
    "$ATTEST" plot --figure energy "$run" >"$work/stdout" 2>"$work/stderr"
    [ $? = 3 ] || fail "the table '$table': not status 3"
    grep -q 'energy.tsv:' "$work/stderr" || fail "the table '$table': the file is not named"
done
grep -q 'energy.tsv:2: expected 2 columns' "$work/stderr" || fail "the line is not named"
cp "$work/energy.tsv" "$run/energy.tsv"

# A table without numbers is a failure, and the old drawing stays.
cp "$run/energy.svg" "$work/old.svg"
printf 'curve\tvariant\tlayer\tmean\tq1\tmedian\tq3\n1\tv\t0\tNaN\tNaN\tNaN\tNaN\n' >"$run/energy.tsv"
"$ATTEST" plot --figure energy "$run" >"$work/stdout" 2>"$work/stderr"
[ $? = 4 ] || fail "a figure without a single number was drawn"
cmp -s "$run/energy.svg" "$work/old.svg" || fail "the old drawing was not kept"
find "$run" -name '.*' -type f | grep . && fail "a temporary file was left"

# What gnuplot says beside a whole drawing is no failure; a drawing that is not there is.
cp "$work/energy.tsv" "$run/energy.tsv"
real=$(command -v gnuplot)
printf '#!/bin/sh\necho "warning: the fonts" >&2\nexec %s "$@"\n' "$real" >"$work/bin/gnuplot"
PATH=$work/bin:$PATH "$ATTEST" plot --figure energy "$run" >"$work/stdout" 2>"$work/stderr" ||
    fail "a warning of gnuplot's fails a figure"
printf '#!/bin/sh\necho "warning: nothing" >&2\n' >"$work/bin/gnuplot"
PATH=$work/bin:$PATH "$ATTEST" plot --figure energy "$run" >"$work/stdout" 2>"$work/stderr"
[ $? = 4 ] || fail "a drawing that is not there: not status 4"
grep -q 'unwritten: warning: nothing' "$work/stderr" || fail "a drawing that is not there is not said"

# An empty environment; and labels of ASCII alone, where no locale has others.
env -i PATH="$PATH" "$ATTEST" plot "$run" >"$work/stdout" 2>"$work/stderr" || fail "an empty environment"
cp -r "$run" "$work/ascii"
for script in "$work"/ascii/*.gp; do
    (cd "$work/ascii" && env -i PATH="$PATH" LC_ALL=C "$real" --default-settings \
        -e "ascii = 1; output = 'ascii.svg'" "${script##*/}") 2>"$work/stderr" ||
        fail "$script in ASCII"
    LC_ALL=C grep '[^ -~[:cntrl:]]' "$work/ascii/ascii.svg" && fail "$script: a label beyond ASCII"
done

# Without gnuplot: status 4 and the package's name.
PATH=/nonexistent "$ATTEST" plot --figure gaps "$run" >"$work/stdout" 2>"$work/stderr"
[ $? = 4 ] || fail "no gnuplot: not status 4"
grep -q gnuplot-nox "$work/stderr" || fail "no gnuplot: the package is not named"

# Folders: one without tables is bad input, one that is not there wrong usage; all mistakes at once.
mkdir "$work/empty"
"$ATTEST" plot "$work/empty" >"$work/stdout" 2>"$work/stderr"
[ $? = 3 ] || fail "a folder without tables: not status 3"
"$ATTEST" plot "$work/none" >"$work/stdout" 2>"$work/stderr"
[ $? = 3 ] || fail "a folder that is not there: not status 3"
"$ATTEST" plot "$work/none" --terminal sgv --wrong >"$work/stdout" 2>"$work/stderr"
[ $? = 2 ] || fail "wrong usage: not status 2"
[ "$(wc -l <"$work/stderr")" = 3 ] || fail "not all three mistakes were named"
grep -q "did you mean 'svg'" "$work/stderr" || fail "the nearest terminal was not suggested"
exit 0
