"""Files from Python: written as by the command line, read in every format, checked."""

import os
import pathlib
import subprocess
import unittest
import unittest.mock

from base import RMAT, PythonTest, module, numpy, read_list, rmat


class Files(PythonTest):
    def test_same_bytes(self):
        for options, more, words in [
                ({"scale": 10, "permute": True}, {}, "--scale 10 --permute -o b.h5"),
                ({"scale": 10}, {"format": "csr", "threads": 3}, "--scale 10 --format csr -o b.h5"),
                ({"scale": 10, "unique": True}, {}, "--scale 10 --unique -o b.parquet"),
                ({"scale": 9, "weights": "int:1:9"}, {}, "--scale 9 --weights int:1:9 -o b.wel")]:
            with self.subTest(words):
                name = words.split()[-1]
                summary = rmat.Graph(**options).write(self.path("a" + name), force=True, **more)
                self.assertGreater(summary["edges"], 0)
                self.generate(*words.split(), "--force")
                with open(self.path("a" + name), "rb") as one, open(self.path(name), "rb") as other:
                    self.assertEqual(one.read(), other.read())

    def test_errors(self):
        graph = rmat.Graph(scale=4)
        graph.write(self.path("a.h5"))
        for kind, name, options, words in [
                (FileExistsError, "a.h5", {}, "force=True replaces it: '.*a.h5'"),
                (FileNotFoundError, "no/such/folder.h5", {}, "No such file or directory: '.*no/such'"),
                (IsADirectoryError, ".", {"force": True}, "Is a directory"),
                (TypeError, "b.h5", {"nonsense": 1}, r"^write\(\) got an unexpected keyword argument 'nonsense'$"),
                (TypeError, "b.h5", {"seed": 7}, r"'seed', which belongs to Graph\(\)$"),
                (TypeError, "b.h5", {"sorted": True}, r"'sorted', which belongs to Graph\(\)$"),
                (TypeError, "b.h5", {"help": True}, "'help'$"), (TypeError, "b.h5", {"json": True}, "'json'$"),
                (TypeError, "b.h5", {"formta": "el"}, r"; did you mean 'format'\?$"),
                (ValueError, "b.h5", {"format": "nonsense"}, "^format: 'nonsense' is unknown, allowed: h5"),
                (ValueError, "b.foo", {}, "^path: .*b.foo: '.foo' is not the suffix"),
                (ValueError, "b.h5", {"threads": -1}, "^threads: '-1' is out of range, allowed: 0 to 4096$"),
                (ValueError, "b.h5", {"force": 3}, "^force: 3 is not a flag"),
                (ValueError, "b.h5", {"id_type": "int8"}, "^id_type: 'int8' is unknown"),
                (ValueError, "b.graph", {}, "^format: 'metis' given without symmetrize, no_self_loops and unique, "
                                            "allowed: with all of them, or with simple$")]:
            with self.subTest(options, name=name), self.assertRaisesRegex(kind, words):
                graph.write(self.path(name), **options)
        with unittest.mock.patch("os.access", return_value=False), self.assertRaisesRegex(PermissionError, self.folder):
            graph.write(self.path("b.h5"))  # as of a folder that belongs to somebody else
        for options, words in (({"to": "none"}, "^to: 'none' is unknown"), ({"to": "metis"}, "; simple makes one$")):
            with self.subTest(options), self.assertRaisesRegex(ValueError, words):
                rmat.convert(self.path("a.h5"), self.path("b.graph"), **options)
        for name, words in (("b.foo", "^target: .*b.foo: '.foo' is not the suffix"),
                            ("a.h5", "^target: '.*a.h5' is the same file as source, allowed: another file$")):
            with self.subTest(name), self.assertRaisesRegex(ValueError, words):
                rmat.convert(self.path("a.h5"), self.path(name), force=True)
        self.assertEqual(os.listdir(self.folder), ["a.h5"])

    def test_errors_of_readers(self):
        with open(self.path("junk"), "w", encoding="ascii") as file:
            file.write("none")
        for call in (rmat.open, rmat.info, rmat.verify, rmat.stats):
            for path, kind in ((self.path("none.h5"), FileNotFoundError), (pathlib.Path(self.folder), IsADirectoryError),
                               ("--help", FileNotFoundError)):
                with self.subTest(call), self.assertRaises(kind):
                    call(path)
            with self.subTest(call), self.assertRaisesRegex(rmat.Error, "junk: ") as seen:
                call(pathlib.Path(self.path("junk")))
            self.assertNotIn("--", str(seen.exception))
        rmat.Graph(scale=4).write(self.path("a.h5"))
        for call, kind, words in [
                (lambda: rmat.open(self.path("a.h5"), threads=-1), ValueError, "^threads: -1 is out of range, allowed: 0 to 4096$"),
                (lambda: rmat.open(self.path("a.h5"), threads="x"), TypeError, "^threads: 'x' is not a whole number$"),
                (lambda: rmat.verify(self.path("a.h5"), sample=1), ValueError, "^sample: '1' is out of range, allowed: 2 to")]:
            with self.assertRaisesRegex(kind, words) as seen:
                call()
            self.assertNotIn("--", str(seen.exception))

    def test_paths(self):
        """Objects that have a path, bytes, and names that look like options."""
        os.chdir(self.folder)
        self.addCleanup(os.chdir, "/")
        graph = rmat.Graph(scale=6)
        for path in (pathlib.Path("a.h5"), b"b.h5", "-c.h5", pathlib.Path("--force.h5")):
            graph.write(path)
            self.same(rmat.open(path).edges(), graph.edges())
            self.assertTrue(rmat.verify(path)["ok"])
            self.assertEqual(rmat.info(path)["edges"], graph.num_edges)
            self.assertEqual(rmat.stats(path)["edges"], graph.num_edges)
        graph.write("-", format="el")  # a file as any other
        self.assertEqual(len(os.listdir()), 5)

    def test_open(self):
        graph = rmat.Graph(scale=9, simple=True, weights="int:1:9")
        for options in ({}, {"format": "csr"}):
            with self.subTest(options):
                graph.write(self.path("a.h5"), force=True, **options)
                found = rmat.open(self.path("a.h5"))
                self.assertEqual((found.num_vertices, found.num_edges, found.format),
                                 (512, len(graph.edges()[0]), options.get("format", "h5")))
                self.same(found.edges(), graph.edges())
                self.same(found.edges(10, 20), [column[10:30] for column in found.edges()])
                self.assertEqual(found.csr_arrays()[0][-1], found.num_edges)
        graph.write(self.path("a.h5"), force=True)
        self.assertEqual(rmat.open(self.path("a.h5")).command, graph.command)
        whole = numpy.empty((2, 30), "i8")
        rmat.open(self.path("a.h5")).edge_index(4, out=whole)  # without the weights that it has
        self.same(whole, graph.edge_index(4, 30))
        with self.assertRaises(FileNotFoundError):
            rmat.open(self.path("missing.h5"))
        with open(self.path("junk.h5"), "wb") as file:
            file.write(b"x" * 100)
        with self.assertRaisesRegex(rmat.Error, "junk.h5"):
            rmat.open(self.path("junk.h5"))
        with self.assertRaisesRegex(rmat.OptionError, "device: 'cuda' for the edges of a file"):
            rmat.open(self.path("a.h5")).edges(device="cuda")

    def test_damaged(self):
        """Whoever has read all edges is told; a range alone may be right."""
        rmat.Graph(scale=14).write(self.path("a.h5"))  # two pieces
        with open(self.path("a.h5"), "r+b") as file:
            file.seek(1 << 20)  # in the middle of 2 MiB of edges
            byte = file.read(1)[0]
            file.seek(1 << 20)
            file.write(bytes([byte ^ 1]))
        found = rmat.open(self.path("a.h5"))
        self.assertEqual(len(found.edges(0, 9)[0]), 9)
        with self.assertRaisesRegex(rmat.Error, "the fingerprint of its edges .*: it is damaged"):
            found.edges()
        with self.assertRaisesRegex(rmat.Error, "it is damaged"):
            rmat.open(self.path("a.h5")).csr_arrays()

    def test_beside_h5py(self):
        rmat.Graph(scale=9).write(self.path("a.h5"))
        wanted = read_list(self.path("a.h5"))
        self.same(rmat.open(self.path("a.h5")).edges(), wanted)
        self.same(read_list(self.path("a.h5")), wanted)

    def test_reports(self):
        rmat.Graph(scale=9, seed=4).write(self.path("a.h5"))
        self.assertTrue(rmat.verify(self.path("a.h5"))["ok"])
        self.assertTrue(rmat.verify(self.path("a.h5"), sample=2)["ok"])
        self.assertEqual(rmat.info(self.path("a.h5"))["seed"], 4)
        self.assertEqual(rmat.stats(self.path("a.h5"))["edges"], 8192)
        with open(self.path("a.h5"), "r+b") as file:
            file.seek(-8, os.SEEK_END)
            file.write(b"\xff" * 8)
        self.assertFalse(rmat.verify(self.path("a.h5"))["ok"])

    def test_interrupted(self):
        """Ctrl-C during write(): KeyboardInterrupt within a second, and no file."""
        seconds = self.interrupted("rmat.Graph(scale=30, edges=2**29).write('big.el', threads=1)")
        self.assertLess(seconds, 5)  # below a second on a machine that does nothing else
        self.assertEqual(os.listdir(self.folder), [])

    def test_program(self):
        """The command `rmat` of the package is the program."""
        code = "import sys; sys.argv = ['rmat', '--version']; from rmat._program import main; main()"
        done = self.python(code)
        wanted = subprocess.run([RMAT, "--version"], capture_output=True, text=True, check=True)
        self.assertEqual((done.returncode, done.stdout.splitlines()[:2]), (0, wanted.stdout.splitlines()[:2]))


if __name__ == "__main__":
    unittest.main()
