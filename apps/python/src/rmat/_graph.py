"""Graph: a graph of the model.  It makes edges as arrays, as CSR or row by row, or writes them to a file."""

from __future__ import annotations

import ctypes
import os
import threading
import types
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Sequence, Tuple, Union

from . import _arguments, _program
from ._arguments import given, whole
from ._arrays import Target, check_ids, device_number, new_array, numpy_module
from ._generator import Generator, Sorted
from ._library import Arrays, Facts, OptionError, call, library, own, write

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: A number; or a text with one of the suffixes K M G T P Ki Mi Gi Ti Pi, as "16G".
Count = Union[int, str]
#: One for both; or two, as (20, 18) or "20x18".
Pair = Union[Count, Sequence[Count]]
Path = Union[str, os.PathLike[str]]

_WEIGHTS = (None, "float32", "int32", "float32")


class Graph:
    """A graph of a model: the options of ``rmat generate``, by the same names.

    ``Graph(20)`` has scale 20.  True sets a flag: ``--no-self-loops`` is ``no_self_loops=True``.  Options of files
    belong to write().  A graph never changes, and `options` is read-only.  Graphs are equal if they have the same edges
    in the same order, on any device; of matrices in a file the name counts.  Several threads may use one at the same
    time, and calls release the interpreter's lock.

    >>> g = Graph(20, permute=True, seed=1)
    >>> g.num_vertices, g.num_edges
    (1048576, 16777216)
    >>> g == Graph(permute=True, threads=1), g
    (True, rmat.Graph(scale=20, seed=1, permute=True))
    >>> Graph(scale=63)
    Traceback (most recent call last):
    rmat._library.OptionError: scale: '63' is out of range, allowed: 1 to 62, or two such numbers with an x between them
    """

    def __init__(self, scale: Optional[Pair] = None, *, stream: Optional[str] = None,
                 vertices: Optional[Pair] = None, edge_factor: Optional[Count] = None,
                 edges: Optional[Count] = None, first: Optional[Count] = None, count: Optional[Count] = None,
                 preset: Optional[str] = None, a: Optional[float] = None, b: Optional[float] = None,
                 c: Optional[float] = None, d: Optional[float] = None, level_matrices: Optional[Path] = None,
                 noise: Optional[float] = None, seed: Optional[int] = None, seed2: Optional[int] = None,
                 permute: bool = False, no_self_loops: bool = False, undirected: Optional[str] = None,
                 symmetrize: bool = False, unique: bool = False, dedup: bool = False, simple: bool = False,
                 weights: Optional[str] = None, sorted: bool = False, threads: Optional[Count] = None,
                 backend: Optional[str] = None, memory: Optional[Count] = None) -> None:
        """A graph of the model that these options describe; ``python -m rmat help generate`` explains each of them."""
        self._options = given(locals(), Graph.__init__.__kwdefaults__)
        words = [os.fsencode(one) for one in _arguments.words(self._options)]
        lib, self._facts = library(), Facts()
        self._handle = own(self, lambda handle: lib.rmat_graph_open(
            handle, len(words), (ctypes.c_char_p * len(words))(*words), self._facts), lib.rmat_graph_close)
        self._lock = threading.Lock()
        self._generators: dict[Tuple[int, Optional[int]], Generator] = {}
        # Computed once for a graph: the draws with enough distinct edges, and the edges without their copies.
        self._draws = int(self._facts.stream_edges)
        self._count = int(self._facts.edges) if self._facts.edges_known else None
        self._row_handle: Optional[int] = None

    @property
    def options(self) -> Mapping[str, Any]:
        """The options that the graph was made with."""
        return types.MappingProxyType(self._options)

    @property
    def command(self) -> str:
        """The command line that writes this graph to a file."""
        return str(self._facts.command.decode())

    @property
    def rows(self) -> int:
        """The number of source vertices."""
        return int(self._facts.rows)

    @property
    def cols(self) -> int:
        """The number of destination vertices."""
        return int(self._facts.cols)

    @property
    def num_vertices(self) -> int:
        """The number of vertices; for a bipartite graph, of the larger side."""
        return max(self.rows, self.cols)

    @property
    def num_edges(self) -> int:
        """The number of edges.

        If copies are dropped (``dedup``, ``simple``), the first call that needs it makes the graph once in memory, as
        edges() does.
        """
        if self._count is None:
            return self._sort(None).edges
        return self._count

    @property
    def weight_dtype(self) -> Optional[str]:
        """"float32", "int32", or None without weights."""
        return _WEIGHTS[self._facts.weights]

    def edges(self, first: int = 0, count: Optional[int] = None, *, dtype: Any = None, out: Any = None,
              device: Any = None) -> Tuple[Any, ...]:
        """Edges [first, first + count) as the arrays src and dst and, for a graph with weights, weight.

        dtype: int32, int64, uint32 or uint64; by default int32 if it suffices, else int64.
        out: the arrays of NumPy, CuPy or PyTorch to write to, which are returned.
        device: "cuda" or the number of a GPU for arrays in its memory; by default, NumPy's.  The call waits until the
            arrays are complete.

        Any range of a list is made directly, without the edges before it.  For a sorted graph (``sorted``,
        ``unique``, ``dedup``, ``simple``) every call makes the whole graph in memory.

        >>> src, dst = Graph(scale=20, seed=1).edges(1_000_000, 3)
        >>> src.dtype, len(dst)
        (dtype('int32'), 3)
        """
        if out is not None:
            given = tuple(out)
            targets = [Target(array) for array in given]
            self._check_out(targets, dtype, count, device)
            graph = self._ordered(targets[0].device)
            first, _ = self._range(first, targets[0].size, graph)
            self._fill(targets, first, graph)
            return given
        dtype, number = check_ids(dtype, self.num_vertices), device_number(device)
        graph = self._ordered(number)
        first, count = self._range(first, count, graph)
        return self._make(first, count, dtype, number, graph)

    def batches(self, size: int, *, first: int = 0, count: Optional[int] = None, dtype: Any = None,
                device: Any = None) -> Iterator[Tuple[Any, ...]]:
        """Yields the edges of edges(), `size` at a time, so that memory stays bounded.

        >>> [len(src) for src, dst in Graph(scale=4, edge_factor=5).batches(32)]
        [32, 32, 16]
        """
        size = whole("size", size, 1)
        dtype, number = check_ids(dtype, self.num_vertices), device_number(device)
        graph = self._ordered(number)
        first, count = self._range(first, count, graph)
        for start in range(first, first + count, size):
            yield self._make(start, min(size, first + count - start), dtype, number, graph)

    def csr(self, *, dtype: Any = None, device: Any = None) -> Tuple[Any, Any, Any]:
        """All edges as compressed sparse rows: row pointers (int64), columns by row in increasing order, and weights or
        None.

        Each copy of an edge is a separate column, unless the graph has none (``unique``, ``dedup``, ``simple``).
        dtype (of the columns) and device: as for edges().

        >>> pointers, columns, weights = Graph(scale=8, dedup=True).csr()
        >>> int(pointers[-1]) == len(columns)
        True
        """
        dtype, number = check_ids(dtype, self.cols), device_number(device)
        graph = self._sort(number)
        pointers = new_array("rows", self.rows + 1, "int64", number)
        columns = new_array("edges", graph.edges, dtype, number)
        weights = new_array("edges", graph.edges, self.weight_dtype, number) if self.weight_dtype else None

        def work() -> None:
            arrays = Arrays(None, Target(columns).pointer, None if weights is None else Target(weights).pointer,
                            columns.dtype.itemsize)
            write(number, "rmat_interval_pointers", graph.handle, 0, pointers.size, 0, Target(pointers).pointer)
            if graph.edges:
                write(number, "rmat_interval_read", graph.handle, 0, graph.edges, arrays)

        call(work, graph.edges + self.rows)
        return pointers, columns, weights

    def degree(self, vertices: Any) -> Any:
        """The out-degree of a vertex, or of each vertex of an array, of a graph by rows, ``stream="rows"``.

        No other part of the graph is made, so it may be larger than any memory.

        >>> g = Graph(scale=42, stream="rows")
        >>> g.degree(77), g.degree([0, 1, 2**42 - 1])
        (6906323, array([694305867, 219243352,         0]))
        """
        numpy = numpy_module()
        given = numpy.asarray(vertices)
        if given.dtype.kind not in "iu":  # also the type that NumPy gives to integers beyond its own
            exact = numpy.asarray(vertices, object)
            if given.dtype.kind == "b" or not all(hasattr(one, "__index__") for one in exact.flat):
                raise OptionError(f"vertices: {given.dtype} given, allowed: integers")
            given = exact
        if given.size > 0 and not 0 <= int(given.min()) <= int(given.max()) < self.rows:
            raise OptionError(f"vertices: from '{given.min()}' to '{given.max()}', allowed: 0 to {self.rows - 1}")
        wanted = numpy.ascontiguousarray(given, "uint64").reshape(-1)
        found = numpy.empty(wanted.size, "uint64")
        call(lambda: library().rmat_rows_degrees(self._its_rows(), wanted.size, wanted.ctypes.data, found.ctypes.data,
                                                 None),
             wanted.size << 8)  # a degree takes as long as some hundred edges
        return found.view("int64").reshape(given.shape) if given.ndim else int(found[0])

    def neighbors(self, vertex: int) -> NDArray[np.int64]:
        """The destinations of a vertex's edges, in order, of a graph by rows, ``stream="rows"``; copies of edges
        included.

        >>> Graph(scale=42, stream="rows").neighbors(2**41 + 77).size
        2179668
        """
        number = whole("vertex", vertex, 0, self.rows - 1)
        made = numpy_module().empty(self.degree(number), "uint32" if self.cols <= 1 << 32 else "int64")
        call(lambda: library().rmat_rows_row(self._its_rows(), number, made.ctypes.data, made.dtype.itemsize), made.size)
        return made.astype("int64", copy=False)  # type: ignore[no-any-return]

    def rows_csr(self, begin: int, end: int, *, dtype: Any = None) -> Tuple[NDArray[np.int64], Any, Any]:
        """The rows of vertices [begin, end) in the form of csr(), of a graph by rows, ``stream="rows"``.

        Pointers count from the first of these rows.  Copies of edges are included.  The graph must not be permuted.

        >>> pointers, columns, weights = Graph(scale=42, stream="rows").rows_csr(2**41 + 77, 2**41 + 79)
        >>> pointers
        array([      0, 2179668, 4359453])
        """
        end = whole("end", end, 0, self.rows)
        begin = whole("begin", begin, 0, end)
        self._its_rows()
        if self._facts.permuted:
            raise OptionError("rows_csr: a permuted graph is given, allowed: a graph without permute; "
                              "csr() sorts its rows")
        kind = check_ids(dtype, self.cols)
        pointers = new_array("end - begin + 1", end - begin + 1, "uint64", None)

        def make(room: int, columns: Any, weights: Any, takes: int) -> None:
            call(lambda: library().rmat_rows_csr(  # holds the arrays: it may go on after an interruption
                self._its_rows(), begin, end, pointers.ctypes.data, room,
                columns if columns is None else columns.ctypes.data,
                weights if weights is None else weights.ctypes.data, kind.itemsize), takes)

        make(2**64 - 1, None, None, end - begin)  # counts the edges
        edges = int(pointers[-1] - pointers[0])
        columns = new_array("edges", edges, kind, None)
        weights = new_array("edges", edges, self.weight_dtype, None) if self.weight_dtype else None
        if edges:
            make(edges, columns, weights, edges)
        return (pointers - pointers[0]).view("int64"), columns, weights

    def write(self, path: Path, *, format: Optional[str] = None, id_type: Optional[str] = None,
              force: bool = False, dry_run: bool = False, threads: Optional[Count] = None,
              backend: Optional[str] = None, memory: Optional[Count] = None) -> dict[str, Any]:
        """Writes the graph to a file: the bytes of ``rmat generate --output PATH``.

        Returns the summary of the program, which works in a separate process: its failures cannot harm this process.
        Ctrl-C stops it, and no file is left.

        force: replace the file if it exists, once the new one is complete.
        format, id_type, dry_run: as ``python -m rmat help generate`` explains them.
        threads, backend, memory: those of Graph(), for this file alone.
        """
        options = given(locals(), Graph.write.__kwdefaults__)
        target = _arguments.writable(path, "force" in options)
        return _program.generate(_arguments.words({**self._options, **options, "output": target}))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        # The command does not say the contents of a file of level matrices.
        files = [one._options.get("level_matrices") for one in (self, other)]
        return self.command == other.command and files[0] == files[1]

    def __hash__(self) -> int:
        return hash(self.command)  # the same for equal graphs

    def __reduce__(self) -> Tuple[Any, ...]:
        """Pickles as its options, so that processes share a graph without sending any edge."""
        return _graph_of, (self._options,)

    def __repr__(self) -> str:
        return f"rmat.Graph({', '.join(f'{name}={value!r}' for name, value in self._options.items())})"

    def _its_rows(self) -> int:
        """The graph's rmat_rows, which ends with the graph."""
        if self._row_handle is None:
            lib = library()
            self._row_handle = own(self, lambda handle: lib.rmat_graph_rows(self._handle, handle), lib.rmat_rows_destroy)
        return self._row_handle

    def _generator(self, device: Optional[int]) -> Generator:
        """The maker of edges for arrays there: on a GPU if `backend` requests one, even for host arrays."""
        device = 0 if device is None and self._facts.backend == 2 else device
        key = os.getpid(), device
        with self._lock:
            if key not in self._generators:
                self._generators[key] = Generator(self._handle, device)
            return self._generators[key]

    def _sort(self, device: Optional[int]) -> Sorted:
        """All edges in order, in memory."""
        generator = self._generator(device)

        def work() -> Sorted:
            if not self._draws and self._facts.distinct:
                self._draws = generator.draws_for(int(self._facts.distinct))
            return Sorted(generator, self._facts, self._draws)

        made = call(work)
        self._count = made.edges
        return made

    def _ordered(self, device: Optional[int]) -> Optional[Sorted]:
        """All edges of a sorted graph; None for a list, whose ranges are made directly."""
        return self._sort(device) if self._facts.sorted else None

    def _range(self, first: Any, count: Any, graph: Optional[Sorted]) -> Tuple[int, int]:
        edges = int(self._facts.edges) if graph is None else graph.edges
        first = whole("first", first, 0, edges)
        return first, edges - first if count is None else whole("count", count, 0, edges - first)

    def _check_out(self, targets: list[Target], dtype: Any, count: Optional[int], device: Any) -> None:
        """The caller's arrays: as many as there are columns, of the same length and in the same memory."""
        wanted = 3 if self.weight_dtype else 2
        if len(targets) != wanted:
            raise OptionError(f"out: {len(targets)} arrays, allowed: {wanted}")
        ids, length = targets[0].dtype, targets[0].size
        check_ids(ids, self.num_vertices)
        for i, target in enumerate(targets):
            right = ids if i < 2 else numpy_module().dtype(self.weight_dtype)
            if target.size != length or target.dtype != right or target.device != targets[0].device:
                raise OptionError(f"out: array {i} is {target.dtype.name}[{target.size}], allowed: "
                                  f"{right.name}[{length}] in the same memory as the first")
        memory = sorted((target.pointer, target.pointer + target.size * target.dtype.itemsize) for target in targets)
        if any(end > begin for (_, end), (begin, _) in zip(memory, memory[1:])):
            raise OptionError("out: two of the arrays share memory, allowed: arrays apart from each other")
        if dtype is not None and check_ids(dtype, self.num_vertices) != ids:
            raise OptionError(f"dtype: {dtype!r} is not that of out, allowed: '{ids.name}'")
        if count is not None and count != length:
            raise OptionError(f"count: {count} is not the length of out, allowed: {length}")
        if device is not None and device_number(device) != targets[0].device:
            raise OptionError(f"device: {device!r} is not where out is, allowed: None")

    def _make(self, first: int, count: int, dtype: Any, device: Optional[int],
              graph: Optional[Sorted]) -> Tuple[Any, ...]:
        """New arrays with edges [first, first + count)."""
        dtypes = [dtype, dtype] + ([self.weight_dtype] if self.weight_dtype else [])
        made = tuple(new_array("count", count, one, device) for one in dtypes)
        self._fill([Target(array) for array in made], first, graph)
        return made

    def _fill(self, targets: list[Target], first: int, graph: Optional[Sorted]) -> None:
        """Fills the targets with edges."""
        device, count = targets[0].device, targets[0].size
        if count == 0:
            return

        def work() -> None:
            arrays = Arrays(targets[0].pointer, targets[1].pointer, targets[2].pointer if len(targets) > 2 else None,
                            targets[0].dtype.itemsize)
            if graph is not None:
                write(device, "rmat_interval_read", graph.handle, first, count, arrays)
            else:
                write(device, "rmat_generate_arrays", self._generator(device).handle, first, count, arrays)

        call(work, count if device is None or graph is not None else 0)  # a list on a GPU is fast


def _graph_of(options: dict[str, Any]) -> Graph:
    return Graph(**options)
