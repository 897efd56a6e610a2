"""rmat convert: its output, sorting, against NumPy and against files of rmat generate; and failures.  test_formats.py
compares formats, test_bad_input.py tests refusals."""

import json
import os
import shutil
import signal
import subprocess
import time
import unittest

from arrays import h5py, no_room, numpy
from cli import MODEL, RMAT, CliTest, fingerprint, size, write_list
from formats import Edges

SMALL = ["--scale", "12", "--edges", "50000"]


class ConvertTest(CliTest):
    def convert(self, *args, **options):
        return self.silent("convert", "-q", *args, **options)

    def same(self, found, wanted, what):
        self.assertEqual(len(found), len(wanted))
        for x, y in zip(found, wanted):
            self.assertTrue(numpy.array_equal(x, y), what)


class Output(ConvertTest):
    def test_summary(self):
        self.generate(*MODEL, "--weights", "uniform")
        done = self.rmat("convert", "graph.h5", "x.el")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"\Afile +x\.el \([0-9.]+ kB\)\nfrom +graph\.h5 \(h5\)\n"
                                      r"format +el: .*\nvertices +1024\nedges +16384\n"
                                      r"not kept +weights, the number of vertices\n"
                                      r"time +[0-9.]+ s\nrate +.* edges/s, .*B/s\n\Z")
        self.assertEqual(done.stderr, "")
        told = self.told("convert", "graph.h5", "x.mtx")
        self.assertEqual((told["from"], told["to"], told["edges"], told["not_kept"], told["out"], told["file_bytes"]),
                         ("h5", "mtx", 16384, "", "x.mtx", os.path.getsize(self.path("x.mtx"))))

    def test_standard_output(self):
        """Nothing but the edges goes there; after what is in the file already."""
        self.generate(*MODEL)
        text = self.convert("graph.h5", "-", "--to", "el")
        done = self.rmat("convert", "graph.h5", "-", "--to", "el")
        self.assertTrue(done.stdout == text)
        self.assertRegex(done.stderr, r"\Afile +- .*\n")
        done = self.rmat("convert", "-q", "--json", "graph.h5", "-", "--to", "el")
        self.assertTrue(done.stdout == text)
        self.assertEqual(json.loads(done.stderr)["file_bytes"], len(text))
        with open(self.path("x"), "w", encoding="ascii") as file:
            file.write("before\n")
            file.flush()
            self.convert("graph.h5", "-", "--to", "el", stdout=file)
        self.assertTrue(self.read("x").decode() == "before\n" + text)

    def test_link_stays(self):
        self.generate(*MODEL)
        os.mkdir(self.path("d"))
        self.convert("graph.h5", "d/real.el")
        os.symlink("d/real.el", self.path("x.el"))
        self.convert("graph.h5", "x.el", "--force")
        self.assertTrue(os.path.islink(self.path("x.el")))
        self.assertEqual(os.listdir(self.path("d")), ["real.el"])


class AsGenerate(ConvertTest):
    def test_sorted(self):
        """Sorting drawn edges makes the columns that `rmat generate --sorted` makes."""
        self.generate(*SMALL, "--permute", "-o", "drawn.h5")
        self.generate(*SMALL, "--permute", "--sorted", "-o", "expected.h5")
        self.convert("drawn.h5", "got.h5", "--sorted")
        self.same(self.columns("got.h5"), self.columns("expected.h5"), "sorted")
        self.assertEqual(self.rmat("verify", "got.h5").returncode, 0)

    def test_lists_keep_the_model(self):
        """CSR and lists become lists: the files that `rmat generate` makes, byte for byte."""
        for name, options in {"sorted": ["--sorted"], "unique": ["--unique", "--weights", "int:1:9"]}.items():
            model = ["--scale", "10", "--noise", "0.1", "--permute", *options]
            self.generate(*model, "-o", name + ".h5")
            self.generate(*[word for word in model if word != "--sorted"], "--format", "csr", "-o", name + ".csr.h5")
            for source in (name + ".h5", name + ".csr.h5"):
                self.convert(source, "out.h5", "--to", "h5", "--force")
                self.assertTrue(self.read("out.h5") == self.read(name + ".h5"), source)

    def test_any_memory_and_threads(self):
        self.generate("--scale", size("14", "15"), "-o", "drawn.h5")
        for options, ways in ((["--to", "csr"], (("1500000", "1"), ("2M", "3"), ("8M", "2"))),
                              (["--sorted"], (("1500000", "2"),))):
            self.convert("drawn.h5", "expected.h5", *options, "--force")
            for memory, threads in ways:
                self.convert("drawn.h5", "got.h5", *options, "--memory", memory, "--threads", threads, "--force")
                self.assertTrue(self.read("expected.h5") == self.read("got.h5"), memory)


