#!/usr/bin/env python3
"""Simulates a power loss after every call of rmat that changes a file, and checks the files that are left.

usage: power_loss.py RMAT [--short] [--only TEXT]

Each command line (commands.py) runs once under strace.  Its writes, syncs and changes of folders are
then repeated, up to each of them, on a simulated disk: data that was not synced before the power loss
is lost in four ways.

- data: names and lengths of files are kept, but only synced bytes; the others are zeros, or the earlier
  bytes (a file system with a journal for its metadata).
- some: as before, but about every other page that was not synced is kept, at random.
- sizes: names are kept, lengths and bytes are those of the last sync of the file.
- all: names, too, are those of the last sync of their folder.

The files that are left are checked, and the command is run again, as after a kill (campaign.py).  After exit status
0 nothing may be lost in any way.
"""

import argparse
import hashlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys

from campaign import Campaign
from commands import commands, settings

CALLS = ("openat,open,creat,write,pwrite64,writev,pwritev,pwritev2,lseek,ftruncate,fallocate,fsync,fdatasync,rename,"
         "renameat,renameat2,link,linkat,unlink,unlinkat,close")
WAYS = ("data", "some", "sizes", "all")
PAGE = 4096

TEXT = r'"((?:\\x[0-9a-f]{2})*)"(?:\.\.\.)?'
TOKEN = re.compile(TEXT + r"|(-?\w+)<((?:\\x[0-9a-f]{2}|[^>\\])*)>(?:\(deleted\))?|\{|\}|\[|\]|[^,\s\[\]{}]+")


def plain(text):
    return bytes.fromhex(text.replace("\\x", ""))


