"""Pictures of a graph: the diagrams of ``rmat plot`` by matplotlib, and a small one for notebooks by itself."""

from __future__ import annotations

import base64
import ctypes
import html as text
import struct
import zlib
from typing import TYPE_CHECKING, Any, Callable, Optional, Sequence

from ._arrays import numpy_module
from ._errors import OptionError
from ._library import Arrays, library

if TYPE_CHECKING:
    from ._whole import Whole

_KINDS = ("out", "in", "total")
_CELLS, _SMALL = 512, 64  # a side of the matrix, in a plot and in a notebook
_SAMPLES, _RUN = 64, 1024  # pieces of a graph that a notebook's picture is made of, and the edges of each
_BINS = 704  # RMAT_BINS of rmat/expect.h
_BATCH = 1 << 22


class _Density:
    """Edges counted in the cells of the adjacency matrix."""

    def __init__(self, rows: int, cols: int, most: int) -> None:
        self.shifts = [max((size - 1).bit_length() - most.bit_length() + 1, 0) for size in (rows, cols)]
        self.shape = [((size - 1) >> shift) + 1 for size, shift in zip((rows, cols), self.shifts)]
        self.cells = numpy_module().zeros(self.shape[0] * self.shape[1], "int64")

    def add(self, src: Any, dst: Any) -> None:
        """Counts these edges."""
        cell = (src >> self.shifts[0]).astype("int64") * self.shape[1] + (dst >> self.shifts[1])
        self.cells += numpy_module().bincount(cell, minlength=self.cells.size)

    def matrix(self) -> Any:
        """A row for each row of cells."""
        return self.cells.reshape(self.shape)


