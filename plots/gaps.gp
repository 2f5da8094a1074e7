# SPDX-License-Identifier: GPL-3.0-or-later
# Fitted error on constant sequences (and, dotted, on random ones, which have no floor) against the
# certified floor, one panel a function.
data = 'gaps.tsv'
stats data using 1 nooutput
panels = int(STATS_max)
rows = panels > 1 ? int(ceil(panels / 2.0)) : 1
array name_of[panels]
do for [p=1:panels] { stats data using ($1 == p ? (name_of[p] = strcol(2), 0) : 1/0) nooutput }
set multiplot layout rows, panels > 1 ? 2 : 1 margins 0.11, 0.98, 0.17, 0.94 spacing 0.12, 0.15
set logscale y
set format y '%.0e'
set yrange [1e-9:100]
set ytics 1e-8, rows > 2 ? 1e4 : 100
stats data using 3 nooutput
set xtics STATS_max > 9 ? 2 : 1
set xrange [STATS_min:STATS_max]
if (!chars) { set xlabel 'n (tokens)' offset 0,0.6; set ylabel 'largest error' offset 0.5 }
set key off
array shown[4] = ['none', 't5', 'urpe', 'learned']
array label[4] = ['none', 'RPE (t5)', 'URPE', 'APE (learned)']
present = ''
do for [e=1:4] {
    count = 0
    stats data using (count = count + (strcol(4) eq shown[e]), $1) nooutput
    if (count > 0) { present = present.sprintf(' %d', e) }
}
do for [p=1:panels] {
    set title name_of[p].(chars ? ', largest error by n' : '') noenhanced offset 0,chars ? 0 : -0.6
    if (p == panels) {
        do for [word in present] { e = int(word); set label e dot(e).' '.label[e] at screen chars ? 0.07 + 0.18 * e : 0.10 + 0.15 * e, screen 0.03 center textcolor ls e }
        set label 5 bound.(chars ? ' floor' : ' certified floor') at screen 0.97, screen 0.03 right
        set label 6 chars ? 'lines: random' : 'dotted: on random' at screen 0.0, screen 0.03 left offset chars ? 0 : 2
    }
    if (chars) {
        # what is drawn later hides what was drawn before; no lines along the points, which are letters
        plot for [word in present] data \
                 using (($1 == p && strcol(4) eq shown[int(word)]) ? $3 : 1/0):($7 > 1e-9 ? $7 : 1e-9) \
                 with lines ls int(word), \
             data using ($1 == p ? $3 : 1/0):($5 > 0 ? $5 : 1e-30) smooth unique with lines ls 20, \
             for [word in present] data \
                 using (($1 == p && strcol(4) eq shown[int(word)]) ? $3 : 1/0):($6 > 1e-9 ? $6 : 1e-9) \
                 with points ls int(word)
    } else {
        plot for [word in present] data \
                 using (($1 == p && strcol(4) eq shown[int(word)]) ? $3 : 1/0):($6 > 1e-9 ? $6 : 1e-9) \
                 with linespoints ls int(word), \
             for [word in present] data \
                 using (($1 == p && strcol(4) eq shown[int(word)]) ? $3 : 1/0):($7 > 1e-9 ? $7 : 1e-9) \
                 with lines ls int(word) dt 3 lw 1, \
             data using ($1 == p ? $3 : 1/0):($5 > 0 ? $5 : 1e-30) smooth unique with lines ls 20
    }
}
unset multiplot
unset output
