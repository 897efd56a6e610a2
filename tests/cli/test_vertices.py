"""rmat convert: compact numbers, names of vertices, and tables of vertices, against NumPy and SciPy."""

import csv
import gzip
import importlib.util
import json
import os
import subprocess
import unittest

from cli import CliTest

try:
    import h5py
    import numpy as np
    import scipy.sparse
    import scipy.sparse.csgraph
except ImportError:
    raise SystemExit(77)


HEAD = ["id", "out_degree", "in_degree", "component", "label"]


class VertexTest(CliTest):
    def convert(self, *args, **options):
        done = self.rmat("convert", "-q", *args, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        return done.stdout

    def fails(self, line, *args, code=2):
        before = self.files()
        done = self.rmat("convert", "-q", *args)
        self.assertEqual((done.stderr, done.stdout, done.returncode), (f"rmat convert: {line}\n", "", code))
        self.assertEqual(self.files(), before)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def numbers(self, name):
        return np.loadtxt(self.path(name), dtype="u8", ndmin=1)

    def pairs(self, name):
        return np.loadtxt(self.path(name), dtype="i8", ndmin=2)

    def columns(self, name, separator=","):
        with open(self.path(name), newline="", encoding="utf-8") as file:
            head, *rows = csv.reader(file, delimiter=separator)
        return {name: [row[i] for row in rows] for i, name in enumerate(head)}

    def random(self, edges, ids, highest, seed, name="r.bin64"):
        """Pairs of some of `ids` different numbers up to `highest`."""
        rng = np.random.default_rng(seed)
        chosen = rng.integers(0, highest, ids, dtype="u8", endpoint=True)
        made = chosen[rng.integers(0, ids, (edges, 2))]
        made.astype("<u8").tofile(self.path(name))
        return made


def components(edges, n):
    """By vertex, the least one of its component."""
    matrix = scipy.sparse.csr_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n, n))
    count, which = scipy.sparse.csgraph.connected_components(matrix, directed=False)
    least = np.full(count, n)
    np.minimum.at(least, which, np.arange(n))
    return least[which]


