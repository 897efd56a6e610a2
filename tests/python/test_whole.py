"""Graphs in other libraries, and what is counted, drawn, chosen and made of them: against NumPy, the program and the libraries."""

import base64
import os
import re
import subprocess
import unittest
import zlib
from html import escape

from base import RMAT, PythonTest, module, numpy, rmat

GRAPHS = [{"scale": 9}, {"scale": 9, "dedup": True, "weights": "int:1:9"}, {"rows": 300, "cols": 700, "edges": 5000},
          {"scale": 8, "simple": True, "permute": True}, {"scale": 40, "edges": 3000, "weights": "uniform"}]


def pairs(edges):
    """A set of pairs of an edge_index."""
    return set(zip(edges[0].tolist(), edges[1].tolist()))


class Libraries(PythonTest):
    def test_networkx(self):
        networkx = module("networkx")
        for options in GRAPHS[:4]:
            graph = rmat.Graph(**options)
            found, columns = graph.to_networkx(), graph.edges()
            self.assertEqual(found.number_of_nodes(), graph.num_vertices)
            self.assertEqual(type(found), networkx.DiGraph if "dedup" in options or "simple" in options
                             else networkx.MultiDiGraph)
            wanted = sorted(zip(*(column.tolist() for column in columns)))
            self.assertEqual(sorted(found.edges(data="weight") if len(columns) > 2 else found.edges()), wanted)
        self.assertEqual(type(rmat.Graph(4).to_networkx(networkx.Graph)), networkx.Graph)

    def test_igraph(self):
        module("igraph")
        for options in GRAPHS[:4]:
            graph = rmat.Graph(**options)
            found, columns = graph.to_igraph(), graph.edges()
            self.assertEqual((found.vcount(), found.is_directed()), (graph.num_vertices, True))
            self.same(numpy.array(found.get_edgelist()).T, columns[:2])
            if len(columns) > 2:
                self.assertEqual(found.es["weight"], columns[2].tolist())

    def test_tables(self):
        """Graphs and files are tables."""
        pyarrow = module("pyarrow")
        graph = rmat.Graph(9, permute=True)
        graph.write(self.path("a.h5"))
        src, dst = graph.edges()
        for given in (graph, rmat.open(self.path("a.h5"))):
            self.same([column.to_numpy() for column in pyarrow.table(given)], (src, dst))


class Counts(PythonTest):
    def test_degrees(self):
        for options in GRAPHS[:4]:
            graph = rmat.Graph(**options)
            src, dst = graph.edges()[:2]
            out, into = numpy.bincount(src, minlength=graph.rows), numpy.bincount(dst, minlength=graph.cols)
            self.same((graph.degrees(), graph.degrees("in")), (out, into))
            both = numpy.zeros(graph.num_vertices, int)
            both[:len(out)] += out
            both[:len(into)] += into
            numpy.testing.assert_array_equal(graph.degrees("total"), both)
        self.assertRaisesRegex(rmat.OptionError, "^kind: 'both' is unknown, allowed: out, in, total", graph.degrees, "both")

    def test_stats_and_convert(self):
        for options in ({"scale": 9, "permute": True}, {"scale": 9, "dedup": True}, {"scale": 7, "stream": "graph500"}):
            graph = rmat.Graph(**options)
            graph.write(self.path("a.h5"), force=True)
            wanted = rmat.stats(self.path("a.h5"), top=3)
            for found in (graph.stats(top=3), rmat.open(self.path("a.h5")).stats(top=3)):
                self.assertEqual([found[key] for key in ("num_rows", "edges", "loops", "duplicates", "reciprocity")],
                                 [wanted[key] for key in ("num_rows", "edges", "loops", "duplicates", "reciprocity")])
            for one in (graph, rmat.open(self.path("a.h5"))):
                one.convert(self.path("b.h5"), simple=True, force=True)
                found = pairs(rmat.open(self.path("b.h5")).edge_index())
                self.assertEqual(found, {pair for u, v in pairs(graph.edge_index()) if u != v for pair in ((u, v), (v, u))})


