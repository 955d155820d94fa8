# SPDX-License-Identifier: MIT
"""The C library called directly, with packed float64 keys, and random keys for it."""
from fractions import Fraction

import numpy as np
from posemill._native import ffi, lib

METHODS = [ffi.string(lib.pm_method_get_info(m).name).decode() for m in range(lib.pm_method_count())]


def random_keys(count, tracks=(3,), dtype=np.float64, seed=1):
    """Unit quaternions (count, *tracks, 4): smooth motion with steps of up to a radian."""
    rng = np.random.default_rng(seed)
    keys = np.cumsum(rng.normal(size=(count, *tracks, 4)), axis=0) + 3 * rng.normal(size=4)
    keys /= np.linalg.norm(keys, axis=-1, keepdims=True)
    return keys.astype(dtype)


def _point(target, array, kept):
    array = np.array(array, dtype=np.float64, order="C")
    target.data = ffi.from_buffer(array)
    target.type = lib.PM_FLOAT64
    kept.append(array)


def sample(rotations, at, *, times=None, rate=None, method="slerp", output="rotations", frame=0,
           tracks=None, arrays=None, **fields):
    """Samples (len(at), tracks, n); `at` is an array of times, or (rate, start, count)."""
    kept, made, clip = [], ffi.new("pm_engine **"), ffi.new("pm_clip **")
    error = ffi.new("pm_error *")
    track_count = int(np.prod(np.shape(rotations)[1:-1]))
    timeline = ffi.new("pm_timeline *")
    timeline.key_count = len(rotations)
    if times is not None:
        times = np.array(times, dtype=np.float64)
        timeline.times = ffi.from_buffer("double[]", times)
    else:
        rate = Fraction(rate)
        timeline.rate = (rate.numerator, rate.denominator)
    number = ffi.new("pm_method *")
    assert lib.pm_method_find(method.encode(), number)
    desc = ffi.new("pm_clip_desc *", {"track_count": track_count, "timelines": timeline,
                                      "method": number[0], **fields})
    _point(desc.rotations, rotations, kept)
    for name, array in (arrays or {}).items():
        _point(getattr(desc, name), array, kept)
    engine_desc = ffi.new("pm_engine_desc *", {"device": ffi.from_buffer(b"none\0")})
    assert lib.pm_engine_create(engine_desc, made, error) == 0, ffi.string(error.message)
    assert lib.pm_clip_create(made[0], desc, clip, error) == 0, ffi.string(error.message)
    job = ffi.new("pm_sample_job *", {"velocity_frame": frame})
    if isinstance(at, tuple):
        job.rate, job.start_after_first_key = [(Fraction(n).numerator, Fraction(n).denominator) for n in at[:2]]
        job.sample_count = at[2]
    else:
        at = np.array(at, dtype=np.float64)
        job.sample_count, job.times = len(at), ffi.from_buffer("double[]", at)
    if tracks is not None:
        tracks = np.array(tracks, dtype=np.uint32)
        job.tracks, track_count = ffi.from_buffer("uint32_t[]", tracks), 1
    result = np.empty((job.sample_count, track_count, 4 if output == "rotations" else 3),
                      dtype=np.float32)
    setattr(job, output, ffi.from_buffer("float[]", result))
    assert lib.pm_sample(clip[0], job, error) == 0, ffi.string(error.message)
    lib.pm_clip_destroy(clip)
    lib.pm_engine_destroy(made)
    return result


def same_bits(a, b):
    """Whether two float32 arrays of one size have the same bits."""
    assert a.dtype == b.dtype == np.float32
    return a.size == b.size and bool((np.ascontiguousarray(a).view(np.uint32).ravel() ==
                                      np.ascontiguousarray(b).view(np.uint32).ravel()).all())
