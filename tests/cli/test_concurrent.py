"""Two commands with the same output at the same time: one wins, and the other says so; readers beside writers.

RMAT_PAIRS=300 repeats each pair so often, 3 times if it is not set; RMAT_OUTPUT="csr" tries only that output.
"""

import os
import random
import re
import shutil
import subprocess
import time
import unittest

from cli import CliTest, RMAT

PAIRS = int(os.environ.get("RMAT_PAIRS", "3"))
GRAPH = ["--scale", "12"]

# What a command writes to OUT, of seed SEED or of the graph g-SEED.h5, and the other files that it makes.
GENERATE = {
    "list": ("x.h5", [], []),
    "csr": ("x.h5", ["--unique", "--format", "csr"], []),
    "text": ("x.el", [], []),
    "sorted text": ("x.el", ["--sorted"], []),
    "parquet": ("x.parquet", [], []),
    "npy": ("x.npy", [], []),
    "serialized": ("x.sg", [], []),
    "two files": ("x.g500", ["--weights", "uniform"], ["x.g500.weights"]),
}

LOST = re.compile(r"\Armat \w+: (.*: )?(already exists.*|.*is being written by another process)\n\Z")


class Concurrent(CliTest):
    def outputs(self):
        """Name: (command of a seed, the files it makes)."""
        found = {name: (lambda seed, out=out, args=args: ["generate", "-q", *GRAPH, *args, "--seed", str(seed), "-o", out],
                        [out, *beside]) for name, (out, args, beside) in GENERATE.items()}
        found["converted"] = (lambda seed: ["convert", "-q", f"g-{seed}.h5", "x.csr.h5", "--to", "csr"], ["x.csr.h5"])
        found["converted text"] = (lambda seed: ["convert", "-q", f"g-{seed}.h5", "x.mtx"], ["x.mtx"])
        found["degrees"] = (lambda seed: ["stats", "-q", f"g-{seed}.h5", "--degrees", "x.txt"], ["x.txt"])
        if shutil.which("gnuplot"):
            found["picture"] = (lambda seed: ["plot", "-q", f"g-{seed}.h5", "-o", "x.svg", "--title", str(seed)], ["x.svg"])
            found["table"] = (lambda seed: ["plot", "-q", f"g-{seed}.h5", "--data", "x.data", "-o", self.other()], ["x.data"])
        return {name: found[name] for name in found if os.environ.get("RMAT_OUTPUT", name) == name}

    def other(self):
        """The name of a picture that no other run makes."""
        self.others += 1
        return f"y-{self.others}.svg"

    def content(self, names):
        """Of files; None: there is none."""
        return {name: self.read(name) if os.path.exists(self.path(name)) else None for name in names}

    def remove(self, names):
        for name in [*names, *(file for file in self.files() if file.startswith("y-"))]:
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))

    def start(self, words):
        return subprocess.Popen([RMAT, *words], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                text=True)

    def right(self, command, names):
        """What each of the two makes."""
        made = []
        for seed in 1, 2:
            done = self.rmat(*command(seed))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            made.append(self.content(names))
            self.remove(names)
        self.assertFalse(made[0] == made[1])
        return made

    def setUp(self):
        super().setUp()
        self.others = 0
        for seed in 1, 2:
            self.rmat("generate", "-q", *GRAPH, "--seed", str(seed), "-o", f"g-{seed}.h5")

    def test_two_writers(self):
        for name, (command, names) in self.outputs().items():
            right = self.right(command, names)
            for force in ([], ["--force"]):
                with self.subTest(output=name, force=force):
                    for _ in range(PAIRS):
                        self.one_pair(command, names, right, force)

    def one_pair(self, command, names, right, force):
        before = set(self.files())
        first = self.start([*command(1), *force])
        time.sleep(random.random() * 0.02)
        second = self.start([*command(2), *force])
        said = [first.communicate()[1], second.communicate()[1]]
        codes = [first.returncode, second.returncode]
        self.assertIn(0, codes, said)
        for code, text in zip(codes, said):
            self.assertIn(code, (0, 1), text)
            self.assertEqual(text == "", code == 0, text)
            if code == 1:
                self.assertRegex(text, LOST)
        self.assertTrue(force or codes.count(0) == 1, codes)
        winners = [right[i] for i in (0, 1) if codes[i] == 0]
        self.assertTrue(self.content(names) in winners, (codes, said))
        self.assertEqual({file for file in self.files() if not file.startswith("y-")} - before - set(names), set())
        self.remove(names)

    def test_reader_and_writer(self):
        """The old graph, or the new one, or a message; never one that is wrong."""
        for name, (command, names) in self.outputs().items():
            if name in ("degrees", "picture", "table") or len(names) > 1:
                continue
            with self.subTest(output=name):
                seen = set()
                self.assertEqual(self.rmat(*command(1)).returncode, 0)
                prints = [self.read_graph(names[0])[1]]
                self.assertEqual(self.rmat(*command(2), "--force").returncode, 0)
                prints.append(self.read_graph(names[0])[1])
                self.assertNotEqual(prints[0], prints[1])
                for turn in range(PAIRS):
                    writer = self.start([*command(1 + turn % 2), "--force"])
                    while writer.poll() is None:
                        code, got = self.read_graph(names[0])
                        self.assertEqual(code, 0, got)
                        self.assertIn(got, prints)
                        seen.add(got)
                    self.assertEqual((writer.returncode, writer.communicate()[1]), (0, ""))
                self.remove(names)

    def read_graph(self, name):
        """What identifies its edges: rmat reads HDF5, and whoever reads another file sees the whole of it."""
        if not name.endswith(".h5"):
            return 0, self.read(name)
        done = self.rmat("convert", "-q", name, "-", "--to", "el")
        return done.returncode, done.stdout if done.returncode == 0 else done.stderr


if __name__ == "__main__":
    unittest.main()
