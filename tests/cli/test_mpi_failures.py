"""Ranks whose disk, folder or options fail: no hang, the cause on stderr once, no complete-looking file."""

import errno
import os
import shutil
import signal
import subprocess
import unittest

from cli import ON_RANK, RMAT, command, long_computation
from failing import GRAPH, LIMIT, WAYS, Failures
from mpi import bad_disk, seconds


class Disks(Failures):
    leaks = True

    def fails_on(self, rank, pattern, *args, before=()):
        done = self.launch(4, *GRAPH, "-q", *args, before=before, within=30)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.one_line(done.stderr, rf"\Armat generate: rank {rank} on host \S+: \S*graph\.h5.*{pattern}\Z")
        self.assertEqual(self.files(), [])

    def test_write_error(self):
        """In the middle of writing, by every means."""
        for way in WAYS:
            with self.subTest(way=way):
                self.fails_on(2, "Input/output error", *way, before=bad_disk(rank=2, fail=20, delay=5))

    def test_write_error_on_rank_0(self):
        for way in WAYS:
            with self.subTest(way=way):
                self.fails_on(0, "No space left on device", *way,
                              before=bad_disk(rank=0, fail=3, errno=errno.ENOSPC))

    def test_program_of_a_user(self):
        """Where the library is told of a write error on one rank, engine_stop() ends the others."""
        job = self.start("-n", "3", *bad_disk(rank=1, fail=1), os.environ["WRITE_CSR"], "graph.h5")
        done = job.finish(seconds(20))
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertRegex(done.stderr, r"(?m)^rank 1 on host \S+: \S*graph\.h5.*: Input/output error$")
        self.assertEqual(self.files(), [])

    def test_write_error_everywhere(self):
        self.fails_on(r"\d", "Input/output error", before=bad_disk(fail=1))

    def test_file_size_limit_of_one_rank(self):
        self.fails_on(3, "File too large", before=[ON_RANK, "3", LIMIT])

    def test_recovery(self):
        self.fails_on(1, "Input/output error", before=bad_disk(rank=1, fail=1))
        self.recovers()

    def test_missing_folder(self):
        done = self.launch(3, "-q", *GRAPH, "-o", "no/x.h5")
        self.assertEqual(done.returncode, 1)
        self.one_line(done.stderr, r"/no: the folder does not exist\Z")

    def test_existing_file_stays(self):
        with open(self.path("graph.h5"), "w", encoding="ascii") as file:
            file.write("precious")
        done = self.launch(3, "-q", "--scale", "18")
        self.assertEqual(done.returncode, 1)
        self.one_line(done.stderr, r"graph\.h5: already exists, --force replaces it\Z")
        self.assertEqual((self.files(), self.read("graph.h5")), (["graph.h5"], b"precious"))

    def test_failed_replacement_keeps_the_old_file(self):
        self.generate_on(2, *GRAPH)
        old = self.rmat("info", "graph.h5").stdout
        done = self.launch(2, *GRAPH, "--seed", "2", before=bad_disk(rank=1, fail=5))
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.rmat("info", "graph.h5").stdout, old)

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
    """File systems that are there for one rank, or for one job."""

    unshare = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])

    def setUp(self):
        super().setUp()
        if shutil.which("unshare") is None or subprocess.run(
                [*self.unshare, "mount", "-t", "tmpfs", "tmpfs", self.folder], capture_output=True,
                check=False).returncode != 0:
            self.skipTest("mounting is not permitted")

    def on_rank(self, rank, mount):
        """What comes before the program: on one rank, mounts of its own over the folder `here`."""
        return [ON_RANK, str(rank), f"here='{self.folder}'; export here; exec {' '.join(self.unshare)} "
                f"sh -c '{mount} && cd \"$here\" && exec \"$@\"' sh \"$@\""]

    def test_folder_that_is_not_shared(self):
        """Each host has a folder of this name: not the same one."""
        done = self.launch(3, "-q", *GRAPH, before=self.on_rank(2, 'mount -t tmpfs tmpfs "$here"'))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.one_line(done.stderr, r"\Armat generate: rank 2 on host \S+: \S*graph\.h5.*")
        self.assertEqual(self.files(), [])

    def test_folder_that_one_rank_cannot_write(self):
        mount = 'mount --bind "$here" "$here" && mount -o remount,bind,ro "$here"'
        done = self.launch(3, "-q", *GRAPH, before=self.on_rank(1, mount))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.one_line(done.stderr, r"\Armat generate: rank 1 on host \S+: \S*graph\.h5.*: Read-only file system\Z")
        self.assertEqual(self.files(), [])

    def test_full_disk(self):
        job = self.start(
            "-n", "3", *command("generate", "-q", *GRAPH, "-o", "disk/graph.h5"),
            prefix=[*self.unshare, "sh", "-c", "mkdir -p disk && mount -t tmpfs -o size=16m "
                    "tmpfs disk && \"$@\"; code=$?; ls disk; exit $code", "sh"])
        done = job.finish(seconds(60))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.one_line(done.stderr, r"graph\.h5.*: the file needs \d+ bytes, the file system has room for 16777216\Z")


@long_computation
class Options(Failures):
    def refused(self, one, two, pattern):
        done = self.launch_parts((1, [], ["-q", *one]), (1, [], ["-q", *two]))
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.one_line(done.stderr, pattern)
        self.assertEqual(self.files(), [])

    def test_options_that_differ(self):
        base = ["--scale", "10"]
        for other in (["--seed", "2"], ["-o", "x.h5"], ["--id-type", "uint64"], ["--force"]):
            with self.subTest(other=other):
                self.refused(base, [*base, *other], "rank 1|ranks")

    def test_bad_value(self):
        """Everywhere, or on one rank: one line."""
        line = "rmat generate: --scale: '63' is out of range, allowed: 1 to 62, or two such numbers with an x between them\n"
        done = self.launch(3, "--scale", "63")
        self.assertEqual((done.returncode, done.stderr.count(line)), (2, 1), done.stderr)
        done = self.launch_parts((1, [], ["--scale", "10"]), (1, [], ["--scale", "63"]))
        self.assertEqual((done.returncode, done.stderr.count(line)), (2, 1), done.stderr)
        self.assertEqual(self.files(), [])


@unittest.skipIf(os.geteuid() != 0 or shutil.which("setpriv") is None, "needs root and setpriv")
class Permissions(Failures):
    def test_folder_without_write_permission(self):
        shutil.copy(RMAT, self.path("rmat"))
        os.chmod(self.folder, 0o555)
        os.chmod(self.session, 0o777)
        job = self.start("-n", "3", *command("generate", "-q", *GRAPH, program="./rmat"), HOME="/",
                         prefix=["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
        done = job.finish(seconds(20))
        self.assertEqual(done.returncode, 1)
        self.one_line(done.stderr, r"graph\.h5\.partial: Permission denied\Z")
        self.assertEqual(self.files(), ["rmat"])


if __name__ == "__main__":
    unittest.main()
