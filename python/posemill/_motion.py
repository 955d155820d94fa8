# SPDX-License-Identifier: MIT
"""Motion files: reading, resampling, converting."""
from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from functools import cached_property
from numbers import Real
from typing import IO, Any, NoReturn

from ._clip import Clip
from ._content import Content, refuse_pickle
from ._display import Row, table
from ._engine import Engine, engine_or_default
from ._library import Path, call, ffi, file_name, lib, printable, text
from ._pages import Page, Pair, Side, page_of
from ._rational import Number, rate_of, rational
from ._resampling import Resampling, clip_index
from ._skeleton import Skeleton
from ._views import Array

__all__ = ["Motion", "MotionWarning", "convert", "load"]

_FORMATS = {text(lib.pm_motion_format_name(f)): f
            for f in range(1, int(lib.PM_MOTION_FORMAT_COUNT))}
_EULER = {name: int(getattr(lib, f"PM_EULER_{name}")) for name in
          ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "XYX", "XZX", "YXY", "YZY", "ZXZ", "ZYZ")}
_TURNS = {None: lib.PM_MOTION_TURN_NONE, "z-to-y": lib.PM_MOTION_TURN_Z_TO_Y,
          "y-to-z": lib.PM_MOTION_TURN_Y_TO_Z}


class MotionWarning(UserWarning):
    """What is odd about a motion file, or what another format cannot hold."""


def format_number(name: str | None) -> int:
    """The pm_motion_format of a name; 0 for None."""
    if name is None:
        return 0
    if not isinstance(name, str):
        raise TypeError(f"format: expected a text, found {type(name).__name__}")
    if name.lower() not in _FORMATS:
        raise ValueError(f"format: {name!r} is unknown; expected {', '.join(_FORMATS)}")
    return _FORMATS[name.lower()]


@ffi.def_extern(name="python_keep_text")  # type: ignore[untyped-decorator]
def _keep_text(into: Any, message: Any) -> None:
    ffi.from_handle(into).append(printable(text(message)))


