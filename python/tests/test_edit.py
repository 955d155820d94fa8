# SPDX-License-Identifier: MIT
"""Motions that are mirrored, joined, cut and filled; and USD, read back by OpenUSD."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import posemill as pm

WALK = Path(__file__).resolve().parents[2] / "examples" / "walk.bvh"


def keys_of(motion: pm.Motion) -> list[np.ndarray]:
    return [channel.values for channel in motion.clips[0].channels]


def test_twice_mirrored_is_the_identity_to_the_bit() -> None:
    walk = pm.load(WALK)
    twice = pm.mirror(pm.mirror(walk))
    for before, after in zip(keys_of(walk), keys_of(twice), strict=True):
        assert before.astype(np.float64).tobytes() == after.tobytes()
    once = walk.mirror()
    left, right = walk.names.index("LeftArm"), walk.names.index("RightArm")
    signs = np.array([1, -1, -1, 1])
    assert np.array_equal(once.clips[0].rotations[:, left], signs * walk.clips[0].rotations[:, right])


def test_cuts_are_rows_of_the_source() -> None:
    walk = pm.load(WALK)
    whole = walk.clips[0].rotations
    assert np.array_equal(walk.cut((0.5, 1)).clips[0].rotations, whole[15:31])
    assert np.array_equal(walk.cut("3f:").clips[0].rotations, whole[3:])
    twice = walk.cut("0f:9f").repeat(2).clips[0].rotations
    assert np.array_equal(twice, np.concatenate([whole[:10], whole[:10]]))


def test_picked_and_renamed_joints() -> None:
    made = pm.load(WALK).pick(joints=["Hips", "RightFoot"], rename={"RightFoot": "foot"})
    assert made.names == ("Hips", "foot")
    assert list(made.parents) == [-1, 0]


def test_estimates_that_are_converted_in_memory_are_warned_of() -> None:
    with pytest.warns(pm.MotionWarning, match=r"walk\.bvh: converted: unit cm \(estimated\) to m"):
        made = pm.load(WALK).transform(to_unit="m")
        assert made.unit == 1000
    with pytest.warns(pm.MotionWarning, match=r"up y \(estimated\) to z"):
        assert pm.load(WALK).transform(to_up="z").up == "z"


def test_joined_motions_overlap(tmp_path: Path) -> None:
    walk = pm.load(WALK)
    assert len(pm.join([walk, walk]).clips[0].times) == 122
    assert len(pm.join([walk, walk, walk], blend=0.2, continue_root=True).clips[0].times) == 171
    with pytest.raises(ValueError, match="not the same skeleton"):
        pm.join([walk, walk.pick(joints=["Hips"])])
    walk.transform(up="y", to_up="z").save(tmp_path / "turned.bvh")
    turned = pm.load(tmp_path / "turned.bvh")
    with pytest.raises(ValueError, match=r"turned\.bvh: up is z \(estimated\), and y \(estimated\) in"):
        pm.join([walk, turned])
    assert len(pm.join([walk, turned], up="z").clips[0].times) == 122
    with pytest.raises(ValueError, match="at least one"):
        pm.join([])


def test_gaps_are_filled(tmp_path: Path) -> None:
    lines = WALK.read_text().splitlines()
    for n in range(-30, -26):
        words = lines[n].split()
        words[10] = "nan"
        lines[n] = " ".join(words)
    path = tmp_path / "gaps.bvh"
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(ValueError, match="not a finite number"):
        pm.load(path)
    with pytest.warns(pm.MotionWarning, match="filled: 1 gap of 4 keys that were not finite"):
        filled = pm.load(path, fill="nan")
    whole = pm.load(WALK).clips[0].rotations
    assert np.abs(filled.clips[0].rotations - whole).max() < 0.05
    with pytest.raises(ValueError, match="has a gap of"):
        pm.load(path, fill=True, fill_max=0.05)


@pytest.mark.parametrize(("call", "words"), [
    (lambda m: m.mirror("w"), "plane"), (lambda m: m.cut((2, 1)), "cut"),
    (lambda m: m.cut("0f:1"), "frames such as"), (lambda m: m.cut("-1f:2f"), "cut"),
    (lambda m: m.cut("0.51:0.52").clips, "no frame"), (lambda m: m.pick(joints=["Tail"]).clips, "Tail"),
    (lambda m: m.repeat(0), "repeat"), (lambda m: m.repeat(1, blend=0.1).clips, "repeat"), (lambda m: pm.join([m, m], up="x"), "up"),
    (lambda m: pm.load(WALK, fill="frozen"), "fill"), (lambda m: pm.load(WALK, fill_max=1), "requires fill")])
def test_wrong_arguments_are_refused(call: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call(pm.load(WALK))  # type: ignore[operator]


@pytest.mark.parametrize(("options", "metres", "up"), [
    ({}, 0.01, "Y"), ({"up": "z", "unit": "m"}, 1, "Z"), ({"unit": "in", "to_unit": "cm"}, 0.01, "Y")])
def test_the_validator_of_usd_finds_nothing(tmp_path: Path, options: dict[str, str], metres: float, up: str) -> None:
    usd = pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
    geometry = pytest.importorskip("pxr.UsdGeom")
    validation = pytest.importorskip("pxr.UsdValidation", reason="this usd-core has no validator")
    path = tmp_path / "walk.usda"
    pm.load(WALK).save(path, **options)
    stage = usd.Stage.Open(str(path))
    context = validation.ValidationContext(validation.ValidationRegistry().GetOrLoadAllValidators())
    assert [error.GetName() for error in context.Validate(stage)] == []
    assert (geometry.GetStageMetersPerUnit(stage), geometry.GetStageUpAxis(stage)) == (metres, up)


def test_usd_reads_back_as_the_motion(tmp_path: Path) -> None:
    usd = pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
    skel = pytest.importorskip("pxr.UsdSkel")
    walk = pm.load(WALK)
    walk.save(tmp_path / "walk.usda")
    stage = usd.Stage.Open(str(tmp_path / "walk.usda"))
    assert stage.GetTimeCodesPerSecond() == 30
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0, 60)
    cache = skel.Cache()
    cache.Populate(skel.Root(stage.GetDefaultPrim()), usd.PrimDefaultPredicate)
    query = cache.GetSkelQuery(skel.Skeleton.Get(stage, "/Motion/Skeleton"))
    order = [walk.names.index(str(joint).rsplit("/", 1)[-1]) for joint in query.GetJointOrder()]
    assert query.GetTopology().Validate()[0]
    assert query.HasRestPose()
    assert query.HasBindPose()
    poses = walk.at(np.arange(61) / 30, "slerp")
    for frame in (0, 17, 60):
        made = np.array([np.array(m).T for m in query.ComputeJointLocalTransforms(frame)])
        expected = pm.as_matrix(poses.rotations[frame], dtype=np.float64)
        for place, joint in enumerate(order):
            assert np.abs(made[place, :3, :3] - expected[joint]).max() < 1e-6
    moved = np.array([np.array(query.ComputeJointLocalTransforms(f)[0]).T[:3, 3] for f in range(61)])
    root = [c for c in walk.clips[0].channels if c.path == "translation"][0]
    assert np.abs(moved - root.values).max() < 1e-4
