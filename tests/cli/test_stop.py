"""Signals during a run: the program cleans up after a signal to stop, and SIGKILL leaves no file that looks complete."""

import os
import re
import signal
import subprocess
import time

from arrays import h5py, no_room, numpy
from cli import CliTest, RMAT, command

# Some seconds of work in little space: many small chunks.
SLOW = ["generate", "--scale", "20", "--edge-factor", "32", "--threads", "2", "RMAT_TEST_CHUNK=20", "--force"]


class Stop(CliTest):
    def start(self, *args, **options):
        """A run that has begun to write."""
        child = subprocess.Popen(command(*SLOW, *args), cwd=self.folder, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        deadline = time.monotonic() + 30
        while "graph.h5.partial" not in self.files():
            self.assertIsNone(child.poll(), "ended before it could be stopped")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        time.sleep(0.3)
        self.assertIsNone(child.poll(), "ended before it could be stopped")
        return child

    def test_signals_that_ask_to_stop(self):
        for turn, number in enumerate((signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU,
                                      signal.SIGALRM)):
            if turn == 1:
                self.generate("--scale", "5")  # an old file, which survives
            before = self.state()
            child = self.start()
            child.send_signal(number)
            out, err = child.communicate(timeout=60)
            self.assertEqual((child.returncode, out), (128 + number, ""))
            self.assertEqual(err, f"rmat generate: stopped by {number.name}, 'graph.h5' was not made\n")
            self.assertEqual(self.state(), before)

    def test_before_work_begins(self):
        """While the command line is read, here from a pipe that nobody writes to."""
        os.mkfifo(self.path("levels"))
        for number in signal.SIGTERM, signal.SIGUSR1:
            child = subprocess.Popen([RMAT, "generate", "--scale", "5", "--level-matrices", "levels"],
                                     cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            with open(self.path("levels"), "wb"):  # which waits for the reader
                child.send_signal(number)
                out, err = child.communicate(timeout=60)
            self.assertEqual((child.returncode, out, err), (-number, "", ""))
            self.assertEqual(self.files(), ["levels"])

    def test_kill_leaves_a_partial_file_that_the_next_run_replaces(self):
        """The old file survives; and while a run writes, another one does not."""
        self.generate("--scale", "5")
        old = self.read("graph.h5")
        child = self.start()
        done = self.rmat("generate", "--scale", "5", "--force")
        self.assertEqual((done.returncode, done.stderr),
                         (1, "rmat generate: graph.h5.partial: is being written by another process\n"))
        child.kill()
        child.communicate()
        self.assertEqual((child.returncode, self.files()), (-signal.SIGKILL, ["graph.h5", "graph.h5.partial"]))
        self.assertTrue(self.read("graph.h5") == old)
        self.fails(1, "graph.h5.partial: .*", "info", "graph.h5.partial")
        self.generate("--scale", "6", "--force")
        self.assertEqual(self.files(), ["graph.h5"])
        self.silent("info", "graph.h5")

    def test_ignored_signals_stay_ignored(self):
        """Also where the reader of the progress has left."""
        child = self.start(preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        child.stderr.close()
        child.send_signal(signal.SIGINT)
        time.sleep(0.3)
        self.assertIsNone(child.poll())
        child.send_signal(signal.SIGTERM)
        child.stdout.read()
        child.stdout.close()
        self.assertEqual((child.wait(), self.files()), (143, []))


class Commands(CliTest):
    """Every command ends soon, whatever it is at."""

    def setUp(self):
        super().setUp()
        self.silent("generate", "-q", "--scale", "20", "--edge-factor", "64", "-o", "small.h5")
        self.silent("generate", "-q", "--scale", "16", "--edges", "4M", "--format", "csr", "-o", "rows.h5")
        self.silent("generate", "-q", "--scale", "5", "-o", "v.h5")
        self.lengthen("v.h5", 1 << 32)

    def lengthen(self, name, edges):
        """Gives the file so many more edges that reading it takes long: all are (0, 0), and take no room on the disk."""
        with h5py.File(self.path(name), "r+") as file:
            for end in "src", "dst":
                del file[end]
                no_room(file, end, h5py.h5t.STD_U32LE, edges)
            file.attrs["command"] = numpy.bytes_(file.attrs["command"].replace(b"--edges 512", b"--edges %d" % edges))
            file.attrs["edges"] = numpy.uint64(edges)

    def test_all_commands(self):
        for turn, (delay, *words) in enumerate((
                (0.5, "generate", "--scale", "26", "--format", "mtx", "-o", "g.mtx"),
                (0.5, "generate", "--scale", "23", "--sorted", "-o", "g.h5"),
                (1, "generate", "--scale", "22", "--edge-factor", "64", "--unique", "--format", "csr", "-o", "g.h5"),
                (0.5, "generate", "--scale", "7", "--edges", "16381", "--unique", "-o", "g.h5"),
                (0.3, "stats", "--fast", "v.h5"),
                (0.3, "stats", "v.h5"),
                (0.5, "plot", "v.h5", "-o", "p.svg"),
                (0.5, "verify", "v.h5"),
                (0.5, "verify", "rows.h5", "--memory", "4Mi"),  # blocks are made
                (0.5, "roots", "v.h5", "--count", "65536"),
                (0.5, "convert", "v.h5", "g.el"),
                (0.5, "convert", "small.h5", "s.csr.h5", "--sorted"),
                (0.5, "bench", "--part", "memory", "--runs", "100", "--json"))):
            with self.subTest(words=words, delay=delay):
                self.stops(delay, words, (signal.SIGTERM, signal.SIGINT)[turn % 2])

    @staticmethod
    def catches(process, number):
        """Whether a process has a handler for this signal, as rmat has once it has read its command line."""
        try:
            with open(f"/proc/{process}/status", encoding="utf-8") as status:
                return int(re.search(r"SigCgt:\s*(\w+)", status.read())[1], 16) >> number - 1 & 1
        except (FileNotFoundError, ProcessLookupError):
            return False

    def stops(self, delay, words, number):
        """A fast machine may be through by then: the signal comes sooner the next time."""
        before = self.files()
        status, out, waits = 0, "", 4
        while status == 0 or (words[0] == "verify" and out == "" and waits > 0):  # not yet begun on a busy machine
            delay, waits = (delay if status == 0 else 2 * delay), waits - 1
            with subprocess.Popen([RMAT, *words, "--threads", "2"], cwd=self.folder, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
                while child.poll() is None and not self.catches(child.pid, number):
                    time.sleep(0.01)
                time.sleep(delay)
                child.send_signal(number)
                out, err = child.communicate(timeout=60)  # a second, where the machine does nothing else
            status = child.returncode
            if status == 0:
                self.assertGreater(delay, 0.2, "ends before it can be stopped")
                delay /= 2
                for name in set(self.files()) - set(before):
                    os.remove(self.path(name))
        self.assertEqual(status, 128 + number, err)
        self.assertRegex(err, rf"rmat {words[0]}: stopped by {number.name}(, '\S+' was not made)?\n\Z")
        if words[0] == "verify":
            self.assertTrue(out.endswith(f"failed: stopped by {number.name}\nverdict      not checked: {words[1]}\n"), out)
        self.assertEqual(self.files(), before)
