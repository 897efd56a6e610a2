"""Under a launcher: several ranks print a message once; one rank runs as without a launcher.

test_mpi_*.py test the file that they write.
"""

import json
import os
import unittest

from cli import MODEL, NO_GPU, RMAT, has_gpu
from mpi import MpiTest, ours, seconds

BENCH_REFUSAL = "rmat bench: --part: 'memory' given on 2 ranks, allowed: ranks, csr with --stream rows"


class Launched(MpiTest):
    def launched(self, *parts):
        """Each part is a number of ranks and their arguments."""
        return self.start_parts(*((ranks, [RMAT, *args]) for ranks, *args in parts)).finish(seconds(100))

    def told_by(self, *parts):
        """The one JSON object of a job that must succeed."""
        done = self.launched(*parts)
        self.assertEqual((done.returncode, ours(done.stderr)), (0, []))
        return json.loads(done.stdout)

    def test_summary(self):
        """Text and JSON: as of one rank, and what the ranks did."""
        alone = self.generate("-o", "alone.h5")
        self.assertEqual((alone["ranks"], alone["hosts"]), (1, 1))
        done = self.launched((2, "generate", "--threads", "1"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.read("graph.h5") == self.read("alone.h5"))
        self.assertEqual(done.stdout.count("file         graph.h5"), 1)
        self.assertRegex(done.stdout, r"made by      2 ranks on 1 host: 2 on CPUs, 2 threads in all\n")
        told = self.told_by((3, "generate", "--json", "-q", "--threads", "2", "--force"))
        self.assertEqual((told["ranks"], told["hosts"], told["backend"], told["threads"]), (3, 1, "cpu", 6))
        for key in set(alone) - {"file"}:
            self.assertIn(key, told)
            if not key.endswith("_seconds") and isinstance(alone[key], str):
                self.assertEqual(told[key], alone[key], key)
        self.assertEqual(told["file_bytes"], os.path.getsize(self.path("graph.h5")))

    def test_threads_are_shared(self):
        """--threads 0 of several ranks together: no more than there are processors, one each at least."""
        usable = len(os.sched_getaffinity(0))
        for ranks in (2, 5):
            told = self.told_by((ranks, "generate", "--json", "-q", "--force", *MODEL))
            self.assertLessEqual(told["threads"], max(usable, ranks))
            self.assertGreaterEqual(told["threads"], ranks)

    def test_dry_run(self):
        """As of one rank; and of sorted graphs what the run then does."""
        alone = self.generate("--dry-run", "--scale", "26")
        told = self.told_by((2, "generate", "--json", "-q", "--dry-run", "--scale", "26"))
        for key in ("file_bytes", "edges", "command"):
            self.assertEqual(told[key], alone[key])
        self.assertEqual(told["ranks"], 2)
        done = self.launched((2, "generate", "--dry-run"))
        self.assertEqual((done.returncode, done.stdout.count("dry run"), self.files()), (0, 1, []))
        self.assertRegex(done.stdout, r"(?m)^file system  \w+$")
        self.assertRegex(done.stdout, r"(?m)^ranks        2 on 1 host$")
        for args in (["--sorted", "--memory", "2Mi"], ["--format", "csr", "--unique"]):
            job = (3, "generate", "--json", "-q", "--force", "--scale", "14", *args)
            told, made = self.told_by((*job, "--dry-run")), self.told_by(job)
            for name in ("passes", "interval_bytes", "command", "edges"):
                self.assertEqual(told[name], made[name], (args, name))
            self.assertEqual(told["counting_passes"], 1 if "--memory" in args else 0)

    def test_messages_once(self):
        done = self.launched((2, "generate", "--help"))
        self.assertEqual((done.returncode, done.stdout), (0, self.rmat("help", "generate").stdout))
        wrong = "rmat generate: --scale: '63' is out of range, allowed: 1 to 62, or two such numbers with an x between them"
        for line, *parts in ((wrong, (2, "generate", "--scale", "63")), (wrong, (1, "generate"), (1, "generate", "--scale", "63")),
                             (BENCH_REFUSAL, (2, "bench", "--runs", "1", "--json"))):
            done = self.launched(*parts)
            self.assertEqual((done.returncode, done.stdout, ours(done.stderr)), (2, "", [line]))
        self.assertEqual(self.files(), [])

    def test_ranks_for_different_files(self):
        self.level_matrices(10)
        self.level_matrices(10, "others.txt", first=1)
        for one, two in (([], ["-o", "b.h5"]), (["--force"], []), ([], ["--seed", "8"]), (["--weights", "uniform"], []),
                         (["--format", "el"], []), (["--id-type", "uint64"], []), (["--dry-run"], []),
                         (["--level-matrices", "levels.txt"], ["--level-matrices", "others.txt"])):
            done = self.launched((1, "generate", *MODEL, *one), (1, "generate", *MODEL, *two))
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(len(ours(done.stderr)), 1, done.stderr)
            self.assertTrue(ours(done.stderr)[0].startswith("rmat generate: graph: 'rmat generate "), done.stderr)
            self.assertTrue(ours(done.stderr)[0].endswith(", allowed: the same on all ranks"), done.stderr)
        self.assertEqual(self.files(), ["levels.txt", "others.txt"])

    @unittest.skipIf(has_gpu(), "there is a GPU")
    def test_gpu_that_is_not_there(self):
        """The rank is named."""
        done = self.launched((1, "generate", "-q", *MODEL), (2, "generate", "-q", *MODEL, "--backend", "gpu"))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex("\n".join(ours(done.stderr)), rf"\Armat generate: rank 1 on host \S+: {NO_GPU}\Z")
        self.assertEqual(self.files(), [])

    def test_one_rank(self):
        self.generate(*MODEL, "-o", "alone.h5")
        done = self.launched((1, "generate", *MODEL))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(self.read("graph.h5") == self.read("alone.h5"))
        self.assertRegex(done.stdout, r"made by      [CG]PU")
