# SPDX-License-Identifier: MIT
"""Resampling of arrays, and conversions beside SciPy's."""
import math
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import posemill as pm
import pytest
from reference import random_keys, same_bits, sample


@pytest.mark.parametrize("src, dst", [(120, 30), ("30000/1001", "25"), (29.97, "60"), (30, 120)])
def test_resample_has_the_bits_of_the_library(src, dst):
    keys = random_keys(60, (2, 5))
    source, target = Fraction(str(src)), Fraction(str(dst))
    count = int(59 / source * target) + 1
    expected = sample(keys, (target, 0, count), rate=source, method="squad")
    found = pm.resample(keys, src, dst, method="squad")
    assert found.shape == (count, 2, 5, 4) and same_bits(found, expected)
    out = np.empty_like(found)
    assert pm.resample(keys, src, dst, "squad", out=out) is out and same_bits(out, expected)


def test_resample_keeps_frames_of_the_source():
    keys = random_keys(121, (4,)).astype(np.float32)
    thirty = pm.resample(keys, "120", "30")
    assert abs(thirty - np.where((thirty * keys[::4]).sum(-1, keepdims=True) < 0, -1, 1) *
               keys[::4]).max() < 1e-7


def wound(frames, joints, dtype):
    """Vectors that turn steadily for several turns, with axes of their own."""
    rng = np.random.default_rng(2)
    axes = rng.normal(size=(joints, 3))
    axes /= np.linalg.norm(axes, axis=-1, keepdims=True)
    angles = np.linspace(-7, 11, frames)[:, None] * rng.uniform(0.3, 1, joints)
    return (angles[..., None] * axes).reshape(frames, 3 * joints).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("src, dst, step, each", [(120, 30, 4, 1), (120, 50, 12, 5), (30, 60, 1, 2)])
def test_rotvec_frames_of_the_source_are_kept_to_the_bit(dtype, src, dst, step, each):
    poses = wound(121, 7, dtype)
    poses[60:] *= -1.7  # also where the source jumps
    found = pm.resample_rotvec(poses, src, dst)
    assert found[::each].tobytes() == poses[::step][:len(found[::each])].tobytes()


@pytest.mark.parametrize("dst", [30, 50, 120, 240])
def test_rotvec_by_bspline_is_smoothed_on_frames_too(dst):
    poses = np.random.default_rng(5).normal(size=(121, 9)) / 3
    found = pm.resample_rotvec(poses, 120, dst, "bspline").reshape(-1, 3, 3)
    keys = pm.from_rotvec(poses.reshape(121, 3, 3), dtype=np.float64)
    expected = pm.as_rotvec(pm.resample(keys, 120, dst, "bspline"), dtype=np.float64)
    assert found.shape == expected.shape and abs(found - expected).max() < 1e-6


@pytest.mark.parametrize("dst", [30, 50, 120])
def test_rotvec_refuses_wrong_methods_and_options_where_frames_are_copied_too(dst):
    poses = wound(121, 2, np.float64)
    for arguments, options in ((["foo"], {}), ([3], {}), (["squad"], {"tangents": "foo"}),
                               ([], {"nonesuch": 1})):
        with pytest.raises((ValueError, TypeError), match="foo|method|nonesuch"):
            pm.resample_rotvec(poses, 120, dst, *arguments, **options)


def test_rotvec_types_and_wrong_shapes():
    poses = wound(30, 4, np.float64)
    assert pm.resample_rotvec(poses, 60, 30, dtype=np.float32).dtype == np.float32
    assert pm.resample_rotvec(poses.astype(np.float32), 60, 25, dtype=np.float64).dtype == float
    for wrong in (poses[:, :4], poses[0], np.zeros((3, 4, 6)), np.zeros((0, 6))):
        with pytest.raises(ValueError, match="poses"):
            pm.resample_rotvec(wrong, 60, 30)
    poses[3, 4] = np.nan
    with pytest.raises(ValueError):
        pm.resample_rotvec(poses, 60, 50)


def rotations():
    transform = pytest.importorskip("scipy.spatial.transform")
    return transform.Rotation.random(5000, random_state=7)