class OwnWeights(ConvertTest):
    """A list of another generator, with weights of its own, many copies and loops."""

    def test_sorted(self):
        random = numpy.random.default_rng(7)
        src, dst = random.integers(0, 300, 30000), random.integers(0, 300, 30000)
        for weight in random.integers(-99, 99, 30000).astype("i4"), random.normal(size=30000).astype("f4"):
            write_list(self.path("in.h5"), src, dst, weight, 300)
            wanted = Edges([src, dst, weight], (300, 300)).sorted()
            for memory in "1500000", "16M":
                with self.subTest(memory=memory, weight=weight.dtype):
                    self.convert("in.h5", "out.h5", "--sorted", "--memory", memory, "--force")
                    self.same(self.columns("out.h5"), wanted.columns, memory)
                    self.assertEqual(self.columns("out.h5")[2].dtype, weight.dtype)

    def test_weights_of_too_many_cells(self):
        """Copies could not be told from their weights in 128 bits; unsorted, nothing is wrong with them."""
        write_list(self.path("in.h5"), numpy.array([0, 1]), numpy.array([1, 2]), numpy.array([5, 3], "i4"), 1 << 49)
        self.fails(2, r"--weights: the edges' own weights cannot be sorted in a matrix of 2\^98 cells, allowed: up to 2\^96",
                   "convert", "in.h5", "out.h5", "--sorted")
        self.convert("in.h5", "out.h5")


class WithoutModel(ConvertTest):
    def test_info_and_verify(self):
        """A graph that convert has sorted has no model, says so, and cannot hide damage; nor can one with a model
        become one without by what it lost."""
        self.generate("--scale", "8", "-o", "m.h5")
        self.convert("m.h5", "g.h5", "--sorted")
        told = json.loads(self.silent("info", "--json", "g.h5"))
        self.assertEqual((told["edges"], told["num_rows"], told["num_cols"], told["rows_scale"], told["generator"]),
                         (4096, 256, 256, 8, "rmat convert"))
        done = self.rmat("verify", "g.h5")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("skipped: made by rmat convert, and not by an R-MAT model", done.stdout)
        self.assertIn("promises     ok: all that the attributes say of ids, loops and order", done.stdout)
        for name, value, said in (("num_cols", numpy.uint64(200), "dst is not below num_cols; "),
                                  ("rows_scale", numpy.uint64(7), "rows_scale is 7, expected 8"),
                                  ("num_rows", None, "attribute 'num_rows' is missing"),
                                  ("command", numpy.bytes_("rmat generate"), "command is 'rmat generate'"),
                                  ("generator", numpy.bytes_("rmat"), "attribute 'noise' is missing"),
                                  ("fingerprint", numpy.uint64(5), "the attribute says 0x0000000000000005")):
            def change(file, name=name, value=value):
                file.attrs.pop(name, None)
                if value is not None:
                    file.attrs[name] = value

            done = self.rmat("verify", self.changed(change, "g.h5"), "--quiet")
            self.assertEqual(done.returncode, 1, name)
            self.assertIn(said, done.stdout)
        with h5py.File(self.path("g.h5")) as file:
            keep = set(file.attrs) - {"seed", "permute"}
        lost = self.changed(lambda file: [file.attrs.pop(name) for name in set(file.attrs) - keep], "m.h5")
        self.assertIn("attribute 'seed' is missing", self.rmat("verify", lost, "--quiet").stdout)


