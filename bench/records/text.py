# SPDX-License-Identifier: MIT
"""Text of files made safe to print, an output that is never half written, and the end of a script in one line."""
import os
import sys
import tempfile

BAD_INPUT, CANNOT_WRITE, INTERRUPTED = 4, 6, 130


class Refused(Exception):
    """Why a script ends, in one line, and its exit code: those of posemill."""

    def __init__(self, why, code=BAD_INPUT):
        super().__init__(why)
        self.code = code


def shown(text, longest=120):
    """The text with its unprintable characters escaped, so that a name can neither move the cursor nor reverse the
    direction of a line, and cut to `longest` characters."""
    printed = "".join(one if one.isprintable() else one.encode("unicode_escape").decode()
                      for one in str(text)[:longest + 1])
    return printed if len(printed) <= longest else printed[:longest - 1] + "…"


def replace(path, text):
    """Writes a file by way of a temporary one beside it."""
    target, part = os.path.realpath(path), None
    try:
        if os.path.lexists(target) and not os.path.isfile(target):
            raise Refused(f"{shown(path)}: is no file", CANNOT_WRITE)
        handle, part = tempfile.mkstemp(prefix=".posemill-", suffix=".part", dir=os.path.dirname(target))
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(part, 0o644)
        os.replace(part, target)
        part = None
    except OSError as error:
        raise Refused(f"{shown(path)}: cannot be written: {error.strerror}", CANNOT_WRITE) from error
    finally:
        if part is not None:
            os.unlink(part)


def run(program, work):
    """The exit code of a script, whose function returns one, None for 0, or raises Refused."""
    try:
        code = work() or 0
        sys.stdout.flush()
        return code
    except Refused as refusal:
        failure, code = refusal, refusal.code
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:  # of standard output, which the interpreter would write again at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if isinstance(error, BrokenPipeError):  # a reader that has seen enough
            return 0
        failure, code = f"standard output: {error.strerror}", CANNOT_WRITE
    print(f"{program}: {failure}", file=sys.stderr)
    return code
