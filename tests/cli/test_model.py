"""The model's options: their effect on the file and its attributes, and wrong files of level matrices.

Other tests: wrong options in test_bad_input.py, edges in test_rmat_*.c, several ranks in test_mpi_same_bytes.py, and
attributes in test_info.py.
"""

import re

from arrays import h5py, numpy
from cli import CliTest, LEVELS

GOOD = "0.5 0.2 0.2 0.1\n"
FOUR = "is no matrix, allowed: four probabilities that add up to 1 within 1e-9, in a line of at most 1022 characters"
COUNT = "allowed: 3, one for each level"

# What a file of level matrices for scale 3 says, and the line after "--level-matrices: ".
WRONG_LEVELS = [
    (2 * GOOD, f"'m.txt' has 2 matrices, {COUNT}"),
    (GOOD, f"'m.txt' has 1 matrix, {COUNT}"),
    ("# nothing\n", f"'m.txt' has 0 matrices, {COUNT}"),
    (4 * GOOD, f"'m.txt' has 4 matrices, {COUNT}"),
    *((before + text, f"m.txt, line {before.count(chr(10)) + 1}: '{said}' {FOUR}") for before, text, said in (
        ("#\n\n" + GOOD, "0.5 0.2 0.2x 0.1\n", "0.5 0.2 0.2x 0.1"), (GOOD, "0.5 0.2 0.2\n", "0.5 0.2 0.2"), ("", "1\n", "1"),
        ("", "0.5 0.2 0.2 0.1 0\n", "0.5 0.2 0.2 0.1 0"), ("", "0.5 0.2 0.2 # 0.1\n", "0.5 0.2 0.2 "),
        (2 * GOOD, "1.5 -0.2 -0.2 -0.1", "1.5 -0.2 -0.2 -0.1"), (2 * GOOD, "0.5 -0.2 0.6 0.1", "0.5 -0.2 0.6 0.1"),
        ("", "0.5 0.2 0.2 nan\n", "0.5 0.2 0.2 nan"), ("", "0.5 0.2 0.2 0.2\n", "0.5 0.2 0.2 0.2"),
        (GOOD, "0.5 0.2 0.2 0.1\x1b[31m\n", "0.5 0.2 0.2 0.1?[31m"), ("", "0" * 5000, 64 * "0"),
        ("", "0x1p-2 .25 .25 .25\n", "0x1p-2 .25 .25 .25"), ("", "0.25.25.25.25\n", "0.25.25.25.25"),
        ("", "0.5 0.2 0.2 0.1e\n", "0.5 0.2 0.2 0.1e"), (GOOD, "1e 0 0 0\n", "1e 0 0 0"),
        ("", ".25\v.25 .25 .25\n", ".25?.25 .25 .25"),
        ("", "1.0000000005 0 0 0\n", "1.0000000005 0 0 0"), ("", "#" + 1100 * " " + GOOD, ""))),
]

