"""`rmat stats` against counts made with numpy from what h5py reads."""

from arrays import h5py, numpy
from cli import CliTest, renew_fingerprint, write_list
from formats import csr, h5

LEAST = ["--threads", "1", "--memory", "7M"]
WIDER = ["--threads", "1", "--memory", "8M"]

MODELS = [words.split() for words in (
    "--scale 12", "--scale 11 --symmetrize", "--scale 11 --unique", "--scale 11 --format csr --symmetrize --unique",
    "--scale 11 --format csr --weights uniform", "--scale 10 --sorted", "--vertices 1500 --id-type uint64",
    "--scale 9 --undirected lower", "--scale 9 --no-self-loops --noise 0.1", "--vertices 700x33 --edges 20K",
    "--scale 5x9 --edges 9999 --id-type uint64", "--scale 1 --edges 1", "--scale 3 --edges 0", "--scale 2 --edges 300K",
    "--scale 14 --permute --edge-factor 40")]

# More edges than are sorted at a time; more vertices than there are counters, of both sides and of one.
SEVERAL_PASSES = [(LEAST, "--scale", "15", "--edge-factor", "24"), (LEAST, "--scale", "20", "--edges", "100K"),
                  (WIDER, "--scale", "20x3", "--edges", "100K", "--id-type", "uint64")]


def edges_of(path):
    with h5py.File(path, "r") as file:
        decode = csr if "pointers_to_1" in file else h5
        weight = None if file.attrs["weights"] == b"none" else file["values" if decode is csr else "weight"].dtype
    columns, shape = decode(path, weight)
    return [column.astype("uint64") for column in columns[:2]] + list(shape)


def distribution(ids, vertices, top):
    """Of vertices that have edges: ids, one for each end of an edge."""
    vertex, degree = numpy.unique(ids, return_counts=True)
    bins = numpy.unique(degree, return_counts=True)
    histogram = [[0, vertices - len(vertex)]] if len(vertex) < vertices else []
    histogram += [[int(d), int(n)] for d, n in zip(*bins)]
    order = numpy.lexsort((vertex, -degree))[:top]
    ranked = numpy.sort(degree)
    quantiles = {name: int(ranked[int(numpy.ceil(q * len(ranked))) - 1]) if len(ranked) else 0
                 for name, q in (("median", .5), ("p90", .9), ("p99", .99), ("p99_9", .999))}
    return {"vertices": len(vertex), "mean": len(ids) / len(vertex) if len(vertex) else 0,
            "minimum": int(degree.min(initial=1 << 62)) if len(vertex) else 0, **quantiles,
            "maximum": int(degree.max(initial=0)),
            "top": [[int(vertex[i]), int(degree[i])] for i in order], "histogram": histogram}


def count(src, dst, rows, cols, top=10):
    """What the JSON should say."""
    square = rows == cols
    pairs = set(zip(src.tolist(), dst.tolist()))
    proper = {p for p in pairs if p[0] != p[1]}
    mutual = sum(1 for u, v in proper if u < v and (v, u) in proper)
    out, into = distribution(src, rows, top), distribution(dst, cols, top)
    told = {"num_rows": rows, "num_cols": cols, "edges": len(src), "sources": out["vertices"],
            "destinations": into["vertices"], "duplicates": len(src) - len(pairs), "distinct_edges": len(pairs),
            "loops": None, "distinct_loops": None, "mutual_pairs": None, "reciprocity": None,
            "isolated": rows + cols - out["vertices"] - into["vertices"],
            "out_degree": out, "in_degree": into}
    if square:
        total = distribution(numpy.concatenate((src, dst)), rows, top)
        told.update({"loops": int(numpy.sum(src == dst)), "distinct_loops": len(pairs) - len(proper),
                     "mutual_pairs": mutual, "reciprocity": 2 * mutual / len(proper) if proper else 0,
                     "isolated": rows - total["vertices"], "total_degree": total})
    return told


class StatsTest(CliTest):
    def stats(self, *args):
        return self.silent("stats", "-q", *args)

    def counted(self, *args):
        return self.told("stats", "graph.h5", *args)


