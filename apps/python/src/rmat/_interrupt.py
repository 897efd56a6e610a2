"""Long calls of the library that Ctrl-C can leave."""

from __future__ import annotations

import threading
from typing import Any, Callable

#: Edges that a call makes on the host before Python looks at signals: a fraction of a second.
PIECE = 1 << 25


def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Calls in another thread, so that the main one can be interrupted meanwhile.

    After an interruption the call goes on in its thread until it ends, and what it holds is freed then.
    """
    if threading.current_thread() is not threading.main_thread():
        return function(*arguments)
    result: list[Any] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            result.append(function(*arguments))
        except BaseException as error:  # pylint: disable=broad-except
            failure.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return result[0]
