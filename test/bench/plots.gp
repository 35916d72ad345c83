# The plots of "make bench": from data/*.dat to plots/*.svg.  Called with
# data and plots set.  A part that was not measured has an empty file.

set terminal svg size 720,420 font 'sans-serif,12' background 'white'
set termoption noenhanced
set grid ytics linecolor rgb '#dddddd'
set border 3
set tics nomirror
set style data linespoints
set pointsize 0.6
set key outside right top

name(n) = data . '/' . n . '.dat'
there(n) = int(system('wc -c < ' . name(n))) > 1
sets(n) = int(system("grep -c '^\"x\"' " . name(n)))

if (there('calls')) {
	set output plots . '/calls.svg'
	set title 'One id, less the cost of the query'
	set ylabel 'ns'
	set style fill solid 0.7
	set boxwidth 0.7
	set logscale y
	set yrange [1:*]
	set xtics rotate by -40
	set rmargin 16
	plot name('calls') using 1:3:xticlabels(2) skip 1 with boxes notitle
	unset logscale y
	set xtics norotate
	unset rmargin
}

set yrange [0:*]
if (there('clients')) {
	set output plots . '/clients.svg'
	set title 'Sessions at once'
	set xlabel 'sessions'
	set ylabel 'million ids/s, all together'
	set logscale x 2
	plot for [i=0:sets('clients')-1] name('clients') index i using 1:2 title columnheader(2)
}

set logscale x 10
if (there('sequences')) {
	set output plots . '/sequences.svg'
	set title 'Values of several sequences in turn, one session'
	set xlabel 'sequences'
	set ylabel 'ns a value'
	plot for [i=0:sets('sequences')-1] name('sequences') index i using 1:2 title columnheader(2)
}

if (there('connections')) {
	set output plots . '/connections.svg'
	set title 'First id of a new connection, gid preloaded'
	set xlabel 'connections open beside it'
	set ylabel 'µs'
	plot for [i=0:sets('connections')-1] name('connections') index i using 1:2 title columnheader(2)
}
unset logscale x

if (there('growth')) {
	set output plots . '/growth.svg'
	set title 'Rows into a table that grows to ten times shared buffers'
	set xlabel 'thousand rows'
	set ylabel 'thousand rows/s'
	plot for [i=0:sets('growth')-1] name('growth') index i using ($1 / 1000):($2 / 1000) title columnheader(2)
}
