# SPDX-License-Identifier: MIT
"""Slerp and RotationSpline in place of SciPy's: its own tests, and results beside its results."""
import importlib
import inspect

import numpy as np
import posemill as pm
import pytest
from posemill._native import lib
from reference import random_keys

scipy = pytest.importorskip("scipy")
transform = importlib.import_module("scipy.spatial.transform")
Rotation = transform.Rotation

# Tests that float32 excludes, by name, with what they compare.
FLOAT32 = {
    "test_slerp_call_scalar_time": "an angle of 20 degrees, to 1e-16 rad",
    "test_constant_attitude": "rotation vectors, to 1e-15 relative",
    "test_spline_properties": "differences of values 1e-8 s apart, to 1.5e-15 relative",
    "test_spline_2_rotations": "rotation vectors and velocities to 1e-7 relative; ours have 1.4e-7",
}


def own_tests():
    """SciPy's tests of both classes: (name, function, module). Those of 1.14 and later need its array machinery."""
    found = []
    if tuple(map(int, scipy.__version__.split(".")[:2])) > (1, 13):
        return found
    for name, is_ours in (("test_rotation", lambda n: n.startswith("test_slerp")),
                          ("test_rotation_spline", lambda n: n.startswith("test_"))):
        module = pytest.importorskip(f"scipy.spatial.transform.tests.{name}")
        found += [(n, f, module) for n, f in inspect.getmembers(module, inspect.isfunction)
                  if is_ours(n) and not inspect.signature(f).parameters]
    return found


def run(test, module, monkeypatch):
    for name in ("Slerp", "RotationSpline"):
        monkeypatch.setattr(module, name, getattr(pm, name), raising=False)
    test()


@pytest.mark.parametrize("name, test, module", own_tests(),
                         ids=lambda value: value if isinstance(value, str) else value.__name__)
def test_own_tests_of_scipy(name, test, module, monkeypatch):
    if name in FLOAT32:
        with pytest.raises(AssertionError, match="Not equal to tolerance"):
            run(test, module, monkeypatch)
    else:
        run(test, module, monkeypatch)


def rotations(count, seed=1):
    return Rotation.from_quat(random_keys(count, (), seed=seed))


TIMES = np.cumsum(np.random.default_rng(3).uniform(0.1, 1.0, 50)) + 7
AT = np.random.default_rng(4).uniform(TIMES[0], TIMES[-1], 5000)


class ConvergedSpline(transform.RotationSpline):
    """SciPy's spline stops after 10 rounds of its solver, with errors of 1e-5 rad on wild keys."""

    MAX_ITER = 1000
    TOL = 1e-14


def test_slerp_has_the_values_of_scipy():
    keys = rotations(50)
    ours, theirs = pm.Slerp(TIMES, keys), transform.Slerp(TIMES, keys)
    assert isinstance(ours(AT), Rotation)
    assert (ours(AT) * theirs(AT).inv()).magnitude().max() < 4e-7
    assert abs(np.linalg.norm(ours(AT).as_quat(), axis=1) - 1).max() < 4e-16
    assert (ours(TIMES[7]) * theirs(TIMES[7]).inv()).magnitude() < 2e-7
    assert ours(AT[0]).as_quat().shape == (4,)


def bound(spline):
    """The library's bound, multiplied by the motion in a segment in half turns where above 1."""
    rates = np.linalg.norm(spline(AT, 1), axis=1)
    half_turns = rates.max() * np.diff(TIMES).max() / np.pi
    info = lib.pm_method_get_info(lib.PM_METHOD_SPLINE)
    return (info.max_error + 6e-8 * np.pi) * max(1.0, half_turns)


