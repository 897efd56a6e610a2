"""Parquet: what comes out is the graph, by a reader of our own, and by other readers where they are installed."""

import glob
import importlib
import json
import os
import resource
import unittest

import h5py
import numpy

from cli import CliTest, long_computation
from parquet_file import DELTA, PLAIN, RLE, SPLIT, ParquetFile

REAL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "parquet")  # what other libraries have written

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


def arrow(path):
    import pyarrow.parquet
    table = pyarrow.parquet.read_table(path)
    return {name: table[name].to_numpy() for name in table.column_names}


def duck(path):
    import duckdb
    return {name: values for name, values in duckdb.sql(f"select * from '{path}'").fetchnumpy().items()}


def polars(path):
    import polars
    frame = polars.read_parquet(path)
    return {name: frame[name].to_numpy() for name in frame.columns}


def fast(path):
    import fastparquet
    frame = fastparquet.ParquetFile(path).to_pandas()
    return {name: frame[name].to_numpy() for name in frame.columns}


def write_arrow(columns, path):
    import pyarrow.parquet
    table = pyarrow.table(columns)
    yield pyarrow.parquet.write_table(table, path)
    for codec in "snappy", "gzip", "zstd", "none":
        for version in "1.0", "2.0":
            pyarrow.parquet.write_table(table, path, compression=codec, data_page_version=version, data_page_size=30000,
                                        row_group_size=150_001, dictionary_pagesize_limit=100_000)
            yield codec, version


def write_pandas(columns, path):
    import pandas
    yield pandas.DataFrame(columns).to_parquet(path)
    yield pandas.DataFrame(columns).sort_values("weight").sort_index().to_parquet(path)  # with a column of labels


def write_polars(columns, path):
    import polars
    for codec in "snappy", "gzip", "zstd", "uncompressed":
        yield codec, polars.DataFrame(columns).write_parquet(path, compression=codec)


def write_duck(columns, path):
    import duckdb
    import pyarrow
    edges = pyarrow.table(columns)  # which DuckDB finds by its name
    for codec in "snappy", "gzip", "zstd", "uncompressed":
        for version in "v1", "v2":
            duckdb.sql(f"copy (from edges) to '{path}' (compression {codec}, parquet_version {version})")
            yield codec, version, len(edges)


def write_fast(columns, path):
    import fastparquet
    import pandas
    for codec in "SNAPPY", "GZIP", "ZSTD", "UNCOMPRESSED":
        yield codec, fastparquet.write(path, pandas.DataFrame(columns), compression=codec)


