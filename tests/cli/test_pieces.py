"""A long list in pieces: --first and --count make whole files, each of which is there or is not.

A shell loop makes the pieces that are missing, however often it is stopped; HDF5's virtual datasets present them as one
list, with a few lines of h5py.
"""

import os
import signal
import subprocess
import time
import unittest

from arrays import h5py, numpy
from cli import RMAT, CliTest

GRAPH = ["--scale", "18", "--permute", "--weights", "uniform"]
PIECES = 8
EACH = (16 << 18) // PIECES
LOOP = f"""for k in $(seq 0 {PIECES - 1}); do
    [ -e piece$k.h5 ] || "$@" --first $((k * {EACH})) --count {EACH} -o piece$k.h5 || exit
done"""


class Pieces(CliTest):
    def loop(self):
        return subprocess.Popen(["sh", "-c", LOOP, "sh", RMAT, "generate", "-q", *GRAPH], cwd=self.folder,
                                start_new_session=True, stderr=subprocess.PIPE, text=True)

    def pieces(self):
        """Those that are there, as the system tells them from others."""
        found = {}
        for k in range(PIECES):
            if os.path.exists(self.path(f"piece{k}.h5")):
                about = os.stat(self.path(f"piece{k}.h5"))
                found[k] = about.st_ino, about.st_mtime_ns
        return found

    def join(self):
        parts = [h5py.File(self.path(f"piece{k}.h5"), "r") for k in range(PIECES)]
        with h5py.File(self.path("list.h5"), "w", libver="v110") as whole:
            for name in parts[0]:
                layout = h5py.VirtualLayout((sum(len(part[name]) for part in parts),), parts[0][name].dtype)
                end = 0
                for part in parts:
                    begin, end = end, end + len(part[name])
                    layout[begin:end] = h5py.VirtualSource(os.path.basename(part.filename), name, part[name].shape)
                whole.create_virtual_dataset(name, layout)
        for part in parts:
            part.close()

    def test_loop(self):
        job = self.loop()
        deadline = time.monotonic() + 60
        while len(self.pieces()) < 3:
            self.assertIsNone(job.poll(), "ended before it could be killed")
            self.assertLess(time.monotonic(), deadline)
        os.killpg(job.pid, signal.SIGKILL)
        job.communicate()
        before = self.pieces()
        self.assertLess(len(before), PIECES)
        self.assertEqual(list(before), list(range(len(before))))
        job = self.loop()
        self.assertEqual((job.communicate(timeout=60)[1], job.returncode), ("", 0))
        self.assertEqual(self.files(), [f"piece{k}.h5" for k in range(PIECES)])
        after = self.pieces()
        self.assertEqual({k: after[k] for k in before}, before)  # made once
        self.assertEqual(self.rmat("verify", "-q", *self.files()).returncode, 0)
        self.join()
        self.generate(*GRAPH, "-o", "whole.h5")
        with h5py.File(self.path("list.h5"), "r") as joined, h5py.File(self.path("whole.h5"), "r") as whole:
            self.assertEqual(set(joined), set(whole))
            for name in whole:
                self.assertEqual((joined[name].shape, joined[name].dtype), (whole[name].shape, whole[name].dtype))
                self.assertTrue(numpy.array_equal(joined[name][:], whole[name][:]), name)
