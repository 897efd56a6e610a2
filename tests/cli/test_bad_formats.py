"""Mistakes with formats, their options and their files: one line on stderr that names the option or the file, the
value, and what is allowed; exit code 2, or 1 where only the file system or a file's contents tell; nothing left."""

import os
import re
import shlex
import subprocess
import unittest

from cli import SUFFIXES, CliTest
from formats import FORMATS

ALL = ", ".join(FORMATS)
UNFIT = "is not the suffix of a known format"
WEIGHTS = ("none, uniform, int:MIN:MAX (-2147483648 to 2147483647, MIN <= MAX), float:MIN:MAX (-1e38 to 1e38, "
           "MIN <= MAX)")


def having(test):
    return [name for name, about in FORMATS.items() if test(about)]


def join(words):
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


RECTANGLE = ["--vertices", "100x70"]
WEIGHTED, BASED = (", ".join(having(test)) for test in (lambda about: about.weights, lambda about: about.base))
PIPED = having(lambda about: about.pipe)
PIPES = ", ".join(PIPED)


def of_formats():
    """What the table of formats says that each refuses."""
    for name, about in FORMATS.items():
        needs = [*about.needs, *(["--weights int:MIN:MAX" if about.weights == "int" else "--weights"] if about.must else [])]
        good = " ".join([f"generate --format {name}", *about.needs, *(["--weights int:1:9"] if about.must else [])])
        if needs:
            yield f"generate --format {name}", (f"--format: '{name}' given without {join(needs)}, allowed: with " + (
                "it" if len(needs) == 1 else "all of them, or with --simple"))
        weights = []
        for kind, value in ("int", "int:1:5"), ("float", "uniform"), ("float", "float:0:1"):
            if not about.weights:
                weights.append((value, "with " + WEIGHTED))
            elif kind not in about.weights:
                weights.append((value, "int:MIN:MAX" + ("" if about.must else ", none")))
        if about.least > -1 << 31:
            weights.append((f"int:{about.least - 1}:5", f"int:MIN:MAX with MIN of at least {about.least}"))
        for value, allowed in weights:
            for command, option in (f"generate {' '.join(about.needs)} --format", "format"), ("convert list.h5 x --to", "to"):
                yield f"{command} {name} --weights {value}", (
                    f"--weights: '{value}' given with --{option} {name}, allowed: {allowed}")
        if not about.pipe:
            yield f"{good} -o -", f"--output: '-' given with --format {name}, allowed: with {join(PIPED)}"
            yield f"convert list.h5 - --to {name}", f"--to: '{name}' cannot be written to standard output, allowed: {PIPES}"
        for command in [f"{good} --base 1", f"convert list.h5 x --to {name} --base 1"] if not about.base else []:
            yield command, f"--base: '1' given with format {name}, allowed: 1 with {BASED}"
        for kind in "int32", "int64", "uint32", "uint64":
            allowed = ", ".join(having(lambda about, kind=kind: kind in about.types))
            for command in [good, f"convert list.h5 x --to {name}"] if kind not in about.types else []:
                yield f"{command} --id-type {kind}", f"--id-type: '{kind}' given with format {name}, allowed: with {allowed}"
        if about.most < 1 << 40:  # csr has a message of its own: test_bad_input.py
            scale = about.most.bit_length()
            yield f"{good} --scale {scale} --edges 10", (
                f"--format: {name} needs at most {about.most} vertices, the graph has {1 << scale}")


def suffix(command, name, nearest="", option="--format"):
    where = "--output:" if command.endswith("-o") else "OUT"
    return (2, f"{command} {name}", f"{where} {name}: '{name[1:]}' {UNFIT}{nearest and ', the nearest is ' + nearest}; allowed: "
            f"<suffixes>; {option} takes any name")


MAKE = "generate --scale 5 -o"
OBLONG = "given with 100 source and 70 destination vertices, allowed: with equal numbers of both"
TAKEN = "already exists, --force replaces it"

