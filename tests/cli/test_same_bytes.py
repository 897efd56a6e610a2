"""One graph, one file: the bytes are the same for all execution options, and for the command that the file records.
test_gpu.py makes the same graphs on a GPU."""

import shlex

from cli import CliTest

# 3 * 2^17 + 5 edges: several chunks, and an end that no chunk or page divides.
MANY = ["--edges", "393221"]
LIST = ["--scale", "17", *MANY]
POSITIONAL = ["RMAT_TEST_POSITIONAL=1"]
ONE = ["--threads", "1"]
PIECES = [["--threads", "7", "RMAT_TEST_CHUNK=1000"], POSITIONAL, ONE]
WIDE = ["--id-type", "uint64"]
TEN = ["--scale", "10"]


def chunks(*sizes):
    return [[f"RMAT_TEST_CHUNK={size}"] for size in sizes]


# Options of graphs, and those that change nothing of their files.
GRAPHS = [
    (LIST, [*(["--threads", t, *more] for t in ("1", "2", "3", "7", "64") for more in ([], ["RMAT_TEST_CHUNK=10000"])),
            *chunks("1000", "4097", "32768", "65536", "1Mi"), ["--memory", "1Mi"], ["--memory", "1G"], POSITIONAL,
            [*POSITIONAL, "RMAT_TEST_CHUNK=5000", "--threads", "3"]]),
    ([*LIST, *WIDE], [POSITIONAL, *([*way, "RMAT_TEST_CHUNK=5000", "--threads", "3"] for way in ([], POSITIONAL)), *chunks("4097")]),
    (["--scale", "40", *MANY], []),
    (["--scale", "6", "--edges", "300"], chunks("1", "7", "300")),
    # sizes
    *((["--scale", scale, *MANY], []) for scale in "1 5 7 30 31 32 33 35 36 42 60 5x40 31x3".split()),
    (["--scale", "62", *MANY, "--seed", "18446744073709551615"], []),
    *((model.split(), []) for model in (
        "--scale 12 --edges 1", "--scale 6 --edges 0", "--scale 1 --edge-factor 3", "--scale 10x12", "--vertices 1Kix300",
        "--scale 33 --edges 1K", "--scale 20 --id-type uint64 --seed 0xdeadbeefcafef00d", "--scale 10 --seed 0xdeadbeefcafef00d")),
    # matrices
    *(([*size, *matrix.split()], []) for size, matrix in (
        (TEN, "--a 0.1 --b 0.2 --c 0.3"), (TEN, "--a 0.3333333333333333 --b 1e-17 --c 0.123456789012"),
        (TEN, "--a 0.25 --b 0.25 --c 0.25 --d 0.2500000001"), (["--scale", "20", *MANY], "--a 1 --b 0 --c 0"),
        (["--scale", "33", *MANY], "--a 0 --b 0.5 --c 0.5"))),
    # weights
    *(([*model.split(), "--edges", "150001"],
       [["--threads", "3"], ONE, *chunks("1000", "4097", "1Mi"), POSITIONAL, [*POSITIONAL, "RMAT_TEST_CHUNK=10000"],
        ["--memory", "1Mi"]]) for model in (
            "--weights uniform --symmetrize --no-self-loops --vertices 100000",
            "--weights uniform --symmetrize --no-self-loops --vertices 100000 --id-type uint64",
            "--weights int:1:255 --permute --noise 0.1 --id-type uint64")),
    # what is the default, or says the same
    (TEN, [words.split() for words in (
        "--a 0.57 --b 0.19 --c 0.19", "--a 0.57 --b 0.19 --c 0.19 --d 0.05", "--edge-factor 16",
        "--edges 16Ki", "--scale 10x10", "--seed 0x1", "--seed 5 --seed 1", "--noise 0", "--noise=-0", "--weights none")]),
    (["--vertices", "1024"], [["--vertices", "1Kix1024"]]),
    # sorted graphs
    *(([*TEN, *more.split()], []) for more in ("--sorted", "--unique", "--format csr", "--format csr --unique --symmetrize")),
    (["--scale", "14", "--dedup", "--weights", "int:1:9"], [["--memory", "1500K"], ONE, POSITIONAL]),
    # slices
    *(([*more.split(), "--first", "5000"], []) for more in (
        "--scale 12 --dedup", "--scale 12 --unique --edges 30000", "--scale 11 --simple --format csr",
        "--stream graph500 --scale 12 --sorted --weights uniform")),
    # other streams
    (["--stream", "rows", "--scale", "12", "--weights", "uniform"], [*PIECES, ["--sorted"], ["--memory", "2M"]]),
    *((["--stream", "rows", *more.split(), *form.split()], [["--memory", "2M"]] if form else [])
      for more in ("--scale 16", "--vertices 70000 --no-self-loops") for form in ("", "--format csr", "--format csr --dedup")),
    (["--stream", "graph500", "--scale", "12", "--weights", "uniform"],
     [*PIECES, ["--edges", "64Ki", "--seed", "2", "--seed2", "3"]]),
    *((["--stream", "graph500", "--scale", "12", *more.split()], []) for more in (
        "--simple --format csr", "--sorted", "--permute --symmetrize", "--no-self-loops", "--undirected lower --weights int:1:9",
        "--weights uniform --sorted", "--edges 0", "--id-type uint64 --weights uniform", "--symmetrize --weights uniform --dedup",
        "--no-self-loops --symmetrize --sorted")),
    *((["--stream", "gapbs", "--scale", "12", "--weights", "int:1:255", *seed], [ONE]) for seed in ([], ["--seed", "1"])),
    *((["--stream", "gapbs", "--scale", "14", *more.split()], []) for more in (
        "--simple --format csr --weights int:1:255", "--permute", "--weights uniform", "--weights int:1:9 --sorted",
        "--first 100000 --weights int:1:255")),
]


class SameBytes(CliTest):
    def test_graphs(self):
        for base, ways in GRAPHS:
            told = self.generate(*base, "-o", "base.h5", "--force")
            program, command, *words = shlex.split(told["command"])
            self.assertEqual((program, command), ("rmat", "generate"))
            for args in (words, *([*base, *way] for way in ways)):
                with self.subTest(args=args):
                    again = self.generate(*args, "-o", "other.h5", "--force")
                    self.assertTrue(self.read("other.h5") == self.read("base.h5"))
                    self.assertEqual(again["fingerprint"], told["fingerprint"])
                    self.assertTrue(args is not words or again["command"] == told["command"])

    def test_other_models_differ(self):
        for base, *others in (
                (TEN, ["--seed", "2"], ["--edges", "16383"], ["--scale", "11", "--edges", "16Ki"], ["--scale", "10x11"],
                 ["--a", "0.56", "--b", "0.2", "--c", "0.19"], ["--stream", "gapbs"], ["--stream", "gapbs", "--seed", "1"]),
                ([*TEN, "--stream", "graph500"], ["--seed", "5"], ["--seed2", "5"], ["--seed", "5", "--seed2", "5"])):
            prints = {self.generate(*base, *more, "-o", "x.h5", "--force")["fingerprint"] for more in ([], *others)}
            self.assertEqual(len(prints), 1 + len(others))
