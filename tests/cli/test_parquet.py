"""Parquet: what comes out is the graph, by a reader of our own, and by other readers where they are installed."""

import importlib
import unittest

import h5py
import numpy

from cli import CliTest, long_computation
from parquet_file import DELTA, PLAIN, RLE, SPLIT, ParquetFile

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
                for more in [], ["--compress"], ["--row-group", "128Ki"]:
                    with self.subTest(reader=name, args=args, more=more):
                        self.generate(*args, *more, "-o", "g.parquet")
                        found = read(module, self.path("g.parquet"))
                        self.same({key: numpy.asarray(found[key]) for key in found}, self.wanted("g.h5"))

    def encodings(self, file):
        """Of each column: those of all its pages, as the metadata tells."""
        found = [set() for _ in file.names]
        for group in file.groups:
            for column, chunk in zip(found, group[1]):
                self.assertIn(RLE, chunk[3][2])
                column |= set(chunk[3][2]) - {RLE}
        return found

    @long_computation
    def test_encodings(self):
        """Without a name one that all readers have: PLAIN, or differences of up to 28 bits; else the one that is named."""
        for args in GRAPHS[:-1]:
            self.generate(*args, "-o", "g.h5")
            wanted = self.wanted("g.h5")
            if len(wanted["src"]) > 50_000:  # the reader of these tests is slow
                continue
            ordered = "--sorted" in args or "--unique" in args
            for compress in [], ["--compress"]:
                for name in "auto", "plain", "delta", "split":
                    with self.subTest(args=args, compress=compress, name=name):
                        self.generate(*args, *compress, "--encoding", name, "-o", "g.parquet")
                        file = ParquetFile(self.path("g.parquet"))
                        for (key, values), found in zip(wanted.items(), self.encodings(file)):
                            span = int(values.max()) - int(values.min()) if values.dtype.kind != "f" else None
                            if values.dtype.kind == "f":
                                expected = SPLIT if name == "split" else PLAIN
                            elif name == "auto":
                                expected = DELTA if span < 1 << 27 and (ordered or key == "weight") else PLAIN
                            else:
                                expected = {"plain": PLAIN, "delta": DELTA, "split": SPLIT}[name]
                            self.assertEqual(found, {expected}, key)
                        if not compress:
                            self.same(file.columns(), wanted)

    def test_wide_differences(self):
        """Pages of one column may differ: where values are far apart, they are PLAIN."""
        args = ["--rows-scale", "29", "--cols", "100", "--edges", "300K", "--sorted"]
        self.generate(*args, "-o", "g.h5")
        for encoding, expected in ("auto", [{PLAIN, DELTA}, {DELTA}]), ("plain", [{PLAIN}, {PLAIN}]):
            self.generate(*args, "--encoding", encoding, "-o", "g.parquet")
            file = ParquetFile(self.path("g.parquet"))
            self.assertEqual(self.encodings(file), expected)
            self.same(file.columns(), self.wanted("g.h5"))

    @long_computation
    def test_same_bytes(self):
        """Whatever cuts the edges into pieces, rows and pages are the same: in several row groups."""
        args = ["--scale", "16", "--edges", "2500K", "--weights", "int:1:9"]
        self.generate(*args, "-o", "g.parquet")
        self.assertEqual(self.group_rows("g.parquet"), 2 * [1 << 20] + [2_500_000 - (2 << 20)])
        for more in [], ["--row-group", "128Ki"], ["--row-group", "2Mi", "--compress"]:
            self.generate(*args, *more, "-o", "g.parquet")
            for other in ["--threads", "1"], ["--threads", "7", "RMAT_TEST_CHUNK=99991"], ["RMAT_TEST_CHUNK=262144"]:
                with self.subTest(more=more, other=other):
                    self.generate(*args, *more, *other, "-o", "o.parquet")
                    self.assertTrue(self.read("o.parquet") == self.read("g.parquet"))
        self.generate(*args, "-o", "g.parquet")
        self.generate(*args, "-o", "g.h5")
        self.convert("g.h5", "o.parquet")
        one, two = (ParquetFile(self.path(name)) for name in ("g.parquet", "o.parquet"))
        self.assertTrue(one.data[:one.groups[2][5]] == two.data[:two.groups[2][5]])

    def group_rows(self, name):
        return [group[3] for group in ParquetFile(self.path(name)).groups]

    def test_row_groups(self):
        args = ["--scale", "10", "--edges", "300K"]
        self.generate(*args, "--row-group", "128Ki", "-o", "g.parquet")
        rows = 2 * [1 << 17] + [300_000 - (2 << 17)]
        self.assertEqual(self.group_rows("g.parquet"), rows)
        self.generate(*args, "-o", "g.h5")
        for more, expected in (["--row-group", "256Ki"], [1 << 18, 300_000 - (1 << 18)]), (
                ["--row-group", "128Ki", "--sorted"], rows), ([], [300_000]):
            self.convert("g.h5", "o.parquet", *more)
            self.assertEqual(self.group_rows("o.parquet"), expected)

    def test_wrong_options(self):
        self.generate("--scale", "5", "-o", "g.h5")
        for args, line in (
            ("generate --format parquet --row-group 200K", "--row-group: '200000' is out of range, allowed: multiples of "
             "131072 (128Ki) up to 134217728 (128Mi)"),
            ("convert g.h5 x.parquet --row-group 200K", "--row-group: '200000' is out of range, allowed: multiples of "
             "131072 (128Ki) up to 134217728 (128Mi)"),
            ("generate --format parquet --row-group 64Ki", "--row-group: '64Ki' is out of range, allowed: multiples of 128Ki up "
             "to 128Mi"),
            ("generate --format npy --row-group 2Mi", "--row-group: '2097152' given with format npy, allowed: with parquet"),
            ("generate --encoding delta", "--encoding: 'delta' given with format h5, allowed: with parquet"),
            ("convert g.h5 x.csv --encoding split", "--encoding: 'split' given with format csv, allowed: with parquet"),
            ("generate --format parquet --encoding rle", "--encoding: 'rle' is unknown, allowed: auto, plain, delta, split"),
            ("generate --format parquet --scale 40", "--row-group: '1048576' is too small for 17592186044416 edges, allowed: so "
             "many that a file has fewer than 2097152 row groups"),
        ):
            with self.subTest(args=args):
                done = self.rmat(*args.split())
                self.assertEqual((done.returncode, done.stderr), (2, f"rmat {args.split()[0]}: {line}\n"))
                self.assertEqual(self.files(), ["g.h5"])


if __name__ == "__main__":
    unittest.main()
