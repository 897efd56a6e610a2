# Draws pipeline.png: what the GPU, the link to the host and the disk did during two runs of
#
#   rmat generate --scale 30 --edges 512Mi --backend gpu [--dry-run]
#
# From trace_file.csv and trace_memory.csv (50 ms of it) in the current folder, made on an H200 with
# CUPTI and time stamps around pwrite(): lane (kernel, ties, fingerprint,
# copy, write), begin and end in seconds, bytes, CUDA stream or thread.
file = "trace_file.csv"
memory = "trace_memory.csv"
zoom_file = 0.8 # where the second picture begins, s
zoom_memory = 0.12

set datafile separator ","
width = 1200.
height = 640.
set terminal pngcairo size width,height font "DejaVu Sans,11"
set output "pipeline.png"
set multiplot
set tics nomirror out scale 0.6
set border 1 lw 1 lc rgb "#444444"
set title offset 0,-0.4
set lmargin at screen 90/width
set rmargin at screen 1180/width
set yrange [0.4:3.6]
set ytics ("kernels" 3, "copies" 2, "writes" 1) scale 0
set xtics offset 0,0.4
set style fill solid border
kernels = "#e8743b"
copies = "#c83e73"
writes = "#2a1a5e"

# The lane's place.  Writes of three threads lie one above another.
lane(name, wanted, y) = name eq wanted ? y : NaN
kernel(name) = name eq "kernel" || name eq "ties" || name eq "fingerprint" ? 3 : NaN
thread(name, who) = name eq "write" ? 1.27 - 0.27 * (int(who) % 3) : NaN
middle(begin, end) = unit * ((begin + end) / 2 - origin)
half(begin, end) = unit * (end - begin) / 2

unit = 1
origin = 0
set tmargin at screen 605/height
set bmargin at screen 470/height
set title "Into a file of 4.3 GB: the whole run, seconds"
set xrange [0:*]
plot file using (middle($2,$3)):(thread(strcol(1),$5)):(half($2,$3)):(0.1) with boxxyerror lc rgb writes notitle, \
     file using (middle($2,$3)):(lane(strcol(1),"copy",2)):(half($2,$3)):(0.35) with boxxyerror lc rgb copies notitle, \
     file using (middle($2,$3)):(kernel(strcol(1))):(half($2,$3)):(0.35) with boxxyerror lc rgb kernels notitle

unit = 1e3
origin = zoom_file
set tmargin at screen 395/height
set bmargin at screen 260/height
set title "40 ms of it"
set xrange [0:40]
set style fill solid border rgb "white"
plot file using (middle($2,$3)):(thread(strcol(1),$5)):(half($2,$3)):(0.13) with boxxyerror lc rgb writes notitle, \
     file using (middle($2,$3)):(lane(strcol(1),"copy",2)):(half($2,$3)):(0.35) with boxxyerror lc rgb copies notitle
set style fill solid border
plot file using (middle($2,$3)):(kernel(strcol(1))):(half($2,$3)):(0.35) with boxxyerror lc rgb kernels notitle

origin = zoom_memory
set tmargin at screen 185/height
set bmargin at screen 40/height
set title "Into pinned memory alone: 4 ms"
set xrange [0:4]
set yrange [1.4:3.6]
plot memory using (middle($2,$3)):(kernel(strcol(1))):(half($2,$3)):(0.35) with boxxyerror lc rgb kernels notitle
set style fill solid border rgb "white"
plot memory using (middle($2,$3)):(lane(strcol(1),"copy",2)):(half($2,$3)):(0.35) with boxxyerror lc rgb copies notitle