def test_spline_has_the_values_of_scipy():
    keys = rotations(50)
    ours, theirs = pm.RotationSpline(TIMES, keys), ConvergedSpline(TIMES, keys)
    assert (ours(AT) * theirs(AT).inv()).magnitude().max() < bound(theirs)
    for order in (1, 2):
        expected = theirs(AT, order)
        assert ours(AT, order).shape == expected.shape
        assert abs(ours(AT, order) - expected).max() < 2e-6 * abs(expected).max()


def test_spline_of_smooth_keys_is_within_the_bound_of_scipy_itself():
    keys = Rotation.from_rotvec(np.cumsum(np.random.default_rng(8).normal(size=(50, 3)) / 10, 0))
    ours, theirs = pm.RotationSpline(TIMES, keys), transform.RotationSpline(TIMES, keys)
    assert (ours(AT) * theirs(AT).inv()).magnitude().max() < 4e-7


@pytest.mark.parametrize("count", [2, 3, 50])
def test_spline_continues_outside_its_keys(count):
    keys, times = rotations(count), TIMES[:count]
    ours, theirs = pm.RotationSpline(times, keys), ConvergedSpline(times, keys)
    length = times[1] - times[0]
    at = np.concatenate([times[0] - length * np.linspace(0, 1, 20), times[[0, -1]],
                         times[-1] + length * np.linspace(0, 1, 20)])
    assert (ours(at) * theirs(at).inv()).magnitude().max() < 1.5e-6
    for order in (1, 2):
        expected = theirs(at, order)
        bound = 5e-6 * abs(expected).max() + 1e-7
        assert abs(ours(at, order) - expected).max() < bound
        assert abs(ours(at[3], order) - expected[3]).max() < bound


@pytest.mark.parametrize("name", ["Slerp", "RotationSpline"])
def test_arrays_give_arrays(name):
    keys = random_keys(50, (2, 3))
    ours = getattr(pm, name)(TIMES, keys)
    values = ours(AT)
    assert values.shape == (5000, 2, 3, 4) and values.dtype == np.float32
    single = getattr(pm, name)(TIMES, Rotation.from_quat(keys[:, 1, 2]))(AT).as_quat()
    assert abs(abs((values[:, 1, 2] * single).sum(axis=-1)) - 1).max() < 4e-7
    assert ours(AT[3]).shape == (2, 3, 4)
    out = np.empty((5000, 2, 3, 4), dtype=np.float32)
    assert ours(AT, out=out) is out and (out == values).all()
    assert ours(AT, dtype=np.float64).dtype == np.float64


def test_splines_of_several_tracks_continue_outside_their_keys():
    keys = random_keys(50, (2, 3))
    ours = pm.RotationSpline(TIMES, keys)
    at = np.array([TIMES[0] - 0.3, TIMES[5], TIMES[-1] + 0.3])
    single = pm.RotationSpline(TIMES, Rotation.from_quat(keys[:, 1, 2]))
    for order in (1, 2):
        assert np.allclose(ours(at, order)[:, 1, 2], single(at, order), rtol=1e-6)
    assert abs(abs((ours(at)[:, 1, 2] * single(at).as_quat()).sum(axis=-1)) - 1).max() < 4e-7


def test_attributes_are_those_of_scipy():
    keys = rotations(50)
    ours, theirs = pm.Slerp(TIMES, keys), transform.Slerp(TIMES, keys)
    for name in ("times", "timedelta", "rotvecs"):
        assert np.allclose(getattr(ours, name), getattr(theirs, name), atol=1e-14)
    assert (ours.rotations.as_quat() == theirs.rotations.as_quat()).all()
    ours, theirs = pm.RotationSpline(TIMES, keys), transform.RotationSpline(TIMES, keys)
    assert (ours.times == theirs.times).all()
    assert (ours.rotations.as_quat() == theirs.rotations.as_quat()).all()


