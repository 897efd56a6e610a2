#!/usr/bin/env python3
"""Fails every call of the CUDA runtime once, alone and with all that follow, and looks at what is left.

usage: cuda.py RMAT FAULT_LIBRARY [--stride N] [--table FILE]

RMAT is of a build with -D RMAT_SHARED_CUDART=ON, the library that of fault_cuda.c; there must be a
GPU.  After each run:

- exit status 0: its files have the right bytes, and nothing is said;
- 1, or 2 where no GPU can be used: one line says why, and no file is left;
- it was not ended by a signal, and did not hang.
"""

import argparse
import os
import re
import subprocess
import sys

from campaign import Campaign
from commands import Command

GRAPH = ["--scale", "16", "--edges", "600000", "--seed", "3", "RMAT_TEST_CHUNK=65536", "--threads", "2"]
SOME = ["--device-memory", "64Mi"]  # there are several runs at a time
KINDS = {
    "list": ["--weights", "uniform", "--symmetrize"],
    "sorted": ["--sorted", "--device-memory", "4Mi"],
    "unique csr": ["--format", "csr", "--unique", "--permute", "--weights", "int:1:9", *SOME],
    "text": ["--format", "el"],
    "sorted parquet": ["--format", "parquet", "--sorted", *SOME],
}


def generate(name, words):
    return Command(name, ["generate", "-q", *GRAPH, *words, "-o", "out"], ["out"])


def commands():
    made = []
    for name, words in KINDS.items():
        made.append(generate(name, [*words, "--backend", "gpu"]))
    made.append(Command("verify", ["verify", "-q", "list.h5", "--backend", "gpu"], []))
    return made


class Cuda(Campaign):
    def normal(self, command):
        """The right files, and the number of calls."""
        folder = os.path.join(self.folder, "normal-" + command.name.replace(" ", "-"))
        self.prepare(command, folder)
        counts = os.path.join(folder, "counts")
        done = self.run(command, command.words, folder, {"FAULT_CUDA_COUNTS": counts})
        assert done.returncode == 0, (command.name, done.stderr)
        with open(counts, encoding="ascii") as file:
            return self.state(command, folder), int(file.read())

    def wrong(self, command, folder, done, right):
        lines = done.stderr.splitlines()
        if done.returncode == 0:
            if self.state(command, folder) != right:
                return "exit 0 with other bytes"
            return None if not lines else f"said {done.stderr[:300]!r}"
        if done.returncode not in ((1, 2, 3) if command.words[0] == "verify" else (1, 2)):
            return f"exit {done.returncode}"
        if len(lines) != 1 or not re.match(rb"rmat( \w+)?: ", lines[0]):
            if command.words[0] != "verify" or b"failed" not in done.stdout:
                return f"said {done.stderr[:300]!r}"
        left = [name for name in os.listdir(folder) if name.startswith("out")]
        return f"left {left}" if left else None

    def one(self, number, command, right, call, more):
        folder = os.path.join(self.folder, str(number))
        self.prepare(command, folder)
        try:
            done = self.run(command, command.words, folder, {"FAULT_CUDA_CALL": str(call), "FAULT_CUDA_MORE": str(more)})
            wrong = self.wrong(command, folder, done, right)
            status = done.returncode
        except subprocess.TimeoutExpired:
            wrong, status = "hangs", None
        return command.name, "from then on" if more else "once", wrong, call, status

    def all(self):
        words = ["generate", "-q", *GRAPH, "-o", "list.h5"]
        done = self.run(Command("list.h5", words, []), words, self.inputs)
        assert done.returncode == 0, done.stderr
        number, started = 0, []
        for command in commands():
            right, calls = self.normal(command)
            print(f"{command.name}: {calls} calls", flush=True)
            for call in range(1 + len(started) % self.args.stride, calls + 1, self.args.stride):
                for more in (0, 1):
                    number += 1
                    started.append(self.pool.submit(self.one, number, command, right, call, more))
        for future in started:
            name, kind, wrong, call, status = future.result()
            row = self.table[name, kind]
            row.update(runs=1, survived=status == 0, violations=wrong is not None)
            if wrong is not None:
                self.violations.append((name, kind, call, wrong))
                print(name, kind, call, wrong, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rmat", type=os.path.abspath)
    parser.add_argument("library", type=os.path.abspath)
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--table")
    return Cuda(parser.parse_args()).main(Cuda.all)


if __name__ == "__main__":
    sys.exit(main())
