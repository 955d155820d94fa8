# SPDX-License-Identifier: MIT
"""Motion files: reading, resampling, converting."""
from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from ._archive import archive_of
from ._clip import Clip, ClipList
from ._content import Content
from ._display import Row, table
from ._engine import Engine, checked_engine
from ._library import Path, call, error_text, ffi, file_name, lib, printable, text, warn
from ._names import AuthoredMethod, Frame
from ._options import Options, keywords
from ._pages import Page, Pair, Side, page_of, write_picture
from ._poses import Poses
from ._rational import Number, rate_of
from ._resampling import clip_index
from ._skeleton import Skeleton
from ._steps import Chain, make, write

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .options import (ConvertOptions, CutOptions, DrawOptions, ExtractRootOptions, FillOptions, JoinOptions,
                          LoadOptions, LowpassOptions, MirrorOptions, PickOptions, ReduceOptions, RepeatOptions, ResampleOptions,
                          SaveOptions, ShowOptions, TransformOptions)

__all__ = ["Motion", "convert", "join", "load", "mirror"]

_SOURCES = {lib.PM_MOTION_UNKNOWN: "unknown", lib.PM_MOTION_STATED: "stated", lib.PM_MOTION_GIVEN: "given",
            lib.PM_MOTION_ESTIMATED: "estimated"}
_AXES_UP = {lib.PM_MOTION_UP_FOUND: None, lib.PM_MOTION_UP_Y: "y", lib.PM_MOTION_UP_Z: "z"}


