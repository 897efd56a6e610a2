"""Mistakes with formats, their options and their files: one line on stderr that names the option or the file, the
value, and what is allowed; exit code 2, or 1 where only the file system or a file's contents tell; nothing left."""

import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

import cli
from cli import CliTest, RMAT

# In the messages below: lists that grow with every format.  The first one is compared with the list in cli.py.
LISTS = {
    "<all formats>": re.escape(", ".join(cli.FORMATS)),
    "<formats>": "[a-z0-9]+(, [a-z0-9]+)+( and [a-z0-9]+)?",
    "<suffixes>": r"\.h5, (\.[a-z0-9.]+, )+edges_0_0\.h5, (\.[a-z0-9]+, )*\.bsp\.h5",
}

# Exit code, arguments, and the line behind "rmat COMMAND: ".
TABLE = [
    # Names of formats, and suffixes.
    (2, "generate --format hdf5", "--format: 'hdf5' is unknown, allowed: <all formats>"),
    (2, "generate --format parquett",
     "--format: 'parquett' is unknown (did you mean 'parquet'?), allowed: <all formats>"),
    (2, "generate --format el,csv", "--format: 'el,csv' is unknown, allowed: <all formats>"),
    (2, "generate --format graphalytic",
     "--format: 'graphalytic' is unknown (did you mean 'graphalytics'?), allowed: <all formats>"),
    (2, "convert list.h5 x --to hdf", "--to: 'hdf' is unknown, allowed: <all formats>"),
    (2, "generate --scale 5 -o x.hdf5",
     "--output: x.hdf5: '.hdf5' is not the suffix of a known format, the nearest is '.h5' (h5); allowed: <suffixes>; --format takes "
     "any name"),
    (2, "generate --scale 5 -o x.EL",
     "--output: x.EL: '.EL' is not the suffix of a known format, the nearest is '.el' (el); allowed: <suffixes>; --format takes any "
     "name"),
    (2, "generate --scale 5 -o x.tar",
     "--output: x.tar: '.tar' is not the suffix of a known format; allowed: <suffixes>; --format takes any name"),
    (2, "generate --scale 5 -o x.el.bz2",
     "--output: x.el.bz2: '.el.bz2' is not the suffix of a known format, the nearest is '.el' (el); allowed: <suffixes>; --format "
     "takes any name"),
    (2, "generate --scale 5 -o x.parq",
     "--output: x.parq: '.parq' is not the suffix of a known format, the nearest is '.parquet' (parquet); allowed: <suffixes>; "
     "--format takes any name"),
    (2, "convert list.h5 x", "--to: missing, because the name 'x' does not tell the format, allowed: <all formats>"),
    (2, "convert list.h5 x.tar", "OUT x.tar: '.tar' is not the suffix of a known format; allowed: <suffixes>; --to takes any name"),
    (2, "convert list.h5 x.csr",
     "OUT x.csr: '.csr' is not the suffix of a known format, the nearest is the format csr, which has no suffix; allowed: "
     "<suffixes>; --to takes any name"),
    (2, "convert list.h5 --to csv", "OUT missing, allowed: IN OUT"),
    (2, "convert list.h5 x.el y.el", "unexpected argument 'y.el', allowed: IN OUT"),
    # Outputs that cannot be made.
    (1, "generate --scale 5 --format el -o folder", "folder: is a directory, expected a regular file or none"),
    (2, "generate --scale 5 --format el -o folder/",
     "--output: 'folder/' names no file, allowed: the path of a file (./-x where it starts with a dash), or -"),
    (2, "generate --scale 5 --format el -o ''",
     "--output: '' names no file, allowed: the path of a file (./-x where it starts with a dash), or -"),
    (1, "generate --scale 5 --format el -o nowhere/x.el", "nowhere: the folder does not exist"),
    (1, "generate --scale 5 --format parquet -o nowhere/x.parquet", "nowhere: the folder does not exist"),
    (1, "generate --scale 5 --format graphalytics --simple -o nowhere/x.e", "nowhere: the folder does not exist"),
    (1, "generate --scale 5 --format graph500 -o a.el/x", "a.el/x: Not a directory"),
    (1, "generate --scale 5 --format el -o /dev/null",
     "/dev/null: is a device, expected a regular file or none; '-' writes el to standard output, which may be a pipe"),
    (1, "generate --scale 5 --format el -o a.el", "a.el: already exists, --force replaces it"),
    (1, "generate --scale 5 --format csv -o a.csv", "a.csv: already exists, --force replaces it"),
    (1, "generate --scale 5 -o list.h5", "list.h5: already exists, --force replaces it"),
    (1, "generate --scale 5 --simple -o taken.e", "taken.v: already exists, --force replaces it"),
    (1, "convert list.h5 a.csv", "a.csv: already exists, --force replaces it"),
    (1, "convert list.h5 nowhere/x.el", "nowhere: the folder does not exist"),
    (2, "convert a.el a.el", "OUT 'a.el' is the same file as IN, allowed: another file"),
    (2, "convert a.el folder/../a.el --force", "OUT 'folder/../a.el' is the same file as IN, allowed: another file"),
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
     "--count: 'x' is not a number, allowed: 0 to 4611686018427387904 (2^62), with or without a suffix K, M, "
     "G, T, P (powers of 1000) or Ki, Mi, Gi, Ti, Pi (powers of 1024)"),
    # What formats need.
    (2, "generate --scale 5 --format metis",
     "--format: 'metis' given without --symmetrize, --no-self-loops and --unique, allowed: with all of them, or with "
     "--simple"),
    (2, "generate --scale 5 --format metis --symmetrize --unique",
     "--format: 'metis' given without --no-self-loops, allowed: with it"),
    (2, "generate --scale 5 --format wel", "--format: 'wel' given without --weights, allowed: with it"),
    (2, "generate --scale 5 --format wsg --weights uniform",
     "--weights: 'uniform' given with --format wsg, allowed: int:MIN:MAX"),
    (2, "generate --scale 5 --format gr --weights uniform",
     "--weights: 'uniform' given with --format gr, allowed: int:MIN:MAX, none"),
    (2, "generate --scale 5 --format bin32 --weights uniform",
     "--weights: 'uniform' given with --format bin32, allowed: with <formats>"),
    (2, "generate --scale 5 --format npy --weights int:1:5",
     "--weights: 'int:1:5' given with --format npy, allowed: with <formats>"),
    (2, "generate --scale 5 --format binsparse", "--format: 'binsparse' given without --unique, allowed: with it"),
    (2, "generate --scale 5 --format graphalytics --unique",
     "--format: 'graphalytics' given without --no-self-loops, allowed: with it"),
    (2, "generate --scale 5 --format metis --simple --weights int:0:5",
     "--weights: 'int:0:5' given with --format metis, allowed: int:MIN:MAX with MIN of at least 1"),
    (2, "generate --scale 5 --format graphalytics --simple --weights int:-3:5",
     "--weights: 'int:-3:5' given with --format graphalytics, allowed: int:MIN:MAX with MIN of at least 0"),
    (2, "generate --edges 10 --simple --rows 5 --cols 7 --format metis",
     "--simple: given with 5 source and 7 destination vertices, allowed: with equal numbers of both"),
    (2, "generate --edges 10 --unique --no-self-loops --rows 5 --cols 7 --format graphalytics",
     "--no-self-loops: given with 5 source and 7 destination vertices, allowed: with equal numbers of both"),
    (2, "generate --scale 5 --format graphalytics --simple --unique",
     "--unique: given together with --simple, allowed: one of them"),
    (2, "generate --scale 33 --edges 10 --format bin32",
     "--format: bin32 needs at most 4294967296 vertices, the graph has 8589934592"),
    (2, "generate --scale 33 --edges 10 --format sg",
     "--format: sg needs at most 2147483646 vertices, the graph has 8589934592"),
    (2, "generate --scale 33 --edges 10 --format wsg --weights int:1:5",
     "--format: wsg needs at most 2147483646 vertices, the graph has 8589934592"),
    (2, "generate --scale 48 --edges 10 --format graph500",
     "--format: graph500 needs at most 140737488355328 vertices, the graph has 281474976710656"),
    (2, "generate --scale 33 --edges 10 --format npy --id-type uint32",
     "--id-type: 'uint32' is too narrow for 8589934592 vertices, allowed: auto, int64, uint64"),
    (2, "generate --scale 5 --format el --id-type uint64",
     "--id-type: 'uint64' given with format el, allowed: with <formats>"),
    (2, "convert list.h5 x.wel", "--to: wel needs weights; --weights uniform makes them"),
    (2, "convert list.h5 x.graph", "--to: metis needs a graph that is known to be without duplicate edges, without self-loops and "
     "undirected (each edge with its reverse); --simple makes one"),
    (2, "convert unique.h5 x.graph",
     "--to: metis needs a graph that is known to be without self-loops and undirected (each edge with its reverse); "
     "--simple makes one"),
    (2, "convert list.h5 x.bsp.h5", "--to: binsparse needs a graph that is known to be without duplicate edges; --dedup makes one"),
    (2, "convert floats.h5 x.wsg", "--to: wsg needs integer weights; --weights int:1:100 makes them"),
    (2, "convert floats.h5 x.gr", "--to: gr needs integer weights; --weights int:1:100 makes them"),
    (2, "convert list.h5 x.e",
     "--to: graphalytics needs a graph that is known to be without duplicate edges and without self-loops; "
     "--dedup and --no-self-loops make one, or --simple does"),
    (2, "convert unique.h5 x.e",
     "--to: graphalytics needs a graph that is known to be without self-loops; --no-self-loops makes one"),
    (2, "convert wide.h5 x.bin32", "--to: bin32 needs at most 4294967296 vertices, the graph has 68719476736"),
    (2, "convert wide.h5 x.sg", "--to: sg needs at most 2147483646 vertices, the graph has 68719476736"),
    (2, "convert wider.h5 x.g500",
     "--to: graph500 needs at most 140737488355328 vertices, the graph has 1125899906842624"),
    (2, "convert oblong.h5 x.graph --simple",
     "--simple: given with 100 source and 70 destination vertices, allowed: with equal numbers of both"),
    (2, "convert oblong.h5 x.el --undirected lower",
     "--undirected: given with 100 source and 70 destination vertices, allowed: with equal numbers of both"),
    (2, "convert list.h5 x.el --weights uniform",
     "--weights: 'uniform' given with --to el, allowed: with <formats>"),
    (2, "convert list.h5 x.wel --weights int:9:1",
     "--weights: 'int:9:1' is unknown, allowed: none, uniform, int:MIN:MAX (-2147483648 to 2147483647, MIN <= MAX), "
     "float:MIN:MAX (-1e38 to 1e38, MIN <= MAX)"),
    (2, "convert list.h5 x.graph --simple --weights int:0:3",
     "--weights: 'int:0:3' given with --to metis, allowed: int:MIN:MAX with MIN of at least 1"),
    (2, "convert list.h5 x.el --seed 5", "--seed: '5' given alone, allowed: with --permute or --weights"),
    # Pipes.
    (2, "generate --scale 5 -o -", "--output: '-' given with --format h5, allowed: with <formats>"),
    (2, "generate --scale 5 -o - --format csr", "--output: '-' given with --format csr, allowed: with <formats>"),
    (2, "generate --scale 5 -o - --format parquet",
     "--output: '-' given with --format parquet, allowed: with <formats>"),
    (2, "generate --scale 5 -o - --format graph500",
     "--output: '-' given with --format graph500, allowed: with <formats>"),
    (2, "generate --scale 5 -o - --format graphalytics --simple",
     "--output: '-' given with --format graphalytics, allowed: with <formats>"),
    (2, "convert list.h5 -", "--to: missing, standard output needs it, allowed: <formats>"),
    (2, "convert list.h5 - --to npy", "--to: 'npy' cannot be written to standard output, allowed: <formats>"),
    (2, "convert list.h5 - --to h5", "--to: 'h5' cannot be written to standard output, allowed: <formats>"),
    (2, "convert list.h5 - --to graphalytics",
     "--to: 'graphalytics' cannot be written to standard output, allowed: <formats>"),
    # Inputs.
    (1, "convert a.el x.h5", "a.el: is not an HDF5 file"),
    (1, "convert a.csv x.el", "a.csv: is not an HDF5 file"),
    (1, "convert taken.v x.h5", "taken.v: is empty, expected an HDF5 file"),
    (1, "convert missing.h5 x.el", "missing.h5: No such file or directory"),
    (1, "convert folder x.el", "folder: is a directory, expected an HDF5 file"),
    (1, "convert - x.h5", "-: No such file or directory"),
    (1, "stats a.el", "a.el: is not an HDF5 file"),
    (1, "info a.el", "a.el: is not an HDF5 file"),
    (1, "roots a.el", "a.el: is not an HDF5 file"),
    (1, "stats folder", "folder: is a directory, expected an HDF5 file"),
    # Statistics.
    (2, "stats list.h5 list.h5 --degrees d.tsv", "--degrees: given with several files, allowed: with one"),
    (1, "stats list.h5 --degrees nowhere/t.tsv", "--degrees: nowhere: the folder does not exist"),
    (1, "stats list.h5 --degrees a.el", "--degrees: a.el: already exists, --force replaces it"),
    (1, "stats list.h5 --degrees list.h5 --force",
     "--degrees: list.h5: is the file that is read, allowed: another file"),
]


