"""Arrays that receive edges: NumPy's on the host, DeviceArray or a caller's on a GPU."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Optional, Tuple

from ._arguments import whole
from ._library import OptionError, library, own

if TYPE_CHECKING:
    import numpy as np

IDS = ("int32", "uint32", "int64", "uint64")
MOST_DEVICE = 1023
MOST_BYTES = 2**63 - 1  # of an array of NumPy


def numpy_module() -> Any:
    """NumPy, which is imported by the first array and not by `import rmat`."""
    import numpy

    return numpy


def check_ids(dtype: Any, most: int, what: str = "vertices") -> Any:
    """The NumPy dtype for numbers below `most`; None: int32 if it suffices, else int64.

    It is signed, because NumPy converts uint64 plus int64 to float64, and PyTorch hardly supports unsigned types.
    """
    numpy = numpy_module()
    if dtype is None:
        return numpy.dtype("int32" if most <= 1 << 31 else "int64")
    text = str(dtype)
    try:
        found = numpy.dtype(text[6:] if text.startswith("torch.") else dtype)
    except TypeError:
        found = None
    if found is None or found.name not in IDS or not found.isnative:
        raise OptionError(f"dtype: {dtype!r} is unknown, allowed: {', '.join(IDS)}")
    if most > 1 << (found.itemsize * 8 - (found.kind == "i")):
        raise OptionError(f"dtype: '{found.name}' is too narrow for {most} {what}, allowed: wider ones")
    return found


def device_number(device: Any) -> Optional[int]:
    """None for the host ("cpu", None), else the number of a GPU ("cuda", "cuda:1", 1, torch.device)."""
    if device is None:
        return None
    if hasattr(device, "__index__") and not isinstance(device, bool):
        return whole("device", device, 0, MOST_DEVICE)
    text = str(device)
    if text == "cpu":
        return None
    found = re.fullmatch("gpu|cuda(?::([0-9]+))?", text)
    if found is None:
        raise OptionError(f"device: {device!r} is unknown, allowed: cpu, cuda, cuda:N, or the number of a GPU")
    return whole("device", int(found[1] or 0), 0, MOST_DEVICE)


class DeviceArray:
    """A row of numbers in the memory of a GPU.

    CuPy, PyTorch, cuDF, Numba and others take it without a copy, through ``__cuda_array_interface__``:
    ``cupy.asarray(a)``, ``torch.as_tensor(a, device="cuda")``.  The memory stays as long as any of them uses it.
    """

    def __init__(self, size: int, dtype: Any, device: int) -> None:
        #: The number of elements.
        self.size = size
        self.dtype = numpy_module().dtype(dtype)
        #: The number of the GPU.
        self.device = device
        lib = library()
        #: The address of the first element in the GPU's memory.
        self.pointer: int = own(self, lambda memory: lib.binding_allocate(memory, device, self.nbytes),
                                lambda memory: lib.binding_free(memory, device))

    @property
    def shape(self) -> Tuple[int]:
        return (self.size,)

    @property
    def nbytes(self) -> int:
        return self.size * int(self.dtype.itemsize)

    def __len__(self) -> int:
        return self.size

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.pointer, False), "version": 3,
                "strides": None, "stream": None}

    def numpy(self) -> "np.ndarray[Any, Any]":
        """A copy in the host's memory."""
        host: np.ndarray[Any, Any] = numpy_module().empty(self.size, self.dtype)
        library().binding_copy_to_host(host.ctypes.data, self.pointer, host.nbytes, self.device)
        return host

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> "np.ndarray[Any, Any]":
        if copy is False:
            raise ValueError("copy: an array on a GPU cannot become one of NumPy's without a copy")
        host = self.numpy()
        return host if dtype is None else host.astype(dtype)

    def __repr__(self) -> str:
        return f"<rmat.DeviceArray of {self.size} {self.dtype.name} on cuda:{self.device}>"


class Target:
    """An array that the library writes to: its address, size and type, and the owner of its memory."""

    def __init__(self, array: Any) -> None:
        self.array = array
        if type(array).__module__.split(".")[0] == "torch" and not array.is_cuda:
            array = array.numpy()  # shares its memory
        on_gpu = getattr(array, "__cuda_array_interface__", None)
        self.device: Optional[int] = None if on_gpu is None else _device_of(array)
        interface = on_gpu or getattr(array, "__array_interface__", None)
        if interface is None:
            raise OptionError(f"out: {type(array).__name__} is no array, allowed: those of NumPy, CuPy and PyTorch, "
                              "and whatever has __cuda_array_interface__")
        self.dtype = numpy_module().dtype(interface["typestr"])
        shape = interface["shape"]
        self.pointer, read_only = interface["data"]
        if read_only:
            raise OptionError("out: the array is read-only")
        if len(shape) != 1:
            raise OptionError(f"out: an array of {len(shape)} dimensions, allowed: 1")
        self.size: int = shape[0]
        if self.size > 1 and interface.get("strides") not in (None, (self.dtype.itemsize,)):
            raise OptionError("out: the array is not contiguous")


def _device_of(array: Any) -> int:
    device = getattr(array, "device", 0)
    for name in ("id", "index"):  # CuPy's, PyTorch's
        if isinstance(getattr(device, name, None), int):
            return int(getattr(device, name))
    return device if isinstance(device, int) else 0


def new_array(name: str, size: int, dtype: Any, device: Optional[int]) -> Any:
    """An uninitialized array, on the host or on a GPU.  name: the argument that gives its size."""
    dtype = numpy_module().dtype(dtype)
    whole(name, size, 0, MOST_BYTES // int(dtype.itemsize))
    return numpy_module().empty(size, dtype) if device is None else DeviceArray(size, dtype, device)
