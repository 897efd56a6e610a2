"""`rmat compare` against Counter of Python, and several files in one call."""

import collections
import json
import os
import random
import unittest

from cli import CliTest, size

LEAST = ["--threads", "1", "--memory", "5M"]


class CompareTest(CliTest):
    def write(self, name, edges):
        with open(self.path(name), "w", encoding="ascii") as file:
            file.writelines(" ".join(map(str, edge)) + "\n" for edge in edges)

    def compare(self, a, b, *args):
        done = self.rmat("compare", "-q", "--json", a, b, *args)
        self.assertEqual(done.stderr, "", args)
        told = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if told["same"] else 1, args)
        return told

    def check(self, a, b, *args, key=tuple, suffix="el"):
        """Two lists of edges: `key` is what an edge is by these options."""
        self.write("a." + suffix, a)
        self.write("b." + suffix, b)
        left, right = (collections.Counter(map(key, edges)) for edges in (a, b))
        if "--dedup" in args:
            left, right = collections.Counter(set(left)), collections.Counter(set(right))
        expected = [sorted((left - right).elements()), sorted((right - left).elements())]
        for more in ([], ["--threads", "3"], LEAST):
            told = self.compare("a." + suffix, "b." + suffix, *args, *more, "--edges", "7")
            for found, only in zip((told["a"], told["b"]), expected):
                self.assertEqual(found["only_here"], len(only), (args, more))
                self.assertEqual([tuple(edge) for edge in found["first_only_here"]], only[:7], (args, more))
            self.assertEqual(told["in_both"], (left & right).total(), (args, more))
            self.assertEqual(told["same"], left == right)
        return told


