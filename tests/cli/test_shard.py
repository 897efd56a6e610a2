"""--shard K/N: shards that are made one by one."""

import json
import os
import shutil
import signal
import subprocess
import time
import unittest

from cli import RMAT, CliTest, skip_all, command

try:
    import h5py
    import numpy
except ImportError:
    skip_all("no h5py")

GRAPH = ["--scale", "18", "--edges", "3000000", "--weights", "uniform", "--seed", "7"]
SHARDS = 4  # of GRAPH: three units of 2^18 edges each, of the last one a part
SMALL = ["--scale", "10", "--edges", "5000"]


class Shard(CliTest):
    def shard(self, k, *args, of=SHARDS, name="g.h5", **options):
        return self.rmat("generate", "-q", *args, "--shard", f"{k}/{of}", "-o", name, **options)

    def make(self, *args, of=SHARDS, name="g.h5"):
        for k in range(of):
            done = self.shard(k, *args, of=of, name=name)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def same_columns(self, one, name, columns):
        """The shards have the elements of a single file, one behind the other."""
        with h5py.File(self.path(one)) as file:
            for column in columns:
                parts = []
                for k in range(SHARDS):
                    with h5py.File(self.path(f"{name}.shards/{k:05}.h5")) as shard:
                        # The end of a shard's last row is the beginning of the next shard's first one.
                        parts.append(shard[column][1 if k > 0 and column == "pointers_to_1" else 0:])
                self.assertTrue(numpy.array_equal(file[column][:], numpy.concatenate(parts)), column)

    def fails(self, done, text, status=1):
        self.assertEqual((done.returncode, done.stdout), (status, ""))
        self.assertRegex(done.stderr, r"\Armat generate: [^\n]*\n\Z")
        self.assertIn(text, done.stderr)

    def test_graph(self):
        """In any order, by whoever comes, at the same time: the edges of the list."""
        right = self.generate(*GRAPH, "-o", "list.h5")
        jobs = [subprocess.Popen([RMAT, "generate", "-q", "--json", *GRAPH, "--shard", f"{k}/{SHARDS}", "-o", "g.h5"],
                                 cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                for k in (2, 0, 3, 1)]
        told = {}
        for job in jobs:
            out, err = job.communicate(timeout=300)
            self.assertEqual((job.returncode, err), (0, ""))
            summary = json.loads(out)
            told[summary["shard"]] = summary
        self.assertEqual(sum(t["edges"] for t in told.values()), right["edges"])
        self.assertEqual({(t["layout"], t["shards"]) for t in told.values()}, {("shard", SHARDS)})
        self.assertEqual(told[1]["file"], "g.h5.shards/00001.h5")
        self.assertTrue(told[1]["command"].endswith(" --shard 1/4"), told[1]["command"])
        self.assertEqual(self.files(), ["g.h5.shards", "list.h5"])
        self.assertEqual(sum(int(t["fingerprint"], 16) for t in told.values()) % 2**64, int(right["fingerprint"], 16))
        self.same_columns("list.h5", "g.h5", ("src", "dst", "weight"))
        done = self.rmat("verify", "-q", "g.h5.shards/00002.h5")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_as_by_ranks(self):
        """One shard of one, and the attributes of every kind of model: as --layout sharded has them."""
        for args in ([*SMALL, "--symmetrize", "--permute"], [*SMALL, "--noise", "0.05", "--id-type", "uint64"],
                     ["--stream", "graph500", "--scale", "10"], ["--stream", "rows", "--format", "csr", *SMALL]):
            os.mkdir(self.path("right"))
            self.generate(*args, "--layout", "sharded", "-o", "g.h5", cwd=self.path("right"))
            self.make(*args, of=1)
            name = "g.h5.shards/00000.h5"
            self.assertTrue(self.read(name) == self.read("right/" + name), args)
            for name in ("right", "g.h5.shards"):
                shutil.rmtree(self.path(name))

    def test_nothing_is_replaced(self):
        self.make(*SMALL, of=2)
        self.fails(self.shard(1, *SMALL, of=2), "g.h5.shards/00001.h5: already exists, --force replaces it")
        self.assertEqual(self.shard(1, *SMALL, "--force", of=2).returncode, 0)
        self.generate(*SMALL, "--layout", "sharded", "-o", "whole.h5")
        before = self.read("whole.h5"), self.read("whole.h5.shards/00000.h5")
        for more in ([], ["--force"]):  # a shard of a graph that is complete
            self.fails(self.shard(0, *SMALL, "--seed", "2", *more, of=1, name="whole.h5"),
                       "whole.h5: already exists and uses these shards")
        self.assertEqual((self.read("whole.h5"), self.read("whole.h5.shards/00000.h5")), before)
        self.assertEqual(self.files(), ["g.h5.shards", "whole.h5", "whole.h5.shards"])

    def test_csr_by_rows(self):
        """Each shard makes its part of the pointers and of the edges, which are not those of the same rows."""
        rows = ["--stream", "rows", "--format", "csr"]
        for i, args in enumerate(([*GRAPH], ["--scale", "4", "--edges", "5"], ["--scale", "20", "--edges", "300000", "--id-type", "uint64"])):
            self.generate(*rows, *args, "-o", f"one{i}.h5")
            name = f"g{i}.h5"
            self.make(*rows, *args, name=name)
            self.same_columns(f"one{i}.h5", name, ["pointers_to_1", "indices_1", *(["values"] if i == 0 else [])])
        planned = self.generate(*rows, *GRAPH, "--shard", "2/4", "--dry-run", "-o", "h.h5")
        self.assertLess(abs(planned["file_bytes"] - os.path.getsize(self.path("g0.h5.shards/00002.h5"))), 3 << 20)
        self.fails(self.shard(0, *rows, *SMALL, "--dedup"), "--shard: given with a sorted graph", 2)

    def test_resume(self):
        """A shard is kept and continued as any file is."""
        often = ["--checkpoint", "0.001", "--threads", "1", "RMAT_TEST_CHUNK=8192", "--resume"]
        args = ["--scale", "24", "--edges", "60000000"]
        record = self.path("g.h5.shards/00001.h5.partial.resume")
        with subprocess.Popen(command("generate", "-q", *args, *often, "--shard", "1/2", "-o", "g.h5"),
                              cwd=self.folder, stderr=subprocess.PIPE) as job:
            while not os.path.exists(record) and job.poll() is None:
                time.sleep(0.001)
            job.send_signal(signal.SIGTERM)
            job.communicate(timeout=300)
            self.assertEqual(job.returncode, 75)
        self.fails(self.shard(1, *args, "--seed", "5", "--resume", of=2), "was begun by a different command")
        done = self.shard(1, *args, "--resume", "--json", of=2)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertGreater(json.loads(done.stdout)["resumed_edges"], 0)
        self.assertEqual(self.shard(1, *args, of=2, name="right.h5").returncode, 0)
        self.assertTrue(self.read("g.h5.shards/00001.h5") == self.read("right.h5.shards/00001.h5"))
        self.assertEqual(os.listdir(self.path("g.h5.shards")), ["00001.h5"])

    def test_refused(self):
        for value in ("1", "1/", "/2", "2/2", "-1/2", "0/0", "1/2/3", "0/16777217", "a/b", ""):
            done = self.rmat("generate", "--shard", value, *SMALL, "-o", "g.h5")
            self.fails(done, f"--shard: '{value}'", 2)
            self.assertIn("allowed: K from 0 to N - 1, N from 1 to 16777216", done.stderr)
        for more in (["--sorted"], ["--unique"], ["--format", "csr"], ["--format", "el"]):
            self.fails(self.shard(0, *SMALL, *more), "--shard: given with ", 2)
        self.fails(self.shard(0, *SMALL, "--layout", "single"), "--layout: given together with --shard", 2)
        self.fails(self.shard(0, *SMALL, "--edges", "1P", "--scale", "40"), "the file system has room")
        self.assertEqual(self.files(), [])

    def test_dry_run(self):
        told = self.generate(*GRAPH, "--shard", "2/4", "--dry-run", "-o", "g.h5")
        self.assertEqual(self.files(), [])
        self.assertEqual(told["edges"], 3 << 18)
        self.assertFalse(told["file_bytes_exact"])
        self.assertGreater(told["free_bytes"], 0)
        self.assertEqual(self.shard(2, *GRAPH).returncode, 0)
        self.assertLess(abs(told["file_bytes"] - os.path.getsize(self.path("g.h5.shards/00002.h5"))), 3 << 20)


if __name__ == "__main__":
    unittest.main()
