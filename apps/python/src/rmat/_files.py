"""Functions on files."""

from __future__ import annotations

from typing import Any

from . import _arguments, _program
from ._graph import File
from ._options import Path



def open(path: Path, *, threads: int = 0) -> File:  # pylint: disable=redefined-builtin
    """Opens the graph in an HDF5 file of rmat.

    threads: that read; 0: one per processor.
    """
    return File(path, threads=threads)


def info(path: Path) -> dict[str, Any]:
    """The attributes of an HDF5 file of rmat: its model, seed, number of edges, command and so on."""
    return _program.run_json(["info", _arguments.readable(path)], quiet=False)
