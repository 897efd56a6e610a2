#!/usr/bin/env python3
"""Write the lists of options and presets into the pages of this folder.

usage: apps/doc/make_options.py [--bin FOLDER] [--check]

A page marks a region with two comments; whatever stands between them is replaced:

    <!-- begin made by make_options.py: rmat verify -->
    <!-- end made by make_options.py -->

What a region can hold: the options of a command ("rmat COMMAND"; "rmat plot without Model" leaves
out the groups whose name begins with that word; what rmat generate has in the same words stands
there alone), and "presets".  Options are read from `rmat help COMMAND`, presets from
datasets/presets.h.

--bin names the folder of the program (default: build/bin of this repository).  --check changes
nothing, names each page that is out of date, and exits with status 1 if there is one.
"""

import argparse
import os
import re
import subprocess
import sys
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
REGION = re.compile(r"(<!-- begin made by make_options\.py: (.*?) -->\n).*?(<!-- end made by make_options\.py -->)",
                    re.S)
WIDTH = 100


def texts_of(lines):
    """What an option does, its default and what is allowed, from the lines of its help."""
    text = re.sub(r"\n(?!default: |allowed: )", " ", "\n".join(lines)).strip()
    return re.split(r"(?:;[ \n]|\n)(?=default: |allowed: )", text)


def parse_help(text):
    """{group: [(head, [text, ...])]} of a command's help."""
    found, lines = {}, None
    for line in text.splitlines():
        row = re.match(r" {2,6}((?:-\w, )?--\S+(?: \S+)?)(?: {2,}(.*))?$", line)
        if line.endswith(":") and not line.startswith(" "):
            entries, lines = found.setdefault(line[:-1], []), None
        elif row:
            lines = [row[2] or ""]
            entries.append((row[1], lines))
        elif lines is not None and line.startswith(" " * 28):
            lines.append(line.strip())
        else:
            lines = None
    return {group: [(head, texts_of(lines)) for head, lines in entries] for group, entries in found.items()}


def escape(text):
    """Text of Markdown in which no character has a meaning of its own."""
    return re.sub(r"(\*|<(?=[A-Za-z/!]))", r"\\\1", text)


def item(head, texts):
    """A head and its sentences as an item of a list, wrapped."""
    sentences = []
    for text in texts:
        text = escape(text)
        sentences.append(text[0].upper() + text[1:] + ("" if text[-1] in ".!?" else "."))
    # What would begin a list or a heading at the start of a line stays on the line of the word before it.
    text = re.sub(r" (?=(?:[-+#>]|\d+[.)])(?: |$))", "\0", f"- `{head}`: {' '.join(sentences)}")
    return textwrap.fill(text, WIDTH, subsequent_indent="  ", break_long_words=False,
                         break_on_hyphens=False).replace("\0", " ")


def groups(parsed, skipped, known=()):
    """The groups of options of a command, each under its name, without those that begin with a word of skipped; of
    options that are known from `rmat generate`, as a page has them, names alone."""
    parts, same = [], []
    for name, entries in parsed.items():
        if entries and not any(name.startswith(word) for word in skipped):
            same += [f"`{head}`" for head, texts in entries if (head, texts) in known]
            items = [item(head, texts) for head, texts in entries if (head, texts) not in known]
            if items:
                parts += [f"**{escape(name)}**\n", "\n".join(items) + "\n"]
    if same:
        parts.append(textwrap.fill(f"As for [`rmat generate`](GENERATE.md#options): {', '.join(same)}.", WIDTH,
                                   break_long_words=False, break_on_hyphens=False) + "\n")
    return "\n".join(parts)


def presets(header):
    """The presets of datasets/presets.h as a table."""
    rows = [(name, *(field.strip() for field in fields.split(",")))
            for name, fields in re.findall(r'X\("([\w-]+)",([^)]*)\)', header)]
    lines = ["| preset | a | b | c | d | edges per vertex | scale |", "|---|---|---|---|---|---|---|"]
    lines += [f"| `{name}` | {a} | {b} | {c} | {d} | {factor} | {scale if scale != '0' else '`--scale`'} |"
              for name, a, b, c, d, factor, scale in rows]
    return "\n".join(lines) + "\n"


class Regions:
    """What the regions hold, from the program in a folder."""

    def __init__(self, folder):
        self.program = os.path.join(folder, "rmat")
        names = re.findall(r"^  (\w+) ", self.help(), re.M)
        self.options = {f"rmat {name}": parse_help(self.help(name)) for name in names}
        with open(os.path.join(ROOT, "datasets", "presets.h"), encoding="utf-8") as file:
            self.presets = file.read()

    def help(self, *command):
        return subprocess.run([self.program, "help", *command], text=True, capture_output=True, check=True).stdout

    def commands(self):
        """Those with options beside --help."""
        return [name for name, parsed in self.options.items() if sum(map(len, parsed.values())) > 1]

    def text(self, what, known=()):
        name, _, skipped = what.partition(" without ")
        if name == "presets":
            return presets(self.presets)
        if name not in self.options:
            raise SystemExit(f"make_options.py: '{what}' is neither a command nor presets")
        return groups(self.options[name], skipped.split(", ") if skipped else [], known)

    def page(self, text):
        known = [entry for entries in self.options["rmat generate"].values() for entry in entries
                 if entry[0] != "-h, --help"]
        return REGION.sub(lambda found: found[1] + "\n" +
                          self.text(found[2], () if found[2] == "rmat generate" else known) + "\n" + found[3], text)


def pages():
    return sorted(os.path.join(HERE, name) for name in os.listdir(HERE) if name.endswith(".md"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", default=os.path.join(ROOT, "build", "bin"), metavar="FOLDER",
                        help="folder of the program rmat (default: build/bin)")
    parser.add_argument("--check", action="store_true", help="change nothing; exit status 1 if a page is out of date")
    options = parser.parse_args()
    try:
        regions = Regions(options.bin)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"make_options.py: --bin: {error}; allowed: a folder with rmat", file=sys.stderr)
        return 2
    stale = 0
    for path in pages():
        with open(path, encoding="utf-8") as file:
            before = file.read()
        after = regions.page(before)
        if after == before:
            continue
        name = os.path.relpath(path, ROOT)
        if options.check:
            stale = 1
            print(f"{name} is out of date: run apps/doc/make_options.py")
        else:
            print(f"{name} was brought up to date")
            with open(path, "w", encoding="utf-8") as file:
                file.write(after)
    return stale


if __name__ == "__main__":
    sys.exit(main())
