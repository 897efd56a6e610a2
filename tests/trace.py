#!/usr/bin/env python3
"""How much of the program a command runs: functions, files, depth.

    cmake -S . -B build-trace -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS="-O1 -g -fno-inline" -DRMAT_WITH_CUDA=OFF
    cmake --build build-trace --target rmat_cli
    tests/trace.py build-trace/bin/rmat generate --scale 16 -q -o /dev/shm/g.h5 --force

Runs it under valgrind's callgrind and counts four things: functions with their source in this repository; the files of
these functions, headers included; the depth of calls from main(), through this repository's functions alone, along the
longest path without repetition; and calls within a file and between files, each pair of functions once.  --functions and
--files print the lists.  Not a test.
"""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODULES = ("alias", "rmat", "io", "mpi", "apps")


def record(command):
    """The text of callgrind's output."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "callgrind.out")
        subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--compress-strings=no",
                        "--compress-pos=no", *command], check=True, stderr=subprocess.DEVNULL)
        with open(out, encoding="utf-8") as file:
            return file.read()


def ours(path):
    """The file's name from the root of the repository, or None."""
    path = os.path.realpath(path)
    if not path.startswith(ROOT + os.sep):
        return None
    path = os.path.relpath(path, ROOT)
    return path if path.split(os.sep)[0] in MODULES else None


def calls_of(text):
    """{function: file} and {caller: callees}; a function is known by its file and name."""
    where, calls = {}, collections.defaultdict(set)
    file = callee_file = caller = callee = None
    for line in text.splitlines():
        key, _, value = line.partition("=")
        if key in ("fl", "fi", "fe"):
            file = value
            if key == "fl":
                callee_file = value
        elif key == "fn":
            caller = (ours(file), re.sub(r"'\d+$", "", value))
            where[caller] = ours(file)
        elif key in ("cfi", "cfl"):
            callee_file = value
        elif key == "cfn":
            callee = (ours(callee_file), re.sub(r"'\d+$", "", value))
            where[callee] = ours(callee_file)
            calls[caller].add(callee)
            callee_file = file
    return where, calls


def depth_of(calls, root):
    """The length of the longest path of functions, none twice, found by a search that keeps the best."""
    sys.setrecursionlimit(10000)
    best = {}

    def visit(function, path):
        if function in best:
            return best[function]
        length = 1 + max((visit(c, path | {c}) for c in calls.get(function, ()) if c[0] and c not in path), default=0)
        best[function] = length
        return length

    return visit(root, {root})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--functions", action="store_true")
    parser.add_argument("--files", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    where, calls = calls_of(record(given.command))
    functions = sorted(f for f in where if where[f])
    files = collections.Counter(where[f] for f in functions)
    inside = sum(1 for f in functions for c in calls[f] if c[0] == f[0])
    between = sum(1 for f in functions for c in calls[f] if c[0] and c[0] != f[0])
    root = next(f for f in functions if f[1] == "main")
    print(f"{len(functions)} functions in {len(files)} files ({sum(f.endswith('.c') for f in files)} .c), depth "
          f"{depth_of(calls, root)}, calls inside a file : between files {inside} : {between}")
    for f in functions if given.functions else ():
        print(f"{f[0]}:{f[1]}")
    for name, count in sorted(files.items()) if given.files else ():
        print(f"{count:4} {name}")


if __name__ == "__main__":
    main()