class Chosen(PythonTest):
    def test_neg_edges(self):
        """No edge is among them, none is there twice, each other pair can be, and the same seed gives the same ones."""
        for options in GRAPHS:
            graph = rmat.Graph(**options)
            found = graph.neg_edges(2000, seed=4)
            self.assertEqual((found.shape, found.dtype, len(pairs(found))), ((2, 2000), numpy.int64, 2000))
            self.assertFalse(pairs(found) & pairs(graph.edge_index()))
            self.assertTrue((found[0] < graph.rows).all() and (found[1] < graph.cols).all())
            self.same(graph.neg_edges(500, seed=4), found[:, :500])
            self.assertNotEqual(pairs(graph.neg_edges(2000, seed=5)), pairs(found))
            if graph.rows == graph.cols:
                self.assertFalse((found[0] == found[1]).any())
        rmat.Graph(9).write(self.path("a.h5"))
        self.same(rmat.open(self.path("a.h5")).neg_edges(50), rmat.Graph(9).neg_edges(50))
        graph = rmat.Graph(4, edge_factor=8)
        for loops in (False, True):
            free = {(u, v) for u in range(16) for v in range(16) if loops or u != v} - pairs(graph.edge_index())
            self.assertEqual(pairs(graph.neg_edges(len(free), loops=loops)), free)
            with self.assertRaisesRegex(rmat.OptionError, f"^count: 300 is out of range, allowed: 0 to {len(free)}, "):
                graph.neg_edges(300, loops=loops)
        self.assertEqual(graph.neg_edges(0).shape, (2, 0))
        self.assertEqual(rmat.Graph(9, edges=0).neg_edges(5).shape, (2, 5))
        uniform = numpy.bincount(rmat.Graph(10, edges=100).neg_edges(200_000)[0], minlength=1024)
        self.assertLess(((uniform - 200_000 / 1024) ** 2).sum() / (200_000 / 1024), 1300)  # 1023 degrees of freedom

    def test_split(self):
        graph = rmat.Graph(12, permute=True, symmetrize=True)
        parts = graph.split(0.7, 0.2, seed=5)
        every = graph.edge_index()
        for part, share in zip(parts, (0.7, 0.2, 0.1)):
            self.assertAlmostEqual(part.shape[1] / every.shape[1], share, delta=0.02)
        self.assertEqual(sorted(zip(*numpy.hstack(parts).tolist())), sorted(zip(*every.tolist())))
        sets = [pairs(part) for part in parts]
        self.assertFalse(sets[0] & sets[1] or sets[0] & sets[2] or sets[1] & sets[2])
        for found in sets:
            self.assertEqual(found, {(v, u) for u, v in found})  # with the reverse
        for part, whole in zip(graph.split(0.7, 0.2, seed=5, first=1000, count=5000), sets):
            self.assertLessEqual(pairs(part), whole)
        self.assertNotEqual(pairs(graph.split(0.7, 0.2, seed=6)[0]), sets[0])
        self.assertEqual([part.shape[1] for part in graph.split(1, 0)], [every.shape[1], 0, 0])
        self.assertRaisesRegex(rmat.OptionError, "^train, valid: 0.8 and 0.3 are out of range", graph.split, 0.8, 0.3)


