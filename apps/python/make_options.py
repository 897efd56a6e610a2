#!/usr/bin/env python3
"""Writes src/rmat/_options.py: the options of `rmat generate` as arguments that Python's users and tools can see.

usage: apps/python/make_options.py [--check]

Names, types and texts are those of the option table of the C code, from which the command line's help is made as well.
RMAT_PYTHON_LIBRARY names the library of a build.  --check writes nothing, and exits with
status 1 if the file is out of date.
"""

import os
import re
import sys
import textwrap
import types

HERE = os.path.dirname(os.path.abspath(__file__))
TARGET = os.path.join(HERE, "src", "rmat", "_options.py")
# Modules of the package without the whole of it, which imports what is written here.
sys.modules.setdefault("rmat", types.ModuleType("rmat")).__path__ = [os.path.dirname(TARGET)]
from rmat._arguments import OF_FILE, OF_GRAPH, OF_RUN, argument, table  # pylint: disable=wrong-import-position

WIDTH = 116
#: By option_kind of apps/common/options.h.
TYPES = ("bool", "Count", "Pair", "int", "float", "", "Union[str, int, Sequence[int]]", "Sequence[int]", "Path", "Path",
          "Path", "str")
HEAD = '''"""The options of ``rmat generate`` as arguments.  Written by apps/python/make_options.py: do not edit.

None stands for an option that is not given, whose default may depend on others; the descriptions say it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

from ._arguments import given, spelled

if TYPE_CHECKING:
    from typing import Literal

#: A number; or a text with one of the suffixes K M G T P Ki Mi Gi Ti Pi, as "16G".
Count = Union[int, str]
#: One for both; or two, as (20, 18) or "20x18".
Pair = Union[Count, Sequence[Count]]
Path = Union[str, "os.PathLike[str]"]
if TYPE_CHECKING:
'''
CLASS = '''class GraphOptions:
    """Calls of Graph that take the options of ``rmat generate``."""

    def _open(self, options: dict[str, Any]) -> None:
        raise NotImplementedError

    def _write(self, path: Path, options: dict[str, Any]) -> dict[str, Any]:
        raise NotImplementedError
'''
#: Name of the call, method, scopes of its options, first arguments, what it says before its options, body, result.
CALLS = [
    ("Graph", "__init__", (OF_GRAPH, OF_RUN), "self", "A graph of the model that these options describe.",
     "self._open({})", "None"),
    ("write", "write", (OF_FILE, OF_RUN), "self, path: Path",
     "Writes the graph to a file: what ``rmat generate --output PATH`` writes, byte for byte.\n\nReturns the summary of "
     "the program, which does the work in a process of its own: nothing that happens to it can harm this one.  Ctrl-C "
     "stops it, and no file is left.", "return self._write(path, {})", "dict[str, Any]"),
]


def text_of(text):
    """A text for the command line, with options and the operand spelled as arguments."""
    text = re.sub(r"--([a-z][a-z0-9-]*)", lambda found: f"``{argument(found[1])}``", text)
    return re.sub(r"\bFILE\b", "``path``", text)


def strings(array):
    found, i = [], 0
    while array and array[i] is not None:
        found.append(array[i].decode())
        i += 1
    return found


def described(name, option):
    """An option's entry in a docstring."""
    text = text_of(option.help.decode())
    parts = [text[0].upper() + text[1:]]
    if option.fallback is not None:
        parts.append("Default: " + text_of(option.fallback.decode()))
    if option.allowed:
        parts.append("Allowed: " + text_of(option.allowed.decode()))
    return f"{name}: " + ".  ".join(part.rstrip(".") for part in parts) + "."


def wrapped(text, indent, hanging=""):
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent + hanging,
                         break_long_words=False, break_on_hyphens=False)


def make():
    """The text of the file."""
    aliases, lines, indent = {}, [CLASS], "    "
    for call, method, scopes, first, about, body, result in CALLS:
        arguments, entries = [], []
        for name, option in sorted(table().items(), key=lambda item: item[0] != "scale"):
            if option.scope not in scopes:
                continue
            kind, choices = TYPES[option.kind], tuple(strings(option.choices))
            if choices:
                kind = aliases.setdefault(choices, name.title().replace("_", ""))
            arguments.append(f"{name}: bool = False" if option.kind == 0 else f"{name}: Optional[{kind}] = None")
            entries.append(wrapped(described(name, option), indent * 2, "    "))
        arguments.insert(call == "Graph", "*")  # of which `scale` has a place of its own
        line = f"{indent}def {method}("
        words = ", ".join(part.replace(" ", "~") for part in [first, *arguments]) + f")~->~{result}:"
        lines.append(f'{indent}@spelled("{call}")')
        lines.append(textwrap.fill(line + words, WIDTH, subsequent_indent=" " * len(line), break_long_words=False,
                                   break_on_hyphens=False).replace("~", " "))
        paragraphs = [wrapped(part, indent * 2) for part in about.split("\n\n")]
        paragraphs[0] = f'{indent * 2}"""' + paragraphs[0].lstrip()
        lines.append("\n\n".join(paragraphs) + "\n")
        lines.append("\n".join([*entries, f'{indent * 2}"""']))
        lines.append(indent * 2 + body.format("given(locals())") + "\n")
    literals = [wrapped(f"{name} = Literal[" + ", ".join(f'"{choice}"' for choice in choices) + "]", "    ",
                        " " * len(f"{name} = Literal[")) for choices, name in aliases.items()]
    return HEAD + "\n".join(literals) + "\n\n\n" + "\n".join(lines).rstrip() + "\n"


def main():
    text = make()
    if sys.argv[1:] == ["--check"]:
        with open(TARGET, encoding="utf-8") as file:
            if file.read() != text:
                sys.exit("src/rmat/_options.py is out of date: run apps/python/make_options.py")
        return
    with open(TARGET, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
