#!/usr/bin/env python3
"""Makes the HDF5 files from which hdf5_mutants makes mutants: those of rmat, in every layout, and those of h5py and
h5repack, with each version of the superblock, dense attributes and links, and every index of chunks.

    make_hdf5_seeds.py RMAT FOLDER
"""
import os
import shutil
import subprocess
import sys

import h5py
import numpy

EDGES = numpy.arange(40, dtype="u4")


def ours(rmat, folder):
    """List, CSR, with weights, wide ids, compressed: what rmat writes."""
    options = {"list": [], "csr": ["--format", "csr"], "weights": ["--weights", "uniform"], "compressed": ["--compress"],
               "compressed-csr": ["--compress", "--format", "csr"], "ids64": ["--id-type", "uint64"]}
    for name, more in options.items():
        made = subprocess.run([rmat, "generate", "-q", "--force", "--scale", "4", "--edges", "40", "--backend", "cpu",
                               "-o", f"ours-{name}.h5", *more], cwd=folder, capture_output=True, text=True)
        if made.returncode != 0:
            print(f"ours-{name}: {made.stderr}", end="", file=sys.stderr)


def plain(folder):
    """Files of h5py: superblocks 0, 2 and 3, contiguous, chunked (each index), compressed, with filters."""
    storages = {"contiguous": {}, "chunks": {"chunks": (8,)}, "gzip": {"chunks": (16,), "compression": "gzip", "shuffle": True},
                "one-chunk": {"chunks": (40,)}, "grows": {"chunks": (8,), "maxshape": (None,)},
                "sum": {"chunks": (8,), "fletcher32": True}, "scaled": {"chunks": (8,), "scaleoffset": 0}}
    for libver in "earliest", "v108", "latest":
        for name, storage in storages.items():
            with h5py.File(f"{folder}/h5py-{libver}-{name}.h5", "w", libver=libver) as file:
                for column in "src", "dst":
                    file.create_dataset(column, data=EDGES, **storage)
                file.attrs["note"] = "a string of variable length"


def dense(folder):
    """Attributes and links in fractal heaps with B-trees; a user block; space in pages."""
    for libver in "v108", "latest":
        with h5py.File(f"{folder}/dense-{libver}.h5", "w", libver=libver) as file:
            for column in "src", "dst", *(f"other{i}" for i in range(12)):
                file.create_dataset(column, data=EDGES)
            for i in range(20):
                file.attrs[f"attribute {i}"] = i
            file.create_group("graph", track_order=True)["edges"] = EDGES
    for name, more in (("paged", {"fs_strategy": "page"}), ("user-block", {"userblock_size": 512})):
        with h5py.File(f"{folder}/{name}.h5", "w", libver="v108", **more) as file:
            for column in "src", "dst":
                file.create_dataset(column, data=EDGES, chunks=(8,))


def repacked(folder):
    """A list and CSR of rmat as h5repack stores them."""
    for name in "list", "csr", "weights":
        source = f"{folder}/ours-{name}.h5"
        if shutil.which("h5repack") is not None and os.path.exists(source):
            for kind, more in (("old", []), ("latest", ["-L"]), ("gzip", ["-f", "GZIP=1"]), ("compact", ["-l", "COMPA"])):
                subprocess.run(["h5repack", *more, source, f"{folder}/repacked-{name}-{kind}.h5"], check=False,
                               capture_output=True)


def main():
    rmat, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    ours(os.path.abspath(rmat), folder)
    plain(folder)
    dense(folder)
    repacked(folder)


if __name__ == "__main__":
    main()
