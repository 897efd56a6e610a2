"""Parquet: what comes out is the graph, by a reader of our own, and by other readers where they are installed."""

import importlib
import unittest

import h5py
import numpy

from cli import CliTest, long_computation
from parquet_file import ParquetFile

GRAPHS = [
    ["--scale", "10"],
    ["--scale", "10", "--sorted", "--weights", "int:-2147483648:2147483647"],
    ["--scale", "11", "--symmetrize", "--weights", "uniform"],
    ["--scale", "17", "--edges", "300K", "--unique", "--permute"],
    ["--scale", "40", "--edges", "20K", "--unique"],
    ["--scale", "33", "--edges", "20K", "--weights", "int:1:255"],
    ["--scale", "32", "--edges", "3K", "--sorted"],
    ["--scale", "31", "--edges", "3K", "--sorted"],
    ["--scale", "8", "--id-type", "int64", "--sorted"],
    ["--rows", "37", "--cols-scale", "12", "--edges", "131073", "--weights", "int:7:7"],
    ["--scale", "62", "--edges", "1K", "--sorted"],
    ["--scale", "4", "--edges", "1", "--weights", "uniform"],
    ["--vertices", "1000", "--edges", "0"],
]

# Other readers: what each makes of a file, a dictionary from the names of columns to sequences of numbers.
READERS = {
    "pyarrow.parquet": lambda parquet, path: parquet.read_table(path).to_pydict(),
    "pandas": lambda pandas, path: dict(pandas.read_parquet(path)),
    "polars": lambda polars, path: polars.read_parquet(path).to_dict(),
    "duckdb": lambda duckdb, path: duckdb.sql(f"select * from '{path}'").fetchnumpy(),
    "fastparquet": lambda fastparquet, path: dict(fastparquet.ParquetFile(path).to_pandas()),
}


class Parquet(CliTest):
    def run_it(self, command, *args):
        done = self.rmat(command, "-q", "--force", *args)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)

    def generate(self, *args):
        self.run_it("generate", *args)

    def convert(self, *args):
        self.run_it("convert", *args)

    def wanted(self, name):
        with h5py.File(self.path(name)) as file:
            return {key: file[key][:] for key in ("src", "dst", "weight") if key in file}

    def same(self, found, wanted):
        self.assertEqual(list(found), list(wanted))
        for key, values in wanted.items():
            self.assertTrue(numpy.array_equal(found[key].astype(values.dtype), values), key)

    def test_every_graph(self):
        for args in GRAPHS:
            with self.subTest(args=args):
                self.generate(*args, "-o", "g.h5")
                self.generate(*args, "-o", "g.parquet")
                file = ParquetFile(self.path("g.parquet"))
                wanted, found = self.wanted("g.h5"), file.columns()
                self.same(found, wanted)
                self.assertEqual(file.rows, len(wanted["src"]))
                with h5py.File(self.path("g.h5")) as list_file:
                    for key in ("num_rows", "num_cols"):
                        self.assertEqual(file.keys[key], str(list_file.attrs[key]))
                narrow = wanted["src"].dtype.itemsize == 4 and int(file.keys["num_cols"]) <= 1 << 31
                self.assertEqual(found["dst"].dtype, "<i4" if narrow else "<i8")
                self.assertIn("rmat generate", file.keys["command"])
                self.assertEqual(all(4 in group for group in file.groups),
                                 "--sorted" in args or "--unique" in args or file.rows == 0)

    @long_computation
    def test_other_readers(self):
        for name, read in READERS.items():
            try:
                module = importlib.import_module(name)
            except ImportError as error:
                print(f"{name} is skipped: {error}")
                continue
            for args in GRAPHS:
                self.generate(*args, "-o", "g.h5")
                with self.subTest(reader=name, args=args):
                    self.generate(*args, "-o", "g.parquet")
                    found = read(module, self.path("g.parquet"))
                    self.same({key: numpy.asarray(found[key]) for key in found}, self.wanted("g.h5"))

    @long_computation
    def test_same_bytes(self):
        """Whatever cuts the edges into pieces, rows and pages are the same: in several row groups."""
        args = ["--scale", "16", "--edges", "2500K", "--weights", "int:1:9"]
        self.generate(*args, "-o", "g.parquet")
        self.assertEqual(self.group_rows("g.parquet"), 2 * [1 << 20] + [2_500_000 - (2 << 20)])
        for other in ["--threads", "1"], ["--threads", "7", "RMAT_TEST_CHUNK=99991"], ["RMAT_TEST_CHUNK=262144"]:
            with self.subTest(other=other):
                self.generate(*args, *other, "-o", "o.parquet")
                self.assertTrue(self.read("o.parquet") == self.read("g.parquet"))
        self.generate(*args, "-o", "g.h5")
        self.convert("g.h5", "o.parquet")
        one, two = (ParquetFile(self.path(name)) for name in ("g.parquet", "o.parquet"))
        self.assertTrue(one.data[:one.groups[2][5]] == two.data[:two.groups[2][5]])

    def group_rows(self, name):
        return [group[3] for group in ParquetFile(self.path(name)).groups]

    def test_values_that_are_no_numbers(self):
        """NaN has no place in the range of a column chunk, wherever it stands; a chunk of nothing else has none."""
        weights = numpy.tile(numpy.array([2.5, -1, numpy.nan], "f4"), 1 << 19)
        weights[1 << 20:] = numpy.nan
        self.generate("--scale", "10", "--edges", str(len(weights)), "--weights", "uniform", "-o", "g.h5")
        for shift in 0, 1, 2:
            with h5py.File(self.path("g.h5"), "r+") as file:
                file["weight"][:1 << 20] = numpy.roll(weights[:1 << 20], shift)
                file["weight"][1 << 20:] = weights[1 << 20:]
            self.convert("g.h5", "o.parquet")
            first, second = (group[1][2][3][12] for group in ParquetFile(self.path("o.parquet")).groups)
            self.assertEqual([numpy.frombuffer(first[key], "f4")[0] for key in (6, 5)], [-1, 2.5])
            self.assertEqual(second, {3: 0})

    def test_too_many_edges(self):
        done = self.rmat("generate", "--format", "parquet", "--scale", "40")
        self.assertEqual((done.returncode, done.stderr, self.files()), (
            2, "rmat generate: --format: parquet needs at most 2199023255552 edges, the graph has 17592186044416\n", []))


if __name__ == "__main__":
    unittest.main()
