"""Pairs of vertices in arrays of shape (2, n): which are edges, which occur first, and which part is theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Tuple

from ._arrays import numpy_module

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def is_edge(edges: NDArray[np.int64], pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each pair is among the edges, which are sorted.

    A binary search for all pairs at the same time: first for the row, then in it.  Both numbers of a pair in one integer
    would be simpler, but for more than 2^32 vertices they do not fit.
    """
    numpy = numpy_module()
    low, high = (numpy.searchsorted(edges[0], pairs[0], side) for side in ("left", "right"))
    end, last = high, max(edges.shape[1] - 1, 0)
    if edges.shape[1] == 0:
        return numpy.zeros(pairs.shape[1], bool)  # type: ignore[no-any-return]
    while (low < high).any():
        middle = (low + high) // 2
        right = (low < high) & (edges[1, numpy.minimum(middle, last)] < pairs[1])
        low, high = numpy.where(right, middle + 1, low), numpy.where(right, high, numpy.minimum(middle, high))
    return (low < end) & (edges[1, numpy.minimum(low, last)] == pairs[1])  # type: ignore[no-any-return]


def first_of_each(pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """The pairs without their copies, in the order in which each occurs first."""
    numpy = numpy_module()
    order = numpy.lexsort((pairs[1], pairs[0]))  # stable: copies stay in their order
    ordered, new = pairs[:, order], numpy.ones(pairs.shape[1], bool)
    new[1:] = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    return pairs[:, numpy.sort(order[new])]


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finalizer of SplitMix64, which makes each bit of a number depend on all of them."""
    u64 = numpy_module().uint64
    values = (values ^ (values >> u64(30))) * u64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> u64(27))) * u64(0x94D049BB133111EB)
    return values ^ (values >> u64(31))  # type: ignore[no-any-return]


def parts_of(pairs: NDArray[np.int64], limits: Tuple[float, ...], seed: int) -> NDArray[np.intp]:
    """Which part each pair is in, where a part ends at each limit between 0 and 1; a pair and its reverse are alike."""
    numpy = numpy_module()
    low, high = pairs.min(axis=0).astype("uint64"), pairs.max(axis=0).astype("uint64")
    key = _mixed(numpy.full(1, seed, "uint64") + numpy.uint64(0x9E3779B97F4A7C15))
    drawn = (_mixed(_mixed(low + key) + high) >> numpy.uint64(11)) * 2.0**-53
    return numpy.searchsorted(numpy.array(limits), drawn, "right")  # type: ignore[no-any-return]
