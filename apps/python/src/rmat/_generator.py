"""The generator of a graph and, for a sorted graph, one interval (rmat/rmat_interval.h) with all of its edges."""

from __future__ import annotations

import ctypes
import weakref
from typing import Any, Optional

from ._errors import OutOfMemoryError
from ._library import Arrays, Cell, Facts, library


class Generator:
    """A generator of the library with its tables, ready to make edges on the CPU or on a GPU.

    Any number of threads may use one at a time.
    """

    def __init__(self, graph: int, device: Optional[int]) -> None:
        handle = ctypes.c_void_p()
        library().rmat_graph_generator(graph, -1 if device is None else device, handle)
        #: The number of the GPU, or None.
        self.device = device
        self.handle: int = handle.value or 0
        weakref.finalize(self, library().rmat_destroy, self.handle).atexit = False

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

    It holds the generator and its memory until the last reference is gone.
    """

    def __init__(self, generator: Generator, facts: Facts, draws: int) -> None:
        lib = library()
        self._generator = generator  # keeps it alive
        size = ctypes.c_uint64()
        lib.rmat_interval_bytes(generator.handle, max(draws, 4096), size)
        if generator.device is None:
            _check_memory(size.value, int(facts.memory))
        handle = ctypes.c_void_p()
        lib.rmat_interval_create(handle, generator.handle, size)
        self._handle: int = handle.value or 0
        self._finalize = weakref.finalize(self, lib.rmat_interval_destroy, self._handle)
        self._finalize.atexit = False
        lib.rmat_interval_make(handle, Cell(0, 0), Cell(facts.rows, 0), draws, facts.unique)
        lib.rmat_interval_trim(handle)
        #: The number of edges of the graph.
        self.edges = int(lib.rmat_interval_edges(handle))

    def read(self, first: int, count: int, arrays: Arrays, device: Optional[int], stream: Optional[int]) -> None:
        """Writes the sorted edges [first, first + count) to arrays of a GPU (device) or of the host (None); a GPU may
        have sorted them in either case.  Members of `arrays` may be None."""
        if device is None:
            library().rmat_interval_read(self._handle, first, count, arrays)
        else:
            library().rmat_interval_read_device(self._handle, first, count, arrays, stream)

    def pointers(self, address: int, count: int, device: Optional[int]) -> None:
        """Writes the first `count` row pointers to an array of int64, in the memory that read() writes to."""
        if device is None:
            library().rmat_interval_pointers(self._handle, 0, count, 0, address)
        else:
            library().rmat_interval_pointers_device(self._handle, 0, count, 0, address, None)

    def __enter__(self) -> "Sorted":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None and self._finalize.detach():  # else an interrupted call may still use it
            library().rmat_interval_destroy(self._handle)


def _check_memory(needed: int, allowed: int) -> None:
    """Fails early: the system would promise the memory, and end the process when it is used."""
    allowed = allowed or int(library().binding_memory())
    if needed > allowed:
        raise OutOfMemoryError(f"a graph that is sorted in memory needs {needed} bytes, available are {allowed}; "
                               "write() needs less")
