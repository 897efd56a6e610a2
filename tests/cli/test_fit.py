"""`rmat fit`: models that are found again, graphs that suit no model, commands that make what they promise."""

import json
import math
import os
import random
import shlex
import shutil
import signal
import subprocess
import time
import unittest

from cli import RMAT, CliTest, has_gpu

HAS_GNUPLOT = shutil.which("gnuplot") is not None
CHUNG_LU = os.environ.get("CHUNG_LU")
MODEL = ["--scale", "11", "--permute", "--seed", "5"]
LARGER = ["--scale", "12", "--permute", "--seed", "5"]
SMALL = ["--scale", "9", "--permute", "--seed", "5"]  # where the numbers need not be close to the truth


class FitTest(CliTest):
    def fit(self, *args):
        done = self.rmat("fit", "--json", "--quiet", *args)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        return json.loads(done.stdout)

    def write(self, name, edges):
        with open(self.path(name), "w", encoding="ascii") as file:
            file.writelines(f"{u} {v}\n" for u, v in edges)

    def write_list(self, name, *options):
        done = self.rmat("generate", *MODEL, *options, "--quiet", "-o", name)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def check_close(self, found, truth):
        for name, value in truth.items():
            fitted = found[name]
            self.assertLess(abs(fitted["value"] - value), 4 * fitted["error"], (name, fitted))
            self.assertLess(fitted["error"], 0.02, (name, fitted))

    def warned(self, found, text):
        self.assertTrue(any(text in warning for warning in found["warnings"]), (text, found["warnings"]))


