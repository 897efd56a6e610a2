"""Two hosts with a network between them, two ranks each: one file."""

import os
import re
import signal
import subprocess

from cli import RMAT, command, skip_all
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
        done = job.finish(seconds(60))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"(?m)^rmat generate: rank 3 on host beta: .*Input/output error$")
        self.assertEqual(self.files(), [])

    def test_stop_beside_a_sorted_file(self):
        """The sorted file keeps its name while it is converted, but not when a rank ends the job."""
        job = self.start(*ON_BOTH, *command("generate", "-q", "--scale", "19", "--simple", "--format", "metis",
                                            "-o", "graph.metis"), prefix=[TWO_HOSTS])
        job.await_file("graph.metis.partial", 4)
        job.send(job.living()[3], signal.SIGTERM)
        done = job.finish(seconds(60))
        self.assertEqual(done.returncode, 128 + signal.SIGTERM)
        self.assertEqual(self.files(), [])

    def test_folder_of_one_host_only(self):
        """A path that exists on both and is not shared: each has a /dev/shm of its own."""
        done = self.start(*ON_BOTH, RMAT, "generate", "-q", *LARGE, "-o", "/dev/shm/x.h5",
                          prefix=[TWO_HOSTS]).finish(seconds(60))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"(?m)^rmat generate: rank 2 on host beta: /dev/shm/x.h5")
        self.assertEqual(self.files(), [])
