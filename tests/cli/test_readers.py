"""Other formats as other programs read them: scipy, networkx, pandas, h5py, METIS, GAPBS, Graph500's reference code,
binsparse's, Ligra, Galois, ParHIP and KaMinPar; and what is special to single formats.

Each must see the edges that h5py reads from the HDF5 file of the same graph.  GAPBS, GRAPH500, BINSPARSE, LIGRA, GALOIS
and KAHIP in the environment name the folders with the programs that are built of these (of Ligra adjToBinary, of Galois
graph-convert, of KaHIP readbgf); their tests are skipped without.
"""

import json
import os
import re
import shutil
import subprocess
import unittest

from cli import CliTest, skip_all

try:
    import h5py
    import numpy
except ImportError as error:
    skip_all(error)

import decoders  # noqa: E402, it needs NumPy

try:
    import scipy.io as scipy_io
    import scipy.sparse as scipy_sparse
except ImportError:
    scipy_io = scipy_sparse = None
try:
    import kaminpar
except ImportError:
    kaminpar = None
try:
    import networkx
except ImportError:
    networkx = None
try:
    import pandas
except ImportError:
    pandas = None

LIST = ["--scale", "9", "--edges", "5000", "--seed", "5"]  # with loops and copies, in no order
QUICK = ["--threads", "1", "--memory", "16Mi"]
SORTED = LIST + ["--sorted", *QUICK]
SIMPLE = LIST + ["--unique", "--no-self-loops", *QUICK]
PAIRS = SIMPLE + ["--symmetrize"]
FLOATS, INTS = ["--weights", "uniform"], ["--weights", "int:-7:90"]
POSITIVE = ["--weights", "int:1:90"]
WIDE = ["--id-type", "uint64"]


class Edges:
    """Of any reader; weight None where there are none."""

    def __init__(self, src, dst, weight=None):
        self.columns = [numpy.asarray(src, dtype=numpy.int64), numpy.asarray(dst, dtype=numpy.int64)]
        if weight is not None:
            self.columns.append(numpy.asarray(weight))

    def sorted(self):
        order = numpy.lexsort(self.columns[::-1])
        return Edges(*[column[order] for column in self.columns])

    def without_weights(self):
        return Edges(*self.columns[:2])


def program(folder, name):
    """Of a folder that the environment names."""
    where = os.environ.get(folder)
    if not where:
        raise unittest.SkipTest("no %s in the environment: %s did not read" % (folder, name))
    return os.path.join(os.path.abspath(where), name)


class ReadersTest(CliTest):
    def graph(self, *options):
        """The edges of a new g.h5."""
        self.generate("--force", "-o", "g.h5", *options)
        with h5py.File(self.path("g.h5"), "r") as file:
            return Edges(file["src"][:], file["dst"][:], file["weight"][:] if "weight" in file else None)

    def convert(self, name, to, *options):
        done = self.rmat("convert", "--quiet", "--force", "--json", "--to", to, "g.h5", name, *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), (name, to))
        self.assertEqual(json.loads(done.stdout)["file_bytes"], os.path.getsize(self.path(name)))
        return self.path(name)

    def assert_same(self, seen, ours):
        self.assertEqual(len(seen.columns), len(ours.columns))
        for a, b in zip(seen.columns, ours.columns):
            self.assertEqual(a.shape, b.shape)
            self.assertTrue((a == b).all())

    def run_program(self, *args, **options):
        done = subprocess.run(args, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=100, check=False, **options)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout


