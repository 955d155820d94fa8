# SPDX-License-Identifier: MIT
"""Names from files, for a terminal, standard output, and whole documents. What cannot be printed is
shown as an escape, so that a name can neither move the cursor nor reverse the direction of a line.
"""
import os
import sys
import tempfile

LONGEST = 120


class Unwritable(Exception):
    """Why an output cannot be written, in one line."""


def shown(text, longest=LONGEST):
    """The text with its unprintable characters escaped, cut to `longest` characters."""
    printed = "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text[: longest + 1]
    )
    return printed if len(printed) <= longest else printed[: longest - 1] + "…"


def discard_output():
    """What standard output still holds is not written, as the interpreter would when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def write(data):
    """Writes a text or bytes to standard output. A reader that has seen enough is no failure."""
    data = data.encode("utf-8", "backslashreplace") if isinstance(data, str) else data
    if sys.stdout is None:
        raise Unwritable("standard output is closed")
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        discard_output()
        if not isinstance(error, BrokenPipeError):
            raise Unwritable(f"standard output: {error.strerror}") from error


def write_file(file, text):
    with open(file, "w", encoding="utf-8", errors="backslashreplace") as out:
        out.write(text)


def replace(file, text):
    """Writes a file by way of a temporary one beside it, so that it is never half written. Its mode is
    kept. A device or a pipe cannot be replaced and is written to."""
    target, part = os.path.realpath(file), None
    try:
        exists = os.path.exists(target)
        if exists and not os.path.isfile(target):
            write_file(target, text)
            return
        mode = os.stat(target).st_mode & 0o777 if exists else 0o644
        handle, part = tempfile.mkstemp(prefix=".posemill-", suffix=".part", dir=os.path.dirname(target))
        os.close(handle)
        write_file(part, text)
        os.chmod(part, mode)
        os.replace(part, target)
        part = None
    except OSError as error:
        raise Unwritable(f"{shown(str(file))}: cannot be written: {error.strerror}") from error
    finally:
        if part is not None:
            os.unlink(part)
