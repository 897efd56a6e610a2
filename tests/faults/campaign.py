#!/usr/bin/env python3
"""Fails every call of rmat once, kills it at every call once, and checks the files that are left.

usage: campaign.py RMAT FAULT_LIBRARY [--short] [--only TEXT] [--groups NAME,NAME] [--ranks N] [--most N]

For every command line (commands.py) the calls of a normal run are counted by groups (fault.c); then
each call in turn fails, or the program is killed there.  After each run:

- an interrupted read, or one that returns fewer bytes than requested, changes nothing;
- exit status 0: its files and, where compared, its output have the right bytes;
- another status: one line on standard error gives the reason; the status is 1, or 3 if `verify` could
  not check; the program did not die by a signal, and did not hang;
- a file under a final name is the old one or the new one; of files that belong together, both are old
  or both are new, or the first, by which readers find them, is missing;
- other files that are left are called *.partial, and after an error there are none;
- the same command, with --force if a file exists, then makes the right files: one process does, with
  another number of threads.

With --ranks N ranks make the files together (as root, set OMPI_ALLOW_RUN_AS_ROOT=1 and
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1), and the calls of each rank fail or kill it in turn.  If MPI cannot
create a thread while it starts, it reports that with its own status, in lines that its launcher may lose.

With --short only some calls of each command are tried, chosen by their number, as in CI.
Allocations that fail within libhdf5 still end the program there: the group alloc is not clean.
libgomp ends the program, with its own message, if it cannot start a thread.
"""

import argparse
import collections
import concurrent.futures
import errno
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

from commands import BY_RANKS, INPUTS, commands, settings

GROUPS = ("alloc", "open", "read", "write", "sync", "close", "rename", "thread", "lock")
KILLED = ("open", "write", "sync", "close", "rename")
SAID = rb"rmat( \w+)?: |libgomp: (Thread creation failed|Out of memory)"
SECONDS = 30  # until a run counts as hanging

# What fails how: (way, error, how many later calls fail, too).
WAYS = {
    "alloc": [("fail", errno.ENOMEM, 0), ("fail", errno.ENOMEM, -1)],
    "open": [("fail", errno.EMFILE, 0), ("fail", errno.EACCES, 0), ("fail", errno.ENFILE, -1), ("fail", errno.EINTR, 0)],
    "read": [("fail", errno.EIO, 0), ("fail", errno.EINTR, 0), ("short", 0, 0), ("fail", errno.EIO, -1)],
    "write": [("fail", errno.EIO, 0), ("fail", errno.ENOSPC, -1), ("fail", errno.EINTR, 0), ("short", 0, 0)],
    "sync": [("fail", errno.EIO, 0), ("fail", errno.EIO, -1)],
    "close": [("fail", errno.EIO, 0)],
    "rename": [("fail", errno.EIO, 0), ("fail", errno.EIO, -1)],
    "thread": [("fail", errno.EAGAIN, 0), ("fail", errno.EAGAIN, -1)],
    "lock": [("fail", errno.ENOLCK, -1), ("fail", errno.EOPNOTSUPP, -1), ("fail", 524, -1), ("fail", errno.EWOULDBLOCK, 0)],
}


