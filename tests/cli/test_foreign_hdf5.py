"""HDF5 from elsewhere: plain files of h5py, files of rmat that h5py or h5repack stored in another way, those of
PyTorch-BigGraph and binsparse; and what is refused."""

import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

from cli import CliTest, PIPED, RMAT, long_computation, skip_all

try:
    import h5py
    import numpy
except ImportError as error:
    skip_all(error)

EDGES = 300000  # several pieces
ID = "expected 0 to 4611686018427387903"


class ForeignTest(CliTest):
    def run_rmat(self, *args):
        done = self.rmat(*args)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        return done.stdout

    def convert(self, *args):
        self.run_rmat("convert", "-q", "--force", *args)

    def fails(self, line, *args, code=1):
        before = self.files()
        done = self.rmat("convert", "-q", *args)
        self.assertEqual((done.stderr, done.stdout, done.returncode), (f"rmat convert: {line}\n", "", code), args)
        self.assertEqual(self.files(), before)

    def write(self, name, columns, libver="earliest", attrs=None, **storage):
        """A file with these datasets."""
        with h5py.File(self.path(name), "w", libver=libver) as file:
            for column, array in columns.items():
                file.create_dataset(column, data=array, **(storage if numpy.ndim(array) > 0 and len(array) > 0 else {}))
            file.attrs.update(attrs or {})
        return name

    def assert_edges(self, name, columns, *options, kinds=None, vertices=None):
        self.convert(name, "seen.h5", *options)
        self.assertEqual(self.rmat("verify", "-q", "seen.h5").returncode, 0)
        with h5py.File(self.path("seen.h5"), "r") as file:
            seen = [file[column] for column in ("src", "dst", "weight") if column in file]
            self.assertEqual(len(seen), len(columns))
            for a, b in zip(seen, columns):
                self.assertTrue(numpy.array_equal(a[:], b), (name, a.name))
            if kinds is not None:
                self.assertEqual([a.dtype.str for a in seen], kinds)
            if vertices is None:
                vertices = max(int(numpy.max(column)) + 1 for column in columns[:2])
            vertices = vertices if isinstance(vertices, tuple) else (vertices, vertices)
            self.assertEqual((file.attrs["num_rows"], file.attrs["num_cols"]), vertices)

    def edges(self, highest=1 << 20, count=EDGES):
        return numpy.random.default_rng(5).integers(0, highest, (2, count))


