# SPDX-License-Identifier: MIT
"""Motions: reading, views, resampling, saving, and files that are hostile."""
from __future__ import annotations

import base64
import copy
import gc
import io
import json
import pickle
import re
import sys
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import posemill as pm
import pytest
from motion_files import (
    DATA,
    EXTENSIONS,
    WALK,
    bvh_text,
    command,
    data_files,
    multiply,
    needs_command,
    turn,
)
from posemill import _steps
from posemill._library import ffi

FILES = data_files()
ENGINE = pm.Engine("none")

pytestmark = pytest.mark.filterwarnings("ignore::posemill.MotionWarning")


def address(pointer: object) -> int:
    return int(ffi.cast("uintptr_t", pointer))


def rows_of(path: Path) -> list[str]:
    """The lines of the frames of a BVH file."""
    return [row for row in path.read_text().split("Frame Time:")[1].splitlines()[1:] if row]


@pytest.fixture
def walk() -> pm.Motion:
    return pm.load(WALK)


# ---- reading ---------------------------------------------------------------------------------


@needs_command
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_every_file_is_read_as_the_command_reads_it(path: Path) -> None:
    told = command("info", "--json", path)
    if told.returncode != 0:
        with pytest.raises(ValueError) as refused:
            pm.load(path)
        assert str(refused.value).split(" (")[0] in told.stderr.decode()
        assert "--" not in str(refused.value).rsplit(" (", 1)[-1]
        return
    info = json.loads(told.stdout)
    if info["gaps"]:  # info counts them and goes on
        with pytest.raises(ValueError) as refused:
            pm.load(path)
        assert info["first_gap"] in str(refused.value) and (
                '(nan="hold" uses' in str(refused.value) or "fill=" in str(refused.value))
        return
    m = pm.load(path)
    assert m.format == info["format"] and m.layout == info["layout"]
    assert list(m.parents) == [node["parent"] for node in info["nodes"]]
    assert len(m.names) == len(info["nodes"]) and list(m.carried) == info["carried"]
    assert set(m.notes) <= {note.replace("--source-rate", "source_rate=") for note in info["notes"]}
    assert len(m.clips) == len(info["clips"])
    for clip, expected in zip(m.clips, info["clips"]):
        assert clip.rate == (Fraction(expected["rate"]) if expected["rate"] else None)
        assert clip.start is None or float(clip.start) == pytest.approx(clip.times[0], rel=1e-6)
        assert len(clip.channels) == expected["channels"]
        for path_name, count in expected["paths"].items():
            assert sum(c.path == path_name for c in clip.channels) == count
        for channel in clip.channels:
            assert channel.keys.shape[0] == len(channel.times)
            assert np.isfinite(channel.keys).all() and not channel.keys.flags.writeable


def test_values_of_bvh(walk: pm.Motion) -> None:
    numbers = np.array([row.split() for row in rows_of(WALK)], float)
    clip = walk.clips[0]
    assert clip.rate == 30 and clip.rotations.shape == (len(numbers), len(walk.names), 4)
    # Hips: position, then Z X Y; all others Z X Y.
    for frame in (0, 7, len(numbers) - 1):
        for joint in range(len(walk.names)):
            z, x, y = numbers[frame, 3 + 3 * joint:6 + 3 * joint]
            expected = multiply(multiply(turn(2, z), turn(0, x)), turn(1, y))
            found = clip.rotations[frame, joint]
            assert min(np.abs(found - expected).max(), np.abs(found + expected).max()) < 1e-15
    assert (clip.positions[:, 0] == numbers[:, :3]).all()
    assert (clip.positions[:, 1] == [0, 10, 0]).all()
    assert clip.times[-1] == (len(numbers) - 1) / 30 and (clip.scales == 1).all()


def test_arrays_are_views_that_keep_the_motion_alive(walk: pm.Motion) -> None:
    clip = walk.clips[0]
    rotations = clip.rotations
    assert rotations.ctypes.data == address(clip.channels[0]._channel.keys.data)
    assert not rotations.flags.writeable and not rotations.flags.owndata
    assert walk.parents.ctypes.data == (address(walk._content.c.nodes)
                                        + ffi.offsetof("pm_motion_node", "parent"))
    assert clip.rotations is rotations
    copy, parents, first = rotations.copy(), walk.parents, walk.parents.copy()
    del walk, clip
    gc.collect()
    churn = [pm.load(WALK) for _ in range(20)]
    assert (rotations == copy).all() and (parents == first).all()
    assert np.from_dlpack(rotations.copy()).shape == copy.shape
    del churn


