# SPDX-License-Identifier: GPL-3.0-or-later
# The path of alternating minimisation in the plane of its first two principal components.
data = 'alternation-plane.tsv'
array label[2]
array low_x[2]
array low_y[2]
do for [c=1:2] {
    stats data using ($1 == c ? (label[c] = strcol(2), 0) : 1/0) nooutput
    stats data using ($1 == c + 2 ? (low_x[c] = $4, low_y[c] = $5, 0) : 1/0) nooutput
}
set multiplot layout 1, 3 margins 0.08, 0.98, 0.16, 0.9 spacing 0.09, 0.1
set key off
set xtics 100
set xlabel 'first component'
set ylabel 'second component'
do for [c=1:2] {
    set title label[c]
    plot data using ($1 == c ? $4 : 1/0):5 with linespoints ls c lw 1 ps 0.3, \
         data using ($1 == c + 2 ? $4 : 1/0):5 with points ls 3 pt 3 ps 1.5
    unset ylabel
}
set title 'the first, at the minimiser'
stats data using ($1 == 1 && $3 >= 150 ? $4 : 1/0) nooutput
reach_x = STATS_max - STATS_min
stats data using ($1 == 1 && $3 >= 150 ? $5 : 1/0) nooutput
reach_y = STATS_max - STATS_min
reach = 1.5 * (reach_x > reach_y ? reach_x : reach_y)
set xrange [low_x[1] - reach:low_x[1] + reach]
set yrange [low_y[1] - reach:low_y[1] + reach]
set xtics reach
set ytics reach
set format '%.2g'
set label 1 star.' minimiser of h' at graph 0.05, graph 0.93 textcolor ls 3
plot data using ($1 == 1 ? $4 : 1/0):5 with linespoints ls 1 lw 1 ps 0.4, \
     data using ($1 == 3 ? $4 : 1/0):5 with points ls 3 pt 3 ps 1.5
unset multiplot
unset output