class Model(CliTest):
    def setUp(self):
        super().setUp()
        self.write("m.txt", LEVELS)

    def make(self, *args, name="graph.h5"):
        """The file, its summary and its datasets."""
        told = self.generate(*args, "-o", name, "--force")
        with h5py.File(self.path(name), "r") as file:
            return told, dict(file.attrs), {key: file[key][:] for key in file}

    def test_wrong_level_matrices(self):
        for text, line in WRONG_LEVELS:
            with self.subTest(text=text[:80]):
                self.write("m.txt", text)
                self.fails(2, re.escape(f"--level-matrices: {line}"), "generate", "--scale", "3", "--level-matrices", "m.txt")
        self.fails(2, r"--level-matrices: '\.': Is a directory, allowed: a file that can be read", "generate", "--scale", "3",
                   "--level-matrices", ".")

    def test_default_d(self):
        """1 - a - b - c as a multiple of 1e-15, ties to even; Python's round() does that to halves, too."""
        for a, b, c, tie in ((0.57, 0.19, 0.19, False), (0.5, 0.1, 0.08650996290334552, True),
                             (0.5, 0.1, 0.06364023027817552, True), (0.5, 0.1, 0.01818512063913951, True),
                             (0.5, 0.1, 0.02549728745235155, True)):
            scaled = (1 - a - b - c) * 1e15
            self.assertEqual(scaled % 1 == 0.5, tie)
            d = round(scaled) / 1e15
            self.assertTrue(not tie or d != int(scaled + 0.5) / 1e15)
            _, attrs, _ = self.make("--a", repr(a), "--b", repr(b), "--c", repr(c), "--edges", "100")
            self.assertEqual(float(attrs["d"]), d)

    def test_no_negative_zero(self):
        """What is left of 1 for d, and a 0 that the user gave a sign, are stored and printed as 0."""
        for args in (["--a", ".8", "--b", ".1", "--c", ".1"], ["--a", ".8", "--b", ".1", "--c", ".1", "--d=-0"],
                     ["--a", "1", "--b=-0.0", "--c", "0"]):
            with self.subTest(args=args):
                told, attrs, _ = self.make(*args, "--edges", "100")
                values = [float(attrs[key]) for key in "abcd"]
                self.assertFalse(any(numpy.signbit(values)), values)
                self.assertFalse(any(numpy.signbit([told[key] for key in "abcd"])), told)
                self.assertNotIn(" -0", told["command"])

    def test_stored_matrices_make_the_same_edges(self):
        told, attrs, data = self.make("--scale", "12", "--noise", "0.1", "--permute")
        self.write("n.txt", "\n".join(" ".join(repr(float(x)) for x in matrix) for matrix in attrs["matrices"].reshape(-1, 4)))
        other = self.make("--scale", "12", "--level-matrices", "n.txt", "--permute", name="other.h5")
        self.assertEqual(other[0]["fingerprint"], told["fingerprint"])
        self.assertTrue(numpy.array_equal(other[2]["src"], data["src"]))
        self.assertTrue(numpy.array_equal(other[1]["matrices"], attrs["matrices"]))
        mu = attrs["matrices"].reshape(-1, 4)[:, 1] - 0.19
        self.assertTrue(numpy.all(abs(mu) <= 0.1) and numpy.ptp(mu) > 0.05)

    def test_edges(self):
        """What each option promises of the edges."""
        size = ["--vertices", "1500", "--edges", "40001"]
        for words in ([], ["--permute"], ["--no-self-loops"], ["--symmetrize"], ["--undirected", "upper"],
                      ["--undirected", "lower", "--permute", "--symmetrize"],
                      ["--undirected", "upper", "--permute", "--no-self-loops"],
                      ["--undirected", "lower", "--symmetrize", "--no-self-loops"],
                      ["--permute", "--symmetrize", "--no-self-loops"]):
            with self.subTest(words=words):
                _, _, data = self.make(*size, *words, "--weights", "uniform")
                src, dst, weight = data["src"], data["dst"], data["weight"]
                self.assertLess(max(src.max(), dst.max()), 1500)
                self.assertEqual((src == dst).any(), "--no-self-loops" not in words)
                if "--symmetrize" in words:
                    self.assertTrue(numpy.array_equal(src[::2], dst[1::2]))
                    self.assertTrue(numpy.array_equal(dst[::2], src[1::2]))
                    self.assertTrue(numpy.array_equal(weight[::2], weight[1::2]))
                    src, dst = src[::2], dst[::2]
                if "lower" in words:
                    self.assertTrue((src >= dst).all())
                elif "upper" in words:
                    self.assertTrue((src <= dst).all())
                else:
                    self.assertTrue((src < dst).any() and (src > dst).any())

    def test_weights(self):
        """float:0:1 is uniform; what weights there are: test_rmat_options.c."""
        one, other = (self.make("--scale", "12", "--weights", kind)[2]["weight"] for kind in ("uniform", "float:0:1"))
        self.assertTrue(numpy.array_equal(one, other))

    def test_presets(self):
        """They permute as their benchmarks do."""
        for words, scale, factor, a, d, permuted in (
                ("", 20, 16, 0.57, 0.05, False),
                ("--preset graph500", 20, 16, 0.57, 0.05, True), ("--preset gapbs-kron", 27, 16, 0.57, 0.05, True),
                ("--preset gapbs-kron --scale 9", 9, 16, 0.57, 0.05, True),
                ("--preset ssca2 --scale 30", 30, 8, 0.55, 0.25, False), ("--preset rmat-er", 24, 8, 0.25, 0.25, False),
                ("--preset rmat-g", 24, 8, 0.45, 0.25, False), ("--preset rmat-b", 24, 8, 0.55, 0.15, False),
                ("--preset parmat", 20, 16, 0.45, 0.11, False), ("--preset pbbs", 20, 10, 0.5, 0.3, False),
                ("--preset graph500 --scale 42", 42, 16, 0.57, 0.05, True),
                ("--preset ssca2 --permute --scale 20", 20, 8, 0.55, 0.25, True)):
            told = self.generate("--dry-run", *words.split())
            self.assertEqual([told[name] for name in ("num_rows", "edges", "a", "d", "permute")],
                             [1 << scale, factor << scale, a, d, permuted], words)
        self.assertEqual(self.generate("--dry-run", "--preset", "gapbs-kron", "--vertices", "1000")["edges"], 16000)
        self.generate("--preset", "graph500", "--scale", "9", "-o", "a.h5")
        self.generate("--permute", "--scale", "9", "-o", "b.h5")
        self.assertTrue(self.read("a.h5") == self.read("b.h5"))
        done = self.rmat("generate", "--scale", "9", "-o", "c.h5")
        self.assertRegex(done.stdout, r"(?m)^command      rmat generate --scale 9 --edges 8192 --a 0.57 --b 0.19 --c 0.19 --d 0.05 --seed 1$")

    def test_summary(self):
        done = self.rmat("generate", "--vertices", "1000", "--noise", "0.1", "--permute", "--no-self-loops",
                         "--undirected", "lower", "--symmetrize", "--weights", "int:1:9")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("\nvertices     1000 sources, 1000 destinations\nedges        32000, 32-bit ids\n"
                      "command      rmat generate --vertices 1000 --edges 16000 --a 0.57 --b 0.19 --c 0.19 --d 0.05 --seed 1 "
                      "--noise 0.1 --permute --no-self-loops --undirected lower --symmetrize --weights int:1:9\n", done.stdout)
        self.assertGreaterEqual(int(re.search(r"graph.h5 \(h5, (\d+) kB\)", done.stdout)[1]), 384)
        done = self.rmat("generate", "--dry-run", "--scale", "3", "--level-matrices", "m.txt")
        self.assertIn("\ncommand      rmat generate --scale 3 --edges 128 --level-matrices FILE --seed 1\n", done.stdout)
        done = self.rmat("generate", "--scale", "5", "--stream", "graph500", "--seed", "8", "-o", "g.h5")
        self.assertIn("\ncommand      rmat generate --stream graph500 --scale 5 --edges 512 --seed 8 --seed2 3\n", done.stdout)

    def test_note_of_the_default_scale(self):
        """Edges alone leave the scale at 20: a note where that makes many for each vertex."""
        for words, note in ((("--edges", "300M"), "note: --scale is 20, its default, which makes 286 edges for each vertex"),
                            (("--edges", "200M"), ""), (("--edges", "300M", "--scale", "20"), ""), (("--edges", "300M", "-q"), "")):
            done = self.rmat("generate", "--dry-run", *words)
            self.assertEqual(done.stderr, note and f"rmat generate: {note}\n", words)

