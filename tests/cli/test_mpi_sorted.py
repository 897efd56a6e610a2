"""Sorted lists, CSR and distinct edges on several ranks: the file of one process, byte for byte.

That this one is right: test_sorted.py.  With --all: every two options, every number of ranks.
"""

import sys
import unittest

from mpi import MpiTest
from option_pairs import level_matrices, table, words

ALL = "--all" in sys.argv
QUICK = ["--threads", "1"]
HUB = ["--a", "0.9", "--b", "0.05", "--c", "0.03"]

# Ranks and options.
JOBS = [
    (2, ["--scale", "16", "--edges", "600K", "--sorted", "--weights", "uniform"]),
    (3, ["--scale", "15", "--edges", "150K", "--format", "csr", "--unique", "--symmetrize", "--permute"]),
    (4, ["--scale", "12", *HUB, "--edges", "300K", "--format", "csr", "--weights", "int:1:9", "--memory", "2Mi"]),
    (2, ["--scale", "14", "--edges", "150K", "--unique", "--undirected", "lower", "--memory", "2Mi"]),
    (4, ["--scale", "5", "--edges", "300", "--unique", "--format", "csr"]),
]


class Sorted(MpiTest):
    def same(self, ranks, model, *more):
        with self.subTest(ranks=ranks, model=model, more=more):
            told = self.generate_on(ranks, *model, *QUICK, *more, "-o", "other.h5", "--force")
            self.assertTrue(self.read("other.h5") == self.read("base.h5"))
            for key in ("fingerprint", "command", "edges", "stream_edges"):
                self.assertEqual(told[key], self.one[key], key)

    def expect_one(self, model):
        self.one = self.generate(*model, *QUICK, "-o", "base.h5", "--force")

    def test_same_bytes(self):
        for ranks, model in JOBS:
            self.expect_one(model)
            for other in (1, 2, 3, 4) if ALL else (ranks,):
                self.same(other, model)

    @unittest.skipUnless(ALL, "with --all")
    def test_every_two_options(self):
        level_matrices(self.path("levels.txt"), 10)
        for n, row in enumerate(table()):
            for kind in (["--sorted"], ["--format", "csr"], ["--unique"], ["--unique", "--format", "csr"]):
                model = [*words(row, 10), *kind]
                if "--unique" in kind:
                    model += ["--edges", "1500"]
                self.expect_one(model)
                for ranks in (1, 2, 3, 4):
                    self.same(ranks, model, *(["--memory", "2Mi"] if (n + ranks) % 2 else []))


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--all"])
