"""chung_lu: the file and what it says of itself, bad input, failures, signals."""

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import time
import unittest

from chung_lu import CHUNG_LU, ChungLuTest
from cli import skip_all

try:
    import h5py
    import numpy
except ImportError as error:
    skip_all(error)

SMALL = ["--vertices", "3000", "--backend", "cpu"]


class ChungLu(ChungLuTest):
    def fails(self, code, line, *args, left=(), **options):
        done = self.run_it("-q", *args, **options)
        self.assertEqual((done.stderr, done.stdout, done.returncode), ("chung_lu: " + line + "\n", "", code))
        self.assertEqual(self.files(), sorted(left))


class Graph(ChungLu):
    def test_file_and_info(self):
        told = self.make(*SMALL, "--power-law", "2.25", "--max-degree", "100", "--seed", "0xff")
        self.assertEqual(told["command"], "chung_lu --power-law 2.25 --vertices 3000 --min-degree 1 --max-degree 100 "
                                          f"--edges {told['edges']} --seed 255")
        with h5py.File(self.path("graph.h5"), "r") as file:
            src, dst = file["src"][:], file["dst"][:]
            attrs = dict(file.attrs)
        self.assertEqual((src.dtype, len(src), len(dst)), ("uint32", told["edges"], told["edges"]))
        self.assertLess(max(src.max(), dst.max()), 3000)
        for name in ("num_rows", "num_cols", "seed", "batch", "exponent", "min_degree", "max_degree", "edges"):
            self.assertEqual(attrs[name], told[name], name)
        self.assertEqual(attrs["rows_scale"], 12)
        self.assertEqual((attrs["model"], attrs["command"]), (b"chung-lu", told["command"].encode()))
        self.assertTrue(attrs["generator"].startswith(b"chung_lu "))
        shown = json.loads(self.rmat("info", "--json", "graph.h5").stdout)
        for name in ("edges", "id_bits", "num_rows", "seed", "fingerprint", "command", "model", "exponent"):
            self.assertEqual(shown[name], told[name], name)

        old = self.read("graph.h5")
        self.make(*told["command"].split()[1:], "--force")
        self.assertTrue(self.read("graph.h5") == old)

    def test_same_bytes(self):
        base = [*SMALL, "--edges", "3000001"]
        self.make(*base, "-o", "a.h5")
        expected = self.read("a.h5")
        for variant in (["--threads", "1"], ["--threads", "3"], ["--io", "hdf5"], ["RMAT_TEST_POSITIONAL=1"]):
            self.make(*base, *variant, "-o", "b.h5", "--force")
            self.assertTrue(self.read("b.h5") == expected, variant)

    def test_widths_have_the_same_edges(self):
        told = self.make(*SMALL)
        wide = self.make(*SMALL, "--id-type", "uint64", "-o", "wide.h5")
        self.assertEqual((wide["fingerprint"], wide["id_bits"]), (told["fingerprint"], 64))
        self.assertTrue(wide["command"].endswith(" --id-type uint64"))
        signed = self.make(*SMALL, "--id-type", "int64", "-o", "signed.h5")
        self.assertEqual((signed["fingerprint"], signed["id_bits"]), (told["fingerprint"], 64))
        self.assertTrue(signed["command"].endswith(" --id-type int64"))
        with h5py.File(self.path("signed.h5"), "r") as file:
            self.assertEqual((file["src"].dtype, file["dst"].dtype), ("int64", "int64"))
        self.assertEqual(self.rmat("verify", "signed.h5").returncode, 0)
        os.remove(self.path("signed.h5"))
        self.assertEqual(self.files(), ["graph.h5", "wide.h5"])

    def test_degrees_of_a_file(self):
        """Expected degrees, and a vertex of degree 0 has no edge."""
        degrees = [0, 1, 2, 3, 1000, 2.5, 0, 7e3]
        self.write("d.txt", b"# degrees\n" + b"".join(b"%g\n" % d for d in degrees))
        told = self.make("--degrees", "d.txt", "--average-degree", "100000")
        self.assertEqual((told["num_rows"], told["edges"]), (8, 400000))
        with h5py.File(self.path("graph.h5"), "r") as file:
            got = sum(numpy.bincount(file[name], minlength=8) for name in ("src", "dst"))
        expected = numpy.array(degrees) / sum(degrees) * 800000
        self.assertTrue((numpy.abs(got - expected) <= 5 * numpy.sqrt(expected)).all(), (got, expected))
        self.assertEqual(self.make("--degrees", "d.txt", "--dry-run")["edges"], round(sum(degrees) / 2))

    def test_edge_cases(self):
        self.make("--vertices", "1", "--edges", "5")
        with h5py.File(self.path("graph.h5"), "r") as file:
            self.assertEqual((file["src"][:].tolist(), file["dst"][:].tolist()), ([0] * 5, [0] * 5))
        self.assertEqual(self.make("--vertices", "7", "--edges", "0", "--force")["edges"], 0)
        done = self.run_it("--vertices", "1G", "--dry-run", "--average-degree", "32", "--json", "-q", "--force")
        self.assertEqual(json.loads(done.stdout)["edges"], 16 * 10**9)
        self.assertRegex(done.stderr, r"\A(chung_lu: graph\.h5: the file needs \d+ bytes, the file system has room for \d+\n)?\Z")
        self.assertEqual(done.returncode, 1 if done.stderr else 0)
        done = self.run_it("--dry-run", "-o", "missing/g.h5")
        self.assertEqual((done.returncode, done.stderr), (1, "chung_lu: missing: the folder does not exist\n"))

    def test_help_and_version(self):
        for args in (["--help"], ["-h"], ["--vertices", "5", "--help", "nonsense"]):
            done = self.run_it(*args)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertTrue(done.stdout.startswith("Usage: chung_lu [OPTION]...\n"))
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 100)
        screen, whole = (re.findall(r"^ {2,6}(?:-\w, )?--([\w-]+)", self.run_it(word).stdout, re.M) for word in ("-h", "--help"))
        self.assertEqual(" ".join(screen), "degrees power-law vertices like multiply edges average-degree simple seed format "
                                           "output force dry-run help")
        self.assertLess(set(screen), set(whole))
        self.assertTrue(self.run_it("-h").stdout.endswith("\nAll options: chung_lu --help\n"))
        page = self.run_it("--man").stdout
        options = re.findall(r"^ {2,6}(?:-\w, )?(--[\w-]+)", self.run_it("--help").stdout, re.M)
        tags = re.findall(r"^(?:\\fB-\w\\fR, )?\\fB(--[\w-]+)\\fR", page.replace("\\-", "-"), re.M)
        self.assertEqual(tags, options)
        if shutil.which("mandoc") is not None:
            lint = subprocess.run(["mandoc", "-Tlint", "-Wall"], input=page, capture_output=True, text=True,
                                  check=False)
            self.assertEqual((lint.returncode, lint.stdout), (0, ""))
        done = self.run_it("--version")
        self.assertRegex(done.stdout, r"\Achung_lu \d+\.\d+\.\d+\n\Z")
        done = self.run_it(*SMALL)
        self.assertRegex(done.stdout, r"made by      CPU, \d+ threads?, \w+ writes\n")


