"""README.md and the other pages: their Python examples and commands run, their tables of formats and presets are
complete, the program in ROWS.md gives the library's variates, and their links lead somewhere.

The C example of README.md is built by test_install.sh.
"""

import collections
import fnmatch
import glob
import os
import re
import shlex
import shutil
import struct
import sys
import unittest

from cli import CliTest, RMAT
from formats import FORMATS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, "tests", "support"))
import rows_reference  # noqa: E402
DOC = os.path.join("apps", "doc")
PYTHON = os.environ.get("README_PYTHON") or ("/usr/bin/python3" if os.path.exists("/usr/bin/python3") else "python3")
FOLDERS = "alias apps datasets io mpi rmat tests".split()


def pages():
    """All Markdown files of the project, by their paths from its root."""
    found = sorted(name for name in os.listdir(ROOT) if name.endswith(".md"))
    for folder in FOLDERS:
        for path, folders, names in os.walk(os.path.join(ROOT, folder)):
            folders.sort()
            found += [os.path.relpath(os.path.join(path, name), ROOT) for name in sorted(names) if name.endswith(".md")]
    return found


def read(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as file:
        return file.read()


def without_code(text):
    """A page without its blocks of code, indented or fenced, whose lines look like headings and links at times."""
    return re.sub(r"^    .*\n?", "", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S), flags=re.M)


