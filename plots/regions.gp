# SPDX-License-Identifier: GPL-3.0-or-later
# Where a half-step is sure to descend: the shaded points, bounded by a circle of Apollonius.
data = 'regions.tsv'
points = 'regions-points.tsv'
array label[2]
do for [p=1:2] { stats data using ($1 == p ? (label[p] = strcol(2), 0) : 1/0) nooutput }
set multiplot layout 1, 2 margins 0.07, 0.98, 0.14, 0.9 spacing 0.09, 0.1
set xrange [-3.5:3.5]
set yrange [-3.5:3.5]
set size ratio -1
set key off
set style fill transparent solid 0.35 noborder
set xlabel 'y_1'
set ylabel 'y_2'
do for [p=1:2] {
    set title label[p]
    plot data using ($1 == p ? $3 : 1/0):5:3:4:5:6 with boxxyerror fc rgb '#56b4e9', \
         points using ($1 == p && strcol(3) eq 'circle' ? $4 : 1/0):5:6 with circles fs empty border lc rgb '#000000' lw 1.2, \
         points using ($1 == p && strcol(3) ne 'circle' ? $4 : 1/0):5 with points ls 2 ps 1.2, \
         points using ($1 == p && strcol(3) ne 'circle' ? $4 : 1/0):5:3 with labels left offset 0.8,0.6 noenhanced
}
unset multiplot
unset output
