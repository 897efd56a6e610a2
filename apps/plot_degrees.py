#!/usr/bin/env python3
"""plot_degrees.py PICTURE.png GRAPH.h5...: out-degree distributions of graphs, one colour each.

Writes the picture and prints the oscillation of each distribution, as tests/test_rmat_stat_noise.c
defines it: ln(vertices per degree) over ln(degree), from degree 8 on in six bins to a doubling,
those of at least 50 vertices; the root of the mean square distance from the best parabola.

apps/figures/degrees-noise.png:
    for x in 0 0.05 0.1; do rmat generate --scale 20 --noise $x -o noise-$x.h5; done
    plot_degrees.py degrees-noise.png noise-0.h5 noise-0.05.h5 noise-0.1.h5

Needs gnuplot, and Python with numpy and h5py (Debian: gnuplot-nox python3-h5py).
"""

import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np

COLORS = ["#e0609a", "#fb8861", "#2a1a5e", "#1b7837"]
PER_DOUBLING, LOWEST, FEWEST = 6, 8, 50
SCRIPT = """
set terminal pngcairo size 900,560 font "DejaVu Sans,11"
set output "{picture}"
set tics nomirror out scale 0.6
set border 3 lw 1 lc rgb "#444444"
set grid back lt 1 lc rgb "#e4e4e4" lw 1
set key top right samplen 2 spacing 1.3
set logscale xy 10
set format xy "10^{{%T}}"
set title "{title}"
set xlabel "out-degree"
set ylabel "vertices per degree"
set xrange [0.8:*]
plot {plots}
"""


def histogram(path):
    """Vertices of each out-degree."""
    with h5py.File(path, "r") as f:
        rows = int(f.attrs["num_rows"])
        noise = float(f.attrs.get("noise", 0))
        edges = f["src"]
        degree = np.zeros(rows, dtype=np.int64)
        for first in range(0, len(edges), 1 << 24):
            degree += np.bincount(edges[first:first + (1 << 24)], minlength=rows)
        return np.bincount(degree), noise, f"{rows:,} vertices, {len(edges):,} edges"


def bins(count, per_doubling, lowest):
    """(middle, vertices per degree, vertices) of logarithmic bins of whole degrees."""
    steps = np.arange(per_doubling * 48) / per_doubling
    borders = np.unique(np.ceil(lowest * 2 ** steps - 1e-6)).astype(np.int64)
    borders = borders[:np.searchsorted(borders, len(count)) + 1]
    count = np.concatenate([count, np.zeros(borders[-1] - len(count), dtype=count.dtype)])
    for low, end in zip(borders[:-1], borders[1:]):
        vertices = int(count[low:end].sum())
        yield np.sqrt(low * (end - 1.0)), vertices / (end - low), vertices


def oscillation(count):
    x, y, _ = np.log([b for b in bins(count, PER_DOUBLING, LOWEST) if b[2] >= FEWEST]).T
    return np.sqrt(np.mean((y - np.polyval(np.polyfit(x, y, 2), x)) ** 2))


def main():
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__.split("\n", 1)[0])
    picture, plots, title = os.path.abspath(sys.argv[1]), [], ""
    with tempfile.TemporaryDirectory() as work:
        for number, path in enumerate(sys.argv[2:]):
            count, noise, title = histogram(path)
            print(f"{path}: noise {noise:g}, oscillation {oscillation(count):.3f}, "
                  f"out-degree 0: {100 * count[0] / count.sum():.2f} %")
            with open(f"{work}/{number}", "w") as out:
                # An empty line where a bin is empty: gnuplot does not draw through it.
                out.writelines(f"{x} {y}\n" if y else "\n" for x, y, _ in bins(count, 12, 1))
            color = COLORS[number % len(COLORS)]
            plots.append(f'"{number}" with linespoints pt 7 ps 0.5 lw 1.5 lc rgb "{color}" '
                         f'title "noise {noise:g}: oscillation {oscillation(count):.2f}"')
        script = SCRIPT.format(picture=picture, title=title, plots=", ".join(plots))
        subprocess.run(["gnuplot"], input=script, text=True, cwd=work, check=True)
    print(picture)


main()
