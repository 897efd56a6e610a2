"""h5py and NumPy for the tests that need them; these are skipped where one is missing."""

from cli import skip_all

try:
    import h5py
    import numpy
except ImportError as error:
    skip_all(error)

__all__ = ["h5py", "numpy"]
