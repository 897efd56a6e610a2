"""The generator of a graph; and for a sorted graph one interval (rmat/rmat_interval.h) with all of its edges."""

from __future__ import annotations

import ctypes
from typing import Optional

from ._library import Cell, Facts, OutOfMemoryError, library, own


class Generator:
    """A generator of the library with its tables, ready to make edges on the CPU or on a GPU.

    Any number of threads may use one at a time.
    """

    def __init__(self, graph: int, device: Optional[int]) -> None:
        lib, number = library(), -1 if device is None else device
        #: The number of the GPU, or None.
        self.device = device
        self.handle = own(self, lambda handle: lib.rmat_graph_generator(graph, number, handle), lib.rmat_destroy)

    def draws_for(self, distinct: int) -> int:
        """The number of edges of the stream with so many distinct edges, or pairs of vertices, among them."""
        lib = library()
        size, least, draws = ctypes.c_uint64(), ctypes.c_uint64(), ctypes.c_uint64()
        lib.rmat_interval_bytes(self.handle, 1 << 16, least)
        lib.rmat_interval_bytes(self.handle, max(distinct + distinct // 2, 1 << 16), size)
        while True:
            try:
                lib.rmat_unique_edges(self.handle, distinct, size, draws)
                return draws.value
            except OutOfMemoryError:
                if size.value <= least.value:
                    raise
                size.value = max(size.value // 4 * 3, least.value)  # it may take more passes over the stream


class Sorted:
    """Gathers and sorts the first `draws` edges of the stream.

    It holds the generator and its memory until the last reference is gone.  rmat_interval_read() writes edges of it to
    arrays of a GPU or of the host, wherever they were sorted.
    """

    def __init__(self, generator: Generator, facts: Facts, draws: int) -> None:
        lib = library()
        self._generator = generator  # keeps it alive
        size = ctypes.c_uint64()
        lib.rmat_interval_bytes(generator.handle, max(draws, 4096), size)
        allowed = int(facts.memory) or int(lib.binding_memory())
        if generator.device is None and size.value > allowed:
            # The system would promise the memory, and end the process when it is used.
            raise OutOfMemoryError(f"a graph that is sorted in memory needs {size.value} bytes, available are {allowed}; "
                                   "write() needs less")
        self.handle = own(self, lambda handle: lib.rmat_interval_create(handle, generator.handle, size),
                          lib.rmat_interval_destroy)
        lib.rmat_interval_make(self.handle, Cell(0, 0), Cell(facts.rows, 0), draws, facts.unique)
        lib.rmat_interval_trim(self.handle)
        #: The number of edges of the graph.
        self.edges = int(lib.rmat_interval_edges(self.handle))
