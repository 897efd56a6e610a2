"""--id-type: NumPy finds the type that was asked for in every format that has it, and the values of the default."""

import json
import os
import unittest

from cli import CliTest, MODEL, skip_all

try:
    import h5py
    import numpy
except ImportError as error:
    skip_all(error)

import decoders  # noqa: E402, it needs NumPy
from parquet_file import ParquetFile  # noqa: E402

TYPES = ["int32", "int64", "uint32", "uint64"]
# Files of HDF5 and the options that make them.
HDF5 = {"list": [], "sorted": ["--sorted"], "csr": ["--format", "csr"], "unique": ["--unique", "--format", "csr"],
        "cached": ["RMAT_TEST_POSITIONAL=1"]}
# The type that the options beside the format make of it.
DEFAULTS = {"npy": "uint32", "rawcsr": "uint32", "parquet": "int32", "galois": "uint32", "binsparse": "uint32"}
SUFFIXES = {**decoders.SUFFIXES, "binsparse": "bsp.h5"}
ALL = "with h5, csr, npy, rawcsr, "


def load(name):
    """All datasets, and the attributes."""
    with h5py.File(name, "r") as file:
        return {key: dataset[:] for key, dataset in file.items()}, dict(file.attrs)


class IdType(CliTest):
    def run_it(self, *args):
        done = self.rmat(*args)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        return done.stdout

    def shown(self, name):
        return json.loads(self.run_it("info", "--json", name))["id_type"]

    def check(self, name, want, kind):
        """The file has these values, and ids of that type."""
        got, attrs = load(self.path(name))
        self.assertEqual(list(got), list(want), name)
        for key, values in got.items():
            if key in ("src", "dst", "indices_1"):
                self.assertEqual(values.dtype, kind, (name, key))
            elif key == "pointers_to_1":
                self.assertEqual(values.dtype, "int64" if kind[0] == "i" else "uint64", name)
            self.assertTrue(numpy.array_equal(values, want[key]), (name, key))
        self.assertEqual(self.shown(name), kind)
        return attrs

    def test_hdf5(self):
        """A run of the attribute `command` makes the same file, and of the default the option makes no other."""
        for name, args in HDF5.items():
            with self.subTest(name=name):
                args = [*MODEL, "--weights", "int:1:9", *args, "--force"]
                self.generate(*args, "-o", "auto.h5")
                want, attrs = load(self.path("auto.h5"))
                for kind in TYPES:
                    told = self.generate(*args, "--id-type", kind, "-o", "x.h5")
                    said = self.check("x.h5", want, kind)
                    self.assertEqual(said["command"].decode(), told["command"])
                    again = [*told["command"].split()[2:], *args[args.index("int:1:9") + 1:]]
                    self.generate(*again, "-o", "again.h5")
                    self.assertTrue(self.read("x.h5") == self.read("again.h5"), kind)
                    if kind == "uint32":
                        self.assertTrue(self.read("x.h5") == self.read("auto.h5"))
                    if "binsparse" in attrs:
                        types = json.loads(said["binsparse"])["data_types"]
                        self.assertEqual((types["indices_1"], types["pointers_to_1"]),
                                         (kind, "int64" if kind[0] == "i" else "uint64"))

    def test_command(self):
        """The attribute of a file names the type where it is not the default."""
        told = self.generate(*MODEL, "--id-type", "uint64")
        self.assertTrue(told["command"].endswith(" --seed 7 --id-type uint64"))

    def read_ids(self, name, kind=None):
        if name.endswith(".indices"):  # of which nothing tells the type
            return [numpy.fromfile(self.path(name), kind)]
        if name.endswith(".gr"):
            return decoders.galois(self.path(name))[0][1:]
        if name.endswith(".npy"):
            return list(numpy.load(self.path(name)))
        if name.endswith(".parquet"):
            columns = ParquetFile(self.path(name)).columns()
            return [columns["src"], columns["dst"]]
        columns = load(self.path(name))[0]
        return [columns["indices_0"], columns["indices_1"]]

    def test_other_formats(self):
        for to, default in DEFAULTS.items():
            suffix = SUFFIXES.get(to, to)
            self.run_it("generate", "-q", *MODEL, "--unique", "-o", "auto." + suffix)
            want = self.read_ids("auto." + suffix, default)
            self.assertEqual(want[0].dtype, default)
            for kind in TYPES:
                name = f"{kind}.{suffix}"
                done = self.rmat("generate", "-q", *MODEL, "--unique", "--id-type", kind, "-o", name)
                if to in ("npy", "rawcsr") or (to == "parquet") == (kind[0] == "i"):
                    self.assertEqual((done.returncode, done.stderr), (0, ""))
                    for got, column in zip(self.read_ids(name, kind), want):
                        self.assertEqual(got.dtype, kind)
                        self.assertTrue(numpy.array_equal(got, column))
                    if kind == default and to != "parquet":  # which says by which command it was made
                        self.assertTrue(self.read(name) == self.read("auto." + suffix))
                else:
                    allowed = ALL + ("parquet" if kind[0] == "i" else "galois, binsparse")
                    self.assertEqual((done.returncode, done.stderr),
                                     (2, f"rmat generate: --id-type: '{kind}' given with format {to}, allowed: {allowed}\n"))
                    self.assertFalse(os.path.exists(self.path(name)))

    def test_convert(self):
        """A list keeps its model, of whatever type it was, and changed edges get the type, too."""
        self.generate(*MODEL, "-o", "uint32.h5")
        want = load(self.path("uint32.h5"))[0]
        pairs = numpy.stack([want["src"], want["dst"]])
        for kind in TYPES[:2] + TYPES[3:]:
            self.run_it("convert", "-q", "uint32.h5", kind + ".h5", "--id-type", kind)
            self.generate(*MODEL, "--id-type", kind, "-o", "x.h5", "--force")
            self.assertTrue(self.read("x.h5") == self.read(kind + ".h5"), kind)
        for source in "uint32", "int64":
            for kind in TYPES:
                for name, args in ("x.h5", []), ("y.h5", ["--sorted"]), ("z.h5", ["--to", "csr"]), ("x.npy", []):
                    self.run_it("convert", "-q", "--force", source + ".h5", name, *args, "--id-type", kind)
                    if name == "x.npy":
                        got = numpy.load(self.path(name))
                        self.assertTrue(got.dtype == kind and numpy.array_equal(got, pairs), (source, kind))
                    else:
                        self.assertEqual(self.shown(name), kind, (source, args))
                        self.run_it("verify", "-q", name)

    def test_convert_leaves_signed_ones(self):
        """Unsigned ones are as they were before there was a choice."""
        for kind in TYPES:
            self.generate(*MODEL, "--id-type", kind, "-o", "x.h5")
            for name, args in ("a.h5", []), ("b.h5", ["--sorted"]), ("c.h5", ["--to", "csr"]), ("d.npy", []):
                self.run_it("convert", "-q", "x.h5", name, *args)
                got = str(numpy.load(self.path(name)).dtype) if name == "d.npy" else self.shown(name)
                self.assertEqual(got, "uint32" if kind == "uint64" and args else kind, name)
            self.run_it("convert", "-q", "x.h5", "e.bsp.h5", "--simple")
            self.assertEqual(self.read_ids("e.bsp.h5")[0].dtype, "uint32")
            self.run_it("convert", "-q", "x.h5", "f.parquet")
            self.assertEqual(self.read_ids("f.parquet")[0].dtype, "int64" if kind[-2:] == "64" else "int32")
            self.run_it("convert", "-q", "x.h5", "g.el")
            for name in self.files():
                os.remove(self.path(name))

    def test_readers(self):
        """Commands say the same of a file, whatever its type."""
        for name, args in HDF5.items():
            self.generate(*MODEL, *args, "-o", "x.h5", "--force")
            said = [self.run_it(command, "-q", "x.h5") for command in ("stats", "roots")]
            self.generate(*MODEL, *args, "--id-type", "int64", "-o", "x.h5", "--force")
            self.assertEqual([self.run_it(command, "-q", "x.h5") for command in ("stats", "roots")], said, name)

    def test_below_zero(self):
        """What is no vertex is said to be none."""
        self.generate(*MODEL, "--id-type", "int32", "-o", "x.h5")
        with h5py.File(self.path("x.h5"), "r+") as file:
            file["src"][5] = -1
        done = self.rmat("verify", "x.h5")
        self.assertEqual(done.returncode, 1)
        self.assertIn("ids          wrong: edge 5: src is not below num_rows; 1 such edge in all", done.stdout)

    def test_no_room(self):
        self.generate("--scale", "32", "--edges", "5", "-o", "x.h5")
        for args, line in (
                ("generate --scale 32 --edges 5 --id-type int32",
                 "'int32' is too narrow for 4294967296 vertices, allowed: auto, int64, uint32, uint64"),
                ("generate --rows 2147483649 --cols 2 --edges 5 --id-type int32 --format npy",
                 "'int32' is too narrow for 2147483649 vertices, allowed: auto, int64, uint32, uint64"),
                ("generate --scale 33 --edges 5 --id-type uint32",
                 "'uint32' is too narrow for 8589934592 vertices, allowed: auto, int64, uint64"),
                ("generate --scale 33 --edges 5 --id-type int32 --format parquet",
                 "'int32' is too narrow for 8589934592 vertices, allowed: auto, int64"),
                ("generate --scale 33 --edges 5 --unique --id-type uint32 --format binsparse",
                 "'uint32' is too narrow for 8589934592 vertices, allowed: auto, uint64"),
                ("convert x.h5 y.h5 --id-type int32",
                 "'int32' is too narrow for 4294967296 vertices, allowed: auto, int64, uint32, uint64"),
                ("convert x.h5 y.h5 --sorted --id-type int32",
                 "'int32' is too narrow for 4294967296 vertices, allowed: auto, int64, uint32, uint64"),
                ("convert x.h5 y.el --id-type uint64", f"'uint64' given with format el, allowed: {ALL}galois, binsparse"),
                ("convert x.h5 y.parquet --id-type uint64", f"'uint64' given with format parquet, allowed: {ALL}galois, binsparse"),
                ("generate --format sg --id-type int32", f"'int32' given with format sg, allowed: {ALL}parquet"),
                ("generate --format bin32 --id-type uint32", f"'uint32' given with format bin32, allowed: {ALL}galois, binsparse"),
                ("generate --id-type int16", "'int16' is unknown, allowed: auto, int32, int64, uint32, uint64")):
            with self.subTest(args=args):
                done = self.rmat(*args.split())
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr.split(": ", 1)[1].replace(" (did you mean 'int64'?)", "").replace(
                    " (did you mean 'int32'?)", ""), f"--id-type: {line}\n")
                self.assertEqual(self.files(), ["x.h5"])
        self.generate("--rows", "2147483648", "--cols", "2", "--edges", "5", "--id-type", "int32")


if __name__ == "__main__":
    unittest.main()
