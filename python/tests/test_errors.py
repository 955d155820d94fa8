# SPDX-License-Identifier: MIT
"""What is refused: with which exception, and naming what."""
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import posemill as pm
import pytest
from motion_files import WALK
from posemill._library import _raise, ffi, lib
from reference import random_keys

KEYS = random_keys(5)
TIMES = np.arange(5.0)
NAN = KEYS.copy()
NAN[3, 1, 2] = np.nan
LONG = KEYS.copy()
LONG[2, 0] *= 1.01


class OnDevice:
    def __dlpack__(self):
        raise AssertionError("was read")

    def __dlpack_device__(self):
        return (2, 0)


@pytest.mark.parametrize("kind, name, times, keys, options", [
    (TypeError, "rotations", TIMES, None, {}),
    (TypeError, "rotations", TIMES, KEYS.astype(object), {}),
    (TypeError, "rotations", TIMES, KEYS.astype(np.float16), {}),
    (TypeError, "rotations", TIMES, KEYS.astype(complex), {}),
    (TypeError, "rotations", TIMES, "abc", {}),
    (TypeError, "rotations", TIMES, OnDevice(), {}),
    (ValueError, "rotations", TIMES, KEYS[..., :3], {}),
    (ValueError, "rotations", TIMES, KEYS[0, 0], {}),
    (ValueError, "rotations", TIMES, KEYS[:4], {}),
    (ValueError, "rotations", TIMES, KEYS[:, :0], {}),
    (ValueError, "times", [], KEYS[:0], {}),
    (ValueError, "rotations", None, KEYS[:0], {"rate": 30}),
    (ValueError, "rotations", [TIMES, TIMES], KEYS, {}),
    (ValueError, "rotations", [TIMES, TIMES], [KEYS[:, 0], KEYS[:4, 0]], {}),
    (TypeError, "times", None, KEYS, {}),
    (TypeError, "times", ["a"] * 5, KEYS, {}),
    (TypeError, "times", TIMES + 0j, KEYS, {}),
    (TypeError, "rate", TIMES, KEYS, {"rate": 30}),
    (ValueError, "times", TIMES[:, None], KEYS, {}),
    (ValueError, "rate", None, KEYS, {"rate": 0}),
    (ValueError, "rate", None, KEYS, {"rate": "30/0"}),
    (ValueError, "rate", None, KEYS, {"rate": "thirty"}),
    (ValueError, "rate", None, KEYS, {"rate": np.nan}),
    (ValueError, "rate", None, KEYS, {"rate": 2**64}),
    (TypeError, "rate", None, KEYS, {"rate": [30]}),
    (TypeError, "rate", None, KEYS, {"rate": True}),
    (ValueError, "method", TIMES, KEYS, {"method": "slurp"}),
    (TypeError, "method", TIMES, KEYS, {"method": 3}),
    (ValueError, "loop", TIMES, KEYS, {"loop": -1}),
    (ValueError, "loop", TIMES, KEYS, {"loop": np.inf}),
    (ValueError, "loop", TIMES, KEYS, {"loop": 3.0}),
    (ValueError, "tangents", TIMES, KEYS, {"tangents": "flat"}),
    (ValueError, "tangents", TIMES, KEYS, {"tangents": KEYS}),
    (ValueError, "tcb", TIMES, KEYS, {"tcb": (0, 2, 0)}),
    (ValueError, "tcb", TIMES, KEYS, {"tcb": (0, 0)}),
    (ValueError, "ends", TIMES, KEYS, {"ends": "free"}),
    (ValueError, "axis", TIMES, KEYS, {"method": "sterp"}),
    (ValueError, "axis", TIMES, KEYS, {"method": "sterp", "axis": (0, 0, 0)}),
    (ValueError, "axis", TIMES, KEYS, {"method": "sterp", "axis": (1, 0)}),
    (ValueError, "axis_frame", TIMES, KEYS, {"axis_frame": "world"}),
    (ValueError, "swing", TIMES, KEYS, {"swing": (0, 1, 2)}),
    (ValueError, "windows", TIMES, KEYS, {"method": "sterp", "axis": (1, 0, 0), "twist": (1, 0)}),
    (ValueError, "tangents_in", TIMES, KEYS, {"method": "cubicspline"}),
    (ValueError, "positions", TIMES, KEYS, {"positions": KEYS}),
    (ValueError, "positions", TIMES, KEYS, {"positions": KEYS[:, :2, :3]}),
    (ValueError, "vector_method", TIMES, KEYS, {"vector_method": "cubic"}),
    (ValueError, "key_format", TIMES, KEYS, {"key_format": "int8"}),
    (ValueError, "key_format", TIMES, KEYS, {"method": "squad", "key_format": "log48"}),
    (TypeError, "engine", TIMES, KEYS, {"engine": "none"}),
], ids=lambda value: value if isinstance(value, str) else "")
def test_refused_curves(kind, name, times, keys, options):
    with pytest.raises(kind, match=name) as caught:
        pm.RotationCurve(times, keys, **options)
    assert caught.type is kind


