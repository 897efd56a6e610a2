"""--dry-run reports what the run then does: passes and sizes, and why it would make no file."""

import json
import os
import re

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
    (["--sorted", "--scale", "40x33", "--edges", "200K", "--memory", "4Mi"], True),
]


class Sorted(CliTest):
    def test_is_what_happens(self):
        for options, several in GRAPHS:
            with self.subTest(options=options):
                args = [*options, *([] if "--scale" in options else ["--scale", "14"]), "--threads", "2"]
                told = self.generate(*args, "--dry-run")
                self.assertNotIn("graph.h5.partial", self.files())
                made = self.generate(*args, "--force")
                for name in ("passes", "interval_bytes", "command", "format", "sorted", "unique", "base_edges", "id_bits"):
                    self.assertEqual(told[name], made[name], name)
                self.assertEqual((told["intervals_at_once"], told["passes"] > 1), (1, several))
                unique = "--unique" in options
                self.assertEqual(told["counting_passes"], told["passes"] - told["intervals"] if several and unique else 0)
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
                    self.assertTrue(made["file_bytes"] <= told["file_bytes"] <= made["file_bytes"] + (2 << 20))
                else:
                    self.assertTrue(made["edges"] < told["edges"] < 1.1 * made["edges"])
                    self.assertLess(made["file_bytes"], told["file_bytes"])
                if "--memory" in options:
                    memory = int(options[-1][:-2]) << 20
                    self.assertLessEqual(told["buffer_bytes"] + told["interval_bytes"], memory)

    def test_least_memory(self):
        """The least that is allowed is enough, and no less."""
        args = ["--scale", "12", "--unique", "--format", "csr", "--threads", "2"]
        done = self.rmat("generate", *args, "--memory", "1Mi", "--dry-run")
        least = re.fullmatch(r"rmat generate: --memory: '1048576' is too little to sort this graph, allowed: "
                             r"(\d+) or more\n", done.stderr)
        for more in [], ["--dry-run"]:
            self.fails(2, "--memory: '1048576' is too little .*", "generate", *args, "--memory", "1Mi", *more)
        self.assertGreater(self.generate(*args, "--memory", least[1], "--dry-run")["passes"], 1)
        self.fails(2, "--memory: .*", "generate", *args, "--memory", str(int(least[1]) - 64), "--dry-run")

    def test_long_list(self):
        told = self.generate("--scale", "40", "--dry-run")
        self.assertEqual(self.files(), [])
        self.assertEqual((told["edges"], told["id_bits"]), (16 << 40, 64))
        self.assertLess(abs(told["file_bytes"] - (16 << 40) * 16), 1 << 26)
        self.assertLessEqual(told["buffer_bytes"], 128 << 20)
        self.assertEqual((told["backend"], told["device_bytes"]), ("cpu", 0))

    def test_large(self):
        """Nothing is as large as the graph."""
        done = self.rmat("generate", "--scale", "34", "--format", "csr", "--memory", "256Mi", "--dry-run", "--json")
        self.assertEqual(done.returncode, 1)
        self.assertIn("has room for", done.stderr)
        told = json.loads(done.stdout)
        self.assertGreaterEqual(told["passes"] * told["interval_edges"], 16 << 34)
        self.assertLess(abs(told["file_bytes"] - (16 << 34) * 8 - (8 << 34)), 1 << 26)

    def test_text(self):
        text = self.silent("generate", "--scale", "14", "--format", "csr", "--unique", "--symmetrize", "--memory", "2Mi",
                           "--dry-run")
        self.assertEqual(self.files(), [])
        for pattern in (r"^command      rmat generate .* --unique --format csr$", r"^edges        at most 524288, 32-bit ids$",
                        r"^file size    at most \d+ bytes", r"^intervals    \d+, one at a time in [\d.]+ [kM]B, for [\d.]+ k edges each$",
                        r"^passes       \d+, \d+ of them to count, over about \d+ edges of the stream$",
                        r"^threads      \d+$"):
            self.assertRegex(text, re.compile(pattern, re.M))
        text = self.silent("generate", "--scale", "10", "--sorted", "--dry-run")
        self.assertRegex(text, r"(?m)^passes       1 over 16384 edges of the stream$")
        self.assertRegex(text, r"(?m)^command      rmat generate .* --sorted$")

    def test_large_window(self):
        """A search whose first window is too large for the memory finds the end in the window's middle."""
        for options in (["--scale", "17", "--memory", "4Mi"], ["--scale", "16", "--symmetrize", "--memory", "3Mi"]):
            args = [*options, "--unique", "--threads", "2"]
            told = self.generate(*args, "--dry-run", "--force")
            made = self.generate(*args, "--force")
            self.assertEqual(told["passes"], made["passes"])
            self.assertEqual(told["counting_passes"], told["intervals"])


class Destination(CliTest):
    """Why there would be no file; names that cannot be written to are in test_bad_input.py."""

    def test_read_only(self):
        for folder in "/sys", "/proc/sys":
            if os.path.isdir(folder) and os.statvfs(folder).f_flag & os.ST_RDONLY:
                told, made = (self.rmat("generate", "--scale", "6", "-q", "-o", f"{folder}/g.h5", *more) for more in (["--dry-run"], []))
                self.assertEqual((told.returncode, told.stderr), (made.returncode, made.stderr))
                self.assertEqual((made.returncode, made.stderr.count("\n")), (1, 1))
                return
        self.skipTest("there is no file system that is read-only")

    def test_no_room(self):
        told, made = (self.rmat("generate", "--scale", "36", "-q", *more) for more in (["--dry-run"], []))
        self.assertEqual((told.returncode, made.returncode), (1, 1))
        line = r"rmat generate: graph\.h5: the file needs up to (\d+) bytes, the file system has room for \d+\n"
        self.assertRegex(told.stderr, line)
        self.assertEqual(re.match(line, told.stderr)[1], re.match(line, made.stderr)[1])

    def test_force(self):
        self.generate("--scale", "5", "-o", "g.h5")
        self.silent("generate", "--scale", "5", "-o", "g.h5", "--force", "--dry-run")
