"""Helpers of the tests under mpirun.  CTest sets the environment: MPIRUN, and Open MPI's variables."""

import itertools
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from cli import CliTest, skip_all, command

HERE = os.path.dirname(os.path.abspath(__file__))
ON_RANK = os.path.join(os.path.dirname(HERE), "mpi", "on_rank.sh")
MPIRUN = shutil.which(os.environ.get("MPIRUN", "mpirun"))

NUMBERS = itertools.count()

if MPIRUN is None or "RMAT_HAVE_MPI" not in os.environ:
    skip_all("no mpirun, or not built with MPI")


def bad_disk(**settings):
    """What comes before the program on a rank whose disk fails or is slow: see bad_disk.c."""
    words = [f"BAD_DISK_{name.upper()}={value}" for name, value in settings.items()]
    libraries = [os.environ["BAD_DISK"], os.environ.get("LD_PRELOAD", "")]
    return ["env", "LD_PRELOAD=" + ":".join(filter(None, libraries)), *words]


def seconds(n):
    """The sanitizer takes its time."""
    return 4 * n if "RMAT_SANITIZED" in os.environ else n


def ours(err):
    """The lines of standard error that are rmat's."""
    return [line for line in err.splitlines() if line.startswith("rmat ")]


def processor_ticks(number):
    """The processor time of a process, in user mode."""
    try:
        with open(f"/proc/{number}/stat", encoding="utf-8", errors="replace") as file:
            return int(file.read().rpartition(")")[2].split()[11])
    except FileNotFoundError:
        return 0


class LauncherHangs(AssertionError):
    """mpirun does not end, although all of its ranks have."""


class Job:
    """mpirun and its ranks, from the start to the end of them all."""

    def __init__(self, command, folder, environment):
        self.folder = folder
        self.mark = f"{os.getpid()}.{next(NUMBERS)}"
        self.process = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **environment, "RMAT_TEST_JOB": self.mark}, text=True,
            errors="surrogateescape", stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def living(self):
        """Process numbers by rank."""
        found = {}
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/environ", "rb") as file:
                    environment = file.read().split(b"\0")
            except OSError:
                continue
            if b"RMAT_TEST_JOB=" + self.mark.encode() not in environment:
                continue
            for name in (b"OMPI_COMM_WORLD_RANK=", b"PMI_RANK=", b"PMIX_RANK="):
                ranks = [word[len(name):] for word in environment if word.startswith(name)]
                if ranks:
                    found[int(ranks[0])] = int(number)
                    break
        return found

    def await_file(self, name, ranks):
        """Wait until so many ranks are at work and the file is there."""
        deadline = time.monotonic() + seconds(60)
        while len(self.living()) < ranks or not os.path.exists(os.path.join(self.folder, name)):
            if self.process.poll() is not None:
                raise AssertionError("ended too early: " + "".join(self.process.communicate()))
            if time.monotonic() > deadline:
                self.kill()
                raise AssertionError("did not begin to write")
            time.sleep(0.02)
        time.sleep(0.3)

    def await_work(self, ranks):
        """Wait until so many ranks have started MPI, which takes them much less than a second of processor time."""
        deadline = time.monotonic() + seconds(60)
        ticks = seconds(1) * os.sysconf("SC_CLK_TCK")
        while len(living := self.living()) < ranks or any(processor_ticks(number) < ticks for number in living.values()):
            assert time.monotonic() < deadline, "did not begin to work"
            time.sleep(0.05)

    def await_ranks_end(self, within):
        deadline = time.monotonic() + within
        while self.living():
            if time.monotonic() > deadline:
                raise AssertionError(f"ranks {sorted(self.living())} hang")
            time.sleep(0.05)

    @staticmethod
    def send(process, number):
        """A signal to one of living(), which may have ended."""
        try:
            os.kill(process, number)
        except ProcessLookupError:
            pass

    def kill(self):
        """Whatever still lives."""
        if self.process.poll() is None:
            self.process.kill()
        for process in self.living().values():
            self.send(process, signal.SIGKILL)
        return self.process.communicate()

    def finish(self, within):
        """Its end, which must come within so many seconds, of all ranks."""
        try:
            out, err = self.process.communicate(timeout=within)
        except subprocess.TimeoutExpired:
            ranks = self.living()
            out, err = self.kill()
            error = AssertionError if ranks else LauncherHangs
            raise error(f"hangs; ranks {sorted(ranks)} alive; stderr:\n{err}") from None
        self.await_ranks_end(seconds(30))
        err = err.replace("\0", "")  # with which Open MPI 5's launcher ends its own messages
        return subprocess.CompletedProcess(self.process.args, self.process.returncode, out, err)


