"""The R-MAT model whose graphs are most like a given graph."""

from __future__ import annotations

import ctypes
import json
import os
import shlex
from typing import Any, NamedTuple, Optional, Union

from . import _interrupt, _program
from ._arguments import THREADS, flag, readable, whole, words
from ._arrays import device_number, numpy_module
from ._edges import Edges
from ._errors import OptionError
from ._graph import Graph
from ._library import FitOptions, library

_BACKENDS = ("auto", "cpu", "gpu")


class Fitted(NamedTuple):
    """A number, its standard error and its interval of 95 %; all but the value are NaN where the graph does not tell
    the number."""

    value: float
    error: float
    low: float
    high: float


class Fit:
    """What fit() finds: the probabilities a, b, c and d, the noise, and the number of vertices, each as Fitted."""

    a: Fitted
    b: Fitted
    c: Fitted
    d: Fitted
    noise: Fitted
    vertices: Fitted

    def __init__(self, report: dict[str, Any]) -> None:
        #: Everything, as ``rmat fit --json`` prints it.
        self.report = report
        for name in ("a", "b", "c", "d", "noise", "vertices"):
            found = (report[name][key] for key in Fitted._fields)
            setattr(self, name, Fitted(*(float("nan") if number is None else number for number in found)))

    @property
    def suits(self) -> str:
        """How well the model suits the graph's degrees: "well", "roughly" or "badly"."""
        return str(self.report["suits"])

    @property
    def warnings(self) -> list[str]:
        """What the model does not keep of this graph, and what may be wrong with the fit."""
        return list(self.report["warnings"])

    def command(self, multiply: int = 1) -> str:
        """The command line that writes a graph so many times as large: 1, 10, 1000, or fit()'s `multiply`."""
        for size in self.report["commands"]:
            if size["multiply"] == multiply:
                if size["rmat"] is None:
                    raise OptionError(f"multiply: {multiply} is out of range, allowed: up to 2^62 vertices and edges")
                return str(size["rmat"])
        sizes = ", ".join(str(size["multiply"]) for size in self.report["commands"])
        raise OptionError(f"multiply: {multiply} was not fitted, allowed: {sizes}; fit(multiply=...) says others")

    def graph(self, multiply: int = 1, **options: Any) -> Graph:
        """The same as a Graph; options: more of its own, as weights="uniform"."""
        found: dict[str, Any] = {}
        name = ""
        for word in shlex.split(self.command(multiply))[2:-2]:  # without "rmat generate" and "-o FILE"
            if word.startswith("--"):
                name = word[2:].replace("-", "_")
                found[name] = True
            else:
                found[name] = float(word) if "." in word or "e" in word else int(word) if word.isdigit() else word
        found.update(options)
        return Graph(**found)

    def __repr__(self) -> str:
        numbers = ", ".join(f"{name}={self.report[name]['value']:.4g}" for name in ("a", "b", "c", "d", "noise"))
        return f"<rmat.Fit {numbers}, vertices={self.report['vertices']['value']:.0f}: suits {self.suits}>"


def _array(ids: Any, name: str) -> Any:
    numpy = numpy_module()
    array = numpy.ascontiguousarray(ids)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise OptionError(f"{name}: an array of {array.ndim} dimensions and {array.dtype}, allowed: one of integers")
    if array.dtype.kind == "i" and array.size > 0 and int(array.min()) < 0:
        raise OptionError(f"{name}: a vertex number is {int(array.min())}, allowed: 0 and above")
    if array.dtype.itemsize < 4 or not array.dtype.isnative:
        array = array.astype(numpy.uint32 if array.dtype.itemsize <= 4 else numpy.uint64)
    return array


def _ends(graph: Any) -> Any:
    """Sources, destinations and the number of vertices of a graph that is one object, or 0; None: it is a path."""
    if isinstance(graph, (str, bytes, os.PathLike)):
        return None
    if isinstance(graph, Edges):
        return (*graph.edges()[:2], graph.num_vertices)
    if hasattr(graph, "tocoo"):  # a matrix of SciPy
        entries = graph.tocoo()
        return entries.row, entries.col, max(graph.shape)
    rows = numpy_module().asarray(graph)
    if rows.ndim != 2 or rows.shape[0] != 2:
        raise OptionError(f"src: an array of shape {rows.shape} without dst, allowed: (2, edges)")
    return rows[0], rows[1], 0


