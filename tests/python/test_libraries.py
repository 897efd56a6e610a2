"""The pages of apps/doc/with: their examples print what stands below them.

The commands and examples of a page run in their order, in one folder.  An example whose library is missing is left out,
and the test says so.
"""

import glob
import importlib.util
import os
import re
import subprocess
import unittest

from base import RMAT, PythonTest, rmat

PAGES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "apps", "doc", "with")


class Libraries(PythonTest):
    def test_pages(self):
        run, left_out = 0, []
        for path in sorted(glob.glob(os.path.join(PAGES, "*.md"))):
            self.setUp()
            with open(path, encoding="utf-8") as file:
                blocks = re.findall(r"^```(\w+)\n(.*?)^```$", file.read(), re.M | re.S)
            self.assertIn("python", dict(blocks), path)
            for (kind, text), (following, printed) in zip(blocks, [*blocks[1:], ("", "")]):
                with self.subTest(page=os.path.basename(path), text=text):
                    if kind == "console":
                        self.command(text)
                    elif kind == "python":
                        self.assertEqual(following, "text", "what the example prints is missing")
                        missing = self.missing(re.search("^import (.*)$", text, re.M)[1].split(", "))
                        if missing:
                            left_out.append(f"{os.path.basename(path)}: {missing}")
                            continue
                        done = self.python(text, env={**os.environ, "PYTHONWARNINGS": "ignore"})  # of libraries
                        self.assertEqual((done.stdout, done.stderr, done.returncode), (printed, "", 0))
                        run += 1
        print(f"{run} examples run; left out:", "; ".join(left_out) or "none")
        if not run:
            self.skipTest("none of the libraries is there")

    def command(self, text):
        """Commands of a shell that print nothing."""
        lines = "\n".join(re.findall(r"^\$ (.*)$", text, re.M))
        environment = {**os.environ, "PATH": os.path.dirname(RMAT) + os.pathsep + os.environ["PATH"]}
        done = subprocess.run(["bash", "-e", "-c", lines], cwd=self.folder, env=environment, text=True,
                              capture_output=True, check=False)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("", "", 0))

    @staticmethod
    def missing(modules):
        """Why an example cannot run here, or nothing."""
        if {"cupy", "cugraph"} & set(modules) and rmat.gpus() == 0:
            return "no GPU"
        missing = [name for name in modules if importlib.util.find_spec(name.split(".")[0]) is None]
        return "no " + ", ".join(missing) if missing else None


if __name__ == "__main__":
    unittest.main()
