# SPDX-License-Identifier: GPL-3.0-or-later
# Loss and accuracy while a model is fitted, with the certified floor and ceiling for constants.
data = 'metrics.tsv'
bounds = 'bounds.tsv'
floor = NaN
ceiling = NaN
stats bounds using (floor = $1, ceiling = $2, 0) nooutput
stats data using 1 nooutput
last = STATS_max > 0 ? STATS_max : 1
set multiplot layout 1, 2 margins 0.09, 0.97, 0.2, 0.93 spacing 0.12, 0.1
set xlabel 'step'
set xrange [0:last]
set yrange [0:*]
set key off
# Five steps or so, of 1, 2 or 5 times a power of ten.
power = last < 4 ? 1 : 10 ** floor(log10(last / 4.0))
times = last / 4.0 / power
set xtics power * (times >= 5 ? 5 : times >= 2 ? 2 : 1)
set format x '%.0f'
set label 1 stroke(1).' training' at screen 0.09, screen 0.05 textcolor ls 1
set label 2 stroke(3).' random' at screen 0.25, screen 0.05 textcolor ls 3
set label 3 stroke(2).' constant' at screen 0.39, screen 0.05 textcolor ls 2
set label 4 bound.(chars ? ' bound on constants' : ' bound of collapsing models on constants') at screen 0.985, screen 0.05 right
# A model that is sure of a wrong answer has a large loss on constants: the floor stays readable.
stats data using 2 name 'L' nooutput
top = floor == floor && floor > L_max ? floor : L_max
set yrange [0:1.5 * top]
set title 'loss (nats)'
plot data using 1:8 with lines ls 2 title 'constant', \
     data using 1:2 with lines ls 1 title 'training', \
     (floor == floor ? floor : 1/0) with lines ls 20 title 'floor on constants'
do for [l=1:4] { unset label l }
set title 'accuracy'
set yrange [0:1.05]
plot data using 1:3 with lines ls 3 title 'random', \
     data using 1:4 with lines ls 2 title 'constant', \
     (ceiling == ceiling ? ceiling : 1/0) with lines ls 20 title 'ceiling on constants'
unset multiplot
unset output
