"""Files that chung_lu makes on a GPU: the CPU's, byte for byte."""

import json
import unittest

from chung_lu import ChungLuTest
from cli import has_gpu, skip_all

if not has_gpu():
    skip_all("no GPU for this build")


class Gpu(ChungLuTest):
    def same(self, *base):
        told = self.make(*base, "--backend", "cpu", "-o", "cpu.h5", "--force")
        got = self.make(*base, "--backend", "gpu", "-o", "gpu.h5", "--force")
        self.assertEqual((told["backend"], got["backend"]), ("cpu", "gpu"))
        self.assertTrue(self.read("cpu.h5") == self.read("gpu.h5"), base)

    def test_same_bytes(self):
        several = str((1 << 24) + 12345)  # batches, the last of which is short
        for base in (["--vertices", "1", "--edges", "1000"], ["--vertices", "70", "--edges", "0"],
                     ["--vertices", "3000", "--edges", "1"], ["--vertices", "100000", "--edges", several],
                     ["--vertices", "1M", "--power-law", "2.1", "--edges", "9M", "--seed", "77"],
                     ["--vertices", "1M", "--min-degree", "8", "--max-degree", "8"],
                     ["--vertices", "5M", "--edges", "20M", "--id-type", "uint64"],
                     ["--vertices", "17M", "--edges", "40M", "--io", "hdf5"]):
            with self.subTest(base=base):
                self.same(*base)

    def test_degrees_of_a_file(self):
        self.write("d.txt", b"".join(b"%d\n" % (i % 100) for i in range(200000)))
        self.same("--degrees", "d.txt")

    def test_degrees_of_a_graph(self):
        """Two tables where out- and in-degrees differ; few vertices, and enough for several sections."""
        for vertices in (50, 200000):
            with self.subTest(vertices=vertices):
                self.write("g.el", b"".join(b"%d %d\n" % (i * i % vertices, vertices - 1 - i % (vertices // 3 + 1))
                                            for i in range(2 * vertices)))
                self.same("--like", "g.el")
                self.same("--like", "g.el", "--multiply", "7", "--edges", str((1 << 24) + 12345))

    def test_no_such_device(self):
        done = self.run_it("-q", "--backend", "gpu", "--devices", "1023")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"\Achung_lu: --devices 1023: this machine has \d+ GPUs?, the last one is \d+\n\Z")
        self.assertEqual(self.files(), [])

    def test_summary(self):
        done = self.run_it("--backend", "gpu", "--edges", "100M")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"made by      GPU 0, \w+ writes\n")
        self.assertEqual(json.loads(self.rmat("info", "--json", "graph.h5").stdout)["edges"], 100000000)


if __name__ == "__main__":
    unittest.main()
