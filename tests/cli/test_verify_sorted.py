"""rmat verify of sorted lists, CSR and distinct edges: passes what is right, and finds what is not."""

import json
import os
import random
import signal
import subprocess
import time
import unittest

from cli import RMAT, skip_all
from test_verify import VerifyTest

try:
    import h5py
    import numpy
except ImportError as error:
    skip_all(error)

SMALL = ["--scale", "8", "--edges", "1500"]
LITTLE = ["--memory", "2Mi"]  # several intervals

RIGHT = [
    ["--sorted", "--weights", "uniform", "--permute"],
    ["--sorted", "--symmetrize", "--no-self-loops", "--id-type", "uint64", "--noise", "0.05"],
    ["--unique", "--symmetrize", "--permute"],
    ["--unique", "--undirected", "lower", "--weights", "int:-3:7"],
    ["--format", "csr", "--undirected", "upper", "--symmetrize", "--weights", "int:-3:7"],
    ["--format", "csr", "--id-type", "uint64", "--permute", "--no-self-loops"],
    ["--format", "csr", "--unique", "--weights", "uniform", "--noise", "0.1"],
    ["--format", "csr", "--unique", "--symmetrize", "--permute"],
]


class Right(VerifyTest):
    def test_every_kind(self):
        for n, kind in enumerate(RIGHT):
            with self.subTest(kind=kind):
                self.generate("--scale", "15", "--edges", "150000", *kind, "-o", "x.h5", "--force")
                self.right("x.h5", *LITTLE, "--threads", str(1 + n % 3))

    def test_lines(self):
        self.generate("--scale", "12", "--edges", "50000", "--symmetrize", "--format", "csr")
        done = self.rmat("verify", "-q", "graph.h5", "--json")
        checks = {check["check"]: check for check in json.loads(done.stdout)["checks"]}
        self.assertEqual(list(checks), "file attributes pointers count fingerprint ids promises levels "
                                       "loops edges".split())
        self.assertEqual({check["result"] for check in checks.values()}, {"ok"})
        self.assertEqual(checks["pointers"]["text"], "of all 4096 rows, from 0 to 100000, as made")
        self.assertEqual(checks["promises"]["text"], "in order of src, then dst")
        self.generate(*SMALL, "--unique", "-o", "u.h5")
        done = self.rmat("verify", "-q", "u.h5", "--json")
        checks = {check["check"]: check for check in json.loads(done.stdout)["checks"]}
        self.assertEqual(checks["levels"]["result"], "skipped")
        self.assertIn("are 1500 distinct ones", checks["count"]["text"])
        self.assertEqual(checks["count"]["result"], "ok")

    def test_sample(self):
        kinds = [["--format", "csr", "--weights", "uniform"], ["--unique"], ["--sorted"]]
        for kind in kinds[:1] if "RMAT_SANITIZED" in os.environ else kinds:
            self.generate("--scale", "18", "--edges", "1100K", "--permute", *kind, "--force")
            at, size = self.place("indices_1" if "csr" in kind else "dst")
            # In the blocks of the whole graph, and in one for each chunk.
            for memory in (["--memory", "1Gi"], ["--memory", "8Mi"]):
                with self.subTest(kind=kind, memory=memory):
                    sample = ["--sample", "2", *memory]
                    self.right("graph.h5", *sample)
                    for byte, found in ((4 * 1000, True), (size - 4 * 1000, True), (size // 2, False)):
                        self.put(at + byte, b"\x01\x00\x00\x00")
                        code, texts = self.verify("x.h5", *sample)
                        self.assertEqual(code == 1, found, texts)
                        if found:
                            self.assertIn("dst is 1, expected ", texts["edges"])


class Damage(VerifyTest):
    def test_flipped_bits(self):
        chance = random.Random(4)
        self.generate("--scale", "6", "--edges", "300", "--weights", "uniform", "--format", "csr", "--unique")
        data = self.read("graph.h5")
        datasets = [self.place(name) for name in ("pointers_to_1", "indices_1", "values")]
        inside = {at for begin, size in datasets for at in range(begin, begin + size)}
        beside = [at for at, byte in enumerate(data) if byte != 0 and at not in inside]  # zeros may be gaps
        places = [chance.choice(beside[i:i + len(beside) // 10]) for i in range(0, len(beside), len(beside) // 10)]
        for begin, size in datasets:
            places += [begin, begin + size - 1, begin + chance.randrange(size), begin + chance.randrange(size)]
        for at in places:
            bit = chance.randrange(8)
            self.put(at, bytes([data[at] ^ 1 << bit]))
            done = self.rmat("verify", "-q", "x.h5")
            self.assertEqual((done.returncode, done.stderr), (1, ""), (at, bit, done.stdout))
            self.assertIn("WRONG: x.h5\n", done.stdout)

    def test_pointers(self):
        self.generate(*SMALL, "--format", "csr")
        with h5py.File(self.path("graph.h5"), "r") as file:
            pointers = file["pointers_to_1"][:]
        row = int(numpy.flatnonzero(numpy.diff(pointers.astype(numpy.int64)) > 1)[3])
        was = int(pointers[row + 1])
        for value, text in ((was - 1, f"row {row + 1}: pointers_to_1 is {was - 1}, expected {was}; 1 of 257 differ"),
                            (0, f"row {row + 1} begins before the one before it; 1 such row in all"),
                            (2**63, f"pointers_to_1 is {2**63}, expected {was}")):
            self.changed(lambda file, value=value: file["pointers_to_1"].__setitem__(row + 1, numpy.uint64(value)))
            found = self.wrong("x.h5", pointers=text)
            if value == was - 1:
                self.assertIn(f"edge {was - 1}: row is {row + 1}, expected {row}; 1 of 1500", found["edges"])
        self.changed(lambda file: file["pointers_to_1"].__setitem__(0, 5))
        self.wrong("x.h5", pointers="row 0 begins at edge 5, expected 0")
        self.changed(lambda file: file["pointers_to_1"].__setitem__(256, 1499))
        self.wrong("x.h5", pointers="the last row ends at edge 1499, expected 1500")

    def test_edges(self):
        """Changed, swapped, and twice."""
        self.generate(*SMALL, "--format", "csr", "--unique", "--weights", "int:1:9")
        with h5py.File(self.path("graph.h5"), "r") as file:
            pointers, dst, values = (file[name][:] for name in ("pointers_to_1", "indices_1", "values"))
        first = int(pointers[numpy.argmax(numpy.diff(pointers.astype(numpy.int64)))])  # of the longest row
        self.changed(lambda file: file["values"].__setitem__(first, values[first] ^ 16))
        self.wrong("x.h5", edges=f"edge {first}: weight is {values[first] ^ 16}, expected {values[first]}; 1 of 1500")

        def swap(file):
            file["indices_1"][first:first + 2] = dst[first:first + 2][::-1]
            file["values"][first:first + 2] = values[first:first + 2][::-1]

        self.changed(swap)
        found = self.wrong("x.h5", promises=f"edge {first + 1}: is not in order: it belongs before the preceding edge",
                           edges="the edges are the right ones, but in another order")
        self.assertEqual(sorted(found), ["edges", "promises"])
        self.changed(lambda file: file["indices_1"].__setitem__(first + 1, dst[first]))
        self.wrong("x.h5", promises=f"edge {first + 1}: is a duplicate of the preceding edge", fingerprint="")

    def test_vertex_that_is_not_there(self):
        self.generate("--vertices", "200", "--edges", "700", "--sorted")
        self.changed(lambda file: file["src"].__setitem__(699, 200))
        self.wrong("x.h5", ids="edge 699: src is not below num_rows; 1 such edge in all",
                   edges="edge 699: src is 200")

    def of_another(self, kind, *other):
        """The edges of one graph under the attributes of another."""
        self.generate("--scale", "10", *kind, "--force")
        self.generate("--scale", "10", *kind, *other, "-o", "other.h5", "--force")
        with h5py.File(self.path("other.h5"), "r") as file:
            columns = {name: file[name][:] for name in file}
            fingerprint = file.attrs["fingerprint"]

        def change(file):
            for name, column in columns.items():
                file[name][:] = column
            file.attrs.modify("fingerprint", fingerprint)

        self.changed(change)
        return self.wrong("x.h5", edges="another seed or model")

    def test_another_graph(self):
        found = self.of_another(["--sorted", "--symmetrize"], "--a", "0.5", "--b", "0.22", "--c", "0.2")
        self.assertEqual(sorted(found), ["edges", "levels", "loops"])
        found = self.of_another(["--format", "csr"], "--seed", "2")
        self.assertEqual(sorted(found), ["edges", "pointers"])


class Attributes(VerifyTest):
    def number(self, name, value):
        return lambda file: file.attrs.modify(name, numpy.uint64(value))

    def test_order(self):
        self.generate(*SMALL, "--sorted")
        for change in (lambda file: file.attrs.modify("order", numpy.bytes_(b"sortee")), self.number("unique", 1),
                       self.number("stream_edges", 1501), lambda file: file.attrs.__delitem__("order"),
                       lambda file: file.attrs.__delitem__("unique")):
            self.changed(change)
            self.assertIn("attributes", self.wrong("x.h5"))
        self.changed(self.number("stream_edges", 1501))
        self.assertEqual(self.verify("x.h5")[1], {"attributes": "stream_edges is 1501, expected 1500"})

    def test_stream_edges(self):
        """Too few, and more than needed."""
        told = self.generate("--scale", "4", "--edges", "150", "--unique")
        taken = told["stream_edges"]
        self.changed(self.number("stream_edges", taken - 1))
        self.wrong("x.h5", count=f"stream_edges is {taken - 1}, expected {taken}: ")
        self.generate("--scale", "4", "--edges", "151", "--unique", "--force", "-o", "next.h5")
        with h5py.File(self.path("next.h5"), "r") as file:
            later = int(file.attrs["stream_edges"]) - 1
        self.assertGreater(later, taken)
        self.changed(self.number("stream_edges", later))
        found = self.wrong("x.h5", count=f"stream_edges is {later}, expected {taken}: ")
        self.assertEqual(list(found), ["count"])
        for value in (149, 2**62):
            self.changed(self.number("stream_edges", value))
            self.wrong("x.h5", attributes=f"stream_edges is {value}, which cannot make 150 distinct edges")

    def test_pairs(self):
        self.generate("--scale", "5", "--edges", "150", "--unique", "--symmetrize", "--format", "csr")

        def fewer(file):
            command = file.attrs["command"].replace(b"--edges 150", b"--edges 149")
            file.attrs.modify("command", numpy.bytes_(command))

        self.changed(fewer)
        self.wrong("x.h5", count="stream_edges is ")

    def test_binsparse(self):
        self.generate(*SMALL, "--unique", "--format", "csr")
        self.changed(lambda file: file.attrs.modify("binsparse", numpy.bytes_(
            file.attrs["binsparse"].replace(b"[256, 256]", b"[256, 255]"))))
        found = self.wrong("x.h5", attributes="binsparse is ")
        self.assertEqual(list(found), ["attributes"])
        self.changed(lambda file: file.attrs.__delitem__("binsparse"))
        self.wrong("x.h5", attributes="attribute 'binsparse' is missing")


class Command(VerifyTest):
    def test_stop(self):
        """While blocks are made: on a machine that is busy the program has not begun when the first signal comes."""
        self.generate("--scale", "16", "--edges", "4M", "--format", "csr")
        for number, name, code in ((signal.SIGINT, "SIGINT", 130), (signal.SIGTERM, "SIGTERM", 143)):
            wanted = f"edges        failed: stopped by {name}\nverdict      not checked: graph.h5\n"
            for wait in 0.3, 0.6, 1.2, 2.4, 4.8:
                child = subprocess.Popen([RMAT, "verify", "graph.h5", "--memory", "4Mi"], cwd=self.folder, text=True,
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                time.sleep(wait)
                child.send_signal(number)
                out, _ = child.communicate(timeout=60)
                self.assertEqual(child.returncode, code)
                if out != "":
                    break
            self.assertIn(wanted, out)

    def test_memory(self):
        self.generate(*SMALL, "--sorted")
        done = self.rmat("verify", "graph.h5", "--memory", "1")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--memory: '1' is out of range, allowed: 64Ki to 1024Ti", done.stderr)


if __name__ == "__main__":
    unittest.main()
