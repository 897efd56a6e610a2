"""Graphs as arrays: of a model (Graph), or of a file (File)."""

from __future__ import annotations

import ctypes
import os
import threading
import warnings
import weakref
from typing import Any, Iterator, Optional, Tuple, Union

from . import _interrupt, _program
from ._arrays import DeviceArray, Target, check_ids, device_number, new_array, numpy_module, stream_pointer
from ._arrow import ArrowStream
from ._errors import OptionError
from ._generator import Generator
from ._library import Arrays, Facts, library, words
from ._sorted import Sorted

_WEIGHTS = (None, "float32", "int32", "float32")


class Edges:
    """What graphs of models and of files have in common.

    Objects may be used from several threads at the same time.  Calls release the interpreter's lock.
    """

    def __init__(self, handle: int, facts: Facts) -> None:
        #: The library's rmat_graph.
        self.handle = handle
        self._facts = facts
        self._generators: dict[Tuple[int, Optional[int]], Generator] = {}
        self._lock = threading.Lock()
        weakref.finalize(self, library().rmat_graph_close, handle).atexit = False

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
        """The number of vertices; of a bipartite graph, those of the larger side."""
        return max(self.rows, self.cols)

    @property
    def num_edges(self) -> int:
        """The number of edges; with ``dedup`` or ``simple`` the number before copies are dropped."""
        return int(self._facts.edges)

    @property
    def weight_dtype(self) -> Optional[str]:
        """"float32", "int32", or None without weights."""
        return _WEIGHTS[self._facts.weights]

    @property
    def command(self) -> str:
        """The command line that writes this graph to a file; "" if it is not known."""
        return str(library().rmat_graph_command(self.handle).decode())

    def _generator(self, device: Optional[int]) -> Generator:
        key = os.getpid(), device
        with self._lock:
            if key not in self._generators:
                self._generators[key] = Generator(self.handle, device)
            return self._generators[key]

    def _place(self, device: Any) -> Optional[int]:
        """The number of the GPU that arrays are to be on; None: the host."""
        return device_number(device)

    def _maker(self, device: Optional[int]) -> Generator:
        """Who makes edges for arrays there: the GPU that `backend` asks for, also for the host."""
        if device is None and self._facts.backend == 2:
            return self._generator(max(int(self._facts.device), 0))
        return self._generator(device)

    def _sort(self, device: Optional[int]) -> Sorted:
        """All edges in order, in memory."""
        return Sorted(self._maker(device), self._facts)

    def _range(self, first: int, count: Optional[int], edges: int) -> int:
        count = edges - first if count is None else count
        if first < 0 or count < 0 or first + count > edges:
            raise OptionError(f"first, count: '{first}, {count}' is out of range, allowed: within the {edges} edges")
        return count

    def edges(self, first: int = 0, count: Optional[int] = None, *, dtype: Any = None, out: Any = None,
              device: Any = None, stream: Any = None) -> Tuple[Any, ...]:
        """Edges [first, first + count) as the arrays src and dst and, of a graph with weights, weight.

        dtype: int32, int64, uint32 or uint64; by default int32 if it suffices, else int64.
        out: as many arrays to write to, which are then returned: of NumPy, CuPy or PyTorch.
        device: "cuda" or the number of a GPU for arrays in its memory; by default, NumPy's.
        stream: a CUDA stream in which the work is started; by default the call waits until it is done.

        Any range of a list is made at once, without the edges before it.  A sorted graph (``sorted``,
        ``unique``, ``dedup``, ``simple``) is made as a whole by every call, in memory.

        >>> src, dst = Graph(scale=20, seed=1).edges(1_000_000, 3)
        >>> src.dtype, len(dst)
        (dtype('int32'), 3)
        """
        if out is not None:
            self._edges_into([Target(array) for array in out], first, dtype, count, stream,
                             weights=self.weight_dtype is not None)
            return tuple(out)
        dtype = check_ids(dtype, self.rows, self.cols)
        number, pointer = self._place(device), stream_pointer(stream)
        if self._facts.sorted:
            with self._sort(number) as graph:
                count = self._range(first, count, graph.edges)
                made = self._new(count, dtype, number, pointer)
                self._fill([Target(array) for array in made], first, stream, graph)
            return made
        count = self._range(first, count, self.num_edges)
        made = self._new(count, dtype, number, pointer)
        self._fill([Target(array) for array in made], first, stream, None)
        return made

    def _new(self, count: int, dtype: Any, device: Optional[int], stream: Optional[int]) -> Tuple[Any, ...]:
        dtypes = [dtype, dtype] + ([self.weight_dtype] if self.weight_dtype else [])
        return tuple(new_array((count,), one, device, stream) for one in dtypes)

    def _edges_into(self, targets: list[Target], first: int, dtype: Any, count: Optional[int], stream: Any,
                    weights: bool) -> None:
        self._place(targets[0].device)
        wanted = 3 if weights else 2
        if len(targets) != wanted:
            raise OptionError(f"out: '{len(targets)}' arrays, allowed: {wanted}")
        check_ids(targets[0].dtype, self.rows, self.cols)
        length = targets[0].shape[0] if targets[0].shape else 0
        for i, target in enumerate(targets):
            right = targets[0].dtype if i < 2 else numpy_module().dtype(self.weight_dtype)
            if target.shape != (length,) or target.dtype != right or target.device != targets[0].device:
                raise OptionError(f"out: array {i} is {target.dtype.name}{list(target.shape)}, allowed: "
                                  f"{right.name}[{length}] in the same memory as the first")
        if dtype is not None and check_ids(dtype, self.rows, self.cols) != targets[0].dtype:
            raise OptionError(f"dtype: {dtype!r} is not that of out, allowed: '{targets[0].dtype.name}'")
        if count is not None and count != length:
            raise OptionError(f"count: '{count}' is not the length of out, allowed: {length}")
        if self._facts.sorted:
            with self._sort(targets[0].device) as graph:
                self._range(first, length, graph.edges)
                self._fill(targets, first, stream, graph)
        else:
            self._range(first, length, self.num_edges)
            self._fill(targets, first, stream, None)

    def _fill(self, targets: list[Target], first: int, stream: Any, graph: Optional[Sorted]) -> None:
        """Writes as many edges as the targets have room for."""
        device, pointer, count = targets[0].device, stream_pointer(stream), targets[0].shape[0]
        arrays = Arrays(targets[0].pointer, targets[1].pointer, targets[2].pointer if len(targets) > 2 else None,
                        targets[0].dtype.itemsize)
        if count == 0:
            return
        if graph is not None:
            graph.read(first, count, arrays, pointer)
        elif device is None:
            self._maker(None).fill(first, count, arrays)
        else:
            self._generator(device).fill_device(first, count, arrays, pointer)
        if device is not None and (stream is None or graph is not None):
            library().binding_wait(device, pointer)

    def edge_index(self, first: int = 0, count: Optional[int] = None, *, dtype: Any = None, out: Any = None,
                   device: Any = None, stream: Any = None) -> Any:
        """Edges as one array of shape (2, count), sources above destinations: PyTorch Geometric's edge_index.

        Weights are left out.  The arguments are those of edges(); out is one array, and dtype is int64 by default.

        >>> Graph(scale=10).edge_index().shape
        (2, 16384)
        """
        if out is not None:
            whole = Target(out)
            if len(whole.shape) != 2 or whole.shape[0] != 2:
                raise OptionError(f"out: its shape is {list(whole.shape)}, allowed: [2, count]")
            self._edges_into(whole.rows(), first, dtype, count, stream, weights=False)
            return out
        number, dtype = self._place(device), check_ids(dtype or "int64", self.rows, self.cols)
        if self._facts.sorted:
            with self._sort(number) as graph:
                made = new_array((2, self._range(first, count, graph.edges)), dtype, number, stream_pointer(stream))
                self._fill(Target(made).rows(), first, stream, graph)
            return made
        made = new_array((2, self._range(first, count, self.num_edges)), dtype, number, stream_pointer(stream))
        self._fill(Target(made).rows(), first, stream, None)
        return made

    def batches(self, size: int, *, first: int = 0, count: Optional[int] = None, dtype: Any = None,
                device: Any = None) -> Iterator[Tuple[Any, ...]]:
        """What edges() returns, `size` edges at a time, so that memory stays bounded.

        >>> [len(src) for src, dst in Graph(scale=4, edge_factor=5).batches(32)]
        [32, 32, 16]
        """
        if size < 1:
            raise OptionError(f"size: '{size}' is out of range, allowed: 1 or more")
        if not self._facts.sorted:
            end = first + self._range(first, count, self.num_edges)
            for start in range(first, end, size):
                yield self.edges(start, min(size, end - start), dtype=dtype, device=device)
            return
        number, dtype = self._place(device), check_ids(dtype, self.rows, self.cols)
        with self._sort(number) as graph:
            end = first + self._range(first, count, graph.edges)
            for start in range(first, end, size):
                made = self._new(min(size, end - start), dtype, number, None)
                self._fill([Target(array) for array in made], start, None, graph)
                yield made

    def csr_arrays(self, *, dtype: Any = None, device: Any = None, unique: bool = False,
                   dedup: bool = False) -> Tuple[Any, Any, Any]:
        """Row pointers (int64), column numbers by row in increasing order, and weights or None.

        unique and dedup are those of the graph's options, for this call.

        >>> pointers, columns, weights = Graph(scale=8).csr_arrays(dedup=True)
        >>> int(pointers[-1]) == len(columns)
        True
        """
        graph = self._with(unique=unique, dedup=dedup)
        number, dtype = self._place(device), check_ids(dtype, 1, self.cols)
        with graph._sort(number) as whole:
            pointers = new_array((self.rows + 1,), "int64", number)
            columns = new_array((whole.edges,), dtype, number)
            weights = new_array((whole.edges,), self.weight_dtype, number) if self.weight_dtype else None
            whole.pointers(self.rows, Target(pointers).pointer, None)
            arrays = Arrays(None, Target(columns).pointer, None if weights is None else Target(weights).pointer,
                            dtype.itemsize)
            if whole.edges:
                whole.read(0, whole.edges, arrays, None)
            if number is not None:
                library().binding_wait(number, None)
        return pointers, columns, weights

    def _with(self, **options: Any) -> "Edges":
        if any(options.values()):
            raise OptionError("unique, dedup: given for a graph of a file, allowed: what rmat convert makes of it")
        return self

    def csr(self, *, device: Any = None, unique: bool = False, dedup: bool = False) -> Any:
        """The adjacency matrix as scipy.sparse.csr_array or, on a GPU, cupyx.scipy.sparse.csr_matrix.

        Its values are the weights, or ones (float32).  Without unique or dedup, copies of an edge are entries
        of their own, which SciPy adds up where it needs to.
        """
        pointers, columns, weights = self.csr_arrays(device=device, unique=unique, dedup=dedup)
        shape = self.rows, self.cols
        if device_number(device) is None:
            import scipy.sparse

            values = numpy_module().ones(len(columns), "float32") if weights is None else weights
            return scipy.sparse.csr_array((values, columns, pointers), shape=shape)
        import cupy
        import cupyx.scipy.sparse

        with cupy.cuda.Device(device_number(device)):
            columns = cupy.asarray(columns)
            pointers = cupy.asarray(pointers).astype(columns.dtype, copy=False)  # CuPy wants one type for both
            values = cupy.ones(len(columns), "float32") if weights is None else cupy.asarray(weights)
            return cupyx.scipy.sparse.csr_matrix((values, columns, pointers), shape=shape)

    def arrow(self, batch: int = 1 << 20, *, first: int = 0, count: Optional[int] = None) -> ArrowStream:
        """A stream of Arrow record batches with the columns src, dst and weight, made as they are read.

        Whatever reads the Arrow PyCapsule interface takes it: ``pyarrow.table(g.arrow())``,
        ``polars.DataFrame(g.arrow())``, DuckDB.
        """
        return ArrowStream(self, batch, first, count)


