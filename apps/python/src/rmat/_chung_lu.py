"""Random graphs with given degrees: the edges of the program `chung_lu` (apps/chung_lu/graph.h)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from ._arguments import whole
from ._arrays import check_ids, numpy_module
from ._errors import OptionError
from .alias import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

_BUILDER = "psa+"  # chung_lu_table_config()


def chung_lu(out_degrees: Any, in_degrees: Any = None, count: Optional[int] = None, *, seed: int = 1,
             dtype: Any = None) -> NDArray[Any]:
    """A Chung-Lu graph as an edge_index of shape (2, count).

    Sources are drawn in proportion to the out-degrees, destinations independently of them in proportion to the
    in-degrees, so that each vertex has its degrees on average.  Loops and copies are possible.

    out_degrees, in_degrees: a number for each vertex, with the same sum; without the latter, both are the same.
    count: the number of edges; by default, that sum.
    dtype: int64 by default.
    The edges are those of ``chung_lu --like``; they lie in the order of their sources: take all, or shuffle them.

    >>> chung_lu([3, 1, 0, 2]).shape
    (2, 6)
    """
    numpy = numpy_module()
    weights = [numpy.asarray(degrees, "float64") for degrees in (out_degrees, in_degrees) if degrees is not None]
    if weights[0].ndim != 1 or weights[0].shape != weights[-1].shape:
        raise OptionError(f"in_degrees: an array of shape {weights[-1].shape}, allowed: a row as long as out_degrees")
    if not numpy.isclose(weights[0].sum(), weights[-1].sum(), rtol=1e-9):
        raise OptionError(f"in_degrees: their sum is {weights[-1].sum():g}, allowed: that of out_degrees, "
                          f"{weights[0].sum():g}")
    vertices, seed = len(weights[0]), whole("seed", seed)
    total = int(weights[0].sum() + 0.5) if count is None else whole("count", count, 0, 2**62)
    edges: NDArray[Any] = numpy.empty((2, total), check_ids(dtype or "int64", vertices, vertices))
    if total > 0:
        sources = Table(weights[0], builder=_BUILDER)
        same = numpy.array_equal(weights[0], weights[-1])
        destinations = sources if same else Table(weights[-1], builder=_BUILDER)
        batch = min(max(1 << 24, 1 << (vertices - 1).bit_length()), 1 << 28)  # chung_lu_batch()
        for first in range(0, total, batch):
            sources.sample(seed=seed, first=first, out=edges[0, first:first + batch], sections=True)
        destinations.sample(seed=seed ^ (2**64 - 1), out=edges[1])
    return edges
