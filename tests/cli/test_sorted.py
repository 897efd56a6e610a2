"""Sorted lists, CSR and distinct edges, against NumPy's results from the raw list.

The raw list of the same model is the only input; the tests trust no other output of the program.
"""

import json
import os

from arrays import h5py, numpy
from cli import CliTest, fingerprint, size
from formats import FORMATS, Edges

SANITIZED = "RMAT_SANITIZED" in os.environ
# With more threads small graphs wait for them, and with more memory for a larger sample of cells.
QUICK = ["--threads", "1", "--memory", "16Mi"]
HUB = ["--a", "0.9", "--b", "0.05", "--c", "0.03"]  # of scale 12, 0.9^12 = 28 % of the edges are loops at 0
CSR = ["--format", "csr"]


class Graph(Edges):
    """The edges of a file, in the order of a list, and its attributes."""

    def __init__(self, path):
        with h5py.File(path, "r") as file:
            self.attrs, self.csr = dict(file.attrs), "indices_1" in file
            assert not self.csr or sorted(file) == ["indices_1", "pointers_to_1", "values"]
            self.values = (file["values"] if self.csr else file.get("weight", file["src"])).dtype
        kind = None if self.attrs["weights"] == b"none" else self.values
        super().__init__(*FORMATS["csr" if self.csr else "h5"].decode(path, kind))

    def pairs(self):
        """A number for each draw, the same for the same edge, or pair of vertices; and how many edges a draw is."""
        assert self.shape[1] <= 2**32
        src, dst = (column.astype(numpy.uint64) for column in self.columns[:2])
        if self.attrs["symmetrize"]:
            src, dst = numpy.maximum(src, dst)[::2], numpy.minimum(src, dst)[::2]
        return src * numpy.uint64(self.shape[1]) + dst, 1 + int(self.attrs["symmetrize"])

    def first_distinct(self, count):
        """The first so many distinct edges, or pairs of vertices, sorted; and how many of the list they take."""
        numbers, each = self.pairs()
        firsts = numpy.sort(numpy.unique(numbers, return_index=True)[1])
        taken = each * (int(firsts[count - 1]) + 1) if count > 0 else 0
        return self.of(slice(taken)).distinct(), taken

    def possible(self):
        """How many of them the list has."""
        return len(numpy.unique(self.pairs()[0]))


