"""Files that Python's gzip and zstd's program compressed are read like those that they hold, and damaged ones are
refused; what rmat compresses is what it writes otherwise, for the same two."""

import gzip
import json
import os
import random
import shutil
import subprocess
import unittest
import zlib

from cli import FORMATS, MODEL, CliTest

ZSTD = shutil.which("zstd")
TEXT = "el wel tsv csv mtx".split()


def zstd(data, *options):
    return subprocess.run([ZSTD, "-c", "-q", *options], input=data, stdout=subprocess.PIPE, check=True).stdout


class CompressedTest(CliTest):
    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)

    def convert(self, *args, **options):
        done = self.rmat("convert", "-q", *args, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        return done.stdout

    def fails(self, line, *args, code=1, **options):
        before = self.files()
        done = self.rmat("convert", "-q", *args, **options)
        self.assertEqual((done.stderr, done.stdout, done.returncode), (f"rmat convert: {line}\n", "", code), args)
        self.assertEqual(self.files(), before)


class Reading(CompressedTest):
    def same(self, name, expected, **options):
        self.convert(name, "seen.h5", "--force", **options)
        self.assertEqual(self.read("seen.h5"), self.read(expected), name)

    def test_formats(self):
        """Each text format, larger than the buffers, by both programs."""
        self.generate("--scale", "15", "--edges", "400000", "--weights", "uniform")
        for kind in TEXT:
            plain = "g." + kind
            self.convert("graph.h5", plain)
            self.convert(plain, kind + ".h5")
            self.write(plain + ".gz", gzip.compress(self.read(plain), 1))
            self.same(plain + ".gz", kind + ".h5")
            if ZSTD:
                self.write(plain + ".zst", zstd(self.read(plain)))
                self.same(plain + ".zst", kind + ".h5")

    def test_commands(self):
        """What else reads graphs; and pairs, which are no text."""
        self.generate("--scale", "9")
        for kind in "tsv", "bin32":
            self.convert("graph.h5", "g." + kind)
            self.write(f"g.{kind}.gz", gzip.compress(self.read("g." + kind)))
            for command in "stats", "roots":
                one = self.rmat(command, "g." + kind)
                other = self.rmat(command, f"g.{kind}.gz")
                self.assertEqual((one.returncode, one.stdout.replace("g." + kind, f"g.{kind}.gz")),
                                 (other.returncode, other.stdout))
                self.assertEqual(other.returncode, 0, other.stderr)

    def test_standard_input(self):
        """By content, from a pipe and from a file; also where the name says nothing."""
        self.generate("--scale", "12")
        self.convert("graph.h5", "g.el")
        self.convert("g.el", "plain.h5")
        os.mkdir(self.path("spool"))
        environment = {**os.environ, "TMPDIR": self.path("spool")}
        for data in [gzip.compress(self.read("g.el"))] + ([zstd(self.read("g.el"))] if ZSTD else []):
            self.write("some", data)
            with open(self.path("some"), "rb") as file:
                self.convert("-", "seen.h5", "--force", "--from", "el", stdin=file, env=environment)
            self.assertEqual(self.read("seen.h5"), self.read("plain.h5"))
            with subprocess.Popen(["cat", self.path("some")], stdout=subprocess.PIPE) as pipe:
                self.convert("-", "seen.h5", "--force", "--from", "el", stdin=pipe.stdout, env=environment)
            self.assertEqual(self.read("seen.h5"), self.read("plain.h5"))
            self.convert("some", "seen.h5", "--force", "--from", "el", env=environment)
            self.assertEqual(self.read("seen.h5"), self.read("plain.h5"))
        self.assertEqual(os.listdir(self.path("spool")), [])

    def test_concatenated(self):
        """Members and frames one behind the other, empty ones and those that zstd skips among them."""
        lines = [b"%d %d\n" % (i, i * i) for i in range(1000)]
        self.write("g.el", b"".join(lines))
        self.convert("g.el", "g.h5")
        parts = [b"", b"".join(lines[:1]), b"".join(lines[1:500]), b"", b"".join(lines[500:]), b""]
        self.write("g.el.gz", b"".join(gzip.compress(part) for part in parts))
        self.same("g.el.gz", "g.h5")
        if ZSTD:
            skipped = b"\x50\x2a\x4d\x18\x03\0\0\0abc"
            self.write("g.el.zst", skipped + skipped.join(zstd(part, "--check") for part in parts))
            self.same("g.el.zst", "g.h5")

    def test_empty(self):
        self.write("g.el", b"")
        self.write("g.el.gz", gzip.compress(b""))
        self.convert("g.el", "g.h5", "--vertices", "5")
        self.convert("g.el.gz", "seen.h5", "--vertices", "5")
        self.assertEqual(self.read("seen.h5"), self.read("g.h5"))

    def test_buffers(self):
        """Text whose length, compressed or not, is at or beside that of the buffers: random digits hardly shrink."""
        digits = random.Random(5)
        line = "".join("%d %d\n" % (digits.getrandbits(60), digits.getrandbits(60)) for _ in range(40000)).encode()
        for length in (1 << 20) - 1, 1 << 20, (1 << 20) + 1:
            text = line[:length - 1] + b"\n"
            text = text if text[-2:-1].isdigit() else text[:-2] + b"7\n"
            self.write("g.tsv", b"# " + b"x" * 20 + b"\n" + text[23:])
            text = self.read("g.tsv")
            self.assertEqual(len(text), length)
            done = self.rmat("convert", "-q", "g.tsv", "plain.h5", "--force")
            for level in 0, 1:
                self.write("g.tsv.gz", gzip.compress(text, level))
                seen = self.rmat("convert", "-q", "g.tsv.gz", "seen.h5", "--force")
                self.assertEqual((seen.returncode, seen.stderr.replace(".gz", "")), (done.returncode, done.stderr))
                if done.returncode == 0:
                    self.assertEqual(self.read("seen.h5"), self.read("plain.h5"))


class Damage(CompressedTest):
    TEXT = b"".join(b"%d %d\n" % (i, 7 * i) for i in range(3000))

    def test_gzip(self):
        good = gzip.compress(self.TEXT)
        flipped = bytearray(good)
        flipped[-6] ^= 1  # of the checksum
        for data, said in (
                (b"", "is not compressed by gzip, as its name says"),
                (b"1 2\n", "is not compressed by gzip, as its name says"),
                (good[:1], "is not compressed by gzip, as its name says"),
                (good[:5], "ends at byte 5, in the middle of its compressed data"),
                (good[:-1], f"ends at byte {len(good) - 1}, in the middle of its compressed data"),
                (good + good[:40], f"ends at byte {len(good) + 40}, in the middle of its compressed data"),
                (good + b"xyz", f"damaged at byte {len(good) + 2}: incorrect header check"),
                (bytes(flipped), f"damaged at byte {len(good) - 4}: incorrect data check")):
            self.write("g.el.gz", data)
            self.fails("g.el.gz: " + said, "g.el.gz", "out.h5")
        self.assertEqual(zlib.decompress(good, 31), self.TEXT)

    @unittest.skipIf(ZSTD is None, "needs zstd")
    def test_zstd(self):
        good = zstd(self.TEXT, "--check")
        flipped = bytearray(good)
        flipped[-1] ^= 1
        for data, said in (
                (b"1 2\n", "is not compressed by zstd, as its name says"),
                (gzip.compress(self.TEXT), "is not compressed by zstd, as its name says"),
                (good[:-1], f"ends at byte {len(good) - 1}, in the middle of its compressed data"),
                (good + good[:9], f"ends at byte {len(good) + 9}, in the middle of its compressed data")):
            self.write("g.el.zst", data)
            self.fails("g.el.zst: " + said, "g.el.zst", "out.h5")
        for data in bytes(flipped), good + b"xyzabc":
            self.write("g.el.zst", data)
            done = self.rmat("convert", "-q", "g.el.zst", "out.h5")
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertRegex(done.stderr, r"\Armat convert: g\.el\.zst: damaged at byte [0-9]+: [^\n]+\n\Z")
            self.assertEqual(self.files(), ["g.el.zst"])

    def test_what_it_holds(self):
        """Lines are counted in the text."""
        self.write("g.el.gz", gzip.compress(b"1 2\n3 x\n"))
        self.fails("g.el.gz: line 2: '3 x': dst is 'x', expected 0 to 4611686018427387903", "g.el.gz", "out.h5")

    def test_weights_beside(self):
        """A list in two files: its weights are not lost without a word."""
        self.assertEqual(self.rmat("generate", "-q", *MODEL, "--weights", "uniform", "-o", "g.g500").returncode, 0)
        with gzip.open(self.path("g.g500.gz"), "wb") as file:
            file.write(self.read("g.g500"))
        self.fails("g.g500.gz: its weights in g.g500.weights cannot be read if the file is compressed; decompress both first", "g.g500.gz", "out.h5")
        os.remove(self.path("g.g500.weights"))
        self.assertEqual(self.rmat("convert", "-q", "g.g500.gz", "out.h5").returncode, 0)

    def test_room(self):
        self.write("g.el.gz", gzip.compress(b"1 2\n"))
        folder = self.path("no")
        self.fails(f"{folder}: a copy of g.el.gz: No such file or directory", "g.el.gz", "out.h5",
                   env={**os.environ, "TMPDIR": folder})

    def test_names(self):
        self.generate("--scale", "5", "--edges", "9")
        self.write("g.gz", gzip.compress(b"1 2\n"))
        self.fails("g.gz: neither its contents nor its name tell the format; give it by --from: " + ", ".join(FORMATS), "g.gz", "out.h5")
        self.fails("OUT x.npy.gz: npy is not written compressed as a whole, allowed: el, wel, tsv, csv, mtx, mtxsym, gr, "
                   "metis; --to takes any name", "graph.h5", "x.npy.gz", code=2)


# Several blocks, and the last edge of one.
GRAPHS = {
    "el": ["--edges", "300K"], "wel": ["--weights", "uniform"], "tsv": ["--weights", "int:0:9"],
    "csv": ["--columns", "a,b", "--sorted"], "mtx": ["--unique", "--edges", "100K"], "gr": ["--edges", "65536"],
    "graph": ["--simple"],
}


class Writing(CompressedTest):
    def make(self, *args):
        done = self.rmat("generate", "--json", *args)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        return json.loads(done.stdout)

    def opened(self, name):
        data = self.read(name)
        return gzip.decompress(data) if name.endswith(".gz") else zstd(data, "-d")

    def test_same_text(self):
        """For any number of threads, buffers, and by convert; each member can be decompressed alone."""
        for kind, graph in GRAPHS.items():
            graph = ["--scale", "14", *graph, "--quiet", "--force"]
            self.make(*graph, "-o", "g." + kind)
            for suffix in ".gz", ".zst" if ZSTD else "":
                name = f"g.{kind}{suffix}"
                with self.subTest(name=name):
                    if suffix:
                        self.make(*graph, "-o", name, "--threads", "1")
                        self.assertTrue(self.opened(name) == self.read("g." + kind))
                        told = self.make(*graph, "-o", "o" + name, "--threads", "3", "RMAT_TEST_CHUNK=9999")
                        self.assertTrue(self.read("o" + name) == self.read(name))
                        self.assertEqual(told["file_bytes"], len(self.read(name)))
                        sizes = self.make(*graph, "-o", name, "--dry-run")["file_bytes"]
                        self.assertGreater(sizes, told["file_bytes"])
                        for command in (["convert", "--to", "h5", "--vertices", "16384"], ["stats"]):
                            out = ["o.h5"] if command[0] == "convert" else []
                            done = [self.rmat(command[0], "-q", "--json", each, *out, *command[1:], *(["--force"] if out else []))
                                    for each in (name, "g." + kind)]
                            self.assertEqual([d.returncode for d in done], [0, 0])
            if kind in ("el", "csv"):
                for name in (f"g.{kind}.gz", f"g.{kind}.zst")[:2 if ZSTD else 1]:
                    more = [] if kind == "el" else ["--columns", "a,b"]
                    self.convert("g." + kind, "o." + name, *more)
                    self.assertTrue(self.read("o." + name) == self.read(name))

    def test_members(self):
        """They begin at fixed edges: the text of each is that of 65536 edges."""
        self.make("--scale", "14", "--edges", "200K", "-q", "-o", "g.el.gz")
        data, lengths = self.read("g.el.gz"), []
        while data:
            member = zlib.decompressobj(31)
            lengths.append(member.decompress(data).count(b"\n"))
            self.assertTrue(member.eof)
            data = member.unused_data
        self.assertEqual(lengths, [65536, 65536, 65536, 200_000 - 3 * 65536])

    def test_empty(self):
        for name in ("g.el.gz", "g.graph.zst")[:2 if ZSTD else 1]:
            self.make("--vertices", "1M", "--edges", "0", "--simple", "-q", "-o", name)
            wanted = b"" if name == "g.el.gz" else 1_000_000 * b"\n"
            self.assertTrue(self.opened(name).endswith(wanted))
            self.assertLess(len(self.read(name)), 1000)

    def test_refused(self):
        done = self.rmat("generate", "--scale", "5", "--resume", "-o", "g.el.gz")
        self.assertEqual((done.returncode, done.stderr), (2, "rmat generate: --resume: given for a compressed file, allowed: for "
                                                             "one whose name does not end with .gz or .zst\n"))
        self.assertEqual(self.files(), [])


if __name__ == "__main__":
    unittest.main()