def test_joints_without_rotations_rest(tmp_path: Path) -> None:
    text = bvh_text(1, 4).replace("CHANNELS 3 Zrotation Xrotation Yrotation", "CHANNELS 0")
    rows = text.splitlines()
    rows[-4:] = [" ".join(row.split()[:6]) for row in rows[-4:]]
    (tmp_path / "a.bvh").write_text("\n".join(rows) + "\n")
    clip = pm.load(tmp_path / "a.bvh").clips[0]
    assert (clip.rotations[:, 1] == [0, 0, 0, 1]).all()
    assert np.ptp(clip.rotations[:, 0], axis=0).max() > 0


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_rotations_of_every_clip_are_those_of_its_channels(path: Path) -> None:
    try:
        m = pm.load(path)
    except ValueError:
        return
    for clip in m.clips:
        try:
            rotations = clip.rotations
        except ValueError as refused:
            assert "different key times" in str(refused)
            continue
        assert rotations.shape[2] == 4 and rotations.shape[0] == len(clip.times)
        for i, channel in enumerate(c for c in clip.channels if c.path == "rotation"):
            column = i if channel.node is None else channel.node
            if len(channel.times) == len(clip.times):
                assert (rotations[:, column] == channel.keys).all()


def test_file_objects(walk: pm.Motion) -> None:
    data = WALK.read_bytes()
    for file in (io.BytesIO(data), open(WALK, "rb")):
        with file:
            m = pm.load(file)
        assert (m.clips[0].rotations == walk.clips[0].rotations).all()
    with pytest.raises(TypeError, match="binary"), open(WALK) as text:
        pm.load(text)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="path"):
        pm.load(3)  # type: ignore[arg-type]
    out = io.BytesIO()
    np.savez(out, poses=np.zeros((2, 156)), mocap_framerate=30.0)
    out.seek(0)
    assert pm.load(out).format == "npz"


def test_options_of_reading(tmp_path: Path) -> None:
    nameless = tmp_path / "walk"
    nameless.write_bytes(WALK.read_bytes())
    assert pm.load(nameless).format == "bvh"
    assert pm.load(nameless, format="bvh", source_rate="30000/1001").clips[0].rate == Fraction(30000, 1001)
    assert pm.load(nameless, source_rate=29.97).clips[0].rate == Fraction(2997, 100)
    for arguments, name in (({"format": "mp4"}, "format"), ({"source_rate": 0}, "source_rate"),
                            ({"source_rate": "fast"}, "source_rate"), ({"source_rate": float("nan")}, "source_rate")):
        with pytest.raises(ValueError, match=name):
            pm.load(nameless, **arguments)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        pm.load(tmp_path / "none.bvh")
    with pytest.raises((IsADirectoryError, PermissionError)): # the second is what Python says on Windows
        pm.load(tmp_path)
    with pytest.raises(ValueError, match="NUL|null"):
        pm.load("a\0.bvh")


def test_options_of_other_formats_are_a_warning(tmp_path: Path) -> None:
    glb, npz = tmp_path / "a.glb", tmp_path / "a.npz"
    pm.convert(WALK, glb)
    pm.convert(WALK, npz)
    options: list[tuple[Path, dict[str, object]]] = [
        (glb, {"source_rate": 50}), (glb, {"layout": "amass"}), (WALK, {"layout": "robot"}),
        (WALK, {"rates": "rates.txt"}), (npz, {"bvh_position": "add"})]
    for path, given in options:
        with pytest.warns(pm.MotionWarning, match=f"^{next(iter(given))}: has no effect on {path.suffix[1:]}$") as told:
            pm.load(path, **given)  # type: ignore[arg-type]
        assert {warning.filename for warning in told} == {__file__}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pm.load(WALK, source_rate=50, bvh_position="add").clips[0].rate == 50
        assert pm.load(npz, layout="plain", source_rate=50).clips[0].rate == 50


def test_warnings(tmp_path: Path) -> None:
    path = tmp_path / "a.bvh"
    path.write_text(bvh_text(1, 4).replace("Frames: 4", "Frames: 3"))
    with pytest.warns(pm.MotionWarning, match="rames") as told:
        m = pm.load(path)
    assert told[0].filename == __file__ and len(m.notes) == 1
    with pytest.raises(ValueError, match=r"a\.bvh"):
        pm.load(path, strict=True)


# ---- saving ----------------------------------------------------------------------------------


