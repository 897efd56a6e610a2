"""Jobs that are killed, and go on with other ranks: the same bytes."""

import json
import os
import shutil
import signal
import time
import unittest

from cli import RMAT, command
from mpi import MpiTest, seconds
from test_resume import OFTEN, InMemory


class OtherRanks(InMemory, MpiTest):
    def launch(self, ranks, *words):
        done = self.start("-n", str(ranks), RMAT, *words).finish(seconds(100))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_other_ranks(self):
        """Killed on three ranks, continued on fewer; shards on as many as before."""
        for name, args, ranks in (("x.h5", [], 2), ("x.h5", ["--format", "csr", "--memory", "16Mi"], 1),
                                  ("x.h5", ["--layout", "sharded"], 3), ("x.el", [], 2)):
            with self.subTest(name=name, args=args):
                words = ["generate", "-q", "--scale", "18", *args, "-o", name]
                self.launch(3, *words)
                right = self.tree()
                self.clear()
                resumed = tries = 0  # a kill may come before the first edges are recorded, or too late
                while tries < 2 or (resumed == 0 and tries < 10):
                    self.kill_when_recorded(words, tries * 0.03)
                    tries += 1
                    told = json.loads(self.launch(ranks, *words, "--json", "--resume", "--force"))
                    resumed += told["resumed_edges"] > 0
                    now = self.tree()
                    self.assertEqual(sorted(now), sorted(right))
                    self.assertTrue(now == right)
                    self.clear()
                self.assertGreater(resumed, 0)

    def kill_when_recorded(self, words, wait):
        """All ranks at once, so that none can clean up after another."""
        job = self.start("-n", "3", *command(*words, *OFTEN))
        deadline = time.monotonic() + seconds(20)
        while job.process.poll() is None and time.monotonic() < deadline and not any(
                ".resume" in file for file in self.files()):
            time.sleep(0.002)
        time.sleep(wait)
        for process in job.living().values():
            job.send(process, signal.SIGKILL)
        job.finish(seconds(30))

    def tree(self):
        return {os.path.join(folder, file): self.read(os.path.join(folder, file))
                for folder, _, files in os.walk(self.folder) for file in files}

    def clear(self):
        for name in self.files():
            path = self.path(name)
            if os.path.isdir(path):
                shutil.rmtree(path)
            else:
                os.remove(path)


if __name__ == "__main__":
    unittest.main()
