"""rmat convert, with options that change the graph or its order: against NumPy, and against files of rmat generate
with the same options."""

import json
import unittest

import numpy
import h5py
from cli import CliTest, size, write_list

SMALL = ["--scale", "12", "--edges", "50000"]


class ChangeTest(CliTest):
    def arrays(self, name):
        """Sources, destinations and weights (or None) of an HDF5 file, list or CSR."""
        with h5py.File(self.path(name)) as file:
            weight = None
            if "src" in file:
                src, dst = file["src"][:], file["dst"][:]
                weight = file["weight"][:] if "weight" in file else None
            else:
                src = numpy.repeat(numpy.arange(file["pointers_to_1"].shape[0] - 1),
                                   numpy.diff(file["pointers_to_1"][:].astype("int64")))
                dst = file["indices_1"][:]
                weight = file["values"][:] if len(file["values"]) == len(dst) != 1 else None
            return src.astype("int64"), dst.astype("int64"), weight

    def same(self, one, other):
        for x, y in zip(self.arrays(one), self.arrays(other)):
            self.assertTrue((x is None and y is None) or numpy.array_equal(x, y), (one, other))

    def convert(self, *args):
        done = self.rmat("convert", "--json", "--quiet", *args)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        return json.loads(done.stdout) if done.stdout else None

    def own_list(self, name, kind, vertices=300, edges=30000):
        """With weights of its own, many copies and loops."""
        random = numpy.random.default_rng(7)
        src, dst = random.integers(0, vertices, edges), random.integers(0, vertices, edges)
        weight = (random.integers(-99, 99, edges).astype("int32") if kind == "int" else
                  random.normal(size=edges).astype("float32"))
        write_list(self.path(name), src, dst, weight, vertices)
        return src, dst, weight


class Summary(ChangeTest):
    def test_what_was_dropped(self):
        write_list(self.path("a.h5"), numpy.array([0, 0, 0, 1, 5]), numpy.array([0, 1, 1, 2, 5]))
        for options, expected in (("", "edges        5\n"), ("--sorted", "edges        5\n"),
                                  ("--no-self-loops", "edges        3\nread         5 edges\ndropped      2 self-loops\n"),
                                  ("--dedup", "edges        4\nread         5 edges\ndropped      1 copies of edges\n"),
                                  ("--symmetrize", "edges        10\nread         5 edges\nadded        5 reverse edges\n"),
                                  ("--simple", "edges        4\nread         5 edges\nadded        5 reverse edges\n"
                                               "dropped      6 self-loops and copies of edges\n")):
            with self.subTest(options):
                done = self.rmat("convert", "a.h5", "b.el", "--force", *options.split())
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, rf"(?m)^vertices     6\n{expected}not kept ")
        self.generate("--rows", "7", "--cols", "6", "--edges", "5", "-o", "a.h5", "--force")
        done = self.rmat("convert", "a.h5", "b.mtx")
        self.assertIn("\nvertices     7 sources, 6 destinations\nedges        5\n", done.stdout)


