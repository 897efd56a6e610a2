"""rmat bench on several ranks at tiny sizes: what its report has to say, and that nothing is left behind."""

import json
import re
import signal
import unittest

from cli import RMAT, programs
from mpi import MPIRUN, MpiTest, seconds

SMALL = ["--edges", "70000", "--runs", "2", "--threads", "1", "--backend", "cpu"]


class Bench(MpiTest):
    def bench(self, ranks, *args):
        return self.start("-n", str(ranks), RMAT, "bench", *args).finish(seconds(100))

    def report(self, ranks, *args):
        done = self.bench(ranks, *args, "--json", "r.json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.files(), ["r.json"])
        report = json.loads(self.read("r.json"))
        self.assertEqual(len(report["ranks"]), ranks)
        self.assertEqual(done.stdout.count("efficiency"), 1)
        return report

    def check_memory(self, report):
        told = report["ranks_memory"]
        self.assertEqual(told["edges_of_rank_0"], 70000)
        self.assertGreater(told["one_rank"], 0)
        self.assertEqual(len(told["all_ranks_runs"]), 2)
        self.assertGreater(min(told["all_ranks_runs"] + told["one_rank_runs"]), 0)
        self.assertGreater(told["efficiency"], 0)
        self.assertLessEqual(told["efficiency_lowest"], told["efficiency"])
        self.assertLessEqual(told["efficiency"], told["efficiency_highest"])

    def test_ranks(self):
        for ranks in 1, 2:
            self.check_memory(self.report(ranks, "--part", "ranks", *SMALL, "--force"))

    def test_scale(self):
        done = self.bench(2, "--part", "ranks", *SMALL, "--scale", "33", "--json", "-")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        report = json.loads(done.stdout)
        self.assertEqual((report["scale"], report["id_bits"]), (33, 64))
        self.check_memory(report)

    def test_ranks_with_options_of_their_own(self):
        """--edges, --threads and --backend are each rank's; all else is rank 0's."""
        done = self.start(*programs(
            MPIRUN,
            (1, [RMAT, "bench", "--part", "ranks", "--runs", "1", "--seconds", "1", "--edges", "70000",
                 "--threads", "1", "--backend", "cpu", "--json", "-"]),
            (1, [RMAT, "bench", "--threads", "2", "--backend", "cpu"]))).finish(seconds(60))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        report = json.loads(done.stdout)
        self.assertEqual([rank["threads"] for rank in report["ranks"]], [1, 2])
        self.assertEqual(report["ranks_memory"]["edges_of_rank_0"], 70000)
        self.assertGreater(report["ranks_memory"]["efficiency"], 0)

    def test_stopped(self):
        job = self.start("-n", "2", RMAT, "bench", "--part", "ranks", "--json", "r.json", "--backend", "cpu")
        job.await_file("r.json.partial", 2)
        for number in job.living().values():
            job.send(number, signal.SIGTERM)
        done = job.finish(seconds(20))
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("rmat bench: stopped by SIGTERM"), 1, done.stderr)
        self.assertEqual(self.files(), [])

    def test_help_is_printed_once(self):
        done = self.bench(2, "--help")
        self.assertEqual((done.returncode, done.stdout.count("Usage: ")), (0, 1))

    def refused(self, code, line, *args):
        done = self.bench(2, *args)
        self.assertEqual((done.returncode, done.stdout), (code, ""), args)
        self.assertEqual([re.sub(r"rank 0 on host \S+: ", "", said) for said in done.stderr.splitlines()
                          if said.startswith("rmat ")], ["rmat bench: " + line])
        self.assertEqual(self.files(), [])

    def test_refusals(self):
        for part in ("memory", "csr"):
            self.refused(2, f"--part: '{part}' given on 2 ranks, allowed: ranks", "--part", part)
        self.refused(1, "--json: no: the folder does not exist", "--part", "ranks", "--json", "no/r.json")


if __name__ == "__main__":
    unittest.main()