class Plain(ForeignTest):
    def test_types(self):
        """Integers of every width, sign and order of bytes; both ends may differ."""
        for kind in "<u4 >u4 <i4 >i4 <i8 >i8 <u8 >u8 <u2 >i2 |u1 |i1".split():
            src, dst = self.edges(min(1 << 20, int(numpy.iinfo(kind).max) + 1), 5000)
            wide = "<u8" if kind.endswith("u8") else "<u4"
            self.write("g.h5", {"src": src.astype(kind), "dst": dst.astype("<i8")})
            self.assert_edges("g.h5", [src, dst], kinds=[wide, wide])

    def test_storage(self):
        """Contiguous and chunked, with chunks that divide nothing, and filters; both kinds of superblock."""
        src, dst = self.edges()
        for libver in "earliest", "v108", "latest":
            for storage in ({}, {"chunks": (1000,)}, {"chunks": (7777,), "compression": "gzip", "compression_opts": 1},
                            {"chunks": (1 << 17,), "compression": "gzip", "shuffle": True},
                            {"chunks": (EDGES,), "compression": "gzip", "compression_opts": 1, "fletcher32": True},
                            {"chunks": (131073,), "scaleoffset": 0}, {"chunks": (100,), "maxshape": (None,)}):
                self.write("g.h5", {"src": src, "dst": dst}, libver, **storage)
                self.assert_edges("g.h5", [src, dst])

    def test_rounded_weights(self):
        """int64 and uint64 beyond int32 become float32, which is said; a double does not hold all of them either."""
        for weights, rounded in (([16777217, 5], 0), ([16777217, 3000000000], 1), ([1 << 60, -(1 << 63)], 0),
                                 ([(1 << 53) + 1, -(1 << 53) - 1], 2)):
            self.write("g.h5", {"src": [0, 1], "dst": [1, 0], "weight": numpy.array(weights)})
            self.assert_rounded("g.h5", rounded)
        self.write("g.h5", {"src": [0, 1], "dst": [1, 0], "weight": numpy.array([2**63 + 1, 2**63], dtype="u8")})
        self.assert_rounded("g.h5", 1)
        self.write("g.h5", {"src": [0, 1], "dst": [1, 0], "weight": numpy.array([0.1, 16777217])})
        self.assert_rounded("g.h5", 0)

    def assert_rounded(self, name, rounded):
        told = json.loads(self.rmat("convert", "-q", "--json", "--force", name, "x.wel").stdout)
        self.assertEqual(told["rounded_weights"], rounded)

    def test_weights(self):
        src, dst = self.edges(1000, 9000)
        random = numpy.random.default_rng(6)
        for weights, kind in ((random.random(9000), "<f4"), (random.random(9000, dtype="f4").astype(">f4"), "<f4"),
                              (random.random(9000).astype("<f2"), "<f4"),
                              (random.integers(-2**31, 2**31, 9000), "<i4"), (random.integers(0, 255, 9000, dtype="u1"), "<i4"),
                              (random.integers(2**31, 2**40, 9000), "<f4")):
            self.write("g.h5", {"src": src, "dst": dst, "weight": weights})
            self.assert_edges("g.h5", [src, dst, weights.astype(kind)], kinds=["<u4", "<u4", kind])

    def test_names(self):
        src, dst = self.edges(1000, 9000)
        weight = numpy.arange(9000)
        self.write("g.h5", {"graph/from": src, "graph/to": dst, "cost": weight, "weight": -weight})
        self.assert_edges("g.h5", [src, dst], "--datasets", "graph/from,graph/to")
        self.assert_edges("g.h5", [src, dst, weight], "--datasets", "graph/from,graph/to,cost")
        self.assert_edges("g.h5", [dst, src, -weight], "--datasets", "graph/to,graph/from,weight")
        for command in ["stats"], ["roots"], ["plot", "--data", "-"]:
            if command[0] != "plot" or shutil.which("gnuplot"):
                done = self.rmat(*command, "-q", "--datasets", "graph/from,graph/to", "g.h5")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.fails("g.h5: has no dataset 'src'; it has cost, graph, weight (the option datasets names others)", "g.h5", "out.h5")
        self.fails("g.h5: has no dataset 'graph/x'; it has cost, graph, weight (the option datasets names others)", "g.h5", "out.h5",
                   "--datasets", "graph/from,graph/x")
        with open(self.path("g.el"), "w", encoding="ascii") as file:
            file.write("1 2\n")
        self.fails("--datasets: given for el, allowed: for h5, csv, parquet", "g.el", "out.h5", "--datasets", "a,b", code=2)
        for wrong in "a", "a,b,c,d", "a,a", "a,", "":
            self.fails(f"--datasets: '{wrong}' is not a list of names, allowed: two or three different ones of up to 63 "
                       "bytes, without quotes, with commas between them", "g.h5", "out.h5", "--datasets", wrong, code=2)

    def test_vertices(self):
        """Highest plus 1, unless told."""
        self.write("g.h5", {"src": [3, 0], "dst": [1, 2]})
        self.assert_edges("g.h5", [[3, 0], [1, 2]], vertices=4)
        self.assert_edges("g.h5", [[3, 0], [1, 2]], "--vertices", "99", vertices=99)
        self.assertIn("vertices  ", self.run_rmat("stats", "-q", "g.h5", "--vertices", "99"))
        self.fails("g.h5: has 4 rows, more than the 3 asked for", "g.h5", "out.h5", "--rows", "3")

    def test_small(self):
        self.write("g.h5", {"src": numpy.zeros(0, dtype="<i8"), "dst": numpy.zeros(0, dtype="<i8")})
        self.assert_edges("g.h5", [[], []], "--vertices", "3", vertices=3)
        with h5py.File(self.path("g.h5"), "w") as file:  # compact; and one that nobody wrote
            creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            creation.set_layout(h5py.h5d.COMPACT)
            space = h5py.h5s.create_simple((3,))
            h5py.h5d.create(file.id, b"src", h5py.h5t.STD_I32LE, space, creation)
            file["src"][:] = [5, 6, 7]
            file.create_dataset("dst", (3,), dtype="<u2")
        self.assert_edges("g.h5", [[5, 6, 7], [0, 0, 0]])


