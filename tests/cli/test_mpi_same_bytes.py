"""Ranks of any number, kind and speed write the file of one process, byte for byte.

test_sorted.py and test_rmat_options.c test that file.  test_mpi_formats.py tests other formats.
"""

import os
import signal
import time

from cli import command, size
from mpi import MpiTest, bad_disk, seconds

RECTANGLE = ["--vertices", "5000x300"]
WIDE = ["--scale", "20x50"]
# A prime number of edges, some more than 16 shares of the work (a MiB of a column each).
LARGE = ["--scale", "22", "--edges", "4198403"]
OUTPUT = ["-o", "other.h5", "--force"]
POSITIONAL = ["RMAT_TEST_POSITIONAL=1"]

# Lists, and the ranks and options of execution that each is made with.
LISTS = [
    (LARGE, [(1, []), (2, []), (3, []), (4, []), (8, []), (4, POSITIONAL), (3, ["RMAT_TEST_CHUNK=10000"]),
             (3, ["RMAT_TEST_CHUNK=4097", "--threads", "1"]), (3, ["--memory", "1Mi", "--threads", "7"])]),
    ([*LARGE, "--id-type", "int64"], [(3, [])]),
    ([*LARGE, "--id-type", "uint64"], [(3, ["RMAT_TEST_CHUNK=50000"]), (3, [*POSITIONAL, "RMAT_TEST_CHUNK=50000"])]),
    (["--scale", "33", "--edges", "2099207"], [(3, [])]),
    ([*WIDE, "--edges", "2099207"], [(3, [])]),
    (["--stream", "graph500", "--scale", "18", "--weights", "uniform"], [(3, []), (3, ["RMAT_TEST_CHUNK=4097"])]),
    *((["--scale", "10", "--edges", edges], [(4, []), (4, POSITIONAL)]) for edges in ("0", "1", "3")),
]

HUB = ["--a", "0.9", "--b", "0.05", "--c", "0.03"]
CELL = ["--a", "0.99", "--b", "0.003", "--c", "0.003"]  # a cell beyond a rank's share
SMALL = ["--memory", "2Mi"]  # several intervals for each rank
CSR = ["--format", "csr"]

# Sorted graphs and CSR, whose file of one process test_sorted.py checks: ranks and options.
SORTED = [
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
    (3, [*WIDE, "--edges", "30K", *CSR]),
    (4, [*RECTANGLE, "--unique", *CSR]),
    (3, ["--scale", "12", "--stream", "graph500", "--weights", "uniform", "--dedup", "--sorted"]),
    (2, ["--scale", "12", "--stream", "gapbs", "--symmetrize", *CSR]),
    (3, ["--scale", "13", "--stream", "graph500", "--no-self-loops", "--edges", "150K", *CSR, *SMALL]),
    (3, ["--scale", "12", "--stream", "rows", *CSR]),
]


class SameBytes(MpiTest):
    def same(self, base, *ways):
        """The file, and what the summary says of the graph."""
        one = self.expect(*base)
        for ranks, variant in ways:
            with self.subTest(base=base, ranks=ranks, variant=variant):
                told = self.generate_on(ranks, *base, *variant, *OUTPUT)
                self.check()
                for key in ("fingerprint", "command", "edges", "base_edges", "weights", "stream_edges"):
                    self.assertEqual(told.get(key), one.get(key), key)

    def test_lists(self):
        for base, ways in LISTS:
            self.same(base, *ways)

    def test_sorted(self):
        for ranks, model in SORTED:
            self.same([*model, "--threads", "1"], (ranks, []))

    def test_every_two_options(self):
        """At scale 10 one rank has all the file, else they share it; sorted graphs as well, where there is time."""
        scales = [(20,), (20,)] if "RMAT_SANITIZED" in os.environ else [(10, 20), (20, 31)]
        for scale in (10, 20, 31):
            for n, model in enumerate(self.option_pairs(scale)):
                if scale in scales[n % 2]:
                    self.same(model, (2 + n % 3, []))
        for n, model in enumerate(self.option_pairs(10)):
            for kind in size([], [["--sorted"], CSR, ["--unique", "--edges", "1500"], ["--unique", "--edges", "1500", *CSR]]):
                self.same([*model, *kind], *((ranks, SMALL if (n + ranks) % 2 else []) for ranks in (1, 2, 3, 4)))

    def test_bound_to_processors(self):
        """As Open MPI does where nobody says otherwise."""
        self.expect(*LARGE)
        self.generate_on(2, *LARGE, *OUTPUT, OMPI_MCA_hwloc_base_binding_policy="core",
                         PRTE_MCA_hwloc_default_binding_policy="core")
        self.check()

    def test_options_that_differ_between_ranks(self):
        """Of the execution they may; of the model not: test_ranks.py."""
        self.expect(*LARGE)
        done = self.launch_parts((1, [*LARGE, *OUTPUT, "-q", "--threads", "1", "RMAT_TEST_CHUNK=3000"]),
                                 (2, [*LARGE, *OUTPUT, "-q", "--threads", "2", "--memory", "1Mi"]))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.check()


class UnevenSpeed(MpiTest):
    """One of three ranks is much slower: the others do its work.  64 shares, 21 for each."""

    def setUp(self):
        super().setUp()
        self.expect("--scale", "22", "--edges", "16777259")
        self.arguments = [*self.base, *OUTPUT, "RMAT_TEST_CHUNK=256Ki"]

    def test_slow_disk(self):
        """Two writes a share: without help the disk sees 42, and from the 30th on it fails."""
        for slow in (0, 2):
            self.generate_on(3, *self.arguments, before=bad_disk(rank=slow, delay=500, fail=30))
            self.check()

    def test_rank_that_is_stopped_now_and_then(self):
        job = self.start("-n", "3", *bad_disk(delay=20),
                         *command("generate", *self.arguments, "-q", "--json"))
        job.await_file("other.h5.partial", 3)
        stopped = job.living()[1]
        while job.process.poll() is None:
            for number in (signal.SIGSTOP, signal.SIGCONT):
                job.send(stopped, number)
                time.sleep(0.3)
        self.succeeded(job.finish(seconds(60)))
        self.check()
