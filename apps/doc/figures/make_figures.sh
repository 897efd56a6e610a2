#!/bin/sh
# Makes the pictures of graphs: apps/doc/figures/rmat.png and noise-*.png.  Needs the built
# program and gnuplot (Debian: gnuplot-nox).
#
#   apps/doc/figures/make_figures.sh [BUILD_FOLDER]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
rmat=${1:-$here/../../../build}/bin/rmat
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$rmat" generate --preset graph500 --scale 18 --quiet -o "$work/graph.h5"
"$rmat" plot "$work/graph.h5" --quiet --force -o "$here/rmat.png"
for noise in 0 0.1; do
    "$rmat" generate --scale 20 --noise $noise --quiet --force -o "$work/graph.h5"
    "$rmat" plot "$work/graph.h5" --what degrees --quiet --force -o "$here/noise-$noise.png"
done
