"""The examples in the docstrings and on the pages, and the types, if mypy is installed.

An example without its library is left out, and the test reports it.
"""

import doctest
import importlib.util
import os
import pkgutil
import re

from base import PythonTest, module, rmat


ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
PAGE = "apps/doc/PYTHON.md"
SECTION = re.compile(r"^## Into other libraries\n.*?(?=^## )", re.M | re.S)


def read(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        return file.read()


def examples(text):
    return re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)


def missing(modules):
    """Why an example that imports these cannot run here, or nothing."""
    if "cupy" in modules and rmat.gpus() == 0:
        return "no GPU for cupy"
    absent = [name for name in modules if importlib.util.find_spec(name.split(".")[0]) is None]
    return "no " + ", ".join(absent) if absent else None


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
        run = 0
        for page in ("README.md", "apps/python/README.md", PAGE):
            for example in examples(SECTION.sub("", read(page))):
                imported = re.search(r"^import (.*)$", example, re.M)[1].split(", ")
                if "rmat" in imported and not missing(imported):
                    self.python(example)
                    run += 1
        self.assertGreaterEqual(run, 3)

    def test_libraries(self):
        """Each example of how arrays go into a library runs after the first one, and prints what its comment says."""
        first, *others = examples(SECTION.search(read(PAGE))[0])
        self.assertGreater(len(others), 12)
        run, left_out = 0, []
        for example in others:
            imported = re.findall(r"^import (.*)$", example, re.M)
            absent = missing(", ".join(imported).split(", ") if imported else [])
            if absent:
                left_out.append(absent)
                continue
            with self.subTest(example):
                self.setUp()
                said = self.python(first + example, env={**os.environ, "PYTHONWARNINGS": "ignore", "MPLBACKEND": "agg"})
                self.assertEqual(said.splitlines(), re.findall(r"^ *print\(.*\)  # (.*)$", example, re.M))
                run += 1
        print(f"{run} examples run; left out: {'; '.join(left_out) or 'none'}")

    def test_types(self):
        api = module("mypy.api")
        folder = os.path.dirname(rmat.__file__)
        out, err, status = api.run(["--strict", "--ignore-missing-imports", "--cache-dir", self.path("cache"), folder])
        self.assertEqual((status, err), (0, ""), out)
