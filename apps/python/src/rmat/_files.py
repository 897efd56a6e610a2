"""Functions on files."""

from __future__ import annotations

from typing import Any, Optional

from . import _arguments, _program
from ._graph import File
from ._options import Path



def open(path: Path, *, datasets: Optional[str] = None, threads: int = 0) -> File:  # pylint: disable=redefined-builtin
    """Opens the graph in a file: HDF5, Parquet, npy, edge lists and whatever else ``rmat convert`` reads.

    datasets: the names of those of an HDF5 file of another program, as "src,dst".
    threads: that read; 0: one per processor.
    """
    return File(path, datasets=datasets, threads=threads)


def info(path: Path) -> dict[str, Any]:
    """The attributes of an HDF5 file of rmat: its model, seed, number of edges, command and so on."""
    return _program.run_json(["info", _arguments.readable(path)], quiet=False)