@pytest.mark.parametrize("count", [2, 3, 50])
def test_the_interpolator_is_that_of_scipy(count):
    """Coefficients of powers of seconds: the values of the polynomials are compared."""
    keys, times = rotations(count), TIMES[:count]
    ours, theirs = pm.RotationSpline(times, keys), ConvergedSpline(times, keys)
    assert (ours.interpolator.x == theirs.interpolator.x).all()
    at = np.random.default_rng(12).uniform(times[0], times[-1], 500)
    for order, bound in ((0, 4e-7), (1, 4e-6), (2, 1e-4)):
        expected = theirs.interpolator(at, order)
        assert abs(ours.interpolator(at, order) - expected).max() < bound * max(1, abs(expected).max())
    several = pm.RotationSpline(TIMES, random_keys(50, (2, 3)))
    assert several.interpolator(AT[:7]).shape == (7, 2, 3, 3)


@pytest.mark.parametrize("name", ["Slerp", "RotationSpline"])
def test_no_times_give_no_samples(name):
    of_rotations = getattr(pm, name)(TIMES, rotations(50))([])
    assert isinstance(of_rotations, Rotation) and len(of_rotations) == 0
    of_arrays = getattr(pm, name)(TIMES, random_keys(50, (2, 3)))
    assert of_arrays([]).shape == (0, 2, 3, 4) and of_arrays([], dtype=np.float64).dtype == np.float64
    assert of_arrays(np.empty(0), out=np.empty((0, 2, 3, 4), np.float32)).size == 0
    if name == "RotationSpline":
        assert of_arrays([], 1).shape == (0, 2, 3, 3)
    with pytest.raises(ValueError, match="at most 1-dimensional"):
        of_arrays(np.empty((0, 3)))


@pytest.mark.parametrize("name", ["Slerp", "RotationSpline"])
@pytest.mark.parametrize("make", [
    lambda kind: kind([0], rotations(1)),
    lambda kind: kind([0], rotations(2)[0]),
    lambda kind: kind([0, 1], rotations(3)),
    lambda kind: kind([[0, 1]], rotations(2)),
    lambda kind: kind([1, 1], rotations(2)),
    lambda kind: kind([2, 1], rotations(2)),
    lambda kind: kind([0, 1], rotations(2))([[0]]),
], ids=range(7))
def test_refused_like_scipy(name, make):
    with pytest.raises(Exception) as theirs:
        make(getattr(transform, name))
    with pytest.raises(theirs.type):
        make(getattr(pm, name))


def test_times_outside_of_slerp_and_orders_of_spline_are_refused():
    for kind in (transform.Slerp, pm.Slerp):
        f = kind([0, 1], rotations(2))
        for at in (-0.1, [0, 1.1], np.nan, [0.5, np.nan]):
            with pytest.raises(ValueError, match="within the range"):
                f(at)
    for kind in (transform.RotationSpline, pm.RotationSpline):
        with pytest.raises(ValueError, match="`order` must be 0, 1 or 2"):
            kind([0, 1], rotations(2))(0.5, 3)
    with pytest.raises(ValueError, match="finite"):
        pm.RotationSpline([0, 1], rotations(2))([np.inf])


@pytest.mark.parametrize("name, bad, message", [
    ("Slerp", np.nan, "within the range"), ("Slerp", TIMES[-1] + 1e-9, "within the range"),
    ("RotationSpline", np.nan, "NaN")])
@pytest.mark.parametrize("is_sorted", [True, False])
def test_many_samples_by_several_threads_are_those_of_few(name, bad, message, is_sorted):
    at = np.random.default_rng(11).uniform(TIMES[0], TIMES[-1], 40001)
    at = np.sort(at) if is_sorted else at
    f = getattr(pm, name)(TIMES, rotations(50))
    whole = f(at).as_quat()
    parts = [f(at[i:i + 1000]).as_quat() for i in range(0, len(at), 1000)]
    assert whole.tobytes() == np.concatenate(parts).tobytes()
    for place in (0, 20000, 40000):
        with pytest.raises(ValueError, match=message):
            f(np.concatenate([at[:place], [bad], at[place + 1:]]))
