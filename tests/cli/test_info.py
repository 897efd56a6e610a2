"""h5py reads the files, and `rmat info` reads good, foreign and damaged files."""

import json
import os
import re
import shlex

from arrays import h5py, numpy
from cli import CliTest, LEVELS, MODEL, write_list
from formats import FORMATS

# Options of graphs, and the type of their ids.
GRAPHS = [
    (["--scale", "12"], "uint32"),
    (["--scale", "12", "--id-type", "uint64"], "uint64"),
    (["--scale", "40x3", "--edges", "100K"], "uint64"),
    (["--scale", "3", "--edges", "4"], "uint32"),
    (["--scale", "3", "--edges", "0"], "uint32"),
    ([*MODEL, "--sorted"], "uint32"),
    ([*MODEL, "--simple", "--weights", "uniform"], "uint32"),
    *((["--format", "csr", *more, *unique], dtype) for unique in ([], ["--unique"]) for more, dtype in (
        (["--scale", "9", "--symmetrize"], "uint32"), (["--scale", "9", "--weights", "uniform"], "uint32"),
        (["--vertices", "700x33", "--edges", "5K", "--weights", "int:-3:9", "--id-type", "uint64"], "uint64"))),
    # Far more rows than edges, and no edges.
    (["--scale", "22", "--edges", "50", "--format", "csr", "--permute"], "uint32"),
    (["--scale", "3", "--edges", "0", "--format", "csr", "--unique"], "uint32"),
    # Option sets that together have everything.
    *((options.split(), "uint64" if "uint64" in options else "uint32") for options in (
        "--scale 10 --noise 0.05 --permute --weights uniform",
        "--vertices 1000 --no-self-loops --undirected lower --weights int:-5:2147483647",
        "--scale 10 --symmetrize --undirected upper --noise 0.19 --weights int:7:7 --id-type uint64",
        "--vertices 700x40 --permute --weights uniform --edges 20011",
        "--vertices 1000 --symmetrize --weights float:-0.1:1e+20",
        "--vertices 1025 --symmetrize --permute --no-self-loops --edge-factor 3",
        "--level-matrices m.txt --permute --weights uniform --scale 3",
        "--level-matrices m.txt --noise 0.1 --no-self-loops --vertices 7")),
]


