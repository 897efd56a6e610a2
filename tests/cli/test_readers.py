"""Other programs read the files: each must see the edges of the plain list.

GAPBS and GRAPH500 in the environment name the folders with their programs.  Missing readers are skipped.
"""

import importlib
import os
import shutil
import unittest

from arrays import numpy
from cli import CliTest
from formats import FORMATS

LIST = ["--scale", "9", "--edges", "5000", "--seed", "5"]  # with loops and copies, in no order
SORTED = [*LIST, "--sorted"]
SIMPLE = [*LIST, "--unique", "--no-self-loops"]
PAIRS = [*SIMPLE, "--symmetrize"]
FLOATS, INTS, POSITIVE = (["--weights", kind] for kind in ("uniform", "int:-7:90", "int:1:90"))
WIDE = ["--id-type", "uint64"]


class Reader:
    """`read` gets the test, what `name` leads to (a module or a program), a file and the type of its weights or None."""

    def __init__(self, name, read, *graphs, ordered=True):
        self.name, self.read, self.graphs, self.ordered = name, read, graphs, ordered

    def find(self):
        """None: it is not there."""
        folder, _, program = self.name.partition("/")
        if program:
            return os.environ.get(folder) and os.path.join(os.path.abspath(os.environ[folder]), program)
        try:
            return importlib.import_module(self.name)
        except ImportError:
            return None


def scipy_mtx(_, scipy, path, weight):
    matrix = scipy.mmread(path)
    assert matrix.shape == (512, 512) and (weight or set(matrix.data) == {1})
    return matrix.row, matrix.col, *([matrix.data] if weight else [])


def networkx_list(_, networkx, path, weight):
    """Its reader of weights takes them for floating-point numbers."""
    how = {"create_using": networkx.MultiDiGraph, "nodetype": int, "delimiter": "\t" if path.endswith("tsv") else None}
    if not weight:
        return zip(*networkx.read_edgelist(path, **how).edges())
    graph = networkx.read_edgelist(path, data=(("weight", int if weight == "i4" else float),), **how)
    edges = sorted(graph.edges(data="weight"))
    told = sorted(networkx.read_weighted_edgelist(path, **how).edges(data="weight"))
    assert [(*edge[:2], numpy.float32(edge[2])) for edge in edges] == [(*edge[:2], numpy.float32(edge[2])) for edge in told]
    return zip(*edges)


def parquet(_, module, path, weight):
    columns = module.read_table(path).to_pydict()
    return [columns[name] for name in ["src", "dst", "weight"][:3 if weight else 2]]


def gapbs(test, program, path, weight):
    test.run_it(program, "-f", path, "-e", "seen.txt", *(["-w"] if weight else []))
    return FORMATS["wel" if weight else "el"].decode(test.path("seen.txt"), weight)[0]


READERS = [
    Reader("scipy.io", scipy_mtx, ("mtx", LIST), ("mtx", LIST + FLOATS), ("mtx", SIMPLE + INTS + WIDE)),
    Reader("networkx", networkx_list, ("el", LIST), *((to, LIST + weights) for to in ("wel", "tsv") for weights in (FLOATS, INTS)),
           ordered=False),
    Reader("pyarrow.parquet", parquet, *(("parquet", graph) for graph in (
        LIST, SORTED + INTS, PAIRS + FLOATS, LIST + ["--id-type", "int64"]))),
    Reader("GAPBS/converter", gapbs, ("sg", SORTED), ("sg", SIMPLE), ("wsg", SIMPLE + POSITIVE), ("sg", PAIRS),
           ("wsg", PAIRS + POSITIVE)),
    # From lists it takes copies and loops out, and the neighbors as its threads meet them.
    Reader("GAPBS/converter", gapbs, ("el", SIMPLE), ("mtx", SIMPLE), ("wel", SIMPLE + POSITIVE), ("mtx", SIMPLE + POSITIVE),
           ("el", PAIRS), ("metis", PAIRS), ("metis", PAIRS + POSITIVE), ordered=False),
]


def in_order(columns):
    order = numpy.lexsort(columns[::-1])
    return [column[order] for column in columns]


class Readers(CliTest):
    def graph(self, to, *options):
        """The edges of a new g.h5, and its file in this format."""
        self.generate("--force", "-o", "g.h5", *options)
        name = "g." + FORMATS[to].suffix
        self.silent("convert", "-q", "--force", "--to", to, "g.h5", name)
        return self.columns("g.h5"), self.path(name)

    def run_it(self, *args, **environment):
        as_root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        done = self.program(*args, env={**os.environ, **as_root, **environment})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_edges(self):
        for reader in READERS:
            found = reader.find()
            if not found:
                print(f"{reader.name} is not there and did not read")
            for to, options in reader.graphs if found else []:
                with self.subTest(reader=reader.name, format=to, options=options):
                    ours, path = self.graph(to, *options)
                    seen = reader.read(self, found, path, ours[2].dtype if len(ours) == 3 else None)
                    seen = [numpy.asarray(theirs).astype(column.dtype) for theirs, column in zip(seen, ours, strict=True)]
                    for theirs, column in zip(*((seen, ours) if reader.ordered else (in_order(seen), in_order(ours)))):
                        self.assertTrue(numpy.array_equal(theirs, column))

    @unittest.skipIf(shutil.which("graphchk") is None, "no graphchk of METIS")
    def test_graphchk(self):
        for options in PAIRS, PAIRS + POSITIVE:
            ours, path = self.graph("metis", *options)
            told = self.run_it("graphchk", path)
            self.assertIn("The format of the graph is correct!", told)
            self.assertIn(f"#Vertices: 512, #Edges: {len(ours[0]) // 2}", told)

    @unittest.skipIf("GRAPH500" not in os.environ, "no GRAPH500 in the environment")
    def test_graph500(self):
        """It validates the trees and distances against the edges that it read, and generates none itself."""
        _, path = self.graph("graph500", "--scale", "9", "--edge-factor", "16", *FLOATS)
        before = self.read("g.g500"), self.read("g.g500.weights")
        program = os.path.join(os.path.abspath(os.environ["GRAPH500"]), "graph500_reference_bfs_sssp")
        told = self.run_it(program, "9", "16", TMPFILE=path, REUSEFILE="1")
        self.assertRegex(told, r"graph_generation: +0\.000000 s")
        self.assertIn("sssp harmonic_mean_TEPS", told)
        self.assertNotIn("rror", told)
        self.assertEqual((self.read("g.g500"), self.read("g.g500.weights")), before)
