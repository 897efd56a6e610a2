"""The C library by ctypes: its path, its functions, its statuses as exceptions, and calls that Ctrl-C can leave.

The declarations below are those of alias/alias.h, alias/alias_gpu.h, rmat/rmat.h, rmat/rmat_gpu.h,
rmat/rmat_interval.h, rmat/rmat_rows.h and apps/binding/graph.h.  ctypes releases the interpreter's lock during each
call.
"""

from __future__ import annotations

import _thread
import ctypes
import os
import re
import sys
import threading
import weakref
from ctypes import c_char_p, c_int, c_int32, c_uint64, c_void_p
from typing import Any, Callable, Optional, TypeVar


class Error(Exception):
    """A failure of rmat, with the message of the library or the program."""

    def __init__(self, text: str, status: int = 0) -> None:
        super().__init__(text)
        #: The result of the C function, or the exit status of the program.
        self.status = status


class OptionError(Error, ValueError):
    """An option or an argument that is unknown or out of range."""


class OutOfMemoryError(Error, MemoryError):
    """Memory of the host or of the GPU is exhausted."""


# alias.h, rmat.h and apps/binding/graph.h
_NO_MEMORY = (-8, -106, -502)
_ARGUMENTS = (-501, -1, -2, -3, -4, -5, -6, -7, -101, -104, -105, -115, -117, -118, -119, -120, -124)


# A quoted value, which stays as it is, or an option.
_OPTION = re.compile(r"(?<!\w)'[^']*'|(?<![\w-])--([a-z][a-z0-9-]*)")


def spelled(text: str) -> str:
    """A message that names options as arguments: "edge_factor" for "--edge-factor", "path" for "--output"."""
    return _OPTION.sub(lambda one: one[0] if not one[1] else
                       "path" if one[1] == "output" else one[1].replace("-", "_"), text)


def error_of(status: int, text: str) -> Error:
    """The exception for a status."""
    if status in _NO_MEMORY:
        return OutOfMemoryError(spelled(text), status)
    return (OptionError if status in _ARGUMENTS else Error)(spelled(text), status)


def folder() -> str:
    """The folder of the package's library and programs: that of this file or, in an editable installation, the other
    folder of the package."""
    folders = [os.path.dirname(os.path.abspath(__file__)), *sys.modules["rmat"].__path__]
    return next((found for found in folders if os.path.isdir(os.path.join(found, "lib"))), folders[0])


class Facts(ctypes.Structure):
    """rmat_graph_facts of apps/binding/graph.h."""

    _fields_ = [(name, c_uint64) for name in
                ("rows", "cols", "edges", "stream_edges", "distinct", "memory")] + [
                (name, c_int32) for name in ("weights", "sorted", "unique", "edges_known", "backend", "permuted")] + [
                ("command", ctypes.c_char * 1024)]


class Arrays(ctypes.Structure):
    """rmat_arrays of rmat/rmat.h."""

    _fields_ = [("src", c_void_p), ("dst", c_void_p), ("weight", c_void_p), ("id_bytes", c_int)]


Cell = c_uint64 * 2  # rmat_cell of rmat/rmat_interval.h: source and destination


class AliasConfig(ctypes.Structure):
    """alias_config of alias/alias.h."""

    _fields_ = [("backend", c_int), ("builder", c_int), ("row_bytes", c_int), ("threads", c_int),
                ("splits", c_uint64), ("device", c_int), ("split", c_int), ("pack", c_int),
                ("section_rows", c_uint64)]


_POINTER = ctypes.POINTER

