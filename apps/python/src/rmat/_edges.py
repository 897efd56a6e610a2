"""What graphs of models and of files have in common: their edges as arrays, a matrix, or a stream."""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
import weakref
from typing import (TYPE_CHECKING, Any, Callable, ContextManager, Iterable, Iterator, Optional, Tuple, Type, TypeVar, Union,
                    overload)

from . import _interrupt
from ._arguments import flag, whole
from ._arrays import DeviceArray, Target, check_ids, device_number, new_array, numpy_module, stream_pointer
from ._arrow import ArrowStream
from ._errors import OptionError
from ._generator import Generator
from ._library import Arrays, Facts, library
from ._sorted import Sorted, draws_for

if TYPE_CHECKING:
    from typing import Literal

    import numpy as np
    from numpy.typing import NDArray

    # Vertex numbers by default.  Type checkers have one type for all columns of edges(), and take weights for it, too.
    Ids = Union[np.int32, np.int64]
    Host = Literal["cpu"]
Chosen = TypeVar("Chosen", bound="np.generic")
Out = TypeVar("Out")

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
        #: What is found once for a graph: draws that have enough distinct edges, and edges without their copies.
        self._draws: Optional[int] = None
        self._count: Optional[int] = None
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
        """The number of edges.

        Where copies are dropped (``dedup``, ``simple``) it is found by the first call that needs it: the graph is made
        once in memory, as edges() makes it.
        """
        if self._facts.edges_known:
            return int(self._facts.edges)
        if self._count is None:
            with self._sort(None) as graph:
                self._count = graph.edges
        return self._count

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

    def _guard(self) -> ContextManager[Any]:
        """Held while the library makes edges."""
        return contextlib.nullcontext()

    def _call(self, function: Callable[[], Any], edges: Optional[int] = None) -> Any:
        """Calls what may take long, so that Ctrl-C can leave it; edges: how many it makes.

        The function itself must hold all memory that it uses, since it may still run when this call has been left.
        """
        def run() -> Any:
            with self._guard():
                return function()

        return run() if edges is not None and edges <= _interrupt.FEW else _interrupt.call(run)

    def _sort_by(self, generator: Generator) -> Sorted:
        edges = int(self._facts.stream_edges)
        if self._facts.distinct:
            if self._draws is None:
                self._draws = draws_for(generator, int(self._facts.distinct))
            edges = self._draws
        made = Sorted(generator, self._facts, edges)
        self._count = made.edges
        return made

    def _sort(self, device: Optional[int]) -> Sorted:
        """All edges in order, in memory."""
        generator = self._maker(device)
        made: Sorted = self._call(lambda: self._sort_by(generator))
        return made

    def _ordered(self, device: Optional[int]) -> ContextManager[Optional[Sorted]]:
        """All edges of a sorted graph while they are read; None for a list, of which any range is made at once."""
        return self._sort(device) if self._facts.sorted else contextlib.nullcontext()

    def _range(self, first: Any, count: Any, graph: Optional[Sorted]) -> Tuple[int, int]:
        edges = int(self._facts.edges) if graph is None else graph.edges
        first = whole("first", first, 0, edges)
        return first, edges - first if count is None else whole("count", count, 0, edges - first)

    @overload
    def edges(self, first: int = 0, count: Optional[int] = None, *, dtype: None = None, out: None = None,
              device: Optional[Host] = None, stream: Any = None) -> Tuple[NDArray[Ids], ...]: ...
    @overload
    def edges(self, first: int = 0, count: Optional[int] = None, *, dtype: Type[Chosen], out: None = None,
              device: Optional[Host] = None, stream: Any = None) -> Tuple[NDArray[Chosen], ...]: ...
    @overload
    def edges(self, first: int = 0, count: Optional[int] = None, *, dtype: Any, out: None = None,
              device: Optional[Host] = None, stream: Any = None) -> Tuple[NDArray[Any], ...]: ...
    @overload
    def edges(self, first: int = 0, count: Optional[int] = None, *, dtype: Any = None, out: Iterable[Out],
              device: Any = None, stream: Any = None) -> Tuple[Out, ...]: ...
    @overload
    def edges(self, first: int = 0, count: Optional[int] = None, *, dtype: Any = None, out: None = None,
              device: Any, stream: Any = None) -> Tuple[DeviceArray, ...]: ...

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
        with self._ordered(number) as graph:
            first, count = self._range(first, count, graph)
            made = self._new(count, dtype, number, pointer)
            self._fill([Target(array) for array in made], first, stream, graph)
        return made

    def _new(self, count: int, dtype: Any, device: Optional[int], stream: Optional[int]) -> Tuple[Any, ...]:
        dtypes = [dtype, dtype] + ([self.weight_dtype] if self.weight_dtype else [])
        return tuple(new_array((count,), one, device, stream) for one in dtypes)

    def _edges_into(self, targets: list[Target], first: int, dtype: Any, count: Optional[int], stream: Any,
                    weights: bool) -> None:
        self._place(targets[0].device)
        wanted = 3 if weights else 2
        if len(targets) != wanted:
            raise OptionError(f"out: {len(targets)} arrays, allowed: {wanted}")
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
            raise OptionError(f"count: {count} is not the length of out, allowed: {length}")
        with self._ordered(targets[0].device) as graph:
            first, _ = self._range(first, length, graph)
            self._fill(targets, first, stream, graph)

    def _fill(self, targets: list[Target], first: int, stream: Any, graph: Optional[Sorted]) -> None:
        """Writes as many edges as the targets have room for."""
        device, pointer, count = targets[0].device, stream_pointer(stream), targets[0].shape[0]
        if count == 0:
            return

        def work() -> None:
            arrays = Arrays(targets[0].pointer, targets[1].pointer, targets[2].pointer if len(targets) > 2 else None,
                            targets[0].dtype.itemsize)
            if graph is not None:
                graph.read(first, count, arrays, pointer)
            elif device is None:
                self._maker(None).fill(first, count, arrays)
            else:
                self._generator(device).fill_device(first, count, arrays, pointer)
            if device is not None and (stream is None or graph is not None):
                library().binding_wait(device, pointer)

        self._call(work, count if device is None or graph is not None else 0)  # a GPU makes a list at once

    @overload
    def edge_index(self, first: int = 0, count: Optional[int] = None, *, dtype: None = None, out: None = None,
                   device: Optional[Host] = None, stream: Any = None) -> NDArray[np.int64]: ...
    @overload
    def edge_index(self, first: int = 0, count: Optional[int] = None, *, dtype: Type[Chosen], out: None = None,
                   device: Optional[Host] = None, stream: Any = None) -> NDArray[Chosen]: ...
    @overload
    def edge_index(self, first: int = 0, count: Optional[int] = None, *, dtype: Any, out: None = None,
                   device: Optional[Host] = None, stream: Any = None) -> NDArray[Any]: ...
    @overload
    def edge_index(self, first: int = 0, count: Optional[int] = None, *, dtype: Any = None, out: Out,
                   device: Any = None, stream: Any = None) -> Out: ...
    @overload
    def edge_index(self, first: int = 0, count: Optional[int] = None, *, dtype: Any = None, out: None = None,
                   device: Any, stream: Any = None) -> DeviceArray: ...

    def edge_index(self, first: int = 0, count: Optional[int] = None, *, dtype: Any = None, out: Any = None,
                   device: Any = None, stream: Any = None) -> Any:
        """Edges as one array of shape (2, count), sources above destinations: PyTorch Geometric's edge_index.

        Weights are left out.  The arguments are those of edges(); out is one array, and dtype is int64 by default.

        >>> Graph(scale=10).edge_index().shape
        (2, 16384)
        """
        if out is not None:
            target = Target(out)
            if len(target.shape) != 2 or target.shape[0] != 2:
                raise OptionError(f"out: its shape is {list(target.shape)}, allowed: [2, count]")
            self._edges_into(target.rows(), first, dtype, count, stream, weights=False)
            return out
        number, dtype = self._place(device), check_ids(dtype or "int64", self.rows, self.cols)
        with self._ordered(number) as graph:
            return self._index(graph, first, count, dtype, number, stream)

    def _index(self, graph: Optional[Sorted], first: Any = 0, count: Any = None, dtype: Any = "int64",
               device: Optional[int] = None, stream: Any = None) -> Any:
        """The array of edge_index()."""
        first, count = self._range(first, count, graph)
        made = new_array((2, count), dtype, device, stream_pointer(stream))
        self._fill(Target(made).rows(), first, stream, graph)
        return made

    @overload
    def batches(self, size: int, *, first: int = 0, count: Optional[int] = None, dtype: None = None,
                device: Optional[Host] = None) -> Iterator[Tuple[NDArray[Ids], ...]]: ...
    @overload
    def batches(self, size: int, *, first: int = 0, count: Optional[int] = None, dtype: Type[Chosen],
                device: Optional[Host] = None) -> Iterator[Tuple[NDArray[Chosen], ...]]: ...
    @overload
    def batches(self, size: int, *, first: int = 0, count: Optional[int] = None, dtype: Any = None,
                device: Any = None) -> Iterator[Tuple[Any, ...]]: ...

    def batches(self, size: int, *, first: int = 0, count: Optional[int] = None, dtype: Any = None,
                device: Any = None) -> Iterator[Tuple[Any, ...]]:
        """What edges() returns, `size` edges at a time, so that memory stays bounded.

        >>> [len(src) for src, dst in Graph(scale=4, edge_factor=5).batches(32)]
        [32, 32, 16]
        """
        size = whole("size", size, 1)
        number, dtype = self._place(device), check_ids(dtype, self.rows, self.cols)
        with self._ordered(number) as graph:
            first, count = self._range(first, count, graph)
            for start in range(first, first + count, size):
                made = self._new(min(size, first + count - start), dtype, number, None)
                self._fill([Target(array) for array in made], start, None, graph)
                yield made

    @overload
    def csr_arrays(self, *, dtype: None = None, device: Optional[Host] = None, unique: bool = False,
                   dedup: bool = False) -> Tuple[NDArray[np.int64], NDArray[Ids], Optional[NDArray[Any]]]: ...
    @overload
    def csr_arrays(self, *, dtype: Type[Chosen], device: Optional[Host] = None, unique: bool = False,
                   dedup: bool = False) -> Tuple[NDArray[np.int64], NDArray[Chosen], Optional[NDArray[Any]]]: ...
    @overload
    def csr_arrays(self, *, dtype: Any = None, device: Any = None, unique: bool = False,
                   dedup: bool = False) -> Tuple[Any, Any, Any]: ...

    def csr_arrays(self, *, dtype: Any = None, device: Any = None, unique: bool = False,
                   dedup: bool = False) -> Tuple[Any, Any, Any]:
        """Row pointers (int64), column numbers by row in increasing order, and weights or None.

        unique and dedup are those of the graph's options, for this call.

        >>> pointers, columns, weights = Graph(scale=8).csr_arrays(dedup=True)
        >>> int(pointers[-1]) == len(columns)
        True
        """
        graph = self._with(unique, dedup)
        return graph._rows(device_number(device), lambda edges: ("int64", check_ids(dtype, 1, self.cols)))

    def _rows(self, device: Optional[int], types: Callable[[int], Tuple[Any, Any]]) -> Tuple[Any, Any, Any]:
        """The arrays of csr_arrays(); types: of row pointers and columns, for so many edges."""
        number = self._place(device)
        with self._sort(number) as graph:
            kinds = types(graph.edges)
            pointers = new_array((self.rows + 1,), kinds[0], number)
            columns = new_array((graph.edges,), kinds[1], number)
            weights = new_array((graph.edges,), self.weight_dtype, number) if self.weight_dtype else None

            def work() -> None:
                arrays = Arrays(None, Target(columns).pointer, None if weights is None else Target(weights).pointer,
                                columns.dtype.itemsize)
                graph.pointers(pointers, Target(pointers).pointer, None)
                if graph.edges:
                    graph.read(0, graph.edges, arrays, None)
                if number is not None:
                    library().binding_wait(number, None)

            self._call(work, graph.edges + self.rows)
        return pointers, columns, weights

    def _with(self, unique: bool, dedup: bool) -> Edges:
        """The graph in order, with the options of csr_arrays()."""
        if flag("unique", unique) or flag("dedup", dedup):
            raise OptionError("unique, dedup: given for a graph of a file, allowed: what rmat convert makes of it")
        return self

    def csr(self, *, device: Any = None, unique: bool = False, dedup: bool = False) -> Any:
        """The adjacency matrix as scipy.sparse.csr_array or, on a GPU, cupyx.scipy.sparse.csr_matrix.

        Its values are the weights, or ones (float32); row pointers and columns are both int32 where they fit, else
        both int64, which SciPy keeps without a copy.  Without unique or dedup, copies of an edge are entries of their
        own, which SciPy adds up where it needs to.
        """
        number = device_number(device)

        def types(edges: int) -> Tuple[str, str]:
            index = "int32" if max(edges, self.rows, self.cols) < 1 << 31 else "int64"
            return index if number is None else "int64", index

        pointers, columns, weights = self._with(unique, dedup)._rows(number, types)
        shape = self.rows, self.cols
        if number is None:
            import scipy.sparse

            values = numpy_module().ones(len(columns), "float32") if weights is None else weights
            return scipy.sparse.csr_array((values, columns, pointers), shape=shape)
        import cupy
        import cupyx.scipy.sparse

        with cupy.cuda.Device(number):
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
