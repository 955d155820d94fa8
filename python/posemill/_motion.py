# SPDX-License-Identifier: MIT
"""Motion files: reading, resampling, converting."""
from __future__ import annotations

import os
import stat
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from numbers import Real
from typing import IO, Any, Literal

import numpy as np
import numpy.typing as npt

from ._archive import archive_of
from ._clip import Clip, ClipList
from ._content import Content
from ._display import Row, table
from ._edit import cut_of, edited, filled, join_contents, mirrored
from ._engine import Engine
from ._library import Path, call, error_text, ffi, file_name, lib, printable, text
from ._names import EULER_ORDERS, AuthoredMethod, EndRule, Euler, Format, Frame, PictureView, Turn
from ._pages import Page, Pair, Part, Side, page_of, write_picture
from ._poses import Poses
from ._rational import Number, rate_of, rational
from ._reducing import Reducing
from ._resampling import Resampling, clip_index, first_clip
from ._root import UPS, axes_of, extracted
from ._skeleton import Skeleton

__all__ = ["Motion", "MotionWarning", "convert", "join", "load", "mirror"]

_FORMATS = {text(lib.pm_motion_format_name(f)): f
            for f in range(1, lib.pm_motion_format_count())}
_TURNS = {None: (0, 0), "z-to-y": (lib.PM_MOTION_UP_Z, lib.PM_MOTION_UP_Y),
          "y-to-z": (lib.PM_MOTION_UP_Y, lib.PM_MOTION_UP_Z)}


