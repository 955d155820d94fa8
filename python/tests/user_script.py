# SPDX-License-Identifier: MIT
"""What a user writes, checked by ``mypy --strict`` against the types of the installed package."""
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt

import posemill as pm


def names_of_devices() -> list[str]:
    return [device.name for device in pm.devices()]


def main() -> None:
    with pm.Engine(device="none", host_threads=1) as engine:
        kind: str = engine.device.type
    assert kind == "reference"
    try:
        pm.Engine("no such device")
    except pm.DeviceError as error:
        status: str = error.status
        assert status in ("no device", "no platform")
    assert all(names_of_devices())
    keys = np.tile([0.0, 0.0, 0.0, 1.0], (3, 2, 1))
    motion = pm.Motion(keys, None, 30, [-1, 0], ["a", "b"])
    poses = motion.at([0.0, 0.05], "squad", frame="parent")
    rotations: npt.NDArray[np.float32] = poses.rotations
    names: tuple[str, ...] = tuple(clip.name for clip in motion.clips)
    clip: pm.Clip = motion.clips[names[0]]
    assert rotations.shape == (2, 2, 4) and len(clip.times) == 3
    with suppress(ValueError):
        motion.resample(60, "quartic")  # type: ignore[arg-type]
    with suppress(TypeError):
        motion.resample(50, methd="squad")  # type: ignore[call-arg]
    with suppress(TypeError):
        motion.resample(60, keep_time="yes")  # type: ignore[arg-type]
    with suppress(ValueError):
        motion.resample(60, ends="loose")  # type: ignore[arg-type]
    with suppress(TypeError):
        motion.mirror(plain="y")  # type: ignore[call-arg]
    with suppress(TypeError):
        pm.load("walk.bvh", hold_nan=True)  # type: ignore[call-arg]
    with suppress(TypeError):
        pm.compare(motion, motion, tolerence=(0.1, 1.0))  # type: ignore[call-arg]
    chain: pm.Motion = motion.cut((0, None)).repeat(2, blend=0.01).resample("x2", lowpass="auto", clip=[0])
    assert chain.pick(rename={"a": "c"}).names == ("c", "b")
    with suppress(ValueError):
        pm.RotationCurve(None, keys, "quartic", rate=30)  # type: ignore[arg-type]
    with suppress(ValueError):
        motion.resample(60, end_rule="all")  # type: ignore[arg-type]
    with suppress(ValueError):
        motion.save("a.fbx", to="fbx")  # type: ignore[arg-type]
    with suppress(ValueError):
        motion.at(0.0, frame="world")  # type: ignore[arg-type]
    sampled: npt.NDArray[np.floating[Any]] = pm.RotationCurve(None, keys, rate=30)([0.0, 0.01])
    curve = pm.RotationCurve(None, keys, rate=30)
    turned: npt.NDArray[np.floating[Any]] = curve.uniform(60, order=1)
    assert sampled.shape[0] == 2 and turned.shape[-1] == 3
    slerp = pm.Slerp([0.0, 0.5, 1.0], keys)
    with suppress(AttributeError):
        slerp(0.5).as_quat()  # type: ignore[attr-defined]
    with suppress(AttributeError):
        curve(0.0).shapes  # type: ignore[attr-defined]
    with suppress(TypeError):
        slerp(0.5, orders=1)  # type: ignore[call-arg]
    with suppress(ValueError):
        curve(0.0, frame="world")  # type: ignore[arg-type]
    with suppress(ValueError):
        curve(0.0, 3)  # type: ignore[arg-type]
    with suppress(ValueError):
        curve(0.0, channel="scale")  # type: ignore[arg-type]
    with suppress(TypeError):
        pm.resample(keys, 30, 60, limits=True)  # type: ignore[call-overload]
    with suppress(ValueError):
        pm.batch.run([], "none", 60, method="cubics")  # type: ignore[arg-type]
    with suppress(TypeError):
        pm.batch.run([], "none", 60, methd="cubic")  # type: ignore[call-arg]
    with suppress(TypeError):
        pm.batch.run([], "none", 60, literal_rate="no")  # type: ignore[arg-type]
    with suppress(TypeError):
        pm.batch.reduce([], "none", angle=1, tol=3)  # type: ignore[call-arg]
    print(pm.__version__)


if __name__ == "__main__":
    main()
