"""A sorted graph in memory: one interval (rmat/rmat_interval.h) with all of its edges."""

from __future__ import annotations

import ctypes
import weakref
from typing import TYPE_CHECKING, Any, Optional

from ._errors import OutOfMemoryError
from ._library import Arrays, Cell, Facts, library

if TYPE_CHECKING:
    from ._generator import Generator


#: Row pointers that are made at a time where they are converted.
_POINTERS = 1 << 20


class Sorted:
    """Gathers and sorts; holds the generator and its memory until the last reference is gone.

    edges: of the stream, from which the graph is made.
    """

    def __init__(self, generator: "Generator", facts: Facts, edges: int) -> None:
        lib = library()
        self.generator = generator
        size = ctypes.c_uint64()
        lib.rmat_interval_bytes(generator.handle, max(edges, 4096), size)
        if generator.device is None:
            self._check_memory(size.value, int(facts.memory))
        handle = ctypes.c_void_p()
        lib.rmat_interval_create(handle, generator.handle, size)
        self.handle: int = handle.value or 0
        self._finalize = weakref.finalize(self, lib.rmat_interval_destroy, self.handle)
        self._finalize.atexit = False
        lib.rmat_interval_begin(handle, Cell(0, 0), Cell(facts.rows, 0), facts.unique)
        with generator.explained():
            lib.rmat_interval_add(handle, 0, edges)
        lib.rmat_interval_sort(handle)
        lib.rmat_interval_trim(handle)
        self.edges = int(lib.rmat_interval_edges(handle))

    @staticmethod
    def _check_memory(needed: int, allowed: int) -> None:
        """The system would promise the memory, and end the process once it is used."""
        allowed = allowed or int(library().binding_memory())
        if needed > allowed:
            raise OutOfMemoryError(f"a graph that is sorted in memory needs {needed} bytes, available are {allowed}; "
                                   "write() needs less")

    def read(self, first: int, count: int, arrays: Arrays, stream: Optional[int]) -> None:
        """Edges [first, first + count) of the order; members of `arrays` may be None."""
        if self.generator.device is None:
            library().rmat_interval_read(self.handle, first, count, arrays)
        else:
            library().rmat_interval_read_device(self.handle, first, count, arrays, stream)

    def pointers(self, to: Any, address: int, stream: Optional[int]) -> None:
        """All row pointers, into an array of int64 or, on the host, of another type; address: of its first element."""
        if self.generator.device is not None:
            library().rmat_interval_pointers_device(self.handle, 0, to.size, 0, address, stream)
        elif to.itemsize == 8:
            library().rmat_interval_pointers(self.handle, 0, to.size, 0, address)
        else:
            for first in range(0, to.size, _POINTERS):
                part = (ctypes.c_uint64 * min(_POINTERS, to.size - first))()
                library().rmat_interval_pointers(self.handle, first, len(part), 0, part)
                to[first:first + len(part)] = part

    def disown(self) -> int:
        """Hands the interval over to the caller, who frees it."""
        self._finalize.detach()
        handle, self.handle = self.handle, 0
        return handle

    def __enter__(self) -> "Sorted":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None and self._finalize.detach():  # else a call that was left may still use it
            library().rmat_interval_destroy(self.handle)


def draws_for(generator: "Generator", distinct: int) -> int:
    """How many edges of the stream have so many distinct ones, or pairs of vertices, among them."""
    lib = library()
    size, least, draws = ctypes.c_uint64(), ctypes.c_uint64(), ctypes.c_uint64()
    lib.rmat_interval_bytes(generator.handle, 1 << 16, least)
    lib.rmat_interval_bytes(generator.handle, max(distinct + distinct // 2, 1 << 16), size)
    while True:
        try:
            lib.rmat_unique_edges(generator.handle, distinct, size, draws)
            return draws.value
        except OutOfMemoryError:
            if size.value <= least.value:
                raise
            size.value = max(size.value // 4 * 3, least.value)  # it may take more passes over the stream
