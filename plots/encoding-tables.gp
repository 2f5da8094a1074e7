# SPDX-License-Identifier: GPL-3.0-or-later
# The learned tables B and C: a row a head, a column an offset i − j.
data = 'encoding-tables.tsv'
stats data using 1 nooutput
panels = int(STATS_max)
stats data using 4 nooutput
lowest = STATS_min - 0.5
highest = STATS_max + 0.5
stats data using 3 nooutput
heads = STATS_max
array lowest_of[panels]
array highest_of[panels]
do for [p=1:panels] {
    stats data using ($1 == p ? $5 : 1/0) nooutput
    lowest_of[p] = STATS_min
    highest_of[p] = STATS_max
}
set multiplot layout panels, 1 margins 0.08, 0.88, 0.14, 0.92 spacing 0.1, 0.2
set palette defined (0 '#2166ac', 1 '#92c5de', 2 '#f7f7f7', 3 '#f4a582', 4 '#b2182b')
set xlabel 'offset i '.minus.' j' offset 0,0.5
set ylabel 'head' offset 1
set ytics heads > 12 ? 4 : 1
set xrange [lowest:highest]
set yrange [heads + 0.5:0.5]
unset grid
set style fill solid 1 noborder
set key off
mark(z) = z > 0.6 ? '#' : z > 0.2 ? '+' : z > -0.2 ? '.' : z > -0.6 ? '-' : '='
array title_of[2] = ['B, added to the logits', 'C, multiplied after the softmax']
do for [p=1:panels] {
    set title title_of[p] offset 0,-0.6
    centre = p == 1 ? 0 : 1
    reach = (abs(highest_of[p] - centre) > abs(lowest_of[p] - centre)) ? abs(highest_of[p] - centre) : abs(lowest_of[p] - centre)
    if (reach == 0) { reach = 1 }
    set cbrange [centre - reach:centre + reach]
    if (terminal eq 'dumb') {
        # a terminal of characters draws no image: a mark for each fifth of the range
        set title sprintf('%s (# + above %g, - = below, by up to %.2g)', title_of[p], centre, reach)
        plot data using ($1 == p ? $4 : 1/0):3:(mark(($5 - centre)/reach)) with labels
    } else {
        plot data using ($1 == p ? $4 : 1/0):3:5 with image pixels
    }
}
unset multiplot
unset output
