# SPDX-License-Identifier: GPL-3.0-or-later
# The energy across the layers: a box a layer over the documents, a panel a variant, with the
# share of its steps that do not rise.
data = 'panels.tsv'
counts = 'panels-steps.tsv'
stats data using 1 nooutput
panels = int(STATS_max)
stats data using 3 nooutput
layers = STATS_max
array label[panels]
array share[panels]
array rises[panels]
array high[panels]
array low[panels]
do for [p=1:panels] {
    stats data using ($1 == p ? (label[p] = strcol(2), 0) : 1/0) nooutput
    stats counts using ($1 == p ? (share[p] = 100.0 * $8 / $7, rises[p] = $9, 0) : 1/0) nooutput
    stats data using ($1 == p ? $8 : 1/0) nooutput
    high[p] = STATS_max
    stats data using ($1 == p ? $4 : 1/0) nooutput
    low[p] = STATS_min
}
made_up = 0
do for [p=1:panels] {
    cut = strstrt(label[p], ' [made-up]')
    if (cut > 0) { made_up = 1; label[p] = substr(label[p], 1, cut - 1) }
}
if (made_up) { set label 1 'made-up documents' at screen 0.985, screen 0.97 right textcolor rgb '#666666' }
rows = int(ceil(panels / 4.0))
set multiplot layout rows, 4 margins 0.08, 0.985, 0.1, 0.87 spacing 0.06, 0.19
set key off
set xrange [-0.7:layers + 0.7]
set xtics 4
set boxwidth 0.6
set style fill transparent solid 0.4 border
do for [p=1:panels] {
    # 20k: long numbers would run into the next panel, and 1200 is no 1k
    set format y (high[p] - low[p] < 8000 ? '%g' : '%.0s%c')
    name = label[p]
    if (chars && strstrt(name, ' (proved)') > 0) { name = substr(name, 1, strstrt(name, ' (proved)') - 1) }
    if (chars && strstrt(name, 'control: ') == 1) { name = substr(name, 10, strlen(name)) }
    set title sprintf(chars ? "%s\n%.0f %%, %d rise" : "%s\n%.0f %% descend, %d rise", name, share[p], rises[p]) font ',10' offset 0,chars ? 0 : -0.5
    if (p > panels - 4) { set xlabel 'layer' } else { unset xlabel }
    if (p % 4 == 1) { set ylabel 'energy' offset 1.5 } else { unset ylabel }
    plot data using ($1 == p ? $3 : 1/0):5:4:8:7 with candlesticks ls (rises[p] > 0 ? 2 : 1) lw 1 whiskerbars 0.5, \
         data using ($1 == p ? $3 : 1/0):6:6:6:6 with candlesticks lc rgb '#000000' lw 1.5, \
         data using ($1 == p ? $3 : 1/0):9 with lines ls 3 lw 1
}
unset multiplot
unset output
