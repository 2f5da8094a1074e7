# SPDX-License-Identifier: GPL-3.0-or-later
# The energy over the layers: mean, median and the band between the quartiles of the documents.
data = 'energy.tsv'
stats data using 1 nooutput
curves = int(STATS_max)
stats data using 3 nooutput
layers = STATS_max
set xlabel 'layer'
set ylabel 'energy'
set xrange [0:layers]
# A long formula would leave no room for the key.
short(text) = strlen(text) > 54 ? substr(text, 1, 53).dots : text
array label[curves]
do for [c=1:curves] { stats data using ($1 == c ? (label[c] = short(strcol(2)), 0) : 1/0) nooutput }
plot for [c=1:curves] data using ($1 == c ? $3 : 1/0):5:7 with filledcurves fc ls c title label[c].', quartiles', \
     for [c=1:curves] data using ($1 == c ? $3 : 1/0):4 with linespoints ls c title label[c].', mean', \
     for [c=1:curves] data using ($1 == c ? $3 : 1/0):6 with lines ls c lw 1 dt 3 title label[c].', median'
unset output
