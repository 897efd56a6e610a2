"""What rmat compresses is what it writes otherwise, for Python's gzip and zstd's program."""

import gzip
import json
import shutil
import subprocess
import unittest
import zlib

from cli import CliTest

ZSTD = shutil.which("zstd")


def zstd(data, *options):
    return subprocess.run([ZSTD, "-c", "-q", *options], input=data, stdout=subprocess.PIPE, check=True).stdout


# Several blocks, and the last edge of one.
GRAPHS = {
    "el": ["--edges", "300K"], "wel": ["--weights", "uniform"], "tsv": ["--weights", "int:0:9"],
    "csv": ["--sorted"], "mtx": ["--unique", "--edges", "100K"], "gr": ["--edges", "65536"],
    "graph": ["--simple"],
}


class Writing(CliTest):
    def make(self, *args):
        done = self.rmat("generate", "--json", *args)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        return json.loads(done.stdout)

    def opened(self, name):
        data = self.read(name)
        return gzip.decompress(data) if name.endswith(".gz") else zstd(data, "-d")

    def test_same_text(self):
        """For any number of threads and buffers; each member can be decompressed alone."""
        for kind, graph in GRAPHS.items():
            graph = ["--scale", "14", *graph, "--quiet", "--force"]
            self.make(*graph, "-o", "g." + kind)
            for suffix in ".gz", ".zst" if ZSTD else "":
                name = f"g.{kind}{suffix}"
                with self.subTest(name=name):
                    if suffix:
                        self.make(*graph, "-o", name, "--threads", "1")
                        self.assertTrue(self.opened(name) == self.read("g." + kind))
                        told = self.make(*graph, "-o", "o" + name, "--threads", "3", "RMAT_TEST_CHUNK=9999")
                        self.assertTrue(self.read("o" + name) == self.read(name))
                        self.assertEqual(told["file_bytes"], len(self.read(name)))
                        sizes = self.make(*graph, "-o", name, "--dry-run")["file_bytes"]
                        self.assertGreater(sizes, told["file_bytes"])

    def test_members(self):
        """They begin at fixed edges: the text of each is that of 65536 edges."""
        self.make("--scale", "14", "--edges", "200K", "-q", "-o", "g.el.gz")
        data, lengths = self.read("g.el.gz"), []
        while data:
            member = zlib.decompressobj(31)
            lengths.append(member.decompress(data).count(b"\n"))
            self.assertTrue(member.eof)
            data = member.unused_data
        self.assertEqual(lengths, [65536, 65536, 65536, 200_000 - 3 * 65536])

    def test_empty(self):
        for name in ("g.el.gz", "g.graph.zst")[:2 if ZSTD else 1]:
            self.make("--vertices", "1M", "--edges", "0", "--simple", "-q", "-o", name)
            wanted = b"" if name == "g.el.gz" else 1_000_000 * b"\n"
            self.assertTrue(self.opened(name).endswith(wanted))
            self.assertLess(len(self.read(name)), 1000)


if __name__ == "__main__":
    unittest.main()