class Motion:
    """A motion file, or its resampled copy: nodes with a rest pose, and clips.

    Made by :func:`load` and :meth:`resample`. Arrays are read-only views of the memory of the C
    library wherever its layout allows, and keep that memory alive.

    Attributes
    ----------
    name : str
        What pages call it: the path, and how it was resampled.

    Examples
    --------
    >>> import posemill as pm
    >>> m = pm.load("walk.bvh")
    >>> m
    Motion(bvh, 21 joints, 1 clip, 61 frames)
    >>> m.names[:2], m.parents[:3]
    (('Hips', 'Spine'), array([-1,  0,  1], dtype=int32))
    >>> m.resample(50, method="spline").save("walk50.glb")
    """

    def __init__(self) -> None:
        raise TypeError("motions are made by posemill.load")

    _content: Content
    _resampling: tuple[Content, Resampling] | None
    name: str

    @classmethod
    def _of(cls, content: Content, name: str,
            resampling: tuple[Content, Resampling] | None = None) -> Motion:
        self = cls.__new__(cls)
        self._content = content
        self._resampling = resampling
        self.name = name
        return self

    @property
    def format(self) -> str:
        """``"bvh"``, ``"gltf"``, ``"glb"``, ``"npz"`` or ``"csv"``: what it was read from."""
        return text(lib.pm_motion_format_name(self._content.c.format))

    @property
    def layout(self) -> str:
        """Of NPZ: the name of the layout; else empty."""
        return text(self._content.c.layout)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the joints, or nodes; empty for files without a skeleton."""
        return self._content.names

    @property
    def parents(self) -> Array:
        """Index of each joint's parent, -1 for a root. Parents may come after their children."""
        return self._content.parents

    @property
    def notes(self) -> tuple[str, ...]:
        """What is odd about the file, a sentence each."""
        c = self._content.c
        return tuple(text(c.notes[i]) for i in range(c.note_count))

    @property
    def carried(self) -> tuple[str, ...]:
        """What else the file has, such as ``"3 meshes"``: only its own format can hold it."""
        c = self._content.c
        return tuple(text(c.carried[i]) for i in range(c.carried_count))

    @cached_property
    def clips(self) -> tuple[Clip, ...]:
        """All clips."""
        return tuple(Clip(self._content, i) for i in range(self._content.c.clip_count))

    @property
    def skeleton(self) -> Skeleton:
        """The joints of the first skin with their ancestors; without skins all nodes."""
        return self.skin(0)

    def skin(self, index: int) -> Skeleton:
        """The skeleton of a skin; without skins all nodes, whatever the index."""
        if not 0 <= index < max(1, int(self._content.c.skin_count)):
            raise ValueError(f"skin: {index} is none of {self._content.c.skin_count}")
        return Skeleton._of(self._content, index)

    def resample(self, rate: Number, method: str | None = None, *,
                 clips: Iterable[int | str] | None = None, start: Number | None = None,
                 end: Number | None = None, end_rule: str = "fit", trim_start: int = 0,
                 max_samples: int = 0, engine: Engine | None = None, **curve: Any) -> Motion:
        """Samples the clips at another rate.

        Parameters
        ----------
        rate : int, float, str or Fraction
            Samples per second, exact: 29.97 is 2997/100, ``"30000/1001"`` NTSC; ``"x2"`` and
            ``"/4"`` are relative to the first clip.
        method : str, optional
            For rotations; positions and scales take the vector method of the same class.
            ``"authored"``: each channel by its own interpolation. Default: authored for glTF,
            else slerp.
        clips : iterable of int or str, optional
            Indices or names of the clips to resample; the others remain. Default: all.
        start, end : number, optional
            Seconds after the first key. Default: the first key, the last key.
        end_rule : str
            ``"fit"``: the last sample is the last multiple of the step that fits; ``"include"``:
            one more at the end itself.
        trim_start : int
            Frames to drop first, of clips with a rate.
        max_samples : int
            Of a clip; more are refused. 0: 1e8.
        engine : Engine, optional
            Default: the best device there is.
        **curve
            Parameters of the method: ``tangents`` (``"bessel"``, ``"mean"``, ``"hold"``, or a
            tuple of tension, continuity and bias), ``ends`` (``"chord"``, ``"natural"``,
            ``"parabola"``, ``"zero"``), ``limit`` (of squad), ``loop`` (seconds), ``axis``,
            ``axis_frame``, ``swing`` and ``twist`` (of sterp).

        Returns
        -------
        Motion
            In memory. Saved in the format of its file it is resampled from there once more, so
            that samples at the time of a frame keep the text of that frame.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.load("walk.bvh").resample("x2", "squad").clips[0].rate
        Fraction(60, 1)
        """
        resampling = Resampling(self._content, rate, method, clips, start, end, end_rule,
                                trim_start, max_samples, engine_or_default(engine), curve)
        made = ffi.new("pm_motion **")
        call(lib.pm_motion_resample_copy, self._content.handle, resampling.engine,
             resampling.options, made, ffi.NULL)
        return Motion._of(Content(made[0], is_copy=True), f"{self.name}, resampled to {rate}",
                          (self._content, resampling))

    def show(self, clip: int | str = 0) -> Page:
        """A page with the skeleton, which plays, and its curves.

        Parameters
        ----------
        clip : int or str
            Its index or name.

        Returns
        -------
        Page
            A notebook shows it; else ``show().open()`` or ``show().save(path)``.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.load("walk.bvh").show().save("walk.html")
        """
        return page_of(self._alone(clip), "Motion.show()")

    def plot(self, joint: int | str | None = None, clip: int | str = 0) -> Page:
        """A page with the curves of a joint: angle, angular speed and acceleration.

        Parameters
        ----------
        joint : int or str, optional
            The joint that is chosen at first, by its index or name; the page can choose others.
        clip : int or str
            Its index or name.

        Returns
        -------
        Page
            As of :meth:`show`.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.load("walk.bvh").plot("LeftFoot").save("curves.html")
        """
        return page_of(self._alone(clip), "Motion.plot()", hides_poses=True,
                       joint=-1 if joint is None else self._joint(joint))

    def _alone(self, clip: int | str) -> Pair:
        side = Side(self._content, clip_index(self._content, clip), self.name)
        return Pair(side, side)

    def _joint(self, joint: int | str) -> int:
        if isinstance(joint, str):
            if joint not in self.names:
                raise ValueError(f"joint: none is named {joint!r}")
            return self.names.index(joint)
        if isinstance(joint, bool) or not hasattr(joint, "__index__"):
            raise TypeError(f"joint: expected an index or a name, found {type(joint).__name__}")
        if joint.__index__() < 0:
            raise ValueError(f"joint: {joint} is below 0")
        return joint.__index__()

    def save(self, path: Path, *, format: str | None = None, clip: int | str | None = None,
             decimals: int = 6, strict: bool = False, euler: str = "ZXY", scale: float = 1.0,
             turn: str | None = None, make_folders: bool = False) -> None:
        """Writes a file, which appears when it is complete.

        A motion that was not resampled is written in its own format as it was read.

        Parameters
        ----------
        path : str or PathLike
            Its extension is the format.
        format : str, optional
            ``"bvh"``, ``"gltf"``, ``"glb"``, ``"npz"`` or ``"csv"``, for names without one.
        clip : int or str, optional
            Of formats that hold one clip. Default: the first.
        decimals : int
            Of computed numbers in text, 1 to 9.
        strict : bool
            Refuses a motion that the format cannot hold whole, in place of a warning.
        euler : str
            Order of rotations in BVH.
        scale : float
            Multiplies all lengths.
        turn : str, optional
            ``"z-to-y"`` or ``"y-to-z"``: turns the world, so that another axis points up.
        make_folders : bool
            Creates the folder of the file.
        """
        number = format_number(format) or lib.pm_motion_find_format(file_name(path))
        if not isinstance(decimals, int) or not 1 <= decimals <= 9:
            raise ValueError(f"decimals: {decimals!r} is not an integer from 1 to 9")
        if not isinstance(scale, Real) or not scale > 0.0:
            raise ValueError(f"scale: {scale!r} is not a number above 0")
        if not isinstance(euler, str) or euler.upper() not in _EULER:
            raise ValueError(f"euler: {euler!r} is unknown; expected one of {', '.join(_EULER)}")
        if not isinstance(turn, (str, type(None))) or turn not in _TURNS:
            raise ValueError(f"turn: {turn!r} is unknown; expected 'z-to-y' or 'y-to-z'")
        if (scale == 1.0 and turn is None and clip is None and self._resampling is not None
                and self._resampling[1].save(self._resampling[0], file_name(path), number,
                                             decimals, make_folders)):
            return
        chosen = clip_index(self._content, clip) if clip is not None else self._first_resampled()
        left_out: list[str] = []
        into = ffi.new_handle(left_out)
        options = ffi.new("pm_motion_convert_options *", {
            "format": number, "clip": chosen, "euler_given": True, "euler": _EULER[euler.upper()],
            "scale": scale, "turn": _TURNS[turn], "strict": bool(strict),
            "make_folders": bool(make_folders), "decimals": decimals,
            "left_out": lib.python_keep_text, "left_out_user": into})
        call(lib.pm_motion_convert, self._content.handle, options, file_name(path))
        if left_out:
            _warn([f"{os.fspath(path)}: left out: {', '.join(left_out)}"])

    def _first_resampled(self) -> int:
        chosen = self._resampling[1].clips if self._resampling else None
        return min(chosen) if chosen else 0

    def __reduce__(self) -> NoReturn:
        refuse_pickle(self)

    def _sizes(self) -> list[str]:
        joints, clips = len(self.names), len(self.clips)
        return ([f"{joints} joint{'' if joints == 1 else 's'}"] if joints else []) + [
            f"{clips} clip{'' if clips == 1 else 's'}",
            f"{sum(len(c.times) for c in self.clips)} frames"]

    def __repr__(self) -> str:
        return f"Motion({', '.join([self.format, *self._sizes()])})"

    def _repr_html_(self) -> str:
        shown = [c.name or "(no name)" for c in self.clips[:5]]
        more = [f"{len(self.clips) - 5} more"] if len(self.clips) > 5 else []
        return table(f"Motion, {self.format}{self.layout and ', ' + self.layout}", [
            Row("holds", ", ".join(self._sizes())),
            Row("joints", ", ".join(self.names[:8]) + (", …" if len(self.names) > 8 else "")),
            Row("clips", ", ".join(shown + more)),
            Row("carried", ", ".join(self.carried)),
            Row("notes", "; ".join(self.notes[:3]))])


