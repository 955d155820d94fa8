# SPDX-License-Identifier: MIT
"""Rotation curves for millions of samples in parallel, on OpenCL or plain C."""
from ._engine import Engine, devices
from ._library import DeviceError, version

__version__ = version()
__all__ = ["DeviceError", "Engine", "devices"]
