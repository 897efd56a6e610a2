"""Initiators of n x n: edges of the definition, by a second implementation (tests/support/kronecker_reference.py); one of 2 x 2
is a matrix; what else the program does with such graphs, and what it refuses."""

import os
import shlex
import subprocess
import sys
import unittest

import h5py
import numpy

from cli import CliTest, command

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
import kronecker_reference

THREE = "5 2 1; 2 1 .5; 1 .5 2"
GRAPH = ["--initiator", THREE, "--scale", "7"]


class Initiator(CliTest):
    def pairs(self, name):
        with h5py.File(self.path(name)) as file:
            return numpy.stack([file["src"][:], file["dst"][:]], axis=1)

    def same(self, one, other):
        self.assertTrue(self.read(one) == self.read(other), other)

    def test_edges_are_those_of_the_definition(self):
        random = numpy.random.default_rng(1)
        for i, (n, scale, loops) in enumerate(((3, 2, False), (3, 13, True), (3, 30, True), (4, 15, True), (6, 9, False), (16, 10, True))):
            weights = random.integers(0, 9, (n, n)) / 4
            text = ";".join(" ".join(map(str, row)) for row in weights)
            self.generate("--initiator", text, "--scale", str(scale), "--edges", "300", "--seed", str(i), "-o", f"{i}.h5",
                          *([] if loops else ["--no-self-loops"]))
            expected = kronecker_reference.Graph((weights / weights.sum()).tolist(), scale, i, loops).edges(0, 300)
            self.assertEqual([tuple(map(int, edge)) for edge in self.pairs(f"{i}.h5")], expected)
            with h5py.File(self.path(f"{i}.h5")) as file:
                self.assertEqual(file["src"].dtype.itemsize, 4 if n**scale <= 2**32 else 8)
                self.assertEqual((file.attrs["stream"], file.attrs["stream_version"], file.attrs["num_rows"], file.attrs["num_cols"]),
                                 (b"kronecker", 1, n**scale, n**scale))
                self.assertEqual(file.attrs["initiator"].tolist(), (weights / weights.sum()).ravel().tolist())
                self.assertNotIn("a", file.attrs)

    def test_one_of_two_by_two_is_a_matrix(self):
        for i, (text, matrix) in enumerate(((".57 .19; .19 .05", [.57, .19, .19, .05]), ("0.9 0.5; 0.5 0.1", [.45, .25, .25, .05]),
                                            ("9,5/5,1", [.45, .25, .25, .05]), (" 1\t0 ;0 3", [.25, 0, 0, .75]))):
            words = [f"--{name}={p}" for name, p in zip("abcd", matrix)]
            for more in ([], ["--noise", "0.03", "--cols-scale", "12"], ["--stream", "rows", "--vertices", "1000"]):
                if more[:1] == ["--noise"] and 0 in matrix:
                    continue
                size = [] if "--vertices" in more else ["--scale", "10"]
                self.generate("--initiator", text, *size, *more, "-o", "a.h5", "--force")
                self.generate(*words, *size, *more, "-o", "b.h5", "--force")
                self.same("a.h5", "b.h5")

    def test_one_graph_whatever_makes_it(self):
        told = self.generate(*GRAPH, "--weights", "int:1:9", "-o", "a.h5")
        self.assertEqual((told["stream"], told["num_rows"], told["base_edges"], len(told["initiator"])),
                         ("kronecker", 3**7, 16 * 3**7, 9))
        for i, more in enumerate((["--threads", "1"], ["--threads", "5", "RMAT_TEST_CHUNK=1000"], ["--isa", "generic"], ["RMAT_TEST_POSITIONAL=1"])):
            self.generate(*GRAPH, "--weights", "int:1:9", *more, "-o", f"{i}.h5")
            self.same("a.h5", f"{i}.h5")
        self.generate(*shlex.split(told["command"])[2:], "-o", "again.h5")
        self.same("a.h5", "again.h5")
        self.generate(*GRAPH, "-o", "list.h5")
        self.generate(*GRAPH, "--first", "1000", "--count", "500", "-o", "slice.h5")
        self.assertTrue((self.pairs("slice.h5") == self.pairs("list.h5")[1000:1500]).all())
        self.assertEqual(self.rmat("generate", *GRAPH, "-o", "list.h5", "--resume", "--quiet").returncode, 0)

    def test_orders_and_formats(self):
        self.generate(*GRAPH, "-o", "list.h5")
        pairs = self.pairs("list.h5")
        self.generate(*GRAPH, "--dedup", "-o", "dedup.h5")
        self.assertTrue((self.pairs("dedup.h5") == numpy.unique(pairs, axis=0)).all())
        told = self.generate(*GRAPH, "--unique", "--edges", "20000", "-o", "unique.h5")
        kept, first = numpy.unique(pairs, axis=0, return_index=True)
        first.sort()
        self.assertEqual(told["edges"], 20000)
        with h5py.File(self.path("unique.h5")) as file:
            self.assertEqual(file.attrs["stream_edges"], first[19999] + 1)
        self.assertTrue((self.pairs("unique.h5") == numpy.unique(pairs[:first[19999] + 1], axis=0)).all())
        simple = self.generate(*GRAPH, "--simple", "--permute", "--format", "csr", "-o", "simple.h5")
        self.assertGreater(simple["redraws"], 0)
        # A long command goes on in the next lines of the comment.
        self.generate("--initiator", "1 2 3; 4 5 6; 7 8 9.5", "--scale", "6", "--permute", "--weights", "uniform", "--undirected", "upper",
                      "--seed", str(2**63), "-o", "g.mtx")
        lines = self.read("g.mtx").split(b"\n")
        self.assertTrue(all(len(line) < 200 for line in lines) and lines[3].startswith(b"%"))
        done = self.rmat("verify", "g.mtx", "--quiet")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_what_is_reported(self):
        self.generate(*GRAPH, "-o", "g.h5")
        shown = self.rmat("info", "g.h5", "--edges", "0").stdout
        self.assertIn("\ninitiator        0.3333333333333333 0.13333333333333333 0.06666666666666667\n", shown)
        self.assertNotIn("levels", self.rmat("stats", "g.h5", "--quiet").stdout)
        self.assertIn("level", self.rmat("stats", "g.h5", "--levels", "--quiet").stdout)
        self.assertIn("initiator    3 x 3\n", self.rmat("generate", *GRAPH, "--dry-run").stdout)
        done = self.rmat("convert", "g.h5", "g.csv", "--vertex-file", "v.csv", "--labels", "3")
        self.assertEqual((done.stderr, done.returncode),
                         ("rmat convert: --labels: '3' given for edges of the stream kronecker, allowed: of rmat and rows\n", 2))

    def test_damage_is_found(self):
        self.generate(*GRAPH, "-o", "g.h5")
        for change in (lambda a: a.modify("initiator", a["initiator"][::-1].copy()), lambda a: a.__delitem__("initiator"),
                       lambda a: a.modify("stream", numpy.bytes_(b"rmat"))):
            with open(self.path("bad.h5"), "wb") as bad:
                bad.write(self.read("g.h5"))
            with h5py.File(self.path("bad.h5"), "r+") as file:
                change(file.attrs)
            self.assertEqual(self.rmat("verify", "bad.h5", "--quiet").returncode, 1)

    def test_refusals(self):
        allowed = 'allowed: 2 to 16 rows of as many weights of 0 or more, as "0.9 0.5; 0.5 0.1"'
        big = ";".join([" ".join(["1"] * 17)] * 17)
        for text, what in (("", "is no square matrix of such a size"), ("1 2; 3", "is no square matrix of such a size"),
                           ("1 2; 3 4;", "is no square matrix of such a size"), ("1 2 3; 4 5 6", "is no square matrix of such a size"),
                           ("1", "is no square matrix of such a size"), (big, "is no square matrix of such a size"),
                           ("1 2; 3 x", "has something else than weights"), ("1 -2; 3 4", "has something else than weights"),
                           ("nan 1; 1 1", "has something else than weights"), ("0 0; 0 0", "has no sum to divide by"),
                           ("1e308 1e308; 1e308 1e308", "has no sum to divide by")):
            done = self.rmat("generate", "--initiator", text, "--scale", "4", "-o", "g.h5")
            self.assertEqual((done.stderr, done.returncode), (f"rmat generate: --initiator: '{text}' {what}, {allowed}\n", 2))
        with_three = "given with an initiator of 3 x 3, allowed: with one of 2 x 2"
        for more, line in (("--scale 4 --noise 0.1", f"--noise: {with_three}"), ("--scale 4 --stream rows", f"--stream: {with_three}"),
                           ("--vertices 81", f"--vertices: {with_three}"), ("--scale 4 --rows 81", f"--rows: {with_three}"),
                           ("--scale 4 --stream graph500", "--initiator: given with --stream graph500, allowed: with --stream rmat"),
                           ("--scale 4 --a 0.5", "--initiator: given together with --a, allowed: one of them"),
                           ("--scale 4 --preset ssca2", "--initiator: given together with --preset, allowed: one of them"),
                           ("--class toy", "--class: given together with --initiator, allowed: one of them"),
                           ("", "--scale: missing with an initiator of 3 x 3, allowed: 1 to 30"),
                           ("--scale 31", "--scale: '31' is out of range with an initiator of 3 x 3, allowed: 1 to 30")):
            done = self.rmat("generate", "--initiator", THREE, *more.split(), "-o", "g.h5")
            self.assertEqual((done.stderr, done.returncode), (f"rmat generate: {line}\n", 2))
        done = self.rmat("generate", "--initiator", "1 0 0; 0 1 0; 0 0 1", "--scale", "4", "--no-self-loops", "-o", "g.h5")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("--no-self-loops", done.stderr)
        done = self.rmat("generate", *GRAPH, "--unique", "--edges", "4782970", "-o", "g.h5", "--quiet")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    unittest.main()
