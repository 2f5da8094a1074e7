# SPDX-License-Identifier: GPL-3.0-or-later
# Fitted error on constant sequences against the certified floor, one panel a function.
data = 'gaps.tsv'
stats data using 1 nooutput
panels = int(STATS_max)
expected = panels * 4 * 7
found = int(STATS_records)
rows = panels > 1 ? int(ceil(panels / 2.0)) : 1
set multiplot layout rows, panels > 1 ? 2 : 1 margins 0.09, 0.98, 0.15, 0.92 spacing 0.10, 0.17
set logscale y
set format y '10^{%L}'
set format y '%.0e'
set yrange [1e-9:100]
set xlabel 'n (tokens)' offset 0,0.6
set ylabel 'largest error' offset 1.2
set key off
array shown[4] = ['none', 't5', 'urpe', 'learned']
array label[4] = ['none', 'RPE (t5)', 'URPE', 'APE (learned)']
do for [p=1:panels] {
    name = ''
    stats data using ($1 == p ? (name = strcol(2), 0) : 1/0) nooutput
    set title name noenhanced offset 0,-0.6
    if (p == panels) { set key at screen 0.5, screen 0.03 center bottom horizontal noreverse samplen 2 }
    plot for [e=1:4] data using (($1 == p && strcol(4) eq shown[e]) ? $3 : 1/0):($6 > 1e-9 ? $6 : 1e-9) \
             with linespoints ls e title label[e], \
         data using (($1 == p && $5 > 0) ? $3 : 1/0):5 smooth unique with lines ls 20 title 'certified floor'
}
unset multiplot
unset output
