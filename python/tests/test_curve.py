# SPDX-License-Identifier: MIT
"""RotationCurve: the bits of the C library, for every method, option, layout and type."""
import threading
from fractions import Fraction

import numpy as np
import posemill as pm
import pytest
from posemill._native import ffi, lib
from reference import METHODS, random_keys, same_bits, sample

AT = np.linspace(-0.3, 4.2, 301)
KEYS = random_keys(9)
TIMES = np.array([0.0, 0.3, 1.0, 1.25, 2.0, 2.125, 3.0, 3.5, 4.0])
EVEN = np.arange(9) / 2.0
AXIS = [0.0, 1.0, 0.5]
VECTORS = np.random.default_rng(5).normal(size=(9, 3, 3))
TANGENTS = np.random.default_rng(6).normal(size=(2, 9, 3, 4))


def options(method):
    """What a method needs beside keys: for the package, and for the library."""
    if method == "sterp":
        return {"axis": AXIS}, {"arrays": {"axes": [AXIS]}}
    if lib.pm_method_get_info(METHODS.index(method)).takes_in_out:
        return (dict(zip(("tangents_in", "tangents_out"), TANGENTS)),
                {"arrays": dict(zip(("tangents_in", "tangents_out"), TANGENTS))})
    return {}, {}


def times_of(method):
    uniform = lib.pm_method_get_info(METHODS.index(method)).needs_uniform_keys
    return EVEN if uniform else TIMES


LAYOUTS = {
    "packed": lambda keys: keys,
    "float32": lambda keys: keys.astype(np.float32),
    "every second": lambda keys: np.repeat(keys, 2, axis=0)[::2],
    "float32 columns": lambda keys: np.concatenate([keys, keys], 1).astype(np.float32)[:, :3],
    "backwards": lambda keys: keys[::-1].copy()[::-1],
    "Fortran": lambda keys: np.asfortranarray(keys),
    "big-endian": lambda keys: keys.astype(">f8"),
    "unaligned": lambda keys: np.frombuffer(b"x" + keys.tobytes(), np.uint8)[1:].view(
        keys.dtype).reshape(keys.shape),
    "read-only": lambda keys: np.frombuffer(keys.tobytes()).reshape(keys.shape),
}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_the_bits_of_the_library(method):
    ours, theirs = options(method)
    times = times_of(method)
    expected = sample(KEYS, AT, times=times, method=method, **theirs)
    curve = pm.RotationCurve(times, KEYS, method, **ours)
    assert curve(AT).shape == (301, 3, 4) and curve(AT).dtype == np.float32
    assert same_bits(curve(AT), expected)
    out = np.full((301, 3, 4), np.nan, dtype=np.float32)
    assert curve(AT, out=out) is out and same_bits(out, expected)
    assert (curve(AT, dtype=np.float64) == expected).all()
    plain = pm.RotationCurve(times, KEYS, method, engine=pm.Engine("none"), **ours)
    assert same_bits(plain(AT), expected)
    assert same_bits(curve(AT[7]), expected[7]) and curve(AT[7]).shape == (3, 4)
    assert same_bits(curve(AT.reshape(7, 43)), expected)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("frame", ["body", "parent"])
def test_derivatives_have_the_bits_of_the_library(method, frame):
    ours, theirs = options(method)
    times = times_of(method)
    curve = pm.RotationCurve(times, KEYS, method, **ours)
    for order, output in ((1, "velocities"), (2, "accelerations")):
        expected = sample(KEYS, AT, times=times, method=method, output=output,
                          frame=int(frame == "parent"), **theirs)
        assert curve(AT, order, frame=frame).shape == (301, 3, 3)
        assert same_bits(curve(AT, order, frame=frame), expected)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_and_types_of_keys(layout):
    keys = LAYOUTS[layout](KEYS)
    expected = sample(np.array(keys, dtype=float), AT, times=TIMES, method="squad")
    for engine in (None, pm.Engine("none")):
        curve = pm.RotationCurve(TIMES, keys, "squad", engine=engine)
        assert same_bits(curve(AT), expected)


@pytest.mark.parametrize("method", ["squad", "spline"])
def test_curves_have_the_same_bits_wherever_they_are_built(method):
    at = np.tile(AT, 200)  # for the device
    curves = [pm.RotationCurve(TIMES, KEYS, method, engine=pm.Engine(clip_building=where))
              for where in ("host", "device")]
    assert same_bits(curves[0](at), curves[1](at))


