# SPDX-License-Identifier: GPL-3.0-or-later
# Accuracy against the length of the sequences: random ones where the answer is not trivial, and
# constant ones with the ceiling of collapsing encodings.
data = 'window.tsv'
stats data using 1 nooutput
curves = int(STATS_max)
array name_of[curves]
do for [c=1:curves] { stats data using ($1 == c ? (name_of[c] = strcol(2), 0) : 1/0) nooutput }
set multiplot layout 1, 2 margins 0.08, 0.98, 0.22, 0.92 spacing 0.1, 0.1
set xlabel 'n (tokens)' offset 0,0.4
set ylabel 'accuracy' offset 1
stats data using 3 nooutput
set xtics STATS_max - STATS_min > 12 ? 4 : STATS_max - STATS_min > 6 ? 2 : 1
set yrange [0:1.05]
set key off
do for [c=1:curves] { set label c dot((c - 1) % 7 + 1).' '.label_of(name_of[c]) at screen 0.02 + 0.6 * (c - 1) / curves, screen 0.04 textcolor ls (c - 1) % 7 + 1 noenhanced }
set label curves + 1 bound.' ceiling on constants' at screen 0.98, screen 0.04 right
set title 'random sequences, non-trivial answers'
plot for [c=1:curves] data using ($1 == c ? $3 : 1/0):5 with linespoints ls (c - 1) % 7 + 1
do for [c=1:curves + 1] { unset label c }
unset ylabel
set title 'constant sequences, all answers'
plot for [c=1:curves] data using ($1 == c ? $3 : 1/0):6 with linespoints ls (c - 1) % 7 + 1, \
     data using ($1 == 1 ? $3 : 1/0):7 with lines ls 20
unset multiplot
unset output
