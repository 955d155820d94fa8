# SPDX-License-Identifier: MIT
"""Points at times of their own, moved as is done without Posemill: SciPy and NumPy, Numba, and C. Each is a function of
a Scene that gives its version, and a function that moves all points anew: rotations by slerp, positions linearly."""
import ctypes
import math
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

STEP, TURN = 5_000_000, 0.05  # ns and rad from key to key, as in bench/cases/points.c


class Scene(NamedTuple):
    keys: np.ndarray  # ns
    rotations: np.ndarray  # (keys, 4)
    positions: np.ndarray  # (keys, 3)
    stamps: np.ndarray  # of points, sorted
    points: np.ndarray  # (points, 3), float32


def make(points, keys):
    rng, k = np.random.default_rng(9), np.arange(keys)
    half = TURN * k / 2
    rotations = np.stack([0 * half, 0.6 * np.sin(half), 0.8 * np.sin(half), np.cos(half)], axis=1)
    positions = np.stack([0.1 * (k % 200), 0.01 * (k % 100), 0 * half], axis=1)
    start = 1_700_000_000_123_456_789
    stamps = start + (np.arange(points) / points * STEP * (keys - 1)).astype(np.int64)
    return Scene(start + STEP * k, rotations, positions, stamps, rng.uniform(-50, 50, (points, 3)).astype(np.float32))


def scipy(scene):
    import scipy
    from scipy.spatial.transform import Rotation, Slerp

    def run():
        keys, at = ((stamps - scene.keys[0]) * 1e-9 for stamps in (scene.keys, scene.stamps))
        moved = Slerp(keys, Rotation.from_quat(scene.rotations))(at).apply(scene.points)
        for c in range(3):
            moved[:, c] += np.interp(at, keys, scene.positions[:, c])
        return moved

    return f"scipy {scipy.__version__}, numpy {np.__version__}", run


def segments(scene):
    """Of each key: its rotation, the axis and the angle to the next, its position and the way to the next."""
    from scipy.spatial.transform import Rotation

    turns = Rotation.from_quat(scene.rotations)
    vectors = (turns[1:] * turns[:-1].inv()).as_rotvec()
    angles = np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = [scene.rotations[:-1], vectors / np.maximum(angles, 1e-30), angles, scene.positions[:-1],
            np.diff(scene.positions, axis=0)]
    return np.ascontiguousarray(np.concatenate(rows, axis=1), dtype=np.float32)


def numba(scene):
    import numba

    @numba.njit(parallel=True, fastmath=True)
    def move(rows, keys, stamps, points, out):
        for k in numba.prange(len(keys) - 1):
            first, last = np.searchsorted(stamps, keys[k]), np.searchsorted(stamps, keys[k + 1])
            s, inverse = rows[k], np.float32(1 / (keys[k + 1] - keys[k]))
            for i in range(first, last):
                u = np.float32(np.int32(stamps[i] - keys[k])) * inverse
                sine, c = math.sin(np.float32(0.5) * u * s[7]), math.cos(np.float32(0.5) * u * s[7])
                ex, ey, ez = sine * s[4], sine * s[5], sine * s[6]
                x, y = c * s[0] + ex * s[3] + ey * s[2] - ez * s[1], c * s[1] + ey * s[3] + ez * s[0] - ex * s[2]
                z, w = c * s[2] + ez * s[3] + ex * s[1] - ey * s[0], c * s[3] - ex * s[0] - ey * s[1] - ez * s[2]
                px, py, pz, two = points[i, 0], points[i, 1], points[i, 2], np.float32(2)
                tx, ty, tz = two * (y * pz - z * py), two * (z * px - x * pz), two * (x * py - y * px)
                out[i, 0] = px + w * tx + (y * tz - z * ty) + s[8] + u * s[11]
                out[i, 1] = py + w * ty + (z * tx - x * tz) + s[9] + u * s[12]
                out[i, 2] = pz + w * tz + (x * ty - y * tx) + s[10] + u * s[13]

    out = np.empty_like(scene.points)

    def run():
        move(segments(scene), scene.keys, scene.stamps, scene.points, out)
        return out

    return f"numba {numba.__version__}", run


def c(scene):
    flags = ["-O3", "-march=native", "-ffast-math", "-fopenmp"]
    with tempfile.TemporaryDirectory() as folder:
        made, library = Path(folder) / "points.o", Path(folder) / "points.so"
        subprocess.run(["cc", *flags, "-fPIC", "-c", Path(__file__).with_suffix(".c"), "-o", made], check=True)
        # Linked with -ffast-math, it would flush subnormals of the whole process to zero.
        subprocess.run(["cc", "-fopenmp", "-shared", made, "-o", library, "-lm", "-lmvec"], check=True)
        move = ctypes.CDLL(str(library)).move_points
    version = subprocess.run(["cc", "--version"], check=True, capture_output=True, text=True).stdout.split("\n")[0]
    out = np.empty_like(scene.points)

    def pointer(array):
        return ctypes.c_void_p(array.ctypes.data)

    def run():
        rows = segments(scene)
        move(pointer(rows), pointer(scene.keys), ctypes.c_size_t(len(scene.keys)), pointer(scene.stamps),
             pointer(scene.points), pointer(out), ctypes.c_size_t(len(out)))
        return out

    return f"{version}, {' '.join(flags)}", run