@pytest.mark.parametrize("times, keys, track, key", [
    (TIMES, NAN, 1, 3), (TIMES, LONG, 0, 2), ([0, 1, 2, 2, 3], KEYS, None, 3),
    ([0, 1, 0.5, 2, 3], KEYS, None, 2), ([0, 1, np.nan, 2, 3], KEYS, None, 2)])
def test_refused_keys_are_named(times, keys, track, key):
    with pytest.raises(ValueError) as caught:
        pm.RotationCurve(times, keys)
    assert (caught.value.track, caught.value.key) == (track, key)


CURVE = pm.RotationCurve(TIMES, KEYS)
OUT = np.empty((2, 3, 4), dtype=np.float32)
READ_ONLY = OUT.copy()
READ_ONLY.flags.writeable = False
AT = np.array([0.5, 1.5])
SHARED = np.zeros(100)


@pytest.mark.parametrize("kind, name, times, options", [
    (TypeError, "times", ["a"], {}),
    (TypeError, "times", [None], {}),
    (ValueError, "times", [0.5, np.nan], {}),
    (ValueError, "order", AT, {"order": 3}),
    (ValueError, "order", AT, {"order": []}),
    (ValueError, "positions", AT, {"order": 1, "channel": "positions"}),
    (ValueError, "channel", AT, {"channel": "weights"}),
    (ValueError, "positions", AT, {"channel": "positions"}),
    (ValueError, "frame", AT, {"frame": "world"}),
    (TypeError, "tracks", AT, {"tracks": [0.0, 1.0]}),
    (ValueError, "tracks", AT, {"tracks": [0]}),
    (ValueError, "tracks", AT, {"tracks": [0, 3]}),
    (ValueError, "tracks", AT, {"tracks": [0, -1]}),
    (TypeError, "out", AT, {"out": OUT.astype(np.float64)}),
    (TypeError, "out", AT, {"out": OUT.astype(">f4")}),
    (ValueError, "out", AT, {"out": OUT[:1]}),
    (ValueError, "out: is read-only", AT, {"out": READ_ONLY}),
    (ValueError, "out: is not C-contiguous", AT,
     {"out": np.empty((2, 3, 8), dtype=np.float32)[..., ::2]}),
    (ValueError, "out: shares memory", SHARED[:2],
     {"out": SHARED.view(np.float32)[:24].reshape(2, 3, 4)}),
    (TypeError, "dtype", AT, {"dtype": np.int32}),
    (TypeError, "dtype", AT, {"dtype": "nonsense"}),
    (ValueError, "dtype", AT, {"dtype": np.float64, "out": OUT}),
], ids=lambda value: value if isinstance(value, str) else "")
def test_refused_samples(kind, name, times, options):
    with pytest.raises(kind, match=name) as caught:
        CURVE(times, **options)
    assert caught.type is kind


def test_an_output_beside_the_times_in_one_array_is_taken():
    memory = np.zeros(100)
    out = memory.view(np.float32)[4:28].reshape(2, 3, 4)
    memory[:2] = AT
    assert (CURVE(memory[:2], out=out) == CURVE(AT)).all()


def test_a_loop_refuses_infinite_times():
    with pytest.raises(ValueError, match="times"):
        pm.RotationCurve(TIMES, KEYS, loop=5.0)([np.inf])


