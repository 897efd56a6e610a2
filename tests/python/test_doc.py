"""The examples in the docstrings, and the types, where mypy is."""

import doctest
import importlib
import os
import pkgutil
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

    def test_types(self):
        api = module("mypy.api")
        folder = os.path.dirname(rmat.__file__)
        out, err, status = api.run(["--strict", "--ignore-missing-imports", "--cache-dir", self.path("cache"), folder])
        self.assertEqual((status, err), (0, ""), out)


if __name__ == "__main__":
    unittest.main()
