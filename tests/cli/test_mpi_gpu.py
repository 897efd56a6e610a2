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
    def ranks(self, base, *parts, **options):
        """Jobs of (ranks, backend) together; base: of a graph whose file is the CPU's."""
        with self.subTest(base=base, parts=parts):
            words = [(ranks, [*base, *OUTPUT, "--backend", backend]) for ranks, backend in parts]
            done = self.launch_parts(*words) if len(parts) > 1 else self.launch(words[0][0], *words[0][1], **options)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.args)
            self.check()

    def test_gpus(self):
        """Ranks share a GPU, or have one each."""
        self.expect(*LARGE, "--backend", "cpu")
        for ranks in (1, 2, 4):
            self.ranks(LARGE, (ranks, "gpu"), before=["env", "CUDA_VISIBLE_DEVICES=0"])
        for ranks in {1, 2, gpus(), gpus() + 1}:
            self.ranks(LARGE, (ranks, "gpu"))

    def test_graphs(self):
        """Lists, narrow and wide; and intervals of one graph; on GPUs and beside CPU ranks."""
        for base in (LARGE, ["--scale", "33", "--edges", "2099207", "--weights", "uniform", "--permute"],
                     ["--scale", "10", "--edges", "3"],
                     ["--vertices", "3M", "--edges", "3000017", "--symmetrize", "--no-self-loops", "--noise", "0.1",
                      "--weights", "int:1:255"],
                     ["--scale", "20", "--permute", "--simple", "--format", "csr"]):
            self.expect(*base, "--backend", "cpu")
            for parts in [(2, "gpu")], [(3, "gpu")], [(1, "gpu"), (2, "cpu")], [(1, "cpu"), (2, "gpu")]:
                self.ranks(base, *parts)
