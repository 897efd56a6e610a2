"""Malformed files of other formats: one line that says where and what, exit code 1, and nothing left."""

import os
import resource
import struct
import sys
import unittest

from cli import CliTest

HIGHEST = "4611686018427387903"
ID = f"expected 0 to {HIGHEST}"
FLOAT = "expected a number that float32 can hold"
MTX = "%%MatrixMarket matrix coordinate "
BANNER = f"expected '{MTX}pattern|integer|real general|symmetric'"

# format, content, what is said of it
BAD = [
    ("el", "1 2\n3 x\n", f"line 2: '3 x': dst is 'x', {ID}"),
    ("el", "# c\n\n1 2\r\n-3 4\r\n", f"line 4: '-3 4': src is '-3', {ID}"),
    ("el", "1.5 2\n", f"line 1: '1.5 2': src is '1.5', {ID}"),
    ("el", "1 2.0\n", f"line 1: '1 2.0': dst is '2.0', {ID}"),
    ("el", "7\n", "line 1: '7': no dst, expected 'src dst'"),
    ("el", "1 2\n \t3 \t", "line 2: ' \t3 \t': no dst, expected 'src dst'"),
    ("el", "1 2 3\n", "line 1: '1 2 3': too many columns, expected 'src dst' (wel has weights)"),
    ("el", "4611686018427387904 0\n", f"line 1: '4611686018427387904 0': src is '4611686018427387904', {ID}"),
    ("el", "0 18446744073709551617\n", f"line 1: '0 18446744073709551617': dst is '18446744073709551617', {ID}"),
    ("el", "0,1\n", f"line 1: '0,1': src is '0,1', {ID}"),
    ("el", "0 \x001\n", f"line 1: '0 ?1': dst is '?1', {ID}"),
    ("el", "1 2\n\x1b[31mred 1\n", f"line 2: '?[31mred 1': src is '?[31mred', {ID}"),
    ("el", "0 1\n" + "9" * 100 + " 1\n", f"line 2: '{'9' * 48}...': src is '{'9' * 28}...', {ID}"),
    ("el", "1 2\n#" + "x" * 70000 + "\n", f"line 2: '#{'x' * 47}...': longer than 65536 bytes"),
    ("el", "1 2\n" + "7" * 3000000, f"line 2: '{'7' * 48}...': longer than 65536 bytes"),
    ("el", "1 2\n" * 700000 + "1 2 3\n" + "x\n" * 700000,
     "line 700001: '1 2 3': too many columns, expected 'src dst' (wel has weights)"),
    ("el", "\x89HDF", f"line 1: '?HDF': src is '?HDF', {ID}"),
    ("wel", "1 2 3\n1 2\n", "line 2: '1 2': no weight, expected 'src dst weight'"),
    ("wel", "1 2 abc\n", f"line 1: '1 2 abc': weight is 'abc', {FLOAT}"),
    ("wel", "1 2 nan\n", f"line 1: '1 2 nan': weight is 'nan', {FLOAT}"),
    ("wel", "1 2 1e39\n", f"line 1: '1 2 1e39': weight is '1e39', {FLOAT}"),
    ("wel", "1 2 0x10\n", f"line 1: '1 2 0x10': weight is '0x10', {FLOAT}"),
    ("wel", "1 2 3 4\n", "line 1: '1 2 3 4': too many columns, expected 'src dst weight'"),
    ("tsv", "#c\n1\t2\t3\n4\t5\n", "line 3: '4\t5': no weight, expected 'src dst weight'"),
    ("tsv", "1\t2\n4\t5\t6\n", "line 2: '4\t5\t6': too many columns, expected 'src dst'"),
    ("csv", "src,dst\n1,2\n4,5,6\n", "line 3: '4,5,6': too many columns, expected 'src,dst'"),
    ("csv", "src,dst,weight\n1,2,3\n4,5\n", "line 3: '4,5': no weight, expected 'src,dst,weight'"),
    ("csv", "a,b\n1,x\n", f"line 2: '1,x': dst is 'x', {ID}"),
    ("csv", "a,b\n1,,2\n", f"line 2: '1,,2': dst is '', {ID}"),
    ("csv", "a,b\n\"1\",\"2\"\n", f"line 2: '\"1\",\"2\"': src is '\"1\"', {ID}"),
    ("mtx", "", f"is empty, {BANNER}"),
    ("mtx", "1 1 1\n1 1\n", f"line 1: '1 1 1': {BANNER}"),
    ("mtx", MTX + "complex general\n1 1 0\n", f"line 1: '{MTX}complex general': {BANNER}"),
    ("mtx", MTX + "real skew-symmetric\n1 1 0\n", f"line 1: '{MTX}real skew-symme...': {BANNER}"),
    ("mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n",
     f"line 1: '%%MatrixMarket matrix array real general': {BANNER}"),
    ("mtx", MTX + "pattern general\n% c\n\n", "no line 'rows columns entries' in the first 54 bytes"),
    ("mtx", MTX + "pattern general\n% c\n3 x 1\n1 1\n",
     "line 3: '3 x 1': expected 'rows columns entries', each up to 2^62"),
    ("mtx", MTX + "pattern general\n3 3 1 1\n1 1\n",
     "line 2: '3 3 1 1': expected 'rows columns entries', each up to 2^62"),
    ("mtx", MTX + "pattern general\n% c\n3 3 2\n1 1\n% d\n1 4\n", "line 6: '1 4': column is '4', expected 1 to 3"),
    ("mtx", MTX + "pattern general\n3 3 1\n0 1\n", "line 3: '0 1': row is '0', expected 1 to 3"),
    ("mtx", MTX + "pattern general\n3 3 2\n1 1\n", "line 2: 2 entries, but there are 1"),
    ("mtx", MTX + "pattern general\n% c\n3 3 1\n1 1\n2 2\n", "line 3: 1 entries, but there are 2"),
    ("mtx", MTX + "pattern general\n1000000000 1000000000 1000000000000000000\n1 1\n",
     "line 2: 1000000000000000000 entries, but there are 1"),
    ("mtx", MTX + "real general\n3 3 1\n1 1\n", "line 3: '1 1': no weight, expected 'row column value'"),
    ("mtx", MTX + "pattern general\n3 3 1\n1 1 5\n", "line 3: '1 1 5': too many columns, expected 'row column'"),
    ("mtx", MTX + "pattern symmetric\n3 3 1\n1 2\n",
     "line 3: '1 2': above the diagonal, expected below, as it is symmetric"),
    ("mtx", MTX + "pattern symmetric\n3 4 0\n", "line 2: symmetric, but 3 rows and 4 columns"),
    ("bin32", b"12345678abc", "byte 8: 3 bytes behind the last pair, expected pairs of 8 bytes"),
    ("bin64", b"\0" * 24, "byte 16: 8 bytes behind the last pair, expected pairs of 16 bytes"),
    ("bin64", struct.pack("<4Q", 0, 1, 1 << 62, 1 << 63), f"byte 16: src is 4611686018427387904, {ID}"),
    ("bin64", struct.pack("<4Q", 0, 1, 2, 1 << 62), f"byte 24: dst is 4611686018427387904, {ID}"),
]