class AsGenerate(ChangeTest):
    """What generate does to edges that it draws, convert does to edges that were drawn."""

    def test_options(self):
        self.generate(*SMALL, "-o", "drawn.h5")
        for options in (["--sorted"], ["--permute", "--seed", "9"], ["--permute", "--seed", "9", "--sorted"],
                        ["--symmetrize", "--weights", "int:-3:8", "--seed", "9"],
                        ["--undirected", "lower", "--weights", "uniform", "--seed", "9"],
                        ["--undirected", "upper", "--dedup"], ["--symmetrize", "--dedup"],
                        ["--permute", "--symmetrize", "--undirected", "lower", "--weights", "uniform", "--dedup"]):
            if "--seed" in options:
                self.generate(*SMALL, "--seed", "9", "-o", "drawn.h5", "--force")
            self.generate(*SMALL, *options, "-o", "expected.h5", "--force")
            self.convert("drawn.h5", "got.h5", *options, "--force")
            self.same("expected.h5", "got.h5")
            self.assertEqual(self.rmat("verify", "got.h5").returncode, 0, options)
            if "--seed" in options:
                self.generate(*SMALL, "-o", "drawn.h5", "--force")

    def test_csr(self):
        self.generate(*SMALL, "-o", "drawn.h5")
        self.generate(*SMALL, "--dedup", "--format", "csr", "-o", "expected.h5")
        self.convert("drawn.h5", "got.h5", "--dedup", "--to", "csr")
        self.same("expected.h5", "got.h5")

    def test_other_formats(self):
        """METIS and serialized graphs of an unsorted list equal those of generate."""
        self.generate(*SMALL, "-o", "drawn.h5")
        self.convert("drawn.h5", "simple.h5", "--simple")
        for name in ("x.graph", "x.sg"):
            self.convert("simple.h5", f"1{name}")
            self.convert("drawn.h5", f"2{name}", "--simple")
            one, other = self.read(f"1{name}"), self.read(f"2{name}")
            self.assertTrue(one.split(b"\n", 1)[-1] == other.split(b"\n", 1)[-1], name)

    def test_any_memory_and_threads(self):
        self.generate("--scale", size("14", "15"), "-o", "drawn.h5")
        self.convert("drawn.h5", "expected.h5", "--simple", "--to", "csr", "--permute")
        for memory, threads in (("1500000", "1"), ("2M", "3"), ("8M", "2")):
            self.convert("drawn.h5", "got.h5", "--simple", "--to", "csr", "--permute", "--memory", memory,
                         "--threads", threads, "--force")
            self.assertTrue(self.read("expected.h5") == self.read("got.h5"), memory)
        self.convert("drawn.h5", "expected.h5", "--no-self-loops", "--force")
        self.convert("drawn.h5", "got.h5", "--no-self-loops", "--memory", "1500000", "--force")
        self.assertTrue(self.read("expected.h5") == self.read("got.h5"))


class OwnWeights(ChangeTest):
    def test_sorted_with_their_edges(self):
        for kind in ("int", "float"):
            src, dst, weight = self.own_list("in.h5", kind)
            order = numpy.lexsort((weight, dst, src))
            for options in ([], ["--memory", "1500000"]):
                self.convert("in.h5", "out.h5", "--sorted", *options, "--force")
                got = self.arrays("out.h5")
                for x, y in zip(got, (src, dst, weight)):
                    self.assertTrue(numpy.array_equal(x, y[order]), (kind, options))
                self.assertEqual(got[2].dtype, weight.dtype)

    def test_the_least_of_copies_stays(self):
        for kind in ("int", "float"):
            src, dst, weight = self.own_list("in.h5", kind)
            order = numpy.lexsort((weight, dst, src))
            key = (src * 300 + dst)[order]
            first = numpy.r_[True, key[1:] != key[:-1]]
            self.convert("in.h5", "out.h5", "--dedup", "--to", "csr", "--force")
            for x, y in zip(self.arrays("out.h5"), (src, dst, weight)):
                self.assertTrue(numpy.array_equal(x, y[order][first]), kind)

    def test_reverses_have_them_too(self):
        src, dst, weight = self.own_list("in.h5", "int")
        keep = src != dst
        both = [numpy.r_[src[keep], dst[keep]], numpy.r_[dst[keep], src[keep]], numpy.r_[weight[keep], weight[keep]]]
        order = numpy.lexsort(both[::-1])
        self.convert("in.h5", "out.h5", "--symmetrize", "--no-self-loops")
        for x, y in zip(self.arrays("out.h5"), both):
            self.assertTrue(numpy.array_equal(x, y[order]))
        with h5py.File(self.path("out.h5")) as file:
            self.assertEqual((file.attrs["symmetrize"], file.attrs["self_loops"], file.attrs["unique"]), (1, 0, 0))

    def test_others_instead(self):
        src, dst, _ = self.own_list("in.h5", "int")
        self.convert("in.h5", "none.h5", "--weights", "none")
        self.convert("in.h5", "new.h5", "--weights", "uniform")
        got = self.arrays("none.h5")
        self.assertTrue(got[2] is None and numpy.array_equal(got[0], src) and numpy.array_equal(got[1], dst))
        weight = self.arrays("new.h5")[2]
        self.assertEqual(weight.dtype, "float32")
        self.assertTrue(0 <= weight.min() and weight.max() < 1)


