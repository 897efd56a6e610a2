"""Every format holds the edges of the plain list of its model, for all ways to make its file.

h5py reads the list, and NumPy sorts, cuts and mirrors it and removes its copies.  The decoders of formats.py read the
files.  The tests trust no other output of the program.  test_mpi_formats.py tests files of several ranks.
"""

import json
import os
import subprocess
import tempfile

from arrays import h5py, numpy
from cli import MODEL, CliTest, command, long_computation
from formats import FORMATS, SIMPLE, Edges, ParquetFile, serialized

if os.access("/dev/shm", os.W_OK):
    tempfile.tempdir = "/dev/shm"  # syncs to a disk would take most of the time

RECTANGLE = ["--vertices", "1000x300"]

# With loops, and with as many copies of edges as a small graph has.
WALKED = ["--scale", "11", "--edges", "30000", "--permute", "--noise", "0.05"]

# Options of graphs that are hard for formats: all that can hold a graph of this kind get it.
GRAPHS = {
    "rectangle": [*RECTANGLE, "--edges", "5000", "--weights", "int:1:100"],
    "rectangle of one edge": [*RECTANGLE, "--edges", "1", "--weights", "int:3:3"],
    "pieces": ["--scale", "15", "--edges", "300000", "--weights", "int:1:9"],  # several of a MiB
    "any integer": ["--scale", "9", "--weights", "int:-2147483648:2147483647"],
    "integers from 0": ["--scale", "9", "--weights", "int:0:90"],
    "floats below 1": ["--scale", "9", "--weights", "uniform"],
    "any float": ["--scale", "9", "--weights", "float:-1e38:1e38"],
    "equal weights": ["--scale", "8", "--edges", "131073", "--weights", "int:7:7"],
    "undirected": ["--scale", "9", "--undirected", "lower"],
    "hubs": ["--scale", "15", "--edges", "60000", "--a", "0.9", "--b", "0.04", "--c", "0.04"],
    "most of int32": ["--scale", "31", "--edges", "3000", "--permute"],
    "most of uint32": ["--scale", "32", "--edges", "3000", "--permute"],
    "ids of 64 bits": ["--scale", "33", "--edges", "3000", "--permute", "--weights", "int:1:255"],
    "most of graph500": ["--scale", "47", "--edges", "3000", "--permute", "--weights", "uniform"],
    "most of all": ["--scale", "62", "--edges", "3000", "--permute", "--weights", "int:0:9"],
    "no edges": ["--scale", "5", "--edges", "0", "--weights", "int:1:2"],
    "one edge": ["--scale", "5", "--edges", "1", "--weights", "int:3:3"],
    "vertices": ["--vertices", "1000", "--edges", "2000"],
    "short numbers": ["--scale", "1", "--edges", "100K"],
    "long numbers": ["--scale", "12", "--edges", "50000", "--weights", "float:-1e-9:1e9"],
    "rows": ["--stream", "rows", "--scale", "9", "--edge-factor", "8"],
}


def fitting(edges, about):
    """What a format that has this about it makes of them."""
    return edges.simple() if about.needs else edges.sorted() if about.rows else edges


