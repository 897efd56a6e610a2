"""Summaries, JSON, progress: the right thing on the right stream."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
import unittest

import numpy

from cli import CliTest, MODEL, RMAT, command

# About two seconds of work.
SLOW = ["--scale", "20", "--edges", "8M", "--threads", "1", "RMAT_TEST_CHUNK=20", "--force"]


def on_terminal(test, name, words, columns=80, **options):
    """Runs a command whose stream of this name is a pseudo-terminal: its exit status, what the terminal got, and the text of the
    other stream."""
    try:
        master, slave = pty.openpty()
    except OSError:
        test.skipTest("no pseudo-terminals here")
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, name: slave}
    child = subprocess.Popen(words, cwd=test.folder, text=True, **streams, **options)
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
    return child.wait(), seen, "".join(filter(None, child.communicate()))


class Output(CliTest):
    def test_summary(self):
        """Also of a process bound to one processor, as mpirun binds a lone rank: it says why there is one thread."""
        allowed, processors = os.sched_getaffinity(0), os.sysconf("SC_NPROCESSORS_ONLN")
        text = self.silent("generate", *MODEL, "--backend", "cpu",
                           preexec_fn=lambda: os.sched_setaffinity(0, {min(allowed)}))
        for word in ("graph.h5", "16384", "fingerprint", "32-bit", "2^10"):
            self.assertIn(word, text)
        said = f": this process may use 1 of {processors} processors" if processors > 1 else ""
        self.assertRegex(text, rf"\nmade by      CPU, \w+, 1 thread{said}\n")
        self.assertEqual(self.files(), ["graph.h5"])
        for flag in ("-q", "--quiet"):
            self.assertEqual(self.silent("generate", *MODEL, flag, "--force"), "")

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

    def test_memory_stays_bounded(self):
        """Many threads at scale 30: all buffers within the default."""
        for args in (["--threads", "4096"], ["--threads", "1"], ["--memory", "1Mi"]):
            got = self.generate("--scale", "30", "--id-type", "uint64", "--dry-run", *args)
            self.assertLessEqual(got["buffer_bytes"], 1 << 20 if "--memory" in args else 128 << 20)

    def test_terminals(self):
        """The bar fits the terminal; a dumb terminal gets no escapes."""
        for columns in (200, 80, 60, 30):
            code, seen, _ = on_terminal(self, "stderr", command("generate", *SLOW), columns, env={**os.environ, "TERM": "xterm"})
            self.assertEqual(code, 0)
            drawn = [part for part in seen.decode().split("\r\x1b[K") if part and not part.endswith("\n")]
            self.assertGreater(len(drawn), 0, seen)
            self.assertLess(max(map(len, drawn)), columns)
            self.assertRegex(drawn[0], r"^ *0% ETA \?, 0 edges/s")
            self.assertRegex(drawn[-1], r"^ *\d+% ETA \d.*, .*edges/s, .*B/s$" if columns >= 60 else r"^ *\d+% ETA \d")
            self.assertTrue(seen.endswith(b"\r\x1b[K"), seen)
        dumb = on_terminal(self, "stderr", command("generate", *MODEL, "--force"), env={**os.environ, "TERM": "dumb"})
        self.assertEqual(dumb[:2], (0, b""))

    @unittest.skipUnless("RMAT_FAULT" in os.environ, "no library that moves the clock")
    def test_piped_progress(self):
        """A log gets one line each half minute: none of a short run, one of a run whose clock jumps by a minute once."""
        slow = [word for word in SLOW if not word.startswith("RMAT_TEST_")]  # no `env`: the fault begins in the first program
        jump = {**os.environ, "RMAT_TEST_CHUNK": "20", "LD_PRELOAD": os.environ["RMAT_FAULT"], "FAULT_MINUTE": "12"}
        for words, env, lines in (MODEL, None, r"\A\Z"), (slow, jump, r"\A *\d+% ETA .*, [\d.]+ .*edges/s, .*B/s\n\Z"):
            done = self.rmat("generate", *words, env=env)
            self.assertEqual(done.returncode, 0)
            self.assertRegex(done.stderr, lines)

    def test_reader_that_leaves_is_no_failure(self):
        child = subprocess.Popen([RMAT, "help", "generate"], cwd=self.folder, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
        child.stdout.close()
        self.assertEqual((child.wait(), child.stderr.read()), (0, b""))
        child.stderr.close()

    def test_closed_streams_stay_out_of_the_file(self):
        self.generate(*MODEL, "-o", "good.h5")
        for quiet, code in (("--quiet", 0), ("--json", 1)):  # the summary has nowhere to go
            with self.subTest(quiet):
                done = self.program("/bin/sh", "-c", f"'{RMAT}' generate {' '.join(MODEL)} {quiet} --force -o x.h5 >&- 2>&- <&-")
                self.assertEqual(done.returncode, code)
                self.assertTrue(self.read("x.h5") == self.read("good.h5"))

    def test_no_output_is_lost_unnoticed(self):
        """Standard output is closed or full: one line says so, and the exit status is 1, or 3 of verify."""
        self.generate(*MODEL, "-o", "g.h5")
        for words in ("generate --scale 9 -q --format el -o -", "generate --scale 9 -q --format mtx --sorted -o -",
                      "generate --scale 9 -q --json -o x.h5 --force", "generate --scale 9 --dry-run",
                      "generate --help", "generate -h", "convert -q g.h5 - --to el",
                      "convert -q g.h5 - --to bin32", "convert -q g.h5 x.el --json --force", "info g.h5", "info g.h5 --json",
                      "info --devices", "info --edges 1000 g.h5", "stats -q g.h5", "stats -q --json g.h5",
                      "roots -q g.h5", "verify g.h5", "verify g.h5 -q --json", "help", "help plot", "--version", "--help"):
            for where, why in ((">&-", "(it is closed|Bad file descriptor|a write failed)"), (">/dev/full", "(No space left on device|a write failed)")):
                with self.subTest(words, where=where):
                    done = self.program("/bin/sh", "-c", f"'{RMAT}' {words} {where}")
                    command = "" if words.startswith(("-", "help")) else " " + words.split()[0]
                    self.assertRegex(done.stderr, rf"\Armat{command}: standard output: {why}\n\Z")
                    self.assertEqual(done.returncode, 3 if command == " verify" else 1)

    def test_binary(self):
        """What is not text is not printed to a terminal unless --force asks for it."""
        self.generate("--scale", "3", "-o", "g.h5")
        for words, name in (("generate -q --scale 3 -o - --format @", "rmat generate: --output"),
                            ("convert -q g.h5 - --to @", "rmat convert: OUT")):
            def seen(to, *more, words=words):
                return on_terminal(self, "stdout", [RMAT, *words.replace("@", to).split(), *more])

            for to in ("bin32", "bin64"):
                with self.subTest(words, to=to):
                    message = f"{name}: '-' is a terminal, and {to} is not text, allowed: a file, a pipe, or --force\n"
                    self.assertEqual(seen(to), (2, b"", message))
                    code, out, err = seen(to, "--force")
                    self.assertEqual((code, err), (0, ""))
                    self.assertGreater(len(out), 100)
            code, out, err = seen("tsv")
            self.assertEqual((code, err), (0, ""), words)
            self.assertRegex(out, rb"\A(\d+\t\d+\r\n)+\Z")
            if words.startswith("generate"):
                code, _, err = seen("bin32", "--dry-run")
                self.assertEqual((code, err), (0, ""))


class Terminals(CliTest):
    """Names and labels from elsewhere reach a terminal, or a JSON object, without their control characters."""

    EVIL = "a\x1b]0;b\x07c\x7f\u009b31m\nfile         other"
    CLEAN = "a?]0;b?c??31m?file         other"

    def clean(self, *args):
        """What a command prints on both streams, which must hold no control characters but newlines."""
        done = self.rmat(*args)
        self.assertIn(done.returncode, (0, 1, 2), (args, done.stderr))
        for text in (done.stdout, done.stderr):
            self.assertNotRegex(text, r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", args)
        return done

    def test_names(self):
        name = self.EVIL + ".h5"
        self.assertIn(f"file         {self.CLEAN}.h5 (", self.clean("generate", *MODEL, "-o", name).stdout)
        self.assertEqual(self.files(), [name])
        for words in ("generate --dry-run --scale 8 -o @", "generate --scale 8 -o @", "info @", "stats @", "verify @",
                      "convert @ x.el --force", "convert @ @", "roots @", "plot @ --force", "generate -q --scale 8 --json -o @ --force",
                      "info --json @", "verify -q --json @", "convert -q --json @ x.el --force", "roots -q --json @"):
            with self.subTest(words):
                done = self.clean(*(word.replace("@", name) for word in words.split()))
                if "--json" in words:
                    self.assertEqual(json.loads(done.stdout)["in" if "convert" in words else "file"], name)
                elif not words.startswith(("roots", "plot")):
                    # Messages of libraries have blanks in place of the question marks.
                    self.assertIn(self.CLEAN + ".h5", done.stdout + re.sub(r"(?<=[abcm]) (?! )", "?", done.stderr))
                self.assertNotRegex(done.stdout + done.stderr, "(?m)^file +other")

    def test_attributes_of_others(self):
        self.generate(*MODEL, "-o", "g.h5")
        self.changed(lambda file: [file.attrs.__setitem__(name, numpy.bytes_(self.EVIL.encode())) for name in ("generator", "command", "model")], "g.h5")
        for words in ("info x.h5", "info --json x.h5", "verify x.h5", "verify --json x.h5", "convert x.h5 x.el",
                      "stats x.h5", "plot x.h5"):
            with self.subTest(words):
                self.clean(*words.split())
        self.assertIn(f"generator        {self.CLEAN}\n", self.clean("info", "x.h5").stdout)