def _warn(messages: Iterable[str]) -> None:
    for message in messages:
        warnings.warn(message, MotionWarning, stacklevel=3)


def _read_options(format: str | None, rate: Number | None, layout: str | None,
                  rates: Path | None, strict: bool, hold_nan: bool, bvh_adds_offset: bool,
                  snap: bool) -> tuple[Any, list[Any]]:
    """A pm_motion_read_options, and what it points to."""
    if layout is not None and not isinstance(layout, (str, os.PathLike)):
        raise TypeError(f"layout: expected a text, found {type(layout).__name__}")
    keep = [ffi.NULL if name is None else ffi.new("char[]", file_name(name))
            for name in (layout, rates)]
    exact = None if rate is None else rate_of(rate)
    options = ffi.new("pm_motion_read_options *", {
        "format": format_number(format), "layout": keep[0], "rates_file": keep[1],
        "source_rate": rational(exact), "strict": bool(strict), "hold_nan": bool(hold_nan),
        "bvh_adds_offset": bool(bvh_adds_offset), "no_snap": not snap})
    return options, keep


def _parse(file: IO[bytes], options: Any) -> Content:
    if not hasattr(file, "read"):
        raise TypeError(f"path: expected a path or a file object, found {type(file).__name__}")
    data = file.read()
    if isinstance(data, str):
        raise TypeError("path: the file object gives text; open the file in binary mode")
    held = ffi.from_buffer(bytes(data))
    name = getattr(file, "name", None)
    label = os.fsencode(name) if isinstance(name, (str, os.PathLike)) else b"file"
    # A name without a known extension says nothing about the format.
    known = b"\0" not in label and lib.pm_motion_find_format(label) != lib.PM_MOTION_ANY
    made = ffi.new("pm_motion **")
    call(lib.pm_motion_parse, held, len(held), label if known else b"file", ffi.NULL, options, made)
    return Content(made[0], data=held)