class FormatTest(CliTest):
    def run_it(self, *words):
        return self.told(*words, "--force")

    def list_of(self, *model, name="list.h5"):
        """The plain list of a model, which stays."""
        told = self.run_it("generate", *model, "-o", name)
        src, dst, *weight = self.columns(name)
        return Edges([src.astype("i8"), dst.astype("i8"), *weight], (told["num_rows"], told["num_cols"]))

    def check(self, name, path, want, kind=None):
        """The file holds these edges, in this order; ids of type `kind`, or of the usual one."""
        about, vertices = FORMATS[name], max(want.shape)
        weights = want.columns[2:] if about.weights else []
        if name == "graph500":
            weights = [weight.astype("f4") for weight in weights]
        got, shape = about.decode(self.path(path), weights[0].dtype if weights else None)
        self.assertEqual(len(got), 2 + len(weights))
        for found, column in zip(got, want.columns[:2]):
            self.assertTrue(numpy.array_equal(found.astype("i8"), column), "other ids")
        for found, column in zip(got[2:], weights):
            self.assertEqual(found.dtype, column.dtype)
            self.assertTrue(found.tobytes() == column.tobytes(), "other weights")
        kind = kind or about.usual_id_type(vertices)
        for found in got[about.rows:2] if kind else []:
            self.assertEqual(found.dtype, kind)
        if shape is not None:
            self.assertEqual(shape, want.shape if name in ("h5", "csr", "mtx", "parquet") else (vertices, vertices))

    def dry_run(self, words, told, length):
        """What a run of these words told before it made so many bytes.  Of text every number could be as long as the
        longest one, and how many edges stay of those that are drawn is not known."""
        dry = self.run_it(*words, "--dry-run")
        about = FORMATS[told["format"]]
        for key in "file", "format", "command", "num_rows", "base_edges", "weights":
            self.assertEqual(dry[key], told[key], key)
        exact = not about.needs and (about.id_type or not about.pipe) and told["format"] not in ("h5", "csr")
        self.assertEqual(dry["file_bytes_exact"], bool(exact))
        self.assertTrue(length <= dry["file_bytes"] <= (length if exact else (3 if about.needs else 2) * length + 8192),
                        (length, dry["file_bytes"]))
        self.assertEqual("sorted_file_bytes" in dry, told["format"] in ("sg", "wsg"))  # it is read more than once

    def contents(self, name, path):
        """All bytes of a file of this format."""
        return [self.read(path + more) for more in ["", *FORMATS[name].beside]]


class Ways(FormatTest):
    """One graph in each format, made in every way."""

    def test_every_way(self):
        weights = ["--weights", "int:1:99"]
        lists = {}
        for needs, more in ((False, []), (True, ["--no-self-loops"])):
            lists[needs] = self.list_of(*WALKED, *more, *weights, name=f"list{needs:d}.h5")
            simple = ["--simple"] if needs else []
            self.run_it("generate", *WALKED, *simple, *weights, "--sorted", "-o", f"sorted{needs:d}.h5")
            self.run_it("generate", *WALKED, *simple, *weights, "--format", "csr", "-o", f"csr{needs:d}.h5")
        inputs = self.files()
        for name, about in FORMATS.items():
            with self.subTest(format=name):
                model = [*WALKED, *(["--simple"] if about.needs else []), *(weights if about.weights else [])]
                self.same_bytes(name, model, fitting(lists[bool(about.needs)], about))
                self.other_orders(name, model, lists[bool(about.needs)], lists[False])
            for file in set(self.files()) - set(inputs):
                os.remove(self.path(file))

    def same_bytes(self, name, model, want):
        """However the file is made."""
        about, to = FORMATS[name], ["--format", name]
        told = self.run_it("generate", *model, *to, "--threads", "1")
        output = "graph." + about.suffix
        self.assertEqual((told["file"], told["format"], told["edges"]), (output, name, len(want.columns[0])))
        self.check(name, output, want)
        first = self.contents(name, output)
        self.assertEqual(told["file_bytes"], sum(map(len, first)))
        self.dry_run(["generate", *told["command"].split()[2:]], told, sum(map(len, first)))
        of = int(bool(about.needs))
        ways = [["generate", *model, *to, "--threads", "3", "RMAT_TEST_CHUNK=5003", "-o", "other"],
                ["generate", *model, *to, "--memory", "2Mi", "-o", "other"],
                ["generate", *told["command"].split()[2:], "-o", "other"]]
        for source in [f"sorted{of}.h5", f"csr{of}.h5"] if about.rows else ["list0.h5"]:
            ways += [["convert", source, "other", "--to", name, "--threads", threads] for threads in ("1", "5")]
        for way in ways:
            with self.subTest(way=way):
                told = self.run_it(*way)
                self.assertEqual(told["file_bytes"], sum(map(len, self.contents(name, "other"))))
                if way[0] == "convert" and (name == "csr" or name == "metis" and way[1][:3] == "csr"):
                    self.check(name, "other", want)  # it names the command of its source
                else:
                    self.assertTrue(self.contents(name, "other") == first, "other bytes")
        for way in [["generate", *model, *to, "-o", "-"], ["convert", f"sorted{of}.h5" if about.rows else "list0.h5", "-",
                                                             "--to", name]] if about.pipe else []:
            piped = subprocess.run(command(*way, "-q"), cwd=self.folder, stdout=subprocess.PIPE, check=True, timeout=60).stdout
            self.assertTrue([piped] == first, "other bytes in a pipe")
        self.assertEqual([file for file in self.files() if "partial" in file], [])

    def other_orders(self, name, model, drawn, plain):
        """Slices, sorted and mirrored lists; and what convert makes of the plain list."""
        about, to = FORMATS[name], ["--format", name, "-o", "x"]
        part = ["--first", "7001", "--count", "12345"]
        self.run_it("generate", *model, *to, *part)
        self.check(name, "x", fitting(drawn.of(slice(7001, 7001 + 12345)), about))
        if not about.needs:
            self.run_it("convert", "list0.h5", "x", "--to", name)
            self.check(name, "x", fitting(plain, about))
        if about.rows:
            return
        for words, want in (["--sorted"], plain.sorted()), (["--symmetrize"], plain.mirrored()), \
                           (["--symmetrize", *part], plain.of(slice(7001, 7001 + 12345)).mirrored()):
            self.run_it("generate", *model, *to, *words)
            self.check(name, "x", want)
        self.run_it("convert", "csr0.h5", "x", "--to", name)
        self.check(name, "x", plain.sorted())


