"""rmat generate --format: the bytes that rmat convert makes of the HDF5 file, and nothing left when it fails."""

import json
import os
import re
import resource
import signal
import subprocess
import time
import unittest

from cli import CliTest, RMAT

SIMPLE = ["--symmetrize", "--no-self-loops", "--unique"]
INT = ["--weights", "int:1:99"]

# Format, options beside it, the name that it has by itself.
GRAPHS = [
    ("el", [], "graph.el"),
    ("el", ["--sorted"], "graph.el"),
    ("wel", ["--weights", "uniform"], "graph.wel"),
    ("tsv", ["--rows-scale", "12", "--cols", "70000", "--edges", "140K"], "graph.tsv"),
    ("csv", ["--weights", "uniform"], "graph.csv"),
    ("mtx", [*INT, "--unique", "--permute", "RMAT_TEST_CHUNK=5003"], "graph.mtx"),
    ("mtxsym", ["--symmetrize", "--no-self-loops", "--weights", "uniform"], "graph.sym.mtx"),
    ("gr", [*INT, "--noise", "0.1"], "graph.gr"),
    ("metis", [*SIMPLE, *INT], "graph.graph"),
    ("graphalytics", [*SIMPLE, "--weights", "uniform"], "graph.e"),
    ("bin32", ["--symmetrize"], "graph.bin32"),
    ("bin64", ["--rows-scale", "40", "--cols-scale", "35", "--edges", "140K"], "graph.bin64"),
    ("graph500", ["--weights", "uniform"], "graph.g500"),
    ("npy", ["--id-type", "uint64"], "graph.npy"),
    ("rawcsr", ["--weights", "int:-5:5", "--id-type", "int64", "RMAT_TEST_CHUNK=5003"], "graph.indices"),
    ("parquet", ["--unique", "--weights", "uniform", "--memory", "2Mi"], "graph.parquet"),
    ("adjacency", ["--weights", "int:-50:50", "RMAT_TEST_CHUNK=5003"], "graph.adj"),
    ("galois", ["--unique", *INT], "graph.galois.gr"),
    ("parhip", SIMPLE, "graph.bgf"),
    ("sg", [], "graph.sg"),
    ("wsg", [*SIMPLE, *INT, "--memory", "2Mi"], "graph.wsg"),
    ("pbg", [], "edges_0_0.h5"),
    ("binsparse", ["--unique", "--weights", "uniform"], "graph.bsp.h5"),
]
POINTERS = ("sg", "wsg")  # in-neighbours, for which a sorted graph is read more than once
BY_HAND = ("metis", "graphalytics", "rawcsr", "adjacency", "galois", "parhip", "sg", "wsg", "binsparse")  # sorted without being told so

WRONG = [
    ("--format metis", "--format: 'metis' given without --symmetrize, --no-self-loops and --unique, allowed: with all "
     "of them, or with --simple"),
    ("--format metis --symmetrize --unique", "--format: 'metis' given without --no-self-loops, allowed: with it"),
    ("--format graphalytics", "--format: 'graphalytics' given without --no-self-loops and --unique, allowed: with both, "
     "or with --simple"),
    ("--format wsg", "--format: 'wsg' given without --weights int:MIN:MAX, allowed: with it"),
    ("--format wel", "--format: 'wel' given without --weights, allowed: with it"),
    ("-o x.bsp.h5", "--format: 'binsparse' given without --unique, allowed: with it"),
    ("--format gr --weights uniform", "--weights: 'uniform' given with --format gr, allowed: int:MIN:MAX, none"),
    ("--format wsg --weights int:-3:3", "--weights: 'int:-3:3' given with --format wsg, allowed: int:MIN:MAX with MIN of "
     "at least 0"),
    ("--format wsg --weights uniform", "--weights: 'uniform' given with --format wsg, allowed: int:MIN:MAX"),
    ("--format el --weights uniform", "--weights: 'uniform' given with --format el, allowed: with "),
    ("--format el --id-type uint32", "--id-type: 'uint32' given with format el, allowed: with h5, csr, npy, rawcsr, galois, "
     "binsparse"),
    ("--format el --device-memory 1Gi", "--device-memory: given for a graph that is not sorted, allowed: with "),
    ("--scale 33 --edges 1000 --format bin32", "--format: bin32 needs "),
    ("--scale 33 --edges 1000 --format sg", "--format: sg needs "),
    ("-o -", "--output: '-' given with --format h5, allowed: with el, "),
    ("--format npy --base 1", "--base: '1' given with format npy, allowed: 1 with el, wel, tsv, csv"),
    ("--format el --base 2", "--base: '2' is out of range, allowed: 0, 1"),
    ("--format mtxsym --symmetrize", "--format: 'mtxsym' given without --no-self-loops, allowed: with it"),
    ("--weights float:-1:1 --format graphalytics --simple", "--weights: 'float:-1:1' given with --format graphalytics, "
     "allowed: float:MIN:MAX with MIN of at least 0"),
    ("--weights float:0:1 --format gr", "--weights: 'float:0:1' given with --format gr, allowed: int:MIN:MAX, none"),
    ("--format npy -o -", "--output: '-' given with --format npy, allowed: with el, "),
]


