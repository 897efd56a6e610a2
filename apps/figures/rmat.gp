# Draws rmat.png from what figure_data.py left in the current folder.
load "labels.gp"

width = 1200.
height = 600.
set terminal pngcairo size width,height font "DejaVu Sans,11"
set output "rmat.png"
set multiplot
set tics nomirror out scale 0.6
set border lw 1 lc rgb "#444444"
set title offset 0,-0.3
set bmargin at screen 50/height
set tmargin at screen 562/height

# --- adjacency matrix, sources downwards; 512 pixels, a whole number for each cell ---
cell = side / cells
set lmargin at screen 82/width
set rmargin at screen 594/width
set title "Adjacency matrix, ".adjacency
set xrange [0:side]
set yrange [side:0]
set xtics side/4 offset 0,0.3
set ytics side/4 offset 0.5,0
set xlabel "destination" offset 0,0.7
set ylabel "source" offset 1.2,0
set logscale cb 4
set cbrange [1:peak]
set cbtics offset -0.5,0
set cblabel sprintf("edges per cell of %d x %d", cell, cell) offset -0.7,0
set colorbox user origin 606/width,50/height size 16/width,512/height
set palette defined (0 "#2a1a5e", 0.25 "#7b2382", 0.5 "#c83e73", 0.75 "#fb8861", 1 "#fcfdbf")
set object 1 rectangle from graph 0,0 to graph 1,1 behind fc rgb "#0b0724" fs solid noborder
set label 1 quadrant_a at side/2, side/2 right offset -0.6,0.7 front tc rgb "white"
set label 2 quadrant_b at side, side/2 right offset -0.6,0.7 front tc rgb "white"
set label 3 quadrant_c at side/2, side right offset -0.6,0.7 front tc rgb "white"
set label 4 quadrant_d at side, side right offset -0.6,0.7 front tc rgb "white"
plot "density.bin" binary array=(cells,cells) format="%float32" dx=cell dy=cell \
    origin=(cell/2.,cell/2.) using ($1 > 0 ? $1 : NaN) with image notitle
unset object
unset label

# --- out-degrees ---
set lmargin at screen 762/width
set rmargin at screen 1184/width
set title "Out-degrees, ".degrees
set xrange [0.8:2*largest]
set yrange [*:*] noreverse
set logscale xy 10
set yrange [1e-4:2e5]
set xtics autofreq
set ytics autofreq
set format xy "10^{%T}"
set xlabel "out-degree"
set ylabel "vertices per degree"
set grid back lt 1 lc rgb "#e4e4e4" lw 1
set key top right samplen 2 spacing 1.2
set label 1 isolated at graph 0.975,0.85 right
plot "expected.txt" with lines lw 2 lc rgb "#e0609a" title "the model's expectation", \
     "measured.txt" with points pt 7 ps 0.55 lc rgb "#2a1a5e" title "generated"