class Damage(ConvertTest):
    """The messages say what is wrong, and nothing stays."""

    def test_what_a_file_says_of_itself(self):
        """Its edges are several pieces, so that what is wrong with the first shows before the fingerprint of all."""
        self.generate("--scale", "14", "--simple", "--weights", "int:1:9")

        def put(column, index, value):
            return lambda file: file[column].__setitem__(index, value)

        with h5py.File(self.path("graph.h5")) as file:
            last = file["src"][-1]
        for change, line, *words in (
                (put("src", 0, last), "edge 1 is not in order, metis needs a sorted graph without duplicates", "x.graph"),
                (put("src", slice(None), 0xffffffff), "source 4294967295 of an edge, there are 16384", "x.el"),
                (put("dst", 777, 16384), "an edge has the destination 16384, but there are only 16384 vertices", "y.h5", "--sorted")):
            self.fails(1, line, "convert", "-q", self.changed(change), *words, "--threads", "1")
        self.generate(*MODEL, "--weights", "int:-3:3", "-o", "negative.h5")
        self.fails(1, r"wsg needs weights of at least 0, edge \d+ has -[123]", "convert", "-q", "negative.h5", "x.wsg")

    def test_damage_stays_known(self):
        """A damaged edge: nothing that reads the whole file takes it for right."""
        self.generate("--scale", "14", "-o", "in.h5")  # two pieces
        name = self.changed(lambda file: file["src"].__setitem__(777, file["src"][777] ^ 1), "in.h5")
        said = rf"{name}: the fingerprint of its edges is 0x[0-9a-f]{{16}}, its attribute says 0x[0-9a-f]{{16}}"
        for words in ("out.h5", "out.h5 --sorted", "out.h5 --to csr --memory 16M", "out.h5 --id-type int64",
                      "out.el", "out.parquet", "out.sg", "stats", "roots", "plot -o out.svg"):
            command = ["convert", name, *words.split()] if words[:3] == "out" else [words.split()[0], name, *words.split()[1:]]
            self.fails(1, f"{said}: it is damaged", *command, "-q")

    def test_rows_beyond_32_bits(self):
        """CSR of 2^33 rows, to its end; the last row has all edges; the pointers take no room on the disk."""
        rows = 1 << 33
        self.generate("--scale", "9", "--format", "csr", "--unique", "--id-type", "uint64", "-o", "in.h5")
        with h5py.File(self.path("in.h5"), "r+") as file:
            dst = file["indices_1"][:]
            del file["pointers_to_1"]
            no_room(file, "pointers_to_1", h5py.h5t.STD_U64LE, rows + 1)
            file["pointers_to_1"][rows] = len(dst)
            for name, value in {"rows": rows, "num_rows": rows, "rows_scale": 33,
                                "fingerprint": fingerprint(numpy.full(len(dst), rows - 1), dst)}.items():
                file.attrs.modify(name, numpy.uint64(value))
        self.convert("in.h5", "out.tsv", timeout=60)
        self.assertEqual(self.read("out.tsv").decode(), "".join(f"{rows - 1}\t{v}\n" for v in dst))

    @unittest.skipIf(shutil.which("h5repack") is None, "no h5repack")
    def test_chunks(self):
        """A file whose datasets are in chunks, compressed or not, is not read; the message says how to make one that is."""
        for model in ["--scale", "9", "--weights", "uniform"], ["--scale", "9", "--format", "csr"]:
            self.generate(*model, "-o", "graph.h5", "--force")
            for how in ["-f", "SHUF", "-f", "GZIP=1"], ["-l", "CHUNK=100"]:
                self.program("h5repack", *how, "graph.h5", "x.h5", check=True)
                self.fails(1, r"x\.h5: dataset '(src|pointers_to_1)' is not contiguous \(h5repack -f NONE -l CONTI makes it so\)",
                           "convert", "-q", "x.h5", "y.el")
                self.program("h5repack", "-f", "NONE", "-l", "CONTI", "x.h5", "z.h5", check=True)
                for name in "graph", "z":
                    self.convert(name + ".h5", name + ".tsv", "--force")
                self.assertTrue(self.read("graph.tsv") == self.read("z.tsv"))
                self.assertEqual(self.rmat("verify", "-q", "z.h5").returncode, 0)


class Pipes(ConvertTest):
    def test_reader_that_sleeps_or_leaves(self):
        """A signal ends what waits for a reader; for one that leaves there is no word, but not every edge was written."""
        self.generate("--scale", "18")
        for words in (["convert", "graph.h5", "-", "--to", "el"], ["generate", "--scale", "18", "--format", "el", "-o", "-"]):
            for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (None, 1)):
                with subprocess.Popen([RMAT, *words, "-q"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                      text=True) as child:
                    child.stdout.read(1)
                    if number is None:
                        child.stdout.close()
                    else:
                        time.sleep(0.1)
                        child.send_signal(number)
                    self.assertEqual(child.wait(timeout=60), code)
                    said = f"rmat {words[0]}: stopped by {number.name}, '-' was not made\n" if number else ""
                    self.assertEqual(child.stderr.read(), said)
