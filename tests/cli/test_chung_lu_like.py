"""chung_lu --like: the very edges of --degrees at either end; formats, refusals."""

import gzip
import json
import os
import resource
import shutil
import unittest

from chung_lu import ChungLuTest
from cli import renew_fingerprint, skip_all

try:
    import h5py
    import numpy
except ImportError as error:
    skip_all(error)

VERTICES = 60
CPU = ["--backend", "cpu"]


def example():
    """Edges of a graph in which out-degrees fall and in-degrees rise, an odd number of them.  Vertex 0 has no edge,
    the last vertex has one."""
    random = numpy.random.default_rng(5)
    rising = numpy.arange(1, VERTICES) ** 2.0
    dst = random.choice(numpy.arange(1, VERTICES), 5001, p=rising / rising.sum())
    src = VERTICES - random.choice(numpy.arange(1, VERTICES), 5001, p=rising / rising.sum())
    return src, numpy.r_[dst[:-1], VERTICES - 1]


def degrees(ids):
    return numpy.bincount(ids, minlength=VERTICES)


def misfit(counts, weights):
    """Pearson's chi-squared of draws in proportion to the weights, in standard deviations from its mean.  Items of
    weight zero are never drawn."""
    expected = weights / weights.sum() * counts.sum()
    if counts[weights == 0].any():
        return numpy.inf
    kept = weights > 0
    freedom = kept.sum() - 1
    return (((counts - expected)[kept] ** 2 / expected[kept]).sum() - freedom) / numpy.sqrt(2 * freedom)


class Like(ChungLuTest):
    def setUp(self):
        super().setUp()
        self.src, self.dst = example()
        self.write_edges("g.el", self.src, self.dst)

    def write_edges(self, name, src, dst):
        self.write(name, b"".join(b"%d %d\n" % edge for edge in zip(src.tolist(), dst.tolist())))

    def write_degrees(self, name, values):
        self.write(name, b"".join(b"%d\n" % value for value in values))

    def arrays(self, name):
        with h5py.File(self.path(name), "r") as file:
            return file["src"][:].astype("int64"), file["dst"][:].astype("int64")


