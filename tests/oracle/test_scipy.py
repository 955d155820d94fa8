#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares `spline` with chord ends with SciPy's RotationSpline, through the command.

    test_scipy.py POSEMILL

Compares every sample of random tracks at random times. Without SciPy the exit code is 77, which
means skipped, unless POSEMILL_REQUIRE_SCIPY=1. The seed is POSEMILL_TEST_SEED, or a fixed number,
and is printed.
"""
import os
import subprocess
import sys
import tempfile

try:
    import numpy
    from scipy.spatial.transform import Rotation, RotationSpline
except ImportError as missing:
    if os.environ.get("POSEMILL_REQUIRE_SCIPY") == "1":
        sys.exit(f"failed: POSEMILL_REQUIRE_SCIPY=1, and in {sys.executable}: {missing}")
    print(f"skipped: in {sys.executable}: {missing}")
    sys.exit(77)

BOUND = 1e-6
TRACKS, KEYS, SAMPLES = 8, 9, 400


def random_keys(rng, largest):
    """(keys, tracks, 4): rotations of up to `largest` radians about random axes."""
    keys = numpy.empty((KEYS, TRACKS, 4))
    for track in range(TRACKS):
        rotation = Rotation.from_quat(rng.normal(size=4))
        for key in range(KEYS):
            keys[key, track] = rotation.as_quat() * rng.choice((-1.0, 1.0))
            axis = rng.normal(size=3)
            turn = axis / numpy.linalg.norm(axis) * rng.uniform(0.05, largest)
            rotation = rotation * Rotation.from_rotvec(turn)
    return keys


def evaluate(command, folder, keys, key_times, times, ends):
    names = {name: os.path.join(folder, name + ".npy") for name in ("keys", "at", "times", "out")}
    numpy.save(names["keys"], keys)
    numpy.save(names["at"], key_times)
    numpy.save(names["times"], times)
    subprocess.run(
        [command, "eval", "--device", "none", "--quiet", "--method", "spline", "--ends", ends]
        + ["--keys", names["keys"], "--key-times", names["at"], "--times", names["times"]]
        + ["--out", names["out"]],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return numpy.load(names["out"]).astype(float)


def worst_error(command, folder, rng, largest, ends="chord"):
    keys = random_keys(rng, largest)
    key_times = numpy.cumsum(rng.uniform(0.3, 1.7, KEYS))
    times = rng.uniform(key_times[0], key_times[-1], SAMPLES)
    got = evaluate(command, folder, keys, key_times, times, ends)
    assert got.shape == (SAMPLES, TRACKS, 4), got.shape
    errors = []
    for track in range(TRACKS):
        # The library stores its keys in float32.
        stored = keys[:, track].astype(numpy.float32).astype(float)
        theirs = RotationSpline(key_times, Rotation.from_quat(stored))(times)
        ours = Rotation.from_quat(got[:, track])
        errors.append((theirs.inv() * ours).magnitude())
    return float(numpy.max(errors))  # NaN if an error is NaN, unlike max()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    seed = int(os.environ.get("POSEMILL_TEST_SEED", "20260301"), 0)
    print(f"# seed {seed}")
    rng = numpy.random.default_rng(seed)
    errors = []
    with tempfile.TemporaryDirectory() as folder:
        for largest in (0.5, 1.0, 1.5):
            for _ in range(4):
                error = worst_error(sys.argv[1], folder, rng, largest)
                print(f"# turns up to {largest} rad: {error:.2e} rad")
                errors.append(error)
        # Other ends give another curve; the test must detect the difference.
        other = worst_error(sys.argv[1], folder, rng, 1.0, ends="natural")
    print(f"# natural ends: {other:.2e} rad")
    worst = float(numpy.max(errors))
    print(f"worst difference {worst:.2e} rad, bound {BOUND:.0e} rad")
    sys.exit(0 if worst <= BOUND and other > 1e-3 else 1)


if __name__ == "__main__":
    main()
