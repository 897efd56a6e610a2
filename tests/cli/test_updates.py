"""rmat updates: beside a program written from UPDATES.md; valid; batches and snapshots alone."""

import collections
import itertools
import json
import os
import shlex
import sys
import unittest

import h5py
import numpy

from cli import CliTest, long_computation

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "support"))
from updates_reference import Updates, permute, philox  # noqa: E402

# M, insertions, deletions, batches: as many of both; growing; shrinking; to the last edge; without one of them; rounds
# of one batch.
SHAPES = [(40, 6, 6, 23), (30, 7, 2, 60), (100, 3, 7, 20), (10, 0, 3, 3), (0, 5, 0, 4), (25, 8, 8, 9), (8, 8, 8, 5),
          (3000, 150, 150, 25), (1500, 90, 45, 12)]


class UpdatesTest(CliTest):
    def updates(self, *options, name="u.h5"):
        done = self.rmat("updates", "--json", "-q", *options, "-o", name, "--force")
        self.assertEqual((done.returncode, done.stderr), (0, ""), options)
        return json.loads(done.stdout)

    def columns(self, name="u.h5"):
        with h5py.File(self.path(name)) as file:
            return [file[column][:] for column in ("source", "destination", "operation", "time")]

    def edges(self, name):
        with h5py.File(self.path(name)) as file:
            return list(zip(file["src"][:].tolist(), file["dst"][:].tolist()))

    def test_beside_the_reference(self):
        orders, arrivals = ("random", "oldest"), ("poisson", "uniform", "bursty")
        models = (["--scale", "8", "--seed", "3"], ["--scale", "7", "--permute", "--noise", "0.05", "--first", "77"],
                  ["--vertices", "300", "--no-self-loops", "--undirected", "lower", "--seed", "12345678901234567890"])
        for i, ((initial, insertions, deletions, batches), order) in enumerate(itertools.product(SHAPES, orders)):
            model, arrival, gap = models[i % 3], arrivals[i // 2 % 3], (1000, 1, 1 << 20)[i % 3]
            seed = int(model[model.index("--seed") + 1]) if "--seed" in model else 1
            first = 77 if "--first" in model else 0
            total = first + initial + insertions * batches
            self.generate(*model, "--edges", str(total), "-o", "list.h5", "--force")
            reference = Updates(self.edges("list.h5"), initial, insertions, deletions, seed, order, arrival, gap)
            options = [*model, "--edges", str(first + initial), "--insertions", str(insertions), "--deletions",
                       str(deletions), "--deletion-order", order]
            with self.subTest(options):
                self.updates(*options, "--arrivals", arrival, "--gap", str(gap), "--batches", str(batches))
                src, dst, operation, time = self.columns()
                n = (insertions + deletions) * batches
                expected = [reference.update(u) for u in range(n)]
                self.assertEqual(list(zip(src, dst, operation)), [update[:3] for update in expected])
                self.assertEqual(time.tolist(), reference.times(0, n))
                self.valid(expected, initial, insertions + deletions)
                for k in {0, 1, batches // 2, batches}:
                    self.updates(*options, "--snapshot", str(k), name="s.h5")
                    self.assertEqual(self.edges("s.h5"), [reference.edges[e] for e in reference.snapshot(k)])
                    self.replayed(src, dst, operation, reference.edges[:initial], k * (insertions + deletions))

    def valid(self, updates, initial, n):
        """Each deletion is of an edge that is there before its batch, and is there once."""
        live = set(range(initial))
        for batch in range(0, len(updates), n):
            before, deleted = set(live), set()
            for *_, operation, edge in updates[batch:batch + n]:
                self.assertEqual(edge in before and edge not in deleted, operation == -1)
                (deleted if operation == -1 else live).add(edge)
            live -= deleted

    def replayed(self, src, dst, operation, initial, n):
        """The edges at first, and n updates on them, are the snapshot in s.h5; no multiplicity is ever below 0."""
        graph = collections.Counter(initial)
        for u in range(n):
            graph[src[u], dst[u]] += int(operation[u])
            self.assertGreaterEqual(graph[src[u], dst[u]], 0)
        self.assertEqual(+graph, collections.Counter(self.edges("s.h5")))

    BASE = ["--scale", "12", "--permute", "--edges", "60K", "--insertions", "7000", "--deletions", "6000"]

    def test_any_batches_alone(self):
        self.updates(*self.BASE, "--arrivals", "bursty", "--batches", "30")
        whole = self.columns()
        for first, count in ((0, 1), (9, 1), (10, 3), (29, 1)):
            self.updates(*self.BASE, "--arrivals", "bursty", "--from-batch", str(first), "--batches", str(count),
                         name="b.h5")
            for column, part in zip(whole, self.columns("b.h5")):
                self.assertTrue(numpy.array_equal(column[13000 * first:13000 * (first + count)], part))

    def test_one_file_whatever_makes_it(self):
        options = [*self.BASE, "--arrivals", "poisson", "--symmetrize", "--batches", "12"]
        for suffix in ("h5", "csv", "parquet", "csv.zst"):
            self.updates(*options, name="a." + suffix)
            for variant in (["--threads", "1"], ["--threads", "5", "RMAT_TEST_CHUNK=1000"]):
                self.updates(*options, *variant, name="b." + suffix)
                self.assertTrue(self.read("a." + suffix) == self.read("b." + suffix), (suffix, variant))
        with h5py.File(self.path("a.h5")) as file:
            command = file.attrs["command"].decode()
            self.assertEqual((file.attrs["format"], file.attrs["updates_version"]), (b"rmat-updates", 1))
        self.updates(*shlex.split(command)[2:], name="b.h5")
        self.assertTrue(self.read("a.h5") == self.read("b.h5"))

    def test_formats_hold_the_same(self):
        options = [*self.BASE, "--arrivals", "bursty", "--batches", "5"]
        self.updates(*options)
        columns = self.columns()
        self.updates(*options, name="u.csv")
        text = numpy.loadtxt(self.path("u.csv"), delimiter=",", skiprows=1, dtype="i8")
        self.assertEqual(self.read("u.csv").splitlines()[0], b"source,destination,operation,time")
        for i, column in enumerate(columns):
            self.assertTrue(numpy.array_equal(text[:, i], column))
        self.updates(*options, "--compress", name="c.h5")
        self.assertTrue(all(map(numpy.array_equal, columns, self.columns("c.h5"))))
        try:
            import pyarrow.parquet
        except ImportError:
            return
        for more in ([], ["--compress"], ["--encoding", "split"], ["--encoding", "plain", "--columns", "u,v,sign"]):
            self.updates(*options, *more, name="u.parquet")
            table = pyarrow.parquet.read_table(self.path("u.parquet"))
            self.assertEqual(table.column_names[-1], "time")
            for i, column in enumerate(columns):
                self.assertTrue(numpy.array_equal(table.column(i).to_numpy(), column), more)

    def test_pairs(self):
        """With --symmetrize each update is followed by its reverse, at its time."""
        self.updates(*self.BASE, "--arrivals", "poisson", "--batches", "2")
        one = self.columns()
        self.updates(*self.BASE, "--arrivals", "poisson", "--batches", "2", "--symmetrize", name="b.h5")
        both = self.columns("b.h5")
        for i, reverse in enumerate((1, 0, 2, 3)):
            self.assertTrue(numpy.array_equal(both[i][::2], one[i]))
            self.assertTrue(numpy.array_equal(both[i][1::2], one[reverse]))

    def test_edges_of_a_file(self):
        """In the order of the page; with --unique no pair of vertices is there twice."""
        for options, name in ((["--scale", "9", "--edges", "3000"], "list.h5"),
                              (["--scale", "9", "--edges", "4100"], "list.csv"),
                              (["--vertices", "300", "--edges", "900", "--unique"], "list.h5")):
            self.generate(*options, "-o", "same.h5", "--force")
            self.assertEqual(self.rmat("convert", "-q", "--force", "same.h5", name).returncode, 0)
            edges = self.edges("same.h5")
            bits = (len(edges) - 1).bit_length()
            order = [permute(i, len(edges), lambda r: philox(77, 0, r, 11)) for i in range(len(edges))]
            self.assertEqual((sorted(order), bits > 9), (list(range(len(edges))), True))
            unique = ["--unique"] if "--unique" in options else []
            reference = Updates([edges[i] for i in order], 400, 50, 40, 77, arrivals="poisson")
            base = [name, "--edges", "400", "--seed", "77", "--insertions", "50", "--deletions", "40", *unique]
            self.updates(*base, "--batches", "10", "--arrivals", "poisson")
            src, dst, operation, time = self.columns()
            self.assertEqual(list(zip(src, dst, operation)), [reference.update(u)[:3] for u in range(900)])
            self.assertEqual(time.tolist(), reference.times(0, 900))
            self.updates(*base, "--snapshot", "10", name="s.h5")
            self.assertEqual(self.edges("s.h5"), [reference.edges[e] for e in reference.snapshot(10)])
            if unique:
                graph = set(reference.edges[:400])
                for update in zip(src, dst, operation):
                    self.assertEqual(update[:2] in graph, update[2] == -1)
                    (graph.remove if update[2] == -1 else graph.add)(update[:2])
                self.assertEqual(graph, set(self.edges("s.h5")))
                self.assertEqual(self.rmat("verify", "s.h5").returncode, 0)
                told = self.updates("list.h5", "--unique")
                self.assertEqual((told["insertions"], told["edges_after"]), (4, 450))
        for options, text in (("--scale 5", "--scale: given with FILE, allowed: --seed, --edges, --symmetrize and "
                                            "--unique"),
                              ("--edges 901", "--edges: '901' is out of range, allowed: 0 to 900, those of FILE"),
                              ("--edges 900 --insertions 1", "--insertions: '1' is more than the edges that are left, "
                                                             "allowed: fewer, or fewer --edges")):
            done = self.rmat("updates", "list.h5", *options.split(), "-o", "x.h5")
            self.assertEqual((done.returncode, done.stderr), (2, f"rmat updates: {text}\n"))
        done = self.rmat("updates", "list.csv", "--unique", "-o", "x.h5")
        self.assertEqual((done.returncode, done.stderr), (2, "rmat updates: --unique: FILE 'list.csv' is not known to have each "
                         "edge once, allowed: with one that rmat generate --unique, --dedup or --simple made\n"))
        self.assertEqual(self.rmat("updates", "none.h5").returncode, 1)

    def test_snapshots_are_graphs(self):
        self.updates(*self.BASE, "--snapshot", "7", "--weights", "int:1:9", name="s.h5")
        for name in ("s.h5", "c.h5", "s.mtx"):
            self.updates(*self.BASE, "--snapshot", "7", "--simple", *(["--format", "csr"] if name == "c.h5" else []),
                         name=name)
            if name.endswith("h5"):
                done = self.rmat("verify", name)
                self.assertEqual(done.returncode, 0, done.stdout)

    def test_arrivals(self):
        """Counts in slots of 16 mean gaps: their variance is that of the process."""
        variance = {}
        for arrivals in ("uniform", "poisson", "bursty"):
            self.updates("--scale", "10", "--edges", "400K", "--insertions", "100K", "--deletions", "100K", "--batches",
                         "2", "--arrivals", arrivals, "--gap", "64")
            time = self.columns()[3]
            self.assertTrue((numpy.diff(time) >= 0).all() and time[-1] < 400000 // 4096 * 4096 * 64 + 4096 * 64)
            counts = numpy.bincount(time // 1024)[:400000 // 16 - 256]
            variance[arrivals] = counts.var() / counts.mean()
        self.assertEqual(variance["uniform"], 0)
        self.assertAlmostEqual(variance["poisson"], 1, delta=0.05)
        self.assertGreater(variance["bursty"], 50)

    def test_lifetimes(self):
        """In numbers of batches, as the page has them: mean R and standard deviation R / sqrt(6)."""
        edges, n = 20000, 400
        self.generate("--scale", "30", "--edges", "100K", "-o", "list.h5")
        number = {edge: i for i, edge in enumerate(self.edges("list.h5"))}
        self.updates("--scale", "30", "--edges", str(edges), "--insertions", str(n), "--deletions", str(n), "--batches",
                     "200")
        src, dst, operation, _ = self.columns()
        deleted = numpy.flatnonzero(operation == -1)
        numbers = numpy.array([number[edge] for edge in zip(src[deleted].tolist(), dst[deleted].tolist())])
        lives = (deleted // (2 * n) - (numbers - edges) // n)[(numbers >= edges) & (numbers < edges + 100 * n)]
        self.assertEqual(len(lives), 100 * n)
        self.assertAlmostEqual(lives.mean() / 50, 1, delta=0.02)
        self.assertAlmostEqual(lives.std() / 50, 6 ** -0.5, delta=0.02)

    @long_computation
    def test_far_away(self):
        """A batch far behind takes no longer, whatever the rounds."""
        for deletions in (1000, 999):
            told = self.updates("--scale", "30", "--insertions", "1000", "--deletions", str(deletions), "--from-batch", "1T",
                                "--batches", "1", "--gap", "1")
            self.assertEqual(told["updates"], 1000 + deletions)
            self.assertLess(told["seconds"], 20)

    def test_refusals(self):
        for options, text in (
                ("--format el", "--format: el holds no updates, allowed: h5, csv, parquet"),
                ("--format csr", "--format: csr holds no updates, allowed: h5, csv, parquet"),
                ("--sorted", "--sorted: given for updates, allowed: for a graph"),
                ("--unique", "--unique: given for updates, which count an edge as often as it occurs, allowed: --unique with a "
                             "FILE that has each edge once, --dedup and --simple with --snapshot"),
                ("--weights uniform", "--weights: given for updates, allowed: with --snapshot"),
                ("--edges 50 --deletions 51", "--deletions: '51' is out of range, allowed: 0 to 50, the edges of the graph at "
                                              "first"),
                ("--insertions 0 --deletions 0", "--insertions --deletions: both are 0, allowed: one of them"),
                ("--edges 10 --insertions 0 --deletions 3 --batches 4", "--batches: '4' is out of range, allowed: 1 to 3, as "
                                                                        "then too few edges or numbers are left"),
                ("--edges 10 --insertions 0 --deletions 3 --from-batch 3", "--from-batch: '3' is out of range, allowed: 0 to "
                                                                           "2, the last batch"),
                ("--edges 10 --insertions 0 --deletions 3 --snapshot 4", "--snapshot: '4' is out of range, allowed: 0 to 3, as "
                                                                         "there are no more batches"),
                ("--snapshot 1 --gap 5", "--gap: given with --snapshot, allowed: for updates"),
                ("--stream gapbs --no-self-loops", "--no-self-loops: given with --stream gapbs, whose edges are not drawn "
                                                   "again, allowed: with --stream rmat"),
                ("--gap 0", "--gap: '0' is out of range, allowed: 1 to 1048576 (2^20)")):
            done = self.rmat("updates", "--scale", "5", *options.split())
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", f"rmat updates: {text}\n"))
            self.assertEqual(self.files(), [])
        self.updates("--scale", "5")
        for command in ("info", "verify", "stats", "compare u.h5"):
            done = self.rmat(*command.split(), "u.h5")
            self.assertEqual(done.returncode, 1 if command in ("info", "stats") else 3)
            self.assertIn("u.h5: holds updates of a graph, not a graph", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