class Pictures(PythonTest):
    def setUp(self):
        super().setUp()
        self.plots = module("matplotlib.pyplot")
        self.plots.switch_backend("Agg")
        self.addCleanup(self.plots.close, "all")

    def test_plot(self):
        graph = rmat.Graph(11, permute=True)
        axes = graph.plot()
        self.assertEqual(len(axes), 2)
        matrix = axes[0].images[0].get_array()
        src, dst = rmat.Graph(11, no_permute=True).edges()
        wanted = numpy.zeros((512, 512), int)
        numpy.add.at(wanted, (src >> 2, dst >> 2), 1)
        numpy.testing.assert_array_equal(matrix.filled(0), wanted)
        lines = {line.get_label(): line.get_xydata() for line in axes[1].lines}
        self.assertEqual(set(lines), {"out-degree", "in-degree", "out-degree, expected", "in-degree, expected"})
        counted = numpy.bincount(graph.degrees())
        for degree, number in lines["out-degree"][:12]:  # bins of one degree
            self.assertEqual(number, counted[round(degree)])
        expected = dict(lines["out-degree, expected"])
        for degree, number in lines["out-degree"][:12]:
            self.assertLess(abs(number - expected[degree]), 6 * expected[degree] ** 0.5 + 1)
        self.plots.savefig(self.path("a.png"))

    def test_like_the_program(self):
        """The points and lines of the diagram of degrees are the numbers that `rmat plot --data` writes."""
        for words, options in (("", {}), ("--unique", {"unique": True})):
            self.generate("--scale", "10", "--edge-factor", "8", *words.split(), "--force", "-o", "g.h5")
            done = subprocess.run([RMAT, "plot", "g.h5", "--what", "degrees", "--data", "-", "--force", "--quiet"],
                                  cwd=self.folder, capture_output=True, text=True, check=False)
            if done.returncode:
                self.skipTest("no gnuplot")
            rows = [line.split() for line in done.stdout.splitlines() if line.startswith("out\t")]
            rows = [(int(first), int(last), float(number), float(more)) for _, first, last, number, more in rows[1:]]
            for graph in (rmat.Graph(10, edge_factor=8, **options), rmat.open(self.path("g.h5"))):
                axes = graph.plot("degrees", kind="out")
                expected, found = (line.get_xydata() for line in axes.lines)
                numpy.testing.assert_allclose(found[:, 1], [row[2] / (row[1] - row[0] + 1) for row in rows if row[2]])
                wanted = [row[3] / (row[1] - row[0] + 1) for row in rows[:len(expected)]]  # of in-degrees there are more
                numpy.testing.assert_allclose(expected[:, 1], wanted, rtol=1e-6)

    def test_axes(self):
        graph = rmat.Graph(8, simple=True)
        _, axes = self.plots.subplots(1, 2)
        self.assertIs(graph.plot(axes=axes), axes)
        self.assertEqual([len(one.get_title()) > 0 for one in axes], [True, True])
        self.assertEqual(len(graph.plot("degrees", ccdf=True).lines), 2)  # out- and in-degrees are the same
        self.assertEqual(len(rmat.Graph(8, stream="graph500").plot("degrees").lines), 2)  # without expectation
        self.assertEqual(rmat.Graph(rows=30, cols=700).plot("adjacency").images[0].get_array().shape, (30, 350))
        rmat.Graph(8, stream="graph500").write(self.path("a.h5"))  # without expectation
        self.assertEqual(len(rmat.open(self.path("a.h5")).plot("degrees", kind="total").lines), 1)
        for options, words in (({"what": "x"}, "^what: 'x' is unknown"), ({"kind": "x"}, "^kind: 'x' is unknown"),
                               ({"axes": axes[0]}, "^axes: 1 given, allowed: 2")):
            self.assertRaisesRegex(rmat.OptionError, words, lambda: graph.plot(**options))  # pylint: disable=W0640

    def test_notebook(self):
        """A small picture, also of graphs that nobody could make as a whole."""
        for graph in (rmat.Graph(10, permute=True), rmat.Graph(40, edges=2**50, unique=True), rmat.Graph(9, simple=True),
                      rmat.Graph(5, stream="gapbs"), rmat.Graph(6, edges=0), rmat.Graph(8, undirected="upper", permute=True)):
            html = graph._repr_html_()
            self.assertIn(f"<code>{escape(repr(graph))}</code>", html)
            self.assertLess(len(html), 10_000)
            png = base64.b64decode(re.search('base64,([^"]*)"', html)[1])
            width, height = (int.from_bytes(png[at:at + 4], "big") for at in (16, 20))
            at = png.index(b"IDAT")
            pixels = zlib.decompress(png[at + 4:at + 4 + int.from_bytes(png[at - 4:at], "big")])
            self.assertEqual(len(pixels), height * (width + 1))
            self.assertTrue(8 <= width <= 64 and 8 <= height <= 64)
        rmat.Graph(6).write(self.path("<a>.h5"))
        self.assertIn("&lt;a&gt;.h5", rmat.open(self.path("<a>.h5"))._repr_html_())


if __name__ == "__main__":
    unittest.main()