class Bad(ChangeTest):
    def fails(self, code, line, *args):
        before = self.files()
        done = self.rmat("convert", "-q", *args)
        self.assertEqual((done.stderr, done.stdout, done.returncode), (f"rmat convert: {line}\n", "", code))
        self.assertEqual(self.files(), before)

    def test_options(self):
        self.generate(*SMALL, "-o", "in.h5")
        self.generate("--rows", "100", "--cols", "50", "--edges", "1000", "-o", "wide.h5")
        self.fails(2, "--weights: 'heavy' is unknown, allowed: none, uniform, int:MIN:MAX (-2147483648 to 2147483647, "
                   "MIN <= MAX), float:MIN:MAX (-1e38 to 1e38, MIN <= MAX)", "in.h5", "out.h5", "--weights", "heavy")
        for name in ("symmetrize", "no-self-loops", "simple"):
            self.fails(2, f"--{name}: given with 100 source and 50 destination vertices, allowed: with equal numbers of both",
                       "wide.h5", "out.h5", f"--{name}")
        self.fails(2, "--memory: '65536' is too little to sort this graph, allowed: 1481388 or more", "in.h5",
                   "out.h5", "--sorted", "--memory", "64Ki")
        self.generate(*SMALL, "-o", "out.h5")
        self.fails(1, "out.h5: already exists, --force replaces it", "in.h5", "out.h5", "--sorted")

    def test_weights_of_too_many_cells(self):
        """Copies could not be told from their weights in 128 bits; unsorted, nothing is wrong with them."""
        write_list(self.path("in.h5"), numpy.array([0, 1]), numpy.array([1, 2]), numpy.array([5, 3], "i4"), 1 << 49)
        self.fails(2, "--weights: the edges' own weights cannot be sorted in a matrix of 2^98 cells, allowed: up to 2^96",
                   "in.h5", "out.h5", "--sorted")
        self.convert("in.h5", "out.h5", "--symmetrize")
        self.convert("in.h5", "out.h5", "--sorted", "--weights", "none", "--force")

    def test_vertex_beyond(self):
        """A damaged file: the message says what is wrong, and nothing stays."""
        self.generate("--scale", "14", "-o", "in.h5")  # two pieces: the fingerprint is compared after the second
        with h5py.File(self.path("in.h5"), "r+") as file:
            file["dst"][777] = 16384
        self.fails(1, "an edge has the destination 16384, but there are only 16384 vertices", "in.h5", "out.h5", "--sorted",
                   "--threads", "1")

    def test_damage_stays_known(self):
        """A damaged edge: nothing that reads the whole file takes it for right."""
        self.generate("--scale", "14", "-o", "in.h5")  # two pieces
        with h5py.File(self.path("in.h5"), "r+") as file:
            file["src"][777] ^= 1
        name = "in.h5"
        said = rf"{name}: the fingerprint of its edges is 0x[0-9a-f]{{16}}, its attribute says 0x[0-9a-f]{{16}}"
        for command in (["convert", name, "out.h5"], ["convert", name, "out.h5", "--sorted"],
                        ["convert", name, "out.h5", "--to", "csr", "--memory", "16M"],
                        ["convert", name, "out.h5", "--permute"], ["convert", name, "out.h5", "--id-type", "int64"],
                        ["convert", name, "out.el"], ["convert", name, "out.parquet"],
                        ["convert", name, "out.sg", "--simple"], ["stats", name], ["roots", name],
                        ["plot", name, "-o", "out.svg"]):
            before = self.files()
            done = self.rmat(*command)
            self.assertEqual((done.returncode, done.stdout), (1, ""), command)
            self.assertRegex(done.stderr, rf"(\A|\n)rmat {command[0]}: {said}: it is damaged\n\Z", command)
            self.assertEqual(self.files(), before)


if __name__ == "__main__":
    unittest.main()
