"""Virtual files: HDF5 reads from them what a file with all its edges has, and damage never goes unnoticed."""

import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import unittest

from cli import CliTest, RMAT, long_computation
from option_pairs import level_matrices, table, words

PLUGIN = subprocess.run([RMAT, "info", "--plugin-path"], capture_output=True, text=True, check=True).stdout.strip()
os.environ["HDF5_PLUGIN_PATH"] = PLUGIN

import h5py  # noqa: E402, it takes the plug-in's folder from the environment
import numpy  # noqa: E402

# A program without the sanitizer cannot load a plug-in with it.
SANITIZED = "RMAT_SANITIZED" in os.environ
NEEDS_PLUGIN = unittest.skipIf(SANITIZED, "HDF5 cannot load a sanitized plug-in")

LARGE = ["--scale", "36", "--edges", "1T"]
OFFICIAL = [["--stream", "graph500", "--scale", "14", "--weights", "uniform"],
            ["--stream", "graph500", "--scale", "14", "--seed2", "9", "--first", "5K"],
            ["--stream", "gapbs", "--scale", "15", "--weights", "int:1:255"],
            ["--stream", "gapbs:gcc4", "--scale", "14"]]

REFUSED = [
    (["--sorted"], "for a graph that is sorted or whose edges are distinct"),
    (["--unique"], "for a graph that is sorted or whose edges are distinct"),
    (["--dedup"], "for a graph that is sorted or whose edges are distinct"),
    (["--simple"], "for a graph that is sorted or whose edges are distinct"),
    (["--stream", "gapbs", "--no-self-loops"], "for a graph that is sorted or whose edges are distinct"),
    (["--format", "csr"], "with format csr, allowed: with h5"),
    (["--format", "npy"], "with format npy, allowed: with h5"),
    (["-o", "x.el"], "with format el, allowed: with h5"),
    (["--layout", "sharded"], "with layout 'sharded', allowed: with auto"),
    (["--io", "direct"], "with io 'direct', allowed: with auto"),
    (["--scale", "43"], r"for 140737488355328 edges, allowed: up to 70368744177664 \(2\^46\)"),
]


def lookup3(data):
    """The checksum of HDF5's metadata: Bob Jenkins' hashlittle()."""
    def rotate(x, k):
        return (x << k | x >> 32 - k) & 0xFFFFFFFF

    a = b = c = (0xDEADBEEF + len(data)) & 0xFFFFFFFF
    data = bytes(data)
    while len(data) > 12:
        x, y, z = struct.unpack("<3I", data[:12])
        a, b, c = (a + x) & 0xFFFFFFFF, (b + y) & 0xFFFFFFFF, (c + z) & 0xFFFFFFFF
        for k in (4, 6, 8, 16, 19, 4):
            a = (a - c) & 0xFFFFFFFF ^ rotate(c, k)
            c = (c + b) & 0xFFFFFFFF
            a, b, c = b, c, a
        data = data[12:]
    if data:
        x, y, z = struct.unpack("<3I", data.ljust(12, b"\0"))
        a, b, c = (a + x) & 0xFFFFFFFF, (b + y) & 0xFFFFFFFF, (c + z) & 0xFFFFFFFF
        for k in (14, 11, 25, 16, 4, 14, 24):
            c = ((c ^ b) - rotate(b, k)) & 0xFFFFFFFF
            a, b, c = b, c, a
        c = b
    return c


