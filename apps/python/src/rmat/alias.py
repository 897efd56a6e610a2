"""Alias tables: draw item i with the probability weights[i] / sum(weights), in constant time.

>>> table = Table([1, 2, 1])
>>> draws = table.sample(100_000, seed=3)
>>> round(float((draws == 1).mean()), 1)
0.5
"""

from __future__ import annotations

import ctypes
import weakref
from typing import Any, Optional

from . import _fork, _interrupt
from ._arrays import Target, device_number, new_array, numpy_module, stream_pointer
from ._errors import OptionError
from ._library import AliasConfig, library


def builders() -> list[str]:
    """The names of the algorithms that build tables; "auto" is the fastest in general."""
    lib = library()
    return [lib.alias_builder_name(i).decode() for i in range(lib.alias_builder_count())]


class Table:
    """An alias table of n weights, in host memory or in that of a GPU.

    The same weights, builder and row width give the same table, and the same seed the same draws,
    on the CPU and on a GPU.  Any number of threads may draw from a table.

    weights: n numbers that are not negative, as NumPy converts them to float64.
    device: "cuda" or the number of a GPU.
    builder: one of builders().
    row_bytes: 8 (probabilities to 2^-32 of 1/n), 16, or 0 for 8 if n permits.
    """

    def __init__(self, weights: Any, *, device: Any = None, builder: str = "auto", row_bytes: int = 0,
                 threads: int = 0) -> None:
        numpy, lib = numpy_module(), library()
        values = numpy.ascontiguousarray(weights, "float64")
        names = builders()
        if values.ndim != 1:
            raise OptionError(f"weights: an array of {values.ndim} dimensions, allowed: 1")
        if builder not in names:
            raise OptionError(f"builder: '{builder}' is unknown, allowed: {', '.join(names)}")
        #: The number of the GPU, or None.
        self.device = device_number(device)
        config = AliasConfig()
        lib.alias_config_default(config)
        config.backend = 1 if self.device is None else 2
        config.device = -1 if self.device is None else self.device
        config.builder, config.row_bytes, config.threads = names.index(builder), row_bytes, 1 if _fork.forked() else threads
        self._size = len(values)
        self._handle: int = 0
        _interrupt.call(self._create, config, values)

    def _create(self, config: AliasConfig, values: Any) -> None:
        lib = library()
        handle, bad = ctypes.c_void_p(), ctypes.c_uint64()
        lib.alias_create(handle, config, values.ctypes.data, len(values), bad)
        self._handle = handle.value or 0
        weakref.finalize(self, lib.alias_destroy, self._handle).atexit = False

    def __len__(self) -> int:
        return self._size

    @property
    def builder(self) -> str:
        """The algorithm that built the table; never "auto"."""
        return str(library().alias_builder_name(library().alias_used_builder(self._handle)).decode())

    def sample(self, count: Optional[int] = None, *, seed: int = 1, first: int = 0, dtype: Any = None,
               out: Any = None, sections: bool = False, stream: Any = None) -> Any:
        """Draws [first, first + count) of the sequence that belongs to the table and the seed.

        dtype: uint32 or int32, uint64 or int64; by default uint32 if it suffices, else uint64.
        out: an array to write to, where the table is; it is returned.
        sections: draw section by section, which is faster for large tables.  The draws are the right
        multiset in the order of the sections: never pair two such batches element by element.
        stream: a CUDA stream in which the work is started; by default the call waits.
        """
        lib, pointer = library(), stream_pointer(stream)
        if out is None:
            if count is None:
                raise OptionError("count: missing, allowed: the number of draws, or out")
            dtype = dtype or ("uint32" if self._size <= 1 << 32 else "uint64")
            out = new_array((count,), dtype, self.device, pointer)
        target = Target(out)
        if target.device != self.device or len(target.shape) != 1 or target.dtype.name not in (
                "uint32", "uint64", "int32", "int64") or count not in (None, target.shape[0]):
            raise OptionError("out: it must be a row of `count` integers of 32 or 64 bits in the table's memory")
        bits, total = target.dtype.itemsize * 8, target.shape[0]
        if self._size > 1 << (bits - (target.dtype.kind == "i")):
            raise OptionError(f"dtype: '{target.dtype.name}' is too narrow for {self._size} items")
        if self.device is not None:
            sampler = 2 if sections else 1  # through the cache, or the baseline
            getattr(lib, f"alias_sample{bits}_device")(self._handle, sampler, seed, first, total, target.pointer,
                                                       pointer)
            if stream is None:
                lib.binding_wait(self.device, pointer)
            return out
        if _fork.forked():
            lib.alias_set_threads(self._handle, 1)
        if sections:
            function = getattr(lib, f"alias_sample_sections{bits}")
            _interrupt.call(self._call, function, seed, first, total, target)
        else:
            for done in range(0, total, _interrupt.PIECE):
                getattr(lib, f"alias_sample{bits}")(self._handle, seed, first + done,
                                                    min(_interrupt.PIECE, total - done),
                                                    target.pointer + done * target.dtype.itemsize)
        return out

    def _call(self, function: Any, seed: int, first: int, count: int, target: Target) -> None:
        function(self._handle, seed, first, count, target.pointer)

    def __repr__(self) -> str:
        where = "" if self.device is None else f" on cuda:{self.device}"
        return f"<rmat.alias.Table of {self._size} items, {self.builder}{where}>"
