"""Files from Python: written as by the command line, or not at all."""

import os
import pathlib
import unittest
import unittest.mock

from base import PythonTest, module, rmat


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
                self.assertTrue(self.read("a" + name) == self.read(name))

    def test_errors(self):
        graph = rmat.Graph(scale=4)
        graph.write(self.path("a.h5"))
        for kind, name, options, words in [
                (FileExistsError, "a.h5", {}, "force=True replaces it: '.*a.h5'"),
                (FileNotFoundError, "no/such/folder.h5", {}, "No such file or directory: '.*no/such'"),
                (IsADirectoryError, ".", {"force": True}, "Is a directory"),
                *((TypeError, "b.h5", {name: 1}, r"unexpected keyword argument") for name in ("nonsense", "seed", "json")),
                (ValueError, "b.h5", {"format": "nonsense"}, "^format: 'nonsense' is unknown, allowed: h5"),
                (ValueError, "b.foo", {}, "^path: .*b.foo: '.foo' is not the suffix"),
                (ValueError, "b.h5", {"threads": -1}, "^threads: '-1' is out of range, allowed: 0 to 4096$"),
                (ValueError, "b.h5", {"force": 3}, "^force: 3 is not a flag"),
                (ValueError, "b.h5", {"id_type": "int8"}, "^id_type: 'int8' is unknown"),
                (ValueError, "b.graph", {}, "^format: metis needs a graph that is known to be without duplicate edges, "
                                            ".*, allowed: with simple$")]:
            with self.subTest(options, name=name), self.assertRaisesRegex(kind, words):
                graph.write(self.path(name), **options)
        with unittest.mock.patch("os.access", return_value=False), self.assertRaisesRegex(PermissionError, self.folder):
            graph.write(self.path("b.h5"))  # as in a folder of another user
        self.assertEqual(os.listdir(self.folder), ["a.h5"])

    def test_paths(self):
        """Objects that have a path, bytes, and names that look like options."""
        os.chdir(self.folder)
        self.addCleanup(os.chdir, "/")
        graph = rmat.Graph(scale=6)
        for path in (pathlib.Path("a.h5"), b"b.h5", "-c.h5", pathlib.Path("--force.h5")):
            self.assertEqual(graph.write(path)["edges"], graph.num_edges)
        graph.write("-", format="el")  # a file as any other
        self.assertEqual(sorted(os.listdir()), ["-", "--force.h5", "-c.h5", "a.h5", "b.h5"])

    def test_beside_h5py(self):
        """h5py reads what write() wrote, in the same process."""
        graph = rmat.Graph(scale=9)
        for turn in range(2):
            graph.write(self.path("a.h5"), force=True)
            with module("h5py").File(self.path("a.h5"), "r") as file:
                self.same([file["src"][:], file["dst"][:]], graph.edges())
                self.assertEqual(file.attrs["command"].decode(), graph.command, turn)

    def test_interrupted(self):
        """Ctrl-C during write(): KeyboardInterrupt within a second, and no file."""
        seconds = self.interrupted("rmat.Graph(scale=30, edges=2**29).write('big.el', threads=1)",
                                   lambda: "big.el.partial" in os.listdir(self.folder))
        self.assertLess(seconds, 5)  # below a second on a machine that does nothing else
        self.assertEqual(os.listdir(self.folder), [])