class MotionWarning(UserWarning):
    """A motion file is unusual, or another format cannot hold all of it.

    Examples
    --------
    >>> import warnings
    >>> import posemill as pm
    >>> warnings.simplefilter("error", pm.MotionWarning)  # what is unusual is refused from now on
    >>> warnings.simplefilter("default", pm.MotionWarning)
    """


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
    """A motion file, its resampled copy, or arrays: nodes with a rest pose, and clips.

    Made by :func:`load`, by :meth:`resample`, or from arrays. Arrays are read-only views of the
    memory of the C library wherever its layout allows, and keep that memory alive.

    Parameters
    ----------
    rotations : array_like
        (frames, joints, 4) quaternions x y z w, relative to the parents.
    positions : array_like, optional
        (frames, joints, 3) relative to the parents, or (frames, 3) of the first root. Default: the
        rest pose.
    rate : number
        Frames per second.
    parents : array_like of int, optional
        Of each joint its parent; -1: a root. Default: there is no skeleton.
    names : sequence of str, optional
        Of the joints.
    offsets, rest_rotations, rest_scales : array_like, optional
        The rest pose relative to the parents: (joints, 3), (joints, 4) x y z w, (joints, 3). Default:
        0, no rotation and 1.

    Attributes
    ----------
    name : str
        What pages call it: the path, and how it was resampled.

    Notes
    -----
    A pickle of a motion has the path of its file, which must still be there unchanged, or the bytes
    of a file object or of arrays; of a resampled motion also how it was resampled.

    Examples
    --------
    >>> import numpy as np, posemill as pm
    >>> m = pm.load("walk.bvh")
    >>> m
    Motion(bvh, 21 joints, 1 clip, 61 frames, 30 Hz, 2 s)
    >>> m.names[:2], m.parents[:3]
    (('Hips', 'Spine'), array([-1,  0,  1], dtype=int32))
    >>> m.resample(50, method="spline").save("walk50.glb")
    >>> still = np.tile([0.0, 0.0, 0.0, 1.0], (31, 2, 1))
    >>> pm.Motion(still, None, 30, [-1, 0], ["hips", "spine"])
    Motion(npz, 2 joints, 1 clip, 31 frames, 30 Hz, 1 s)
    """

    def __init__(self, rotations: npt.ArrayLike, positions: npt.ArrayLike | None = None,
                 rate: Number | None = None, parents: npt.ArrayLike | None = None,
                 names: Sequence[str] | None = None, *, offsets: npt.ArrayLike | None = None,
                 rest_rotations: npt.ArrayLike | None = None,
                 rest_scales: npt.ArrayLike | None = None) -> None:
        if rate is None:
            raise TypeError("rate: expected frames per second")
        exact = rate_of(rate)
        data = archive_of(exact, {
            "rotations": rotations, "positions": positions, "parents": parents, "names": names,
            "offsets": offsets, "rest_rotations": rest_rotations, "rest_scales": rest_scales})
        self._content = _parse(data, b"arrays", {**READING, "format": "npz", "layout": "plain",
                                                 "source_rate": exact})
        self._resampling = None
        self.name = "arrays"

    _content: Content
    _resampling: Resampling | Reducing | None
    name: str

    @classmethod
    def _of(cls, content: Content, name: str,
            resampling: Resampling | Reducing | None = None) -> Motion:
        self = cls.__new__(cls)
        self._content = content
        self._resampling = resampling
        self.name = name
        return self

    @property
    def format(self) -> str:
        """The format of the source: ``"bvh"``, ``"gltf"``, ``"glb"``, ``"npz"`` or ``"csv"``."""
        return text(lib.pm_motion_format_name(self._content.c.format))

    @property
    def layout(self) -> str:
        """The name of the layout of an NPZ file; empty for other formats."""
        return text(self._content.c.layout)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the joints or nodes; empty if the file has no skeleton."""
        return self._content.names

    @property
    def parents(self) -> npt.NDArray[np.int32]:
        """The index of each joint's parent; -1 for a root. Parents may come after their children."""
        return self._content.parents

    @property
    def notes(self) -> tuple[str, ...]:
        """What is unusual about the file, one sentence each."""
        c = self._content.c
        return tuple(error_text(c.notes[i]) for i in range(c.note_count))

    @property
    def carried(self) -> tuple[str, ...]:
        """What else the file contains, such as ``"3 meshes"``: only its own format can hold it."""
        c = self._content.c
        return tuple(text(c.carried[i]) for i in range(c.carried_count))

    @cached_property
    def clips(self) -> ClipList:
        """All clips, by their index or their name."""
        return ClipList(Clip(self._content, i) for i in range(self._content.c.clip_count))

    @property
    def skeleton(self) -> Skeleton:
        """The joints of the first skin and their ancestors, or all nodes if there is no skin."""
        return self.skin(0)

    def skin(self, index: int) -> Skeleton:
        """The skeleton of a skin; without skins all nodes, whatever the index.

        Examples
        --------
        >>> import posemill as pm
        >>> len(pm.load("walk.bvh").skin(0).names)
        21
        """
        if not 0 <= index < max(1, int(self._content.c.skin_count)):
            raise ValueError(f"skin: {index} is none of {self._content.c.skin_count}")
        return Skeleton._of(self._content, index)

    def at(self, times: npt.ArrayLike, method: AuthoredMethod | None = None, *,
           clip: int | str = 0, frame: Frame = "body", engine: Engine | None = None) -> Poses:
        """Sample a clip at any times: rotations, positions, scales and velocities.

        Parameters
        ----------
        clip : int or str
            Its index or name.
        times, method, frame, engine
            As of :meth:`Clip.at`.

        Returns
        -------
        Poses

        Examples
        --------
        >>> import posemill as pm
        >>> pm.load("walk.bvh").at([0.1, 0.2]).angular_velocities.shape
        (2, 21, 3)
        """
        chosen = self.clips[clip_index(self._content, clip)]
        return chosen.at(times, method, frame=frame, engine=engine)

    def resample(self, rate: Number, method: AuthoredMethod | None = None, *,
                 clips: Iterable[int | str] | None = None, start: Number | None = None,
                 end: Number | None = None, end_rule: EndRule = "fit", trim_start: int = 0,
                 keep_time: bool = False, max_samples: int = 0,
                 lowpass: float | Literal["auto"] | None = None, engine: Engine | None = None,
                 **curve: Any) -> Motion:
        """Resample the clips to another rate.

        Parameters
        ----------
        rate : int, float, str or Fraction
            Samples per second, exact: 29.97 is 2997/100, ``"30000/1001"`` NTSC; ``"x2"`` and
            ``"/4"`` are relative to the first clip.
        method : str, optional
            For rotations; positions and scales take the vector method of the same class.
            ``"authored"``: each channel by its own interpolation. Default: authored for glTF
            and splines, else slerp.
        clips : iterable of int or str, optional
            Indices or names of the clips to resample; the others remain. Default: all.
        start, end : number, optional
            Seconds after the first key. Default: the first key, the last key.
        end_rule : str
            ``"fit"``: the last sample is the last multiple of the step that fits; ``"include"``:
            one more at the end itself.
        trim_start : int
            Frames to drop first, of clips with a rate.
        keep_time : bool
            With start or trim_start the result begins at 0; true: samples keep their times.
        max_samples : int
            Of a clip; more are refused. 0: 1e8.
        lowpass : float or "auto", optional
            Cut-off in Hz of a low-pass without a delay, of clips with a rate; ``"auto"``: 0.45 of the
            smaller rate, so that a lower rate does not alias. Samples on frames are then no longer
            those frames.
        engine : Engine, optional
            Default: plain C, or, for so many samples that opening it pays, the best GPU there is.
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
                                trim_start, keep_time, max_samples, lowpass, engine, curve)
        content = resampling.run()
        for message in resampling.warnings():
            warnings.warn(message, MotionWarning, stacklevel=2)
        return Motion._of(content, f"{self.name}, resampled to {rate}", resampling)

    def extract_root(self, joint: str | None = None, *, root: str | None = None, add: bool = False,
                     name: str | None = None, up: str | None = None, axes: str | None = None,
                     keep_position: bool = False, keep_heading: bool = False) -> Motion:
        """Move the root along with a joint, usually the hips, for :meth:`Crowd.root_motion`.

        The root receives the turn of the joint about the axis that points up, and its position on
        the ground, both relative to the joint's rest pose. The rest of the motion stays in the
        joint. At the keys of the root, the poses of all other nodes in the world do not change.

        Parameters
        ----------
        joint : str, optional
            Name of the joint. Default: the first whose position changes in a clip.
        root : str, optional
            Name of the node above it that receives the motion. Default: the highest, or a node
            that is added above it, where the rest pose of the highest is more than a shift upwards.
        add : bool
            Whether a node is added in any case.
        name : str, optional
            Of a node that is added. Default: ``"root"``, or ``"root2"`` and so on.
        up : str, optional
            ``"y"`` or ``"z"``, which points up. Default: that of the format, unless the figure
            stands along the other one.
        axes : str, optional
            Axes of the world along which positions are extracted, such as ``"z"``. Default: the two
            that are horizontal.
        keep_position, keep_heading : bool
            Whether positions, and turns, stay in the joint.

        Returns
        -------
        Motion
            In memory. A file of it has no meshes.

        Examples
        --------
        >>> import posemill as pm
        >>> moving = pm.load("walk.bvh").extract_root("Hips")
        >>> moving.names[-1], moving.names[moving.parents[0]]
        ('root', 'root')
        """
        for option, value in (("joint", joint), ("root", root), ("name", name)):
            if value is not None and not isinstance(value, str):
                raise TypeError(f"{option}: expected a text, found {type(value).__name__}")
            if value is not None and "\0" in value:
                raise ValueError(f"{option}: has a NUL character")
        if up not in UPS:
            raise ValueError(f"up: {up!r} is unknown; expected 'y' or 'z'")
        names = {"joint": joint, "root": root, "new_name": name}
        content = extracted(self._content, {
            **{field: value for field, value in names.items() if value is not None},
            "add": bool(add), "up": UPS[up], "axes": axes_of(axes, "axes"),
            "keep_position": bool(keep_position), "keep_heading": bool(keep_heading)})
        return Motion._of(content, f"{self.name}, with root motion")

    def mirror(self, plane: str | None = None, *, pairs: Path | None = None, robot: Skeleton | None = None) -> Motion:
        """Swap left and right: a wave of the left hand becomes a wave of the right hand.

        Parameters
        ----------
        plane : str, optional
            ``"x"``, ``"y"`` or ``"z"``: the axis that points from right to left. Default: the one across which
            the rest pose maps most pairs.
        pairs : path, optional
            A file with two names of joints on each line. Default: by their names, as `posemill mirror`. Other
            joints are mirrored in their places.
        robot : Skeleton, optional
            The skeleton of a robot, for files of robots, which have no joints: signs of angles follow from the
            axes of its hinges.

        Returns
        -------
        Motion
            In memory. Twice is the identity. `notes` say how the plane was found, and name pairs that are no
            mirror images at rest, with their distance.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.load("walk.bvh").mirror().save("mirrored.bvh")
        """
        if robot is None:
            return Motion._of(mirrored(self._content, plane, pairs), f"{self.name}, mirrored")
        from ._robot_mirror import mirrored_robot
        return Motion._of(mirrored_robot(self._content, robot, plane, pairs), f"{self.name}, mirrored")

    def edit(self, *, start: Number | None = None, end: Number | None = None,
             frames: tuple[int | None, int | None] | None = None, repeat: int = 1,
             blend: float = 0.0, continue_root: bool = False,
             joints: Iterable[str] | None = None, rename: Mapping[str, str] | None = None) -> Motion:
        """Cut and repeat all clips, then select and rename joints, in this order.

        Parameters
        ----------
        start, end : number, optional
            Seconds after the first key, both included. Default: the first key, the last key.
        frames : pair of int, optional
            The first and the last frame in place of seconds; None: that of the clip.
        repeat : int
            How many times clips are played.
        blend, continue_root
            With repeat, as of :func:`join`.
        joints : iterable of str, optional
            Names of joints that are kept. Those that are left out are multiplied into those below them,
            which stay where they were in the world. Default: all.
        rename : mapping of str to str, optional
            New names of joints by their old ones.

        Returns
        -------
        Motion
            In memory. It begins at 0.

        Examples
        --------
        >>> import posemill as pm
        >>> walk = pm.load("walk.bvh")
        >>> walk.edit(frames=(10, 40), repeat=2)
        Motion(bvh, 21 joints, 1 clip, 62 frames, 30 Hz, 2.03333 s)
        >>> walk.edit(joints=["Hips", "LeftFoot"], rename={"Hips": "root"}).names
        ('root', 'LeftFoot')
        """
        content = edited(self._content, cut_of(start, end, frames), repeat, float(blend), continue_root,
                         joints, rename)
        return Motion._of(content, f"{self.name}, edited")

    def cut(self, start: Number | None = None, end: Number | None = None, *,
            frames: tuple[int | None, int | None] | None = None) -> Motion:
        """Return the part between two times, as :meth:`edit` does.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.load("walk.bvh").cut(0.5, 1)
        Motion(bvh, 21 joints, 1 clip, 16 frames, 30 Hz, 0.5 s)
        """
        return self.edit(start=start, end=end, frames=frames)

    def show(self, clip: int | str = 0, *, up: str | None = None, unit: float | None = None,
             start: Number | None = None, end: Number | None = None, trim_start: int = 0) -> Page:
        """Return a page that plays the skeleton and shows its curves.

        Parameters
        ----------
        clip : int or str
            Its index or name.
        up, unit, start, end, trim_start
            As of :func:`compare`. The page says where the axis that points up was guessed.

        Returns
        -------
        Page
            A notebook shows it; else ``show().open()`` or ``show().save(path)``.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.load("walk.bvh").show().save("walk.html")
        """
        if unit is not None and not 0.0 < unit < float("inf"):
            raise ValueError(f"unit: {unit!r} is not above 0")
        pair = self._alone(clip)
        return page_of(Pair(pair.a, pair.b, unit=unit or 0.0,
                            part=Part.of(start, end, trim_start, up)), "Motion.show()")

    def draw(self, path: Path, clip: int | str = 0, *, size: tuple[int, int] = (0, 0), view: PictureView = "front",
             poses: int = 0, up: str | None = None, start: Number | None = None, end: Number | None = None,
             trim_start: int = 0) -> None:
        """Write a picture of the skeleton: a strip of poses with their times, or an animation.

        Parameters
        ----------
        path : path
            ``.svg``, or ``.gif``, which requires a library with giflib; wheels have none.
        clip : int or str
            Its index or name.
        size : (int, int)
            Width and height in pixels. (0, 0): 960 x 320 of SVG, 320 x 320 of GIF.
        view : str
            ``"front"``, ``"side"``, ``"top"`` or ``"back"``.
        poses : int
            From the first to the last time. 0: as many as fit, or 25 in each second of a GIF.
        up, start, end, trim_start
            As of :func:`compare`.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.load("walk.bvh").draw("walk.svg", view="side", poses=8)
        """
        pair = self._alone(clip)
        write_picture(Pair(pair.a, pair.b, part=Part.of(start, end, trim_start, up)), file_name(path), size, view,
                      poses)

    def plot(self, joint: int | str | None = None, clip: int | str = 0) -> Page:
        """Return a page with the curves of a joint: angle, angular speed and acceleration.

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

    def save(self, path: Path, *, format: Format | None = None, clip: int | str | None = None,
             decimals: int | None = None, strict: bool = False, euler: Euler | None = None,
             scale: float = 1.0, turn: Turn | None = None, make_folders: bool = False) -> None:
        """Save the motion to a file, which appears once it is complete.

        A motion that was not resampled is written in its own format as it was read.

        Parameters
        ----------
        path : str or PathLike
            Its extension is the format.
        format : str, optional
            ``"bvh"``, ``"gltf"``, ``"glb"``, ``"npz"`` or ``"csv"``, for names without one.
        clip : int or str, optional
            Of formats that hold one clip; others refuse it. Default: the first.
        decimals : int, optional
            Of the numbers of BVH, 1 to 9; other formats refuse it. Default: those of the file where they do not change, else 6.
        strict : bool
            Refuses a motion that the format cannot hold whole, in place of a warning.
        euler : str, optional
            Order of rotations in BVH; other formats refuse it. Default: that of each joint of a BVH file, else ``"ZXY"``.
        scale : float
            Multiplies all lengths.
        turn : str, optional
            ``"z-to-y"`` or ``"y-to-z"``: turns the world, so that another axis points up.
        make_folders : bool
            Creates the folder of the file.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.load("walk.bvh").save("centimetres/walk.bvh", scale=100, make_folders=True)
        """
        number = format_number(format) or lib.pm_motion_find_format(file_name(path))
        if decimals is not None and (not isinstance(decimals, int) or not 1 <= decimals <= 9):
            raise ValueError(f"decimals: {decimals!r} is not an integer from 1 to 9")
        if not isinstance(scale, Real) or not scale > 0.0:
            raise ValueError(f"scale: {scale!r} is not a number above 0")
        if euler is not None and (not isinstance(euler, str) or euler.upper() not in EULER_ORDERS):
            raise ValueError(f"euler: {euler!r} is unknown; expected one of {', '.join(EULER_ORDERS)}")
        if not isinstance(turn, (str, type(None))) or turn not in _TURNS:
            raise ValueError(f"turn: {turn!r} is unknown; expected 'z-to-y' or 'y-to-z'")
        self._check_effect(number, {"decimals": decimals, "euler": euler}, clip)
        if (scale == 1.0 and turn is None and clip is None and euler is None
                and isinstance(self._resampling, Resampling)
                and self._resampling.save(file_name(path), number, decimals or 6, make_folders)):
            return
        chosen = clip_index(self._content, clip) if clip is not None else self._first_resampled()
        left_out: list[str] = []
        into = ffi.new_handle(left_out)
        options = ffi.new("pm_motion_convert_options *", {
            "format": number, "clip": chosen, "euler_given": euler is not None,
            "euler": EULER_ORDERS[euler.upper() if euler else "ZXY"],
            "scale": scale, "up": _TURNS[turn][0], "to_up": _TURNS[turn][1], "strict": bool(strict),
            "make_folders": bool(make_folders), "decimals": decimals or 0,
            "left_out": lib.python_keep_text, "left_out_user": into})
        call(lib.pm_motion_convert, self._content.handle, options, file_name(path))
        if left_out:
            _warn([f"{os.fspath(path)}: left out: {', '.join(left_out)}"])

    def _check_effect(self, number: int, of_bvh: dict[str, object], clip: int | str | None) -> None:
        """Refuses what the format of a file cannot have. 0: the format is not known."""
        name = text(lib.pm_motion_format_name(number))
        for option, value in of_bvh.items():
            if value is not None and number not in (0, lib.PM_MOTION_BVH):
                raise ValueError(f"{option}: is for BVH; the output has the format {name}")
        if clip is not None and name in ("gltf", "glb") and self._content.c.clip_count > 1:
            raise ValueError(f"clip: has no effect: {name} holds all clips")

    def _first_resampled(self) -> int:
        chosen = self._resampling.clips if self._resampling else None
        return min(chosen) if chosen else first_clip(self._content)

    def _sizes(self) -> list[str]:
        joints, clips = len(self.names), len(self.clips)
        return ([f"{joints} joint{'' if joints == 1 else 's'}"] if joints else []) + [
            f"{clips} clip{'' if clips == 1 else 's'}",
            f"{sum(len(c.times) for c in self.clips)} frames"]

    def __repr__(self) -> str:
        extent = [self.clips[0].extent] if len(self.clips) == 1 else []
        method = [self._resampling.method] if self._resampling else []
        return f"Motion({', '.join([self.format, *self._sizes(), *extent, *method])})"

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


