#!/usr/bin/env python3
"""Checksums of what rmat writes: `tests/bytes.py RMAT > LIST` before a change, `tests/bytes.py RMAT LIST` after it.

Makes small graphs by about a hundred command lines (formats, options, ranks, conversions) in a
temporary folder and prints the SHA-256 of every file.  With LIST it compares and exits
with 1 if a file differs, is missing or is new.  MPIRUN names another mpirun; without mpirun the lines of several ranks
are left out on both sides.  Not a test: it compares two versions, not a version with a promise.
"""
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile

FORMATS = {
    "h5": [], "csr": [], "el": [], "wel": ["--weights", "int:1:9"], "tsv": [], "csv": [], "mtx": [],
    "metis": ["--symmetrize", "--unique", "--no-self-loops"], "bin32": [], "bin64": [], "graph500": [], "npy": [],
    "parquet": [], "adjacency": ["--weights", "int:1:9"],
    "parhip": ["--symmetrize", "--unique", "--no-self-loops"], "sg": [], "wsg": ["--weights", "int:1:9"]}
SMALL = ["--scale", "10", "--seed", "7"]
MEDIUM = ["--scale", "15", "--seed", "7"]
RECTANGLE = ["--edges", "5000", "--vertices", "1000x300"]
MODELS = [["--permute"], ["--unique"], ["--dedup"], ["--symmetrize"], ["--undirected", "lower"], ["--no-self-loops"],
          ["--noise", "0.1"], ["--weights", "uniform"], ["--id-type", "int64"], ["--id-type", "int32"],
          ["--edges", "5000"], ["--sorted"], ["--sorted", "--weights", "uniform"], ["--unique", "--symmetrize"],
          ["--dedup", "--no-self-loops", "--permute"], ["--stream", "graph500"], ["--stream", "gapbs"]]


def lines():
    """(name, ranks, arguments, suffix of the file)."""
    for name, more in FORMATS.items():
        yield f"{name}", 1, SMALL + more + ["--format", name], name
        yield f"{name}-3", 3, SMALL + more + ["--format", name], name
    for i, more in enumerate(MODELS):
        yield f"h5-model{i}", 1, SMALL + more, "h5"
        yield f"csr-model{i}", 1 + i % 3, SMALL + more + ["--format", "csr"], "csr.h5"
    for name in "h5", "csr":
        yield f"{name}-rectangle", 2, RECTANGLE + ["--format", name], name
        for ranks in 1, 2, 3:
            yield f"{name}-medium-{ranks}", ranks, MEDIUM + ["--format", name, "--memory", "64M"], name
    for name in "npy", "parquet", "el":
        yield f"{name}-sorted-2", 2, SMALL + ["--sorted", "--format", name], name
        yield f"{name}-sorted-1", 1, SMALL + ["--sorted", "--format", name], name


def checksums(rmat, work, has_mpi):
    """The checksum of every file by the name of its line and its own; of a line that fails the exit status."""
    found = {}

    def run(name, ranks, *words):
        """A command that makes files in the folder of its name."""
        folder = os.path.join(work, name)
        os.makedirs(folder, exist_ok=True)
        mpirun = [os.environ.get("MPIRUN", "mpirun"), "--allow-run-as-root", "--oversubscribe", "-n", str(ranks)]
        command = [*(mpirun if ranks > 1 else []), rmat, words[0], "-q", *words[1:]]
        done = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=300)
        if done.returncode != 0:
            print(f"{name}: exit status {done.returncode}: {done.stderr.decode(errors='replace')[:300]}", file=sys.stderr)
            found[name] = f"status {done.returncode}"
        for file in sorted(os.listdir(folder)):
            with open(os.path.join(folder, file), "rb") as f:
                found[f"{name}/{file}"] = hashlib.sha256(f.read()).hexdigest()
        return folder

    for name, ranks, words, suffix in lines():
        if ranks == 1 or has_mpi:
            shutil.rmtree(run(name, ranks, "generate", *words, "-o", "graph." + suffix))
    source = os.path.join(work, "g.h5")
    subprocess.run([rmat, "generate", "-q", *SMALL, "--weights", "int:1:9", "--simple", "-o", source], check=True)
    for name in FORMATS:
        run("convert-" + name, 1, "convert", source, "out." + name, "--to", name)
    return found


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    has_mpi = shutil.which(os.environ.get("MPIRUN", "mpirun")) is not None
    with tempfile.TemporaryDirectory() as work:
        found = checksums(os.path.abspath(sys.argv[1]), work, has_mpi)
    if len(sys.argv) == 2:
        print("".join(f"{value}  {name}\n" for name, value in sorted(found.items())), end="")
        return 0
    with open(sys.argv[2], encoding="utf-8") as file:
        before = {name: value for value, name in (line.rstrip("\n").split("  ", 1) for line in file)}
    wrong = sorted(name for name in before.keys() | found.keys() if before.get(name) != found.get(name))
    for name in wrong:
        print(f"{name}: {before.get(name, 'was not there')} before, {found.get(name, 'is missing')} now")
    print(f"{len(found)} files, {len(wrong)} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
