"""GPU ranks: alone on a GPU, several on one, beside CPU ranks; the file of one process's CPU."""

import json
import subprocess

from cli import RMAT, has_gpu, skip_all
from mpi import MpiTest

LARGE = ["--scale", "22", "--edges", "16777259"]
OUTPUT = ["-o", "other.h5", "--force", "-q"]

if not has_gpu():
    skip_all("no GPU")


def gpus():
    done = subprocess.run([RMAT, "info", "--devices", "--json"], capture_output=True, check=True)
    return len(json.loads(done.stdout)["gpus"])


class Gpu(MpiTest):
    def setUp(self):
        super().setUp()
        self.expect(*LARGE, "--backend", "cpu")

    def ran(self, done):
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.args)
        self.check()

    def test_ranks_share_a_gpu(self):
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks):
                self.ran(self.launch(ranks, *LARGE, *OUTPUT, "--backend", "gpu",
                                     before=["env", "CUDA_VISIBLE_DEVICES=0"]))

    def test_all_gpus(self):
        for ranks in {1, 2, gpus(), gpus() + 1}:
            with self.subTest(ranks=ranks):
                self.ran(self.launch(ranks, *LARGE, *OUTPUT, "--backend", "gpu"))

    def test_beside_cpu_ranks(self):
        for one, two in (("gpu", "cpu"), ("cpu", "gpu")):
            with self.subTest(rank_0=one, others=two):
                self.ran(self.launch_parts((1, [], [*LARGE, *OUTPUT, "--backend", one]),
                                           (2, [], [*LARGE, *OUTPUT, "--backend", two])))

    def test_wide_and_narrow(self):
        for base in (["--scale", "33", "--edges", "2099207", "--weights", "uniform", "--permute"], ["--scale", "10", "--edges", "3"]):
            self.expect(*base, "--backend", "cpu")
            self.ran(self.launch(3, *base, *OUTPUT, "--backend", "gpu"))

    def test_options_beside_cpu_ranks(self):
        base = ["--vertices", "3M", "--edges", "3000017", "--symmetrize", "--no-self-loops", "--noise", "0.1",
                "--weights", "int:1:255"]
        self.expect(*base, "--backend", "cpu")
        self.ran(self.launch_parts((1, [], [*base, *OUTPUT, "--backend", "gpu"]),
                                   (2, [], [*base, *OUTPUT, "--backend", "cpu"])))

    def test_sorted(self):
        """GPU ranks, and GPU and CPU ranks together, make intervals of one graph."""
        base = ["--scale", "20", "--permute", "--simple", "--format", "csr"]
        self.expect(*base, "--backend", "cpu")
        for ranks in (2, 3):
            self.ran(self.launch(ranks, *base, *OUTPUT, "--backend", "gpu"))
        self.ran(self.launch_parts((1, [], [*base, *OUTPUT, "--backend", "gpu"]),
                                   (2, [], [*base, *OUTPUT, "--backend", "cpu"])))