# Exit code, arguments, and the line behind "rmat COMMAND: ".
TABLE = [
    # Names of formats, and suffixes.
    (2, "generate --format hdf5", f"--format: 'hdf5' is unknown, allowed: {ALL}"),
    (2, "generate --format parquett", f"--format: 'parquett' is unknown (did you mean 'parquet'?), allowed: {ALL}"),
    (2, "generate --format el,csv", f"--format: 'el,csv' is unknown, allowed: {ALL}"),
    (2, "convert list.h5 x --to hdf", f"--to: 'hdf' is unknown, allowed: {ALL}"),
    suffix(MAKE, "x.hdf5", "'.h5' (h5)"),
    suffix(MAKE, "x.EL", "'.el' (el)"),
    suffix(MAKE, "x.tar"),
    suffix(MAKE, "x.el.bz2", "'.el' (el)"),
    suffix(MAKE, "x.parq", "'.parquet' (parquet)"),
    suffix("convert list.h5", "x.tar", option="--to"),
    suffix("convert list.h5", "x.csr", "the format csr, which has no suffix", "--to"),
    (2, "convert list.h5 x", f"--to: missing, because the name 'x' does not tell the format, allowed: {ALL}"),
    (2, "convert list.h5 -", f"--to: missing, standard output needs it, allowed: {PIPES}"),
    # Operands of convert.
    (2, "convert", "IN missing, allowed: IN OUT"),
    (2, "convert list.h5 --to csv", "OUT missing, allowed: IN OUT"),
    (2, "convert list.h5 x.el y.el", "unexpected argument 'y.el', allowed: IN OUT"),
    (2, "convert a.el a.el", "OUT 'a.el' is the same file as IN, allowed: another file"),
    *((2, f"convert list.h5 {name} --force --to el", f"OUT '{name}' is the same file as IN, allowed: another file")
      for name in ("list.h5", "folder/../list.h5", "link.h5", "symbolic.h5")),
    (2, "convert list.weights list --to graph500 --force", "OUT 'list.weights' is the same file as IN, allowed: another file"),
    # Outputs that cannot be made.
    *((1, f"{command} {name} --force", f"{name}: is {kind}, expected a regular file or none" + (pipe if name != "folder" else ""))
      for name, kind in (("folder", "a directory"), ("fifo", "a FIFO"), ("/dev/null", "a device"))
      for command, pipe in ((f"{MAKE}", ""), *((words, "; '-' writes el to standard output, which may be a pipe") for words in (
          "generate --scale 5 --format el -o", "convert list.h5 --to el")))),
    *((1, f"{command} nowhere/x.{name}", "nowhere: the folder does not exist") for command in (MAKE, "convert list.h5")
      for name in ("h5", "el", "g500", "parquet")),
    (1, "generate --scale 5 --format graph500 -o a.el/x", "a.el/x: Not a directory"),
    *((1, f"{command} {name}", f"{name}: {TAKEN}") for command in (MAKE, f"{MAKE[:-2]} --sorted -o", "convert list.h5")
      for name in ("a.el", "a.csv", "floats.h5")),
    # Slices.
    (2, "generate --scale 5 --first 600",
     "--first: '600' is out of range, allowed: 0 to 512, the number of edges of the list"),
    (2, "generate --scale 5 --first 500 --count 100",
     "--count: '100' is out of range, allowed: 0 to 12, the edges of the list from --first on"),
    (2, "generate --scale 5 --count 1000 --stream graph500",
     "--count: '1000' is out of range, allowed: 0 to 512, the edges of the list from --first on"),
    (2, "generate --scale 5 --first -1 --stream gapbs",
     "--first: '-1' is out of range, allowed: 0 to 4611686018427387904 (2^62)"),
    (2, "generate --scale 5 --count x --sorted",
     f"--count: 'x' is not a number, allowed: 0 to 4611686018427387904 (2^62){SUFFIXES}"),
    # What formats need beside what of_formats() says.
    (2, "generate --scale 5 --format metis --symmetrize --unique",
     "--format: 'metis' given without --no-self-loops, allowed: with it"),
    (2, f"generate --edges 10 --simple {' '.join(RECTANGLE)} --format metis", f"--simple: {OBLONG}"),
    (2, f"generate --edges 10 --unique --no-self-loops {' '.join(RECTANGLE)} --format metis", f"--no-self-loops: {OBLONG}"),
    *((2, f"generate --scale 5 --{one} --{other}", f"--{one}: given together with --{other}, allowed: one of them")
      for one, other in (("unique", "simple"), ("unique", "dedup"))),
    (2, "generate --scale 5 --format el --base 2", "--base: '2' is out of range, allowed: 0, 1"),
    (2, "generate --format parquet --scale 40", "--format: parquet needs at most 2199023255552 edges, the graph has 17592186044416"),
    (2, "convert list.h5 x.wel", "--to: wel needs weights; --weights uniform makes them"),
    (2, "convert list.h5 x.graph", "--to: metis needs a graph that is known to be without duplicate edges, without self-loops and "
     "undirected (each edge with its reverse); --simple makes one"),
    *((2, f"convert {words}", "--to: metis needs a graph that is known to be without self-loops and undirected (each edge with its "
       "reverse); --simple makes one") for words in ("unique.h5 x.graph", "list.h5 x.graph --dedup")),
    (2, "convert floats.h5 x.wsg", "--to: wsg needs integer weights; --weights int:1:100 makes them"),
    (2, "convert floats.h5 x.adj", "--to: adjacency needs integer weights; --weights int:1:100 makes them"),
    (2, "convert wide.h5 x.bin32", "--to: bin32 needs at most 4294967296 vertices, the graph has 68719476736"),
    (2, "convert wide.h5 x.sg", "--to: sg needs at most 2147483646 vertices, the graph has 68719476736"),
    (2, "convert wider.h5 x.g500", "--to: graph500 needs at most 140737488355328 vertices, the graph has 1125899906842624"),
    (2, "convert oblong.h5 x.graph --simple", f"--simple: {OBLONG}"),
    (2, "convert oblong.h5 x.el --undirected lower", f"--undirected: {OBLONG}"),
    (2, "convert list.h5 x.wel --weights int:9:1", f"--weights: 'int:9:1' is unknown, allowed: {WEIGHTS}"),
    (2, "convert list.h5 x.wel --weights heavy", f"--weights: 'heavy' is unknown, allowed: {WEIGHTS}"),
    (2, "convert list.h5 x.el --seed 5", "--seed: '5' given alone, allowed: with --permute or --weights"),
    # Types of ids that are too narrow.
    *((2, f"{command} --id-type {kind}", f"--id-type: '{kind}' is too narrow for {vertices} vertices, allowed: auto, {allowed}")
      for command, kind, vertices, allowed in (
          ("generate --scale 32 --edges 5", "int32", 1 << 32, "int64, uint32, uint64"),
          ("generate --vertices 2147483649 --edges 5 --format npy", "int32", 2147483649, "int64, uint32, uint64"),
          ("generate --scale 33 --edges 5", "uint32", 1 << 33, "int64, uint64"),
          ("generate --scale 33 --edges 5 --format parquet", "int32", 1 << 33, "int64"),
          ("convert wide.h5 y.h5", "int32", 1 << 36, "int64, uint64"),
          ("convert wide.h5 y.h5 --sorted", "int32", 1 << 36, "int64, uint64"))),
    (2, "generate --id-type int16",
     "--id-type: 'int16' is unknown (did you mean 'int32'?), allowed: auto, int32, int64, uint32, uint64"),
    # Inputs.
    *((1, f"{command}", f"{name}: is not an HDF5 file") for command, name in (
        ("convert a.el x.h5", "a.el"), ("convert a.csv x.el", "a.csv"), ("stats a.el", "a.el"), ("info a.el", "a.el"),
        ("roots a.el", "a.el"))),
    (1, "convert empty x.h5", "empty: is empty, expected an HDF5 file"),
    *((1, command, "missing.h5: No such file or directory") for command in ("convert missing.h5 x.el", "roots missing.h5")),
    (1, "convert - x.h5", "-: No such file or directory"),
    *((1, f"{command}", "folder: is a directory, expected an HDF5 file") for command in ("convert folder x.el", "stats folder")),
    # Statistics.
    (2, "stats list.h5 list.h5 --degrees d.tsv", "--degrees: given with several files, allowed: with one"),
    (1, "stats list.h5 --degrees nowhere/t.tsv", "--degrees: nowhere: the folder does not exist"),
    (1, "stats list.h5 --degrees a.el", f"--degrees: a.el: {TAKEN}"),
    (1, "stats list.h5 --degrees list.h5 --force", "--degrees: list.h5: is the file that is read, allowed: another file"),
]


