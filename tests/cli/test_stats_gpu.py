"""`rmat stats` on a GPU: the CPU's reports, byte for byte.  Without one: who says so, who goes on."""

import re
import unittest

from cli import NO_GPU, CliTest, has_gpu

GPU = has_gpu()
LEAST = ["--threads", "1", "--memory", "7M"]


class StatsGpu(CliTest):
    def stats(self, *args):
        done = self.rmat("stats", "-q", *args)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        return done.stdout

    def same(self, *args, least=LEAST, name="graph.h5"):
        for form, how in (([], []), (["--json"], least), (["--fast", "--json"], ["--threads", "3"])):
            expected = self.stats(name, *form, *args, "--backend", "cpu")
            self.assertEqual(self.stats(name, *form, *args, *how, "--backend", "gpu"), expected, form)

    @unittest.skipUnless(GPU, "no GPU for this build")
    def test_same_reports(self):
        for args in (["--scale", "12"], ["--scale", "16", "--permute"], ["--scale", "11", "--symmetrize"],
                     ["--scale", "11", "--unique"], ["--scale", "11", "--sorted", "--permute"],
                     ["--scale", "11", "--format", "csr", "--symmetrize", "--unique"],
                     ["--vertices", "1500", "--id-type", "uint64"], ["--vertices", "1100", "--permute", "--id-type", "uint64"],
                     ["--scale", "9", "--undirected", "lower"], ["--scale", "9", "--no-self-loops", "--noise", "0.1"],
                     ["--vertices", "700x33", "--edges", "20K", "--permute"],
                     ["--scale", "5x9", "--edges", "9999", "--id-type", "uint64"],
                     ["--scale", "1", "--edges", "1"], ["--scale", "3", "--edges", "0"],
                     ["--scale", "2", "--edges", "2M"], ["--scale", "20", "--edges", "5M", "--id-type", "uint64"],
                     ["--scale", "17", "--edges", "3M", "--sorted"]):
            self.generate(*args, "--force")
            self.same()

    @unittest.skipUnless(GPU, "no GPU for this build")
    def test_several_passes(self):
        """Of pairs, of vertices one after the other, and of those that have edges."""
        wider = ["--threads", "1", "--memory", "8M"]
        for args, least in ((["--scale", "15", "--edge-factor", "24"], LEAST),
                            (["--scale", "20", "--edges", "100K"], LEAST),
                            (["--scale", "62", "--edges", "150K"], wider),
                            (["--scale", "40", "--edges", "150K", "--permute"], wider),
                            (["--scale", "40x3", "--edges", "100K"], wider)):
            self.generate(*args, "--force")
            self.same(least=least)

    @unittest.skipUnless(GPU, "no GPU for this build")
    def test_more_devices_than_there_are(self):
        self.generate("--scale", "4")
        done = self.rmat("stats", "graph.h5", "--backend", "gpu", "--device", "999")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"--backend gpu: --device 999: this machine has \d+ GPUs?\n$")

    @unittest.skipIf(GPU, "there is a GPU")
    def test_without_a_gpu(self):
        self.generate("--scale", "4")
        done = self.rmat("stats", "graph.h5", "--backend", "gpu")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIsNotNone(re.search(NO_GPU, done.stderr), done.stderr)
        self.assertEqual(self.stats("graph.h5", "--backend", "auto"), self.stats("graph.h5", "--backend", "cpu"))


if __name__ == "__main__":
    unittest.main()