class Refused(ForeignTest):
    def test_datasets(self):
        ids = numpy.arange(5)
        for columns, said in (
                ({"src": ids}, "has no dataset 'dst'; it has src (the option datasets names others)"),
                ({}, "has no dataset 'src'; it has nothing (the option datasets names others)"),
                ({"src": ids, "dst": ids[:4]}, "dataset 'src' has 5 elements, expected 4"),
                ({"src": ids, "dst": ids, "weight": ids[:2]}, "dataset 'weight' has 2 elements, expected 5"),
                ({"src": ids, "dst": ids * 0.5}, "dataset 'dst' holds floats of 8 bytes, expected integers of up to 8"),
                ({"src": ids, "dst": ids.reshape(5, 1)}, "dataset 'dst' is 2-D, expected 1-D"),
                ({"src": 5, "dst": ids}, "dataset 'src' is 0-D, expected 1-D"),
                ({"src": ids, "dst": ids, "weight": numpy.array([b"x"] * 5)},
                 "dataset 'weight' holds items of 1 bytes, expected integers or floats of up to 8"),
                ({"src": ids, "dst/x": ids}, "has no dataset 'dst'; it has dst, src (the option datasets names others)"),
                ({"src": ids, "dst": -ids}, f"edge 1: dst is -1, {ID}"),
                ({"src": ids.astype("u8") + (1 << 63), "dst": ids}, f"edge 0: src is -9223372036854775808, {ID}"),
                ({"src": ids.astype("u8"), "dst": ids.astype("u8") + (1 << 62)},
                 f"edge 0: dst is 4611686018427387904, {ID}"),
                ({"src": ids, "dst": ids, "weight": [0, 1, numpy.nan, 3, 4]},
                 "edge 2: weight is nan, expected a number that float32 can hold"),
                ({"src": ids, "dst": ids, "weight": [0, 1e300, 2, 3, 4]},
                 "edge 1: weight is 1e+300, expected a number that float32 can hold")):
            for libver in "earliest", "v108":
                with self.subTest(said=said, libver=libver):
                    self.write("g.h5", columns, libver)
                    self.fails("g.h5: " + said, "g.h5", "out.h5")

    def test_elsewhere(self):
        """Data in other files, which may be missing."""
        self.write("data.h5", {"src": numpy.arange(5)})
        layout = h5py.VirtualLayout((5,), dtype="<i8")
        layout[:] = h5py.VirtualSource(self.path("data.h5"), "src", (5,))
        with h5py.File(self.path("g.h5"), "w") as file:
            file["dst"] = numpy.arange(5)
            file.create_virtual_dataset("src", layout)
        self.fails("g.h5: dataset 'src' lies in other files, expected it inside this one", "g.h5", "out.h5")
        with h5py.File(self.path("g.h5"), "w") as file:
            file["dst"] = numpy.arange(5)
            file.create_dataset("src", (5,), dtype="<i8", external=[("data.bin", 0, 40)])
        self.fails("g.h5: dataset 'src' lies in other files, expected it inside this one", "g.h5", "out.h5")
        with h5py.File(self.path("g.h5"), "w") as file:
            file["dst"] = numpy.arange(5)
            file["src"] = h5py.ExternalLink("data.h5", "src")
        self.fails("g.h5: dataset 'src' lies in other files, expected it inside this one", "g.h5", "out.h5")

    def test_other_files_stay_closed(self):
        """Not even opened: each is a FIFO, which would wait for a writer.  HDF5 opens the last already where it is
        asked for the length."""
        os.mkfifo(self.path("fifo"))
        numbers = numpy.arange(5)
        space = h5py.h5s.create_simple((5,), (h5py.h5s.UNLIMITED,))
        space.select_hyperslab((0,), (h5py.h5s.UNLIMITED,), (1,), (1,))
        growing = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        growing.set_virtual(space, b"fifo", b"src", space)

        def virtual(file):
            h5py.h5d.create(file.id, b"src", h5py.h5t.STD_I64LE, h5py.h5s.create_simple(
                (5,), (h5py.h5s.UNLIMITED,)), growing)

        for libver in ("earliest", "v110"):
            for src, write in (
                    ("src", lambda file: file.__setitem__("src", h5py.ExternalLink("fifo", "/src"))),
                    ("src", lambda file: file.update(away=h5py.ExternalLink("fifo", "/"), src=h5py.SoftLink("/away/src"))),
                    ("away/src", lambda file: file.__setitem__("away", h5py.ExternalLink("fifo", "/"))),
                    ("src", lambda file: file.create_dataset("src", (5,), dtype="<i8", external=[("fifo", 0, 40)])),
                    ("src", virtual)):
                with h5py.File(self.path("g.h5"), "w", libver=libver) as file:
                    file["dst"] = numbers
                    file.attrs["format"] = numpy.bytes_(b"rmat-edges" if "/" not in src else b"")
                    write(file)
                datasets = ["--datasets", src + ",dst"]
                for command in (["convert", "-q", "g.h5", "out.h5", *datasets], ["stats", "-q", "g.h5", *datasets],
                                ["convert", "-q", "g.h5", "out.h5"], ["verify", "g.h5"], ["info", "g.h5"]):
                    done = self.rmat(*command, timeout=20)
                    self.assertIn(done.returncode, (1, 3), command)
                    if datasets[0] in command:
                        self.assertIn(f"g.h5: dataset '{src}' lies in other files, expected it inside this one",
                                      done.stderr)

    def test_soft_links(self):
        """Within the file they lead to datasets like any name."""
        with h5py.File(self.path("g.h5"), "w") as file:
            file["group/src"], file["group/dst"] = numpy.arange(5), numpy.arange(5)[::-1]
            file["src"], file["dst"] = h5py.SoftLink("/group/src"), h5py.SoftLink("/group/dst")
        self.assert_edges("g.h5", (numpy.arange(5), numpy.arange(5)[::-1]))

    def waiting(self, **environment):
        """A command whose child waits for ever: HDF5 looks for the plug-in of a filter in a FIFO."""
        self.write("g.h5", {"src": numpy.arange(5), "dst": numpy.arange(5)}, compression="lzf")
        os.makedirs(self.path("plugins"), exist_ok=True)
        if not os.path.exists(self.path("plugins/libx.so")):
            os.mkfifo(self.path("plugins/libx.so"))
        return subprocess.Popen([RMAT, "convert", "-q", "g.h5", "out.h5"], cwd=self.folder, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env={**os.environ, "HDF5_PLUGIN_PATH": self.path("plugins"), **environment})

    def child_of(self, process):
        """The one that waits."""
        deadline = time.monotonic() + 30
        while True:
            self.assertIsNone(process.poll(), "ended before its child waited")
            self.assertLess(time.monotonic(), deadline)
            for child in self.children(process.pid):
                if self.is_in_open(child):
                    return child
            time.sleep(0.01)

    @staticmethod
    def children(pid):
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]

    @staticmethod
    def is_in_open(pid):
        try:
            with open(f"/proc/{pid}/syscall", encoding="ascii") as file:
                return file.read().split()[0] in ("2", "56", "257")  # open, and openat of two machines
        except OSError:
            return False

    def test_child_that_waits(self):
        """A signal to the program ends both; one to the child is no answer that lets HDF5 have the file."""
        process = self.waiting()
        child = self.child_of(process)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=20)
        self.assertEqual((process.returncode, out), (143, ""))
        self.assertEqual(err, "rmat convert: stopped by SIGTERM, 'out.h5' was not made\n")
        self.assertFalse(os.path.exists(f"/proc/{child}"))
        for number, why in ((signal.SIGTERM, "the process that read it was stopped"),
                            (signal.SIGKILL, "the process that read it was killed"),
                            (signal.SIGUSR1, "HDF5 crashed; the file is damaged or memory is exhausted")):
            process = self.waiting()
            os.kill(self.child_of(process), number)
            out, err = process.communicate(timeout=20)
            self.assertEqual((process.returncode, out, err), (1, "", f"rmat convert: g.h5: could not be read: {why}\n"))

    @unittest.skipUnless("RMAT_FAULT" in os.environ, "the sanitizer has calls of its own")
    def test_child_that_waits_for_ever(self):
        """The clock goes faster, but not so fast that the child is late before it waits."""
        process = self.waiting(LD_PRELOAD=os.environ["RMAT_FAULT"], FAULT_CLOCK="30")
        out, err = process.communicate(timeout=40)
        self.assertEqual((process.returncode, out, err), (
            1, "", "rmat convert: g.h5: could not be read: after 60 s of waiting HDF5 was not through its metadata\n"))

    def test_filter(self):
        """One that only h5py has."""
        self.write("g.h5", {"src": numpy.arange(5), "dst": numpy.arange(5)}, compression="lzf")
        self.fails("g.h5: dataset 'src' is compressed by the filter 'lzf' (32000), which this HDF5 library lacks",
                   "g.h5", "out.h5")

    def test_chunks_without_a_dimension(self):
        """HDF5 would read them for ever, and hear no signal."""
        self.write("g.h5", {"src": numpy.arange(40, dtype="u4"), "dst": numpy.arange(40, dtype="u4")}, chunks=(8,), fletcher32=True)
        data = self.read("g.h5")
        layout = re.compile(rb"\x03\x02\x02(.{8}\x08\0\0\0\x04\0\0\0)", re.DOTALL)  # version 3, chunked, 1 + 1 dimensions
        self.assertEqual(len(layout.findall(data)), 2)
        with open(self.path("g.h5"), "wb") as file:
            file.write(layout.sub(lambda found: b"\x03\x02\x01" + found[1], data))
        self.fails("g.h5: the chunks of dataset 'src' are not 1-D or have more than 1073741823 elements", "g.h5", "out.h5")

    def test_damage(self):
        """Truncated, damaged where there are checksums, compressed as a whole."""
        self.write("g.h5", {"src": numpy.arange(5000), "dst": numpy.arange(5000)})
        data = self.read("g.h5")
        with open(self.path("g.h5"), "wb") as file:
            file.write(data[:-8])
        done = self.rmat("convert", "-q", "g.h5", "out.h5")
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1))
        self.write("g.h5", {"src": numpy.arange(5000), "dst": numpy.arange(5000)}, "v108", chunks=(100,), fletcher32=True)
        data = bytearray(self.read("g.h5"))
        data[data.index(numpy.arange(100).tobytes()) + 80] ^= 1
        with open(self.path("g.h5"), "wb") as file:
            file.write(data)
        done = self.rmat("convert", "-q", "g.h5", "out.h5")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Armat convert: g\.h5: src: [^\n]*error[^\n]*\n\Z")
        os.rename(self.path("g.h5"), self.path("g.h5.gz"))
        with open(self.path("g.h5.gz"), "wb") as file:
            file.write(b"\x1f\x8b")
        self.fails("g.h5.gz: HDF5 files that are compressed as a whole cannot be read; decompress it first", "g.h5.gz", "out.h5")
        self.fails("g.h5.gz: HDF5 files that are compressed as a whole cannot be read; decompress it first", "g.h5.gz", "out.h5", "--datasets", "a,b")
        self.assertEqual(self.files(), ["g.h5.gz"])