def read_options(*, format: str | None, source_rate: Number | None, layout: Path | None,
                  skeleton: Path | None, rates: Path | None, strict: bool, hold_nan: bool,
                  bvh_adds_offset: bool, snap: bool, keep_nan: bool, rates_must_agree: bool,
                  angles_may_jump: bool) -> tuple[Any, list[Any]]:
    """A pm_motion_read_options, and what it points to."""
    if layout is not None and not isinstance(layout, (str, os.PathLike)):
        raise TypeError(f"layout: expected a text, found {type(layout).__name__}")
    keep = [ffi.NULL if name is None else ffi.new("char[]", file_name(name))
            for name in (layout, skeleton, rates)]
    exact = None if source_rate is None else rate_of(source_rate, "source_rate")
    options = ffi.new("pm_motion_read_options *", {
        "format": format_number(format), "layout": keep[0], "skeleton": keep[1],
        "rates_file": keep[2],
        "source_rate": rational(exact), "strict": bool(strict), "hold_nan": bool(hold_nan),
        "bvh_adds_offset": bool(bvh_adds_offset), "literal_rate": not snap,
        "keep_nan": bool(keep_nan), "rates_must_agree": rates_must_agree, "angles_may_jump": angles_may_jump})
    return options, keep


READING: dict[str, Any] = {
    "format": None, "source_rate": None, "layout": None, "skeleton": None, "rates": None, "strict": False,
    "hold_nan": False, "bvh_adds_offset": False, "snap": True, "keep_nan": False, "rates_must_agree": False,
    "angles_may_jump": False}