class Malformed(CliTest):
    def fails(self, line, *args, code=1, **options):
        before = self.files()
        done = self.rmat("convert", "-q", *args, **options)
        self.assertEqual((done.stderr, done.stdout, done.returncode), (f"rmat convert: {line}\n", "", code), args)
        self.assertEqual(self.files(), before)

    def test_bad_files(self):
        for number, (kind, content, said) in enumerate(BAD):
            with self.subTest(kind=kind, said=said):
                name = f"{number}.{kind}"
                with open(self.path(name), "wb") as file:
                    file.write(content if isinstance(content, bytes) else content.encode("latin-1"))
                self.fails(f"{name}: {said}".replace("\t", " "), name, "out.h5")
                os.unlink(self.path(name))

    def test_claims_take_no_memory(self):
        """A hundred bytes that promise 10^18 entries."""
        with open(self.path("huge.mtx"), "w", encoding="ascii") as file:
            file.write(MTX + f"pattern general\n{1 << 62} {1 << 62} {10 ** 18}\n1 1\n")
        limit = 2 << 30
        options = {} if "RMAT_SANITIZED" in os.environ else {
            "preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit))}
        self.fails("huge.mtx: line 2: 1000000000000000000 entries, but there are 1", "huge.mtx", "out.h5",
                   "--threads", "2", **options)

    def test_vertices(self):
        with open(self.path("g.el"), "w", encoding="ascii") as file:
            file.write("3 9\n")
        self.fails("g.el: has 10 columns, more than the 9 asked for", "g.el", "out.h5", "--cols", "9")
        self.fails("g.el: has 4 rows, more than the 3 asked for", "g.el", "out.h5", "--rows", "3")

    def test_not_files(self):
        os.mkfifo(self.path("fifo.el"))
        os.mkdir(self.path("folder.el"))
        self.fails("fifo.el: is a FIFO, expected a regular file", "fifo.el", "out.h5")
        self.fails("folder.el: is a directory, expected a regular file", "folder.el", "out.h5")
        self.fails("none.el: No such file or directory", "none.el", "out.h5")
        self.fails("none.mtx: No such file or directory", "none.mtx", "out.h5")

    def test_standard_input(self):
        self.fails("standard input: line 1: 'x': src is 'x', " + ID, "--from", "el", "-", "out.h5", input="x\n")
        self.fails("standard input: line 1: 'x': src is 'x', " + ID, "--from", "tsv", "-", "out.h5", input="x\n")
        environment = {**os.environ, "TMPDIR": self.path("no")}
        self.fails(f"{self.path('no')}: a copy of standard input: No such file or directory", "--from", "el", "-",
                   "out.h5", input="1 2\n", env=environment)

    def test_no_room_for_standard_input(self):
        """A limit on the length of files is like a full disk."""
        limit = 1 << 20
        self.fails(f"{self.folder}: a copy of standard input: File too large", "--from", "el", "-", "out.h5",
                   input="1 2\n" * 500000, env={**os.environ, "TMPDIR": self.folder},
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))


if __name__ == "__main__":
    sys.exit(unittest.main())
