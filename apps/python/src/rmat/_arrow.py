"""Edges as a stream of Arrow record batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from ._arrays import check_ids
from ._errors import OptionError
from ._generator import Generator
from ._library import capsule, library
from ._sorted import Sorted

if TYPE_CHECKING:
    from ._graph import Edges


class ArrowStream:
    """What Edges.arrow() returns.  It can be read again and again: each reader gets a stream of its own."""

    def __init__(self, graph: "Edges", batch: int, first: int, count: Optional[int]) -> None:
        if batch < 1:
            raise OptionError(f"batch: '{batch}' is out of range, allowed: 1 or more")
        self._graph, self._batch, self._first, self._count = graph, batch, first, count

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """A capsule of the Arrow PyCapsule interface.  The batches are made by C code, on demand."""
        graph = self._graph
        facts = graph._facts
        generator = Generator(graph.handle, None)
        whole = Sorted(generator, facts) if facts.sorted else None
        count = graph._range(self._first, self._count, whole.edges if whole else graph.num_edges)
        width = check_ids(None, graph.rows, graph.cols).itemsize
        stream = library().binding_arrow_stream(graph.handle, generator.disown(), whole.disown() if whole else None,
                                                self._first, self._first + count, self._batch, width, facts.weights)
        if not stream:
            raise MemoryError("out of memory")
        return capsule(stream, b"arrow_array_stream", "binding_free_arrow_stream")
