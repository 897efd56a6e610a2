"""rmat verify of lists, sorted lists, CSR and distinct edges: it passes correct files and finds errors; its output, files
that it cannot check, and failures of the system."""

import errno
import fcntl
import json
import os
import random
import resource
import unittest

from arrays import h5py, numpy
from cli import CliTest

SMALL = ["--scale", "8", "--edges", "1500"]
CSR = ["--format", "csr"]

SORTED = [
    ["--sorted", "--weights", "uniform", "--permute"],
    ["--sorted", "--symmetrize", "--no-self-loops", "--id-type", "uint64", "--noise", "0.05"],
    ["--unique", "--symmetrize", "--permute"],
    ["--unique", "--undirected", "lower", "--weights", "int:-3:7"],
    ["--format", "csr", "--undirected", "upper", "--symmetrize", "--weights", "int:-3:7"],
    ["--format", "csr", "--id-type", "uint64", "--permute", "--no-self-loops"],
    ["--format", "csr", "--unique", "--weights", "uniform", "--noise", "0.1"],
    ["--format", "csr", "--unique", "--symmetrize", "--permute"],
]


class VerifyTest(CliTest):
    def verify(self, name, *args):
        """The exit code, and text by check; of what is wrong only."""
        done = self.rmat("verify", "--json", "--quiet", name, *args)
        self.assertEqual(done.stderr, "", args)
        told = json.loads(done.stdout)
        self.assertEqual(told["ok"], done.returncode == 0)
        found = {}
        for check in told["checks"]:
            if check["result"] == "wrong":
                found.setdefault(check["check"], []).append(check["text"])
        return done.returncode, {name: "; ".join(texts) for name, texts in found.items()}

    def right(self, name, *args):
        self.assertEqual(self.verify(name, *args), (0, {}))

    def wrong(self, name, **texts):
        """Something is, among that these checks, whose text has this."""
        code, found = self.verify(name)
        self.assertEqual(code, 1, texts)
        for check, text in texts.items():
            self.assertIn(text, found.get(check, found))
        return found

    def put(self, at, data, name="x.h5"):
        """A copy of graph.h5 with other bytes there."""
        whole = bytearray(self.read("graph.h5"))
        whole[at:at + len(data)] = data
        self.write(name, whole)

    def spoiled(self, *changes, **texts):
        """A copy of graph.h5 with other values, each (dataset, index, value), is wrong, and these checks say so."""
        self.changed(lambda file: [file[name].__setitem__(index, value) for name, index, value in changes])
        return self.wrong("x.h5", **texts)

    def attribute(self, name, value, **texts):
        """The same with another value of an attribute."""
        self.changed(self.number(name, value) if isinstance(value, int) else lambda file: file.attrs.__setitem__(name, value))
        return self.wrong("x.h5", **texts)

    def place(self, dataset):
        with h5py.File(self.path("graph.h5"), "r") as file:
            return file[dataset].id.get_offset(), file[dataset].id.get_storage_size()