def anchors(text):
    """The names that a link may give after #, made from headings as GitHub makes them."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)$", without_code(text), re.M)}


def commands(text):
    """The command lines of a page that begin with rmat: indented, after a dollar sign, or between backquotes in a
    table; without comments, and each part of a pipe or a list by itself."""
    program = r"rmat (?=[a-z-])"
    lines = re.findall(rf"^(?:    )?\$ ({program}.*)$|^    ((?:mpirun .*|srun .*)?{program}.*)$"
                       rf"|^\|.*?`((?:mpirun [^`]*)?{program}[^`]*)`", text, re.M)
    found = set()
    for line in lines:
        for part in re.split(r"[|;&]+| : ", "".join(line).replace("\\|", "|")):
            words = shlex.split(part, comments=True)
            if "rmat" in words and "..." not in words:
                found.add(tuple(words[words.index("rmat"):]))
    return sorted(found)


class Pages(CliTest):
    def python(self, page, words, modules):
        """Run the example of a page that has these words; what it prints."""
        for module in modules.split(", "):
            find = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module.split('.')[0]!r}) is None)"
            if self.program(PYTHON, "-c", find).returncode:
                self.skipTest("no " + module)
        found = [text for text in re.findall(r"^```python\n(.*?)^```$", read(page), re.M | re.S) if words in text]
        self.assertEqual(len(found), 1, words)
        self.assertEqual(re.search("^import (.*)$", found[0], re.M)[1], modules)
        done = self.program(PYTHON, "-W", "ignore", "-c", found[0])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def text(self, to, *options):
        """The lines of a graph in this format, which are whole numbers."""
        return [tuple(map(int, line.split())) for line in self.silent("generate", "-q", *options, "--format", to, "-o", "-").splitlines()]


class Readme(Pages):
    page = "README.md"

    def test_size(self):
        lines = read(self.page).splitlines()
        self.assertLessEqual(len(lines), 180)
        self.assertLessEqual(max(map(len, lines)), 100)

    def test_commands(self):
        """Those of the console and of the table run one after the other, and print what the page shows; those that print
        nothing, at a smaller scale."""
        steps = [(command or cell.replace("\\|", "|"), expected if command else None) for command, expected, cell in re.findall(
            r"^\$ (.*)\n((?:(?!```|\$).*\n)*)|^\|.*?\| `([^`]*)`", read(self.page), re.M)]
        self.assertEqual([expected is None for _, expected in steps].count(True), 14)
        environment = {"PATH": f"{os.path.dirname(RMAT)}:/usr/bin:/bin", "LC_ALL": "C", "HOME": self.folder}
        for command, expected in steps:
            if command == "rmat bench":  # takes a minute or two; cli_bench runs it
                continue
            if expected is None and "--first" not in command:
                command = re.sub(r" --scale \d+|$", " --scale 14", command, count=1) if "generate" in command else command
            if command.startswith("mpirun"):  # with what the page says of root and few cores
                if "RMAT_HAVE_MPI" not in os.environ:
                    continue
                command = command.replace("mpirun", "mpirun --allow-run-as-root --oversubscribe")
            elif command.startswith("rmat plot") and not shutil.which("gnuplot"):
                continue
            done = self.program("bash", "-c", command, env=environment)
            if expected is None:
                self.assertEqual(done.returncode, 0, (command, done.stderr))
            else:
                said = "".join(line for line in done.stderr.splitlines(True) if "Killed" not in line)
                self.assertEqual(done.stdout + said, expected, command)

    def test_run_sh_installs_what_the_page_uses(self):
        """Programs of others that the session and the table start, and that a bare system has not."""
        needs = {r"\bmpirun\b": {"openmpi-bin", "libopenmpi-dev"}, r"\brmat plot\b": {"gnuplot-nox"}}
        installed = set(" ".join(re.findall(r"^install_missing ((?:.*\\\n)*.*)", read("run.sh"), re.M)).split())
        for used, packages in needs.items():
            self.assertRegex(read(self.page), used)
            self.assertLessEqual(packages, installed)


class Python(Pages):
    page = os.path.join(DOC, "PYTHON.md")

    def test_all_examples_are_tested(self):
        # Those of the package, and how its arrays go into other libraries, are run by python_doc.
        plain = [page for page in (self.page, "README.md") for text in re.findall(
            r"^```python\n(.*?)^```$", re.sub("^## Into other libraries\n.*?(?=^## )", "", read(page), flags=re.M | re.S),
            re.M | re.S) if "import rmat" not in text and ", rmat" not in text]
        self.assertEqual(plain, [self.page] * 3)

    def test_first_edges(self):
        made = self.generate("--scale", "16", "--seed", "5")
        self.assertEqual(self.python(self.page, "makes the very same graph again", "h5py"),
                         f"{16 << 16} edges, {1 << 16} vertices, seed 5\n{made['command']}\n")

    def test_degrees(self):
        for ids in ("uint32", "uint64"):
            counts = collections.Counter(src for src, _ in self.text("el", "--scale", "8"))
            self.generate("--scale", "8", "--id-type", ids, "--force")
            self.assertEqual(self.python(self.page, "numpy.zeros", "h5py, numpy"),
                             f"out-degrees up to {max(counts.values())}\n")
            os.remove(self.path("graph.h5"))

    def test_numpy(self):
        src, dst = self.text("el", "--scale", "8")[1000]
        self.generate("--scale", "8")
        self.rmat("generate", "--scale", "8", "--format", "npy", "-q")
        self.assertEqual(self.python(self.page, "mmap_mode", "h5py, numpy"),
                         f"edge 1000 goes from {src} to {dst} and from {src} to {dst}\n")


class Formats(Pages):
    """The lines of Python that write formats which rmat does not."""
    page = os.path.join(DOC, "FORMATS.md")

    def test_dimacs(self):
        options = ["--scale", "8", "--weights", "int:1:255"]
        self.generate(*options)
        self.assertEqual(self.python(self.page, "p sp", "h5py, numpy"), "")
        lines = [f"a {src + 1} {dst + 1} {weight}\n" for src, dst, weight in self.text("wel", *options)]
        self.assertEqual(self.read("graph.gr").decode(), f"p sp 256 {len(lines)}\n" + "".join(lines))

    def test_galois(self):
        for edges in 1000, 1001:
            options = ["--scale", "8", "--unique", "--edges", str(edges), "--weights", "int:1:255"]
            self.generate(*options, "--format", "csr", "-o", "rows.h5", "--force")
            self.assertEqual(self.python(self.page, ".tofile(", "h5py, numpy"), "")
            found = self.text("wel", *options)
            self.assertEqual(len(found), edges)
            ends = [sum(src <= vertex for src, _, _ in found) for vertex in range(256)]
            expected = struct.pack("<4Q256Q", 1, 4, 256, edges, *ends)
            expected += struct.pack(f"<{edges}I", *(dst for _, dst, _ in found)) + bytes(4 * (edges % 2))
            expected += struct.pack(f"<{edges}i", *(weight for _, _, weight in found))
            self.assertEqual(self.read("rows.gr"), expected)


class Files(Pages):
    """The lines of Python that join slices, each a complete file."""
    page = os.path.join(DOC, "FILES.md")

    def test_pieces(self):
        for model in ("--scale 12 --permute", "--vertices 3000 --no-self-loops --undirected lower", "--scale 34",
                      "--stream graph500 --scale 12"):
            model = [*model.split(), "--edges", "65536"]
            for number, (first, count) in enumerate(((0, 777), (777, 29223), (30000, 35536))):
                told = self.generate(*model, "--first", str(first), "--count", str(count), "-o", f"piece{number}.h5", "--force")
                self.assertEqual((told["first"], told["edges"]), (first, count))
            self.silent("verify", "-q", *(f"piece{number}.h5" for number in range(3)))
            self.assertEqual(self.python(self.page, "VirtualLayout", "glob, h5py"), "")
            self.generate(*model, "-o", "whole.h5", "--force")
            for joined, whole in zip(self.columns("graph.h5"), self.columns("whole.h5"), strict=True):
                self.assertEqual(joined.dtype, whole.dtype)
                self.assertTrue((joined == whole).all(), model)


class Tables(unittest.TestCase):
    """Tables of the manual that list what the program has."""

    def test_formats(self):
        table = re.findall(r"^\| `(\w+)`", read(os.path.join(DOC, "FORMATS.md")), re.M)
        self.assertEqual(table, list(FORMATS))

    def test_presets(self):
        """Each preset has its row, with the numbers of datasets/presets.h."""
        rows = [(name, *(field.strip() for field in fields.split(",")))
                for name, fields in re.findall(r'X\("([\w-]+)",([^)]*)\)', read("datasets/presets.h"))]
        self.assertGreater(len(rows), 5)
        rows = [f"| `{name}` | {' | '.join(numbers)} | {scale if scale != '0' else '`--scale`'} |"
                for name, *numbers, scale in rows]
        self.assertIn("\n".join(rows) + "\n\n", read(os.path.join(DOC, "GENERATE.md")))


class Rows(CliTest):
    """The program in rmat/ROWS.md gives the binomial variates of the library: in graphs of two rows and two columns, in
    which each split of more than 128 edges is one."""

    def test_variates(self):
        try:
            rows_reference.variates(0)
        except ImportError:
            self.skipTest("no numpy")
        for number in range(18):
            n = (1000, 3000, 100000)[number % 3]
            share = (0.5, 0.25, 0.9375, 2**-6, 2**-9, 2**-14)[number // 3 % 6]  # of the upper row; exact, as its masses
            self.rmat("generate", "--stream", "rows", "--scale", "1", "--edges", str(n), "--seed", str(number), "--format",
                      "bin32", "--a", str((1 - share) / 2), "--b", str((1 - share) / 2), "--c", str(share / 2),
                      "--d", str(share / 2), "-q", "--force", "-o", "rows.bin32")
            counts = collections.Counter(struct.iter_unpack("<2I", self.read("rows.bin32")))
            variate = rows_reference.variates(number)
            upper = variate(0, n, 0, int(share * 2**40))
            self.assertEqual(counts[1, 0] + counts[1, 1], upper, (n, share))
            for row, first, edges in (0, 0, n - upper), (1, n - upper, upper):
                if edges > 128:
                    self.assertEqual(counts[row, 1], variate(first, edges, 64, 2**39), (n, share, row))


class Commands(CliTest):
    """The commands that the pages show."""

    def options(self, command):
        """Those that a command takes."""
        shown = self.rmat("help", command).stdout
        return {long for pair in re.findall(r"^ {2,6}(?:(-\w), )?(--[\w-]+)", shown, re.M) for long in pair if long}

    def test_options_exist(self):
        known, seen = {}, 0
        for page in pages():
            for words in commands(read(page)):
                command = words[1]
                if command.startswith("-") or command == "help":
                    continue
                if command not in known:
                    known[command] = self.options(command)
                self.assertTrue(known[command], f"{page}: {shlex.join(words)}: no such command")
                for word in words:
                    if re.match(r"--?[a-z]", word):
                        seen += 1
                        self.assertIn(word.split("=")[0], known[command], f"{page}: {shlex.join(words)}")
        self.assertGreater(seen, 80)

    def test_generate(self):
        """None of the commands that generate is wrong usage; each is planned, if not for this machine's disk."""
        found = {}  # those that differ in the name of a file or in the backend count once
        for page in pages():
            for words in commands(read(page)):
                if words[:2] == ("rmat", "generate"):
                    words = ["cpu" if word == "gpu" else word for word in words]
                    found[tuple(re.sub(r"^[\w/]+(\.[a-z]\w*)$", r"x\1", word) for word in words)] = page
        self.assertGreater(len(found), 20)
        for words, page in found.items():
            done = self.rmat(*words[1:], "--dry-run")
            if done.returncode != 1 or not re.search("too little|room for", done.stdout + done.stderr):
                self.assertEqual((done.returncode, done.stderr), (0, ""), f"{page}: {shlex.join(words)}")


