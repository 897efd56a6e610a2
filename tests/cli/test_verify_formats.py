"""rmat verify of all formats but h5 and csr: made again by their command lines, every byte compared."""

import json
import os
import random
import shutil
import signal
import subprocess
import time
import unittest

from cli import CliTest, RMAT

WEIGHTS = ["--weights", "int:1:9"]
SIMPLE = ["--unique", "--no-self-loops"]
# What a format needs, and the files beside it.
FORMATS = {
    "el": ([], []), "wel": (WEIGHTS, []), "tsv": ([], []), "csv": ([], []), "mtx": ([], []),
    "mtxsym": (["--symmetrize", "--no-self-loops"], []), "gr": (WEIGHTS, []),
    "metis": ([*SIMPLE, "--symmetrize"], []), "graphalytics": (SIMPLE, [".v", ".e", ".properties"]), "bin32": ([], []),
    "bin64": ([], []), "graph500": (WEIGHTS, [".weights"]), "npy": ([], []), "npz": ([], []),
    "rawcsr": (WEIGHTS, [".indptr", ".data"]), "parquet": ([], []), "icebug": (WEIGHTS, [".indptr", ".nodes", ".cypher"]),
    "adjacency": (WEIGHTS, []), "galois": (WEIGHTS, []),
    "parhip": ([*SIMPLE, "--symmetrize"], []), "sg": ([], []),
    "wsg": (WEIGHTS, []), "pbg": ([], []), "binsparse": (["--unique"], [])}
RECIPES = ("mtx", "mtxsym", "gr", "metis", "graphalytics", "parquet", "icebug")  # stand in the file, or beside it
MODEL = ["--scale", "9", "--edges", "4000", "--seed", "3"]


class Formats(CliTest):
    def verify(self, name, *args):
        """The exit code, and the text of the last check."""
        done = self.rmat("verify", "--json", "-q", name, *args)
        self.assertEqual(done.stderr, "", (name, args))
        return done.returncode, json.loads(done.stdout)["checks"][-1]["text"]

    def make(self, form, *more):
        """Its name, and the arguments of verify that name its format and its recipe."""
        name = "edges_0_0.h5" if form == "pbg" else f"g.{form}"
        words = [*MODEL, *FORMATS[form][0], *more]
        done = self.rmat("generate", "-q", *words, "--format", form, "-o", name)
        self.assertEqual(done.returncode, 0, (form, done.stderr))
        return name, ["--format", form, "--command", "rmat generate " + " ".join(words)]

    def changed(self, path, data):
        with open(self.path(path), "wb") as file:
            file.write(data)

    def test_every_format(self):
        """The right file passes; any changed bit, a missing end and a longer file are wrong."""
        chance = random.Random(5)
        for form, (_, beside) in FORMATS.items():
            name, recipe = self.make(form)
            self.assertEqual(self.verify(name, *recipe)[0], 0, form)
            if form in RECIPES:
                self.assertEqual(self.verify(name, "--format", form)[0], 0, form)
            if form == "icebug":  # Parquet by its contents, whatever its name
                self.assertEqual(self.verify(name)[0], 0)
            for path in (name, *(name + suffix for suffix in beside if os.path.exists(self.path(name + suffix)))):
                right = self.read(path)
                for at in [0, len(right) - 1, *(chance.randrange(len(right)) for _ in range(3))]:
                    wrong = bytearray(right)
                    wrong[at] ^= 1 << chance.randrange(8)
                    self.changed(path, wrong)
                    code, text = self.verify(name, *recipe)
                    self.assertEqual(code, 1, (path, at))
                    self.assertRegex(text, rf"\Abyte {at} (of file [123] beside it )?is not what the command writes "
                                           r"there; 1 bytes differ", (path, at))
                for wrong in right[:-1], right[:len(right) // 2], right + b"\n":
                    self.changed(path, wrong)
                    self.assertEqual(self.verify(name, *recipe)[0], 1, (path, len(wrong)))
                self.changed(path, right)
            self.assertEqual(self.verify(name, *recipe)[0], 0, form)
            self.assertEqual([n for n in os.listdir(self.folder) if "partial" in n], [], form)

    def test_by_contents(self):
        """Where the recipe stands in the file, its contents or its name tell the format."""
        for name in ("g.mtx", "g.sym.mtx", "g.gr", "g.graph", "g.parquet", "indices_edges.parquet", "g.mtx.gz", "g.sym.mtx.zst", "g.graph.gz"):
            with self.subTest(name=name):
                done = self.rmat("generate", "-q", *MODEL, "--simple", "-o", name)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.verify(name)[0], 0)

    def test_other_options(self):
        """Of the graph and of the file."""
        for form, more in (("parquet", ["--compress"]), ("parquet", ["--encoding", "delta"]), ("npy", ["--sorted"]),
                           ("el", ["--permute"]), ("npy", ["--id-type", "uint64"]), ("csv", ["--columns", "a,b"])):
            name, recipe = self.make(form, *more)
            self.assertEqual(self.verify(name, *recipe)[0], 0, (form, more))
            without = [*recipe[:-1], recipe[-1].replace(" ".join(more), "")]
            self.assertEqual(self.verify(name, *without)[0], 1, (form, more))
            os.unlink(self.path(name))

    def test_ranks_and_threads(self):
        """What made the file, and what makes it again, change no byte."""
        name, recipe = self.make("el")
        for threads in "1", "3":
            self.assertEqual(self.verify(name, *recipe, "--threads", threads)[0], 0)

    def test_no_recipe(self):
        name, _ = self.make("npy")
        done = self.rmat("verify", name)
        self.assertEqual((done.returncode, done.stdout), (3,
            f"file         failed: {name}: is taken for npy, and does not say which command made it; give that by --command, or "
            f"look at the graph by 'rmat stats'\n"
            f"verdict      not checked: {name}\n"))
        for command, text in (("ls -l", "not a command line of 'rmat generate'"),
                              ("rmat generate --scale 99", "--scale: '99' is out of range"),
                              ("rmat generate --no-such", "unknown option '--no-such'")):
            code, told = self.verify(name, "--command", command)
            self.assertEqual(code, 3)
            self.assertIn(text, told)

    def test_missing_file_beside(self):
        name, recipe = self.make("graph500")
        os.unlink(self.path(name + ".weights"))
        code, text = self.verify(name, *recipe)
        self.assertEqual(code, 3, text)
        self.assertIn("No such file or directory", text)

    def test_records_of_others_stay(self):
        """Verifying takes nothing away from a run that is to be continued."""
        name, recipe = self.make("el")
        shutil.copy(self.path(name), self.path(name + ".partial"))
        shutil.copy(self.path(name), self.path(name + ".partial.resume"))
        self.assertEqual(self.verify(name, *recipe)[0], 0)
        self.assertTrue(os.path.exists(self.path(name + ".partial.resume")))
        self.assertTrue(os.path.exists(self.path(name + ".partial")))

    def test_stop(self):
        done = self.rmat("generate", "-q", "--scale", "18", "--format", "npy", "-o", "g.npy")
        self.assertEqual(done.returncode, 0, done.stderr)
        child = subprocess.Popen([RMAT, "verify", "g.npy", "--command", "rmat generate --scale 24 --edges 4G"],
                                 cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 130)
        self.assertIn("bytes        failed: stopped by SIGINT\n", out)


if __name__ == "__main__":
    unittest.main()
