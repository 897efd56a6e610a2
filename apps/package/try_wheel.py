"""What an installed package has to do where there is nothing else: edges, files, its program.

    python apps/package/try_wheel.py          # in an environment with the package, and h5py for HDF5
    python apps/package/try_wheel.py plain    # of a build without ISA-L, which does not compress HDF5

Each library that a wheel contains is called: zlib, zstd, Snappy's and ISA-L's writers and readers, json-c.
"""

import importlib.util
import os
import subprocess
import sys
import sysconfig
import tempfile

import numpy
import rmat

graph = rmat.Graph(20, permute=True, seed=1)
src, dst = graph.edges(0, 1000)
assert (int(src[0]), int(dst[0])) == (697225, 987280), (src[0], dst[0])  # as the README says

small = rmat.Graph(12)
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for name, options in [("g.parquet", {"compress": True}), ("g.csv.gz", {}),
                          ("g.h5", {"compress": "plain" not in sys.argv})]:
        if name.endswith(".h5") and not importlib.util.find_spec("h5py"):
            print("no h5py: no HDF5")
            continue
        small.write(name, **options)
        for made, read in zip(small.edges(0, 5000), rmat.open(name).edges(0, 5000)):
            assert numpy.array_equal(made, read), name
    program = os.path.join(sysconfig.get_path("scripts"), "rmat")
    about = subprocess.run([program, "version"], check=True, capture_output=True, text=True).stdout
    assert about.startswith(f"rmat {rmat.__version__}\n"), about
    os.chdir("/")

weights = numpy.arange(1.0, 100.0)
assert len(rmat.alias.Table(weights).sample(1000, seed=3)) == 1000
print(f"{about}works in {rmat.__file__} with Python {sys.version.split()[0]}, NumPy {numpy.__version__}")
