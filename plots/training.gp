# SPDX-License-Identifier: GPL-3.0-or-later
# Loss and accuracy while a model is fitted, with the certified floor and ceiling for constants.
data = 'metrics.tsv'
bounds = 'bounds.tsv'
floor = NaN
ceiling = NaN
stats bounds using (floor = $1, ceiling = $2, 0) nooutput
stats data using 1 nooutput
last = STATS_max
set multiplot layout 1, 2 margins 0.09, 0.97, 0.22, 0.92 spacing 0.12, 0.1
set xlabel 'step'
set xrange [0:last]
set yrange [0:*]
set key at screen 0.5, screen 0.02 center bottom horizontal noreverse samplen 2
set title 'loss (nats)'
plot data using 1:2 with lines ls 1 title 'training loss', \
     (floor == floor ? floor : 1/0) with lines ls 20 title 'certified bound on constants, if collapsing'
unset key
set title 'accuracy'
set yrange [0:1.05]
set key at screen 0.5, screen 0.075 center bottom horizontal noreverse samplen 2
plot data using 1:3 with lines ls 3 title 'on random sequences', \
     data using 1:4 with lines ls 2 title 'on constant sequences', \
     (ceiling == ceiling ? ceiling : 1/0) with lines ls 20 notitle
unset multiplot
unset output
