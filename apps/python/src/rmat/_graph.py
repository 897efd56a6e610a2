"""Graphs of a model (Graph), and of a file (File)."""

from __future__ import annotations

import contextlib
import ctypes
import os
import types
from typing import TYPE_CHECKING, Any, ContextManager, Iterator, Mapping, Optional, Tuple

from . import _arguments, _program
from ._arguments import whole
from ._arrays import device_number, numpy_module
from ._edges import Edges
from ._errors import OptionError
from ._whole import Whole
from ._library import Facts, library
from ._options import GraphOptions, Path
from ._rows import Rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Graph(GraphOptions, Whole):
    """A graph of a model: the options of ``rmat generate``, by the same names.

    ``Graph(20)`` has scale 20.  Flags are set by True: ``--no-self-loops`` is ``no_self_loops=True``.  Options that are
    about files belong to write().  A graph does not change: `options` can only be read.  Graphs are equal if they have
    the same edges in the same order, whoever makes them.

    >>> g = Graph(20, permute=True, seed=1)
    >>> g.num_vertices, g.num_edges
    (1048576, 16777216)
    >>> g == Graph(permute=True, threads=1), g
    (True, rmat.Graph(scale=20, seed=1, permute=True))
    >>> Graph(scale=63)
    Traceback (most recent call last):
    rmat._errors.OptionError: scale: '63' is out of range, allowed: 1 to 62, or two such numbers with an x between them
    """

    def _open(self, options: dict[str, Any]) -> None:
        self._options = options
        settings = _arguments.settings(options)
        handle, facts = ctypes.c_void_p(), Facts()
        library().rmat_graph_open(handle, len(settings), settings, facts)
        self._others: dict[Tuple[bool, bool], Graph] = {}
        self._by_rows: Optional[Rows] = None
        Edges.__init__(self, handle.value or 0, facts)

    @property
    def options(self) -> Mapping[str, Any]:
        """The options that the graph was made with."""
        return types.MappingProxyType(self._options)

    def _its_rows(self) -> Rows:
        if self._by_rows is None:
            self._by_rows = Rows(self)
        return self._by_rows

    def degree(self, vertices: Any) -> Any:
        """The out-degree of a vertex, or of each vertex of an array, of a graph by rows, ``stream="rows"``.

        Nothing else of the graph is made, so that it may be larger than any memory.

        >>> g = Graph(scale=42, stream="rows")
        >>> g.degree(77), g.degree([0, 1, 2**42 - 1])
        (6906323, array([694305867, 219243352,         0]))
        """
        given, found = self._its_rows().degrees(vertices)
        return found if given.ndim else int(found)

    def neighbors(self, vertex: int) -> NDArray[np.int64]:
        """The destinations of a vertex's edges, in order, of a graph by rows, ``stream="rows"``; copies of edges included.

        >>> Graph(scale=42, stream="rows").neighbors(2**41 + 77).size
        2179668
        """
        return self._its_rows().row(vertex)

    def rows_csr(self, begin: int, end: int, *, dtype: Any = None) -> Tuple[NDArray[np.int64], Any, Any]:
        """The rows of vertices [begin, end) as csr_arrays() has all of them, of a graph by rows, ``stream="rows"``.

        Pointers are counted from the first of these rows.  Copies of edges are included.  Of a permuted graph all rows.

        >>> pointers, columns, weights = Graph(scale=42, stream="rows").rows_csr(2**41 + 77, 2**41 + 79)
        >>> pointers
        array([      0, 2179668, 4359453])
        """
        return self._its_rows().csr(begin, end, dtype)

    def _with(self, unique: bool, dedup: bool) -> "Graph":
        key = _arguments.flag("unique", unique), _arguments.flag("dedup", dedup)
        if self._facts.sorted and not any(key):
            return self
        if key not in self._others:
            more = {name: True for name, wanted in zip(("unique", "dedup"), key) if wanted}
            self._others[key] = Graph(**{**self._options, **(more or {"sorted": True})})
        return self._others[key]

    def _as_drawn(self) -> Edges:
        chosen = {name: value for name, value in self._options.items() if name != "permute"}
        if "undirected" in chosen or "stream" in chosen or self == Graph(**chosen, no_permute=True):
            return self
        return Graph(**chosen, no_permute=True)

    @contextlib.contextmanager
    def _as_file(self) -> Iterator[str]:
        import tempfile  # which takes a while

        with tempfile.TemporaryDirectory(prefix="rmat-") as folder:
            path = os.path.join(folder, "graph.h5")
            self.write(path)
            yield path

    def _write(self, path: Path, options: dict[str, Any]) -> dict[str, Any]:
        target = _arguments.writable(path, "force" in options)
        line = _arguments.words({**self._options, **options, "output": target})
        return _program.run_json(["generate", *line])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        return bool(library().rmat_graph_same(self.handle, other.handle))

    def __hash__(self) -> int:
        return hash(self.command)  # the same for equal graphs

    def __reduce__(self) -> Tuple[Any, ...]:
        """Pickles as its options, so that processes share a graph without sending any edge."""
        return _graph_of, (self._options,)

    def __repr__(self) -> str:
        return f"rmat.Graph({', '.join(f'{name}={value!r}' for name, value in self._options.items())})"


class File(Whole):
    """The graph in an HDF5 file of rmat; open() makes it."""

    def __init__(self, path: Path, *, threads: int = 0) -> None:
        #: The path.
        self.path = _arguments.readable(path)
        handle, facts = ctypes.c_void_p(), Facts()
        self._threads = whole("threads", threads, 0, _arguments.THREADS)
        with self._guard():
            library().rmat_graph_open_file(handle, os.fsencode(self.path), self._threads, facts)
        super().__init__(handle.value or 0, facts)

    @property
    def format(self) -> str:
        """The name of the format: "h5" or "csr"."""
        return str(library().rmat_graph_format(self.handle).decode())

    def _as_file(self) -> ContextManager[str]:
        return contextlib.nullcontext(self.path)

    def _guard(self) -> ContextManager[Any]:
        return _program.hdf5_lock()

    def _place(self, device: Any) -> Optional[int]:
        if device_number(device) is not None:
            raise OptionError(f"device: '{device}' for the edges of a file, allowed: cpu")
        return None

    def __reduce__(self) -> Tuple[Any, ...]:
        return _file_of, (self.path, self._threads)

    def __repr__(self) -> str:
        return f"rmat.open({self.path!r}{f', threads={self._threads}' if self._threads else ''})"


def _graph_of(options: dict[str, Any]) -> Graph:
    return Graph(**options)


def _file_of(path: str, threads: int) -> File:
    return File(path, threads=threads)
