# SPDX-License-Identifier: GPL-3.0-or-later
# Attention weight against the distance of two tokens, for each rho, relative to the weight of itself.
data = 'rho.tsv'
stats data using 1 nooutput
curves = int(STATS_max)
array label[curves]
do for [c=1:curves] { stats data using ($1 == c ? (label[c] = strcol(2), 0) : 1/0) nooutput }
set xlabel 'distance of two tokens'
set ylabel 'weight, relative to distance 0'
set xrange [0:12]
set yrange [1e-6:1.3]
set logscale y
set format y '%.0e'
plot for [c=1:curves] data using ($1 == c ? $3 : 1/0):5 with lines ls c title label[c]
unset output
