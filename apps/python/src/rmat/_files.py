"""Functions on files."""

from __future__ import annotations

import builtins
import os
from typing import Any, Optional, Union

from . import _program
from ._graph import File

Path = Union[str, "os.PathLike[str]"]


def open(path: Path, *, datasets: Optional[str] = None, threads: int = 0) -> File:  # pylint: disable=redefined-builtin
    """Opens the graph in a file: HDF5, Parquet, npy, edge lists and whatever else ``rmat convert`` reads.

    datasets: the names of those of an HDF5 file of another program, as "src,dst".
    threads: that read; 0: one per processor.
    """
    with builtins.open(path, "rb"):  # a missing file is Python's own exception
        pass
    return File(path, datasets=datasets, threads=threads)


def info(path: Path) -> dict[str, Any]:
    """The attributes of an HDF5 file of rmat: its model, seed, number of edges, command and so on."""
    return _program.run_json(["info", os.fspath(path)], quiet=False)


def verify(path: Path, *, sample: Optional[int] = None) -> dict[str, Any]:
    """Checks that a file is complete and that every edge is right, as ``rmat verify`` does.

    sample: compare so many places of the file instead of all edges.
    Returns the report: "ok" says whether all is right, "checks" lists what was found.  An exception
    means that the file could not be checked.
    """
    chosen = [] if sample is None else ["--sample", str(sample)]
    return _program.run_json(["verify", os.fspath(path), *chosen], allowed=(0, 1))


def stats(path: Path) -> dict[str, Any]:
    """Counts edges, loops, duplicates and degrees, as ``rmat stats`` does."""
    return _program.run_json(["stats", os.fspath(path)])
