"""rmat convert: options, text formats, standard output, and what goes wrong."""

import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import time
import unittest

import cli
from cli import CliTest, MODEL, RMAT

PIPES = "el, wel, tsv, csv, mtx, mtxsym, gr, metis, bin32, bin64"
TEXT = ("el", "wel", "tsv", "mtx", "gr", "metis")
SIMPLE = ["--symmetrize", "--no-self-loops", "--unique", "--weights", "int:1:9"]


def comment(start, text):
    """In lines of about 160 bytes: GAPBS skips 200."""
    lines = []
    while len(text) > 160:
        end = text.rindex(" ", 0, 161)
        lines.append(f"{start} {text[:end]}")
        text = text[end + 1:]
    return [*lines, f"{start} {text}"]


class ConvertTest(CliTest):
    def graph(self, *args, name="graph.h5"):
        self.generate(*MODEL, *args, "-o", name)
        return name

    def convert(self, *args, **options):
        """Which must succeed; its standard output."""
        done = self.rmat("convert", "-q", *args, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        return done.stdout

    def fails(self, line, *args, code=2, **options):
        before = self.files()
        done = self.rmat("convert", "-q", *args, **options)
        self.assertEqual((done.stderr, done.stdout, done.returncode), (f"rmat convert: {line}\n", "", code))
        self.assertEqual(self.files(), before)

    def edges(self, name="graph.h5"):
        """As lists of numbers."""
        return [[int(x) for x in line.split()]
                for line in self.convert(name, "-", "--to", "tsv").splitlines()]


class Options(ConvertTest):
    def test_operands(self):
        self.fails("IN missing, allowed: IN OUT")
        self.fails("OUT missing, allowed: IN OUT", "a.h5")
        self.fails("unexpected argument 'c', allowed: IN OUT", "a.h5", "b.el", "c")
        self.fails("a.h5: No such file or directory", "a.h5", "b.el", code=1)
        with open(self.path("a.el"), "w", encoding="ascii") as file:
            file.write("0 1\n")
        self.fails("a.el: is not an HDF5 file", "a.el", "b.h5", code=1)

    def test_formats(self):
        self.graph()
        self.fails("--to: missing, because the name 'graph' does not tell the format, allowed: " + ", ".join(cli.FORMATS), "graph.h5", "graph")
        self.fails("--to: missing, standard output needs it, allowed: " + PIPES, "graph.h5", "-")
        self.fails("--to: 'npy' cannot be written to standard output, allowed: " + PIPES, "graph.h5", "-", "--to", "npy")
        done = self.rmat("convert", "graph.h5", "x", "--to", "xyz")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Armat convert: --to: 'xyz' is unknown, allowed: h5, csr, el, .*\n\Z")

    def test_same_file(self):
        self.graph()
        self.fails("OUT 'graph.h5' is the same file as IN, allowed: another file", "graph.h5", "graph.h5", "--force")
        os.link(self.path("graph.h5"), self.path("link.h5"))
        os.symlink("graph.h5", self.path("symbolic.h5"))
        for name in ("link.h5", "symbolic.h5"):
            self.fails(f"OUT '{name}' is the same file as IN, allowed: another file", "graph.h5", name, "--force", "--to", "el")

    def test_what_a_graph_lacks(self):
        self.graph("--weights", "uniform")
        self.fails("--to: metis needs integer weights; --weights int:1:100 makes them", "graph.h5", "x.graph")
        self.fails("--to: gr needs integer weights; --weights int:1:100 makes them", "graph.h5", "x.gr")
        self.graph("--weights", "int:-3:3", name="negative.h5")
        done = self.rmat("convert", "-q", "negative.h5", "x.wsg")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Armat convert: wsg needs weights of at least 0, edge \d+ has -[123]\n\Z")
        self.fails("--weights: 'int:-3:3' given with --to wsg, allowed: int:MIN:MAX with MIN of at least 0", "negative.h5",
                   "x.wsg", "--weights", "int:-3:3")
        self.graph(name="plain.h5")
        self.fails("--to: wel needs weights; --weights uniform makes them", "plain.h5", "x.wel")
        self.fails("--to: metis needs a graph that is known to be without duplicate edges, without self-loops and "
                   "undirected (each edge with its reverse); --simple makes one", "plain.h5", "x.graph")
        self.fails("--to: metis needs a graph that is known to be without self-loops and undirected (each edge with "
                   "its reverse); --simple makes one", "plain.h5", "x.graph", "--dedup")


class Text(ConvertTest):
    def test_same_edges_in_all(self):
        self.graph(*SIMPLE)
        edges = self.edges()
        self.assertEqual(len(edges), self.generate(*MODEL, *SIMPLE, "--dry-run")["edges"])
        self.assertEqual(edges, sorted(edges))
        command = json.loads(self.rmat("info", "--json", "graph.h5").stdout)["command"]
        rows = [[] for _ in range(1024)]
        for s, d, w in edges:
            rows[s].append(f"{d + 1} {w} ")
        expected = {
            "el": [f"{s} {d}" for s, d, _ in edges],
            "wel": [f"{s} {d} {w}" for s, d, w in edges],
            "tsv": [f"{s}\t{d}\t{w}" for s, d, w in edges],
            "mtx": ["%%MatrixMarket matrix coordinate integer general", *comment("%", command),
                    f"1024 1024 {len(edges)}"] + [f"{s + 1} {d + 1} {w}" for s, d, w in edges],
            "gr": [*comment("c", command), f"p sp 1024 {len(edges)}"]
                  + [f"a {s + 1} {d + 1} {w}" for s, d, w in edges],
            "metis": [*comment("%", command), f"1024 {len(edges) // 2} 1"] + ["".join(row) for row in rows],
        }
        for name in TEXT:
            self.convert("graph.h5", "x", "--to", name, "--force")
            text = "".join(line + "\n" for line in expected[name])
            self.assertTrue(self.read("x").decode() == text, name)
            self.assertTrue(self.convert("graph.h5", "-", "--to", name) == text, name)

    @unittest.skipIf(shutil.which("graphchk") is None, "needs METIS's graphchk")
    def test_graphchk(self):
        for weights in (SIMPLE, SIMPLE[:3]):
            self.graph(*weights, "--force")
            self.convert("graph.h5", "x.graph", "--force")
            done = subprocess.run(["graphchk", "x.graph"], cwd=self.folder, capture_output=True, text=True,
                                  check=False, timeout=60)
            self.assertIn("The format of the graph is correct!", done.stdout)

    def test_threads_change_nothing(self):
        self.generate("--scale", "15", "--seed", "3", "--weights", "uniform")
        for name in ("el", "wel", "mtx"):
            one = self.convert("graph.h5", "-", "--to", name, "--threads", "1")
            for threads in ("2", "5"):
                self.convert("graph.h5", "x." + name, "--threads", threads, "--force")
                self.assertTrue(self.read("x." + name).decode() == one, name)

    def test_csr(self):
        self.graph("--unique")
        self.graph("--format", "csr", "--unique", name="csr.h5")
        self.assertTrue(self.edges("csr.h5") == self.edges())

    def test_wide_numbers(self):
        self.graph("--scale", "61", "--edges", "1000")
        for s, d in self.edges():
            self.assertLess(max(s, d), 1 << 61)

    def test_reals_read_back(self):
        """As the multiples of 2^-24 that they are."""
        self.graph("--weights", "uniform")
        for line in self.convert("graph.h5", "-", "--to", "wel").splitlines():
            weight = line.split()[2]
            self.assertLessEqual(len(re.sub(r"^0\.0*|e.*", "", weight)), 9)
            self.assertEqual(struct.unpack("f", struct.pack("f", float(weight)))[0] * 2**24 % 1, 0, line)


class Output(ConvertTest):
    def test_summary(self):
        self.graph("--weights", "uniform")
        done = self.rmat("convert", "graph.h5", "x.el")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"\Afile +x\.el \([0-9.]+ kB\)\nfrom +graph\.h5 \(h5\)\n"
                                      r"format +el: .*\nvertices +1024\nedges +16384\n"
                                      r"not kept +weights, the number of vertices\n"
                                      r"time +[0-9.]+ s\nrate +.* edges/s, .*B/s\n\Z")
        self.assertRegex(done.stderr, r"\A100% 16\.4 k edges in .*\n\Z")
        done = self.rmat("convert", "-q", "--json", "graph.h5", "x.mtx")
        told = json.loads(done.stdout)
        self.assertEqual((told["from"], told["to"], told["edges"], told["not_kept"], told["out"]),
                         ("h5", "mtx", 16384, "", "x.mtx"))
        self.assertEqual(told["file_bytes"], os.path.getsize(self.path("x.mtx")))

    def test_standard_output(self):
        """Nothing but the edges goes there; after what is in the file already."""
        self.graph()
        text = self.convert("graph.h5", "-", "--to", "el")
        done = self.rmat("convert", "graph.h5", "-", "--to", "el")
        self.assertTrue(done.stdout == text)
        self.assertRegex(done.stderr, r"\A100% .*\nfile +- .*\n")
        done = self.rmat("convert", "-q", "--json", "graph.h5", "-", "--to", "el")
        self.assertTrue(done.stdout == text)
        self.assertEqual(json.loads(done.stderr)["file_bytes"], len(text))
        with open(self.path("x"), "w", encoding="ascii") as file:
            file.write("before\n")
            file.flush()
            self.convert("graph.h5", "-", "--to", "el", stdout=file)
        self.assertTrue(self.read("x").decode() == "before\n" + text)

    def test_existing_file(self):
        self.graph()
        with open(self.path("x.el"), "w", encoding="ascii") as file:
            file.write("precious")
        self.fails("x.el: already exists, --force replaces it", "graph.h5", "x.el", code=1)
        self.assertEqual(self.read("x.el"), b"precious")
        self.convert("graph.h5", "x.el", "--force")
        self.assertTrue(self.read("x.el").decode() == self.convert("graph.h5", "-", "--to", "el"))

    def test_kinds_of_names(self):
        self.graph()
        os.mkdir(self.path("d"))
        os.mkfifo(self.path("f"))
        for name, kind in (("d", "a directory"), ("f", "a FIFO")):
            pipe = "; '-' writes el to standard output, which may be a pipe" if name == "f" else ""
            self.fails(f"{name}: is {kind}, expected a regular file or none{pipe}", "graph.h5", name, "--to", "el",
                       "--force", code=1)
        self.fails("no: the folder does not exist", "graph.h5", "no/x.el", code=1)
        self.convert("graph.h5", "d/real.el")
        os.symlink("d/real.el", self.path("x.el"))
        self.convert("graph.h5", "x.el", "--force")
        self.assertTrue(os.path.islink(self.path("x.el")))
        self.assertEqual(os.listdir(self.path("d")), ["real.el"])

    def test_suffix_of_another_format(self):
        """It is said, as what reads the file will take it for something else."""
        self.graph()
        note = "note: 'x.{}' is written as {}, though its name ends as that of {}"
        for suffix, name, said in (("h5", "el", note.format("h5", "el", "h5")), ("el", "csv", note.format("el", "csv", "el")),
                                   ("el", "tsv", ""), ("txt", "el", ""), ("h5", "csr", ""), ("h5", "pbg", ""), ("x", "el", "")):
            for command in ["convert", "graph.h5", "x." + suffix, "--to", name], \
                    ["generate", "--scale", "5", "-o", "x." + suffix, "--format", name]:
                done = self.rmat(*command, "--force")
                self.assertEqual(done.returncode, 0)
                self.assertEqual([line for line in done.stderr.splitlines() if "note" in line],
                                 [f"rmat {command[0]}: {said}"] if said else [], command)
                self.assertEqual(self.rmat(*command, "--force", "-q").stderr, "")

    def test_damaged_order(self):
        """A file that says of itself what it is not.  Its edges are several pieces, so that what is wrong with the
        first shows before the fingerprint of all."""
        self.generate("--scale", "14", *SIMPLE)
        edges = self.edges()
        data = bytearray(self.read("graph.h5"))
        column = b"".join(s.to_bytes(4, "little") for s, _, _ in edges)
        at = data.index(column)
        data[at:at + len(column)] = column[-4:] + column[4:]
        with open(self.path("bad.h5"), "wb") as file:
            file.write(data)
        self.fails("edge 1 is not in order, metis needs a sorted graph without duplicates", "bad.h5",
                   "x.graph", "--threads", "1", code=1)
        self.fails("source 4294967295 of an edge, there are 16384", self.with_column(data, at, len(column)),
                   "x.el", "--threads", "1", code=1)

    def with_column(self, data, at, length):
        data[at:at + length] = b"\xff" * length
        with open(self.path("worse.h5"), "wb") as file:
            file.write(data)
        return "worse.h5"


