# SPDX-License-Identifier: GPL-3.0-or-later
# The sum of two energies under alternating gradient steps, above its least value.
data = 'alternation.tsv'
array label[2]
do for [c=1:2] { stats data using ($1 == c ? (label[c] = strcol(2), 0) : 1/0) nooutput }
set multiplot layout 1, 2 margins 0.08, 0.97, 0.23, 0.9 spacing 0.1, 0.1
set key outside bottom center horizontal maxrows 1 Left noreverse
if (chars) {
    set key off    # both names are too long for a row of characters
    do for [c=1:2] { set label c + 1 stroke(c).' '.label[c] at screen 0.08, screen 0.13 - 0.05 * c }
}
set xlabel 'half-step'
set ylabel 'log h '.minus.' min log h' offset 1.5
set yrange [0:3]
set xrange [0:200]
set title 'all of it'
plot for [c=1:2] data using ($1 == c ? $3 : 1/0):4 with lines ls c title label[c]
set label 1 chars ? 'F: half-steps that rise' : 'rings: half-steps that rise' at graph 0.97, graph 0.93 right
set title 'its last part, larger'
set yrange [0:0.06]
unset ylabel
set key off
plot for [c=1:2] data using ($1 == c ? $3 : 1/0):4 with lines ls c, \
     for [c=1:2] data using ($1 == c && $8 == 1 ? $3 : 1/0):4 with points ls c pt 6 ps 0.5
unset multiplot
unset output
