# SPDX-License-Identifier: MIT
"""Failures with the exit codes of the command, text of files made safe to print, and files read whole."""

import os

USAGE, BAD_INPUT, NO_OUTPUT = 2, 4, 6


class Problem(Exception):
    """Ends a script with one line and an exit code."""

    def __init__(self, what, why, code=BAD_INPUT):
        super().__init__(f"{printable(what)}: {printable(why)}")
        self.code = code


def _escaped(character):
    code = ord(character)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"


def printable(text, limit=200):
    """Without control characters, surrogates and marks of direction; long texts are cut."""
    text = str(text)
    if len(text) > limit:
        text = text[:limit] + "..."
    return "".join(c if c.isprintable() else _escaped(c) for c in text)


def cause_of(error):
    """One line for an exception of the system or of a parser."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def read_bytes(path, largest):
    """The bytes of a file, or a Problem; pipes, which may never end, are refused."""
    if os.path.exists(path) and not os.path.isfile(path):
        raise Problem(path, "is no file")
    try:
        with open(path, "rb") as file:
            data = file.read(largest + 1)
    except OSError as error:
        raise Problem(path, f"cannot be read: {cause_of(error)}") from None
    if len(data) > largest:
        raise Problem(path, f"has more than {largest} bytes")
    return data
