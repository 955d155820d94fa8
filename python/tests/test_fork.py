# SPDX-License-Identifier: MIT
"""Processes that are forked after OpenCL was used: plain C serves, or an error says what to do.

An alarm ends a child that hangs; no other child reaches it.
"""
from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys

import numpy as np
import pytest

import posemill as pm
from motion_files import WALK

pytestmark = [pytest.mark.processes, pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")]


def device() -> str:
    found = pm.devices()
    if not found:
        pytest.skip("no device")
    return str(found[0].index)


OBJECTS = """
import os, signal, sys, numpy as np, posemill as pm
WALK, DEVICE = sys.argv[1:3]
TIMES = np.arange(300.0)
KEYS = pm.from_rotvec(np.random.default_rng(1).normal(size=(300, 3)), dtype=np.float64)
FEW, MANY = np.linspace(0, 299, 7), np.linspace(0, 299, 200_000)
POSED = np.zeros(5, pm.crowd_instance)
motion = pm.load(WALK)
def curve(engine):
    return pm.RotationCurve(TIMES, KEYS, "squad", engine=engine)
pm.devices()
engine = pm.Engine(DEVICE)
given, default, posed = (curve(engine), curve(None),
                         pm.Crowd(motion.skeleton, motion.clips, engine=engine))
large = pm.RotationCurve(None, np.tile(KEYS, (500, 1)), rate=1)  # on the device from the beginning
expected = [f(MANY) for f in (given, default, large)]
if os.fork() == 0:
    signal.alarm(600)
    refused = 0
    for call in (lambda: given(FEW), lambda: given(MANY), lambda: posed.pose(POSED),
                 lambda: engine.self_check(), lambda: motion.resample(60, engine=engine).clips):
        try:
            call()
        except pm.DeviceError as error:
            refused += "fork" in str(error) and "spawn" in str(error)
    same = [np.array_equal(f(MANY), e) for f, e in zip((default, large), expected[1:])]
    os._exit(0 if refused == 5 and all(same) else 1)
sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
"""


def test_objects_of_the_parent_are_refused_on_a_device_and_serve_elsewhere() -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", OBJECTS, str(WALK), device()],
                          capture_output=True, text=True, timeout=12000, check=False)
    assert done.returncode == 0, done.stderr


OTHERS = """
import os, signal, sys, numpy as np, pyopencl as cl, posemill as pm
platform = cl.get_platforms()[0]
context = cl.Context(platform.get_devices()[:1])
queue = cl.CommandQueue(context)
curve = pm.RotationCurve(None, np.tile([0.0, 0.0, 0.0, 1.0], (4, 1)), rate=1)
if os.fork() == 0:
    signal.alarm(600)
    shape = curve(np.linspace(0, 3, 200_000)).shape
    refused = 0
    for call in (pm.devices, lambda: pm.Engine("0"),
                 lambda: curve.enqueue(queue, [0.5], out=None)):
        try:
            call()
        except pm.DeviceError as error:
            refused += "fork" in str(error)
    os._exit(0 if shape == (200_000, 4) and refused == 3 else 1)
sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
"""


def test_a_parent_that_used_pyopencl_alone() -> None:
    pytest.importorskip("pyopencl")
    device()
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", OTHERS], capture_output=True,
                          text=True, timeout=12000, check=False)
    assert done.returncode == 0, done.stderr


def _work(curve: pm.RotationCurve, motion: pm.Motion, times: list[float]) -> tuple[float, int]:
    return float(curve(times).sum()), len(motion.resample(60).clips[0].times)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_pool_takes_curves_and_motions(method: str) -> None:
    pm.devices()
    keys = pm.from_rotvec(np.random.default_rng(1).normal(size=(30, 3)))
    engine = pm.Engine(device())
    times = [0.25 * i for i in range(100)]
    motion = pm.load(WALK)
    for curve in (pm.RotationCurve(None, keys, rate=1),
                  pm.RotationCurve(None, keys, "squad", rate=1, engine=engine)):
        with multiprocessing.get_context(method).Pool(2) as pool:
            found = pool.apply_async(_work, (curve, motion, times)).get(timeout=1200)
        assert found == _work(curve, motion, times)
