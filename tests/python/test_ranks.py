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
    def test_ranks(self):
        for ranks in (1, 3):
            with self.subTest(ranks=ranks), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([MPIRUN, "-n", str(ranks), sys.executable, __file__, "check"], text=True,
                                      capture_output=True, env={**os.environ, "TMPDIR": folder}, timeout=250)
                self.assertEqual((done.returncode, done.stdout.count("fine")), (0, ranks), done.stderr)

    def test_without_mpi4py(self):
        """`import rmat` does not import it."""
        code = "import rmat, sys; sys.exit('mpi4py' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", code]).returncode, 0)


if __name__ == "__main__":
    if sys.argv[1:] == ["check"]:
        check()
    else:
        unittest.main()
