# SPDX-License-Identifier: MIT
"""Libraries under measurement: an adapter in Python, run here, or a program of the harness in C, run for
each task. Both give the measurement of a task and its results.
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

import numpy as np

from . import manifest, npy, record
from .problems import BAD_INPUT, Problem, printable

NO_TASK = 3  # exit code of a program


class Measured(NamedTuple):
    library: dict      # name, version, url
    compiler: str      # empty: unknown
    device: str
    division: str
    timed: str
    build_seconds: float
    stored_bytes: int  # of the lossy division
    seconds: list
    results: object    # an array, or of file the path of a motion file


def _erase(results):
    if isinstance(results, np.ndarray) and results.flags.writeable:
        results.fill(np.nan)


def _repeat(call, erase, repetitions):
    """Seconds of each run, and the results of the last. Results of an untimed run are erased first."""
    erase(call())
    seconds = []
    while len(seconds) < repetitions if repetitions else (
            len(seconds) < record.SHORTEST_REPETITIONS
            or len(seconds) < record.MOST_REPETITIONS and sum(seconds) < record.LEAST_SECONDS):
        results = None  # its memory is free before the next run
        begun = time.perf_counter()
        results = call()
        seconds.append(time.perf_counter() - begun)
    return seconds, results


class Adapter:
    """A Python file. The user's own code: its failures are shown as they are."""

    def __init__(self, path):
        self.path = path
        if not os.path.isfile(path):
            raise Problem(path, "is no file; expected an adapter, such as examples/workload/scipy_slerp.py")
        spec = importlib.util.spec_from_file_location("workload_adapter", path)
        if spec is None or spec.loader is None:
            raise Problem(path, "is no Python file")
        self.module = module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except ModuleNotFoundError as error:
            raise Problem(path, f"{sys.executable}: {error}") from None
        for name in ("LIBRARY", "DEVICE", "TIMED", "prepare"):
            if not hasattr(module, name):
                raise Problem(path, f"does not define {name}")
        if module.TIMED == "to-host" and hasattr(module, "fetch"):
            raise Problem(path, "defines fetch, which is for to-device: the call itself must return results in "
                          "host memory")
        if module.TIMED == "to-device" and not (hasattr(module, "fetch") and hasattr(module, "erase")):
            raise Problem(path, "does not define fetch and erase, which to-device requires")
        self.division = getattr(module, "DIVISION", "exact")
        if self.division == "lossy" and not hasattr(module, "stored_bytes"):
            raise Problem(path, "does not define stored_bytes, which the lossy division requires")

    def measure(self, _folder, task, inputs, _scratch, repetitions):
        """None where the library does not have the task. The adapter has copies of the inputs, because
        results are judged by what they were."""
        module, copies = self.module, {name: array.copy() for name, array in inputs.items()}
        if task["motion"]:
            return None  # an adapter in C has this task
        begun = time.perf_counter()
        call = module.prepare(task, copies)
        built = time.perf_counter() - begun
        if call is None:
            return None
        seconds, results = _repeat(call, getattr(module, "erase", _erase), repetitions)
        stored = module.stored_bytes() if self.division == "lossy" else 0
        if module.TIMED == "to-device":
            results = np.asarray(module.fetch(results))
        elif not isinstance(results, np.ndarray):  # it may still be computed when it is read
            raise Problem(task["name"], f"the adapter gives a {type(results).__name__}; expected a NumPy array, "
                          "because to-host includes all results in host memory")
        if results.dtype.str not in manifest.RESULT_TYPES or results.shape != tuple(task["shape"]):
            raise Problem(task["name"], f"the adapter gives {results.dtype} {results.shape}; expected float32 "
                          f"or float64 {tuple(task['shape'])}")
        return Measured(module.LIBRARY, "", module.DEVICE, self.division, module.TIMED, built, stored, seconds,
                        results)


class Program:
    """An executable file of the harness; bench/harness/harness.c has its arguments."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        if not os.path.isfile(path) or not os.access(path, os.X_OK):
            raise Problem(path, "is no program; expected an adapter linked with bench/harness/harness.c")

    def measure(self, where, task, _inputs, scratch, repetitions):
        results = os.path.join(scratch, "results.bvh" if task["motion"] else "results.npy")
        words = [self.path, os.path.abspath(where), task["name"], results, str(repetitions)]
        done = subprocess.run(words, stdout=subprocess.PIPE, check=False)
        if done.returncode == NO_TASK:
            return None
        if done.returncode != 0:
            raise Problem(self.path, f"{task['name']}: ended with {done.returncode}", 1)
        try:
            told = json.loads(done.stdout.decode("utf-8"))
            library = {name: told[name] for name in ("name", "version", "url") if name in told}
            found = Measured(library, told["compiler"], told["device"], told["division"],
                             "to-file" if task["motion"] else "to-host", told["build_seconds"],
                             told["stored_bytes"], told["seconds"],
                             results if task["motion"] else npy.read(results, manifest.RESULT_TYPES, task["shape"]))
        except (ValueError, KeyError, TypeError, RecursionError):
            raise Problem(self.path, f"{task['name']}: printed no measurement: "
                          f"{printable(done.stdout[:80].decode('utf-8', 'replace'))}", BAD_INPUT) from None
        return found


def scratch_beside(record_path):
    """A folder for the results of a program, which may be larger than what a system keeps in memory."""
    parent = os.path.dirname(os.path.abspath(record_path))
    return tempfile.TemporaryDirectory(prefix=".posemill-", suffix=".part", dir=parent)
