# SPDX-License-Identifier: MIT
"""Names from files, for a terminal, standard output, and whole documents. What cannot be printed is
shown as an escape, so that a name can neither move the cursor nor reverse the direction of a line.
"""
import os
import sys

from .document import Refused

LONGEST = 120


def shown(text, longest=LONGEST):
    """The text with its unprintable characters escaped, cut to `longest` characters."""
    printed = "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text[: longest + 1]
    )
    return printed if len(printed) <= longest else printed[: longest - 1] + "…"


def write(data):
    """Writes a text or bytes to standard output. A reader that has seen enough is no failure."""
    data = data.encode("utf-8", "backslashreplace") if isinstance(data, str) else data
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        # The interpreter would write the rest when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise Refused(f"standard output: {error.strerror}") from error


def replace(file, text):
    """Writes a document by way of a temporary file, so that it is never half written."""
    part = f"{file}.part"
    with open(part, "w", encoding="utf-8") as out:
        out.write(text)
    os.replace(part, file)
