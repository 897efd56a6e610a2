"""The examples in the docstrings and on the pages, and the types, where mypy is."""

import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys
import unittest

from base import PythonTest, module, rmat


class Doc(PythonTest):
    def test_examples(self):
        attempted = 0
        for name in ["rmat"] + ["rmat." + found.name for found in pkgutil.iter_modules(rmat.__path__)]:
            result = doctest.testmod(importlib.import_module(name), extraglobs=vars(rmat))
            self.assertEqual(result.failed, 0, name)
            attempted += result.attempted
        self.assertGreater(attempted, 10)

    def test_pages(self):
        """Each example of the package on a page runs by itself, in an empty folder."""
        root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
        run = 0
        for page in ("README.md", "apps/python/README.md", "apps/doc/PYTHON.md"):
            with open(os.path.join(root, page), encoding="utf-8") as file:
                examples = re.findall(r"^```python\n(.*?)^```$", file.read(), re.M | re.S)
            for example in examples:
                imported = re.search(r"^import (.*)$", example, re.M).group(1).split(", ")
                if "rmat" in imported and self.has(imported):
                    done = self.python(example)
                    self.assertEqual((done.returncode, done.stderr), (0, ""), example)
                    run += 1
        self.assertGreaterEqual(run, 2)

    @staticmethod
    def has(modules):
        if "cupy" in modules and rmat.gpus() == 0:
            return False
        try:
            return all(module(name) for name in modules)
        except unittest.SkipTest:
            return False

    def test_types(self):
        api = module("mypy.api")
        folder = os.path.dirname(rmat.__file__)
        out, err, status = api.run(["--strict", "--ignore-missing-imports", "--cache-dir", self.path("cache"), folder])
        self.assertEqual((status, err), (0, ""), out)


if __name__ == "__main__":
    unittest.main()