def _words(options: dict[str, Any]) -> list[str]:
    """The words of a command line: scale=20, permute=True becomes --scale 20 --permute."""
    line: list[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        line.append("--" + name.replace("_", "-"))
        if value is not True:
            line.append(repr(value) if isinstance(value, float) else str(value))
    return line


class Graph(Edges):
    """A graph of a model: the options of ``rmat generate``, by the same names.

    Dashes become underscores, flags become True: ``--no-self-loops`` is ``no_self_loops=True``.
    ``help(rmat.Graph)`` does not list the options; ``rmat generate --help`` and the page GENERATE.md do.
    Options that are about files belong to write().

    >>> g = Graph(scale=20, permute=True, seed=1)
    >>> g.num_vertices, g.num_edges
    (1048576, 16777216)
    >>> Graph(scale=63)
    Traceback (most recent call last):
    rmat._errors.OptionError: --scale: '63' is out of range, allowed: 1 to 62
    """

    def __init__(self, **options: Any) -> None:
        argc, argv = words(_words(options))
        handle, facts = ctypes.c_void_p(), Facts()
        library().rmat_graph_open(handle, argc, argv, facts)
        self.options = dict(options)
        super().__init__(handle.value or 0, facts)

    def _with(self, **options: Any) -> "Graph":
        given = {name: True for name, value in options.items() if value}
        return Graph(**{**self.options, **given}) if given else self

    def write(self, path: Union[str, "os.PathLike[str]"], **options: Any) -> dict[str, Any]:
        """Writes the graph to a file: what ``rmat generate --output PATH`` writes, byte for byte.

        options: those of ``rmat generate`` about files, as format="csr", compress=True, threads=4, force=True.
        Returns the summary of the program, which does the work in a process of its own: nothing that
        happens to it can harm this one.  Ctrl-C stops it, and no file is left.
        """
        line = ["generate", *_words({**self.options, **options, "output": os.fspath(path)})]
        return _program.run_json(line)

    def __reduce__(self) -> Tuple[Any, ...]:
        """Pickles as its options, so that processes share a graph without sending any edge."""
        return _graph_of, (self.options,)

    def __repr__(self) -> str:
        return f"rmat.Graph({', '.join(f'{name}={value!r}' for name, value in self.options.items())})"


class File(Edges):
    """The graph in a file of any format that ``rmat convert`` reads; open() makes it."""

    def __init__(self, path: Union[str, "os.PathLike[str]"], *, datasets: Optional[str] = None,
                 threads: int = 0) -> None:
        #: The path.
        self.path = os.fspath(path)
        handle, facts = ctypes.c_void_p(), Facts()
        self._arguments = datasets, threads

        def read() -> None:
            with _program.hdf5_lock():
                library().rmat_graph_open_file(handle, os.fsencode(self.path),
                                               None if datasets is None else datasets.encode(), threads, facts)

        _interrupt.call(read)  # of text, all of it is read
        super().__init__(handle.value or 0, facts)
        if facts.rounded_weights > 0:
            warnings.warn(f"{self.path}: {facts.rounded_weights} weights are integers that float32 does not hold "
                          "exactly, and are rounded", stacklevel=3)

    @property
    def format(self) -> str:
        """The name of the format, as ``rmat convert --from`` has it."""
        return str(library().rmat_graph_format(self.handle).decode())

    def _fill(self, targets: list[Target], first: int, stream: Any, graph: Optional[Sorted]) -> None:
        with _program.hdf5_lock():
            super()._fill(targets, first, stream, graph)

    def _place(self, device: Any) -> Optional[int]:
        if device_number(device) is not None:
            raise OptionError(f"device: '{device}' for the edges of a file, allowed: cpu")
        return None

    def _sort(self, device: Optional[int]) -> Sorted:
        with _program.hdf5_lock():
            return super()._sort(device)

    def __reduce__(self) -> Tuple[Any, ...]:
        return _file_of, (self.path, *self._arguments)

    def __repr__(self) -> str:
        return f"<rmat.File {self.path!r}, {self.format}, {self.num_edges} edges>"


def _graph_of(options: dict[str, Any]) -> Graph:
    return Graph(**options)


def _file_of(path: str, datasets: Optional[str], threads: int) -> File:
    return File(path, datasets=datasets, threads=threads)
