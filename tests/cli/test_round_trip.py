"""Every format that loses nothing holds the arrays of the HDF5 file that it was made of, bit for bit."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

from cli import RMAT, CliTest, skip_all

try:
    import h5py
    import numpy
except ImportError as error:
    skip_all(error)

from decoders import DECODERS, NO_WEIGHTS, SUFFIXES  # noqa: E402, it needs NumPy

if os.access("/dev/shm", os.W_OK):
    tempfile.tempdir = "/dev/shm"  # syncs to a disk would take most of the time

# Options of graphs, and the formats that each becomes: every format meets what is hard for it.
GRAPHS = {
    "plain": (["--scale", "10"], "el tsv csv bin32 graph500 npy"),
    "pieces": (["--scale", "15", "--edges", "500000"], "el mtx bin64 graph500 npy"),  # several of a MiB
    "ints": (["--scale", "9", "--weights", "int:-2147483648:2147483647"], "wel tsv csv mtx"),
    "floats": (["--scale", "9", "--weights", "uniform"], "wel tsv csv mtx graph500"),
    "wide floats": (["--scale", "9", "--weights", "float:-1e38:1e38"], "wel tsv csv mtx graph500"),
    "wide": (["--scale", "40", "--edges", "5000", "--permute"], "el bin64 graph500 npy"),
    "widest": (["--scale", "62", "--edges", "3000", "--permute", "--weights", "int:0:9"], "wel csv mtx bin64"),
    "narrow-64": (["--scale", "9", "--id-type", "uint64"], "bin32 bin64 npy"),
    "oblong": (["--rows", "37", "--cols-scale", "12", "--edges", "3000", "--weights", "int:1:100"], "mtx tsv el graph500"),
    "oblong sorted": (["--rows", "37", "--cols-scale", "12", "--edges", "3000", "--weights", "int:1:100", "--sorted"], "sg wsg rawcsr adjacency galois"),
    "tall": (["--rows", "700", "--cols", "300", "--edges", "1", "--sorted"], "sg rawcsr adjacency galois"),
    "unique": (["--scale", "9", "--unique", "--weights", "uniform"], "wel"),
    "undirected": (["--scale", "9", "--undirected", "lower", "--symmetrize", "--noise", "0.05"], "el"),
    "sorted": (["--scale", "10", "--sorted", "--weights", "int:-9:90"], "gr sg rawcsr adjacency galois"),
    "sorted floats": (["--scale", "10", "--sorted", "--weights", "uniform"], "rawcsr galois"),
    "sorted wide": (["--scale", "10", "--sorted", "--edges", "6000", "--id-type", "uint64", "--weights", "uniform"], "rawcsr galois"),
    "sorted, no negative weights": (["--scale", "10", "--sorted", "--weights", "int:0:90"], "wsg"),
    "sorted pieces": (["--scale", "15", "--edges", "500000", "--sorted", "--weights", "int:1:9"], "gr sg wsg rawcsr adjacency galois"),
    "simple": (["--scale", "10", "--simple", "--weights", "int:1:9"], "gr metis sg wsg parhip"),
    "simple pieces": (["--scale", "15", "--edges", "300000", "--simple"], "gr metis sg parhip adjacency galois rawcsr"),
    "hubs": (["--scale", "17", "--edges", "200000", "--a", "0.9", "--b", "0.04", "--c", "0.04", "--simple"], "metis"),
    "none": (["--scale", "5", "--edges", "0"], "el tsv csv mtx bin32 bin64 graph500 npy"),
    "none-weighted": (["--scale", "5", "--edges", "0", "--weights", "int:1:2"], "wel mtx gr wsg rawcsr adjacency galois"),
    "one": (["--scale", "5", "--edges", "1", "--weights", "int:3:3"], "el wel tsv csv mtx gr bin32 bin64 npy wsg"),
}
# The types of ids, where it is not that of the HDF5 file; text has none.
ID_TYPES = {"bin32": "<u4", "bin64": "<u8", "parhip": "<u8", "sg": "<i4", "wsg": "<i4"}
UNTYPED = {"el", "wel", "tsv", "csv", "mtx", "gr", "metis", "graph500", "adjacency"}


def load(path):
    with h5py.File(path, "r") as file:
        return {name: file[name][:] for name in file}, dict(file.attrs)


class RoundTrip(CliTest):
    def convert(self, *args, **options):
        done = self.rmat("convert", "--quiet", *args, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)

    def check(self, name, to):
        """The graph `name` in the format `to`."""
        path = self.path(f"{name}." + SUFFIXES.get(to, to))
        columns, attrs = load(self.path(name + ".h5"))
        want = [columns["src"], columns["dst"]]
        kind = columns["weight"].dtype if "weight" in columns and to not in NO_WEIGHTS else None
        if kind:
            want.append(columns["weight"].astype("<f4" if to == "graph500" else kind))
        self.convert(name + ".h5", path, "--to", to)
        got, shape = DECODERS[to](path, kind)
        self.assertEqual(len(got), len(want))
        for i, (found, wanted) in enumerate(zip(got, want)):
            if i == 1 and to not in UNTYPED:
                self.assertEqual(found.dtype, ID_TYPES.get(to, wanted.dtype))
            if i == 2:
                self.assertEqual(found.dtype, wanted.dtype)
            self.assertEqual(found.astype(wanted.dtype).tobytes(), wanted.tobytes(), "src dst weight".split()[i])
        if shape is not None:
            rows, cols = int(attrs["num_rows"]), int(attrs["num_cols"])
            self.assertEqual(shape, (rows, cols) if to == "mtx" else 2 * (max(rows, cols),))

    def test_every_format(self):
        self.assertEqual({to for _, formats in GRAPHS.values() for to in formats.split()}, set(DECODERS))
        for name, (options, formats) in GRAPHS.items():
            self.generate(*options, "-o", self.path(name + ".h5"))
            for to in formats.split():
                with self.subTest(name=name, to=to):
                    self.check(name, to)

    def test_threads_and_pipes(self):
        """The same bytes by any number of threads, and to a pipe."""
        self.generate("--scale", "14", "--weights", "uniform", "-o", "g.h5")
        for threads in "1", "3", "5":
            self.convert("g.h5", threads + ".wel", "--threads", threads)
        piped = subprocess.run([RMAT, "convert", "-q", "g.h5", "--to", "wel", "-"], cwd=self.folder, stdout=subprocess.PIPE,
                               check=True, timeout=60).stdout
        for name, data in ("3", self.read("3.wel")), ("5", self.read("5.wel")), ("-", piped):
            self.assertTrue(data == self.read("1.wel"), name)

    def test_lists_keep_the_model(self):
        """CSR and lists become lists: the files that `rmat generate` makes, byte for byte."""
        for name, options in {"sorted": ["--sorted"], "unique": ["--unique", "--weights", "int:1:9"]}.items():
            model = ["--scale", "10", "--noise", "0.1", "--permute", *options]
            csr = [word for word in model if word != "--sorted"] + ["--format", "csr"]
            self.generate(*model, "-o", name + ".h5")
            self.generate(*csr, "-o", name + ".csr.h5")
            for source in (name + ".h5", name + ".csr.h5"):
                self.convert(source, "out.h5", "--to", "h5", "--force")
                self.assertEqual(self.read("out.h5"), self.read(name + ".h5"), source)

    def test_info_and_verify(self):
        """A graph that convert has changed has no model, says so, and cannot hide damage; nor can one with a model
        become one without by what it lost."""
        self.generate("--scale", "8", "-o", "m.h5")
        self.convert("m.h5", "g.h5", "--permute")
        told = json.loads(self.rmat("info", "--json", "g.h5").stdout)
        self.assertEqual((told["edges"], told["num_rows"], told["num_cols"], told["rows_scale"], told["generator"]),
                         (4096, 256, 256, 8, "rmat convert"))
        done = self.rmat("verify", "g.h5")
        self.assertEqual((done.returncode, done.stderr[:4]), (0, "100%"))
        self.assertIn("skipped: made by rmat convert, and not by an R-MAT model", done.stdout)
        self.assertIn("ids          ok: all are below num_rows and num_cols", done.stdout)
        for name, value, said in (("num_cols", numpy.uint64(200), "dst is not below num_cols; "),
                                  ("rows_scale", numpy.uint64(7), "rows_scale is 7, expected 8"),
                                  ("noise", 0.5, "noise exists"),
                                  ("num_rows", None, "attribute 'num_rows' is missing"),
                                  ("command", numpy.bytes_("rmat generate"), "command is 'rmat generate'"),
                                  ("generator", numpy.bytes_("rmat"), "attribute 'noise' is missing"),
                                  ("fingerprint", numpy.uint64(5), "the attribute says 0x0000000000000005")):
            self.convert("m.h5", "d.h5", "--permute", "--force")
            with h5py.File(self.path("d.h5"), "r+", libver="v108") as file:
                if name in file.attrs:
                    del file.attrs[name]
                if value is not None:
                    file.attrs[name] = value
            done = self.rmat("verify", "d.h5", "--quiet")
            self.assertEqual(done.returncode, 1, name)
            self.assertIn(said, done.stdout)
        with h5py.File(self.path("g.h5")) as file:
            keep = set(file.attrs) - {"seed", "permute"}
        with h5py.File(self.path("m.h5"), "r+", libver="v108") as file:
            for name in set(file.attrs) - keep:
                del file.attrs[name]
        self.assertIn("attribute 'seed' is missing", self.rmat("verify", "m.h5", "--quiet").stdout)

    def test_damaged_source(self):
        """Edges that are not those of the fingerprint do not become a file that looks right."""
        self.generate("--scale", "8", "-o", "g.h5")
        with h5py.File(self.path("g.h5"), "r+", libver="v108") as file:
            file["dst"][7] ^= 1
        done = self.rmat("convert", "-q", "g.h5", "out.h5")
        self.assertEqual(done.returncode, 1)
        self.assertIn("its attribute says", done.stderr)
        self.assertEqual(self.files(), ["g.h5"])


if __name__ == "__main__":
    sys.exit(unittest.main())
