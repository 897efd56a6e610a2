"""Checks and converts arguments: numbers, flags and paths of Python and NumPy."""

from __future__ import annotations

import difflib
import errno
import functools
import operator
import os
from typing import Any, Callable, Iterable, TypeVar

from ._errors import ArgumentError, OptionError
from ._library import Option, library

U64 = 2**64 - 1
THREADS = 4096  # OPTION_MAX_THREADS of apps/common/option_rows.h

_Call = TypeVar("_Call", bound=Callable[..., Any])

# option_kind and option_scope of apps/common/options.h
_FLAG, _COUNT, _PAIR, _FRACTION, _LISTS, _PATHS = 0, 1, 2, 4, (6, 7), (8, 9, 10)
OF_FILE, OF_GRAPH, OF_RUN = 0, 1, 2
_OWNERS = {OF_FILE: ", which belongs to write()", OF_GRAPH: ", which belongs to Graph()"}


def whole(name: str, value: Any, least: int = 0, most: int = U64) -> int:
    """A whole number within a range; a float with a whole value is allowed."""
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
    """A path as the program accepts it: not a word that begins with a dash."""
    text = os.fsdecode(value)
    return os.path.join(".", text) if text.startswith("-") else text


def writable(value: Any, replace: bool) -> str:
    """The path of a file to write.  replace: it may exist.  Raises Python's own exception if it cannot be written."""
    text = path(value)
    folder = os.path.dirname(text) or "."
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), folder)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), folder)
    if os.path.isdir(text):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), text)
    if os.path.isfile(text) and not replace:
        raise FileExistsError(errno.EEXIST, "exists already; force=True replaces it", text)
    return text


def argument(name: str) -> str:
    """An option's name as an argument."""
    return name.replace("-", "_")


@functools.lru_cache(maxsize=None)
def table() -> dict[str, Option]:
    """The options of ``rmat generate`` by their names as arguments."""
    found, row = dict[str, Option](), Option()
    while library().binding_option_get(len(found), row) == 0:
        found[argument(row.name.decode())], row = row, Option()
    return found


def _number(kind: int, value: Any) -> Any:
    """Text as it is, a number as Python's own, and several as text."""
    if isinstance(value, (str, bool)):
        return str(value)
    if isinstance(value, (bytes, bytearray)):
        raise TypeError  # float() would read it
    if kind in (_PAIR, *_LISTS) and isinstance(value, Iterable) and getattr(value, "ndim", 1) > 0:
        return ("x" if kind == _PAIR else ",").join(str(_number(_COUNT, one)) for one in value)
    if kind == _FRACTION:
        return float(value)
    try:
        return operator.index(value)
    except TypeError:
        number = float(value)
        return int(number) if number.is_integer() else number


def _value(name: str, kind: int, value: Any) -> Any:
    """An option's value as Python's own type, which the library checks."""
    if kind == _FLAG:
        return flag(name, value)
    if kind in _PATHS:
        return path(value)
    try:
        return _number(kind, value)
    except OverflowError:  # an integer beyond floats
        return str(value)
    except TypeError:
        raise TypeError(f"{name}: {value!r} is neither a number nor text") from None


def given(values: dict[str, Any]) -> dict[str, Any]:
    """The values that are given options: neither None nor an unset flag."""
    found = {name: _value(name, row.kind, values[name]) for name, row in table().items()
             if values.get(name) is not None}
    return {name: value for name, value in found.items() if value is not False}


def spelled(call: str) -> Callable[[_Call], _Call]:
    """Decorates a call with options as arguments: its error for a mistyped option suggests the right one."""
    def decorate(function: _Call) -> _Call:
        code = function.__code__
        known = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]

        @functools.wraps(function)
        def checked(*args: Any, **options: Any) -> Any:
            for name in options:
                if name not in known:
                    row = table().get(name)
                    near = difflib.get_close_matches(name, known, 1)
                    hint = _OWNERS.get(row.scope) if row else f"; did you mean '{near[0]}'?" if near else None
                    raise ArgumentError(f"{call}() got an unexpected keyword argument '{name}'{hint or ''}")
            return function(*args, **options)

        return checked  # type: ignore[return-value]

    return decorate


def words(given: dict[str, Any]) -> list[str]:
    """The words of a command line: {"scale": 20, "permute": True} becomes --scale=20 --permute."""
    return ["--" + name.replace("_", "-") + ("" if value is True else f"={value}") for name, value in given.items()]
