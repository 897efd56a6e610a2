"""rmat.alias: tables and draws."""

import copy
import pickle

from base import PythonTest, numpy, rmat


class Alias(PythonTest):
    def test_distribution(self):
        weights = numpy.array([3.0, 0.0, 1.0, 2.0, 10.0])
        draws = rmat.alias.Table(weights).sample(1_600_000, seed=9)
        counts = numpy.bincount(draws, minlength=5)
        expected = weights / weights.sum() * len(draws)
        self.assertEqual(counts[1], 0)
        used = weights > 0
        chi_squared = ((counts[used] - expected[used]) ** 2 / expected[used]).sum()
        self.assertLess(chi_squared, 25)  # 3 degrees of freedom: a false alarm below 2e-5

    def test_sequence(self):
        """Draw i is a function of the table, the seed and i."""
        table = rmat.alias.Table(range(1, 100))
        whole = table.sample(10_000, seed=3)
        self.assertEqual(whole.dtype, numpy.int64)
        numpy.testing.assert_array_equal(table.sample(10_000, seed=3), whole)  # draws do not go on
        numpy.testing.assert_array_equal(table.sample(500, seed=3, first=700), whole[700:1200])
        numpy.testing.assert_array_equal(table.sample(10_000, seed=3, dtype="uint32"), whole)
        self.assertFalse(numpy.array_equal(table.sample(10_000, seed=4), whole))
        out = numpy.empty(100, "u8")
        self.assertIs(table.sample(seed=3, out=out), out)
        numpy.testing.assert_array_equal(out, whole[:100])

    def test_builders(self):
        names = ("auto", "psa+", "sweep", "psa")
        weights = numpy.random.default_rng(1).random(1000)
        same = [rmat.alias.Table(weights, builder=name).sample(1000) for name in ("sweep", "psa")]
        numpy.testing.assert_array_equal(same[0], same[1])
        for name in names:
            self.assertEqual(len(rmat.alias.Table(weights, builder=name)), 1000)

    def test_errors(self):
        for weights, words in [([], "^weights: .*(no |empty)"), ([1, -1], r"negative: weights\[1\] is -1"),
                               ([2, float("nan")], r"^weights: .*not a number: weights\[1\] is nan"),
                               ([0, 0], "zero"), ([[1, 2]], "dimensions")]:
            with self.assertRaisesRegex(ValueError, words):
                rmat.alias.Table(weights)
        with self.assertRaisesRegex(rmat.OptionError, "^builder: 'x' is unknown, allowed: auto, sweep"):
            rmat.alias.Table([1], builder="x")
        table = rmat.alias.Table([1, 2])
        for options, words in [({}, "^count: missing"), ({"count": 2**62}, "^count: 4611686018427387904 is out of range"),
                               ({"count": -1}, "^count: -1 is out of range, allowed: 0 to"),
                               ({"count": 1, "seed": -1}, "^seed: -1 is out of range, allowed: 0 to 18446744073709551615$"),
                               ({"count": 1, "seed": 2**64}, "^seed: 18446744073709551616 is out of range"),
                               ({"count": 1, "first": -1}, "^first: -1 is out of range, allowed: 0 to"),
                               ({"count": 2, "first": 2**64 - 1}, "^first: 18446744073709551615 is out of range"),
                               ({"count": 1, "dtype": "float32"}, "^dtype: 'float32' is unknown, allowed: int32")]:
            with self.subTest(options), self.assertRaisesRegex(rmat.OptionError, words):
                table.sample(**options)
        for options in ({"count": 1.5}, {"count": 1, "seed": "x"}, {"count": 1, "first": None}):
            with self.subTest(options), self.assertRaisesRegex(TypeError, "is not a whole number$"):
                table.sample(**options)
        self.assertEqual(table.sample(1, first=2**64 - 1).shape, (1,))
        numpy.testing.assert_array_equal(table.sample(numpy.int8(5), seed=numpy.uint64(3)), table.sample(5, seed=3))
        for options, words in [({"row_bytes": 5}, "^row_bytes: 5 is unknown, allowed: 0, 8, 16"),
                               ({"threads": -1}, "^threads: -1 is out of range, allowed: 0 to 4096")]:
            with self.assertRaisesRegex(rmat.OptionError, words):
                rmat.alias.Table([1], **options)
        with self.assertRaisesRegex(rmat.OptionError, "^dtype: dtype..float64.. is unknown"):
            rmat.alias.Table([1]).sample(out=numpy.empty(5))
        with self.assertRaisesRegex(rmat.OptionError, "^out: "):
            rmat.alias.Table([1]).sample(out=numpy.empty((5, 1), "i8"))

    def test_pickle(self):
        """A table that is sent to another process is the same there; a copy is the table itself."""
        weights = numpy.random.default_rng(2).random(5000) ** 9
        for options in ({}, {"builder": "psa"}, {"row_bytes": 16, "builder": "sweep"}):
            table = rmat.alias.Table(weights, **options)
            with open(self.path("table"), "wb") as file:
                pickle.dump(table, file)
            self.python("import pickle, numpy, sys; numpy.save('draws', pickle.load(open('table', 'rb')).sample(50000, seed=7))")
            numpy.testing.assert_array_equal(numpy.load(self.path("draws.npy")), table.sample(50000, seed=7))
            again = pickle.loads(pickle.dumps(table))
            self.assertEqual(repr(again), repr(table))
            for copied in (copy.copy(table), copy.deepcopy([table])[0]):
                self.assertIs(copied, table)