class SortedTest(CliTest):
    def same(self, found, expected):
        """Edge by edge, bit by bit; the datasets too have these types."""
        for mine, column in zip(found.columns, expected.columns, strict=True):
            self.assertEqual(mine.astype(column.dtype).tobytes(), column.tobytes())
        self.assertEqual([column.dtype for column in found.columns[found.csr:]], [column.dtype for column in expected.columns[found.csr:]])

    def same_attributes(self, found, raw, more):
        """Those of the raw list, but for what differs."""
        differ = {"format", "edges", "fingerprint", "command"}
        for name, value in {**{name: value for name, value in raw.attrs.items() if name not in differ}, **more}.items():
            self.assertTrue(numpy.array_equal(found.attrs[name], value), name)
        self.assertEqual(found.attrs["edges"], len(found.columns[0]))
        self.assertEqual(found.attrs["fingerprint"], fingerprint(*found.columns[:2]))
        self.assertLessEqual(set(found.attrs) - set(raw.attrs) - set(more), {"rows", "binsparse", "pairs"})
        pairs = found.attrs["unique"] and not found.attrs.get("dedup") and found.attrs["symmetrize"]
        self.assertEqual(found.attrs.get("pairs"), numpy.count_nonzero(found.columns[0] <= found.columns[1]) if pairs else None)

    def binsparse(self, found):
        """What the attribute says, in both of its forms, is what the datasets are."""
        whole = json.loads(found.attrs["binsparse"])
        nested = whole.pop("binsparse")
        self.assertEqual(whole, nested)
        kind = found.attrs["weights"].split(b":")[0]
        values = {b"none": "iso[uint8]", b"int": "int32"}.get(kind, "float32")
        self.assertEqual(nested, {
            "version": "0.1", "format": "CSR", "shape": list(found.shape), "number_of_stored_values": len(found.columns[0]),
            "data_types": {"pointers_to_1": "uint64", "indices_1": str(found.columns[1].dtype), "values": values}})
        self.assertEqual(f"iso[{found.values}]" if kind == b"none" else found.values, values)

    def raw(self, model):
        self.generate(*model, "-o", "raw.h5", "--force")
        return Graph(self.path("raw.h5"))

    def check(self, raw, model, csr, unique=None, dedup=False):
        """One file of this model against the raw list; unique: so many distinct edges, of --edges; dedup: all."""
        args = [*(CSR if csr else []), *(["--unique", "--edges", str(unique)] if unique is not None else []),
                *(["--dedup"] if dedup else []), *([] if csr or dedup or unique is not None else ["--sorted"])]
        told = self.generate(*model, *args, "--force")
        found, distinct = Graph(self.path("graph.h5")), dedup or unique is not None
        if unique is None:
            expected, taken = raw.distinct() if dedup else raw.sorted(), len(raw.columns[0])
        else:
            expected, taken = raw.first_distinct(unique)
        self.same(found, expected)
        self.same_attributes(found, raw, {"order": b"sorted", "unique": distinct, "stream_edges": taken,
                                          **({"dedup": 1} if dedup else {}),
                                          **({"pairs": unique} if unique is not None and raw.attrs["symmetrize"] else {})})
        self.assertEqual((found.csr, "binsparse" in found.attrs), (csr, csr and distinct))
        if csr and distinct:
            self.binsparse(found)
        self.assertEqual((told["edges"], told["stream_edges"]), (len(expected.columns[0]), taken))
        self.assertEqual(told["command"].count("--dedup"), dedup)


