#!/usr/bin/env python3
"""Writes src/rmat/_options.py: the options of the program as arguments that Python's users and tools can see.

usage: apps/python/make_options.py [--check]

Names, types and texts are those of the option tables of the C code, from which the command line's help is made as well.
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
from rmat._arguments import argument, table  # pylint: disable=wrong-import-position

WIDTH = 116
#: By option_kind of apps/common/options.h.
TYPES = ("bool", "Count", "Pair", "int", "float", "", "Union[str, int, Sequence[int]]", "Sequence[int]", "Path", "Path",
         "Path", "str")
HEAD = '''"""The options of the program as arguments.  Written by apps/python/make_options.py: do not edit.

None stands for an option that is not given, whose default may depend on others; the descriptions say it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

from . import _program
from ._arguments import OF_FILE, OF_GRAPH, OF_RUN, given, spelled

if TYPE_CHECKING:
    from typing import Literal

#: A number; or a text with one of the suffixes K M G T P Ki Mi Gi Ti Pi, as "16G".
Count = Union[int, str]
#: One for both; or two, as (20, 18) or "20x18".
Pair = Union[Count, Sequence[Count]]
Path = Union[str, "os.PathLike[str]"]
if TYPE_CHECKING:
'''
#: Head of a class, or "": then (name of the call, function, command, scopes, first arguments, what it says before its
#: options, body, result, options that it leaves out).
CALLS = [
    ('class GraphOptions:\n    """Calls of Graph that take the options of ``rmat generate``."""\n\n'
     "    def _open(self, options: dict[str, Any]) -> None:\n        raise NotImplementedError\n\n"
     "    def _write(self, path: Path, options: dict[str, Any]) -> dict[str, Any]:\n        raise NotImplementedError\n",
     "Graph", "__init__", "generate", ("GRAPH", "RUN"), "self", "A graph of the model that these options describe.",
     "self._open({})", "None", ()),
    ("", "write", "write", "generate", ("FILE", "RUN"), "self, path: Path",
     "Writes the graph to a file: what ``rmat generate --output PATH`` writes, byte for byte.\n\nReturns the summary of "
     "the program, which does the work in a process of its own: nothing that happens to it can harm this one.  Ctrl-C "
     "stops it, and no file is left.", "return self._write(path, {})", "dict[str, Any]", ()),
    ("\n", "convert", "convert", "convert", ("FILE",), "source: Path, target: Path",
     "Converts a graph in a file to another format, order or numbering, as ``rmat convert`` does.\n\nReturns the "
     "summary of the program.", "return _program.convert(source, target, {})", "dict[str, Any]", ("help",)),
    ("\n", "stats", "stats", "stats", ("FILE",), "path: Path",
     "Counts edges, loops, duplicates and degrees of a file, as ``rmat stats`` does.",
     "return _program.stats(path, {})", "dict[str, Any]", ("help",)),
    ("\n", "verify", "verify", "verify", ("FILE",), "path: Path",
     "Checks that a file is complete and that every edge is right, as ``rmat verify`` does.\n\nReturns the report: "
     '"ok" says whether all is right, "checks" lists what was found.  An exception means that the file could not be '
     "checked.", "return _program.verify(path, {})", "dict[str, Any]", ("help",)),
]


def text_of(text, source):
    """A text for the command line, with options and operands spelled as arguments; source: the first one."""
    text = re.sub(r"--([a-z][a-z0-9-]*)", lambda found: f"``{argument(found[1])}``", text)
    for operand, name in (("IN", source), ("OUT", "target"), ("FILE", "path")):
        text = re.sub(rf"\b{operand}\b", f"``{name}``", text)
    return text


def strings(array):
    found, i = [], 0
    while array and array[i] is not None:
        found.append(array[i].decode())
        i += 1
    return found


def described(name, option, source):
    """An option's entry in a docstring."""
    text = text_of(option.help.decode(), source)
    parts = [text[0].upper() + text[1:]]
    if option.fallback is not None:
        parts.append("Default: " + text_of(option.fallback.decode(), source))
    if option.allowed:
        parts.append("Allowed: " + text_of(option.allowed.decode(), source))
    return f"{name}: " + ".  ".join(part.rstrip(".") for part in parts) + "."


def wrapped(text, indent, hanging=""):
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent + hanging,
                         break_long_words=False, break_on_hyphens=False)


def make():
    """The text of the file."""
    aliases, lines = {}, []
    for head, call, function, command, scopes, first, about, body, result, left_out in CALLS:
        indent = "    " if first.startswith("self") else ""
        arguments, entries = [], []
        for name, option in sorted(table(command).items(), key=lambda item: item[0] != "scale"):
            if option.scope not in [("FILE", "GRAPH", "RUN").index(scope) for scope in scopes] or name in left_out:
                continue
            kind, choices = TYPES[option.kind], tuple(strings(option.choices))
            if choices:
                kind = name.title().replace("_", "")
                kind += command.title() if kind in aliases.values() else ""  # other choices by the same name
                kind = aliases.setdefault(choices, kind)
            arguments.append(f"{name}: bool = False" if option.kind == 0 else f"{name}: Optional[{kind}] = None")
            entries.append(wrapped(described(name, option, first.split(":")[0]), indent + "    ", "    "))
        arguments.insert(call == "Graph", "*")  # of which `scale` has a place of its own
        line = f"{indent}def {function}("
        words = ", ".join(part.replace(" ", "~") for part in [first, *arguments]) + f")~->~{result}:"
        lines.append(head)
        lines.append(f'{indent}@spelled("{call}", "{command}", {", ".join("OF_" + scope for scope in scopes)})')
        lines.append(textwrap.fill(line + words, WIDTH, subsequent_indent=" " * len(line), break_long_words=False,
                                   break_on_hyphens=False).replace("~", " "))
        paragraphs = [wrapped(part, indent + "    ") for part in about.split("\n\n")]
        paragraphs[0] = f'{indent}    """' + paragraphs[0].lstrip()
        lines.append("\n\n".join(paragraphs) + ("\n" if entries else ""))
        lines.append("\n".join([*entries, f'{indent}    """']))
        lines.append(indent + "    " + body.format(f'given("{command}", locals())') + "\n")
    literals = [wrapped(f"{name} = Literal[" + ", ".join(f'"{choice}"' for choice in choices) + "]", "    ",
                        " " * len(f"{name} = Literal[")) for choices, name in aliases.items()]
    return HEAD + "\n".join(literals) + "\n\n\n" + "\n".join(part for part in lines if part).rstrip() + "\n"


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