class Virtual(CliTest):
    def pair(self, *args):
        """The same graph as x.h5, with its edges, and as v.h5."""
        self.generate("--force", "-o", "x.h5", *args)
        told = self.generate("--force", "-o", "v.h5", "--virtual", *args)
        self.assertLess(told["file_bytes"], 20000)

    def large(self, *args):
        """A virtual file v.h5 that it would take hours to verify."""
        done = self.rmat("generate", "--json", "--quiet", "--virtual", "--force", "-o", "v.h5", *args)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        return json.loads(done.stdout)

    def same(self, *args):
        """Attributes, and slices that begin and end anywhere."""
        self.pair(*args)
        with h5py.File(self.path("x.h5")) as whole, h5py.File(self.path("v.h5")) as file:
            self.assertEqual(sorted(file), sorted(whole))
            self.assertEqual(set(whole.attrs) - set(file.attrs), {"fingerprint"})
            self.assertEqual(set(file.attrs) - set(whole.attrs), {"virtual"})
            for name in set(whole.attrs) - {"fingerprint", "command"}:
                self.assertTrue(numpy.all(file.attrs[name] == whole.attrs[name]), name)
            self.assertEqual(file.attrs["command"], whole.attrs["command"] + b" --virtual")
            n = whole["src"].len()
            for name in whole:
                self.assertEqual((file[name].dtype, file[name].shape), (whole[name].dtype, whole[name].shape))
            for _ in range(0 if SANITIZED else 4):
                first, end = sorted(random.choices(range(n + 1), k=2))
                for name in whole:
                    self.assertTrue((file[name][first:end] == whole[name][first:end]).all(), args)
            if not SANITIZED:
                for name in whole:
                    self.assertTrue((file[name][:] == whole[name][:]).all(), args)

    def test_every_two_options(self):
        for row in table():
            with self.subTest(options=sorted(row)):
                level_matrices(self.path("levels.txt"), 10)
                self.same(*words(row, 10))

    def test_official_streams(self):
        for args in OFFICIAL:
            with self.subTest(args=args):
                self.same(*args)

    def test_several_chunks(self):
        for args in (["--scale", "17", "--edges", "2500K"], ["--scale", "33", "--edges", "1Mi"],
                     ["--scale", "17", "--edges", "1048577", "--weights", "uniform"],
                     ["--scale", "15", "--edges", "3M", "--first", "1000001", "--count", "1100K", "--symmetrize"]):
            with self.subTest(args=args):
                self.same(*args)

    def test_few_edges(self):
        for edges in "0", "1", "2":
            self.same("--edges", edges)

    def test_levels(self):
        """There is room for the matrices of 28 levels."""
        level_matrices(self.path("levels.txt"), 28)
        self.same("--scale", "28", "--edges", "10K", "--level-matrices", "levels.txt", "--noise", "0.05")
        level_matrices(self.path("levels.txt"), 29)
        self.refused(["--scale", "29", "--level-matrices", "levels.txt"],
                     "with a matrix for each of 29 levels, allowed: up to 28")

    def refused(self, args, text):
        before = self.files()
        done = self.rmat("generate", "--virtual", *args)
        self.assertRegex(done.stderr, rf"\Armat generate: --virtual: given {text}[^\n]*\n\Z")
        self.assertEqual((done.returncode, done.stdout, self.files()), (2, "", before), args)

    def test_refused(self):
        for args, text in REFUSED:
            with self.subTest(args=args):
                self.refused(args, text)
        done = self.rmat("generate", "--statistics", "--virtual")
        self.assertEqual((done.returncode, self.files()), (2, []))
        self.assertIn("--virtual", done.stderr)

    @long_computation
    def test_trillion(self):
        """At most 5 MB, and random slices are those that `rmat generate --first` writes."""
        for weights in [], ["--weights", "int:-5:5"]:
            told = self.large(*LARGE, *weights, "--permute")
            self.assertLessEqual(told["file_bytes"], 5000000)
            self.assertEqual(os.stat(self.path("v.h5")).st_size, told["file_bytes"])
            self.assertEqual(told["edges"], 10**12)
            for first in random.randrange(10**12 - 5000), 10**12 - 5000:
                self.generate(*LARGE, *weights, "--permute", "--first", str(first), "--count", "5000", "--force",
                              "-o", "part.h5")
                with h5py.File(self.path("part.h5")) as part, h5py.File(self.path("v.h5")) as file:
                    for name in () if SANITIZED else part:
                        self.assertTrue((file[name][first:first + 5000] == part[name][:]).all(), (first, name))
        self.assertEqual(self.rmat("verify", "-q", "--sample", "4", "v.h5").returncode, 0)

    @long_computation
    def test_largest(self):
        told = self.large("--scale", "42")
        self.assertEqual(told["edges"], 2**46)
        done = self.rmat("info", "v.h5", "--edges", "1")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_same_bytes(self):
        """Whatever it is told, what `command` says makes the same file."""
        told = self.generate("--scale", "12", "--noise", "0.1", "--virtual", "-o", "a.h5")
        self.rmat(*told["command"].split()[1:], "-o", "b.h5", "--threads", "1", "--seed", "1")
        self.assertEqual(self.read("a.h5"), self.read("b.h5"))

    def test_dry_run_foretells_the_size(self):
        args = ["--scale", "20", "--edges", "123M", "--virtual", "-o", "v.h5"]
        foretold = self.generate("--dry-run", *args)
        self.assertEqual(self.files(), [])
        self.assertEqual(foretold["file_bytes"], self.large(*args)["file_bytes"])

    def test_commands_need_no_plugin(self):
        """Every command reads the file as if all its edges were in it."""
        self.pair("--scale", "12", "--edges", "300K", "--weights", "int:1:9")
        bare = {name: value for name, value in os.environ.items() if name != "HDF5_PLUGIN_PATH"}
        for args in (["stats", "--json"], ["roots", "--count", "4"]):
            out = [self.rmat(*args, name, "-q", env=bare) for name in ("x.h5", "v.h5")]
            self.assertEqual([done.returncode for done in out], [0, 0], out[1].stderr)
            texts = [re.sub(r'"(file|file_bytes|seconds|command|\w*per_second)": [^\n]*', "", done.stdout)
                     for done in out]
            self.assertEqual(*texts)
        for name in "x", "v":
            self.assertEqual(self.rmat("convert", "-q", f"{name}.h5", f"{name}.tsv", env=bare).returncode, 0)
            self.assertEqual(self.rmat("convert", "-q", f"{name}.h5", f"{name}.csr", "--to", "csr",
                                       env=bare).returncode, 0)
        self.assertEqual(self.read("x.tsv"), self.read("v.tsv"))
        with h5py.File(self.path("x.csr")) as whole, h5py.File(self.path("v.csr")) as file:
            for name in whole:
                self.assertTrue((file[name][:] == whole[name][:]).all(), name)
        info = self.rmat("info", "v.h5", env=bare).stdout
        self.assertRegex(info, "layout +virtual")
        self.assertEqual(info[info.index("first edges"):],
                         (text := self.rmat("info", "x.h5").stdout)[text.index("first edges"):])

    @NEEDS_PLUGIN
    def test_h5dump(self):
        h5dump = shutil.which("h5dump")
        if h5dump is None:
            self.skipTest("no h5dump")
        self.pair("--scale", "12", "--edges", "1200K")
        text = []
        for name in "x.h5", "v.h5":
            done = subprocess.run([h5dump, "-y", "-d", "dst", "-s", "1048570", "-c", "40", self.path(name)],
                                  capture_output=True, text=True, check=True)
            text.append(done.stdout.replace(self.path(name), ""))
        self.assertEqual(*text)

    @NEEDS_PLUGIN
    def test_h5repack(self):
        """Without the filter, all edges are in the file."""
        h5repack = shutil.which("h5repack")
        if h5repack is None:
            self.skipTest("no h5repack")
        self.pair("--scale", "12", "--edges", "1200K")
        subprocess.run([h5repack, "-f", "NONE", "-l", "CONTI", self.path("v.h5"), self.path("r.h5")], check=True)
        with h5py.File(self.path("x.h5")) as whole, h5py.File(self.path("r.h5")) as file:
            self.assertTrue((whole["dst"][:] == file["dst"][:]).all())

    def test_missing_plugin(self):
        self.pair("--scale", "10")
        script = f"import h5py; f = h5py.File({self.path('v.h5')!r}); print(f['src'].shape); f['src'][:5]"
        for folder in self.path("none"), self.folder:
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False,
                                  env={**os.environ, "HDF5_PLUGIN_PATH": folder})
            self.assertEqual((done.returncode, done.stdout), (1, "(16384,)\n"))
            self.assertRegex(done.stderr, r"OSError: Can't (synchronously )?read data \(.*(filter|plugin|directory)")

    @NEEDS_PLUGIN
    def test_fork(self):
        """A child reads on, as the workers of a data loader do, with what its parent has cached and without."""
        self.pair("--scale", "12", "--edges", "2500K")
        with h5py.File(self.path("x.h5")) as whole, h5py.File(self.path("v.h5")) as file:
            expected = whole["dst"][:]
            self.assertTrue((file["dst"][:9] == expected[:9]).all())
            child = os.fork()
            if child == 0:
                os._exit(0 if (file["dst"][:] == expected).all() else 1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertTrue((file["dst"][:] == expected).all())

    def test_hostile_file(self):
        """The mark of a virtual file on a file of another kind."""
        for args in [], ["--layout", "sharded"], ["--format", "csr"]:
            self.generate("--scale", "10", "--force", "-o", "o.h5", *args)
            with h5py.File(self.path("o.h5"), "r+") as file:
                file.attrs["virtual"] = numpy.uint64(1)
            done = self.rmat("info", "o.h5")
            self.assertEqual((done.returncode, done.stdout), (1, ""), args)
            self.assertRegex(done.stderr, r"\Armat info: o.h5: [^\n]*(filter|shards)[^\n]*\n\Z")

    @NEEDS_PLUGIN
    def test_nothing_is_written(self):
        self.pair("--scale", "10")
        before = self.read("v.h5")
        with self.assertRaises(OSError), h5py.File(self.path("v.h5"), "r+") as file:
            file["src"][0:3] = [1, 2, 3]
            file.flush()
        with h5py.File(self.path("v.h5")) as file, h5py.File(self.path("x.h5")) as whole:
            self.assertTrue((file["src"][:] == whole["src"][:]).all())
        self.assertEqual(len(self.read("v.h5")), len(before))

    def unreadable(self, text):
        """HDF5 and rmat refuse it, the latter with these words."""
        if not SANITIZED:
            with self.assertRaises(OSError), h5py.File(self.path("v.h5")) as file:
                file["src"][1048576:1048580], file["dst"][1048576:1048580]
        done = self.rmat("convert", "-q", "v.h5", "out.el")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, rf"\Armat convert: [^\n]*{text}[^\n]*\n\Z")
        self.assertEqual(self.rmat("verify", "-q", "v.h5").returncode, 1)
        self.assertNotIn("out.el", self.files())

    def test_damaged_chunk(self):
        self.generate("--scale", "12", "--edges", "2M", "--virtual", "-o", "v.h5")
        whole = bytearray(self.read("v.h5"))
        first = struct.pack("<Q", 1 << 20)
        for at in [at.start() for at in re.finditer(first, bytes(whole))][-2:]:  # of src and of dst
            for byte in 0, 7, 8, 11:
                file = bytearray(whole)
                file[at + byte] ^= 1
                with open(self.path("v.h5"), "wb") as out:
                    out.write(file)
                self.unreadable("checksum of the chunk at edge 1048576 is wrong")

    def test_other_version(self):
        """A version of the file or of the stream that this program does not know."""
        self.generate("--scale", "12", "--edges", "2M", "--virtual", "-o", "v.h5")
        whole = self.read("v.h5")
        words_of_src = struct.pack("<3I", 1, 0, 4)
        at = whole.index(words_of_src)
        start = whole.rindex(b"OHDR", 0, at)
        for word, value, text in ((0, 2, "version 2 of virtual files is not known here"),
                                  (8, 4, "version of the stream that this version of rmat cannot generate"),
                                  (9, 11, "cannot be made|contradict")):
            file = bytearray(whole)
            for column in 0, 1:
                at = whole.index(struct.pack("<3I", 1, column, 4))
                start = whole.rindex(b"OHDR", 0, at)
                size = 1 << (whole[start + 5] & 3)
                begin = start + 6 + (16 if whole[start + 5] & 32 else 0) + (4 if whole[start + 5] & 16 else 0)
                end = begin + size + int.from_bytes(whole[begin:begin + size], "little")
                self.assertEqual(struct.pack("<I", lookup3(whole[start:end])), whole[end:end + 4])
                file[at + 4 * word:at + 4 * word + 4] = struct.pack("<I", value)
                file[end:end + 4] = struct.pack("<I", lookup3(file[start:end]))
            with open(self.path("v.h5"), "wb") as out:
                out.write(file)
            with self.subTest(word=word):
                self.unreadable(text)

    def test_every_byte_is_verified(self):
        self.generate("--scale", "10", "--edges", "1M", "--weights", "uniform", "--virtual", "-o", "v.h5")
        whole = self.read("v.h5")
        step = 401 if SANITIZED else 67
        for at in range(random.randrange(step), len(whole), step):
            file = bytearray(whole)
            file[at] ^= 1 << random.randrange(8)
            self.wrong(file, at)
        self.wrong(whole + b"x", "longer")
        self.wrong(whole[:-1], "shorter")

    def wrong(self, data, what):
        with open(self.path("v.h5"), "wb") as out:
            out.write(data)
        done = self.rmat("verify", "-q", "--sample", "2", "v.h5")
        self.assertEqual(done.returncode, 1, (what, done.stdout, done.stderr))

    def test_full_disk(self):
        done = subprocess.run(["sh", "-c", f"ulimit -f 1; exec {RMAT} generate -q --scale 36 --virtual"],
                              cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, self.files()), (1, "", []))
        self.assertRegex(done.stderr, r"\Armat generate: graph.h5[^\n]*\n\Z")

    def test_existing_file(self):
        self.generate("--scale", "10")
        old = self.read("graph.h5")
        done = self.rmat("generate", "-q", "--virtual")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "rmat generate: graph.h5: already exists, --force replaces it\n"))
        self.assertEqual((self.files(), self.read("graph.h5") == old), (["graph.h5"], True))
        self.generate("--virtual", "--force")
        self.assertEqual(self.files(), ["graph.h5"])
        self.assertRegex(self.rmat("info", "graph.h5").stdout, "layout +virtual")

    def test_shards_are_replaced(self):
        self.generate("--scale", "10", "--layout", "sharded")
        self.generate("--virtual", "--force")
        self.assertEqual(self.files(), ["graph.h5"])

    @unittest.skipUnless("MPIRUN" in os.environ, "no mpirun")
    def test_several_ranks(self):
        self.large("--scale", "30")
        done = subprocess.run([os.environ["MPIRUN"], "-n", "3", RMAT, "generate", "-q", "--scale", "30", "--virtual"],
                              cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.read("v.h5"), self.read("graph.h5"))
        done = subprocess.run([os.environ["MPIRUN"], "-n", "3", RMAT, "generate", "-q", "--scale", "30", "--virtual"],
                              cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("graph.h5: already exists, --force replaces it", done.stderr)

    def test_plugin_path(self):
        self.assertEqual(os.listdir(PLUGIN), ["librmat_h5filter.so"])
        done = self.rmat("info", "--plugin-path", "x.h5")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        program = shutil.copy(RMAT, self.folder)  # moved away from its plug-in
        done = subprocess.run([program, "info", "--plugin-path"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Armat info: [^\n]*librmat_h5filter.so: No such file or directory\n\Z")

    @NEEDS_PLUGIN
    def test_plugin_needs_no_hdf5(self):
        plugin = os.path.join(PLUGIN, "librmat_h5filter.so")
        symbols = subprocess.run(["nm", "-D", plugin], capture_output=True, text=True, check=True).stdout
        names = [line.split()[-2:] for line in symbols.splitlines()]
        self.assertEqual([name for kind, name in names if kind not in "Uw"],
                         ["H5PLget_plugin_info", "H5PLget_plugin_type"])
        self.assertEqual([name for kind, name in names if kind in "Uw" and re.match("_?H5|MPI|_?hdf5", name)], [])
        needed = subprocess.run(["readelf", "-d", plugin], capture_output=True, text=True, check=True).stdout
        self.assertNotRegex(needed, "NEEDED.*(hdf5|mpi)")


if __name__ == "__main__":
    unittest.main()
