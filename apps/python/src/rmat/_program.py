"""The program `rmat`, which the package contains: it reads and writes files in a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from typing import Any, Iterator, NoReturn

from . import _arguments
from ._errors import Error, OptionError
from ._library import folder

# EXIT_USAGE and EXIT_UNCHECKED of apps/common/message.h
_USAGE, _UNCHECKED = 2, 3


def path() -> str:
    """Where the program is."""
    return os.environ.get("RMAT_PYTHON_PROGRAM") or os.path.join(folder(), "bin", "rmat")


def run(arguments: list[str], allowed: tuple[int, ...] = (0,)) -> str:
    """Runs it and returns its output.  A failure is an exception with its message."""
    environment = {**os.environ, "RMAT_SPELL_ARGUMENTS": "1"}  # its messages name options as Python's callers do
    with subprocess.Popen([path(), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env=environment) as program:
        try:
            out, err = program.communicate()
        except BaseException:  # Ctrl-C above all
            program.send_signal(signal.SIGINT)
            try:
                program.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                program.kill()
            raise
    if program.returncode not in allowed:
        text = err.decode(errors="replace").strip()
        start = f"rmat {arguments[0]}: "
        text = text[len(start):] if text.startswith(start) else text
        kind = OptionError if program.returncode == _USAGE else Error
        raise kind(text or f"rmat ended with status {program.returncode}", program.returncode)
    return out.decode(errors="replace")


def run_json(arguments: list[str], allowed: tuple[int, ...] = (0,), quiet: bool = True) -> dict[str, Any]:
    """The same of a command that prints a summary as JSON; quiet: it has a progress bar to leave out."""
    line = [*arguments, "--json"] + (["--quiet"] if quiet else [])
    found: dict[str, Any] = json.loads(run(line, allowed))
    return found


def convert(source: Any, target: Any, options: dict[str, Any]) -> dict[str, Any]:
    """`rmat convert` of one file to another; options: as given() has them."""
    to = _arguments.writable(target, "force" in options)
    return run_json(["convert", _arguments.readable(source), to, *_arguments.words(options)])


def stats(source: Any, options: dict[str, Any]) -> dict[str, Any]:
    """`rmat stats` of a file."""
    return run_json(["stats", _arguments.readable(source), *_arguments.words(options)])


def verify(source: Any, options: dict[str, Any]) -> dict[str, Any]:
    """`rmat verify` of a file, which is an exception if it was not checked."""
    report = run_json(["verify", _arguments.readable(source), *_arguments.words(options)], (0, 1, _UNCHECKED))
    if report["verdict"] == "not checked":
        raise Error(next(check["text"] for check in report["checks"] if check["result"] == "failed"), _UNCHECKED)
    return report


@contextlib.contextmanager
def hdf5_lock() -> Iterator[None]:
    """h5py's lock, if h5py is used: both may have loaded the same HDF5, which is for one thread at a time."""
    h5py = sys.modules.get("h5py")
    lock = getattr(getattr(getattr(h5py, "_hl", None), "base", None), "phil", None)
    with lock if lock is not None else contextlib.nullcontext():
        yield


def main() -> NoReturn:
    """The command `rmat` of the package."""
    os.execv(path(), ["rmat", *sys.argv[1:]])
