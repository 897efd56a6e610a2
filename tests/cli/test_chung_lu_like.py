"""chung_lu --like: the degrees of another graph."""

import subprocess
import unittest

from chung_lu import ChungLuTest
from cli import RMAT, skip_all

try:
    import h5py
    import numpy
except ImportError as error:
    skip_all(error)

VERTICES = 2048


class Like(ChungLuTest):
    def setUp(self):
        super().setUp()
        self.generate("--scale", "11", "--a", "0.5", "--b", "0.3", "--c", "0.1", "--edges", "40000", "--permute", "-o",
                      "g.h5")
        self.out, self.into = self.degrees("g.h5")

    def arrays(self, name):
        with h5py.File(self.path(name)) as file:
            if "src" in file:
                return file["src"][:].astype("int64"), file["dst"][:].astype("int64")
            pointers = file["pointers_to_1"][:].astype("int64")
            return numpy.repeat(numpy.arange(len(pointers) - 1), numpy.diff(pointers)), file["indices_1"][:]

    def degrees(self, name, vertices=VERTICES):
        return [numpy.bincount(ends, minlength=vertices) for ends in self.arrays(name)]

    def check_follows(self, found, expected):
        """Chi-squared over vertices, in groups of about 50 expected edges, is as chance makes it."""
        order = numpy.argsort(expected)
        group = numpy.cumsum(expected[order]) // 50
        wanted = numpy.bincount(group.astype(int), expected[order])
        got = numpy.bincount(group.astype(int), found[order], len(wanted))
        wanted, got = wanted[wanted > 0], got[wanted > 0]
        score = ((got - wanted)**2 / wanted).sum()
        self.assertLess(abs(score - len(wanted)), 5 * (2 * len(wanted))**0.5)

    def test_out_and_in_degrees(self):
        told = self.make("--like", "g.h5", "-o", "x.h5")
        self.assertEqual(told["edges"], 40000)
        out, into = self.degrees("x.h5")
        self.check_follows(out, self.out)
        self.check_follows(into, self.into)
        with self.assertRaises(AssertionError):  # the two are different enough to be told apart
            self.check_follows(out, self.into)
        self.assertEqual(int((out + into)[self.out + self.into == 0].sum()), 0)
        with h5py.File(self.path("x.h5")) as file, h5py.File(self.path("g.h5")) as like:
            self.assertEqual(file.attrs["like"], b"g.h5" if isinstance(file.attrs["like"], bytes) else "g.h5")
            self.assertEqual(file.attrs["like_fingerprint"], like.attrs["fingerprint"])
            self.assertEqual((int(file.attrs["multiply"]), int(file.attrs["num_rows"])), (1, VERTICES))
        for command in ("verify", "info"):
            self.assertEqual(self.rmat(command, "x.h5").returncode, 0)

    def test_same_edges(self):
        self.make("--like", "g.h5", "-o", "x.h5", "--threads", "1")
        self.make("--like", "g.h5", "-o", "y.h5", "--threads", "3")
        self.assertEqual(self.read("x.h5"), self.read("y.h5"))
        for name in ("g.mtx", "g.npy"):
            subprocess.run([RMAT, "convert", "g.h5", name, "--quiet"], cwd=self.folder, check=True)
            self.make("--like", name, "-o", "y.h5", "--force")
            for one, other in zip(self.arrays("x.h5"), self.arrays("y.h5")):
                self.assertTrue(numpy.array_equal(one, other), name)

    def test_multiply(self):
        told = self.make("--like", "g.h5", "--multiply", "3", "-o", "x.h5")
        self.assertEqual(told["edges"], 120000)
        for found, expected in zip(self.degrees("x.h5", 3 * VERTICES), (self.out, self.into)):
            for copy in range(3):
                self.check_follows(found[copy * VERTICES:(copy + 1) * VERTICES], expected)

    def test_without_direction(self):
        """Half of the edges where each gets its reverse; degrees follow the sum of both."""
        for options, edges in ((["--symmetrize"], 20000), (["--undirected", "lower"], 40000)):
            self.make("--like", "g.h5", *options, "-o", "x.h5", "--force")
            src, dst = self.arrays("x.h5")
            self.assertEqual(len(src), 40000)
            found = numpy.bincount(src, minlength=VERTICES)
            if options == ["--symmetrize"]:
                src, dst = src[::2], dst[::2]
            else:
                self.assertTrue((src >= dst).all())
            self.assertEqual(len(src), edges)
            found = numpy.bincount(numpy.r_[src, dst], minlength=VERTICES)
            self.check_follows(found, (self.out + self.into) * (edges / 40000))
        told = self.make("--like", "g.h5", "--simple", "--dry-run")
        self.assertEqual(told["draws"] if "draws" in told else told["edges"], 20000)

    def test_distinct(self):
        told = self.make("--like", "g.h5", "--unique", "--edges", "10000", "-o", "x.h5")
        self.assertEqual(told["edges"], 10000)
        src, dst = self.arrays("x.h5")
        self.assertEqual(len(numpy.unique(src * VERTICES + dst)), 10000)

    def test_refused(self):
        with open(self.path("none.el"), "w", encoding="ascii"):
            pass
        self.generate("--rows", "100", "--cols", "200", "--edges", "1000", "-o", "b.h5")
        files = self.files()
        for args, text in (
                (["--like", "missing.el"], "--like: 'missing.el': No such file or directory, allowed: a file to read"),
                (["--like", "."], "--like: '.': Is a directory, allowed: a file to read"),
                (["--like", "none.el"], "--like: 'none.el' has no edges, allowed: a graph with edges"),
                (["--like", "b.h5"], "--like: 'b.h5' has 100 source and 200 destination vertices, allowed: as many of "
                                     "both"),
                (["--like", "g.h5", "--power-law", "2"], "--like: given together with --power-law, allowed: one of "
                                                         "them"),
                (["--like", "g.h5", "--vertices", "9"], "--like: given together with --vertices, allowed: one of them"),
                (["--like", "g.h5", "--multiply", "0"], "--multiply: '0' is out of range, allowed: 1 to 1000000000"),
                (["--like", "g.h5", "--multiply", "999999999"],
                 "--multiply: '999999999' is out of range for the 2048 vertices of 'g.h5', allowed: 1 to 536870912"),
                (["--multiply", "3"], "--multiply: given without --like, allowed: with it"),
                (["--from", "el"], "--from: given without --like, allowed: with it")):
            done = self.run_it("-q", *args, "-o", "x.h5")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"chung_lu: {text}\n"), args)
        done = self.run_it("-q", "--like", "g.h5", "--degrees", "none.el", "-o", "x.h5")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(self.files(), files)


if __name__ == "__main__":
    unittest.main()
