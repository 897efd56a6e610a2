"""What the machine refuses: exit 1, a line that says what happened, nothing that looks complete."""

import errno
import json
import os
import resource
import shutil
import subprocess
import unittest

from cli import CliTest, MODEL, NO_GPU, RMAT, has_gpu


class Failures(CliTest):
    def fails(self, line, *args, left=(), **options):
        done = self.rmat("generate", "-q", *args, **options)
        self.assertEqual((done.stderr, done.stdout, done.returncode), (line + "\n", "", 1))
        self.assertEqual(self.files(), sorted(left))

    def test_missing_folder(self):
        self.fails("rmat generate: no: the folder does not exist", *MODEL, "-o", "no/x.h5")

    def test_existing_file_stays(self):
        with open(self.path("graph.h5"), "w", encoding="ascii") as file:
            file.write("precious")
        self.fails("rmat generate: graph.h5: already exists, --force replaces it", *MODEL,
                   left=["graph.h5"])
        self.assertEqual(self.read("graph.h5"), b"precious")
        self.generate(*MODEL, "--force")
        self.assertEqual(self.read("graph.h5")[:4], b"\x89HDF")

    def test_force_is_for_regular_files_only(self):
        os.mkdir(self.path("d"))
        os.mkfifo(self.path("f"))
        for name, kind in (("d", "a directory"), ("f", "a FIFO")):
            self.fails(f"rmat generate: {name}: is {kind}, expected a regular file or none", *MODEL,
                       "--force", "-o", name, left=["d", "f"])

    @unittest.skipIf(has_gpu(), "there is a GPU")
    def test_failed_replacement_keeps_the_old_file(self):
        self.generate(*MODEL)
        old = self.read("graph.h5")
        done = self.rmat("generate", "-q", *MODEL, "--backend", "gpu", "--force")
        self.assertRegex(done.stderr, rf"\Armat generate: {NO_GPU}\n\Z")
        self.assertEqual((done.stdout, done.returncode, self.files()), ("", 1, ["graph.h5"]))
        self.assertTrue(self.read("graph.h5") == old)

    @unittest.skipIf(has_gpu(), "there is a GPU")
    def test_no_gpu(self):
        done = self.rmat("generate", "-q", *MODEL, "--backend", "gpu", "--devices", "7")
        self.assertRegex(done.stderr, rf"\Armat generate: {NO_GPU}\n\Z")
        self.assertEqual((done.stdout, done.returncode, self.files()), ("", 1, []))
        told = self.generate(*MODEL, "--backend", "auto")
        self.assertEqual(told["backend"], "cpu")

    def test_larger_than_the_disk(self):
        done = self.rmat("generate", "--scale", "50")
        self.assertEqual((done.stdout, done.returncode), ("", 1))
        self.assertRegex(done.stderr, r"\Armat generate: graph.h5: the file needs \d+ bytes, "
                                      r"the file system has room for \d+\n\Z")
        self.assertEqual(self.files(), [])

    def test_larger_than_ulimit(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

        for way in ([], ["RMAT_TEST_POSITIONAL=1"]):
            done = self.rmat("generate", "-q", "--scale", "17", *way, preexec_fn=limit)
            self.assertEqual((done.stdout, done.returncode), ("", 1))
            self.assertRegex(done.stderr, r"\Armat generate: graph.h5.*: File too large\n\Z")
            self.assertEqual(self.files(), [])

    @unittest.skipIf("RMAT_SANITIZED" in os.environ, "the sanitizer needs the address space")
    def test_memory_exhausted(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))

        self.fails("rmat generate: memory is exhausted", "--scale", "24", "RMAT_TEST_CHUNK=64Mi", "--memory",
                   "4Gi", preexec_fn=limit)

    @unittest.skipIf("RMAT_SANITIZED" in os.environ, "the sanitizer needs memory of its own")
    def test_peak_memory(self):
        """Below 256 MiB at any scale and number of threads, with buffers all in use."""
        for threads in ("1", "16", "300"):
            child = subprocess.Popen([RMAT, "generate", "-q", "--scale", "22", "--force", "--threads", threads], cwd=self.folder)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(child.returncode, 0)
            self.assertLess(usage.ru_maxrss * 1024, 256 << 20)


