"""The model's options on several ranks: the file of one process, byte for byte, for every two options.

That the edges are the right ones: test_rmat_options.c.
"""

import os
import unittest

from mpi import MpiTest
from option_pairs import level_matrices, table, words


class Model(MpiTest):
    def test_every_two_options(self):
        """At scale 10 one rank has all the file, else they share it."""
        rows = table()
        self.assertLess(len(rows), 16)
        scales = [(20,), (20,)] if "RMAT_SANITIZED" in os.environ else [(10, 20), (20, 31)]
        for n, row, scale in ((n, row, scale) for n, row in enumerate(rows) for scale in scales[n % 2]):
            ranks = 2 + n % 3
            with self.subTest(row=sorted(row), scale=scale, ranks=ranks):
                level_matrices(self.path("levels.txt"), scale)
                model = words(row, scale)
                one = self.generate(*model, "-o", "base.h5", "--force")
                told = self.generate_on(ranks, *model, "-o", "other.h5", "--force")
                self.assertTrue(self.read("other.h5") == self.read("base.h5"))
                for key in ("redraws", "fingerprint", "command", "edges", "base_edges", "weights"):
                    self.assertEqual(told[key], one[key], key)

    def test_other_models_are_refused(self):
        level_matrices(self.path("levels.txt"), 2)
        level_matrices(self.path("others.txt"), 2, first=1)
        for one, two, line in (
                (["--weights", "uniform"], [], "graph: 'rmat gen"),
                (["--level-matrices", "levels.txt"], ["--level-matrices", "others.txt"],
                 "--level-matrices: rank 1 has other matrices than rank 0, allowed: the same on all ranks")):
            done = self.launch_parts((1, (), ["--scale", "2", *one]), (1, (), ["--scale", "2", *two]))
            ours = [text for text in done.stderr.splitlines() if text.startswith("rmat ")]
            self.assertEqual((done.returncode, len(ours)), (2, 1), done.stderr)
            self.assertTrue(ours[0].startswith("rmat generate: " + line), ours)
        self.assertEqual(self.files(), ["levels.txt", "others.txt"])


if __name__ == "__main__":
    unittest.main()