class Ours(ForeignTest):
    """Files of rmat, stored by other programs: they are the same graphs, with their models."""

    GRAPHS = {"list": ["--scale", "13", "--weights", "uniform", "--noise", "0.1"],
              "sorted": ["--scale", "13", "--unique", "--weights", "int:1:9"],
              "wide": ["--scale", "9", "--id-type", "uint64"],
              "csr": ["--scale", "13", "--format", "csr", "--sorted"],
              "csr weights": ["--scale", "13", "--format", "csr", "--unique", "--weights", "uniform"]}

    def restore(self, name, **storage):
        """A copy that h5py makes, with all attributes."""
        with h5py.File(self.path("graph.h5"), "r") as source, h5py.File(self.path(name), "w") as file:
            for column, data in source.items():
                file.create_dataset(column, data=data[:], **(storage if len(data) > 1 else {}))
            for attr in source.attrs:
                file.attrs.create(attr, source.attrs[attr], dtype=source.attrs.get_id(attr).dtype)

    def check(self, name):
        """Converted, the list is byte for byte what the file itself becomes."""
        self.convert("graph.h5", "list.h5", "--to", "h5")
        self.convert(name, "seen.h5", "--to", "h5")
        self.assertTrue(self.read("seen.h5") == self.read("list.h5"))
        self.assertEqual(self.run_rmat("stats", "-q", name).replace(name, "graph.h5"),
                         self.run_rmat("stats", "-q", "graph.h5"))

    def test_stored_by_h5py(self):
        for options in self.GRAPHS.values():
            self.generate(*options, "--force")
            self.restore("other.h5")
            self.check("other.h5")
            self.restore("other.h5", chunks=(3000,), compression="gzip", compression_opts=1)
            self.check("other.h5")

    @long_computation
    @unittest.skipIf(shutil.which("h5repack") is None, "needs h5repack")
    def test_stored_by_h5repack(self):
        for options in self.GRAPHS.values():
            self.generate(*options, "--force")
            for how in ["-f", "GZIP=1"], ["-l", "CHUNK=1000"], ["-f", "SHUF", "-f", "GZIP=1", "-L"]:
                subprocess.run(["h5repack", *how, "graph.h5", "other.h5"], cwd=self.folder, check=True)
                self.check("other.h5")

    def test_what_does_not_fit(self):
        """Edges that are not those of the fingerprint, or not as many as the attribute says."""
        self.generate("--scale", "8")
        self.restore("other.h5", chunks=(300,))
        with h5py.File(self.path("other.h5"), "r+") as file:
            file["dst"][7] ^= 1
        done = self.rmat("convert", "-q", "other.h5", "out.h5")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1))
        self.assertIn("its attribute says", done.stderr)
        self.restore("other.h5", chunks=(300,))
        for attr, value, said in (("edges", 4095, "dataset 'dst' has 4096 elements, expected 4095"),
                                  ("complete", 0, "is not complete, or of another version of the format"),
                                  ("num_cols", 100, "edge 0: dst is 123, expected 0 to 99")):
            with h5py.File(self.path("other.h5"), "r+") as file:
                before = file.attrs[attr]
                file.attrs.create(attr, value, dtype="<u8")
                if attr == "num_cols":
                    file["dst"][0] = 123
            done = self.rmat("convert", "-q", "other.h5", "out.h5")
            self.assertEqual((done.returncode, done.stderr), (1, f"rmat convert: other.h5: {said}\n"))
            with h5py.File(self.path("other.h5"), "r+") as file:
                file.attrs[attr] = before
        self.assertNotIn("out.h5", self.files())

    def test_too_many_rows(self):
        """2^64 - 1 of them have 0 pointers, counted modulo 2^64."""
        self.generate("--scale", "6", "--format", "csr")
        self.restore("other.h5", chunks=(30,))
        with h5py.File(self.path("other.h5"), "r+") as file:
            del file["pointers_to_1"]
            file.create_dataset("pointers_to_1", (0,), dtype="<u8", chunks=(30,), maxshape=(None,))
            for attr in ("rows", "num_rows"):
                file.attrs.create(attr, 2**64 - 1, dtype="<u8")
        done = self.rmat("convert", "-q", "other.h5", "out.h5", "--to", "h5")
        self.assertEqual((done.returncode, done.stderr), (
            1, "rmat convert: other.h5: num_rows is 18446744073709551615 and num_cols is 64, expected up to 2^62\n"))

    def test_other_options(self):
        """The file states its vertices; named datasets are just a list."""
        self.generate("--scale", "8")
        self.restore("other.h5", chunks=(300,))
        self.fails("--vertices: given for HDF5, allowed: for other formats", "other.h5", "x.el", "--vertices", "999", code=2)
        self.convert("other.h5", "seen.h5", "--datasets", "dst,src")
        with h5py.File(self.path("seen.h5"), "r") as seen, h5py.File(self.path("graph.h5"), "r") as file:
            self.assertTrue(numpy.array_equal(seen["src"][:], file["dst"][:]))
            self.assertEqual(seen.attrs["generator"], b"rmat convert")


