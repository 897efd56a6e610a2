"""Edges as other libraries have them; and what is counted, drawn and chosen of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ContextManager, Optional, Tuple

from . import _options, _picture
from ._arguments import flag, whole
from ._arrays import numpy_module
from ._edges import Edges
from ._errors import OptionError
from ._sampling import first_of_each, is_edge, parts_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KINDS = ("out", "in", "total")
#: Edges that are looked at a time.
_BATCH = 1 << 22


class Whole(Edges):
    """The calls of graphs of models and of files that other libraries take part in, or that take all edges."""

    def _as_file(self) -> ContextManager[str]:
        """The path of a file of the graph, which may be gone afterwards."""
        raise NotImplementedError

    def _as_drawn(self) -> Edges:
        """The same graph with the vertices in the order of the model, where there is one."""
        return self

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Makes the graph a table for whatever reads the Arrow PyCapsule interface: arrow() with its defaults."""
        return self.arrow().__arrow_c_stream__(requested_schema)

    def to_networkx(self, create_using: Any = None) -> Any:
        """A graph of networkx with all vertices, and weights as the attribute "weight".

        create_using: its class; by default MultiDiGraph, which keeps copies of an edge, and DiGraph where there are
        none (``unique``, ``dedup``, ``simple``).
        """
        import networkx

        made = networkx.empty_graph(self.num_vertices, create_using or (
            networkx.DiGraph if self._facts.unique else networkx.MultiDiGraph))
        add = made.add_edges_from if self.weight_dtype is None else made.add_weighted_edges_from
        for columns in self.batches(_BATCH):
            add(zip(*(column.tolist() for column in columns)))
        return made

    def to_igraph(self) -> Any:
        """A directed igraph.Graph with all vertices and edges, copies included, and weights as es["weight"]."""
        import igraph

        src, dst, *weight = self.edges()
        made = igraph.Graph(self.num_vertices, numpy_module().stack((src, dst), axis=1), directed=True)
        if weight:
            made.es["weight"] = weight[0].tolist()
        return made

    def degrees(self, kind: str = "out") -> NDArray[np.int64]:
        """The number of edges at each vertex.

        kind: "out" counts edges at their sources, "in" at their destinations, "total" at both, where a loop counts
        twice.

        >>> int(Graph(10).degrees().sum())
        16384
        """
        numpy = numpy_module()
        if kind not in KINDS:
            raise OptionError(f"kind: {kind!r} is unknown, allowed: {', '.join(KINDS)}")
        size = {"out": self.rows, "in": self.cols, "total": self.num_vertices}[kind]
        found: NDArray[np.int64] = numpy.zeros(size, "int64")
        for columns in self.batches(max(_BATCH, size // 4)):
            for column, wanted in zip(columns, ("out", "in")):
                if kind in (wanted, "total"):
                    found += numpy.bincount(column, minlength=size)
        return found

    def stats(self, **options: Any) -> dict[str, Any]:
        """What ``rmat stats`` counts; options: those of rmat.stats().

        A graph of a model is handed over as a small file that contains the model; or, if it is sorted, as a whole, in a
        temporary file.
        """
        with self._as_file() as path:
            return _options.stats(path, **options)

    def convert(self, target: _options.Path, **options: Any) -> dict[str, Any]:
        """Writes the graph as ``rmat convert`` does, which can change it; options: those of rmat.convert()."""
        with self._as_file() as path:
            return _options.convert(path, target, **options)

    def plot(self, what: str = "both", *, axes: Any = None, kind: Optional[str] = None, ccdf: bool = False) -> Any:
        """Draws what ``rmat plot`` draws, by matplotlib: the density of the adjacency matrix and the degrees.

        what: "adjacency", "degrees", or "both" side by side.
        axes: where to draw, one or, for both, two; by default, in a new figure.
        kind: "out", "in" or "total" degrees; by default out- and in-degrees, or out-degrees where they are the same.
        ccdf: draw the share of vertices of each degree or more.
        Returns the axes.  Where the model is known, lines show the expected degrees.  The matrix of a Graph is in the
        model's order, before ``permute``, unless ``undirected`` has turned edges by their numbers.
        """
        return _picture.plot(self, what, axes, kind, flag("ccdf", ccdf))

    def _repr_html_(self) -> str:
        """What a notebook shows: the graph's name and a small picture of its adjacency matrix."""
        return _picture.html(self)

    def neg_edges(self, count: int, *, seed: int = 1, loops: bool = False) -> NDArray[np.int64]:
        """Pairs of vertices that are no edges of the graph, all different, as an edge_index of shape (2, count).

        They are the first ones among pairs drawn uniformly, so that the same seed gives the same pairs everywhere.  The
        graph is sorted in memory.  loops: whether pairs of a vertex with itself may be among them.

        >>> Graph(8).neg_edges(1000).shape
        (2, 1000)
        """
        from ._graph import Graph

        numpy, have_loops = numpy_module(), flag("loops", loops) or self.rows != self.cols
        count, edges = whole("count", count), self._in_order()
        distinct = numpy.ones(edges.shape[1], bool)
        distinct[1:] = (edges[:, 1:] != edges[:, :-1]).any(axis=0)
        if not have_loops:
            distinct &= edges[0] != edges[1]
        free = self.rows * (self.cols if have_loops else self.cols - 1) - int(distinct.sum())
        if count > free:
            raise OptionError(f"count: {count} is out of range, allowed: 0 to {free}, the pairs that are no edges")
        pairs = Graph(rows=self.rows, cols=self.cols, a=0.25, b=0.25, c=0.25, d=0.25, edges=2**62, seed=seed,
                      no_self_loops=not have_loops)
        found: NDArray[np.int64] = numpy.empty((2, 0), "int64")
        first = 0
        while found.shape[1] < count:
            size = min(2 * (count - found.shape[1]) * self.rows * self.cols // free + 64, max(_BATCH, count))
            drawn = pairs.edge_index(first, size)
            found = first_of_each(numpy.hstack((found, drawn[:, ~is_edge(edges, drawn)])))
            first += size
        return found[:, :count]

    def _in_order(self) -> NDArray[np.int64]:
        """The edge_index of all edges, sorted."""
        graph = self._with(False, False)
        with graph._sort(None) as made:
            found: NDArray[np.int64] = graph._index(made)
        return found

    def split(self, train: float = 0.8, valid: float = 0.1, *, seed: int = 1, first: int = 0,
              count: Optional[int] = None) -> Tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Edges [first, first + count) for training, validation and testing, as three edge_index arrays.

        train, valid: the shares of the first two; the third has what is left of 1.
        Which part an edge is in depends on the seed and its two vertices alone.  So copies of an edge and its reverse
        are in the same part, and any ranges of a graph are split alike.  The shares are met as closely as chance has it.

        >>> [part.shape[1] for part in Graph(12).split(seed=3)]
        [52406, 6346, 6784]
        """
        if not (0 <= train <= 1 and 0 <= valid <= 1 and train + valid <= 1 + 1e-9):
            raise OptionError(f"train, valid: {train} and {valid} are out of range, allowed: 0 to 1 together")
        edges = self.edge_index(first, count)
        part = parts_of(edges, (train, train + valid), whole("seed", seed))
        return edges[:, part == 0], edges[:, part == 1], edges[:, part == 2]
