"""The graph in the memory of several ranks, each of which has some of its rows; by mpi4py, which is imported only there."""

from __future__ import annotations

import ctypes
import weakref
from ctypes import c_int, c_uint64, c_void_p
from typing import Any, NamedTuple, Optional

from ._arrays import DeviceArray, check_ids, device_number, numpy_module
from ._edges import Edges
from ._errors import OptionError
from ._library import library
from ._sorted import draws_for

_WAYS = ("auto", "none", "all")  # in the order of rmat_exchange_way
_PIECE = 1 << 30  # bytes of a message, since MPI's counts are ints

_START = ctypes.CFUNCTYPE(c_int, c_void_p, ctypes.POINTER(c_void_p), ctypes.POINTER(c_uint64), ctypes.POINTER(c_void_p),
                          ctypes.POINTER(c_uint64))
_WAIT = ctypes.CFUNCTYPE(c_int, c_void_p)


class _Ranks(ctypes.Structure):
    """rmat_ranks of rmat/rmat_exchange.h."""

    _fields_ = [("rank", c_int), ("size", c_int), ("device", c_int), ("state", c_void_p), ("start", _START),
                ("wait", _WAIT)]


class _Spec(ctypes.Structure):
    """rmat_csr_spec of rmat/rmat_csr.h."""

    _fields_ = [("edges", c_uint64), ("unique", c_int), ("id_bytes", c_int), ("weights", c_int)]


class _Csr(ctypes.Structure):
    """rmat_csr of rmat/rmat_csr.h."""

    _fields_ = [(name, c_uint64) for name in ("first_row", "rows", "edges")] + [
                (name, c_void_p) for name in ("pointers", "indices", "weights")]


class RankRows(NamedTuple):
    """Rows of the adjacency matrix that a rank has: csr_rank() makes them."""

    #: The number of the first row.
    first_row: int
    #: int64, of 0 and the number of edges up to each row's end.
    pointers: Any
    #: The column numbers, by row in increasing order.
    columns: Any
    #: The weights, or None.
    weights: Any


class _Messages:
    """What the library sends and receives, by a communicator of mpi4py."""

    def __init__(self, comm: Any) -> None:
        self.comm = comm.Dup()
        self.under_way: list[Any] = []
        self.error: Optional[BaseException] = None
        self.ranks = _Ranks(comm.rank, comm.size, 0, None, _START(self._start), _WAIT(self._wait))

    def _begin(self, begin: Any, address: Optional[int], size: int, rank: int) -> None:
        for at in range(0, size, _PIECE):
            piece = (ctypes.c_uint8 * min(_PIECE, size - at)).from_address((address or 0) + at)
            self.under_way.append(begin(memoryview(piece).cast("B"), rank))

    def _try(self, function: Any) -> int:
        """An exception cannot pass through the library: it ends the call, and is raised behind it."""
        try:
            function()
        except BaseException as error:  # pylint: disable=broad-except
            self.error = error
            return 1
        return 0

    def _start(self, _: Any, send: Any, send_bytes: Any, receive: Any, receive_bytes: Any) -> int:
        def start() -> None:
            others = [(self.comm.rank + i) % self.comm.size for i in range(1, self.comm.size)]
            for rank in reversed(others):
                self._begin(self.comm.Irecv, receive[rank], receive_bytes[rank], rank)
            for rank in others:
                self._begin(self.comm.Isend, send[rank], send_bytes[rank], rank)

        return self._try(start)

    def _wait(self, _: Any) -> int:
        def wait() -> None:
            for request in self.under_way:
                request.Wait()
            self.under_way.clear()

        return self._try(wait)


def _on_host(csr: _Csr, address: Optional[int], length: int, dtype: Any) -> Any:
    """An array of memory that is the library's; csr lives as long as it."""
    if length == 0:
        return numpy_module().empty(0, dtype)
    memory = (ctypes.c_char * (length * numpy_module().dtype(dtype).itemsize)).from_address(address or 0)
    memory.csr = csr  # type: ignore[attr-defined]
    return numpy_module().frombuffer(memory, dtype)


def csr_rank(graph: Edges, comm: Any, *, dtype: Any = None, device: Any = None, exchange: str = "auto") -> RankRows:
    """This rank's rows of a graph that the ranks of an mpi4py communicator make together.

    Every rank calls it, with the same arguments but for the device.  Rank r gets the r-th range of rows, all of their
    edges, in NumPy arrays, or in arrays on the GPU `device`, for ``__dlpack__`` and ``__cuda_array_interface__``.
    Ranges follow each other, cover all rows and have about as many edges each, as far as whole rows can.  The graph's
    ``unique``, ``dedup`` or ``simple`` hold; whether it is ``sorted`` does not matter.

    dtype: of column numbers; by default int32 where it suffices, else int64.
    exchange: "none": each rank generates the whole stream of edges and keeps its own; "all": each generates a share,
    and sends every edge to its rank; "auto": what is expected to take less time, by a short measurement.

    >>> from mpi4py import MPI
    >>> from rmat import Graph
    >>> rows = csr_rank(Graph(scale=10), MPI.COMM_SELF)
    >>> rows.first_row, len(rows.pointers), len(rows.columns)
    (0, 1025, 16384)
    """
    if exchange not in _WAYS:
        raise OptionError(f"exchange: {exchange!r} is unknown, allowed: {', '.join(_WAYS)}")
    number, columns = device_number(device), check_ids(dtype, 1, graph.cols)
    lib, facts, messages, made = library(), graph._facts, _Messages(comm), _Csr()
    try:
        generator = graph._maker(graph._place(device))
        edges = int(facts.stream_edges)
        if facts.distinct:
            edges = comm.bcast(draws_for(generator, int(facts.distinct)) if comm.rank == 0 else None)
        spec = _Spec(edges, facts.unique, columns.itemsize, graph.weight_dtype is not None)
        make = lib.rmat_csr_rank if number is None else lib.rmat_csr_rank_device
        with generator.explained(), graph._guard():
            make(generator.handle, ctypes.byref(messages.ranks), ctypes.byref(spec), _WAYS.index(exchange),
                 ctypes.byref(made))
    except BaseException:
        if messages.error is not None:
            raise messages.error from None
        raise
    finally:
        messages.comm.Free()
    lengths = (made.rows + 1, "int64"), (made.edges, columns), (made.edges, graph.weight_dtype)
    addresses = made.pointers, made.indices, made.weights
    if number is None:
        free = _Csr(made.first_row, made.rows, made.edges, *addresses)
        weakref.finalize(made, lambda: lib.rmat_csr_free(ctypes.byref(free))).atexit = False
        arrays = [_on_host(made, address, *what) if what[1] else None for address, what in zip(addresses, lengths)]
    else:
        arrays = [DeviceArray.adopted(address, *what, number) if what[1] else None
                  for address, what in zip(addresses, lengths)]
    return RankRows(int(made.first_row), *arrays)