class Changed(ChungLu):
    """What the engine does for every generator: order, copies, both directions, permutation, weights, formats."""

    BASE = [*SMALL, "--power-law", "2.1", "--edges", "60000"]

    def arrays(self, name):
        with h5py.File(self.path(name)) as file:
            if "src" in file:
                return file["src"][:].astype("int64"), file["dst"][:].astype("int64")
            pointers = file["pointers_to_1"][:].astype("int64")
            return numpy.repeat(numpy.arange(len(pointers) - 1), numpy.diff(pointers)), file["indices_1"][:]

    def keys(self, name):
        src, dst = self.arrays(name)
        return src.astype("int64") * 3000 + dst.astype("int64")

    def setUp(self):
        super().setUp()
        self.make(*self.BASE, "-o", "list.h5")
        self.src, self.dst = self.arrays("list.h5")

    def test_sorted(self):
        for options in ([], ["--memory", "1500000"]):
            self.make(*self.BASE, "--sorted", "-o", "x.h5", "--force", *options)
            self.assertTrue(numpy.array_equal(self.keys("x.h5"), numpy.sort(self.src * 3000 + self.dst)))

    def test_copies_dropped(self):
        told = self.make(*self.BASE, "--dedup", "--format", "csr", "-o", "x.h5")
        expected = numpy.unique(self.src * 3000 + self.dst)
        self.assertTrue(numpy.array_equal(self.keys("x.h5"), expected))
        self.assertEqual(told["edges"], len(expected))
        self.make(*told["command"].split()[1:], "-o", "y.h5")
        self.assertTrue(self.read("x.h5") == self.read("y.h5"))

    def test_distinct(self):
        """Exactly so many distinct edges: the first of a list without end, so that fewer are among more."""
        self.make(*self.BASE, "--unique", "-o", "x.h5")
        keys = self.keys("x.h5")
        self.assertEqual(len(keys), 60000)
        self.assertTrue((numpy.diff(keys) > 0).all())
        with h5py.File(self.path("x.h5")) as file:
            self.assertEqual(int(file.attrs["batch"]), 0)
            self.assertGreater(int(file.attrs["stream_edges"]), 60000)
        self.make(*SMALL, "--power-law", "2.1", "--edges", "30000", "--unique", "-o", "fewer.h5")
        self.assertTrue(numpy.isin(self.keys("fewer.h5"), keys).all())

    def test_distinct_edges_are_a_sample(self):
        """Few of a law with many vertices: their sources are spread over all of them, as the destinations are."""
        self.make("--vertices", "100000", "--power-law", "2.2", "--edges", "50000", "--unique", "-o", "few.h5")
        src, dst = self.arrays("few.h5")
        found = [len(numpy.unique(ends)) for ends in (src, dst)]
        self.assertLess(abs(found[0] / found[1] - 1), 0.03, found)
        self.assertGreater(src.max(), 90000)

    def test_simple(self):
        self.make(*self.BASE, "--simple", "-o", "x.h5")
        loops = self.src == self.dst
        self.assertGreater(loops.sum(), 0)
        both = numpy.r_[(self.src * 3000 + self.dst)[~loops], (self.dst * 3000 + self.src)[~loops]]
        self.assertTrue(numpy.array_equal(self.keys("x.h5"), numpy.unique(both)))
        for other in ("x.graph", "x.sg"):
            self.make(*self.BASE, "--simple", "-o", other)

    def test_permuted(self):
        """The same degrees under other numbers, as rmat convert gives them to the same edges."""
        self.make(*self.BASE, "--permute", "-o", "x.h5")
        src, _ = self.arrays("x.h5")
        self.assertFalse(numpy.array_equal(src, self.src))
        self.assertTrue(numpy.array_equal(numpy.sort(numpy.bincount(src, minlength=3000)),
                                          numpy.sort(numpy.bincount(self.src, minlength=3000))))
        self.assertEqual(self.rmat("convert", "-q", "list.h5", "y.h5", "--permute", "--seed", "1").returncode, 0)
        for x, y in zip(self.arrays("x.h5"), self.arrays("y.h5")):
            self.assertTrue(numpy.array_equal(x, y))

    def test_formats(self):
        self.make(*self.BASE, "-o", "x.el")
        with open(self.path("x.el"), encoding="ascii") as file:
            edges = numpy.loadtxt(file, dtype="int64")
        self.assertTrue(numpy.array_equal(edges, numpy.stack([self.src, self.dst], 1)))
        done = self.run_it("-q", *self.BASE, "--format", "wel", "--weights", "int:3:4", "-o", "-")
        self.assertEqual({line.split()[2] for line in done.stdout.splitlines()}, {"3", "4"})
        done = self.run_it("-q", *self.BASE, "-o", "x.graph")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Achung_lu: --format: metis needs .*\n\Z")

    def test_verified(self):
        """verify knows what such a file promises, and sees when it is not so."""
        self.make(*self.BASE, "--dedup", "--no-self-loops", "-o", "x.h5")
        self.assertEqual(self.rmat("verify", "x.h5").returncode, 0)
        for text, src, dst in (("belongs before the preceding edge", 0, 0), ("is a self loop", None, None)):
            self.make(*self.BASE, "--dedup", "--no-self-loops", "-o", "x.h5", "--force")
            with h5py.File(self.path("x.h5"), "r+") as file:
                file["src"][40000] = file["dst"][40000] if src is None else src
                if dst is not None:
                    file["dst"][40000] = dst
            done = self.rmat("verify", "x.h5")
            self.assertEqual(done.returncode, 1)
            self.assertIn(text, done.stdout)


