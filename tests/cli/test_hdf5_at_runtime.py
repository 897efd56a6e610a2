"""A program that loads HDF5 when the first file needs it does what the one that links HDF5 does; without
HDF5 it says so in one line, leaves nothing behind, and does everything that needs none.

RMAT_AT_RUNTIME in the environment names that program."""

import os
import re
import shutil
import subprocess
import unittest

from cli import RMAT, CliTest, command, has_isal, skip_all

PROGRAM = os.path.abspath(os.environ["RMAT_AT_RUNTIME"])
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "io", "hdf5", "library.c")
NOT_FOUND = "HDF5 was not found: install libhdf5 (Debian: libhdf5-103-1) or name the library in RMAT_HDF5"

GRAPH = ["--scale", "12", "--seed", "3"]
KINDS = [
    [],
    ["--scale", "34", "--edges", "100K", "--permute"],
    ["--weights", "uniform"],
    ["--weights", "int:1:255"],
    ["--format", "csr", "--unique"],
    ["--format", "csr", "--weights", "uniform"],
    ["--layout", "sharded"],
    ["--layout", "sharded", "--format", "csr", "--unique"],
    ["--io", "hdf5"],
    ["RMAT_TEST_POSITIONAL=1"],
    ["--format", "pbg"],
    ["--format", "binsparse", "--unique"],
]
COMPRESSED = [["--compress"], ["--format", "csr", "--unique", "--compress"]]
OTHER_MAKERS = ("pbg", "binsparse")  # formats that verify and info do not read


def system_names():
    """The names that the program looks for."""
    with open(SOURCE, encoding="utf-8") as file:
        return re.findall(r'"(libhdf5[^"]*\.so[^"]*)"', file.read())


