"""figure_data.py ADJACENCY.h5 DEGREES.h5 FOLDER: bin two R-MAT graphs for rmat.gp.

FOLDER/density.bin    edges per cell of the adjacency matrix, CELLS x CELLS float32, source-major
FOLDER/measured.txt   out-degree (geometric mean of the bin), vertices per degree; logarithmic bins
FOLDER/expected.txt   the same of the model, exactly: a vertex with k one-bits is the source of an
                      edge with probability (a+b)^(L-k) (c+d)^k, and C(L, k) vertices have k
FOLDER/labels.gp      numbers and texts that the picture mentions
"""

import math
import sys

import h5py
import numpy as np

CELLS = 256
BINS_PER_DECADE = 36


def density(path, folder):
    with h5py.File(path) as f:
        scale = int(f.attrs["rows_scale"])
        shift = scale - int(math.log2(CELLS))
        cells = (f["src"][:].astype(np.int64) >> shift) * CELLS + (f["dst"][:] >> shift)
        counts = np.bincount(cells, minlength=CELLS * CELLS).astype(np.float32)
        counts.tofile(folder + "/density.bin")
        return {"cells": CELLS, "side": 1 << scale, "peak": int(counts.max()),
                "adjacency": f"scale {scale}, {int(f.attrs['edges']):,} edges",
                **{"quadrant_" + name: f"{name} = {f.attrs[name]:g}" for name in "abcd"}}


def expected_vertices(degrees, scale, p_one, edges):
    """Expected number of vertices of each degree; Binomial(edges, p), p as above."""
    total = np.zeros(len(degrees))
    log_choose = np.array([math.lgamma(edges + 1) - math.lgamma(d + 1) - math.lgamma(edges - d + 1)
                           for d in degrees])
    for k in range(scale + 1):
        p = (1 - p_one) ** (scale - k) * p_one ** k
        total += math.comb(scale, k) * np.exp(
            log_choose + degrees * math.log(p) + (edges - degrees) * math.log1p(-p))
    return total


def degrees(path, folder):
    with h5py.File(path) as f:
        scale, edges = int(f.attrs["rows_scale"]), int(f.attrs["edges"])
        p_one = float(f.attrs["c"] + f.attrs["d"])
        measured = np.bincount(np.bincount(f["src"][:], minlength=1 << scale))
    top = 2 * len(measured)
    degree = np.arange(top)
    measured = np.concatenate([measured, np.zeros(top - len(measured), dtype=int)])
    expected = expected_vertices(degree, scale, p_one, edges)

    # Whole numbers: small degrees stand alone, and every bin holds one at least.
    borders = np.unique(np.ceil(10 ** np.arange(0, math.log10(top), 1 / BINS_PER_DECADE))).astype(int)
    with open(folder + "/measured.txt", "w") as m, open(folder + "/expected.txt", "w") as e:
        for low, high in zip(borders[:-1], borders[1:]):
            middle = math.exp(np.log(degree[low:high]).mean())
            e.write(f"{middle} {expected[low:high].mean()}\n")
            if measured[low:high].any():
                m.write(f"{middle} {measured[low:high].mean()}\n")
    return {"degrees": f"scale {scale}, {edges:,} edges",
            "largest": int(np.flatnonzero(measured).max()),
            "isolated": f"out-degree 0: {measured[0]:,} vertices,\\nexpected {expected[0]:,.0f}"}


def main():
    adjacency_file, degrees_file, folder = sys.argv[1:]
    with open(folder + "/labels.gp", "w") as out:
        for name, value in {**density(adjacency_file, folder),
                            **degrees(degrees_file, folder)}.items():
            out.write(f'{name} = "{value}"\n' if isinstance(value, str) else f"{name} = {value}\n")


main()