class Graphs(FormatTest):
    """What is hard for formats, each by generate or convert in turn."""

    def holds(self, name, graph):
        """Can the format hold it?"""
        about, vertices = FORMATS[name], max(graph.shape)
        weight = graph.columns[2] if len(graph.columns) == 3 else None
        if about.weights and weight is not None:
            if {"i": "int", "f": "float"}[weight.dtype.kind] not in about.weights.split() or min(weight, default=1) < about.least:
                return False
            if name == "graph500" and not numpy.array_equal(weight.astype("f4").astype(weight.dtype), weight):
                return False
        # Of rows each vertex takes a line or a pointer.
        return ((weight is not None or not about.must) and vertices <= (1 << 20 if about.rows else about.most) and
                (not about.needs or graph.shape[0] == graph.shape[1]))

    def test_every_graph(self):
        turn = 0
        for title, model in GRAPHS.items():
            graph = self.list_of(*model)
            for name in [name for name in FORMATS if self.holds(name, graph)]:
                about = FORMATS[name]
                turn += 1
                with self.subTest(graph=title, format=name):
                    want = graph
                    if turn % 2 and not about.needs:
                        words = ["convert", "list.h5", "x", "--to", name]
                    else:
                        at = model.index("--weights") if "--weights" in model and not about.weights else len(model)
                        words = ["generate", *model[:at], *model[at + 2:], "-o", "x", "--format", name,
                                 *(["--simple"] if about.needs else [])]
                        if about.needs:  # loops are drawn again
                            want = self.list_of(*model, "--no-self-loops", name="other.h5")
                    told = self.run_it(*words)
                    self.check(name, "x", fitting(want, about))
                    if words[0] == "generate" and not about.needs:
                        weights = about.beside if "--weights" in words else ()
                        self.dry_run(words, told, sum(os.path.getsize(self.path("x" + more)) for more in ["", *weights]))


