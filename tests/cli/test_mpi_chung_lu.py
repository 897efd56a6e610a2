"""chung_lu on several ranks: the file of one process, byte for byte."""

import os
import subprocess
import unittest

from chung_lu import CHUNG_LU
from mpi import MpiTest, seconds

GRAPH = ["--vertices", "20000", "--power-law", "2.1", "--edges", "1234567", "--backend", "cpu"]


class ChungLuRanks(MpiTest):
    def run_on(self, ranks, *args):
        return self.start("-n", str(ranks), CHUNG_LU, "--quiet", "--json", *args).finish(seconds(60))

    def test_same_bytes(self):
        for options in (["--symmetrize", "--weights", "int:1:9"], ["--dedup", "--format", "csr", "--permute"],
                        ["--unique"], ["--simple", "--memory", "3M"]):
            alone = subprocess.run([CHUNG_LU, "--quiet", *GRAPH, *options, "-o", "one.h5", "--force"],
                                   cwd=self.folder, check=False)
            self.assertEqual(alone.returncode, 0)
            with self.subTest(options=options):
                self.succeeded(self.run_on(3, *GRAPH, *options, "-o", "many.h5", "--force"))
                self.assertTrue(self.read("one.h5") == self.read("many.h5"))

    def test_degrees_of_a_graph(self):
        """All ranks read it."""
        with open(self.path("g.el"), "wb") as file:
            file.write(b"".join(b"%d %d\n" % (i * i % 5000, 4999 - i % 77) for i in range(40000)))
        like = ["--like", "g.el", "--multiply", "3", "--backend", "cpu"]
        for options in ([], ["--symmetrize", "--format", "csr"]):
            alone = subprocess.run([CHUNG_LU, "--quiet", *like, *options, "-o", "one.h5", "--force"], cwd=self.folder,
                                   check=False)
            self.assertEqual(alone.returncode, 0)
            self.succeeded(self.run_on(3, *like, *options, "-o", "many.h5", "--force"))
            self.assertTrue(self.read("one.h5") == self.read("many.h5"))

    def test_shards(self):
        self.succeeded(self.run_on(2, *GRAPH, "--layout", "sharded"))
        self.assertEqual(self.files(), ["graph.h5", "graph.h5.shards"])
        self.assertEqual(self.rmat("verify", "--quiet", "graph.h5").returncode, 0)

    def test_told_once(self):
        done = self.run_on(3, *GRAPH, "--dry-run")
        self.assertEqual(self.succeeded(done)["edges"], 1234567)

    def test_one_message(self):
        """Bad input is reported once, by rank 0, whatever it is about."""
        for line, *options in (("--weights: 'x' is unknown, allowed: none, uniform, int:MIN:MAX (-2147483648 to "
                                "2147483647, MIN <= MAX), float:MIN:MAX (-1e38 to 1e38, MIN <= MAX)", "--weights", "x"),
                               ("--degrees: 'none': No such file or directory, allowed: a file that can be read", "--degrees",
                                "none"),
                               ("--like: 'none': No such file or directory, allowed: a file that can be read", "--like", "none"),
                               ("--edges: '500000000' is out of range: the graph does not have that many distinct edges, or drawing them would take too long, allowed: fewer", "--vertices", "20000", "--edges", "500M",
                                "--unique")):
            done = self.run_on(3, *options)
            said = [text for text in done.stderr.splitlines() if text.startswith("chung_lu: ")]
            self.assertEqual((done.returncode, said), (2, ["chung_lu: " + line]))
            self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    unittest.main()
