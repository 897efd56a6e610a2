"""What the machine refuses: exit 1, a line that says what happened, nothing that looks complete.  Calls that fail once
are those of tests/faults; here are limits and what is not there at all."""

import os
import resource
import shutil
import subprocess
import unittest

from cli import CliTest, MODEL, NO_GPU, RMAT, has_gpu

SANITIZED = "RMAT_SANITIZED" in os.environ


class Failures(CliTest):
    def fails(self, line, *args, limit=None):
        before = self.files()
        done = self.rmat(*args, "-q", preexec_fn=limit and (lambda: resource.setrlimit(*limit)))
        self.assertEqual((done.stdout, done.returncode), ("", 1), args)
        self.assertRegex(done.stderr, rf"\Armat {args[0]}: {line}\n\Z")
        self.assertEqual(self.files(), before)

    @unittest.skipIf(has_gpu(), "there is a GPU")
    def test_no_gpu(self):
        self.fails(NO_GPU, "generate", *MODEL, "--backend", "gpu", "--devices", "7")
        told = self.generate(*MODEL, "--backend", "auto")
        self.assertEqual(told["backend"], "cpu")
        old = self.read("graph.h5")
        self.fails(NO_GPU, "generate", *MODEL, "--backend", "gpu", "--force")
        self.assertTrue(self.read("graph.h5") == old)

    def test_files_that_are_too_large(self):
        self.generate("--scale", "17", "-o", "list.h5")
        for args in ([], ["RMAT_TEST_POSITIONAL=1"], ["--sorted"], *(["--format", name] for name in ("el", "sg", "npy"))):
            self.fails(r"graph\..*: File too large", "generate", "--scale", "17", *args, limit=(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))
        for name in "x.el", "x.mtx":
            self.fails(rf"{name}\.partial: File too large", "convert", "list.h5", name, limit=(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)))

    @unittest.skipIf(SANITIZED, "the sanitizer needs the address space")
    def test_memory_exhausted(self):
        self.fails("memory is exhausted", "generate", "--scale", "24", "RMAT_TEST_CHUNK=64Mi", "--memory", "4Gi",
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
        if shutil.which("unshare") is None or subprocess.run([*unshare, mount], cwd=self.folder, check=False).returncode != 0:
            self.skipTest("mounting is not permitted")
        for words in "convert -q ../graph.h5 x.el", "generate -q --format el -o x.el", "generate -q -o x.el --format h5":
            done = subprocess.run([*unshare, f"{mount} && {{ '{RMAT}' {words}; echo $?; ls; }}"], cwd=self.folder, capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.stdout, "1\n")
            self.assertRegex(done.stderr, rf"\Armat {words.split()[0]}: x.el: the file needs \d+ bytes, the file system has room for 2097152\n\Z")