class BadFormats(CliTest):
    def setUp(self):
        """The inputs, which no case may change."""
        super().setUp()
        for name, args in (("list", []), ("floats", ["--weights", "uniform"]), ("unique", ["--unique", "--edges", "500"]),
                           ("wide", ["--scale", "36", "--edges", "10"]), ("wider", ["--scale", "50", "--edges", "10"]),
                           ("oblong", [*RECTANGLE, "--edges", "300"])):
            size = [] if "--scale" in args or name == "oblong" else ["--scale", "6"]
            self.generate(*size, *args, "-o", name + ".h5")
        for name, text in (("a.el", "0 1\n1 2\n"), ("a.csv", "a,b\n1,2\n"), ("empty", "")):
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write(text)
        os.mkdir(self.path("folder"))
        os.mkfifo(self.path("fifo"))
        for name in "link.h5", "list.weights":
            os.link(self.path("list.h5"), self.path(name))
        os.symlink("list.h5", self.path("symbolic.h5"))

    def state(self):
        found = [(entry.name, entry.stat(follow_symlinks=False)) for entry in os.scandir(self.folder)]
        return sorted((name, about.st_ino, about.st_size, about.st_mtime_ns) for name, about in found)

    def test_refusals(self):
        before = self.state()
        for code, args, line in [*TABLE, *((2, *row) for row in of_formats())]:
            with self.subTest(args=args):
                words = shlex.split(args)
                done = self.rmat(*words, stdin=subprocess.DEVNULL)
                pattern = re.escape(f"rmat {words[0]}: {line}\n").replace("<suffixes>", r"\.h5, (\.\w+, )+\.wsg")
                self.assertRegex(done.stderr, r"\A" + pattern + r"\Z")
                self.assertEqual((done.returncode, done.stdout, self.state()), (code, "", before))


if __name__ == "__main__":
    unittest.main()
