# SPDX-License-Identifier: MIT
"""What the scripts share: their exit codes, which are those of posemill, and a line for a failure."""
import argparse
import io
import sys

from .document import Refused
from .text import Unwritable, discard_output, shown

DONE, BAD_INPUT, CANNOT_WRITE, INTERRUPTED = 0, 4, 6, 130
EXIT_CODES = """  4  a file cannot be used
  6  the output cannot be written"""


class Parser(argparse.ArgumentParser):
    """Its messages have no control characters of arguments. Help that cannot be written is a failure, which
    some versions of argparse ignore."""

    def print_help(self, file=None):
        print(self.format_help(), end="", file=file)

    def error(self, message):
        super().error(shown(message, 400))


def run(program, work, refused=Refused):
    """The exit code of a script, whose function returns one, None for 0, or raises Unwritable or the
    exception for what it refuses; the member `code` of that replaces BAD_INPUT."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            code = work() or DONE
        except SystemExit as end:  # of the parser of arguments
            code = end.code
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except refused as refusal:
        failure, code = refusal, getattr(refusal, "code", BAD_INPUT)
    except Unwritable as unwritten:
        failure, code = unwritten, CANNOT_WRITE
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        discard_output()
        if isinstance(error, BrokenPipeError):  # a reader that has seen enough
            return DONE
        failure, code = f"standard output: {error.strerror}", CANNOT_WRITE
    print(f"{program}: {failure}", file=sys.stderr)
    return code