# Formats on which options of reading have an effect; those of others have it on all.
_FORMATS_OF = {"source_rate": ("bvh", "npz", "csv", "amc"), "layout": ("npz", "csv"), "rates": ("npz",),
               "bvh_adds_offset": ("bvh",)}


def _stamp(path: str) -> tuple[int, int]:
    """What changes with a file."""
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


def _open(path: str, reading: dict[str, Any], stamp: tuple[int, int] | None = None) -> Content:
    """Reads a file; of a pickle, which has the stamp, once more."""
    if not stat.S_ISFIFO(os.stat(path).st_mode):  # whose writer would see an end
        with open(path, "rb"):  # the exceptions of Python for what is not there
            pass
    found = _stamp(path)
    if stamp is not None and stamp != found:
        raise ValueError(f"{printable(path)}: has changed since the motion was read that was pickled")
    options, keep = read_options(**reading)
    made = ffi.new("pm_motion **")
    call(lib.pm_motion_open, file_name(path), options, made)
    del keep
    again = {name: _absolute(value) if name in ("layout", "skeleton", "rates") else value
             for name, value in reading.items()}
    return Content(made[0], (_open, (os.path.abspath(path), again, found)))


def _absolute(path: Path | None) -> Path | None:
    """Other processes may have another working folder. Names of layouts are no files."""
    return os.path.abspath(path) if path is not None and os.path.exists(path) else path


