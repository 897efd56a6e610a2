"""The package's program `rmat`, which writes files in a separate process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from typing import Any, NoReturn

from ._library import Error, OptionError, folder, spelled

_USAGE = 2  # EXIT_USAGE of apps/common/message.h
_START = "rmat generate: "  # of a message


def path() -> str:
    """The path of the program."""
    return os.environ.get("RMAT_PYTHON_PROGRAM") or os.path.join(folder(), "bin", "rmat")


def generate(arguments: list[str]) -> dict[str, Any]:
    """Runs `rmat generate` and returns its summary.  A failure is an exception with its message."""
    line = [path(), "generate", *arguments, "--json", "--quiet"]
    with subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as program:
        try:
            out, err = program.communicate()
        except BaseException:  # most of all Ctrl-C
            program.send_signal(signal.SIGINT)
            try:
                program.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                program.kill()
            raise
    if program.returncode != 0:
        text = err.decode(errors="replace").strip()
        text = text[len(_START):] if text.startswith(_START) else text
        kind = OptionError if program.returncode == _USAGE else Error
        raise kind(spelled(text) or f"rmat ended with status {program.returncode}", program.returncode)
    found: dict[str, Any] = json.loads(out)
    return found


def main() -> NoReturn:
    """The package's command `rmat`."""
    os.execv(path(), ["rmat", *sys.argv[1:]])
