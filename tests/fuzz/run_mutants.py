#!/usr/bin/env python3
"""Gives mutants of HDF5 files to the commands that read them, and counts crashes, hangs and use of memory.

    run_mutants.py RMAT MUTANTS FIRST RUNS SEED.h5...     (MUTANTS: the program hdf5_mutants)

A run may end with exit status 0, 1, 2 or 3 (verify: not checked), within 60 s and with at most 2 GiB of resident memory.
A child process that reads a file first has 10 s of processor time.
"""
import collections
import glob
import os
import resource
import subprocess
import sys
import tempfile

COMMANDS = {"info": [], "verify": [], "stats": [], "convert": ["out.el", "--force"]}
SECONDS = 60
MEMORY = 2 << 30


def outcome(command, folder):
    """crash, hang, contained, blamed (verify calls wrong what it could not read), or the exit status; and the message."""
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return "hang", b""
    if done.returncode < 0 or done.returncode > 3:
        return "crash", done.stdout
    if b"could not be read: HDF5" not in done.stdout:
        return f"exit {done.returncode}", done.stdout
    return "contained" if done.returncode == (3 if command[1] == "verify" else 1) else "blamed", done.stdout


def main():
    rmat, mutants, first, runs = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
    table = {command: collections.Counter() for command in COMMANDS}
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        subprocess.run([mutants, "--write", folder, "--first", first, "--runs", runs, *sys.argv[5:]], check=True)
        for name in sorted(glob.glob(f"{folder}/*.h5")):
            for command, more in COMMANDS.items():
                what, _ = outcome([rmat, command, name, *more], folder)
                table[command][what] += 1
                if what in ("crash", "hang", "blamed"):
                    print(f"{command} {os.path.basename(name)}: {what}", flush=True)
    for command, counts in table.items():
        print(command, dict(sorted(counts.items())))
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
    print(f"largest resident memory of a run: {most >> 20} MiB")
    bad = sum(counts["crash"] + counts["hang"] + counts["blamed"] for counts in table.values())
    return 1 if bad > 0 or most > MEMORY else 0


if __name__ == "__main__":
    sys.exit(main())
