"""`rmat stats` on a GPU: the CPU's reports, byte for byte.  Without one: who says so, who goes on."""

import re
import unittest

from cli import NO_GPU, CliTest, has_gpu
from test_stats import LEAST, MODELS, SEVERAL_PASSES, WIDER

GPU = has_gpu()


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
        large = ["--scale 16 --permute", "--scale 11 --sorted --permute", "--vertices 1100 --permute --id-type uint64",
                 "--vertices 700x33 --edges 20K --permute", "--scale 2 --edges 2M", "--scale 20 --edges 5M --id-type uint64",
                 "--scale 17 --edges 3M --sorted"]
        for args in [*MODELS, *(words.split() for words in large)]:
            self.generate(*args, "--force")
            self.same()

    @unittest.skipUnless(GPU, "no GPU for this build")
    def test_several_passes(self):
        """Of pairs, of vertices one after the other, and of those that have edges."""
        for least, *args in [*SEVERAL_PASSES, (WIDER, "--scale", "40", "--edges", "150K", "--permute")]:
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