class Info(CliTest):
    def shown(self, *args):
        return self.silent("info", "graph.h5", *args)

    def test_is_what_was_told_and_what_is_there(self):
        """The summary, the attributes and the edges, as h5py reads them."""
        self.write("m.txt", LEVELS)
        names = None  # of the attributes of a plain list
        for args, dtype in GRAPHS:
            with self.subTest(args=args):
                told = self.generate(*args, "--force")
                shown, csr = json.loads(self.shown("--json", "--edges", "1000")), told["format"] == "csr"
                with h5py.File(self.path("graph.h5"), "r") as file:
                    attrs = {name: value.decode() if isinstance(value, bytes) else value for name, value in file.attrs.items()}
                    kind = file["values" if csr else "weight"].dtype if told["weights"] != "none" else None
                if "matrices" in attrs:
                    attrs["matrices"] = attrs["matrices"].reshape(-1, 4).tolist()
                columns, shape = FORMATS[told["format"]].decode(self.path("graph.h5"), kind)
                self.assertEqual({column.dtype for column in columns[csr:2]}, {numpy.dtype(dtype)})
                self.assertEqual([len(column) for column in columns], [told["edges"]] * len(columns))
                self.assertEqual(shape, (told["num_rows"], told["num_cols"]))
                self.assertTrue(told["edges"] == 0 or all(column.max() < most for column, most in zip(columns, shape)))
                edges = shown["first_edges"]
                for i, column in enumerate(columns):
                    self.assertEqual(numpy.array([edge[i] for edge in edges], column.dtype).tolist(), column[:1000].tolist())
                for name in set(attrs) & set(shown) - {"fingerprint"}:
                    self.assertEqual(attrs[name], shown[name], name)
                for name in set(told) & set(shown) - {"format"}:
                    self.assertEqual(told[name], shown[name], name)
                for name in set(told) & set(attrs) - {"format", "fingerprint"}:
                    self.assertEqual(told[name], attrs[name], name)
                self.assertEqual((int(attrs["fingerprint"]), attrs["complete"]), (int(told["fingerprint"], 16), 1))
                self.assertLessEqual(set(attrs) - {"complete"}, set(shown))
                self.assertEqual(set(shown) - set(attrs), {"file", "file_bytes", "id_bits", "id_type", "weight_type", "first_edges"})
                levels = "--level-matrices" in args
                self.assertEqual("a" not in told, levels)
                self.assertEqual("matrices" in attrs, levels or "--noise" in args)
                if "matrices" in attrs:
                    matrices = numpy.array(attrs["matrices"])
                    self.assertEqual(len(matrices), max(attrs["rows_scale"], attrs["cols_scale"]))
                    self.assertTrue(numpy.allclose(matrices.sum(axis=1), 1, atol=1e-12))
                if not told["sorted"] and not csr:
                    names = names or set(attrs)
                    self.assertEqual(set(attrs), names - (set("abcd") if levels else set()) | ({"matrices"} & set(attrs)))
                    self.assertEqual(told["edges"], told["base_edges"] << told["symmetrize"])
                    again = ["m.txt" if word == "FILE" else word for word in shlex.split(told["command"])[2:]]
                    self.generate(*again, "-o", "again.h5", "--force")
                    self.assertTrue(self.read("graph.h5") == self.read("again.h5"))
                for name in {"permute", "self_loops", "symmetrize", "noise"} & set(attrs):
                    self.assertEqual(attrs[name].dtype, "f8" if name == "noise" else "u8")
                self.assertLessEqual({"noise", "permute", "self_loops", "direction", "symmetrize", "weights", "num_rows",
                                      "num_cols"}, set(told) & set(attrs))
                self.assertLessEqual({*("" if levels else "abcd"), "seed", "rows_scale", "cols_scale", "edges", "command",
                                      "stream_version", "library_version", "file_bytes", "id_bits"},
                                     set(told) & (set(attrs) | set(shown)))
                ordered = csr or told["sorted"]
                self.assertEqual((shown.get("order"), shown.get("unique")), ("sorted", told["unique"]) if ordered else (None, None))
                self.assertEqual(("rows" in shown, "binsparse" in shown), (csr, csr and told["unique"]))
                if "binsparse" in shown:
                    values = {"none": "iso[uint8]", "uniform": "float32"}.get(told["weights"], "int32")
                    self.assertEqual(json.loads(shown["binsparse"])["data_types"]["values"], values)
        self.generate(*MODEL, "--force")
        self.assertEqual(len(json.loads(self.shown("--json"))["first_edges"]), 5)

    def test_sorted_fingerprint(self):
        """A graph has one, in whatever order its edges are."""
        self.assertEqual(*(self.generate(*MODEL, *more, "--force")["fingerprint"] for more in ([], ["--sorted"])))

    def test_text(self):
        told = self.generate(*MODEL)
        text = self.shown("--edges", "3")
        for word in (told["fingerprint"], told["command"], "16384", "0.57", "first edges"):
            self.assertIn(word, text)
        self.assertEqual(len(text.split("first edges\n")[1].splitlines()), 3)
        self.assertNotIn("first edges", self.shown("--edges", "0"))

    def test_text_of_csr(self):
        told = self.generate(*MODEL, "--format", "csr", "--unique")
        text = self.shown("--edges", "3")
        for line in ("format           rmat-csr", "rows             1024", "order            sorted",
                     "unique           1", f"stream_edges     {told['stream_edges']}"):
            self.assertIn(line + "\n", text)
        self.assertRegex(text, r"\nbinsparse        {\"binsparse\": {.*\ncommand .*\n"
                               r"first edges\n")

    def test_foreign_file_shows_what_is_there(self):
        write_list(self.path("graph.h5"), numpy.arange(7), numpy.arange(7))

        def change(file):
            file.attrs["fingerprint"] = numpy.uint64(255)
            file.attrs["generator"] = numpy.bytes_(b"another \x1b[31m\nprogram")
            file.attrs["seed"] = "a string"

        self.changed(change)
        text = self.silent("info", "x.h5")
        self.assertIn("another ?[31m?program\n", text)
        self.assertNotIn("seed", text)
        shown = json.loads(self.silent("info", "--json", "x.h5"))
        self.assertEqual((shown["generator"], shown["fingerprint"]),
                         ("another \x1b[31m\nprogram", "0x00000000000000ff"))
        self.assertNotIn("seed", shown)

    def test_pointers_not_in_order(self):
        self.generate(*MODEL, "--format", "csr")
        for change in ({0: 7}, {0: 0, 1: 3, 2: 2}, {1: 1 << 60}):
            self.changed(lambda file, change=change: [file["pointers_to_1"].__setitem__(*pointer) for pointer in change.items()])
            self.fails(1, r"x\.h5: dataset 'pointers_to_1' is not in order", "info", "x.h5", "--edges", "9")

    def test_several_files(self):
        self.generate("--scale", "6", "-o", "g.h5")
        self.generate("--scale", "5", "--weights", "uniform", "-o", "other.h5")
        names = "g.h5", "other.h5"
        one = [json.loads(self.silent("info", "--json", name)) for name in names]
        done = self.rmat("info", "--json", "g.h5", "none", "other.h5")
        self.assertEqual((done.returncode, json.loads(done.stdout)), (1, [one[0], {"file": "none", "failed": True}, one[1]]))
        self.assertEqual(self.silent("info", *names), "\n".join(self.silent("info", name) for name in names))