def _sample(graph: Any) -> _Density:
    """Pieces of the list of edges, before a sorted graph is sorted, so that no graph is made as a whole."""
    numpy, seen = numpy_module(), _Density(graph.rows, graph.cols, _SMALL)
    edges = int(graph._facts.stream_edges or graph._facts.distinct)
    src, dst = numpy.empty(_RUN, "int64"), numpy.empty(_RUN, "int64")
    for first in range(0, edges, max(edges // _SAMPLES, _RUN)):
        count = min(_RUN, edges - first)
        with graph._guard():
            graph._generator(None).fill(first, count, Arrays(src.ctypes.data, dst.ctypes.data, None, 8))
        seen.add(src[:count], dst[:count])
    return seen


def _png(shades: Any) -> bytes:
    """A grey picture of a matrix of bytes."""
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    height, width = shades.shape
    lines = b"".join(b"\0" + line.tobytes() for line in shades)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) + chunk(
        b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")


def html(graph: "Whole") -> str:
    """The graph as a notebook shows it."""
    numpy, facts = numpy_module(), graph._facts
    matrix = numpy.log1p(_sample(graph._as_drawn()).matrix())
    shades = (255 - 255 * matrix / max(matrix.max(), 1)).astype("uint8")
    picture = base64.b64encode(_png(shades)).decode()
    edges = f"{'' if facts.edges_known else 'at most '}{int(facts.edges):,}"
    return (f'<div><img src="data:image/png;base64,{picture}" alt="adjacency matrix" width="128" height="128" '
            f'style="image-rendering: pixelated; border: 1px solid #888; float: left; margin-right: 1em"/>'
            f"<code>{text.escape(repr(graph))}</code><br/>{graph.num_vertices:,} vertices, {edges} edges"
            '<div style="clear: both"></div></div>')


def _expected(graph: Any, kind: int, first: Any, count: int) -> Optional[Any]:
    """The expected number of vertices in each bin of degrees; None: the model is not known."""
    found = numpy_module().zeros(count, "float64")
    known = library().binding_expected_degrees(graph.handle, graph._draws or 0, kind, first, count, found.ctypes.data)
    return found if known else None


def _draw_degrees(graph: Any, axes: Any, kinds: Sequence[int], degrees: Sequence[Any], ccdf: bool) -> None:
    numpy = numpy_module()
    largest = max(int(counted.max()) for counted in degrees)
    step = 1 if any((counted % 2).any() for counted in degrees) else 2
    borders = (ctypes.c_uint64 * (_BINS + 1))()
    count = int(library().binding_degree_bins(largest, step, borders))
    first, lowest, highest = numpy.array(borders[:count + 1], "float64"), 1.0, 1.0
    for kind, counted in zip(kinds, degrees):
        found = numpy.histogram(counted, numpy.append(first[:-1], numpy.inf))[0].astype("float64")
        for numbers, expected in ((_expected(graph, kind, borders, count), True), (found, False)):
            if numbers is None:
                continue
            if ccdf:
                x, y = first[1:-1], numbers[::-1].cumsum()[::-1][1:] / len(counted)
            else:
                # At the middle of a bin, the number of vertices per degree.
                x, y = numpy.sqrt(first[1:-1] * (first[2:] - step)), numbers[1:] / ((first[2:] - first[1:-1]) / step)
            if expected:
                axes.plot(x, y, "-", color=f"C{kind}", alpha=0.5, label=f"{_KINDS[kind]}-degree, expected")
            else:
                axes.plot(x[y > 0], y[y > 0], ".", color=f"C{kind}", markersize=4, label=f"{_KINDS[kind]}-degree")
                lowest, highest = min(lowest, y[y > 0].min(initial=1)), max(highest, y.max(initial=0))
    axes.set(xscale="log", yscale="log", ylim=(lowest / 3, highest * 3), xlabel="degree", title="Degree distribution",
             ylabel="share of vertices of this degree or more" if ccdf else "vertices per degree")
    axes.legend()


def _draw_adjacency(graph: Any, axes: Any, matrix: Any, in_order: bool) -> None:
    from matplotlib.colors import LogNorm

    image = axes.imshow(numpy_module().ma.masked_equal(matrix, 0), cmap="magma", interpolation="nearest",
                        norm=LogNorm(1, max(matrix.max(), 2)), extent=(0, graph.cols, graph.rows, 0), aspect="auto")
    axes.set_facecolor("black")  # of cells without edges
    axes.set(xlabel="destination", ylabel="source",
             title="Adjacency matrix" + (", vertices in the model's order" if in_order else ""))
    axes.figure.colorbar(image, ax=axes, label=f"edges per cell of {matrix.shape[0]} x {matrix.shape[1]}")


def plot(graph: "Whole", what: str, axes: Any, kind: Optional[str], ccdf: bool) -> Any:
    """Whole.plot()."""
    numpy = numpy_module()
    if what not in ("adjacency", "degrees", "both"):
        raise OptionError(f"what: {what!r} is unknown, allowed: adjacency, degrees, both")
    if kind not in (None, *_KINDS):
        raise OptionError(f"kind: {kind!r} is unknown, allowed: {', '.join(_KINDS)}")
    both, drawn = what == "both", graph._as_drawn()
    if axes is None:
        import matplotlib.pyplot

        axes = matplotlib.pyplot.subplots(1, 1 + both, figsize=(12 if both else 6, 5.5), layout="constrained")[1]
    places = numpy.ravel(axes)
    if len(places) != 1 + both:
        raise OptionError(f"axes: {len(places)} given, allowed: {1 + both}")
    density = _Density(graph.rows, graph.cols, _CELLS)
    out, into = (numpy.zeros(graph.num_vertices, "int64") for _ in range(2))
    adders: list[Callable[[Any, Any], None]] = [density.add] if what != "degrees" else []
    for src, dst, *_ in drawn.batches(max(_BATCH, graph.num_vertices // 4)):
        for add in adders:
            add(src, dst)
        if what != "adjacency":
            out += numpy.bincount(src, minlength=len(out))
            into += numpy.bincount(dst, minlength=len(into))
    if what != "degrees":
        _draw_adjacency(graph, places[0], density.matrix(), drawn is not graph)
    if what != "adjacency":
        counted = out[:graph.rows], into[:graph.cols], out + into
        same = graph.rows == graph.cols and numpy.array_equal(out, into)
        kinds = [_KINDS.index(kind)] if kind else [0] if same else [0, 1]
        _draw_degrees(drawn, places[-1], kinds, [counted[number] for number in kinds], ccdf)
    return axes