class Compact(VertexTest):
    def check(self, edges, *args):
        """In both orders, by any number of threads: a bitmap for small ids, a table for large ones."""
        old, by_id = np.unique(edges, return_inverse=True)
        by_id = by_id.reshape(edges.shape)
        _, place = np.unique(edges.ravel(), return_index=True)
        rank = np.empty(len(old), "i8")
        rank[np.argsort(place)] = np.arange(len(old))
        for threads in "1", "3":
            for order, wanted, ids in ("id", by_id, old), ("first", rank[by_id], old[np.argsort(place)]):
                self.convert("r.bin64", "out.el", "--compact", order, "--threads", threads, "--force", *args)
                self.assertTrue((self.pairs("out.el") == wanted).all())
                self.assertTrue((self.numbers("out.el.ids") == ids).all())

    def test_orders(self):
        for highest in 1000, 10**6, 2**40, 2**62 - 1:
            with self.subTest(highest=highest):
                self.check(self.random(50000, 4000, highest, 1))

    def test_large_table(self):
        """It grows while several threads fill it."""
        self.check(self.random(400000, 300000, 2**61, 2))

    def test_largest_component(self):
        for ids, highest in (3000, 10000), (3000, 2**50):
            with self.subTest(highest=highest):
                edges = self.random(2500, ids, highest, 3)
                old, n = np.unique(edges, return_inverse=True)
                n = n.reshape(edges.shape)
                of = components(n, len(old))
                roots, sizes = np.unique(of, return_counts=True)
                kept = of == roots[sizes.argmax()]
                self.convert("r.bin64", "out.el", "--largest-component", "--force")
                self.assertTrue((self.numbers("out.el.ids") == old[kept]).all())
                wanted = (np.cumsum(kept) - 1)[n[kept[n[:, 0]]]]
                self.assertTrue((self.pairs("out.el") == wanted).all())
                self.convert("r.bin64", "first.el", "--largest-component", "--compact", "first", "--force")
                first = self.pairs("first.el")
                self.assertTrue((self.numbers("first.el.ids")[first] == old[kept][wanted]).all())
                self.assertTrue((np.diff(np.maximum.accumulate(first.ravel())) <= 1).all() and first[0, 0] == 0)

    def test_drop_isolated(self):
        """A vertex that has loops alone goes, with them; the loops of others stay."""
        self.write("g.el", "5 5\n7 9\n9 9\n5 5\n3 7\n")
        self.convert("g.el", "out.el", "--drop-isolated")
        self.assertEqual(self.read("out.el"), b"1 2\n2 2\n0 1\n")
        self.assertEqual(self.read("out.el.ids"), b"3\n7\n9\n")
        self.convert("g.el", "simple.h5", "--drop-isolated", "--simple")
        self.assertEqual(self.convert("simple.h5", "-", "--to", "el"), "0 1\n1 0\n1 2\n2 1\n")

    def test_formats(self):
        """Weights stay, a sorted graph stays sorted, and a CSR file with few edges becomes small."""
        self.write("g.wel", "1000000 7 3\n7 1000000 2\n5000000 7 1\n")
        self.convert("g.wel", "g.h5", "--to", "csr")
        self.assertGreater(os.path.getsize(self.path("g.h5")), 40 * 10**6)
        self.convert("g.h5", "small.h5", "--to", "csr", "--compact", "id")
        self.assertLess(os.path.getsize(self.path("small.h5")), 4096)
        self.convert("small.h5", "small.wel")
        self.assertEqual(self.read("small.wel"), b"0 1 2\n1 0 3\n2 0 1\n")
        self.convert("g.h5", "t.parquet", "--compact", "first")
        self.assertEqual(self.convert("t.parquet", "-", "--to", "wel"), "0 1 2\n1 0 3\n2 0 1\n")
        self.assertEqual(self.numbers("t.parquet.ids").tolist(), [7, 1000000, 5000000])

    def test_empty(self):
        self.write("g.el", "# nothing\n")
        self.convert("g.el", "out.tsv", "--compact", "id", "--largest-component", "--vertex-file", "v.csv")
        self.assertEqual((self.read("out.tsv"), self.read("out.tsv.ids")), (b"", b""))
        self.assertEqual(self.read("v.csv"), b"id,old_id,out_degree,in_degree\n")

    def test_hint_at_compact_numbers(self):
        """Where a file has a row for each of many vertices without edges."""
        self.write("g.el", "1 5000000\n")
        for options, hint in ([], 1), (["--compact", "id"], 0):
            for out in "csr.h5", "g.npz":
                done = self.rmat("convert", "g.el", out, *options, "--force", *(["--to", "csr"] if out == "csr.h5" else []))
                self.assertEqual((done.returncode, done.stdout.count("--compact id leaves out the others")), (0, hint))
        self.assertNotIn("--compact", self.rmat("convert", "g.el", "e.csv").stdout)

    def test_refusals(self):
        self.write("g.csv", "1,2\n")
        self.write("g.el", "1 2\n")
        for options, line in (
                (["--compact", "id", "--permute"], "--permute: given with --compact, allowed: without it"),
                (["--labels", "4"], "--labels: given alone, allowed: with --vertex-file"),
                (["--vertex-file", "g.csv"], "--vertex-file: 'g.csv' is the same file as IN, allowed: another file"),
                (["--vertex-file", "out.csv"], "--vertex-file: 'out.csv' is OUT, allowed: another file"),
                (["--vertex-file", "v.csv", "--labels", "4"], "--labels: '4' given for a graph without a model, allowed: "
                 "for files of rmat generate"),
                (["--compact", "id", "--rows", "4", "--cols", "9"], "--compact: given for 4 source and 9 destination "
                 "vertices, allowed: for equal numbers of both"),
                (["--vertex-file", "v.csv", "--rows", "4", "--cols", "9"], "--vertex-file: given for 4 source and 9 "
                 "destination vertices, allowed: for equal numbers of both")):
            self.fails(line, "g.csv", "out.csv", *options)
        self.fails("--vertex-file: given for edges that are changed on their way to OUT, allowed: if OUT is a file",
                   "g.el", "-", "--to", "el", "--vertex-file", "v.csv", "--sorted")
        self.write("out.el.ids", "mine")
        self.fails("--compact: out.el.ids: already exists, --force replaces it", "g.el", "out.el", "--compact", "id",
                   code=1)

    def test_memory(self):
        self.random(200000, 100000, 2**60, 4)
        done = self.rmat("convert", "-q", "r.bin64", "out.el", "--compact", "id", "--memory", "1Mi")
        self.assertRegex(done.stderr, r"\Armat convert: --memory: the numbers of the vertices take \d+ bytes, allowed: up to 1048576\n\Z")
        self.assertEqual((done.returncode, self.files()), (2, ["r.bin64"]))


