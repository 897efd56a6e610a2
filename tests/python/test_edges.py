"""Edges in arrays are those of `rmat generate`, for many models, ranges, types and ways to ask."""

import os
import pathlib
import unittest
import unittest.mock

from base import PythonTest, module, numpy, rmat
from rmat._library import library

# Options in Python, and the same as words.
MODELS = [
    ({"scale": 12}, "--scale 12"),
    ({"scale": 12, "permute": True, "seed": 5}, "--scale 12 --permute --seed 5"),
    ({"scale": 11, "edge_factor": 3, "noise": 0.1}, "--scale 11 --edge-factor 3 --noise 0.1"),
    ({"vertices": 3000, "edges": 50_000}, "--vertices 3000 --edges 50000"),
    ({"vertices": (500, 70_000), "edges": 9999}, "--vertices 500x70000 --edges 9999"),
    ({"vertices": ("1Ki", 3e2), "edges": 9999}, "--vertices 1024x300 --edges 9999"),
    ({"scale": (9, numpy.int64(12)), "permute": True}, "--scale 9x12 --permute"),
    ({"scale": "12x9"}, "--scale 12x9"),
    ({"scale": 10, "a": 0.45, "b": 0.22, "c": 0.22}, "--scale 10 --a 0.45 --b 0.22 --c 0.22"),
    ({"preset": "graph500", "scale": 10}, "--preset graph500 --scale 10"),
    ({"scale": 10, "undirected": "lower"}, "--scale 10 --undirected lower"),
    ({"scale": 10, "symmetrize": True, "no_self_loops": True}, "--scale 10 --symmetrize --no-self-loops"),
    ({"scale": 10, "weights": "uniform"}, "--scale 10 --weights uniform"),
    ({"scale": 10, "weights": "float:-0.5:2"}, "--scale 10 --weights float:-0.5:2"),
    ({"scale": 10, "weights": "int:-5:5", "seed": 2**63}, "--scale 10 --weights int:-5:5 --seed 9223372036854775808"),
    ({"scale": 10, "sorted": True}, "--scale 10 --sorted"),
    ({"scale": 10, "dedup": True, "weights": "uniform"}, "--scale 10 --dedup --weights uniform"),
    ({"scale": 10, "unique": True}, "--scale 10 --unique"),
    ({"scale": 10, "simple": True, "permute": True}, "--scale 10 --simple --permute"),
    ({"scale": 10, "first": 100, "count": 1000}, "--scale 10 --first 100 --count 1000"),
    ({"stream": "graph500", "scale": 10}, "--stream graph500 --scale 10"),
    ({"stream": "gapbs", "scale": 10, "weights": "int:1:255"}, "--stream gapbs --scale 10 --weights int:1:255"),
    ({"scale": 40, "edges": 1000}, "--scale 40 --edges 1000"),
    ({"scale": 62, "edges": 1000, "permute": True}, "--scale 62 --edges 1000 --permute"),
]

# Far out in long lists.
SLICES = [
    ({"scale": 30, "edges": 2**45}, 2**40),
    ({"scale": 33, "edges": 2**45, "permute": True, "weights": "uniform"}, 2**40 + 12345),
    ({"scale": 20, "edges": 2**50, "symmetrize": True}, 2**50 + 1),
]