def _call(src: Any, dst: Any, options: FitOptions) -> dict[str, Any]:
    numpy = numpy_module()
    sources, destinations = _array(src, "src"), _array(dst, "dst")
    if sources.shape != destinations.shape:
        raise OptionError(f"dst: {destinations.size} vertices, allowed: as many as src has, {sources.size}")
    if sources.dtype.itemsize != destinations.dtype.itemsize:
        sources, destinations = (numpy.ascontiguousarray(ids, dtype=numpy.uint64) for ids in (sources, destinations))
    text = ctypes.c_void_p()

    def run() -> dict[str, Any]:
        library().binding_fit(sources.ctypes.data, destinations.ctypes.data, sources.size, sources.dtype.itemsize,
                              ctypes.byref(options), ctypes.byref(text))
        try:
            found: dict[str, Any] = json.loads(ctypes.string_at(text.value or 0).decode())
        finally:
            library().binding_fit_free(text)
        return found

    report: dict[str, Any] = _interrupt.call(run)
    return report


def fit(src: Any, dst: Any = None, *, vertices: int = 0, directed: Optional[bool] = None, multiply: int = 0,
        densify: bool = False, seed: int = 1, time: float = 60, backend: str = "auto", device: Any = None,
        threads: int = 0, chung_lu: bool = True) -> Fit:
    """Finds the R-MAT model whose graphs are most like a graph, of the same size or any other.

    src, dst: vertex numbers of each edge's ends, arrays of integers.  Or, without dst, one object: an edge_index of
    shape (2, edges); a matrix of SciPy, an edge for each entry; a Graph; what open() returns; or the path of a file in any
    format that ``rmat convert`` reads.
    vertices: their number, isolated ones included; 0: that of the matrix or graph, or as the edges show, if that suits,
    else fitted.
    directed: whether edges have a direction; None: they have not, if each has its reverse or all begin at the
    smaller vertex, or at the greater one.
    multiply: a size to make commands for beside 1, 10 and 1000 times.
    densify: edges grow faster than vertices.
    seed, time, backend, device, threads: of the graphs that are simulated, and how long that may take, in seconds.
    chung_lu: compare with graphs of the same expected degrees.

    >>> import rmat
    >>> src, dst = rmat.Graph(scale=12, permute=True).edges()
    >>> model = rmat.fit(src, dst, vertices=4096)
    >>> round(model.a.value, 2), model.suits
    (0.57, 'well')
    >>> model.graph(1000).num_edges
    65536000
    """
    if backend not in _BACKENDS:
        raise OptionError(f"backend: {backend!r} is unknown, allowed: {', '.join(_BACKENDS)}")
    numbers = {"vertices": whole("vertices", vertices, 0, 2**62), "multiply": whole("multiply", multiply, 0, 10**9),
               "seed": whole("seed", seed), "threads": whole("threads", threads, 0, THREADS)}
    if not 0 < float(time) <= 10**6:
        raise OptionError(f"time: {time} is out of range, allowed: above 0, up to 1000000 seconds")
    flags = {"densify": flag("densify", densify), "no_chung_lu": not flag("chung_lu", chung_lu)}
    turned = None if directed is None else flag("directed", directed)
    number = device_number(device)
    if dst is None and (ends := _ends(src)) is not None:
        src, dst, found = ends
        numbers["vertices"] = numbers["vertices"] or found
    if dst is not None:
        return Fit(_call(src, dst, FitOptions(
            **numbers, time=time, edges={None: 0, True: 1, False: 2}[turned], backend=_BACKENDS.index(backend),
            device=-1 if number is None else number, densify=flags["densify"], chung_lu=not flags["no_chung_lu"])))
    chosen: dict[str, Any] = {name: value for name, value in numbers.items() if value or name in ("seed", "threads")}
    chosen.update(flags, time=max(1, round(time)), backend=backend)
    if turned is not None:
        chosen["directed"] = "yes" if turned else "no"
    if number is not None:
        chosen["device"] = number
    return Fit(_program.run_json(["fit", readable(src), *words(chosen)]))
