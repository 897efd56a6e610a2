"""Parquet: what its metadata says of the edges, which test_formats.py compares, and where its pages end."""

import unittest

from arrays import h5py, numpy
from cli import CliTest, long_computation
from parquet_file import ParquetFile


class Parquet(CliTest):
    def run_it(self, *args):
        done = self.rmat(*args, "-q", "--force")
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)

    def test_keys_and_order(self):
        for args in [], ["--sorted"], ["--unique", "--edges", "3000"], ["--edges", "0"]:
            self.run_it("generate", "--scale", "10", *args, "-o", "g.parquet")
            file = ParquetFile(self.path("g.parquet"))
            file.columns()  # looks at ranges and lengths
            self.assertIn("rmat generate", file.keys["command"])
            self.assertEqual(all(4 in group for group in file.groups), args != [], args)

    @long_computation
    def test_same_bytes(self):
        """Whatever cuts the edges into pieces, rows and pages are the same: in several row groups."""
        args = ["generate", "--scale", "16", "--edges", "2500K", "--weights", "int:1:9"]
        self.run_it(*args, "-o", "g.parquet")
        file = ParquetFile(self.path("g.parquet"))
        self.assertEqual([group[3] for group in file.groups], 2 * [1 << 20] + [2_500_000 - (2 << 20)])
        for other in ["--threads", "1"], ["--threads", "7", "RMAT_TEST_CHUNK=99991"], ["RMAT_TEST_CHUNK=262144"]:
            with self.subTest(other=other):
                self.run_it(*args, *other, "-o", "o.parquet")
                self.assertTrue(self.read("o.parquet") == file.data)
        self.run_it(*args, "-o", "g.h5")
        self.run_it("convert", "g.h5", "o.parquet")
        end = file.groups[2][5]
        self.assertTrue(self.read("o.parquet")[:end] == file.data[:end])
        with h5py.File(self.path("g.h5")) as edges:
            for name, column in file.columns().items():
                self.assertTrue(numpy.array_equal(column, edges[name][:]), name)

    def test_values_that_are_no_numbers(self):
        """NaN has no place in the range of a column chunk, wherever it stands; a chunk of nothing else has none."""
        weights = numpy.tile(numpy.array([2.5, -1, numpy.nan], "f4"), 1 << 19)
        weights[1 << 20:] = numpy.nan
        self.run_it("generate", "--scale", "10", "--edges", str(len(weights)), "--weights", "uniform", "-o", "g.h5")
        for shift in 0, 1, 2:
            with h5py.File(self.path("g.h5"), "r+") as file:
                file["weight"][:1 << 20] = numpy.roll(weights[:1 << 20], shift)
                file["weight"][1 << 20:] = weights[1 << 20:]
            self.run_it("convert", "g.h5", "o.parquet")
            first, second = (group[1][2][3][12] for group in ParquetFile(self.path("o.parquet")).groups)
            self.assertEqual([numpy.frombuffer(first[key], "f4")[0] for key in (6, 5)], [-1, 2.5])
            self.assertEqual(second, {3: 0})
