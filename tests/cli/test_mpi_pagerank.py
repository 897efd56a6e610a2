"""example_pagerank on several ranks: the same values on any number, and those of numpy from the list."""

import os
import re

from arrays import h5py, numpy
from mpi import MpiTest, seconds

PAGERANK = os.environ["PAGERANK"]
SCALE, FACTOR, ITERATIONS = 10, 16, 30


class PageRank(MpiTest):
    def run_on(self, ranks, *args, status=0):
        done = self.start("-n", str(ranks), PAGERANK, *args, OMP_NUM_THREADS="1").finish(seconds(60))
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def values(self, ranks):
        """(edges, vertex, its value, sum)"""
        told = self.run_on(ranks, str(SCALE), str(FACTOR), str(ITERATIONS)).stdout
        found = re.search(r", (\d+) edges, .* on (\d+) ranks\n.*\nvertex (\d+) has most: (\S+); all together (\S+)\n",
                          told)
        self.assertIsNotNone(found, told)
        self.assertEqual(int(found[2]), ranks)
        return int(found[1]), int(found[3]), float(found[4]), float(found[5])

    def of_list(self):
        """The same from the list of edges."""
        self.generate("--scale", str(SCALE), "--edge-factor", str(FACTOR), "--seed", "1", "--permute",
                      "--no-self-loops", "--symmetrize", "-o", "list.h5")
        with h5py.File(self.path("list.h5"), "r") as file:
            src, dst = numpy.unique(numpy.stack([file["src"][:], file["dst"][:]]).astype(numpy.int64), axis=1)
        n = 1 << SCALE
        degree = numpy.bincount(src, minlength=n)
        value = numpy.full(n, 1 / n)
        for _ in range(ITERATIONS):
            share = value / numpy.maximum(degree, 1)
            alone = value[degree == 0].sum()
            value = (0.15 + 0.85 * alone) / n + 0.85 * numpy.bincount(src, weights=share[dst], minlength=n)
        return len(src), int(value.argmax()), value.max()

    def test_any_number_of_ranks(self):
        edges, vertex, top = self.of_list()
        for ranks in range(1, 6):
            with self.subTest(ranks=ranks):
                told = self.values(ranks)
                self.assertEqual(told[:2], (edges, vertex))
                self.assertLess(abs(told[2] / top - 1), 1e-12)
                self.assertLess(abs(told[3] - 1), 1e-12)

    def test_usage(self):
        done = self.run_on(1, "31", status=2)
        self.assertEqual(done.stdout, "")
        self.assertIn("usage: example_pagerank [scale, 1 to 30", done.stderr)
