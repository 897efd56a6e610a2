"""Single rows of a graph that is made by rows (rmat/ROWS.md), for graphs of any size."""

from __future__ import annotations

import ctypes
import weakref
from typing import TYPE_CHECKING, Any, Optional, Tuple

from ._arguments import whole
from ._arrays import check_ids, new_array, numpy_module
from ._errors import OptionError
from ._interrupt import call
from ._library import Facts, library

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
        call(lambda: library().rmat_rows_degrees(self._handle, wanted.size, wanted.ctypes.data, found.ctypes.data, None),
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
        if self._permuted and end - begin < self._vertices:
            raise OptionError(f"begin, end: '{begin}' and '{end}' of a permuted graph, allowed: 0 and {self._vertices}")
        kind = check_ids(dtype, 1, self._cols)
        pointers = new_array("end - begin + 1", end - begin + 1, "uint64", None)

        def make(room: int, columns: Any, weights: Any, takes: int) -> None:
            call(lambda: library().rmat_rows_csr(  # holds the arrays: it may go on after an interruption
                self._handle, begin, end, pointers.ctypes.data, room, columns if columns is None else columns.ctypes.data,
                weights if weights is None else weights.ctypes.data, kind.itemsize), takes)

        make(2**64 - 1, None, None, end - begin)  # counts the edges
        edges = int(pointers[-1] - pointers[0])
        columns = numpy.empty(edges, kind)
        weights = numpy.empty(edges, self._weight_dtype) if self._weight_dtype else None
        if edges:
            make(edges, columns, weights, edges)
        return (pointers - pointers[0]).view("int64"), columns, weights
