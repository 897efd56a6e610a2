"""bench_alias: wrong options are one line and exit 2, no GPU is one line and exit 1, its JSON.

BENCH_ALIAS in the environment names the program under test.  The GPU is hidden, but for one test.
"""

import fnmatch
import json
import os
import subprocess
import unittest

from cli import CliTest

BENCH = os.path.abspath(os.environ["BENCH_ALIAS"])
N = "1 to 2147483648 (2^31)"
LIMIT = "1000 to 1099511627776 (2^40)"

# Arguments, and the line after "bench_alias: ".
TABLE = [
    ("--backend tpu", "--backend: 'tpu' is unknown, allowed: cpu, gpu"),
    ("--n 0", "--n: '0' is out of range, allowed: " + N),
    ("--n 10,1e10", "--n: '1e10' is out of range, allowed: " + N),
    ("--n 1.5", "--n: '1.5' is no whole number, allowed: " + N),
    ("--n nan", "--n: 'nan' is not a number, allowed: " + N),
    ("--n 10,", "--n: '' is not a number, allowed: " + N),
    ("--n " + ",".join("7" * 17), "--n: '7' is one too many, allowed: 16 of them"),
    ("--builders psa,best",
     "--builders: 'best' is unknown, allowed: auto, vose, sweep, psa, psa+, merge"),
    ("--backend gpu --builders psa,vose",
     "--builders: 'vose' is sequential, allowed: with --backend gpu: auto, psa, psa+, merge"),
    ("--threads 4097", "--threads: '4097' is out of range, allowed: 0 to 4096"),
    ("--repeats 0", "--repeats: '0' is out of range, allowed: 1 to 101"),
    ("--repeats 102", "--repeats: '102' is out of range, allowed: 1 to 101"),
    ("--row-bytes 12", "--row-bytes: '12' is unknown, allowed: 8, 16"),
    ("--backend gpu --limit 999", "--limit: '999' is out of range, allowed: " + LIMIT),
    ("--backend gpu --limit 1e13", "--limit: '1e13' is out of range, allowed: " + LIMIT),
    ("--backend gpu --device 1024", "--device: '1024' is out of range, allowed: 0 to 1023"),
    ("--all", "--all: given with --backend cpu, allowed: with --backend gpu"),
    ("--only build", "--only: given with --backend cpu, allowed: with --backend gpu"),
    ("--list", "--list: given with --backend cpu, allowed: with --backend gpu"),
    ("--backend cpu --device 0", "--device: given with --backend cpu, allowed: with --backend gpu"),
    ("--n 10 surplus", "unexpected argument 'surplus', allowed: options only"),
]


class BenchAlias(CliTest):
    def bench(self, *args, **environment):
        environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1", **environment}
        return subprocess.run([BENCH, *args], cwd=self.folder, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100)

    def test_bad_options(self):
        for args, line in TABLE:
            with self.subTest(args=args):
                done = self.bench(*args.split())
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (2, "", "bench_alias: " + line + "\n"))
        self.assertEqual(self.files(), [])

    def test_report_that_cannot_be_written(self):
        for name in ("nowhere/x.json", "/dev/full", "old.json"):
            with open(self.path("old.json"), "w", encoding="ascii") as file:
                file.write("precious")
            done = self.bench("--n", "10", "--json", name)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, rf"\Abench_alias: --json: {name.split('/x')[0]}: [^\n]*\n\Z")
            self.assertEqual(self.read("old.json"), b"precious")

    def test_cpu(self):
        with open(self.path("old.json"), "w", encoding="ascii") as file:
            file.write("old")
        builders = ["vose", "sweep", "psa", "psa+", "merge"]
        done = self.bench("--n", "1,1e3", "--repeats", "1", "--builders", ",".join(builders), "--json", "old.json",
                          "--force")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        result = json.loads(self.read("old.json"))
        self.assertEqual(result["benchmark"], "alias")
        self.assertEqual({(r["what"], r["builder"]) for r in result["results"]},
                         {*(("build", builder) for builder in builders), ("sample", "psa+"), ("sections", "psa+"),
                          ("next", "psa+"), ("alone", "psa+")})
        self.assertEqual(len(result["results"]), 2 * 4 * 9)
        self.assertEqual(self.files(), ["old.json"])

    def test_no_gpu(self):
        for args in ([], ["--all"], ["--only", "build"], ["--json", "out.json"]):
            done = self.bench("--backend", "gpu", *args)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, r"\Abench_alias: --backend: 'gpu' given, but .*\n\Z")
        self.assertEqual(self.files(), [])

    def test_help(self):
        done = self.bench("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)
        for name in ("backend n builders threads repeats row-bytes json all only list limit "
                     "device help").split():
            self.assertRegex(done.stdout, rf"(?m)^  (    |-h, )--{name}\b")

    def test_list(self):
        """The names that --only takes, without a GPU; a build without CUDA has none."""
        done = self.bench("--backend", "gpu", "--list", "--all")
        if "without CUDA" in done.stderr:
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            return
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        names = done.stdout.split()
        self.assertEqual(len(names), len(set(names)))
        for name in ("build/merge/uniform/1e8", "build/psa-pary-chunked/power1/1e7",
                     "split/pary/uniform/1e4", "sample/reduced/auto/power1/1e9",
                     "sample/written/shared/power1/1e6", "count/limited/1e6/1e9", "map/cached/3e7/1e5",
                     "energy/build/power1/1e8", "machine/gather/1e9", "host/create/power1/1e8", "space/written/uniform/1e6"):
            self.assertIn(name, names)

        def listed(*args):
            return self.bench("--backend", "gpu", "--list", *args).stdout.split()

        self.assertEqual(listed("--only", "sample/reduced"),
                         [n for n in names if n.startswith("sample/reduced")])
        self.assertEqual(listed("--only", "build/*/uniform/1e7"),
                         fnmatch.filter(names, "build/*/uniform/1e7"))
        self.assertEqual({n.split("/")[0] for n in listed()}, {"build", "sample"})
        self.assertEqual([n for n in listed("--all", "--limit", "1e7") if "1e8" in n], [])

        done = self.bench("--backend", "gpu", "--list", "--only", "bild")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (2, "", "bench_alias: --only: 'bild' names no case, allowed: see --list\n"))

    def test_gpu(self):
        """Small cases of all parts, each of which checks its own result."""
        done = self.bench("--backend", "gpu", "--all", "--n", "1000,33333", "--limit", "1e5",
                          "--repeats", "1", "--json", "out.json",
                          CUDA_VISIBLE_DEVICES=os.environ.get("CUDA_VISIBLE_DEVICES", "0"))
        if done.returncode == 1 and "'gpu' given, but" in done.stderr:
            self.skipTest(done.stderr)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        rows = {row["name"]: row for row in json.loads(self.read("out.json"))["rows"]}
        self.assertEqual({name.split("/")[0] for name in rows},
                         {"machine", "build", "sample", "map", "rejection"})
        checked = [row for row in rows.values() if "check" in row]
        self.assertTrue(all(row["right"] for row in checked))
        self.assertGreater(len(checked), 195)
        self.assertEqual(rows["sample/written/shared/power1/33333"]["count"], 100000)


if __name__ == "__main__":
    unittest.main()
