"""Statistics straight from the generator, beside those of files with the same edges, which NumPy counts."""

import json
import os
import unittest

import h5py
import numpy

from cli import CliTest

SAME = ["model", "ranges", "drawn_edges", "redraws", "edges", "loops", "fingerprint", "vertices", "levels",
        "neighbouring_levels"]

# Options, and whether levels are those of the file's ids.
MODELS = [(["--scale", "10"], True),
          (["--scale", "3", "--edges", "1000"], True),
          (["--scale", "11", "--permute", "--symmetrize"], False),
          (["--vertices", "700", "--edges", "50K", "--no-self-loops"], True),
          (["--rows-scale", "12", "--cols-scale", "7", "--edges", "30K"], True),
          (["--scale", "34", "--edges", "20K"], True),
          (["--scale", "10", "--undirected", "lower", "--noise", "0.05"], False),
          (["--stream", "graph500", "--scale", "10"], True),
          (["--stream", "gapbs", "--scale", "9", "--symmetrize"], False),
          (["--scale", "12", "--first", "1234", "--count", "20K"], True)]


class Statistics(CliTest):
    def statistics(self, *args):
        before = self.files()
        done = self.rmat("generate", "--quiet", "--statistics", "--json", *args)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        self.assertEqual(self.files(), before)
        return json.loads(done.stdout)

    def counted(self, options, wanted):
        """The summary of a file, and what statistics() has, counted there."""
        told = self.generate(*options, "-o", "g.h5")
        with h5py.File(self.path("g.h5")) as file:
            src, dst = file["src"][:].astype(numpy.uint64), file["dst"][:].astype(numpy.uint64)
        os.remove(self.path("g.h5"))
        scale = max(told["rows_scale"], told["cols_scale"])
        one = numpy.uint64(1)
        bit = [(2 * (src >> numpy.uint64(k) & one) + (dst >> numpy.uint64(k) & one)).astype(int)
               for k in reversed(range(scale))]
        return told, {
            "edges": len(src), "drawn_edges": told["base_edges"], "loops": int((src == dst).sum()) if told["num_rows"] == told["num_cols"] else None,
            "fingerprint": told["fingerprint"], "redraws": told["redraws"],
            "ranges": [[told["first"], told["base_edges"]]],
            "vertices": [{"vertex": v, "out": int((src == v).sum()), "in": int((dst == v).sum())} for v in wanted],
            "levels": [numpy.bincount(b, minlength=4).tolist() for b in bit],
            "neighbouring_levels": [numpy.bincount(4 * a + b, minlength=16).tolist() for a, b in zip(bit, bit[1:])]}

    def test_quiet_keeps_the_counts(self):
        told, quiet = (self.rmat("generate", "--statistics", "--scale", "9", *words) for words in ([], ["--quiet"]))
        self.assertEqual((quiet.returncode, quiet.stderr), (0, ""))
        without_time = [[line for line in done.stdout.splitlines() if not line.startswith("time")]
                        for done in (told, quiet)]
        self.assertEqual(*without_time)
        self.assertIn("loops  ", quiet.stdout)
        wrong = self.rmat("generate", "--statistics", "--quiet", "--scale", "0")
        self.assertRegex(wrong.stderr, r"\Armat generate: --scale: .*\n\Z")

    def test_counts_of_files(self):
        for options, as_drawn in MODELS:
            told, counts = self.counted(options, [0, 7, 5])
            found = self.statistics(*options, "--degrees-of", "0,7,5")
            found["loops"] = found.get("loops", {}).get("edges")
            for key in ("levels", "neighbouring_levels"):
                found[key] = [level["edges"] for level in found[key]]
                if not as_drawn:
                    counts[key] = found[key]
            for key, value in counts.items():
                self.assertEqual(found[key], value, (options, key))
            self.assertEqual(sum(found["levels"][0]), found["edges" if as_drawn else "drawn_edges"], options)

    def test_levels_are_those_before_the_permutation(self):
        plain = self.statistics("--scale", "12")
        turned = self.statistics("--scale", "12", "--permute", "--undirected", "upper", "--symmetrize",
                                 "--weights", "uniform")
        self.assertEqual((plain["levels"], plain["neighbouring_levels"], 2 * plain["loops"]["edges"]),
                         (turned["levels"], turned["neighbouring_levels"], turned["loops"]["edges"]))
        self.assertNotEqual(plain["fingerprint"], turned["fingerprint"])

    def test_tests_against_the_model(self):
        """Every level and every pair has its chance, and all are those of a right generator."""
        for options in (["--scale", "14", "--edges", "2M"], ["--scale", "14", "--edges", "2M", "--noise", "0.1"],
                        ["--rows-scale", "9", "--cols-scale", "14", "--edges", "2M"]):
            found = self.statistics(*options)
            tests = [*found["levels"], *found["neighbouring_levels"]]
            self.assertEqual(len(tests), 27)
            self.assertEqual({test["degrees_of_freedom"] for test in found["levels"]} - {1, 3}, set())
            self.assertGreater(min(test["chance"] for test in tests), 1e-6, options)
            self.assertGreater(max(test["chance"] for test in tests), 0.1, options)
        self.assertIn("the edges fit the model", self.rmat("generate", "--statistics", *options).stdout)

    def test_merged_cells_are_told(self):
        """Cells with fewer than 1000 expected edges: with 60,000 edges (b, d) has 570, with 10,000 d has 500."""
        for edges, level, pair in (("2M", 0, 0), ("60K", 0, 3), ("10K", 1, 10), ("1K", 3, 15)):
            found = self.statistics("--scale", "5", "--edges", edges)
            for key, cells, merged in (("levels", 4, level), ("neighbouring_levels", 16, pair)):
                for test in found[key]:
                    self.assertEqual(test["merged_cells"], merged, (edges, key))
                    left = cells - merged
                    self.assertEqual(test.get("degrees_of_freedom", 0), left - 1, (edges, key))
            text = self.rmat("generate", "--statistics", "--scale", "5", "--edges", edges).stdout
            said = (f"merged       in {5 if level else 0} of 5 levels and 4 of 4 pairs of neighbouring levels, cells "
                    "with fewer than 1000 expected edges are merged before the test\n")
            self.assertEqual(text.count(said), 1 if pair else 0, text)
        self.assertNotIn("merged_cells", self.statistics("--stream", "graph500", "--scale", "5")["levels"][0])
        self.assertIn(", not tested: fewer than 1000 are expected\n",
                      self.rmat("generate", "--statistics", "--scale", "14").stdout)

    def test_a_wrong_model_is_found(self):
        """The counts of one model, merged into the expectations of another, do not fit."""
        right = self.statistics("--scale", "12", "--edges", "2M")
        wrong = self.statistics("--scale", "12", "--edges", "2M", "--a", "0.56", "--b", "0.2", "--c", "0.19")
        for level, other in zip(right["levels"], wrong["levels"]):
            level["edges"] = other["edges"]
        empty = self.statistics("--scale", "12", "--edges", "4M", "--first", "3M", "--count", "1")
        for name, content in (("a.json", right), ("b.json", empty)):
            with open(self.path(name), "w", encoding="utf-8") as file:
                json.dump(content, file)
        done = self.rmat("stats", "--merge", "a.json", "b.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the edges DO NOT FIT the model", done.stdout)

    def test_slices_make_the_whole(self):
        base = ["--vertices", "8000", "--permute", "--edges", "100K", "--degrees-of", "1,2"]
        whole = self.statistics(*base)
        for name, first, count in (("a", 50000, 50000), ("b", 0, 100), ("c", 100, 49900)):
            part = self.statistics(*base, "--first", str(first), "--count", str(count))
            with open(self.path(name), "w", encoding="utf-8") as file:
                json.dump(part, file)
        done = self.rmat("stats", "--merge", "a", "b", "c", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        merged = json.loads(done.stdout)
        self.assertEqual({key: merged[key] for key in SAME}, {key: whole[key] for key in SAME})
        gap = json.loads(self.rmat("stats", "--json", "--merge", "a", "b").stdout)
        self.assertEqual(gap["ranges"], [[0, 100], [50000, 50000]])

    def test_same_counts_whatever_makes_them(self):
        base = ["--scale", "16", "--permute", "--degrees-of", "3"]
        one = self.statistics(*base)
        for variant in (["--threads", "1"], ["--threads", "5"], ["--isa", "generic"], ["--backend", "cpu"]):
            other = self.statistics(*base, *variant)
            self.assertEqual({key: one[key] for key in SAME}, {key: other[key] for key in SAME}, variant)

    def test_no_edges(self):
        found = self.statistics("--edges", "0", "--scale", "4")
        self.assertEqual((found["edges"], found["ranges"], found["loops"]["edges"]), (0, [], 0))
        self.assertEqual(self.rmat("generate", "--statistics", "--edges", "0").returncode, 0)

    def test_wrong_options(self):
        for args, text in ((["-o", "x.h5"], "--output: given together with --statistics"),
                           (["--sorted"], "--sorted: given together with --statistics"),
                           (["--unique"], "--unique: given together with --statistics"),
                           (["--dry-run"], "--dry-run: given together with --statistics"),
                           (["--degrees-of", "1,x"], "--degrees-of: '1,x' is not a list of vertices, allowed: up to 16, each from 0 to 1048575"),
                           (["--degrees-of", "1048576"], "--degrees-of: '1048576' is not a list of vertices, allowed"),
                           (["--degrees-of", ",".join(map(str, range(17)))], "--degrees-of: '0,1,")):
            done = self.rmat("generate", "--statistics", *args)
            self.assertEqual(done.returncode, 2, args)
            self.assertIn(text, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)
        done = self.rmat("generate", "--degrees-of", "1")
        self.assertEqual((done.returncode, self.files()), (2, []))

    def test_what_cannot_be_merged(self):
        texts = {"a": json.dumps(self.statistics("--scale", "5")),
                 "other": json.dumps(self.statistics("--scale", "5", "--seed", "2", "--edges", "1K")),
                 "degrees": json.dumps(self.statistics("--scale", "5", "--edges", "1K", "--first", "999", "--degrees-of", "1")),
                 "text": "no JSON", "empty": "{}", "list": "[1]"}
        for name, text in texts.items():
            with open(self.path(name), "w", encoding="utf-8") as file:
                file.write(text)
        cut = json.loads(texts["a"])
        cut["levels"][2]["edges"].pop()
        with open(self.path("cut"), "w", encoding="utf-8") as file:
            json.dump(cut, file)
        for args, code, said in ((["a", "a"], 2, "some edges were counted in both"),
                                 (["a", "other"], 2, "they are of different edge lists"),
                                 (["a", "degrees"], 2, "they count the degrees of different vertices"),
                                 (["a"], 2, "--merge: 1 file given, allowed: 2 or more"),
                                 (["a", "none"], 1, "'none': No such file or directory"),
                                 (["a", "text"], 1, "'text': is not JSON"),
                                 (["a", "empty"], 1, "'empty': 'model' is missing"),
                                 (["a", "list"], 1, "'list': 'model' is missing"),
                                 (["a", "cut"], 1, "'cut': 'edges' is missing or has another type"),
                                 (["a", "a", "--fast"], 2, "--fast: given together with --merge, allowed: --json")):
            done = self.rmat("stats", "--merge", *args)
            self.assertEqual((done.returncode, done.stdout), (code, ""), args)
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