class Compare(CompareTest):
    def test_multisets(self):
        draw = random.Random(1)
        a = [(draw.randrange(40), draw.randrange(40)) for _ in range(3000)]
        for b in (draw.sample(a, len(a)), a[100:], a + a[:50], [(v, u) for u, v in a], a[:-1] + [(99, 1 << 40)], a[:1]):
            self.check(a, b)
            self.check(a, b, "--dedup")
            self.check(a, b, "--undirected", key=lambda edge: (max(edge), min(edge)))
            self.check(a, b, "--undirected", "--dedup", key=lambda edge: (max(edge), min(edge)))

    def test_weights(self):
        draw = random.Random(2)
        a = [(draw.randrange(9), draw.randrange(9), draw.randrange(-3, 4)) for _ in range(2000)]
        for b in (draw.sample(a, len(a)), a[:-3], [(u, v, w + 1) for u, v, w in a]):
            self.check(a, b, suffix="wel")
            self.check(a, b, "--no-weights", key=lambda edge: edge[:2], suffix="wel")
        # Integers in one graph, floats in the other.
        self.write("ints.wel", [(1, 2, 3), (0, 1, -5)])
        self.write("floats.wel", [(0, 1, "-5.0"), (1, 2, "3.0")])
        self.write("half.wel", [(0, 1, "-5.0"), (1, 2, "3.5")])
        self.assertTrue(self.compare("ints.wel", "floats.wel")["same"])
        told = self.compare("ints.wel", "half.wel")
        self.assertEqual((told["a"]["first_only_here"], told["b"]["first_only_here"]), ([[1, 2, 3]], [[1, 2, 3.5]]))
        # The least weight of copies.
        self.write("copies.wel", [(1, 2, 9), (0, 1, -5), (1, 2, 3)])
        self.assertFalse(self.compare("ints.wel", "copies.wel")["same"])
        self.assertTrue(self.compare("ints.wel", "copies.wel", "--dedup")["same"])

    def test_several_passes(self):
        """Where memory is less than both graphs take, intervals are cut; one graph may be much smaller."""
        n = size(400000, 4000000)
        draw = random.Random(3)
        a = [(draw.randrange(1 << 18), draw.randrange(64)) for _ in range(n)]
        self.assertGreater(self.check(a, a[1000:] + [(5, 5)] * 2000)["passes"], 2)
        self.check(a[:10], a)

    def test_formats(self):
        """Of a graph in every format that is read, with its edges in other orders."""
        self.generate("--scale", "9", "--simple", "-o", "g.h5")
        for name in ("g.csv", "g.mtx", "g.gr", "g.graph", "g.bin32", "g.g500", "g.npy", "g.parquet", "g.sg", "g.bsp.h5"):
            weights = ["--weights", "int:1:9"] if name == "g.gr" else []
            self.assertEqual(self.rmat("convert", "-q", "g.h5", name, *weights).returncode, 0, name)
            told = self.compare("g.h5", name, *(["--no-weights"] if weights else []))
            self.assertTrue(told["same"], name)
            self.assertEqual(told["in_both"], told["a"]["edges"])
        self.assertTrue(self.compare("g.csv", "g.mtx")["same"])
        os.mkdir(self.path("parts"))
        lines = self.read("g.csv").splitlines(keepends=True)
        for i, part in enumerate((lines[:500], lines[:1] + lines[500:])):
            with open(self.path(f"parts/{i}.csv"), "wb") as file:
                file.writelines(part)
        self.assertTrue(self.compare("parts", "g.h5")["same"])
        with open(self.path("n.csv"), "wb") as file:  # names are those of columns of the file that has some
            file.writelines([b"x,from,to\n"] + [b"7," + line for line in lines[1:]])
        for names in ("n.csv", "g.h5"), ("g.npy", "n.csv"):
            self.assertTrue(self.compare(*names, "--columns", "from,to")["same"])
        with open(self.path("g.csv"), "rb") as file:
            done = self.rmat("compare", "-q", "-", "g.h5", "--from", "csv", "--from-b", "h5", stdin=file)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_nothing(self):
        self.generate("--scale", "3", "--edges", "0", "-o", "g.h5")
        self.write("one.el", [(1, 1)])
        told = self.compare("g.h5", "g.h5")
        self.assertEqual((told["same"], told["in_both"]), (True, 0))
        self.assertEqual(self.compare("g.h5", "one.el")["b"]["only_here"], 1)

    def test_text(self):
        self.write("a.el", [(1, 2), (3, 4), (3, 4)])
        self.write("b.el", [(3, 4), (0, 9)])
        done = self.rmat("compare", "a.el", "b.el", "-q")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", ""))
        done = self.rmat("compare", "a.el", "b.el")
        self.assertEqual(done.stdout, "A            a.el (el): 5 x 5 vertices, 3 edges\n"
                         "B            b.el (el): 10 x 10 vertices, 2 edges\n"
                         "in both      1\nonly in A    2\n  < 1 2\n  < 3 4\nonly in B    1\n  > 0 9\n"
                         "the edges are different\n")
        self.assertTrue(self.rmat("compare", "a.el", "a.el").stdout.endswith("the edges are the same\n"))

    def test_failures(self):
        self.write("a.el", [(1, 2)])
        self.write("w.wel", [(1, 2, 3)])
        self.write("bad.el", [(1, 2), ("x", 3)])
        self.generate("--scale", "8", "-o", "damaged.h5")
        with open(self.path("damaged.h5"), "r+b") as file:
            file.seek(-9, os.SEEK_END)
            file.write(b"\xff")
        for args, code, text in (
                (["a.el", "none.el"], 3, "none.el: No such file or directory"),
                (["a.el", "bad.el"], 3, "line 2"),
                (["a.el", "damaged.h5"], 3, "damaged"),
                (["a.el", "w.wel"], 2, "'w.wel' has weights and 'a.el' has none, allowed: with --no-weights"),
                (["a.el", "a.el", "--memory", "64Ki"], 2, "--memory: '65536' is too little for"),
                (["a.el"], 2, "B missing, allowed: A B"),
                (["-", "-", "--from", "el"], 2, "A and B are '-', allowed: standard input for one of them"),
                (["a.el", "a.el", "--columns", "to,from"], 2, "--datasets: given for el, allowed: for h5, csv, parquet"),
                (["a.el", "a.el", "a.el"], 2, "unexpected argument")):
            done = self.rmat("compare", *args)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (code, "", 1), (args, done.stderr))
            self.assertIn(text, done.stderr)