def find_hdf5():
    """The library that the program finds, or else the one that the other program links; or None."""
    told = subprocess.run([PROGRAM, "version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"^HDF5 [0-9.]+, (/\S+)$", told, re.M)
    if not found:
        told = subprocess.run(["ldd", RMAT], capture_output=True, text=True, check=True).stdout
        found = re.search(r"libhdf5\S* => (/\S+)", told)
    return found and found.group(1)


HDF5 = find_hdf5()
if HDF5 is None:
    skip_all("no shared library of HDF5")


class AtRuntime(CliTest):
    def environment(self, **changes):
        return {**os.environ, "RMAT_HDF5": HDF5, **changes}

    def run_it(self, *args, program=PROGRAM, cwd=None, env=None):
        return subprocess.run(command(*args, program=program), cwd=cwd or self.folder, env=env or self.environment(),
                              capture_output=True, text=True, timeout=300, check=False)

    def contents(self, folder):
        found = {}
        for base, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(base, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = file.read()
        return found

    def no_libraries(self):
        """An environment in which no name of the list is a library."""
        folder = self.path("libraries")
        os.mkdir(folder)
        for name in system_names():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write("no library\n")
        others = os.environ.get("LD_LIBRARY_PATH")
        environment = self.environment(LD_LIBRARY_PATH=folder + (":" + others if others else ""))
        del environment["RMAT_HDF5"]
        return environment

    def test_not_linked(self):
        told = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("libhdf5", told)
        self.assertGreaterEqual(len(system_names()), 9)

    def same(self, args):
        folders = {}
        for program in (RMAT, PROGRAM):
            folder = folders[program] = self.path("linked" if program == RMAT else "loaded")
            os.mkdir(folder)
            done = self.run_it("generate", "--quiet", *GRAPH, *args, "-o", "g.h5", program=program, cwd=folder)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        made = self.contents(folders[RMAT])
        self.assertIn("g.h5", made)
        self.assertEqual(made.keys(), self.contents(folders[PROGRAM]).keys())
        self.assertTrue(made == self.contents(folders[PROGRAM]))
        commands = [["stats", "--quiet", "g.h5"], ["convert", "--quiet", "g.h5", "edges.el"]]
        if not any(format in args for format in OTHER_MAKERS):
            commands += [["verify", "--quiet", "g.h5"], ["info", "g.h5"]]
        for words in commands:
            told = []
            for program, folder in folders.items():
                done = self.run_it(*words, program=program, cwd=folder)
                self.assertEqual((done.returncode, done.stderr), (0, ""), command)
                told.append(done.stdout)
            self.assertEqual(told[0], told[1], command)
        self.assertTrue(self.contents(folders[RMAT]) == self.contents(folders[PROGRAM]))

    def test_same_bytes(self):
        for args in KINDS + (COMPRESSED if has_isal() else []):
            with self.subTest(args=args):
                self.same(args)
            for folder in ("linked", "loaded"):
                subprocess.run(["rm", "-rf", self.path(folder)], check=True)

    def test_shards(self):
        for program, name in ((RMAT, "a.h5"), (PROGRAM, "b.h5")):
            for k in range(2):
                done = self.run_it("generate", "-q", *GRAPH, "--shard", f"{k}/2", "-o", name, program=program)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
            done = self.run_it("join", "-q", name, program=program)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        for name in ("00000.h5", "00001.h5"):
            self.assertTrue(self.read(f"a.h5.shards/{name}") == self.read(f"b.h5.shards/{name}"))
        self.assertEqual(self.run_it("verify", "-q", "b.h5").returncode, 0)

    def test_damage(self):
        """What HDF5 says of a file is told in the same words."""
        self.assertEqual(self.run_it("generate", "-q", *GRAPH, "-o", "g.h5").returncode, 0)
        whole = self.read("g.h5")
        for name, data in (("short.h5", whole[:3000]), ("text.h5", b"1 2\n"), ("empty.h5", b""),
                           ("flip.h5", whole[:700] + b"\xff" + whole[701:])):
            with open(self.path(name), "wb") as file:
                file.write(data)
            for command in (["info", name], ["verify", "-q", name], ["convert", "-q", name, "g.el"]):
                one, other = (self.run_it(*command, program=program) for program in (RMAT, PROGRAM))
                self.assertEqual((one.returncode, one.stdout, one.stderr),
                                 (other.returncode, other.stdout, other.stderr), command)
                self.assertNotEqual(one.returncode, 0)

    def fails(self, environment, text):
        """All that needs HDF5 fails with this line, and all else goes on."""
        self.assertEqual(self.run_it("generate", "-q", *GRAPH, "-o", "old.h5").returncode, 0)
        self.assertEqual(self.run_it("generate", "-q", *GRAPH, "-o", "old.el").returncode, 0)
        self.assertEqual(self.run_it("generate", "-q", *GRAPH, "--shard", "0/1", "-o", "s.h5").returncode, 0)
        before = self.contents(self.folder)
        folders = sorted(os.listdir(self.folder))
        for args in KINDS + (COMPRESSED if has_isal() else []):
            for name in ("new.h5", "old.h5"):
                done = self.run_it("generate", "-q", *GRAPH, *args, "--force", "-o", name, env=environment)
                self.assertEqual((done.returncode, done.stdout), (1, ""), args)
                self.assertRegex(done.stderr, rf"\Armat generate: ({self.folder}/)?{re.escape(name)}: {text}\n\Z")
        for args in (["info", "old.h5"], ["stats", "-q", "old.h5"], ["convert", "-q", "old.h5", "new.el"],
                     ["convert", "-q", "old.el", "new.h5"], ["join", "-q", "s.h5"]):
            done = self.run_it(*args, env=environment)
            self.assertEqual((done.returncode, done.stdout), (1, ""), args)
            self.assertRegex(done.stderr, rf"\Armat {args[0]}: \S+: {text}\n\Z", args)
        done = self.run_it("verify", "old.h5", env=environment)  # which is not wrong for that
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stdout, rf"(?m)^file +failed: old.h5: {text}$")
        done = self.run_it("version", env=environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, rf"\n{text}\n\Z")
        done = self.run_it("info", "--devices", env=environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, rf"(?m)^hdf5 +none: {text}$")
        self.assertEqual(sorted(os.listdir(self.folder)), folders)
        self.assertTrue(self.contents(self.folder) == before)
        for args in (["convert", "-q", "old.el", "new.mtx"], ["generate", "-q", *GRAPH, "-o", "new.npy"],
                     ["stats", "-q", "new.npy"], ["stats", "-q", "new.mtx"]):
            done = self.run_it(*args, env=environment)
            self.assertEqual((done.returncode, done.stderr), (0, ""), args)

    def test_none(self):
        self.fails(self.no_libraries(), re.escape(NOT_FOUND))

    def test_next_is_taken(self):
        """What is no library, or no HDF5, is passed over."""
        environment = self.no_libraries()
        last = os.path.join(self.path("libraries"), system_names()[-1])
        os.remove(last)
        os.symlink(HDF5, last)
        told = self.run_it("version", env=environment).stdout
        self.assertRegex(told, r"(?m)^HDF5 \d+\.\d+\.\d+, /\S+$")
        done = self.run_it("generate", "-q", *GRAPH, "-o", "g.h5", env=environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_fallback(self):
        """The one that RMAT_HDF5_FALLBACK names is the last, and if it is none, the line is the usual one."""
        environment = {**self.no_libraries(), "RMAT_HDF5_FALLBACK": HDF5}
        self.assertRegex(self.run_it("version", env=environment).stdout, r"(?m)^HDF5 \d+\.\d+\.\d+, /\S+$")
        done = self.run_it("generate", "-q", *GRAPH, "-o", "g.h5", env=environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        environment["RMAT_HDF5_FALLBACK"] = self.path("g.h5")
        self.assertIn("\n" + NOT_FOUND + "\n", self.run_it("version", env=environment).stdout)

    @unittest.skipUnless(shutil.which("cc"), "no compiler")
    def test_fallback_needs_another(self):
        """What the fallback needs, and the system does not have, is loaded before it."""
        environment, path = self.no_libraries(), self.path("needs.so")
        subprocess.run(["cc", "-shared", "-o", path, "-xc", "/dev/null", "-xnone", "-Wl,--no-as-needed", HDF5], check=True)
        environment["RMAT_HDF5_FALLBACK"] = path
        self.assertIn("\n" + NOT_FOUND + "\n", self.run_it("version", env=environment).stdout)
        environment["RMAT_HDF5_FALLBACK"] = f"{self.path('nothing.so')}:{HDF5}:{path}"
        self.assertRegex(self.run_it("version", env=environment).stdout, rf"(?m)^HDF5 \d+\.\d+\.\d+, {path}$")
        done = self.run_it("generate", "-q", *GRAPH, "-o", "g.h5", env=environment)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_not_a_library(self):
        with open(self.path("text"), "w", encoding="utf-8") as file:
            file.write("no library\n" * 100)
        path = self.path("text")
        self.fails(self.environment(RMAT_HDF5=path),
                   rf"the library that RMAT_HDF5 names cannot be used as HDF5: {path}: [^\n]+")

    def test_not_hdf5(self):
        done = self.run_it("generate", "-q", *GRAPH, "-o", "g.h5", env=self.environment(RMAT_HDF5="libm.so.6"))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "rmat generate: g.h5: the library that RMAT_HDF5 names cannot be used as HDF5: "
                                      "libm.so.6 lacks H5Aclose\n")
        self.assertEqual(self.files(), [])

    def test_missing_library(self):
        done = self.run_it("info", "--devices", env=self.environment(RMAT_HDF5=self.path("nothing.so")))
        self.assertEqual(done.returncode, 0)
        self.assertIn(f"{self.path('nothing.so')}: cannot open shared object file", done.stdout)


if __name__ == "__main__":
    unittest.main()
