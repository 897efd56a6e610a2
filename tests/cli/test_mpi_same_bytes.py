"""However many ranks, of whatever kind and speed: the file of one process, byte for byte."""

import signal
import time
import unittest

from cli import command
from mpi import MpiTest, bad_disk, seconds

# A prime number of edges, some more than 16 shares of the work (a MiB of a column each).
LARGE = ["--scale", "22", "--edges", "4198403"]
OUTPUT = ["-o", "other.h5", "--force"]

WAYS = [[], ["RMAT_TEST_POSITIONAL=1"]]


class SameBytes(MpiTest):
    def jobs(self, counts, *variants):
        for ranks in counts:
            for variant in variants:
                with self.subTest(base=self.base, ranks=ranks, variant=variant):
                    self.generate_on(ranks, *self.base, *OUTPUT, *variant)
                    self.check()

    def test_ranks(self):
        for base, counts in (LARGE, (1, 2, 3, 4, 8)), ([*LARGE, "--id-type", "int64"], (3,)):
            self.expect(*base)
            self.jobs(counts, [])

    def test_shapes(self):
        for base in (["--scale", "33", "--edges", "2099207"],
                     ["--scale", "5x40", "--edges", "2099207"]):
            self.expect(*base)
            self.jobs((3,), [])

    def test_official_stream(self):
        self.expect("--stream", "graph500", "--scale", "18", "--weights", "uniform")
        self.jobs((3,), [], ["RMAT_TEST_CHUNK=4097"])

    def test_fewer_edges_than_ranks(self):
        for edges in ("0", "1", "3"):
            self.expect("--scale", "10", "--edges", edges)
            self.jobs((4,), *WAYS)

    def test_ways_of_writing(self):
        self.expect(*LARGE)
        self.jobs((2, 4), *WAYS)
        self.expect(*LARGE, "--id-type", "uint64")
        self.jobs((3,), *([*way, "RMAT_TEST_CHUNK=50000"] for way in WAYS))

    def test_chunks_and_threads(self):
        self.expect(*LARGE)
        self.jobs((3,), ["RMAT_TEST_CHUNK=10000"], ["RMAT_TEST_CHUNK=4097", "--threads", "1"], ["--memory", "1Mi"],
                  ["--threads", "7"])

    def test_bound_to_processors(self):
        """As Open MPI does where nobody says otherwise."""
        self.expect(*LARGE)
        self.generate_on(2, *LARGE, *OUTPUT, OMPI_MCA_hwloc_base_binding_policy="core",
                         PRTE_MCA_hwloc_default_binding_policy="core")
        self.check()

    def test_options_that_differ_between_ranks(self):
        self.expect(*LARGE)
        for one, two in ((["--threads", "1", "--isa", "generic"], []),
                         (["--threads", "1", "RMAT_TEST_CHUNK=3000"], ["--threads", "2", "--memory", "1Mi"])):
            done = self.launch_parts((1, [], [*LARGE, *OUTPUT, "-q", *one]),
                                     (2, [], [*LARGE, *OUTPUT, "-q", *two]))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.check()


class UnevenSpeed(MpiTest):
    """One of three ranks is much slower: the others do its work.  64 shares, 21 for each."""

    def setUp(self):
        super().setUp()
        self.expect("--scale", "22", "--edges", "16777259")
        self.arguments = [*self.base, *OUTPUT, "RMAT_TEST_CHUNK=256Ki"]

    def test_slow_disk(self):
        # 0.3 s per write, and 21 shares take two each: 12 s, if there were no help.
        for slow in (0, 2):
            begin = time.monotonic()
            self.generate_on(3, *self.arguments, before=bad_disk(rank=slow, delay=300))
            self.check()
            self.assertLess(time.monotonic() - begin, seconds(7))

    def test_rank_that_is_stopped_now_and_then(self):
        job = self.start("-n", "3", *bad_disk(delay=20),
                         *command("generate", *self.arguments, "-q", "--json"))
        job.await_file("other.h5.partial", 3)
        stopped = job.living()[1]
        while job.process.poll() is None:
            for number in (signal.SIGSTOP, signal.SIGCONT):
                job.send(stopped, number)
                time.sleep(0.3)
        self.succeeded(job.finish(seconds(30)))
        self.check()


if __name__ == "__main__":
    unittest.main()
