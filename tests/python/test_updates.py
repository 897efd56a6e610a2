"""Updates in arrays are those of `rmat updates`."""

import subprocess
import unittest

import h5py

from base import RMAT, PythonTest, numpy, read_list, rmat

MODELS = [({"scale": 11, "edges": 3000}, ["--scale", "11", "--edges", "3000"]),
          ({"scale": 9, "edges": 2000, "permute": True, "symmetrize": True, "seed": 7},
           ["--scale", "9", "--edges", "2000", "--permute", "--symmetrize", "--seed", "7"]),
          ({"vertices": 3000, "edges": 4000, "first": 300, "no_self_loops": True},
           ["--vertices", "3000", "--edges", "4000", "--first", "300", "--no-self-loops"])]


class Updates(PythonTest):
    def run_rmat(self, *words):
        subprocess.run([RMAT, "updates", "-q", "--force", *words], cwd=self.folder, check=True)

    def test_those_of_the_command(self):
        for options, words in MODELS:
            for arrivals, order in (("bursty", "random"), ("uniform", "oldest")):
                more = ["--insertions", "600", "--deletions", "500", "--arrivals", arrivals, "--deletion-order", order, "--gap",
                        "77"]
                self.run_rmat(*words, *more, "--batches", "20", "-o", "u.h5")
                updates = rmat.Graph(**options).updates(insertions=600, deletions=500, arrivals=arrivals, order=order, gap=77)
                with h5py.File(self.path("u.h5")) as file:
                    columns = [file[name][:] for name in ("source", "destination", "operation", "time")]
                for made in (updates.batch(0, 20), [numpy.concatenate(parts) for parts in zip(*map(updates.batch, range(20)))]):
                    for column, array in zip(columns, made):
                        self.assertTrue(numpy.array_equal(column, array), (options, arrivals))
                for k in (0, 7, 20):
                    self.run_rmat(*words, *more[:4], *more[6:8], "--snapshot", str(k), "-o", "s.h5")
                    made = updates.snapshot(k)
                    self.assertEqual(updates.num_edges(k), len(made[0]))
                    for column, array in zip(read_list(self.path("s.h5")), made):
                        self.assertTrue(numpy.array_equal(column, array), (options, k))

    def test_snapshot_is_the_sum_of_updates(self):
        """As a matrix: the edges at first, and +1 or -1 for each update."""
        scipy = __import__("scipy.sparse").sparse
        updates = rmat.Graph(scale=8, edges=5000).updates(insertions=900, deletions=1000)
        src, dst, operation, _ = updates.batch(0, 12)
        matrix = scipy.coo_array((operation, (src, dst)), (256, 256)).tocsr()
        for k, sign in ((0, 1), (12, -1)):
            src, dst = updates.snapshot(k)
            matrix = matrix + scipy.coo_array((numpy.full(len(src), sign), (src, dst)), (256, 256)).tocsr()
        self.assertEqual(abs(matrix).sum(), 0)

    def test_bad_arguments(self):
        graph = rmat.Graph(scale=5)
        for arguments, text in (
                ({"insertions": -1}, "insertions: -1 is out of range, allowed: 0 to 2147483648"),
                ({"deletions": 513}, "deletions: 513 is out of range, allowed: 0 to 512"),
                ({"insertions": 0, "deletions": 0}, "insertions, deletions: both are 0, allowed: one of them"),
                ({"order": "newest"}, "order: 'newest' is unknown, allowed: random, oldest"),
                ({"arrivals": "rush"}, "arrivals: 'rush' is unknown, allowed: uniform, poisson, bursty"),
                ({"gap": 0}, "gap: 0 is out of range, allowed: 1 to 1048576")):
            with self.assertRaises(rmat.OptionError) as caught:
                graph.updates(**arguments)
            self.assertEqual(str(caught.exception), text)
        with self.assertRaisesRegex(rmat.OptionError, "weights: given for a graph that changes, allowed: for one that does not"):
            rmat.Graph(scale=5, weights="uniform").updates()
        updates = graph.updates(insertions=0, deletions=100)
        self.assertEqual((updates.num_batches, updates.num_edges(5)), (5, 12))
        for call in (lambda: updates.batch(6), lambda: updates.batch(4, 2), lambda: updates.snapshot(6)):
            with self.assertRaises(rmat.OptionError):
                call()
        self.assertEqual(len(updates.batch(5, 0)[0]), 0)


if __name__ == "__main__":
    unittest.main()
