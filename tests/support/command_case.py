# SPDX-License-Identifier: MIT
"""What tests of the command share that are written in Python. A test's first argument is the command; ctest sets
PYTHONPATH to this folder and tests/compare."""
import faulthandler
import json
import os
import struct
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

POSEMILL, ARGUMENTS = Path(sys.argv[1]).resolve(), sys.argv[2:]
SOURCES = Path(__file__).resolve().parent.parent.parent
WALK = SOURCES / "examples" / "walk.bvh"
HANGS = 1200  # seconds; nothing takes as many
SEED = int(os.environ.get("POSEMILL_TEST_SEED", "20240607"), 0)


def require_numpy():
    """Without NumPy the test is skipped; POSEMILL_REQUIRE_SCIPY=1 makes that a failure."""
    try:
        import numpy
    except ImportError:
        print("not tested: NumPy is missing")
        sys.exit(1 if os.environ.get("POSEMILL_REQUIRE_SCIPY") == "1" else 77)
    return numpy


def glb(document, binary):
    """The bytes of a GLB file."""
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


class Case(unittest.TestCase):
    """Each test has a folder of its own, in which the command runs."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def run_posemill(self, *words, code=0, **options):
        done = subprocess.run([POSEMILL, *map(str, words)], cwd=self.folder, capture_output=True,
                              check=False, **{"text": True, **options})
        if code is not None:
            self.assertEqual(done.returncode, code, f"seed {SEED}: {words}: {done.stdout}{done.stderr}")
        return done

    def run_measured(self, *words, code=0):
        """What the command says, and its peak memory in bytes. A run that hangs is ended."""
        with subprocess.Popen([POSEMILL, *map(str, words)], cwd=self.folder, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace") as process:
            timer = threading.Timer(HANGS, process.kill)
            timer.start()
            said = process.stdout.read()
            timer.cancel()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, code, f"seed {SEED}: {words}: {said}")
        return said, usage.ru_maxrss * 1024


def main():
    print(f"seed {SEED}")
    faulthandler.dump_traceback_later(3 * HANGS - 60)  # the test's own limit ends it without a word
    unittest.main(argv=sys.argv[:1])