def same_as_command(told: object, path: Path, expected: Path, save: object) -> None:
    """Both refuse, or both write the same bytes."""
    assert b"unknown option" not in told.stderr  # type: ignore[attr-defined]
    if told.returncode != 0:  # type: ignore[attr-defined]
        with pytest.raises((ValueError, OSError)):
            save()  # type: ignore[operator]
        assert not path.exists()
    else:
        save()  # type: ignore[operator]
        assert path.read_bytes() == expected.read_bytes()


def loadable() -> list[Path]:
    found = []
    for path in FILES:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                pm.load(path)
        except ValueError:
            continue
        found.append(path)
    return found


@needs_command
@pytest.mark.parametrize("is_resampled", [False, True])
@pytest.mark.parametrize("to", EXTENSIONS)
@pytest.mark.parametrize("path", loadable(), ids=lambda p: p.name)
def test_files_are_those_of_the_command(path: Path, to: str, is_resampled: bool, tmp_path: Path) -> None:
    m = pm.load(path)
    expected, made = tmp_path / f"c.{to}", tmp_path / f"p.{to}"
    words = ("resample", path, "-o", expected, "--rate", "47.5") if is_resampled else ("convert", path, expected)
    told = command(*words)
    same_as_command(told, made, expected, lambda: (m.resample(47.5, engine=ENGINE) if is_resampled else m).save(made))


@needs_command
@pytest.mark.parametrize("arguments, options", [
    ({"rate": "x2", "method": "squad"}, ["--rate", "x2", "--method", "squad"]),
    ({"rate": "/4"}, ["--rate", "/4"]),
    ({"rate": 30, "start": 1, "keep_time": True}, ["--rate", "30", "--start", "1", "--keep-time"]),
    ({"rate": Fraction(30000, 1001), "method": "spline", "ends": "natural", "start": 0.1,
      "end": "3/2", "end_rule": "include"},
     ["--rate", "30000/1001", "--method", "spline", "--ends", "natural", "--start", "0.1", "--end",
      "3/2", "--end-rule", "include"]),
    ({"rate": 50, "method": "hermite", "tangents": (0.5, 0, -0.25), "trim_start": 3},
     ["--rate", "50", "--method", "hermite", "--tangents", "tcb:0.5,0,-0.25", "--trim-start", "3"]),
    ({"rate": 50, "method": "squad", "tangents": "hold", "unlimited": True},
     ["--rate", "50", "--method", "squad", "--tangents", "hold", "--unlimited"]),
    ({"rate": 50, "method": "sterp"}, ["--rate", "50", "--method", "sterp"]),
    ({"rate": 50, "method": "sterp", "axis": (0, 1, 0), "axis_frame": "parent", "swing": (0, 0.5)},
     ["--rate", "50", "--method", "sterp", "--axis", "0,1,0", "--axis-frame", "parent", "--swing",
      "0,0.5"]),
    ({"rate": 50, "method": "slerp", "loop": 3}, ["--rate", "50", "--method", "slerp", "--loop",
                                                  "3"])])
def test_options_of_resampling(arguments: dict[str, object], options: list[str],
                               tmp_path: Path) -> None:
    expected, made = tmp_path / "c.glb", tmp_path / "p.glb"
    assert command("resample", WALK, "-o", expected, *options).returncode == 0
    pm.load(WALK).resample(engine=ENGINE, **arguments).save(made)  # type: ignore[arg-type]
    assert made.read_bytes() == expected.read_bytes()


@needs_command
def test_clips_of_gltf(tmp_path: Path) -> None:
    fox = DATA / "gltf" / "Fox.glb"
    if not fox.exists():
        pytest.skip("no data")
    m = pm.load(fox)
    assert [c.name for c in m.clips] == ["Survey", "Walk", "Run"]
    for clip in (1, "Walk", ["1"]):
        r = m.resample(60, clip=clip, engine=ENGINE)
        assert r.clips[1].rate == 60 and len(r.clips[0].times) == len(m.clips[0].times)
        for to in ("glb", "bvh"):
            told = command("resample", fox, "-o", tmp_path / f"c.{to}", "--rate", 60, "--clip",
                           "Walk")
            assert told.returncode == 0
            r.save(tmp_path / f"p.{to}")
            assert (tmp_path / f"p.{to}").read_bytes() == (tmp_path / f"c.{to}").read_bytes()
    with pytest.raises(ValueError, match="clip: has no effect: glb holds all clips"):
        m.save(tmp_path / "run.glb", clip="Walk")
    m.save(tmp_path / "run.bvh", clip="Walk", euler="XYZ")
    told = command("convert", fox, tmp_path / "c.bvh", "--clip", "Walk", "--euler", "XYZ")
    assert (tmp_path / "run.bvh").read_bytes() == (tmp_path / "c.bvh").read_bytes()
    with pytest.raises(ValueError, match="clip"):
        m.save(tmp_path / "run.bvh", clip="Sleep")


