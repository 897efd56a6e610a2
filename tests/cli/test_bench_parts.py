"""rmat bench at tiny sizes, part by part: what its report has to say.  No figure is judged."""

import json
import unittest

from cli import CliTest

MODELS = ["plain", "noise", "permuted", "permuted, noise", "no loops", "lower", "both directions",
          "uniform weights", "int weights", "permuted, weights", "7/8 of the vertices", "1/2 of them and 1",
          "the same, permuted", "graph500's stream", "graph500's, weights"]


class ReportTest(CliTest):
    def check_memory(self, report, isas, scales):
        """Of one and two threads."""
        rows = report["memory"]
        self.assertEqual([(r["id_bits"], r["variant"], r["threads"], r["scale"]) for r in rows],
                         [(bits, isa, n, scale) for bits in (32, 64) for isa in isas for n in (1, 2) for scale in scales[bits]])
        for row in rows:
            self.assertEqual(row["backend"], "cpu")
            self.assertTrue(0 < row["lowest"] <= row["edges_per_second"] <= row["highest"], row)
            self.assertTrue(row["ratio"] > 0 and row["limit_edges_per_second"] > 0 and row.get("speedup", 1) > 0, row)
            self.assertIn("limit", row)
            self.assertEqual("speedup" in row, row["threads"] == 2)

    def check_file(self, report):
        rows = {row["path"]: row for row in report["file"]}
        gpu = json.loads(self.rmat("info", "--devices", "--json").stdout)["gpus"] != []
        if "raw O_DIRECT" in rows:
            expected = ["raw O_DIRECT"] + ["gpu direct"] * gpu + ["cpu direct", "cpu positional"]
        else:
            expected = ["raw, buffered"] + ["gpu positional"] * gpu + ["cpu positional"]
        self.assertEqual(list(rows), expected)
        for name, row in rows.items():
            self.assertTrue(0 < row["lowest"] <= row["bytes_per_second"] <= row["highest"], row)
            self.assertLessEqual(row["ratio_lowest"], row["ratio"])
            if name.startswith("raw"):
                self.assertEqual(row["ratio"], 1)


class Parts(ReportTest):
    def bench(self, *args, **options):
        done = self.rmat("bench", *args, "--json", "-", **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        self.assertEqual(self.files(), [])
        report = json.loads(done.stdout)
        self.assertGreater(report["machine"]["cores"], 0)
        return report

    def test_memory_of_one_instruction_set(self):
        report = self.bench("--part", "memory", "--scale", "5,33", "--threads", "2", "--isa", "generic",
                            "--edges", "3000", "--runs", "3", "--backend", "cpu")
        self.check_memory(report, ["generic"], {32: [5], 64: [5, 33]})
        self.assertEqual(report["memory_turns"], 3)
        self.assertFalse({"gpu", "file"} & set(report))

    def test_memory_of_one_width(self):
        rows = self.bench("--part", "memory", "--scale", "30,33", "--threads", "1", "--id-type", "uint64", "--edges", "10",
                          "--runs", "1", "--backend", "cpu")["memory"]
        self.assertEqual({(r["id_bits"], r["scale"]) for r in rows}, {(64, 30), (64, 33)})

    def test_models(self):
        rows = self.bench("--part", "models", "--scale", "5,33", "--edges", "3000", "--runs", "3", "--isa", "generic",
                          "--backend", "cpu")["models"]
        self.assertEqual([(r["id_bits"], r["variant"], r["scale"]) for r in rows],
                         [(bits, model, scale) for bits in (32, 64) for model in MODELS
                          for scale in ((5, 33) if bits == 64 else (5,))])
        for row in rows:
            self.assertGreater(row["lowest"], 0)
            if row["variant"] != "plain":
                self.assertEqual(row["limit"], "plain")
                self.assertGreater(row["ratio_lowest"], 0)
                self.assertLessEqual(row["ratio_lowest"], row["ratio"])
                self.assertLessEqual(row["ratio"], row["ratio_highest"])

    def test_table_of_models(self):
        done = self.rmat("bench", "--part", "models", "--seconds", "1", "--edges", "10", "--runs", "1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)
        for model in MODELS:
            self.assertIn(f"\n{model} ", done.stdout)

    def test_csr(self):
        rows = self.bench("--part", "csr", "--scale", "10,12", "--intervals", "3", "--unique", "--runs", "1",
                          "--backend", "cpu")["csr"]
        self.assertEqual([(r["backend"], r["scale"], r["intervals"], r["unique"]) for r in rows],
                         [("cpu", 10, 3, True), ("cpu", 12, 3, True)])
        for row in rows:
            self.assertEqual(row["csr_edges"], int(self.generate("--scale", str(row["scale"]), "--dedup", "-o", "x.h5",
                                                                 "--force")["edges"]))
            for phase in ("gather", "sort", "pointers", "indices", "edges_per_second"):
                self.assertGreater(row[phase], 0)

    def test_csr_with_little_memory(self):
        """Intervals that do not fit are halved: the edges are the same, of a smaller interval."""
        one, other = (self.bench("--part", "csr", "--scale", "12", "--edge-factor", "8", "--permute", "--runs", "1",
                                 "--backend", "cpu", *more)["csr"][0] for more in ([], ["--memory", "256Ki"]))
        self.assertEqual(one["csr_edges"], 8 << 12)
        self.assertEqual(other["csr_edges"], 8 << 12)
        self.assertLess(other["interval_edges"], one["interval_edges"])

    def test_csr_of_the_first_and_last_interval(self):
        row = self.bench("--part", "csr", "--scale", "12", "--intervals", "5", "--ends", "--runs", "1",
                         "--backend", "cpu")["csr"][0]
        self.assertGreater(row["csr_edges"], 16 << 8)
        self.assertLess(row["csr_edges"], 16 << 11)

    def test_file(self):
        report = self.bench("--part", "file", "--size", "5M", "--runs", "3", "--threads", "2")
        self.assertEqual(report["file_bytes"], 4997120)  # 2 x 610 pages
        self.assertEqual(report["file_turns"], 3)
        self.assertGreater(report["writers"], 0)
        self.assertNotIn("memory", report)
        self.check_file(report)
        for row in report["file"]:
            self.assertEqual(len(row["runs"]), 3)
            self.assertEqual(sorted(row["runs"])[1], row["bytes_per_second"])
            self.assertGreater(row["ratio"], 0)


class Refused(CliTest):
    def test_instruction_set_that_is_not_there(self):
        there = json.loads(self.rmat("info", "--devices", "--json").stdout)["instruction_sets"]
        for isa in {"avx2", "avx512", "neon"} - set(there):
            done = self.rmat("bench", "--part", "memory", "--isa", isa)
            self.assertEqual((done.returncode, done.stderr), (
                2, f"rmat bench: --isa: '{isa}' given, allowed: those that `rmat info --devices` lists\n"))

    def test_no_such_gpu(self):
        done = self.rmat("bench", "--part", "memory", "--backend", "gpu", "--device", "1023")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Armat bench: --(backend gpu: no GPU can be used: .*|device 1023: this machine has no GPU of that number, only 0 to \d+)\n\Z")


if __name__ == "__main__":
    unittest.main()
