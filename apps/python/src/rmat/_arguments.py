"""Arguments: what Python and NumPy have for a number, a flag or a path, checked and converted."""

from __future__ import annotations

import ctypes
import difflib
import errno
import functools
import operator
import os
import stat
from typing import Any, Iterable

from ._errors import ArgumentError, OptionError
from ._library import Option, library

U64 = 2**64 - 1
THREADS = 4096  # OPTION_MAX_THREADS of apps/common/option_rows.h

# option_kind and option_scope of apps/common/options.h
_FLAG, _FRACTION, _LISTS, _PATHS = 0, 3, (5, 6), (7, 8, 9)
OF_FILE, OF_GRAPH, OF_RUN = 0, 1, 2
_OWNERS = {OF_FILE: ", which belongs to write()", OF_GRAPH: ", which belongs to Graph()"}


def whole(name: str, value: Any, least: int = 0, most: int = U64) -> int:
    """A whole number within a range; a float that is one counts."""
    try:
        number = operator.index(value)
    except TypeError:
        if not getattr(value, "is_integer", bool)():
            raise TypeError(f"{name}: {value!r} is not a whole number") from None
        number = int(value)
    if not least <= number <= most:
        raise OptionError(f"{name}: {number} is out of range, allowed: {least} to {most}")
    return number


def flag(name: str, value: Any) -> bool:
    """True or False, also NumPy's; 1 or 0."""
    if isinstance(value, str) or value not in (0, 1):
        raise OptionError(f"{name}: {value!r} is not a flag, allowed: True, False, 1, 0")
    return bool(value)


def path(value: Any) -> str:
    """A path as the program takes it, for which a word that begins with a dash is no file."""
    text = os.fsdecode(value)
    return os.path.join(".", text) if text.startswith("-") else text


def readable(value: Any) -> str:
    """The path of a file to read.  Python's own exception says why it cannot be."""
    text = path(value)
    mode = os.stat(text).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), text)
    if stat.S_ISREG(mode):
        with open(text, "rb"):
            pass
    return text


def writable(value: Any, replace: bool) -> str:
    """The path of a file to write, likewise.  replace: it may exist."""
    text = path(value)
    folder = os.path.dirname(text)
    if folder and not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), folder)
    if os.path.isdir(text):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), text)
    if os.path.isfile(text) and not replace:
        raise FileExistsError(errno.EEXIST, "exists already; force=True replaces it", text)
    return text


@functools.lru_cache(maxsize=None)
def _table() -> dict[str, tuple[int, int]]:
    """The kind and scope of each option of ``rmat generate``."""
    found, row = dict[str, tuple[int, int]](), Option()
    while library().binding_option_get(len(found), row) == 0:
        found[row.name.decode().replace("-", "_")] = row.kind, row.scope
    return found


def _value(name: str, kind: int, value: Any) -> Any:
    """An option's value as Python's own type, which the library checks."""
    if kind == _FLAG:
        return flag(name, value)
    if kind in _PATHS:
        return path(value)
    if isinstance(value, str):
        return str(value)
    if kind == _FRACTION:
        return float(value)
    if kind in _LISTS and isinstance(value, Iterable):
        return ",".join(str(operator.index(one)) for one in value)
    try:
        return operator.index(value)
    except TypeError:
        number = float(value)
        return int(number) if number.is_integer() else number


def options(call: str, given: dict[str, Any], scopes: tuple[int, ...]) -> dict[str, Any]:
    """Options of ``rmat generate`` that this call takes, without those that are None."""
    table, found = _table(), dict[str, Any]()
    for name, value in given.items():
        kind, scope = table.get(name, (0, None))
        if scope not in scopes:
            near = difflib.get_close_matches(name, [other for other in table if table[other][1] in scopes], 1)
            hint = _OWNERS.get(scope) or (f"; did you mean '{near[0]}'?" if near else "")  # type: ignore[arg-type]
            raise ArgumentError(f"{call}() got an unexpected keyword argument '{name}'{hint}")
        if value is not None:
            found[name] = _value(name, kind, value)
    return found


def words(given: dict[str, Any]) -> list[str]:
    """The words of a command line: {"scale": 20, "permute": True} becomes --scale=20 --permute."""
    return ["--" + name.replace("_", "-") + ("" if value is True else f"={value!r}" if isinstance(value, float)
                                             else f"={value}")
            for name, value in given.items() if value is not False]