class Campaign:
    def __init__(self, args, ranks=1):
        self.args, self.ranks = args, ranks
        self.folder = tempfile.mkdtemp(prefix="rmat-faults-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        self.inputs = os.path.join(self.folder, "inputs")
        os.mkdir(self.inputs)
        self.rank = 0
        self.runs = self.violations = 0
        self.pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())

    def run(self, words, folder, faults=None, ranks=1, threads=2):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("FAULT_")}
        words, variables = settings(words)
        environment.update(OMP_NUM_THREADS=str(threads), TMPDIR=folder, **variables)
        if faults is not None:
            environment.update(LD_PRELOAD=self.args.library, FAULT_FOLDER=self.folder, **faults)
        call = [self.args.rmat, *words]
        if ranks > 1:
            return self.launch(ranks, call, folder, environment)
        return subprocess.run(call, cwd=folder, env=environment, timeout=SECONDS, stdin=subprocess.DEVNULL,
                              capture_output=True, check=False)

    def launch(self, ranks, call, folder, environment):
        """By mpirun, whose own lines on standard error are left out, and what it ends after one has failed."""
        call = call if "--threads" in call else [*call, "--threads", "2"]  # on every machine the same
        with tempfile.TemporaryDirectory(prefix="rmat-mpi-", ignore_cleanup_errors=True) as session:
            environment.update(TMPDIR=session, OMPI_MCA_btl_vader_backing_directory=session)
            with subprocess.Popen([os.environ.get("MPIRUN", "mpirun"), "-n", str(ranks), *call], cwd=folder,
                                  env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, start_new_session=True) as job:
                try:
                    out, err = job.communicate(timeout=SECONDS)
                except subprocess.TimeoutExpired:
                    job.terminate()  # and with it the ranks
                    raise
        lines = b"".join(line + b"\n" for line in err.splitlines()
                         if re.match(SAID, line) and b": stopped by SIGTERM" not in line)
        status = job.returncode
        done = subprocess.CompletedProcess(call, 128 - status if status > 128 else status, out, lines)
        done.of_start = b"An error occurred in MPI_Init" in err
        return done

    def link_inputs(self, folder):
        os.mkdir(folder)
        for name in os.listdir(self.inputs):
            os.symlink(os.path.join(self.inputs, name), os.path.join(folder, name))

    def prepare(self, command, folder):
        self.link_inputs(folder)
        if command.before:
            done = self.run(command.before, folder)
            assert done.returncode == 0, done.stderr

    def state(self, command, folder):
        """The files of the command: their bytes, None where there is none."""
        found = {}
        for name in command.outputs:
            try:
                with open(os.path.join(folder, name), "rb") as file:
                    found[name] = file.read()
            except FileNotFoundError:
                found[name] = None
        return found

    def left(self, command, folder, kept):
        """What has another name than it may have."""
        known = set(os.listdir(self.inputs)) | set(command.outputs)
        return [name for name in os.listdir(folder) if name not in known and (".partial" not in name or not kept)]

    def normal(self, command):
        """The right result, what was there before, and, where calls are to fail, the counts of calls."""
        folder = os.path.join(self.folder, "normal")
        shutil.rmtree(folder, ignore_errors=True)
        self.prepare(command, folder)
        before = self.state(command, folder)
        counts = os.path.join(self.folder, "counts")
        faults = {"FAULT_COUNTS": counts, **self.on_rank(self.rank)} if self.args.library else None
        done = self.run(command.words, folder, faults, self.ranks)
        assert done.returncode == 0, (command.name, done.stderr)
        calls = None
        if faults:
            with open(counts, "rb") as file:
                calls = dict(zip(GROUPS, struct.unpack(f"{len(GROUPS)}Q", file.read(8 * len(GROUPS)))))
            os.remove(counts)
        right = self.state(command, folder)
        assert None not in right.values(), (command.name, [n for n in right if right[n] is None])
        return right, before, done.stdout if command.stdout else None, calls

    def check(self, command, folder, done, normal, killed, group):
        """What is wrong, in words, or None."""
        right, before, stdout, _ = normal
        now = self.state(command, folder)
        if done is None:
            return "hangs"
        status = done.returncode
        if killed:
            if status not in (0, -signal.SIGKILL) and self.ranks == 1:
                return f"ended with {status} where it was to be killed"
        elif status < 0:
            return f"ended by {signal.Signals(-status).name}"
        if status == 0 and (now != right or (stdout is not None and done.stdout != stdout)):
            return "exit 0 with other bytes"
        if status > 0:
            if group == "thread" and self.ranks > 1 and done.of_start and not done.stderr:  # MPI has spoken for itself
                return None if now in (right, before) else "left a file that is neither old nor new"
            if status != (3 if command.words[0] == "verify" else 1):
                return f"exit {status}"
            if b"wrong" in done.stdout.lower():
                return f"called a right file wrong: {done.stdout[-300:]!r}"
            # The report of `verify` says what could not be checked.
            text = done.stderr.lstrip(b"\n")
            said = text.count(b"\n") == 1 and re.match(SAID, text) and text.count(b" on host ") <= 1
            if not said and not (command.words[0] == "verify" and b"failed" in done.stdout and not done.stderr):
                return f"said {done.stderr[:300]!r} {done.stdout[-200:]!r}"
        if now not in (right, before) and not self.some_are_missing(now, right, before):
            return f"left files that are neither all old nor all new: {' '.join(now)}"
        kept = killed or status == 0 or group in ("open", "sync", "rename")
        wrong = self.left(command, folder, kept)
        return f"left {wrong}" if wrong else None

    @staticmethod
    def some_are_missing(now, right, before):
        """Files that belong together, where the first is missing, by which they are found."""
        first = next(iter(right), None)
        return first is not None and now[first] is None and (len(now) > 1 or before[first] is None) and all(
            now[name] in (None, before[name], right[name]) for name in now)

    def again(self, command, folder, normal):
        right = normal[0]
        there = any(data is not None for data in self.state(command, folder).values())
        words = [*command.words, "--force"] if there and "--force" not in command.words else command.words
        try:
            done = self.run(words, folder, threads=3)
        except subprocess.TimeoutExpired:
            return "hangs when it is run again"
        if done.returncode != 0:
            return f"cannot be run again: {done.stderr[:300]!r}"
        if self.state(command, folder) != right:
            return "makes other bytes when it is run again"
        left = [name for name in os.listdir(folder) if ".partial" in name]
        return f"leaves {left} when it is run again" if left else None

    def on_rank(self, rank):
        return {"FAULT_RANK": str(rank)} if self.ranks > 1 else {}

    def one(self, number, command, normal, rank, group, call, way):
        how, error, more = way
        folder = os.path.join(self.folder, str(number))
        self.prepare(command, folder)
        faults = {"FAULT_GROUP": group, "FAULT_CALL": str(call), "FAULT_WAY": how, "FAULT_ERRNO": str(error),
                  "FAULT_MORE": str(more), **self.on_rank(rank)}
        try:
            done = self.run(command.words, folder, faults, self.ranks)
        except subprocess.TimeoutExpired:
            done = None
        killed = how in ("kill", "after")
        wrong = self.check(command, folder, done, normal, killed, group)
        harmless = how == "short" or error == errno.EINTR
        if wrong is None and group == "read" and harmless and done.returncode != 0:
            wrong = f"exit {done.returncode} after a read that was no error"
        if wrong is None and command.outputs and done.returncode != 0:
            wrong = self.again(command, folder, normal)
        shutil.rmtree(folder)
        name = errno.errorcode.get(error, how) + (" from then on" if more < 0 else "")
        return group, name, call, wrong

    def jobs(self, command, normal):
        for group in GROUPS:
            if group not in self.args.groups:
                continue
            calls = normal[3][group]
            # Allocations are many, and so are what `plot` writes: from one command to the next other ones fail.
            stride = max(1, calls // self.args.most)
            if self.args.short:
                stride = max(stride, calls // (6 if group == "alloc" else 1))
            ways = WAYS[group] + ([("kill", 0, 0), ("after", 0, 0)] if group in KILLED else [])
            start = 1 + sum(map(ord, command.name)) % stride
            for n, way in enumerate(ways):
                if self.args.short and n % 2 == sum(map(ord, command.name)) % 2 and len(ways) > 1:
                    continue
                for call in range(start, calls + 1, stride):
                    yield group, call, way

    def make_inputs(self):
        for name, words in INPUTS.items():
            done = subprocess.run([self.args.rmat, "generate", "-q", "--backend", "cpu", *words, "-o", name],
                                  cwd=self.inputs, check=False, capture_output=True)
            assert done.returncode == 0, done.stderr

    def all(self):
        chosen = [c for c in commands() if (not self.args.only or self.args.only in c.name) and
                  (self.ranks == 1 or c.name in BY_RANKS)]
        if shutil.which("gnuplot") is None:
            print("gnuplot is not installed: plot is left out")
            chosen = [c for c in chosen if not c.name.startswith("plot")]
        self.make_inputs()
        number = 0
        begun = collections.deque()
        for command, self.rank in [(c, rank) for c in chosen for rank in range(self.ranks)]:
            normal = self.normal(command)
            started = []
            for job in self.jobs(command, normal):
                number += 1
                started.append(self.pool.submit(self.one, number, command, normal, self.rank, *job))
            begun.append((command.name + (f", rank {self.rank}" if self.ranks > 1 else ""), started))
            if len(begun) > 3:  # enough for no processor to wait
                self.collect(*begun.popleft())
        for name, started in begun:
            self.collect(name, started)

    def collect(self, name, started):
        bad = sum(self.note(name, *future.result()) for future in started)
        print(f"{name}: {len(started)} runs, {bad} violations", flush=True)

    def note(self, name, group, kind, call, wrong):
        """Counts a run; returns whether there is something wrong."""
        self.runs, self.violations = self.runs + 1, self.violations + (wrong is not None)
        if wrong is not None:
            print(name, group, kind, call, wrong, flush=True)
        return wrong is not None

    def main(self, work):
        """Returns the exit status.  What was done when SIGINT came is counted, too."""
        try:
            work(self)
        finally:
            self.pool.shutdown(cancel_futures=True)
            shutil.rmtree(self.folder)
            print(f"{self.runs} runs, {self.violations} violations")
        return min(self.violations, 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rmat", type=os.path.abspath)
    parser.add_argument("library", type=os.path.abspath)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--groups", default=GROUPS, type=lambda text: text.split(","))
    parser.add_argument("--most", type=int, default=500, help="calls of a group that are tried, of one command")
    parser.add_argument("--ranks", type=int, default=1)
    args = parser.parse_args()
    return Campaign(args, args.ranks).main(Campaign.all)


if __name__ == "__main__":
    sys.exit(main())
