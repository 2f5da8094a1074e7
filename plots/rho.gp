# SPDX-License-Identifier: GPL-3.0-or-later
# Left: attention weight against the distance of two tokens, for each rho, relative to the weight of
# the token itself.  Right: what each rho attends to on the documents, and what one layer leaves.
data = 'rho.tsv'
shares = 'rho-attention.tsv'
stats data using 1 nooutput
curves = int(STATS_max)
array label[curves]
do for [c=1:curves] { stats data using ($1 == c ? (label[c] = strcol(2), 0) : 1/0) nooutput }
made_up = 0
stats shares using (made_up = made_up + (strcol(9) eq 'made-up'), 0) nooutput
set multiplot layout 1, 2 margins 0.11, 0.985, 0.24, 0.93 spacing 0.1, 0.1
set key outside bottom center horizontal maxrows 2 Left noreverse samplen 1.5
set title 'weight against distance'
set xlabel 'distance of two tokens'
set ylabel 'weight, relative to distance 0'
set xrange [0:12]
set yrange [1e-6:1.3]
set logscale y
set format y '%.0e'
plot for [c=1:curves] data using ($1 == c ? $3 : 1/0):5 with lines ls c title label[c]
unset logscale y
set format y '%.1f'
set title made_up > 0 ? 'measured on made-up documents' : 'measured on the documents'
if (chars) { unset xlabel } else { set xlabel 'rho' }
unset ylabel
set xrange [0.5:curves + 0.5]
set yrange [0:1.05]
set style fill solid 0.85 noborder
set xtics scale 0
set boxwidth 0.26
plot shares using ($1 - 0.27):3 with boxes ls 1 title 'weight on itself', \
     shares using 1:4:xtic(2) with boxes ls 2 title 'weight on the far half', \
     shares using ($1 + 0.27):6 with boxes ls 3 title 'spread left by one layer'
unset multiplot
unset output
