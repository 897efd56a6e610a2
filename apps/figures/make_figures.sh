#!/bin/sh
# Makes apps/figures/rmat.png, the picture in the README.  Needs the built program, gnuplot, and
# Python with numpy and h5py (Debian: gnuplot-nox python3-h5py).
#
#   apps/figures/make_figures.sh [BUILD_FOLDER]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
rmat=${1:-$here/../../build}/apps/rmat
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$rmat" generate --preset graph500 --scale 14 --quiet -o "$work/adjacency.h5"
"$rmat" generate --preset graph500 --scale 18 --quiet -o "$work/degrees.h5"
"$python" "$here/figure_data.py" "$work/adjacency.h5" "$work/degrees.h5" "$work"
(cd "$work" && gnuplot "$here/rmat.gp")
cp "$work/rmat.png" "$here/rmat.png"
