"""The reference code of Graph500 validates searches of its own graph on the rows of several ranks (graph500_bfs.c)."""

import os
import subprocess

from mpi import HERE, MpiTest, seconds, skip_all

if "GRAPH500" not in os.environ:
    skip_all("GRAPH500 does not name the folder src of Graph500's reference code")


class Graph500(MpiTest):
    def test_validates(self):
        src = os.environ["GRAPH500"]
        parts = ["main", "utils", "validate", "../aml/aml", *(
            "../generator/" + name for name in ("graph_generator", "make_graph", "splittable_mrg", "utils"))]
        tests = os.path.dirname(HERE)
        subprocess.run(
            ["mpicc", "-w", "-O2", "-fgnu89-inline", "-fopenmp", "-Drestrict=__restrict__", "-DGRAPH_GENERATOR_MPI",
             "-DPROCS_PER_NODE_NOT_POWER_OF_TWO", "-I", os.path.dirname(tests), "-I", src, "-I", os.path.join(src, "../aml"),
             "-o", self.path("bfs"), os.path.join(tests, "mpi", "graph500_bfs.c"),
             *(os.path.join(src, name + ".c") for name in parts), *os.environ["RMAT_LIBRARIES"].split(), "-lm", "-lpthread"],
            check=True)
        for ranks in (1, 3):
            with self.subTest(ranks=ranks):
                done = self.start("-n", str(ranks), "./bfs", "12", "16").finish(seconds(120))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("Validate time for BFS 63", done.stderr)
                self.assertNotIn("rror", done.stdout)
        done = self.start("-n", "3", "./bfs", "12", "16", SEED="9").finish(seconds(120))
        self.assertIn("Validation Error", done.stdout)
