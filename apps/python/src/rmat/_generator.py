"""The generator of a graph; for a sorted graph one interval (rmat/rmat_interval.h) with all of its edges; and single
rows of a graph that is made by rows (rmat/ROWS.md), for graphs of any size."""

from __future__ import annotations

import ctypes
import weakref
from typing import TYPE_CHECKING, Any, Optional, Tuple

from ._arguments import whole
from ._arrays import check_ids, new_array, numpy_module
from ._library import Arrays, Cell, Facts, OptionError, OutOfMemoryError, call, library

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
        weakref.finalize(self, lib.rmat_interval_destroy, self._handle).atexit = False
        lib.rmat_interval_make(handle, Cell(0, 0), Cell(facts.rows, 0), draws, facts.unique)
        lib.rmat_interval_trim(handle)
        #: The number of edges of the graph.
        self.edges = int(lib.rmat_interval_edges(handle))

    def read(self, first: int, count: int, arrays: Arrays, device: Optional[int]) -> None:
        """Writes the sorted edges [first, first + count) to arrays of a GPU (device) or of the host (None); a GPU may
        have sorted them in either case.  Members of `arrays` may be None."""
        if device is None:
            library().rmat_interval_read(self._handle, first, count, arrays)
        else:
            library().rmat_interval_read_device(self._handle, first, count, arrays, None)

    def pointers(self, address: int, count: int, device: Optional[int]) -> None:
        """Writes the first `count` row pointers to an array of int64, in the memory that read() writes to."""
        if device is None:
            library().rmat_interval_pointers(self._handle, 0, count, 0, address)
        else:
            library().rmat_interval_pointers_device(self._handle, 0, count, 0, address, None)


def _check_memory(needed: int, allowed: int) -> None:
    """Fails early: the system would promise the memory, and end the process when it is used."""
    allowed = allowed or int(library().binding_memory())
    if needed > allowed:
        raise OutOfMemoryError(f"a graph that is sorted in memory needs {needed} bytes, available are {allowed}; "
                               "write() needs less")


class Rows:
    """The rows of a graph; any number of threads may use one."""

    def __init__(self, graph: int, facts: Facts, weight_dtype: Optional[str]) -> None:
        handle = ctypes.c_void_p()
        library().rmat_graph_rows(graph, handle)
        self._handle = handle.value or 0
        self._vertices, self._cols = int(facts.rows), int(facts.cols)
        self._weight_dtype, self._permuted = weight_dtype, bool(facts.permuted)
        weakref.finalize(self, library().rmat_rows_destroy, self._handle).atexit = False

    def degrees(self, vertices: Any) -> NDArray[np.int64]:
        """The out-degree of each vertex of an array, in its shape."""
        numpy = numpy_module()
        given = numpy.asarray(vertices)
        if given.dtype.kind not in "iu":  # also the type that NumPy gives to integers beyond its own
            exact = numpy.asarray(vertices, object)
            if given.dtype.kind == "b" or not all(hasattr(one, "__index__") for one in exact.flat):
                raise OptionError(f"vertices: {given.dtype} given, allowed: integers")
            given = exact
        if given.size > 0 and not 0 <= int(given.min()) <= int(given.max()) < self._vertices:
            raise OptionError(f"vertices: from '{given.min()}' to '{given.max()}', allowed: 0 to {self._vertices - 1}")
        wanted = numpy.ascontiguousarray(given, "uint64").reshape(-1)
        found = numpy.empty(wanted.size, "uint64")
        call(lambda: library().rmat_rows_degrees(self._handle, wanted.size, wanted.ctypes.data, found.ctypes.data,
                                                 None),
             wanted.size << 8)  # a degree takes as long as some hundred edges
        return found.view("int64").reshape(given.shape)  # type: ignore[no-any-return]

    def row(self, vertex: Any) -> NDArray[np.int64]:
        """The destinations of a vertex's edges."""
        number = whole("vertex", vertex, 0, self._vertices - 1)
        made = numpy_module().empty(int(self.degrees(number)), "uint32" if self._cols <= 1 << 32 else "int64")
        call(lambda: library().rmat_rows_row(self._handle, number, made.ctypes.data, made.dtype.itemsize), made.size)
        return made.astype("int64", copy=False)  # type: ignore[no-any-return]

    def csr(self, begin: Any, end: Any, dtype: Any) -> Tuple[NDArray[np.int64], Any, Any]:
        """Pointers, columns and weights of rows [begin, end)."""
        end = whole("end", end, 0, self._vertices)
        begin = whole("begin", begin, 0, end)
        numpy = numpy_module()
        if self._permuted:
            raise OptionError("rows_csr: a permuted graph is given, allowed: a graph without permute; "
                              "csr() sorts its rows")
        kind = check_ids(dtype, 1, self._cols)
        pointers = new_array("end - begin + 1", end - begin + 1, "uint64", None)

        def make(room: int, columns: Any, weights: Any, takes: int) -> None:
            call(lambda: library().rmat_rows_csr(  # holds the arrays: it may go on after an interruption
                self._handle, begin, end, pointers.ctypes.data, room,
                columns if columns is None else columns.ctypes.data,
                weights if weights is None else weights.ctypes.data, kind.itemsize), takes)

        make(2**64 - 1, None, None, end - begin)  # counts the edges
        edges = int(pointers[-1] - pointers[0])
        columns = numpy.empty(edges, kind)
        weights = numpy.empty(edges, self._weight_dtype) if self._weight_dtype else None
        if edges:
            make(edges, columns, weights, edges)
        return (pointers - pointers[0]).view("int64"), columns, weights