class Names(VertexTest):
    def test_csv(self):
        self.write("g.csv", 'from,to,w\nalice,bob,1\n"x, y", alice ,2\nbob,"""say"" ""hi""",3\nMünchen,bob,4\r\n')
        self.convert("g.csv", "out.csv", "--vertex-names", "--vertex-file", "v.csv")
        self.assertEqual(self.read("out.csv"), b"src,dst,weight\n0,1,1\n2,0,2\n1,3,3\n4,1,4\n")
        names = ["alice", "bob", "x, y", '"say" "hi"', "München"]
        self.assertEqual(self.read("out.csv.ids").decode().splitlines(), names)
        self.assertEqual(self.columns("v.csv"), {"id": list("01234"), "name": names, "out_degree": list("11101"),
                                                 "in_degree": list("12010")})
        self.convert("g.csv", "id.csv", "--vertex-names", "--compact", "id")
        self.assertEqual(self.read("id.csv.ids").decode().splitlines(), sorted(names, key=str.encode))

    def test_text(self):
        """Between tabs a name has blanks; where there are no tabs, blanks end it."""
        self.write("g.tsv", "# comment\nNew York\tBoston\t2\n\nBoston\tNew York\t3\n")
        self.convert("g.tsv", "out.wel", "--vertex-names")
        self.assertEqual((self.read("out.wel"), self.read("out.wel.ids")), (b"0 1 2\n1 0 3\n", b"New York\nBoston\n"))
        self.write("g.el", "a  b \n\tc a\r\n")
        self.convert("g.el", "out.el", "--vertex-names")
        self.assertEqual((self.read("out.el"), self.read("out.el.ids")), (b"0 1\n2 0\n", b"a\nb\nc\n"))

    def test_columns(self):
        self.write("g.csv", "when,who,whom\n1,a,b\n2,b,c\n")
        self.convert("g.csv", "out.el", "--vertex-names", "--columns", "who,whom")
        self.assertEqual((self.read("out.el"), self.read("out.el.ids")), (b"0 1\n1 2\n", b"a\nb\nc\n"))

    def test_many(self):
        """More than a piece of the file, by any number of threads, and several files."""
        rng = np.random.default_rng(5)
        made = rng.integers(0, 50000, (200000, 2))
        self.write("g.el", "".join(f"user:{u} user:{v}\n" for u, v in made))
        self.assertGreater(os.path.getsize(self.path("g.el")), 2 << 20)
        for threads in "1", "4":
            self.convert("g.el", "out.el", "--vertex-names", "--threads", threads, "--force")
            names = self.read("out.el.ids").decode().split()
            self.assertEqual(names, list(dict.fromkeys(f"user:{v}" for v in made.ravel())))
            self.assertTrue((np.array([int(name[5:]) for name in names])[self.pairs("out.el")] == made).all())
        os.mkdir(self.path("parts"))
        self.write("parts/1.el", "a b\n")
        self.write("parts/2.el", "c a\n")
        self.convert("parts", "p.el", "--vertex-names")
        self.assertEqual((self.read("p.el"), self.read("p.el.ids")), (b"0 1\n2 0\n", b"a\nb\nc\n"))

    def test_bad(self):
        for text, name, what in (("a b\nc\n", "g.el", "line 2: 'c': too few columns, expected 'src dst'"),
                                 ("a b\nc d e\n", "g.el", "line 2: 'c d e': too many columns, expected 'src dst'"),
                                 ("a\tb\t1\na\t\tb\n", "g.tsv", "line 2: 'a  b': has no name for the dst"),
                                 ("a\tb\n\tb\n", "g.tsv", "line 2: ' b': has no name for the src"),
                                 ("s,t\na,\n", "g.csv", "line 2: 'a,': has no name for the dst"),
                                 ("a\tb\t1\na\tb\tx\n", "g.tsv", "line 2: 'a b x': weight is 'x', expected a number that "
                                  "float32 can hold")):
            self.write(name, text)
            self.fails(f"{name}: {what}", name, "out.el", "--vertex-names", code=1)
        self.fails("--vertex-names: given for mtx, allowed: for el, wel, tsv, csv", "g.el", "out.el", "--vertex-names",
                   "--from", "mtx")
        self.write("g.el", "".join(f"{i:064} x\n" for i in range(3000)))
        done = self.rmat("convert", "-q", "g.el", "out.el", "--vertex-names", "--memory", "256Ki")
        self.assertIn("the names of the vertices take more than the 65536 bytes of memory for them", done.stderr)
        self.assertEqual(done.returncode, 1)


