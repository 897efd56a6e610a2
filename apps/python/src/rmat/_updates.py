"""A graph that changes, as batches of insertions and deletions (rmat/UPDATES.md)."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Optional, Tuple

from . import _interrupt
from ._arguments import whole
from ._arrays import Target, check_ids, new_array
from ._errors import OptionError
from ._generator import Generator
from ._library import Arrays, UpdatesConfig, UpdatesState, library

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ._graph import Graph

_ORDERS, _ARRIVALS = ("random", "oldest"), ("uniform", "poisson", "bursty")
_MOST, _MOST_GAP, _NUMBERS = 1 << 31, 1 << 20, 1 << 62


def _choice(name: str, value: Any, allowed: Tuple[str, ...]) -> int:
    if value not in allowed:
        raise OptionError(f"{name}: {value!r} is unknown, allowed: {', '.join(allowed)}")
    return allowed.index(value)


class Updates:
    """Batches of insertions and deletions of a graph's edges; Graph.updates() makes it.

    Any batch, and the graph after any batch, is made without those before it.  Objects may be used from several threads
    at the same time.
    """

    def __init__(self, graph: Graph, insertions: Any, deletions: Any, order: str, arrivals: str, gap: Any) -> None:
        if graph.options.get("stream") == "rows":
            raise OptionError("stream: 'rows' given for updates, allowed: another, whose edges come in no order")
        #: Whether each update is followed by that of the reverse edge.
        self.symmetrize = bool(graph.options.get("symmetrize"))
        edges = graph.num_edges >> self.symmetrize
        least = min(max(edges // 100, 1), _MOST)
        #: Insertions and deletions of each batch; with symmetrize, of pairs.
        self.insertions = least if insertions is None else whole("insertions", insertions, 0, _MOST)
        self.deletions = least if deletions is None else whole("deletions", deletions, 0, min(_MOST, edges))
        if self.insertions + self.deletions == 0:
            raise OptionError("insertions, deletions: both are 0, allowed: one of them")
        self._rows, self._cols = graph.rows, graph.cols
        self._graph = graph if not self.symmetrize else type(graph)(
            **{name: value for name, value in graph.options.items() if name != "symmetrize"})
        self._generator = Generator(self._graph.handle, None)
        self._state = UpdatesState()
        config = UpdatesConfig(edges, self.insertions, self.deletions, _choice("order", order, _ORDERS),
                               _choice("arrivals", arrivals, _ARRIVALS), whole("gap", gap, 1, _MOST_GAP))
        library().rmat_updates_of(self._state, self._generator.handle, config)

    @property
    def num_batches(self) -> int:
        """How many batches there can be, until too few edges are left to delete."""
        return int(self._state.batches)

    def num_edges(self, batch: int) -> int:
        """The number of edges after the first `batch` batches."""
        batch = whole("batch", batch, 0, self.num_batches)
        return int(library().rmat_updates_live(self._state, batch)) << self.symmetrize

    def batch(self, batch: int, count: int = 1, *, dtype: Any = None) -> Tuple[NDArray[Any], NDArray[Any],
                                                                               NDArray[np.int32], NDArray[np.int64]]:
        """Batches [batch, batch + count) as the arrays source, destination, operation (1 inserts, -1 deletes) and time.

        >>> source, destination, operation, time = Graph(10, seed=1).updates(insertions=3, deletions=2).batch(7)
        >>> operation.tolist(), int(time[0])
        ([1, 1, -1, 1, -1], 35000)
        """
        batch = whole("batch", batch, 0, self.num_batches)
        count = whole("count", count, 0, self.num_batches - batch)
        each = self.insertions + self.deletions
        first, updates = batch * each, count * each
        made = self._new(updates, dtype)
        operation, time = new_array((updates,), "int32", None), new_array((updates,), "int64", None)

        def work() -> None:
            arrays = Arrays(*(Target(array).pointer for array in (*made, operation)), made[0].dtype.itemsize)
            library().rmat_updates_fill(self._state, first, updates, arrays)
            library().rmat_updates_times(self._state, first, updates, Target(time).pointer)

        _interrupt.call(work)
        return self._paired(made[0], made[1], operation, time)  # type: ignore[return-value]

    def snapshot(self, batch: int, *, dtype: Any = None) -> Tuple[NDArray[Any], NDArray[Any]]:
        """The edges after the first `batch` batches, as the arrays src and dst."""
        edges = self.num_edges(batch) >> self.symmetrize
        made = self._new(edges, dtype)

        def work() -> None:
            arrays = Arrays(Target(made[0]).pointer, Target(made[1]).pointer, None, made[0].dtype.itemsize)
            library().rmat_updates_snapshot(self._state, whole("batch", batch), 0, edges, arrays)

        _interrupt.call(work)
        return self._paired(*made)  # type: ignore[return-value]

    def _new(self, count: int, dtype: Any) -> Tuple[Any, Any]:
        kind = check_ids(dtype, self._rows, self._cols)
        return new_array((count,), kind, None), new_array((count,), kind, None)

    def _paired(self, src: Any, dst: Any, *others: Any) -> Tuple[Any, ...]:
        """With symmetrize, each element followed by that of the reverse edge."""
        if not self.symmetrize:
            return src, dst, *others
        both = src.repeat(2), dst.repeat(2)
        both[0][1::2], both[1][1::2] = dst, src
        return *both, *(array.repeat(2) for array in others)


def updates_of(graph: Graph, insertions: Optional[int], deletions: Optional[int], order: str, arrivals: str,
               gap: int) -> Updates:
    for name in ("weights", "sorted", "unique", "dedup", "simple"):
        if graph.options.get(name) not in (None, False, "none"):
            raise OptionError(f"{name}: given for a graph that changes, allowed: for one that does not")
    return Updates(graph, insertions, deletions, order, arrivals, gap)
