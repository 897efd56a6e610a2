"""Alias tables: draw item i with the probability weights[i] / sum(weights), in constant time.

>>> table = Table([1, 2, 1])
>>> draws = table.sample(100_000, seed=3)
>>> round(float((draws == 1).mean()), 1)
0.5
"""

from __future__ import annotations

import ctypes
from typing import Any, Optional, Tuple

from ._arguments import THREADS, U64, whole
from ._arrays import Target, check_ids, device_number, new_array, numpy_module
from ._library import AliasConfig, OptionError, call, library, own

_BAD_WEIGHT = (-3, -4, -5)  # not a number, infinite, negative: alias/alias.h
_PIECE = 1 << 22  # draws between two checks for Ctrl-C
_BASELINE = 1  # the sampler of a GPU: ALIAS_SAMPLER_BASELINE of alias/alias.h


def _builders() -> list[str]:
    lib = library()
    return [lib.alias_builder_name(i).decode() for i in range(lib.alias_builder_count())]


class Table:
    """An alias table of n weights, in host memory or in GPU memory.

    The same weights, builder and row width give the same table, and the same seed the same draws,
    on the CPU and on a GPU.  Any number of threads may draw from a table.

    weights: n numbers that are not negative, as NumPy converts them to float64.
    device: "cuda" or the number of a GPU.
    builder: the algorithm that builds the table (alias/README.md lists them); "auto" is the fastest in general.
    row_bytes: 8 (probabilities to 2^-32 of 1/n), 16, or 0 for 8 if n permits.
    """

    def __init__(self, weights: Any, *, device: Any = None, builder: str = "auto", row_bytes: int = 0,
                 threads: int = 0) -> None:
        values = numpy_module().ascontiguousarray(weights, "float64")
        names = _builders()
        if values.ndim != 1:
            raise OptionError(f"weights: an array of {values.ndim} dimensions, allowed: 1")
        if builder not in names:
            raise OptionError(f"builder: {builder!r} is unknown, allowed: {', '.join(names)}")
        if whole("row_bytes", row_bytes) not in (0, 8, 16):
            raise OptionError(f"row_bytes: {row_bytes} is unknown, allowed: 0, 8, 16")
        #: The number of the GPU, or None.
        self.device = device_number(device)
        self._size = len(values)
        self._handle: int = 0
        threads = whole("threads", threads, 0, THREADS)
        call(lambda: self._create(values, builder, row_bytes, threads))

    def _create(self, values: Any, builder: str, row_bytes: int, threads: int) -> None:
        """Builds from weights, or from masses, which are integers."""
        lib, config, bad = library(), AliasConfig(), ctypes.c_uint64()
        lib.alias_config_default(config)
        config.backend = 1 if self.device is None else 2
        config.device = -1 if self.device is None else self.device
        config.builder, config.row_bytes, config.threads = _builders().index(builder), row_bytes, threads
        create, more = (lib.alias_create_masses, []) if values.dtype.kind == "u" else (lib.alias_create, [bad])
        try:
            self._handle = own(self, lambda handle: create(handle, config, values.ctypes.data, len(values), *more),
                               lib.alias_destroy)
        except OptionError as error:
            which = f": weights[{bad.value}] is {values[bad.value]}" if error.status in _BAD_WEIGHT else ""
            raise OptionError(f"weights: {error}{which}", error.status) from None

    def __reduce__(self) -> Tuple[Any, ...]:
        """Pickles as the whole numbers that the weights were rounded to; they give the same table."""
        if self.device is not None:
            raise TypeError("cannot pickle a table in the memory of a GPU; its weights can be sent instead")
        masses = numpy_module().empty(self._size, "uint64")
        library().binding_table_masses(self._handle, masses.ctypes.data)
        return _table_of, (masses, self.builder, int(library().alias_row_bytes(self._handle)))

    def __copy__(self, memo: Any = None) -> "Table":
        return self  # nothing changes a table

    __deepcopy__ = __copy__

    def __len__(self) -> int:
        return self._size

    @property
    def builder(self) -> str:
        """The algorithm that built the table; never "auto"."""
        return str(library().alias_builder_name(library().alias_used_builder(self._handle)).decode())

    def sample(self, count: Optional[int] = None, *, seed: int = 1, first: int = 0, dtype: Any = None,
               out: Any = None) -> Any:
        """Draws [first, first + count) of the sequence that belongs to the table and the seed.

        The same arguments give the same draws; for other draws, change `first` or the seed.

        dtype: int64, int32, uint64 or uint32; int64 by default.
        out: an array to write to, in the table's memory; it is returned.
        """
        lib, seed = library(), whole("seed", seed)
        if out is None:
            if count is None:
                raise OptionError("count: missing, allowed: the number of draws, or out")
            out = new_array("count", whole("count", count),
                            check_ids(dtype or "int64", self._size, "items"), self.device)
        target = Target(out)
        if target.device != self.device or count not in (None, target.size):
            raise OptionError("out: it must be a row of `count` integers of 32 or 64 bits in the table's memory")
        check_ids(target.dtype, self._size, "items")
        bits, total = target.dtype.itemsize * 8, target.size
        first = whole("first", first, 0, U64 + 1 - total)
        if total == 0:
            return out
        if self.device is not None:
            getattr(lib, f"alias_sample{bits}_device")(self._handle, _BASELINE, seed, first, total, target.pointer,
                                                       None)
            lib.binding_wait(self.device)
        else:
            for done in range(0, total, _PIECE):
                getattr(lib, f"alias_sample{bits}")(self._handle, seed, first + done, min(_PIECE, total - done),
                                                    target.pointer + done * target.dtype.itemsize)
        return out

    def __repr__(self) -> str:
        where = "" if self.device is None else f" on cuda:{self.device}"
        return f"<rmat.alias.Table of {self._size} items, {self.builder}{where}>"


def _table_of(masses: Any, builder: str, row_bytes: int) -> Table:
    table = object.__new__(Table)
    table.device, table._size, table._handle = None, len(masses), 0
    call(lambda: table._create(masses, builder, row_bytes, 0))
    return table
