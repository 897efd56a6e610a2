#!/usr/bin/env python3
"""Times the Python package, and for comparison the C library and CuPy: one line per figure.

usage: benchmark.py [cpu] [gpu]

Figures are medians of several calls after a warm-up call.  The time of a GPU call lasts until the GPU is done.
"""

import statistics
import sys
import time

import rmat
from rmat._library import Arrays, library


def median(function, runs=9):
    """Milliseconds of a call."""
    function()
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        function()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def show(what, milliseconds, edges):
    print(f"{what:<72} {milliseconds:10.3f} ms {edges / milliseconds / 1e6:9.3f} G edges/s", flush=True)


def cpu():
    import numpy

    count = 10**9 if rmat.gpus() else 10**8
    out = numpy.empty((2, count), "i4")
    for name, backend in [("CPU", "cpu"), ("GPU", "gpu")][:1 + (rmat.gpus() > 0)]:
        graph = rmat.Graph(scale=26, edges=count, backend=backend)
        handle = graph._generator(None if backend == "cpu" else 0).handle
        arrays = Arrays(out[0].ctypes.data, out[1].ctypes.data, None, out.itemsize)
        show(f"C library, {count:.0e} edges by the {name} into host arrays", median(
            lambda: library().rmat_generate_arrays(handle, 0, count, arrays), 5), count)
        show(f"NumPy, {count:.0e} edges by the {name} into the same arrays", median(lambda: graph.edges(out=out), 5), count)
    graph = rmat.Graph(scale=26, edges=count)
    show(f"NumPy, {count:.0e} edges into new arrays", median(graph.edges, 3), count)
    graph = rmat.Graph(scale=20, dedup=True)
    show("csr() without copies, scale 20", median(graph.csr, 3), 16 << 20)


def gpu():
    import cupy

    count = 10**8
    graph = rmat.Graph(scale=26, edges=count)
    takers = {"CuPy": cupy.asarray}
    try:
        import torch
        takers["PyTorch"] = lambda array: torch.as_tensor(array, device="cuda")
    except ImportError:
        pass
    for name, take in takers.items():
        for dtype in ("int32", "int64"):
            show(f"{name}, 1e8 edges (src, dst), {dtype}", median(
                lambda: [take(array) for array in graph.edges(device="cuda", dtype=dtype)]), count)
    out = cupy.empty((2, count), "i8")
    show("1e8 edges into arrays of the caller's, int64", median(lambda: graph.edges(out=out)), count)
    graph = rmat.Graph(scale=24, dedup=True)
    show("csr() without copies, scale 24, on the GPU", median(lambda: graph.csr(device="cuda")), 16 << 24)


def main():
    for name in sys.argv[1:] or ["cpu"] + (["gpu"] if rmat.gpus() else []):
        {"cpu": cpu, "gpu": gpu}[name]()


if __name__ == "__main__":
    main()
