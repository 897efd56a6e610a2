"""R-MAT graphs as arrays, on the CPU and on the GPU.

>>> import rmat
>>> g = rmat.Graph(20, permute=True, seed=1)   # the options of `rmat generate`, by the same names
>>> src, dst = g.edges(0, 1_000_000)                 # NumPy arrays
>>> int(src[0]), int(dst[0])
(697225, 987280)

A graph is a function of its options: a call makes only the edges that it returns, and every machine
gives the same edges.  ``device="cuda"`` makes GPU arrays; write() makes files.
"""

from __future__ import annotations

from . import alias
from ._arrays import DeviceArray
from ._graph import Graph
from ._library import Error, OptionError, OutOfMemoryError
from ._library import library as _library

__all__ = ["DeviceArray", "Error", "Graph", "OptionError", "OutOfMemoryError", "alias", "gpus"]

__version__: str


def gpus() -> int:
    """The number of GPUs that can be used; this starts CUDA."""
    return int(_library().rmat_gpu_count())


def __getattr__(name: str) -> str:
    """__version__ comes from the library; importing the package does not load it."""
    if name == "__version__":
        return str(_library().rmat_version().decode())
    raise AttributeError(f"module 'rmat' has no attribute '{name}'")
