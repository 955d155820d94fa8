# SPDX-License-Identifier: MIT
"""Keyword arguments that are passed on, as types: a type checker refuses other words.

At run time they are checked where they are used: `_batch_options.py` and `_curve.py`. None is as if left
out, in batches.
"""
from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Literal, TypedDict, Union

import numpy.typing as npt

from ._engine import Engine
from ._names import (AuthoredMethod, EndRule, Ends, Euler, Format, Frame, KeyFormat, Tangents,
                     VectorMethod)
from ._rates import Rate

__all__ = ["BatchOptions", "CurveOptions", "ReadOptions", "ReduceOptions"]

Length = Literal["mm", "cm", "dm", "m", "in", "ft"]
_File = Union[str, PathLike[str]]


class CurveOptions(TypedDict, total=False):
    """Those of ``RotationCurve``, without its keys and times."""

    loop: float | None
    tangents: Tangents | npt.ArrayLike
    tcb: Sequence[float]
    ends: Ends
    limit: bool
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


class ReadOptions(TypedDict, total=False):
    """How the files of a batch are read."""

    format: Format | None
    source_rate: Rate | None
    literal_rate: bool | None
    strict: bool | None
    layout: _File | None
    skeleton: _File | None
    rates: _File | None
    nan: Literal["hold"] | None
    bvh_position: Literal["replace", "add"] | None
    clip: str | int | Sequence[str | int] | None
    memory: int | str | None


class ReduceOptions(ReadOptions, total=False):
    """Those of `posemill reduce` for files and folders, beside the bounds."""

    files_from: _File | None
    match: str | None
    executor: Any
    resume: bool
    verify: bool
    overwrite: bool
    jobs: int | None
    parts: int | None
    records: _File | None
    progress: Callable[[int, int], None] | None


class BatchOptions(ReadOptions, total=False):
    """Those of `posemill resample`."""

    to: Format | None
    method: AuthoredMethod | None
    tangents: Tangents | _File | Sequence[float] | None
    ends: Ends | None
    unlimited: bool | None
    axis: _File | Sequence[float] | None
    axis_frame: Frame | None
    swing: str | Sequence[float] | None
    twist: str | Sequence[float] | None
    loop: Rate | None
    lowpass: float | Literal["auto"] | None
    start: Rate | None
    end: Rate | None
    end_rule: EndRule | None
    trim_start: int | None
    fill: str | bool | None
    fill_max: float | None
    keep_time: bool | None
    max_frames: int | None
    up: Literal["y", "z"] | None
    to_up: Literal["y", "z", "keep"] | None
    unit: Length | float | None
    to_unit: Length | Literal["keep"] | float | None
    scale: Rate | None
    euler: Euler | None
    decimals: int | None
    extract_root: str | None
    root_node: str | None
    root_name: str | None
    root_axes: str | None
    keep_heading: bool | None
    keep_position: bool | None
    check: bool | None
    device: str | None
    reference: bool | None