class SeveralFiles(CompareTest):
    def setUp(self):
        super().setUp()
        self.generate("--scale", "6", "-o", "g.h5")
        self.write("a.el", [(1, 2), (2, 1), (1, 2)])

    def test_info(self):
        one = [json.loads(self.rmat("info", "--json", name).stdout) for name in ("g.h5", "a.el")]
        self.assertEqual({name: one[1][name] for name in ("format", "edges", "num_rows", "id_type", "weight_type",
                                                          "first_edges")},
                         {"format": "el", "edges": 3, "num_rows": 3, "id_type": "uint32", "weight_type": "none",
                          "first_edges": [[1, 2], [2, 1], [1, 2]]})
        done = self.rmat("info", "--json", "g.h5", "none", "a.el")
        self.assertEqual((done.returncode, json.loads(done.stdout)), (1, [one[0], {"file": "none", "failed": True}, one[1]]))
        texts = [self.rmat("info", name).stdout for name in ("g.h5", "a.el")]
        self.assertEqual(self.rmat("info", "g.h5", "a.el").stdout, "\n".join(texts))

    def test_info_of_formats(self):
        self.generate("--scale", "6", "--simple", "--weights", "int:1:9", "-o", "s.h5", "--force")
        first = json.loads(self.rmat("info", "--json", "s.h5").stdout)
        for name in ("s.wel", "s.csv", "s.mtx", "s.gr", "s.graph", "s.parquet", "s.wsg"):
            self.assertEqual(self.rmat("convert", "-q", "s.h5", name).returncode, 0)
            told = json.loads(self.rmat("info", "--json", name).stdout)
            self.assertEqual((told["edges"], told["file_bytes"]), (first["edges"], os.path.getsize(self.path(name))), name)
            self.assertEqual(told["first_edges"], first["first_edges"], name)

    def test_verify(self):
        self.assertEqual(self.rmat("verify", "-q", "g.h5", "g.h5").stdout, "")
        with open(self.path("bad.h5"), "wb") as file:
            file.write(self.read("g.h5")[:-1])
        done = self.rmat("verify", "--json", "none.h5", "g.h5", "bad.h5")
        self.assertEqual((done.returncode, [one["verdict"] for one in json.loads(done.stdout)]),
                         (1, ["not checked", "all right", "WRONG"]))
        self.assertEqual(self.rmat("verify", "none.h5", "g.h5").returncode, 3)

    def test_stats(self):
        one = [json.loads(self.rmat("stats", "-q", "--json", name).stdout) for name in ("g.h5", "a.el")]
        done = self.rmat("stats", "-q", "--json", "g.h5", "a.el")
        self.assertEqual((done.returncode, json.loads(done.stdout)), (0, one))
        self.assertEqual((len(one[0]["levels"]), one[1]["levels"]), (6, []))  # no model, no levels
        asked = json.loads(self.rmat("stats", "-q", "--json", "a.el", "--levels").stdout)
        self.assertEqual(asked["levels"], [[0, 2 / 3, 1 / 3, 0], [0, 1 / 3, 2 / 3, 0]])
        done = self.rmat("stats", "g.h5", "a.el", "--degrees", "d.tsv")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "rmat stats: --degrees: given with several files, allowed: with one\n"))
        for name in ("d.tsv", "d.csv"):
            self.assertEqual(self.rmat("stats", "-q", "a.el", "--degrees", name).returncode, 0)
        self.assertEqual(self.read("d.tsv").replace(b"\t", b","), self.read("d.csv"))
        self.assertEqual(self.read("d.csv").split(b"\n")[0], b"degree,out,in,total")


if __name__ == "__main__":
    unittest.main()
