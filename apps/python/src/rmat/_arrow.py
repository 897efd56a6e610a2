"""Edges as a stream of Arrow record batches, and the rows of such streams as edges."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Iterator, Optional

from ._arguments import whole
from ._arrays import check_ids
from ._errors import OptionError
from ._generator import Generator
from ._library import capsule, library

if TYPE_CHECKING:
    from ._edges import Edges


class ArrowStream:
    """What Edges.arrow() returns.  It can be read again and again: each reader gets a stream of its own."""

    def __init__(self, graph: "Edges", batch: int, first: int, count: Optional[int]) -> None:
        self._graph, self._batch = graph, whole("batch", batch, 1)
        self._first, self._count = first, count

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """A capsule of the Arrow PyCapsule interface.  The batches are made by C code, on demand."""
        graph = self._graph
        facts = graph._facts
        generator = Generator(graph.handle, None)
        order = graph._call(lambda: graph._sort_by(generator)) if facts.sorted else None
        first, count = graph._range(self._first, self._count, order)
        width = check_ids(None, graph.rows, graph.cols).itemsize
        stream = library().binding_arrow_stream(graph.handle, generator.disown(), order.disown() if order else None,
                                                first, first + count, self._batch, width, facts.weights)
        if not stream:
            raise MemoryError("out of memory")
        return capsule(stream, b"arrow_array_stream", "binding_free_arrow_stream")


def pairs_of(table: Any) -> Iterator[memoryview]:
    """The rows of a table of two columns, as pairs of uint64, a batch at a time; each is gone once the next is made."""
    if not hasattr(table, "__arrow_c_stream__"):
        raise OptionError(f"table: {type(table).__name__} is no table of Arrow, allowed: those of pyarrow, polars, DuckDB, "
                          "pandas and whatever has __arrow_c_stream__")
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    stream, reader = table.__arrow_c_stream__(), ctypes.c_void_p()
    library().binding_pairs_open(reader, get(stream, b"arrow_array_stream"))
    pairs, count = ctypes.c_void_p(), ctypes.c_uint64()
    try:
        while True:
            library().binding_pairs_next(reader, pairs, count)
            if not count.value:
                return
            yield memoryview((ctypes.c_uint64 * (2 * count.value)).from_address(pairs.value or 0))
    finally:
        library().binding_pairs_close(reader)