class Pairs(SortedTest):
    def test_every_two_options(self):
        """Lists and CSR, with and without duplicates."""
        for n, model in enumerate(self.option_pairs(10)):
            model += QUICK
            raw = self.raw(model)
            kinds = [(False, False), (True, True), (True, False), (False, True)]
            for csr, unique in size([kinds[n % 2], kinds[2 + n % 2]], kinds):
                with self.subTest(model=model, csr=csr, unique=unique):
                    self.check(raw, model, csr, raw.possible() * 2 // 3 if unique else None)


class Scales(SortedTest):
    def test_scales(self):
        for n, scale in enumerate([14] if SANITIZED else size([13, 16, 18, 20], range(10, 23))):
            model = ["--scale", str(scale), "--threads", "2", "--edges", str((4 if scale < 20 else 1) << scale), "--seed", str(scale)]
            model += [["--weights", "uniform"], ["--symmetrize"], ["--permute"]][n % 3]
            raw = self.raw(model)
            for csr, unique in [(True, False), (False, True)][:1 if scale >= 20 else 2]:
                with self.subTest(scale=scale, csr=csr, unique=unique):
                    self.check(raw, model, csr, raw.possible() // 2 if unique else None)

    def test_many_vertices(self):
        """More than 2^32 of them, on both sides and on one."""
        for model in (["--scale", "40"], ["--scale", "3x62"],
                      ["--scale", "50x14", "--weights", "int:0:9"]):
            model += ["--edges", "3000", *QUICK]
            with self.subTest(model=model):
                raw = self.raw(model)
                self.check(raw, model, csr="3x62" in model)

    def test_no_edges(self):
        for model in (["--scale", "3", *QUICK], ["--scale", "3", "--symmetrize", *QUICK]):
            for count in (0, 1):
                raw = self.raw([*model, "--edges", str(count)])
                for csr in (False, True):
                    with self.subTest(model=model, count=count, csr=csr):
                        self.check(raw, [*model, "--edges", str(count)], csr)
                        self.check(raw, model, csr, unique=count)
                        self.check(raw, [*model, "--edges", str(count)], csr, dedup=True)

    def test_dedup(self):
        """As many draws as are asked for, without copies."""
        for model in (["--scale", "12"], ["--vertices", "3000", "--permute", "--noise", "0.1"], ["--scale", "7x11", "--edges", "50000"],
                      ["--scale", "11", "--symmetrize"], ["--scale", "10", "--undirected", "upper"],
                      ["--scale", "12", "--stream", "graph500", "--weights", "uniform"],  # of copies the least weight stays
                      ["--scale", "12", "--stream", "rows"], ["--scale", "10x40", "--stream", "rows", "--edges", "70000"],
                      ["--scale", "12", "--stream", "rows", "--no-self-loops", "--noise", "0.05"]):
            raw = self.raw(model)
            for csr, dedup in ((False, True), (True, True), *([(True, False)] if "rows" in model else [])):
                with self.subTest(model=model, csr=csr, dedup=dedup):
                    self.check(raw, model, csr, dedup=dedup)

    def test_simple(self):
        for more in [], CSR, ["-o", "x.graph"]:
            files = []
            for options in ["--simple"], ["--no-self-loops", "--symmetrize", "--dedup"]:
                self.silent("generate", "-q", "--scale", "10", *options, "-o", "x.h5", *more, "--force")
                files.append(self.read(more[1] if "-o" in more else "x.h5"))
            self.assertTrue(files[0] == files[1], more)


class Unique(SortedTest):
    def test_all_there_are(self):
        """Every single one; and one more is refused."""
        model = ["--scale", "4", "--a", "0.3", "--b", "0.25", "--c", "0.25", *QUICK]
        for options, possible in (([], 256), (["--symmetrize"], 136),
                                  (["--undirected", "lower", "--no-self-loops"], 120)):
            with self.subTest(options=options):
                raw = self.raw([*model, *options, "--edges", "20000"])
                self.assertEqual(raw.possible(), possible)
                self.check(raw, [*model, *options], csr=False, unique=possible)
                for kind in [], ["--dry-run"]:
                    self.fails(2, f"--edges: .*{possible}.*", "generate", *model, *options, "--unique", "--edges", str(possible + 1),
                               *kind)

    def test_last_cells_of_a_small_matrix(self):
        """70 million draws for 4096 edges."""
        made = self.generate("--scale", "8x4", "--unique", "--threads", "2")
        self.assertEqual((made["edges"], made["stream_edges"]), (4096, 70218701))


class Memory(SortedTest):
    """With little memory the same file as with much; its passes are those that --dry-run prints."""

    def identical(self, model, kind, limits):
        raw = self.raw(model)
        unique = raw.possible() // 2 if "--unique" in kind else None
        args = [*model, *kind, *(["--edges", str(unique)] if unique else []), "--threads", "2"]
        self.check(raw, model, "csr" in kind, unique, "--dedup" in kind)
        expected = self.read("graph.h5")
        for memory in limits:
            with self.subTest(kind=kind, memory=memory):
                told = self.generate(*args, "--memory", memory, "-o", "little.h5", "--force")
                self.assertTrue(self.read("little.h5") == expected)
                planned = self.generate(*args, "--memory", memory, "--dry-run")["passes"]
                if unique is None:
                    self.assertEqual(told["passes"], planned)
                self.assertTrue(told["passes"] > 2 or memory != "2Mi")
        self.assertEqual(self.silent("verify", "-q", "graph.h5", "--memory", "2Mi"), "")

    def test_passes(self):
        for kind in (CSR, ["--unique"], ["--dedup"], *size([], [["--sorted"], ["--unique", *CSR]])):
            model = ["--scale", "14", "--edges", size("200K", "2M"), "--permute", "--weights", "uniform"]
            self.identical(model, kind, size(["2Mi"], ["1500K", "2Mi", "8Mi", "64Mi"]))

    def test_hub(self):
        """Rows longer than a block, and a single place with more edges than fit into one."""
        for more in [], *size([], [["--symmetrize"]]):
            self.identical(["--scale", "12", *HUB, "--edges", size("200K", "2M"), *more], CSR, size(["2Mi"], ["2Mi", "4Mi", "64Mi"]))