# Name: (result, arguments).  Functions with the result "status" return 0 or a negative status.
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "rmat_version": (c_char_p, []),
    "rmat_gpu_count": (c_int, []),
    "rmat_destroy": (None, [c_void_p]),
    "rmat_generate_arrays": ("status", [c_void_p, c_uint64, c_uint64, _POINTER(Arrays)]),
    "rmat_generate_arrays_device": ("status", [c_void_p, c_uint64, c_uint64, _POINTER(Arrays), c_void_p]),
    "rmat_rows_destroy": (None, [c_void_p]),
    "rmat_rows_degrees": ("status", [c_void_p, c_uint64, c_void_p, c_void_p, c_void_p]),
    "rmat_rows_csr": ("status", [c_void_p, c_uint64, c_uint64, c_void_p, c_uint64, c_void_p, c_void_p, c_int]),
    "rmat_rows_row": ("status", [c_void_p, c_uint64, c_void_p, c_int]),
    "rmat_unique_edges": ("status", [c_void_p, c_uint64, c_uint64, _POINTER(c_uint64)]),
    "rmat_interval_bytes": ("status", [c_void_p, c_uint64, _POINTER(c_uint64)]),
    "rmat_interval_create": ("status", [_POINTER(c_void_p), c_void_p, c_uint64]),
    "rmat_interval_destroy": (None, [c_void_p]),
    "rmat_interval_make": ("status", [c_void_p, _POINTER(c_uint64), _POINTER(c_uint64), c_uint64, c_int]),
    "rmat_interval_trim": ("status", [c_void_p]),
    "rmat_interval_edges": (c_uint64, [c_void_p]),
    "rmat_interval_pointers": ("status", [c_void_p, c_uint64, c_uint64, c_uint64, c_void_p]),
    "rmat_interval_pointers_device": ("status", [c_void_p, c_uint64, c_uint64, c_uint64, c_void_p, c_void_p]),
    "rmat_interval_read": ("status", [c_void_p, c_uint64, c_uint64, _POINTER(Arrays)]),
    "rmat_interval_read_device": ("status", [c_void_p, c_uint64, c_uint64, _POINTER(Arrays), c_void_p]),
    "binding_watch": (None, [_POINTER(c_int32)]),
    "binding_one_thread": (None, []),
    "rmat_graph_open": ("status", [_POINTER(c_void_p), c_int, _POINTER(c_char_p), _POINTER(Facts)]),
    "rmat_graph_close": (None, [c_void_p]),
    "rmat_graph_rows": ("status", [c_void_p, _POINTER(c_void_p)]),
    "rmat_graph_generator": ("status", [c_void_p, c_int, _POINTER(c_void_p)]),
    "binding_error": (c_char_p, [c_int]),
    "binding_memory": (c_uint64, []),
    "binding_allocate": ("status", [_POINTER(c_void_p), c_int, c_uint64]),
    "binding_free": (None, [c_void_p, c_int]),
    "binding_wait": ("status", [c_int]),
    "binding_copy_to_host": ("status", [c_void_p, c_void_p, c_uint64, c_int]),
    "alias_config_default": (None, [_POINTER(AliasConfig)]),
    "alias_create": ("status", [_POINTER(c_void_p), _POINTER(AliasConfig), c_void_p, c_uint64, _POINTER(c_uint64)]),
    "alias_create_masses": ("status", [_POINTER(c_void_p), _POINTER(AliasConfig), c_void_p, c_uint64]),
    "binding_table_masses": ("status", [c_void_p, c_void_p]),
    "alias_row_bytes": (c_int, [c_void_p]),
    "alias_destroy": (None, [c_void_p]),
    "alias_builder_count": (c_int, []),
    "alias_builder_name": (c_char_p, [c_int]),
    "alias_used_builder": (c_int, [c_void_p]),
    "alias_sample32": ("status", [c_void_p, c_uint64, c_uint64, c_uint64, c_void_p]),
    "alias_sample64": ("status", [c_void_p, c_uint64, c_uint64, c_uint64, c_void_p]),
    "alias_sample32_device": ("status", [c_void_p, c_int, c_uint64, c_uint64, c_uint64, c_void_p, c_void_p]),
    "alias_sample64_device": ("status", [c_void_p, c_int, c_uint64, c_uint64, c_uint64, c_void_p, c_void_p]),
}

_NO_BACKEND = -107  # RMAT_ERR_NO_BACKEND of rmat/rmat.h
_lock = threading.Lock()
_first_process = os.getpid()
_alone = threading.local()
_loaded: Any = None


def _check(status: int, function: Any, arguments: Any) -> int:
    if status < 0:
        raise error_of(status, _loaded.binding_error(status).decode(errors="replace"))
    return status


def _load() -> Any:
    path = os.environ.get("RMAT_PYTHON_LIBRARY") or os.path.join(folder(), "lib", "librmat_python.so")
    library = ctypes.CDLL(path)
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name, None)
        if function is None:  # functions of GPU memory, in a build without CUDA
            setattr(library, name, lambda *_: _check(_NO_BACKEND, None, None))
            continue
        function.argtypes = arguments
        function.restype = c_int if result == "status" else result
        if result == "status":
            function.errcheck = _check
    return library


def library() -> Any:
    """The library; the first call opens it, without touching a GPU.

    Call this in the thread that calls the library.  In a forked child it makes each thread work alone, because the
    threads of OpenMP do not survive a fork, and a call that needs them would wait forever.
    """
    global _loaded
    if _loaded is None:
        with _lock:
            _loaded = _loaded or _load()
    if os.getpid() != _first_process and not hasattr(_alone, "told"):
        _loaded.binding_one_thread()
        _alone.told = True
    return _loaded


def own(owner: Any, create: Callable[[c_void_p], Any], destroy: Callable[[Any], Any]) -> int:
    """Creates an object of the library, which is destroyed with its owner; returns its address."""
    handle = c_void_p()
    create(handle)
    weakref.finalize(owner, destroy, handle.value).atexit = False
    return handle.value or 0


def write(device: Optional[int], name: str, *arguments: Any) -> None:
    """Calls the function that writes to arrays of the host or, with a device, its twin for a GPU, and waits for it."""
    if device is None:
        getattr(library(), name)(*arguments)
    else:
        getattr(library(), name + "_device")(*arguments, None)
        library().binding_wait(device)


_Result = TypeVar("_Result")
_FEW = 1 << 20  # edges that take a fraction of a second, too short to interrupt


def call(function: Callable[[], _Result], edges: Optional[int] = None) -> _Result:
    """Calls in another thread, so that Ctrl-C can interrupt the main one; edges: the number that it makes, if known.

    After an interruption the library is asked to stop.  A call that cannot stop, such as the build of an alias table,
    goes on in its thread until it ends, and frees its objects then.  So the function must hold all memory that it uses.
    """
    if (edges is not None and edges <= _FEW) or threading.get_ident() != threading.main_thread().ident:
        return function()
    result: list[_Result] = []
    failure: list[BaseException] = []
    stop = ctypes.c_int32()
    done = _thread.allocate_lock()  # held until the call has ended

    def run() -> None:
        try:
            library().binding_watch(stop)
            result.append(function())
        except BaseException as error:  # pylint: disable=broad-except
            failure.append(error)
        finally:
            done.release()

    # Not a threading.Thread: it is kept in a set of weak references, and Python loses an interrupt that meets the
    # removal of one.
    done.acquire()
    _thread.start_new_thread(run, ())
    try:
        done.acquire()
    except BaseException:
        stop.value = 1
        done.acquire(timeout=0.5)
        raise
    if failure:
        raise failure[0]
    return result[0]
