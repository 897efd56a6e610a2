"""Sorted lists, CSR and distinct edges, against what numpy and scipy make of the raw list.

The raw list of the same model is the one input; nothing else of the program is believed.  With --all:
everything at once, which takes minutes; else as much as meets every two settings.
"""

import json
import os
import resource
import sys
import unittest

from cli import CliTest, fingerprint, skip_all
from option_pairs import level_matrices, table, words

try:
    import h5py
    import numpy
except ImportError as error:
    skip_all(error)
try:
    import scipy.sparse as scipy_sparse
except ImportError:
    scipy_sparse = None
    print("no scipy: CSR is compared with numpy's alone")

ALL = "--all" in sys.argv
SANITIZED = "RMAT_SANITIZED" in os.environ
# With more threads small graphs wait for them, and with more memory for a larger sample of cells.
QUICK = [] if ALL else ["--threads", "1", "--memory", "16Mi"]
HUB = ["--a", "0.9", "--b", "0.05", "--c", "0.03"]  # of scale 12, 0.9^12 = 28 % of the edges are loops at 0


class Graph:
    """The edges of a file, in the order of a list, and its attributes."""

    def __init__(self, path):
        with h5py.File(path, "r") as file:
            self.attrs = dict(file.attrs)
            self.data = {name: file[name][:] for name in file}
        self.rows, self.cols = int(self.attrs["num_rows"]), int(self.attrs["num_cols"])
        self.symmetrize = bool(self.attrs["symmetrize"])
        if "pointers_to_1" in self.data:
            self.pointers = self.data["pointers_to_1"]
            self.dst = self.data["indices_1"]
            self.src = numpy.repeat(numpy.arange(self.rows, dtype=self.dst.dtype),
                                    numpy.diff(self.pointers.astype(numpy.int64)))
            self.weight = self.data["values"] if len(self.data["values"]) == len(self.dst) and \
                self.attrs["weights"] != b"none" else None
        else:
            self.src, self.dst, self.weight = self.data["src"], self.data["dst"], self.data.get("weight")

    def part(self, which):
        """These edges of it."""
        part = Graph.__new__(Graph)
        part.__dict__.update(self.__dict__)
        part.src, part.dst = self.src[which], self.dst[which]
        part.weight = None if self.weight is None else self.weight[which]
        return part

    def sorted(self):
        return self.part(numpy.lexsort((self.dst, self.src)))

    def distinct(self, count):
        """The first so many distinct edges, or pairs of vertices, sorted; and how many of the list they take."""
        assert self.cols <= 2**32
        src, dst = self.src.astype(numpy.uint64), self.dst.astype(numpy.uint64)
        cells = src * numpy.uint64(self.cols) + dst
        if self.symmetrize:
            pairs = numpy.maximum(src, dst)[::2] * numpy.uint64(self.cols) + numpy.minimum(src, dst)[::2]
            firsts = numpy.sort(numpy.unique(pairs, return_index=True)[1])
            taken = 2 * (int(firsts[count - 1]) + 1) if count > 0 else 0
        else:
            firsts = numpy.sort(numpy.unique(cells, return_index=True)[1])
            taken = int(firsts[count - 1]) + 1 if count > 0 else 0
        return self.part(numpy.unique(cells[:taken], return_index=True)[1]), taken

    def possible(self):
        """How many of them the list has."""
        src, dst = self.src.astype(numpy.uint64), self.dst.astype(numpy.uint64)
        if self.symmetrize:
            src, dst = numpy.maximum(src, dst), numpy.minimum(src, dst)
        return len(numpy.unique(src * numpy.uint64(self.cols) + dst))