class Motion:
    """A motion file, what steps make of it, or arrays: nodes with a rest pose, and clips.

    Made by :func:`load`, by steps such as :meth:`resample`, or from arrays. Arrays are read-only views of the
    memory of the C library wherever its layout allows, and keep that memory alive.

    Steps are the methods :meth:`fill`, :meth:`cut`, :meth:`repeat`, :meth:`pick`, :meth:`mirror`, :meth:`lowpass`,
    :meth:`resample`, :meth:`reduce`, :meth:`transform`, :meth:`apply_scale` and :meth:`extract_root`, in any order and
    number. Their options are those of the same step of `posemill run`, with ``_`` for ``-``, and are checked at the call. Nothing is computed before the result is saved
    or asked for: what is wrong with the file is raised, and warned of, then.

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
        What pages call it: the path, and the steps.

    Notes
    -----
    A pickle of a motion has the path of its file, which must still be there unchanged, or the bytes
    of a file object or of arrays; and the steps.

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
        self._begin(_parse(data, b"arrays", Options("load", {"format": "npz", "layout": "plain",
                                                             "source_rate": exact})), "arrays")

    _made: Content | None  # None: not asked for
    _before: Motion | None  # what the step makes it of. None: there is no step
    _step: Any  # its Options
    _engine: Engine | None
    name: str

    def _begin(self, content: Content, name: str) -> None:
        self._made, self._before, self._step, self._engine, self.name = content, None, None, None, name

    @classmethod
    def _of(cls, content: Content, name: str) -> Motion:
        self = cls.__new__(cls)
        self._begin(content, name)
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
    def unit(self) -> float | None:
        """Millimetres per unit of length; None: not known."""
        return float(self._content.c.unit_mm) or None

    @property
    def unit_from(self) -> str:
        """Where the unit is from: ``"stated"``, ``"given"``, ``"estimated"`` or ``"unknown"``."""
        return _SOURCES[self._content.c.unit_from]

    @property
    def up(self) -> str | None:
        """The axis that points up: ``"y"`` or ``"z"``; None: not known."""
        return _AXES_UP[self._content.c.up]

    @property
    def up_from(self) -> str:
        """Where the axis is from, as of ``unit_from``."""
        return _SOURCES[self._content.c.up_from]

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

    # ---- steps ----

    def _then(self, function: str, done: str, options: Mapping[str, Any], engine: Engine | None = None,
              **others: Any) -> Motion:
        """The motion that a step makes of this one, once it is asked for. The first of `others` is required."""
        made = Motion.__new__(Motion)
        made._made, made._before = None, self
        made._step, made._engine = Options(function, options, **others), checked_engine(engine)
        for name in [*others][:1]:
            if name not in made._step:
                raise TypeError(f"{function}(): {name} is missing")
        made.name = f"{self.name}, {done}"
        return made

    def _chain(self, again: bool) -> Chain:
        """Steps and the motion that they begin with: with `again` that of the file, else the last one that is there.
        Steps on different engines do not run at once.
        """
        steps: list[Options] = []
        engine: Engine | None = None
        at = self
        while at._before is not None and (again or at._made is None):
            if at._engine is not None and engine not in (None, at._engine):
                break
            engine = at._engine or engine
            steps.insert(0, at._step)
            at = at._before
        return at._content, tuple(steps), at.name, engine

    @property
    def _content(self) -> Content:
        if self._made is None:
            self._made = make(self._chain(again=False))
        return self._made

    def __getstate__(self) -> dict[str, Any]:
        return {"_made": None if self._before else self._made, "_before": self._before, "_step": self._step,
                "_engine": self._engine, "name": self.name}

    def resample(self, rate: Number | None = None, method: AuthoredMethod | None = None, /, *,
                 engine: Engine | None = None, **options: Unpack[ResampleOptions]) -> Motion:
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
        engine : Engine, optional
            Default: plain C, or, for so many samples that opening it pays, the best GPU there is.
        **options
            Those of the step `resample` of the command: ``clip``, ``start``, ``end_rule``, ``lowpass``, and the
            parameters of the method, such as ``ends``.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.load("walk.bvh").resample("x2", "squad").clips[0].rate
        Fraction(60, 1)
        """
        return self._then("resample", f"resampled to {rate or options.get('rate')}", options, engine, rate=rate,
                          method=method)

    def extract_root(self, joint: str = "auto", /, **options: Unpack[ExtractRootOptions]) -> Motion:
        """Move the root along with a joint, usually the hips, for :meth:`Crowd.root_motion`.

        The root receives the turn of the joint about the axis that points up, and its position on
        the ground, both relative to the joint's rest pose. The rest of the motion stays in the
        joint. At the keys of the root, the poses of all other nodes in the world do not change.

        Parameters
        ----------
        joint : str
            Name of the joint. ``"auto"``: the first whose position changes in a clip.
        **options
            ``root_node``, ``root_name``, ``root_axes``, ``keep_heading``, ``keep_position`` and ``up`` of the command.

        Examples
        --------
        >>> import posemill as pm
        >>> moving = pm.load("walk.bvh").extract_root("Hips")
        >>> moving.names[-1], moving.names[moving.parents[0]]
        ('root', 'root')
        """
        return self._then("extract_root", "with root motion", {"extract_root": joint, **options})

    def mirror(self, plane: Literal["x", "y", "z"] | None = None, /, *, robot: Skeleton | None = None,
               **options: Unpack[MirrorOptions]) -> Motion:
        """Swap left and right: a wave of the left hand becomes a wave of the right hand.

        Parameters
        ----------
        plane : str, optional
            The axis that points from right to left. Default: the one across which the rest pose maps most pairs.
        robot : Skeleton, optional
            The skeleton of a robot, for files of robots, which have no joints: signs of angles follow from the
            axes of its hinges. It is mirrored at once.
        **options
            ``pairs`` of the command: a file with two names of joints on each line. Default: by their names. Other
            joints are mirrored in their places.

        Returns
        -------
        Motion
            Twice is the identity. `notes` say how the plane was found, and name pairs that are no mirror images at
            rest, with their distance.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.load("walk.bvh").mirror().save("mirrored.bvh")
        """
        given: dict[str, Any] = {**options} if plane is None else {"plane": plane, **options}
        if robot is None:
            return self._then("mirror", "mirrored", given)
        from ._robot_mirror import mirrored_robot
        return Motion._of(mirrored_robot(self._content, robot, Options("mirror", given)), f"{self.name}, mirrored")

    def cut(self, cut: Any = None, /, **options: Unpack[CutOptions]) -> Motion:
        """Keep the part of all clips between two times, both included. It begins at 0.

        Parameters
        ----------
        cut : str or pair of numbers
            Seconds after the first key, ``"0.5:1"`` or ``(0.5, 1)``, or frames, ``"10f:40f"``. An end may be left
            out: ``"0.5:"``, ``(0.5, None)``.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.load("walk.bvh").cut((0.5, 1))
        Motion(bvh, 21 joints, 1 clip, 16 frames, 30 Hz, 0.5 s)
        """
        return self._then("cut", "cut", options, cut=cut)

    def repeat(self, repeat: int | None = None, /, **options: Unpack[RepeatOptions]) -> Motion:
        """Play all clips several times.

        Parameters
        ----------
        repeat : int
            How many times.
        **options
            ``blend`` and ``continue_root``, as of :func:`join`.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.load("walk.bvh").cut("10f:40f").repeat(2)
        Motion(bvh, 21 joints, 1 clip, 62 frames, 30 Hz, 2.03333 s)
        """
        return self._then("repeat", "repeated", options, repeat=repeat)

    def pick(self, **options: Unpack[PickOptions]) -> Motion:
        """Select and rename joints.

        Parameters
        ----------
        **options
            ``joints``: names of those that are kept; those that are left out are multiplied into those below
            them, which stay where they were in the world. ``rename``: new names by the old ones.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.load("walk.bvh").pick(joints=["Hips", "LeftFoot"], rename={"Hips": "root"}).names
        ('root', 'LeftFoot')
        """
        return self._then("pick", "picked", options)

    def fill(self, fill: str | bool = True, /, **options: Unpack[FillOptions]) -> Motion:
        """Fill gaps with a hermite curve. A warning counts them, and names jumps.

        Parameters
        ----------
        fill : str or bool
            ``"nan"`` or True: values that are not finite, which only :func:`load` with ``fill`` lets through.
            ``"frozen:12"``: also rotations that hold still for more than 12 frames while others move. ``"jumps"``:
            also frames in which a joint jumps away and back, by 30 degrees or, with ``"jumps:20"``, 20. Several with
            commas.
        **options
            ``fill_max`` of the command: seconds of the longest gap that is filled; longer ones are refused.

        Examples
        --------
        >>> import posemill as pm
        >>> filled = pm.load("walk.bvh").fill("frozen:12")
        """
        return self._then("fill", "filled", {"fill": fill, **options})

    def lowpass(self, lowpass: float | Literal["auto"] | None = None, /, *, engine: Engine | None = None,
                **options: Unpack[LowpassOptions]) -> Motion:
        """Remove high frequencies at the rate of the motion, without a delay.

        Parameters
        ----------
        lowpass : float or "auto"
            The cut-off in Hz.
        engine : Engine, optional
            As of :meth:`resample`.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.load("walk.bvh").lowpass(6).clips[0].rate
        Fraction(30, 1)
        """
        return self._then("lowpass", "smoothed", options, engine, lowpass=lowpass)

    def transform(self, **options: Unpack[TransformOptions]) -> Motion:
        """Multiply lengths, and turn the world so that another axis points up.

        Parameters
        ----------
        **options
            ``scale``, ``to_unit``, ``to_up``, ``unit`` and ``up`` of the command. One of the first three is required.

        Examples
        --------
        >>> import posemill as pm
        >>> walk = pm.load("walk.bvh").transform(unit="cm", to_unit="m", up="y", to_up="z")
        >>> walk.unit, walk.up
        (1000.0, 'z')
        """
        return self._then("transform", "transformed", options)

    def apply_scale(self) -> Motion:
        """Put uniform scales of the rest pose into positions and inverse bind matrices.

        Examples
        --------
        >>> import posemill as pm
        >>> applied = pm.load("walk.bvh").apply_scale()
        """
        return self._then("apply_scale", "with applied scales", {})

    def reduce(self, **options: Unpack[ReduceOptions]) -> Motion:
        """Drop keys while the curve stays within a bound, as :func:`posemill.reduce`, which also gives the numbers.

        Experimental: it may change in any version.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.load("walk.bvh").reduce(angle=0.5).save("small.glb")
        """
        return self._then("reduce", "reduced", options)

    def show(self, clip: int | str = 0, **options: Unpack[ShowOptions]) -> Page:
        """Return a page that plays the skeleton and shows its curves.

        Parameters
        ----------
        clip : int or str
            Its index or name.
        **options
            ``start``, ``end``, ``trim_start``, ``rate``, ``up`` and ``unit`` of `posemill view`. The page says
            where the axis that points up was guessed.

        Returns
        -------
        Page
            A notebook shows it; else ``show().open()`` or ``show().save(path)``.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.load("walk.bvh").show().save("walk.html")
        """
        return page_of(self._alone(clip, Options("show", options)), "Motion.show()")

    def draw(self, path: Path, clip: int | str = 0, **options: Unpack[DrawOptions]) -> None:
        """Write a picture of the skeleton: a strip of poses with their times, or an animation.

        Parameters
        ----------
        path : path
            ``.svg``, or ``.gif``, which requires a library with giflib; wheels have none.
        clip : int or str
            Its index or name.
        **options
            ``size``, ``from_``, ``poses``, ``start``, ``end``, ``trim_start``, ``up`` and ``unit`` of `posemill view`.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.load("walk.bvh").draw("walk.svg", from_="side", poses=8)
        """
        write_picture(self._alone(clip, Options("draw", options)), file_name(path))

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

    def _alone(self, clip: int | str, options: Options | None = None) -> Pair:
        side = Side(self._content, clip_index(self._content, clip), self.name)
        return Pair(side, side, options)

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

    def save(self, path: Path, *, make_folders: bool = False, **options: Unpack[SaveOptions]) -> None:
        """Save the motion to a file, which appears once it is complete.

        The steps of the motion go from its file to this one, as by `posemill run`: where both have the format, all
        that no step changes is written as it was read.

        Parameters
        ----------
        path : str or PathLike
            Its extension is the format; without one that of ``to``, or of the source.
        make_folders : bool
            Creates the folder of the file.
        **options
            ``to``, ``clip``, ``strict`` and the options of writing of `posemill run`, such as ``decimals``, ``euler``,
            ``scale``, ``to_unit`` and ``to_up``.

        Examples
        --------
        >>> import posemill as pm
        >>> pm.load("walk.bvh").save("small/walk.bvh", scale=0.01, make_folders=True)
        """
        write(self._chain(again=True), Options("save", options), file_name(path), bool(make_folders))

    def _sizes(self) -> list[str]:
        joints, clips = len(self.names), len(self.clips)
        return ([f"{joints} joint{'' if joints == 1 else 's'}"] if joints else []) + [
            f"{clips} clip{'' if clips == 1 else 's'}",
            f"{sum(len(c.times) for c in self.clips)} frames"]

    def __repr__(self) -> str:
        extent = [self.clips[0].extent] if len(self.clips) == 1 else []
        return f"Motion({', '.join([self.format, *self._sizes(), *extent])})"

    def _repr_html_(self) -> str:
        shown = [c.name or "(no name)" for c in self.clips[:5]]
        more = [f"{len(self.clips) - 5} more"] if len(self.clips) > 5 else []
        return table(f"Motion, {self.format}{self.layout and ', ' + self.layout}", [
            Row("holds", ", ".join(self._sizes())),
            Row("joints", ", ".join(self.names[:8]) + (", …" if len(self.names) > 8 else "")),
            Row("clips", ", ".join(shown + more)),
            Row("carried", ", ".join(self.carried)),
            Row("notes", "; ".join(self.notes[:3]))])


