"""Ranks that die, stop, or whose disk fails: no hang, the cause on stderr once, no complete-looking file."""

import errno
import os
import shutil
import signal
import subprocess
import time
import unittest

from cli import ON_RANK, RMAT
from mpi import HAVE_HDF5, MpiTest, bad_disk, seconds

GRAPH = ["--scale", "22", "--edges", "4198403", "--chunk", "16Ki", "--force"]
LAYOUTS = [["--layout", "single"], ["--layout", "sharded"]]
WAYS = [["--layout", "single", "--io", "direct"], ["--layout", "single", "--io", "positional"],
        ["--layout", "sharded", "--io", "positional"]]
PARALLEL_HDF5 = [["--io", "hdf5-independent"], ["--io", "hdf5-collective"]] if HAVE_HDF5 else []

# Every write takes so many milliseconds: a minute of work, and time to spoil it.
SLOW = bad_disk(delay=200)

# 6 MiB a file, and no more for Open MPI's shared memory than its version 4 takes.
LIMIT = "ulimit -f 12288; export OMPI_MCA_btl_sm_segment_size=4194304"


class Failures(MpiTest):
    def recovers(self, *args):
        """Nothing looks complete, and what lies about does not hinder the next run."""
        self.assertNotIn("graph.h5", self.files())
        for name in self.files():
            if os.path.isfile(self.path(name)):
                self.assertEqual(self.rmat("info", name).returncode, 1, name)
        self.generate_on(3, *GRAPH, *args)
        self.assertIn(self.files(), (["graph.h5"], ["graph.h5", "graph.h5.shards"]))
        self.assertEqual(self.rmat("info", "graph.h5").returncode, 0)
        for name in self.files():
            shutil.rmtree(self.path(name), ignore_errors=True)
        os.remove(self.path("graph.h5"))

    def at_work(self, *args, launcher=(), **environment):
        """A job of four ranks that has begun to write."""
        job = self.start(*launcher, "-n", "4", *SLOW, RMAT, "generate", "-q", *GRAPH, *args, **environment)
        job.await_file("graph.h5.partial", 4)
        return job

    def ended(self, job, code=None, within=20):
        done = job.finish(seconds(within))
        self.assertEqual(done.stdout, "")
        if code is None:
            self.assertNotEqual(done.returncode, 0)
        else:
            self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def one_line(self, err, pattern):
        """Exactly one line of ours on stderr, like this."""
        lines = [line for line in err.splitlines() if line.startswith("rmat ")]
        self.assertEqual(len(lines), 1, err)
        self.assertRegex(lines[0], pattern)


@unittest.skipIf("RMAT_SANITIZED" in os.environ, "little of ours runs in a job that is aborted")
class LostRanks(Failures):
    def test_kill(self):
        for layout in LAYOUTS:
            for rank in (2, 0):
                with self.subTest(layout=layout, rank=rank):
                    job = self.at_work(*layout)
                    job.send(job.living()[rank], signal.SIGKILL)
                    self.assertIn("signal 9", self.ended(job))
                    self.recovers(*layout)

    def test_kill_that_the_launcher_ignores(self):
        """The other ranks notice.  (Open MPI's launcher then returns 0, whatever happens.)"""
        for rank in (2, 0):
            with self.subTest(rank=rank):
                job = self.at_work("--timeout", "3", launcher=["--enable-recovery"])
                job.send(job.living()[rank], signal.SIGKILL)
                self.assertRegex(job.finish(seconds(20)).stderr,
                                 rf"(?m)^rmat generate: rank {rank} on host \S+ has not been heard of "
                                 r"for 3 s, 'graph\.h5' was not made$")
                self.recovers()

    def test_rank_that_hangs(self):
        for layout in LAYOUTS:
            for rank in (2, 0):
                with self.subTest(layout=layout, rank=rank):
                    job = self.at_work("--timeout", "3", *layout)
                    job.send(job.living()[rank], signal.SIGSTOP)
                    self.assertIn(f"rank {rank} on host", self.ended(job, 1))
                    self.recovers(*layout)

    def test_kill_in_collective_writes(self):
        if not HAVE_HDF5:
            self.skipTest("HDF5 is not parallel in this build")
        job = self.at_work("--timeout", "3", "--io", "hdf5-collective")
        job.send(job.living()[1], signal.SIGSTOP)
        self.assertIn("rank 1 on host", self.ended(job, 1))
        self.recovers()


