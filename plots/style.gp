# SPDX-License-Identifier: GPL-3.0-or-later
# The one visual language of all figures: Okabe and Ito's palette (told apart by colour-blind
# readers too), certified floors and ceilings always the same black dashes.
if (!exists("terminal")) terminal = 'svg'
if (!exists("wide")) wide = 800
if (!exists("high")) high = figure eq 'relu-regions' ? 280 : figure eq 'layers' ? 900 : figure eq 'encodings' ? 640 : figure eq 'panels' ? 560 : 500
set encoding utf8
# Signs beyond ASCII, where the locale that gnuplot runs in has them.
if (!exists("ascii")) ascii = 0
minus = ascii ? '-' : '−'
times = ascii ? 'x' : '×'
dots = ascii ? '...' : '…'
star = ascii ? '*' : '✳'
block = ascii ? '#' : '■'
ending = terminal eq 'svg' ? 'svg' : terminal eq 'pngcairo' ? 'png' : terminal eq 'pdfcairo' ? 'pdf' : 'txt'
if (!exists("output")) output = terminal eq 'dumb' ? '' : figure.'.'.ending
if (terminal eq 'svg') { set terminal svg size wide, high dynamic noenhanced font 'DejaVu Sans,13' background rgb 'white' }
if (terminal eq 'pngcairo') { set terminal pngcairo size wide, high noenhanced font 'DejaVu Sans,11' }
if (terminal eq 'pdfcairo') { set terminal pdfcairo size wide/100.0, high/100.0 noenhanced font 'DejaVu Sans,10' }
if (!exists("columns")) columns = 100
if (!exists("lines")) lines = 32
# Rows that are named need a line each, however low the terminal is.
least = figure eq 'encodings' ? 58 : figure eq 'layers' ? 70 : 20
if (lines < least) { lines = least }
if (terminal eq 'dumb') { set terminal dumb columns - 1, lines noenhanced }
if (output ne '') { set output output }
set datafile separator tab
set datafile missing 'NaN'
# A figure that lacks a part of its run says so.
if (int(system('test -f incomplete.tsv && echo 1 || echo 0')) == 1) {
    stats 'incomplete.tsv' using (lacks = sprintf('only %d of %d %s', $2, $3, strcol(1)), 0) nooutput
    set label 99 lacks at screen 0.985, screen 0.98 right textcolor rgb '#c00000'
}
set border 3 lc rgb '#444444'
set tics nomirror textcolor rgb '#222222'
set grid ytics lc rgb '#dddddd' lw 1
set style line 1 lc rgb '#0072b2' lw 2.5 pt 7 ps 0.6
set style line 2 lc rgb '#d55e00' lw 2.5 pt 5 ps 0.6
set style line 3 lc rgb '#009e73' lw 2.5 pt 9 ps 0.7
set style line 4 lc rgb '#cc79a7' lw 2.5 pt 13 ps 0.7
set style line 5 lc rgb '#e69f00' lw 2.5 pt 11 ps 0.7
set style line 6 lc rgb '#56b4e9' lw 2.5 pt 2 ps 0.7
set style line 7 lc rgb '#f0e442' lw 2.5 pt 3 ps 0.7
# Names of encodings as readers of the papers know them.
label_of(name) = name eq 't5' ? 'RPE' : name eq 'urpe' ? 'URPE' : name eq 'learned' ? 'APE' : name
# Certified bounds.
set style line 20 lc rgb '#000000' lw 1.8 dt 2
# Spreads over seeds.
set style line 21 lc rgb '#222222' lw 1.5
# A terminal of characters has no colours: curve k is drawn with the k-th of these, its points with
# the k-th letter, a bound with dashes.  What stands for a colour in a legend, on a line and on points:
chars = terminal eq 'dumb'
if (chars) {
    do for [k=1:7] { set style line k lt k lw 1 pt k }
    set style line 20 lt -1 lw 1
    set style line 21 lt 2 lw 1
    unset grid
}
stroke(k) = chars ? substr('*#$%@&=', k, k) : block
bound = chars ? '-+-' : '- -'
dot(k) = chars ? substr('ABCDEFG', k, k) : block
# Shaded spreads.
set style fill transparent solid 0.2 noborder
set key outside right top Left reverse samplen 2