def _label(path: Path | IO[bytes]) -> str:
    """What people call a file."""
    name = path if isinstance(path, (str, os.PathLike)) else getattr(path, "name", None)
    return os.fsdecode(name) if isinstance(name, (str, bytes, os.PathLike)) else "file"


def load(path: Path | IO[bytes], format: str | None = None, *, rate: Number | None = None,
         layout: str | None = None, rates: Path | None = None, strict: bool = False,
         hold_nan: bool = False, bvh_adds_offset: bool = False, snap: bool = True) -> Motion:
    """Reads a motion file: BVH, glTF, GLB, NPZ or CSV.

    Parameters
    ----------
    path : str, PathLike or binary file object
        A file object is read to its end; files that a glTF file in it refers to are not read.
    format : str, optional
        Default: by the name's extension, or the first bytes.
    rate : number, optional
        Frames per second instead of the file's.
    layout : str, optional
        Of NPZ: ``"amass"``, ``"amass-x"``, ``"beyondmimic"``, ``"isaaclab"``, ``"plain"``, or a
        JSON file with a layout. Default: by the names of the members.
    rates : path, optional
        Of NPZ: a file with rates of paths.
    strict : bool
        Refuses a file whose parts disagree, in place of a warning.
    hold_nan : bool
        A value that is not finite takes that of the frame before.
    bvh_adds_offset : bool
        Positions are relative to OFFSET instead of replacing it.
    snap : bool
        False: the frame time exactly as written; .0083333 is not 120 Hz.

    Returns
    -------
    Motion

    Raises
    ------
    ValueError
        The file cannot be used; the message says where and why.
    OSError
        It is not there, or cannot be read.

    Examples
    --------
    >>> import posemill as pm
    >>> pm.load("walk.bvh").clips[0].rotations[0, 1].round(3).tolist()
    [0.025, 0.0, 0.0, 1.0]
    """
    options, keep = _read_options(format, rate, layout, rates, strict, hold_nan, bvh_adds_offset,
                                  snap)
    if not isinstance(path, (str, os.PathLike)):
        content = _parse(path, options)
    else:
        name = file_name(path)
        with open(path, "rb"):  # the exceptions of Python for what is not there
            pass
        made = ffi.new("pm_motion **")
        call(lib.pm_motion_open, name, options, made)
        content = Content(made[0])
    del keep
    motion = Motion._of(content, _label(path))
    _warn(motion.notes)
    return motion


def convert(source: Path | IO[bytes], target: Path, **options: Any) -> None:
    """Converts a file to the format of another name: :func:`load` and :meth:`Motion.save`.

    Parameters
    ----------
    source, target : path
        As for these functions.
    **options
        ``format``, ``rate``, ``layout``, ``rates``, ``hold_nan``, ``bvh_adds_offset`` and ``snap``
        are of the source, all others of the target; ``strict`` is of both.

    Examples
    --------
    >>> import posemill as pm
    >>> pm.convert("walk.bvh", "walk.glb", scale=0.01)
    """
    of_source = {name: options.pop(name) for name in _OF_SOURCE if name in options}
    strict = bool(options.pop("strict", False))
    load(source, strict=strict, **of_source).save(target, strict=strict, **options)


_OF_SOURCE = ("format", "rate", "layout", "rates", "hold_nan", "bvh_adds_offset", "snap")