class Parquet(CliTest):
    def generate(self, *args):
        done = self.rmat("generate", "-q", "--force", *args)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)

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
        for module, read in ("pyarrow", arrow), ("duckdb", duck), ("polars", polars), ("fastparquet", fast):
            try:
                importlib.import_module(module)
            except ImportError:
                print(f"{module} is not installed: its reader is skipped")
                continue
            for args in GRAPHS:
                self.generate(*args, "-o", "g.h5")
                for more in [], ["--compress"], ["--row-group", "128Ki"]:
                    with self.subTest(module=module, args=args, more=more):
                        self.generate(*args, *more, "-o", "g.parquet")
                        self.same(read(self.path("g.parquet")), self.wanted("g.h5"))

    def icebug(self, folder):
        """The edges, as sources, destinations and weights; and the keys of the three files."""
        edges = ParquetFile(os.path.join(folder, "indices_edges.parquet"))
        rows = ParquetFile(os.path.join(folder, "indptr_edges.parquet"), gaps=True)
        nodes = ParquetFile(os.path.join(folder, "nodes_nodes.parquet"))
        found, pointers, ids = edges.columns(), rows.columns()["ptr"], nodes.columns()["id"]
        self.assertTrue(numpy.array_equal(ids, numpy.arange(len(pointers) - 1)))
        self.assertEqual((pointers[0], pointers[-1], pointers.dtype, ids.dtype), (0, edges.rows, "<i8", "<i8"))
        target = found.pop("target")
        self.assertEqual(target.dtype, "<i8")
        return {"src": numpy.repeat(ids, numpy.diff(pointers)), "dst": target, **found}, [f.keys for f in (edges, rows, nodes)]

    def mounted(self, folder):
        """The edges that Ladybug matches in the folder, in order; None without it."""
        try:
            import ladybug
        except ImportError:
            return None
        before = os.getcwd()
        os.chdir(folder)  # which is what the schema's storage is relative to
        try:
            connection = ladybug.Connection(ladybug.Database(":memory:"))
            with open("schema.cypher", encoding="ascii") as file:
                schema = file.read()
            for statement in schema.split(";")[:-1]:
                connection.execute(statement)
            weight = ", e.weight" if "weight" in schema else ""
            return sorted(tuple(row) for row in connection.execute(
                "MATCH (a:nodes)-[e:edges]->(b:nodes) RETURN a.id, b.id" + weight).get_all())
        finally:
            os.chdir(before)

    def test_icebug(self):
        """Compressed sparse rows; the pages of pointers end where rows do, one row before and behind, and nowhere."""
        for number, args in enumerate((
                ["--scale", "10"], ["--scale", "10", "--weights", "int:-2147483648:2147483647", "--threads", "2"],
                ["--rows", "300000", "--cols", "900", "--edges", "5000", "--weights", "uniform", "RMAT_TEST_CHUNK=503"],
                ["--vertices", "131071", "--edges", "140K", "--unique", "--permute"], ["--vertices", "131072", "--edges", "9"],
                ["--rows", "7", "--cols", "262145", "--edges", "131073", "RMAT_TEST_CHUNK=5003"],
                ["--vertices", "1000", "--edges", "0"], ["--vertices", "2", "--edges", "3"])):
            with self.subTest(args=args):
                folder = self.path(str(number))
                os.mkdir(folder)
                self.generate(*args, "--sorted", "-o", "g.h5")
                self.generate(*args, "--format", "icebug", "-o", f"{number}/indices_edges.parquet")
                wanted, (found, keys) = self.wanted("g.h5"), self.icebug(folder)
                self.same(found, wanted)
                self.assertEqual([key["icebug_disk_version"] for key in keys], ["v1"] * 3)
                self.assertIn("rmat generate", keys[0]["command"])
                self.assertEqual(sorted(os.listdir(folder)), ["indices_edges.parquet", "indptr_edges.parquet",
                                                              "nodes_nodes.parquet", "schema.cypher"])
                edges = self.mounted(folder)
                if edges is None and number == 0:
                    print("ladybug is not installed: it does not mount icebug")
                if edges is not None:
                    self.assertTrue(edges == sorted(zip(*(wanted[key].tolist() for key in wanted))))
                for name in sorted(os.listdir(folder))[:3]:  # no list of edges, whatever its columns are
                    done = self.rmat("convert", f"{number}/{name}", "x.el")
                    self.assertEqual((done.returncode, done.stderr), (1, f"rmat convert: {number}/{name}: is in the format icebug, "
                                     "which is not read: the sources of its edges are row pointers in another file\n"))

    def test_icebug_that_is_in_the_way(self):
        """Each of the files counts as the graph."""
        for name in "indptr_edges.parquet", "nodes_nodes.parquet", "schema.cypher":
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write("mine")
            done = self.rmat("generate", "--scale", "5", "--format", "icebug", "-q")
            self.assertEqual((done.returncode, self.files()), (1, [name]))
            self.assertRegex(done.stderr, rf"\Armat generate: {name}: already exists, [^\n]*\n\Z")
            os.remove(self.path(name))

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
                        self.convert("g.parquet", "back.h5")
                        found = self.wanted("back.h5")
                        self.same({key: found[key] for key in wanted}, wanted)

    def test_wide_differences(self):
        """Pages of one column may differ: where values are far apart, they are PLAIN."""
        edges = numpy.zeros((2, 300000), "<u4")
        edges[0, -2:] = (1 << 27) - 1, 1 << 27
        numpy.save(self.path("g.npy"), edges)
        self.convert("g.npy", "g.parquet", "--vertices", "200M", "--compress", "--sorted")
        self.convert("g.npy", "p.parquet", "--vertices", "200M", "--encoding", "plain", "--compress")
        file = ParquetFile(self.path("g.parquet"))
        self.assertEqual(self.encodings(file), [{PLAIN, DELTA}, {DELTA}])
        for name in "g", "p":
            self.convert(f"{name}.parquet", f"{name}.back.npy")
            self.assertTrue(numpy.array_equal(numpy.load(self.path(f"{name}.back.npy")), edges))

    def convert(self, *args, code=0, error="", **options):
        done = self.rmat("convert", "-q", "--force", *args, **options)
        self.assertEqual((done.returncode, done.stderr), (code, error), args)

    def test_read_back(self):
        for args in GRAPHS:
            with self.subTest(args=args):
                self.generate(*args, "-o", "g.h5")
                self.generate(*args, "-o", "g.parquet")
                self.convert("g.parquet", "back.h5", "--threads", "3")
                wanted = self.wanted("g.h5")
                found = self.wanted("back.h5")
                self.same({key: found[key] for key in wanted}, wanted)
                with h5py.File(self.path("g.h5")) as one, h5py.File(self.path("back.h5")) as two:
                    for key in ("num_rows", "num_cols", "edges", "fingerprint"):
                        self.assertEqual(one.attrs[key], two.attrs[key], key)

    def test_damaged(self):
        """Any byte of it wrong, or any end of it missing: the same graph, another one, or a line that says what is."""
        self.generate("--scale", "6", "--edges", "300", "--sorted", "--weights", "int:0:9", "-o", "g.parquet")
        data = self.read("g.parquet")
        for at in range(0, len(data), 3):
            with open(self.path("o.parquet"), "wb") as file:
                file.write(data[:at] + bytes([data[at] ^ 1 << at % 8]) + data[at + 1:] if at % 5 else data[:at])
            done = self.rmat("convert", "-q", "--force", "--from", "parquet", "o.parquet", "o.h5")
            self.assertIn(done.returncode, (0, 1), at)
            if done.returncode == 1:
                self.assertRegex(done.stderr, r"\Armat convert: o\.parquet: [^\n]+\n\Z")

    def test_from_elsewhere(self):
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            self.skipTest("pyarrow is not installed")
        ids = numpy.arange(300000, dtype="<i8") * 7 % 65536
        schema = pyarrow.schema([pyarrow.field("a", pyarrow.int64(), False), pyarrow.field("b", pyarrow.int64(), False)])
        table = pyarrow.table([ids, ids[::-1]], schema=schema)
        path = self.path("p.parquet")
        for encoding in "PLAIN", "DELTA_BINARY_PACKED":
            pyarrow.parquet.write_table(table, path, use_dictionary=False, compression="none", row_group_size=70000,
                                        column_encoding=encoding, data_page_size=20000)
            self.convert("p.parquet", "p.h5")
            self.same(self.wanted("p.h5"), {"src": ids.astype("<u4"), "dst": ids[::-1].astype("<u4")})

    def test_defaults_of_others(self):
        """Files of 60 edges that other libraries have written (parquet/make.py): all have the same edges."""
        src, dst = (numpy.array([f(i) for i in range(60)], "<u4") for f in (lambda i: i * i % 23, lambda i: i * 7 % 31))
        wanted = {"src": src, "dst": dst, "weight": numpy.arange(60, dtype="<f4") / 8}
        for name in glob.glob(os.path.join(REAL, "*.parquet")):
            name = os.path.basename(name)
            if name.startswith("bad-") or name == "columns.parquet":
                continue
            with self.subTest(name=name):
                if "Snappy, which this build does not read" in self.rmat("convert", os.path.join(REAL, name), "x.h5").stderr:
                    self.skipTest("built without libsnappy")
                self.convert(os.path.join(REAL, name), "o.h5")
                self.same(self.wanted("o.h5"), wanted)
                os.remove(self.path("x.h5"))

    def test_refused_of_others(self):
        """One line that says what is wrong, and what to do."""
        for name, what in (
                ("missing", "edge 1: dst is missing (null); leave such rows out first, as by dropna() in pandas"),
                ("floats", "column 'dst' has doubles, expected integers; convert it first, as by astype('int64') in pandas"),
                ("strings", "column 'dst' has strings, expected integers; convert it first, or write csv, of which convert reads "
                            "names by the option vertex-names"),
                ("dates", "column 'dst' has int32 that stand for something else, expected integers; convert it first, as by "
                          "astype('int64') in pandas"),
                ("nested", "column 'dst' is nested, expected a number in each row; flatten it first"),
                ("codec", "column 'src' is compressed by Brotli, which this build does not read; write it with the "
                          "compression 'zstd'")):
            path = os.path.join(REAL, f"bad-{name}.parquet")
            done = self.rmat("convert", path, "o.h5")
            self.assertEqual((done.returncode, done.stderr), (1, f"rmat convert: {path}: {what}\n"))
        done = self.rmat("convert", os.path.join(REAL, "columns.parquet"), "o.h5")
        self.assertEqual(done.returncode, 1)
        self.assertIn("has 5 columns (id, to, tags, cost, from), expected src, dst and perhaps weight; name those to read by "
                      "the option columns", done.stderr)
        self.assertEqual(self.files(), [])

    def test_columns_by_name(self):
        """Those to read, of more that there are, in any order; OUT has their names.  Else they are names for OUT."""
        path = os.path.join(REAL, "columns.parquet")
        wanted = "".join(f"{i * i % 23},{i * 7 % 31},{i / 8:g}\n" for i in range(60))
        self.convert(path, "o.csv", "--columns", "from,to,cost")
        self.assertEqual(self.read("o.csv").decode(), "from,to,cost\n" + wanted)
        self.convert(path, "o.el", "--columns", "to,from")
        self.assertEqual(self.read("o.el").decode(), "".join(f"{i * 7 % 31} {i * i % 23}\n" for i in range(60)))
        for command in ["stats"], ["roots", "--count", "1"], ["plot", "--size", "300x300", "-o", "p.png", "--table", "t.tsv"]:
            for option in "--columns", "--datasets":
                done = self.rmat(*command[:1], path, *command[1:], option, "from,to")
                self.assertNotIn("columns", done.stderr, command)
        csv = "id,from,\"the, name\",cost,to\n"
        rows = "".join(f"{i},{i * i % 23},\"a, {i}\",{i / 8:g}, {i * 7 % 31} \r\n" for i in range(60))
        with open(self.path("g.csv"), "w", newline="", encoding="ascii") as file:
            file.write(csv + rows)
        self.convert("g.csv", "o.csv", "--columns", "from,to,cost", "--threads", "2")
        self.assertEqual(self.read("o.csv").decode(), "from,to,cost\n" + wanted)
        self.convert("o.csv", "p.csv", "--columns", "a,b,c")
        self.assertEqual(self.read("p.csv").decode(), "a,b,c\n" + wanted)
        more = "has no columns 'from,x'; it"
        for name, out, code, what in ((path, "o.el", 1, f"{path}: {more} has id, to, tags, cost, from"),
                                      ("g.csv", "o.csv", 1, f"g.csv: {more}s first line is '{csv[:-1]}'"),
                                      ("o.csv", "o.el", 2, "--columns: 'from,x' are no columns of IN, and el has no names for "
                                                           "them, allowed: names in IN")):
            done = self.rmat("convert", "--force", name, out, "--columns", "from,x")
            self.assertEqual((done.returncode, done.stderr), (code, f"rmat convert: {what}\n"))
        for row, what in (("1,2,x,0,-3", "to is '-3', expected 0 to 4611686018427387903"),
                          ("1,2,x,nan,3", "cost is 'nan', expected a number that float32 can hold"),
                          ("1,2 4,x,1,3", "from is '2 4', expected 0 to 4611686018427387903"),
                          ("1,2,x,1", "has fewer columns than line 1 names")):
            with open(self.path("b.csv"), "w", encoding="ascii") as file:
                file.write(csv + "0,1,y,2,3\n" + row + "\n")
            done = self.rmat("convert", "b.csv", "b.h5", "--columns", "from,to,cost")
            self.assertEqual((done.returncode, done.stderr), (1, f"rmat convert: b.csv: line 3: '{row}': {what}\n"))

    def test_many_parts(self):
        """More files than a process may usually open: as many as the system lets it."""
        os.mkdir(self.path("d"))
        for i in range(200):
            with open(self.path(f"d/{i:03}.el"), "w", encoding="ascii") as file:
                file.write(f"{i} {i + 1}\n")
        self.convert("d", "o.el", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 4096)))
        self.assertEqual(self.read("o.el").decode(), "".join(f"{i} {i + 1}\n" for i in range(200)))
        done = self.rmat("convert", "d", "p.el",
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"^rmat convert: d/0\d\d\.el: Too many open files\n$")

    def test_parts(self):
        """A folder, or a pattern, is one graph: its files in the order of their names, whatever is in each."""
        args = ["--scale", "14", "--edges", "300K", "--weights", "int:0:99"]
        os.mkdir(self.path("d"))
        for i, (first, count) in enumerate(((0, 140_000), (140_000, 0), (140_000, 1), (140_001, 159_999))):
            how = ["--compress"] if i == 3 else []
            self.generate(*args, "--first", str(first), "--count", str(count), "-o", f"d/part-{i:05}.parquet", *how)
        for name in "_SUCCESS", ".part.crc":
            with open(self.path(f"d/{name}"), "w", encoding="ascii"):
                pass
        self.generate(*args, "-o", "g.h5")
        for name in "d", "d/", "d/part-*.parquet", "d/*", "d/part-0000[0-3].parquet":
            for threads in "1", "3":
                with self.subTest(name=name, threads=threads):
                    self.convert(name, "o.wel", "--threads", threads)
                    self.convert("g.h5", "w.wel")
                    self.assertEqual(self.read("o.wel"), self.read("w.wel"))
        self.convert("d", "o.h5", "--to", "csr", "--dedup")
        self.convert("g.h5", "w.h5", "--to", "csr", "--dedup")
        with h5py.File(self.path("o.h5")) as found, h5py.File(self.path("w.h5")) as wanted:
            for key in "pointers_to_1", "indices_1", "values":
                self.assertTrue(numpy.array_equal(found[key], wanted[key]), key)
        for i, text in enumerate(("1 2 3\n", "3 4 16777217\n", f"5 {1 << 40} 0.5\n")):  # wider ids, and floats
            with open(self.path(f"t{i}.tsv"), "w", encoding="ascii") as file:
                file.write(text)
        done = self.rmat("convert", "--json", "t*.tsv", "o.tsv")
        self.assertEqual((json.loads(done.stdout)["rounded_weights"], self.read("o.tsv").decode()),
                         (1, f"1 2 3\n3 4 16777216\n5 {1 << 40} 0.5\n".replace(" ", "\t")))
        with open(self.path("t9.tsv"), "w", encoding="ascii") as file:
            file.write("1 2\n")
        self.convert("t*.tsv", "o.tsv", code=1, error="rmat convert: t9.tsv: has another format than the files before it, or "
                                                      "other columns\n")
        self.convert("g*.h5", "o.tsv", code=1,
                     error="rmat convert: g.h5: is HDF5, of which one file is read, and not several as one graph\n")
        self.convert("none*", "o.tsv", code=1, error="rmat convert: none*: no file with edges is there\n")
        os.mkdir(self.path("d/year=1"))
        self.convert("d", "o.tsv", code=1, error="rmat convert: d/year=1: is no regular file; name those to read by a pattern, "
                                                 "such as 'FOLDER/*.parquet'\n")

    @long_computation
    def test_writers(self):
        """Larger files of every writer that is installed: several pages, dictionaries that are given up, row groups."""
        values = numpy.random.default_rng(1)
        columns = {"src": values.integers(0, 300, 400_000), "dst": values.integers(0, 1 << 20, 400_000),
                   "weight": values.random(400_000)}
        wanted = {key: array.astype("<f4" if key == "weight" else "<u4") for key, array in columns.items()}
        for write in write_arrow, write_pandas, write_polars, write_duck, write_fast:
            try:
                for what in write(columns, self.path("g.parquet")):
                    with self.subTest(write=write.__name__, what=what):
                        self.convert("g.parquet", "o.h5")
                        self.same(self.wanted("o.h5"), wanted)
            except ImportError as error:
                print(f"{error}: files of {write.__name__} are not read")

    @long_computation
    def test_no_rows(self):
        """As in the empty parts of a table."""
        nothing = {"src": numpy.zeros(0, "<i8"), "dst": numpy.zeros(0, "<i8")}
        for write in write_arrow, write_pandas, write_polars, write_duck:
            try:
                next(write(nothing, self.path("g.parquet")))
            except ImportError:
                continue
            self.convert("g.parquet", "o.el")
            self.assertEqual(self.read("o.el"), b"", write.__name__)

    def test_unsigned(self):
        try:
            import pyarrow.parquet
        except ImportError:
            self.skipTest("pyarrow is not installed")
        for kind, most, right in ("uint32", (1 << 32) - 1, True), ("uint64", (1 << 62) - 1, True), ("uint64", 1 << 63, False):
            for encoding in "PLAIN", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT", None:
                with self.subTest(most=most, encoding=encoding):
                    table = pyarrow.table({name: pyarrow.array([0, most, 5], kind) for name in "ab"})
                    pyarrow.parquet.write_table(table, self.path("g.parquet"), use_dictionary=encoding is None,
                                                column_encoding=encoding)
                    done = self.rmat("convert", "-q", "--force", "g.parquet", "o.el")
                    if right:
                        self.assertEqual(self.read("o.el").decode(), f"0 0\n{most} {most}\n5 5\n")
                    else:
                        self.assertEqual((done.returncode, done.stderr), (
                            1, f"rmat convert: g.parquet: edge 1: a is {most}, expected 0 to {(1 << 62) - 1}\n"))

    def test_integer_weights(self):
        """int64 that int32 holds become int32; others float32, rounded."""
        try:
            import pyarrow.parquet
        except ImportError:
            self.skipTest("pyarrow is not installed")
        for weights, dtype, rounded in ([1, -5, 7], "<i4", 0), ([1, -5, (1 << 40) + 1], "<f4", 1):
            pyarrow.parquet.write_table(pyarrow.table({"s": [0, 1, 2], "d": [0, 0, 1], "w": weights}), self.path("g.parquet"))
            done = self.rmat("convert", "--json", "--force", "g.parquet", "o.h5")
            self.assertEqual(json.loads(done.stdout)["rounded_weights"], rounded)
            self.same({"weight": self.wanted("o.h5")["weight"]}, {"weight": numpy.array(weights).astype(dtype)})
        for weight in float("nan"), 1e300:
            pyarrow.parquet.write_table(pyarrow.table({"s": [0], "d": [0], "w": [weight]}), self.path("g.parquet"))
            done = self.rmat("convert", "g.parquet", "n.h5")
            self.assertEqual((done.returncode, done.stderr), (1, f"rmat convert: g.parquet: edge 0: w is {weight:g}, expected a "
                                                                 "finite number that float32 can hold\n"))

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
        self.generate(*args, "-o", "g.wel")
        done = self.rmat("convert", "g.wel", "o.parquet", "-q", "--force", "--vertices", "65536")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        one, two = (ParquetFile(self.path(name)) for name in ("g.parquet", "o.parquet"))
        self.assertTrue(one.data[:one.groups[2][5]] == two.data[:two.groups[2][5]])

    def group_rows(self, name):
        return [group[3] for group in ParquetFile(self.path(name)).groups]

    def test_row_groups(self):
        self.generate("--scale", "10", "--edges", "300K", "--row-group", "128Ki", "-o", "g.parquet")
        rows = 2 * [1 << 17] + [300_000 - (2 << 17)]
        self.assertEqual(self.group_rows("g.parquet"), rows)
        self.convert("g.parquet", "o.parquet", "--row-group", "256Ki")
        self.assertEqual(self.group_rows("o.parquet"), [1 << 18, 300_000 - (1 << 18)])
        self.convert("o.parquet", "s.parquet", "--row-group", "128Ki", "--sorted")
        self.assertEqual(self.group_rows("s.parquet"), rows)
        self.convert("g.parquet", "o.parquet")
        self.assertEqual(self.group_rows("o.parquet"), [300_000])

    def test_wrong_options(self):
        self.generate("--scale", "5", "-o", "g.el")
        for args, line in (
            ("generate --format parquet --row-group 200K", "--row-group: '200000' is out of range, allowed: multiples of "
             "131072 (128Ki) up to 134217728 (128Mi)"),
            ("convert g.el x.parquet --row-group 200K", "--row-group: '200000' is out of range, allowed: multiples of "
             "131072 (128Ki) up to 134217728 (128Mi)"),
            ("generate --format parquet --row-group 64Ki", "--row-group: '64Ki' is out of range, allowed: multiples of 128Ki up "
             "to 128Mi"),
            ("generate --format npy --row-group 2Mi", "--row-group: '2097152' given with format npy, allowed: with parquet"),
            ("generate --encoding delta", "--encoding: 'delta' given with format h5, allowed: with parquet"),
            ("convert g.el x.csv --encoding split", "--encoding: 'split' given with format csv, allowed: with parquet"),
            ("generate --format parquet --encoding rle", "--encoding: 'rle' is unknown, allowed: auto, plain, delta, split"),
            ("generate --format parquet --scale 40", "--row-group: '1048576' is too small for 17592186044416 edges, allowed: so "
             "many that a file has fewer than 2097152 row groups"),
        ):
            with self.subTest(args=args):
                done = self.rmat(*args.split())
                self.assertEqual((done.returncode, done.stderr), (2, f"rmat {args.split()[0]}: {line}\n"))
                self.assertEqual(self.files(), ["g.el"])

    def test_columns(self):
        self.generate("--scale", "6", "--weights", "uniform", "--columns", ":START_ID,:END_ID,cost", "-o", "g.parquet")
        self.assertEqual(ParquetFile(self.path("g.parquet")).names, [":START_ID", ":END_ID", "cost"])
        self.generate("--scale", "6", "--weights", "uniform", "--columns", "a,b", "-o", "g.csv")
        self.assertEqual(self.read("g.csv").split(b"\n")[0], b"a,b,weight")
        done = self.rmat("convert", "g.csv", "o.parquet", "-q", "--columns", "x,y,z")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(ParquetFile(self.path("o.parquet")).names, ["x", "y", "z"])
        done = self.rmat("convert", "g.csv", "s.parquet", "-q", "--sorted", "--columns", "x,y,z")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(ParquetFile(self.path("s.parquet")).names, ["x", "y", "z"])

    def test_wrong_columns(self):
        for value in "a", "a,b,c,d", "a,a", 'a,"b', ",b", "a,b,", "a, b", "a,b\n", "a," + 64 * "x", "", "1,2", "a,b,c":
            for args in ["generate", "--format", "csv"], ["convert", "g.el", "o.parquet"]:
                with self.subTest(value=value, args=args):
                    with open(self.path("g.el"), "wb") as file:
                        file.write(b"1 2\n")
                    done = self.rmat(*args, "--columns", value)
                    self.assertEqual(done.returncode, 2)
                    self.assertRegex(done.stderr, r"\Armat \w+: --columns: [^\n]*allowed: [^\n]*\n\Z")
                    self.assertEqual(self.files(), ["g.el"])
        self.generate("--scale", "5", "--weights", "uniform", "-o", "g.h5")
        for args in ["generate", "--scale", "5", "--weights", "uniform", "-o", "o.csv"], ["convert", "g.h5", "o.csv"], [
                "convert", "g.h5", "o.csv", "--sorted"]:
            done = self.rmat(*args, "--columns", "weight,b")
            self.assertEqual((done.returncode, done.stderr), (2, f"rmat {args[0]}: --columns: 'weight,b' has the name of the "
                                                                 "third column, 'weight', allowed: three different names\n"))
            self.assertEqual(self.files(), ["g.el", "g.h5"])
        done = self.rmat("generate", "--columns", "a,b")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "rmat generate: --columns: 'a,b' given with format h5, allowed: with csv, parquet\n"))

if __name__ == "__main__":
    unittest.main()
