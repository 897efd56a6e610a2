"""A generator of the C library: the graph's tables, ready to make edges on the CPU or on a GPU."""

from __future__ import annotations

import contextlib
import ctypes
import weakref
from typing import Iterator, Optional

from ._errors import Error
from ._library import SOURCE_FAILED, Arrays, library


class Generator:
    """Any number of threads may use one at a time.  It holds a reference to the library's graph."""

    def __init__(self, graph: int, device: Optional[int]) -> None:
        handle = ctypes.c_void_p()
        library().rmat_graph_generator(graph, -1 if device is None else device, 0, handle)
        library().rmat_graph_retain(graph)
        self.graph = graph
        self.device = device
        self.handle: int = handle.value or 0
        self._finalize = weakref.finalize(self, _free, self.handle, graph)
        self._finalize.atexit = False

    def fill(self, first: int, count: int, arrays: Arrays) -> None:
        """Edges [first, first + count) into arrays on the host, wherever they are made."""
        with self.explained():
            library().rmat_generate_arrays(self.handle, first, count, arrays)

    @contextlib.contextmanager
    def explained(self) -> Iterator[None]:
        """Where the edges of a file cannot be had, the error says why."""
        try:
            yield
        except Error as error:
            if error.status == SOURCE_FAILED:
                why = library().rmat_graph_error(self.graph).decode(errors="replace")
                raise Error(why or str(error), SOURCE_FAILED) from None
            raise

    def fill_device(self, first: int, count: int, arrays: Arrays, stream: Optional[int]) -> None:
        """The same into arrays of its GPU, started in a stream."""
        library().rmat_generate_arrays_device(self.handle, first, count, arrays, stream)

    def disown(self) -> int:
        """Hands the generator over to the caller, who frees it; the reference to the graph stays here."""
        self._finalize.detach()
        weakref.finalize(self, library().rmat_graph_close, self.graph).atexit = False
        return self.handle


def _free(generator: int, graph: int) -> None:
    library().rmat_destroy(generator)
    library().rmat_graph_close(graph)