def _parse(data: bytes, label: bytes, reading: dict[str, Any]) -> Content:
    options, keep = read_options(**reading)
    held = ffi.from_buffer(data)
    made = ffi.new("pm_motion **")
    call(lib.pm_motion_parse, held, len(held), label, ffi.NULL, options, made)
    del keep
    return Content(made[0], (_parse, (data, label, reading)), data=held)


def _read(file: IO[bytes], reading: dict[str, Any]) -> Content:
    if not hasattr(file, "read"):
        raise TypeError(f"path: expected a path or a file object, found {type(file).__name__}")
    data = file.read()
    if isinstance(data, str):
        raise TypeError("path: the file object gives text; open the file in binary mode")
    name = getattr(file, "name", None)
    label = os.fsencode(name) if isinstance(name, (str, os.PathLike)) else b"file"
    # A name without a known extension says nothing about the format.
    known = b"\0" not in label and lib.pm_motion_find_format(label) != lib.PM_MOTION_ANY
    return _parse(bytes(data), label if known else b"file", reading)


def _label(path: Path | IO[bytes]) -> str:
    """What people call a file."""
    name = path if isinstance(path, (str, os.PathLike)) else getattr(path, "name", None)
    return os.fsdecode(name) if isinstance(name, (str, bytes, os.PathLike)) else "file"


