"""bench_alias: its tables have the columns that they name, and its formulas give the values of the papers.

BENCH_ALIAS in the environment names the program under test.  The GPU is hidden, except in one test.
"""

import os
import re

from cli import CliTest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BENCH = os.path.abspath(os.environ["BENCH_ALIAS"])
WEIGHTS = ["uniform", "power1", "sorted1"]
CASES = {"cpu": ["build", "sample", "rejection-table"],
         "gpu": ["build", "split", "sample"]}

# Arguments, and the line after "bench_alias: ".
TABLE = [
    ("--backend tpu", "--backend: 'tpu' is unknown, allowed: cpu, gpu"),
    ("--case built", "--case: 'built' is unknown, allowed with --backend cpu: all, " + ", ".join(CASES["cpu"])),
    ("--limit 999", "--limit: '999' is out of range, allowed: 1000 to 1099511627776 (2^40)"),
    ("--repeats 0", "--repeats: '0' is out of range, allowed: 1 to 101"),
    ("surplus", "unexpected argument 'surplus', allowed: options only"),
]


class BenchAlias(CliTest):
    def bench(self, *args, **environment):
        return self.program(BENCH, *args, env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1", **environment})

    def tables(self, text):
        """Of each case its lines, as dictionaries from the names of columns to texts."""
        head, *blocks = text.split("\n\n\n")
        self.assertRegex(head, r"\A# bench_alias, \d{4}-\d\d-\d\d \d\d:\d\d UTC: .+\Z")
        found = {}
        for block in blocks:
            title, names, *lines = block.rstrip("\n").split("\n")
            columns = names.removeprefix("# ").split()
            self.assertTrue(all(len(line.split()) == len(columns) for line in lines), block)
            found[re.match(r"# ([a-z-]+): ", title)[1]] = [dict(zip(columns, line.split())) for line in lines]
        return found

    def test_bad_options(self):
        for args, line in TABLE:
            with self.subTest(args=args):
                done = self.bench(*args.split())
                self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"bench_alias: {line}\n"))

    def test_help(self):
        done = self.bench("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)
        for name in CASES["cpu"]:
            self.assertIn(f"\n  {name}: ", done.stdout)

    def test_cpu(self):
        done = self.bench("--limit", "1000", "--repeats", "1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        tables = self.tables(done.stdout)
        self.assertEqual(list(tables), CASES["cpu"])
        self.assertEqual([(line["builder"], line["weights"], line["rows"]) for line in tables["build"]],
                         [(builder, weights, "1000") for weights in WEIGHTS
                          for builder in ("sweep", "psa", "psa+")])
        self.assertEqual([(line["sampler"], line["weights"], line["rows"], line["draws"]) for line in tables["sample"]],
                         [(sampler, weights, "1000", "1000") for weights in WEIGHTS[:2]
                          for sampler in ("sequence", "sections")])
        self.assertEqual(self.files(), [])

    def test_table_as_printed(self):
        """Table 1 of Ridley and Forget, but for the last speed-up: they print 2.65 (apps/results/papers.md)."""
        with open(os.path.join(ROOT, "apps/results/papers.md"), encoding="utf-8") as page:
            printed = re.findall(r"(?m)^\| (\d+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", page.read())
        lines = self.tables(self.bench("--case", "rejection-table").stdout)["rejection-table"]
        self.assertEqual(len(printed), 6)
        for line, (threads, rho, speedup, computed) in zip(lines, printed, strict=True):
            got = [float(line[name]) for name in ("threads", "max_rho_percent", "average_speedup")]
            self.assertEqual(got, [float(threads), float(rho), float(computed)])
            self.assertTrue(round(got[2], 2) == float(speedup) or threads == "32", line)

    def test_gpu(self):
        """Small cases; without a GPU one line."""
        done = self.bench("--backend", "gpu", "--limit", "1e5", "--repeats", "1",
                          CUDA_VISIBLE_DEVICES=os.environ.get("CUDA_VISIBLE_DEVICES", "0"))
        if done.returncode == 1 and done.stdout == "":
            self.assertRegex(done.stderr, r"\Abench_alias: --backend: 'gpu' given, but .*\n\Z")
            return
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        tables = self.tables(done.stdout)
        self.assertEqual({name: len(lines) for name, lines in tables.items()},
                         {"build": 3 * 5, "split": 2 * 9 * 2, "sample": 2 * (5 + 5)})
