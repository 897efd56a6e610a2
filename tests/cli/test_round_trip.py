"""Every format that loses nothing: from HDF5 to it and back are the same arrays, bit for bit."""

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

if os.access("/dev/shm", os.W_OK):
    tempfile.tempdir = "/dev/shm"  # syncs to a disk would take most of the time

# Options of graphs, and the formats that each goes through: every format meets what is hard for it.
GRAPHS = {
    "plain": (["--scale", "10"], "el tsv csv bin32 graph500 npy"),
    "pieces": (["--scale", "15", "--edges", "500000"], "el mtx bin64 graph500 npy"),  # several of a MiB
    "ints": (["--scale", "9", "--weights", "int:-2147483648:2147483647"], "wel tsv csv mtx"),
    "floats": (["--scale", "9", "--weights", "uniform"], "wel tsv csv mtx graph500"),
    "wide": (["--scale", "40", "--edges", "5000", "--permute"], "el bin64 graph500 npy"),
    "widest": (["--scale", "62", "--edges", "3000", "--permute", "--weights", "int:0:9"], "wel csv mtx bin64"),
    "narrow-64": (["--scale", "9", "--id-type", "uint64"], "bin32 bin64 npy"),
    "oblong": (["--rows", "37", "--cols-scale", "12", "--edges", "3000", "--weights", "int:1:100"], "mtx tsv el"),
    "oblong sorted": (["--rows", "37", "--cols-scale", "12", "--edges", "3000", "--weights", "int:1:100", "--sorted"], "npz"),
    "unique": (["--scale", "9", "--unique", "--weights", "uniform"], "wel"),
    "undirected": (["--scale", "9", "--undirected", "lower", "--symmetrize", "--noise", "0.05"], "el"),
    "sorted": (["--scale", "10", "--sorted", "--weights", "int:-9:90"], "gr sg npz rawcsr adjacency galois"),
    "sorted floats": (["--scale", "10", "--sorted", "--weights", "uniform"], "npz rawcsr galois"),
    "sorted wide": (["--scale", "10", "--sorted", "--edges", "6000", "--id-type", "uint64", "--weights", "uniform"], "rawcsr galois"),
    "sorted, no negative weights": (["--scale", "10", "--sorted", "--weights", "int:0:90"], "wsg"),
    "sorted pieces": (["--scale", "15", "--edges", "500000", "--sorted", "--weights", "int:1:9"], "gr sg wsg npz rawcsr adjacency galois"),
    "simple": (["--scale", "10", "--simple", "--weights", "int:1:9"], "gr metis sg wsg parhip"),
    "simple pieces": (["--scale", "15", "--edges", "300000", "--simple"], "metis sg parhip adjacency galois rawcsr"),
    "hubs": (["--scale", "17", "--edges", "200000", "--a", "0.9", "--b", "0.04", "--c", "0.04", "--simple"], "metis"),
    "none": (["--scale", "5", "--edges", "0"], "el tsv csv mtx bin32 bin64 graph500 npy"),
    "none-weighted": (["--scale", "5", "--edges", "0", "--weights", "int:1:2"], "wel mtx gr wsg npz rawcsr adjacency galois"),
    "one": (["--scale", "5", "--edges", "1", "--weights", "int:3:3"], "el wel tsv csv mtx gr bin32 bin64 npy wsg"),
}
NO_WEIGHTS = {"el", "bin32", "bin64", "npy", "sg", "parhip"}
BARE_WEIGHTS = {"galois", "rawcsr"}
SUFFIXES = {"graph500": "g500", "metis": "graph", "rawcsr": "indices", "adjacency": "adj", "galois": "galois.gr", "parhip": "bgf"}
HAS_VERTICES = {"mtx", "gr", "metis", "sg", "wsg", "npz", "rawcsr", "adjacency", "galois", "parhip"}


def load(path):
    with h5py.File(path, "r") as file:
        return {name: file[name][:] for name in file}, dict(file.attrs)


