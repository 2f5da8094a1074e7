# SPDX-License-Identifier: GPL-3.0-or-later
# A function and the model fitted to it, on constant sequences: a curve a position.
data = 'constants.tsv'
floor = 0
witness = 0
encoding = ''
stats data using 1 nooutput
curves = int(STATS_max)
array position[curves]
do for [c=1:curves] { stats data using ($1 == c ? (position[c] = $2, 0) : 1/0) nooutput }
stats data using (floor = $7, witness = $8, encoding = strcol(6), 0) nooutput
stats data using 3 name 'X' nooutput
stats data using 4 name 'F' nooutput
stats data using 5 name 'G' nooutput
least = F_min < G_min ? F_min : G_min
most = F_max > G_max ? F_max : G_max
margin = most > least ? 0.06 * (most - least) : 1
# The outputs that are furthest apart at the witness.
low = NaN
high = NaN
if (floor > 0) {
    stats data using (abs($3 - witness) <= 1e-8 * (1 + abs(witness)) ? $4 : 1/0) name 'W' nooutput
    low = W_min
    high = W_max
}
set multiplot layout 1, 2 margins 0.09, 0.98, 0.22, 0.92 spacing 0.08, 0.1
set key off
set xrange [X_min:X_max > X_min ? X_max : X_min + 1]
set yrange [least - margin:most + margin]
set xlabel 'the constant token t' offset 0,0.3
do for [c=1:curves] { set label c sprintf('%s i = %d', stroke(c), int(position[c])) at screen 0.09 + 0.1 * (c - 1), screen 0.04 textcolor ls c }
if (high == high) { set label 9 sprintf('%s 2 %s floor = %.4g', bound, times, 2 * floor) at screen 0.98, screen 0.04 right }
if (high == high) { set arrow 1 from witness, low to witness, high heads size screen 0.008, 90 ls 20 front }
set title 'the function: output i on (t, '.dots.', t)'
plot for [c=1:curves] data using ($1 == c ? $3 : 1/0):4 smooth unique with lines ls c
do for [k=1:9] { unset label k }
set title 'the fitted model, encoding '.encoding
plot for [c=1:curves] data using ($1 == c ? $3 : 1/0):5 smooth unique with lines ls c
unset multiplot
unset output
