"""rmat bench: its two reports, its time, what it refuses, and that it leaves nothing behind."""

import json
import os
import resource
import subprocess
import time
import unittest

from cli import CliTest, RMAT
from outputs import Outputs
from test_bench_parts import ReportTest

SCALES = {32: [20, 26, 30, 32], 64: [20, 26, 30, 32, 36]}


class BenchTest(ReportTest):
    def bench(self, *args, **options):
        done = self.rmat("bench", "--seconds", "1", *args, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        return done.stdout


class Bench(BenchTest):
    def test_everything(self):
        begin = time.monotonic()
        text = self.bench("--threads", "2", "--size", "5M", "--json", "report.json")
        seconds = time.monotonic() - begin
        self.assertEqual(self.files(), ["report.json"])
        report = json.loads(self.read("report.json"))
        self.check_memory(report, json.loads(self.rmat("info", "--devices", "--json").stdout)["instruction_sets"], SCALES)
        if "gpu" in report:
            self.assertEqual([(r["id_bits"], r["variant"], r["scale"]) for r in report["gpu"]],
                             [(bits, to, scale) for bits in (32, 64) for to in ("memory", "to host") for scale in SCALES[bits]])
            for row in report["gpu"]:
                self.assertGreater(row["lowest"], 0)
                self.assertTrue(0 < row["ratio"] < 1.2, row)
        else:
            self.assertTrue(report["gpu_none"])
        self.check_file(report)
        self.assertEqual(report["threads"], 2)
        self.assertEqual(report["file_bytes"], 4997120)  # 2 x 610 pages
        self.assertLessEqual(report["seconds"], seconds)
        self.assertGreater(report["seconds"], 0.4 * seconds)
        self.assertGreaterEqual(report["others_busy_processors"], 0)
        self.assertIn("cpu", report["machine"])
        lines = text.splitlines()
        for word in ("Edges/s into memory", "cpu generic", "GB/s into a file of 5.00 MB",
                     "cpu positional", "raw ", "load "):
            self.assertIn(word, text)
        self.assertLessEqual(max(map(len, lines)), 100)

    def test_other_folder(self):
        os.mkdir(self.path("d"))
        self.assertIn(" in d, ", self.bench("--part", "file", "--size", "1Mi", "--dir", "d"))
        self.assertEqual(os.listdir(self.path("d")), [])


class Reports(Outputs, BenchTest):
    def test_report(self):
        args = ["--json", "r.json", "bench", "--seconds", "1", "--part"]
        self.check_refusals(*args, "memory")
        self.check_replacing(*args, "file", "--size", "1Mi")
        self.check_full(*args, "memory", "--threads", "1", prints=True)

    def test_longer_report_is_replaced(self):
        self.write("r.json", "x" * 100000)
        self.bench("--part", "file", "--size", "1Mi", "--json", "r.json", "--force")
        self.check_file(json.loads(self.read("r.json")))


class Refused(CliTest):
    def refused(self, line, *args, left=(), **options):
        done = self.rmat("bench", "--seconds", "1", "--part", "file", *args, **options)
        self.assertEqual((done.returncode, done.stdout.count("GB/s")), (1, 0))
        self.assertRegex(done.stderr, rf"\Armat bench: {line}\n\Z")
        self.assertEqual(self.files(), sorted(left))

    def test_no_room(self):
        self.refused(r"\.: a file needs \d+ bytes, the file system has room for \d+", "--size", "1024Ti")

    def test_failure_keeps_the_old_report(self):
        with open(self.path("r.json"), "w", encoding="ascii") as file:
            file.write("precious")
        self.refused(r".*room for \d+", "--size", "1024Ti", "--json", "r.json", "--force", left=["r.json"])
        self.assertEqual(self.read("r.json"), b"precious")
        self.refused(r".*room for \d+", "--size", "1024Ti", "--json", "new.json", left=["r.json"])

    def test_larger_than_ulimit(self):
        self.refused(r"\./rmat-bench\.\d+\.raw: File too large", "--size", "4Mi", preexec_fn=lambda:
                     resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))

    @unittest.skipIf(os.geteuid() == 0, "root may write anywhere")
    def test_folder_without_permission(self):
        os.mkdir(self.path("d"), 0o555)
        self.refused(r"d/rmat-bench\.\d+\.raw: Permission denied", "--dir", "d", left=["d"])


class Stopped(CliTest):
    def test_killed_while_writing_the_raw_file(self):
        """It has no name."""
        child = subprocess.Popen([RMAT, "bench", "--part", "file", "--size", "64Mi"], cwd=self.folder,
                                 stdout=subprocess.DEVNULL)
        open_files = f"/proc/{child.pid}/fd"
        deadline = time.monotonic() + 60
        raw = False
        while not raw and child.poll() is None and time.monotonic() < deadline:
            for name in os.listdir(open_files):
                try:
                    raw = raw or ".raw (deleted)" in os.readlink(os.path.join(open_files, name))
                except OSError:
                    pass
        child.kill()
        child.wait()
        self.assertTrue(raw)
        self.assertEqual([name for name in self.files() if name.endswith(".raw")], [])


if __name__ == "__main__":
    unittest.main()
