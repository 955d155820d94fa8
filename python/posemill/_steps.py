# SPDX-License-Identifier: MIT
"""Motions that go through steps, in memory or into a file, as `posemill run` does."""
from __future__ import annotations

import json
import threading
from typing import Any, Union

from ._content import Content
from ._engine import Engine, default_engine, plain_engine
from ._library import call, ffi, interruptibly, lib, text, warn
from ._options import Options, step_array

__all__ = ["make", "write"]

Chain = tuple[Content, tuple[Options, ...], str, Union[Engine, None]]


@ffi.def_extern(name="python_open_device", onerror=lambda *_: None)  # type: ignore[untyped-decorator]
def _open_device() -> Any:
    """NULL after an exception, which the library then reports."""
    return default_engine().handle


def _set(cancel: Any) -> None:
    cancel[0] = 1


def _run(function: Any, chain: Chain, *arguments: Any) -> None:
    """Calls a function of native.h, and warns of what it tells."""
    content, steps, name, engine = chain
    told: dict[str, None] = {}
    called, user, listed = ffi.new("char[]", name.encode("utf-8", "replace")), ffi.new_handle(told), step_array(steps)
    described = ffi.new("native_chain *", {
        "motion": content.handle, "name": called, "steps": listed, "step_count": len(steps),
        "engine": ffi.NULL if engine is None else engine.handle, "plain": plain_engine().handle,
        "open": lib.python_open_device, "log": lib.python_note_warning, "log_user": user})
    if any(step.function == "reduce" for step in steps) and threading.current_thread() is threading.main_thread():
        described.cancel = cancel = ffi.new("uint32_t *")
        interruptibly(lambda: call(function, described, *arguments), lambda: _set(cancel))
    else:
        call(function, described, *arguments)
    for message in told:
        warn(message)


def make(chain: Chain) -> Content:
    """The result in memory."""
    made, reduction = ffi.new("pm_motion **"), ffi.new("pm_motion_reduction **")
    _run(lib.native_make, chain, made, reduction)
    content = Content(made[0], (make, (chain,)), sources=[chain[0]])
    if reduction[0] != ffi.NULL:
        content.reduction = json.loads(text(lib.pm_motion_reduction_json(reduction[0])))
        lib.pm_motion_reduction_destroy(reduction)
    return content


def write(chain: Chain, options: Options, path: bytes, make_folders: bool) -> None:
    """The result in a file."""
    _run(lib.native_write, chain, options.values.task, path, make_folders)
