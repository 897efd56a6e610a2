"""Files of other formats that numpy, scipy, networkx and plain Python have written, as rmat reads them: the same
edges in the same order, and what a format may have that rmat does not write."""

import gzip
import io
import json
import os
import random
import signal
import struct
import subprocess
import threading
import time
import unittest

from cli import FORMATS, RMAT, CliTest, skip_all

try:
    import h5py
    import numpy
except ImportError as error:
    skip_all(error)

try:
    from scipy import sparse
except ImportError:
    sparse = None

EDGES = 300000  # several pieces


class ReadingTest(CliTest):
    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data.encode() if isinstance(data, str) else data)
        return name

    def read_edges(self, name, *options, **more):
        """Through convert; the columns and the numbers of vertices."""
        done = self.rmat("convert", "-q", "--force", name, "seen.h5", *options, **more)
        self.assertEqual((done.returncode, done.stderr), (0, ""), name)
        with h5py.File(self.path("seen.h5"), "r") as file:
            self.assertEqual(self.rmat("verify", "-q", "seen.h5").returncode, 0)
            return ([file[column][:] for column in ("src", "dst", "weight") if column in file],
                    (int(file.attrs["num_rows"]), int(file.attrs["num_cols"])))

    def assert_edges(self, name, columns, *options, vertices=None, kinds=None, **more):
        seen, told = self.read_edges(name, *options, **more)
        self.assertEqual(len(seen), len(columns), name)
        for a, b in zip(seen, columns):
            self.assertTrue(numpy.array_equal(a, b), (name, a, b))
        if kinds is not None:
            self.assertEqual([a.dtype.str for a in seen], kinds, name)
        if vertices is None:
            vertices = max((int(column.max()) + 1 for column in map(numpy.asarray, columns[:2])), default=1)
        self.assertEqual(told, vertices if isinstance(vertices, tuple) else (vertices, vertices), name)


def some_edges(count=EDGES, highest=1 << 20, seed=5):
    return numpy.random.default_rng(seed).integers(0, highest, (2, count))


class Arrays(ReadingTest):
    def test_npy(self):
        """Shapes, orders, types and versions."""
        edges = some_edges()
        for kind in "<u4 <i4 <u8 <i8".split():
            array = edges.astype(kind)
            wide = "<u8" if kind == "<u8" else "<u4"
            for version in (1, 0), (2, 0), (3, 0):
                for form in array, numpy.asfortranarray(array), array.T, numpy.ascontiguousarray(array.T):
                    data = io.BytesIO()
                    numpy.lib.format.write_array(data, form, version)
                    self.assert_edges(self.write("g.npy", data.getvalue()), edges, kinds=[wide, wide])

    def test_npy_wide_and_small(self):
        edges = some_edges(1000, 1 << 61)
        numpy.save(self.path("g.npy"), edges)
        self.assert_edges("g.npy", edges, kinds=["<u8", "<u8"])
        numpy.save(self.path("g.npy"), numpy.array([[1, 2], [3, 4]]))
        self.assert_edges("g.npy", [[1, 2], [3, 4]])  # two rows before two columns
        numpy.save(self.path("g.npy"), numpy.array([[1, 2]]))
        self.assert_edges("g.npy", [[1], [2]])
        numpy.save(self.path("g.npy"), numpy.zeros((0, 2), dtype="<i8"))
        self.assert_edges("g.npy", [[], []], "--vertices", "7", vertices=7)

    def test_graph500(self):
        edges = some_edges(EDGES, 1 << 45)
        packed = numpy.zeros(EDGES, dtype=[("low", "<u4", 2), ("high", "<u2", 2)])
        packed["low"], packed["high"] = (edges & 0xffffffff).T, (edges >> 32).T
        packed.tofile(self.path("g.g500"))
        self.assert_edges("g.g500", edges)
        weights = numpy.random.default_rng(3).random(EDGES, dtype="<f4")
        weights.tofile(self.path("g.g500.weights"))
        self.assert_edges("g.g500", [*edges, weights], kinds=["<u8", "<u8", "<f4"])
        with open(self.path("g.g500"), "rb") as file:  # which has nothing beside it
            self.assert_edges("-", edges, "--from", "graph500", stdin=file)

    def serialized(self, edges, vertices, directed, weights=None):
        """As GAPBS writes it; the in-neighbours are nonsense, which nobody reads."""
        pointers = numpy.concatenate([[0], numpy.cumsum(numpy.bincount(edges[0], minlength=vertices))])
        side = edges[1] if weights is None else numpy.stack([edges[1], weights]).T
        data = struct.pack("<?qq", directed, len(edges[0]), vertices)
        data += pointers.astype("<i8").tobytes() + side.astype("<i4").tobytes()
        return data + b"\xff" * (len(data) - 17 if directed else 0)

    def test_sg(self):
        edges = some_edges(EDGES, 100000)
        edges = edges[:, numpy.argsort(edges[0], kind="stable")]
        weights = numpy.random.default_rng(3).integers(-2**31, 2**31, EDGES)
        for directed in False, True:
            self.write("g.sg", self.serialized(edges, 100007, directed))
            self.assert_edges("g.sg", edges, vertices=100007, kinds=["<u4", "<u4"])
            self.write("g.wsg", self.serialized(edges, 100007, directed, weights))
            self.assert_edges("g.wsg", [*edges, weights], vertices=100007, kinds=["<u4", "<u4", "<i4"])
        hub = numpy.array([[3] * EDGES, range(EDGES)])  # many pieces in one row, empty rows around it
        self.write("g.sg", self.serialized(hub, EDGES, False))
        self.assert_edges("g.sg", hub, vertices=EDGES)


