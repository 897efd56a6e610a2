"""Long calls of the library that Ctrl-C can leave."""

from __future__ import annotations

import _thread
import ctypes
import threading
from typing import Callable, Optional, TypeVar

from ._library import library

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