@pytest.mark.parametrize("name, ours, theirs", [
    ("loop", {"loop": 5.0}, {"loop": 5.0}),
    ("mean", {"tangents": "mean"}, {"tangents": lib.PM_TANGENTS_MEAN}),
    ("hold", {"tangents": "hold"}, {"tangents": lib.PM_TANGENTS_HOLD}),
    ("tcb", {"tangents": "tcb", "tcb": (0.5, -0.25, 0.125)},
     {"tangents": lib.PM_TANGENTS_TCB, "tension": 0.5, "continuity": -0.25, "bias": 0.125}),
    ("user", {"tangents": VECTORS},
     {"tangents": lib.PM_TANGENTS_USER, "arrays": {"user_tangents": VECTORS}}),
    ("natural", {"ends": "natural"}, {"ends": lib.PM_ENDS_NATURAL}),
    ("parabola", {"ends": "parabola"}, {"ends": lib.PM_ENDS_PARABOLA}),
    ("zero", {"ends": "zero"}, {"ends": lib.PM_ENDS_ZERO}),
    ("unlimited", {"unlimited": True, "tangents": VECTORS},
     {"unlimited": True, "tangents": lib.PM_TANGENTS_USER, "arrays": {"user_tangents": VECTORS}}),
])
def test_options_of_squad(name, ours, theirs):
    keys = KEYS.copy()
    keys[4] = keys[3]  # which hold tells apart
    expected = sample(keys, AT, times=TIMES, method="squad", **theirs)
    assert same_bits(pm.RotationCurve(TIMES, keys, "squad", **ours)(AT), expected)
    assert not same_bits(pm.RotationCurve(TIMES, keys, "squad")(AT), expected)


@pytest.mark.parametrize("ours, theirs", [
    ({"axis_frame": "parent"}, {"axis_frame": lib.PM_AXIS_PARENT}),
    ({"axis": VECTORS[0]}, {"axis_count": 3, "arrays": {"axes": VECTORS[0]}}),
])
def test_options_of_sterp(ours, theirs):
    expected = sample(KEYS, AT, times=TIMES, method="sterp",
                      **{"arrays": {"axes": [AXIS]}, **theirs})
    assert same_bits(pm.RotationCurve(TIMES, KEYS, "sterp", **{"axis": AXIS, **ours})(AT), expected)


@pytest.mark.parametrize("key_format", ["log48", "smallest48"])
def test_formats_of_keys(key_format):
    number = {"log48": lib.PM_KEYS_LOG48, "smallest48": lib.PM_KEYS_SMALLEST48}[key_format]
    expected = sample(KEYS, AT, times=TIMES, key_format=number)
    assert same_bits(pm.RotationCurve(TIMES, KEYS, key_format=key_format)(AT), expected)


def test_positions_and_scales():
    curve = pm.RotationCurve(TIMES, KEYS, "spline", positions=VECTORS, scales=2 * VECTORS)
    for channel, factor in (("positions", 1), ("scales", 2)):
        expected = sample(KEYS, AT, times=TIMES, method="spline", output=channel,
                          arrays={channel: factor * VECTORS})
        assert curve(AT, channel=channel).shape == (301, 3, 3)
        assert same_bits(curve(AT, channel=channel), expected)
    alone = pm.RotationCurve(TIMES, None, positions=VECTORS, vector_method="step")
    assert (alone(0.31, channel="positions") == VECTORS[1].astype(np.float32)).all()


def test_pairs_of_times_and_tracks():
    tracks = np.arange(301) % 3
    expected = sample(KEYS, AT, times=TIMES, tracks=tracks)
    curve = pm.RotationCurve(TIMES, KEYS)
    assert curve(AT, tracks=tracks).shape == (301, 4)
    assert same_bits(curve(AT, tracks=tracks), expected)