class SortedTest(CliTest):
    def same(self, found, expected):
        """Edge by edge, bit by bit; the datasets too have these types."""
        self.assertEqual(found.src.dtype, expected.src.dtype)
        self.assertEqual(found.dst.dtype, expected.dst.dtype)
        self.assertTrue(numpy.array_equal(found.src, expected.src), "other sources")
        self.assertTrue(numpy.array_equal(found.dst, expected.dst), "other destinations")
        self.assertEqual(found.weight is None, expected.weight is None)
        if found.weight is not None:
            self.assertEqual(found.weight.dtype, expected.weight.dtype)
            self.assertEqual(found.weight.tobytes(), expected.weight.tobytes())

    def same_attributes(self, found, raw, unique, taken):
        """Those of the raw list, but for what differs."""
        differ = {"format", "edges", "fingerprint", "command"}
        more = {"order": b"sorted", "unique": int(unique), "stream_edges": taken}
        for name, value in raw.attrs.items():
            if name not in differ:
                self.assertTrue(numpy.array_equal(found.attrs[name], value), name)
        for name, value in more.items():
            self.assertEqual(found.attrs[name], value, name)
        self.assertEqual(found.attrs["edges"], len(found.src))
        self.assertEqual(found.attrs["fingerprint"], fingerprint(found.src, found.dst))
        extra = set(found.attrs) - set(raw.attrs) - set(more) - {"rows", "binsparse"}
        self.assertEqual(extra, set())

    def same_rows(self, found, expected):
        """CSR: pointers and values, by numpy and by scipy."""
        self.assertEqual(sorted(found.data), ["indices_1", "pointers_to_1", "values"])
        self.assertEqual(found.pointers.dtype, numpy.uint64)
        counts = numpy.bincount(expected.src.astype(numpy.int64), minlength=found.rows)
        self.assertTrue(numpy.array_equal(found.pointers, numpy.concatenate([[0], numpy.cumsum(counts)])))
        if expected.weight is None:
            self.assertEqual((found.data["values"].dtype, found.data["values"].tolist()), ("u1", [1]))
        if scipy_sparse is None:
            return
        shape = (found.rows, found.cols)
        place = (expected.src.astype(numpy.int64), expected.dst.astype(numpy.int64))
        values = expected.weight if expected.weight is not None else numpy.ones(len(expected.src), "u1")
        # tocsr() adds copies of an edge up: of ones, that is how many there are.
        copies = scipy_sparse.coo_matrix((numpy.ones(len(values)), place), shape=shape).tocsr()
        ours = scipy_sparse.csr_matrix((numpy.ones(len(found.dst)), found.dst.astype(numpy.int64),
                                        found.pointers.astype(numpy.int64)), shape=shape)
        self.assertTrue(ours.has_sorted_indices)
        ours.sum_duplicates()
        self.assertEqual((copies != ours).nnz, 0)
        if len(copies.data) == len(values):  # each edge once
            theirs = scipy_sparse.coo_matrix((values, place), shape=shape).tocsr()
            theirs.sort_indices()
            self.assertTrue(numpy.array_equal(theirs.indptr, found.pointers))
            self.assertTrue(numpy.array_equal(theirs.indices, found.dst))
            if expected.weight is not None:
                self.assertEqual(theirs.data.tobytes(), found.weight.tobytes())

    def binsparse(self, found):
        """What the attribute says, in both of its forms, is what the datasets are."""
        whole = json.loads(found.attrs["binsparse"])
        nested = whole.pop("binsparse")
        self.assertEqual(whole, nested)
        kind = found.attrs["weights"].split(b":")[0]
        values = {b"none": "iso[uint8]", b"int": "int32"}.get(kind, "float32")
        self.assertEqual(nested, {
            "version": "0.1", "format": "CSR", "shape": [found.rows, found.cols],
            "number_of_stored_values": len(found.dst),
            "data_types": {"pointers_to_1": "uint64", "indices_1": str(found.dst.dtype), "values": values}})
        kind = found.data["values"].dtype
        self.assertEqual(f"iso[{kind}]" if values.startswith("iso") else kind, values)

    def make(self, model, *args, name="graph.h5"):
        """The file's graph and summary."""
        told = self.generate(*model, *args, "-o", name, "--force")
        return Graph(self.path(name)), told

    def raw(self, model):
        return self.make(model, name="raw.h5")[0]

    def check(self, raw, model, csr, unique=None, more=()):
        """One file of this model against the raw list; unique: so many distinct edges, of --edges."""
        args = [*(["--format", "csr"] if csr else []), *(["--unique"] if unique is not None else []),
                *([] if csr or unique is not None else ["--sorted"]), *more]
        if unique is not None:
            model = [*model, "--edges", str(unique)]
        found, told = self.make(model, *args)
        expected, taken = raw.distinct(unique) if unique is not None else (raw.sorted(), len(raw.src))
        self.same(found, expected)
        self.same_attributes(found, raw, unique is not None, taken)
        self.assertEqual(("binsparse" in found.attrs), csr and unique is not None)
        if csr:
            self.same_rows(found, expected)
            if unique is not None:
                self.binsparse(found)
        else:
            self.assertEqual(sorted(found.data), ["dst", "src"] + ["weight"] * (raw.weight is not None))
        self.assertEqual(told["edges"], len(expected.src))
        self.assertEqual(told["stream_edges"], taken)
        return found