class BinaryTest(ReadersTest):
    """What h5py and scipy read, and formats of several files."""

    def test_graph500_weights_that_are_in_the_way(self):
        for options in LIST, LIST + FLOATS:
            self.graph(*options)
            for name in "g.g500", "g.g500.weights":
                with open(self.path(name), "w", encoding="ascii") as file:
                    file.write("mine")
                done = self.rmat("convert", "g.h5", "g.g500")
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertRegex(done.stderr, r"^rmat convert: %s: already exists[^\n]*\n$" % re.escape(name))
                self.assertEqual(self.files(), sorted(["g.h5", name]))
                self.assertEqual(self.read(name), b"mine")
                os.remove(self.path(name))
            # Old weights beside a graph that has none would be taken for its own.
            with open(self.path("g.g500.weights"), "w", encoding="ascii") as file:
                file.write("mine")
            self.convert("g.g500", "graph500")
            self.assertEqual("g.g500.weights" in self.files(), "--weights" in options)
            self.assertTrue("--weights" not in options or len(self.read("g.g500.weights")) == 4 * 5000)
            for name in self.files():
                os.remove(self.path(name))

    def read_graphalytics(self, name):
        """Properties without their prefix, vertices, and columns of edges: as the benchmark reads them."""
        with open(self.path(name + ".properties"), encoding="ascii") as file:
            lines = [line.rstrip("\n") for line in file if not line.startswith("#")]
        pairs = [line.split(" = ", 1) for line in lines]
        escaped = "graph." + re.sub(r"([ :=#!,\\])", r"\\\1", name) + "."
        self.assertEqual({key[:len(escaped)] for key, _ in pairs}, {escaped})
        properties = {key[len(escaped):]: value for key, value in pairs}
        self.assertEqual(len(properties), len(pairs))
        vertices = numpy.loadtxt(self.path(name + ".v"), dtype="int64", ndmin=1)
        with open(self.path(name + ".e"), encoding="ascii") as file:
            edges = [line.split(" ") for line in file]
        return properties, vertices, edges

    def test_graphalytics(self):
        simple = ["--no-self-loops", "--unique"]
        for options, undirected in ((LIST + simple, False), (LIST + simple + POSITIVE, False),
                                    (LIST + simple + ["--symmetrize"] + FLOATS, True),
                                    (LIST + WIDE + simple + ["--symmetrize", "--permute"], True)):
            ours = self.graph(*options)
            self.convert("g.e", "graphalytics")
            properties, vertices, edges = self.read_graphalytics("g")
            weights = len(ours.columns) == 3
            count = int(properties["meta.vertices"])
            self.assertTrue((vertices == numpy.arange(count)).all())
            self.assertEqual((properties["vertex-file"], properties["edge-file"]), ("g.v", "g.e"))
            self.assertEqual(properties["directed"], "false" if undirected else "true")
            self.assertEqual(int(properties["meta.edges"]), len(edges))
            self.assertEqual({len(edge) for edge in edges}, {3 if weights else 2})
            ends = [(int(edge[0]), int(edge[1])) for edge in edges]
            self.assertTrue(all(a < b for a, b in zip(ends, ends[1:])))  # in order, none twice
            self.assertTrue(all(0 <= s < count and 0 <= d < count and s != d for s, d in ends))
            wanted = {(int(s), int(d)): w for s, d, *w in zip(*ours.columns)}
            if undirected:
                self.assertTrue(all(s < d for s, d in ends))
                self.assertEqual(set(wanted), set(ends) | {(d, s) for s, d in ends})
            else:
                self.assertEqual(set(wanted), set(ends))
            if weights:
                for end, edge in zip(ends, edges):
                    self.assertEqual(numpy.float32(edge[2]), numpy.float32(wanted[end][0]))
                self.assertEqual((properties["edge-properties.names"], properties["edge-properties.types"],
                                  properties["sssp.weight-property"]), ("weight", "real", "weight"))
                self.assertEqual(int(properties["sssp.source-vertex"]), ends[0][0])
            else:
                self.assertFalse([key for key in properties if "sssp" in key or "properties" in key])
            self.assertEqual(set(properties["algorithms"].split(", ")),
                             {"bfs", "cdlp", "lcc", "pr", "wcc"} | ({"sssp"} if weights else set()))
            self.assertEqual(int(properties["bfs.source-vertex"]), ends[0][0])
            self.assertEqual((properties["cdlp.max-iterations"], properties["pr.damping-factor"],
                              properties["pr.num-iterations"]), ("10", "0.85", "10"))
            for name in self.files():
                os.remove(self.path(name))

    def test_graphalytics_names(self):
        self.graph(*LIST, "--no-self-loops", "--unique")
        self.convert("a b,c=d.e", "graphalytics")
        properties, *_ = self.read_graphalytics("a b,c=d")
        self.assertEqual(properties["edge-file"], r"a\ b\,c\=d.e")
        self.assertEqual(self.files(), ["a b,c=d.e", "a b,c=d.properties", "a b,c=d.v", "g.h5"])

    def test_graphalytics_files_that_are_in_the_way(self):
        self.graph(*LIST, "--no-self-loops", "--unique")
        for name in "g.e", "g.v", "g.properties":
            with open(self.path(name), "w", encoding="ascii") as file:
                file.write("mine")
            done = self.rmat("convert", "g.h5", "g.e")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, r"^rmat convert: %s: already exists[^\n]*\n$" % re.escape(name))
            self.assertEqual(self.files(), sorted(["g.h5", name]))
            self.assertEqual(self.read(name), b"mine")
            self.assertEqual(self.rmat("convert", "-q", "--force", "g.h5", "g.e").returncode, 0)
            self.assertEqual(self.files(), ["g.e", "g.h5", "g.properties", "g.v"])
            self.assertNotEqual(self.read(name), b"mine")
            for name in "g.e", "g.v", "g.properties":
                os.remove(self.path(name))

    def test_graphalytics_that_fails_leaves_nothing(self):
        self.graph(*LIST, "--no-self-loops", "--unique", "--weights", "int:-5:5")
        done = self.rmat("convert", "g.h5", "g.e")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Armat convert: graphalytics needs finite weights of at least 0, [^\n]*\n\Z")
        self.assertEqual(self.files(), ["g.h5"])

    def test_graph500_weights_beyond_its_floats(self):
        self.graph("--scale", "4", "--edges", "100", "--weights", "int:16777217:16777217")
        done = self.rmat("convert", "g.h5", "g.g500")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"^rmat convert: g.g500.weights: edge 0 has weight 16777217, .*\n$")
        self.assertEqual(self.files(), ["g.h5"])

    def test_pbg(self):
        for options in LIST, LIST + WIDE + FLOATS:
            ours = self.graph(*options).without_weights()
            with h5py.File(self.convert("edges_0_0.h5", "pbg"), "r") as file:
                self.assertEqual(file.attrs.get("format_version"), 1)
                self.assertEqual(sorted(file), ["lhs", "rel", "rhs"])
                self.assertEqual({file[name].dtype for name in file}, {numpy.dtype("int64")})
                self.assertEqual(file["rel"].shape, (5000,))
                self.assertFalse(file["rel"][:].any())
                # As its loader does.
                lhs, rhs = numpy.empty(5000, dtype=numpy.int64), numpy.empty(5000, dtype=numpy.int64)
                file["lhs"].read_direct(lhs, source_sel=numpy.s_[0:5000])
                file["rhs"].read_direct(rhs, source_sel=numpy.s_[0:5000])
            self.assert_same(Edges(lhs, rhs), ours)

    def test_binsparse(self):
        for options, kind in (SIMPLE, "iso[uint8]"), (SIMPLE + FLOATS + WIDE, "float32"), (SIMPLE + INTS, "int32"):
            ours = self.graph(*options)
            with h5py.File(self.convert("g.bsp.h5", "binsparse"), "r") as file:
                told = json.loads(file.attrs["binsparse"])
                seen = [file["indices_0"][:], file["indices_1"][:]]
                values = file["values"][:]
                types = {name: str(file[name].dtype) for name in file}
            for keys in told, told["binsparse"]:
                self.assertEqual((keys["version"], keys["format"], keys["shape"], keys["number_of_stored_values"]),
                                 ("0.1", "COO", [512, 512], 5000))
                self.assertEqual(keys["data_types"], dict(types, values=kind))
            if len(ours.columns) == 2:
                self.assertEqual(values.tolist(), [1])
            else:
                seen.append(values)
            self.assert_same(Edges(*seen), ours)

    def test_serialized_sides(self):
        """A directed graph lies there by source and by destination, one with the reverse of every edge only once."""
        for options, count in (SORTED + POSITIVE, 2), (PAIRS + POSITIVE, 1):
            self.graph(*options)
            for to, weight in ("sg", None), ("wsg", "<i4"):
                self.assertEqual(len(decoders.serialized(self.convert("g." + to, to), weight)[1]), count)

    def test_serialized_in_little_memory(self):
        """More ranges of destinations than one, and groups of them that are not one."""
        for scale in "15", "18":
            self.generate("--force", "-o", "g.h5", "--scale", scale, "--edges", "300K", "--sorted", *QUICK, *POSITIVE)
            first = self.read(self.convert("g.wsg", "wsg"))
            for options in ["--memory", "1Mi"], ["--memory", "2Mi", "--threads", "1"]:
                self.assertEqual(self.read(self.convert("g.wsg", "wsg", *options)), first)

    def test_serialized_from_csr(self):
        self.generate("-o", "g.h5", *SIMPLE, *POSITIVE)
        first = self.read(self.convert("g.wsg", "wsg"))
        self.generate("--force", "-o", "g.h5", *SIMPLE, *POSITIVE, "--format", "csr")
        self.assertEqual(self.read(self.convert("g.wsg", "wsg")), first)


