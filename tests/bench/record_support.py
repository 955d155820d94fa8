# SPDX-License-Identifier: MIT
"""Records of schema 2 with seeded times, for the tests of the scripts that read them. The speeds are
known, because they are drawn here; nothing is measured.
"""
import contextlib
import io
import json
import os
import random
import runpy
import subprocess
import sys
import tempfile
import unittest
from statistics import median

SEED = int(os.environ.get("POSEMILL_TEST_SEED", "20260301"), 0)
FILL, COPY, FMA = 50e9, 45e9, 400e9  # bytes/s, bytes/s, operations/s
SAMPLES = 1 << 20


def generator(*salt):
    return random.Random(f"{SEED} {salt}")


def noisy(draws, seconds, count, sigma, machine=None):
    """Times with log-normal noise, each multiplied by what the machine did at the time."""
    return [seconds * draws.lognormvariate(0.0, sigma) * (machine[i] if machine else 1.0)
            for i in range(count)]


def machine_of(draws, count):
    """What a shared machine does to all that is measured at a time: it is up to three times slower."""
    return [draws.uniform(1.0, 3.0) for _ in range(count)]


def case(name, draws, share=0.5, count=10, sigma=0.02, bound="fill", machine=None, **others):
    """A case that reaches a share of its bound, and members that replace its own."""
    written, read, operations = 16 * SAMPLES, 4 * SAMPLES, 100 * SAMPLES
    needs = {"fill": written / FILL, "copy": (read + written) / COPY, "arithmetic": operations / FMA,
             None: 1e-3}
    bound_seconds = noisy(draws, needs[bound], count, sigma, machine)
    seconds = noisy(draws, needs[bound] / share, count, sigma, machine)
    fills = noisy(draws, written / FILL, count, sigma, machine)
    shares = [one / time for one, time in zip(bound_seconds, seconds)]
    found = {
        "name": name, "samples": SAMPLES, "bytes_per_sample": 16, "seconds": seconds,
        "seconds_min": min(seconds), "seconds_median": median(seconds), "seconds_p95": max(seconds),
        "samples_per_s": SAMPLES / median(seconds), "bytes_read": read, "bytes_written": written,
        "operations": operations, "bound": bound, "bound_seconds": bound_seconds if bound else None,
        "bound_share": median(shares) if bound else None, "ceiling_seconds": fills,
        "ceiling_share": median(fills) / median(seconds), "baseline_ratio": None, "max_error_rad": 0,
    }
    return {**found, **others}


def record(*cases, **others):
    host = {"processor": "Processor  X", "cores": 2, "governor": None, "memory_bytes": 1 << 33,
            "os": "an os", "compiler": "gcc"}
    found = {"schema": 2, "date": "2026-03-01T12:00:00Z", "host": host, "device": "a device",
             "driver": "3.1", "platform": "a platform", "commit": "0123456789ab",
             "options": {"quick": False, "samples": SAMPLES}, "fill_rates": [FILL]}
    return {**found, "cases": list(cases), **others}


def hostile(sound):
    """(content, words of the refusal) of files that are no records. `sound` is a sound record."""
    def cased(**others):
        return {**sound, "cases": [{**sound["cases"][0], **others}]}

    text = json.dumps(sound)
    times = sound["cases"][0]["seconds"]
    return (
        ("", "not JSON"), (text[: len(text) // 2], "not JSON"), ("[" * 200000, "not JSON"),
        ('{"a":' * 200000, "not JSON"), ("\xff\x00", "not a record|not JSON"), ("9" * 5000, "not JSON"),
        ("[1, 2]", "not a record"), ("null", "not a record"), ('"text"', "not a record"),
        ({**sound, "cases": {}}, "not a record"), ({**sound, "options": 7}, "not a record"),
        ({**sound, "device": ["x"]}, "device"), ({**sound, "schema": 3}, "schema"),
        ({**sound, "schema": True}, "schema"), ({**sound, "schema": "2"}, "schema"),
        ({**sound, "date": "2026-03-01\n"}, "date"), ({**sound, "host": "here"}, "host"),
        ({**sound, "device": "x" * 5000}, "too long"), ({**sound, "schema": None}, "schema"),
        ({**sound, "load": {"verdict": "idle"}}, "load"), ({**sound, "load": [1]}, "load"),
        ({**sound, "cases": [7]}, "without a name"), ({**sound, "cases": 2 * sound["cases"]}, "two cases"),
        (cased(name=""), "without a name"), (cased(seconds=None), "seconds .* is missing"),
        (cased(seconds=[]), "not a list of times"), (cased(seconds="1"), "not a list of times"),
        (cased(seconds=[float("nan")] * len(times)), "not a time"),
        (cased(seconds=[float("inf")] * len(times)), "not a time"),
        (cased(seconds=[0.0] * len(times)), "not a time"), (cased(seconds=[-1.0]), "not a time"),
        (cased(seconds=[10**400]), "not a time"), (cased(seconds=[True]), "not a time"),
        (cased(seconds=times[1:]), "another number of repetitions"),
        (cased(samples_per_s=None), "samples_per_s .* is missing"), (cased(samples_per_s=float("nan")), "samples_per_s"),
        (cased(samples=1.5), "samples"), (cased(samples=-1), "samples"), (cased(samples=10**30), "samples"),
        (cased(samples=None), "samples .* is missing"), (cased(operations="many"), "operations"),
        (cased(bound="disk"), "bound"), (cased(bound_share=[1]), "bound_share"),
        (cased(samples_per_s={}), "samples_per_s"),
    )


class Script(unittest.TestCase):
    """A test that runs a script on records in a temporary folder."""

    command = ""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="posemill-test-records-")
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, content):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return self.path(name)

    def run_script(self, *arguments, **options):
        """A run in this process, because starting Python takes longer than most runs; with an output of its
        own in another one."""
        if options:
            done = subprocess.run([self.command, *arguments], stderr=subprocess.PIPE, text=True, check=False,
                                  encoding="utf-8", **options)
        else:
            done = self.run_here(arguments)
        self.assertNotIn("Traceback", done.stderr, f"seed {SEED}")
        return done

    def run_here(self, arguments):
        streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
        for name in [name for name in sys.modules if name.split(".")[0] == "records"]:
            del sys.modules[name] # those of another copy of the scripts
        path, argv = list(sys.path), sys.argv
        code = 0
        try:
            sys.argv = [self.command, *arguments]
            with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
                runpy.run_path(self.command, run_name="__main__")
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        finally:
            sys.path, sys.argv = path, argv
        out, error = (stream.buffer.getvalue().decode() for stream in streams)
        return subprocess.CompletedProcess(sys.argv, code, out, error)

    def expect(self, code, *arguments):
        """The standard output of a run with this exit code and no message."""
        done = self.run_script(*arguments)
        self.assertEqual((done.returncode, done.stderr), (code, ""), f"seed {SEED}: {done.stdout}")
        return done.stdout

    def expect_refusal(self, words, *arguments, code=4):
        """One line that names the script and the file, and nothing else."""
        done = self.run_script(*arguments)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertRegex(done.stderr, rf"\A[a-z/]+: [^\n]*\.json: [^\n]*({words})[^\n]*\n\Z")
        self.assertTrue(done.stderr[:-1].isprintable(), ascii(done.stderr))