@pytest.mark.parametrize("name, options", [
    ("rate", {"rate": -1}), ("start", {"start": -1}), ("start", {"start": 9}),
    ("end", {"end": 9}), ("start", {"start": 3, "end": 2}), ("end_rule", {"end_rule": "stop"}),
    ("count", {"count": -1}), ("count", {"count": 3, "end": 1}), ("count", {"count": 1.5}),
    ("out", {"out": OUT}), ("frame", {"frame": "world"})])
def test_refused_uniform_samples(name, options):
    with pytest.raises(ValueError, match=name):
        CURVE.uniform(**{"rate": 30, **options})


def test_closed_engines_are_refused():
    engine = pm.Engine("none")
    engine.close()
    with pytest.raises(ValueError, match="engine: is closed"):
        pm.RotationCurve(TIMES, KEYS, engine=engine)


def test_engines_build_clips_where_a_known_word_says() -> None:
    with pytest.raises(ValueError, match="clip_building: 'gpu' is unknown; expected one of: auto host device"):
        pm.Engine("none", clip_building="gpu")  # type: ignore[arg-type]


def test_a_call_that_is_cancelled_is_no_failure_of_a_device() -> None:
    error = ffi.new("pm_error *", {"status": lib.PM_ERROR_CANCELLED, "message": b"cancelled"})
    with pytest.raises(pm.Cancelled, match="cancelled"):
        _raise(error)
    assert not issubclass(pm.Cancelled, (pm.DeviceError, ValueError, OSError))


def test_messages_have_no_control_characters():
    with pytest.raises(pm.DeviceError) as refused:
        pm.Engine(device="\x1b]0;title\x07\x9b31m")
    assert str(refused.value).isprintable()


def test_integers_are_keys_and_times() -> None:
    keys = np.array([[0, 0, 0, 1], [0, 0, 1, 0], [1, 0, 0, 0]])
    exact = pm.RotationCurve([0.0, 1.0, 2.0], keys.astype(float), positions=keys[:, :3].astype(float))
    for kind in (int, np.int8, np.uint16):
        curve = pm.RotationCurve(np.array([0, 1, 2], kind), keys.astype(kind),
                                 positions=keys[:, :3].astype(kind))
        assert (curve([0.25, 1.5]) == exact([0.25, 1.5])).all()
    assert (pm.Slerp([0, 1, 2], keys)(0.5) == exact(0.5)).all()
    assert pm.resample(keys, 1, 2).shape == (5, 4)
    with pytest.raises(TypeError, match="rotations"):
        pm.RotationCurve([0, 1, 2], keys.astype(bool))


FAILING = """
import posemill as pm
calls = [lambda: pm.compare("walk.bvh", "walk.bvh", map="none.txt"),
         lambda: pm.compare("walk.bvh", "walk.bvh", rate=1e9),
         lambda: pm.batch.run(["walk.bvh"], "out", 60, method="quartic"),
         lambda: pm.batch.run(["walk.bvh"], "out", 60, euler="ABC"),
         lambda: pm.batch.run([], "out", 60),
         lambda: pm.load("walk.bvh").show().save("no/folder/a.html"),
         lambda: pm.load("walk.bvh").resample(60, start=99).clips]
for call in calls:
    try:
        call()
    except (ValueError, OSError) as error:
        assert "--" not in str(error) and str(error).isprintable(), error
        print(error)
"""


def test_failures_are_exceptions_alone(tmp_path: Path) -> None:
    shutil.copy(WALK, tmp_path / "walk.bvh")
    done = subprocess.run([sys.executable, "-c", FAILING], cwd=tmp_path, capture_output=True,
                          text=True, timeout=1200, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.splitlines()) == 7


def test_names_of_users_stay_as_they_are(tmp_path):
    """Messages take the words of this package; names of files and of joints in them do not."""
    for name in ("key_count.bvh", "loop_period.csv", "is NULL.bvh", "take --nan hold.bvh"):
        path = tmp_path / name
        path.write_text("HIERARCHY\nROOT sample_count\n{\n")
        with pytest.raises(ValueError) as refused:
            pm.load(path)
        assert str(refused.value).startswith(f"{path}: ")
    with pytest.raises(ValueError, match="no joint is named 'track_count'"):
        pm.load(WALK).pick(joints=["track_count"]).clips