class Formats(ForeignTest):
    def test_round_trip(self):
        """What rmat writes for PyTorch-BigGraph and binsparse."""
        for options in ["--unique"], ["--unique", "--weights", "uniform"], ["--unique", "--weights", "int:-9:9"], \
                ["--unique", "--id-type", "uint64"]:
            self.generate("--scale", "13", *options, "--force")
            with h5py.File(self.path("graph.h5"), "r") as file:
                columns = [file[column][:] for column in ("src", "dst", "weight") if column in file]
            self.convert("graph.h5", "g.bsp.h5")
            wide = columns[0].dtype.str
            kinds = [wide, wide] + [column.dtype.str for column in columns[2:]]
            self.assert_edges("g.bsp.h5", columns, vertices=8192, kinds=kinds)
            self.assert_edges("g.bsp.h5", columns, "--from", "binsparse", vertices=8192)
            self.convert("graph.h5", "edges_0_0.h5")
            self.assert_edges("edges_0_0.h5", columns[:2], kinds=["<u4", "<u4"])
            self.assert_edges("edges_0_0.h5", columns[:2], "--from", "pbg")

    def binsparse(self, columns, **keys):
        description = {"version": "0.1", "format": "COO", "shape": [50, 60], "number_of_stored_values": 4,
                       "data_types": {"values": "float64"}, **keys}
        self.write("g.bsp.h5", columns, attrs={"binsparse": json.dumps({"binsparse": description})})

    def test_binsparse(self):
        src, dst, values = [0, 0, 7, 49], [5, 59, 3, 1], [1.5, 2.5, -3, 0.25]
        self.binsparse({"indices_0": src, "indices_1": dst, "values": values})
        self.assert_edges("g.bsp.h5", [src, dst, values], vertices=(50, 60), kinds=["<u4", "<u4", "<f4"])
        pointers = numpy.concatenate([[0], numpy.cumsum(numpy.bincount(src, minlength=50))])
        self.binsparse({"pointers_to_1": pointers, "indices_1": dst, "values": values}, format="CSR")
        self.assert_edges("g.bsp.h5", [src, dst, values], vertices=(50, 60))
        for value, expected in (1, []), (7, [[7] * 4]):
            self.binsparse({"pointers_to_1": pointers, "indices_1": dst, "values": [value]}, format="CSR",
                           data_types={"values": "iso[int8]"})
            self.assert_edges("g.bsp.h5", [src, dst, *expected], vertices=(50, 60))

    def test_refused(self):
        src, dst, values = [0, 0, 7, 49], [5, 59, 3, 1], [1, 2, 3, 4]
        good = {"indices_0": src, "indices_1": dst, "values": values}
        prefix = "g.bsp.h5: attribute 'binsparse': "
        for keys, said in (({"format": "CSC"}, prefix + "unknown format, expected COO, COOR or CSR"),
                           ({"format": 5}, prefix + "unknown format, expected COO, COOR or CSR"),
                           ({"structure": "symmetric_lower"}, prefix + "only part of the entries is stored, expected all of them"),
                           ({"shape": [5]}, prefix + "no 'shape' of two numbers up to 2^62"),
                           ({"shape": [5, -6]}, prefix + "no 'shape' of two numbers up to 2^62"),
                           ({"shape": [50, 59]}, "g.bsp.h5: edge 1: indices_1 is 59, expected 0 to 58"),
                           ({"format": "CSR"}, "g.bsp.h5: has no dataset 'pointers_to_1'; it has indices_0, indices_1, values "
                                               "(the option datasets names others)")):
            self.binsparse(good, **keys)
            self.fails(said, "g.bsp.h5", "out.h5")
        for pointers, said in (([0] * 50 + [5], "row pointer 50 is 5, expected 4 to 4"),
                               ([0] * 25 + [3, 2] + [4] * 24, "row pointer 26 is 2, expected 3 to 4"),
                               ([0] * 25 + [-3] + [4] * 25, "row pointer 25 is 18446744073709551613, expected 0 to 4"),
                               ([0, 4], "dataset 'pointers_to_1' has 2 elements, expected 51")):
            self.binsparse({"pointers_to_1": pointers, "indices_1": dst, "values": values}, format="CSR")
            self.fails("g.bsp.h5: " + said, "g.bsp.h5", "out.h5")
        self.write("g.bsp.h5", good, attrs={"binsparse": "{"})
        self.fails(prefix + "is not an object in JSON", "g.bsp.h5", "out.h5")
        self.write("g.h5", good)
        self.fails("g.h5: attribute 'binsparse' is missing", "g.h5", "out.h5", "--from", "binsparse")
        self.fails("g.h5: has no dataset 'lhs'; it has indices_0, indices_1, values (the option datasets names others)", "g.h5", "out.h5",
                   "--from", "pbg")

    def test_standard_input(self):
        for name in "pbg", "binsparse":
            self.fails(f"--from: '{name}' cannot be read from standard input, allowed: {PIPED}", "-", "out.h5", "--from", name, code=2)


if __name__ == "__main__":
    unittest.main()