class Devices(CliTest):
    def test_processor_and_build(self):
        told = json.loads(self.silent("info", "--devices", "--json"))
        self.assertEqual(self.files(), [])
        self.assertEqual(told["threads"], len(os.sched_getaffinity(0)))
        self.assertEqual(told["memory_bytes"],
                         os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
        version = self.rmat("--version").stdout
        self.assertEqual(told["instruction_sets"][0], "generic")
        self.assertIn(f"HDF5 {told['hdf5']}\n", version)
        self.assertEqual(told["mpi"] is not None, "RMAT_HAVE_MPI" in os.environ)
        if not told["gpus"]:
            self.assertTrue(told["gpu_none"])
            self.assertIsNone(told["gpu_driver"])
        for i, gpu in enumerate(told["gpus"]):
            self.assertEqual(gpu["index"], i)
            if "error" not in gpu:
                self.assertLessEqual(gpu["free_bytes"], gpu["memory_bytes"])
                self.assertRegex(gpu["compute_capability"], r"\A\d+\.\d+\Z")

        one = json.loads(self.silent("info", "--devices", "--json",
                                     preexec_fn=lambda: os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])))
        self.assertEqual(one["threads"], 1)
        lines = dict(re.split(r"  +", line, maxsplit=1)
                     for line in self.rmat("info", "--devices").stdout.splitlines() if "instruction sets" not in line)
        self.assertEqual((lines["cpu"], lines["mpi"], lines["cuda"]), (told["cpu"], *(
            told[name] or "not in this build" for name in ("mpi", "cuda"))))
        if told["gpus"]:
            self.assertEqual(lines["gpu driver"], told["gpu_driver"])
        else:
            self.assertEqual(lines["gpu"], "none: " + told["gpu_none"])


# What is done to a good file, and what `rmat info` then says about it.  All that can be wrong: test_io_damaged.c.
DAMAGED = [
    (lambda file: file.attrs.modify("format_version", numpy.uint64(99)), "99"),
    (lambda file: file.attrs.modify("complete", numpy.uint64(0)), "complete"),
    (lambda file: file.attrs.pop("edges"), "attribute 'edges' is missing"),
    (lambda file: file.pop("src"), "dataset 'src' is missing"),
]


class Damaged(CliTest):
    def test_one_line(self):
        self.generate(*MODEL)
        for change, part in DAMAGED:
            self.changed(change)
            self.fails(1, rf"x\.h5.*{part}.*", "info", "x.h5")
        data = self.read("graph.h5")
        for mangled in (bytes(8) + data[8:], data[:8] + bytes(2000) + data[2008:],
                        *(data[:size] for size in (5000, len(data) // 2, len(data) - 1))):
            self.write("x.h5", mangled)
            self.fails(1, r"x\.h5.*", "info", "x.h5")
