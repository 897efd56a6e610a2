"""--compress: HDF5 that stock readers read and rmat too, always in the same bytes, and Parquet; what cannot be
compressed is refused."""

import os
import unittest

from cli import MODEL, CliTest, has_isal, skip_all

try:
    import h5py
    import numpy
except ImportError as error:
    skip_all(error)

# Options of graphs; the largest has several chunks.
GRAPHS = [
    MODEL,
    [*MODEL, "--permute", "--weights", "uniform", "--id-type", "uint64"],
    [*MODEL, "--format", "csr", "--weights", "int:1:9"],
    [*MODEL, "--format", "csr", "--unique"],
    [*MODEL, "--sorted"],
    [*MODEL, "--edges", "0"],
    ["--scale", "16", "--edges", "2200K", "--format", "csr"],
    ["--rows-scale", "21", "--cols-scale", "3", "--edges", "9K", "--format", "csr", "--permute"],
]

WRONG = [
    ("generate --format el", "given with format el, allowed: with h5, csr, parquet"),
    ("convert g.el x.npy", "given with format npy, allowed: with h5, csr, parquet"),
]


class CompressTest(CliTest):
    def run_rmat(self, *args):
        done = self.rmat(*args)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)

    def contents(self, name):
        with h5py.File(self.path(name), "r") as file:
            columns = {column: (file[column].compression, file[column][:]) for column in file}
            return columns, {key: str(value) for key, value in file.attrs.items()}

    def test_hdf5(self):
        """The same datasets and attributes as without; verified, and converted back to the same bytes."""
        for n, graph in enumerate(GRAPHS):
            self.generate(*graph, "-o", f"{n}.h5")
            self.generate(*graph, "--compress", "-o", f"{n}c.h5")
            plain, attributes = self.contents(f"{n}.h5")
            compressed, same = self.contents(f"{n}c.h5")
            self.assertEqual(same, attributes, graph)
            self.assertEqual(list(plain), list(compressed), graph)
            for column in plain:
                self.assertTrue(numpy.array_equal(plain[column][1], compressed[column][1]), (graph, column))
                alone = len(plain[column][1]) == 0 or column == "values" and len(plain[column][1]) == 1
                self.assertEqual(compressed[column][0], None if alone else "gzip", (graph, column))
            self.run_rmat("verify", "-q", f"{n}c.h5")
            self.run_rmat("convert", "-q", f"{n}.h5", f"{n}.list.h5")
            self.run_rmat("convert", "-q", f"{n}c.h5", f"{n}c.list.h5")
            self.assertEqual(self.read(f"{n}.list.h5"), self.read(f"{n}c.list.h5"), graph)

    def test_same_bytes(self):
        for n, graph in enumerate((GRAPHS[1], GRAPHS[6])):
            self.generate(*graph, "--compress", "-o", f"{n}.h5")
            for run in (["--threads", "1"], ["--threads", "5", "RMAT_TEST_CHUNK=77778"], ["RMAT_TEST_POSITIONAL=1"]):
                self.generate(*graph, "--compress", "-o", f"{n}x.h5", "--force", *run)
                self.assertEqual(self.read(f"{n}.h5"), self.read(f"{n}x.h5"), run)
        self.generate(*GRAPHS[0], "-o", "list.h5")
        self.generate(*GRAPHS[0], "--compress", "-o", "small.h5")
        self.run_rmat("convert", "-q", "list.h5", "converted.h5", "--compress")
        self.assertEqual(self.read("small.h5"), self.read("converted.h5"))

    def test_parquet(self):
        for n, options in enumerate(([], ["--weights", "uniform"], ["--unique", "--weights", "int:1:9"],
                                     ["--scale", "35", "--edges", "9K"])):
            graph = [*MODEL, *options]
            self.run_rmat("generate", "-q", *graph, "-o", f"{n}.parquet")
            self.run_rmat("generate", "-q", *graph, "--compress", "-o", f"{n}c.parquet")
            self.assertLess(len(self.read(f"{n}c.parquet")), len(self.read(f"{n}.parquet")), graph)

    def test_refusals(self):
        for args, line in WRONG:
            command = args.split()[0]
            done = self.rmat(*args.split(), "--compress")
            self.assertEqual((done.stderr, done.returncode), (f"rmat {command}: --compress: {line}\n", 2), args)
        self.assertEqual(self.files(), [])

    def test_damage(self):
        """A chunk that is cut, one with another byte, an index: one line, and exit status 1."""
        self.generate(*GRAPHS[6], "--compress", "-o", "g.h5")
        whole = bytearray(self.read("g.h5"))
        index = bytearray(whole)  # which HDF5 itself takes for right
        index[whole.find(b"TREE") + 30] ^= 1
        with h5py.File(self.path("g.h5"), "r") as file:
            place = file["indices_1"].id.get_chunk_info(1)
        whole[place.byte_offset + place.size // 2] ^= 4
        for bytes_, said in ((whole, "chunk 1 of dataset 'indices_1' at byte "), (whole[:-5000], "truncated file"),
                             (index, "is damaged, or was not written by rmat")):
            with open(self.path("bad.h5"), "wb") as file:
                file.write(bytes_)
            done = self.rmat("convert", "-q", "bad.h5", "bad.el")
            self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
            self.assertIn(said, done.stderr)
            self.assertFalse(os.path.exists(self.path("bad.el")))


if __name__ == "__main__":
    if not has_isal():
        skip_all("this build has no ISA-L")
    unittest.main()