@unittest.skipUnless(HAVE_HDF5, "HDF5 is not parallel in this build")
class CollectiveWrites(Failures):
    """Ranks that are caught in a collective write.  Nothing but a deadline gets them out."""

    ARGS = ["-q", *GRAPH, "--io", "hdf5-collective", "--timeout", "3"]
    LATE = r"\Armat generate: rank \d on host \S+: \S*graph\.h5\.partial: a collective write has not " \
           r"ended within (6|11) s: another process may have failed in it, 'graph\.h5' was not made\Z"

    def hints(self, *lines):
        """For MPI-IO: the environment that has it follow them."""
        name = os.path.join(self.session, "hints")
        with open(name, "w", encoding="ascii") as file:
            file.writelines(line + "\n" for line in lines)
        return {"ROMIO_HINTS": name}

    def test_disk_that_hangs(self):
        """Of an aggregator, or of a rank that writes for itself."""
        for rank, hints in ((0, ["romio_cb_write enable"]), (2, [])):
            with self.subTest(rank=rank, hints=hints):
                job = self.start("-n", "4", *bad_disk(rank=rank, delay=600000), RMAT, "generate", *self.ARGS,
                                 **self.hints(*hints))
                self.one_line(self.ended(job, 1, within=30), self.LATE)
                self.recovers("--io", "hdf5-collective")

    def test_aggregator_that_fails(self):
        """In the first of many steps of a write, in which the others then wait for it."""
        done = self.launch(4, *self.ARGS, before=bad_disk(rank=0, fail=1), within=20,
                           **self.hints("romio_cb_write enable", "cb_buffer_size 65536"))
        self.assertNotEqual(done.returncode, 0)
        self.one_line(done.stderr, r"\Armat generate: rank 0 on host \S+: \S*graph\.h5\.partial: .*"
                                   r"input/output error', 'graph\.h5' was not made\Z")
        self.recovers("--io", "hdf5-collective")

    def test_slow_disk(self):
        """Its job takes longer than the deadline of a write, and ends well."""
        start = time.monotonic()
        self.generate_on(4, "--scale", "22", "--edges", "4198403", "--chunk", "128Ki", "--io", "hdf5-collective",
                         "--timeout", "2", before=bad_disk(rank=1, delay=500))
        self.assertGreater(time.monotonic() - start, 4)
        self.assertEqual(self.files(), ["graph.h5"])


class Signals(Failures):
    def test_signal_to_the_launcher(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number=number):
                job = self.at_work()
                job.process.send_signal(number)
                self.ended(job)
                self.recovers()

    def test_signal_to_one_rank(self):
        for layout in LAYOUTS:
            for rank in (0, 3):
                with self.subTest(layout=layout, rank=rank):
                    job = self.at_work(*layout)
                    job.send(job.living()[rank], signal.SIGTERM)
                    self.one_line(self.ended(job, 143), "stopped by SIGTERM, 'graph.h5' was not made")
                    self.assertEqual(self.files(), [])


