"""Two hosts with a network between them, two ranks each: one file, and what if the cable is pulled."""

import os
import re
import subprocess
import unittest

from cli import RMAT, skip_all, command
from mpi import HERE, MPIRUN, MpiTest, bad_disk, seconds

TWO_HOSTS = os.path.join(os.path.dirname(HERE), "mpi", "two_hosts.sh")
ON_BOTH = ["--host", "alpha:2,beta:2", "--map-by", "slot"]
# Of Open MPI's launcher, whose child is sometimes faster than it; the name is that of version 4 or 5.
SETPGID = re.compile(r"(?m)^\[alpha:\d+\] plm:[rs]sh: Warning: setpgid\(.*\n")
LARGE = ["--scale", "22", "--edges", "4198403", "--force"]

if "RMAT_SANITIZED" in os.environ:
    skip_all("the network is all that is new here")
VERSION = subprocess.run([MPIRUN, "--version"], capture_output=True, text=True, check=False).stdout
if not re.match(r".*\b(Open MPI|OpenRTE)\b", VERSION):
    skip_all("the launcher is not Open MPI's")
PROBE = subprocess.run([TWO_HOSTS, "true"], capture_output=True, text=True, check=False)
if PROBE.returncode == 77:
    skip_all(PROBE.stdout.strip())


class Hosts(MpiTest):
    def both(self, *args):
        done = self.start(*ON_BOTH, RMAT, "generate", "-q", "--json", *args,
                          prefix=[TWO_HOSTS]).finish(seconds(60))
        done.stderr = SETPGID.sub("", done.stderr)
        return self.succeeded(done)

    def test_one_file(self):
        for ids in ("uint32", "uint64"):
            self.expect(*LARGE, "--id-type", ids)
            done = self.both(*LARGE, "--id-type", ids, "-o", "other.h5")
            self.assertEqual((done["ranks"], done["hosts"]), (4, 2))
            self.check()

    def test_error_on_the_other_host(self):
        job = self.start(*ON_BOTH, *bad_disk(rank=3, fail=2), RMAT, "generate", "-q", *LARGE,
                         prefix=[TWO_HOSTS])
        done = job.finish(seconds(30))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"(?m)^rmat generate: rank 3 on host beta: .*Input/output error$")
        self.assertEqual(self.files(), [])

    def test_folder_of_one_host_only(self):
        """A path that exists on both and is not shared: each has a /dev/shm of its own."""
        done = self.start(*ON_BOTH, RMAT, "generate", "-q", *LARGE, "-o", "/dev/shm/x.h5",
                          prefix=[TWO_HOSTS]).finish(seconds(30))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"(?m)^rmat generate: rank 2 on host beta: /dev/shm/x.h5")
        self.assertEqual(self.files(), [])

    def pull(self, before, *args):
        """All ranks give up, on both hosts, whatever becomes of mpirun."""
        script = ('"$@" & '
                  'while ! [ -e graph.h5.partial ]; do sleep 0.1; done; sleep 1; '
                  'ip link set cable down; cp --sparse=always graph.h5.partial pulled; wait $!')
        job = self.start(*ON_BOTH, *before, *command("generate", "-q", *LARGE, *args, "-o", "graph.h5", "--timeout", "3"),
                         prefix=[TWO_HOSTS, "sh", "-c", script, "sh"])
        job.await_file("pulled", 0)
        job.await_ranks_end(seconds(15))
        job.process.kill()  # mpirun would wait until it can tell beta
        done = job.finish(seconds(15))
        lines = [line for line in done.stderr.splitlines() if line.startswith("rmat ")]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertRegex(lines[0], r"\Armat generate: rank [23] on host beta has not been heard of for 3 s, 'graph\.h5' was "
                                   r"not made\Z")
        self.assertNotIn("graph.h5", self.files())

    def test_cable(self):
        self.pull(bad_disk(delay=200), "RMAT_TEST_CHUNK=16Ki")

if __name__ == "__main__":
    unittest.main()
