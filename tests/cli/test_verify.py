"""rmat verify: passes what is right, and finds what is not."""

import errno
import fcntl
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time
import unittest

from cli import CliTest, RMAT, long_computation, skip_all

try:
    import h5py
    import numpy
except ImportError as error:
    skip_all(error)

SMALL = ["--scale", "8", "--edges", "1500"]

# Every two options meet in one of these.
RIGHT = [
    [],
    ["--noise", "0.05", "--permute", "--weights", "uniform"],
    ["--noise", "0.1", "--no-self-loops", "--undirected", "lower", "--symmetrize"],
    ["--permute", "--undirected", "upper", "--weights", "int:-3:100", "--id-type", "uint64"],
    ["--no-self-loops", "--weights", "uniform", "--id-type", "uint64", "--noise", "0.02"],
    ["--symmetrize", "--permute", "--no-self-loops", "--id-type", "uint64", "--seed", "9"],
    ["--symmetrize", "--weights", "int:-2147483648:2147483647", "--undirected", "upper"],
    ["--permute", "--no-self-loops", "--undirected", "lower", "--a", "0.4", "--b", "0.3", "--c", "0.2"],
    ["--a", "1", "--b", "0", "--c", "0"],
]
SIZES = [
    ["--vertices", "200", "--permute", "--no-self-loops", "--symmetrize", "--noise", "0.05"],
    ["--rows", "200", "--cols", "33", "--weights", "uniform", "--permute"],
    ["--rows-scale", "10", "--cols-scale", "3", "--noise", "0.05"],
    ["--scale", "40", "--permute", "--weights", "int:0:7"],
    ["--scale", "62"],
    ["--scale", "1"],
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

    def changed(self, change, name="x.h5"):
        """A copy of graph.h5 that h5py has changed."""
        shutil.copy(self.path("graph.h5"), self.path(name))
        with h5py.File(self.path(name), "r+") as file:
            change(file)

    def put(self, at, data, name="x.h5"):
        """A copy of graph.h5 with other bytes there."""
        whole = bytearray(self.read("graph.h5"))
        whole[at:at + len(data)] = data
        with open(self.path(name), "wb") as file:
            file.write(whole)

    def place(self, dataset):
        with h5py.File(self.path("graph.h5"), "r") as file:
            return file[dataset].id.get_offset(), file[dataset].id.get_storage_size()


class Right(VerifyTest):
    @long_computation
    def test_every_option(self):
        for n, args in enumerate([[*SMALL, *right] for right in RIGHT] +
                                 [[*size, "--edges", "1500"] for size in SIZES] +
                                 [[*SMALL, "--edges", "0"], [*SMALL, "--edges", "1", "--symmetrize"],
                                  ["--scale", "17", "--edges", "600001"]]):
            with self.subTest(args=args):
                self.generate(*args, "-o", f"{n}.h5")
                self.right(f"{n}.h5")

    def test_level_matrices(self):
        with open(self.path("levels.txt"), "w", encoding="ascii") as file:
            file.writelines(f"0.{5 + i % 3} 0.1 0.1 0.{3 - i % 3}\n" for i in range(8))
        for noise in ("0", "0.05"):
            self.generate(*SMALL, "--level-matrices", "levels.txt", "--noise", noise, "--force")
            self.right("graph.h5")
            self.changed(lambda file: file.attrs.__delitem__("matrices"))
            self.wrong("x.h5", attributes="attribute 'a' is missing")

    def test_sample(self):
        told = self.generate("--scale", "18", "--edges", "3M", "--permute")
        done = self.rmat("verify", "-q", "--json", "graph.h5", "--sample", "3", "--sample-seed", "5")
        checks = {check["check"]: check for check in json.loads(done.stdout)["checks"]}
        self.assertEqual(checks["fingerprint"]["result"], "skipped")
        edges = 2 * 262144 + 3000000 % 262144  # the last chunk is a short one
        self.assertEqual(checks["edges"]["text"],
                         f"{edges} in 3 chunks, --sample-seed 5, equal those that the attributes describe")
        self.assertEqual(done.stdout.split('"seconds"')[0], self.rmat(
            "verify", "-q", "--json", "graph.h5", "--sample", "3", "--sample-seed", "5").stdout
                         .split('"seconds"')[0])
        self.right("graph.h5", "--sample", "1000")
        src, _ = self.place("src")
        for index, found in ((0, True), (told["edges"] - 1, True)):
            self.put(src + 4 * index, b"\xff\xff\xff\xff")
            self.assertEqual(self.verify("x.h5", "--sample", "2")[0] == 1, found)

    def test_threads_agree(self):
        self.generate("--scale", "16", "--edges", "1M", "--weights", "uniform")
        src, _ = self.place("src")
        self.put(src + 4 * 262140, b"\x01\x01\x01\x01" * 8)  # over the end of a piece
        found = [self.rmat("verify", "-q", "x.h5", "--threads", n).stdout for n in ("1", "2", "7")]
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[0], found[2])
        self.assertIn("8 of 1000000 edges differ (src of 8, dst of 0, weight of 0), in 1 place: damage",
                      found[0])