class Disks(Failures):
    leaks = True

    def fails_on(self, rank, pattern, *args, before=(), left=()):
        done = self.launch(4, *GRAPH, "-q", *args, before=before, within=30)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.one_line(done.stderr, rf"\Armat generate: rank {rank} on host \S+: \S*graph\.h5.*{pattern}\Z")
        self.assertIn(self.files(), ([], *left))

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

    def test_write_error_in_parallel_hdf5(self):
        """MPI does not tell errors of the disk apart, nor lets all leave a collective write."""
        for way in PARALLEL_HDF5:
            for rank in (0, 2):
                with self.subTest(way=way, rank=rank):
                    self.fails_on(rank, "input/output error'(, 'graph[.]h5' was not made)?", *way,
                                  before=bad_disk(rank=rank, fail=3),
                                  left=[["graph.h5.partial"]])
                    self.recovers(*way)

    def test_write_error_everywhere(self):
        self.fails_on(r"\d", "Input/output error", before=bad_disk(fail=1))

    def test_file_size_limit_of_one_rank(self):
        for layout in LAYOUTS:
            with self.subTest(layout=layout):
                self.fails_on(3, "File too large", *layout, before=[ON_RANK, "3", LIMIT])

    def test_recovery(self):
        self.fails_on(1, "Input/output error", before=bad_disk(rank=1, fail=1))
        self.recovers()

    def test_missing_folder(self):
        done = self.launch(3, "-q", *GRAPH, "-o", "no/x.h5")
        self.assertEqual(done.returncode, 1)
        self.one_line(done.stderr, r"/no: there is no such folder\Z")

    def test_existing_file_stays(self):
        with open(self.path("graph.h5"), "w", encoding="ascii") as file:
            file.write("precious")
        for layout in LAYOUTS:
            done = self.launch(3, "-q", "--scale", "18", *layout)
            self.assertEqual(done.returncode, 1)
            self.one_line(done.stderr, r"graph\.h5: exists already, --force replaces it\Z")
            self.assertEqual((self.files(), self.read("graph.h5")), (["graph.h5"], b"precious"))

    def test_failed_replacement_keeps_the_old_file(self):
        for layout in LAYOUTS:
            with self.subTest(layout=layout):
                self.generate_on(2, *GRAPH, *layout)
                old = self.rmat("info", "graph.h5").stdout
                done = self.launch(2, *GRAPH, *layout, "--seed", "2", before=bad_disk(rank=1, fail=5))
                self.assertEqual(done.returncode, 1)
                self.assertEqual(self.rmat("info", "graph.h5").stdout, old)

    def test_two_jobs_at_once_do_not_mix(self):
        for layout in LAYOUTS:
            with self.subTest(layout=layout):
                job = self.at_work(*layout)
                done = self.launch(2, "-q", *GRAPH, *layout)
                self.assertEqual(done.returncode, 1)
                self.one_line(done.stderr, "another writer is at work on it")
                job.send(job.living()[0], signal.SIGTERM)
                self.ended(job, 143)
                self.assertEqual(self.files(), [])


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
        for layout in LAYOUTS:
            with self.subTest(layout=layout):
                done = self.launch(3, "-q", *GRAPH, *layout,
                                   before=self.on_rank(2, 'mount -t tmpfs tmpfs "$here"'))
                self.assertEqual(done.returncode, 1, done.stderr)
                self.one_line(done.stderr, r"\Armat generate: rank 2 on host \S+: \S*graph\.h5.*")
                self.assertEqual(self.files(), [])

    def test_folder_that_one_rank_cannot_write(self):
        mount = 'mount --bind "$here" "$here" && mount -o remount,bind,ro "$here"'
        for layout in LAYOUTS:
            with self.subTest(layout=layout):
                done = self.launch(3, "-q", *GRAPH, *layout, before=self.on_rank(1, mount))
                self.assertEqual(done.returncode, 1, done.stderr)
                self.one_line(done.stderr, r"\Armat generate: rank 1 on host \S+: \S*graph\.h5.*: "
                                           r"Read-only file system\Z")
                self.assertEqual(self.files(), [])

    def test_full_disk(self):
        for layout in LAYOUTS:
            with self.subTest(layout=layout):
                job = self.start(
                    "-n", "3", RMAT, "generate", "-q", *GRAPH, *layout, "-o", "disk/graph.h5",
                    prefix=[*self.unshare, "sh", "-c", "mkdir -p disk && mount -t tmpfs -o size=16m "
                            "tmpfs disk && \"$@\"; code=$?; ls disk; exit $code", "sh"])
                done = job.finish(seconds(20))
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.one_line(done.stderr, r"graph\.h5.*: the file needs \d+ bytes, the file system has "
                                           r"room for 16777216\Z")


class Options(Failures):
    def refused(self, one, two, pattern):
        done = self.launch_parts((1, [], ["-q", *one]), (1, [], ["-q", *two]))
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.one_line(done.stderr, pattern)
        self.assertEqual(self.files(), [])

    def test_options_that_differ(self):
        base = ["--scale", "10"]
        for other in (["--seed", "2"], ["-o", "x.h5"], ["--layout", "sharded"], ["--id-bits", "64"],
                      ["--force"]):
            with self.subTest(other=other):
                self.refused(base, [*base, *other], "rank 1|ranks")

    def test_bad_value(self):
        """Everywhere, or on one rank: one line."""
        line = "rmat generate: --scale: '63' is out of range, allowed: 1 to 62\n"
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
        job = self.start("-n", "3", "./rmat", "generate", "-q", *GRAPH, HOME="/",
                         prefix=["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"])
        done = job.finish(seconds(20))
        self.assertEqual(done.returncode, 1)
        self.one_line(done.stderr, r"graph\.h5\.partial: Permission denied\Z")
        self.assertEqual(self.files(), ["rmat"])


if __name__ == "__main__":
    unittest.main()