class Counts(StatsTest):
    def agrees(self, graph, *args):
        """What the command counts in graph.h5 is what there is: (sources, destinations, rows, columns)."""
        told, expected = self.counted(*args), count(*graph)
        self.assertEqual({name: told[name] for name in expected}, expected)
        return told

    def check(self, *args, least=LEAST):
        self.generate(*args, "--force")
        told = self.agrees(edges_of(self.path("graph.h5")))
        for other in (["--threads", "3"], least):
            self.assertEqual(self.counted(*other), told, args + tuple(other))
        return told

    def test_models(self):
        for args in MODELS:
            self.check(*args)

    def test_several_passes(self):
        for least, *args in SEVERAL_PASSES:
            self.check(*args, least=least)

    def test_few_edges_of_many_vertices(self):
        """Only vertices with edges have counters."""
        for args in (["--scale", "62"], ["--scale", "40", "--symmetrize"], ["--vertices", "5000000x300000"], ["--scale", "20", "--sorted"]):
            self.check(*args, "--edges", "3K")
        self.generate("--scale", "32", "--first", "5M", "--count", "1000", "--force")
        told = self.counted(*LEAST)
        self.assertEqual((told["num_rows"], told["total_degree"]["histogram"][0]), (1 << 32, [0, told["isolated"]]))

    def test_undirected(self):
        self.generate("--scale", "10", "--symmetrize")
        self.assertEqual(self.counted()["reciprocity"], 1)

    def test_edges_of_others(self):
        """A list without the reverse edges that its attributes promise, and one without a model."""
        random = numpy.random.default_rng(5)
        self.generate("--scale", "13", "--symmetrize")
        with h5py.File(self.path("graph.h5"), "r+") as file:
            for name in ("src", "dst"):
                file[name][:] = random.integers(0, 1 << 13, file[name].shape[0])
            renew_fingerprint(file)
        self.agrees(edges_of(self.path("graph.h5")))
        self.agrees(edges_of(self.path("graph.h5")), *LEAST)
        src, dst = random.integers(0, 1100, (2, 5000))
        write_list(self.path("graph.h5"), src, dst, vertices=1100)
        self.agrees((src, dst, 1100, 1100))
        self.agrees((src, dst, 1100, 1100), *LEAST)


class Report(StatsTest):
    def test_text_says_the_same(self):
        for args in (["--scale", "10"], ["--vertices", "700x33", "--edges", "20K"]):
            self.generate(*args, "--force")
            told = self.counted("--top", "3")
            lines = [line.split() for line in self.stats("graph.h5", "--top", "3").splitlines()]
            words = {line[0]: line[1:] for line in lines}
            for name in ("edges", "sources", "destinations", "isolated", "duplicates"):
                self.assertEqual(words[name][0].rstrip(","), str(told[name]))
            self.assertEqual(words["distinct"], [str(told["distinct_edges"])])
            kinds = [told[name] for name in ("out_degree", "in_degree", "total_degree") if name in told]
            table = {line[0]: line[-len(kinds):] for line in lines if line[0] not in "0123"}
            for word, name in (("minimum", "minimum"), ("median", "median"), ("90", "p90"), ("99", "p99"),
                               ("99.9", "p99_9"), ("maximum", "maximum")):
                self.assertEqual(table[word], [str(kind[name]) for kind in kinds])
            at = [line[0] for line in lines].index("highest")
            for i in range(3):
                self.assertEqual(lines[at + 1 + i], [str(i + 1), *(str(x) for kind in kinds for x in kind["top"][i])])
            if "loops" in words:
                self.assertEqual(words["loops"][0], f"{told['loops']},")
                self.assertEqual(words["reciprocity"], [f"{told['reciprocity']:.6g}"])
            self.assertEqual("total_degree" in told, args[0] == "--scale")

    def test_fast(self):
        self.generate("--scale", "10")
        told, fast = self.counted(), self.counted("--fast")
        for name in ("duplicates", "distinct_edges", "distinct_loops", "mutual_pairs", "reciprocity"):
            self.assertIsNone(fast[name])
            told[name] = None
        self.assertEqual(fast, told)
        self.assertNotIn("duplicates", self.stats("graph.h5", "--fast"))

    def test_top(self):
        self.generate("--scale", "6")
        expected = count(*edges_of(self.path("graph.h5")), top=50)
        told = self.counted("--top", "50")
        for name in ("out_degree", "in_degree", "total_degree"):
            self.assertEqual(told[name]["top"], expected[name]["top"])
        self.assertEqual(self.counted("--top", "0")["out_degree"]["top"], [])
        self.assertNotIn("highest", self.stats("graph.h5", "--top", "0"))

    def test_several_files(self):
        self.generate("--scale", "6", "-o", "g.h5")
        self.generate("--scale", "5", "--weights", "uniform", "-o", "other.h5")
        self.assertEqual(self.told("stats", "g.h5", "other.h5"), [self.told("stats", name) for name in ("g.h5", "other.h5")])


class Failures(StatsTest):
    def test_too_little_memory(self):
        self.generate("--scale", "4")
        self.fails(2, r"--memory: 1000000 is too little for 2 threads and 16 vertices, allowed: \d+ bytes or more",
                   "stats", "graph.h5", "--threads", "2", "--memory", str(10**6))

    def test_files(self):
        self.generate("--scale", "10")
        for renew, line in (renew_fingerprint, "x.h5: edge 777 has destination 1024, allowed: below 1024"), (
                lambda file: None, "x.h5: .*: it is damaged"):
            def change(file, renew=renew):
                file["dst"][777] = 1 << 10 if renew is renew_fingerprint else 1
                renew(file)

            self.fails(1, line, "stats", self.changed(change), "-q")
