#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The reward of a tracker: 4096 bodies follow motions at times of their own, every step.

usage: learning.py FILES...

The simulator is made up: its bodies are those of the motions with noise. With PyTorch the reward is
computed on tensors of the CPU that share the memory of the states, else on arrays.
"""
import sys
import time
from types import ModuleType
from typing import Any

import numpy as np

import posemill as pm

BODIES, STEPS, DT = 4096, 20, 0.02
FIELDS = ["body_pos", "body_rot", "body_vel", "body_ang_vel"]
# Weight and width of each part of the reward.
PARTS = {"body_pos": (0.4, 100.0), "body_rot": (0.3, 10.0), "body_vel": (0.15, 0.1), "body_ang_vel": (0.15, 0.1)}


def tensors() -> ModuleType:
    try:
        import torch
        return torch
    except ImportError:
        return np


def reward(xp: Any, reference: dict[str, Any], simulated: dict[str, Any]) -> Any:
    """(bodies,) rewards from 0 to 1."""
    total = 0.0
    for field, (weight, width) in PARTS.items():
        a, b = reference[field], simulated[field]
        if field == "body_rot": # 1 - cos of half the angle; rotations are of either sign
            error = 1.0 - xp.abs((a * b).sum(-1))
        else:
            error = ((a - b) ** 2).sum(-1)
        total = total + weight * xp.exp(-width * error.mean(-1))
    return total


def main() -> None:
    xp = tensors()
    rng = np.random.default_rng(1)
    lib = pm.MotionLibrary.from_files(sys.argv[1:], method="squad", scale=0.01, up="y", to_up="z")
    ids, start = lib.sample_times(BODIES, rng, truncate=STEPS * DT)
    out = lib.sample(ids, start, fields=FIELDS)
    if xp is not np:
        out = {field: xp.from_numpy(array) for field, array in out.items()}
    noise = {field: rng.normal(0, 0.01, tuple(out[field].shape)).astype(np.float32) for field in FIELDS}
    spent, rewards = [], 0.0
    for step in range(STEPS):
        begin = time.perf_counter()
        states = lib.sample(ids, start + step * DT, fields=FIELDS, out=out)
        spent.append(time.perf_counter() - begin)
        shared = out if xp is not np else states
        simulated = {field: shared[field] + (xp.from_numpy(noise[field]) if xp is not np else noise[field])
                     for field in FIELDS}
        rewards += float(reward(xp, shared, simulated).mean()) / STEPS
    print(f"{lib}")
    print(f"{BODIES} bodies, {STEPS} steps with {xp.__name__}: mean reward {rewards:.3f}, "
          f"states in {1e3 * float(np.median(spent)):.2f} ms a step")


if __name__ == "__main__":
    main()