def test_some_tracks_in_any_order():
    keys = random_keys(6, (2, 3))
    curve = pm.RotationCurve(np.arange(6), keys, "sterp", axis=[0, 1, 0], positions=keys[..., :3])
    at, subset = np.linspace(-1, 6, 77), [4, 0, 5]
    for order, channel in ((0, "rotations"), (1, "rotations"), (2, "rotations"), (0, "positions"), (1, "positions")):
        every = curve(at, order, channel=channel)
        some = curve(at.reshape(7, 11), order, channel=channel, subset=subset)
        assert same_bits(some, every.reshape(7, 11, 6, -1)[:, :, subset])
        even = curve.uniform("7/3", order=order, channel=channel, end_rule="include", subset=np.array(subset))
        expected = curve.uniform("7/3", order=order, channel=channel, end_rule="include")
        assert same_bits(even, expected.reshape(len(expected), 6, -1)[:, subset])
    own = pm.RotationCurve([np.arange(4), np.arange(5) / 3], [KEYS[:4, 0], KEYS[:5, 1]], positions=[
        VECTORS[:4, 0], VECTORS[:5, 1]])
    assert same_bits(own(at, subset=[1]), own(at)[:, [1]])
    assert same_bits(own(at, 1, channel="positions", subset=[1, 0]), own(at, 1, channel="positions")[:, ::-1])
    for wrong in ([], [[0]], [6], [-1], [2, 2]):
        with pytest.raises(ValueError, match="subset"):
            curve(at, subset=np.array(wrong, dtype=int))
    with pytest.raises(TypeError, match="subset"):
        curve(at, tracks=np.zeros(77, dtype=int), subset=subset)


@pytest.mark.parametrize("rate, start", [("60000/1001", 0), (29.97, "1/3"), (Fraction(7, 3), 0.5)])
def test_uniform_samples_are_exact(rate, start):
    curve = pm.RotationCurve(None, KEYS, "squad", rate="30000/1001")
    exact = Fraction(rate) if isinstance(rate, (str, Fraction)) else Fraction(str(rate))
    begin = Fraction(start) if isinstance(start, (int, str)) else Fraction(str(start))
    expected = sample(KEYS, (exact, begin, 50), rate="30000/1001", method="squad")
    assert same_bits(curve.uniform(rate, start=start, count=50), expected)
    out = np.empty((50, 3, 4), dtype=np.float32)
    assert curve.uniform(rate, start=start, count=50, out=out) is out
    assert same_bits(out, expected)
    velocities = sample(KEYS, (exact, begin, 50), rate="30000/1001", method="squad",
                        output="velocities")
    assert same_bits(curve.uniform(rate, start=start, count=50, order=1), velocities)


def test_number_of_uniform_samples():
    curve = pm.RotationCurve(None, KEYS, rate=30)  # 8/30 s
    assert len(curve.uniform(120)) == 33 and len(curve.uniform(29.97)) == 8
    assert len(curve.uniform(25)) == 7
    included = curve.uniform(25, end_rule="include")
    assert len(included) == 8 and same_bits(included[:7], curve.uniform(25))
    assert same_bits(included[7], curve(np.inf))
    assert len(curve.uniform(120, end_rule="include")) == 33
    assert len(curve.uniform(120, start="1/120", end="3/120")) == 3
    for count in range(2, 10):  # though count / 3000 is rounded
        listed = pm.RotationCurve(np.arange(count) * 7 / 3000, KEYS[:count])
        assert len(listed.uniform("3000/7")) == count
    assert len(pm.RotationCurve(None, KEYS, rate=30, loop=0.3).uniform(30)) == 9
    closed = np.concatenate([KEYS, KEYS[:1]])
    assert len(pm.RotationCurve(None, closed, rate=30, loop=0.3).uniform(30)) == 10


def test_tracks_with_their_own_times():
    times = [TIMES, TIMES[:5] * 2]
    tracks = [KEYS[:, 0], KEYS[:5, 1]]
    curve = pm.RotationCurve(times, tracks, "squad")
    for i in (0, 1):
        expected = sample(tracks[i][:, None], AT, times=times[i], method="squad")
        assert same_bits(curve(AT)[:, i], expected)


def test_axes_of_tracks():
    keys = random_keys(9, (2, 3))
    curve = pm.RotationCurve(TIMES, keys)
    assert curve(AT).shape == (301, 2, 3, 4)
    assert same_bits(curve(AT), sample(keys, AT, times=TIMES))
    single = pm.RotationCurve(TIMES, KEYS[:, 0])
    assert single(AT).shape == (301, 4) and single(0.0).shape == (4,)
    assert single([]).shape == (0, 4)


