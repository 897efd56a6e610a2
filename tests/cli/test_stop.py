"""Signals in mid-run: SIGINT, SIGTERM and SIGHUP clean up, SIGKILL leaves nothing that looks complete."""

import os
import signal
import subprocess
import time
import unittest

from cli import CliTest, RMAT

# Some seconds of work in little space: many small chunks.
SLOW = ["generate", "--scale", "20", "--edge-factor", "32", "--threads", "2", "--chunk", "100", "--io",
        "hdf5", "--force"]


class Stop(CliTest):
    def start(self, *args, **options):
        """A run that has begun to write."""
        child = subprocess.Popen([RMAT, *SLOW, *args], cwd=self.folder, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        deadline = time.monotonic() + 30
        while "graph.h5.partial" not in self.files():
            self.assertIsNone(child.poll(), "ended before it could be stopped")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        time.sleep(0.3)
        self.assertIsNone(child.poll(), "ended before it could be stopped")
        return child

    def test_int_and_term(self):
        for number, name, code in ((signal.SIGINT, "SIGINT", 130), (signal.SIGTERM, "SIGTERM", 143),
                                   (signal.SIGHUP, "SIGHUP", 129)):
            child = self.start()
            begin = time.monotonic()
            child.send_signal(number)
            out, err = child.communicate(timeout=60)
            self.assertEqual((child.returncode, out), (code, ""))
            self.assertEqual(err, f"rmat generate: stopped by {name}, 'graph.h5' was not made\n")
            self.assertLess(time.monotonic() - begin, 5)
            self.assertEqual(self.files(), [])

    def test_old_file_survives(self):
        self.generate("--scale", "5")
        old = self.read("graph.h5")
        child = self.start()
        child.send_signal(signal.SIGINT)
        child.communicate()
        self.assertEqual(child.returncode, 130)
        self.assertEqual(self.files(), ["graph.h5"])
        self.assertTrue(self.read("graph.h5") == old)

    def test_kill_leaves_a_partial_file_that_the_next_run_replaces(self):
        child = self.start()
        child.kill()
        child.communicate()
        self.assertEqual(child.returncode, -signal.SIGKILL)
        self.assertEqual(self.files(), ["graph.h5.partial"])
        done = self.rmat("info", "graph.h5.partial")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertTrue(done.stderr.startswith("rmat info: graph.h5.partial: "), done.stderr)
        self.generate("--scale", "5")
        self.assertEqual(self.files(), ["graph.h5"])
        self.assertEqual(self.rmat("info", "graph.h5").returncode, 0)

    def test_two_runs_at_once_do_not_mix(self):
        child = self.start()
        done = self.rmat("generate", "--scale", "5")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "rmat generate: graph.h5.partial: another writer is at work on it\n"))
        child.send_signal(signal.SIGTERM)
        child.communicate()
        self.assertEqual(child.returncode, 143)

    def test_ignored_signals_stay_ignored(self):
        child = self.start(preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        child.send_signal(signal.SIGINT)
        time.sleep(0.3)
        self.assertIsNone(child.poll())
        child.send_signal(signal.SIGTERM)
        child.communicate()
        self.assertEqual(child.returncode, 143)

    def test_reader_of_progress_that_leaves(self):
        child = self.start()
        child.stderr.close()
        child.send_signal(signal.SIGTERM)
        child.stdout.read()
        child.stdout.close()
        self.assertEqual(child.wait(), 143)
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    unittest.main()
