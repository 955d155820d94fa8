# SPDX-License-Identifier: MIT
"""Keyword arguments of curves that are passed on, as types: a type checker refuses other words.

At run time they are checked in `_curve.py`.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

import numpy.typing as npt

from ._engine import Engine
from ._names import Ends, Frame, KeyFormat, Tangents, VectorMethod

__all__ = ["CurveOptions"]


class CurveOptions(TypedDict, total=False):
    """Those of ``RotationCurve``, without its keys and times."""

    loop: float | None
    tangents: Tangents | npt.ArrayLike
    tcb: Sequence[float]
    ends: Ends
    unlimited: bool
    axis: Any
    axis_frame: Frame
    swing: Sequence[float]
    twist: Sequence[float]
    tangents_in: Any
    tangents_out: Any
    positions: Any
    positions_in: Any
    positions_out: Any
    scales: Any
    scales_in: Any
    scales_out: Any
    vector_method: VectorMethod
    key_format: KeyFormat
    scalar_first: bool
    engine: Engine | None
