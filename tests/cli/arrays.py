"""h5py and NumPy for the tests that need them; these are skipped where one is missing."""

from cli import skip_all

try:
    import h5py
    import numpy
except ImportError as error:
    skip_all(error)

__all__ = ["h5py", "no_room", "numpy"]


def no_room(file, name, kind, length):
    """A dataset of zeros that takes no room on the disk."""
    how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    how.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    how.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    h5py.h5d.create(file.id, name.encode(), kind, h5py.h5s.create_simple((length,)), how)