class Formats(CliTest):
    def make(self, *args, **options):
        """Without rmat verify."""
        done = self.rmat("generate", "-q", "--json", *args, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        return json.loads(done.stdout)

    def test_as_convert_makes_them(self):
        for number, (name, options, output) in enumerate(GRAPHS):
            with self.subTest(format=name, options=options):
                args = [*([] if "--edges" in options else ["--scale", "15", "--edges", "140K"]), *options]
                order = ["--sorted"] if name in BY_HAND else []
                plain = self.make(*args, *order, "-o", "list.h5", "--force")
                told = self.make("--format", name, *args, "--threads", str(1 + number % 3))
                done = self.rmat("convert", "list.h5", "converted", "--to", name, "--force", "-q")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual((told["file"], told["format"]), (output, name))
                self.assertTrue(self.read(output) == self.read("converted"))
                if name == "graph500":
                    self.assertTrue(self.read(output + ".weights") == self.read("converted.weights"))
                if name == "rawcsr":
                    for suffix in ".indptr", ".data":
                        self.assertTrue(self.read("graph" + suffix) == self.read("converted" + suffix))
                if name == "graphalytics":
                    self.assertTrue(self.read("graph.v") == self.read("converted.v"))
                    self.assertEqual(self.read("graph.properties").replace(b"graph.graph", b"graph.converted").replace(
                        b"graph.v", b"converted.v").replace(b"graph.e\n", b"converted\n"),
                                     self.read("converted.properties"))
                self.assertEqual(told["file_bytes"], os.path.getsize(self.path(output)))
                for key in ("edges", "fingerprint", "stream_edges", "redraws", "sorted", "num_rows"):
                    self.assertEqual(told[key], plain[key], key)
                self.assertEqual([f for f in self.files() if "partial" in f], [])
                if name not in ("mtx", "wsg"):  # these take longest
                    self.dry_run(told, output)
                if number % 4 == 0:  # the command of the summary makes the same file
                    before = self.read(output)
                    self.make(*told["command"].split()[2:], "--force")
                    self.assertTrue(self.read(output) == before)
                for file in self.files():
                    os.remove(self.path(file))

    def dry_run(self, told, output):
        """It says how long the file is."""
        dry = self.make(*told["command"].split()[2:], "--dry-run", "--force")
        self.assertEqual((dry["file"], dry["format"], dry["command"]), (output, told["format"], told["command"]))
        if dry["file_bytes_exact"]:
            extra = sum(os.path.getsize(self.path("graph" + suffix)) for suffix in (".g500.weights", ".indptr", ".data")
                        if "graph" + suffix in self.files())
            self.assertEqual(dry["file_bytes"], told["file_bytes"] + extra)
        else:
            made = told["file_bytes"] + (os.path.getsize(self.path("graph.v")) if told["format"] == "graphalytics" else 0)
            self.assertTrue(made <= dry["file_bytes"] < 3 * made + 8192, (told["format"], made, dry["file_bytes"]))
        self.assertEqual("sorted_file_bytes" in dry, told["format"] in POINTERS)

    def test_base(self):
        """Vertices from 1, in text, from rmat convert too."""
        self.make("--scale", "10", "-o", "list.h5")
        for name, blank in ("el", " "), ("tsv", "\t"), ("csv", ","):
            self.make("--scale", "10", "--format", name, "-o", "from0")
            self.make("--scale", "10", "--format", name, "-o", "from1", "--base", "1")
            lines = [line.split(blank) for line in self.read("from0").decode().splitlines()]
            names, edges = (lines[:1], lines[1:]) if name == "csv" else ([], lines)
            want = [blank.join(line) + "\n" for line in names]
            want += [f"{int(src) + 1}{blank}{int(dst) + 1}\n" for src, dst in edges]
            self.assertEqual(self.read("from1").decode(), "".join(want))
            done = self.rmat("convert", "list.h5", "converted", "--to", name, "--base", "1", "-q")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(self.read("converted"), self.read("from1"))
            for file in "from0", "from1", "converted":
                os.remove(self.path(file))

    def test_suffix_says_the_format(self):
        self.make("--scale", "5", "-o", "x.el")
        self.make("--scale", "5", "--format", "h5", "-o", "y.el")
        self.assertRegex(self.read("x.el").decode(), r"\A(\d+ \d+\n){512}\Z")
        self.assertEqual(self.read("y.el")[:4], b"\x89HDF")

    def test_no_edges(self):
        for name, options, output in GRAPHS:
            self.make("--scale", "5", "--edges", "0", "--format", name, "--force",
                      *[o for o in options if o in SIMPLE], *(INT if "--weights" in options else []))
            self.assertIn(output, self.files())

    def test_standard_output(self):
        for args in (["--format", "el"], ["--format", "metis", *SIMPLE]):
            told = self.make("--scale", "15", "--edges", "140K", *args, "-o", "file")
            with open(self.path("pipe"), "w", encoding="ascii") as out:
                done = self.rmat("generate", "--scale", "15", "--edges", "140K", *args, "-o", "-", "--json", stdout=out,
                                 env={**os.environ, "TMPDIR": self.folder})
            self.assertEqual(done.returncode, 0)
            lines = done.stderr.splitlines()
            self.assertEqual(json.loads(lines[-1])["fingerprint"], told["fingerprint"])
            self.assertRegex(lines[-2], r"^100% ")
            self.assertTrue(self.read("pipe") == self.read("file"))
            self.assertEqual(self.files(), ["file", "pipe"])
            os.remove(self.path("file"))

    def test_reader_that_leaves(self):
        done = subprocess.run(f"'{RMAT}' generate --format el -q -o - | head -n 1; echo ${{PIPESTATUS[0]}}",
                              shell=True, executable="/bin/bash", cwd=self.folder, capture_output=True, text=True,
                              check=False, timeout=60)
        self.assertRegex(done.stdout, r"\A\d+ \d+\n1\n\Z")
        self.assertEqual(done.stderr, "")

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_full_disk(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = self.rmat("generate", "--format", "el", "--scale", "10", "-q", "-o", "-", stdout=full)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "rmat generate: standard output: No space left on device\n"))

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

        for args in (["el"], ["sg"], ["npy"], ["pbg"], ["el", "--edges", "140K", "--sorted"]):
            done = self.rmat("generate", "-q", "--scale", "17", "--format", *args, preexec_fn=limit)
            self.assertEqual((done.stdout, done.returncode), ("", 1), args)
            self.assertRegex(done.stderr, r"\Armat generate: .*: File too large\n\Z")
            self.assertEqual(self.files(), [], args)

    def test_existing_file_stays(self):
        for args in (["--format", "el"], ["--format", "el", "--sorted"]):
            with open(self.path("graph.el"), "w", encoding="ascii") as file:
                file.write("precious")
            done = self.rmat("generate", "-q", "--scale", "10", *args)
            self.assertEqual((done.returncode, done.stdout, done.stderr),
                             (1, "", "rmat generate: graph.el: already exists, --force replaces it\n"))
            self.assertEqual((self.files(), self.read("graph.el")), (["graph.el"], b"precious"))
            self.make("--scale", "10", *args, "--force")
            self.assertEqual(self.files(), ["graph.el"])
            self.assertNotEqual(self.read("graph.el"), b"precious")

    def test_wrong_usage(self):
        for args, line in WRONG:
            with self.subTest(args=args):
                done = self.rmat("generate", *args.split())
                self.assertEqual((done.returncode, done.stdout, self.files()), (2, "", []))
                self.assertTrue(done.stderr.startswith("rmat generate: " + line), done.stderr)
                self.assertEqual(len(done.stderr.splitlines()), 1)
                if not line.endswith(" "):
                    self.assertEqual(done.stderr, "rmat generate: " + line + "\n")

    def test_names_of_formats(self):
        """The names that --help and these tests have are the same."""
        text = " ".join(self.rmat("help", "generate").stdout.split())
        names = re.search(r"--format NAME .*? allowed: ((?:\w+, )+\w+)", text)[1].split(", ")
        self.assertEqual(sorted(names), sorted({"h5", "csr"} | {name for name, _, _ in GRAPHS}))

    def stop(self, number, name, code, partial, *args):
        """Stop a run once there is a file of that name."""
        child = subprocess.Popen([RMAT, "generate", "--threads", "1", *args], cwd=self.folder, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while partial not in self.files():
            self.assertIsNone(child.poll(), "ended before it could be stopped")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.002)
        child.send_signal(number)
        out, err = child.communicate(timeout=60)
        self.assertEqual((child.returncode, out), (code, ""))
        self.assertRegex(err.splitlines()[-1], rf"\Armat generate: stopped by {name}, 'graph\.\w+' was not made\Z")
        self.assertEqual(self.files(), [])

    def test_signals(self):
        large = ["--scale", "20", "--edges", "40M", "--format", "el"]
        term, interrupt = (signal.SIGTERM, "SIGTERM", 143), (signal.SIGINT, "SIGINT", 130)
        self.stop(*term, "graph.el.partial", *large)
        self.stop(*interrupt, "graph.el.partial", *large, "--sorted")
        self.stop(*interrupt, "graph.sg.sorted.partial.partial", *large, "--format", "sg")
        self.stop(*term, "graph.sg.sorted.partial", "--scale", "18", "--edges", "8M", "--format", "sg")


if __name__ == "__main__":
    unittest.main()
