"""A build without HDF5 says so in one line where it is to write or read an HDF5 file, leaves nothing behind, and does
everything that needs none.

RMAT_WITHOUT_HDF5 in the environment names that program."""

import os
import subprocess
import unittest

from cli import CliTest

PROGRAM = os.path.abspath(os.environ["RMAT_WITHOUT_HDF5"])
LINE = "rmat was built without HDF5: install libhdf5-dev and build it again"
GRAPH = ["--scale", "12", "--seed", "3"]


class WithoutHdf5(CliTest):
    def run_it(self, *words):
        return subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, timeout=300, check=False)

    def fails(self, *words):
        before = sorted(os.listdir(self.folder))
        done = self.run_it(*words)
        self.assertEqual((done.returncode, done.stdout), (1, ""), words)
        self.assertRegex(done.stderr, rf"\Armat {words[0]}: \S+: {LINE}\n\Z", words)
        self.assertEqual(sorted(os.listdir(self.folder)), before, words)

    def test_writing(self):
        for more in ([], ["--weights", "uniform"], ["--format", "csr", "--unique"],
                     ["--format", "sg", "--simple"]):  # the last is first sorted into an HDF5 file
            with self.subTest(more=more):
                self.fails("generate", "-q", *GRAPH, *more, "-o", "g.h5")
        self.assertEqual(self.run_it("generate", "-q", *GRAPH, "-o", "g.el").returncode, 0)

    def test_reading(self):
        self.rmat("generate", "-q", *GRAPH, "-o", "g.h5")
        for words in (["info", "g.h5"], ["stats", "-q", "g.h5"], ["convert", "-q", "g.h5", "g.el"]):
            self.fails(*words)
        done = self.run_it("verify", "-q", "g.h5")  # which is not wrong for that
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        self.assertIn(f"failed: g.h5: {LINE}\n", done.stdout)

    def test_what_needs_none(self):
        for words in (["generate", "-q", *GRAPH, "-o", "g.npy"], ["generate", "-q", *GRAPH, "--unique", "-o", "g.adj"]):
            done = self.run_it(*words)
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        self.assertIn("\nHDF5 not in this build\n", self.run_it("version").stdout)
        self.assertRegex(self.run_it("info", "--devices").stdout, r"(?m)^hdf5 +not in this build$")