class Failures(ConvertTest):
    def start(self, *args, **options):
        return subprocess.Popen([RMAT, "convert", "-q", *args], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **options)

    def test_signals(self):
        """Also while a reader sleeps."""
        self.generate("--scale", "18")
        for number, name, code in ((signal.SIGINT, "SIGINT", 130), (signal.SIGTERM, "SIGTERM", 143)):
            child = self.start("graph.h5", "-", "--to", "el")
            child.stdout.read(1)
            time.sleep(0.1)
            child.send_signal(number)
            self.assertEqual(child.wait(timeout=10), code)
            self.assertEqual(child.stderr.read(), f"rmat convert: stopped by {name}, '-' was not made\n")
            child.communicate()

    def test_signal_while_a_file_grows(self):
        self.generate("--scale", "20")
        for _ in range(3):
            child = self.start("graph.h5", "x.gr", "--threads", "1", "--force")
            while child.poll() is None and "x.gr.partial" not in self.files():
                time.sleep(0.001)
            child.send_signal(signal.SIGTERM)
            _, err = child.communicate(timeout=60)
            if child.returncode != 0:  # it was not faster
                self.assertEqual((child.returncode, err),
                                 (143, "rmat convert: stopped by SIGTERM, 'x.gr' was not made\n"))
                self.assertEqual(self.files(), ["graph.h5"])
                return
            os.remove(self.path("x.gr"))
        self.skipTest("this machine is too fast")

    def test_reader_that_leaves(self):
        """No word, as it knows what it did; but not every edge was written."""
        self.generate("--scale", "18")
        child = self.start("graph.h5", "-", "--to", "el")
        child.stdout.read(10)
        child.stdout.close()
        self.assertEqual((child.wait(timeout=60), child.stderr.read()), (1, ""))
        child.stderr.close()

    def test_larger_than_ulimit(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

        self.generate("--scale", "15")
        for name in ("el", "gr"):
            self.fails(f"x.{name}.partial: File too large", "graph.h5", "x." + name, code=1,
                       preexec_fn=limit)

    @unittest.skipIf(shutil.which("h5repack") is None, "no h5repack")
    def test_chunks(self):
        """A file whose datasets are in chunks, compressed or not, is not read; the message says how to make one that is."""
        for model in ["--scale", "9", "--weights", "uniform"], ["--scale", "9", "--format", "csr"]:
            self.generate(*model, "-o", "graph.h5", "--force")
            for how in ["-f", "SHUF", "-f", "GZIP=1"], ["-l", "CHUNK=100"]:
                subprocess.run(["h5repack", *how, "graph.h5", "x.h5"], cwd=self.folder, check=True)
                done = self.rmat("convert", "-q", "x.h5", "y.el")
                self.assertEqual((done.returncode, done.stdout, os.path.exists(self.path("y.el"))), (1, "", False))
                self.assertRegex(done.stderr, r"\Armat convert: x\.h5: dataset '(src|pointers_to_1)' is chunked, expected contiguous "
                                              r"\(h5repack -f NONE -l CONTI makes it so\)\n\Z")
                subprocess.run(["h5repack", "-f", "NONE", "-l", "CONTI", "x.h5", "z.h5"], cwd=self.folder, check=True)
                for name in "graph", "z":
                    self.assertEqual(self.rmat("convert", "-q", name + ".h5", name + ".tsv", "--force").returncode, 0)
                self.assertTrue(self.read("graph.tsv") == self.read("z.tsv"))
                self.assertEqual(self.rmat("verify", "-q", "z.h5").returncode, 0)

    def in_tmpfs(self, size, script):
        mount = f"mount -t tmpfs -o size={size} tmpfs '{self.folder}' && cd '{self.folder}'"
        unshare = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
        if shutil.which("unshare") is None or subprocess.run(
                [*unshare, "sh", "-c", mount], capture_output=True, check=False).returncode != 0:
            self.skipTest("mounting is not permitted")
        return subprocess.run([*unshare, "sh", "-c", f"{mount} && {{ {script}; }}"], text=True, check=False,
                              capture_output=True, timeout=120)

    def test_full_disk(self):
        with tempfile.TemporaryDirectory(prefix="rmat-cli-") as folder:
            graph = os.path.join(folder, "graph.h5")
            self.generate("--scale", "14", "-o", graph)
            done = self.in_tmpfs("2m", f"'{RMAT}' convert -q {graph} x.el; echo $?; ls")
            self.assertEqual((done.stdout, done.stderr),
                             ("1\n", "rmat convert: x.el: the file needs 3146962 bytes, the file system has room for 2097152\n"))


if __name__ == "__main__":
    unittest.main()
