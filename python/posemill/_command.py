# SPDX-License-Identifier: MIT
"""The command ``posemill``, run in the process of its script."""
from __future__ import annotations

import os
import signal
import sys

from ._library import ffi, lib

__all__ = ["main"]


def main() -> int:
    """Run the command with the arguments of this process.

    Returns
    -------
    int
        Its exit code.
    """
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # which Python ignores
    words = [ffi.new("char[]", os.fsencode(word)) for word in ["posemill", *sys.argv[1:]]]
    return int(lib.posemill_main(len(words), ffi.new("char *[]", [*words, ffi.NULL])))
