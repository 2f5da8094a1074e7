# SPDX-License-Identifier: GPL-3.0-or-later
# Every encoding on both tasks, on random and on constant sequences; its colour is the theorem's verdict.
data = 'encodings.tsv'
stats data using 1 nooutput
rows = int(STATS_max)
array column_of[4] = [4, 5, 6, 7]
array title_of[4] = ["positions,\nrandom", "positions,\nconstant", "even tokens,\nrandom, first half", "even tokens,\nconstant"]
array ceiling_of[4] = [0, 8, 0, 9]
collapse = 0xD55E00
escape = 0x0072B2
array name_of[rows]
array limit_of[4]
array verdict[rows]
array own_of[rows]
do for [r=1:rows] { stats data using ($1 == r ? (name_of[r] = strcol(2), verdict[r] = strcol(3), own_of[r] = $10, 0) : 1/0) nooutput }
do for [p=1:4] { if (ceiling_of[p] > 0) { stats data using ceiling_of[p] nooutput; limit_of[p] = STATS_min } }
set multiplot layout 1, 4 margins 0.19, 0.985, 0.11, 0.92 spacing 0.025, 0.1
set yrange [rows + 0.6:0.4]
set xrange [0:1.05]
set xtics 0.5
set key off
set style fill solid 0.85 noborder
unset grid
set ytics scale 0 font ',11'
if (!chars) { set xlabel 'accuracy' offset 0,0.5 }
set label 1 (chars ? 'c:' : block).' collapses by theorem' at screen 0.19, screen 0.025 textcolor rgb collapse
set label 2 chars ? '' : block.' need not collapse' at screen 0.43, screen 0.025 textcolor rgb escape
set label 3 bound.' ceiling by theorem' at screen 0.985, screen 0.025 right
do for [p=1:4] {
    set title title_of[p] offset 0,-0.6
    c = column_of[p]
    k = ceiling_of[p]
    if (p == 1) { do for [r=1:rows] { set ytics add (name_of[r].(chars && verdict[r] eq 'collapses' ? ' c' : '') r) } } else { set format y ''; set ytics () }
    if (k > 0) { set arrow 1 from limit_of[p], graph 0 to limit_of[p], graph 1 nohead ls 20 front } else { unset arrow 1 }
    if (p == 1) {
        # On random sequences the ceiling is the encoding's own.
        do for [r=1:rows] { if (own_of[r] < 0.9999995 || verdict[r] eq 'collapses') { set arrow 10 + r from own_of[r], r - 0.5 to own_of[r], r + 0.5 nohead ls 20 front } }
    } else { do for [r=1:rows] { unset arrow 10 + r } }
    plot data using (0):1:(0):(column(c)):($1 - 0.38):($1 + 0.38):(strcol(3) eq 'collapses' ? collapse : escape) \
             with boxxyerror lc rgb variable
    do for [l=1:3] { unset label l }
}
unset multiplot
unset output
