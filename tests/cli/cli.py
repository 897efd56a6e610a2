"""Helpers of the command-line tests.  RMAT in the environment names the program under test."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

RMAT = os.path.abspath(os.environ["RMAT"])
MODEL = ["--scale", "10", "--seed", "7"]
# A file of level matrices, and what such a file may have.
LEVELS = "# for scale 3\n0.4 0.3 0.2 0.1\r\n\n\t.25 .25 .25 .25 # even\n5e-1 0.2 0.2 0.1"

# Whether the numbers of vertices are no powers of two, and differ, and more options: models in which every two options meet
# that may, on and on, on and off, off and on.  The kinds of weights count as one option.
OPTION_PAIRS = [
    (1, 0, "--no-self-loops --symmetrize"),
    (0, 0, "--noise 0.05 --level-matrices levels.txt --permute --no-self-loops --undirected upper --symmetrize "
           "--weights float:-7.25:1e10 --id-type uint64"),
    (0, 0, "--noise 0.05 --permute --no-self-loops --undirected lower --symmetrize --weights int:-7:1000"),
    (1, 1, "--level-matrices levels.txt --weights float:-7.25:1e10 --id-type uint64"),
    (0, 1, "--permute --weights uniform"),
    (1, 0, "--noise 0.05 --level-matrices levels.txt --undirected lower --symmetrize --weights float:-7.25:1e10"),
    (1, 0, "--no-self-loops --undirected upper --weights int:-7:1000 --id-type uint64"),
    (0, 0, "--level-matrices levels.txt --undirected upper --symmetrize"),
    (1, 0, "--permute --undirected lower --id-type uint64"),
    (1, 1, "--noise 0.05"),
]

# In the order of the help.
COMMANDS = "generate info verify convert stats plot roots bench".split()


def size(usual, large):
    """What RMAT_TEST_LARGE=1 makes large (tests/README.md): a test of the label `slow`."""
    return large if "RMAT_TEST_LARGE" in os.environ else usual


# Before tests that take long: under the sanitizers others run the same code.
long_computation = unittest.skipIf("RMAT_SANITIZED" in os.environ, "takes long")

# Under the sanitizers the search for leaks takes most of the time of a command: where CMake does not ask for it, none.
NO_LEAKS = {"ASAN_OPTIONS": "verify_asan_link_order=0:detect_leaks=0"} if "RMAT_SANITIZED" in os.environ else {}
if "RMAT_LEAKS" not in os.environ:
    os.environ.update(NO_LEAKS)

VERIFIED = set()  # commands of files that `rmat verify` has passed


def command(*words, program=RMAT):
    """A call of rmat.  Words RMAT_TEST_NAME=VALUE become variables of its environment (tests/README.md)."""
    settings = [word for word in words if word.startswith("RMAT_TEST_")]
    return [*(["env", *settings] if settings else []), program, *(word for word in words if word not in settings)]


def fingerprint(src, dst):
    """As STREAM.md has it."""
    import numpy
    hashes = src.astype("u8") * numpy.uint64(0x9E3779B97F4A7C15) + dst.astype("u8") * numpy.uint64(0xC2B2AE3D27D4EB4F)
    hashes = (hashes ^ hashes >> numpy.uint64(32)) * numpy.uint64(0xD6E8FEB86659FD93)
    return (hashes ^ hashes >> numpy.uint64(32)).sum(dtype="u8")


def renew_fingerprint(file):
    """Makes the fingerprint of an HDF5 list, open in h5py, that of its edges: they were changed on purpose."""
    file.attrs.modify("fingerprint", fingerprint(file["src"][:], file["dst"][:]))


def write_list(path, src, dst, weight=None, vertices=None):
    """A list as another generator writes it by the C library (FILES.md): arrays of uint32, and of int32 or float32."""
    import h5py
    import numpy
    vertices = vertices or int(max(src.max(), dst.max())) + 1
    with h5py.File(path, "w", libver="v108") as file:
        for name, column in ("src", src.astype("u4")), ("dst", dst.astype("u4")), ("weight", weight):
            if column is not None:
                file[name] = column
        file.attrs["format"] = numpy.bytes_("rmat-edges")
        for name, value in {"format_version": 1, "complete": 1, "edges": len(src), "fingerprint": 0, "num_rows": vertices,
                            "num_cols": vertices}.items():
            file.attrs[name] = numpy.uint64(value)
        renew_fingerprint(file)


class CliTest(unittest.TestCase):
    """Every test runs in an empty folder of its own."""

    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="rmat-cli-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def rmat(self, *args, program=RMAT, **options):
        options = {"cwd": self.folder, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": 300, **options}
        return subprocess.run(command(*args, program=program), text=True, errors="surrogateescape", **options)

    def program(self, *words, **options):
        """Another program in the folder, with its output as text."""
        options = {"cwd": self.folder, "capture_output": True, "check": False, "timeout": 300, **options}
        return subprocess.run(words, text=True, **options)

    def generate(self, *args, **options):
        """Run `rmat generate`, which must succeed, unless it is a dry run that finds no room; its --json
        summary.  A dry run may replace what there is.  The first HDF5 file of every graph is verified, but not under
        the sanitizers, where cli_verify does that."""
        more = ["--force"] if "--dry-run" in args and "--force" not in args else []
        done = self.rmat("generate", "--json", "--quiet", *args, *more, **options)
        told = json.loads(done.stdout)
        fits = "--dry-run" not in args or "has room for" not in done.stderr
        self.assertEqual(done.returncode, 0 if fits else 1, args)
        self.assertTrue(not fits or done.stderr == "", args)
        verified = "RMAT_SANITIZED" in os.environ or told["command"] in VERIFIED
        if told["format"] in ("h5", "csr") and "--dry-run" not in args and not verified and told["file_bytes"] < 8 << 20:
            VERIFIED.add(told["command"])
            checked = self.rmat("verify", "--quiet", told["file"], cwd=options.get("cwd", self.folder))
            self.assertEqual((checked.returncode, checked.stdout, checked.stderr), (0, "", ""), args)
        return told

    def silent(self, *args, **options):
        """A command that succeeds and says nothing on standard error; what it prints."""
        done = self.rmat(*args, **options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), args)
        return done.stdout

    def told(self, *args, **options):
        """The JSON object of such a command."""
        return json.loads(self.silent(*args, "-q", "--json", **options))

    def fails(self, code, line, *args, prints=False, **options):
        """A command that fails with this line (a regular expression) behind "rmat COMMAND: ", prints nothing, unless it may, and
        changes no file."""
        before = self.state()
        done = self.rmat(*args, **options)
        command = "" if line.startswith("rmat") else f"rmat {args[0]}: "
        self.assertRegex(done.stderr, rf"\A{command}{line}\n\Z", args)
        self.assertEqual((done.returncode, done.stdout * (not prints), self.state()), (code, "", before), args)

    def files(self):
        return sorted(os.listdir(self.folder))

    def state(self, suffix=""):
        """What shows whether files were touched whose names have this end."""
        found = {entry.name: entry.stat(follow_symlinks=False) for entry in os.scandir(self.folder) if entry.name.endswith(suffix)}
        return {name: (*about[:7], about.st_mtime_ns) for name, about in sorted(found.items())}

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def write(self, name, content="precious"):
        with open(self.path(name), "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)

    def level_matrices(self, scale, name="levels.txt", first=0):
        """A file for --level-matrices."""
        lines = ["0.45 0.25 0.2 0.1\n", "0.25 0.3 0.15 0.3\n"]
        self.write(name, "".join(lines[(first + level) % 2] for level in range(scale)))

    def option_pairs(self, scale):
        """The words of each model of OPTION_PAIRS at this scale."""
        self.level_matrices(scale)
        for odd, oblong, options in OPTION_PAIRS:
            rows = 2**scale - 2**(scale // 2) * odd
            cols = 3 * 2**(scale - 5) + 1 if oblong else rows
            yield ["--vertices", f"{rows}x{cols}", "--edges", "5003" if scale == 10 else "600011", *options.split()]

    def columns(self, name, *columns):
        """Datasets of an HDF5 file; without names, all that a list has."""
        import h5py
        with h5py.File(self.path(name), "r") as file:
            return [file[column][:] for column in columns or ("src", "dst", "weight") if columns or column in file]

    def changed(self, change, name="graph.h5", out="x.h5"):
        """A copy of an HDF5 file that h5py has changed; its name."""
        import h5py
        shutil.copy(self.path(name), self.path(out))
        with h5py.File(self.path(out), "r+", libver="v108") as file:
            change(file)
        return out


# The end of a message about --backend gpu where there is none: a build without CUDA, or what CUDA says.
NO_GPU = r"--backend gpu: no GPU can be used: (this build has no CUDA|no CUDA-capable device is detected|no CUDA driver is installed|CUDA driver .*)"


def has_gpu():
    """Is there a GPU for this build?  One that fails counts: its tests must fail and not be skipped."""
    with tempfile.TemporaryDirectory(prefix="rmat-cli-") as folder:
        done = subprocess.run([RMAT, "generate", "-q", "--edges", "1", "--backend", "gpu"], cwd=folder,
                              capture_output=True, check=False, timeout=300)
    return b"no GPU can be used" not in done.stderr


def skip_all(reason):
    print("skipped:", reason)
    sys.exit(77)