class MpiTest(CliTest):
    """Jobs of several ranks, in an empty folder."""

    # With the sanitizer: look for leaks as well, which takes twice the time?
    leaks = False

    def setUp(self):
        super().setUp()
        # Jobs of the same user that begin and end at the same time quarrel about Open MPI's.
        self.session = tempfile.mkdtemp(prefix="rmat-mpi-")
        self.addCleanup(shutil.rmtree, self.session, ignore_errors=True)

    def start(self, *command, prefix=(), **environment):
        """mpirun with these arguments."""
        environment = {"TMPDIR": self.session, "OMPI_MCA_btl_vader_backing_directory": self.session,
                       **environment}
        if "ASAN_OPTIONS" in os.environ:
            # Full stacks, as Open MPI keeps no frame pointers, or what is known to leak is not known again.
            environment["ASAN_OPTIONS"] = "verify_asan_link_order=0:" + (
                "fast_unwind_on_malloc=0" if self.leaks else "detect_leaks=0")
        job = Job([*prefix, MPIRUN, *command], self.folder, environment)
        self.addCleanup(job.kill)
        return job

    def launch(self, ranks, *args, before=(), within=60, **environment):
        """`rmat generate` on so many ranks.  Twice, if the launcher alone hangs, as that of Open MPI 5 has done."""
        def finish():
            return self.start("-n", str(ranks), *before, *command("generate", *args), **environment).finish(seconds(within))

        try:
            return finish()
        except LauncherHangs as hang:
            print(hang, file=sys.stderr)
            return finish()

    def launch_parts(self, *parts, within=60):
        """The same from (ranks, options)."""
        return self.start_parts(*((ranks, command("generate", *args)) for ranks, args in parts)).finish(seconds(within))

    def start_parts(self, first, *others):
        """mpirun of ranks with words of their own: (ranks, words) of each part."""
        (ranks, words), before = first, []
        for more, other in others:
            for rank in range(ranks, ranks + more):
                before += [ON_RANK, str(rank), "set -- " + shlex.join(other)]
            ranks += more
        return self.start("-n", str(ranks), *before, *words)

    def succeeded(self, done):
        """The --json summary of a job that went well, in silence."""
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.args)
        return json.loads(done.stdout)

    def generate_on(self, ranks, *args, **options):
        return self.succeeded(self.launch(ranks, "--quiet", "--json", *args, **options))

    def expect(self, *base):
        """The file of one process, for check(); its summary."""
        told = self.generate(*base, "-o", "base.h5", "--force")
        self.base, self.expected = base, self.read("base.h5")
        return told

    def check(self):
        self.assertTrue(self.read("other.h5") == self.expected, "other bytes than one process's")
        self.assertEqual([name for name in self.files() if name not in ("base.h5", "other.h5", "levels.txt")], [])


# For failing ranks.
GRAPH = ["--scale", "22", "--edges", "4198403", "RMAT_TEST_CHUNK=16Ki", "--force"]


class Failures(MpiTest):
    def recovers(self):
        """Nothing looks complete, and what lies about does not hinder the next run."""
        self.assertNotIn("graph.h5", self.files())
        for name in self.files():
            if os.path.isfile(self.path(name)):
                self.assertEqual(self.rmat("info", name).returncode, 1, name)
        self.generate_on(3, *GRAPH)
        self.assertEqual(self.files(), ["graph.h5"])
        self.silent("info", "graph.h5")
        os.remove(self.path("graph.h5"))

    def at_work(self):
        """A job of four ranks that has begun to write, on disks so slow that a minute of work is left to spoil."""
        job = self.start("-n", "4", *bad_disk(delay=200), *command("generate", "-q", *GRAPH))
        job.await_file("graph.h5.partial", 4)
        return job

    def ended(self, job, code=None):
        done = job.finish(seconds(60))
        self.assertEqual(done.stdout, "")
        self.assertTrue(done.returncode == code or code is None and done.returncode != 0, done.stderr)
        return done.stderr

    def one_line(self, err, pattern):
        """Exactly one line of ours on stderr, like this."""
        lines = ours(err)
        self.assertEqual(len(lines), 1, err)
        self.assertRegex(lines[0], pattern)
