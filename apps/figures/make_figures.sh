#!/bin/sh
# Makes apps/figures/rmat.png, the picture in the README.  Needs the built program and gnuplot
# (Debian: gnuplot-nox).
#
#   apps/figures/make_figures.sh [BUILD_FOLDER]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
rmat=${1:-$here/../../build}/apps/rmat
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$rmat" generate --preset graph500 --scale 18 --quiet -o "$work/graph.h5"
"$rmat" plot "$work/graph.h5" --degree out --quiet --force -o "$here/rmat.png"
