"""Functions on files."""

from __future__ import annotations

import os
from typing import Any, Optional, Union

from . import _arguments, _program
from ._errors import Error
from ._graph import File

_UNCHECKED = 3  # EXIT_UNCHECKED of apps/common/message.h

Path = Union[str, "os.PathLike[str]"]


def open(path: Path, *, datasets: Optional[str] = None, threads: int = 0) -> File:  # pylint: disable=redefined-builtin
    """Opens the graph in a file: HDF5, Parquet, npy, edge lists and whatever else ``rmat convert`` reads.

    datasets: the names of those of an HDF5 file of another program, as "src,dst".
    threads: that read; 0: one per processor.
    """
    return File(path, datasets=datasets, threads=threads)


def info(path: Path) -> dict[str, Any]:
    """The attributes of an HDF5 file of rmat: its model, seed, number of edges, command and so on."""
    return _program.run_json(["info", _arguments.readable(path)], quiet=False)


def verify(path: Path, *, sample: Optional[int] = None) -> dict[str, Any]:
    """Checks that a file is complete and that every edge is right, as ``rmat verify`` does.

    sample: compare so many places of the file instead of all edges.
    Returns the report: "ok" says whether all is right, "checks" lists what was found.  An exception
    means that the file could not be checked.
    """
    chosen = [] if sample is None else [f"--sample={_arguments.whole('sample', sample, 2, 2**44)}"]
    report = _program.run_json(["verify", _arguments.readable(path), *chosen], allowed=(0, 1, _UNCHECKED))
    if report["verdict"] == "not checked":
        raise Error(next(check["text"] for check in report["checks"] if check["result"] == "failed"), _UNCHECKED)
    return report


def stats(path: Path) -> dict[str, Any]:
    """Counts edges, loops, duplicates and degrees, as ``rmat stats`` does."""
    return _program.run_json(["stats", _arguments.readable(path)])
