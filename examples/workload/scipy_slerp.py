# SPDX-License-Identifier: MIT
"""SciPy's Slerp on the workload: an adapter for bench/workload measure. It has slerp alone, on one core.

    bench/workload measure work --adapter examples/workload/scipy_slerp.py -o scipy.json
"""
import numpy
import scipy
from scipy.spatial.transform import Rotation, Slerp

LIBRARY = {"name": "SciPy", "version": scipy.__version__, "url": "https://scipy.org"}
DEVICE = "CPU, one thread"
TIMED = "to-host"


def prepare(task, inputs):
    """A call that computes all results of the task, or None for a task that SciPy does not have."""
    if task["method"] != "slerp" or task["name"].startswith("crowd/"):
        return None
    times = inputs[task["times"].removesuffix(".npy")]
    curves = [Slerp(inputs["key_times"], Rotation.from_quat(inputs["keys"][:, track]))
              for track in range(inputs["keys"].shape[1])]
    results = numpy.empty(task["shape"])

    def all_tracks():
        for track, curve in enumerate(curves):
            results[:, track] = curve(times).as_quat()
        return results

    def pairs():
        tracks = inputs["pair_tracks"]
        order = numpy.argsort(tracks, kind="stable")
        ends = numpy.searchsorted(tracks[order], numpy.arange(len(curves) + 1))
        for track, curve in enumerate(curves):
            samples = order[ends[track]:ends[track + 1]]
            if len(samples):
                results[samples] = curve(times[samples]).as_quat()
        return results

    return pairs if task["tracks"] else all_tracks
