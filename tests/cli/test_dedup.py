"""--dedup and --simple: as many draws as are asked for, without copies, whatever makes them."""

import unittest

import h5py
import numpy

from cli import CliTest


class Dedup(CliTest):
    def keys(self, name):
        with h5py.File(self.path(name)) as file:
            return file["src"][:].astype("u8") << 32 | file["dst"][:]

    def test_is_the_set_of_the_list(self):
        for n, model in enumerate((["--scale", "12"], ["--vertices", "3000", "--permute", "--noise", "0.1"],
                                   ["--scale", "7x11", "--edges", "50000"],
                                   ["--scale", "11", "--symmetrize"], ["--scale", "5", "--edges", "0"],
                                   ["--scale", "10", "--undirected", "upper"])):
            self.generate(*model, "-o", f"list{n}.h5")
            told = self.generate(*model, "--dedup", "-o", f"set{n}.h5")
            self.assertTrue(numpy.array_equal(numpy.unique(self.keys(f"list{n}.h5")), self.keys(f"set{n}.h5")))
            with h5py.File(self.path(f"set{n}.h5")) as file:
                self.assertEqual((file.attrs["unique"], file.attrs["dedup"]), (1, 1))
                self.assertEqual(file.attrs["stream_edges"], told["stream_edges"])

    def test_passes(self):
        """Which change no byte: test_same_bytes.py."""
        told = self.generate("--scale", "14", "--dedup", "--weights", "int:1:9", "--memory", "1500K")
        self.assertGreater(told["passes"], 2)
        self.assertEqual(told["command"].count("--dedup"), 1)

    def test_is_the_unique_graph_of_as_many_edges(self):
        told = self.generate("--scale", "11", "--dedup", "-o", "a.h5")
        self.generate("--scale", "11", "--unique", "--edges", str(told["edges"]), "-o", "b.h5")
        self.assertTrue(numpy.array_equal(self.keys("a.h5"), self.keys("b.h5")))

    def test_simple(self):
        self.generate("--scale", "10", "--simple", "-o", "a.h5")
        self.generate("--scale", "10", "--no-self-loops", "--symmetrize", "--dedup", "-o", "b.h5")
        self.assertTrue(self.read("a.h5") == self.read("b.h5"))
        keys = self.keys("a.h5")
        src, dst = keys >> 32, keys & 0xffffffff
        self.assertFalse((src == dst).any())
        self.assertTrue(numpy.array_equal(numpy.sort(dst << 32 | src), keys))
        self.generate("--scale", "10", "--simple", "--format", "csr", "-o", "c.h5")
        done = self.rmat("generate", "--quiet", "--scale", "10", "--simple", "-o", "d.graph")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.path("d.graph"), encoding="ascii") as file: # METIS: a line for each vertex
            self.assertEqual(next(line for line in file if line[0] != "%").split(), ["1024", str(len(keys) // 2)])


if __name__ == "__main__":
    unittest.main()
