"""README.md: its Python snippets run, its options are those of the program, its links lead somewhere.

Its C example is built by test_install.sh.
"""

import collections
import os
import re
import subprocess
import unittest

from cli import CliTest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else "python3"


class Readme(CliTest):
    def setUp(self):
        super().setUp()
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
            self.text = file.read()

    def python(self, words, modules):
        """Run the snippet that has these words; what it prints."""
        for module in modules.split(", "):
            find = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module.split('.')[0]!r}) is None)"
            if subprocess.run([PYTHON, "-c", find], check=False).returncode:
                self.skipTest("no " + module)
        found = [text for text in re.findall(r"^```python\n(.*?)^```$", self.text, re.M | re.S) if words in text]
        self.assertEqual(len(found), 1, words)
        self.assertEqual(re.search("^import (.*)$", found[0], re.M)[1], modules)
        done = subprocess.run([PYTHON, "-c", found[0]], cwd=self.folder, text=True,
                              capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_python_snippet(self):
        made = self.generate("--scale", "16", "--seed", "5")
        self.assertEqual(self.python("makes the very same graph again", "h5py"),
                         f"{16 << 16} edges, {1 << 16} vertices, seed 5\n{made['command']}\n")

    def test_csr_snippet(self):
        """All cells of a row are the most that there can be in one."""
        words, modules = "csr_matrix", "h5py, numpy, scipy.sparse"
        self.generate("--scale", "3", "--edges", "64", "--unique", "--format", "csr")
        self.assertEqual(self.python(words, modules), "64 edges, out-degrees up to 8\n")
        self.generate("--scale", "8", "--weights", "uniform", "--format", "csr", "--force")
        self.assertTrue(self.python(words, modules).startswith("4096 edges, "))

    def test_all_snippets_are_tested(self):
        self.assertEqual(self.text.count("```python\n"), 7)

    def edges(self, *options):
        """Of a graph in graph.h5, as text has them."""
        self.generate("--scale", "8", *options)
        done = self.rmat("generate", "--scale", "8", *options, "--format", "el", "-q", "-o", "-")
        return [tuple(map(int, line.split())) for line in done.stdout.splitlines()]

    def test_degrees(self):
        for bits in ("32", "64"):
            counts = collections.Counter(src for src, _ in self.edges())
            self.generate("--scale", "8", "--id-bits", bits, "--force")
            self.assertEqual(self.python("numpy.bincount", "h5py, numpy"),
                             f"out-degrees up to {max(counts.values())}\n")
            os.remove(self.path("graph.h5"))

    def test_numpy(self):
        src, dst = self.edges()[1000]
        self.rmat("generate", "--scale", "8", "--format", "npy", "-q")
        self.assertEqual(self.python("mmap_mode", "h5py, numpy"),
                         f"edge 1000 goes from {src} to {dst} and from {src} to {dst}\n")

    def test_scipy(self):
        counts = collections.Counter(self.edges())
        self.assertEqual(self.python("coo_matrix", "h5py, numpy, scipy.sparse"),
                         f"{len(counts)} distinct edges, the most frequent one {max(counts.values())} times\n")

    def test_networkx(self):
        edges = set(self.edges())
        loops = sum(src == dst for src, dst in edges)
        self.assertEqual(self.python("DiGraph", "h5py, networkx"), f"{len(edges)} distinct edges, {loops} loops\n")

    def test_pandas(self):
        counts = collections.Counter(src for src, _ in self.edges())
        most = max(counts.values())
        vertex = min(src for src, count in counts.items() if count == most)
        self.assertEqual(self.python("DataFrame", "h5py, pandas"), f"vertex {vertex} has the most out-edges, {most}\n")

    def test_options(self):
        section = re.search(r"^## Options of `rmat generate`\n(.*?)^## ", self.text, re.M | re.S)[1]
        described = set(re.findall(r"`(?:-\w, )?--([\w-]+)", section))
        shown = set(re.findall(r"^ +(?:-\w, )?--([\w-]+)", self.rmat("help", "generate").stdout, re.M))
        self.assertEqual(described, shown)

    def test_examples(self):
        """Those among the options: no wrong usage."""
        section = re.search(r"^## Options of `rmat generate`\n(.*?)^## ", self.text, re.M | re.S)[1]
        examples = re.findall(r"^    rmat (generate .*)$", section, re.M)
        self.assertGreaterEqual(len(examples), 3)
        for example in examples:
            done = self.rmat(*example.split(), "--dry-run", "-q")
            self.assertEqual((done.returncode, done.stderr), (0, ""), example)

    def test_links(self):
        for target in re.findall(r"\]\(([^)#]+)\)", self.text):
            self.assertTrue(os.path.exists(os.path.join(ROOT, target)), target)


if __name__ == "__main__":
    unittest.main()