class Right(VerifyTest):
    """Other lists that are right: generate() verifies those of all tests."""

    def test_sorted(self):
        """In several intervals."""
        for n, kind in enumerate(SORTED):
            with self.subTest(kind=kind):
                self.generate("--scale", "15", "--edges", "150000", *kind, "-o", "x.h5", "--force")
                self.right("x.h5", "--memory", "2Mi", "--threads", str(1 + n % 3))

    def test_level_matrices(self):
        self.write("levels.txt", "".join(f"0.{5 + i % 3} 0.1 0.1 0.{3 - i % 3}\n" for i in range(8)))
        for noise in ("0", "0.05"):
            self.generate(*SMALL, "--level-matrices", "levels.txt", "--noise", noise, "--force")
            self.right("graph.h5")
            self.changed(lambda file: file.attrs.__delitem__("matrices"))
            self.wrong("x.h5", attributes="attribute 'a' is missing")

    def checks(self, *args):
        """Those of a right graph, by their names."""
        return {check["check"]: check for check in self.told("verify", "graph.h5", *args)["checks"]}

    def test_lines(self):
        self.generate("--scale", "12", "--edges", "50000", "--symmetrize", "--format", "csr")
        checks = self.checks()
        self.assertEqual(list(checks), "file attributes count pointers edges fingerprint".split())
        self.assertEqual({check["result"] for check in checks.values()}, {"ok"})
        self.assertEqual(checks["pointers"]["text"], "of all 4096 rows, as made")
        self.generate(*SMALL, "--unique", "--force")
        count = self.checks()["count"]
        self.assertIn("are 1500 distinct ones", count["text"])
        self.assertEqual(count["result"], "ok")

    def test_sample(self):
        told = self.generate("--scale", "18", "--edges", "3M", "--permute")
        checks = self.checks("--sample", "3")
        self.assertEqual(checks["fingerprint"]["result"], "skipped")
        edges = 2 * 262144 + 3000000 % 262144  # the last chunk is a short one
        self.assertEqual(checks["edges"]["text"], f"{edges} in 3 chunks equal those that the attributes describe")
        self.right("graph.h5", "--sample", "1000")
        src, _ = self.place("src")
        for index in 0, told["edges"] - 1:
            self.put(src + 4 * index, b"\xff\xff\xff\xff")
            self.assertEqual(self.verify("x.h5", "--sample", "2")[0], 1)

    def test_sample_of_sorted(self):
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

    def test_threads_agree(self):
        self.generate("--scale", "16", "--edges", "1M", "--weights", "uniform")
        src, _ = self.place("src")
        self.put(src + 4 * 262140, b"\x01\x01\x01\x01" * 8)  # over the end of a piece
        found = [self.rmat("verify", "-q", "x.h5", "--threads", n).stdout for n in ("1", "2", "7")]
        self.assertEqual(found, found[:1] * 3)
        self.assertIn("edge 262140: src is 16843009, expected ", found[0])
        self.assertIn("; 8 of 1000000 edges differ\n", found[0])


