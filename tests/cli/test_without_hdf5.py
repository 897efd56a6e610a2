"""A build without HDF5 refuses to write or read an HDF5 file in one line, leaves nothing behind, and does everything
else.

RMAT_WITHOUT_HDF5 in the environment names that program."""

import os

from cli import CliTest

PROGRAM = os.path.abspath(os.environ["RMAT_WITHOUT_HDF5"])
LINE = "rmat was built without HDF5: install libhdf5-dev and build it again"
GRAPH = ["--scale", "12", "--seed", "3"]


class WithoutHdf5(CliTest):
    def refuses(self, *words):
        self.fails(1, rf"\S+: {LINE}", *words, program=PROGRAM)

    def test_writing(self):
        for more in ([], ["--weights", "uniform"], ["--format", "csr", "--unique"],
                     ["--format", "sg", "--simple"]):  # the last is first sorted into an HDF5 file
            with self.subTest(more=more):
                self.refuses("generate", "-q", *GRAPH, *more, "-o", "g.h5")
        self.silent("generate", "-q", *GRAPH, "-o", "g.el", program=PROGRAM)

    def test_reading(self):
        self.rmat("generate", "-q", *GRAPH, "-o", "g.h5")
        for words in (["info", "g.h5"], ["stats", "-q", "g.h5"], ["convert", "-q", "g.h5", "g.el"]):
            self.refuses(*words)
        done = self.rmat("verify", "-q", "g.h5", program=PROGRAM)  # which is not wrong for that
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        self.assertIn(f"failed: g.h5: {LINE}\n", done.stdout)

    def test_what_needs_none(self):
        for words in (["generate", "-q", *GRAPH, "-o", "g.npy"], ["generate", "-q", *GRAPH, "--unique", "-o", "g.adj"]):
            self.silent(*words, program=PROGRAM)
        self.assertIn("\nHDF5 not in this build\n", self.silent("--version", program=PROGRAM))
        self.assertRegex(self.silent("info", "--devices", program=PROGRAM), r"(?m)^hdf5 +not in this build$")
