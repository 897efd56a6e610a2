"""Every format by several ranks: the file of one process, byte for byte, which test_formats.py reads."""


from cli import size
from formats import FORMATS
from mpi import MpiTest

# Several rounds of all ranks, and a last one that not all have a part in.
GRAPH = ["--scale", "22", "--edges", size("1100K", "5M")]
INT = ["--weights", "int:1:255"]
# More that makes it hard for a format: files of several row groups, weights, sorted edges.
OPTIONS = {"csv": INT, "mtx": ["--sorted", "--permute"], "metis": INT, "graph500": ["--weights", "uniform"], "adjacency": INT,
           "parquet": ["--unique", *INT], "csr": ["--weights", "uniform"], "sg": ["--edges", "500K"], "wsg": ["--edges", "2M"]}


class Formats(MpiTest):
    def same_bytes(self, ranks, name, *options):
        about = FORMATS[name]
        job = [*options, *about.needs, *(INT if about.must else []), *OPTIONS.get(name, []), "--format", name, "--force"]
        with self.subTest(ranks=ranks, job=job):
            one = self.generate(*job, "-o", "one")
            told = self.generate_on(ranks, *job, "-o", "many", "--threads", "1")
            for key in "fingerprint", "file_bytes", "edges", "command":
                self.assertEqual(told[key], one[key], key)
            self.assertEqual(told["ranks"], ranks)
            for more in ["", *about.beside] if "--weights" in job or name != "graph500" else [""]:
                self.assertTrue(self.read("one" + more) == self.read("many" + more), "other bytes than one process's")
            self.assertEqual([file for file in self.files() if "partial" in file], [])

    def test_every_format(self):
        for number, name in enumerate(FORMATS):
            self.same_bytes(2 + number % 3, name, *GRAPH)

    def test_few_edges(self):
        """Most ranks have none."""
        for name, edges in (("el", 0), ("el", 3), ("h5", 0), ("npy", 3), ("parquet", 0), ("metis", 200000), ("csr", 3), ("sg", 0)):
            self.same_bytes(3, name, "--scale", "18", "--edges", str(edges))

    def test_different_threads(self):
        """Ranks cut the rounds alike."""
        for name in "el", "parquet":
            job = ["--scale", "20", "--edges", size("3M", "9M"), "--format", name, "-q", "--force"]
            self.assertEqual(self.rmat("generate", *job, "-o", "one").returncode, 0)
            done = self.launch_parts(*((1, [*job, "-o", "many", "--threads", threads]) for threads in ("1", "4")))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(self.read("one") == self.read("many"), name)