class Known(FitTest):
    def test_every_treatment(self):
        for options, listed, distinct in (([], "directed", False), (["--unique"], "directed", True),
                                          (["--simple"], "both", True), (["--undirected", "lower"], "lower", False),
                                          (["--undirected", "upper", "--unique", "--no-self-loops"], "upper", True),
                                          (["--symmetrize"], "both", False)):
            self.generate(*LARGER, *options, "-o", "g.h5", "--force")
            found = self.fit("g.h5")
            self.check_close(found, {"a": 0.57, "b": 0.19, "c": 0.19, "d": 0.05})
            self.assertEqual((found["listed"], found["distinct"]), (listed, distinct))
            self.assertEqual((found["vertices"]["value"], found["vertices_fitted"]), (4096, False))
            self.assertEqual((found["suits"], found["noise"]["low"]), ("well", 0))
            self.assertNotIn("--noise", found["commands"][0]["rmat"])
            self.assertLess(max(found["rmat"]["ks_out"], found["rmat"]["ks_in"]), 0.05)
            # The command makes a graph that is treated alike, of the same size.
            command = shlex.split(found["commands"][0]["rmat"])
            self.assertEqual(command[:2], ["rmat", "generate"])
            self.rmat(*command[1:], "--quiet", "--force")
            again = json.loads(self.rmat("stats", "like.h5", "--json", "--quiet").stdout)
            before = json.loads(self.rmat("stats", "g.h5", "--json", "--quiet").stdout)
            self.assertLess(abs(again["edges"] / before["edges"] - 1), 0.01, options)
            self.assertEqual(again["num_rows"], before["num_rows"])
            for one in ("duplicates", "loops"):
                self.assertEqual(again[one] == 0, before[one] == 0, (options, one))

    def test_reciprocity_is_that_of_stats(self):
        """Of distinct edges, which copies do not change."""
        for options in ([], ["--unique"], ["--no-self-loops", "--edge-factor", "100"]):
            self.generate(*MODEL, *options, "-o", "g.h5", "--force")
            stats = json.loads(self.rmat("stats", "g.h5", "--json", "--quiet").stdout)
            found = self.fit("g.h5", "--no-chung-lu", "--time", "1")
            self.assertEqual(found["graph"]["reciprocity"], stats["reciprocity"], options)

    def test_formats_and_threads_change_nothing(self):
        """Formats differ in how they are read alone; threads in distinct edges, too, whose fit takes several times as long."""
        keys = ("a", "b", "c", "d", "noise", "vertices", "graph", "rmat", "chung_lu")
        self.generate(*SMALL, "--edge-factor", "2", "--unique", "-o", "u.h5")
        one, three = self.fit("u.h5", "--threads", "1"), self.fit("u.h5", "--threads", "3")
        self.assertEqual([three[key] for key in keys], [one[key] for key in keys])
        self.generate(*SMALL, "-o", "g.h5")
        expected = self.fit("g.h5", "--threads", "1")
        for name in ("g.el", "g.mtx", "g.parquet"):
            self.assertEqual(self.rmat("convert", "g.h5", name, "--quiet").returncode, 0)
        for args in (["g.h5", "--threads", "3"], ["g.el", "--vertices", "512"], ["g.mtx"], ["g.parquet",
                                                                                            "--vertices", "512"]):
            found = self.fit(*args)
            for key in keys:
                self.assertEqual(found[key], expected[key], (args, key))

    def test_noise_and_vertices(self):
        self.generate("--vertices", "3000", "--edges", "60000", "--noise", "0.08", "--permute", "-o", "g.h5")
        levels = json.loads(self.rmat("info", "g.h5", "--json").stdout)["matrices"]
        levels = [levels[i:i + 4] for i in range(0, len(levels), 4)] if not isinstance(levels[0], list) else levels
        mean = {k: sum(level[i] for level in levels) / len(levels) for i, k in enumerate("abcd")}
        found = self.fit("g.h5")
        self.check_close(found, mean)
        self.assertAlmostEqual(found["noise"]["value"], 0.08, delta=0.025)
        real = math.sqrt(3 * sum((level[1] - mean["b"])**2 for level in levels) / len(levels))
        self.assertTrue(0 < found["noise"]["low"] < real < found["noise"]["high"], (real, found["noise"]))
        self.assertIn("--noise", found["commands"][0]["rmat"])

    def test_vertices_without_edges_may_be_missing(self):
        """A graph in which only those vertices were numbered that have edges."""
        self.write_list("g.el", "--edge-factor", "8")
        with open(self.path("g.el"), encoding="ascii") as file:
            edges = [tuple(map(int, line.split())) for line in file]
        number = {v: i for i, v in enumerate(sorted({v for edge in edges for v in edge}))}
        self.write("c.el", [(number[u], number[v]) for u, v in edges])
        found = self.fit("c.el")
        self.assertTrue(found["vertices_fitted"])
        self.assertLess(abs(found["vertices"]["value"] / 2048 - 1), 0.08)
        self.assertLess(abs(found["a"]["value"] - 0.57), 0.01)
        self.assertLess(len(number), 1600)

    def test_larger(self):
        self.generate(*MODEL, "-o", "g.h5")
        found = self.fit("g.h5", "--multiply", "8")
        self.assertEqual([size["multiply"] for size in found["commands"]], [8])
        words = shlex.split(found["commands"][0]["rmat"])
        self.assertIn(f"--scale 14 --edges {8 * 32768}", found["commands"][0]["rmat"])
        self.assertEqual(self.rmat(*words[1:], "--quiet").returncode, 0)
        again = self.fit("like.h5")
        for name in "abc":
            self.assertLess(abs(again[name]["value"] - found[name]["value"]), 0.002, name)
        dense = self.fit("g.h5", "--multiply", "8", "--densify")["commands"][0]["rmat"]
        edges = int(dense.split("--edges ")[1].split()[0])
        self.assertAlmostEqual(edges / 32768**(14 / 11), 1, delta=1e-4)
        self.assertEqual([size["multiply"] for size in self.fit("g.h5")["commands"]], [1, 10, 1000])

    @unittest.skipUnless(CHUNG_LU, "needs CHUNG_LU")
    def test_chung_lu(self):
        self.generate(*MODEL, "--unique", "-o", "g.h5")
        found = self.fit("g.h5")
        words = shlex.split(found["commands"][0]["chung_lu"])
        subprocess.run([CHUNG_LU, *words[1:], "--quiet"], cwd=self.folder, check=True)
        like = self.fit("like.h5")["graph"]
        for key in ("isolated", "correlation_of_degrees", "correlation_of_ends"):
            self.assertAlmostEqual(like[key], found["chung_lu"][key], delta=0.02)
        self.assertIsNone(self.fit("g.h5", "--no-chung-lu")["chung_lu"])