class Names(unittest.TestCase):
    def test_names(self):
        """Tests that tests/README.md and the selections name are those that some CMakeLists.txt makes."""
        selections = r"^rmat_(?:quick|hostile)\(([^)]*)\)"
        texts = [read(path) for path in glob.glob(os.path.join(ROOT, "tests", "*", "CMakeLists.txt"))]
        made = {word for text in texts for word in re.findall(r"[a-z_\d]+", re.sub(selections, "", text, flags=re.M).lower())}
        named = [name for text in texts for names in re.findall(selections, text, re.M) for name in re.findall(r"[a-z_\d]+", names)]
        named += [name for name in re.findall(r"`([a-z_\d*]+)`", read("tests/README.md")) if re.match(
            r"(alias|bench|cli|dist|fuzz|graphfile|io|mpi|pipeline|python|rmat)_", name) and name != "rmat_quick"]
        self.assertGreater(len(named), 100)
        for name in named:
            # Numbers of ranks; what a GPU does as a CPU, which is compiled from the file of the CPU; and prefixes of folders.
            forms = {name, re.sub(r"_[\d*]$", "", name), name.replace("_gpu_", "_")}
            forms |= {re.sub("^(cli|mpi|python)_(?=.)", "", form) for form in forms}
            self.assertTrue(any(fnmatch.filter(made, form) for form in forms), name)


class Links(unittest.TestCase):
    def test_links(self):
        """Files exist, and headings that a link names are there."""
        seen = 0
        for page in pages():
            for target in re.findall(r"\]\(([^)]+)\)", without_code(read(page))):
                if re.match(r"https?://", target):
                    continue
                seen += 1
                path, _, anchor = target.partition("#")
                path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                self.assertTrue(os.path.exists(os.path.join(ROOT, path)), f"{page}: {target}")
                if anchor:
                    self.assertIn(anchor, anchors(read(path)), f"{page}: {target}")
        self.assertGreater(seen, 80)

    def test_every_page_is_in_the_index(self):
        index = read(os.path.join(DOC, "README.md"))
        for name in os.listdir(os.path.join(ROOT, DOC)):
            if name.endswith(".md") and name != "README.md":
                self.assertIn(f"]({name})", index)
