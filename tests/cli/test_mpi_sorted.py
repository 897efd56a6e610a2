"""Sorted lists, CSR and distinct edges on several ranks: the file of one process, byte for byte.

That this one is right: test_sorted.py.  What fails while the intervals are made.  With --all: every two options, every
number of ranks.
"""

import errno
import os
import signal
import sys
import unittest

from cli import command
from failing import Failures
from mpi import MpiTest, bad_disk, seconds
from option_pairs import level_matrices, table, words

ALL = "--all" in sys.argv
QUICK = ["--threads", "1"]
HUB = ["--a", "0.9", "--b", "0.05", "--c", "0.03"]
CELL = ["--a", "0.99", "--b", "0.003", "--c", "0.003"]  # a cell beyond a rank's share
SMALL = ["--memory", "2Mi"]  # several intervals for each rank
CSR = ["--format", "csr"]

# Ranks and options.
JOBS = [
    (2, ["--scale", "16", "--edges", "600K", "--sorted", "--weights", "uniform"]),
    (3, ["--scale", "15", "--edges", "150K", "--format", "csr", "--unique", "--symmetrize", "--permute"]),
    (4, ["--scale", "12", *HUB, "--edges", "300K", "--format", "csr", "--weights", "int:1:9", "--memory", "2Mi"]),
    (2, ["--scale", "14", "--edges", "150K", "--unique", "--undirected", "lower", "--memory", "2Mi"]),
    (4, ["--scale", "5", "--edges", "300", "--unique", "--format", "csr"]),
    (7, ["--scale", "10", "--edges", "1", *CSR]),
    (3, ["--scale", "14", "--edges", "200K", *CSR, "--dedup", *SMALL]),
    (4, ["--scale", "12", "--weights", "int:1:9", "--dedup", "--sorted"]),
    (7, ["--scale", "14", "--edges", "100K", "--symmetrize", "--no-self-loops", "--sorted", *SMALL]),
    (3, ["--scale", "8", *CELL, "--edges", "200K", "--dedup", "--sorted"]),
    (2, ["--scale", "12", *HUB, "--edges", "300K", "--symmetrize", "--sorted", *SMALL]),
    (3, ["--scale", "10", "--a", "1", "--b", "0", "--c", "0", "--edges", "50K", *CSR]),
    (2, ["--scale", "34", "--edges", "100K", "--permute", "--sorted", *SMALL]),
    (3, ["--scale", "20x50", "--edges", "30K", *CSR]),
    (4, ["--vertices", "5000x300", "--unique", *CSR]),
    (3, ["--scale", "12", "--stream", "graph500", "--weights", "uniform", "--dedup", "--sorted"]),
    (2, ["--scale", "12", "--stream", "gapbs", "--symmetrize", *CSR]),
    (3, ["--scale", "13", "--stream", "graph500", "--no-self-loops", "--edges", "150K", *CSR, *SMALL]),
    (3, ["--scale", "12", "--stream", "rows", *CSR]),
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


class Failing(Failures):
    """What fails while intervals are made: one line, no file, no process that stays."""

    GRAPH = ["--scale", "23", "--permute", *CSR, "--threads", "1", "-q", "-o", "g"]

    def signalled(self, rank, number):
        """A rank gets a signal before an edge is written."""
        job = self.start("-n", "3", *command("generate", *self.GRAPH))
        job.await_file("g.partial", 3)
        with open(self.path("g.partial"), "rb") as file, self.assertRaises(OSError) as caught:
            os.lseek(file.fileno(), 1 << 20, os.SEEK_DATA)
        self.assertEqual(caught.exception.errno, errno.ENXIO)
        job.send(job.living()[rank], number)
        return job.finish(seconds(30))

    def test_killed(self):
        done = self.signalled(1, signal.SIGKILL)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("signal 9", done.stderr)
        self.assertNotIn("g", self.files())

    def test_interrupted(self):
        done = self.signalled(1, signal.SIGINT)
        self.assertEqual(done.returncode, 128 + signal.SIGINT, done.stderr)
        self.assertEqual(self.files(), [])

    def test_disk_that_fails(self):
        """A rank's first write of edges, while others may still sort theirs."""
        for kind in (CSR, ["--sorted"]):
            done = self.launch(4, "--scale", "18", *kind, "-q", "-o", "g",
                               before=bad_disk(rank=2, fail=1, errno=errno.ENOSPC))
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            self.one_line(done.stderr, r"\Armat generate: rank 2 on host \S+: \S*g\.partial: .*No space left on device\Z")
            self.assertEqual(self.files(), [])

    def test_disk_that_fills(self):
        """Another program takes what was free while intervals are made; how long the file becomes is not known then."""
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


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--all"])
