"""Failures of the machine: exit 1, a line that reports the failure, no file that looks complete.  tests/faults fails single
calls; this file tests limits and missing resources."""

import os
import resource
import shutil
import subprocess
import unittest

from cli import CliTest, MODEL, NO_GPU, RMAT, has_gpu

SANITIZED = "RMAT_SANITIZED" in os.environ
NO_MPI = ("rmat {}: a launcher started several ranks, but this program was built without MPI: install "
          "libopenmpi-dev and build it again\n")


class Failures(CliTest):
    def limited(self, line, *args, limit):
        self.fails(1, line, *args, "-q", preexec_fn=lambda: resource.setrlimit(*limit))

    @unittest.skipIf(has_gpu(), "there is a GPU")
    def test_no_gpu(self):
        self.fails(1, NO_GPU, "generate", *MODEL, "--backend", "gpu")
        self.assertEqual(self.generate(*MODEL, "--backend", "auto")["backend"], "cpu")
        self.fails(1, NO_GPU, "generate", *MODEL, "--backend", "gpu", "--force")

    def test_files_that_are_too_large(self):
        self.generate("--scale", "17", "-o", "list.h5")
        for args in ([], ["RMAT_TEST_POSITIONAL=1"], ["--sorted"], *(["--format", name] for name in ("el", "sg", "npy"))):
            self.limited(r"graph\..*: File too large", "generate", "--scale", "17", *args, limit=(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))
        for name in "x.el", "x.mtx":
            self.limited(rf"{name}\.partial: File too large", "convert", "list.h5", name, limit=(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))

    @unittest.skipIf(SANITIZED, "the sanitizer needs the address space")
    def test_memory_exhausted(self):
        self.limited("memory is exhausted", "generate", "--scale", "24", "RMAT_TEST_CHUNK=64Mi", "--memory", "4Gi",
                   limit=(resource.RLIMIT_AS, (1 << 29, 1 << 29)))

    @unittest.skipIf(SANITIZED, "the sanitizer needs memory of its own")
    def test_peak_memory(self):
        """Below 256 MiB at any scale and number of threads, with buffers all in use."""
        for threads in ("1", "16", "300"):
            child = subprocess.Popen([RMAT, "generate", "-q", "--scale", "22", "--force", "--threads", threads], cwd=self.folder)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(child.returncode, 0)
            self.assertLess(usage.ru_maxrss * 1024, 256 << 20)

    def test_full_disk(self):
        """On a file system of its own, in a mount namespace that ends with the command."""
        self.generate("--scale", "14", "-o", "graph.h5")
        unshare = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), "sh", "-c"]
        os.mkdir(self.path("disk"))
        mount = "mount -t tmpfs -o size=2m tmpfs disk && cd disk"
        if shutil.which("unshare") is None or self.program(*unshare, mount).returncode != 0:
            self.skipTest("mounting is not permitted")
        for words in "convert -q ../graph.h5 x.el", "generate -q --format el -o x.el", "generate -q -o x.el --format h5":
            done = self.program(*unshare, f"{mount} && {{ '{RMAT}' {words}; echo $?; ls; }}")
            self.assertEqual(done.stdout, "1\n")
            self.assertRegex(done.stderr, rf"\Armat {words.split()[0]}: x.el: the file needs up to \d+ bytes, the file system has room for 2097152\n\Z")


class Unlaunched(CliTest):
    """Where no launcher starts several ranks, and where there is no MPI for it."""

    def test_batch_script_variables_are_no_launcher(self):
        self.silent("generate", "-q", *MODEL, env={**os.environ, "SLURM_PROCID": "0", "SLURM_NTASKS": "4"})

    @unittest.skipIf("RMAT_HAVE_MPI" in os.environ, "with MPI the launcher must be there")
    def test_stub_notices_a_launcher(self):
        for rank in ("0", "1"):
            for command in ("generate", "bench"):
                done = self.rmat(command, env={**os.environ, "PMI_RANK": rank, "PMI_SIZE": "2"})
                self.assertEqual((done.returncode, done.stderr),
                                 (1, NO_MPI.format(command) if rank == "0" else ""))
                self.assertEqual(self.files(), [])
