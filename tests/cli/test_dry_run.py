"""--dry-run of sorted graphs: it says what the run then does."""

import re
import time
import unittest

from cli import CliTest

# Options, and whether they take several passes.
GRAPHS = [
    (["--sorted"], False),
    (["--sorted", "--memory", "2Mi"], True),
    (["--format", "csr", "--weights", "uniform", "--permute", "--memory", "3Mi"], True),
    (["--format", "csr", "--unique"], False),
    (["--format", "csr", "--unique", "--memory", "2Mi"], True),
    (["--unique", "--symmetrize", "--no-self-loops", "--memory", "4Mi"], True),
    (["--unique", "--symmetrize", "--undirected", "lower"], False),
    (["--sorted", "--edges", "0"], False),
    (["--unique", "--format", "csr", "--edges", "0"], False),
    (["--sorted", "--rows-scale", "40", "--cols-scale", "33", "--edges", "200K", "--memory", "4Mi"], True),
]


class Sorted(CliTest):
    def test_is_what_happens(self):
        for options, several in GRAPHS:
            with self.subTest(options=options):
                args = [*options, *([] if "--rows-scale" in options else ["--scale", "14"]), "--threads", "2"]
                told = self.generate(*args, "--dry-run")
                self.assertNotIn("graph.h5.partial", self.files())
                made = self.generate(*args, "--force")
                for name in ("passes", "block_bytes", "command", "format", "sorted", "unique", "base_edges", "id_bits"):
                    self.assertEqual(told[name], made[name], name)
                self.assertEqual((told["blocks"], told["passes"] > 1), (1, several))
                unique = "--unique" in options
                self.assertEqual(told["counting_passes"], told["passes"] // 2 if unique else 0)
                self.assertEqual(told["stream_edges_known"], not unique)
                if unique:
                    self.assertLessEqual(made["stream_edges"], told["stream_edges"])
                    self.assertLessEqual(told["stream_edges"], 1.1 * made["stream_edges"] + 512)
                else:
                    self.assertEqual(told["stream_edges"], made["stream_edges"])
                known = "--symmetrize" not in options or "--no-self-loops" in options
                self.assertEqual(told["edges_known"], known)
                if known:
                    self.assertEqual(told["edges"], made["edges"])
                    self.assertEqual(told["file_bytes"], made["file_bytes"])
                else:
                    self.assertTrue(made["edges"] < told["edges"] < 1.1 * made["edges"])
                    self.assertLess(made["file_bytes"], told["file_bytes"])
                if "--memory" in options:
                    memory = int(options[-1][:-2]) << 20
                    self.assertLessEqual(told["all_buffer_bytes"], memory)
                self.assertEqual(told["all_buffer_bytes"], told["buffer_bytes"] + told["block_bytes"])
                self.assertAlmostEqual(told["write_seconds"], told["file_bytes"] / 1e9, places=6)
                total = told["counting_seconds"] + told["generate_seconds"] + told["write_seconds"]
                self.assertAlmostEqual(told["estimated_seconds"], total, places=6)

    def test_least_memory(self):
        """The least that is allowed is enough, and no less."""
        args = ["--scale", "12", "--unique", "--format", "csr", "--threads", "2"]
        done = self.rmat("generate", *args, "--memory", "1Mi", "--dry-run")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        least = re.fullmatch(r"rmat generate: --memory: '1048576' is too little to sort this graph, allowed: "
                             r"(\d+) or more\n", done.stderr)
        made = self.rmat("generate", *args, "--memory", "1Mi")
        self.assertEqual((made.returncode, made.stderr, self.files()), (2, done.stderr, []))
        self.assertGreater(self.generate(*args, "--memory", least[1], "--dry-run")["passes"], 1)
        done = self.rmat("generate", *args, "--memory", str(int(least[1]) - 64), "--dry-run")
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_large(self):
        """Nothing is as large as the graph."""
        begin = time.monotonic()
        told = self.generate("--scale", "34", "--format", "csr", "--memory", "256Mi", "--dry-run")
        self.assertLess(time.monotonic() - begin, 60)
        self.assertGreaterEqual(told["passes"] * told["block_edges"], 16 << 34)
        self.assertLess(abs(told["file_bytes"] - (16 << 34) * 8 - (8 << 34)), 1 << 26)
        self.assertFalse(told["fits"])
        self.assertGreater(told["measured_edges_per_second"], 1e5)

    def test_small_matrix(self):
        """Its last edges take 50 million draws: seconds, not the hours that a pilot of few edges would foresee."""
        told = self.generate("--scale", "6", "--edges", "4096", "--unique", "--threads", "2", "--dry-run")
        self.assertLess(told["estimated_seconds"], 300)

    def test_text(self):
        done = self.rmat("generate", "--scale", "14", "--format", "csr", "--unique", "--symmetrize", "--memory",
                         "2Mi", "--dry-run")
        self.assertEqual((done.returncode, done.stderr, self.files()), (0, "", []))
        for pattern in (r"^format       csr, sorted, no edge twice$", r"^edges        at most 524288, 32-bit ids$",
                        r"^file size    at most \d+ bytes", r"^intervals    1 in [\d.]+ [kM]B, for [\d.]+ k edges$",
                        r"^passes       \d+, \d+ of them to count, over about \d+ edges of the stream$",
                        r"edges/s of the stream(, [\d.]+ [kMG] kept and sorted)?$",
                        r"^time         about [\d.]+ s: counting [\d.]+ s, generating [\d.]+ s, then writing "):
            self.assertRegex(done.stdout, re.compile(pattern, re.M))
        done = self.rmat("generate", "--scale", "10", "--sorted", "--dry-run")
        self.assertRegex(done.stdout, re.compile(r"^passes       1 over 16384 edges of the stream$", re.M))
        self.assertRegex(done.stdout, re.compile(r"^time         about [\d.]+ s: generating [\d.]+ s, then writing",
                                                 re.M))
        self.assertIn("\nformat       h5, sorted\n", done.stdout)


if __name__ == "__main__":
    unittest.main()
