# SPDX-License-Identifier: GPL-3.0-or-later
# Error on constants against width and depth, means over what else varies: the certified floor does not
# move.
data = 'size.tsv'
stats data using 1 nooutput
first = int(STATS_min)
last = int(STATS_max)
array title_of[2] = ['width d', 'layers']
array shown[4] = ['none', 't5', 'urpe', 'learned']
array label[4] = ['none', 'RPE (t5)', 'URPE', 'APE (learned)']
present = ''
do for [e=1:4] {
    count = 0
    stats data using (count = count + (strcol(4) eq shown[e]), $1) nooutput
    if (count > 0) { present = present.sprintf(' %d', e) }
}
set multiplot layout 1, last - first + 1 margins 0.1, 0.98, 0.2, 0.92 spacing 0.1, 0.1
set logscale y
set format y '%.0e'
set xtics 1
set key off
if (!chars) { set ylabel 'largest error on constants' offset 0.5 }
do for [word in present] { e = int(word); set label e dot(e).' '.label[e] at screen 0.19 * e - 0.13, screen 0.04 textcolor ls e }
set label 9 bound.' certified floor' at screen 0.98, screen 0.04 right
do for [p=first:last] {
    set title chars ? 'largest error on constants, by '.title_of[p] : title_of[p]
    set xlabel title_of[p] offset 0,0.4
    plot for [word in present] data \
             using (($1 == p && strcol(4) eq shown[int(word)]) ? $3 : 1/0):($6 > 1e-12 ? $6 : 1e-12) \
             smooth unique with linespoints ls int(word), \
         data using ($1 == p && $5 > 0 ? $3 : 1/0):5 smooth unique with lines ls 20
    do for [k=1:9] { unset label k }
}
unset multiplot
unset output