def load(path: Path | IO[bytes], format: Format | None = None, *, source_rate: Number | None = None,
         layout: str | None = None, skeleton: Path | None = None, rates: Path | None = None,
         strict: bool = False, hold_nan: bool = False, bvh_adds_offset: bool = False,
         snap: bool = True, fill: str | bool = False, fill_max: float | None = None) -> Motion:
    """Read a motion file: BVH, glTF, GLB, NPZ, CSV or AMC.

    Parameters
    ----------
    path : str, PathLike or binary file object
        A file object is read to its end; files that a glTF file in it refers to are not read.
    format : str, optional
        Default: by the name's extension, or the first bytes.
    source_rate : number, optional
        Frames per second of the file, instead of what it says itself.
    layout : str, optional
        Of NPZ: ``"amass"``, ``"amass-x"``, ``"inter-x"``, ``"beyondmimic"``, ``"isaaclab"``, the
        last two with ``"-xyzw"`` too, ``"plain"``, or a JSON file with a layout. Default: by the
        names of the members. Of CSV: ``"robot"``, ``"robot-wxyz"``, ``"seed"``, or columns such as
        ``"index,position,euler-xyz"``. Default: by the header.
    skeleton : str or path, optional
        Joints for an NPZ file that has none: ``"smpl"``, ``"smplh"`` or ``"smplx"``, whose bones
        have no length, or a motion file or JSON file with joints. Of AMC: its ASF file; default: the
        one beside it, take.asf for take.amc, or 11.asf for 11_01.amc.
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
    fill : str or bool
        ``"nan"`` or True: values that are not finite are filled with a hermite curve. ``"frozen:12"``: also
        rotations that hold still for more than 12 frames while others move. ``"jumps"``: also frames in which a
        joint jumps away and back, by 30 degrees or, with ``"jumps:20"``, 20. Several with commas. A warning counts
        the gaps, and names the jumps.
    fill_max : float, optional
        Seconds of the longest gap that is filled; longer ones are refused. Default: 0.5.

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
    motion, told = load_with(path, READING | {
        "format": format, "source_rate": source_rate, "layout": layout, "skeleton": skeleton, "rates": rates,
        "strict": strict, "hold_nan": hold_nan, "bvh_adds_offset": bvh_adds_offset, "snap": snap}, fill, fill_max)
    _warn(told)
    return motion


def load_with(path: Path | IO[bytes], reading: dict[str, Any], fill: str | bool = False,
              fill_max: float | None = None) -> tuple[Motion, list[str]]:
    """As :func:`load`, with all options of reading; and what it warns of."""
    reading = reading | {"keep_nan": bool(fill)}
    if fill_max is not None and not fill:
        raise ValueError("fill_max: requires fill")
    if isinstance(path, (str, os.PathLike)):
        file_name(path)
        content = _open(os.fsdecode(path), reading)
    else:
        content = _read(path, reading)
    motion = Motion._of(content, _label(path))
    told = list(motion.notes)
    if fill:
        motion = _fill(motion, fill, fill_max, told)
    return motion, told + [f"{name}: has no effect on {motion.format}" for name, formats in _FORMATS_OF.items()
                           if reading[name] != READING[name] and motion.format not in formats]


def _fill(motion: Motion, fill: str | bool, longest: float | None, told: list[str]) -> Motion:
    content, found = filled(motion._content, fill, longest)
    told += [f"filled {found[kind + '_gaps']} gaps of {found[kind + '_keys']} keys {words}, at most "
             f"{found['longest']:.6g} s"
             for kind, words in (("nan", "that were not finite"), ("frozen", "that were frozen"))
             if found[kind + "_gaps"]]
    told += [f"jump {'repaired' if jump['kind'] == 'back' else 'left'}: {jump['joint']!r} by {jump['size']:.3g} "
             f"{jump['unit']} at key {jump['key']} ({jump['at']:.6g} s), {jump['keys']} keys"
             for jump in found["jumps"]]
    return Motion._of(content, motion.name)


def mirror(motion: Motion, plane: str | None = None, *, pairs: Path | None = None,
           robot: Skeleton | None = None) -> Motion:
    """Swap left and right: see :meth:`Motion.mirror`.

    Examples
    --------
    >>> import posemill as pm
    >>> pm.mirror(pm.load("walk.bvh")).names == pm.load("walk.bvh").names
    True
    """
    return motion.mirror(plane, pairs=pairs, robot=robot)


def join(motions: Iterable[Motion], *, blend: float = 0.0, continue_root: bool = False,
         up: str | None = None) -> Motion:
    """Join the first clips of several motions with the same skeleton, one after another.

    Parameters
    ----------
    motions : iterable of Motion
        With the same rate, and joints with the same names, parents and rest poses.
    blend : float
        Seconds of a crossfade, in which a motion overlaps the next one.
    continue_root : bool
        Whether each begins where the one before ended: its heading, and its place on the ground.
    up : str, optional
        ``"y"`` or ``"z"``, which points up. Default: found from the first motion.

    Returns
    -------
    Motion
        In memory.

    Examples
    --------
    >>> import posemill as pm
    >>> walk = pm.load("walk.bvh")
    >>> pm.join([walk, walk], blend=0.2, continue_root=True)
    Motion(bvh, 21 joints, 1 clip, 116 frames, 30 Hz, 3.83333 s)
    """
    parts = list(motions)
    if not parts:
        raise ValueError("motions: expected at least one")
    content = join_contents([part._content for part in parts], [part.name for part in parts],
                            float(blend), continue_root, up)
    return Motion._of(content, " + ".join(part.name for part in parts))


def convert(source: Path | IO[bytes], target: Path, **options: Any) -> None:
    """Convert a motion file to the format that the extension of the output names.

    Parameters
    ----------
    source, target : path
        As for these functions.
    **options
        ``format``, ``source_rate``, ``layout``, ``skeleton``, ``rates``, ``hold_nan``,
        ``bvh_adds_offset`` and ``snap`` are of the source, all others of the target; ``strict`` is of both.
        ``rate`` also resamples, each channel by its own interpolation.

    Examples
    --------
    >>> import posemill as pm
    >>> pm.convert("walk.bvh", "walk.glb", scale=0.01)
    """
    of_source = {name: options.pop(name) for name in _OF_SOURCE if name in options}
    strict = bool(options.pop("strict", False))
    rate = options.pop("rate", None)
    motion = load(source, strict=strict, **of_source)
    if rate is not None:
        motion = motion.resample(rate, "authored")
    motion.save(target, strict=strict, **options)


_OF_SOURCE = ("format", "source_rate", "layout", "skeleton", "rates", "hold_nan", "bvh_adds_offset", "snap")
