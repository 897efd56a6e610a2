"""The command lines of the campaign, and the files that they read.

Before a command runs, the files of INPUTS exist and, for --force, older files with the names of its
outputs.
"""

from dataclasses import dataclass

GRAPH = ["--scale", "8", "--edges", "1500", "--seed", "3"]
SMALL = ["--scale", "7", "--edges", "300", "--seed", "5"]  # what --force replaces
INT = ["--weights", "int:1:9"]
SIMPLE = ["--simple"]

# The formats beside h5 and csr, and what each needs.
FORMATS = {"el": [], "wel": INT, "tsv": [], "csv": [], "mtx": [], "metis": SIMPLE, "bin32": [], "bin64": [], "graph500": INT,
           "npy": [], "parquet": ["--sorted"], "adjacency": [], "parhip": SIMPLE, "sg": SIMPLE, "wsg": [*SIMPLE, *INT]}


@dataclass
class Command:
    name: str
    words: list
    outputs: list
    stdout: bool = False
    before: list = ()  # words that make older files of the same names


def settings(words):
    """(the words for the program, those RMAT_TEST_NAME=VALUE as variables of its environment: tests/README.md)."""
    variables = [word for word in words if word.startswith("RMAT_TEST_")]
    return [word for word in words if word not in variables], dict(word.split("=") for word in variables)


def generate(name, words, outputs=("out",), **more):
    words = ["generate", "-q", "--backend", "cpu", *GRAPH, *words, "-o", "out"]
    return Command(name, words, list(outputs), **more)


def replaced(command, words):
    """The same where older files have the names."""
    before = ["generate", "-q", "--backend", "cpu", *SMALL, *words, "-o", "out"]
    return Command(command.name + " --force", [*command.words, "--force"], command.outputs, before=before)


INPUTS = {
    "list.h5": [*GRAPH, *INT],
    "sorted.h5": [*GRAPH, "--sorted"],
    "csr.h5": [*GRAPH, "--format", "csr"],
}


# What several ranks make together, in different ways.
BY_RANKS = {"generate h5", "generate h5 positional", "generate h5 sorted", "generate csr", "generate el",
            "generate graph500", "generate parquet", "generate sg", "generate h5 --force", "generate graph500 --force"}


def commands():
    made = [
        generate("generate h5", []),
        generate("generate h5 positional", ["RMAT_TEST_POSITIONAL=1"]),
        generate("generate h5 sorted", ["--sorted"]),
        generate("generate h5 unique", ["--unique", *INT]),
        generate("generate csr", ["--format", "csr"]),
    ]
    for name, needs in FORMATS.items():
        beside = ["out.weights"] if name == "graph500" else []
        made.append(generate("generate " + name, [*needs, "--format", name], ["out", *beside]))
    by_name = {c.name: c for c in made}
    made += [replaced(by_name["generate h5"], []),
             replaced(by_name["generate csr"], ["--format", "csr"]),
             replaced(by_name["generate el"], ["--format", "el"]),
             replaced(by_name["generate graph500"], [*INT, "--format", "graph500"])]
    for name in INPUTS:
        made.append(Command("info " + name, ["info", name], [], stdout=True))
    for name in ("list.h5", "csr.h5"):
        made.append(Command("convert " + name, ["convert", "-q", name, "out", "--to", "csv"], ["out"]))
        made.append(Command("verify " + name, ["verify", "-q", name], []))
    made += [
        Command("convert sorted.h5 to csr", ["convert", "-q", "sorted.h5", "out", "--to", "csr"], ["out"]),
        Command("stats list.h5", ["stats", "-q", "list.h5"], [], stdout=True),
        Command("roots csr.h5", ["roots", "-q", "csr.h5"], [], stdout=True),
        Command("plot list.h5", ["plot", "-q", "list.h5", "-o", "out.svg", "--data", "out"], ["out.svg", "out"]),
    ]
    return made