def test_scalar_first():
    curve = pm.RotationCurve(TIMES, np.roll(KEYS, 1, axis=-1), scalar_first=True)
    plain = pm.RotationCurve(TIMES, KEYS)
    assert same_bits(curve(AT), np.roll(plain(AT), 1, axis=-1))
    out = np.empty((301, 3, 4), dtype=np.float32)
    assert same_bits(curve(AT, out=out), curve(AT))
    assert same_bits(curve(AT, 1), plain(AT, 1))


class Exchanged:
    """An array that is known by DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, *arguments, **names):
        return self.array.__dlpack__(*arguments, **names)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.mark.parametrize("wrap", [
    Exchanged, memoryview, lambda a: type("", (), {"__array__": lambda self, *b, **c: a})()])
def test_objects_of_other_libraries_are_read_in_place(wrap):
    from posemill._arrays import as_floats

    keys = KEYS.copy()
    assert as_floats(wrap(keys), "rotations").__array_interface__["data"][0] == \
        keys.__array_interface__["data"][0]
    assert same_bits(pm.RotationCurve(TIMES, wrap(keys))(AT), sample(KEYS, AT, times=TIMES))


def test_keys_are_described_without_a_copy():
    from posemill._arrays import fill_rows

    target = ffi.new("pm_array *")
    wide = np.concatenate([KEYS, KEYS], 1)
    for array, stride in ((KEYS, 96), (KEYS.astype(np.float32), 48), (KEYS[::2], 192),
                          (wide[:, 3:], 192)):
        assert fill_rows(target, array) is array and target.stride == stride
        assert int(ffi.cast("intptr_t", target.data)) == array.__array_interface__["data"][0]
    for array in (KEYS[::-1], np.asfortranarray(KEYS), KEYS[..., ::-1],
                  np.broadcast_to(KEYS[0], KEYS.shape)):
        copy = fill_rows(target, array)
        assert not np.shares_memory(copy, array) and (copy == array).all()


def test_large_results_begin_with_a_cache_line():
    curve = pm.RotationCurve(EVEN, KEYS)
    for count in (30_000, 30_001):
        result = curve(np.linspace(0, 4, count))
        assert result.nbytes >= 1 << 20 and result.ctypes.data % 64 == 0
        assert result.flags.c_contiguous and result.flags.writeable
        assert same_bits(result[-3:], curve(np.linspace(0, 4, count)[-3:]))


def test_curves_do_not_see_later_changes_of_their_arrays():
    keys, times = KEYS.copy(), TIMES.copy()
    curve = pm.RotationCurve(times, keys)
    keys[...], times[...] = 0, 0
    large = np.tile(AT, 200)  # for the device, whose clip is made now
    expected = sample(KEYS, large, times=TIMES)
    assert same_bits(curve(large), expected)


def test_one_curve_serves_eight_threads():
    curve = pm.RotationCurve(TIMES, KEYS, "squad")
    expected, found = curve(AT), []

    def work(seed):
        order = np.random.default_rng(seed).permutation(len(AT))
        for _ in range(20):
            found.append(same_bits(curve(AT[order]), expected[order]))
            found.append(len(curve(np.tile(AT, 160))) == 160 * len(AT))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8 * 40 and all(found)


def test_a_curve_outlives_the_name_of_its_engine():
    engine = pm.Engine("none")
    curve = pm.RotationCurve(TIMES, KEYS, engine=engine)
    engine.close()
    del engine
    assert same_bits(curve(AT), sample(KEYS, AT, times=TIMES))


def test_keys_and_their_times_are_there():
    curve = pm.RotationCurve(TIMES, KEYS, "squad")
    assert (curve.times == TIMES).all() and (curve.keys == KEYS).all()
    curve.times[0] = 5  # a copy
    assert (curve.times == TIMES).all()
    assert (pm.RotationCurve(None, KEYS, rate="30000/1001").times == np.arange(9) * 1001 / 30000).all()
    several = pm.RotationCurve([TIMES, EVEN[:5]], [KEYS[:, 0], KEYS[:5, 1]])
    assert [list(found) for found in several.times] == [list(TIMES), list(EVEN[:5])]
    assert pm.RotationCurve(TIMES, None, positions=VECTORS).keys is None
