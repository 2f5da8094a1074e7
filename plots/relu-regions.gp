# SPDX-License-Identifier: GPL-3.0-or-later
# Where a step with ReLU is sure to descend by the factor 1 − κ: the shaded points.
data = 'relu-regions.tsv'
array label[4]
do for [p=1:4] { stats data using ($1 == p ? (label[p] = strcol(2), 0) : 1/0) nooutput }
set multiplot layout 1, 4 margins 0.06, 0.985, 0.2, 0.86 spacing 0.05, 0.1
set xrange [-5:5]
set yrange [-5:5]
set xtics 5
set ytics 5
if (!chars) { set size ratio -1 }
set key off
set style fill transparent solid 0.35 noborder
set xlabel 'x_1'
set ylabel 'x_2'
do for [p=1:4] {
    set title label[p]
    if (p > 1) { unset ylabel }
    plot data using ($1 == p ? $3 : 1/0):5:3:4:5:6 with boxxyerror fc rgb '#56b4e9'
}
unset multiplot
unset output
