"""One configuration, one file: whatever the execution options, the bytes are the same."""

import re
import shlex
import unittest

from cli import CliTest

# 3 * 2^17 + 5 edges: several chunks, and an end that no chunk or page divides.
EDGES = ["--scale", "17", "--edges", "393221"]


class SameBytes(CliTest):
    def same(self, base, *variants):
        self.generate(*base, "-o", "base.h5", "--force")
        expected = self.read("base.h5")
        for variant in variants:
            with self.subTest(base=base, variant=variant):
                self.generate(*base, *variant, "-o", "other.h5", "--force")
                self.assertTrue(self.read("other.h5") == expected)

    def test_threads(self):
        self.same(EDGES, *(["--threads", t] for t in ("1", "2", "3", "7", "64")))

    def test_threads_and_chunks(self):
        self.same(EDGES, *(["--threads", t, "RMAT_TEST_CHUNK=10000"] for t in ("1", "2", "3", "7")))

    def test_chunks(self):
        self.same(EDGES, *([f"RMAT_TEST_CHUNK={c}"] for c in ("1000", "4097", "32768", "65536", "1Mi")))
        self.same(["--scale", "6", "--edges", "300"], *([f"RMAT_TEST_CHUNK={c}"] for c in ("1", "7", "300")))

    def test_paths(self):
        for ids in ("uint32", "uint64"):
            self.same([*EDGES, "--id-type", ids], *([*way, *more]
                      for way in ([], ["RMAT_TEST_POSITIONAL=1"])
                      for more in ([], ["RMAT_TEST_CHUNK=5000", "--threads", "3"])))

    def test_weights(self):
        """The third column, too."""
        for model in (["--weights", "uniform", "--symmetrize", "--no-self-loops", "--vertices", "100000"],
                      ["--weights", "int:1:255", "--permute", "--noise", "0.1", "--id-type", "uint64"]):
            self.same([*model, "--edges", "150001"], ["--threads", "3"], ["--threads", "1", "--isa", "generic"],
                      ["RMAT_TEST_CHUNK=4097"], ["RMAT_TEST_POSITIONAL=1", "RMAT_TEST_CHUNK=10000"], ["--memory", "1Mi"])

    def test_instruction_sets(self):
        usable = re.search(r"instruction sets: (.*)", self.rmat("--version").stdout)[1].split()
        for scale in ("17", "40"):
            self.same(["--scale", scale, "--edges", "393221"], *(["--isa", isa] for isa in usable))

    def test_memory_and_name(self):
        self.same(EDGES, ["--memory", "1Mi"], ["--memory", "1G"])

    def test_canonical_command_makes_the_same_file(self):
        for n, args in enumerate((
                EDGES,
                ["--scale", "10", "--seed", "0xdeadbeefcafef00d"],
                ["--scale", "10", "--id-type", "uint64"],
                ["--scale", "5x40", "--edges", "1000"],
                ["--scale", "10x12"],
                ["--vertices", "1Kix300"],
                ["--scale", "33", "--edges", "1K"],
                ["--scale", "10", "--a", "0.1", "--b", "0.2", "--c", "0.3"],
                ["--scale", "10", "--a", "0.3333333333333333", "--b", "1e-17", "--c", "0.123456789012"],
                ["--scale", "10", "--a", "0.25", "--b", "0.25", "--c", "0.25", "--d", "0.2500000001"],
                ["--scale", "10", "--a", "1", "--b", "0", "--c", "0"],
                ["--scale", "10", "--edges", "0"],
                ["--scale", "62", "--edges", "5"],
                ["--scale", "1", "--edge-factor", "3"],
                *(["--scale", "10", *more] for more in (["--sorted"], ["--unique"], ["--format", "csr"],
                                                        ["--format", "csr", "--unique", "--symmetrize"])))):
            with self.subTest(args=args):
                first = self.generate(*args, "-o", f"{n}.h5")
                command = shlex.split(first["command"])
                self.assertEqual(command[:2], ["rmat", "generate"])
                again = self.generate(*command[2:], "-o", f"{n}-again.h5")
                self.assertEqual(again["command"], first["command"])
                self.assertEqual(again["fingerprint"], first["fingerprint"])
                self.assertTrue(self.read(f"{n}.h5") == self.read(f"{n}-again.h5"))

    def test_probabilities_typed_in_are_the_preset(self):
        self.same(["--scale", "10"], ["--a", "0.57", "--b", "0.19", "--c", "0.19"],
                  ["--a", "0.57", "--b", "0.19", "--c", "0.19", "--d", "0.05"],
                  ["--preset", "graph500", "--no-permute"], ["--edge-factor", "16"], ["--edges", "16Ki"],
                  ["--scale", "10x10"], ["--seed", "0x1"], ["--seed", "5", "--seed", "1"])

    def test_other_models_differ(self):
        base = self.generate("--scale", "10")["fingerprint"]
        for args in (["--seed", "2"], ["--edges", "16383"], ["--scale", "11", "--edges", "16Ki"],
                     ["--scale", "10x11"], ["--a", "0.56", "--b", "0.2", "--c", "0.19"]):
            self.assertNotEqual(
                self.generate("--scale", "10", *args, "-o", "-".join(args).replace("-", "") + ".h5")
                ["fingerprint"], base)


if __name__ == "__main__":
    unittest.main()
