"""Formats of other programs by several ranks: the file of one process, byte for byte, or none."""

import errno
import os
import signal
import subprocess
import unittest

from cli import FORMATS, ON_RANK, command, size
from failing import LIMIT, Failures, SLOW
from mpi import bad_disk, seconds

# Several rounds of all ranks, and a last one that not all have a part in.
GRAPH = ["--scale", "22", "--edges", "5M"]
FEWER = ["--scale", "22", "--edges", size("1100K", "5M")]
INT = ["--weights", "int:1:255"]
SIMPLE = ["--symmetrize", "--no-self-loops", "--unique"]
OPTIONS = {
    "wel": ["--weights", "uniform"],
    "csv": INT,
    "mtx": ["--sorted", "--permute"],
    "mtxsym": ["--symmetrize", "--no-self-loops"],
    "metis": [*SIMPLE, *INT, "--edges", size("1M", "2M")],
    "graphalytics": [*SIMPLE, "--weights", "uniform", "--edges", "2M"],
    "graph500": ["--weights", "uniform"],
    "rawcsr": INT,
    "adjacency": [*INT, "--edges", "1M"],
    "galois": ["--weights", "uniform", "--edges", "1M"],
    "parhip": [*SIMPLE, "--edges", size("1M", "2M")],
    "parquet": ["--unique", *INT],  # several row groups
    "wsg": [*SIMPLE, *INT, "--edges", "2M"],
    "binsparse": ["--unique", "--weights", "uniform"],
}