class Text(ReadingTest):
    def test_gr(self):
        """Comments everywhere, no end of the last line, CR LF."""
        src, dst = some_edges(100000, 5000)
        weight = numpy.random.default_rng(3).integers(-9, 100, 100000)
        lines = [f"a {s + 1} {d + 1} {w}" for s, d, w in zip(src, dst, weight)]
        head = ["c made by a test", "c", "", "p sp 5001 100000"]
        for end in "\n", "\r\n":
            self.write("g.gr", end.join(head + lines[:9] + ["c between", ""] + lines[9:]))
            self.assert_edges("g.gr", [src, dst, weight], vertices=5001, kinds=["<u4", "<u4", "<i4"])

    def test_metis(self):
        """All kinds of fmt, with comments, a long line and isolated vertices."""
        numbers = random.Random(7)
        vertices = 2000
        neighbours = [[] for _ in range(vertices)]
        for i in range(1, vertices - 1):  # a hub, and some others; the last vertex is isolated
            others = {0, numbers.randrange(vertices - 1)} - {i}
            for j in others:
                if j not in [n for n, _ in neighbours[i]]:
                    w = numbers.randrange(1, 1 << 31)
                    neighbours[i].append((j, w))
                    neighbours[j].append((i, w))
        edges = [(i, j, w) for i in range(vertices) for j, w in neighbours[i]]
        columns = [numpy.array(column) for column in zip(*edges)]
        for fmt, skipped in ("", 0), ("0", 0), ("1", 0), ("001", 0), ("10", 1), ("011", 1), ("11 3", 3), ("100", 1), ("111 2", 3):
            weighted = fmt[:3].endswith("1") or fmt.startswith("11 ")
            text = [f"% a comment\n%\n{vertices} {len(edges) // 2} {fmt}"]
            for i, row in enumerate(neighbours):
                text += ["% between"] if i % 100 == 50 else []
                text.append(" ".join([str(numbers.randrange(1000))] * skipped +
                                     [f"{j + 1} {w}" if weighted else str(j + 1) for j, w in row]))
            for end in "\n", " \r\n":
                self.write("g.graph", end.join(text) + end)
                self.assert_edges("g.graph", columns if weighted else columns[:2], vertices=vertices)

    def test_metis_long_line(self):
        """A line of several MB: a star."""
        leaves = 400000
        text = f"{leaves + 1} {leaves}\n" + " ".join(map(str, range(2, leaves + 2))) + "\n" + "1\n" * leaves
        self.write("g.graph", text)
        src = [0] * leaves + list(range(1, leaves + 1))
        dst = list(range(1, leaves + 1)) + [0] * leaves
        self.assert_edges("g.graph", [src, dst])


    def test_snap(self):
        """SNAP's files are called .txt."""
        self.write("g.txt", "# Directed graph\n# FromNodeId\tToNodeId\n5\t1\n3\t4\n")
        self.assert_edges("g.txt", [[5, 3], [1, 4]])
        self.assertEqual(self.rmat("convert", "-q", "g.txt", "again.txt").returncode, 0)
        self.assertEqual(self.read("again.txt"), b"5\t1\n3\t4\n")

    def test_pipes(self):
        """By path, as the shell's <(...) gives them, also compressed or without anybody who writes any more."""
        edges = some_edges(100000, 5000)
        text = "".join(f"{s} {d}\n" for s, d in edges.T).encode()
        os.mkfifo(self.path("g.el"))
        for data in text, gzip.compress(text):
            writer = threading.Thread(target=self.write, args=("g.el", data))
            writer.start()
            self.assert_edges("g.el", edges)
            writer.join()
            out, into = os.pipe()
            writer = threading.Thread(target=lambda: (os.write(into, data[:9]), os.write(into, data[9:]), os.close(into)))
            writer.start()
            self.assert_edges(f"/dev/fd/{out}", edges, "--from", "el", pass_fds=[out])
            writer.join()
            os.close(out)
        out, into = os.pipe()
        os.close(into)
        self.assert_edges(f"/dev/fd/{out}", [[], []], "--from", "el", vertices=1, pass_fds=[out])
        done = self.rmat("stats", f"/dev/fd/{out}", pass_fds=[out])
        os.close(out)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("neither its contents nor its name tell the format", done.stderr)
        done = self.rmat("convert", "/dev/stdin", "-", "--from", "el", "--to", "el", "-q", input="5 1\n")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "5 1\n", ""))
        with subprocess.Popen([RMAT, "convert", "g.el", "x.h5", "-q"], cwd=self.folder, stderr=subprocess.PIPE) as child:
            time.sleep(0.5)  # nobody will write
            child.send_signal(signal.SIGINT)
            self.assertEqual(child.wait(timeout=20), 130)
            child.stderr.read()

    def test_beginnings(self):
        """The mark of UTF-8, names of columns, and an index without a name, as pandas and R write them."""
        bom = b"\xef\xbb\xbf"
        for name, text, *columns in (
                ("g.csv", bom + b"5,1\n3,4\n", [5, 3], [1, 4]), ("g.csv", bom + b"src,dst\r\n5,1\r\n", [5], [1]),
                ("g.csv", b"src,dst\n", [], []), ("g.csv", b'"src","a ""b"", c"\n5,1\n', [5], [1]),
                ("g.csv", b"from,to,2020\n5,1,7\n", [5], [1], [7]), ("g.csv", b"a title\n5,1\n", [5], [1]),
                ("g.csv", b",src,dst\n0,5,1\n\n# c\n1,3,4\n", [5, 3], [1, 4]),
                ("g.csv", b"Unnamed: 0,src,dst,weight\n0,5,1,.5\n1,3,4,2\n", [5, 3], [1, 4], [.5, 2]),
                ("g.csv", b'"","src","dst"\r\n"1",5,1\r\n"a, b",3,4', [5, 3], [1, 4]),
                ("g.el", bom + b"# c\n5 1\n", [5], [1]), ("g.tsv", bom + b"5\t1\t9\n", [5], [1], [9]),
                ("g.mtx", bom + b"%%MatrixMarket matrix coordinate pattern general\n6 6 1\n6 2\n", [5], [1]),
                ("g.gr", bom + b"p sp 6 1\na 6 2 3\n", [5], [1], [3]), ("g.graph", bom + b"2 1\n2\n1\n", [0, 1], [1, 0])):
            self.assert_edges(self.write(name, text), columns, vertices=None if columns[0] else 1)
        many = some_edges(100000, 5000)  # several pieces
        self.write("g.csv", ",src,dst\n" + "".join(f"{i},{s},{d}\n" for i, (s, d) in enumerate(many.T)))
        self.assert_edges("g.csv", many)

    def test_rounded_weights(self):
        """Integers that are neither int32 nor float32 are counted; decimals are float32 anyway."""
        mtx = "%%MatrixMarket matrix coordinate "
        for name, text, rounded in (
                ("g.wel", "0 1 16777217\n0 1 -2147483648\n", 0), ("g.wel", "0 1 16777217\n0 1 16777217.5\n", 1),
                ("g.wel", "0 1 1234567890123\n0 1 -1234567890123\n0 1 0.1\n", 2),
                ("g.tsv", "0\t1\t3000000001\n0\t1\t16777217\n0\t1\t16777216\n", 2),
                ("g.csv", "0,1,9007199254740993\n0,1,3000000000\n", 1),
                ("g.gr", "p sp 2 1\na 1 2 4294967297\n", 1), ("g.graph", "2 1 1\n2 2147483649\n1 2147483649\n", 2),
                ("g.mtx", mtx + "integer general\n2 2 1\n1 2 1234567890123\n", 1),
                ("g.mtx", mtx + "real general\n2 2 2\n1 2 1234567890123\n1 2 1.234567890123e12\n", 1)):
            told = json.loads(self.rmat("convert", "-q", "--json", "--force", self.write(name, text), "g.h5").stdout)
            self.assertEqual(told["rounded_weights"], rounded, text)
            done = self.rmat("convert", "--force", name, "g.h5")
            self.assertEqual(("rounded      %d weights, integers that float32 does not hold exactly\n" % rounded) in
                             done.stdout, rounded > 0, text)
        self.write("g.wel", "0 1 1234567890123\n")
        for options in ["g.el"], ["g2.wel", "--weights", "none", "--to", "el"], ["g3.wel", "--weights", "int:1:9"]:
            self.assertEqual(json.loads(self.rmat("convert", "-q", "--json", "g.wel", *options).stdout)["rounded_weights"],
                             0, options)


