#!/usr/bin/env python3
"""Compiles every kernel for GPUs that this machine lacks, and checks that its blocks fit them.

usage: tests/gpu_architectures.py BUILD_FOLDER [ARCHITECTURE ...]

BUILD_FOLDER was configured with CUDA and -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; nothing in it needs to
be built.  Architectures are numbers as in sm_90, by default 75 80 86 89 90 100 120; all of them take
16 minutes on two cores.  Registers and static shared memory are the compiler's, threads are those of
the launch bounds, and dynamic shared memory is in the table below.  Exit status 1: a file does not
compile, or a kernel does not fit.
"""

import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

# KiB of shared memory that a block may have: CUDA C++ Programming Guide, "Technical Specifications per Compute
# Capability".
SHARED_KIB = {75: 64, 80: 163, 86: 99, 89: 99, 90: 227, 100: 227, 120: 99}

# Bytes of dynamic shared memory: of kernels whose host code does not ask the GPU what it has, and of
# edges by one table with the queues of 32 warps.  Other kernels that have some adapt it to the GPU.
DYNAMIC = {r"pack_sections": 76864,  # sizeof(alias_section)
           r"rmat_first_kernel": 16384 + 32 * 159 * 8}

# What is known not to fit, and what happens there instead.
KNOWN = {(75, r"pack_sections"): "PSA_PLUS is not supported by such a GPU"}


def ptx_of(command, architecture, path):
    """The command that compiles the same file to PTX."""
    words, kept, skip = shlex.split(command), [], False
    for word in words:
        if skip:
            skip = False
        elif word in ("-o", "-MF", "-MT"):
            skip = True
        elif word not in ("-c", "-MD") and not word.startswith("--generate-code") and "-arch" not in word:
            kept.append(word)
    return kept + [f"-arch=compute_{architecture}", "-ptx", "-o", path]


def kernels_of(entry, architecture):
    """Name, threads, registers and static shared memory of each kernel of a file, or an error."""
    with tempfile.TemporaryDirectory() as folder:
        ptx = os.path.join(folder, "kernels.ptx")
        done = subprocess.run(ptx_of(entry["command"], architecture, ptx), cwd=entry["directory"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            return done.stderr
        with open(ptx) as file:
            bounds = dict(re.findall(r"\.entry (\w+)\([^)]*\)\s*\.maxntid (\d+)", file.read()))
        done = subprocess.run(["ptxas", f"-arch=sm_{architecture}", "-v", ptx, "-o", ptx + ".cubin"],
                              capture_output=True, text=True)
    if done.returncode != 0:
        return done.stderr
    found, name = [], None
    for line in done.stderr.splitlines():
        start = re.search(r"Compiling entry function '(\w+)'", line)
        name = start.group(1) if start else name
        used = re.search(r"Used (\d+) registers", line)
        if used and name:
            static = re.search(r"(\d+) bytes smem", line)
            found.append((name, int(bounds.get(name, 1024)), int(used.group(1)),
                          int(static.group(1)) if static else 0))
            name = None
    return found


def dynamic_of(name):
    return next((size for pattern, size in DYNAMIC.items() if re.search(pattern, name)), 0)


def fits(architecture, threads, registers, static, dynamic):
    """Whether a block fits a multiprocessor: registers are given to warps, four of them at a time, by 256."""
    warps = (threads + 31) // 32
    given = (warps + 3) // 4 * 4 * ((32 * registers + 255) // 256 * 256)
    return threads <= 1024 and given <= 65536 and static + dynamic <= SHARED_KIB[architecture] * 1024


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    with open(os.path.join(sys.argv[1], "compile_commands.json")) as file:
        entries = [e for e in json.load(file) if e["file"].endswith(".cu")]
    architectures = [int(a) for a in sys.argv[2:]] or list(SHARED_KIB)
    work = [(e, a) for a in architectures for e in entries]
    kernels, failed = [], False
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (entry, architecture), found in zip(work, pool.map(lambda w: kernels_of(*w), work)):
            if isinstance(found, str):
                failed = True
                print(f"sm_{architecture}: {entry['file']}: does not compile\n{found[:2000]}")
            else:
                kernels += [(architecture, *kernel) for kernel in found]
    for architecture in architectures:
        mine = [k[1:] for k in kernels if k[0] == architecture]
        few = [name for name, *needs in mine if not fits(architecture, *needs, dynamic_of(name))]
        for (known, pattern), why in KNOWN.items():
            expected = [name for name in few if architecture == known and re.search(pattern, name)]
            few = [name for name in few if name not in expected]
            if expected:
                print(f"sm_{architecture}: {len(expected)} kernels do not fit: {why}")
        for name in few:
            failed = True
            print(f"sm_{architecture}: {name}: no block fits")
        print(f"sm_{architecture}: {len(mine)} kernels compile")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
