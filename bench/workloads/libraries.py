# SPDX-License-Identifier: MIT
"""Libraries under measurement: an adapter in Python, run here, or a program of the harness in C, run for
each task. Both give the measurement of a task and its results.
"""

import importlib.util
import json
import os
import subprocess
import sys
import time
from typing import NamedTuple

import numpy as np
from records.text import Refused, shown

from . import npy
from .judge import RESULT_TYPES

NO_TASK = 3  # exit code of a program
FEWEST_REPETITIONS, MOST_REPETITIONS, LEAST_SECONDS = 3, 10000, 1.0


class Measured(NamedTuple):
    library: dict  # name, version, url
    compiler: str  # empty: unknown
    device: str
    timed: str     # to-host or to-device
    seconds: list
    results: np.ndarray


def _erase(results):
    if isinstance(results, np.ndarray) and results.flags.writeable:
        results.fill(np.nan)


def _repeat(call, erase, least_seconds):
    """Seconds of each run, and the results of the last. Results of an untimed run are erased first."""
    erase(call())
    seconds = []
    while len(seconds) < FEWEST_REPETITIONS or len(seconds) < MOST_REPETITIONS and sum(seconds) < least_seconds:
        results = None  # its memory is free before the next run
        begun = time.perf_counter()
        results = call()
        seconds.append(time.perf_counter() - begun)
    return seconds, results


class Adapter:
    """A Python file. The user's own code: its failures are shown as they are."""

    def __init__(self, path):
        spec = importlib.util.spec_from_file_location("workload_adapter", path) if os.path.isfile(path) else None
        if spec is None or spec.loader is None:
            raise Refused(f"{shown(path)}: is no adapter, such as examples/workload/scipy_slerp.py")
        self.module = module = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except ModuleNotFoundError as error:
            raise Refused(f"{shown(path)}: {sys.executable}: {error}") from None
        on_device = getattr(module, "TIMED", None) == "to-device"
        for name in ("LIBRARY", "DEVICE", "TIMED", "prepare", *(("fetch", "erase") if on_device else ())):
            if not hasattr(module, name):
                raise Refused(f"{shown(path)}: does not define {name}")
        if not on_device and hasattr(module, "fetch"):
            raise Refused(f"{shown(path)}: defines fetch, which is for to-device: the call itself must return results "
                          "in host memory")

    def measure(self, workload, task, inputs, _scratch):
        """None where the library does not have the task. The adapter has copies of the inputs, because
        results are judged by what they were."""
        module = self.module
        call = module.prepare(task, {name: array.copy() for name, array in inputs.items()})
        if call is None:
            return None
        seconds, results = _repeat(call, getattr(module, "erase", _erase),
                                   LEAST_SECONDS if workload.name == "standard" else 0.0)
        if module.TIMED == "to-device":
            results = np.asarray(module.fetch(results))
        elif not isinstance(results, np.ndarray):  # it may still be computed when it is read
            raise Refused(f"{task['name']}: the adapter gives a {type(results).__name__}; expected a NumPy array, "
                          "because to-host includes all results in host memory")
        if results.dtype.str not in RESULT_TYPES or results.shape != tuple(task["shape"]):
            raise Refused(f"{task['name']}: the adapter gives {results.dtype} {results.shape}; expected float32 "
                          f"or float64 {tuple(task['shape'])}")
        return Measured(module.LIBRARY, "", module.DEVICE, module.TIMED, seconds, results)


class Program:
    """An executable file of the harness; bench/harness/harness.c has its arguments."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        if not os.path.isfile(path) or not os.access(path, os.X_OK):
            raise Refused(f"{shown(path)}: is no program; expected an adapter linked with bench/harness/harness.c")

    def measure(self, workload, task, _inputs, scratch):
        results = os.path.join(scratch, "results.npy")
        repetitions = [] if workload.name == "standard" else [str(FEWEST_REPETITIONS)]
        done = subprocess.run([self.path, workload.path.absolute(), task["name"], results, *repetitions],
                              stdout=subprocess.PIPE, check=False)
        if done.returncode == NO_TASK:
            return None
        if done.returncode != 0:
            raise Refused(f"{shown(self.path)}: {task['name']}: ended with {done.returncode}", 1)
        try:
            told = json.loads(done.stdout.decode("utf-8"))
            library = {name: told[name] for name in ("name", "version", "url") if name in told}
            return Measured(library, told["compiler"], told["device"], "to-host", told["seconds"],
                            npy.read(results, RESULT_TYPES, task["shape"]))
        except (ValueError, KeyError, TypeError, RecursionError):
            raise Refused(f"{shown(self.path)}: {task['name']}: printed no measurement: "
                          f"{shown(done.stdout[:80].decode('utf-8', 'replace'))}") from None
