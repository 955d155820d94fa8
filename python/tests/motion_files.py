# SPDX-License-Identifier: MIT
"""Motion files for the tests, and the command to compare with.

The environment: POSEMILL_COMMAND, the path of the command; POSEMILL_TEST_DATA, the folder of real
files, by default ../shared/data beside the checkout. Tests without what they need are skipped.
"""
from __future__ import annotations

import math
import os
import random
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WALK = ROOT / "examples" / "walk.bvh"
DATA = Path(os.environ.get("POSEMILL_TEST_DATA") or ROOT.parent / "shared" / "data")
COMMAND = os.environ.get("POSEMILL_COMMAND", "")

needs_command = pytest.mark.skipif(not COMMAND, reason="POSEMILL_COMMAND is not set")

EXTENSIONS = ("bvh", "gltf", "glb", "npz", "csv")


def data_files() -> list[Path]:
    """All real and odd motion files, but those that are made to exhaust a machine."""
    return sorted(p for p in DATA.rglob("*")
                  if p.suffix[1:] in EXTENSIONS and "attack" not in p.parts)


def command(*arguments: object) -> subprocess.CompletedProcess[bytes]:
    """Runs the command on the path that needs no device."""
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, check=False,
                          env={**os.environ, "POSEMILL_DEVICE": "none"})


def bvh_text(seed: int, frames: int) -> str:
    """Two joints that turn at random."""
    numbers = random.Random(seed)
    rows = ["0 0 0 " + " ".join(f"{numbers.uniform(-80, 80):.4f}" for _ in range(6))
            for _ in range(frames)]
    return ("HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\n"
            "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
            "JOINT Knee\n{\nOFFSET 0 -40 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n"
            "End Site\n{\nOFFSET 0 -40 0\n}\n}\n}\n"
            f"MOTION\nFrames: {frames}\nFrame Time: 0.008333\n" + "\n".join(rows) + "\n")


def multiply(a: list[float], b: list[float]) -> list[float]:
    """The Hamilton product of quaternions x y z w."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return [aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz]


def turn(axis: int, degrees: float) -> list[float]:
    """The quaternion of a turn about a coordinate axis."""
    half = math.radians(degrees) / 2
    found = [0.0, 0.0, 0.0, math.cos(half)]
    found[axis] = math.sin(half)
    return found
