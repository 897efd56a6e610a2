"""OpenMP's threads do not survive a fork: who needs them in a child waits for ever."""

from __future__ import annotations

import os

_first = os.getpid()


def forked() -> bool:
    """Is this a child of the process that imported the package?  It may use one thread."""
    return os.getpid() != _first
