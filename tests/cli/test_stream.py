"""Streams beside the model's own: the files and search keys of the benchmarks' own programs; lists made row by row, which
test_rmat_rows_list.c compares with a second implementation; slices; and the other commands on such edges.  test_sorted.py
tests CSR and distinct edges."""

import hashlib
import json
import os

from arrays import numpy
from cli import CliTest, write_list
from formats import Edges, h5

GRAPH500 = ["--stream", "graph500", "--scale", "12"]
ROWS = ["--stream", "rows", "--scale", "12"]

# Of graph500/graph500, commit f89d643: generate_kronecker_range() as packed edges and weights, and the
# search keys of graph500_reference_bfs 12 16.
EDGES = "a21c53347c8ca6146a2712f99f8a8800e5fabba1a6f4c9177f56f59f863287eb"
WEIGHTS = "58f03ecd7d252607d60b90a2e0f3509dd59c90dec385bbc444ad677545a8a370"
ROOTS = """1834 858 881 504 3865 37 3394 3109 1377 85 945 3600 1762 2850 2775 654 826 526 1510 2530 385
2142 3924 560 1918 1068 3867 3341 729 1077 256 166 2565 2280 2322 3757 2983 789 2511 2843 883 2279 4069
2763 391 3517 859 2723 2713 142 710 2127 2793 2220 1941 3264 2087 2841 1331 3552 839 685 597 692""".split()
# Of graph500_reference_bfs 8 16: some of the first candidates are isolated, or come twice.
ROOTS_8 = """53 55 31 241 98 2 116 212 194 86 5 59 225 110 201 178 29 40 51 32 94 24 245 35 119 66 45 19 67
16 93 10 160 142 145 234 186 224 49 156 177 214 167 254 77 172 219 170 169 8 44 132 174 138 121 204 130 83
203 222 52 206 42 37""".split()


class Graph500(CliTest):
    def test_files_of_the_reference(self):
        self.silent("generate", "-q", *GRAPH500, "--weights", "uniform", "--format", "graph500", "-o", "g")
        for name, expected in (("g", EDGES), ("g.weights", WEIGHTS)):
            self.assertEqual(hashlib.sha256(self.read(name)).hexdigest(), expected)

    def test_summary(self):
        told = self.generate(*GRAPH500, "--weights", "uniform")
        self.assertEqual((told["stream"], told["seed"], told["seed2"]), ("graph500", 2, 3))
        self.generate(*GRAPH500, "--seed", "5", "--seed2", "5", "-o", "a.h5")
        self.assertIn("seed2            5\n", self.silent("info", "a.h5"))

    def test_loops_are_left_out(self):
        self.generate(*GRAPH500, "--weights", "uniform", "-o", "list.h5")
        self.generate(*GRAPH500, "--weights", "uniform", "--dedup", "--no-self-loops", "-o", "set.h5", "--memory", "1500K")
        drawn, kept = (Edges(*h5(self.path(name), "f4")) for name in ("list.h5", "set.h5"))
        wanted = drawn.of(drawn.columns[0] != drawn.columns[1]).distinct()
        for mine, column in zip(kept.columns, wanted.columns, strict=True):
            self.assertTrue(numpy.array_equal(mine, column))

    def test_damage_is_found(self):
        for column, model in ("weight", [*GRAPH500, "--weights", "uniform", "--sorted"]), ("dst", ROWS):
            self.generate(*model, "--force")
            self.changed(lambda file, column=column: file[column].__setitem__(1234, file[column][1234] + 1))
            done = self.rmat("verify", "-q", "x.h5")
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"edges        wrong: edge 1234: {column}", done.stdout)

    def test_other_commands(self):
        self.generate(*GRAPH500, "-o", "a.h5")
        self.silent("convert", "-q", "a.h5", "c.h5", "--to", "h5")
        self.silent("verify", "-q", "c.h5")
        self.assertEqual(self.told("stats", "a.h5")["edges"], 16 << 12)


