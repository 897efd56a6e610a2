"""What the command-line tests share.  RMAT in the environment names the program under test."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

RMAT = os.path.abspath(os.environ["RMAT"])
MODEL = ["--scale", "10", "--seed", "7"]
VERIFIED = set()  # commands of files that `rmat verify` has passed


class CliTest(unittest.TestCase):
    """Every test runs in an empty folder of its own."""

    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="rmat-cli-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def rmat(self, *args, **options):
        options.setdefault("cwd", self.folder)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        options.setdefault("timeout", 120)
        return subprocess.run([RMAT, *args], text=True, errors="surrogateescape", **options)

    def generate(self, *args, **options):
        """Run `rmat generate`, which must succeed, unless it is a dry run that finds no room; its --json
        summary.  The first file of every graph is verified."""
        done = self.rmat("generate", "--json", "--quiet", *args, **options)
        self.assertEqual(done.stderr, "", args)
        told = json.loads(done.stdout)
        self.assertEqual(done.returncode, 0 if told.get("fits", True) else 1, args)
        if "--dry-run" not in args and told["command"] not in VERIFIED and told["file_bytes"] < 8 << 20:
            VERIFIED.add(told["command"])
            checked = self.rmat("verify", "--quiet", told["file"], cwd=options.get("cwd", self.folder))
            self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, "", ""), args)
        return told

    def files(self):
        return sorted(os.listdir(self.folder))

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()


def has_gpu():
    """Is there a GPU for this build?  One that fails counts: its tests shall fail, not be skipped."""
    with tempfile.TemporaryDirectory(prefix="rmat-cli-") as folder:
        done = subprocess.run([RMAT, "generate", "-q", "--edges", "1", "--backend", "gpu"], cwd=folder,
                              capture_output=True, check=False, timeout=120)
    return b"no device is there" not in done.stderr


def skip_all(reason):
    print("skipped:", reason)
    sys.exit(77)
