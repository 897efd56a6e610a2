"""Two commands with the same output at the same time: one wins, and the other reports it; readers beside writers."""

import os
import random
import shutil
import subprocess
import time

from cli import CliTest, RMAT

PAIRS = 3
GRAPH = ["--scale", "12"]
LOST = r"\Armat \w+: (.*: )?(already exists.*|.*is being written by another process|was created by another program .*)\n\Z"

# What a command writes, of seed SEED or of the graph g-SEED.h5, and the files that it makes.
OUTPUTS = {
    "list": (["generate", *GRAPH, "--seed", "SEED", "-o", "x.h5"], ["x.h5"]),
    "sorted text": (["generate", *GRAPH, "--seed", "SEED", "-o", "x.el", "--sorted"], ["x.el"]),
    "serialized": (["generate", *GRAPH, "--seed", "SEED", "-o", "x.sg"], ["x.sg"]),
    "two files": (["generate", *GRAPH, "--seed", "SEED", "-o", "x.g500", "--weights", "uniform"], ["x.g500", "x.g500.weights"]),
    "converted": (["convert", "g-SEED.h5", "x.csr.h5", "--to", "csr"], ["x.csr.h5"]),
}
if shutil.which("gnuplot"):
    OUTPUTS["picture"] = ["plot", "g-SEED.h5", "-o", "x.svg"], ["x.svg"]


class Concurrent(CliTest):
    def setUp(self):
        super().setUp()
        for seed in "1", "2":
            self.generate(*GRAPH, "--seed", seed, "-o", f"g-{seed}.h5")

    def start(self, words, seed, *more):
        return subprocess.Popen([RMAT, *(word.replace("SEED", str(seed)) for word in words), "-q", *more], cwd=self.folder,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def content(self, names):
        """Of files; None: there is none."""
        return [self.read(name) if os.path.exists(self.path(name)) else None for name in names]

    def right(self, words, names):
        """What each of the two makes."""
        made = []
        for seed in 1, 2:
            job = self.start(words, seed, "--force")
            self.assertEqual((job.communicate()[1], job.returncode), ("", 0))
            made.append(self.content(names))
        self.assertFalse(made[0] == made[1])
        return made

    def test_two_writers(self):
        chance = random.Random(1)
        before = self.files()
        for (words, names), force in [(output, force) for output in OUTPUTS.values() for force in ([], ["--force"])]:
            right = self.right(words, names)
            for turn in range(PAIRS + 1):
                for name in names:
                    os.remove(self.path(name))
                if turn == PAIRS:
                    break
                with self.subTest(words=words, force=force):
                    jobs = [self.start(words, 1, *force)]
                    time.sleep(chance.random() * 0.02)
                    jobs.append(self.start(words, 2, *force))
                    said = [job.communicate()[1] for job in jobs]
                    codes = [job.returncode for job in jobs]
                    self.assertIn(sorted(codes), ([0, 1], [0, 0]) if force else ([0, 1],), said)
                    for code, text in zip(codes, said):
                        self.assertRegex(text, LOST if code == 1 else r"\A\Z")
                    self.assertIn(self.content(names), [right[i] for i in (0, 1) if codes[i] == 0])
                    self.assertEqual(self.files(), sorted([*before, *names]))

    def test_reader_and_writer(self):
        """The old graph, or the new one; never one that is wrong."""
        for name in "list", "sorted text", "converted":
            words, (output,) = OUTPUTS[name]
            read = (lambda output=output: self.read(output)) if name == "sorted text" else (
                lambda output=output: self.rmat("convert", "-q", output, "-", "--to", "el").stdout)
            graphs = []
            for seed in 1, 2:
                self.start(words, seed, "--force").communicate()
                graphs.append(read())
            self.assertNotEqual(*graphs)
            for turn in range(PAIRS):
                writer = self.start(words, 1 + turn % 2, "--force")
                while writer.poll() is None:
                    self.assertIn(read(), graphs)
                self.assertEqual((writer.communicate()[1], writer.returncode), ("", 0))
