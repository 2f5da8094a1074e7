# SPDX-License-Identifier: GPL-3.0-or-later
# Each layer with each rho: the share of steps that rise, and what the theorem says.
data = 'layers.tsv'
# Before there are ranges, which would leave points out.
stats data using 11 nooutput
undecided = STATS_sum
stats data using 1 nooutput
rows = int(STATS_max)
set xrange [0:100]
set yrange [rows + 0.7:0.3]
set xlabel 'share of steps (%)' offset -18,0
set ytics font ',9'
unset grid
set boxwidth 0.8
set style fill solid 0.85 noborder
set lmargin at screen 0.3
set rmargin at screen 0.98
set bmargin at screen 0.09
set tmargin at screen 0.98
set key at screen 0.98, screen 0.005 right bottom horizontal maxrows 1 samplen 1 width 1
n(x) = x / column(7) * 100
plot data using (0):1:(0):(n($8)):($1 - 0.4):($1 + 0.4):ytic(strcol(2).(strcol(4) eq 'descends' ? ' (proved)' : '')) \
         with boxxyerror ls 1 title 'descending', \
     data using (0):1:(n($8)):(n($8 + $10)):($1 - 0.4):($1 + 0.4) with boxxyerror ls 5 title 'tied', \
     data using (0):1:(n($8 + $10)):(undecided > 0 ? n($8 + $10 + $11) : n($8 + $10)):($1 - 0.4):($1 + 0.4) with boxxyerror ls 4 title (undecided > 0 ? 'undecided' : ''), \
     data using (0):1:(n($8 + $10 + $11)):(100):($1 - 0.4):($1 + 0.4) with boxxyerror ls 2 title 'rising'
unset output
