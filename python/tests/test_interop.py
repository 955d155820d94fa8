# SPDX-License-Identifier: MIT
"""Jobs on queues of pyopencl: the bits of the library, without waiting."""
import os
import subprocess
import sys

import numpy as np
import posemill as pm
import pytest
from reference import random_keys, same_bits, sample

cl = pytest.importorskip("pyopencl")
pytest.importorskip("pyopencl.array") # cl.array

KEYS = random_keys(9)
TIMES = np.array([0.0, 0.3, 1.0, 1.25, 2.0, 2.125, 3.0, 3.5, 4.0])
AT = np.linspace(-0.3, 4.2, 301)


@pytest.fixture(scope="module")
def queue():
    try:
        devices = [d for p in cl.get_platforms() for d in p.get_devices()]
    except cl.Error:
        devices = []
    if not devices:
        pytest.skip("no OpenCL device")
    return cl.CommandQueue(cl.Context(devices[:1]))


@pytest.fixture(params=["any queue", "engine of the queue"])
def curve(request, queue):
    engine = None if request.param == "any queue" else pm.Engine.from_queue(queue)
    return pm.RotationCurve(TIMES, KEYS, "squad", engine=engine, positions=KEYS[..., :3])


def test_results_are_written_to_an_array(queue, curve):
    out = cl.array.zeros(queue, (301, 3, 4), np.float32)
    event = curve.enqueue(queue, AT, out=out, wait_for=out.events)
    event.wait()
    assert isinstance(event, cl.Event)
    assert same_bits(out.get(), sample(KEYS, AT, times=TIMES, method="squad"))


@pytest.mark.parametrize("options, output, size", [
    ({"order": 1}, "velocities", 3), ({"order": 2, "frame": "parent"}, "accelerations", 3)])
def test_derivatives(queue, curve, options, output, size):
    out = cl.array.zeros(queue, (301, 3, size), np.float32)
    curve.enqueue(queue, AT, out=out, wait_for=out.events, **options).wait()
    assert same_bits(out.get(), sample(KEYS, AT, times=TIMES, method="squad", output=output,
                                       frame=int("frame" in options)))


def test_uniform_samples_pairs_and_offsets_in_buffers(queue, curve):
    buffer = cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 16 + 50 * 3 * 16)
    curve.enqueue(queue, rate="30000/1001", start="1/3", count=50, out=buffer, offset=16).wait()
    found = np.empty((50, 3, 4), dtype=np.float32)
    cl.enqueue_copy(queue, found, buffer, src_offset=16)
    from fractions import Fraction
    assert same_bits(found, sample(KEYS, (Fraction(30000, 1001), Fraction(1, 3), 50), times=TIMES,
                                   method="squad"))
    tracks = np.arange(301) % 3
    out = cl.array.zeros(queue, (301, 4), np.float32)
    curve.enqueue(queue, AT, tracks=tracks, out=out, wait_for=out.events).wait()
    assert same_bits(out.get(), sample(KEYS, AT, times=TIMES, method="squad", tracks=tracks))
    out = cl.array.zeros(queue, (301, 2, 4), np.float32)
    curve.enqueue(queue, AT, subset=[2, 0], out=out, wait_for=out.events).wait()
    assert same_bits(out.get(), curve(AT, subset=[2, 0]))


def test_the_job_starts_after_the_events(queue, curve):
    gate = cl.UserEvent(queue.context)
    out = cl.array.zeros(queue, (301, 3, 4), np.float32)
    out.events[0].wait()
    event = curve.enqueue(queue, AT, out=out, wait_for=[gate])
    queue.flush()
    assert event.command_execution_status != cl.command_execution_status.COMPLETE
    gate.set_status(cl.command_execution_status.COMPLETE)
    event.wait()
    assert same_bits(out.get(), sample(KEYS, AT, times=TIMES, method="squad"))


def test_refused_jobs(queue, curve):
    good = cl.array.zeros(queue, (301, 3, 4), np.float32)
    for kind, out in ((ValueError, good[:300]), (TypeError, good.astype(np.float64)),
                      (TypeError, np.zeros((301, 3, 4), np.float32)),
                      (ValueError, cl.array.empty(queue, (301, 3, 4), np.float32, order="F")),
                      (ValueError, cl.Buffer(queue.context, cl.mem_flags.READ_WRITE, 100))):
        with pytest.raises(kind, match="out"):
            curve.enqueue(queue, AT, out=out)
    with pytest.raises(TypeError, match="times"):
        curve.enqueue(queue, out=good)
    with pytest.raises(ValueError, match="order"):
        curve.enqueue(queue, AT, order=3, out=good)


def test_a_queue_of_another_context_is_refused(queue):
    curve = pm.RotationCurve(TIMES, KEYS, engine=pm.Engine("none"))
    with pytest.raises(ValueError, match="queue"):
        curve.enqueue(queue, AT, out=cl.array.zeros(queue, (301, 3, 4), np.float32))


CYCLES = """
import numpy as np, posemill as pm
class Holder: pass
for i in range(50):
    a, b = Holder(), Holder()
    a.other, b.other = b, a
    a.engine = pm.Engine("cpu") if i == 0 else pm.Engine("none")
    b.curve = pm.RotationCurve(None, np.tile([0.0, 0, 0, 1], (5, 3, 1)), rate=1, engine=a.engine)
    b.curve(1.5)
    del a, b
"""


def test_engines_outlive_their_curves_in_cycles(queue):
    if not any(d.type == "cpu" for d in pm.devices()):
        pytest.skip("no CPU device")
    done = subprocess.run([sys.executable, "-c", CYCLES], timeout=1200)
    assert done.returncode == 0


def test_a_process_ends_while_programs_are_compiled(queue, tmp_path):
    code = ("import numpy as np, posemill as pm; "
            "pm.RotationCurve(None, np.tile([0.0, 0, 0, 1], (5, 3, 1)), rate=1)"
            "(np.linspace(0, 4, 200000))")
    done = subprocess.run([sys.executable, "-c", code], timeout=1200,
                          env={**os.environ, "XDG_CACHE_HOME": str(tmp_path),
                               "POCL_CACHE_DIR": str(tmp_path / "pocl")})
    assert done.returncode == 0