def test_a_small_motion_opens_no_device(walk: pm.Motion, tmp_path: Path,
                                        monkeypatch: pytest.MonkeyPatch) -> None:
    def opened() -> pm.Engine:
        raise AssertionError("a device is opened")

    monkeypatch.setattr(_steps, "default_engine", opened)
    walk.resample(50).save(tmp_path / "chosen.bvh")
    walk.resample(50, engine=ENGINE).save(tmp_path / "plain.bvh")
    assert (tmp_path / "chosen.bvh").read_bytes() == (tmp_path / "plain.bvh").read_bytes()


def test_parameters_that_a_method_does_not_use_are_a_warning(walk: pm.Motion) -> None:
    for name, value in (("tangents", "mean"), ("ends", "zero"), ("unlimited", True),
                        ("swing", (0, 0.5))):
        with pytest.warns(pm.MotionWarning, match=f"{name}: has no effect on slerp"):
            walk.resample(60, "slerp", engine=ENGINE, **{name: value}).clips  # type: ignore[arg-type]


def test_converting(tmp_path: Path) -> None:
    pm.convert(WALK, tmp_path / "a.bvh", scale=0.5)
    assert (pm.load(tmp_path / "a.bvh").clips[0].positions
            == pm.load(WALK).clips[0].positions * 0.5).all()
    if (DATA / "gltf" / "Fox.glb").exists():
        with pytest.warns(pm.MotionWarning, match=r"fox\.bvh: left out: .*1 mesh"):
            pm.convert(DATA / "gltf" / "Fox.glb", tmp_path / "fox.bvh", to=None)


def test_refused_arguments(walk: pm.Motion, tmp_path: Path) -> None:
    refused: list[tuple[dict[str, object], type[Exception], str]] = [
        ({"rate": 0}, ValueError, "rate"), ({"rate": -1}, ValueError, "rate"),
        ({"rate": "nonsense"}, ValueError, "rate"), ({"rate": None}, TypeError, "rate"),
        ({"rate": True}, TypeError, "rate"), ({"rate": float("inf")}, ValueError, "rate"),
        ({"rate": 10**30}, ValueError, "rate"), ({"rate": 1e18}, ValueError, "frames"),
        ({"rate": "x0"}, ValueError, "rate"),
        ({"rate": 1, "method": "best"}, ValueError, "method"),
        ({"rate": "x"}, ValueError, "rate: 'x'"),
        ({"rate": "/two"}, ValueError, "rate: '/two'"),
        ({"rate": 1, "method": 3}, TypeError, "method"),
        ({"rate": 1, "clip": [1]}, ValueError, "clip"),
        ({"rate": 1, "clip": []}, ValueError, "clip"),
        ({"rate": 1, "start": -1}, ValueError, "start"),
        ({"rate": 1, "end_rule": "stop"}, ValueError, "end_rule"),
        ({"rate": 1, "trim_start": -1}, ValueError, "trim_start"),
        ({"rate": 1, "trim_start": 10**6}, ValueError, "trim_start: 1000000 removes"),
        ({"rate": 1, "start": 10**6}, ValueError, "start: is after the last"),
        ({"rate": 1, "end": 10**6}, ValueError, "end: is after the last"),
        ({"rate": 1, "start": 0.2, "end": 0.1}, ValueError, "start: is after the end of the cut"),
        ({"rate": 1, "ends": "loose"}, ValueError, "ends"),
        ({"rate": 1, "tangents": (1, 2)}, ValueError, "tangents"),
        ({"rate": 1, "speed": 2}, TypeError, "speed")]
    for arguments, kind, message in refused:
        with pytest.raises(kind, match=message) as refusal:
            walk.resample(engine=ENGINE, **arguments).clips  # type: ignore[arg-type]
        assert "--" not in str(refusal.value)
    for options in ({"decimals": 0}, {"decimals": 10}, {"scale": 0}, {"scale": float("nan")},
                    {"scale": "one"}, {"euler": "ABC"}, {"euler": 3}, {"to_up": "x"}, {"to": "mp4"}, {"clip": 7}):
        with pytest.raises((ValueError, TypeError), match=next(iter(options))):
            walk.save(tmp_path / "a.bvh", **options)  # type: ignore[arg-type]
    for name in ("a.glb", "a.gltf", "a.npz"):
        for options in ({"decimals": 4}, {"euler": "XYZ"}):
            for motion in (walk, walk.resample(50, engine=ENGINE)):
                with pytest.raises(ValueError, match=f"{next(iter(options))}: is for BVH; .* format {name[2:]}"):
                    motion.save(tmp_path / name, **options)  # type: ignore[arg-type]
    for path in (None, 3, io.BytesIO()):
        with pytest.raises(TypeError, match="path: expected a path"):
            walk.save(path)  # type: ignore[arg-type]
    for engine in ("none", 0):
        with pytest.raises(TypeError, match="engine"):
            walk.resample(50, engine=engine)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="engine"):
            pm.compare(walk, walk, method="slerp", engine=engine)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="engine"):
            pm.Crowd(walk.skeleton, walk.clips, engine=engine)  # type: ignore[arg-type]
    with pytest.raises(OSError):
        walk.save(tmp_path / "none" / "a.bvh")
    assert list(tmp_path.iterdir()) == []