SEQUENCES = ["".join(p) for p in permutations("XYZ")] + [
    a + b + a for a, b in product("XYZ", repeat=2) if a != b]


@pytest.mark.parametrize("seq", SEQUENCES + [s.lower() for s in SEQUENCES])
@pytest.mark.parametrize("degrees", [False, True])
def test_euler_angles_are_those_of_scipy(seq, degrees):
    r = rotations()
    expected = r.as_euler(seq, degrees=degrees)
    unit = 180 / np.pi if degrees else 1
    angles = pm.as_euler(r.as_quat(), seq, degrees, dtype=np.float64)
    assert abs(angles - expected).max() < 1e-6 * unit  # near gimbal lock; else 1e-12
    assert np.median(abs(angles - expected)) < 1e-14 * unit
    back = pm.from_euler(seq, expected, degrees, dtype=np.float64)
    assert abs(abs((back * r.as_quat()).sum(axis=1)) - 1).max() < 1e-14


@pytest.mark.parametrize("seq", ["X", "y", "ZX", "xz", "XY"])
def test_fewer_axes(seq):
    transform = pytest.importorskip("scipy.spatial.transform")
    angles = np.random.default_rng(1).normal(size=(100, 2))[:, :len(seq)]
    expected = transform.Rotation.from_euler(seq, angles).as_quat()
    found = pm.from_euler(seq, angles[:, 0] if len(seq) == 1 else angles, dtype=np.float64)
    assert abs(abs((found * expected).sum(axis=1)) - 1).max() < 1e-14


def test_matrices_and_vectors_are_those_of_scipy():
    r = rotations()
    q = r.as_quat()
    assert abs(pm.as_matrix(q, dtype=np.float64) - r.as_matrix()).max() < 1e-15
    assert abs(pm.as_rotvec(q, dtype=np.float64) - r.as_rotvec()).max() < 1e-14
    for found in (pm.from_matrix(r.as_matrix(), dtype=np.float64),
                  pm.from_rotvec(r.as_rotvec(), dtype=np.float64)):
        assert abs(abs((found * q).sum(axis=1)) - 1).max() < 1e-14
    wxyz = pm.from_rotvec(r.as_rotvec(), scalar_first=True, dtype=np.float64)
    assert (wxyz == np.roll(pm.from_rotvec(r.as_rotvec(), dtype=np.float64), 1, -1)).all()
    for convert in (pm.as_matrix, pm.as_rotvec, lambda x, **k: pm.as_euler(x, "ZYX", **k)):
        assert (convert(np.roll(q, 1, -1), scalar_first=True) == convert(q)).all()


def test_conversions_keep_shapes_and_give_float32():
    q = random_keys(6, (2, 3))
    for array, tail in ((pm.as_matrix(q), (3, 3)), (pm.as_rotvec(q), (3,)),
                        (pm.as_euler(q, "zyx"), (3,))):
        assert array.shape == (6, 2, 3, *tail) and array.dtype == np.float32
    assert pm.from_matrix(pm.as_matrix(q)).shape == q.shape
    assert pm.as_rotvec(q[0, 0, 0]).shape == (3,) and pm.as_rotvec(q[:0]).shape == (0, 2, 3, 3)


def test_refused_conversions():
    with pytest.raises(ValueError, match="quaternions: one is zero"):
        pm.as_rotvec(np.zeros((2, 4)))
    with pytest.raises(ValueError, match="quaternions: a number is not finite"):
        pm.as_matrix([0, 0, 0, np.nan])
    with pytest.raises(ValueError, match="vectors: expected shape"):
        pm.from_rotvec(np.zeros((2, 4)))
    with pytest.raises(ValueError, match=r"matrices: the one at \(1, 0\)"):
        pm.from_matrix(np.stack([np.eye(3), np.diag([1.0, 1, -1])])[:, None])
    for seq in ("XXY", "Xy", "", "XYZX", "ABC"):
        with pytest.raises(ValueError, match="seq"):
            pm.from_euler(seq, np.zeros(3))
    with pytest.raises(TypeError, match="seq"):
        pm.from_euler(3, np.zeros(3))
    with pytest.raises(TypeError, match="angles"):
        pm.from_euler("XYZ", ["a", "b", "c"])


