"""csr_rank(): the rows of several ranks together are those of one process."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import mpi4py  # noqa: F401
    import numpy
except ImportError:
    print("no mpi4py")
    sys.exit(77)

OPTIONS = [{}, {"unique": True}, {"simple": True, "permute": True}, {"stream": "graph500", "weights": "uniform"},
           {"weights": "int:1:9", "undirected": "lower"}, {"stream": "rows"}]
EXAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "apps", "examples", "pagerank.py")
MPIRUN = shutil.which(os.environ.get("MPIRUN", "mpirun"))


def check():
    """On each rank."""
    from mpi4py import MPI

    import rmat

    comm = MPI.COMM_WORLD
    for options in OPTIONS:
        graph = rmat.Graph(scale=10, **options)
        pointers, columns, weights = graph.csr_arrays() if comm.rank == 0 else (None, None, None)
        for exchange in ("auto", "none", "all"):
            mine = rmat.csr_rank(graph, comm, exchange=exchange)
            assert mine.pointers[0] == 0 and mine.pointers[-1] == len(mine.columns)
            parts = comm.gather(mine)
            del mine
            if comm.rank == 0:
                lengths = numpy.diff(pointers)
                assert [part.first_row for part in parts] == list(numpy.cumsum(
                    [0, *(len(part.pointers) - 1 for part in parts[:-1])])), options
                assert numpy.array_equal(numpy.concatenate([numpy.diff(part.pointers) for part in parts]), lengths)
                assert numpy.array_equal(numpy.concatenate([part.columns for part in parts]), columns), options
                assert (weights is None) == (parts[0].weights is None)
                assert weights is None or numpy.array_equal(numpy.concatenate([part.weights for part in parts]), weights)
    if comm.size > 1:  # what one cannot do ends on all
        try:
            rmat.csr_rank(rmat.Graph(scale=10, threads=1), comm, exchange="some")
            raise AssertionError
        except rmat.OptionError as error:
            assert "'some'" in str(error)
    print("fine")


class Ranks(unittest.TestCase):
    def run_on(self, ranks, *words):
        """What is printed."""
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([MPIRUN, "-n", str(ranks), sys.executable, *words], text=True, capture_output=True,
                                  env={**os.environ, "TMPDIR": folder}, timeout=250)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_ranks(self):
        for ranks in (1, 3):
            with self.subTest(ranks=ranks):
                self.assertEqual(self.run_on(ranks, __file__, "check").count("fine"), ranks)

    def test_example(self):
        """pagerank.py: on 1 and 3 ranks the same values to the last digit, which networkx finds as well."""
        try:
            import networkx
            import scipy.sparse  # noqa: F401
        except ImportError as error:
            self.skipTest(str(error))
        import rmat

        told = self.run_on(1, EXAMPLE, "10")
        self.assertEqual(self.run_on(3, EXAMPLE, "10"), told)
        wanted = networkx.pagerank(networkx.from_scipy_sparse_array(rmat.Graph(scale=10, permute=True, simple=True).csr()),
                                   tol=1e-12)
        found = [line.split() for line in told.splitlines()[1:]]
        self.assertEqual([int(words[1]) for words in found], sorted(wanted, key=wanted.get)[:-6:-1])
        for words in found:
            self.assertAlmostEqual(float(words[3]) / wanted[int(words[1])], 1, delta=1e-6)

    def test_without_mpi4py(self):
        """`import rmat` does not import it."""
        code = "import rmat, sys; sys.exit('mpi4py' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", code]).returncode, 0)


if __name__ == "__main__":
    if sys.argv[1:] == ["check"]:
        check()
    else:
        unittest.main()