class Formats(Failures):
    def same_data_set(self):
        """But for its name."""
        self.assertTrue(self.read("one.v") == self.read("many.v"))
        self.assertEqual(self.read("one.properties").replace(b"graph.one.", b"graph.many.").replace(b"= one", b"= many"),
                         self.read("many.properties"))

    def test_same_bytes(self):
        names = [name for name in FORMATS if name not in ("h5", "csr")]
        for number, name in enumerate(names):
            ranks = 2 + number % 3
            with self.subTest(format=name, ranks=ranks):
                job = [*FEWER, *OPTIONS.get(name, []), "--format", name]
                done = self.rmat("generate", "--quiet", "--json", *job, "-o", "one")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                told = self.generate_on(ranks, *job, "-o", "many", "--threads", "1")
                self.assertEqual(subprocess.run(["cmp", "one", "many"], cwd=self.folder, check=False).returncode, 0)
                self.assertEqual((told["ranks"], told["file_bytes"]), (ranks, os.path.getsize(self.path("many"))))
                self.assertIn(f'"fingerprint": "{told["fingerprint"]}"', done.stdout)
                if name == "graph500":
                    self.assertTrue(self.read("one.weights") == self.read("many.weights"))
                if name == "rawcsr":
                    for suffix in ".indptr", ".data":
                        self.assertTrue(self.read("one" + suffix) == self.read("many" + suffix))
                if name == "graphalytics":
                    self.same_data_set()
                for left in self.files():
                    self.assertTrue(left.startswith(("one", "many")) and "partial" not in left, left)
                    os.remove(self.path(left))

    def test_different_threads(self):
        """Ranks cut the rounds alike."""
        for job in (["--format", "el"], ["--format", "parquet"]):
            job = ["--scale", "20", "--edges", size("3M", "9M"), *job]
            self.assertEqual(self.rmat("generate", "-q", *job, "-o", "one", "--force").returncode, 0)
            done = self.launch_parts((1, [], ["-q", *job, "-o", "many", "--force", "--threads", "1"]),
                                     (1, [], ["-q", *job, "-o", "many", "--force", "--threads", "4"]))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(subprocess.run(["cmp", "one", "many"], cwd=self.folder, check=False).returncode, 0)

    def test_few_edges(self):
        """Most ranks have none."""
        for edges in ("0", "3", "200K"):
            for name in ("el", "parquet", "npy", "metis", "graphalytics", "h5", "csr"):
                options = {"metis": SIMPLE, "graphalytics": SIMPLE}
                job = ["--scale", "18", "--edges", edges, *options.get(name, []), "--format", name]
                done = self.rmat("generate", "--quiet", *job, "-o", "one", "--force")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.generate_on(3, *job, "-o", "many", "--force")
                self.assertTrue(self.read("one") == self.read("many"), job)
                if name == "graphalytics":
                    self.same_data_set()

    def test_write_error(self):
        """On one rank: all end, one says why, nothing is left."""
        for rank, job in ((1, ["--format", "tsv"]), (2, ["--format", "npy"]), (0, ["--format", "el"]),
                          (1, ["--format", "parquet", "--edges", "40M"]), (1, ["--format", "gr", "--sorted"]),
                          (1, ["--format", "graphalytics", *SIMPLE, "--edges", "2M"])):
            with self.subTest(rank=rank, job=job):
                # With more threads a round is larger than the graph, and rank 0 writes it all.
                done = self.launch(3, "-q", *GRAPH, *job, "--threads", "2", "-o", "file", before=bad_disk(rank=rank, fail=2))
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.one_line(done.stderr, rf"rank {rank} on host \S+: \S*file\S*partial.*Input/output error\Z")
                self.assertEqual(self.files(), [])

    def test_file_size_limit_of_one_rank(self):
        done = self.launch(3, "-q", *GRAPH, "--format", "el", before=[ON_RANK, "2", LIMIT])
        self.assertEqual(done.returncode, 1)
        self.one_line(done.stderr, r"rank 2 on host \S+: \S*graph\.el\.partial: File too large\Z")
        self.assertEqual(self.files(), [])

    def test_signal(self):
        job = self.start("-n", "3", *SLOW, *command("generate", "-q", *GRAPH, "--edges", "60M", "--format", "el"))
        job.await_file("graph.el.partial", 3)
        job.send(job.living()[1], signal.SIGTERM)
        done = job.finish(seconds(20))
        self.assertEqual((done.returncode, done.stdout), (143, ""), done.stderr)
        self.one_line(done.stderr, r"stopped by SIGTERM, 'graph\.el' was not made\Z")
        self.assertEqual(self.files(), [])

    def test_lost_rank(self):
        job = self.start("-n", "3", *SLOW, *command("generate", "-q", *GRAPH, "--edges", "60M", "--format", "el",
                                                    "--timeout", "2"))
        job.await_file("graph.el.partial", 3)
        job.send(job.living()[2], signal.SIGKILL)
        self.assertNotEqual(job.finish(seconds(30)).returncode, 0)
        self.assertNotIn("graph.el", self.files())

    def test_wrong_usage(self):
        for args, line in (
                (["--format", "el", "-o", "-"], "--output: '-' given on 2 ranks, allowed: a file"),
                (["--format", "el", "-o", "no/x.el"], r"(rank 0 on host \S+: )?\S*/no: the folder does not exist")):
            done = self.launch(2, "-q", *GRAPH, *args)
            self.assertEqual((done.returncode, done.stdout), (2 if "-" in args else 1, ""))
            self.one_line(done.stderr, rf"\Armat generate: {line}\Z")
            self.assertEqual(self.files(), [])

    def test_existing_file_stays(self):
        for args in ([], ["--sorted"], ["--format", "parquet"]):
            with open(self.path("graph.el"), "w", encoding="ascii") as file:
                file.write("precious")
            done = self.launch(2, "-q", *GRAPH, "-o", "graph.el", "--format", "el", *args)
            self.assertEqual(done.returncode, 1)
            self.one_line(done.stderr, r"graph\.el: already exists, --force replaces it\Z")
            self.assertEqual((self.files(), self.read("graph.el")), (["graph.el"], b"precious"))

    def test_ranks_that_differ(self):
        done = self.launch_parts((1, [], [*GRAPH, "-q"]), (1, [], [*GRAPH, "-q", "--force"]))
        self.assertEqual(done.returncode, 2)
        self.one_line(done.stderr, "--force: 'given' on rank 1, 'not given' on rank 0, allowed: the same on all ranks")
        done = self.launch_parts((1, [], [*GRAPH, "--format", "csv", "-q"]),
                                 (1, [], [*GRAPH, "--format", "csv", "-q", "--base", "1"]))
        self.assertEqual(done.returncode, 2)
        self.one_line(done.stderr, "--base: '1' on rank 1, '0' on rank 0, allowed: the same on all ranks")
        self.assertEqual(self.files(), [])


class Errors(Failures):
    def test_errno(self):
        """The error of the disk comes through."""
        done = self.launch(2, "-q", *GRAPH, "--format", "wsg", *SIMPLE, *INT, "--edges", "1M",
                           before=bad_disk(rank=1, fail=1, errno=errno.ENOSPC))
        self.assertEqual(done.returncode, 1)
        self.one_line(done.stderr, "No space left on device")
        self.assertEqual(self.files(), [])


if __name__ == "__main__":
    unittest.main()
