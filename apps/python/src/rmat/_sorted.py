"""A sorted graph in memory: one interval (rmat/rmat_interval.h) with all of its edges."""

from __future__ import annotations

import ctypes
import weakref
from typing import TYPE_CHECKING, Any, Optional

from . import _interrupt
from ._errors import OutOfMemoryError
from ._library import Arrays, Cell, Facts, library

if TYPE_CHECKING:
    from ._generator import Generator


class Sorted:
    """Gathers and sorts; holds the generator and its memory until the last reference is gone."""

    def __init__(self, generator: "Generator", facts: Facts) -> None:
        lib = library()
        self.generator = generator
        edges = int(facts.stream_edges) if not facts.unique else self._draws(int(facts.edges))
        unique = bool(facts.unique or facts.dedup)
        size = ctypes.c_uint64()
        lib.rmat_interval_bytes(generator.handle, max(edges, 4096), size)
        if generator.device is None:
            self._check_memory(size.value, int(facts.memory))
        handle = ctypes.c_void_p()
        lib.rmat_interval_create(handle, generator.handle, size)
        self.handle: int = handle.value or 0
        self._finalize = weakref.finalize(self, lib.rmat_interval_destroy, self.handle)
        self._finalize.atexit = False
        lib.rmat_interval_begin(handle, Cell(0, 0), Cell(facts.rows, 0), unique)
        piece = edges if generator.device is not None else _interrupt.PIECE
        with generator.explained():
            for first in range(0, edges, max(piece, 1)):
                lib.rmat_interval_add(handle, first, min(piece, edges - first))
        _interrupt.call(self._sort)
        lib.rmat_interval_trim(handle)
        self.edges = int(lib.rmat_interval_edges(handle))

    @staticmethod
    def _check_memory(needed: int, allowed: int) -> None:
        """The system would promise the memory, and end the process once it is used."""
        allowed = allowed or int(library().binding_memory())
        if needed > allowed:
            raise OutOfMemoryError(f"a graph that is sorted in memory needs {needed} bytes, available are {allowed}; "
                                   "write() needs less")

    def _sort(self) -> None:
        library().rmat_interval_sort(self.handle)

    def _draws(self, distinct: int) -> int:
        """How many edges of the stream have so many distinct ones among them."""
        lib = library()
        size, least, draws = ctypes.c_uint64(), ctypes.c_uint64(), ctypes.c_uint64()
        lib.rmat_interval_bytes(self.generator.handle, 1 << 16, least)
        lib.rmat_interval_bytes(self.generator.handle, max(distinct + distinct // 2, 1 << 16), size)

        def search() -> None:
            lib.rmat_unique_edges(self.generator.handle, distinct, size, draws)

        while True:
            try:
                _interrupt.call(search)
                return draws.value
            except OutOfMemoryError:
                if size.value <= least.value:
                    raise
                size.value = max(size.value // 4 * 3, least.value)  # it may take more passes over the stream

    def read(self, first: int, count: int, arrays: Arrays, stream: Optional[int]) -> None:
        """Edges [first, first + count) of the order; members of `arrays` may be None."""
        if self.generator.device is None:
            library().rmat_interval_read(self.handle, first, count, arrays)
        else:
            library().rmat_interval_read_device(self.handle, first, count, arrays, stream)

    def pointers(self, rows: int, to: int, stream: Optional[int]) -> None:
        """rows + 1 row pointers of 64 bits."""
        if self.generator.device is None:
            library().rmat_interval_pointers(self.handle, 0, rows + 1, 0, to)
        else:
            library().rmat_interval_pointers_device(self.handle, 0, rows + 1, 0, to, stream)

    def disown(self) -> int:
        """Hands the interval over to the caller, who frees it."""
        self._finalize.detach()
        handle, self.handle = self.handle, 0
        return handle

    def __enter__(self) -> "Sorted":
        return self

    def __exit__(self, *_: Any) -> None:
        if self._finalize.detach():
            library().rmat_interval_destroy(self.handle)