def test_a_joint_that_moves_below_the_root_is_named() -> None:
    positions = np.zeros((5, 2, 3))
    positions[:, 1, 2] = np.arange(5)
    motion = pm.Motion(np.tile([0.0, 0.0, 0.0, 1.0], (5, 2, 1)), positions, 10, [-1, 0], ["above", "hips"])
    assert motion.skeleton.moves_below_root == "hips"
    assert motion.extract_root("hips", up="y").skeleton.moves_below_root is None
    assert pm.Skeleton(["a"], [-1]).moves_below_root is None


def test_refused_roots(walk: pm.Motion) -> None:
    for arguments, kind, message in (
            ({"joint": "hips"}, ValueError, "joint: no joint is named 'hips'"),
            ({"joint": 0}, TypeError, "extract_root"), ({"root_node": "Spine"}, ValueError, "not above"),
            ({"root_node": "a\0"}, ValueError, "root_node"), ({"up": "x"}, ValueError, "up"),
            ({"root_axes": "xx"}, ValueError, "axes"), ({"root_axes": 3}, TypeError, "axes"),
            ({"keep_position": True, "keep_heading": True}, ValueError, "keep_heading: |keep_position: cannot")):
        joint = arguments.pop("joint", "Hips")
        with pytest.raises(kind, match=message):
            walk.extract_root(joint, **arguments).clips


def test_strict_saving(tmp_path: Path) -> None:
    fox = DATA / "gltf" / "Fox.glb"
    if not fox.exists():
        pytest.skip("no data")
    with pytest.raises(ValueError, match="mesh"):
        pm.load(fox).save(tmp_path / "a.bvh", strict=True)
    assert list(tmp_path.iterdir()) == []


# ---- the rest --------------------------------------------------------------------------------


def test_html_is_escaped(tmp_path: Path) -> None:
    path = tmp_path / "a.bvh"
    path.write_bytes(bvh_text(1, 3).replace("Knee", "<b>&\x1b").encode())
    m = pm.load(path)
    for html in (m._repr_html_(), m.clips[0]._repr_html_(), ENGINE._repr_html_()):
        assert html.startswith("<table>") and "<b>" not in html and "\x1b" not in html
        assert "<script" not in html and "http" not in html
    assert "&lt;b&gt;&amp;\\x1b" in m._repr_html_()


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "a.bvh"
    path.write_bytes(bvh_text(1, 3).encode().replace(b"Knee", b"Kn\xffe"))
    assert pm.load(path).names == ("Hips", "Kn\\xffe")


