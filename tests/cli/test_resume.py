"""Runs that are killed or stopped, and go on: the same bytes; and what must not be continued."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from cli import CliTest, command

# A list, sorted lists and CSR in 9 or 10 intervals, shards, text and pairs: each with its suffix.  Under the sanitizers,
# where a run takes longer, half of the edges.
LESS = 2 if "RMAT_SANITIZED" in os.environ else 1
MEMORY = ["--memory", f"{8 >> LESS}Mi"]
GRAPHS = [("h5", ["--scale", f"{18 - LESS}", "--weights", "uniform"]),
          ("h5", ["--scale", f"{18 - LESS}", "--sorted", *MEMORY]),
          ("h5", ["--scale", f"{16 - LESS}", "--symmetrize", "--dedup", *MEMORY]),
          ("h5", ["--scale", f"{18 - LESS}", "--layout", "sharded", "--id-type", "int32"]),
          ("h5", ["--scale", f"{18 - LESS}", "--format", "csr", *MEMORY]),
          ("el", ["--scale", f"{18 - LESS}"]),
          ("mtx", ["--scale", f"{17 - LESS}", "--weights", "int:1:9"]),
          ("bin64", ["--scale", f"{18 - LESS}"])]
MOMENTS = [3] if LESS > 1 else [1, 3, 7]  # at which it is killed: records that it has made
LONG = ["--scale", f"{20 - LESS}"]  # takes a while to make
OFTEN = ["--checkpoint", "0.001", "--threads", "1", "RMAT_TEST_CHUNK=8192"]


class InMemory(CliTest):
    """Records are synced: a folder in memory makes that fast."""

    def setUp(self):
        super().setUp()
        if os.path.isdir("/dev/shm"):
            shutil.rmtree(self.folder)
            self.folder = tempfile.mkdtemp(prefix="rmat-cli-", dir="/dev/shm")
            self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)


class Resume(InMemory):
    def test_formats_in_help(self):
        """They are those that a refusal names."""
        refusal = self.rmat("generate", "--resume", "-o", "x.sg").stderr
        text = " ".join(self.rmat("help", "generate").stdout.split())
        self.assertIn("For h5, csr, and lists in " + refusal.strip().split("lists as ")[1] + " -", text)

    def partial(self, *args, name="x.h5", stop=signal.SIGKILL, least=1):
        """Start a run and stop it after so many records; False: it was too fast."""
        record = self.path(name + ".partial.resume")
        seen, last = 0, None
        with subprocess.Popen(command("generate", "-q", *args, *OFTEN, "-o", name), cwd=self.folder,
                              stderr=subprocess.PIPE, text=True) as child:
            while child.poll() is None and seen < least:
                try:
                    now = os.stat(record).st_ino
                    seen, last = seen + (now != last), now
                except FileNotFoundError:
                    pass
                time.sleep(0.0005)
            child.send_signal(stop)
            self.said = child.communicate()[1]
            self.status = child.returncode
        return os.path.exists(record)

    def tree(self, name):
        found = {}
        for folder, _, files in os.walk(self.path(name) if os.path.isdir(self.path(name)) else self.folder):
            for file in files:
                if file.startswith("x.") or folder.endswith(".shards"):
                    found[file] = self.read(os.path.join(folder, file))
        return found

    def test_killed_anywhere(self):
        """On a busy machine a run may end before its record is seen: if all did, there are more tries."""
        for suffix, args in GRAPHS:
            name, resumed = "x." + suffix, 0
            with self.subTest(args=args):
                shutil.rmtree(self.folder)
                os.makedirs(self.path("right"))
                self.generate(*args, "-o", name, cwd=self.path("right"))
                for records in MOMENTS + [1] * 20:
                    if records == 1 and resumed:
                        break
                    if self.partial(*args, name=name, least=records):
                        self.assertFalse(os.path.exists(self.path(name)))
                        self.partial(*args, "--resume", name=name, least=records)  # killed once more
                    told = self.generate(*args, "--resume", "-o", name, *(["--force"] if os.path.exists(
                        self.path(name)) else []))
                    resumed += told["resumed_edges"] > 0
                    self.assertTrue(self.tree(".") == self.tree("right"), args)
                    shutil.rmtree(self.path(name + ".shards"), ignore_errors=True)
                    os.remove(self.path(name))
                self.assertGreater(resumed, 0)
                self.assertEqual(self.files(), ["right"])

    def test_kept(self):
        """After a signal: exit status 75; after an error, too."""
        args = [*LONG, "--resume"]
        self.assertTrue(self.partial(*args, stop=signal.SIGTERM))
        self.assertEqual((self.status, self.said),
                         (75, "rmat generate: stopped by SIGTERM, --resume goes on with 'x.h5.partial'\n"))
        self.assertEqual(self.files(), ["x.h5.partial", "x.h5.partial.resume"])
        told = self.generate(*LONG, "--resume", "-o", "x.h5")
        self.assertGreater(told["resumed_edges"], 0)
        self.generate(*LONG, "-o", "y.h5")
        self.assertTrue(self.read("x.h5") == self.read("y.h5"))

    def test_not_kept(self):
        """Without the option a signal leaves nothing, and a run that does not resume begins anew."""
        self.partial(*LONG, stop=signal.SIGTERM)
        self.assertEqual((self.status, self.files()), (143, []))
        self.assertTrue(self.partial(*LONG))
        self.assertEqual(self.generate("--scale", "10", "-o", "x.h5")["resumed_edges"], 0)
        self.assertEqual(self.files(), ["x.h5"])

    def refuses(self, message, *args):
        before = {name: self.read(name) for name in self.files()}
        done = self.rmat("generate", "-q", *args, "--resume")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Armat generate: x\.\w+\.partial" + message + r"\n\Z")
        self.assertEqual([name for name in self.files() if self.read(name) != before.get(name)], [])

    def test_another_graph(self):
        self.assertTrue(self.partial(*LONG))
        self.refuses(r": was begun by a different command, or is damaged, and cannot be resumed: its metadata differs at byte \d+\. .*", *LONG, "--seed", "2",
                     "-o", "x.h5")
        self.refuses(r": was begun by a different command, or is damaged, and cannot be resumed: its metadata differs at byte \d+\. .*", *LONG, "--format",
                     "csr", "-o", "x.h5")
        self.refuses(r": was begun by a different command, or is damaged, and cannot be resumed: its metadata differs at byte \d+\. .*", *LONG, "--id-type",
                     "int32", "-o", "x.h5")
        self.assertTrue(self.partial(*LONG, name="x.el"))
        self.refuses(": was begun by a different command and cannot be resumed. .*", *LONG, "--seed", "2", "-o", "x.el")

    def test_changed(self):
        """A changed byte: of HDF5 in a sample, of text and pairs anywhere; of the record."""
        for name in "x.h5", "x.el", "x.bin32":
            self.assertTrue(self.partial(*LONG, name=name))
            record = self.read(name + ".partial.resume")
            if name == "x.h5":
                places = [int(re.search(rb"sample (\d+) ", record)[1])]
                said = r": byte \d+ is not what was written there: the file was changed since"
            else:
                end = int(re.search(rb"place \d+ \d+ (\d+) ", record)[1])
                places = [0, end // 3, end // 2 + 4321, end - 1]
                said = f": the first {end} bytes are not those that were written; a run that does not resume replaces them"
            for at in places:
                self.flip(name + ".partial", at)
                self.refuses(said, *LONG, "-o", name)
                self.flip(name + ".partial", at)
            if name != "x.h5":
                with open(self.path(name + ".partial"), "r+b") as file:
                    whole = file.read()
                    file.truncate(end - 1)
                self.refuses(said, *LONG, "-o", name)
                with open(self.path(name + ".partial"), "wb") as file:
                    file.write(whole)
            self.flip(name + ".partial.resume", 20)
            self.refuses(r"\.resume: is not a record of a run to be resumed, or is damaged", *LONG, "-o", name)
            self.flip(name + ".partial.resume", 20)
            self.assertGreater(self.generate(*LONG, "--resume", "-o", name)["resumed_edges"], 0)

    def state(self, name):
        """Of a file that nobody writes to; it may be read."""
        found = os.stat(self.path(name))
        return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns

    def test_complete(self):
        """What is complete is left as it is, by the same command; another one is refused as ever."""
        for args in (["--scale", "8"], ["--scale", "8", "--unique", "--symmetrize"], ["--scale", "8", "--format", "csr"],
                     ["--scale", "8", "--weights", "int:1:9", "--permute", "--sorted", "--memory", "2Mi"],
                     ["--scale", "8", "--edges", "0"]):
            with self.subTest(args=args):
                made = self.generate(*args, "-o", "x.h5", "--force")
                before = self.state("x.h5")
                for more in [], ["--threads", "3"]:
                    told = self.generate(*args, "-o", "x.h5", "--resume", *more)
                    for key in "edges", "stream_edges", "fingerprint", "file_bytes", "command":
                        self.assertEqual(told[key], made[key], key)
                    self.assertEqual(told["resumed_edges"], made["edges"])
                done = self.rmat("generate", *args, "-o", "x.h5", "--resume")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertIn("\nresumed      already complete\n", done.stdout)
                done = self.rmat("generate", *args, "-o", "x.h5", "--resume", "--dry-run", "-q")
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                for more in ["--seed", "2"], ["--id-type", "uint64"], ["--id-type", "int32"]:
                    done = self.rmat("generate", *args, *more, "-o", "x.h5", "--resume")
                    self.assertEqual((done.returncode, done.stderr),
                                     (1, "rmat generate: x.h5: already exists, --force replaces it\n"))
                self.assertEqual((self.files(), self.state("x.h5")), (["x.h5"], before))

    def test_complete_shard(self):
        """A job array that is started again leaves the shards that are there."""
        args = ["--scale", "8", "--shard", "1/3", "-o", "x.h5"]
        made = self.generate(*args)
        file = "x.h5.shards/00001.h5"
        before = self.state(file)
        told = self.generate(*args, "--resume")
        self.assertEqual([told["resumed_edges"], told["fingerprint"]], [made["edges"], made["fingerprint"]])
        for more in ["--seed", "2"], ["--shard", "1/4"]:
            done = self.rmat("generate", *args, *more, "--resume")
            self.assertEqual((done.returncode, done.stderr), (1, f"rmat generate: {file}: already exists, --force replaces it\n"))
        for k in "0", "2":
            self.generate("--scale", "8", "--shard", f"{k}/3", "-o", "x.h5", "--resume")
        self.assertEqual(self.state(file), before)

    def flip(self, name, at):
        with open(self.path(name), "r+b") as file:
            file.seek(at)
            byte = file.read(1)[0]
            file.seek(at)
            file.write(bytes([byte ^ 1]))

    def test_usage(self):
        for args in (["--format", "parquet"], ["--format", "npy"],
                     ["--format", "el", "--sorted"], ["--format", "el", "-o", "-"]):
            with self.subTest(args=args):
                done = self.rmat("generate", "--resume", *args)
                self.assertEqual((done.returncode, done.stdout, self.files()), (2, "", []), args)
                self.assertRegex(done.stderr, r"\Armat generate: .* given (with|for) .*, allowed: .*\n\Z")


if __name__ == "__main__":
    unittest.main()