class BadInput(ChungLu):
    def test_options(self):
        for line, *args in (
                ("unknown option '--nonsense', allowed: see 'chung_lu --help'", "--nonsense"),
                ("unknown option '--vertexes', did you mean '--vertices'?", "--vertexes", "5"),
                ("unexpected argument 'x', allowed: options only", "x"),
                ("--power-law: '1' is out of range, allowed: above 1, up to 1000", "--power-law", "1"),
                ("--power-law: 'nan' is not a number, allowed: above 1, up to 1000", "--power-law", "nan"),
                ("--vertices: '0' is out of range, allowed: 1 to 1099511627776 (2^40)", "--vertices", "0"),
                ("--min-degree: '0' is out of range, allowed: 0.001 to 1e15", "--min-degree", "0"),
                ("--max-degree: '1' is out of range, allowed: --min-degree to 1e15", "--min-degree", "2",
                 "--max-degree", "1"),
                ("--average-degree: '-1' is out of range, allowed: above 0, up to 1e15", "--average-degree", "-1"),
                ("--edges: given together with --average-degree, allowed: one of them", "--edges", "5",
                 "--average-degree", "2"),
                ("--degrees: given together with --vertices, allowed: one of them", "--degrees", "d",
                 "--vertices", "5"),
                ("--no-file was removed, use --output, whose summary says how fast the edges were made", "--no-file"),
                ("--repeat was removed, use several runs of chung_lu", "--repeat", "5"),
                ("--device was removed, use --devices with one number", "--device", "0"),
                ("--id-bits was removed, use --id-type uint32 or --id-type uint64, with parquet --id-type int32 or "
                 "--id-type int64", "--id-bits", "64"),
                ("--io positional was removed, use --io auto, which uses the page cache where O_DIRECT is not possible", "--io",
                 "positional"),
                ("--devices: given with --backend cpu, allowed: with --backend auto or gpu", "--backend", "cpu",
                 "--devices", "0"),
                ("--id-type: 'uint32' is too narrow for 5000000000 vertices, allowed: auto, int64, uint64",
                 "--dry-run", "--vertices", "5G", "--edges", "5", "--id-type", "uint32"),
                ("--id-type: 'int32' is too narrow for 5000000000 vertices, allowed: auto, int64, uint64",
                 "--dry-run", "--vertices", "5G", "--edges", "5", "--id-type", "int32"),
                ("--id-type: 'int64' given with format el, allowed: with h5, csr, npy, rawcsr, parquet", "--format", "el",
                 "--id-type", "int64"),
                ("the degrees add up to too many edges, 5e+20, allowed: 0 to 4611686018427387904, see --edges",
                 "--dry-run", "--vertices", "1M", "--min-degree", "1e15")):
            with self.subTest(args=args):
                self.fails(2, line, *args)

    def test_degrees_files(self):
        allowed = "allowed: one number 0 to 1e15 on a line, not all of them 0"
        for text, line in ((b"1\n-2\n", "d, line 2: '-2' is out of range"), (b"nan", "d, line 1: 'nan' is not a number"),
                           (b"1\n\nx\x07 y", "d, line 3: 'x?' is followed by a second word"),
                           (b"1e16", "d, line 1: '1e16' is out of range"), (b"", "'d' has no degrees"),
                           (b"0\n0\n", "'d' has no degree above 0")):
            with self.subTest(text=text):
                self.write("d", text)
                self.fails(2, f"--degrees: {line}, {allowed}", "--degrees", "d", left=["d"])
        os.remove(self.path("d"))
        os.mkdir(self.path("folder"))
        self.fails(2, "--degrees: 'd': No such file or directory, allowed: a file that can be read", "--degrees", "d",
                   left=["folder"])
        self.fails(2, "--degrees: 'folder': Is a directory, allowed: a file that can be read", "--degrees", "folder",
                   left=["folder"])
        # Its first page is never there: reading it fails, and the option is not to blame.
        self.fails(1, "--degrees: '/proc/self/mem': Input/output error", "--degrees", "/proc/self/mem", left=["folder"])