class SystemsTest(ReadersTest):
    """Graph systems, by programs of theirs."""

    def test_ligra(self):
        """adjToBinary writes the arrays that it has read."""
        program("LIGRA", "adjToBinary")
        for options in SORTED, SIMPLE + INTS:
            ours = self.graph(*options)
            weights = ["-w"] if len(ours.columns) == 3 else []
            self.run_program(program("LIGRA", "adjToBinary"), *weights, self.convert("g.adj", "adjacency"), "idx", "adj",
                             "config")
            count = len(ours.columns[0])
            seen = numpy.fromfile(self.path("adj"), "i4")
            rows = numpy.repeat(numpy.arange(512), numpy.diff(numpy.append(numpy.fromfile(self.path("idx"), "u4"), count)))
            self.assertEqual(self.read("config"), b"512")
            self.assert_same(Edges(rows, seen[:count], *([seen[count:]] if weights else [])), ours)

    def test_galois(self):
        """Versions 1 and 2; it prints floats with six digits."""
        program("GALOIS", "graph-convert")
        for options, kind in ((SORTED, "void"), (SORTED + WIDE, "void"), (SIMPLE + INTS, "int32"),
                              (SIMPLE + INTS + WIDE, "int32"), (SIMPLE + FLOATS, "float32")):
            ours = self.graph(*options)
            self.run_program(program("GALOIS", "graph-convert"), "-gr2edgelist", "-edgeType=" + kind,
                             self.convert("g.galois.gr", "galois"), "seen.el")
            table = numpy.loadtxt(self.path("seen.el"), ndmin=2).T
            if kind == "float32":
                self.assertTrue(numpy.allclose(table[2], ours.columns[2], rtol=1e-5))
                ours, table = ours.without_weights(), table[:2]
            self.assert_same(Edges(*table[:2], *[column.astype("i4") for column in table[2:]]), ours)

    def test_parhip(self):
        """readbgf prints the graph as METIS has it, but for our comments and blanks at the ends of lines."""
        environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        program("KAHIP", "readbgf")
        self.graph(*PAIRS)
        self.run_program(program("KAHIP", "readbgf"), self.convert("g.bgf", "parhip"), env=environment)
        ours = [line.split() for line in self.read(self.convert("g.graph", "metis")).splitlines() if line[:1] != b"%"]
        self.assertEqual([line.split() for line in self.read("dummy").splitlines()], ours)

    @unittest.skipIf(kaminpar is None, "no kaminpar")
    def test_kaminpar(self):
        ours = self.graph(*PAIRS)
        seen = kaminpar.load_graph(self.convert("g.bgf", "parhip"), kaminpar.GraphFileFormat.PARHIP)
        pairs = [(v, neighbour) for v in range(seen.n()) for neighbour, _ in seen.neighbors(v)]
        self.assert_same(Edges(*zip(*pairs)), ours)


