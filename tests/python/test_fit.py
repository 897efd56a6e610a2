"""rmat.fit(): of arrays the same as of a file, and graphs of the model."""

import json
import math
import subprocess
import unittest

from base import RMAT, PythonTest, numpy, rmat


class Fit(PythonTest):
    def test_arrays_and_files(self):
        self.generate("--scale", "11", "--noise", "0.05", "--permute", "--seed", "3", "-o", "g.h5")
        src, dst = rmat.Graph(scale=11, noise=0.05, permute=True, seed=3).edges()
        told = json.loads(subprocess.run([RMAT, "fit", "g.h5", "--json", "--quiet"], cwd=self.folder, check=True,
                                         capture_output=True).stdout)
        for fitted in (rmat.fit(src, dst, vertices=2048), rmat.fit(self.path("g.h5")),
                       rmat.fit(src.astype("uint64"), dst, vertices=2048, threads=1)):
            for key in ("a", "b", "c", "d", "noise", "vertices", "graph", "rmat", "chung_lu", "listed", "suits"):
                self.assertEqual(fitted.report[key], told[key], key)
        self.assertIsInstance(fitted.a, rmat.Fitted)
        self.assertAlmostEqual(fitted.a.value, 0.57, delta=0.03)
        self.assertEqual(fitted.noise, tuple(told["noise"][key] for key in ("value", "error", "low", "high")))
        self.assertTrue(0 < fitted.noise.low < fitted.noise.value < fitted.noise.high < 0.1)
        self.assertEqual((fitted.suits, fitted.warnings), ("well", []))
        self.assertIn("suits well", repr(fitted))
        self.assertRaises(AttributeError, lambda: fitted.e)

    def test_graphs(self):
        src, dst = rmat.Graph(scale=11, permute=True, unique=True).edges()
        fitted = rmat.fit(src, dst, vertices=2048, multiply=20)
        large = fitted.graph(20, weights="uniform")
        self.assertEqual((large.num_vertices, large.num_edges), (40960, 20 * len(src)))
        self.assertEqual(large.weight_dtype, "float32")
        self.assertEqual(len(large.edges()[0]), 20 * len(src))
        self.assertIn("--vertices 40960", fitted.command(20))
        with self.assertRaisesRegex(rmat.OptionError, "multiply: 3 was not fitted, allowed: 20"):
            fitted.command(3)
        even = rmat.fit(numpy.arange(100), (numpy.arange(100) + 1) % 100, chung_lu=False)
        self.assertTrue(all(math.isnan(x) for x in even.a[1:]))
        self.assertIsNone(even.report["chung_lu"])

    def test_directions(self):
        src, dst = rmat.Graph(scale=10, edges=8000, undirected="lower", no_self_loops=True).edges()
        self.assertEqual(rmat.fit(src, dst).report["listed"], "lower")
        self.assertEqual(rmat.fit(src, dst, directed=True).report["listed"], "directed")
        turned = numpy.arange(len(src)) % 2 == 0
        mixed = numpy.where(turned, src, dst), numpy.where(turned, dst, src)
        self.assertEqual(rmat.fit(*mixed).report["listed"], "directed")
        self.assertIn(rmat.fit(*mixed, directed=False).report["listed"], ("lower", "upper"))

    def test_wrong(self):
        ids = numpy.array([0, 1, 2])
        for call, text in ((lambda: rmat.fit(ids, ids[:2]), "dst: 2 vertices, allowed: as many as src has, 3"),
                           (lambda: rmat.fit(ids / 2, ids), "src: an array of 1 dimensions and float64"),
                           (lambda: rmat.fit(ids, ids - 1), "dst: a vertex number is -1, allowed: 0 and above"),
                           (lambda: rmat.fit(ids, ids, vertices=2), "vertices: '2' is out of range, allowed: 3 or more"),
                           (lambda: rmat.fit(ids, ids, backend="x"), "backend: 'x' is unknown"),
                           (lambda: rmat.fit(ids.reshape(1, 3), ids), "src: an array of 2 dimensions")):
            with self.assertRaisesRegex(rmat.OptionError, text):
                call()
        with self.assertRaisesRegex(rmat.Error, "the graph has no edges"):
            rmat.fit(ids[:0], ids[:0])
        for options, text in (({"seed": -1}, "^seed: -1 is out of range"), ({"vertices": -1}, "^vertices: -1 is out of"),
                              ({"time": -1}, "^time: -1 is out of range"), ({"threads": 10**6}, "^threads: 1000000 is"),
                              ({"densify": 2}, "^densify: 2 is not a flag"), ({"directed": "no"}, "^directed: 'no' is not")):
            with self.assertRaisesRegex(rmat.OptionError, text):
                rmat.fit(ids, ids, **options)
        self.assertEqual(rmat.fit(ids, ids, vertices=numpy.int64(3), seed=numpy.uint64(5), time=numpy.float32(3),
                                  densify=numpy.bool_(False), chung_lu=0).vertices.value, 3)

    def test_interrupted(self):
        self.assertLess(self.interrupted("rmat.fit(*rmat.Graph(scale=20).edges(), time=1000)"), 5)


if __name__ == "__main__":
    unittest.main()
