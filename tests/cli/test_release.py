"""The script that makes the files of a release, in a clone of the checkout: the contents of the tarball, which needs
no compiler, and refusals.
"""

import hashlib
import os
import re
import shutil
import subprocess
import tarfile

from cli import CliTest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


VERSION = re.search(r'#define RMAT_VERSION\s+"([0-9.]+)"', read("rmat/rmat.h"))[1]


class Release(CliTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        if not os.path.exists(os.path.join(ROOT, ".git")) or not shutil.which("git"):
            self.skipTest("no clone, or no git")
        self.git(".", "clone", "-q", "--shared", ROOT, "clone")
        # What is being changed is tested, committed or not.
        shutil.copy(os.path.join(ROOT, "apps/package/release.sh"), "clone/apps/package/release.sh")
        self.news(VERSION)

    def news(self, version):
        """A commit whose CHANGES.md speaks of a version first."""
        with open("clone/CHANGES.md", "w", encoding="utf-8") as file:
            file.write(f"# Changes\n\n## {version}, 2099-01-01\n\n- New.\n")
        self.git("clone", "commit", "-qam", "News")

    def git(self, folder, *words):
        subprocess.run(["git", "-C", folder, "-c", "user.name=A", "-c", "user.email=a@b", "-c", "safe.directory=*", *words],
                       check=True)

    def release(self, *words, path=os.environ["PATH"]):
        return subprocess.run(["clone/apps/package/release.sh", *words], check=False, capture_output=True, text=True,
                              env={**os.environ, "PATH": path, "XZ_DEFAULTS": "-0"})  # soon, and large

    def refused(self, text, *words, **options):
        done = self.release(*words, **options)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, rf"\Arelease\.sh: .*{text}.*\n\Z")
        self.assertFalse(os.path.exists("new"))

    def test_sources(self):
        """They are those of the commit, nothing else; the same commit gives the same bytes; and checksums of all."""
        with open("clone/stray", "w", encoding="ascii") as file:
            file.write("not committed")
        name = f"rmat-{VERSION}/rmat-{VERSION}.tar.xz"
        found = []
        for folder in ("new", "again"):
            done = self.release(folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(f"{folder}/{name}", "rb") as file:
                found.append(hashlib.sha256(file.read()).hexdigest())
            with open(f"{folder}/rmat-{VERSION}/SHA256SUMS", encoding="ascii") as file:
                self.assertEqual(file.read(), f"{found[0]}  rmat-{VERSION}.tar.xz\n")
        self.assertEqual(*found)
        with tarfile.open(f"new/{name}") as file:
            members = {member.name for member in file if not member.isdir()}
        tracked = subprocess.run(["git", "-C", "clone", "ls-files"], check=True, capture_output=True, text=True).stdout
        self.assertEqual(members, {f"rmat-{VERSION}/{path}" for path in tracked.split("\n") if path})
        self.assertIn("exists already", self.release("new").stderr)

    def test_refusals(self):
        self.assertIn(f"\n## {VERSION}, ", read("CHANGES.md"))
        self.refused("one FOLDER is needed")
        os.mkdir("bin")
        for tool in ("bash", "env"):
            os.symlink(shutil.which(tool), f"bin/{tool}")
        self.refused("xz is needed, which is not here", "new", path=os.path.abspath("bin"))
        self.news("99.0.0")
        self.refused(f"speaks first of '99.0.0, 2099-01-01', not of {VERSION}", "new")
