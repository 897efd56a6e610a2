"""Single rows of a graph that is made by rows (rmat/ROWS.md), however large it is."""

from __future__ import annotations

import ctypes
import weakref
from typing import TYPE_CHECKING, Any, Tuple

from ._arguments import whole
from ._arrays import check_ids, numpy_module
from ._errors import OptionError
from ._library import library

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._graph import Graph


class Rows:
    """The rows of a graph; any number of threads may use one."""

    def __init__(self, graph: Graph) -> None:
        handle = ctypes.c_void_p()
        library().rmat_graph_rows(graph.handle, handle)
        self._graph = graph  # which must outlive the rows
        self._vertices, self._dtype = graph.rows, "uint32" if graph.cols <= 1 << 32 else "int64"
        self._handle = handle.value or 0
        weakref.finalize(self, library().rmat_rows_destroy, self._handle).atexit = False

    def degrees(self, vertices: Any) -> Tuple[Any, Any]:
        numpy = numpy_module()
        given = numpy.asarray(vertices)
        if given.dtype.kind not in "iu" and given.size > 0:
            raise OptionError(f"vertices: {given.dtype} given, allowed: integers")
        if given.size > 0 and not 0 <= int(given.min()) <= int(given.max()) < self._vertices:
            raise OptionError(f"vertices: from '{given.min()}' to '{given.max()}', allowed: 0 to {self._vertices - 1}")
        wanted = numpy.ascontiguousarray(given, "uint64").reshape(-1)
        found = numpy.empty(wanted.size, "uint64")
        self._graph._call(lambda: library().rmat_rows_degrees(self._handle, wanted.size, wanted.ctypes.data,
                                                              found.ctypes.data, None), wanted.size)
        return given, found.view("int64").reshape(given.shape)

    def row(self, vertex: Any) -> NDArray[np.int64]:
        number = whole("vertex", vertex, 0, self._vertices - 1)
        numpy = numpy_module()
        made = numpy.empty(int(self.degrees(number)[1]), self._dtype)
        self._graph._call(lambda: library().rmat_rows_row(self._handle, number, made.ctypes.data, made.dtype.itemsize),
                          made.size)
        return made.astype("int64", copy=False)  # type: ignore[no-any-return]

    def csr(self, begin: Any, end: Any, dtype: Any) -> Tuple[Any, Any, Any]:
        end = whole("end", end, 0, self._vertices)
        begin = whole("begin", begin, 0, end)
        numpy, graph = numpy_module(), self._graph
        if graph.options.get("permute") and end - begin < self._vertices:
            raise OptionError(f"begin, end: '{begin}' and '{end}' of a permuted graph, allowed: 0 and {self._vertices}")
        kind = check_ids(dtype, 1, graph.cols)
        pointers = numpy.empty(end - begin + 1, "uint64")

        def make(room: int, columns: Any, weights: Any, takes: int) -> None:
            graph._call(lambda: library().rmat_rows_csr(  # with the arrays, since it may go on when this has been left
                self._handle, begin, end, pointers.ctypes.data, room, columns if columns is None else columns.ctypes.data,
                weights if weights is None else weights.ctypes.data, kind.itemsize), takes)

        make(2**64 - 1, None, None, end - begin)  # how many edges there are
        edges = int(pointers[-1] - pointers[0])
        columns = numpy.empty(edges, kind)
        weights = numpy.empty(edges, graph.weight_dtype) if graph.weight_dtype else None
        if edges:
            make(edges, columns, weights, edges)
        return (pointers - pointers[0]).view("int64"), columns, weights