def _stamp(path: str) -> tuple[int, int]:
    """What changes with a file."""
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns


def _open(path: str, options: Options, stamp: tuple[int, int] | None = None) -> Content:
    """Reads a file; of a pickle, which has the stamp, once more."""
    if not stat.S_ISFIFO(os.stat(path).st_mode):  # whose writer would see an end
        with open(path, "rb"):  # the exceptions of Python for what is not there
            pass
    found = _stamp(path)
    if stamp is not None and stamp != found:
        raise ValueError(f"{printable(path)}: has changed since the motion was read that was pickled")
    made = ffi.new("pm_motion **")
    call(lib.pm_motion_open, file_name(path), options.values.read, made)
    return Content(made[0], (_open, (os.path.abspath(path), options, found)))


def _parse(data: bytes, label: bytes, options: Options) -> Content:
    held = ffi.from_buffer(data)
    made = ffi.new("pm_motion **")
    call(lib.pm_motion_parse, held, len(held), label, ffi.NULL, options.values.read, made)
    return Content(made[0], (_parse, (data, label, options)), data=held)


def motion_of_text(source: str, format: str) -> Motion:
    """A motion of a text that the package makes."""
    return Motion._of(_parse(source.encode(), b"keys", Options("load", {"format": format})), "keys")


