# SPDX-License-Identifier: GPL-3.0-or-later
# What URPE adds to a training step of plain RPE, in time and in memory, against the length.
data = 'cost.tsv'
set multiplot layout 1, 2 margins 0.09, 0.98, 0.14, 0.92 spacing 0.11, 0.1
set key off
set logscale x 2
set xlabel 'n (tokens)' offset 0,0.4
set xtics ()
stats data using 1 nooutput
set xrange [STATS_min / 1.3:STATS_max * 1.3]
array column_of[2] = [4, 7]
array title_of[2] = ['processor time of a step', 'peak memory']
do for [p=1:2] {
    stats data using (100 * (column(column_of[p]) - 1)) nooutput
    reach = (abs(STATS_min) > abs(STATS_max) ? abs(STATS_min) : abs(STATS_max))
    reach = reach > 5 ? 1.3 * reach : 6.5
    set yrange [-reach:reach]
    set title title_of[p]
    if (p == 1) { set ylabel 'URPE over RPE (%)' offset 0.8 } else { unset ylabel }
    plot 0 with lines lc rgb '#888888' lw 1, \
         data using 1:(100 * (column(column_of[p]) - 1)):xtic(strcol(1)) with linespoints ls 1 ps 1, \
         data using 1:(100 * (column(column_of[p]) - 1)):(sprintf('%+.1f %%', 100 * (column(column_of[p]) - 1))) with labels offset 0,1.2
}
unset multiplot
unset output
