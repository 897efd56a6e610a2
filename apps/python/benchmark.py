#!/usr/bin/env python3
"""How long the Python package takes, beside the C library and CuPy: one line per figure.

usage: benchmark.py [cpu] [gpu]

Medians of several calls after one to warm up.  A call on a GPU is timed from Python, until the GPU is done.
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


def straight(graph, out):
    """One call of the C function that edge_index() calls, for all edges."""
    arrays = Arrays(out[0].ctypes.data, out[1].ctypes.data, None, out.itemsize)
    library().rmat_generate_arrays(graph._maker(None).handle, 0, out.shape[1], arrays)


def cpu():
    import numpy

    count = 10**9 if rmat.gpus() else 10**8
    out = numpy.empty((2, count), "i4")
    for name, backend in [("CPU", "cpu"), ("GPU", "gpu")][:1 + (rmat.gpus() > 0)]:
        graph = rmat.Graph(scale=26, edges=count, backend=backend)
        show(f"C library, {count:.0e} edges by the {name} into host arrays", median(lambda: straight(graph, out), 5), count)
        show(f"NumPy, {count:.0e} edges by the {name} into the same arrays", median(
            lambda: graph.edge_index(0, out=out), 5), count)
    graph = rmat.Graph(scale=26, edges=count)
    show(f"NumPy, {count:.0e} edges into new arrays", median(lambda: graph.edges(0, count), 3), count)
    graph = rmat.Graph(scale=20)
    show("csr_arrays(dedup=True), scale 20", median(lambda: graph.csr_arrays(dedup=True), 3), graph.num_edges)


def gpu():
    import cupy

    count = 10**8
    graph = rmat.Graph(scale=26, edges=count)

    def through(take, make):
        """Makes edges and hands them over; returns whether no copy was made."""
        first = make()
        first = first[0] if isinstance(first, tuple) else first
        taken = take(first)
        return (taken.data.ptr if hasattr(taken, "data") and hasattr(taken.data, "ptr") else taken.data_ptr()) == \
            first.pointer

    show("CuPy, 1e8 edges (src, dst), int32", median(lambda: through(
        cupy.asarray, lambda: graph.edges(device="cuda"))), count)
    print("pointers equal:", through(cupy.asarray, lambda: graph.edges(device="cuda")))
    try:
        import torch
    except ImportError:
        torch = None
    if torch is not None:
        show("PyTorch, 1e8 edges as edge_index, int64", median(lambda: through(
            torch.from_dlpack, lambda: graph.edge_index(device="cuda"))), count)
        show("PyTorch, 1e8 edges as edge_index, int32", median(lambda: through(
            torch.from_dlpack, lambda: graph.edge_index(device="cuda", dtype="int32"))), count)
        print("pointers equal:", through(torch.from_dlpack, lambda: graph.edge_index(device="cuda")))
        out = torch.empty((2, count), dtype=torch.int64, device="cuda")
        show("PyTorch, 1e8 edges into a tensor of the caller's, int64", median(
            lambda: graph.edge_index(0, out=out)), count)
        del out
    graph = rmat.Graph(scale=24)
    show("csr_arrays(dedup=True), scale 24, on the GPU", median(
        lambda: graph.csr_arrays(dedup=True, device="cuda")), graph.num_edges)
    show("csr(dedup=True), scale 24, cupyx.scipy.sparse", median(
        lambda: graph.csr(dedup=True, device="cuda")), graph.num_edges)


def main():
    wanted = sys.argv[1:] or ["cpu"] + (["gpu"] if rmat.gpus() else [])
    for name in wanted:
        {"cpu": cpu, "gpu": gpu}[name]()


if __name__ == "__main__":
    main()