class Tables(VertexTest):
    def graph(self, *args):
        """A graph with self-loops, isolated vertices, and several components; its edges."""
        self.generate("--scale", "10", "--edges", "700", "--permute", *args, "-o", "g.h5")
        with h5py.File(self.path("g.h5")) as file:
            return np.stack([file["src"][:], file["dst"][:]], 1).astype("i8")

    def check(self, table, edges, n):
        self.assertTrue((table["out_degree"] == np.bincount(edges[:, 0], minlength=n)).all())
        self.assertTrue((table["in_degree"] == np.bincount(edges[:, 1], minlength=n)).all())
        self.assertTrue((table["component"] == components(edges, n)).all())

    def test_degrees(self):
        edges = self.graph()
        for memory in "1Gi", "100Ki":
            self.convert("g.h5", "e.csv", "--vertex-file", "v.csv", "--components", "--force", "--memory", memory)
            table = {name: np.array(values, "i8") for name, values in self.columns("v.csv").items()}
            self.assertEqual(list(table), ["id", "out_degree", "in_degree", "component"])
            self.assertTrue((table["id"] == np.arange(1024)).all())
            self.check(table, edges, 1024)

    def test_several_passes(self):
        self.generate("--scale", "16", "--edge-factor", "2", "-o", "g.h5")
        for memory in "1Gi", "128Ki":
            self.convert("g.h5", "e.el", "--vertex-file", f"{memory}.tsv", "--force", "--memory", memory)
        self.assertEqual(self.read("1Gi.tsv"), self.read("128Ki.tsv"))
        with h5py.File(self.path("g.h5")) as file:
            self.assertEqual(np.array(self.columns("1Gi.tsv", "\t")["in_degree"], int).tolist(),
                             np.bincount(file["dst"][:], minlength=1 << 16).tolist())

    def test_changed(self):
        """The table is that of OUT: of the edges in it, with their numbers."""
        self.graph()
        for out, more in ("e.csv", ["--base", "1"]), ("e.h5", []), ("e.csv", []):
            self.convert("g.h5", out, "--simple", "--vertex-file", "v.csv", "--components", "--force", *more)
            text = self.convert(out, "-", "--to", "el")
            edges = np.array(text.split(), "i8").reshape(-1, 2) - len(more) // 2
            table = {name: np.array(values, "i8") for name, values in self.columns("v.csv").items()}
            self.assertTrue((table["id"] - len(more) // 2 == np.arange(1024)).all())
            table["component"] -= len(more) // 2
            self.check(table, edges, 1024)

    def test_hdf5(self):
        edges = self.graph()
        self.convert("g.h5", "e.npy", "--compact", "id", "--vertex-file", "v.h5", "--components", "--labels", "5")
        self.convert("g.h5", "e.csv", "--compact", "id", "--vertex-file", "v.csv", "--components", "--labels", "5")
        wanted = self.columns("v.csv")
        self.assertEqual(list(wanted), ["id", "old_id", "out_degree", "in_degree", "component", "label"])
        with h5py.File(self.path("v.h5")) as file:
            self.assertEqual({name: file[name][:].tolist() for name in file},
                             {name: [int(x) for x in values] for name, values in wanted.items()})
        self.assertEqual([int(x) for x in wanted["old_id"]], np.unique(edges).tolist())
        self.fails("--vertex-file: 'w.h5' given with --vertex-header, allowed: .csv, .tsv, .txt", "g.h5", "f.csv",
                   "--vertex-file", "w.h5", "--vertex-header", "neo4j")

    def test_parquet_and_compressed_text(self):
        """The rows of CSV, in several row groups and ranges of vertices."""
        self.generate("--scale", "18", "--edge-factor", "1", "-o", "g.h5")
        wanted = None
        for name, more in (("v.csv", []), ("v.parquet", []), ("w.parquet", ["--memory", "3M"]), ("v.csv.gz", []),
                           ("v.tsv.zst", []), ("v.txt", []), ("v.h5", ["--memory", "3M"])):
            self.convert("g.h5", "e.bin32", "--vertex-file", name, "--components", "--labels", "3", "--force", *more)
            if name == "v.csv":
                wanted = np.loadtxt(self.path(name), dtype="i8", delimiter=",", skiprows=1)
                self.assertEqual(len(wanted), 1 << 18)
                text = self.read(name)
            elif name == "v.csv.gz":
                self.assertEqual(gzip.decompress(self.read(name)), text)
            elif name == "v.tsv.zst":
                self.assertEqual(subprocess.run(["zstd", "-dcq", self.path(name)], stdout=subprocess.PIPE, check=True).stdout,
                                 text.replace(b",", b"\t"))
            elif name == "v.txt":
                self.assertEqual(self.read(name), text.replace(b",", b"\t"))
            elif name == "v.h5":
                with h5py.File(self.path(name)) as file:
                    self.assertTrue(all((file[c][:] == wanted[:, i]).all() for i, c in enumerate(HEAD)))
            elif importlib.util.find_spec("pyarrow"):
                import pyarrow.parquet
                table = pyarrow.parquet.read_table(self.path(name))
                self.assertEqual((table.column_names, pyarrow.parquet.ParquetFile(self.path(name)).num_row_groups),
                                 (HEAD, 2))
                self.assertTrue(all((table[c].to_numpy() == wanted[:, i]).all() for i, c in enumerate(HEAD)))
        self.assertEqual(self.read("v.parquet"), self.read("w.parquet"))
        # the program reads its own table, too: these two columns are pairs of numbers
        self.assertEqual(self.pairs_of("v.parquet", "id,component"), wanted[:, [0, 3]].tolist())
        for name in ("v.json", "v.h5.gz", "v.parquet.zst", "v.npy", "v"):
            self.fails(f"--vertex-file: '{name}' has none of the suffixes of tables, allowed: .csv, .tsv, .txt, also with "
                       ".gz or .zst behind them, .h5, .parquet", "g.h5", "f.csv", "--vertex-file", name)

    def test_empty_parquet(self):
        self.write("g.el", "# nothing\n")
        self.convert("g.el", "out.tsv", "--compact", "id", "--vertex-file", "v.parquet")
        self.assertEqual(self.pairs_of("v.parquet", "id,old_id"), [])

    def pairs_of(self, name, columns):
        text = self.convert(name, "-", "--to", "el", "--columns", columns)
        return np.array(text.split(), "i8").reshape(-1, 2).tolist()

    def test_headers(self):
        self.write("g.csv", "a,b\nx,y\n")
        for header, line in (("plain", "id,name,out_degree,in_degree,component"),
                             ("neo4j", "id:ID,name,out_degree:long,in_degree:long,component:long"),
                             ("dgl", "node_id,name,out_degree,in_degree,component")):
            self.convert("g.csv", "e.csv", "--vertex-names", "--vertex-file", "v.csv", "--vertex-header", header,
                         "--components", "--columns", ":START_ID,:END_ID", "--force")
            self.assertEqual(self.read("v.csv").decode().splitlines(), [line, "0,x,1,0,0", "1,y,0,1,0"])
        self.assertEqual(self.read("e.csv"), b":START_ID,:END_ID\n0,1\n")

    @unittest.skipUnless(importlib.util.find_spec("kuzu"), "needs Kuzu")
    def test_kuzu(self):
        """Its COPY takes both files, and counts what NumPy does."""
        import kuzu
        edges = self.graph()
        self.convert("g.h5", "e.csv", "--vertex-file", "v.csv", "--components", "--labels", "4")
        connection = kuzu.Connection(kuzu.Database(self.path("db")))
        for query in ("CREATE NODE TABLE V(id INT64, out_degree INT64, in_degree INT64, component INT64, label INT64, "
                      "PRIMARY KEY(id))", "CREATE REL TABLE E(FROM V TO V)", f"COPY V FROM '{self.path('v.csv')}' (HEADER=true)",
                      f"COPY E FROM '{self.path('e.csv')}' (HEADER=true)"):
            connection.execute(query)
        found = connection.execute("MATCH (a:V)-[e:E]->(b:V) RETURN count(*), sum(a.out_degree), sum(b.label)").get_next()
        label = np.array(self.columns("v.csv")["label"], int)
        self.assertEqual(found, [len(edges), int((np.bincount(edges[:, 0]) ** 2).sum()), int(label[edges[:, 1]].sum())])


class Labels(VertexTest):
    def label(self, labels, *args):
        """The homophily that is expected; labels of the vertices; the edges."""
        self.generate(*args, "-o", "g.h5", "--force")
        told = json.loads(self.convert("g.h5", "e.npy", "--vertex-file", "v.csv", "--labels", str(labels), "--json", "--force"))
        return told["homophily"], np.array(self.columns("v.csv")["label"], int), np.load(self.path("e.npy"))

    def test_homophily(self):
        """With all options of the model that matter to it: within five standard deviations."""
        scale = "--scale", "15"
        for labels in 2, 3, 7, 64:
            for args in (scale, [*scale, "--permute"], [*scale, "--noise", "0.1"], [*scale, "--no-self-loops"],
                         ["--vertices", "20011", "--permute"], [*scale, "--a", "0.4", "--b", "0.1", "--c", "0.2"],
                         [*scale, "--undirected", "lower"], [*scale, "--symmetrize"]):
                with self.subTest(labels=labels, args=args):
                    expected, label, edges = self.label(labels, *args, "--edges", "500000")
                    counted = (label[edges[0]] == label[edges[1]]).mean()
                    self.assertLess(abs(expected - counted), 5 * (expected * (1 - expected) / 500000)**.5)

    def test_sizes(self):
        for labels in 2, 3, 5, 8, 100, 1024:
            _, label, _ = self.label(labels, "--scale", "10", "--permute")
            bits = labels.bit_length() - 1
            longer = 2 * 2**bits - labels
            self.assertEqual(np.bincount(label).tolist(), [2**(10 - bits)] * longer + [2**(9 - bits)] * (labels - longer)
                             if labels < 1024 else [1] * 1024)

    def test_formula(self):
        """Of 2^k classes it is (a + d)^k; of three, with the prefixes 0, 10 and 11, a + d (a + d)."""
        self.assertAlmostEqual(self.label(8, "--scale", "10")[0], 0.62**3)
        self.assertAlmostEqual(self.label(3, "--scale", "10")[0], 0.57 + 0.05 * 0.62)

    def test_hint_at_compact_numbers(self):
        """Where a file has a row for each of many vertices without edges."""
        self.write("g.el", "1 5000000\n")
        for options, hint in ([], 1), (["--compact", "id"], 0):
            for out in "csr.h5", "g.npz":
                done = self.rmat("convert", "g.el", out, *options, "--force", *(["--to", "csr"] if out == "csr.h5" else []))
                self.assertEqual((done.returncode, done.stdout.count("--compact id leaves out the others")), (0, hint))
        self.assertNotIn("--compact", self.rmat("convert", "g.el", "e.csv").stdout)

    def test_refusals(self):
        self.generate("--scale", "4", "-o", "g.h5")
        self.fails("--labels: '17' out of range, allowed: 2 to 16", "g.h5", "e.el", "--vertex-file", "v.csv", "--labels", "17")
        self.fails("--permute: given with --labels, allowed: without it", "g.h5", "e.el", "--vertex-file", "v.csv",
                   "--labels", "2", "--permute")
        self.convert("g.h5", "e.el", "--vertex-file", "v.csv", "--labels", "16")
        self.assertEqual(self.columns("v.csv")["label"], self.columns("v.csv")["id"])


if __name__ == "__main__":
    unittest.main()
