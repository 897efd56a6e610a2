"""Ranks that die or are stopped: the job ends within seconds, one line gives the reason, and a file is complete or missing."""

import os
import signal
import subprocess
import time

from cli import command
from mpi import GRAPH, MPIRUN, Failures, bad_disk, ours, seconds


class KilledRanks(Failures):
    def test_kill(self):
        for rank in (2, 0):
            with self.subTest(rank=rank):
                job = self.at_work()
                job.send(job.living()[rank], signal.SIGKILL)
                self.assertIn("signal 9", self.ended(job))
                self.recovers()


class Signals(Failures):
    def test_signal_to_the_launcher(self):
        """Open MPI sends SIGTERM to all ranks, and SIGKILL a second later.  Since version 5 it prints nothing of theirs then."""
        version = subprocess.run([MPIRUN, "--version"], text=True, capture_output=True, check=False).stdout
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number=number):
                job = self.at_work()
                job.process.send_signal(number)
                err = self.ended(job)
                if ours(err) or "(Open MPI) 4." in version:
                    self.one_line(err, r"\Armat generate: stopped by SIGTERM, 'graph\.h5' was not made\Z")
                self.assertEqual(self.files(), [])

    def test_signal_to_one_rank(self):
        slow = bad_disk(delay=200)
        for ranks, rank, number, before, words, file in (
                (4, 0, signal.SIGTERM, slow, GRAPH, "graph.h5"), (4, 3, signal.SIGINT, slow, GRAPH, "graph.h5"),
                # All but the first have nothing to do: none of the rows is theirs.
                *((2, rank, signal.SIGINT, [], ["--scale", "25", "--a", "1", "--b", "0", "--c", "0", "--sorted", "--memory",
                                                "64Mi", "--threads", "1"], "graph.h5") for rank in (0, 1)),
                # How many edges are distinct shows late, and with it the size of the file: ranks count for minutes.
                *((3, rank, signal.SIGTERM, [], ["--scale", "25", "--dedup", "--memory", "32Mi"], None) for rank in (0, 1)),
                # The sorted file beside the output is gone, too.
                (3, 1, signal.SIGTERM, [], ["--scale", "19", "--simple", "--format", "metis", "-o", "graph.metis"], "graph.metis")):
            with self.subTest(rank=rank, words=words):
                job = self.start("-n", str(ranks), *before, *command("generate", "-q", *words))
                if file:
                    job.await_file(file + ".partial", ranks)
                else:
                    job.await_work(ranks)
                    while self.files():  # a rank is trying whether there can be a file
                        time.sleep(0.05)
                job.send(job.living()[rank], number)
                output = "graph.metis" if "-o" in words else "graph.h5"
                self.one_line(self.ended(job, 128 + number),
                              rf"\Armat generate: stopped by {number.name}, '{output}' was not made\Z")
                self.assertEqual(self.files(), [])


class Publication(Failures):
    def test_stop_while_the_file_gets_its_name(self):
        """It comes too late: no rank says that there is no file, or ends the one that gives it its name."""
        for rank, number in ((0, signal.SIGTERM), (1, signal.SIGINT)):
            job = self.start("-n", "2", *bad_disk(name=1500), *command("generate", "-q", "--scale", "16"))
            job.await_file("graph.h5", 2)
            job.send(job.living()[rank], number)
            done = job.finish(seconds(60))
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.silent("verify", "-q", "graph.h5")
            os.remove(self.path("graph.h5"))