class Damage(VerifyTest):
    def test_flipped_bits(self):
        """In every dataset, and in what HDF5 has beside them, where zeros may be gaps that nobody reads."""
        chance = random.Random(3)
        self.generate("--scale", "6", "--edges", "300", "--weights", "uniform", "--noise", "0.05",
                      "--symmetrize")
        data = self.read("graph.h5")
        datasets = [self.place(name) for name in ("src", "dst", "weight")]
        inside = {at for begin, size in datasets for at in range(begin, begin + size)}
        beside = [at for at, byte in enumerate(data) if byte != 0 and at not in inside]
        step = len(beside) // 60
        places = [chance.choice(beside[i:i + step]) for i in range(0, len(beside), step)]
        for begin, size in datasets:
            places += [begin, begin + size - 1, *(begin + chance.randrange(size) for _ in range(4))]
        for at in places:
            bit = chance.randrange(8)
            self.put(at, bytes([data[at] ^ 1 << bit]))
            done = self.rmat("verify", "-q", "x.h5")
            self.assertEqual(done.returncode, 1, (at, bit, done.stdout, done.stderr))
            self.assertIn("WRONG: x.h5\n", done.stdout)
            self.assertEqual(done.stderr, "")

    def test_which_edge(self):
        self.generate(*SMALL, "--weights", "int:1:9")
        with h5py.File(self.path("graph.h5"), "r") as file:
            src, dst, weight = (file[name][700] for name in ("src", "dst", "weight"))
        for name, was in (("src", src), ("dst", dst), ("weight", weight)):
            self.changed(lambda file, name=name, was=was: file[name].__setitem__(700, was ^ 16))
            self.wrong("x.h5", edges=f"edge 700: {name} is {was ^ 16}, expected {was}; 1 of 1500 edges")

    def test_swapped_edges(self):
        self.generate(*SMALL)

        def swap(file):
            for name in ("src", "dst"):
                file[name][10], file[name][1400] = file[name][1400], file[name][10]

        self.changed(swap)
        found = self.wrong("x.h5", edges="edge 10: ")
        self.assertIn("2 of 1500 edges differ", found["edges"])
        self.assertIn("in 2 places: the edges are the right ones, but in another order", found["edges"])
        self.assertEqual(list(found), ["edges"])

    def test_promises(self):
        self.generate("--vertices", "200", "--edges", "700", "--no-self-loops", "--undirected", "lower",
                      "--symmetrize")

        def vertex(name, index, value):
            return lambda file: file[name].__setitem__(index, value)

        with h5py.File(self.path("graph.h5"), "r") as file:
            low, high = int(file["dst"][20]), int(file["src"][20])
        self.changed(vertex("src", 5, 200))
        self.wrong("x.h5", ids="edge 5: src is not below num_rows; 1 such edge in all")
        self.changed(vertex("dst", 20, high))
        self.wrong("x.h5", promises="edge 2")

        def turn(file):
            file["src"][20:22] = [low, high]
            file["dst"][20:22] = [high, low]

        self.changed(turn)
        self.assertEqual(self.wrong("x.h5")["promises"],
                         "edge 20: has its ends in the other order; 2 such edges in all")

    def test_truncation(self):
        self.generate(*SMALL)
        data = self.read("graph.h5")
        for size in (0, 7, 100, 2000, len(data) // 2, len(data) - 1):
            with open(self.path("x.h5"), "wb") as file:
                file.write(data[:size])
            self.wrong("x.h5", file="x.h5")
        with open(self.path("x.h5"), "wb") as file:
            file.write(data + b"\0")
        self.wrong("x.h5", file=f"x.h5: has {len(data) + 1} bytes, expected {len(data)}")


class Attributes(VerifyTest):
    def test_earlier_stream_versions(self):
        """Files of versions 1 and 2 of the stream: plain ones have the same edges, permuted ones
        cannot be made any more; no other version is known."""
        def set_version(version):
            return lambda file: file.attrs.modify("stream_version", numpy.uint64(version))

        for permute in [], ["--permute"]:
            self.generate(*SMALL, *permute, "--force", "-o", "graph.h5")
            for version in 1, 2:
                self.changed(set_version(version))
                done = self.rmat("verify", "x.h5")
                self.assertEqual(done.returncode, 3 if permute else 0, done.stdout)
                self.assertIn("not checked" if permute else "all right", done.stdout)
                self.assertEqual(f"stream_version is {version}" in done.stdout, bool(permute),
                                 done.stdout)
                shown = self.rmat("info", "x.h5")
                self.assertRegex(shown.stdout, rf"stream_version +{version}\n")
            for version in 0, 4:
                self.changed(set_version(version))
                self.wrong("x.h5",
                           attributes=f"stream_version is {version}, this program knows only 1 to 3")

    def test_each_one(self):
        """Changed, given another type, and missing."""
        self.generate(*SMALL, "--noise", "0.05", "--weights", "int:0:5", "--permute")
        with h5py.File(self.path("graph.h5"), "r") as file:
            attributes = {name: file.attrs[name] for name in file.attrs}
        self.assertIn("weights", attributes)
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

            for how in (change, lambda file, name=name: file.attrs.__delitem__(name),
                        lambda file, name=name: file.attrs.__setitem__(name, numpy.int8(-1))):
                with self.subTest(name=name):
                    self.changed(how)
                    found = self.wrong("x.h5")
                    self.assertIn(name, " ".join([*found, *found.values()]).replace(" version", "_version"))

    def test_wrong_fingerprint(self):
        self.generate(*SMALL)
        self.changed(lambda file: file.attrs.modify("fingerprint", numpy.uint64(5)))
        found = self.wrong("x.h5", fingerprint="the attribute says 0x0000000000000005")
        self.assertEqual(list(found), ["fingerprint"])

    def test_options_that_are_off(self):
        """Switched on in the attributes alone."""
        self.generate(*SMALL)
        for name, value in (("permute", 1), ("self_loops", 0), ("symmetrize", 1), ("direction", "lower"),
                            ("weights", "uniform"), ("noise", 0.01)):
            value = numpy.uint64(value) if isinstance(value, int) else value
            self.changed(lambda file, name=name, value=value: file.attrs.__setitem__(name, value))
            self.assertIn("attributes", self.wrong("x.h5"), name)

    def of_another(self, *other):
        """The edges of one graph under the attributes of another."""
        self.generate("--scale", "10", *other, "-o", "other.h5", "--force")
        with h5py.File(self.path("other.h5"), "r") as file:
            columns = {name: file[name][:] for name in file}
            fingerprint = file.attrs["fingerprint"]

        def change(file):
            for name, column in columns.items():
                file[name][:] = column
            file.attrs.modify("fingerprint", fingerprint)

        self.changed(change)
        return self.wrong("x.h5")

    def test_another_graph(self):
        self.generate("--scale", "10", "--weights", "uniform")
        found = self.of_another("--weights", "uniform", "--seed", "2")
        self.assertEqual(list(found), ["edges"])
        self.assertIn("those of another seed", found["edges"])
        found = self.of_another("--weights", "uniform", "--a", "0.5", "--b", "0.22", "--c", "0.2")
        self.assertEqual(sorted(found), ["edges", "levels", "loops"])
        self.assertIn("the edges are those of another seed or model", found["edges"])
        self.assertRegex(found["levels"], r"\A\d+ of 10 do not fit the model; level \d")

    def test_seed(self):
        self.generate("--scale", "10", "--permute")
        self.changed(lambda file: file.attrs.modify("seed", numpy.uint64(2)))
        found = self.wrong("x.h5", attributes="--seed 2", edges="another seed or model")
        self.assertIn("levels", found)  # another seed permutes otherwise


class Command(VerifyTest):
    def test_lines(self):
        self.generate(*SMALL)
        done = self.rmat("verify", "graph.h5")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"\A100% 1.50 k edges in ")
        lines = done.stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines],
                         "file attributes fingerprint ids levels loops edges verdict".split())
        self.assertEqual(lines[-1], "verdict      all right: graph.h5")
        self.assertEqual(self.rmat("verify", "-q", "graph.h5").stdout, "")

    def not_checked(self, text, name, *args, **options):
        """Exit code 3, and a line that says why."""
        done = self.rmat("verify", name, *args, **options)
        self.assertEqual((done.returncode, done.stderr), (3, ""), done.stdout)
        self.assertRegex(done.stdout, rf"\Afile         failed: {text}\nverdict      not checked: {name}\n\Z")
        told = json.loads(self.rmat("verify", "--json", name, *args, **options).stdout)
        self.assertEqual((told["verdict"], told["ok"]), ("not checked", False))

    def test_not_checked(self):
        """Missing, unreadable and other programs' files, and failures of the system."""
        self.generate(*SMALL)
        self.not_checked("none.h5: No such file or directory", "none.h5")
        os.mkdir(self.path("folder"))
        self.not_checked("folder: is a directory, expected an HDF5 file; only files in h5 and csr can be verified", "folder")
        self.assertEqual(self.rmat("convert", "-q", "graph.h5", "x.el").returncode, 0)
        self.not_checked("x.el: is not an HDF5 file; only files in h5 and csr can be verified", "x.el")
        with h5py.File(self.path("y.h5"), "w", libver="v108") as file:
            file["src"] = file["dst"] = numpy.arange(5, dtype="uint32")
        self.not_checked("y.h5: attribute 'format' is missing; only files in h5 and csr can be verified", "y.h5")
        for form, name in (("pbg", "edges_0_0.h5"), ("binsparse", "x.bsp.h5")):
            done = self.rmat("generate", "-q", *SMALL, "--unique", "--sorted", "--format", form, "-o", name)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.not_checked(f"{name}: .*; only files in h5 and csr can be verified", name)

    def test_no_regular_files(self):
        """What is no file cannot be wrong."""
        os.mkfifo(self.path("fifo"))
        for name, kind in (("/dev/null", "a device"), ("fifo", "a FIFO")):
            self.not_checked(f"{name}: is {kind}, expected an HDF5 file; only files in h5 and csr can be verified", name, timeout=20)

    def test_names_decide_nothing(self):
        """A damaged file is wrong, whatever its name says."""
        self.generate(*SMALL)
        for number in (errno.EACCES, errno.EIO, errno.ENOMEM, errno.EMFILE):
            name = os.strerror(number) + ".h5"
            os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)  # Input/output error
            with open(self.path(name), "wb") as file:
                file.write(self.read("graph.h5")[:10000])
            self.wrong(name, file="truncated file: ")

    def test_too_few_descriptors(self):
        self.generate(*SMALL)
        self.not_checked(".*Too many open files.*", "graph.h5", preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_NOFILE, (4, 4)))

    @unittest.skipIf(os.geteuid() == 0, "root may read anything")
    def test_without_permission(self):
        self.generate(*SMALL)
        os.chmod(self.path("graph.h5"), 0)
        self.not_checked("graph.h5: Permission denied", "graph.h5")

    def test_full_disk(self):
        self.generate(*SMALL)
        with open("/dev/full", "w", encoding="ascii") as full:
            done = self.rmat("verify", "graph.h5", stdout=full)
        self.assertEqual(done.returncode, 3, done.stderr)

    def test_closed_pipe(self):
        """The exit status is still read by somebody."""
        self.generate(*SMALL)
        self.put(20000, b"\xff" * 16)
        for name, code in (("graph.h5", 0), ("x.h5", 1), ("none.h5", 3)):
            reading, writing = os.pipe()
            os.close(reading)
            with open(writing, "w", encoding="ascii") as pipe:
                done = self.rmat("verify", "--json", "-q", name, stdout=pipe)
            self.assertEqual((done.returncode, done.stderr), (code, ""), name)

    def test_usage(self):
        for args, text in (([], "FILE missing"), (["x", "--sample", "1"], "--sample: '1'"),
                           (["x", "--sample-seed", "1"], "--sample-seed"),
                           (["x", "--device", "0"], "--device"),
                           (["x", "--backend", "none"], "--backend")):
            done = self.rmat("verify", *args)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1))
            self.assertIn(text, done.stderr)

    def test_stop(self):
        self.generate("--scale", "19")
        for number, name, code in ((signal.SIGINT, "SIGINT", 130), (signal.SIGTERM, "SIGTERM", 143)):
            child = subprocess.Popen([RMAT, "verify", "-q", "graph.h5", "--threads", "3"], cwd=self.folder,
                                     text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            deadline = time.monotonic() + 30
            while len(os.listdir(f"/proc/{child.pid}/task")) < 4:
                self.assertIsNone(child.poll(), "ended before it could be stopped")
                self.assertLess(time.monotonic(), deadline)
            child.send_signal(number)
            out, err = child.communicate(timeout=60)
            self.assertEqual((child.returncode, err), (code, f"rmat verify: stopped by {name}\n"))
            self.assertEqual(out, f"edges        failed: stopped by {name}\n"
                                  "verdict      not checked: graph.h5\n")


@unittest.skipUnless("RMAT_FAULT" in os.environ, "the sanitizer has an allocator of its own")
class System(VerifyTest):
    """What the system refuses says nothing of the file, and a right one is never called wrong."""

    def failing(self, name, group, call, error, more=0, **environment):
        done = self.rmat("verify", name, "--quiet", "--threads", "2", env={
            **os.environ, "LD_PRELOAD": os.environ["RMAT_FAULT"], "FAULT_FOLDER": self.folder, "FAULT_GROUP": group,
            "FAULT_CALL": str(call), "FAULT_MORE": str(more), "FAULT_ERRNO": str(error), **environment})
        self.assertNotIn("WRONG", done.stdout, (name, group, call, error))
        return done

    def test_every_file_that_is_opened(self):
        """Once."""
        self.generate(*SMALL)
        for error in (errno.EACCES, errno.EINTR, errno.EIO):
            codes = [self.failing("graph.h5", "open", call, error).returncode for call in range(1, 9)]
            self.assertLessEqual(set(codes), {0, 3}, error)
            self.assertEqual(3 in codes, True, error)  # lstat() in HDF5 is not repeated
        self.assertEqual(self.failing("graph.h5", "open", 1, errno.EINTR).returncode, 0)

    def test_every_read(self):
        self.generate(*SMALL)
        codes = {self.failing("graph.h5", "read", call, errno.EIO).returncode for call in range(1, 80)}
        self.assertLessEqual({3}, codes)
        self.assertLessEqual(codes, {0, 3})

    def test_every_close(self):
        """Of the program's and of HDF5's: what was read until then is right."""
        self.generate(*SMALL)
        codes = {self.failing("graph.h5", "close", call, errno.EIO).returncode for call in range(1, 9)}
        self.assertLessEqual(codes, {0, 3})

    def test_no_locks(self):
        """Reading goes on without, unless the user insists."""
        self.generate(*SMALL)
        for error in (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, 524):
            for environment in {}, {"HDF5_USE_FILE_LOCKING": "BEST_EFFORT"}, {"HDF5_USE_FILE_LOCKING": "FALSE"}:
                self.assertEqual(self.failing("graph.h5", "lock", 1, error, -1, **environment).returncode, 0)
            done = self.failing("graph.h5", "lock", 1, error, -1, HDF5_USE_FILE_LOCKING="TRUE")
            self.assertEqual(done.returncode, 3)
            self.assertIn("cannot be locked, as HDF5_USE_FILE_LOCKING asks for: ", done.stdout)
        self.assertEqual(self.failing("graph.h5", "lock", 1, errno.EINTR).returncode, 0)
        for call in range(1, 5):  # they may go away meanwhile
            self.assertIn(self.failing("graph.h5", "lock", call, errno.ENOLCK, -1).returncode, (0, 3))

    def test_written_by_another_program(self):
        self.generate(*SMALL)
        with open(self.path("graph.h5"), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            done = self.rmat("verify", "graph.h5")
            self.assertEqual(done.returncode, 3)
            self.assertIn("graph.h5: another program has it open for writing", done.stdout)
            env = {**os.environ, "HDF5_USE_FILE_LOCKING": "FALSE"}
            self.assertEqual(self.rmat("verify", "-q", "graph.h5", env=env).returncode, 0)

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
                        self.assertEqual(done.stderr, said)
            self.assertEqual(codes, {0, refused})

    def test_no_threads(self):
        """Neither those of the check nor OpenMP's, which ends the program itself."""
        self.generate(*SMALL, "-o", "list.h5")
        self.generate("--scale", "14", "--sorted", "-o", "sorted.h5")
        for name in "list.h5", "sorted.h5":
            done = self.failing(name, "thread", 1, errno.EAGAIN, -1)
            self.assertEqual(done.returncode, 3, (done.stdout, done.stderr))


if __name__ == "__main__":
    unittest.main()