class Pairs(SortedTest):
    def test_every_two_options(self):
        """Lists and CSR, with and without duplicates."""
        scale = 10
        level_matrices(self.path("levels.txt"), scale)
        rows = table()
        for n, row in enumerate(rows):
            model = [*words(row, scale), *QUICK]
            raw = self.raw(model)
            kinds = [(False, False), (True, True), (True, False), (False, True)]
            for csr, unique in kinds if ALL else [kinds[n % 2], kinds[2 + n % 2]]:
                with self.subTest(row=sorted(row), csr=csr, unique=unique):
                    self.check(raw, model, csr, raw.possible() * 2 // 3 if unique else None)


class Scales(SortedTest):
    def test_scales(self):
        """10 to 22 with --all."""
        scales = range(10, 23) if ALL else [13, 16, 18, 22] if not SANITIZED else [14]
        kinds = [(True, False), (False, True), (False, False), (True, True)]
        for n, scale in enumerate(scales):
            edges = (4 if scale < 20 else 2 if ALL else 1) << scale
            model = ["--scale", str(scale), "--threads", "2", "--edges", str(edges), "--seed", str(scale)]
            model += [["--weights", "uniform"], ["--symmetrize"], ["--permute"]][n % 3]
            raw = self.raw(model)
            for csr, unique in kinds if ALL else kinds[:2] if scale < 20 else kinds[:1]:
                with self.subTest(scale=scale, csr=csr, unique=unique):
                    self.check(raw, model, csr, raw.possible() // 2 if unique else None)

    def test_many_vertices(self):
        """More than 2^32 of them, on both sides and on one."""
        for model in (["--scale", "40"], ["--scale", "3x62"],
                      ["--scale", "50x14", "--weights", "int:0:9"]):
            model += ["--edges", "3000", *QUICK]
            with self.subTest(model=model):
                raw = self.raw(model)
                self.check(raw, model, csr=model[1] == "3")

    def test_no_edges(self):
        for model in (["--scale", "3", *QUICK], ["--scale", "3", "--symmetrize", *QUICK]):
            for count in (0, 1):
                raw = self.raw([*model, "--edges", str(count)])
                for csr in (False, True):
                    with self.subTest(model=model, count=count, csr=csr):
                        self.check(raw, [*model, "--edges", str(count)], csr)
                        self.check(raw, model, csr, unique=count)


class Unique(SortedTest):
    def test_shares_of_all_edges(self):
        """1 %, 50 %, 90 % of the edges that there can be."""
        kinds = [[], ["--symmetrize"], ["--no-self-loops"], ["--undirected", "upper"],
                 ["--symmetrize", "--no-self-loops", "--permute"]]
        for n, scale in enumerate(range(1, 9)):
            # In skewed small ones the rarest edge is drawn once in 10^scale.
            skewed, even = ["--a", "0.5", "--b", "0.2", "--c", "0.2"], ["--a", "0.25", "--b", "0.25", "--c", "0.25"]
            matrix, draws = (skewed, 20 * 10**scale) if scale < 5 else (even, 5 * 4**scale)
            for k, kind in enumerate(kinds if ALL else [kinds[n % 5], kinds[(n + 2) % 5]]):
                model = ["--scale", str(scale), *matrix, *kind, "--seed", str(n), *QUICK]
                raw = self.raw([*model, "--edges", str(draws)])
                possible, loops = 4**scale, 2**scale
                if "--symmetrize" in kind or "--undirected" in kind:
                    possible = (possible + loops) // 2
                if "--no-self-loops" in kind:
                    possible -= loops
                for i, share in enumerate((0.01, 0.5, 0.9)):
                    with self.subTest(scale=scale, kind=kind, share=share):
                        self.check(raw, model, csr=(n + k + i) % 2 == 0, unique=max(1, int(share * possible)))

    def test_all_there_are(self):
        """Every single one; and one more is refused."""
        model = ["--scale", "4", "--a", "0.3", "--b", "0.25", "--c", "0.25", *QUICK]
        for options, possible in (([], 256), (["--symmetrize"], 136),
                                  (["--undirected", "lower", "--no-self-loops"], 120)):
            with self.subTest(options=options):
                raw = self.raw([*model, *options, "--edges", "20000"])
                self.assertEqual(raw.possible(), possible)
                self.check(raw, [*model, *options], csr=False, unique=possible)
                os.unlink(self.path("graph.h5"))
                for kind in ([], ["--dry-run"]):
                    done = self.rmat("generate", *model, *options, "--unique", "--edges", str(possible + 1), *kind)
                    self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
                    self.assertIn(str(possible), done.stderr)
                    self.assertIn("--edges", done.stderr)
                self.assertEqual(self.files(), ["raw.h5"])

    def test_last_cells_of_a_small_matrix(self):
        """70 million draws for 4096 edges: as many seconds of work as it takes to draw them, on any threads."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        made = [self.generate("--scale", "8x4", "--unique", "--threads", threads, "--force")
                for threads in ("1", "2")]
        self.assertEqual([(m["edges"], m["stream_edges"]) for m in made], [(4096, 70218701)] * 2)
        self.assertEqual(made[0]["fingerprint"], made[1]["fingerprint"])
        if "RMAT_SANITIZED" not in os.environ:
            self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 10)  # 1.5, and 30 once

    def test_cells_that_cannot_be(self):
        """Probabilities of 0 make fewer edges possible."""
        done = self.rmat("generate", "--scale", "5", "--a", "0.5", "--b", "0.3", "--c", "0.2", "--unique",
                         "--edges", "244")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("243", done.stderr)  # 3^5
        self.assertEqual(self.files(), [])


class Memory(SortedTest):
    """With little memory the same file as with much; its passes are those that --dry-run tells."""

    def passes(self, args, memory):
        """How many; many more than any where it is refused."""
        done = self.rmat("generate", *args, "--memory", str(memory), "--dry-run", "--json", "--force")
        if done.returncode == 2:
            self.assertIn("--memory: ", done.stderr)
            return 2**30
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)["passes"]

    def memory_for(self, wanted, args):
        """Memory that takes so many passes, or as few more as can be; the least, if none takes so many."""
        low, high = 2**20, 2**34
        while high - low > low // 64:
            middle = (low + high) // 2
            low, high = (middle, high) if self.passes(args, middle) >= wanted else (low, middle)
        return low if self.passes(args, low) < 2**30 else high

    def identical(self, model, kind, limits, exactly=False):
        raw = self.raw(model)
        unique = raw.possible() // 2 if "--unique" in kind else None
        args = [*model, *kind, *(["--edges", str(unique)] if unique else []), "--threads", "2"]
        self.check(raw, model, "csr" in kind, unique)
        expected = self.read("graph.h5")
        for memory in limits if not exactly else [self.memory_for(wanted, args) for wanted in limits]:
            with self.subTest(kind=kind, memory=memory):
                told = self.generate(*args, "--memory", str(memory), "-o", "little.h5", "--force")
                self.assertTrue(self.read("little.h5") == expected)
                planned = self.passes(args, memory)
                if unique is None:
                    self.assertEqual(told["passes"], planned)
                if exactly:
                    print(model, kind, memory, "bytes: passes", planned, "planned,", told["passes"], "made")
                else:
                    self.assertGreater(told["passes"], 2)
        done = self.rmat("verify", "-q", "graph.h5", "--memory", "2Mi")
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_passes(self):
        for kind in (["--format", "csr"], ["--unique"]):
            model = ["--scale", "14", "--edges", "200K", "--permute", "--weights", "uniform"]
            self.identical(model, kind, ["2Mi"])

    def test_hub(self):
        """Rows longer than a block, and a single place with more edges than fit into one."""
        self.identical(["--scale", "12", *HUB, "--edges", "200K"], ["--format", "csr"], ["2Mi"])

    @unittest.skipUnless(ALL, "with --all")
    def test_every_number_of_passes(self):
        for model in (["--scale", "16", "--edges", "4M", "--permute", "--weights", "uniform"],
                      ["--scale", "14", *HUB, "--edges", "4M", "--symmetrize"]):
            for kind in (["--sorted"], ["--format", "csr"], ["--unique", "--format", "csr"]):
                self.identical(model, kind, [1, 2, 7, 64], exactly=True)


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--all"])