class IdTypes(FormatTest):
    """--id-type: the type that was asked for in every format that has it, and the ids of the default."""

    def test_generate_and_convert(self):
        graph = self.list_of(*MODEL)
        for name, about in FORMATS.items():
            for kind in about.types:
                for way in ["generate", *MODEL, "--format", name, "-o", "x"], ["convert", "list.h5", "x", "--to", name]:
                    with self.subTest(way=way, kind=kind):
                        told = self.run_it(*way, "--id-type", kind)
                        self.check(name, "x", fitting(graph, about), kind)
                        if name in ("h5", "csr"):
                            self.assertEqual(json.loads(self.silent("info", "--json", "x"))["id_type"], kind)
                            self.silent("verify", "-q", "x")
                        if way[0] == "generate":
                            self.assertEqual(f" --id-type {kind}" in told["command"], kind != "uint32")
                            first = self.contents(name, "x")
                            self.run_it("generate", *told["command"].split()[2:], "-o", "y")
                            self.assertTrue(self.contents(name, "y") == first)

    def test_types_of_the_source(self):
        """Convert keeps the type, but for unsigned ids of rows that need no 64 bits."""
        for kind in FORMATS["h5"].types:
            graph = self.list_of(*MODEL, "--weights", "int:1:9", "--id-type", kind)
            for name, about in FORMATS.items():
                if about.needs:
                    continue
                with self.subTest(kind=kind, format=name):
                    self.run_it("convert", "list.h5", "x", "--to", name)
                    kept = kind if kind in about.types else kind.replace("uint", "int")
                    kept = "uint32" if kept == "uint64" and about.rows else kept
                    self.check(name, "x", fitting(graph, about), kept if about.types else None)
            self.run_it("convert", "list.h5", "x", "--to", "h5", "--sorted")
            self.check("h5", "x", graph.sorted(), "uint32" if kind == "uint64" else kind)

    def test_commands_say_the_same(self):
        for args in [], ["--sorted"], ["--format", "csr"]:
            said = []
            for kind in "uint32", "int64":
                self.generate(*MODEL, *args, "--id-type", kind, "-o", "x.h5", "--force")
                said.append([self.rmat(name, "-q", "x.h5").stdout for name in ("stats", "roots")])
            self.assertEqual(*said)


class Specials(FormatTest):
    """What only one format has."""

    def test_names_of_formats(self):
        """Tests know all that the program has."""
        done = self.rmat("generate", "--format=")
        self.assertEqual(done.stderr.strip().split("allowed: ")[1].split(", "), list(FORMATS))

    def test_suffix_says_the_format(self):
        for name, about in FORMATS.items():
            if name != "csr":
                words = [*about.needs, *(["--weights", "int:1:9"] if about.must else [])]
                told = self.run_it("generate", "--scale", "5", "--edges", "40", *words, "-o", "x." + about.suffix)
                self.assertEqual(told["format"], name)
        self.assertEqual(self.run_it("generate", "--scale", "5", "--format", "h5", "-o", "y.el")["format"], "h5")
        self.assertEqual(self.read("y.el")[:4], b"\x89HDF")

    def test_reals_are_short(self):
        """Multiples of 2^-24 have up to nine digits."""
        self.run_it("generate", *MODEL, "--weights", "uniform", "-o", "x.wel")
        for line in self.read("x.wel").decode().splitlines():
            digits = line.split()[2].split("e")[0].replace("0.", "").lstrip("0")
            self.assertLessEqual(len(digits), 9, line)

    def test_comments(self):
        """The command of the graph, in lines that GAPBS can skip: it takes 200 bytes."""
        for name, suffix in ("mtx", "mtx"), ("metis", "graph"):
            told = self.run_it("generate", *MODEL, *SIMPLE, "--weights", "int:1:9", "--format", name)
            comments = [line for line in self.read("graph." + suffix).decode().splitlines() if line.startswith("% ")]
            self.assertEqual(" ".join(line[2:] for line in comments), told["command"].split(" --format")[0])
            self.assertLessEqual(max(map(len, comments)), 162)

    def test_graph500_weights_that_are_in_the_way(self):
        for weights in [], ["--weights", "uniform"]:
            self.run_it("generate", *MODEL, *weights, "-o", "g.h5")
            for name in "g.g500", "g.g500.weights":
                self.write(name, "mine")
                for command, *more in (["convert", "g.h5", "g.g500"], ["generate", *MODEL, *weights, "-o", "g.g500"],
                                       ["generate", *MODEL, *weights, "-o", "g.g500", "--dry-run"]):
                    self.fails(1, f"{name}: already exists[^\n]*", command, *more, prints="--dry-run" in more)
                os.remove(self.path(name))
            # Old weights beside a graph that has none would be taken for its own.
            self.write("g.g500.weights", "mine")
            self.run_it("convert", "g.h5", "g.g500")
            self.assertEqual("g.g500.weights" in self.files(), bool(weights))
            self.assertTrue(not weights or len(self.read("g.g500.weights")) == 4 * 16384)
            for name in self.files():
                os.remove(self.path(name))

    def test_graph500_weights_beyond_its_floats(self):
        self.run_it("generate", "--scale", "4", "--edges", "100", "--weights", "int:16777217:16777217", "-o", "g.h5")
        self.fails(1, "g.g500.weights: edge 0 has weight 16777217, .*", "convert", "-q", "g.h5", "g.g500")

    def test_serialized_sides(self):
        """A directed graph lies there by source and by destination, one with the reverse of every edge only once."""
        for options, count in (["--sorted"], 2), (["--simple"], 1):
            for to, weight in ("sg", None), ("wsg", "<i4"):
                self.run_it("generate", *MODEL, *options, *(["--weights", "int:1:90"] if weight else []), "--format", to, "-o", "x")
                self.assertEqual(len(serialized(self.path("x"), weight)[1]), count)

    def test_serialized_in_little_memory(self):
        """More ranges of destinations than one, and groups of them that are not one."""
        for scale in "15", "18":
            self.run_it("generate", "-o", "g.h5", "--scale", scale, "--edges", "300K", "--sorted", "--weights", "int:1:90")
            self.run_it("convert", "g.h5", "first.wsg")
            for options in ["--memory", "1Mi"], ["--memory", "2Mi", "--threads", "1"]:
                self.run_it("convert", "g.h5", "g.wsg", *options)
                self.assertTrue(self.read("g.wsg") == self.read("first.wsg"), options)