class Gapbs(CliTest):
    """What `converter -g SCALE -b` and `converter -g SCALE -w -b` of GAPBS (commit b5e3e19), built by GCC 12, write."""

    FILES = {("5", "sg"): "872087b14abaae28256b968cf7612d3f95cd1dcbb6368fd728ddec1aca30cf11",
             ("5", "wsg"): "4334eb8672e48f49109918f0846f630fc4042036957b6dfa27342604cf319463",
             ("10", "sg"): "0e68aeb3bed1fee5499cd805aafe17de38c9cf4136a3f4eb567e5828bf594570",
             ("10", "wsg"): "4b62539bf406c0aba9b12980e31a8eaab1008fae50b0dacd4e545a1552a87bec",
             ("14", "sg"): "3ca725cbd0b51dfd24976d6da2f2e276bb29d037604f5294383a53d254acf8fe",
             ("14", "wsg"): "65c15b24f93e0eaa6e2f270bb10e38ee9607e6e5aa67e87582f438fc31c5c293"}

    def test_files_of_the_converter(self):
        for (scale, suffix), expected in self.FILES.items():
            for variant in ([], ["--threads", "1", "--memory", "8M"]):
                self.silent("generate", "-q", "--stream", "gapbs", "--scale", scale, "-o", f"g.{suffix}", "--force", *variant)
                self.assertEqual(hashlib.sha256(self.read(f"g.{suffix}")).hexdigest(), expected)

    def test_options_say_otherwise(self):
        for name, options in ("a.sg", ["--dedup"]), ("b.sg", []):
            self.silent("generate", "-q", "--stream", "gapbs", "--scale", "10", *options, "-o", name)
        self.assertNotEqual(self.read("a.sg"), self.read("b.sg"))


class Slices(CliTest):
    """--first and --count: that slices are the list together is tested in test_formats.py, test_readme.py and python_edges."""

    def test_attributes(self):
        self.generate("--scale", "10", "--first", "100", "--count", "50", "-o", "a.h5")
        self.assertIn("first            100\n", self.silent("info", "a.h5"))
        self.generate("--scale", "10", "--edges", "50", "-o", "b.h5")
        self.generate("--scale", "10", "--first", "0", "--count", "50", "-o", "c.h5")
        self.assertTrue(self.read("b.h5") == self.read("c.h5"))
        self.changed(lambda file: file.attrs.modify("first", numpy.uint64(101)), "a.h5")
        self.assertEqual(self.rmat("verify", "-q", "x.h5").returncode, 1)


class Roots(CliTest):
    def roots(self, *words):
        return self.silent("roots", "-q", *words).split()

    def test_of_the_reference(self):
        self.generate(*GRAPH500, "-o", "a.h5")
        self.assertEqual(self.roots("a.h5"), ROOTS)
        self.assertEqual(self.roots("a.h5", "--count", "5", "--threads", "1"), ROOTS[:5])
        self.generate(*GRAPH500, "--scale", "8", "--simple", "--format", "csr", "-o", "b.h5")
        self.assertEqual(self.roots("b.h5"), ROOTS_8)

    def test_json(self):
        self.generate(*GRAPH500, "--seed", "9", "-o", "a.h5")
        told = self.told("roots", "a.h5")
        self.assertEqual((told["scale"], told["seed"], told["seed2"], len(told["roots"])), (12, 9, 3, 64))
        self.assertGreaterEqual(told["candidates"], 64)
        self.assertNotEqual([str(root) for root in told["roots"]], ROOTS)

    def test_vertices_with_loops_alone_are_isolated(self):
        """No more keys than there are vertices with edges, each once, and a note that says so."""
        write_list(self.path("a.h5"), numpy.array([0, 3, 5]), numpy.array([0, 3, 6]))
        done = self.rmat("roots", "-q", "--json", "a.h5", "--scale", "3", "--count", "4")
        told = json.loads(done.stdout)
        self.assertEqual(told["candidates"], 8)
        self.assertEqual(len(set(told["roots"])), len(told["roots"]))
        self.assertLessEqual(set(told["roots"]), {5, 6})
        self.assertEqual(done.stderr, f"rmat roots: note: there are only {len(told['roots'])} search keys, for the "
                         "benchmark draws no more candidates than there are vertices\n")

    def test_threads_of_openmp(self):
        """OMP_NUM_THREADS is the default of --threads, and OMP_THREAD_LIMIT the most."""
        for words, variables, threads in (((), {"OMP_NUM_THREADS": "3"}, 3), (("--threads", "5"), {"OMP_NUM_THREADS": "3"}, 5),
                                          (("--threads", "5"), {"OMP_THREAD_LIMIT": "2"}, 2)):
            done = self.rmat("generate", "--scale", "10", "--json", "--force", "-o", "t.h5", *words, env={**os.environ, **variables})
            self.assertEqual(json.loads(done.stdout)["threads"], threads, (words, variables))