class Unlike(FitTest):
    """Graphs that the model does not suit: a word about each."""

    def test_star_grid_and_few(self):
        self.write("star.el", [(0, i) for i in range(1, 2000)])
        found = self.fit("star.el")
        self.assertEqual(found["suits"], "badly")
        self.warned(found, "no R-MAT graph has such degrees")
        self.warned(found, "say so by --directed yes")
        self.write("grid.el", [(50 * i + j, 50 * i + j + step) for i in range(49) for j in range(49)
                               for step in (1, 50)])
        found = self.fit("grid.el")
        self.assertEqual(found["suits"], "badly")
        self.warned(found, "the degrees do not determine")
        self.assertIsNone(found["a"]["error"])
        self.write("one.el", [(5, 5)])
        self.warned(self.fit("one.el"), "edges are few")

    def test_holes_in_the_numbers(self):
        generator = random.Random(3)
        ids = [generator.getrandbits(61) for _ in range(3000)]
        edges = [(ids[int(3000 * generator.random()**3)], ids[int(3000 * generator.random()**2)])
                 for _ in range(30000)]
        self.write("holes.el", edges)
        found = self.fit("holes.el")
        used = len({v for edge in edges for v in edge})
        self.assertEqual(found["graph"]["vertices"], used)
        self.warned(found, "vertex numbers have holes")
        number = {v: i for i, v in enumerate(sorted({v for edge in edges for v in edge}))}
        self.write("dense.el", [(number[u], number[v]) for u, v in edges])
        self.assertEqual(self.fit("dense.el")["a"], found["a"])

    def test_directions(self):
        generator = random.Random(4)
        pairs = {tuple(sorted(generator.sample(range(300), 2))) for _ in range(1500)}
        self.write("mixed.el", [pair if generator.random() < 0.5 else pair[::-1] for pair in pairs])
        found = self.fit("mixed.el")
        self.assertEqual(found["listed"], "directed")
        self.warned(found, "--directed no")
        self.assertIn(self.fit("mixed.el", "--directed", "no")["listed"], ("lower", "upper"))
        self.assertEqual(self.fit("mixed.el", "--directed", "yes")["listed"], "directed")

    def test_nothing_to_fit(self):
        self.write("none.el", [])
        for name, text in (("none.el", "the graph has no edges, so there is nothing to fit"),
                           ("missing.el", "missing.el: No such file or directory")):
            done = self.rmat("fit", name)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (1, "", f"rmat fit: {text}\n"))
        self.write("lonely.el", [(0, 0), (0, 0)])
        done = self.rmat("fit", "lonely.el")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "rmat fit: the graph has one vertex, but a fit needs two or more\n"))
        self.generate("--rows", "100", "--cols", "200", "--edges", "1000", "-o", "g.h5")
        done = self.rmat("fit", "g.h5")
        self.assertEqual(done.returncode, 1)
        self.assertIn("100 source and 200 destination vertices", done.stderr)