class Parquet(FormatTest):
    """What the metadata says of the edges, and where pages end."""

    def test_keys_and_order(self):
        for args in [], ["--sorted"], ["--unique", "--edges", "3000"], ["--edges", "0"]:
            self.run_it("generate", "--scale", "10", *args, "-o", "g.parquet")
            file = ParquetFile(self.path("g.parquet"))
            file.columns()  # looks at ranges and lengths
            self.assertIn("rmat generate", file.keys["command"])
            self.assertEqual(all(4 in group for group in file.groups), args != [], args)

    @long_computation
    def test_same_bytes(self):
        """Whatever cuts the edges into pieces, rows and pages are the same: in several row groups."""
        args = ["generate", "--scale", "16", "--edges", "2500K", "--weights", "int:1:9"]
        self.run_it(*args, "-o", "g.parquet")
        file = ParquetFile(self.path("g.parquet"))
        self.assertEqual([group[3] for group in file.groups], 2 * [1 << 20] + [2_500_000 - (2 << 20)])
        for other in ["--threads", "1"], ["--threads", "7", "RMAT_TEST_CHUNK=99991"], ["RMAT_TEST_CHUNK=262144"]:
            with self.subTest(other=other):
                self.run_it(*args, *other, "-o", "o.parquet")
                self.assertTrue(self.read("o.parquet") == file.data)
        self.run_it(*args, "-o", "g.h5")
        self.run_it("convert", "g.h5", "o.parquet")
        end = file.groups[2][5]
        self.assertTrue(self.read("o.parquet")[:end] == file.data[:end])
        for column, edges in zip(file.columns().values(), self.columns("g.h5"), strict=True):
            self.assertTrue(numpy.array_equal(column, edges))

    def test_values_that_are_no_numbers(self):
        """NaN has no place in the range of a column chunk, wherever it stands; a chunk of nothing else has none."""
        weights = numpy.tile(numpy.array([2.5, -1, numpy.nan], "f4"), 1 << 19)
        weights[1 << 20:] = numpy.nan
        self.run_it("generate", "--scale", "10", "--edges", str(len(weights)), "--weights", "uniform", "-o", "g.h5")
        for shift in 0, 1, 2:
            with h5py.File(self.path("g.h5"), "r+") as file:
                file["weight"][:1 << 20] = numpy.roll(weights[:1 << 20], shift)
                file["weight"][1 << 20:] = weights[1 << 20:]
            self.run_it("convert", "g.h5", "o.parquet")
            first, second = (group[1][2][3][12] for group in ParquetFile(self.path("o.parquet")).groups)
            self.assertEqual([numpy.frombuffer(first[key], "f4")[0] for key in (6, 5)], [-1, 2.5])
            self.assertEqual(second, {3: 0})