def _read(file: IO[bytes], options: Options) -> Content:
    if not hasattr(file, "read"):
        raise TypeError(f"path: expected a path or a file object, found {type(file).__name__}")
    data = file.read()
    if isinstance(data, str):
        raise TypeError("path: the file object gives text; open the file in binary mode")
    name = getattr(file, "name", None)
    label = os.fsencode(name) if isinstance(name, (str, os.PathLike)) else b"file"
    # A name without a known extension says nothing about the format.
    known = b"\0" not in label and lib.pm_motion_find_format(label) != lib.PM_MOTION_ANY
    return _parse(bytes(data), label if known else b"file", options)


def _label(path: Path | IO[bytes]) -> str:
    """What people call a file."""
    name = path if isinstance(path, (str, os.PathLike)) else getattr(path, "name", None)
    return os.fsdecode(name) if isinstance(name, (str, bytes, os.PathLike)) else "file"


def load(path: Path | IO[bytes], **options: Unpack[LoadOptions]) -> Motion:
    """Read a motion file: BVH, glTF, GLB, NPZ, AMC, TUM or CSV, also of EuRoC and KITTI.

    Parameters
    ----------
    path : str, PathLike or binary file object
        A file object is read to its end; files that a glTF file in it refers to are not read.
    **options
        The options of reading of the command (`posemill help reading`), such as ``layout``, ``skeleton``,
        ``source_rate``, ``literal_rate`` and ``strict``; and ``fill`` and ``fill_max``, as :meth:`Motion.fill`.

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
    given = Options("load", options)
    if isinstance(path, (str, os.PathLike)):
        file_name(path)
        content = _open(os.fsdecode(path), given)
    else:
        content = _read(path, given)
    motion = Motion._of(content, _label(path))
    for message in (*motion.notes, *(f"{name}: has no effect on {motion.format}"
                                     for name in given.without_effect(content.c.format))):
        warn(message)
    if "fill" not in given:
        return motion
    filled = motion._then("fill", "filled", {name: options.get(name) for name in keywords("fill")})
    filled.name = motion.name
    filled._content  # what cannot be filled is refused here
    return filled


def mirror(motion: Motion, plane: Literal["x", "y", "z"] | None = None, /, *, robot: Skeleton | None = None,
           **options: Unpack[MirrorOptions]) -> Motion:
    """Swap left and right: see :meth:`Motion.mirror`.

    Examples
    --------
    >>> import posemill as pm
    >>> pm.mirror(pm.load("walk.bvh")).names == pm.load("walk.bvh").names
    True
    """
    return motion.mirror(plane, robot=robot, **options)


def join(motions: Iterable[Motion], **options: Unpack[JoinOptions]) -> Motion:
    """Join the first clips of several motions with the same skeleton, one after another.

    Parameters
    ----------
    motions : iterable of Motion
        With the same rate, and joints with the same names, parents and rest poses.
    **options
        ``blend``, ``continue_root`` and ``up`` of `posemill join`.

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
    content = _joined([part._content for part in parts], [part.name for part in parts], Options("join", options))
    return Motion._of(content, " + ".join(part.name for part in parts))


