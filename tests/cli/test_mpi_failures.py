"""Ranks whose disk, folder or options fail: no hang, the cause on stderr once, no complete-looking file."""

import errno
import os
import shutil
import signal
import subprocess

from cli import command, long_computation
from mpi import GRAPH, ON_RANK, Failures, bad_disk, seconds

INT = ["--weights", "int:1:255"]
SIMPLE = ["--symmetrize", "--no-self-loops", "--unique"]

# 6 MiB a file, and no more for Open MPI's shared memory than its version 4 takes.
LIMIT = "ulimit -f 12288; export OMPI_MCA_btl_sm_segment_size=4194304"

# The rank that fails (of four), options, what comes before the program, and the message.
# With more threads a round is larger than the graph, and rank 0 writes it all.
CASES = [
    (2, [], bad_disk(rank=2, fail=20, delay=5), "Input/output error"),
    (2, ["RMAT_TEST_POSITIONAL=1"], bad_disk(rank=2, fail=20, delay=5), "Input/output error"),
    (0, [], bad_disk(rank=0, fail=3, errno=errno.ENOSPC), "No space left on device"),
    (0, ["RMAT_TEST_POSITIONAL=1"], bad_disk(rank=0, fail=3, errno=errno.ENOSPC), "No space left on device"),
    (r"\d", [], bad_disk(fail=1), "Input/output error"),
    (3, [], [ON_RANK, "3", LIMIT], "File too large"),
    # The first write of edges, while others may still sort theirs.
    (2, ["--scale", "18", "--sorted"], bad_disk(rank=2, fail=1, errno=errno.ENOSPC), "No space left on device"),
    (2, ["--scale", "18", "--format", "csr"], bad_disk(rank=2, fail=1, errno=errno.ENOSPC), "No space left on device"),
    (2, ["--format", "el"], [ON_RANK, "2", LIMIT], "File too large"),
    (0, ["--format", "el"], bad_disk(rank=0, fail=2), "Input/output error"),
    (1, ["--format", "tsv", "--sorted"], bad_disk(rank=1, fail=2), "Input/output error"),
    (2, ["--format", "npy"], bad_disk(rank=2, fail=2), "Input/output error"),
    (1, ["--format", "parquet", "--edges", "5M"], bad_disk(rank=1, fail=1), "Input/output error"),
    (1, ["--format", "wsg", *SIMPLE, *INT, "--edges", "1M"], bad_disk(rank=1, fail=1, errno=errno.ENOSPC), "No space left on device"),
]


class Disks(Failures):
    def test_cases(self):
        for number, (rank, options, before, error) in enumerate(CASES):
            self.leaks = number % 3 == 0
            with self.subTest(rank=rank, options=options, before=before):
                words = [word for word in GRAPH if "CHUNK" not in word] if "--format" in options else GRAPH
                done = self.launch(4, *words, "-q", *options, "--threads", "1", before=before, within=60)
                self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
                self.one_line(done.stderr, rf"\Armat generate: rank {rank} on host \S+: \S*graph\.\w+.*{error}\Z")
                self.assertEqual(self.files(), [])
        self.recovers()

    def test_program_of_a_user(self):
        """Where the library is told of a write error on one rank, engine_stop() ends the others."""
        job = self.start("-n", "3", *bad_disk(rank=1, fail=1), os.environ["WRITE_CSR"], "graph.h5")
        done = job.finish(seconds(60))
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertRegex(done.stderr, r"(?m)^rank 1 on host \S+: \S*graph\.h5.*: Input/output error$")
        self.assertEqual(self.files(), [])

    def test_failed_replacement_keeps_the_old_file(self):
        self.generate_on(2, *GRAPH)
        old = self.read("graph.h5")
        done = self.launch(2, *GRAPH, "--seed", "2", before=bad_disk(rank=1, fail=5))
        self.assertEqual(done.returncode, 1)
        self.assertTrue(self.read("graph.h5") == old)

    def test_refusals(self):
        """Before anything is written: by one rank, for all."""
        self.write("taken")
        for options, code, line in (
                *((["-o", "taken", *more], 1, "taken: already exists, --force replaces it")
                  for more in ([], ["--sorted"], ["--format", "parquet"])),
                *((["-o", "no/x." + name], 1, r"\S*/no: the folder does not exist") for name in ("h5", "el")),
                (["-o", "-", "--format", "el"], 2, "--output: '-' given on 2 ranks, allowed: a file")):
            done = self.launch(2, "-q", "--scale", "18", *options)
            self.assertEqual((done.returncode, done.stdout), (code, ""))
            self.one_line(done.stderr, rf"\Armat generate: (rank 0 on host \S+: )?{line}\Z")
            self.assertEqual((self.files(), self.read("taken")), (["taken"], b"precious"))

    def test_two_jobs_at_once_do_not_mix(self):
        job = self.at_work()
        done = self.launch(2, "-q", *GRAPH)
        self.assertEqual(done.returncode, 1)
        self.one_line(done.stderr, "is being written by another process")
        job.send(job.living()[0], signal.SIGTERM)
        self.ended(job, 143)
        self.assertEqual(self.files(), [])


@long_computation
class Namespaces(Failures):
    """Folders that are another one, or cannot be written to, on one rank."""

    unshare = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])

    def test_folder_of_one_rank(self):
        if shutil.which("unshare") is None or subprocess.run(
                [*self.unshare, "mount", "-t", "tmpfs", "tmpfs", self.folder], capture_output=True, check=False).returncode != 0:
            self.skipTest("mounting is not permitted")
        for rank, mount, line in ((2, 'mount -t tmpfs tmpfs "$here"', ""),
                                  (1, 'mount --bind "$here" "$here" && mount -o remount,bind,ro "$here"', ": Read-only file system")):
            before = [ON_RANK, str(rank), f"here='{self.folder}'; export here; exec {' '.join(self.unshare)} "
                      f"sh -c '{mount} && cd \"$here\" && exec \"$@\"' sh \"$@\""]
            done = self.launch(3, "-q", *GRAPH, before=before)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.one_line(done.stderr, rf"\Armat generate: rank {rank} on host \S+: \S*graph\.h5.*{line}\Z")
            self.assertEqual(self.files(), [])

    def test_small_disk(self):
        script = ('mkdir -p disk && mount -t tmpfs -o size=16m tmpfs disk && cd disk || exit 77; '
                  '"$@"; code=$?; ls >../left; exit $code')
        for more in [], ["--sorted"], ["--format", "csr"], ["--format", "el"]:
            job = self.start("-n", "3", *command("generate", "-q", *GRAPH, *more, "-o", "g"),
                             prefix=[*self.unshare, "sh", "-c", script, "sh"])
            done = job.finish(seconds(60))
            if done.returncode == 77:
                self.skipTest("mounting is not permitted")
            self.assertEqual((done.returncode, done.stdout, self.read("left")), (1, "", b""), done.stderr)
            self.one_line(done.stderr, r"\Armat generate: rank 0 on host \S+: /\S*/g: the file needs up to \d+ bytes, "
                                       r"the file system has room for 16777216\Z")
