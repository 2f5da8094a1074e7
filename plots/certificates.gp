# SPDX-License-Identifier: GPL-3.0-or-later
# What was decided of each document's steps: a bar a document, stacked.
data = 'documents.tsv'
stats data using 3 nooutput
documents = STATS_records
steps = STATS_sum
stats data using 7 nooutput
undecided = STATS_sum
stats data using 8 nooutput
certified = STATS_sum
made_up = 0
stats 'energy.tsv' using (made_up = made_up + (strstrt(strcol(2), '[made-up]') > 0), 0) nooutput
set title sprintf('%d steps of %d %sdocuments: %d decided, of them %d in balls', steps, documents, made_up > 0 ? 'made-up ' : '', steps - undecided, certified)
set xlabel 'document'
set ylabel 'steps'
set xrange [0:documents + 1]
set yrange [0:*]
set style fill solid 1 noborder
set boxwidth 1
set key outside bottom center horizontal maxrows 1 Right noreverse
left_over(name) = undecided > 0 ? name : ''
plot data using 0:(undecided > 0 ? $3 : 0) with boxes fc ls 4 title left_over('undecided'), \
     data using 0:($4 + $5 + $6) with boxes fc ls 2 title 'rising', \
     data using 0:($4 + $6) with boxes fc ls 5 title 'tied (fixed point)', \
     data using 0:4 with boxes fc ls 1 title 'descending'
unset output
