#!/usr/bin/env python3
"""Kills rmat at random moments, and looks at what is left.

usage: random_kills.py RMAT [--kills N] [--jobs N] [--seed N] [--gpu] [--table FILE]

Each run of a kind is killed by SIGKILL after a random part of the time that a whole one takes.  Then there is no
file of its name, or the complete one, and nothing else but *.partial.  The next run makes the file: with another
number of threads, with two ranks after three, and with --gpu on the CPU what the GPU began.  It must be that of a
run that nobody disturbed, and nothing else is left.  A kind gets kills until they were N divided by the number of
kinds and ways.
"""

import argparse
import concurrent.futures
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time

from campaign import MPI, Campaign
from commands import settings

MANY = ["--scale", "18", "--seed", "3"]
FEW = ["--scale", "17", "--seed", "3", "--memory", "16Mi"]
SMALL = ["RMAT_TEST_CHUNK=8192"]  # many writes
KINDS = {
    "list": ("x.h5", MANY),
    "list, weights": ("x.h5", [*MANY, "--weights", "uniform"]),
    "list, positional": ("x.h5", [*MANY, "RMAT_TEST_POSITIONAL=1"]),
    "sorted list": ("x.h5", [*FEW, "--sorted"]),
    "distinct edges": ("x.h5", [*FEW, "--unique", "--permute"]),
    "CSR": ("x.h5", [*FEW, "--format", "csr"]),
    "CSR, weights": ("x.h5", [*FEW, "--format", "csr", "--weights", "int:1:9"]),
    "el": ("x.el", MANY),
    "wel": ("x.wel", [*MANY, "--weights", "int:1:9"]),
    "tsv": ("x.tsv", MANY),
    "csv": ("x.csv", MANY),
    "mtx": ("x.mtx", MANY),
    "bin32": ("x.bin32", MANY),
    "bin64": ("x.bin64", MANY),
}


class Kills(Campaign):
    def command(self, ranks, backend, words):
        launcher = [os.environ.get("MPIRUN", "mpirun"), "-n", str(ranks)] if ranks > 1 else []
        words, variables = settings(words)
        return [*launcher, "env", *(f"{name}={value}" for name, value in variables.items()), self.args.rmat, "generate",
                "-q", "--backend", backend, *words]

    def start(self, folder, command):
        session = os.path.join(folder, "session")  # of the launcher
        os.makedirs(session, exist_ok=True)
        environment = {**os.environ, **MPI, "TMPDIR": session, "OMPI_MCA_btl_vader_backing_directory": session}
        return subprocess.Popen(command, cwd=os.path.join(folder, "out"), env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def whole(self, folder, command):
        with self.start(folder, command) as job:
            out, err = job.communicate(timeout=120)
        return job.returncode, out, err

    @staticmethod
    def killed(job, seconds):
        """False: it was too fast.  Ranks are killed at once, so that none can clean up after another."""
        try:
            job.communicate(timeout=seconds)
            return False
        except subprocess.TimeoutExpired:
            pass
        os.killpg(job.pid, signal.SIGSTOP)  # the launcher, too, or it would end the ranks more gently
        for child in subprocess.run(["ps", "-o", "pid=", "--ppid", str(job.pid)], capture_output=True, check=False,
                                    text=True).stdout.split():
            with contextlib.suppress(ProcessLookupError):  # it ended by itself
                os.kill(int(child), signal.SIGKILL)
        os.killpg(job.pid, signal.SIGKILL)
        job.communicate()
        return True

    @staticmethod
    def tree(folder):
        found = {}
        top = os.path.join(folder, "out")
        for at, _, files in os.walk(top):
            for name in files:
                with open(os.path.join(at, name), "rb") as file:
                    found[os.path.relpath(os.path.join(at, name), top)] = file.read()
        return found

    def clear(self, folder):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(os.path.join(folder, "out"))

    def one_kind(self, kind, way):
        """Until so many kills were made: (kills, after how many of these the file was there, violations)."""
        name, words = KINDS[kind]
        ranks, backend, end_ranks, end_backend = WAYS[way]
        random_numbers = random.Random(f"{self.args.seed} {kind} {way}")
        folder = os.path.join(self.folder, f"{kind} {way}")
        words = [*words, "-o", name]
        self.clear(folder)
        begin = time.monotonic()
        code, _, err = self.whole(folder, self.command(ranks, backend, [*words, *SMALL]))
        length = time.monotonic() - begin
        assert code == 0, (kind, err)
        right = self.tree(folder)
        kills = complete = 0
        wrong = []
        while kills < self.args.each:
            self.clear(folder)
            threads = str(random_numbers.randrange(1, 5))
            with self.start(folder, self.command(ranks, backend, [*words, *SMALL])) as job:
                if not self.killed(job, random_numbers.uniform(0, 1.1 * length)):
                    continue
            kills += 1
            left = self.tree(folder)
            there = name in left  # it may have been killed after the file got its name
            complete += there
            if there and left[name] != right[name]:
                wrong.append("a complete name and other bytes")
            if any(other != name and not other.endswith(".partial") for other in left):
                wrong.append(f"left {sorted(left)}")
            code, _, err = self.whole(folder, self.command(end_ranks, end_backend, [
                *words, "--threads", threads, *(["--force"] if there else [])]))
            if code != 0:
                wrong.append(f"the next run failed: {err[-300:]!r}")
            elif self.tree(folder) != right:
                wrong.append(f"other bytes, or files: {sorted(set(self.tree(folder)) ^ set(right))}")
        shutil.rmtree(folder)
        return kills, complete, wrong

    def all(self):
        ways = [way for way in WAYS if self.args.gpu or "GPU" not in way]
        self.args.each = -(-self.args.kills // (len(KINDS) * len(ways)))
        started = {self.pool.submit(self.one_kind, kind, way): (kind, way) for way in ways for kind in KINDS}
        for future in concurrent.futures.as_completed(started):
            kind, way = started[future]
            kills, complete, wrong = future.result()
            self.table[way].update(kills=kills, complete=complete, violations=len(wrong))
            self.violations += [(kind, way, text) for text in wrong]
            print(f"{kind}, {way}: {kills} kills, {complete} after the end, {len(wrong)} violations", *wrong, sep="\n",
                  flush=True)

    def report(self, file):
        print("| how it was made and made again | kills | after the file had its name | violations |\n|---|---|---|---|",
              file=file)
        for way, row in self.table.items():
            print(f"| {way} | {row['kills']} | {row['complete']} | {row['violations']} |", file=file)


# (ranks, backend) that are killed, and that make the file after that.
WAYS = {"one process": (1, "cpu", 1, "cpu"), "three ranks, then two": (3, "cpu", 2, "cpu"),
        "GPU, then CPU": (1, "gpu", 1, "cpu")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rmat", type=os.path.abspath)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--table")
    return Kills(parser.parse_args()).main(Kills.all)


if __name__ == "__main__":
    sys.exit(main())
