"""Ranks that die, hang or are stopped: no hang of the job, the cause on stderr once, no complete-looking file."""

import shutil
import signal
import subprocess
import unittest

from cli import RMAT
from failing import GRAPH, Failures
from mpi import seconds

TIMEOUT = "1"  # seconds that the ranks wait for a silent one


class LostRanks(Failures):
    def test_kill(self):
        for rank in (2, 0):
            with self.subTest(rank=rank):
                job = self.at_work()
                job.send(job.living()[rank], signal.SIGKILL)
                self.assertIn("signal 9", self.ended(job))
                self.recovers()

    def test_kill_that_the_launcher_ignores(self):
        """The other ranks notice.  (Open MPI's launcher then returns 0, whatever happens.)"""
        for rank in (2, 0):
            with self.subTest(rank=rank):
                job = self.at_work("--timeout", TIMEOUT, launcher=["--enable-recovery"])
                job.send(job.living()[rank], signal.SIGKILL)
                self.assertRegex(job.finish(seconds(20)).stderr,
                                 rf"(?m)^rmat generate: rank {rank} on host \S+ has not been heard of "
                                 rf"for {TIMEOUT} s, 'graph\.h5' was not made$")
                self.recovers()

    def test_rank_that_hangs(self):
        for rank in (2, 0):
            with self.subTest(rank=rank):
                job = self.at_work("--timeout", TIMEOUT)
                job.send(job.living()[rank], signal.SIGSTOP)
                self.assertIn(f"rank {rank} on host", self.ended(job, 1))
                self.recovers()

    @unittest.skipUnless(shutil.which("cc"), "no C compiler")
    def test_rank_that_hangs_when_all_is_done(self):
        """The others wait for it in MPI's own end."""
        with open(self.path("stops.c"), "w", encoding="ascii") as file:
            file.write("#include <signal.h>\nint PMPI_Finalize(void);\n"
                       "int MPI_Finalize(void) { raise(SIGSTOP); return PMPI_Finalize(); }\n")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", "stops.so", "stops.c"], cwd=self.folder, check=True)
        for rank in (0, 2):
            with self.subTest(rank=rank):
                job = self.start("-n", "3", "sh", "-c", f'test "${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}}" != {rank} || '
                                 'export LD_PRELOAD=$PWD/stops.so; exec "$@"', "sh", RMAT, "generate", "-q", "--force",
                                 "--scale", "10", "--timeout", TIMEOUT)
                done = job.finish(seconds(30))
                self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
                lines = [line for line in done.stderr.splitlines() if line.startswith("rmat ")]
                for line in lines:
                    self.assertRegex(line, r"\Armat generate: not all ranks have ended within [123] s, "
                                           r"'graph\.h5' was made before that\Z")
                self.assertTrue(lines)
                self.assertEqual(self.rmat("verify", "graph.h5").returncode, 0)


class Signals(Failures):
    def test_signal_to_the_launcher(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number=number):
                job = self.at_work()
                job.process.send_signal(number)
                self.ended(job)
                self.recovers()

    def test_signal_to_one_rank(self):
        for rank in (0, 3):
            with self.subTest(rank=rank):
                job = self.at_work()
                job.send(job.living()[rank], signal.SIGTERM)
                self.one_line(self.ended(job, 143), "stopped by SIGTERM, 'graph.h5' was not made")
                self.assertEqual(self.files(), [])


if __name__ == "__main__":
    unittest.main()