def nearest_branch(rotvec, near):
    """By the definition: of the vectors of a rotation, which differ by whole turns, the nearest."""
    length = np.linalg.norm(rotvec, axis=-1, keepdims=True)
    axis = rotvec / np.maximum(length, 1e-300)
    turns = np.round(((near * axis).sum(-1, keepdims=True) - length) / (2 * np.pi))
    return rotvec + turns * 2 * np.pi * axis


@pytest.mark.parametrize("columns", [1, 7, 8, 52, 61])
@pytest.mark.parametrize("src, dst", [(120, 50), (30, 100), (120, 7), ("60000/1001", "119.88"),
                                      (59.9999885559082, 1000.0 / 7)])
@pytest.mark.parametrize("method", ["slerp", "nlerp", "squad"])
def test_rotvec_samples_are_those_of_the_curve_on_the_branch_of_their_frame(method, src, dst,
                                                                            columns):
    rng = np.random.default_rng(columns)
    poses = np.cumsum(rng.normal(size=(130, columns, 3)), axis=0) * 0.4
    poses[5::41] *= 1e-9  # rotations of almost nothing
    found = pm.resample_rotvec(poses, src, dst, method)
    source = pm.resample(pm.from_rotvec(poses, dtype=np.float64), src, dst, method)
    step = Fraction(str(src)) / Fraction(str(dst))
    at = [math.floor(k * step) for k in range(len(source))]
    expected = nearest_branch(pm.as_rotvec(source, dtype=np.float64), poses[at])
    assert found.shape == expected.shape
    # Which of two branches is nearer is uncertain half a turn away.
    back = pm.from_rotvec(found, dtype=np.float64)
    back *= np.sign((back * source).sum(-1, keepdims=True))
    assert abs(back - source).max() < 1e-6
    errors = np.linalg.norm(found - expected, axis=-1)
    near = np.linalg.norm(expected - poses[at], axis=-1)
    turned = np.linalg.norm(expected, axis=-1)
    sure = (abs(near - np.pi) > 1e-3) & (abs(np.sin(turned / 2)) > 1e-3)
    assert sure.mean() > 0.9 and (errors[sure] / (1 + turned[sure])).max() < 1e-5


def test_rotvec_does_not_depend_on_the_number_of_threads():
    rng = np.random.default_rng(3)
    poses = np.cumsum(rng.normal(size=(5000, 33)) / 9, axis=0)
    whole = pm.resample_rotvec(poses, 120, 100)
    part = pm.resample_rotvec(poses[:601], 120, 100)
    assert (whole[:len(part)] == part).all()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("frame", [0, 1, 7, 119, 120])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rotvec_refuses_numbers_that_are_not_finite_anywhere(bad, frame, dtype):
    poses = wound(121, 3, dtype)
    poses[frame, 5] = bad
    for dst in (7, 30, 50, 120, 240, 1000):
        for method in ("slerp", "squad", "bspline"):
            with pytest.raises(ValueError, match="poses: a number is not finite"):
                pm.resample_rotvec(poses, 120, dst, method)


def test_rotvec_of_unusual_memory_is_that_of_plain_memory():
    poses = wound(90, 5, np.float64)
    plain = pm.resample_rotvec(poses, 60, 100)
    wide = np.zeros((180, 40))
    wide[::2, 3:18] = poses
    odd = np.frombuffer(b"x" + poses.tobytes(), dtype=np.uint8)[1:].view(np.float64)
    for same in (np.asfortranarray(poses), wide[::2, 3:18], poses.astype(">f8"),
                 odd.reshape(poses.shape), poses[::-1][::-1]):
        assert pm.resample_rotvec(same, 60, 100).tobytes() == plain.tobytes()
    assert not odd.flags.aligned
    single = poses.astype(np.float32)
    both = pm.resample_rotvec(single, 60, 100, dtype=np.float64)
    assert (pm.resample_rotvec(single, 60, 100) == both.astype(np.float32)).all()
    assert (both == pm.resample_rotvec(single.astype(np.float64), 60, 100)).all()
