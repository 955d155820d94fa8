# SPDX-License-Identifier: MIT
"""Posemill's Python package on the workload: an adapter for bench/workload measure.

    bench/workload measure work --adapter examples/workload/posemill_curves.py -o posemill.json

POSEMILL_DEVICE is the device, as for the command: auto, cpu, gpu, none (plain C), or part of a name.
"""
import os

import numpy
import posemill

ENGINE = posemill.Engine(os.environ.get("POSEMILL_DEVICE", "auto"))
LIBRARY = {"name": "Posemill", "version": posemill.__version__}
DEVICE = (f"{ENGINE.device.name}, {ENGINE.device.platform}" if ENGINE.device.name != "reference"
          else "CPU, plain C, all processors")
TIMED = "to-host"


def prepare(task, inputs):
    """A call that computes all results of the task into host memory."""
    # Shoemake's control points are those of mean velocities, at the ends with the chord's.
    curve = posemill.RotationCurve(None, inputs["keys"], task["method"], rate=30, tangents="mean",
                                   ends="chord", limit=False, engine=ENGINE)
    times = inputs[task["times"].removesuffix(".npy")]
    tracks = inputs["pair_tracks"] if task["tracks"] else None
    results = numpy.empty(task["shape"], dtype=numpy.float32)
    if task["name"].startswith("uniform/"):
        return lambda: curve.uniform(120, count=len(times), out=results)
    return lambda: curve(times, tracks=tracks, out=results)
