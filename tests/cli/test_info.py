"""The file in other hands: h5py reads it, and `rmat info` on good, foreign and damaged files."""

import json
import os
import re
import shutil
import time
import unittest

from cli import CliTest, MODEL, skip_all

try:
    import h5py
    import numpy
except ImportError as error:
    skip_all(error)


class H5py(CliTest):
    def test_numbers_match(self):
        for args, dtype in ((["--scale", "12"], "uint32"), (["--scale", "12", "--id-type", "uint64"], "uint64"),
                            (["--scale", "40x3", "--edges", "100K"], "uint64")):
            told = self.generate(*args, "--force")
            with h5py.File(self.path("graph.h5"), "r") as file:
                src, dst = file["src"][:], file["dst"][:]
                attrs = dict(file.attrs)
            self.assertEqual((src.dtype, dst.dtype), (dtype, dtype))
            self.assertEqual((len(src), len(dst)), (told["edges"], told["edges"]))
            self.assertLess(int(src.max()), told["num_rows"])
            self.assertLess(int(dst.max()), told["num_cols"])
            for name in ("a", "b", "c", "d", "seed", "rows_scale", "cols_scale", "num_rows", "num_cols",
                         "edges", "command", "stream_version", "library_version"):
                value = attrs[name]
                value = value.decode() if isinstance(value, bytes) else value
                self.assertEqual(value, told[name], name)
            self.assertEqual(int(attrs["fingerprint"]), int(told["fingerprint"], 16))
            self.assertEqual(int(attrs["complete"]), 1)
            shown = json.loads(self.rmat("info", "graph.h5", "--json", "--edges", "50").stdout)
            self.assertEqual(shown["first_edges"],
                             [[int(u), int(v)] for u, v in zip(src[:50], dst[:50])])
            quadrant = numpy.mean(src < told["num_rows"] // 2)
            self.assertAlmostEqual(quadrant, told["a"] + told["b"], delta=0.01)

    def test_no_edges(self):
        self.generate("--scale", "3", "--edges", "0")
        with h5py.File(self.path("graph.h5"), "r") as file:
            self.assertEqual((file["src"].shape, file["dst"].shape), ((0,), (0,)))
        shown = json.loads(self.rmat("info", "graph.h5", "--json").stdout)
        self.assertEqual((shown["edges"], shown["first_edges"], shown["fingerprint"]),
                         (0, [], "0x0000000000000000"))


class Info(CliTest):
    def test_agrees_with_the_summary(self):
        told = self.generate(*MODEL)
        shown = json.loads(self.rmat("info", "--json", "graph.h5").stdout)
        for name in ("file", "file_bytes", "edges", "id_bits", "num_rows", "num_cols", "a", "b", "c", "d",
                     "seed", "fingerprint", "library_version", "stream_version", "command"):
            self.assertEqual(shown[name], told[name], name)
        self.assertEqual(len(shown["first_edges"]), 5)

    def test_text(self):
        told = self.generate(*MODEL)
        text = self.rmat("info", "graph.h5", "--edges", "3").stdout
        for word in (told["fingerprint"], told["command"], "16384", "0.57", "first edges"):
            self.assertIn(word, text)
        self.assertEqual(len(text.split("first edges\n")[1].splitlines()), 3)
        self.assertNotIn("first edges", self.rmat("info", "graph.h5", "--edges", "0").stdout)

    def test_shows_every_attribute_of_sorted_graphs(self):
        for args in (["--simple", "--weights", "uniform"], ["--sorted"],
                     ["--unique", "--format", "csr"]):
            self.generate(*MODEL, *args, "--force")
            with h5py.File(self.path("graph.h5"), "r") as file:
                names = set(file.attrs) - {"complete"}
            self.assertLessEqual(names, set(json.loads(self.rmat("info", "graph.h5", "--json").stdout)))

    def test_more_edges_than_there_are(self):
        self.generate("--scale", "3", "--edges", "4")
        shown = json.loads(self.rmat("info", "graph.h5", "--json", "--edges", "1000000").stdout)
        self.assertEqual(len(shown["first_edges"]), 4)

    def test_foreign_file_shows_what_is_there(self):
        with h5py.File(self.path("x.h5"), "w", libver="v108") as file:
            file["src"] = numpy.arange(7, dtype="uint64")
            file["dst"] = numpy.arange(7, dtype="uint64")
            file.attrs["format"] = "rmat-edges"
            file.attrs["format_version"] = numpy.uint64(1)
            file.attrs["edges"] = numpy.uint64(7)
            file.attrs["fingerprint"] = numpy.uint64(255)
            file.attrs["complete"] = numpy.uint64(1)
            file.attrs["generator"] = "another \x1b[31m\nprogram"
            file.attrs["seed"] = "a string"
        done = self.rmat("info", "x.h5")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("another ?[31m?program\n", done.stdout)
        self.assertNotIn("seed", done.stdout)
        shown = json.loads(self.rmat("info", "--json", "x.h5").stdout)
        self.assertEqual((shown["generator"], shown["fingerprint"]),
                         ("another \x1b[31m\nprogram", "0x00000000000000ff"))
        self.assertNotIn("seed", shown)


class Sorted(CliTest):
    """Sorted lists and CSR."""

    def shown(self, *args):
        done = self.rmat("info", "graph.h5", *args)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_list(self):
        told = self.generate(*MODEL, "--sorted")
        shown = json.loads(self.shown("--json"))
        self.assertEqual((shown["format"], shown["order"], shown["unique"], shown["stream_edges"]),
                         ("rmat-edges", "sorted", 0, told["edges"]))
        self.assertNotIn("binsparse", shown)
        self.assertNotIn("rows", shown)
        self.assertNotIn("first_pointers", shown)
        self.assertEqual(shown["first_edges"], sorted(shown["first_edges"]))
        self.generate(*MODEL, "--force")
        plain = json.loads(self.shown("--json"))
        for name in ("order", "unique", "stream_edges"):
            self.assertNotIn(name, plain)
        self.assertEqual(plain["fingerprint"], shown["fingerprint"])

    def test_csr(self):
        for args, values in ((["--scale", "9", "--symmetrize"], "iso[uint8]"),
                             (["--scale", "9", "--weights", "uniform"], "float32"),
                             (["--vertices", "700x33", "--edges", "5K", "--weights", "int:-3:9",
                               "--id-type", "uint64"], "int32")):
            for unique in ([], ["--unique"]):
                told = self.generate(*args, "--format", "csr", "--force", *unique)
                shown = json.loads(self.shown("--json", "--edges", "1000"))
                for name in ("edges", "id_bits", "num_rows", "num_cols", "command", "fingerprint", "stream_edges"):
                    self.assertEqual(shown[name], told[name], name)
                self.assertEqual((shown["format"], shown["rows"], shown["order"], shown["unique"]),
                                 ("rmat-csr", told["num_rows"], "sorted", len(unique)))
                with h5py.File(self.path("graph.h5"), "r") as file:
                    pointers, columns = file["pointers_to_1"][:], file["indices_1"][:]
                    weights = file["values"][:]
                rows = numpy.repeat(numpy.arange(told["num_rows"]), numpy.diff(pointers.astype("int64")))
                self.assertEqual([edge[:2] for edge in shown["first_edges"]],
                                 [[int(u), int(v)] for u, v in zip(rows[:1000], columns[:1000])])
                if values != "iso[uint8]":
                    self.assertTrue(all(numpy.float32(edge[2]) == w
                                        for edge, w in zip(shown["first_edges"], weights)))
                self.assertEqual(shown["first_pointers"], pointers[:1001].tolist())
                self.assertEqual("binsparse" in shown, bool(unique))
                if unique:
                    self.assertEqual(json.loads(shown["binsparse"])["data_types"]["values"], values)

    def test_far_more_rows_than_edges(self):
        self.generate("--scale", "22", "--edges", "50", "--format", "csr", "--permute")
        shown = json.loads(self.shown("--json", "--edges", "100"))
        with h5py.File(self.path("graph.h5"), "r") as file:
            rows = numpy.flatnonzero(numpy.diff(file["pointers_to_1"][:].astype("int64")))
        self.assertEqual(sorted({u for u, _ in shown["first_edges"]}), rows.tolist())
        self.assertEqual(shown["first_edges"], sorted(shown["first_edges"]))
        self.assertEqual(len(shown["first_edges"]), 50)
        self.assertEqual(len(shown["first_pointers"]), 101)

    def test_text(self):
        told = self.generate(*MODEL, "--format", "csr", "--unique")
        text = self.shown("--edges", "3")
        for line in ("format           rmat-csr", "rows             1024", "order            sorted",
                     "unique           1", f"stream_edges     {told['stream_edges']}"):
            self.assertIn(line + "\n", text)
        self.assertRegex(text, r"\nbinsparse        {\"binsparse\": {.*\ncommand .*\n"
                               r"first pointers\n  0 \d+ \d+ \d+\nfirst edges\n")
        self.assertNotIn("first pointers", self.shown("--edges", "0"))

    def test_no_edges(self):
        self.generate("--scale", "3", "--edges", "0", "--format", "csr", "--unique")
        shown = json.loads(self.shown("--json"))
        self.assertEqual((shown["edges"], shown["first_edges"], shown["first_pointers"]), (0, [], 6 * [0]))

    def test_pointers_not_in_order(self):
        self.generate(*MODEL, "--format", "csr")
        for change in ({0: 7}, {0: 0, 1: 3, 2: 2}, {1: 1 << 60}):
            with h5py.File(self.path("graph.h5"), "r+") as file:
                for row, pointer in change.items():
                    file["pointers_to_1"][row] = pointer
            done = self.rmat("info", "graph.h5", "--edges", "9")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(done.stderr, "rmat info: graph.h5: dataset 'pointers_to_1' is not in order\n")


class Devices(CliTest):
    def test_processor_and_build(self):
        begin = time.monotonic()
        done = self.rmat("info", "--devices", "--json")
        seconds = time.monotonic() - begin
        self.assertEqual((done.returncode, done.stderr, self.files()), (0, "", []))
        told = json.loads(done.stdout)
        self.assertEqual(told["threads"], len(os.sched_getaffinity(0)))
        self.assertGreaterEqual(told["cores"], 1)
        self.assertEqual(told["memory_bytes"],
                         os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
        version = self.rmat("--version").stdout
        self.assertIn("instruction sets: " + " ".join(told["instruction_sets"]) + "\n", version)
        self.assertIn(f"HDF5 {told['hdf5']}\n", version)
        # 2.2.0 mends what SECURITY.md counts.
        old = tuple(map(int, told["hdf5"].split(".")[:2])) < (2, 2)
        self.assertEqual(told["hdf5_vulnerable"], old)
        self.assertEqual("known vulnerabilities" in self.rmat("info", "--devices").stdout, old)
        self.assertEqual(told["mpi"] is not None, "RMAT_HAVE_MPI" in os.environ)
        if not told["gpus"]:
            self.assertTrue(told["gpu_none"])
            self.assertIsNone(told["gpu_driver"])
            self.assertLess(seconds, 1)
        for i, gpu in enumerate(told["gpus"]):
            self.assertEqual(gpu["index"], i)
            if "error" not in gpu:
                self.assertLessEqual(gpu["free_bytes"], gpu["memory_bytes"])
                self.assertRegex(gpu["compute_capability"], r"\A\d+\.\d+\Z")

    def test_fewer_processors(self):
        done = self.rmat("info", "--devices", "--json",
                         preexec_fn=lambda: os.sched_setaffinity(0, [min(os.sched_getaffinity(0))]))
        self.assertEqual(json.loads(done.stdout)["threads"], 1)

    def test_text_says_the_same(self):
        told = json.loads(self.rmat("info", "--devices", "--json").stdout)
        lines = dict(re.split(r"  +", line, maxsplit=1)
                     for line in self.rmat("info", "--devices").stdout.splitlines()
                     if "instruction sets" not in line)
        self.assertEqual(lines["cpu"], told["cpu"])
        self.assertEqual(lines["mpi"], told["mpi"] or "not in this build")
        self.assertEqual(lines["cuda"], told["cuda"] or "not in this build")
        if told["gpus"]:
            self.assertEqual(lines["gpu driver"], told["gpu_driver"])
        else:
            self.assertEqual(lines["gpu"], "none: " + told["gpu_none"])


def replace(name, data):
    def change(file):
        del file[name]
        file[name] = data

    return change


def attribute(name, value):
    def change(file):
        file.attrs[name] = value

    return change


def drop(name):
    return lambda file: file.attrs.__delitem__(name)


EDGES = numpy.arange(16384)

# What is done to a good file, and what `rmat info` then says about it.
DAMAGED = [
    (attribute("format_version", numpy.uint64(99)), "99"),
    (drop("format_version"), "attribute 'format_version' is missing"),
    (attribute("complete", numpy.uint64(0)), "complete"),
    (drop("complete"), "attribute 'complete' is missing"),
    (drop("edges"), "attribute 'edges' is missing"),
    (attribute("edges", numpy.uint64(16383)), "16383"),
    (attribute("edges", "many"), "attribute 'edges' is not"),
    (lambda file: file.__delitem__("src"), "dataset 'src' is missing"),
    (lambda file: file.__delitem__("dst"), "dataset 'dst' is missing"),
    (replace("src", EDGES.astype("float64")), "dataset 'src'"),
    (replace("src", EDGES.astype("int32")), "dataset 'dst' holds unsigned integers, 'src' signed ones"),
    (replace("dst", EDGES.astype("uint16")), "holds unsigned integers of 2 bytes, expected integers of 4 or 8"),
    (replace("dst", EDGES.astype("uint64")), "dst"),
    (replace("dst", EDGES.astype("uint32").reshape(128, 128)), "dataset 'dst' is 2-D, expected 1-D"),
    (replace("dst", numpy.uint32(5)), "dataset 'dst' is 0-D, expected 1-D"),
    (replace("src", EDGES[:-1].astype("uint32")), "src"),
    (lambda file: (file.__delitem__("src"), file.create_group("src")), "'src' is a group"),
]

# The same with the file's bytes.
MANGLED = [
    (lambda data: b"", "is empty, expected an HDF5 file"),
    (lambda data: b"0 1\n1 2\n", "is not an HDF5 file"),
    (lambda data: data[:5000], ""),
    (lambda data: data[:-1], ""),
    (lambda data: data[:len(data) // 2], ""),
    (lambda data: bytes(8) + data[8:], "is not an HDF5 file"),
    (lambda data: data[:8] + bytes(2000) + data[2008:], ""),
]


class Damaged(CliTest):
    def refused(self, part):
        done = self.rmat("info", "x.h5")
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertTrue(done.stderr.startswith("rmat info: x.h5"), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(part, done.stderr)

    def test_contents(self):
        self.generate(*MODEL)
        for i, (change, part) in enumerate(DAMAGED):
            with self.subTest(number=i, part=part):
                shutil.copy(self.path("graph.h5"), self.path("x.h5"))
                with h5py.File(self.path("x.h5"), "r+") as file:
                    change(file)
                self.refused(part)

    def test_bytes(self):
        self.generate(*MODEL)
        data = self.read("graph.h5")
        for i, (change, part) in enumerate(MANGLED):
            with self.subTest(number=i, part=part):
                with open(self.path("x.h5"), "wb") as file:
                    file.write(change(data))
                self.refused(part)

    def test_no_file(self):
        self.assertEqual(self.rmat("info", "x.h5").stderr, "rmat info: x.h5: No such file or directory\n")
        self.refused("")


if __name__ == "__main__":
    unittest.main()
