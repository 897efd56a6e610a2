"""`rmat plot`: pictures, the numbers in them, and failures."""

import collections
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import time
import unittest
import xml.dom.minidom
import zlib

from arrays import numpy
from cli import CliTest, RMAT, write_list

HAS_GNUPLOT = shutil.which("gnuplot") is not None
WITHOUT = "needs gnuplot (Debian: gnuplot-nox)"


def read_png(data):
    """Width, height, and the bytes of each pixel: 8 bits a colour, not interlaced."""
    place, packed = 8, b""
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place:place + 8])
        body = data[place + 8:place + 8 + length]
        if kind == b"IHDR":
            width, height, bits, colours, *rest = struct.unpack(">IIBBBBB", body)
            assert (bits, rest) == (8, [0, 0, 0]) and colours in (2, 6)
        packed += body if kind == b"IDAT" else b""
        place += 12 + length
    size, raw, rows = {2: 3, 6: 4}[colours], zlib.decompress(packed), []
    before = bytearray(width * size)
    for y in range(height):
        kind, *line = raw[y * (width * size + 1):(y + 1) * (width * size + 1)]
        for i, byte in enumerate(line):
            left = line[i - size] if i >= size else 0
            corner = before[i - size] if i >= size else 0
            up = before[i]
            nearest = min((abs(up - corner), 0, left), (abs(left - corner), 1, up),
                          (abs(left + up - 2 * corner), 2, corner))[2]
            line[i] = byte + (0, left, up, (left + up) // 2, nearest)[kind] & 255
        before = line
        rows.append([tuple(line[x:x + 3]) for x in range(0, width * size, size)])
    return width, height, rows


def surprise(rows):
    """Chi-squared of (found, expected), by the number of terms; small ones are put together."""
    chi, terms, found, expected = 0, 0, 0, 0
    for n, e in rows:
        found, expected = found + n, expected + e
        if expected >= 5:
            chi, terms = chi + (found - expected) ** 2 / expected, terms + 1
            found = expected = 0
    return chi / terms


class PlotTest(CliTest):
    def plot(self, *args, **options):
        """Which must succeed; the rows of --data by their first words."""
        self.assertEqual(self.silent("plot", "-q", "--data", "table", "--force", *args, **options), "", args)
        table = {}
        for line in self.read("table").decode().splitlines():
            kind, *numbers = line.split("\t")
            if not kind.startswith("#"):
                table.setdefault(kind, []).append([float(x) if x != "-" else None for x in numbers])
        return table


@unittest.skipUnless(HAS_GNUPLOT, WITHOUT)
class Pictures(PlotTest):
    def test_png(self):
        self.generate("--scale", "14")
        self.plot("graph.h5", "-o", "a.png")
        width, height, rows = read_png(self.read("a.png"))
        self.assertEqual((width, height), (1200, 640))
        self.assertEqual(rows[3][3], (255, 255, 255))
        # The matrix is 512 pixels wide, from (84, 72) on: each quadrant as bright as it is likely.
        light = [[sum(sum(rows[y][x]) for x in range(left, left + 252) for y in range(top, top + 252)) for left in (86, 342)]
                 for top in (74, 330)]
        self.assertGreater(light[0][0], 1.05 * light[0][1])
        self.assertGreater(light[0][1], 1.05 * light[1][1])
        self.assertLess(abs(light[0][1] - light[1][0]), 0.05 * light[0][1])
        # Points of the colour of out-degrees, and a line of the expectation's.
        right = [p for row in rows for p in row[84 + 512 + 98:]]
        self.assertGreater(right.count((0x2a, 0x1a, 0x5e)), 150)
        self.assertGreater(right.count((0xe0, 0x60, 0x9a)), 150)

    def test_svg(self):
        self.generate("--scale", "14")
        os.rename(self.path("graph.h5"), self.path("it's <mine> & {yours}.h5"))
        table = self.plot("it's <mine> & {yours}.h5", "-o", "a.svg")
        picture = self.read("a.svg")
        self.assertLess(len(picture), 1 << 20)
        svg = xml.dom.minidom.parseString(picture)
        self.assertEqual((svg.documentElement.getAttribute("width"),
                          svg.documentElement.getAttribute("height")), ("1200", "640"))
        self.assertEqual(len(svg.getElementsByTagName("image")), 1)
        self.assertTrue(b"it's &lt;mine> &amp; {yours}" in picture)
        shown = sum(n > 0 and first > 0 for kind in ("out", "in") for first, _, n, _ in table[kind])
        points = [use for use in svg.getElementsByTagName("use") if use.hasAttribute("color")]
        self.assertEqual(len(points), shown + 2)  # and two in the key

    def test_pdf(self):
        self.generate("--scale", "14")
        self.plot("graph.h5", "-o", "a.pdf")
        self.assertTrue(self.read("a.pdf").startswith(b"%PDF-1."))
        self.assertTrue(self.read("a.pdf").rstrip().endswith(b"%%EOF"))
        parts = [self.read("a.pdf")]
        for stream in re.findall(rb"stream\r?\n(.*?)endstream", parts[0], re.S):  # since cairo 1.18 the page is in one
            try:
                parts.append(zlib.decompressobj().decompress(stream))
            except zlib.error:
                pass
        box = re.search(rb"/MediaBox ?\[ ?0 0 ([0-9.]+) ([0-9.]+) ?\]", b"".join(parts))
        self.assertEqual(tuple(map(float, box.groups())), (1200, 640))

    def svg(self, *args):
        """The texts of a picture of the adjacency matrix, unless args say otherwise, and the sizes of its letters."""
        self.plot("--what", "adjacency", *args, "-o", "a.svg")
        svg = xml.dom.minidom.parseString(self.read("a.svg"))
        texts = ["".join(span.firstChild.data for span in text.getElementsByTagName("tspan") or [text] if span.firstChild)
                 for text in svg.getElementsByTagName("text")]
        sizes = {round(float(x), 1) for x in re.findall(r'font-size="([0-9.]+)"', self.read("a.svg").decode())}
        return [text.strip() for text in texts], sizes

    def test_texts(self):
        """The name of the file and the command; axes, and their ticks."""
        write_list(self.path("a_{b}.h5"), numpy.array([0, 1, 5]), numpy.array([1, 2, 0]))
        self.assertIn("a_{b}.h5", self.svg("a_{b}.h5")[0])
        self.generate("--scale", "18", "--seed", "7", "--edges", "1000")
        command = "rmat generate --scale 18 --edges 1000 --a 0.57 --b 0.19 --c 0.19 --d 0.05 --seed 7"
        texts, _ = self.svg("graph.h5")
        for text in (f"graph.h5: {command}", "Adjacency matrix", "source", "destination", "64ki", "128ki", "192ki", "256ki", "100"):
            self.assertIn(text, texts)
        texts, _ = self.svg("graph.h5", "--what", "degrees")
        for text in ("Degree distribution", "vertices per degree", "degree", "100", "101"):
            self.assertIn(text, texts)
        none = [int(row[2]) for kind in ("out", "in") for row in self.plot("graph.h5")[kind] if row[0] == 0]
        for kind, number in zip(("out", "in"), none):
            self.assertIn(f"{kind}-degree (0 at {number} vertices)", texts)

    def test_long_titles_are_smaller(self):
        for letters in 20, 90, 180:
            write_list(self.path("x" * (letters - 3) + ".h5"), numpy.array([0]), numpy.array([1]))
            _, sizes = self.svg("x" * (letters - 3) + ".h5")
            self.assertIn(round(15 * min(1, .97 * 720 / (.62 * 17.3 * letters)), 1), sizes)

    def test_small_graphs(self):
        """Also one diagram alone; the bar of colours has numbers where all cells are about equal, or are equal."""
        even = ["--a", ".25", "--b", ".25", "--c", ".25", "--d", ".25"]
        for args in (["--scale", "1"], ["--scale", "1x12"], ["--scale", "3", "--edges", "1"],
                     ["--scale", "4", "--a", "1", "--b", "0", "--c", "0"], [*even, "--scale", "6", "--edges", "500K"], [*even, "--scale", "2", "--edges", "160"]):
            self.generate(*args, "--force")
            for what in "degrees", "adjacency":
                self.plot("graph.h5", "--what", what)
                self.assertEqual(struct.unpack(">II", self.read("plot.png")[16:24]), (720, 640))
            texts, _ = self.svg("graph.h5")
            self.assertTrue({"100", "101", "102", "103"} & set(texts[texts.index("destination") + 1:]), texts)

    def test_few_edges_can_be_seen(self):
        """Cells are so large that one in 16 could have an edge, or more."""
        for edges, cells in ((100, 32), (20000, 512)):
            self.generate("--scale", "20", "--edges", str(edges), "--a", ".25", "--b", ".25", "--c", ".25", "--d", ".25",
                          "--force")
            found = self.plot("graph.h5", "-o", "a.png", "--what", "adjacency")["cell"]
            side = (1 << 20) // cells
            self.assertEqual({int(u) % side for u, v, _ in found} | {int(v) % side for u, v, _ in found}, {0})
            self.assertGreater(max(int(u) // side % 2 for u, v, _ in found), 0)
            self.assertEqual(sum(n for _, _, n in found), edges)
            width, height, rows = read_png(self.read("a.png"))
            ground = (0x0b, 0x07, 0x24)
            drawn = [pixel for row in rows[72 + 2:72 + 510] for pixel in row[84 + 2:84 + 510]]
            lit = sum(pixel != ground for pixel in drawn) / len(drawn)
            self.assertAlmostEqual(lit, len(found) / cells ** 2, delta=0.3 * len(found) / cells ** 2)
            # The colour of one edge is ten times as bright as the ground, in the eye's measure.
            (most, _), (other, _) = collections.Counter(drawn).most_common(2)
            self.assertEqual(most, ground)
            one, none = (sum(weight * (x / 255) ** 2.2 for weight, x in zip((0.2126, 0.7152, 0.0722), colour))
                         for colour in (other, ground))
            self.assertGreater(one, 10 * none)

    def test_name_of_the_picture(self):
        self.generate("--scale", "5")
        done = self.rmat("plot", "graph.h5", "-o", "a.svg")
        self.assertEqual((done.returncode, done.stdout), (0, "file         a.svg\n"))
        done = self.rmat("plot", "graph.h5", "-o", "b.svg", "--data", "-")
        self.assertEqual((done.returncode, done.stderr.splitlines()[-1]), (0, "file         b.svg"))
        self.assertTrue(done.stdout.startswith("#degree\t"))


@unittest.skipUnless(HAS_GNUPLOT, WITHOUT)
class Numbers(PlotTest):
    def test_degrees_and_cells_are_those_of_the_edges(self):
        self.generate("--vertices", "700", "--symmetrize", "--seed", "3")
        src, dst = self.columns("graph.h5")
        write_list(self.path("list.h5"), src, dst)  # without a model, and with the vertices that have edges
        edges = list(zip(src.tolist(), dst.tolist()))
        out = [0] * 700
        cells = {}
        for u, v in edges:
            out[u] += 1
            cells[u // 2 * 2, v // 2 * 2] = cells.get((u // 2 * 2, v // 2 * 2), 0) + 1
        for name in "graph.h5", "list.h5":
            table = self.plot(name, "--memory", "8Mi")
            known = 700 if name == "graph.h5" else max(max(e) for e in edges) + 1
            for first, last, vertices, expected in table["out"]:
                self.assertEqual(vertices, sum(first <= d <= last for d in out[:known]))
                self.assertEqual(expected is None, name != "graph.h5")
            self.assertEqual(table["cell"], [[*cell, n] for cell, n in sorted(cells.items())])

    def test_permuted_in_the_order_of_the_model(self):
        self.generate("--scale", "12")
        plain = self.plot("graph.h5", "--what", "adjacency")
        for args in (["--scale", "12"], ["--vertices", "4096x3000"], ["--scale", "38", "--edges", "1000"]):
            self.generate(*args, "-o", "a.h5", "--force")
            self.generate(*args, "-o", "b.h5", "--force", "--permute")
            first, again = (self.plot(name, "--what", "adjacency")["cell"] for name in ("a.h5", "b.h5"))
            self.assertTrue(first == again)
        self.assertEqual(sum(n for _, _, n in plain["cell"]), 16 << 12)

    def test_expectation_of_degrees(self):
        for args in (["--noise", "0.1", "--vertices", "20k", "--no-self-loops"],
                     ["--scale", "14", "--a", ".5", "--b", ".3", "--c", ".1"],
                     ["--scale", "14", "--stream", "rows"],
                     ["--scale", "14", "--symmetrize", "--permute"],
                     ["--vertices", "20kx3k"]):
            self.generate("--force", *args)
            table = self.plot("graph.h5", "-o", "a.svg", "--what", "degrees")
            self.assertEqual(set(table), {"out"} if "--symmetrize" in args else {"out", "in"})
            for kind, rows in table.items():
                self.assertAlmostEqual(sum(r[2] for r in rows), sum(r[3] for r in rows), 2)
                self.assertLess(surprise(r[2:] for r in rows), 1.6, (args, kind))

    def test_no_expectation_without_a_closed_form(self):
        for args in ("--unique", "--dedup", "--undirected lower", "--undirected upper --permute", "--stream graph500", "--stream gapbs"):
            self.generate("--force", "--scale", "8", *args.split())
            table = self.plot("graph.h5")
            self.assertEqual({row[3] for kind in ("out", "in") for row in table[kind]}, {None}, args)

    def test_symmetric_graphs_have_one_degree(self):
        self.generate("--scale", "8", "--symmetrize")
        self.assertEqual(set(self.plot("graph.h5")), {"out", "cell"})


@unittest.skipUnless(HAS_GNUPLOT, WITHOUT)
class Files(PlotTest):
    """The promises about both files, the picture and the table."""

    OUTPUTS = (("--output", "a.svg", []), ("--data", "a.table", ["-o", "b.svg"]))

    def setUp(self):
        super().setUp()
        self.generate("--scale", "5")
        os.symlink("graph.h5", self.path("in.svg"))

    def refuses(self, words, option, *more):
        self.fails(1, rf"{option}: {words}[^\n]*", "plot", "graph.h5", "-q", option, *more)

    def test_refusals(self):
        for option, name, more in self.OUTPUTS:
            self.refuses("nowhere: the folder does not exist", option, f"nowhere/{name}", *more)
            for node in "null", "full":
                os.symlink(f"/dev/{node}", self.path(node + name))
                self.refuses(f"{node}{name}: is a device, expected a regular file", option, node + name, *more, "--force")
                os.remove(self.path(node + name))
            for force in [], ["--force"]:
                self.refuses("in.svg: is the file that is read", option, "in.svg", *more, *force)
                os.mkfifo(self.path(name))
                self.refuses(f"{name}: is a FIFO, expected a regular file", option, name, *more, *force)
                os.remove(self.path(name))
                for planted in (os.mkfifo, os.mkdir, lambda path: os.symlink("graph", path)):
                    planted(self.path(name + ".partial"))
                    self.refuses(rf"{name}\.partial: ", option, name, *more, *force)
                    (os.rmdir if planted is os.mkdir else os.remove)(self.path(name + ".partial"))
        self.refuses("graph.h5: is the file that is read", "--data", "graph.h5")
        self.refuses(r"b\.svg\.partial: is being written by another process", "--data", "b.svg", "-o", "b.svg")
        self.assertEqual(self.files(), ["graph.h5", "in.svg"])

    def test_replacing(self):
        """Only with --force; a link stays, and so do the permissions."""
        os.mkdir(self.path("links"))
        self.write("plain")  # has the usual permissions
        for option, name, more in self.OUTPUTS:
            words = ["plot", "-q", "graph.h5", *more, option]
            self.silent(*words, name, *([] if more else ["--data", "table"]))
            self.assertEqual(os.stat(self.path(name)).st_mode, os.stat(self.path("plain")).st_mode)
            os.chmod(self.path(name), 0o604)
            os.symlink(f"../{name}", self.path(f"links/{name}"))
            for link in name, f"links/{name}":
                self.write(name)
                if more:
                    os.remove(self.path("b.svg"))
                self.refuses(f"{link}: already exists, --force replaces it", option, link, *more)
                self.assertEqual(self.read(name), b"precious")
                self.silent(*words, link, "--force")
                self.assertNotEqual(self.read(name), b"precious")
                self.assertEqual(os.stat(self.path(name)).st_mode & 0o777, 0o604)
            self.assertTrue(os.path.islink(self.path(f"links/{name}")))
        self.assertEqual(self.files(), ["a.svg", "a.table", "b.svg", "graph.h5", "in.svg", "links", "plain", "table"])

    def test_full_disk(self):
        for most in (1 << 10, 12 << 10):
            self.fails(1, ".+", "plot", "graph.h5", "-q", preexec_fn=lambda most=most: resource.setrlimit(
                resource.RLIMIT_FSIZE, (most, most)))
        with open("/dev/full", "w", encoding="ascii") as full:
            done = self.rmat("plot", "-q", "graph.h5", "--data", "-", stdout=full)
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
        self.assertEqual(self.files(), ["graph.h5", "in.svg"])


class Refusals(PlotTest):
    @unittest.skipUnless(HAS_GNUPLOT, WITHOUT)
    def test_what_the_file_decides(self):
        self.write("a.el", "1 2\n3 x\n")
        for name in "a.el", "b.h5":
            self.fails(1, f"{name}: .*", "plot", name, "-q")
        self.generate("--scale", "5", "--edges", "0", "-o", "empty.h5")
        self.fails(2, "FILE: 'empty.h5' has no edges, allowed: a graph with edges", "plot", "empty.h5")

    def fake(self, script):
        """An environment where gnuplot is a script."""
        os.makedirs(self.path("bin"), exist_ok=True)
        self.write("bin/gnuplot", "#!/bin/sh\n[ \"$1\" = --version ] && exit 0\n" + script)
        os.chmod(self.path("bin/gnuplot"), 0o755)
        return {**os.environ, "PATH": self.path("bin") + ":" + os.environ["PATH"]}

    def test_no_gnuplot(self):
        self.generate("--scale", "5")
        self.fails(1, "needs gnuplot: apt-get install gnuplot-nox", "plot", "graph.h5", "-q",
                   env={**os.environ, "PATH": self.folder})

    def test_gnuplot_that_fails(self):
        self.generate("--scale", "5")
        for script, reason in (("cat > /dev/null; echo; echo '  line 3: no such terminal' >&2; exit 1\n", "line 3: no such terminal"),
                               ("exit 0\n", "it gave no reason")):
            self.fails(1, f"gnuplot made no picture: {reason}.*", "plot", "graph.h5", "-q", env=self.fake(script))

    def test_stopped_while_gnuplot_draws(self):
        self.generate("--scale", "5")
        env = self.fake("echo > started; sleep 5; echo picture\n")
        for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            with subprocess.Popen([RMAT, "plot", "-q", "graph.h5"], cwd=self.folder,
                                  env=env, stderr=subprocess.PIPE) as child:
                while "started" not in self.files():
                    self.assertIsNone(child.poll())
                    time.sleep(0.01)
                child.send_signal(number)
                self.assertEqual(child.communicate(timeout=30)[1].count(b"\n"), 1)
            self.assertEqual(child.returncode, code)
            os.remove(self.path("started"))
            self.assertEqual(self.files(), ["bin", "graph.h5"])