class BadFormats(CliTest):
    @classmethod
    def setUpClass(cls):
        """The inputs, which no case may change."""
        cls.inputs = tempfile.mkdtemp(prefix="rmat-cli-")
        for name, args in (("list", []), ("floats", ["--weights", "uniform"]), ("unique", ["--unique", "--edges", "500"]),
                           ("wide", ["--scale", "36", "--edges", "10"]), ("wider", ["--scale", "50", "--edges", "10"]),
                           ("oblong", ["--rows", "100", "--cols", "70", "--edges", "300"])):
            size = [] if "--scale" in args or "--rows" in args else ["--scale", "6"]
            cls.run_rmat("generate", "-q", *size, *args, "-o", name + ".h5")
        for name, text in (("a.el", "0 1\n1 2\n"), ("a.csv", "a,b\n1,2\n"), ("taken.v", "")):
            cls.write(name, text)
        os.mkdir(os.path.join(cls.inputs, "folder"))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.inputs)

    @classmethod
    def run_rmat(cls, *args):
        return subprocess.run([RMAT, *args], cwd=cls.inputs, capture_output=True, text=True, check=True).stdout

    @classmethod
    def write(cls, name, text):
        with open(os.path.join(cls.inputs, name), "w", encoding="ascii") as file:
            file.write(text)

    def contents(self):
        found = {}
        for folder, folders, files in os.walk("."):
            found[folder] = sorted(folders)
            for name in files:
                with open(os.path.join(folder, name), "rb") as file:
                    found[os.path.join(folder, name)] = file.read()
        return found

    def setUp(self):
        super().setUp()
        shutil.copytree(self.inputs, self.folder, dirs_exist_ok=True)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def test_table(self):
        for code, args, line in TABLE:
            with self.subTest(args=args):
                before, words = self.contents(), shlex.split(args)
                done = self.rmat(*words, stdin=subprocess.DEVNULL)
                pattern = re.escape(f"rmat {words[0]}: {line}\n")
                for name, listed in LISTS.items():
                    pattern = pattern.replace(re.escape(name), listed)
                self.assertRegex(done.stderr, r"\A" + pattern + r"\Z")
                self.assertEqual((done.returncode, done.stdout), (code, ""))
                self.assertEqual(self.contents(), before)


if __name__ == "__main__":
    unittest.main()