class Commands(ReadingTest):
    def test_all_commands(self):
        """What reads graphs reads each of these, and says the same of them as of HDF5."""
        self.generate("--scale", "8", "--simple", "--weights", "int:1:9")
        report = self.rmat("stats", "graph.h5", "--threads", "1").stdout.split("\n\n")[0].splitlines()[2:]
        for name in "g.gr g.graph g.g500 g.npy g.sg g.wsg".split():
            self.assertEqual(self.rmat("convert", "-q", "graph.h5", name).returncode, 0)
            done = self.rmat("stats", name, "--vertices", "256")
            self.assertEqual(done.returncode, 0, done.stderr)
            for line in report[:6]:
                self.assertIn(line, done.stdout, name)
            done = self.rmat("roots", name)
            self.assertEqual((done.returncode, done.stdout), (0, self.rmat("roots", "graph.h5").stdout), name)
            told = json.loads(self.rmat("info", "--json", name).stdout)
            self.assertEqual(f"edges        {told['edges']}", report[0], name)


class EveryFormat(CliTest):
    """What rmat writes, its commands read: info, stats and convert."""

    def run_well(self, *args):
        done = self.rmat(*args)
        self.assertEqual((done.returncode, done.stderr.replace("\n", "").split("100%")[0]), (0, ""), (args, done.stderr))
        return done.stdout

    def sorted_edges(self, name, columns=3):
        """The columns of a list in HDF5 that has as many, in the order of the edges."""
        with h5py.File(self.path(name)) as file:
            found = [file[column][:] for column in ("src", "dst", "weight")[:columns] if column in file]
        order = numpy.lexsort(found[::-1])
        return [column[order].tolist() for column in found]

    def check(self, kind, name, model, told, columns):
        """A file made by `rmat generate` with these options; columns: how many of the edges are to be those of g.h5."""
        self.run_well("generate", "-q", *model, "--format", kind, "-o", name)
        self.assertEqual(json.loads(self.run_well("info", "--json", name, "--from", kind, *told))["edges"], self.edges)
        self.assertEqual(json.loads(self.run_well("stats", "--json", "-q", name, "--from", kind, *told))["edges"], self.edges)
        self.run_well("convert", "-q", name, "again.h5", "--from", kind, "--force", "--to", "h5", *told)
        self.assertEqual(self.sorted_edges("again.h5", columns), self.sorted_edges("g.h5", columns))

    def test_all(self):
        simple = ["--scale", "8", "--simple"]
        for kind in (name for name in FORMATS if name != "icebug"):  # which is written alone
            for weights in (None, "int:1:50", "uniform")[:3 if kind in ("rawcsr", "galois", "npz") else 2]:
                model = simple + (["--weights", weights] if weights else [])
                done = self.rmat("generate", "--dry-run", *model, "--format", kind)
                if done.returncode == 2:  # with weights, or without, or not these
                    continue
                told = ["--weight-type", "int32" if weights[0] == "i" else "float32"] if kind in ("galois", "rawcsr") and weights else []
                columns = 2 if kind in ("gr", "npz") and not weights else 3
                with self.subTest(kind=kind, weights=weights):
                    for file in self.files():
                        os.unlink(self.path(file))
                    self.run_well("generate", "-q", *model, "-o", "g.h5")
                    self.edges = json.loads(self.run_well("info", "--json", "g.h5"))["edges"]
                    self.check(kind, {"rawcsr": "x.indices", "graphalytics": "x.e"}.get(kind, "x." + kind), model, told, columns)

    def test_base(self):
        """Text numbered from 1, with and without columns by name, from standard input, in several files."""
        self.generate("--scale", "8", "--weights", "int:1:9", "-o", "g.h5")
        self.run_well("generate", "-q", "--scale", "8", "--weights", "int:1:9", "--base", "1", "-o", "g.csv")
        for kind in "wel", "tsv", "csv":
            self.run_well("convert", "-q", "g.h5", "b." + kind, "--base", "1")
            self.run_well("convert", "-q", "b." + kind, "again.h5", "--from-base", "1", "--force")
            self.assertEqual(self.sorted_edges("again.h5"), self.sorted_edges("g.h5"))
            self.run_well("convert", "-q", "b." + kind, "again." + kind, "--from-base", "1", "--base", "1", "--vertices", "256")
            self.assertEqual(self.read("again." + kind), self.read("b." + kind))
        self.assertEqual(self.read("b.csv"), self.read("g.csv"))
        self.run_well("convert", "-q", "b.csv", "again.h5", "--from-base", "1", "--columns", "src,dst,weight", "--force")
        self.assertEqual(self.sorted_edges("again.h5"), self.sorted_edges("g.h5"))
        with open(self.path("zero.el"), "w", encoding="ascii") as file:
            file.write("1 2\n0 1\n")
        done = self.rmat("info", "zero.el", "--from-base", "1")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "rmat info: zero.el: line 2: '0 1': src is '0', expected 1 to 4611686018427387903\n"))
        done = self.rmat("info", "-", "--from", "el", "--from-base", "1", "--json", input="1 2\n2 2\n")
        self.assertEqual(json.loads(done.stdout)["first_edges"], [[0, 1], [1, 1]])

    def test_graphalytics(self):
        """NAME.properties tells; without it the edges are what they are."""
        for name, content in (("d.e", "1 5\n5 1\n"), ("d.properties", "graph.d.meta.vertices = 9\ngraph.d.directed = true\n"),
                              ("u.e", "1 5 .5\n7 5 2\n"), ("u.properties", "graph.u.directed=false\ngraph.u.meta.vertices = 3\n"),
                              ("n.e", "1 5\n")):
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write(content)
        for name, vertices, edges in (("d.e", 9, [[1, 5], [5, 1]]), ("n.e", 6, [[1, 5]]),
                                      ("u.e", 8, [[1, 5, 0.5], [5, 1, 0.5], [7, 5, 2], [5, 7, 2]])):
            told = json.loads(self.run_well("info", "--json", name))
            self.assertEqual((told["num_rows"], told["first_edges"]), (vertices, edges), name)

    @unittest.skipIf(sparse is None, "no scipy")
    def test_scipy(self):
        """Matrices that SciPy has saved, of each type and width."""
        random = numpy.random.default_rng(5)
        rows, cols = random.integers(0, 40, 300), random.integers(0, 70, 300)
        for kind in "?", "i1", "u1", "i2", "i4", "u4", "i8", "f4", "f8":
            values = random.integers(1, 100, 300).astype(kind) if kind not in "f4f8" else random.random(300).astype(kind)
            for form in "csr", "csc":
                matrix = sparse.coo_matrix((values, (rows, cols)), shape=(40, 70)).asformat(form)
                for compressed in True, False:
                    sparse.save_npz(self.path("m.npz"), matrix, compressed=compressed)
                    self.run_well("convert", "-q", "--force", "m.npz", "m.wel")
                    table = numpy.loadtxt(self.path("m.wel"), ndmin=2)
                    want = matrix.tocoo()
                    self.assertTrue((table[:, 0] == want.row).all() and (table[:, 1] == want.col).all(), (kind, form))
                    self.assertTrue((table[:, 2].astype("f4") == want.data.astype("f4")).all(), (kind, form))
        self.assertEqual(json.loads(self.run_well("info", "--json", "m.npz"))["num_cols"], 70)
        sparse.save_npz(self.path("m.npz"), matrix.tocoo())
        done = self.rmat("info", "m.npz")
        self.assertIn("A.tocsr() makes", done.stderr)


if __name__ == "__main__":
    unittest.main()
