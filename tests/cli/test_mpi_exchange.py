"""Sorted graphs whose edges ranks send to their owners: the file of one process, byte for byte; and what is refused.

That one process's file is right: test_sorted.py.  With --all: every job on every number of ranks.
"""

import errno
import os
import signal
import subprocess
import sys
import time
import unittest

from cli import command
from failing import Failures
from mpi import HERE, MpiTest, bad_disk, seconds, skip_all

try:
    import h5py  # noqa: F401
except ImportError:
    skip_all("no h5py")

ALL = "--all" in sys.argv
RANKS = (1, 2, 3, 4, 7)
HUB = ["--a", "0.9", "--b", "0.05", "--c", "0.03"]
CSR, LIST = ["--format", "csr"], ["--sorted"]
SMALL = ["--memory", "2Mi"]  # several rounds

# Options of 40 jobs.
GRAPHS = [
    # What is unique, by one round or by several, with a search for the number of draws or without.
    (["--scale", "12", *CSR], ["--scale", "12", *CSR, "--unique"], ["--scale", "12", *CSR, "--dedup"],
     ["--scale", "14", "--edges", "200K", *CSR, "--unique", *SMALL],
     ["--scale", "14", "--edges", "200K", *CSR, "--dedup", *SMALL],
     ["--scale", "14", "--edges", "200K", *LIST, *SMALL], ["--scale", "13", "--simple", *CSR],
     ["--scale", "5", "--edges", "300", "--unique", *CSR], ["--scale", "10", "--edges", "1", *CSR]),
    # Transformed edges.
    (["--scale", "12", "--permute", *LIST], ["--scale", "12", "--permute", "--symmetrize", "--unique", *CSR],
     ["--scale", "14", "--edges", "100K", "--symmetrize", "--permute", "--unique", *CSR, *SMALL],
     ["--scale", "14", "--edges", "100K", "--symmetrize", "--no-self-loops", *LIST, *SMALL],
     ["--scale", "12", "--undirected", "lower", "--unique", *LIST], ["--scale", "12", "--undirected", "upper", *CSR],
     ["--scale", "12", "--no-self-loops", "--noise", "0.1", *CSR],
     ["--vertices", "3000", "--edges", "30K", "--permute", *CSR], ["--rows", "5000", "--cols", "300", "--unique", *CSR]),
    # Hubs: a row, and a cell, beyond a rank's share.
    (["--scale", "12", *HUB, "--edges", "300K", *CSR, *SMALL], ["--scale", "12", *HUB, "--edges", "200K", *LIST],
     ["--scale", "8", "--a", "0.99", "--b", "0.003", "--c", "0.003", "--edges", "200K", *CSR],
     ["--scale", "8", "--a", "0.99", "--b", "0.003", "--c", "0.003", "--edges", "200K", "--dedup", *LIST],
     ["--scale", "12", *HUB, "--edges", "300K", "--symmetrize", *LIST, *SMALL],
     ["--scale", "10", "--a", "1", "--b", "0", "--c", "0", "--edges", "50K", *CSR]),
    # 64-bit ids, and keys of 16 bytes.
    (["--scale", "33", "--edges", "50K", *LIST], ["--scale", "34", "--edges", "100K", "--permute", *LIST, *SMALL],
     ["--rows-scale", "20", "--cols-scale", "40", "--edges", "30K", *CSR, "--unique"],
     ["--rows-scale", "20", "--cols-scale", "50", "--edges", "30K", *CSR],
     ["--scale", "12", "--id-type", "uint64", *CSR], ["--scale", "40", "--edges", "20K", "--unique", *LIST]),
    # Weights, and official streams.
    (["--scale", "12", "--weights", "uniform", *CSR], ["--scale", "12", "--weights", "int:1:9", "--dedup", *LIST],
     ["--scale", "12", "--stream", "graph500", *CSR], ["--scale", "12", "--stream", "graph500", "--weights", "uniform",
                                                        "--dedup", *LIST],
     ["--scale", "12", "--stream", "gapbs", "--symmetrize", *CSR],
     ["--scale", "12", "--stream", "gapbs", "--weights", "int:1:255", *LIST],
     ["--scale", "13", "--stream", "graph500", "--no-self-loops", "--edges", "150K", *CSR, *SMALL]),
]
FORMATS = [["--scale", "11", "--sorted", "--format", name] for name in ("el", "bin32", "parquet", "rawcsr")] + [
    ["--scale", "11", "--unique", "--format", "metis", "--symmetrize", "--no-self-loops"]]


class Exchange(MpiTest):
    def check(self, number, model):
        base = self.rmat("generate", "--threads", "1", "-q", "--json", *model, "-o", "base", "--force")
        self.assertEqual((base.returncode, base.stderr), (0, ""), model)
        for ranks in RANKS if ALL else (RANKS[1 + number % (len(RANKS) - 1)],):
            with self.subTest(ranks=ranks, model=model):
                told = self.generate_on(ranks, "--threads", "1", "--exchange", "all", *model, "-o", "other", "--force")
                self.assertTrue(self.read("other") == self.read("base"))
        return told

    def check_all(self, models):
        for number, model in enumerate(models):
            self.check(number, model)

    def test_how_many(self):
        self.assertGreaterEqual(sum(map(len, GRAPHS)) + len(FORMATS), 40)

    def test_unique(self):
        self.check_all(GRAPHS[0])

    def test_transformed(self):
        self.check_all(GRAPHS[1])

    def test_hubs(self):
        self.check_all(GRAPHS[2])

    def test_wide(self):
        self.check_all(GRAPHS[3])

    def test_weights_and_official(self):
        self.check_all(GRAPHS[4])

    def test_formats(self):
        self.check_all(FORMATS)

    def test_rounds(self):
        """So little memory that there are several: else the jobs above would prove nothing of them."""
        for kind in (LIST, ["--unique", *CSR]):
            told = self.check(0, ["--scale", "16", "--edges", "600K", *kind, *SMALL])
            self.assertGreater(told["passes"], 2)

    def test_refused(self):
        for words, reason in ((["--scale", "10"], "a graph that is not sorted"),
                              (["--scale", "10", "--stream", "rows", "--format", "csr"], "a stream that is in order")):
            done = self.launch(2, "--exchange", "all", *words, "-o", "g")
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"--exchange: 'all' given for {reason}", done.stderr)
            self.assertEqual(self.files(), [])
        done = self.launch(2, "--exchange", "some", "--sorted")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'some'", done.stderr)

    def test_dry_run(self):
        """Buffers for exchanges count."""
        none, every = (self.generate_on(3, "--scale", "16", *CSR, "--unique", "--dry-run", "--threads", "1", "--exchange", way)
                       for way in ("none", "all"))
        self.assertGreater(every["all_buffer_bytes"], none["buffer_bytes"] * 3 + none["block_bytes"])