class Edges(PythonTest):
    def test_models(self):
        for options, words in MODELS:
            with self.subTest(words):
                self.generate(*words.split(), "--force", "-o", "g.h5")
                graph = rmat.Graph(**options)
                wanted = self.columns("g.h5")
                self.same(graph.edges(), wanted)
                self.same(graph.edges(7, 5), [column[7:12] for column in wanted])
                parts = list(graph.batches(700))
                self.assertTrue(all(len(part[0]) == 700 for part in parts[:-1]))
                self.same([numpy.concatenate(column) for column in zip(*parts)], wanted)

    def test_rows(self):
        """Rows that are made alone are those of the list, also where it is permuted."""
        vertices = numpy.arange(1024)
        for more in {}, {"permute": True}, {"preset": "graph500"}, {"no_self_loops": True, "noise": 0.05}:
            graph = rmat.Graph(scale=10, stream="rows", **more)
            src, dst = graph.edges()
            self.same([graph.degree(vertices)], [numpy.bincount(src, minlength=1024)])
            for vertex in 0, 1, 77, 1023:
                self.same([graph.neighbors(vertex)], [numpy.sort(dst[src == vertex])])
                self.assertEqual(graph.degree(vertex), (src == vertex).sum())
            pointers, columns, _ = graph.csr()
            for begin, end in (0, 1024), (0, 0), (5, 700), (1023, 1024):
                if "permute" in more or "preset" in more:
                    with self.assertRaisesRegex(rmat.OptionError, "^rows_csr: a permuted graph is given"):
                        graph.rows_csr(begin, end)
                else:
                    self.same(graph.rows_csr(begin, end)[:2], [pointers[begin:end + 1] - pointers[begin],
                                                               columns[pointers[begin]:pointers[end]]])
        weighted = rmat.Graph(scale=10, stream="rows", weights="int:1:9")
        pointers, columns, weights = weighted.csr(dtype="uint64")
        part = slice(int(pointers[77]), int(pointers[900]))
        self.same(weighted.rows_csr(77, 900, dtype="uint64"), [pointers[77:901] - pointers[77], columns[part], weights[part]])
        plain = rmat.Graph(scale=10, stream="rows")
        different = set(zip(*(end.tolist() for end in plain.edges())))
        self.assertEqual(len(rmat.Graph(scale=10, stream="rows", dedup=True).csr()[1]), len(different))
        self.assertEqual(rmat.Graph(scale=62, edge_factor=1, stream="rows").edges(2**61, 5)[0].shape, (5,))
        for bad in (lambda: plain.degree(1024), lambda: plain.degree(True), lambda: plain.degree(["1"]),
                    lambda: plain.degree(0.5), lambda: plain.neighbors(-1),
                    lambda: plain.rows_csr(5, 4), lambda: plain.rows_csr(0, 1025), lambda: rmat.Graph(10).rows_csr(0, 1),
                    lambda: rmat.Graph(10).degree(1), lambda: rmat.Graph(10, stream="rows", symmetrize=True).degree(1)):
            with self.assertRaises(rmat.OptionError):
                bad()
        self.assertEqual(plain.degree([]).shape, (0,))
        self.same(plain.degree(numpy.array([1, 2], object)), plain.degree([1, 2]))
        for vertices in 2**70, [0, 2**64], [-1, 2**63], [[-2**65]]:
            with self.assertRaisesRegex(rmat.OptionError, "^vertices: from '-?[0-9]+' to '-?[0-9]+', allowed: 0 to 1023$"):
                plain.degree(vertices)

    def test_slices(self):
        for options, first in SLICES:
            with self.subTest(options):
                words = [word for name, value in options.items()
                         for word in ([f"--{name}"] if value is True else [f"--{name}", str(value)])]
                base = first // 2 if "symmetrize" in options else first
                self.generate(*words, "--first", str(base), "--count", "50", "--force", "-o", "s.h5")
                wanted = self.columns("s.h5")
                skip = first - base * 2 if "symmetrize" in options else 0
                self.same(rmat.Graph(**options).edges(first, 40), [column[skip:skip + 40] for column in wanted])

    def test_types(self):
        graph = rmat.Graph(scale=12)
        wanted = graph.edges(0, 100)
        self.assertEqual(wanted[0].dtype, numpy.int32)
        self.assertEqual(rmat.Graph(scale=31).edges(0, 1)[0].dtype, numpy.int32)
        self.assertEqual(rmat.Graph(scale=32).edges(0, 1)[0].dtype, numpy.int64)
        for dtype in ("int32", "uint32", "int64", "uint64", numpy.int64, numpy.dtype("u4")):
            found = graph.edges(0, 100, dtype=dtype)
            self.assertEqual(found[0].dtype, numpy.dtype(dtype))
            self.same(found, wanted)
        for dtype in ("int16", "float64", "nonsense", ">i8"):
            with self.assertRaisesRegex(rmat.OptionError, "^dtype: .* is unknown, allowed: int32, uint32"):
                graph.edges(0, 1, dtype=dtype)
        with self.assertRaisesRegex(ValueError, "'int32' is too narrow for 4294967296 vertices"):
            rmat.Graph(scale=32).edges(0, 1, dtype="int32")
        rmat.Graph(scale=32).edges(0, 1, dtype="uint32")

    def test_out(self):
        graph = rmat.Graph(scale=12, weights="uniform")
        wanted = graph.edges(10, 100)
        src, dst, weight = numpy.empty(100, "u8"), numpy.empty(100, "u8"), numpy.empty(100, "f4")
        found = graph.edges(10, out=(src, dst, weight))
        self.assertIs(found[0], src)
        self.same(found, wanted)
        whole = numpy.empty((2, 100), "i8")
        rmat.Graph(scale=12).edges(10, out=whole)  # whose rows are two arrays
        self.same(whole, wanted[:2])
        part = numpy.zeros(300, "u8")
        graph.edges(10, out=(part[100:200], dst, weight))
        self.same([part[100:200], part[:100], part[200:]], [wanted[0], numpy.zeros(100), numpy.zeros(100)])
        frozen = numpy.empty(100, "u8")
        frozen.flags.writeable = False
        for bad, words in [((src, dst), "2 arrays, allowed: 3"), ((src, dst[:50], weight), "array 1 is uint64"),
                           ((src, dst, src), "array 2 is uint64"), ((part[::3], dst, weight), "not contiguous"),
                           ((src.reshape(2, 50), dst, weight), "2 dimensions, allowed: 1"),
                           ((frozen, dst, weight), "read-only"), (([1], dst, weight), "list is no array"),
                           ((src.view("f8"), dst, weight), "'float64'|is unknown"),
                           ((src, src, weight), "share memory"), ((part[:100], part[99:199], weight), "share memory")]:
            with self.assertRaisesRegex(rmat.OptionError, words):
                graph.edges(10, out=bad)

        self.assertIs(graph.edges(10, out=iter((src, dst, weight)))[2], weight)
        apart = part[:200].reshape(2, 100)
        self.same(rmat.Graph(scale=12).edges(10, out=apart), wanted[:2])

    def test_torch(self):
        torch = module("torch")
        graph = rmat.Graph(scale=12)
        whole = torch.empty((2, 100), dtype=torch.int64)
        graph.edges(5, out=whole)
        self.same(whole.numpy(), graph.edges(5, 100))
        self.assertEqual(graph.edges(0, 1, dtype=torch.int64)[0].dtype, numpy.int64)

    def test_ranges(self):
        graph = rmat.Graph(scale=4, edge_factor=2)
        self.assertEqual(graph.num_edges, 32)
        self.assertEqual(len(graph.edges(32)[0]), 0)
        self.assertEqual(len(graph.edges(3, 0)[0]), 0)
        for first, count, words in [(-1, 2, "first: -1 .* 0 to 32"), (0, 33, "count: 33 .* 0 to 32"),
                                    (33, None, "first: 33 .* 0 to 32"), (2**64, 1, "first: 18446744073709551616 "),
                                    (1, -1, "count: -1 .* 0 to 31")]:
            for call in graph.edges, lambda *range_: next(graph.batches(9, first=range_[0], count=range_[1])):
                with self.assertRaisesRegex(rmat.OptionError, "^" + words.replace(" .* ", " is out of range, allowed: ")):
                    call(first, count)
        large = rmat.Graph(scale=62, edges=2**62)  # beyond the arrays of NumPy
        rows = rmat.Graph(scale=62, edges=9, stream="rows")
        for call, name in ((large.edges, "count"), (lambda: large.edges(2**61, 2**61, device="cuda"), "count"),
                           (lambda: next(large.batches(2**64 - 1)), "count"), (rows.csr, "rows"),
                           (lambda: rows.rows_csr(0, 2**62), "end - begin [+] 1")):
            with self.assertRaisesRegex(rmat.OptionError, f"^{name}: [0-9]+ is out of range, allowed: 0 to 1152921504606846975$"):
                call()
        with self.assertRaisesRegex(rmat.OptionError, "^device: 4294967296 is out of range, allowed: 0 to 1023$"):
            graph.edges(device="cuda:4294967296")
        with self.assertRaisesRegex(rmat.OptionError, "^size: 0 is out of range, allowed: 1 to"):
            next(graph.batches(0))

    def test_options(self):
        for options, words in [({"a": 0.9, "b": 0.2, "c": 0.2}, "^a b c: the sum '1.3' is out of range, allowed: 0 to 1$"),
                               ({"first": -1, "count": 1}, "^first: '-1' is out of range, allowed: 0 to"),
                               ({"unique": True, "dedup": True}, "^unique: given together with dedup, allowed: one of"),
                               ({"scale": 40, "edge_factor": 2**30}, "^edge_factor: '1073741824' is out of range with "
                                                                      "1099511627776 source vertices, allowed: up to 4194304, or edges$"),
                               ({"scale": 4, "level_matrices": "--scale"}, "^level_matrices: '--scale' names no file"),
                               ({"scale": 4, "level_matrices": "-"}, "^level_matrices: '-': No such file or directory, allowed"),
                               ({"noise": 10**400}, "^noise: '1000*' is out of range, allowed: 0 to "),
                               ({"permute": 2}, "^permute: 2 is not a flag, allowed: True, False, 1, 0$"),
                               ({"permute": "yes"}, "^permute: 'yes' is not a flag")]:
            with self.subTest(options), self.assertRaisesRegex(ValueError, words):
                rmat.Graph(**options)
        for options in {"sclae": 9}, {"output": "x"}, {"json": True}, {"format": "csr"}:
            with self.subTest(options), self.assertRaisesRegex(TypeError, "unexpected keyword argument"):
                rmat.Graph(**options)
        with self.assertRaisesRegex(rmat.OptionError, "device: 'tpu' is unknown"):
            rmat.Graph(scale=4).edges(device="tpu")
        with self.assertRaisesRegex(rmat.OptionError, "^device: 0 is not where out is, allowed: None$"):
            rmat.Graph(scale=4).edges(device=0, out=numpy.empty((2, 256), "int32"))
        if rmat.gpus() == 0:
            with self.assertRaisesRegex(rmat.Error, "no GPU can be used"):
                rmat.Graph(scale=4).edges(device="cuda")

    def test_values(self):
        """NumPy's scalars, 0 and 1, and paths are what Python's own are."""
        wanted = rmat.Graph(scale=10, a=0.5, b=0.2, c=0.2, permute=True, seed=2**64 - 1)
        for graph in (rmat.Graph(scale=numpy.int64(10), a=numpy.float64(0.5), b=numpy.float64(0.2), c=0.2,
                                 permute=numpy.bool_(True), seed=numpy.uint64(2**64 - 1), simple=numpy.bool_(False)),
                      rmat.Graph(scale="10", a="0.5", b=0.2, c=0.2, permute=1, simple=0, seed=2**64 - 1, noise=None)):
            self.assertEqual(graph.command, wanted.command)
            self.assertNotIn("np.", repr(graph))
            self.same(graph.edges(numpy.int64(3), numpy.uint8(9)), wanted.edges(3, 9))
            self.same(graph.edges(3.0, 9), wanted.edges(3, 9))
        self.assertEqual(rmat.Graph(scale=numpy.float32(5), edges=1e3).num_edges, 1000)
        self.assertEqual(rmat.Graph(numpy.array([3, 4])), rmat.Graph(scale=(3, 4)))
        for name, value in (("scale", (9, None)), ("seed", object()), ("backend", self)):
            with self.assertRaisesRegex(TypeError, f"^{name}: .* is neither a number nor text$"):
                rmat.Graph(**{name: value})
        self.assertEqual(len(next(wanted.batches(numpy.int16(7)))[0]), 7)
        self.write("-levels", "0.5 0.2 0.2 0.1\n" * 6)
        os.chdir(self.folder)
        self.addCleanup(os.chdir, "/")
        self.same(rmat.Graph(scale=6, level_matrices=pathlib.Path(self.path("-levels"))).edges(),
                  rmat.Graph(scale=6, a=0.5, b=0.2, c=0.2).edges())
        for call in (lambda: wanted.edges("1"), lambda: wanted.edges(0, 1.5)):
            self.assertRaisesRegex(TypeError, "^(first|count): .* is not a whole number$", call)

    def test_frozen(self):
        graph = rmat.Graph(scale=5, seed=3)
        with self.assertRaises(TypeError):
            graph.options["seed"] = 4
        with self.assertRaises(AttributeError):
            graph.options = {}
        self.assertEqual(dict(graph.options), {"scale": 5, "seed": 3})

    def test_number_of_edges(self):
        """That of edges there are, also where copies are dropped."""
        for options in ({"dedup": True}, {"simple": True}, {"unique": True, "symmetrize": True}, {"sorted": True},
                        {"unique": True, "symmetrize": True, "no_self_loops": True}):
            with self.subTest(options):
                graph = rmat.Graph(scale=9, **options)
                self.generate("--scale", "9", *(f"--{name.replace('_', '-')}" for name in options), "--force", "-o", "g.h5")
                wanted = self.columns("g.h5")
                self.assertEqual(graph.num_edges, len(wanted[0]))
                self.same(graph.edges(), wanted)

    def test_searched_once(self):
        """How many draws have enough distinct edges is found once for a graph."""
        lib = library()
        with unittest.mock.patch.object(lib, "rmat_unique_edges", side_effect=lib.rmat_unique_edges) as search:
            graph = rmat.Graph(scale=8, unique=True)
            for _ in range(3):
                graph.edges(0, 10)
                graph.csr()
            self.assertEqual(search.call_count, 1)