class Degrees(Like):
    def test_out_and_in(self):
        """Both follow those of the file, and would not follow each other's."""
        out, into = degrees(self.src), degrees(self.dst)
        told = self.make("--like", "g.el", "--edges", "400000", *CPU)
        self.assertEqual((told["edges"], told["num_rows"], told["directed"]), (400000, VERTICES, True))
        src, dst = self.arrays("graph.h5")
        self.assertLess(abs(misfit(degrees(src), out)), 5)
        self.assertLess(abs(misfit(degrees(dst), into)), 5)
        self.assertGreater(misfit(degrees(src), into), 1000)
        self.assertGreater(misfit(degrees(dst), out), 1000)
        self.assertEqual((degrees(src)[0], degrees(dst)[0]), (0, 0))
        # The ends are independent.
        pairs = numpy.bincount(src // 10 * 6 + dst // 10, minlength=36)
        shares = numpy.outer(out.reshape(6, 10).sum(1), into.reshape(6, 10).sum(1)).ravel()
        self.assertLess(abs(misfit(pairs, shares)), 5)

    def test_each_end_is_that_of_degrees(self):
        """The very sources of a graph with the out-degrees, the very destinations of one with the in-degrees."""
        self.make("--like", "g.el", *CPU)
        src, dst = self.arrays("graph.h5")
        self.assertEqual(len(src), 5001)
        for ids, got, end in ((self.src, src, 0), (self.dst, dst, 1)):
            self.write_degrees("d.txt", degrees(ids))
            self.make("--degrees", "d.txt", "--edges", "5001", *CPU, "-o", "d.h5", "--force")
            self.assertTrue(numpy.array_equal(self.arrays("d.h5")[end], got))

    def test_both_directions(self):
        """A graph that has each edge in both directions: one table."""
        src, dst = numpy.r_[self.src, self.dst], numpy.r_[self.dst, self.src]
        self.write_edges("both.el", src, dst)
        told = self.make("--like", "both.el", *CPU)
        self.assertEqual((told["edges"], told["directed"]), (10002, False))
        self.write_degrees("d.txt", degrees(src))
        other = self.make("--degrees", "d.txt", "--edges", "10002", *CPU, "-o", "d.h5")
        self.assertEqual(told["fingerprint"], other["fingerprint"])
        for a, b in zip(self.arrays("graph.h5"), self.arrays("d.h5")):
            self.assertTrue(numpy.array_equal(a, b))
        plans = [self.make("--like", name, "--dry-run") for name in ("both.el", "g.el")]
        self.assertEqual([(plan["weight_bytes"], plan["table_bytes"]) for plan in plans],
                         [(8 * VERTICES, 8 * VERTICES), (16 * VERTICES, 16 * VERTICES)])

    def test_copies(self):
        """Three times as many edges, and each copy of a vertex has its degrees."""
        told = self.make("--like", "g.el", "--multiply", "3", *CPU)
        self.assertEqual((told["edges"], told["num_rows"], told["multiply"]), (15003, 3 * VERTICES, 3))
        self.assertEqual(told["command"], "chung_lu --like FILE --multiply 3 --edges 15003 --seed 1")
        for ids, got, end in ((self.src, self.arrays("graph.h5")[0], 0), (self.dst, self.arrays("graph.h5")[1], 1)):
            self.write_degrees("d.txt", numpy.tile(degrees(ids), 3))
            self.make("--degrees", "d.txt", "--edges", "15003", *CPU, "-o", "d.h5", "--force")
            self.assertTrue(numpy.array_equal(self.arrays("d.h5")[end], got))
            counts = numpy.bincount(got, minlength=3 * VERTICES)
            self.assertLess(abs(misfit(counts, numpy.tile(degrees(ids), 3).astype(float))), 5)

    def test_numbers_of_edges(self):
        """With the reverse of each edge half as many are drawn, rounded up."""
        for options, drawn in (([], 5001), (["--symmetrize"], 2501), (["--simple"], 2501),
                               (["--symmetrize", "--multiply", "4"], 10002), (["--undirected", "lower"], 5001),
                               (["--edges", "77", "--symmetrize"], 77), (["--average-degree", "8"], 4 * VERTICES),
                               (["--average-degree", "8", "--multiply", "2"], 8 * VERTICES)):
            told = self.make("--like", "g.el", *options, *CPU, "--force")
            self.assertIn(f" --edges {drawn} ", told["command"], options)
            self.assertEqual(self.make("--like", "g.el", *options, "--dry-run")["edges"], drawn)
            if "--simple" not in options:
                self.assertEqual(told["edges"], 2 * drawn if "--symmetrize" in options else drawn)

    def test_degrees_of_symmetrized(self):
        """The mean of out and in, for either end."""
        self.make("--like", "g.el", "--symmetrize", "--edges", "200000", *CPU)
        src, dst = self.arrays("graph.h5")
        self.assertTrue(numpy.array_equal(degrees(src), degrees(dst)))
        mean = (degrees(self.src) + degrees(self.dst)) / 2
        kept = mean > 0
        expected = 400000 * mean / mean.sum()
        self.assertTrue((numpy.abs(degrees(src) - expected)[kept] < 5 * numpy.sqrt(2 * expected)[kept]).all())

    def test_both_ends_of_the_sum(self):
        """Without a direction, the very edges of --degrees with the sum of out and in.  Degrees alone do not tell:
        they add up to the sum, too, where sources follow out and destinations in."""
        self.write_degrees("d.txt", degrees(self.src) + degrees(self.dst))
        for options in (["--symmetrize"], ["--simple"], ["--undirected", "lower"], ["--undirected", "upper"]):
            told = [self.make(*of, "--edges", "2501", *options, *CPU, "--force")
                    for of in (("--like", "g.el"), ("--degrees", "d.txt"))]
            self.assertEqual(told[0]["fingerprint"], told[1]["fingerprint"], options)

    def test_distinct(self):
        """Neither end is a vertex that has no such edge in the file."""
        told = self.make("--like", "g.el", "--unique", "--edges", "1500", *CPU)
        src, dst = self.arrays("graph.h5")
        keys = src * VERTICES + dst
        self.assertEqual((told["edges"], len(numpy.unique(keys))), (1500, 1500))
        self.assertTrue(degrees(self.src)[src].all() and degrees(self.dst)[dst].all())


class Files(Like):
    def test_same_bytes(self):
        base = ["--like", "g.el", "--multiply", "50", *CPU]
        self.make(*base, "-o", "a.h5")
        expected = self.read("a.h5")
        for variant in (["--threads", "1"], ["--threads", "3"], ["--io", "hdf5"]):
            self.make(*base, *variant, "-o", "b.h5", "--force")
            self.assertTrue(self.read("b.h5") == expected, variant)

    def test_formats(self):
        """The same graph in any of them."""
        first = self.make("--like", "g.el", *CPU)
        for name in ("g.h5", "c.h5", "g.tsv", "g.csv", "g.mtx", "g.bin", "g.npy", "g.sg"):
            how = ["--to", "csr"] if name == "c.h5" else ["--to", "bin64"] if name == "g.bin" else []
            self.assertEqual(self.rmat("convert", "-q", "g.el", name, *how).returncode, 0, name)
            told = self.make("--like", name, *(["--from", "bin64"] if name == "g.bin" else []), *CPU, "--force")
            for key in ("fingerprint", "like_fingerprint", "edges", "num_rows"):
                self.assertEqual(told[key], first[key], (name, key))
        with h5py.File(self.path("g.h5"), "r") as file:
            self.assertEqual(first["like_fingerprint"], f"0x{int(file.attrs['fingerprint']):016x}")
        with gzip.open(self.path("z.el.gz"), "wb") as file:
            file.write(self.read("g.el"))
        with h5py.File(self.path("other.h5"), "w") as file:
            file["from"], file["to"] = self.src, self.dst
        os.rename(self.path("g.el"), self.path("noname"))
        for name, *how in (("z.el.gz",), ("other.h5", "--datasets", "from,to"), ("noname", "--from", "el")):
            self.assertEqual(self.make("--like", name, *how, *CPU, "--force")["fingerprint"], first["fingerprint"], name)

    def test_vertices_that_are_stated(self):
        """Those behind the last edge are there, too."""
        self.write("g.mtx", b"%%MatrixMarket matrix coordinate pattern general\n9 9 2\n1 2\n3 1\n")
        self.assertEqual(self.make("--like", "g.mtx", *CPU)["num_rows"], 9)
        self.write("s.mtx", b"%%MatrixMarket matrix coordinate pattern symmetric\n9 9 2\n2 1\n3 1\n")
        told = self.make("--like", "s.mtx", *CPU, "-o", "s.h5")
        self.assertEqual((told["edges"], told["directed"]), (4, False))

    def test_attributes(self):
        os.mkdir(self.path("folder"))
        os.rename(self.path("g.el"), self.path("folder/g.el"))
        told = self.make("--like", "folder/g.el", "--multiply", "2", *CPU)
        self.assertEqual(told["like"], "folder/g.el")
        with h5py.File(self.path("graph.h5"), "r") as file:
            attrs = dict(file.attrs)
        self.assertEqual((attrs["like"], attrs["multiply"], attrs["model"]), (b"g.el", 2, b"chung-lu"))
        self.assertEqual(f"0x{int(attrs['like_fingerprint']):016x}", told["like_fingerprint"])
        self.assertEqual(attrs["command"], told["command"].encode())
        self.assertNotIn("exponent", attrs)
        shown = json.loads(self.rmat("info", "--json", "graph.h5").stdout)
        self.assertEqual([shown[name] for name in ("like", "multiply", "like_fingerprint")],
                         ["g.el", 2, told["like_fingerprint"]])
        self.assertEqual(self.rmat("verify", "graph.h5").returncode, 0)
        self.assertEqual(self.rmat("convert", "-q", "graph.h5", "x.csv").returncode, 0)
        again = told["command"].replace("FILE", "folder/g.el").split()[1:]
        self.make(*again, *CPU, "-o", "again.h5")
        self.assertTrue(self.read("again.h5") == self.read("graph.h5"))

    def test_summary(self):
        for options, said in (([], "degrees      of the graph g.el, out and in apart\n"),
                              (["--multiply", "3"], "degrees      of the graph g.el, 3 times, out and in apart\n")):
            done = self.run_it("--like", "g.el", *options, *CPU, "--force")
            self.assertEqual(done.returncode, 0)
            self.assertIn(said, done.stdout)


class Refusals(Like):
    def fails(self, code, line, *args, **options):
        before = self.files()
        done = self.run_it("-q", *args, **options)
        self.assertEqual((done.stderr, done.stdout, done.returncode), ("chung_lu: " + line + "\n", "", code))
        self.assertEqual(self.files(), before)

    def test_options(self):
        for line, *args in (
                *((f"--like: given together with --{name}, allowed: one of them", "--like", "g.el", "--" + name, "3")
                  for name in ("degrees", "power-law", "vertices", "min-degree", "max-degree")),
                *((f"--{name}: given without --like, allowed: with it", "--" + name, value)
                  for name, value in (("multiply", "2"), ("from", "el"), ("datasets", "a,b"))),
                *((f"--multiply: '{value}' is out of range, allowed: 1 to 1000000000", "--like", "g.el", "--multiply",
                   value) for value in ("0", "1000000001")),
                ("--like: '-' names no file, allowed: the path of a file (./-x where it starts with a dash)", "--like",
                 "-"),
                ("--from-base: given for npy, allowed: for el, wel, tsv, csv", "--like", "g.el", "--from", "npy",
                 "--from-base", "1"),
                ("--datasets: given for el, allowed: for h5, csv, parquet", "--like", "g.el", "--datasets", "a,b")):
            with self.subTest(args=args):
                self.fails(2, line, *args)

    def test_graphs(self):
        os.mkdir(self.path("folder"))
        self.write("none.el", b"# nothing\n")
        self.write("none.mtx", b"%%MatrixMarket matrix coordinate pattern general\n3 3 0\n")
        self.write("wide.mtx", b"%%MatrixMarket matrix coordinate pattern general\n3 4 1\n1 1\n")
        self.write("far.mtx", b"%%MatrixMarket matrix coordinate pattern general\n2000000000000 2000000000000 1\n1 1\n")
        self.write("many.mtx", b"%%MatrixMarket matrix coordinate pattern general\n2000000000 2000000000 1\n1 1\n")
        for line, name, *args in (
                ("'x.el': No such file or directory, allowed: a file that can be read", "x.el"),
                ("'folder': Is a directory, allowed: a file that can be read", "folder"),
                ("'none.el' has no edges, allowed: a graph with edges", "none.el"),
                ("'none.mtx' has no edges, allowed: a graph with edges", "none.mtx"),
                ("'wide.mtx' has 3 source and 4 destination vertices, allowed: equal numbers of both", "wide.mtx"),
                ("'far.mtx' has 2000000000000 vertices, allowed: up to 1099511627776", "far.mtx")):
            with self.subTest(name=name):
                self.fails(2, "--like: " + line, "--like", name, *args)
        self.fails(2, "--multiply: '1000' is out of range for the 2000000000 vertices of 'many.mtx', allowed: 1 to 549",
                   "--like", "many.mtx", "--multiply", "1000")

    def test_broken_file(self):
        self.write("bad.el", b"1 2\n3 x\n")
        done = self.run_it("-q", "--like", "bad.el")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Achung_lu: --like: bad.el: line 2: [^\n]*\n\Z")
        self.assertEqual(self.files(), ["bad.el", "g.el"])

    def test_vertex_beyond_the_last(self):
        """A file of rmat that was changed by another program."""
        self.generate("--scale", "4", "-o", "list.h5")
        with h5py.File(self.path("list.h5"), "r+") as file:
            file["dst"][7] = 16
            renew_fingerprint(file)
        self.fails(1, "--like: list.h5: an edge has the vertex 16, allowed: below 16", "--like", "list.h5")

    @unittest.skipIf("RMAT_SANITIZED" in os.environ, "the sanitizer needs the address space")
    def test_memory_exhausted(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))

        self.fails(1, f"--like: memory is exhausted: {VERTICES * 10**7} vertices", "--like", "g.el", "--multiply", "10M",
                   "--threads", "1", "--memory", "1024Ti", preexec_fn=limit)

    def test_memory_for_vertices(self):
        """A few bytes can name vertices that are far apart.  Each takes 32 bytes: two weights, and two counters, then
        two rows of tables; 24 with one set of weights, whose counters are two; 16 where there are only counters."""
        self.write("far.el", b"0 2000000000\n")
        far = 2000000001
        for vertices, bytes_each, args in ((far, 32, []), (far, 24, ["--symmetrize"]), (far, 16, ["--dry-run"]),
                                           (10 * far, 48, ["--multiply", "10"])):  # rows are longer from 2^31 on
            self.fails(2, f"--memory: '1000000000' is too little for the {vertices} vertices of --like 'far.el', allowed: "
                          f"{bytes_each * vertices} or more", "--like", "far.el", "--memory", "1G", *args)
        self.write("farther.el", b"0 1000000000000\n")
        done = self.run_it("-q", "--like", "farther.el")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Achung_lu: --like: the 1000000000001 vertices of 'farther.el' take \S+ \S+ of "
                                      r"memory, \S+ \S+ are available; --memory allows more\n\Z")
        told = self.make("--like", "g.el", "--memory", "64Ki", *CPU)
        self.assertEqual(told["num_rows"], VERTICES)

    def test_file_that_crashes_hdf5(self):
        """In a child, not here."""
        shutil.copy(os.path.join(os.path.dirname(os.path.abspath(__file__)), "crashes_hdf5.h5"), self.path("x.h5"))
        self.fails(1, "--like: x.h5: could not be read: HDF5 crashed; the file is damaged or memory is exhausted",
                   "--like", "x.h5")

    def test_other_files_stay_closed(self):
        os.mkfifo(self.path("fifo"))
        with h5py.File(self.path("x.h5"), "w") as file:
            file["src"] = file["dst"] = h5py.ExternalLink("fifo", "/src")
        self.fails(1, "--like: x.h5: dataset 'src' lies in other files, expected it inside this one", "--like", "x.h5",
                   timeout=20)


if __name__ == "__main__":
    unittest.main()