class RoundTrip(CliTest):
    def convert(self, *args, **options):
        done = self.rmat("convert", "--quiet", *args, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)

    def check(self, name, to):
        """Of the graph `name`, through the format `to`."""
        there, back = self.path(f"{name}." + SUFFIXES.get(to, to)), self.path(f"{name}.{to}.h5")
        want, attrs = load(self.path(name + ".h5"))
        sizes = ["--rows", str(attrs["num_rows"]), "--cols", str(attrs["num_cols"])]
        self.convert(name + ".h5", there)
        told = ["--weight-type", want["weight"].dtype.name] if to in BARE_WEIGHTS and "weight" in want else []
        self.convert(there, back, *told, *([] if to in HAS_VERTICES else sizes))
        got, said = load(back)
        if to in NO_WEIGHTS:
            want.pop("weight", None)
        self.assertEqual(sorted(got), sorted(want))
        for column, array in want.items():
            if column != "weight":  # as narrow as the ids allow, but for bin64 and unsigned arrays
                wide = to == "bin64" or (to in ("npy", "galois", "rawcsr") and array.itemsize == 8) or max(attrs["num_rows"], attrs["num_cols"]) > 1 << 32
                array = array.astype("<u8" if wide else "<u4")
            self.assertEqual(got[column].dtype, array.dtype, (name, to, column))
            self.assertEqual(got[column].tobytes(), array.tobytes(), (name, to, column))
        for attr in ("fingerprint", "num_rows", "num_cols", "rows_scale", "cols_scale", "edges"):
            self.assertEqual(said[attr], attrs[attr], (name, to, attr))
        self.assertEqual((said["generator"], said["command"]), (b"rmat convert", b"rmat convert IN OUT"))
        return back

    def test_there_and_back(self):
        for name, (options, formats) in GRAPHS.items():
            self.generate(*options, "-o", self.path(name + ".h5"))
            for to in formats.split():
                with self.subTest(name=name, to=to):
                    back = self.check(name, to)
                    if to == "tsv":
                        done = self.rmat("verify", "--quiet", back)
                        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_threads_and_pipes(self):
        """The same bytes by any number of threads, from a pipe, a file as standard input, to a pipe."""
        self.generate("--scale", "14", "--weights", "uniform", "-o", "g.h5")
        self.convert("g.h5", "g.wel", "--threads", "3")
        self.convert("g.wel", "1.h5", "--threads", "1", "--vertices", "16384")
        self.convert("g.wel", "5.h5", "--threads", "5", "--vertices", "16384")
        from_wel = ["convert", "-q", "--from", "wel", "-", "--vertices", "16384"]
        with open(self.path("g.wel"), "rb") as file:
            subprocess.run([RMAT, *from_wel, "file.h5"], stdin=file, cwd=self.folder, check=True)
        os.mkdir(self.path("spool"))
        write = subprocess.Popen([RMAT, "convert", "-q", "g.h5", "--to", "wel", "-"], cwd=self.folder,
                                 stdout=subprocess.PIPE)
        read = subprocess.run([RMAT, *from_wel, "pipe.h5"], stdin=write.stdout, cwd=self.folder,
                              env={**os.environ, "TMPDIR": self.path("spool")}, check=False)
        write.stdout.close()
        self.assertEqual((write.wait(), read.returncode), (0, 0))
        self.assertEqual(os.listdir(self.path("spool")), [])
        first = self.read("1.h5")
        for name in ("5.h5", "file.h5", "pipe.h5"):
            self.assertEqual(self.read(name), first, name)
        want, _ = load(self.path("g.h5"))
        got, _ = load(self.path("pipe.h5"))
        for column in want:
            self.assertEqual(got[column].tobytes(), want[column].tobytes(), column)

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

    def test_symmetric(self):
        with open(self.path("s.mtx"), "w", encoding="ascii") as file:
            file.write("%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n2 1 5\n2 2 6\n3 1 -7\n")
        self.convert("s.mtx", "s.h5")
        got, attrs = load(self.path("s.h5"))
        self.assertEqual([list(got[name]) for name in ("src", "dst", "weight")],
                         [[1, 0, 1, 2, 0], [0, 1, 1, 0, 2], [5, 5, 6, -7, -7]])
        self.assertEqual((attrs["num_rows"], attrs["num_cols"]), (3, 3))

    def test_what_weights_become(self):
        for text, kind in {"1 2 3\n": "<i4", "1 2 3.0\n": "<f4", "1 2 3\n2 3 .5\n": "<f4", "0 0 2147483648\n": "<f4",
                           "0 0 -2147483648\n": "<i4"}.items():
            with open(self.path("w.wel"), "w", encoding="ascii") as file:
                file.write(text)
            self.convert("w.wel", "w.h5", "--force")
            self.assertEqual(load(self.path("w.h5"))[0]["weight"].dtype, numpy.dtype(kind), text)

    def test_info_and_verify(self):
        """A converted file has no model, says so, and cannot hide damage; nor can one with a model
        become one without by what it lost."""
        with open(self.path("g.el"), "w", encoding="ascii") as file:
            file.write("".join(f"{i} {i * i}\n" for i in range(100)))
        self.convert("g.el", "g.h5")
        told = json.loads(self.rmat("info", "--json", "g.h5").stdout)
        self.assertEqual((told["edges"], told["num_rows"], told["num_cols"], told["rows_scale"],
                          told["generator"], told["first_edges"][3]),
                         (100, 9802, 9802, 14, "rmat convert", [3, 9]))
        done = self.rmat("verify", "g.h5")
        self.assertEqual((done.returncode, done.stderr[:4]), (0, "100%"))
        self.assertIn("skipped: made by rmat convert, and not by an R-MAT model", done.stdout)
        self.assertIn("ids          ok: all are below num_rows and num_cols", done.stdout)
        for name, value, said in (("num_cols", numpy.uint64(9000), "edge 95: dst is not below num_cols; 5 such edges"),
                                  ("rows_scale", numpy.uint64(13), "rows_scale is 13, expected 14"),
                                  ("seed", numpy.uint64(1), "seed exists"),
                                  ("noise", 0.5, "noise exists"),
                                  ("num_rows", None, "attribute 'num_rows' is missing"),
                                  ("command", numpy.bytes_("rmat generate"), "command is 'rmat generate'"),
                                  ("generator", numpy.bytes_("rmat"), "attribute 'seed' is missing"),
                                  ("fingerprint", numpy.uint64(5), "the attribute says 0x0000000000000005")):
            self.convert("g.el", "d.h5", "--force")
            with h5py.File(self.path("d.h5"), "r+", libver="v108") as file:
                if name in file.attrs:
                    del file.attrs[name]
                if value is not None:
                    file.attrs[name] = value
            done = self.rmat("verify", "d.h5", "--quiet")
            self.assertEqual(done.returncode, 1, name)
            self.assertIn(said, done.stdout)
        self.generate("--scale", "8", "-o", "m.h5")
        keep = ("format", "format_version", "edges", "complete", "fingerprint", "num_rows", "num_cols",
                "rows_scale", "cols_scale", "generator", "command", "library_version")
        with h5py.File(self.path("m.h5"), "r+", libver="v108") as file:
            for name in [name for name in file.attrs if name not in keep]:
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
