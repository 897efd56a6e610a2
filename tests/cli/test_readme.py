"""README.md: its Python snippets run, its options are those of the program, its links lead somewhere.

Its C example is built by test_install.sh.
"""

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

    def python(self, which, modules):
        """Run a snippet; what it prints."""
        if subprocess.run([PYTHON, "-c", "import " + modules], check=False, stderr=subprocess.DEVNULL).returncode:
            self.skipTest("no " + modules)
        found = re.findall(r"^```python\n(.*?)^```$", self.text, re.M | re.S)
        self.assertEqual(len(found), 2)
        done = subprocess.run([PYTHON, "-c", found[which]], cwd=self.folder, text=True,
                              capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_python_snippet(self):
        made = self.generate("--scale", "16", "--seed", "5")
        self.assertEqual(self.python(0, "h5py"),
                         f"{16 << 16} edges, {1 << 16} vertices, seed 5\n{made['command']}\n")

    def test_csr_snippet(self):
        """All cells of a row are the most that there can be in one."""
        self.generate("--scale", "3", "--edges", "64", "--unique", "--format", "csr")
        self.assertEqual(self.python(1, "scipy.sparse, h5py"), "64 edges, out-degrees up to 8\n")
        self.generate("--scale", "8", "--weights", "uniform", "--format", "csr", "--force")
        self.assertTrue(self.python(1, "scipy.sparse, h5py").startswith("4096 edges, "))

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
