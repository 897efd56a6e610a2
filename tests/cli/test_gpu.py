"""Files made by a GPU: the CPU's, byte for byte."""

import os
import resource

from cli import CliTest, has_gpu, skip_all
from test_same_bytes import GRAPHS, MANY

if not has_gpu():
    skip_all("no GPU that this build can use")

SORTING = {"--sorted", "--dedup", "--simple", "csr"}


def brings_weights(base):
    """Whether the weights are those of an official stream, which a GPU cannot sort."""
    return {"graph500", "uniform"} <= set(base) or {"gapbs", "int:1:255"} <= set(base)


class Gpu(CliTest):
    def gpu(self, *args, **options):
        got = self.generate(*args, "--backend", "gpu", **options)
        self.assertEqual(got["backend"], "gpu")
        return got

    def same(self, base, *variants):
        self.generate(*base, "--backend", "cpu", "-o", "cpu.h5", "--force")
        expected = self.read("cpu.h5")
        for variant in variants:
            with self.subTest(base=base, variant=variant):
                self.gpu(*base, *variant, "-o", "gpu.h5", "--force")
                self.assertTrue(self.read("gpu.h5") == expected)

    def test_graphs(self):
        """Those of test_same_bytes.py, of several chunks of a GPU; lists also in other chunks and ways to the file."""
        for base, ways in GRAPHS:
            if brings_weights(base) and SORTING & set(base):
                self.fails(1, "--backend gpu: only the CPU can generate these edges", "generate", *base, "--backend", "gpu", "-o",
                           "none.h5")
                continue
            more = ["--edges", str((1 << 22) + 5)] if MANY[1] in base else []
            ways = [way for way in ways if all(word.startswith("RMAT_TEST_") for word in way) or way == ["--memory", "1Mi"]]
            self.same([*base, *more], [])
            self.same(base, *(ways if "--dedup" not in base else []))

    def test_other_formats(self):
        for args in (["--format", "el"], ["--format", "wel", "--weights", "int:1:9", "--symmetrize", "--permute"],
                     ["--format", "sg"], ["--format", "bin64", "--scale", "40", "--edges", "300K"]):
            for backend in ("cpu", "gpu"):
                told = self.told("generate", "--scale", "14", *args, "--backend", backend, "-o", backend, "--force")
                self.assertEqual(told["backend"], backend)
            self.assertTrue(self.read("cpu") == self.read("gpu"))

    def test_every_two_options(self):
        for scale in (10, 20, 31):
            for model in self.option_pairs(scale):
                self.same(model, [])

    def test_summary(self):
        done = self.rmat("generate", "--scale", "16", "--backend", "gpu")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"made by      GPU 0 \(.+\)\n")

    def test_auto(self):
        """One thread keeps no fast disk busy; a GPU that is not there leaves the job to it."""
        long = ["--scale", "36", "--edges", str(1 << 40), "--threads", "1", "--dry-run"]
        self.assertEqual(self.generate(*long)["backend"], "gpu")
        hidden = self.generate(*long, env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
        self.assertEqual(hidden["backend"], "cpu")

    def test_memory_of_a_long_job(self):
        got = self.generate("--scale", "36", "--edges", str(1 << 40), "--backend", "gpu", "--dry-run")
        self.assertEqual(got["backend"], "gpu")
        self.assertGreater(got["device_bytes"], 0)
        self.assertLess(got["device_bytes"], 2 << 30)
        self.assertLess(got["buffer_bytes"], 1 << 30)

    def test_peak_host_memory(self):
        """With buffers all in use; CUDA's own included."""
        self.generate("--scale", "26", "--backend", "gpu", "--output", "/dev/shm/peak.h5", "--force")
        os.remove("/dev/shm/peak.h5")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        print(f"peak host memory of children: {peak >> 20} MiB")
        self.assertLess(peak, 1 << 30)
