"""Helpers of the tests of the Python package, which compare it with the program of the command-line tests (../cli/cli.py)."""

import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import rmat

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from cli import RMAT, CliTest, skip_all  # noqa: E402

try:
    import numpy
except ImportError:
    skip_all("no NumPy")

__all__ = ["RMAT", "PythonTest", "module", "numpy", "rmat", "skip_all"]


def module(name):
    """A module that may be missing: the test that asks is skipped then."""
    try:
        return __import__(name, fromlist=["x"])
    except ImportError:
        raise unittest.SkipTest(f"no {name}") from None


class PythonTest(CliTest):
    def columns(self, name, *columns):
        module("h5py")
        return super().columns(name, *columns)

    def python(self, code, **options):
        """What a new interpreter prints that runs the code, without an error."""
        done = self.program(sys.executable, "-c", code, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), code)
        return done.stdout

    @staticmethod
    def leaks(make, memory, times=1000):
        """By how much the memory in use grows in so many calls."""
        for _ in range(times // 10):
            make()
        before = memory()
        for _ in range(times):
            make()
        return memory() - before

    def interrupted(self, code, at_work=None):
        """Seconds from SIGINT to the end of an interpreter that runs the code, which ends by KeyboardInterrupt: of the clock or
        of the processor, whichever are fewer, as other processes slow the one and many threads multiply the other.  It is at
        work when it has run for a quarter second.  Where another process works for it, at_work() says so, and the clock counts."""
        # All modules first: an interrupt that meets the end of an import is lost, or is another error in NumPy.
        code = ("import importlib, numpy, pkgutil, rmat, sys\n"
                "for module in pkgutil.iter_modules(rmat.__path__, 'rmat.'): importlib.import_module(module.name)\n"
                f"print(flush=True)\ntry:\n    {code}\nexcept KeyboardInterrupt: sys.exit(55)")
        with subprocess.Popen([sys.executable, "-c", code], cwd=self.folder, stdout=subprocess.PIPE) as job:
            job.stdout.readline()
            begun = self.processor_ticks(job.pid)
            enough = begun + os.sysconf("SC_CLK_TCK") // 4
            while not (at_work() if at_work else self.processor_ticks(job.pid) >= enough):
                self.assertIsNone(job.poll(), "ended before it could be interrupted")
                time.sleep(0.01)
            start, begun = time.monotonic(), self.processor_ticks(job.pid)
            job.send_signal(signal.SIGINT)
            while os.waitid(os.P_PID, job.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None and time.monotonic() < start + 60:
                time.sleep(0.01)
            seconds = time.monotonic() - start
            if not at_work:
                seconds = min(seconds, (self.processor_ticks(job.pid) - begun) / os.sysconf("SC_CLK_TCK"))
            job.kill()
            self.assertEqual(job.wait(), 55)
            return seconds

    @staticmethod
    def processor_ticks(process):
        """How long a process has run."""
        with open(f"/proc/{process}/stat", encoding="utf-8") as about:
            return sum(map(int, about.read().rpartition(")")[2].split()[11:13]))

    @staticmethod
    def in_threads(work, count=8):
        """work(number) in so many threads at the same time."""
        threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def same(self, found, wanted):
        self.assertEqual(len(found), len(wanted))
        for one, other in zip(found, wanted):
            numpy.testing.assert_array_equal(one, other)