def _joined(contents: list[Content], names: list[str], options: Options) -> Content:
    texts = [ffi.new("char[]", printable(name).encode()) for name in names]
    made = ffi.new("pm_motion **")
    call(lib.pm_motion_join, ffi.new("pm_motion *[]", [c.handle for c in contents]), len(contents),
         ffi.new("char *[]", texts), options.values.join, made)
    return Content(made[0], (_joined, (contents, names, options)), sources=contents)


def convert(source: Path | IO[bytes], target: Path, *, make_folders: bool = False,
            **options: Unpack[ConvertOptions]) -> None:
    """Convert a motion file to the format that the extension of the output names.

    Parameters
    ----------
    source, target : path
        As for :func:`load` and :meth:`Motion.save`.
    make_folders : bool
        Creates the folder of the file.
    **options
        Those of `posemill convert`: of reading, of writing, and of the root. ``rate`` also resamples, each channel
        by its own interpolation.

    Examples
    --------
    >>> import posemill as pm
    >>> pm.convert("walk.bvh", "walk.glb", scale=0.01)
    """
    Options("convert", options)

    def those_of(function: str) -> Any:
        return {name: value for name, value in options.items() if name in keywords(function)}

    motion = load(source, **those_of("load"))
    if options.get("rate") is not None:
        motion = motion.resample(options["rate"], "authored")
    if options.get("apply_scale"):
        motion = motion.apply_scale()
    if options.get("extract_root") is not None:
        motion = motion._then("extract_root", "with root motion", those_of("extract_root"))
    motion.save(target, make_folders=make_folders, **those_of("save"))