class Failing(Failures):
    """What fails while edges are on their way: one line, no file, no process that stays."""

    GRAPH = ["--scale", "23", "--permute", *CSR, "--exchange", "all", "--threads", "1", "--timeout", "3", "-q", "-o", "g"]

    def nothing_written(self, name="g.partial"):
        """Not an edge is in the file, so that ranks still exchange them."""
        with open(self.path(name), "rb") as file:
            try:
                at = os.lseek(file.fileno(), 1 << 20, os.SEEK_DATA)
            except OSError as error:
                self.assertEqual(error.errno, errno.ENXIO)
            else:
                self.fail(f"data at {at}")

    def lose(self, rank, number, *launcher):
        """A rank gets a signal in the midst of an exchange."""
        for name in self.files():  # which the job before left, so that it would be taken for this one's
            os.remove(self.path(name))
        job = self.start(*launcher, "-n", "3", *command("generate", *self.GRAPH))
        job.await_file("g.partial", 3)
        self.nothing_written()
        job.send(job.living()[rank], number)
        return job

    def silent(self, err, rank):
        self.one_line(err, rf"\Armat generate: rank {rank} on host \S+ has not been heard of for 3 s, 'g' was not made\Z")
        self.assertNotIn("g", self.files())

    def test_killed(self):
        done = self.lose(1, signal.SIGKILL).finish(seconds(30))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("signal 9", done.stderr)
        self.assertNotIn("g", self.files())

    def test_killed_and_the_launcher_ignores_it(self):
        self.silent(self.lose(2, signal.SIGKILL, "--enable-recovery").finish(seconds(30)).stderr, 2)

    def test_stopped(self):
        for rank in (1, 0):
            job = self.lose(rank, signal.SIGSTOP)
            start = time.monotonic()
            done = job.finish(seconds(30))
            self.assertEqual(done.returncode, 1, done.stderr)
            self.silent(done.stderr, rank)
            self.assertLess(time.monotonic() - start, seconds(15))

    def test_interrupted(self):
        done = self.lose(1, signal.SIGINT).finish(seconds(30))
        self.assertEqual(done.returncode, 128 + signal.SIGINT, done.stderr)
        self.assertEqual(self.files(), [])

    def test_disk_that_fails(self):
        """A rank's first write of edges, while others may still sort theirs."""
        for kind in (CSR, LIST):
            done = self.launch(4, "--scale", "18", *kind, "--exchange", "all", "-q", "-o", "g",
                               before=bad_disk(rank=2, fail=1, errno=errno.ENOSPC))
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            self.one_line(done.stderr, r"\Armat generate: rank 2 on host \S+: \S*g\.partial: .*No space left on device\Z")
            self.assertEqual(self.files(), [])

    def test_disk_that_fills(self):
        """Another program takes what was free while edges are exchanged; how long the file becomes is not known then."""
        unshare = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
        script = ('mkdir disk && mount -t tmpfs -o size=160m tmpfs disk && cd disk || exit 77; "$@" & '
                  'while ! [ -e g.partial ]; do sleep 0.02; done; '
                  'cat /dev/zero >filler 2>../told; wait $!; code=$?; ls >../left; exit $code')
        job = self.start("-n", "3", *command("generate", *self.GRAPH, "--scale", "21", "--dedup"), prefix=[*unshare, "sh", "-c", script, "sh"])
        done = job.finish(seconds(60))
        if done.returncode == 77:
            self.skipTest("mounting is not permitted")
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        # By a write, or by the check before the first one, whichever comes first.
        self.one_line(done.stderr, r"\Armat generate: rank \d on host \S+: \S*g(\.partial: .*No space left on device|"
                                   r": the file needs \d+ bytes, the file system has room for \d+)\Z")
        self.assertEqual(self.read("left"), b"filler\n")


@unittest.skipIf("GRAPH500" not in os.environ, "GRAPH500 does not name the folder src of Graph500's reference code")
class Graph500(MpiTest):
    """The reference code validates searches of its own graph on rows that csr_rank() made (graph500_bfs.c)."""

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
            for way in ("none", "all"):
                with self.subTest(ranks=ranks, way=way):
                    done = self.start("-n", str(ranks), "./bfs", "12", "16", WAY=way).finish(seconds(120))
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn("Validate time for BFS 63", done.stderr)
                    self.assertNotIn("rror", done.stdout)
        done = self.start("-n", "3", "./bfs", "12", "16", WAY="all", SEED="9").finish(seconds(120))
        self.assertIn("Validation Error", done.stdout)


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--all"])
