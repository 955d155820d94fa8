# SPDX-License-Identifier: MIT
"""Failures with the exit codes of the command, and text of files made safe to print."""

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