class TextTest(ReadersTest):
    @unittest.skipIf(scipy_io is None, "no scipy")
    def test_mtx_scipy(self):
        for options, kind in ((LIST, "f8"), (LIST + FLOATS, "f8"), (SIMPLE + INTS + WIDE, "i8")):
            ours = self.graph(*options)
            matrix = scipy_io.mmread(self.convert("g.mtx", "mtx"))
            self.assertEqual(matrix.shape, (512, 512))
            weights = len(ours.columns) == 3
            if weights:
                self.assertEqual(matrix.data.dtype, kind)
            else:
                self.assertEqual(set(matrix.data), {1})
            data = [matrix.data.astype(ours.columns[2].dtype)] if weights else []
            self.assert_same(Edges(matrix.row, matrix.col, *data), ours)

    @unittest.skipIf(scipy_io is None, "no scipy")
    def test_mtxsym_scipy(self):
        """It mirrors the lower triangle."""
        for options in PAIRS, PAIRS + FLOATS, PAIRS + INTS:
            ours = self.graph(*options)
            matrix = scipy_io.mmread(self.convert("g.sym.mtx", "mtxsym"))
            self.assertIn(b" symmetric\n", self.read("g.sym.mtx"))
            data = [matrix.data.astype(ours.columns[2].dtype)] if len(ours.columns) == 3 else []
            self.assert_same(Edges(matrix.row, matrix.col, *data).sorted(), ours)

    @unittest.skipIf(networkx is None, "no networkx")
    def test_edge_lists_networkx(self):
        ours = self.graph(*LIST).sorted()
        graph = networkx.read_edgelist(self.convert("g.el", "el"), create_using=networkx.MultiDiGraph, nodetype=int)
        self.assert_same(Edges(*zip(*graph.edges())).sorted(), ours)
        for options, kind in (FLOATS, float), (INTS, int):
            ours = self.graph(*LIST, *options).sorted()
            for to, blank in ("wel", None), ("tsv", "\t"):
                path = self.convert("g.txt", to)
                # Its reader of weights takes them for floating-point numbers.
                graph = networkx.read_edgelist(path, create_using=networkx.MultiDiGraph, nodetype=int,
                                               delimiter=blank, data=(("weight", kind),))
                told = networkx.read_weighted_edgelist(path, create_using=networkx.MultiDiGraph, nodetype=int,
                                                       delimiter=blank)
                for one in graph, told:
                    src, dst, weight = zip(*one.edges(data="weight"))
                    seen = Edges(src, dst, numpy.array(weight).astype(ours.columns[2].dtype)).sorted()
                    self.assert_same(seen, ours)

    @unittest.skipIf(pandas is None, "no pandas")
    def test_edge_lists_pandas(self):
        for options in LIST, LIST + FLOATS + WIDE, LIST + INTS:
            ours = self.graph(*options)
            weights = len(ours.columns) == 3
            for to, blank in [("tsv", "\t")] + ([("wel", " ")] if weights else [("el", " ")]):
                table = pandas.read_csv(self.convert("g.txt", to), sep=blank, header=None, comment="#")
                self.assertEqual(table.shape, (5000, 2 + weights))
                data = [table[2].astype(ours.columns[2].dtype)] if weights else []
                self.assert_same(Edges(table[0], table[1], *data), ours)

    @unittest.skipIf(shutil.which("graphchk") is None, "no graphchk of METIS")
    def test_metis_graphchk(self):
        for options in PAIRS, PAIRS + POSITIVE:
            ours = self.graph(*options)
            told = self.run_program("graphchk", self.convert("g.graph", "metis"))
            self.assertIn("The format of the graph is correct!", told)
            self.assertIn("#Vertices: 512, #Edges: %d" % (len(ours.columns[0]) // 2), told)


class GapbsTest(ReadersTest):
    """What GAPBS read, it writes as an edge list."""

    def setUp(self):
        super().setUp()
        program("GAPBS", "bfs")

    def seen(self, name, *options):
        self.run_program(program("GAPBS", "converter"), "-f", name, "-e", "seen.txt", *options)
        path = self.path("seen.txt")
        return Edges(*(decoders.wel(path, "i4") if "-w" in options else decoders.el(path))[0])

    def test_reads(self):
        # From lists it takes copies and loops out.
        for graph, formats in ((SORTED, ["sg"]), (SIMPLE, ["el", "sg", "mtx"]),
                               (SIMPLE + POSITIVE, ["wel", "wsg", "gr", "mtx"]),
                               (PAIRS, ["el", "sg", "metis"]), (PAIRS + POSITIVE, ["wsg", "metis"])):
            ours = self.graph(*graph)
            weights = ["-w"] if len(ours.columns) == 3 else []
            for to in formats:
                name = "g." + ("graph" if to == "metis" else to)
                self.convert(name, to)
                seen = self.seen(name, *weights)
                # It takes the neighbours of a list as its threads meet them.
                self.assert_same(seen.sorted() if to not in ("sg", "wsg") else seen, ours.sorted())

    def test_runs(self):
        for options, programs in (SIMPLE, ["bfs", "pr"]), (PAIRS, ["bfs", "pr", "cc"]), (SIMPLE + POSITIVE, ["sssp"]):
            ours = self.graph(*options)
            weights = len(ours.columns) == 3
            count = len(ours.columns[0])
            for to in ["wel", "wsg"] if weights else ["el", "sg"]:
                self.convert("g." + to, to)
                for name in programs:
                    told = self.run_program(program("GAPBS", name), "-f", "g." + to, "-n", "2", "-v")
                    self.assertEqual(told.count("Verification:           PASS"), 2, told)
                    kind = "%d undirected" % (count // 2) if "--symmetrize" in options and to == "sg" \
                        else "%d directed" % count
                    self.assertIn(" nodes and %s edges" % kind, told)


class Graph500Test(ReadersTest):
    def setUp(self):
        super().setUp()
        program("GRAPH500", "graph500_reference_bfs_sssp")

    def test_reads(self):
        """It validates the trees and distances against the edges that it read, and generates none itself."""
        self.graph("--scale", "9", "--edge-factor", "16", *FLOATS)
        self.convert("g.g500", "graph500")
        before = self.read("g.g500"), self.read("g.g500.weights")
        environment = dict(os.environ, TMPFILE=self.path("g.g500"), REUSEFILE="1", OMPI_ALLOW_RUN_AS_ROOT="1",
                           OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        told = self.run_program(program("GRAPH500", "graph500_reference_bfs_sssp"), "9", "16", env=environment)
        self.assertRegex(told, r"graph_generation: +0\.000000 s")
        self.assertIn("sssp harmonic_mean_TEPS", told)
        self.assertNotIn("rror", told)
        self.assertEqual((self.read("g.g500"), self.read("g.g500.weights")), before)


@unittest.skipIf(scipy_io is None, "no scipy")
class BinsparseTest(ReadersTest):
    def setUp(self):
        super().setUp()
        program("BINSPARSE", "bsp2mtx")

    def test_reads(self):
        """Its reference code's bsp2mtx, and of that scipy."""
        for options in SIMPLE, SIMPLE + INTS, SIMPLE + FLOATS + WIDE:
            ours = self.graph(*options)
            self.convert("g.bsp.h5", "binsparse")
            self.run_program(program("BINSPARSE", "bsp2mtx"), "g.bsp.h5", "seen.mtx")
            matrix = scipy_io.mmread(self.path("seen.mtx"))
            weights = len(ours.columns) == 3
            data = [matrix.data.astype(ours.columns[2].dtype)] if weights else []
            self.assertEqual(matrix.shape, (512, 512))
            self.assert_same(Edges(matrix.row, matrix.col, *data), ours)


if __name__ == "__main__":
    unittest.main()
