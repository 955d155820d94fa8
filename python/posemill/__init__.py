# SPDX-License-Identifier: MIT
"""Rotation curves for millions of samples in parallel, on OpenCL or plain C."""
from ._convert import as_euler, as_matrix, as_rotvec, from_euler, from_matrix, from_rotvec
from ._curve import RotationCurve
from ._dropin import RotationSpline, Slerp
from ._engine import Engine, devices
from ._library import DeviceError, version
from ._resample import resample, resample_rotvec

__version__ = version()
__all__ = ["DeviceError", "Engine", "RotationCurve", "RotationSpline", "Slerp", "as_euler",
           "as_matrix", "as_rotvec", "devices", "from_euler", "from_matrix", "from_rotvec",
           "resample", "resample_rotvec"]
