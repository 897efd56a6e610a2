"""rmat bench on several ranks at tiny sizes: the contents of its report, and that nothing is left behind."""

import json
import re
import signal

from cli import RMAT
from mpi import MpiTest, seconds

SMALL = ["--runs", "1", "--threads", "1", "--backend", "cpu"]


class Bench(MpiTest):
    def bench(self, ranks, *args):
        return self.start("-n", str(ranks), RMAT, "bench", *args).finish(seconds(100))

    def report(self, done, ranks):
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.files(), [])
        report = json.loads(done.stdout)
        self.assertEqual((report["ranks"], report["hosts"]), (ranks, 1))
        return report

    def check_ranks(self, report, scale, bits):
        one, together = report["cases"]
        self.assertEqual((one["case"], together["case"]), ("one rank, times all", "all ranks"))
        for case in one, together:
            self.assertEqual((case["part"], case["scale"], case["id_bits"]), ("ranks", scale, bits))
            self.assertTrue(0 < case["min"] <= case["median"] <= case["max"], case)
        self.assertEqual(together["limit"], one["median"])
        self.assertGreater(together["of_limit"], 0)

    def test_ranks(self):
        for ranks in 1, 2:
            report = self.report(self.bench(ranks, "--part", "ranks", *SMALL, "--runs", str(ranks), "--json"), ranks)
            self.assertEqual(report["threads"], ranks)
            self.check_ranks(report, 30, 32)

    def test_table(self):
        done = self.bench(2, "--part", "ranks", *SMALL)
        self.assertEqual((done.returncode, done.stderr, done.stdout.count("all ranks")), (0, "", 1))

    def test_scale(self):
        done = self.bench(2, "--part", "ranks", *SMALL, "--scale", "33", "--json")
        self.check_ranks(self.report(done, 2), 33, 64)

    def test_rows(self):
        """CSR of one graph, each rank its rows."""
        done = self.bench(2, "--part", "csr", "--stream", "rows", *SMALL, "--scale", "16", "--json")
        case, = self.report(done, 2)["cases"]
        self.assertEqual((case["part"], case["case"], case["scale"]), ("csr", "rows", 16))
        self.assertGreater(case["median"], 0)

    def test_ranks_with_options_of_their_own(self):
        """--threads and --backend are each rank's; all else is rank 0's."""
        done = self.start_parts(
            (1, [RMAT, "bench", "--part", "ranks", "--runs", "1", "--threads", "1", "--backend", "cpu", "--json"]),
            (1, [RMAT, "bench", "--threads", "2", "--backend", "cpu"])).finish(seconds(60))
        report = self.report(done, 2)
        self.assertEqual(report["threads"], 3)
        self.check_ranks(report, 30, 32)

    def test_stopped(self):
        job = self.start("-n", "2", RMAT, "bench", "--part", "ranks", "--runs", "100", "--backend", "cpu")
        for line in job.process.stdout:
            if line.startswith("GPU: "):  # what comes after it is measured
                break
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
            self.refused(2, f"--part: '{part}' given on 2 ranks, allowed: ranks, csr with --stream rows", "--part", part)