class Failures(ChungLu):
    def test_existing_file_stays(self):
        self.write("graph.h5", b"precious")
        self.fails(1, "graph.h5: already exists, --force replaces it", *SMALL, left=["graph.h5"])
        self.assertEqual(self.read("graph.h5"), b"precious")

    def test_larger_than_the_disk(self):
        done = self.run_it("-q", *SMALL, "--edges", "1P")
        self.assertEqual((done.stdout, done.returncode), ("", 1))
        self.assertRegex(done.stderr, r"\Achung_lu: graph.h5: the file needs \d+ bytes, the file system has room for")
        self.assertEqual(self.files(), [])

    def test_larger_than_ulimit(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

        done = self.run_it("-q", *SMALL, "--edges", "1M", preexec_fn=limit)
        self.assertEqual((done.stdout, done.returncode), ("", 1))
        self.assertRegex(done.stderr, r"\Achung_lu: graph.h5.*: File too large\n\Z")
        self.assertEqual(self.files(), [])

    def test_full_disk(self):
        """Space that was free at the start and is gone when the first edges are written."""
        unshare = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
        mount = f"mount -t tmpfs -o size=80m tmpfs '{self.folder}' && cd '{self.folder}'"
        if shutil.which("unshare") is None or subprocess.run(
                [*unshare, "sh", "-c", mount], capture_output=True, check=False).returncode != 0:
            self.skipTest("mounting is not permitted")
        script = (f"'{CHUNG_LU}' -q --backend cpu --edges 9M -o x.h5 --io hdf5 & "
                  "while ! [ -e x.h5.partial ]; do sleep 0.01; done; "
                  "dd if=/dev/zero of=fill bs=1M 2>/dev/null; wait $!; echo $?; ls")
        done = subprocess.run([*unshare, "sh", "-c", f"{mount} && {{ {script}; }}"], text=True, check=False,
                              capture_output=True, timeout=120)
        self.assertIn(done.stdout, ("1\nfill\n", "0\nfill\nx.h5\n"))
        if done.stdout[0] == "1":
            self.assertRegex(done.stderr, r"\Achung_lu: x.h5.*No space left on device.*\n\Z")

    @unittest.skipIf("RMAT_SANITIZED" in os.environ, "the sanitizer needs the address space")
    def test_memory_exhausted(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 29, 1 << 29))

        self.fails(1, "memory is exhausted: 1000000000 vertices", "--vertices", "1G", "--backend", "cpu",
                   preexec_fn=limit)

    def test_signals(self):
        for number, name, code in ((signal.SIGINT, "SIGINT", 130), (signal.SIGTERM, "SIGTERM", 143)):
            child = subprocess.Popen([CHUNG_LU, *SMALL, "-q", "--edges", "600M", "--io", "hdf5"], cwd=self.folder,
                                     text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            deadline = time.monotonic() + 30
            while "graph.h5.partial" not in self.files() and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(0.1)
            child.send_signal(number)
            out, err = child.communicate(timeout=60)
            self.assertEqual((child.returncode, out), (code, ""))
            self.assertEqual(err, f"chung_lu: stopped by {name}, 'graph.h5' was not made\n")
            self.assertEqual(self.files(), [])


if __name__ == "__main__":
    unittest.main()
