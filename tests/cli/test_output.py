"""Summaries, JSON, progress: the right thing on the right stream."""

import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import termios
import time
import unittest

from cli import CliTest, MODEL, RMAT

# About two seconds of work.
SLOW = ["--scale", "20", "--threads", "1", "--chunk", "100", "--io", "hdf5", "--force"]


class Output(CliTest):
    def test_summary_and_progress(self):
        done = self.rmat("generate", *MODEL)
        self.assertEqual(done.returncode, 0)
        for word in ("graph.h5", "16384", "fingerprint", "32-bit", "2^10"):
            self.assertIn(word, done.stdout)
        self.assertRegex(done.stderr, r"\A100% 16.4 k edges in [\d.]+ s, .*edges/s, .*B/s\n\Z")
        self.assertEqual(self.files(), ["graph.h5"])

    def test_quiet_is_silent(self):
        for flag in ("-q", "--quiet"):
            done = self.rmat("generate", *MODEL, flag, "--force")
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_json(self):
        done = self.rmat("generate", *MODEL, "--json", "-o", 'a "b"\\\u00fc\t.h5')
        self.assertEqual(done.returncode, 0)
        self.assertEqual(done.stdout.count("\n"), 1)
        got = json.loads(done.stdout)
        self.assertEqual(got["file"], 'a "b"\\\u00fc\t.h5')
        self.assertEqual((got["edges"], got["num_rows"], got["num_cols"], got["seed"], got["id_bits"]),
                         (16384, 1024, 1024, 7, 32))
        self.assertEqual((got["a"], got["b"], got["c"], got["d"]), (0.57, 0.19, 0.19, 0.05))
        self.assertRegex(got["fingerprint"], r"\A0x[0-9a-f]{16}\Z")
        self.assertEqual(got["file_bytes"], os.path.getsize(self.path(got["file"])))
        parts = got["create_seconds"] + got["generate_write_seconds"] + got["commit_seconds"]
        self.assertAlmostEqual(parts, got["seconds"], places=6)
        self.assertGreater(got["edges_per_second"], 0)
        self.assertEqual(got["backend"], "cpu")

    def test_json_of_a_name_that_is_not_utf8(self):
        name = b"caf\xe9.h5"
        done = subprocess.run([RMAT.encode(), b"generate", b"--scale", b"5", b"--json", b"-o", name],
                              cwd=self.folder, capture_output=True, check=True)
        self.assertEqual(json.loads(done.stdout.decode("utf-8"))["file"], "caf\ufffd.h5")

    def test_seed_and_sizes_of_64_bits(self):
        got = self.generate("--scale", "62", "--edges", "3", "--seed", "18446744073709551615")
        self.assertEqual((got["num_rows"], got["seed"]), (1 << 62, (1 << 64) - 1))

    def test_dry_run(self):
        got = self.generate("--scale", "40", "--dry-run")
        self.assertEqual(self.files(), [])
        self.assertEqual((got["edges"], got["id_bits"]), (16 << 40, 64))
        self.assertLess(abs(got["file_bytes"] - (16 << 40) * 16), 1 << 26)
        self.assertFalse(got["fits"])
        self.assertGreater(got["measured_edges_per_second"], 1e6)
        self.assertAlmostEqual(got["write_seconds"], got["file_bytes"] / 1e9, places=3)
        self.assertLessEqual(got["buffer_bytes"], 128 << 20)
        self.assertEqual((got["backend"], got["device_bytes"]), ("cpu", 0))
        done = self.rmat("generate", "--scale", "10", "--dry-run", "-o", "no/such/folder.h5")
        self.assertEqual((done.returncode, done.stderr), (1, "rmat generate: no: there is no such folder\n"))
        self.assertIn("unknown: No such file", done.stdout)
        self.assertEqual(self.files(), [])

    def test_dry_run_foretells_the_size(self):
        for args in (["--scale", "12"], ["--scale", "12", "--id-bits", "64"],
                     ["--scale", "40", "--edges", "1M"], ["--scale", "5", "--edges", "0"]):
            told = self.generate(*args, "--dry-run")
            made = self.generate(*args, "--force")
            self.assertLessEqual(abs(told["file_bytes"] - made["file_bytes"]), 1 << 20)
            self.assertEqual(told["command"], made["command"])

    def test_counts_with_suffixes(self):
        for text, edges in (("0", 0), ("007", 7), ("3k", 3000), ("3K", 3000), ("3M", 3 * 10**6),
                            ("16G", 16 * 10**9), ("3T", 3 * 10**12), ("3P", 3 * 10**15),
                            ("3Ki", 3 << 10), ("3Mi", 3 << 20), ("3Gi", 3 << 30), ("3Ti", 3 << 40),
                            ("4096Pi", 1 << 62)):
            told = self.generate("--dry-run", "--edges", text)
            self.assertEqual(told["edges"], edges, text)

    def test_wall_time(self):
        begin = time.monotonic()
        self.rmat("generate", "--scale", "20", check=True)
        print(f"rmat generate --scale 20: {time.monotonic() - begin:.3f} s")
        self.assertLess(time.monotonic() - begin, 30)

    def test_memory_stays_bounded(self):
        """Many threads at scale 30: all buffers within the default."""
        for args in (["--threads", "4096"], ["--threads", "1"], ["--memory", "1Mi"]):
            got = self.generate("--scale", "30", "--id-bits", "64", "--dry-run", *args)
            self.assertLessEqual(got["buffer_bytes"], 1 << 20 if "--memory" in args else 128 << 20)

    def run_on_terminal(self, args, columns, environment=None):
        """Everything the program prints when stderr is a terminal of this width."""
        try:
            master, slave = pty.openpty()
        except OSError:
            self.skipTest("no pseudo-terminals here")
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        child = subprocess.Popen([RMAT, "generate", *args], cwd=self.folder, stderr=slave,
                                 stdout=subprocess.DEVNULL,
                                 env={**os.environ, "TERM": "xterm", **(environment or {})})
        os.close(slave)
        seen = b""
        while True:
            try:
                block = os.read(master, 65536)
            except OSError:
                break
            if not block:
                break
            seen += block
        os.close(master)
        self.assertEqual(child.wait(), 0)
        return seen.decode().replace("\r\n", "\n")

    def test_bar_fits_the_terminal(self):
        for columns in (200, 80, 30):
            text = self.run_on_terminal(SLOW, columns)
            drawn = [part for part in text.split("\r\x1b[K") if part and not part.endswith("\n")]
            self.assertGreater(len(drawn), 0, text)
            self.assertLess(max(map(len, drawn)), columns)
            if columns >= 80:
                self.assertRegex(drawn[-1], r"^ *\d+% \[=* *\] .*edges/s, .*B/s, ETA ")
            self.assertRegex(text, r"100% 16.8 M edges in .*\n\Z")

    def test_dumb_terminal_gets_no_escapes(self):
        text = self.run_on_terminal(MODEL, 80, {"TERM": "dumb"})
        self.assertNotIn("\x1b", text)
        self.assertEqual(text.count("\n"), 1)

    def test_piped_progress_every_few_seconds(self):
        """Held up for five seconds in mid-run, it prints a line per five seconds and a final one."""
        begin = time.monotonic()
        child = subprocess.Popen([RMAT, "generate", *SLOW], cwd=self.folder,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(0.3)
        child.send_signal(signal.SIGSTOP)
        time.sleep(5)
        child.send_signal(signal.SIGCONT)
        lines = child.communicate()[1].splitlines()
        self.assertEqual(child.returncode, 0)
        self.assertGreaterEqual(len(lines), 2, lines)
        self.assertLessEqual(len(lines), 1 + (time.monotonic() - begin) / 5, lines)
        self.assertRegex(lines[0], r"\A *\d+% [\d.]+ .*edges/s, .*B/s, ETA ")
        self.assertRegex(lines[-1], r"\A100% 16.8 M edges in ")

    def test_reader_that_leaves_is_no_failure(self):
        child = subprocess.Popen([RMAT, "help", "generate"], cwd=self.folder, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        child.stdout.close()
        self.assertEqual((child.wait(), child.stderr.read()), (0, b""))
        child.stderr.close()

    def test_full_stdout_is_a_failure(self):
        with open("/dev/full", "w", encoding="ascii") as full:
            done = self.rmat("generate", *MODEL, "-o", "x.h5", stdout=full)
        self.assertEqual(done.returncode, 1)
        self.assertIn("rmat generate: standard output: No space left on device\n", done.stderr)

    def test_closed_streams_stay_out_of_the_file(self):
        self.generate(*MODEL, "-o", "good.h5")
        subprocess.run(["/bin/sh", "-c", f"'{RMAT}' generate {' '.join(MODEL)} -o x.h5 >&- 2>&- <&-"],
                       cwd=self.folder, check=True)
        self.assertTrue(self.read("x.h5") == self.read("good.h5"))


if __name__ == "__main__":
    unittest.main()