class Mounts(CliTest):
    """On file systems of their own, in a mount namespace that ends with the command."""

    def in_tmpfs(self, options, script):
        unshare = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
        mount = f"mount -t tmpfs -o {options} tmpfs '{self.folder}' && cd '{self.folder}'"
        if shutil.which("unshare") is None or subprocess.run(
                [*unshare, "sh", "-c", mount], capture_output=True, check=False).returncode != 0:
            self.skipTest("mounting is not permitted")
        return subprocess.run([*unshare, "sh", "-c", f"{mount} && {{ {script}; }}"], text=True, check=False,
                              capture_output=True, timeout=120)

    def test_full_disk(self):
        done = self.in_tmpfs("size=8m", f"'{RMAT}' generate -q -o x.h5; echo $?; ls")
        self.assertEqual(done.stdout, "1\n")
        self.assertRegex(done.stderr, r"\Armat generate: x.h5: the file needs \d+ bytes, "
                                      r"the file system has room for 8388608\n\Z")

    def test_disk_that_others_fill(self):
        """Space that was free at the start and is gone when the first edges are written."""
        script = (f"RMAT_TEST_CHUNK=20 '{RMAT}' generate -q --scale 19 --threads 1 -o x.h5 & "
                  "while ! [ -e x.h5.partial ]; do sleep 0.01; done; "
                  "dd if=/dev/zero of=fill bs=1M 2>/dev/null; wait $!; echo $?; ls")
        done = self.in_tmpfs("size=80m", script)
        self.assertIn(done.stdout, ("1\nfill\n", "0\nfill\nx.h5\n"))
        if done.stdout[0] == "1":
            self.assertRegex(done.stderr, r"\Armat generate: x.h5.*No space left on device.*\n\Z")

    def test_read_only_file_system(self):
        done = self.in_tmpfs("ro", f"'{RMAT}' generate -q -o x.h5; echo $?; ls")
        self.assertEqual((done.stdout, done.stderr),
                         ("1\n", "rmat generate: x.h5.partial: Read-only file system\n"))

    def test_file_system_without_direct_writes(self):
        """tmpfs may refuse O_DIRECT: the page cache takes its place, and the file is the same."""
        self.generate(*MODEL)
        expected = self.read("graph.h5")
        os.remove(self.path("graph.h5"))
        done = self.in_tmpfs("size=8m", f"'{RMAT}' generate -q {' '.join(MODEL)} && cat graph.h5 | md5sum")
        md5 = subprocess.run("md5sum", input=expected, capture_output=True, check=True).stdout.decode()
        self.assertEqual((done.stdout, done.stderr), (md5, ""))


@unittest.skipUnless("RMAT_FAULT" in os.environ, "the sanitizer has an allocator of its own")
class Start(CliTest):
    def test_hdf5_that_does_not_start(self):
        """Allocations of its start fail.  After some it crashes or ends with 255 by itself."""
        seen = set()
        for call in range(1, 2000, 13):
            done = self.rmat("--version", env={**os.environ, "LD_PRELOAD": os.environ["RMAT_FAULT"], "FAULT_GROUP": "alloc",
                                               "FAULT_CALL": str(call), "FAULT_ERRNO": str(errno.ENOMEM)})
            if 0 <= done.returncode < 255:
                self.assertIn((done.returncode, done.stderr), (
                    (0, ""), (1, "rmat: HDF5 could not start, perhaps for lack of memory\n")), call)
                seen.add(done.returncode)
        self.assertEqual(seen, {0, 1})


@unittest.skipIf(os.geteuid() != 0 or shutil.which("setpriv") is None, "needs root and setpriv")
class Permissions(CliTest):
    def test_folder_without_write_permission(self):
        os.chmod(self.folder, 0o555)
        program = self.path("rmat")
        shutil.copy(RMAT, program)
        done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program,
                               "generate", "-q", *MODEL], cwd=self.folder, capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (1, "", "rmat generate: graph.h5.partial: Permission denied\n"))
        self.assertEqual(self.files(), ["rmat"])


if __name__ == "__main__":
    unittest.main()
