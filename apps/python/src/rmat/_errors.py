"""Exceptions, and statuses of the C libraries turned into them."""

from __future__ import annotations


class Error(Exception):
    """A failure of rmat, with the message of the library or the program."""

    def __init__(self, text: str, status: int = 0) -> None:
        super().__init__(text)
        #: The result of the C function, or the exit status of the program.
        self.status = status


class OptionError(Error, ValueError):
    """An option or an argument that is unknown or out of range."""


class ArgumentError(OptionError, TypeError):
    """A keyword argument that a call does not have."""


class OutOfMemoryError(Error, MemoryError):
    """Memory of the host or of the GPU is exhausted."""


# alias.h, rmat.h and apps/binding/graph.h
_NO_MEMORY = (-8, -106, -502)
_ARGUMENTS = (-501, -1, -2, -3, -4, -5, -6, -7, -101, -104, -105, -115, -118, -119, -120, -124)


def error_of(status: int, text: str) -> Error:
    """The exception for a status."""
    if status in _NO_MEMORY:
        return OutOfMemoryError(text, status)
    return (OptionError if status in _ARGUMENTS else Error)(text, status)
