"""rmat bench at tiny sizes, part by part: its two reports, its refusals, and that it leaves
nothing behind.  No figure is checked."""

import json
import os
import subprocess

from cli import CliTest, RMAT

MODELS = ["plain", "noise", "permuted", "no loops", "both directions", "uniform weights", "int weights",
          "7/8 of the vertices", "1/2 of them and 1", "the same, permuted", "graph500's stream"]


class Parts(CliTest):
    def bench(self, *args):
        done = self.rmat("bench", *args)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        return done.stdout

    def cases(self, *args, runs=1, backend="cpu"):
        """The cases of the report for programs."""
        report = json.loads(self.bench(*args, "--json", "--runs", str(runs), "--backend", backend))
        self.assertEqual(self.files(), [])
        self.assertEqual((report["ranks"], report["hosts"]), (1, 1))
        self.assertTrue(report["version"] and report["cpu"] and report["time"])
        for case in report["cases"]:
            self.assertTrue(0 < case["min"] <= case["median"] <= case["max"], case)
            self.assertEqual((case["backend"], case["runs"]), (backend, runs))
            self.assertEqual("seconds" in case, case["part"] == "csr")
            if "limit" in case:
                self.assertTrue(case["beside"] and case["limit"] > 0 and case["of_limit"] > 0, case)
        return report["cases"]

    def test_memory(self):
        isas = json.loads(self.rmat("info", "--devices", "--json").stdout)["instruction_sets"]
        cases = self.cases("--part", "memory", "--scale", "5,33", "--threads", "2")
        self.assertEqual([(c["part"], c["id_bits"], c["scale"], c["case"], c["threads"]) for c in cases],
                         [("memory", bits, scale, name, threads) for bits, scale in ((32, 5), (64, 5), (64, 33))
                          for name in ["plain writes"] + isas for threads in (1, 2)])
        self.assertEqual({c.get("beside") for c in cases if c["case"] != "plain writes"}, {"plain writes"})

    def test_one_width(self):
        cases = self.cases("--part", "memory", "--scale", "30", "--threads", "1", "--id-type", "uint64", runs=2)
        self.assertEqual({(c["id_bits"], c["scale"]) for c in cases}, {(64, 30)})

    def test_models(self):
        cases = self.cases("--part", "models", "--scale", "5", "--id-type", "uint32")
        self.assertEqual([c["case"] for c in cases], MODELS)
        self.assertEqual([c.get("beside") for c in cases], [None] + ["plain"] * (len(MODELS) - 1))

    def test_csr(self):
        for stream, name, options in (("rmat", "intervals", ["--unique"]), ("rows", "rows", [])):
            cases = self.cases("--part", "csr", "--scale", "10,12", "--stream", stream, *options)
            self.assertEqual([(c["case"], c["scale"], c["id_bits"]) for c in cases], [(name, 10, 32), (name, 12, 32)])
            for case in cases:
                self.assertAlmostEqual(case["seconds"] * case["median"] / (16 << case["scale"]), 1)

    def test_table(self):
        """As wide as a screen; a GPU is measured where there is one."""
        text = self.bench("--threads", "2", "--runs", "1", "--scale", "20")
        self.assertLessEqual(max(map(len, text.splitlines())), 100)
        for word in ("\nmemory, edges/s ", "\nplain writes ", "\ngeneric ", " load "):
            self.assertIn(word, text)
        if json.loads(self.rmat("info", "--devices", "--json").stdout)["gpus"]:
            gpu = self.cases("--part", "memory", "--scale", "20", backend="gpu")
            self.assertEqual([c["case"] for c in gpu], 2 * ["plain writes", "plain copies to the host", "memory", "to host"])
            self.assertTrue(all(0 < c.get("of_limit", 1) < 1.2 for c in gpu), gpu)
            for stream in "rmat", "rows":
                self.cases("--part", "csr", "--scale", "12", "--stream", stream, backend="gpu")
            self.assertEqual(len(self.cases("--part", "models", "--scale", "12", backend="gpu")), 2 * len(MODELS))


class Refused(CliTest):
    def test_no_such_gpu(self):
        done = self.rmat("bench", "--part", "memory", "--backend", "gpu", env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Armat bench: --backend gpu: no GPU can be used: .*\n\Z")

    def test_full_standard_output(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([RMAT, "bench", "--part", "csr", "--scale", "5", "--json"], cwd=self.folder,
                                  stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
