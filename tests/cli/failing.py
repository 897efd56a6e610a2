"""What the tests of failing ranks share: a graph, slow disks, and what must be true after a failure."""

import os

from cli import command
from mpi import MpiTest, bad_disk, seconds

GRAPH = ["--scale", "22", "--edges", "4198403", "RMAT_TEST_CHUNK=16Ki", "--force"]

# Every write takes so many milliseconds: a minute of work, and time to spoil it.
SLOW = bad_disk(delay=200)


class Failures(MpiTest):
    def recovers(self):
        """Nothing looks complete, and what lies about does not hinder the next run."""
        self.assertNotIn("graph.h5", self.files())
        for name in self.files():
            if os.path.isfile(self.path(name)):
                self.assertEqual(self.rmat("info", name).returncode, 1, name)
        self.generate_on(3, *GRAPH)
        self.assertEqual(self.files(), ["graph.h5"])
        self.assertEqual(self.rmat("info", "graph.h5").returncode, 0)
        os.remove(self.path("graph.h5"))

    def at_work(self):
        """A job of four ranks that has begun to write."""
        job = self.start("-n", "4", *SLOW, *command("generate", "-q", *GRAPH))
        job.await_file("graph.h5.partial", 4)
        return job

    def ended(self, job, code=None):
        done = job.finish(seconds(20))
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
