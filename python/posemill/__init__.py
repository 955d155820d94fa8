# SPDX-License-Identifier: MIT
"""Rotation curves for millions of samples in parallel, on OpenCL or plain C."""
import typing as _typing

from . import batch
from ._clip import Channel, Clip
from ._compare import Comparison, compare
from ._convert import as_euler, as_matrix, as_rotvec, from_euler, from_matrix, from_rotvec
from ._crowd import (
    LAYER_ADD,
    LAYER_CLAMP,
    LAYER_MEAN,
    LAYER_OVER,
    Crowd,
    chain_goal,
    crowd_instance,
    crowd_layer,
    crowd_ticks,
    stand_goal,
)
from ._curriculum import Curriculum
from ._curve import RotationCurve
from ._dropin import RotationSpline, Slerp
from ._engine import Engine, devices
from ._filter import filter_rotations
from ._frames import Frames
from ._keys import Keys
from ._library import Cancelled, DeviceError, MotionWarning, version
from ._motion import Motion, convert, join, load, mirror
from ._motion_library import MotionLibrary
from ._names import methods
from ._pages import Page
from ._poses import Poses
from ._reduce import Reduction, reduce, reduce_keys
from ._resample import resample, resample_rotvec
from ._skeleton import Skeleton
from ._trajectory import TimedPoses, Trajectory

__version__ = version()
__all__ = ["LAYER_ADD", "LAYER_CLAMP", "LAYER_MEAN", "LAYER_OVER", "Cancelled", "Channel", "Clip", "Comparison",
           "Crowd", "Curriculum", "DeviceError", "Engine", "Frames", "Keys", "Motion", "MotionLibrary", "MotionWarning", "Page", "Poses",
           "Reduction", "RotationCurve", "RotationSpline", "Skeleton", "Slerp", "TimedPoses", "Trajectory",
           "as_euler",
           "as_matrix", "as_rotvec", "batch", "chain_goal", "compare", "convert", "crowd_instance", "crowd_layer",
           "crowd_ticks", "devices", "filter_rotations", "from_euler", "from_matrix", "from_rotvec", "join", "load",
           "methods", "mirror",
           "reduce", "reduce_keys", "resample", "resample_rotvec", "stand_goal"]


def __getattr__(name: str) -> _typing.Any:
    """Modules that are imported when they are asked for: `torch` imports PyTorch."""
    if name not in ("learning", "torch"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return importlib.import_module(f".{name}", __name__)
