"""Two ranks under Valgrind: our code uses no uninitialized or unallocated memory."""

import os
import shutil

from cli import skip_all
from mpi import HERE, MpiTest

if shutil.which("valgrind") is None:
    skip_all("no valgrind")
if "RMAT_SANITIZED" in os.environ:
    skip_all("the sanitizer sees to it")

SUPPRESSIONS = os.path.join(os.path.dirname(HERE), "mpi", "openmpi.valgrind.supp")


class Valgrind(MpiTest):
    def test_two_ranks(self):
        tool = ["valgrind", "--quiet", "--error-exitcode=9", "--suppressions=" + SUPPRESSIONS]
        done = self.launch(2, "--scale", "10", "--edges", "530000", "--threads", "2", before=tool,
                           within=200)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotRegex(done.stderr, r"(?m)^==\d+==")
