"""rmat verify: its output, files that it cannot check, and failures of the system."""

import errno
import fcntl
import json
import os
import resource
import unittest

from test_verify import SMALL, VerifyTest


class Command(VerifyTest):
    def test_lines(self):
        self.generate(*SMALL)
        done = self.rmat("verify", "graph.h5")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stderr, "")
        lines = done.stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines],
                         "file attributes edges fingerprint verdict".split())
        self.assertEqual(lines[-1], "verdict      all right: graph.h5")
        self.assertEqual(self.rmat("verify", "-q", "graph.h5").stdout, "")

    def not_checked(self, text, name, *args, **options):
        """Exit code 3, and a line that says why."""
        done = self.rmat("verify", name, *args, **options)
        self.assertEqual((done.returncode, done.stderr), (3, ""), done.stdout)
        self.assertRegex(done.stdout, rf"\Afile         failed: {text}\nverdict      not checked: {name}\n\Z")
        told = json.loads(self.rmat("verify", "--json", name, *args, **options).stdout)
        self.assertEqual((told["verdict"], told["ok"]), ("not checked", False))

    def test_not_checked(self):
        self.not_checked("none.h5: No such file or directory", "none.h5")

    def test_other_files(self):
        """They are wrong, whatever they are."""
        self.generate(*SMALL)
        os.mkdir(self.path("folder"))
        os.mkfifo(self.path("fifo"))
        self.write("x.el", "fingerprint 0 1\n")
        self.changed(lambda file: [file.attrs.pop(name) for name in list(file.attrs)], out="y.h5")
        for name, text in (("folder", "is a directory, expected an HDF5 file"), ("/dev/null", "is a device, expected an HDF5 file"),
                           ("fifo", "is a FIFO, expected an HDF5 file"), ("y.h5", "attribute 'format' is missing"),
                           ("x.el", "is not an HDF5 file, expected one of rmat in h5 or csr")):
            self.wrong(name, file=f"{name}: {text}")

    def test_names_decide_nothing(self):
        """A damaged file is wrong, whatever its name says."""
        self.generate(*SMALL)
        for number in (errno.EACCES, errno.EIO, errno.ENOMEM, errno.EMFILE):
            name = os.strerror(number) + ".h5"
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)  # Input/output error
            self.write(name, self.read("graph.h5")[:10000])
            self.wrong(name, file="truncated file: ")

    def test_too_few_descriptors(self):
        self.generate(*SMALL)
        self.not_checked(".*Too many open files.*", "graph.h5", preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_NOFILE, (4, 4)))

    @unittest.skipIf(os.geteuid() == 0, "root may read anything")
    def test_without_permission(self):
        self.generate(*SMALL)
        os.chmod(self.path("graph.h5"), 0)
        self.not_checked("graph.h5: Permission denied", "graph.h5")

    def test_full_disk(self):
        self.generate(*SMALL)
        with open("/dev/full", "w", encoding="ascii") as full:
            done = self.rmat("verify", "graph.h5", stdout=full)
        self.assertEqual(done.returncode, 3, done.stderr)

    def test_closed_pipe(self):
        """The exit status is still read by somebody."""
        self.generate(*SMALL)
        self.put(20000, b"\xff" * 16)
        for name, code in (("graph.h5", 0), ("x.h5", 1), ("none.h5", 3)):
            reading, writing = os.pipe()
            os.close(reading)
            with open(writing, "w", encoding="ascii") as pipe:
                done = self.rmat("verify", "--json", "-q", name, stdout=pipe)
            self.assertEqual((done.returncode, done.stderr), (code, ""), name)


@unittest.skipUnless("RMAT_FAULT" in os.environ, "the sanitizer has an allocator of its own")
class System(VerifyTest):
    """What the system refuses says nothing of the file, and a right one is never called wrong.  Calls that fail once:
    tests/faults."""

    def failing(self, name, group, call, error, more=0, **environment):
        done = self.rmat("verify", name, "--quiet", "--threads", "2", env={
            **os.environ, "LD_PRELOAD": os.environ["RMAT_FAULT"], "FAULT_FOLDER": self.folder, "FAULT_GROUP": group,
            "FAULT_CALL": str(call), "FAULT_MORE": str(more), "FAULT_ERRNO": str(error), **environment})
        self.assertNotIn("WRONG", done.stdout, (name, group, call, error))
        return done

    def test_no_locks(self):
        """HDF5 reads on without where the system does not know them, and where the user says so."""
        self.generate(*SMALL)
        self.assertEqual(self.failing("graph.h5", "lock", 1, errno.ENOSYS, -1).returncode, 0)
        for error in (errno.ENOLCK, errno.EOPNOTSUPP, 524):
            unlocked = self.failing("graph.h5", "lock", 1, error, -1, HDF5_USE_FILE_LOCKING="FALSE")
            self.assertEqual(unlocked.returncode, 0)
            done = self.failing("graph.h5", "lock", 1, error, -1)
            self.assertEqual(done.returncode, 3)
            self.assertIn("unable to lock file", done.stdout)

    def test_written_by_another_program(self):
        self.generate(*SMALL)
        with open(self.path("graph.h5"), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            done = self.rmat("verify", "graph.h5")
            self.assertEqual(done.returncode, 3)
            self.assertIn("graph.h5: opening the file: unable to lock file", done.stdout)
            env = {**os.environ, "HDF5_USE_FILE_LOCKING": "FALSE"}
            self.assertEqual(self.rmat("verify", "-q", "graph.h5", env=env).returncode, 0)

    def test_hdf5_that_does_not_start(self):
        """Allocations of its start fail.  After some it crashes, or ends the program with 255."""
        for words, refused, step in (["verify", "--help"], 3, 97), (["--version"], 1, 13):
            codes = set()
            for call in range(1, 2000, step):
                done = self.rmat(*words, env={
                    **os.environ, "LD_PRELOAD": os.environ["RMAT_FAULT"], "FAULT_GROUP": "alloc", "FAULT_CALL": str(call),
                    "FAULT_ERRNO": str(errno.ENOMEM)})
                if 0 <= done.returncode < 255:
                    codes.add(done.returncode)
                    if words == ["--version"]:
                        said = "rmat: HDF5 could not start, perhaps for lack of memory\n" if done.returncode else ""
                        self.assertTrue(done.stderr.endswith(said), done.stderr)
            self.assertEqual(codes, {0, refused})