class Damage(VerifyTest):
    def test_flipped_bits(self):
        """In every dataset, and in what HDF5 has beside them, where zeros may be gaps that nobody reads."""
        chance = random.Random(3)
        for names, beside_places, options in (("src dst weight", 25, ["--noise", "0.05", "--symmetrize"]),
                                              ("pointers_to_1 indices_1 values", 10, [*CSR, "--unique"])):
            self.generate("--scale", "6", "--edges", "300", "--weights", "uniform", *options, "--force")
            data = self.read("graph.h5")
            datasets = [self.place(name) for name in names.split()]
            inside = {at for begin, size in datasets for at in range(begin, begin + size)}
            beside = [at for at, byte in enumerate(data) if byte != 0 and at not in inside]
            step = len(beside) // beside_places
            places = [chance.choice(beside[i:i + step]) for i in range(0, len(beside), step)]
            for begin, size in datasets:
                places += [begin, begin + size - 1, begin + chance.randrange(size)]
            for at in places:
                bit = chance.randrange(8)
                self.put(at, bytes([data[at] ^ 1 << bit]))
                done = self.rmat("verify", "-q", "x.h5")
                self.assertEqual((done.returncode, done.stderr), (1, ""), (at, bit, done.stdout))
                self.assertIn("WRONG: x.h5\n", done.stdout)

    def test_which_edge(self):
        self.generate(*SMALL, "--weights", "int:1:9")
        for name in "src", "dst", "weight":
            was = self.columns("graph.h5", name)[0][700]
            self.spoiled((name, 700, was ^ 16), edges=f"edge 700: {name} is {was ^ 16}, expected {was}; 1 of 1500 edges")

    def test_swapped_edges(self):
        self.generate(*SMALL)
        columns = zip(("src", "dst"), self.columns("graph.h5"))
        found = self.spoiled(*((name, i, column[j]) for name, column in columns for i, j in ((10, 1400), (1400, 10))), edges="edge 10: ")
        self.assertIn("2 of 1500 edges differ", found["edges"])
        self.assertEqual(list(found), ["edges"])

    def test_promises(self):
        """Of edges that cannot be made again: what the attributes say of each, and of their order."""
        self.generate("--vertices", "200", "--edges", "700", "--no-self-loops", "--dedup", "-o", "list.h5")
        self.silent("convert", "-q", "list.h5", "sorted.h5", "--sorted")
        self.changed(lambda file: file.attrs.update(self_loops=numpy.uint64(0), unique=numpy.uint64(1)), "sorted.h5", "graph.h5")
        self.right("graph.h5")
        src, dst = (column.astype(int) for column in self.columns("graph.h5"))
        first = next(i for i in range(20, len(src)) if src[i] == src[i + 1])
        for name, index, value, text in (("src", 5, 200, "edge 5: src is not below num_rows"),
                                         ("dst", 5, 200, "edge 5: dst is not below num_cols"),
                                         ("dst", 7, int(src[7]), "edge 7: is a self loop"),
                                         ("dst", first + 1, int(dst[first]), f"edge {first + 1}: is a duplicate"),
                                         ("src", first, int(src[first]) + 1, f"edge {first + 1}: is not in order")):
            self.spoiled((name, index, value), promises=text, fingerprint="that of the edges is")

    def test_truncation(self):
        self.generate(*SMALL)
        data = self.read("graph.h5")
        for size in (0, 7, 100, 2000, len(data) // 2, len(data) - 1):
            self.write("x.h5", data[:size])
            self.wrong("x.h5", file="x.h5")
        self.write("x.h5", data + b"\0")
        self.wrong("x.h5", file=f"x.h5: has {len(data) + 1} bytes, expected {len(data)}")

    def test_pointers(self):
        self.generate(*SMALL, "--format", "csr")
        pointers, = self.columns("graph.h5", "pointers_to_1")
        row = int(numpy.flatnonzero(numpy.diff(pointers.astype(numpy.int64)) > 1)[3])
        was = int(pointers[row + 1])
        for row, value, right in *((row + 1, value, was) for value in (was - 1, 0, 2**63)), (0, 5, 0), (256, 1499, 1500):
            self.spoiled(("pointers_to_1", row, numpy.uint64(value)),
                         pointers=f"row {row}: pointers_to_1 is {value}, expected {right}; 1 of 257 differ")

    def test_edges_of_rows(self):
        """Changed, swapped, and twice."""
        self.generate(*SMALL, "--format", "csr", "--unique", "--weights", "int:1:9")
        pointers, dst, values = self.columns("graph.h5", "pointers_to_1", "indices_1", "values")
        first = int(pointers[numpy.argmax(numpy.diff(pointers.astype(numpy.int64)))])  # of the longest row
        self.spoiled(("values", first, values[first] ^ 16),
                     edges=f"edge {first}: weight is {values[first] ^ 16}, expected {values[first]}; 1 of 1500")
        found = self.spoiled(*((name, first + i, column[first + 1 - i]) for name, column in (("indices_1", dst), ("values", values))
                               for i in (0, 1)), edges=f"edge {first}: dst is {dst[first + 1]}, expected {dst[first]}; 2 of 1500")
        self.assertEqual(sorted(found), ["edges"])
        self.spoiled(("indices_1", first + 1, dst[first]), fingerprint="",
                     edges=f"edge {first + 1}: dst is {dst[first]}, expected {dst[first + 1]}; 1 of 1500")

    def test_vertex_that_is_not_there(self):
        self.generate("--vertices", "200", "--edges", "700", "--sorted")
        self.spoiled(("src", 699, 200), edges="edge 699: src is 200")


class Attributes(VerifyTest):
    def test_earlier_stream_versions(self):
        """Files of versions 1 and 2 of the stream: plain ones have the same edges, permuted ones
        cannot be made any more; no other version is known."""
        for permute in [], ["--permute"]:
            self.generate(*SMALL, *permute, "--force", "-o", "graph.h5")
            for version in 1, 2:
                self.changed(self.number("stream_version", version))
                done = self.rmat("verify", "x.h5")
                self.assertEqual(done.returncode, 3 if permute else 0, done.stdout)
                self.assertIn("not checked" if permute else "all right", done.stdout)
                self.assertEqual(f"stream_version is {version}" in done.stdout, bool(permute),
                                 done.stdout)
                shown = self.rmat("info", "x.h5")
                self.assertRegex(shown.stdout, rf"stream_version +{version}\n")
            for version in 0, 4:
                self.attribute("stream_version", version,
                               attributes=f"stream_version is {version}, this program knows only 1 to 3")

    def test_earlier_commands(self):
        """Numbers of vertices had other options once; all else counts."""
        self.generate(*SMALL)
        with h5py.File(self.path("graph.h5"), "r") as file:
            rest = file.attrs["command"].partition(b" --edges ")[2]
        for begin, right in ((b"--rows-scale 7 --cols 100 --edges ", True), (b"--rows-scale 7 --cols 100 --edges 1", False),
                             (b"--rows 7 --edges ", False), (b"--stream rows --rows-scale 7 --cols 100 --edges ", False),
                             (b"--rows 128 --cols-scale 7 --permute --edges ", False)):
            command = numpy.bytes_(b"rmat generate " + begin + rest)
            self.changed(lambda file, command=command: file.attrs.__setitem__("command", command))
            self.assertEqual(self.rmat("verify", "x.h5").returncode, 0 if right else 1, command)

    def test_each_one(self):
        """Changed, given another type, and missing."""
        seen = set()
        for args in ["--noise", "0.05", "--weights", "int:0:5", "--permute"], ["--sorted"], ["--unique", *CSR]:
            self.generate(*SMALL, *args, "--force")
            with h5py.File(self.path("graph.h5"), "r") as file:
                attributes = {name: file.attrs[name] for name in file.attrs}
            self.each_one({name: value for name, value in attributes.items() if name not in seen})
            seen |= set(attributes) - {"unique", "stream_edges"}
        self.assertLessEqual({"weights", "order", "rows", "binsparse"}, seen)

    def each_one(self, attributes):
        for name, value in attributes.items():
            if isinstance(value, (bytes, str)):
                value = value if isinstance(value, bytes) else value.encode()
                other = numpy.bytes_(bytes([value[0] ^ 1]) + value[1:])
            elif isinstance(value, numpy.ndarray):
                other = value.copy()
                other[5] = numpy.nextafter(other[5], 1)
            elif value.dtype.kind == "f":
                other = numpy.nextafter(value, 1)
            else:
                other = value + numpy.uint64(1)

            def change(file, name=name, other=other):
                file.attrs.modify(name, other)

            ways = [change, lambda file, name=name: file.attrs.__delitem__(name),
                    lambda file, name=name: file.attrs.__setitem__(name, numpy.int8(-1))]
            for how in ways[name == "library_version":]:  # other releases make the same edges
                with self.subTest(name=name):
                    self.changed(how)
                    found = self.wrong("x.h5")
                    told = " ".join([*found, *found.values()]).replace(" version", "_version")
                    self.assertTrue(name in told or (name == "order" and "--sorted" in told), told)

    def test_seed_fingerprint_and_order(self):
        """What the checks of other attributes say, and that no other check does."""
        for model, name, value, wrong in (
                (SMALL, "fingerprint", 5, {"fingerprint": "the attribute says 0x0000000000000005"}),
                ([*SMALL, "--sorted"], "stream_edges", 1501, {"count": "stream_edges is 1501, expected 1500"}),
                (["--scale", "10", "--permute"], "seed", 2, {"attributes": "--seed 2", "edges": "16384 of 16384 edges differ"})):
            self.generate(*model, "--force")
            found = self.attribute(name, value, **wrong)
            self.assertLessEqual(set(found), {*wrong, "fingerprint"} if name == "seed" else set(wrong))

    def test_options_that_are_off(self):
        """Switched on in the attributes alone."""
        self.generate(*SMALL)
        for name, value in (("permute", 1), ("self_loops", 0), ("symmetrize", 1), ("direction", "lower"),
                            ("weights", "uniform"), ("noise", 0.01)):
            self.assertIn("attributes", self.attribute(name, value), name)

    def test_another_graph(self):
        """The edges of one graph under the attributes of another."""
        def change(file):
            with h5py.File(self.path("other.h5"), "r") as other:
                for name in other:
                    file[name][:] = other[name][:]
                file.attrs.modify("fingerprint", other.attrs["fingerprint"])

        model = ["--a", "0.5", "--b", "0.22", "--c", "0.2"]
        for kind, other, found in ((["--weights", "uniform"], ["--seed", "2"], "edges"),
                                   (["--weights", "uniform"], model, "edges"),
                                   (["--sorted", "--symmetrize"], model, "edges"), (CSR, ["--seed", "2"], "edges pointers")):
            self.generate("--scale", "10", *kind, "--force")
            self.generate("--scale", "10", *kind, *other, "-o", "other.h5", "--force")
            self.changed(change)
            self.assertEqual(sorted(self.wrong("x.h5", edges="edges differ")), found.split())

    def number(self, name, value):
        return lambda file: file.attrs.modify(name, numpy.uint64(value))

    def test_stream_edges(self):
        """Too few, and more than needed."""
        told = self.generate("--scale", "4", "--edges", "150", "--unique")
        taken = told["stream_edges"]
        self.generate("--scale", "4", "--edges", "151", "--unique", "--force", "-o", "next.h5")
        with h5py.File(self.path("next.h5"), "r") as file:
            later = int(file.attrs["stream_edges"]) - 1
        self.assertGreater(later, taken)
        for value in (taken - 1, later, 149, 2**62):
            found = self.attribute("stream_edges", value, count=f"stream_edges is {value}, expected {taken}: ")
            self.assertTrue(value != later or list(found) == ["count"])

    def test_pairs(self):
        self.generate("--scale", "5", "--edges", "150", "--unique", "--symmetrize", "--format", "csr")
        self.attribute("pairs", 149, attributes="--edges 150")
        with h5py.File(self.path("graph.h5"), "r") as file:
            fewer = file.attrs["command"].replace(b"--edges 150", b"--edges 149")
        self.changed(lambda file: file.attrs.update(command=numpy.bytes_(fewer), pairs=numpy.uint64(149)))
        self.wrong("x.h5", count="stream_edges is ")

    def test_several_files(self):
        self.generate(*SMALL)
        self.assertEqual(self.silent("verify", "-q", "graph.h5", "graph.h5"), "")
        self.write("bad.h5", self.read("graph.h5")[:-1])
        done = self.rmat("verify", "--json", "none.h5", "graph.h5", "bad.h5")
        self.assertEqual((done.returncode, [one["verdict"] for one in json.loads(done.stdout)]),
                         (1, ["not checked", "all right", "WRONG"]))
        self.assertEqual(self.rmat("verify", "none.h5", "graph.h5").returncode, 3)


class Command(VerifyTest):
    def test_lines(self):
        self.generate(*SMALL)
        lines = self.silent("verify", "graph.h5").splitlines()
        self.assertEqual([line.split()[0] for line in lines],
                         "file attributes edges fingerprint verdict".split())
        self.assertEqual(lines[-1], "verdict      all right: graph.h5")
        self.assertEqual(self.silent("verify", "-q", "graph.h5"), "")

    def not_checked(self, text, name, *args, **options):
        """Exit code 3, and a line that says why."""
        done = self.rmat("verify", name, *args, **options)
        self.assertEqual((done.returncode, done.stderr), (3, ""), done.stdout)
        self.assertRegex(done.stdout, rf"\Afile         failed: {text}\nverdict      not checked: {name}\n\Z")
        told = json.loads(self.rmat("verify", "--json", name, *args, **options).stdout)
        self.assertEqual((told["verdict"], told["ok"]), ("not checked", False))

    def test_not_checked(self):
        self.generate(*SMALL)
        self.not_checked("none.h5: No such file or directory", "none.h5")
        self.not_checked(".*Too many open files.*", "graph.h5", preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_NOFILE, (4, 4)))
        if os.geteuid() != 0:  # who may read anything
            os.chmod(self.path("graph.h5"), 0)
            self.not_checked("graph.h5: Permission denied", "graph.h5")

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

    def test_closed_pipe(self):
        """The exit status still says the result."""
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

    def test_no_locks(self):
        """Reading goes on without."""
        self.generate(*SMALL)
        for error in (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, 524):
            for environment in {}, {"HDF5_USE_FILE_LOCKING": "FALSE"}:
                self.silent("verify", "graph.h5", "--quiet", "--threads", "2", env={
                    **os.environ, "LD_PRELOAD": os.environ["RMAT_FAULT"], "FAULT_FOLDER": self.folder, "FAULT_GROUP": "lock",
                    "FAULT_CALL": "1", "FAULT_MORE": "-1", "FAULT_ERRNO": str(error), **environment})

    def test_written_by_another_program(self):
        self.generate(*SMALL)
        with open(self.path("graph.h5"), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            done = self.rmat("verify", "graph.h5")
            self.assertEqual(done.returncode, 3)
            self.assertIn("graph.h5: opening the file: unable to lock file", done.stdout)
            self.silent("verify", "-q", "graph.h5", env={**os.environ, "HDF5_USE_FILE_LOCKING": "FALSE"})

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
