# SPDX-License-Identifier: GPL-3.0-or-later
# Accuracies by encoding, as on the poster: a bar the mean over the seeds, a line their spread.
data = 'bars.tsv'
stats data using 1 nooutput
panels = int(STATS_max)
stats data using 3 nooutput
most = int(STATS_max)
array name_of[panels]
array encoding_of[most]
do for [k=1:most] { stats data using ($3 == k ? (encoding_of[k] = strcol(4), 0) : 1/0) nooutput }
do for [p=1:panels] { stats data using ($1 == p ? (name_of[p] = strcol(2), 0) : 1/0) nooutput }
set multiplot layout 1, panels margins 0.08, 0.98, most > 8 ? 0.36 : 0.27, 0.92 spacing 0.07, 0.1
set yrange [0:1.05]
set xrange [0.4:most + 0.6]
if (most > 8) { set xtics rotate by 90 right () } else { set xtics rotate by -35 offset -1,0 () }
do for [k=1:most] { set xtics add (label_of(encoding_of[k]) k) }
set key off
set boxwidth 0.7
set style fill solid 0.85 noborder
set label 1 bound.' at most this by theorem (on random sequences: in expectation)' at screen 0.98, screen 0.03 right
# Of a ceiling; above the frame where there is none, so that a panel without one is no failure.
height_of(text) = text eq 'nan' || text eq 'NaN' || text eq 'ceiling' ? 9 : text + 0
do for [p=1:panels] {
    set title name_of[p] noenhanced
    if (p == 1) { set ylabel 'accuracy' offset 1 } else { unset ylabel }
    plot data using ($1 == p ? $3 : 1/0):5 with boxes ls 1, \
         data using ($1 == p ? $3 : 1/0):6:(0):($7 - $6) with vectors heads size screen 0.006, 90 ls 21, \
         data using ($1 == p ? $3 - 0.45 : 1/0):(height_of(strcol(8))):(0.9):(0) with vectors nohead ls 20
    unset label 1
}
unset multiplot
unset output
