"""The stream `rows`: lists of graphs that are made row by row, and what else the program does with such edges.  Lists are
compared with a second implementation, tests/support/rows_reference.py; CSR and distinct edges: test_sorted.py."""

import os
import sys
import unittest

from arrays import h5py, numpy
from cli import CliTest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import rows_reference

ROWS = ["--stream", "rows", "--scale", "12"]
MATRIX = (.57, .19, .19, .05)


class Rows(CliTest):
    def columns(self, name, *columns):
        with h5py.File(self.path(name)) as file:
            return [file[column][:] for column in columns or ("src", "dst")]

    def pairs(self, name):
        return numpy.stack(self.columns(name), axis=1)

    def test_lists_are_those_of_the_definition(self):
        for i, (scale, edges, more, sides, loops, noise) in enumerate((
                (6, 3000, [], (0, 0), True, 0), (40, 500, [], (0, 0), True, 0), (7, 2000, ["--no-self-loops"], (0, 0), False, 0),
                (7, 2500, ["--vertices", "100x70"], (100, 70), True, 0), (9, 4000, ["--noise", "0.1"], (0, 0), True, .1))):
            size = [] if sides[0] else ["--scale", str(scale)]
            self.generate("--stream", "rows", *size, "--edges", str(edges), "--seed", str(i), *more, "-o", f"{i}.h5")
            levels = [rows_reference.noisy(MATRIX, noise, i, level) if noise else MATRIX for level in range(scale)]
            expected = list(rows_reference.Graph(scale, scale, levels, i, edges, *sides, loops).edges())
            self.assertEqual([tuple(map(int, edge)) for edge in self.pairs(f"{i}.h5")], expected)

    def test_passes(self):
        """Lists and CSR are written straight; where copies are dropped, intervals make their own edges alone, once more to be
        counted.  Other streams make them over and over.  A dry run plans as many."""
        base = ["--scale", "12", "--edge-factor", "64", "--memory", "2M"]
        for i, (more, rows, other) in enumerate(((["--format", "csr"], None, 3), (["--format", "csr", "--dedup"], 2, 4),
                                                 (["--sorted"], None, 3), (["--format", "el"], None, 0))):
            args = ["--stream", "rows", *base, *more, "-o", f"{i}.h5"]
            text, planned = self.rmat("generate", *args, "--dry-run").stdout, self.generate(*args, "--dry-run")
            made, drawn = self.generate(*args), self.generate(*base, *more, "-o", f"{i}-rmat.h5").get("passes", 0)
            self.assertEqual((planned.get("passes"), made.get("passes"), "passes" in planned), (rows, rows, "--dedup" in more))
            self.assertGreaterEqual(drawn, other)
            self.assertGreaterEqual(planned["file_bytes"], made["file_bytes"])
            self.assertEqual("intervals" in text, "--dedup" in more)

    def test_what_is_done_to_drawn_edges(self):
        drawn = self.generate(*ROWS, "-o", "a.h5")
        for i, more in enumerate((["--permute"], ["--undirected", "lower"], ["--symmetrize"], ["--permute", "--simple"])):
            told = self.generate(*ROWS, *more, "-o", f"{i}.h5")
            self.generate(*ROWS, *more, "--sorted", "--memory", "2M", "-o", f"sorted{i}.h5")
            if "--simple" not in more:
                self.assertEqual(told["graph_edges"] if "graph_edges" in told else told["edges"],
                                 drawn["edges"] * (2 if "--symmetrize" in more else 1))
            one, two = self.pairs(f"{i}.h5"), self.pairs(f"sorted{i}.h5")
            self.assertTrue((one[numpy.lexsort(one.T[::-1])] == two).all(), more)
        lower = self.pairs("a.h5")
        lower = numpy.stack([lower.max(axis=1), lower.min(axis=1)], axis=1)
        self.assertTrue((lower == self.pairs("1.h5")).all())

    def test_weights_are_those_of_the_same_edges_elsewhere(self):
        weights = []
        for stream in "rows", "rmat":
            self.generate("--stream", stream, "--scale", "6", "--edges", "20000", "--weights", "int:1:1000", "-o", f"{stream}.h5")
            src, dst, weight = self.columns(f"{stream}.h5", "src", "dst", "weight")
            weights.append(dict(zip(zip(map(int, src), map(int, dst)), map(int, weight))))
        both = weights[0].keys() & weights[1].keys()
        self.assertGreater(len(both), 1000)
        self.assertTrue(all(weights[0][edge] == weights[1][edge] for edge in both))

    def test_damage_is_found(self):
        self.generate(*ROWS, "-o", "a.h5")
        with h5py.File(self.path("a.h5"), "r+") as file:
            file["dst"][5000] ^= 1
        done = self.rmat("verify", "-q", "a.h5")
        self.assertEqual(done.returncode, 1)
        self.assertIn("edges        wrong: edge 5000", done.stdout)

    def test_other_commands(self):
        told = self.generate(*ROWS, "-o", "plain.h5")
        self.assertEqual((told["stream"], told["redraws"]), ("rows", 0))
        self.assertIn("order            sorted\n", self.rmat("info", "plain.h5").stdout)
        self.generate(*ROWS, "--permute", "-o", "a.h5")
        self.assertIn("stream           rows\n", self.rmat("info", "a.h5").stdout)
        for words in (["stats", "-q", "a.h5"], ["verify", "-q", "--sample", "10", "a.h5"],
                      ["plot", "--quiet", "a.h5", "-o", "a.svg"],
                      ["generate", "--quiet", *ROWS, "--dry-run", "-o", "b.h5"],
                      ["generate", "--quiet", *ROWS, "--format", "csr", "--dry-run", "-o", "b.h5"]):
            with self.subTest(words=words):
                done = self.rmat(*words)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
