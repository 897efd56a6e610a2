"""Checks and converts arguments: numbers, flags and paths of Python and NumPy, and options."""

from __future__ import annotations

import errno
import operator
import os
from typing import Any, Iterable

from ._library import OptionError

U64 = 2**64 - 1
THREADS = 4096  # OPTION_MAX_THREADS of apps/common/options.h


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


def writable(value: Any, replace: bool) -> str:
    """The path of a file to write.  replace: it may exist.  Raises Python's own exception if it cannot be written."""
    text = os.fsdecode(value)
    text = os.path.join(".", text) if text.startswith("-") else text  # no option
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


def _plain(name: str, value: Any) -> Any:
    """An option's value as text or a number of Python's own, which the library checks."""
    if isinstance(value, (str, bytes, os.PathLike)):
        return os.fsdecode(value)
    if isinstance(value, Iterable) and getattr(value, "ndim", 1) > 0:
        return "x".join(str(_plain(name, one)) for one in value)
    try:
        return operator.index(value)
    except TypeError:
        pass
    try:
        return float(value)
    except TypeError:
        raise TypeError(f"{name}: {value!r} is neither a number nor text") from None


def given(values: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """The options among a call's arguments: neither None nor an unset flag, whose default is False."""
    found: dict[str, Any] = {}
    for name in ("scale", *defaults):
        value = values.get(name)
        if value is not None and (defaults.get(name) is not False or flag(name, value)):
            found[name] = True if defaults.get(name) is False else _plain(name, value)
    return found


def words(given: dict[str, Any]) -> list[str]:
    """The words of a command line: {"scale": 20, "permute": True} becomes --scale=20 --permute."""
    return ["--" + name.replace("_", "-") + ("" if value is True else f"={value}") for name, value in given.items()]