class Csr(PythonTest):
    def test_like_the_files(self):
        for options, words in [({}, ""), ({"unique": True}, "--unique"), ({"dedup": True}, "--dedup"),
                               ({"simple": True, "weights": "int:1:9"}, "--simple --weights int:1:9"),
                               ({"permute": True, "weights": "uniform"}, "--permute --weights uniform"),
                               ({"vertices": (100, 9000), "edges": 5000}, "--vertices 100x9000 --edges 5000")]:
            size = {} if "vertices" in options else {"scale": 10}
            self.generate(*(f"--scale {10} " if size else "").split(), *words.split(), "--format", "csr", "--force",
                          "-o", "c.h5")
            wanted = self.columns("c.h5", "pointers_to_1", "indices_1")
            weights = self.columns("c.h5", "values")[0] if "weights" in options else None
            with self.subTest(words):
                pointers, columns, found = rmat.Graph(**size, **options).csr()
                self.same([pointers, columns], wanted)
                self.assertEqual((pointers.dtype, columns.dtype), (numpy.int64, numpy.int32))
                if weights is None:
                    self.assertIsNone(found)
                else:
                    numpy.testing.assert_array_equal(found, weights)

    def test_with_less_memory(self):
        """Distinct edges are looked for again in less memory, until there is hardly any left to ask for."""
        lib, asked = library(), []
        search, refusals = lib.rmat_unique_edges, 2

        def unique_edges(generator, distinct, size, draws):
            asked.append(size.value)
            if len(asked) <= refusals:
                raise rmat.OutOfMemoryError("none")
            search(generator, distinct, size, draws)

        wanted = rmat.Graph(scale=18, unique=True).csr()[:2]
        with unittest.mock.patch.object(lib, "rmat_unique_edges", unique_edges):
            self.same(rmat.Graph(scale=18, unique=True).csr()[:2], wanted)
            self.assertEqual(asked, sorted(set(asked), reverse=True))
            self.assertEqual(len(asked), 3)
            refusals = 1000
            with self.assertRaises(rmat.OutOfMemoryError):
                rmat.Graph(scale=18, unique=True).csr()
        self.assertLess(len(asked), 50)

    def test_memory(self):
        """A list that is sorted by a call has the memory of sorted graphs, not the buffers of a list."""
        self.assertEqual(rmat.Graph(scale=20).csr()[0][-1], 1 << 24)
        with self.assertRaisesRegex(MemoryError, "available are 1048576"):
            rmat.Graph(scale=16, memory="1Mi").csr()
