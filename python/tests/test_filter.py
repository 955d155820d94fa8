# SPDX-License-Identifier: MIT
"""Low-passes of arrays and motions: what they remove, and what is refused. The C library compares the samples with
a sum in double precision."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import posemill as pm
import pytest
from motion_files import WALK

RATE = 120


def turns(angles: np.ndarray) -> np.ndarray:
    """Quaternions about x."""
    zero = np.zeros_like(angles)
    return np.stack([np.sin(angles / 2), zero, zero, np.cos(angles / 2)], axis=-1)


def test_resample_with_lowpass_does_not_alias() -> None:
    time = np.arange(601) / RATE
    slow, fast = 0.3 * np.sin(2 * np.pi * 3 * time), 0.3 * np.sin(2 * np.pi * 41 * time)
    found = pm.resample(turns(slow + fast), RATE, 50, lowpass="auto")
    wanted = turns(0.3 * np.sin(2 * np.pi * 3 * np.arange(251) / 50))
    assert found.dtype == np.float32 and found.shape == (251, 4)
    middle = slice(60, 190)
    assert np.abs(found[middle] - wanted[middle]).max() < 3e-4
    assert np.abs(pm.resample(turns(slow + fast), RATE, 50)[middle] - wanted[middle]).max() > 0.1


def test_out_and_a_device_give_the_same_bits() -> None:
    rng = np.random.default_rng(6)
    q = rng.normal(size=(90, 2, 5, 4))
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    out = np.full((90, 2, 5, 4), np.nan, np.float32)
    assert pm.filter_rotations(q, RATE, 30, out=out) is out
    assert (pm.filter_rotations(q, RATE, 30, engine=pm.Engine()) == out).all()
    assert (pm.resample(q, RATE, RATE, lowpass=30) == out).all()
    assert np.abs(pm.filter_rotations(q, RATE, 30, dtype=np.float64) - out).max() < 1e-6
    assert len(pm.resample(q, RATE, 50, lowpass=20, end_rule="include")) == 39


@pytest.mark.parametrize("cutoff", [0.0, -6.0, float("nan"), 61.0, 0.01])
def test_cut_offs_without_a_meaning_are_refused(cutoff: float) -> None:
    with pytest.raises(ValueError, match="cut-off is"):
        pm.filter_rotations(turns(np.zeros(9)), RATE, cutoff)


def test_what_is_no_array_of_rotations_or_option_is_refused() -> None:
    with pytest.raises(ValueError, match="expected shape"):
        pm.filter_rotations(np.zeros((3, 3)), RATE, 6)
    with pytest.raises(ValueError, match="'fast' is no cut-off"):
        pm.resample(turns(np.zeros(9)), RATE, 50, lowpass="fast")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="method: has no effect"):
        pm.resample(turns(np.zeros(9)), RATE, 50, "squad", lowpass=6)


def test_motions_take_a_low_pass(tmp_path: Path) -> None:
    motion = pm.load(WALK)
    plain = motion.resample("/2")
    smooth = motion.resample("/2", lowpass="auto")
    smooth.save(tmp_path / "smooth.bvh")
    joint = next(c for c in smooth.clips[0].channels if c.path == "rotation")
    other = next(c for c in plain.clips[0].channels if c.path == "rotation")
    assert joint.keys.shape == other.keys.shape
    assert (np.asarray(joint.keys)[1:-1] != np.asarray(other.keys)[1:-1]).any()
    saved = pm.load(tmp_path / "smooth.bvh").clips[0]
    again = next(c for c in saved.channels if c.path == "rotation")
    assert np.abs(np.abs((again.keys * joint.keys).sum(axis=1)) - 1).max() < 1e-6
    with pytest.raises(ValueError, match="lowpass: .*expected auto"):
        motion.resample("/2", lowpass=-1)
