"""Edges as a stream of Arrow record batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from ._arguments import whole
from ._arrays import check_ids
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