class Wrong(FitTest):
    def test_options(self):
        self.generate(*MODEL, "-o", "g.h5")
        for args, text in (
                ([], "FILE missing, allowed: the path of a graph"),
                (["g.h5", "--undirected"], "--undirected was removed, use --directed no"),
                (["g.h5", "--directed"], "--directed: value missing, allowed: yes, no"),
                (["g.h5", "--vertices", "5"], "--vertices: '5' is out of range, allowed: 2048 or more"),
                (["g.h5", "--multiply", "0"], "--multiply: '0' is out of range, allowed: 1 to 1000000000"),
                (["g.h5", "--time", "0"], "--time: '0' is out of range, allowed: 1 to 1000000"),
                (["g.h5", "--force"], "--force: given alone, allowed: with --plot or --generate"),
                (["g.h5", "--backend", "cpu", "--device", "0"],
                 "--device: given with --backend cpu, allowed: with --backend auto or gpu"),
                (["g.h5", "--plot", "x.gif"], "--plot: 'x.gif' is not the name of a picture, allowed: a name that ends with "
                                              ".png, .svg or .pdf"),
                (["g.h5", "--memory", "1M"], "--memory: 1.00 MB are too few for this graph, allowed: 1.67 MB or more")):
            done = self.rmat("fit", *args)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"rmat fit: {text}\n"))
        self.assertEqual(self.files(), ["g.h5"])

    def test_time_is_over(self):
        self.generate("--scale", "18", "--permute", "-o", "g.h5")
        found = self.fit("g.h5", "--time", "1", "--threads", "1")
        self.assertLess(found["simulations"], 32)
        self.warned(found, "the time limit (--time) was reached")
        self.assertLess(abs(found["a"]["value"] - 0.57), 0.005)

    def test_interrupted(self):
        self.generate("--scale", "18", "--permute", "-o", "g.h5")
        with subprocess.Popen([RMAT, "fit", "g.h5", "--quiet", "--threads", "1", "--time", "1000"], cwd=self.folder,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
            time.sleep(1)
            running.send_signal(signal.SIGINT)
            out, err = running.communicate(timeout=60)
        self.assertEqual((running.returncode, out, err), (130, "", "rmat fit: stopped by SIGINT\n"))

    @unittest.skipIf(has_gpu(), "there is a GPU")
    def test_no_gpu(self):
        self.generate(*SMALL, "-o", "g.h5")
        done = self.rmat("fit", "g.h5", "--backend", "gpu")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("no GPU can be used", done.stderr)


class Report(FitTest):
    def test_text(self):
        self.generate(*MODEL, "--simple", "-o", "g.h5")
        done = self.rmat("fit", "g.h5", "--quiet")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for text in ("graph         undirected, each edge with its reverse, no copies, no loops\n",
                     "vertices          2048  as the graph has\n", "R-MAT suits   well\n", "\n1000 x\n  rmat generate --",
                     "chung_lu --like g.h5 --multiply 1000 --permute --no-self-loops --symmetrize --unique -o like.h5\n"):
            self.assertIn(text, done.stdout)
        self.assertNotIn("in-degrees", done.stdout)

    def test_standard_input(self):
        self.write_list("g.el")
        with open(self.path("g.el"), "rb") as file:
            done = self.rmat("fit", "-", "--from", "el", "--json", "--quiet", stdin=file)
        found = json.loads(done.stdout)
        self.assertEqual(found["commands"][0]["chung_lu"], None)
        self.assertEqual(found["a"], self.fit("g.el")["a"])

    @unittest.skipUnless(HAS_GNUPLOT, "needs gnuplot (Debian: gnuplot-nox)")
    def test_picture(self):
        self.generate(*SMALL, "-o", "g.h5")
        self.generate(*SMALL, "--simple", "-o", "s.h5")
        for graph, name, magic in (("g.h5", "f.png", b"\x89PNG"), ("s.h5", "f.svg", b"<?xml"), ("g.h5", "f.pdf", b"%PDF")):
            self.fit(graph, "--plot", name)
            self.assertTrue(self.read(name).startswith(magic), name)
        for word in (b"degree", b"R-MAT", b"Chung-Lu", b"graph"):
            self.assertIn(word, self.read("f.svg"))
        before = self.read("f.png")
        done = self.rmat("fit", "g.h5", "--quiet", "--plot", "f.png")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--force", done.stderr)
        self.assertEqual(self.read("f.png"), before)
        self.fit("g.h5", "--plot", "f.png", "--force")
        self.assertEqual(self.files(), ["f.pdf", "f.png", "f.svg", "g.h5", "s.h5"])


if __name__ == "__main__":
    unittest.main()
