"""apps/examples/chung_lu.c: its edges follow the model, its file depends only on the arguments, and a refusal
leaves no file.  CHUNG_LU in the environment names the program."""

import os
import resource

from arrays import h5py, numpy
from cli import CliTest, has_gpu

CHUNG_LU = os.path.abspath(os.environ["CHUNG_LU"])
CPU = {"CUDA_VISIBLE_DEVICES": ""}


class ChungLu(CliTest):
    def run_it(self, *args, environment=(), **options):
        return self.program(CHUNG_LU, *map(str, args), env={**os.environ, **dict(environment)}, **options)

    def make(self, name, *args, **environment):
        """A run that must succeed: its edges, and what made them."""
        done = self.run_it(name, *args, environment=environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        with h5py.File(self.path(name)) as file:
            src, dst, vertices = file["src"][:], file["dst"][:], file.attrs["num_rows"]
        self.assertEqual((src.dtype, dst.dtype), ("uint32", "uint32"))
        line, maker = done.stdout.split(" by ")
        self.assertEqual(line, f"{name}: {vertices} vertices, {len(src)} edges")
        return src, dst, maker

    def fails(self, status, line, *args, **options):
        """A run that must fail, with a line that begins so, and leave the files as they are."""
        before = self.files()
        done = self.run_it(*args, **options)
        self.assertEqual((done.returncode, done.stdout, done.stderr[:len(line)]), (status, "", line), args)
        self.assertEqual(self.files(), before)

    def near(self, observed, expected):
        """Chi-squared, within five standard deviations: neither too far from what is expected, nor too near."""
        surplus = ((observed - expected) ** 2 / expected).sum() - (expected.size - 1)
        self.assertLess(abs(surplus), 5 * (2 + 1 / expected).sum() ** 0.5, surplus)

    def follows(self, src, dst, weights):
        """Either end is a vertex as often as its weight says, whatever the other end is, in all parts of the file."""
        share, edges = weights / weights.sum(), len(src)
        for ends in (src, dst):
            count = numpy.bincount(ends, minlength=len(weights))
            self.assertEqual((len(count), count[share == 0].sum()), (len(weights), 0))
            self.near(count[share > 0], edges * share[share > 0])
        # 16 x 16 parts of about equal weight, in each quarter of the file.
        part = numpy.minimum((numpy.cumsum(share) - share / 2) * 16, 15).astype(int)
        part_share = numpy.bincount(part, weights=share)
        cell = (numpy.arange(edges) * 4 // edges * 16 + part[src]) * 16 + part[dst]
        expected = numpy.tile(edges / 4 * numpy.outer(part_share, part_share).ravel(), 4)
        self.near(numpy.bincount(cell, minlength=len(expected)), expected)

    def test_degrees_of_a_file(self):
        degrees = numpy.random.default_rng(5).integers(0, 200, 60000) * 0.5
        numpy.savetxt(self.path("d.txt"), degrees, "%g")
        src, dst, _ = self.make("x.h5", "--degrees", "d.txt", 7)
        self.assertEqual(len(src), round(degrees.sum() / 2))
        self.follows(src, dst, degrees)
        self.assertFalse(numpy.array_equal(src, self.make("y.h5", "--degrees", "d.txt", 8)[0]))
        done = self.rmat("verify", "x.h5")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_power_law(self):
        src, dst, maker = self.make("x.h5", "--power-law", 2.2, 50000, 100, **CPU)
        self.assertEqual((len(src), maker), (2500000, "the CPU\n"))
        self.follows(src, dst, numpy.arange(1, 50001) ** (-1 / 1.2))
        # Edge t does not depend on how many there are.
        fewer = self.make("y.h5", "--power-law", 2.2, 50000, 80)[:2]
        self.assertTrue(numpy.array_equal(fewer, [src[:2000000], dst[:2000000]]))
        src, dst, _ = self.make("one.h5", "--power-law", 3, 1, 10)
        self.assertEqual((src.tolist(), dst.tolist()), ([0] * 5, [0] * 5))
        self.assertEqual(len(self.make("none.h5", "--power-law", 3, 9, 0)[0]), 0)

    def test_same_bytes(self):
        law = ["--power-law", 2.5, 300000, 15, 2**63 - 1]
        self.make("x.h5", *law, OMP_NUM_THREADS="1", **CPU)
        self.make("y.h5", *law, OMP_NUM_THREADS="3", **CPU)
        self.assertTrue(self.read("x.h5") == self.read("y.h5"))
        if not has_gpu():
            self.skipTest("no GPU")
        self.assertEqual(self.make("z.h5", *law)[2], "a GPU\n")
        self.assertTrue(self.read("x.h5") == self.read("z.h5"))

    def test_wrong_use(self):
        law = ["x.h5", "--power-law"]
        for line, *args in (("usage: chung_lu OUT.h5 --degrees FILE [SEED]\n",), ("usage: ", *law, 2, 9),
                            ("usage: ", "x.h5", "--degrees", "d", 1, 2),
                            ("chung_lu: EXPONENT: '1', allowed: 1.001 to 1000\n", *law, 1, 9, 4),
                            ("chung_lu: VERTICES: '1K', allowed: 1 to 2147483648 (2^31)\n", *law, 2, "1K", 4),
                            ("chung_lu: AVERAGE_DEGREE: 'nan', allowed: 0 to 1e15\n", *law, 2, 9, "nan"),
                            ("chung_lu: SEED: '-1', allowed: 0 to 2^63 - 1\n", *law, 2, 9, 4, -1),
                            ("chung_lu: the degrees add up to 9e+18, allowed: 0 to 2^62\n", *law, 2, 9000, 1e15),
                            ("chung_lu: --degrees: 'd' cannot be read: No such file", "x.h5", "--degrees", "d")):
            self.fails(2, line, *args)
        for text, line in (("1\n-2\n", "d, line 2: '-2', allowed: a number 0 to 1e15\n"), ("1\n\n2", "d, line 2: ''"),
                           ("1 2\n", "d, line 1: '1 2'"), ("1\x07\n", "d, line 1: '1?'"), ("inf\n", "d, line 1: 'inf'"),
                           ("0\n0\n", "'d', allowed: a file with a degree above 0\n"), ("", "'d', allowed:")):
            self.write("d", text)
            self.fails(2, "chung_lu: --degrees: " + line, "x.h5", "--degrees", "d")

    def test_failures(self):
        """What the library for files refuses; tests/io and tests/faults show all of that."""
        self.write("old.h5")
        law = ["--power-law", 2, 1000, 4000]
        self.fails(1, "chung_lu: old.h5: already exists\n", "old.h5", *law)
        self.assertEqual(self.read("old.h5"), b"precious")
        self.fails(1, "chung_lu: x.h5.partial: ", "x.h5", *law,
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5 << 20, 5 << 20)))