class File:
    def __init__(self, data=b""):
        self.data, self.size = bytearray(data), len(data)  # what was synced, and the length as the system sees it
        self.synced_size = len(data)
        self.unsynced = []  # (when it ended, offset, bytes)

    def cut(self, size):
        """To another length."""
        del self.data[size:]
        self.unsynced = [(when, at, data[:max(0, size - at)]) for when, at, data in self.unsynced if at < size]
        self.size, self.synced_size = size, min(size, self.synced_size)

    def write(self, when, at, data):
        self.unsynced.append((when, at, data))
        self.size = max(self.size, at + len(data))

    def sync(self, began):
        """Of what had ended when the sync began."""
        for when, at, data in self.unsynced:
            if when < began:
                self.put(self.data, at, data)
        self.unsynced = [w for w in self.unsynced if w[0] >= began]
        self.synced_size = self.size

    @staticmethod
    def put(to, at, data):
        to.extend(bytes(max(0, at + len(data) - len(to))))
        to[at:at + len(data)] = data

    def left(self, way, chance):
        """The bytes after the power came back."""
        made = bytearray(self.data)
        if way == "some":
            for _, at, data in self.unsynced:
                end = at + len(data)
                for page in range(at // PAGE * PAGE, end, PAGE):
                    low, high = max(at, page), min(end, page + PAGE)
                    if chance.random() < 0.5:
                        self.put(made, low, data[low - at:high - at])
        size = self.synced_size if way in ("sizes", "all") else self.size
        return bytes(made[:size]) + bytes(max(0, size - len(made)))


class Disk:
    """A folder that has only files and links to what no run changes, and the calls that change it."""

    def __init__(self, path):
        self.path, self.names, self.positions = path, {}, {}
        for entry in os.scandir(path):
            if entry.is_file(follow_symlinks=False):
                with open(entry.path, "rb") as file:
                    self.names[entry.name] = File(file.read())
        self.synced = dict(self.names)

    def left(self, way, chance):
        names = self.synced if way == "all" else self.names
        return {name: names[name].left(way, chance) for name in sorted(names)}

    def place(self, path, folder=b""):
        """The name in the folder; the folder itself has the name "."; None: it lies elsewhere."""
        name = os.path.relpath(os.path.join(self.path, os.fsdecode(folder), os.fsdecode(path)), self.path)
        return None if name.split("/")[0] == ".." else name

    def call(self, name, texts, fds, words, value, began, ended):
        """Returns whether that changed something here."""
        if name == "lseek":
            self.positions[int(fds[0][0])] = value
            return False
        if texts and not name.startswith(("write", "pwrite")):  # each name of openat() and the like has its folder
            folders = [plain(fd[1]) for fd in fds] if "at" in name[4:] else [b""] * len(texts)
            places = [self.place(plain(text), folder) for folder, text in zip(folders, texts)]
            if name in ("open", "openat", "creat"):
                self.positions[value] = 0
                return self.open(name, places[0], " ".join(words))
            return self.change_names(name, places)
        place = self.place(plain(fds[0][1]))
        if name in ("fsync", "fdatasync") and place == ".":
            self.synced = dict(self.names)
        elif place not in self.names or name == "close":
            return False
        elif name in ("fsync", "fdatasync"):
            self.names[place].sync(began)
        else:
            self.change(name, self.names[place], int(fds[0][0]), b"".join(map(plain, texts))[:value], words, ended)
        return True

    def open(self, name, place, flags):
        if place is None or "O_TMPFILE" in flags:
            return False
        if place not in self.names and ("O_CREAT" in flags or name == "creat"):
            self.names[place] = File()
            return True
        if "O_TRUNC" in flags and place in self.names and self.names[place].size > 0:
            self.names[place].cut(0)
            return True
        return False

    def change(self, name, file, fd, data, words, ended):
        numbers = [int(word) for word in words if re.fullmatch(r"-?\d+", word)]
        if name == "ftruncate":
            file.cut(numbers[-1])
            file.size = numbers[-1]
        elif name == "fallocate":
            if words[0] != "0":
                raise AssertionError(f"fallocate {words}")
            file.size = max(file.size, numbers[-2] + numbers[-1])
        elif name in ("write", "writev"):
            file.write(ended, self.positions.get(fd, 0), data)
            self.positions[fd] = self.positions.get(fd, 0) + len(data)
        else:
            file.write(ended, numbers[-1], data)

    def change_names(self, name, places):
        if None in places:
            return False
        old, *new = places
        if old in self.names:
            it = self.names[old] if name.startswith("link") else self.names.pop(old)
            self.names.update({place: it for place in new})
        return True


def calls(log):
    """(name, texts, descriptors with their paths, other words, value, when it began and ended) of each that succeeded."""
    begun = {}
    with open(log, encoding="ascii") as file:
        for number, line in enumerate(file):
            thread, line = line.rstrip("\n").split(None, 1)
            if line.endswith("<unfinished ...>"):
                begun[thread] = number, line[:-len("<unfinished ...>")]
                continue
            began = number
            if line.startswith("<..."):
                began, head = begun.pop(thread)
                line = head + line.split(">", 1)[1]
            found = re.match(r"(\w+)\((.*)\)\s+= (\d+)", line)
            if found is None:  # it failed, or is no call
                continue
            texts, fds, words = [], [], []
            for token in TOKEN.finditer(found[2]):
                if token[1] is not None:
                    texts.append(token[1])
                elif token[2] is not None:
                    fds.append((token[2], token[3]))
                else:
                    words.append(token[0])
            yield found[1], texts, fds, words, int(found[3]), began, number


class PowerLoss(Campaign):
    def trace(self, command, folder):
        log = os.path.join(self.folder, "log")
        self.prepare(command, folder)
        disk = Disk(folder)
        words, variables = settings(command.words)
        environment = {**os.environ, "OMP_NUM_THREADS": "2", "TMPDIR": folder, **variables}
        subprocess.run(["strace", "-f", "-qq", "-xx", "-y", "-s", "16000000", "-e", "signal=none", "-e", "trace=" + CALLS,
                        "-o", log, self.args.rmat, *words], cwd=folder, env=environment, check=True, capture_output=True, timeout=120)
        return disk, list(calls(log))

    def states(self, command):
        """(the number of calls before the loss, way, what is left, was that all) of each that is unlike the others."""
        folder = os.path.join(self.folder, "traced")
        shutil.rmtree(folder, ignore_errors=True)
        disk, made = self.trace(command, folder)
        seen, chance = set(), random.Random(command.name)
        last = max((n for n, call in enumerate(made) if call[0] != "close"), default=-1)
        for n, call in enumerate(made):
            changed = disk.call(*call)
            for way in WAYS if changed or n == last else ():
                left = disk.left(way, chance)
                key = hashlib.sha256(repr(left).encode()).digest()
                if key not in seen or n == last:
                    seen.add(key)
                    yield n, way, left, n == last
        # The replayed calls made what the real ones made, or this test is blind.
        there = {entry.name for entry in os.scandir(folder) if not entry.is_symlink()}
        assert set(disk.names) == there, f"the replay has {set(disk.names) ^ there} more, or not"
        for name, it in disk.names.items():
            it.sync(1 << 60)
            with open(os.path.join(folder, name), "rb") as real:
                assert real.read() == it.left("data", None), f"the replay differs in {name}"

    def power_off(self, number, command, normal, left, over):
        folder = os.path.join(self.folder, f"p{number}")
        self.link_inputs(folder)
        for name, data in left.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)
        done = subprocess.CompletedProcess([], 0 if over else -signal.SIGKILL, b"", b"")
        try:
            if over:
                wrong = None if self.state(command, folder) == normal[0] else "was lost after exit 0"
            else:
                wrong = self.check(command, folder, done, normal, True, "power") or self.again(command, folder, normal)
        except subprocess.TimeoutExpired:
            wrong = "hangs"
        shutil.rmtree(folder)
        return wrong

    def losses(self):
        self.make_inputs()
        chosen = [c for c in commands() if c.outputs and (not self.args.only or self.args.only in c.name)]
        for number, command in enumerate(chosen):
            if self.args.short and number % 4 != 1:
                continue
            normal = self.normal(command)
            states, bad = list(self.states(command)), 0
            stride = max(1, len(states) // 12) if self.args.short else 1
            picked = [s for i, s in enumerate(states) if i % stride == 0 or s[3]]
            started = [self.pool.submit(self.power_off, f"{number}-{i}", command, normal, *state[2:])
                       for i, state in enumerate(picked)]
            for state, future in zip(picked, started):
                bad += self.note(command.name, "power", state[1], state[0], future.result())
            print(f"{command.name}: {len(picked)} losses, {bad} violations", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("rmat", type=os.path.abspath)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--only")
    args = parser.parse_args()
    if not shutil.which("strace") or subprocess.run(["strace", "-o", "/dev/null", "true"], check=False).returncode != 0:
        print("skipped: there is no strace, or it may not trace")
        return 77
    args.library = None
    return PowerLoss(args).main(PowerLoss.losses)


if __name__ == "__main__":
    sys.exit(main())
