"""OpenMP's threads do not survive a fork: a call that needs them in the child would wait for ever."""

from __future__ import annotations

import os

_first = os.getpid()


def forked() -> bool:
    """Is this a child of the process that imported the package?  Then each of its threads works alone."""
    return os.getpid() != _first