def test_hints_are_calls_of_the_package(tmp_path: Path) -> None:
    """What cures a failure is a parameter of load() or resample(), with its value, and no option of the command."""
    csv, npz, walk = tmp_path / "a.csv", tmp_path / "a.npz", tmp_path / "a.bvh"

    def refused(call: Callable[[], object]) -> str:
        with pytest.raises(ValueError) as told:
            call()
        assert "--" not in str(told.value)
        return str(told.value)

    rows = np.hstack([np.zeros((4, 3)), np.full((4, 4), 40.0)])
    np.savetxt(csv, rows, delimiter=",", fmt="%g")
    told = refused(lambda: pm.load(csv, source_rate=30))
    assert '(layout="position,euler-xyz" says' in told and "robot takes" in told
    np.savez(npz, rotations=np.full((4, 2, 4), 3.0), fps=30.0)
    assert "(layout=NAME normalises them; so does FILE.json with a layout)" in refused(lambda: pm.load(npz))
    walk.write_text(WALK.read_text().replace("Frame Time: 0.0333333", "Frame Time: 0"))
    assert "(source_rate= gives it)" in refused(lambda: pm.load(walk))
    odd = tmp_path / "--rate.bvh"  # a name stays as it is
    odd.write_text(walk.read_text())
    with pytest.raises(ValueError, match=f"^{re.escape(str(odd))}: line .*source_rate="):
        pm.load(odd)
    told = refused(lambda: pm.load(WALK).resample(10**8).clips)
    assert "(max_frames= raises the limit; check the rates first)" in told
    turns = pm.from_euler("X", np.linspace(0.0, 1.0, 8).reshape(4, 2), dtype=np.float32)
    np.savez(npz, body_quat_w=turns, body_pos_w=np.zeros((4, 2, 3), np.float32), fps=np.array([50]))
    with pytest.warns(pm.MotionWarning, match='layout="[a-z]+-xyzw" '):
        notes = pm.load(npz).notes
    assert notes and not any("--" in note for note in notes)


def with_a_faulty_clip(path: Path) -> None:
    """The walk, and a clip `bad` whose times fall."""
    pm.convert(WALK, path)
    document = json.loads(path.read_text())
    data = base64.b64encode(np.float32([0.0, 1.0, 0.5]).tobytes()).decode()
    document["buffers"].append({"byteLength": 12, "uri": f"data:application/octet-stream;base64,{data}"})
    document["bufferViews"].append({"buffer": len(document["buffers"]) - 1, "byteLength": 12})
    document["accessors"].append({"bufferView": len(document["bufferViews"]) - 1, "componentType": 5126,
                                  "count": 3, "type": "SCALAR", "min": [0], "max": [1]})
    bad = copy.deepcopy(document["animations"][0])
    bad["name"], bad["samplers"][0]["input"] = "bad", len(document["accessors"]) - 1
    document["animations"].append(bad)
    path.write_text(json.dumps(document))


def test_a_clip_with_a_fault_is_carried_over_and_refused_where_it_is_asked_for(tmp_path: Path) -> None:
    path, saved = tmp_path / "a.gltf", tmp_path / "b.gltf"
    with_a_faulty_clip(path)
    m = pm.load(path)
    good, bad = m.clips
    assert good.fault is None and bad.fault is not None and "key 2 at 0.5 s" in bad.fault
    assert bad.channels == () and pickle.loads(pickle.dumps(bad)).fault == bad.fault
    asked: list[Callable[[], object]] = [
        lambda: bad.at(0.25), lambda: m.at(0.25, clip="bad"), lambda: m.resample(15, clip=["bad"]).clips,
        lambda: m.save(tmp_path / "b.bvh", clip="bad"), lambda: m.show("bad"),
        lambda: pm.compare(m, m, clip="bad"), lambda: pm.Crowd(m.skeleton, [bad], engine=ENGINE)]
    for call in asked:
        with pytest.raises(ValueError, match="'bad'.*key 2 at 0.5 s"):
            call()
    m.resample(15, engine=ENGINE).save(saved)
    assert sorted(tmp_path.iterdir()) == [path, saved]
    again = pm.load(saved)
    assert again.clips[0].rate == 15 and again.clips[1].fault == bad.fault


def test_bytes_of_a_file_live_as_long_as_arrays_of_what_was_made_of_it(tmp_path: Path) -> None:
    pm.convert(WALK, tmp_path / "walk.glb")
    data = (tmp_path / "walk.glb").read_bytes()

    class Stream:
        def read(self) -> bytes:
            return data

    before = sys.getrefcount(data)
    for made in (lambda m: m.pick(rename={"Hips": "Pelvis"}), lambda m: m.pick(rename={"Hips": "Pelvis"}).mirror(),
                 lambda m: m.resample(20), lambda m: m.extract_root("Hips"), lambda m: pm.reduce(m, angle=1.0).motion,
                 lambda m: pm.join([m, m])):
        rotations = made(pm.load(Stream(), format="glb")).clips[0].channels[0].keys  # type: ignore[arg-type, no-untyped-call]
        gc.collect()
        assert sys.getrefcount(data) > before  # the motion points into them
        del rotations
        gc.collect()
        assert sys.getrefcount(data) == before
