"""A long list in pieces: --first and --count make files that are complete or missing.

A shell loop makes the missing pieces, also after any number of stops.  HDF5's virtual datasets present them as one list,
with a few lines of h5py.
"""

import os
import signal
import subprocess
import time

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
        return self.state(".h5")

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
        self.assertEqual(list(before), [f"piece{k}.h5" for k in range(len(before))])
        job = self.loop()
        self.assertEqual((job.communicate(timeout=60)[1], job.returncode), ("", 0))
        self.assertEqual(self.files(), [f"piece{k}.h5" for k in range(PIECES)])
        after = self.pieces()
        self.assertEqual({name: after[name] for name in before}, before)  # made once
        self.silent("verify", "-q", *self.files())
        self.join()
        self.generate(*GRAPH, "-o", "whole.h5")
        for joined, whole in zip(self.columns("list.h5"), self.columns("whole.h5"), strict=True):
            self.assertEqual(joined.dtype, whole.dtype)
            self.assertTrue(numpy.array_equal(joined, whole))
