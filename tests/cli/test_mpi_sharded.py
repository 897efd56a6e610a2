"""--layout sharded: a file per rank; through the master the same two datasets, and each alone."""

import os
import shutil
import unittest

from mpi import MpiTest, bad_disk, skip_all

try:
    import h5py
    import numpy
except ImportError:
    skip_all("no h5py")

LARGE = ["--scale", "22", "--edges", "4198403"]
SHARDED = ["--layout", "sharded", "--force"]


class Sharded(MpiTest):
    leaks = True

    def expect(self, *base):
        super().expect(*base)
        with h5py.File(self.path("base.h5"), "r") as file:
            self.src, self.dst = file["src"][:], file["dst"][:]
            self.attributes = dict(file.attrs)

    def same_edges(self, file, first=0, count=None):
        last = len(self.src) if count is None else first + count
        for name, expected in (("src", self.src), ("dst", self.dst)):
            self.assertEqual(file[name].dtype, expected.dtype)
            self.assertEqual(file[name].shape, (last - first,))
            self.assertTrue(numpy.array_equal(file[name][:], expected[first:last]))

    def check(self, name="other.h5", shards=None):
        """The master, from another working folder (this one), and each shard."""
        with h5py.File(self.path(name), "r") as file:
            self.same_edges(file)
            for key, value in self.attributes.items():
                self.assertTrue(numpy.array_equal(file.attrs[key], value), key)
        folder = self.path(name + ".shards")
        self.assertEqual(sorted(os.listdir(folder)), [f"{k:05}.h5" for k in range(shards)])
        first = 0
        total = 0
        for k in range(shards):
            with h5py.File(os.path.join(folder, f"{k:05}.h5"), "r") as file:
                count = int(file.attrs["edges"])
                self.assertEqual((file.attrs["shard"], file.attrs["shards"], file.attrs["first_edge"]),
                                 (k, shards, first))
                self.assertEqual(file.attrs["complete"], 1)
                self.same_edges(file, first, count)
                total = (total + int(file.attrs["fingerprint"])) % 2**64
                first += count
        self.assertEqual(first, len(self.src))
        self.assertEqual(total, self.attributes["fingerprint"])
        done = self.rmat("info", name)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.rmat("info", f"{name}.shards/{shards - 1:05}.h5")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def jobs(self, counts, *variants):
        for ranks in counts:
            before = None
            for variant in variants:
                with self.subTest(base=self.base, ranks=ranks, variant=variant):
                    self.generate_on(ranks, *self.base, *SHARDED, *variant, "-o", "other.h5")
                    self.check(shards=ranks)
                    self.assertEqual(self.files(), ["base.h5", "other.h5", "other.h5.shards"])
                    files = [self.read("other.h5")] + [self.read(f"other.h5.shards/{k:05}.h5")
                                                       for k in range(ranks)]
                    self.assertIn(before, (None, files), "other bytes than by other means")
                    before = files

    def test_ranks(self):
        for base, counts in (LARGE, (1, 2, 3, 4, 8)), ([*LARGE, "--id-type", "uint64"], (3,)):
            self.expect(*base)
            self.jobs(counts, [])

    def test_one_by_one(self):
        """Shards that were made without the others: the same files."""
        for base in (LARGE, [*LARGE, "--weights", "int:1:9", "--id-type", "int64"], ["--scale", "9", "--edges", "100"]):
            self.expect(*base)
            self.generate_on(3, *base, *SHARDED, "-o", "other.h5")
            os.mkdir(self.path("alone"))
            for k in (2, 0, 1):
                done = self.rmat("generate", "-q", *base, "--shard", f"{k}/3", "-o", "other.h5",
                                 cwd=self.path("alone"))
                self.assertEqual((done.returncode, done.stderr), (0, ""))
            for name in (f"other.h5.shards/{k:05}.h5" for k in range(3)):
                self.assertTrue(self.read(name) == self.read("alone/" + name), name)
            shutil.rmtree(self.path("alone"))

    def test_missing_shard(self):
        """HDF5 gives the fill value for it: no vertex of the graph.  rmat says what is missing."""
        self.expect(*LARGE)
        self.generate_on(4, *LARGE, *SHARDED, "-o", "other.h5")
        os.remove(self.path("other.h5.shards/00002.h5"))
        with h5py.File(self.path("other.h5"), "r") as file:
            src = file["src"][:]
        there = src == self.src
        self.assertTrue(0 < numpy.count_nonzero(there) < len(src))
        self.assertTrue(numpy.all(src[~there] == 2**32 - 1))
        done = self.rmat("info", "other.h5")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("shard 2 of 4", done.stderr)

    def test_shapes(self):
        for base in (["--scale", "33", "--edges", "2099207"],
                     ["--rows-scale", "5", "--cols-scale", "40", "--edges", "2099207"],
                     ["--scale", "10", "--edges", "0"], ["--scale", "10", "--edges", "3"]):
            self.expect(*base)
            self.jobs((4,), [])

    def test_ways_of_writing(self):
        """The ranks and the layout decide alone what bytes come out."""
        self.expect(*LARGE)
        self.jobs((4,), [], ["RMAT_TEST_POSITIONAL=1"],
                  ["RMAT_TEST_CHUNK=50000", "--threads", "1"], ["--isa", "generic"])

    def test_help_among_ranks(self):
        """A rank that is slow has its shard written by others."""
        self.expect("--scale", "22", "--edges", "16777259")
        for slow in (0, 1):
            self.generate_on(3, *self.base, *SHARDED, "-o", "other.h5", "RMAT_TEST_CHUNK=256Ki",
                             before=bad_disk(rank=slow, delay=200))
            self.check(shards=3)

    def test_moved_and_renamed_folder(self):
        """Master and shards can go elsewhere together."""
        self.expect(*LARGE)
        os.mkdir(self.path("here"))
        self.generate_on(2, *LARGE, *SHARDED, "-o", "here/other.h5")
        os.rename(self.path("here"), self.path("there"))
        with h5py.File(self.path("there/other.h5"), "r") as file:
            self.same_edges(file)

    def test_replacement(self):
        """Fewer shards than before, or none: nothing of the old graph is left."""
        self.expect(*LARGE)
        for ranks in (4, 2):
            self.generate_on(ranks, *LARGE, *SHARDED, "-o", "other.h5")
            self.check(shards=ranks)
        self.generate_on(2, *LARGE, "--layout", "single", "--force", "-o", "other.h5")
        self.assertTrue(self.read("other.h5") == self.expected)
        self.assertEqual(self.files(), ["base.h5", "other.h5"])

    def test_csr(self):
        """Edges and rows are cut independently; through the master it is the graph of one process."""
        for base in (["--scale", "20", "--edges", "3000017", "--weights", "int:1:9"],
                     ["--scale", "21", "--edges", "1M", "--unique", "--permute", "--memory", "16Mi"],
                     ["--scale", "4", "--edges", "40", "--id-type", "uint64"]):
            self.generate(*base, "--format", "csr", "-o", "base.h5", "--force")
            with h5py.File(self.path("base.h5"), "r") as file:
                expected = {name: file[name][:] for name in file}
            for ranks in (1, 3):
                with self.subTest(base=base, ranks=ranks):
                    self.generate_on(ranks, *base, "--format", "csr", *SHARDED, "-o", "other.h5")
                    with h5py.File(self.path("other.h5"), "r") as file:
                        self.assertEqual(sorted(file), sorted(expected))
                        for name, values in expected.items():
                            self.assertEqual(file[name].dtype, values.dtype)
                            self.assertTrue(numpy.array_equal(file[name][:], values), name)
                    for command in (["verify", "-q", "other.h5"], ["convert", "-q", "other.h5", "other.el"],
                                    ["convert", "-q", "base.h5", "base.el"]):
                        done = self.rmat(*command)
                        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
                    self.assertTrue(self.read("other.el") == self.read("base.el"))
                    os.remove(self.path("other.el"))
                    os.remove(self.path("base.el"))
                    shard = f"other.h5.shards/{ranks - 1:05}.h5"
                    self.assertEqual(self.rmat("info", shard).returncode, 0)
                    for command in ("stats", "verify"):
                        done = self.rmat(command, shard)
                        self.assertNotEqual(done.returncode, 0)
                        self.assertRegex(done.stdout + done.stderr, r"is (a shard|shard \d+) of a CSR graph")
        os.remove(self.path("other.h5.shards/00001.h5"))
        done = self.rmat("info", "other.h5")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("shard 1 of 3", done.stderr)


if __name__ == "__main__":
    unittest.main()