class Rows(CliTest):
    def pairs(self, name):
        return numpy.stack(self.columns(name, "src", "dst"), axis=1)

    def test_passes(self):
        """Lists and CSR are written straight; where copies are dropped, intervals make their own edges alone, once more to be
        counted.  Other streams make them over and over.  A dry run plans as many."""
        base = ["--scale", "12", "--edge-factor", "64", "--memory", "2M"]
        for i, (more, rows, other) in enumerate(((["--format", "csr"], None, 3), (["--format", "csr", "--dedup"], 2, 4),
                                                 (["--sorted"], None, 3), (["--format", "el"], None, 0))):
            args = ["--stream", "rows", *base, *more, "-o", f"{i}.h5"]
            text, planned = self.rmat("generate", *args, "--dry-run").stdout, self.generate(*args, "--dry-run")
            made, drawn = self.generate(*args), self.generate(*base, *more, "-o", f"{i}-rmat.h5").get("passes", 0)
            self.assertEqual((planned.get("passes"), made.get("passes"), "passes" in planned), (rows, rows, "--dedup" in more))
            self.assertGreaterEqual(drawn, other)
            self.assertGreaterEqual(planned["file_bytes"], made["file_bytes"])
            self.assertEqual("intervals" in text, "--dedup" in more)

    def test_what_is_done_to_drawn_edges(self):
        drawn = self.generate(*ROWS, "-o", "a.h5")
        for i, more in enumerate((["--permute"], ["--undirected", "lower"], ["--symmetrize"], ["--permute", "--simple"])):
            told = self.generate(*ROWS, *more, "-o", f"{i}.h5")
            self.generate(*ROWS, *more, "--sorted", "--memory", "2M", "-o", f"sorted{i}.h5")
            if "--simple" not in more:
                self.assertEqual(told["graph_edges"] if "graph_edges" in told else told["edges"],
                                 drawn["edges"] * (2 if "--symmetrize" in more else 1))
            one, two = self.pairs(f"{i}.h5"), self.pairs(f"sorted{i}.h5")
            self.assertTrue((one[numpy.lexsort(one.T[::-1])] == two).all(), more)
        lower = self.pairs("a.h5")
        lower = numpy.stack([lower.max(axis=1), lower.min(axis=1)], axis=1)
        self.assertTrue((lower == self.pairs("1.h5")).all())

    def test_weights_are_those_of_the_same_edges_elsewhere(self):
        weights = []
        for stream in "rows", "rmat":
            self.generate("--stream", stream, "--scale", "6", "--edges", "20000", "--weights", "int:1:1000", "-o", f"{stream}.h5")
            src, dst, weight = self.columns(f"{stream}.h5", "src", "dst", "weight")
            weights.append(dict(zip(zip(map(int, src), map(int, dst)), map(int, weight))))
        both = weights[0].keys() & weights[1].keys()
        self.assertGreater(len(both), 1000)
        self.assertTrue(all(weights[0][edge] == weights[1][edge] for edge in both))

    def test_other_commands(self):
        told = self.generate(*ROWS, "-o", "plain.h5")
        self.assertEqual(told["stream"], "rows")
        self.assertIn("order            sorted\n", self.silent("info", "plain.h5"))
        self.generate(*ROWS, "--permute", "-o", "a.h5")
        self.assertIn("stream           rows\n", self.silent("info", "a.h5"))
        for words in (["stats", "-q", "a.h5"], ["verify", "-q", "--sample", "10", "a.h5"],
                      ["plot", "--quiet", "a.h5", "-o", "a.svg"],
                      ["generate", "--quiet", *ROWS, "--dry-run", "-o", "b.h5"],
                      ["generate", "--quiet", *ROWS, "--format", "csr", "--dry-run", "-o", "b.h5"]):
            self.silent(*words)
