"""rmat.alias: tables and draws."""

import unittest

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
        self.assertEqual(whole.dtype, numpy.uint32)
        numpy.testing.assert_array_equal(table.sample(500, seed=3, first=700), whole[700:1200])
        numpy.testing.assert_array_equal(table.sample(10_000, seed=3, dtype="int64"), whole)
        self.assertFalse(numpy.array_equal(table.sample(10_000, seed=4), whole))
        out = numpy.empty(100, "u8")
        self.assertIs(table.sample(seed=3, out=out), out)
        numpy.testing.assert_array_equal(out, whole[:100])

    def test_builders(self):
        names = rmat.alias.builders()
        self.assertIn("psa+", names)
        weights = numpy.random.default_rng(1).random(1000)
        same = [rmat.alias.Table(weights, builder=name).sample(1000) for name in ("sweep", "psa", "merge")]
        numpy.testing.assert_array_equal(same[0], same[1])
        numpy.testing.assert_array_equal(same[0], same[2])
        for name in names:
            self.assertEqual(len(rmat.alias.Table(weights, builder=name)), 1000)

    def test_sections(self):
        table = rmat.alias.Table(numpy.ones(100_000))
        draws = table.sample(200_000, seed=5, sections=True)
        self.assertEqual(len(draws), 200_000)
        self.assertLess(abs(draws.mean() - 50_000), 500)

    def test_errors(self):
        for weights, words in [([], "no |empty"), ([1, -1], "below zero|negative"), ([float("nan")], "not a number"),
                               ([0, 0], "zero"), ([[1, 2]], "dimensions")]:
            with self.assertRaisesRegex(ValueError, words):
                rmat.alias.Table(weights)
        with self.assertRaisesRegex(rmat.OptionError, "^builder: 'x' is unknown, allowed: auto, vose"):
            rmat.alias.Table([1], builder="x")
        with self.assertRaisesRegex(rmat.OptionError, "^count: missing"):
            rmat.alias.Table([1]).sample()
        with self.assertRaisesRegex(rmat.OptionError, "^out: "):
            rmat.alias.Table([1]).sample(out=numpy.empty(5))


if __name__ == "__main__":
    unittest.main()
