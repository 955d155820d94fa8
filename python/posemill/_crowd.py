# SPDX-License-Identifier: MIT
"""Crowds: many instances of one skeleton, posed in one pass."""
from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from ._arrays import address, as_array, as_floats, new_result, with_scalar_last
from ._clip import Clip
from ._content import Character
from ._description import KEY_FORMATS, word
from ._engine import Engine, engine_or_default, owned
from ._keys import Keys, are_still
from ._library import Path, call, ffi, file_name, lib
from ._motion import Motion, load
from ._names import Floats, KeyFormat, Method, Output, Singles, State
from ._resampling import count_of, method_number
from ._shared import Shared
from ._skeleton import Skeleton
from ._views import Array, array_of, view

__all__ = ["LAYER_ADD", "LAYER_CLAMP", "LAYER_MEAN", "LAYER_OVER", "Crowd", "chain_goal", "crowd_instance", "crowd_layer",
           "crowd_ticks", "stand_goal"]


def _record(struct: str, fields: dict[str, Any]) -> np.dtype[Any]:
    """A struct of C as a structured type of NumPy, from the types of its fields."""
    return np.dtype({"names": list(fields), "formats": list(fields.values()),
                     "offsets": [ffi.offsetof(struct, name) for name in fields],
                     "itemsize": ffi.sizeof(struct)})


#: The 32 bytes of an instance, as a structured type of NumPy.
crowd_instance = _record("pm_crowd_instance", {
    "time_a": np.int64, "time_b": np.int64, "clip_a": np.uint32, "clip_b": np.uint32,
    "weight": np.float32, "mask": np.uint16, "level": np.uint8, "flags": np.uint8})

#: The 24 bytes of a layer; ``reserved`` is 0.
crowd_layer = _record("pm_crowd_layer", {
    "time": np.int64, "clip": np.uint32, "weight": np.float32, "mask": np.uint16, "op": np.uint8,
    "flags": np.uint8, "reserved": np.uint32})

#: The 64 bytes of a goal of a chain: where its end shall be, what it looks at, or where its joint is pinned;
#: all zero has no effect.
chain_goal = _record("pm_chain_goal", {
    "position": (np.float32, 3), "weight": np.float32, "rotation": (np.float32, 4),
    "pole": (np.float32, 3), "pole_weight": np.float32, "rotation_weight": np.float32})

#: The 64 bytes of a goal of a chain of kind ``"stand"``. ``point`` and ``normal`` are a plane; without a normal the
#: heights of the job are the ground. The pelvis moves by ``lowest`` to ``highest``; NaN: by any. A planted foot takes
#: ``release`` seconds to return to its pose, and does so early where it is further from it than ``stray``, unless that
#: is 0.
stand_goal = _record("pm_stand_goal", {
    "point": (np.float32, 3), "weight": np.float32, "normal": (np.float32, 3), "tilt": np.float32,
    "lowest": np.float32, "highest": np.float32, "release": np.float32, "stray": np.float32})

#: ``op`` of a layer: a crossfade from the pose so far to the layer.
LAYER_OVER: int = lib.PM_LAYER_OVER
#: ``op`` of a layer: its difference from the rest pose is added.
LAYER_ADD: int = lib.PM_LAYER_ADD
#: ``op`` of a layer: a crossfade to the weighted mean of neighbouring layers of this op.
LAYER_MEAN: int = lib.PM_LAYER_MEAN
#: In ``flags`` of a layer: its time is clamped to the clip; otherwise it wraps around.
LAYER_CLAMP: int = lib.PM_LAYER_CLAMP

# Shape and type of a joint's record, or with "bounds" of an instance's.
_OUTPUTS: dict[str, tuple[int, tuple[int, int], type]] = {
    "palette": (lib.PM_CROWD_PALETTE, (3, 4), np.float32),
    "palette_half": (lib.PM_CROWD_PALETTE_HALF, (3, 4), np.float16),
    "dual": (lib.PM_CROWD_DUAL, (2, 4), np.float32),
    "model": (lib.PM_CROWD_MODEL, (3, 4), np.float32),
    "local": (lib.PM_CROWD_LOCAL, (3, 4), np.float32),
    "bounds": (lib.PM_CROWD_BOUNDS, (2, 4), np.float32)}

# Number, width and flag for w x y z of a state of bodies.
_STATES: dict[State, tuple[int, int, int]] = {
    "body_pos": (lib.PM_CROWD_BODY_POS, 3, 0),
    "body_rot": (lib.PM_CROWD_BODY_ROT, 4, lib.PM_TARGET_SCALAR_FIRST),
    "body_vel": (lib.PM_CROWD_BODY_VEL, 3, 0),
    "body_ang_vel": (lib.PM_CROWD_BODY_ANG_VEL, 3, 0),
    "local_rot": (lib.PM_CROWD_LOCAL_ROT, 4, lib.PM_TARGET_SCALAR_FIRST),
    "local_ang_vel": (lib.PM_CROWD_LOCAL_ANG_VEL, 3, 0),
    "angle": (lib.PM_CROWD_ANGLE, 1, 0),
    "angle_rate": (lib.PM_CROWD_ANGLE_RATE, 1, 0)}

# A pm_crowd_event without what Python has no use for.
_EVENT = {"instance": (np.uint64, "instance"), "clip": (np.uint32, "clip"), "id": (np.uint32, "id"),
          "ticks": (np.int64, "time")}
_event = np.dtype({
    "names": list(_EVENT), "formats": [kind for kind, _ in _EVENT.values()],
    "offsets": [ffi.offsetof("pm_crowd_event", field) for _, field in _EVENT.values()],
    "itemsize": ffi.sizeof("pm_crowd_event")})

Level = tuple[npt.ArrayLike | None, int]
Markers = Mapping[int | str, Iterable[tuple[float, int]]]
Masks = npt.ArrayLike | Mapping[str, npt.ArrayLike]
Subsets = Mapping[str, Iterable[int | str]]
Chains = Mapping[str, Mapping[str, Any]]
Shown = Array | Mapping[str, Any]

# Kinds of chains, and their keys beside "kind", "joints" and "pole".
_CHAINS = {"two_bones": (lib.PM_CHAIN_TWO_BONES, ("axis", "limit")),
           "aim": (lib.PM_CHAIN_AIM, ("axis", "forward", "shares", "limit")),
           "pin": (lib.PM_CHAIN_PIN, ()),
           "stand": (lib.PM_CHAIN_STAND, ("axis", "contacts"))}
_POLES = {"point": 0, "direction": lib.PM_CHAIN_POLE_DIRECTION}


def crowd_ticks(seconds: npt.ArrayLike) -> Any:
    """Convert seconds to ticks of 2^-32 s, the unit of the times of instances.

    Parameters
    ----------
    seconds : float or array
        NaN becomes 0; values out of range become the limit of int64.

    Returns
    -------
    int or array of int64

    Examples
    --------
    >>> import posemill as pm
    >>> pm.crowd_ticks(0.5)
    2147483648
    >>> pm.crowd_ticks([0, 1, 2])
    array([         0, 4294967296, 8589934592])
    """
    values = np.asarray(seconds, np.float64)
    if values.ndim == 0:
        return int(lib.pm_crowd_ticks(float(values)))
    packed = np.ascontiguousarray(values)
    ticks = np.empty(values.shape, np.int64)
    lib.array_ticks(ffi.from_buffer("double[]", packed), ffi.from_buffer("int64_t[]", ticks),
                    ticks.size)
    return ticks


def _destroy_skeleton(handle: Any) -> None:
    lib.pm_skeleton_destroy(ffi.new("pm_skeleton **", handle))


def _destroy_crowd(handle: Any, *, skeleton: Any) -> None:
    """The skeleton, which the crowd owns, ends after it."""
    lib.pm_crowd_destroy(ffi.new("pm_crowd **", handle))
    _destroy_skeleton(skeleton)


def _describe_levels(desc: Any, levels: Sequence[Level], count: int, keep: list[Any]) -> None:
    made = ffi.new("pm_level[]", len(levels))
    for level, (joints, update_every) in zip(made, levels, strict=True):
        if not 0 <= update_every < 2**32:
            raise ValueError(f"levels: {update_every} is no number of frames")
        level.update_every = update_every
        if joints is not None:
            mask = np.ascontiguousarray(np.asarray(joints) != 0, np.uint8)
            if mask.shape != (count,):
                raise ValueError(f"levels: expected {count} joints, found shape {mask.shape}")
            level.joints = ffi.from_buffer("uint8_t[]", mask)
            keep.append(mask)
    keep.append(made)
    desc.levels, desc.level_count = made, len(levels)


def _describe_masks(desc: Any, masks: Masks, count: int, keep: list[Any]) -> None:
    if isinstance(masks, Mapping):
        for name, one in masks.items():
            if np.shape(one) != (count,):
                raise ValueError(f"masks: {name!r}: expected shape ({count},), found {np.shape(one)}")
        masks = np.array(list(masks.values()), np.float32).reshape(len(masks), count)
    weights = np.ascontiguousarray(masks, np.float32)
    if weights.ndim != 2 or weights.shape[1] != count:
        raise ValueError(f"masks: expected shape (masks, {count}), found {weights.shape}")
    keep.append(weights)
    desc.masks = address(weights)
    desc.mask_count = len(weights)


def _describe_radii(desc: Any, radii: npt.ArrayLike, count: int, keep: list[Any]) -> None:
    numbers = np.ascontiguousarray(radii, np.float32)
    if numbers.shape != (count,):
        raise ValueError(f"radii: expected {count}, one per joint, found shape {numbers.shape}")
    keep.append(numbers)
    desc.radii = address(numbers)


def _describe_points(desc: Any, points: npt.ArrayLike, count: int, keep: list[Any]) -> None:
    numbers = np.array(points, np.float32, order="C")
    numbers[np.isnan(numbers)] = 0 # states of these joints' points are refused
    if numbers.shape != (count, 3):
        raise ValueError(f"points: expected shape ({count}, 3), found {numbers.shape}")
    keep.append(numbers)
    desc.points.data = address(numbers)


def _describe_subsets(desc: Any, subsets: Mapping[str, Sequence[int]], keep: list[Any]) -> None:
    made = ffi.new("pm_subset[]", len(subsets))
    for subset, joints in zip(made, subsets.values(), strict=True):
        numbers = ffi.new("uint32_t[]", joints)
        keep.append(numbers)
        subset.joints, subset.joint_count = numbers, len(joints)
    keep.append(made)
    desc.subsets, desc.subset_count = made, len(subsets)


def _number(value: int | str, names: Sequence[str | None], name: str, kind: str) -> int:
    """An index, or the first of a name."""
    if isinstance(value, str):
        if value not in names:
            raise ValueError(f"{name}: no {kind} is named {value!r}")
        return names.index(value)
    number = count_of(value, name)
    if number >= len(names):
        raise ValueError(f"{name}: {value} is none of {len(names)} {kind}s")
    return number


def _clip_number(clip: int | str, sources: Sequence[Clip | Keys | None], name: str) -> int:
    return _number(clip, [source.name if isinstance(source, Clip) else None for source in sources],
                   name, "clip")


def _numbered(subsets: Subsets, skeleton: Skeleton) -> dict[str, tuple[int, ...]]:
    """Subsets with the indices of their joints."""
    found = {}
    for name, joints in subsets.items():
        if not isinstance(name, str):
            raise TypeError(f"subsets: expected names, found {name!r}")
        if isinstance(joints, str):
            raise TypeError(f"subsets: {name!r}: expected a sequence of joints, found a text")
        found[name] = tuple(_number(joint, skeleton.names, f"subsets: {name!r}", "joint")
                            for joint in joints)
    return found


def _marked(markers: Markers | None, sources: Sequence[Clip | Keys]) -> dict[int, tuple[tuple[float, int], ...]]:
    """Markers by the numbers of clips."""
    found: dict[int, tuple[tuple[float, int], ...]] = {}
    for clip, pairs in (markers or {}).items():
        number = _clip_number(clip, sources, "markers")
        if number in found:
            raise ValueError(f"markers: {clip!r} is a clip that has markers already")
        found[number] = tuple(pairs)
    return found


def _describe_markers(markers: Mapping[int, Iterable[tuple[float, int]]], sources: Sequence[Clip | Keys],
                      keep: list[Any]) -> Any:
    """A pm_crowd_markers for each clip."""
    made = ffi.new("pm_crowd_markers[]", len(sources))
    keep.append(made)
    for number, pairs in markers.items():
        ordered = sorted(pairs, key=lambda pair: pair[0])
        rows = ffi.new("pm_crowd_marker[]", len(ordered))
        for row, (seconds, identity) in zip(rows, ordered, strict=True):
            if not np.isfinite(seconds):
                raise ValueError(f"markers: {seconds} of clip {number} is no time")
            row.tick, row.id = crowd_ticks(seconds), count_of(identity, "markers: id", 2**32)
        keep.append(rows)
        made[number].markers, made[number].count = rows, len(ordered)
    return made


def _linked(chains: Chains, skeleton: Skeleton) -> dict[str, dict[str, Any]]:
    """Chains with the indices of their joints, checked as far as C cannot."""
    found = {}
    for name, chain in chains.items():
        where, kind = f"chains: {name!r}", chain.get("kind")
        if kind not in _CHAINS:
            raise ValueError(f"{where}: kind is {kind!r}, expected {', '.join(_CHAINS)}")
        unknown = set(chain) - {"kind", "joints", "pole", *_CHAINS[kind][1]}
        if unknown:
            raise ValueError(f"{where}: {kind} has no {min(unknown)!r}")
        if chain.get("pole", "point") not in _POLES:
            raise ValueError(f"{where}: pole is {chain['pole']!r}, expected {' or '.join(_POLES)}")
        joints = chain.get("joints", ())
        if isinstance(joints, str):
            raise TypeError(f"{where}: joints: expected a sequence of joints, found a text")
        found[name] = {**chain, "joints": tuple(_number(joint, skeleton.names, where, "joint") for joint in joints)}
        if "shares" in chain:
            found[name]["shares"] = _numbers(chain["shares"], f"{where}: shares", (len(found[name]["joints"]),))
    return found


def _describe_chains(desc: Any, chains: Mapping[str, Mapping[str, Any]], keep: list[Any]) -> None:
    rows = ffi.new("pm_chain[]", len(chains))
    for row, (name, chain) in zip(rows, chains.items(), strict=True):
        joints = np.array(chain["joints"], np.uint32)
        row.kind = _CHAINS[chain["kind"]][0]
        row.joints, row.joint_count = address(joints), len(joints)
        row.axis = tuple(_numbers(chain.get("axis", (0, 0, 0)), f"chains: {name!r}: axis", (3,)).tolist())
        row.forward = tuple(_numbers(chain.get("forward", (0, 0, 0)), f"chains: {name!r}: forward", (3,)).tolist())
        row.limit = float(chain.get("limit", 0))
        if "shares" in chain:
            row.shares = address(chain["shares"])
        ids = None
        if "contacts" in chain:
            ids = _integers(chain["contacts"], f"chains: {name!r}: contacts", (max(len(joints) - 1, 0), 2), 2**32)
            row.contacts = address(ids)
        keep.append((joints, chain, ids))
    desc.chains, desc.chain_count = rows, len(chains)
    keep.append(rows)


def _make_skeleton(skeleton: Skeleton, levels: Sequence[Level], masks: Masks | None,
                   subsets: Mapping[str, Sequence[int]], radii: npt.ArrayLike | None,
                   points: npt.ArrayLike | None, chains: Mapping[str, Mapping[str, Any]]) -> Any:
    keep: list[Any] = []
    desc = skeleton._describe(keep)
    if levels:
        _describe_levels(desc, levels, len(skeleton), keep)
    if masks is not None:
        _describe_masks(desc, masks, len(skeleton), keep)
    if radii is not None:
        _describe_radii(desc, radii, len(skeleton), keep)
    if points is not None:
        _describe_points(desc, points, len(skeleton), keep)
    _describe_subsets(desc, subsets, keep)
    if chains:
        _describe_chains(desc, chains, keep)
    made = ffi.new("pm_skeleton **")
    call(lib.pm_skeleton_create, desc, made)
    return ffi.gc(made[0], _destroy_skeleton)


def _positions_of(desc: Any, owner: Any) -> Array | None:
    """The positions (frames, joints, 3) of a pm_clip_desc whose joints share key times; None where they
    do not, or have tangents."""
    frames, joints = int(desc.timelines[0].key_count), int(desc.track_count)
    if desc.timeline_count > 1 or desc.positions_in.data != ffi.NULL:
        return None
    rows = array_of(owner, desc.positions, frames, 3 * joints)
    return None if rows is None else np.asarray(rows).reshape(frames, joints, 3)


def _has_root_alone(clip: Clip | Keys, skeleton: Skeleton) -> bool:
    """Whether a clip has positions, and no joint but the first root leaves that of the rest pose."""
    if isinstance(clip, Keys):
        return clip._has_root_alone(skeleton)
    keep: list[Any] = []
    desc = _describe_clip(clip, skeleton, keep, False)
    positions = _positions_of(desc, keep[0])
    return positions is not None and are_still(
        positions, skeleton, np.arange(len(skeleton)) != skeleton.root)


def _describe_clip(clip: Clip | Keys, skeleton: Skeleton, keep: list[Any], root_alone: bool) -> Any:
    """A pm_clip_desc with a track for each joint of the skeleton, or positions of the first root alone."""
    if isinstance(clip, Keys):
        return clip._describe(skeleton, keep, root_alone)
    if not isinstance(clip, Clip):
        raise TypeError(f"clips: expected Clip or Keys, found {type(clip).__name__}")
    if clip.fault is not None:
        raise ValueError(f"clips: {clip.name!r} has no keys: {clip.fault}")
    content = clip._content
    skin = skeleton._skin if content is skeleton._content else 0
    character = content.character(skin)
    names = tuple(content.names[n] for n in character.nodes)
    if names != skeleton.names:
        raise ValueError(f"clips: {clip!r} has other joints than the skeleton")
    keep.append(character)
    desc = character.handle.clips[clip._index]
    positions = _positions_of(desc, character) if root_alone else None
    if positions is None:
        return desc
    root = np.ascontiguousarray(positions[:, skeleton.root])
    own = ffi.new("pm_clip_desc *", desc)
    own.root_positions = True
    own.positions.data, own.positions.stride = address(root), 0
    keep += [root, own]
    return own[0]


def _describe_clips(clips: Sequence[Clip | Keys], skeleton: Skeleton, keep: list[Any], root_alone: bool, *,
                    method: Method, key_format: KeyFormat) -> tuple[Any, int]:
    """A pm_clip_desc of each clip, and their number."""
    descs, count = ffi.new("pm_clip_desc[]", len(clips)), len(clips)
    for i, clip in enumerate(clips):
        descs[i] = _describe_clip(clip, skeleton, keep, root_alone)
    number, form = method_number(method), word(key_format, KEY_FORMATS, "key_format")
    for i in range(count):
        descs[i].method, descs[i].key_format = number, form
    return descs, count


class Crowd(Shared):
    """The clips of one skeleton on a device, which pose instances. Thread-safe.

    Parameters
    ----------
    skeleton : Skeleton
        Of a motion, or from arrays.
    clips : sequence of Clip or Keys, or a Motion
        Of the skeleton's motion, of other motions whose joints have the same names in the same
        order, or from arrays. Where no joint but the first root leaves its rest position in any of
        them, positions of the root alone are stored.
    engine : Engine, optional
        Default: the best device there is.
    method : str
        For the rotations of all clips.
    levels : sequence of (joints, update_every), optional
        Levels of detail from finest to coarsest: for each joint whether it is animated (None:
        all), and the number of frames from one update to the next.
    masks : array, or mapping of name to array, optional
        (masks, joints) weights from 0 to 1; an instance's ``mask`` counts them from 1. With names, (joints,) weights
        of each.
    markers : mapping of clip to (seconds, id) pairs, optional
        For clips, by index or name: times after the first key, and ids from 0 to 2^32 - 1. Ids
        below 65536 are events, others are sync marks.
    subsets : mapping of name to joints, optional
        Joints whose poses can be had alone: lists of indices in the skeleton, or of names; of
        several joints with the same name, the first.
    radii : array, optional
        (joints,) radii of the spheres about the joints that ``"bounds"`` encloses, each in its joint's own
        frame, so that scales apply. Default: 0.
    points : array, optional
        (joints, 3): a point of each joint in its own frame, such as its centre of mass, for
        :meth:`states`; NaN: not known. Default: those of the skeleton.
    chains : mapping of name to mapping, optional
        Joints that goals of :meth:`pose` move: ``"kind"`` is ``"two_bones"`` (upper, lower, end), ``"aim"`` (joints
        that turn; the last one looks), ``"pin"`` (one joint) or ``"stand"`` (the pelvis, and ends of two bones
            below it; ``"axis"`` is up, [0, 1, 0] or [0, 0, 1]; ``"contacts"`` are the ids of the two markers at which
            each foot touches the ground, and leaves it). ``"joints"`` are indices or names. Two bones may have
        ``"axis"``, in the frame of the lower's parent, and ``"limit"``, the part of the length that is reached exactly;
        an aim has ``"forward"`` and ``"axis"``, which is up, in the frame of its last joint, and may have
        ``"shares"`` and ``"limit"``, its cone in rad. ``"pole"`` is ``"point"`` or ``"direction"``.
    key_format : str
        How rotations are stored: ``"float32"``, or with methods that store keys alone ``"log48"``
        or ``"smallest48"``.
    spare_clips : int
        Clips of average size that :meth:`add_clips` finds room for before it copies all clips.

    Attributes
    ----------
    masks : dict
        The numbers of masks that have names, for ``mask`` of instances and layers.
    order : array of int
        Joint k of the outputs of all joints is joint ``order[k]`` of the skeleton.
    slots : array of int
        The inverse: joint j of the skeleton is joint ``slots[j]`` of these outputs.
    ticks : array of int64
        Durations of the clips; 0 for numbers of clips that were removed.

    Examples
    --------
    >>> import numpy as np, posemill as pm
    >>> m = pm.load("walk.bvh")
    >>> crowd = pm.Crowd(m.skeleton, m.clips)
    >>> instances = np.zeros(1000, pm.crowd_instance)
    >>> instances["time_a"] = pm.crowd_ticks(0.01 * np.arange(1000))
    >>> crowd.pose(instances, output="palette").shape
    (1000, 21, 3, 4)
    """

    def __init__(self, skeleton: Skeleton, clips: Sequence[Clip | Keys] | Motion, *,
                 engine: Engine | None = None, method: Method = "slerp",
                 levels: Sequence[Level] = (), masks: Masks | None = None,
                 markers: Markers | None = None, subsets: Subsets | None = None,
                 radii: npt.ArrayLike | None = None, points: npt.ArrayLike | None = None,
                 key_format: KeyFormat = "float32", spare_clips: int = 0, chains: Chains | None = None) -> None:
        if not isinstance(skeleton, Skeleton):
            raise TypeError(f"skeleton: expected Skeleton, found {type(skeleton).__name__}")
        sources = clips.clips if isinstance(clips, Motion) else tuple(clips)
        if not sources:
            raise ValueError("clips: expected at least one")
        levels = [(None if joints is None else np.array(joints), every) for joints, every in levels]
        self.masks: dict[str, int] = {}
        if isinstance(masks, Mapping):
            self.masks = {name: k + 1 for k, name in enumerate(masks)}
            masks = {name: np.array(weights) for name, weights in masks.items()} or None
        elif masks is not None:
            masks = np.array(masks)
        marked = _marked(markers, sources)
        self._subsets = _numbered(subsets or {}, skeleton)
        self._chains = _linked(chains or {}, skeleton)
        radii = None if radii is None else np.array(radii)
        points = skeleton.points if points is None else points
        points = None if points is None else np.array(points)
        self._root_alone = all(_has_root_alone(clip, skeleton) for clip in sources)
        self._markers = marked # by the numbers of clips
        self._skeleton = skeleton
        self._sources: tuple[Clip | Keys | None, ...] = sources  # by the numbers of clips; None: it was removed
        self._options: dict[str, Any] = {"engine": engine, "method": method, "levels": levels, "masks": masks, "radii": radii,
                         "points": points, "key_format": key_format, "spare_clips": spare_clips}
        self._changing = Lock()
        on = engine_or_default(engine)
        keep: list[Any] = []
        descs, count = _describe_clips(sources, skeleton, keep, self._root_alone, method=method, key_format=key_format)
        c_skeleton = _make_skeleton(skeleton, levels, masks, self._subsets, radii, points, self._chains)
        made = ffi.new("pm_crowd **")
        call(lib.pm_crowd_create, on.handle,
             ffi.new("pm_crowd_desc *", {
                 "skeleton": c_skeleton, "clips": descs, "clip_count": count,
                 "spare_clips": count_of(spare_clips, "spare_clips"),
                 "markers": _describe_markers(marked, sources, keep) if marked else ffi.NULL}), made)
        ffi.gc(c_skeleton, None) # from now on it ends with the crowd
        self._handle = owned(made[0], partial(_destroy_crowd, skeleton=c_skeleton), on)
        self._joints = len(skeleton)
        self._updates_all = all(every <= 1 for _, every in levels)
        self.order = view(self._handle, lib.pm_skeleton_order(c_skeleton), (self._joints,), np.uint32)
        self.slots = view(self._handle, lib.pm_skeleton_slots(c_skeleton), (self._joints,), np.uint32)
        self.ticks = self._durations(count)

    @classmethod
    def from_character(cls, motion: Motion | Path, file: Path | None = None, *, skin: int = 0,
                       **options: Any) -> Crowd:
        """A crowd of a motion, with the masks, subsets, chains and radii of a file beside it.

        Parameters
        ----------
        motion : Motion or path
            All of its clips are those of the crowd.
        file : path, optional
            What ``posemill character`` writes. Default: that of the path, ``walk.character.json`` beside ``walk.glb``.
        skin : int
            The skin whose joints the crowd has.
        **options
            Arguments of :class:`Crowd`, which replace what the file says.

        Returns
        -------
        Crowd
            Its masks have names: ``crowd.masks["upper body"]`` is a number for ``mask`` of instances. Radii are those of
            the file, and of the meshes.

        Examples
        --------
        >>> import numpy as np, posemill as pm
        >>> _ = open("walk.character.json", "w").write('''
        ...   {"masks": [{"name": "waving", "joints": ["left arm", {"joint": "LeftCollar", "weight": 0.5}]}],
        ...    "chains": [{"name": "look", "kind": "aim", "joints": ["Neck", "Head"], "forward": [0, 0, 1],
        ...                "axis": [0, 1, 0]}]}''')
        >>> crowd = pm.Crowd.from_character("walk.bvh")
        >>> goals = np.zeros(1000, pm.chain_goal)
        >>> goals["position"], goals["weight"] = (0, 150, 500), 1
        >>> instances = np.zeros(1000, pm.crowd_instance)
        >>> crowd.masks["waving"], crowd.pose(instances, goals={"look": goals}).shape
        (1, (1000, 21, 3, 4))
        """
        source = motion if isinstance(motion, Motion) else load(motion)
        if file is None:
            if isinstance(motion, Motion):
                raise TypeError("file: expected the path of a character file, because a Motion has none beside it")
            file = os.fsdecode(os.path.splitext(os.fspath(motion))[0]) + ".character.json"
        skeleton = source.skin(skin)
        character = Character(source._content.handle, skin, file_name(file))
        return cls(skeleton, source, **{**character.of_crowd(), **options})

    def _durations(self, count: int) -> npt.NDArray[np.int64]:
        return np.fromiter((lib.pm_crowd_clip_ticks(self._handle, i) for i in range(count)), np.int64, count)

    def add_clips(self, clips: Sequence[Clip | Keys] | Motion, *,
                  markers: Markers | None = None) -> npt.NDArray[np.uint32]:
        """Add clips while other threads pose. Takes about as long as building these clips.

        Parameters
        ----------
        clips : sequence of Clip or Keys, or a Motion
            As for the crowd, with the same channels. Where it stores positions of the root alone, no other joint
            may leave its rest position.
        markers : mapping of clip to (seconds, id) pairs, optional
            For these clips, by their index among them or by name.

        Returns
        -------
        array of uint32
            The numbers of the clips, for instances and layers: new ones, or those of clips after which 256 others
            were removed.

        Examples
        --------
        >>> import posemill as pm
        >>> m = pm.load("walk.bvh")
        >>> crowd = pm.Crowd(m.skeleton, m.clips)
        >>> crowd.add_clips([m.clips[0]], markers={0: [(0.5, 7)]})
        array([1], dtype=uint32)
        >>> crowd.remove_clips([0])
        """
        added = clips.clips if isinstance(clips, Motion) else tuple(clips)
        marked = _marked(markers, added)
        keep: list[Any] = []
        for clip in added:
            if self._root_alone and not _has_root_alone(clip, self._skeleton):
                raise ValueError(f"clips: {clip!r} moves joints beside the root, whose positions alone this crowd "
                                 "stores")
        descs, count = _describe_clips(added, self._skeleton, keep, self._root_alone, method=self._options["method"],
                                       key_format=self._options["key_format"])
        described = _describe_markers(marked, added, keep) if marked else ffi.NULL
        ids: npt.NDArray[np.uint32] = np.empty(count, np.uint32)
        with self._changing:
            call(lib.pm_crowd_add_clips, self._handle, descs, described, count, ffi.from_buffer("uint32_t[]", ids))
            numbers = ids.tolist()
            self._change(dict(zip(numbers, added, strict=True)))
            self._markers |= {number: marked.get(i, ()) for i, number in enumerate(numbers)}
        return ids

    def remove_clips(self, ids: Iterable[int]) -> None:
        """Remove clips, at least one of which must be left, while other threads pose.

        Instances and layers that show them are then posed as those of clips that do not exist, and :meth:`check`
        names them.

        Parameters
        ----------
        ids : iterable of int
            Numbers of clips.

        Examples
        --------
        >>> import posemill as pm
        >>> m = pm.load("walk.bvh")
        >>> crowd = pm.Crowd(m.skeleton, [m.clips[0], m.clips[0]])
        >>> crowd.remove_clips([1])
        >>> int(crowd.ticks[1])
        0
        """
        numbers = [count_of(number, "ids", 2**32) for number in ids]
        with self._changing:
            call(lib.pm_crowd_remove_clips, self._handle, ffi.new("uint32_t[]", numbers), len(numbers))
            self._change(dict.fromkeys(numbers))

    def _change(self, changed: Mapping[int, Clip | Keys | None]) -> None:
        """Notes clips by their numbers; None: it was removed."""
        known = dict(enumerate(self._sources)) | dict(changed)
        self._sources = tuple(known[number] for number in range(len(known)))
        self.ticks = self._durations(len(known))

    def check(self, instances: Array) -> None:
        """Raises ValueError unless all clips, masks, levels and flags exist.

        Examples
        --------
        >>> import numpy as np, posemill as pm
        >>> m = pm.load("walk.bvh")
        >>> crowd = pm.Crowd(m.skeleton, m.clips)
        >>> instances = np.zeros(3, pm.crowd_instance)
        >>> crowd.check(instances)
        """
        records = _instances(instances)
        call(lib.pm_crowd_check_instances, self._handle, address(records), len(records))

    def check_layers(self, layers: Array) -> None:
        """Raises ValueError unless all clips, masks, ops and flags exist. The message has the index
        of the first layer of which this is not true as that of an instance.

        Examples
        --------
        >>> import numpy as np, posemill as pm
        >>> m = pm.load("walk.bvh")
        >>> crowd = pm.Crowd(m.skeleton, m.clips)
        >>> crowd.check_layers(np.zeros(3, pm.crowd_layer))
        """
        records = _layers(layers)
        call(lib.pm_crowd_check_layers, self._handle, address(records), len(records))

    def pose(self, instances: Array | None = None, output: Output = "palette", *,
             layers: Array | None = None, ranges: npt.ArrayLike | None = None,
             poses: npt.ArrayLike | None = None, subset: int | str | None = None,
             indices: npt.ArrayLike | None = None, packed: bool = True, out: Floats | None = None,
             frame: int = 0, goals: Mapping[str, Array] | None = None,
             ground: tuple[npt.ArrayLike, npt.ArrayLike, float] | None = None,
             placements: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
             transitions: tuple[Array, int] | None = None, plants: tuple[Array, int] | None = None) -> Floats:
        """Pose all instances, or those that are listed.

        Parameters
        ----------
        instances : array of `crowd_instance`
            Any 32 bytes can be posed; :meth:`check` finds what does not exist.
        output : str
            ``"palette"``: matrices in model space times the inverse binds, for skinning;
            ``"palette_half"``: the same in float16; ``"model"``: matrices in model space;
            ``"local"``: rotation x y z w, position x y z 0 and scale x y z 0 relative to the
            parents; ``"dual"``: the palette as dual quaternions; ``"bounds"``: for each instance
            the least x y z 0 and the greatest x y z 0 of the spheres about its joints in model
            space.
        layers : array of `crowd_layer`, optional
            Clips that are blended, one after another, onto the pose that clips A and B give. Any
            24 bytes can be posed; :meth:`check_layers` finds what does not exist.
        ranges : array of int, optional
            (instances, 2): for each instance its first layer, and the number of its layers, of
            which 64 count. Required with `layers`.
        poses : array, optional
            (instances, joints, 3, 4) in place of instances: local poses, as ``"local"`` gives
            them, with rotations of length 1.
        subset : str or int, optional
            Of the crowd's subsets, by name or index: its joints alone, in its order. ``"bounds"``
            then encloses these joints.
        indices : array of int, optional
            The instances to pose, in place of all; those of a mask are ``np.flatnonzero(mask)``.
        packed : bool
            With `indices`. True: the result has a pose for each index, in their order. False
            writes each pose to the place of its instance in `out`, which is then required and has
            places for all instances; the others keep what is there. Levels that are not updated in
            every frame need this unless the list never changes.
        out : array, optional
            Receives the result. Instances may lie at any distance, the joints of one lie tightly.
            Required where a level is not updated in every frame: then instances keep what is there.
        frame : int
            For levels that are not updated in every frame.
        goals : mapping of name to array of `chain_goal` or `stand_goal`, optional
            For chains of the crowd, in their order here: a goal of each instance. Any 64 bytes are accepted.
        ground : heights, origin and cell, optional
            For chains of kind ``"stand"``: heights (rows, columns) of nodes at ``origin + cell * (column, row)``, in x
            and the other axis that is not up.
        placements : pair of arrays, optional
            (instances, 3) and (instances, 4): positions and rotations x y z w of the instances in the world, where the
            goals then are. Default: goals are in model space.
        transitions : pair of array and int, optional
            States of :meth:`begin_transitions`, and the present time in ticks of the same clock. Any bytes are accepted.
        plants : pair of array and int, optional
            Experimental. For chains with contacts: states of planted feet, (instances, :attr:`plant_bytes`) of uint8,
            which are changed, and the present time in ticks, that of `transitions`. All 0 is none.

        Returns
        -------
        array
            (instances, joints, 3, 4), of ``"dual"`` (instances, joints, 2, 4), of ``"bounds"``
            (instances, 2, 4). Joints are in the order of :attr:`order`, or of the subset.

        Examples
        --------
        >>> import numpy as np, posemill as pm
        >>> m = pm.load("walk.bvh")
        >>> crowd = pm.Crowd(m.skeleton, m.clips, subsets={"arm": ["RightArm", "RightHand"]})
        >>> instances, layers = np.zeros(100, pm.crowd_instance), np.zeros(1, pm.crowd_layer)
        >>> layers["op"], layers["weight"], layers["time"] = pm.LAYER_OVER, 0.5, pm.crowd_ticks(0.3)
        >>> ranges = np.tile([0, 1], (100, 1)) # one layer for all
        >>> crowd.pose(instances, "model", layers=layers, ranges=ranges, subset="arm").shape
        (100, 2, 3, 4)
        >>> crowd.pose(instances, "bounds", indices=[3, 5]).shape
        (2, 2, 4)
        >>> changed = crowd.pose(instances, "local")
        >>> crowd.pose(output="palette", poses=changed).shape
        (100, 21, 3, 4)
        >>> reaching = pm.Crowd(m.skeleton, m.clips, chains={
        ...     "arm": {"kind": "two_bones", "joints": ["RightArm", "RightForeArm", "RightHand"], "axis": [0, 1, 0]}})
        >>> goals = np.zeros(100, pm.chain_goal)
        >>> goals["position"], goals["weight"] = [30, 120, 20], 1
        >>> reaching.pose(instances, goals={"arm": goals}).shape
        (100, 21, 3, 4)
        """
        if output not in _OUTPUTS:
            raise ValueError(f"output: {output!r} is unknown; expected {', '.join(_OUTPUTS)}")
        number, record, dtype = _OUTPUTS[output]
        set_number, joints = self._joints_of(subset)
        count, inputs = self._inputs(instances, layers, ranges, poses, indices)
        if goals:
            inputs["goals"] = self._goals(goals, count)
        if placements is not None:
            inputs["placements"] = _placed(placements, count, False)
        if transitions is not None:
            inputs["transitions"] = self._states(transitions[0], count)
        if plants is not None:
            if transitions is not None and transitions[1] != plants[1]:
                raise ValueError("transitions, plants: expected the same time")
            inputs["plants"] = self._states(plants[0], count, "plants", self.plant_bytes)
            if inputs["plants"] is not plants[0] or not plants[0].flags.writeable:
                raise ValueError("plants: expected an array that can be written")
        field: dict[str, Any] = {}
        if ground is not None:
            inputs["heights"], field = _height_field(ground)
        listed = inputs.get("indices", ())
        rows = len(listed) if packed and indices is not None else count
        shape = (rows, *record) if output == "bounds" else (rows, joints, *record)
        if out is not None:
            _check_out(out, shape, np.dtype(dtype), inputs)
        elif not packed and indices is not None:
            raise ValueError(f"out: expected an array of shape {shape}, because packed=False "
                             "poses into a part of it")
        elif poses is None and not self._updates_all:
            raise ValueError("out: expected an array with the poses of the frame before, "
                             "because a level is not updated in every frame")
        else:
            out = new_result(shape, dtype)
        frame = count_of(frame, "frame", 2**64)
        if rows == 0:
            return out
        # NumPy gives an axis of one any stride.
        target = ffi.new("pm_crowd_target *", {"output": number, "subset": set_number, "memory": address(out),
                                               "stride": out.strides[0] if rows > 1 else 0})
        uses = self._uses(goals or {}, placements is not None)  # the job does not keep it alive
        job = ffi.new("pm_crowd_job *", {
            "instance_count": count, "frame": frame, "outputs": target, "output_count": 1,
            "packed": bool(packed), "layer_count": len(inputs.get("layers", ())),
            "transition_time": int((transitions or plants or (None, 0))[1]),
            "index_count": len(listed), "chain_count": len(goals or ()),
            "chains": uses, "ground": field, **{name: address(array) for name, array in inputs.items()}})
        call(lib.pm_crowd_pose, self._handle, job)
        return out

    def begin_transitions(self, before: Sequence[Shown], after: Sequence[Shown], *, step: int, duration: float,
                          time: int = 0, indices: npt.ArrayLike | None = None, states: Array | None = None) -> Array:
        """Begin transitions of instances that change what they show, so that neither pose nor velocity jumps.

        Experimental. :meth:`pose` with the states then shows what is after the change, with what remains of its
        difference from what was before.

        Parameters
        ----------
        before, after : pair of array or mapping
            What was shown so far and what is shown from now on, each a step before the change and at the change:
            instances, or arguments of :meth:`pose` by name (`instances`, `layers`, `ranges`, `poses`; before the
            change `transitions` too, where one runs).
        step : int
            Ticks between both.
        duration : float
            Seconds until the new clips are shown alone.
        time : int
            Of the change, in ticks of any clock.
        indices : array of int, optional
            The instances that change. Default: all.
        states : array, optional
            Those of all instances, of an earlier call, which are changed. Default: a new array, without transitions of
            others.

        Returns
        -------
        array
            (instances, bytes) of uint8.

        Examples
        --------
        >>> import numpy as np, posemill as pm
        >>> m = pm.load("walk.bvh")
        >>> crowd = pm.Crowd(m.skeleton, m.clips)
        >>> now, step = pm.crowd_ticks(0.5), pm.crowd_ticks(1 / 60)
        >>> old, new = np.zeros((2, 3), pm.crowd_instance), np.zeros((2, 3), pm.crowd_instance)
        >>> old["time_a"], new["time_a"] = [[now - step], [now]], [[-step], [0]] # the clip begins anew
        >>> states = crowd.begin_transitions(list(old), list(new), step=step, duration=0.3, time=now)
        >>> shown = crowd.pose(new[1], "local", transitions=(states, now))
        >>> bool(np.allclose(abs(shown), abs(crowd.pose(old[1], "local")), atol=1e-3))
        True
        """
        jobs: list[Any] = []
        keep: list[Any] = []
        count: int | None = None
        for shown in (*before, *after):
            given = dict(shown) if isinstance(shown, Mapping) else {"instances": shown}
            now = given.pop("transitions", None)
            unknown = set(given) - {"instances", "layers", "ranges", "poses"}
            if unknown:
                raise ValueError(f"before, after: {min(unknown)!r} is none of instances, layers, ranges and poses")
            rows, inputs = self._inputs(given.get("instances"), given.get("layers"), given.get("ranges"),
                                        given.get("poses"), None)
            if now is not None:
                inputs["transitions"] = self._states(now[0], rows)
            count = rows if count is None else count
            if rows != count:
                raise ValueError(f"before, after: expected {count} instances, found {rows}")
            keep.append(inputs)
            jobs.append(ffi.new("pm_crowd_job *", {
                "instance_count": rows, "layer_count": len(inputs.get("layers", ())),
                "transition_time": 0 if now is None else int(now[1]),
                **{name: address(array) for name, array in inputs.items()}}))
        if len(jobs) != 4:
            raise ValueError("before, after: expected two each, a step before the change and at the change")
        if states is None:
            states = np.zeros((count or 0, lib.pm_crowd_transition_bytes(self._handle)), np.uint8)
        elif self._states(states, count or 0) is not states or not states.flags.writeable:
            raise ValueError("states: expected an array of begin_transitions that can be written")
        begin = ffi.new("pm_crowd_transition *", {
            "before": jobs[:2], "after": jobs[2:], "step": int(step), "time": int(time), "duration": duration,
            "states": address(states)})
        if indices is not None:
            listed = _integers(indices, "indices", (np.size(indices),), count or 0)
            if len(listed) == 0:
                return states
            begin.indices, begin.index_count = address(listed), len(listed)
        if count:
            call(lib.pm_crowd_begin_transitions, self._handle, begin)
        return states

    @property
    def plant_bytes(self) -> int:
        """Bytes of the states of an instance's planted feet."""
        return int(lib.pm_crowd_plant_bytes(self._handle))

    def _states(self, states: Array, count: int, name: str = "transitions", size: int | None = None) -> Array:
        """States of transitions, or of planted feet, of all instances."""
        shape = count, lib.pm_crowd_transition_bytes(self._handle) if size is None else size
        found = np.asarray(states)
        if found.shape != shape or found.dtype != np.uint8 or not found.flags.c_contiguous:
            raise ValueError(f"{name}: expected a contiguous array of uint8 of shape {shape}, found {found.dtype} "
                             f"{found.shape}")
        return found

    def states(self, instances: Array, fields: Sequence[State] = tuple(_STATES), *,
               subset: int | str | None = None, placements: tuple[npt.ArrayLike, npt.ArrayLike] | None = None,
               speeds: npt.ArrayLike | None = None, scalar_first: bool = False,
               at_points: bool = False,
               out: Mapping[str, Any] | None = None) -> dict[str, Singles]:
        """Compute states of bodies, for learning and control: positions, rotations and velocities.

        All fields are computed in one pass. Velocities are the derivatives of the curves, times the
        speed of an instance: on a key the mean of both sides, at an end the inner side. Scales are
        ignored.

        Parameters
        ----------
        instances : array of `crowd_instance`
            They show clip A alone: weights are 0.
        fields : sequence of str
            ``"body_pos"``, ``"body_rot"``, ``"body_vel"``, ``"body_ang_vel"``: of the joints in the
            world; ``"local_rot"``, ``"local_ang_vel"``: relative to the parents, angular
            velocities in the joints' own axes; ``"angle"``, ``"angle_rate"``: of hinges.
        subset : str or int, optional
            As in :meth:`pose`.
        placements : pair of arrays, optional
            (instances, 3) and (instances, 4): positions and rotations of the instances in the world.
        speeds : array, optional
            (instances,) factors of the velocities.
        scalar_first : bool
            Rotations are w x y z, those of placements too.
        at_points : bool
            ``"body_vel"`` is that of the crowd's `points`.
        out : mapping, optional
            Arrays, or tensors in the memory of the CPU, which receive the fields.

        Returns
        -------
        dict
            Arrays (instances, joints, 3), of rotations (instances, joints, 4), of angles
            (instances, joints, 1).

        Examples
        --------
        >>> import numpy as np, posemill as pm
        >>> m = pm.load("walk.bvh")
        >>> crowd = pm.Crowd(m.skeleton, m.clips)
        >>> instances = np.zeros(4096, pm.crowd_instance)
        >>> states = crowd.states(instances, ["body_pos", "body_ang_vel"])
        >>> states["body_ang_vel"].shape
        (4096, 21, 3)
        """
        records = _instances(instances)
        set_number, joints = self._joints_of(subset)
        if at_points and "body_vel" in fields:
            self._check_points(set_number)
        inputs: dict[str, Array] = {"instances": records}
        if placements is not None:
            inputs["placements"] = _placed(placements, len(records), scalar_first)
        if speeds is not None:
            inputs["speeds"] = _numbers(speeds, "speeds", (len(records),))
        found: dict[str, Singles] = {}
        targets = ffi.new("pm_crowd_target[]", max(1, len(fields)))
        for target, name in zip(targets, fields, strict=False):
            if name not in _STATES:
                raise ValueError(f"fields: {name!r} is unknown; expected {', '.join(_STATES)}")
            if name in found:
                raise ValueError(f"fields: {name!r} is given twice")
            target.output, width, flag = _STATES[name]
            shape = (len(records), joints, width)
            if out is None:
                found[name] = new_result(shape)
            else:
                if name not in out:
                    raise ValueError(f"out: expected an array for {name!r}")
                found[name] = as_array(out[name], f"out[{name!r}]")
                _check_out(found[name], shape, np.dtype(np.float32), inputs, f"out[{name!r}]")
            target.subset, target.memory = set_number, address(found[name])
            target.stride = found[name].strides[0] if len(records) > 1 else 0
            target.flags = (flag if scalar_first else 0) | (
                lib.PM_TARGET_AT_POINT if at_points and name == "body_vel" else 0)
        if len(records) and fields:
            call(lib.pm_crowd_pose, self._handle, ffi.new("pm_crowd_job *", {
                "instance_count": len(records), "outputs": targets, "output_count": len(fields),
                **{name: address(array) for name, array in inputs.items()}}))
        return found

    def _goals(self, goals: Mapping[str, Array], count: int) -> Array:
        """(instances, chains) goals."""
        rows = np.empty((count, len(goals), chain_goal.itemsize), np.uint8)
        for k, (name, values) in enumerate(goals.items()):
            stands = self._chains.get(name, {}).get("kind") == "stand"
            records = _records(values, stand_goal if stands else chain_goal, "goal",
                               "stand_goal" if stands else "chain_goal")
            if len(records) != count:
                raise ValueError(f"goals: {name!r}: expected {count}, found {len(records)}")
            rows[:, k] = records.view(np.uint8).reshape(count, rows.shape[2])
        return rows

    def _uses(self, goals: Mapping[str, Array], in_world: bool) -> Any:
        names = tuple(self._chains)
        uses = [{"chain": _number(name, names, "goals", "chain"),
                 "flags": _POLES[self._chains[name].get("pole", "point")] | (lib.PM_CHAIN_IN_WORLD if in_world else 0)}
                for name in goals]
        return ffi.new("pm_chain_use[]", uses) if uses else ffi.NULL

    def _joints_of(self, subset: int | str | None) -> tuple[int, int]:
        """The number of a subset for targets, and that of its joints."""
        if subset is None:
            return 0, self._joints
        names = tuple(self._subsets)
        number = _number(subset, names, "subset", "subset")
        return number + 1, len(self._subsets[names[number]])

    def _check_points(self, set_number: int) -> None:
        """Refuses joints of a subset whose points are not known."""
        points = self._options["points"]
        joints = list(range(self._joints) if set_number == 0 else tuple(self._subsets.values())[set_number - 1])
        unknown = np.flatnonzero([] if points is None else np.isnan(points[joints]).any(axis=1))
        if len(unknown):
            raise ValueError(f"the point of {self._skeleton.names[joints[unknown[0]]]!r} is not known; "
                             "centres of mass of meshes without inertial are not computed")

    def _inputs(self, instances: Array | None, layers: Array | None, ranges: npt.ArrayLike | None,
                poses: npt.ArrayLike | None,
                indices: npt.ArrayLike | None) -> tuple[int, dict[str, Array]]:
        """The number of instances, and the arrays that a job reads by their names in pm_crowd_job."""
        if (instances is None) == (poses is None):
            raise ValueError("instances: expected instances or poses, and not both")
        first = _poses(poses, self._joints) if instances is None else _instances(instances)
        inputs = {"poses" if instances is None else "instances": first}
        if layers is not None:
            inputs["layers"] = _layers(layers)
        if ranges is not None:
            inputs["ranges"] = _integers(ranges, "ranges", (len(first), 2), 2**32)
        if indices is not None:
            inputs["indices"] = _integers(indices, "indices", (np.size(indices),), len(first))
        return len(first), inputs

    def root_motion(self, before: Array, after: Array,
                    transitions: tuple[Array, tuple[int, int]] | None = None) -> tuple[Singles, Singles]:
        """The motion of the first root from the times of `before` to those of `after`.

        Parameters
        ----------
        before, after : array of `crowd_instance`
            Fields but the times are those of `after`.
        transitions : array and pair of int, optional
            Experimental. States of :meth:`begin_transitions`, and both times of their clock in ticks: velocities then
            do not jump at a change.

        Returns
        -------
        rotations, positions : array
            (instances, 4) x y z w and (instances, 3): a character with the transform W then has
            the transform W T.

        Examples
        --------
        >>> import numpy as np, posemill as pm
        >>> m = pm.load("walk.bvh")
        >>> crowd = pm.Crowd(m.skeleton, m.clips)
        >>> before, after = np.zeros(2, pm.crowd_instance), np.zeros(2, pm.crowd_instance)
        >>> after["time_a"] = pm.crowd_ticks(0.5)
        >>> rotations, positions = crowd.root_motion(before, after)
        >>> rotations.shape, positions.shape
        ((2, 4), (2, 3))
        """
        first, second = _both(before, after)
        motions = np.empty((len(first), 2, 4), np.float32)
        if transitions is None:
            call(lib.pm_crowd_root_motion, self._handle, address(first), address(second), len(first), address(motions))
        elif len(first):
            states, times = self._states(transitions[0], len(first)), ffi.new("int64_t[2]", list(transitions[1]))
            call(lib.pm_crowd_root_motion_in_transition, self._handle, address(first), address(second), len(first),
                 address(states), 0, times, address(motions))
        return motions[:, 0], motions[:, 1, :3]

    def events(self, before: Array, after: Array) -> Array:
        """The markers that instances pass from the times of `before` to those of `after`.

        A marker at the second time is passed, and one at the first time is not, forwards and
        backwards, over any number of rounds.

        Returns
        -------
        array
            Rows ``(instance, clip, id, ticks)``, instance by instance in the order passed.
            ``ticks`` is the instance's time of the clip at the marker.

        Examples
        --------
        >>> import numpy as np, posemill as pm
        >>> m = pm.load("walk.bvh")
        >>> crowd = pm.Crowd(m.skeleton, m.clips, markers={0: [(0.5, 1), (1.5, 2)]})
        >>> before, after = np.zeros(2, pm.crowd_instance), np.zeros(2, pm.crowd_instance)
        >>> after["time_a"] = pm.crowd_ticks([1, 3])
        >>> [(int(row["instance"]), int(row["id"])) for row in crowd.events(before, after)]
        [(0, 1), (1, 1), (1, 2), (1, 1)]
        """
        first, second = _both(before, after)
        found, room = ffi.new("size_t *"), 64 + len(first)
        while True:
            rows = np.empty(room, _event)
            call(lib.pm_crowd_events, self._handle, address(first), address(second), len(first),
                 address(rows), room, found)
            if found[0] <= room:
                return rows[:found[0]]
            room = int(found[0])

    def synced_time(self, clip: int | str, time: npt.ArrayLike, other: int | str) -> Any:
        """The time in clip `other` that lies between the same sync marks as `time` in `clip`.

        Marks with the same id are matched in their order, round by round, so that left feet land
        together when a walk fades into a run.

        Parameters
        ----------
        clip, other : int or str
            Indices, or names.
        time : int or array of int64
            Ticks, as the times of instances.

        Returns
        -------
        int or array of int64
            Ticks of `other`.

        Examples
        --------
        >>> import posemill as pm
        >>> m, left, right = pm.load("walk.bvh"), 65536, 65537
        >>> crowd = pm.Crowd(m.skeleton, [m.clips[0], m.clips[0]],
        ...                  markers={0: [(0, left), (1, right)], 1: [(0.5, right), (1.5, left)]})
        >>> crowd.synced_time(0, pm.crowd_ticks(0.25), 1) == pm.crowd_ticks(1.75)
        True
        """
        times = np.asarray(time)
        if not np.can_cast(times.dtype, np.int64):
            raise TypeError(f"time: expected ticks, which are int64, found {times.dtype}")
        packed = np.ascontiguousarray(times, np.int64)
        synced = np.empty(times.shape, np.int64)
        call(lib.array_synced_times, self._handle, _clip_number(clip, self._sources, "clip"),
             _clip_number(other, self._sources, "other"), ffi.from_buffer("int64_t[]", packed),
             ffi.from_buffer("int64_t[]", synced), synced.size)
        return int(synced) if times.ndim == 0 else synced

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        with self._changing:
            here = next(source for source in self._sources if source is not None)
            removed = [number for number, source in enumerate(self._sources) if source is None]
            filled = tuple(here if source is None else source for source in self._sources)
            markers = {number: pairs for number, pairs in self._markers.items() if number not in removed}
            options = {**self._options, "subsets": self._subsets, "chains": self._chains, "markers": markers}
            return _made_again, (self._skeleton, filled, options, removed)

    def __repr__(self) -> str:
        joints, clips = self._joints, len(self.ticks) - self._sources.count(None)
        return (f"Crowd({joints} joint{'' if joints == 1 else 's'}, "
                f"{clips} clip{'' if clips == 1 else 's'}, {self._options['method']})")


def _made_again(skeleton: Skeleton, clips: Sequence[Clip | Keys], options: dict[str, Any],
                removed: Sequence[int]) -> Crowd:
    """Numbers of clips stay: those of `removed` are of some clip until they are removed again."""
    made = Crowd(skeleton, clips, **options)
    made.remove_clips(removed)
    return made


def _records(values: Array, dtype: np.dtype[Any], name: str, of: str | None = None) -> Array:
    records = np.asarray(values)
    if records.dtype != dtype:
        raise TypeError(f"{name}s: expected the type posemill.{of or f'crowd_{name}'}, found {records.dtype}")
    if records.ndim != 1:
        raise ValueError(f"{name}s: expected one axis, found shape {records.shape}")
    return np.require(records, requirements=["C", "A"])


def _instances(instances: Array) -> Array:
    return _records(instances, crowd_instance, "instance")


def _layers(layers: Array) -> Array:
    return _records(layers, crowd_layer, "layer")


def _integers(values: npt.ArrayLike, name: str, shape: tuple[int, ...], end: int) -> Array:
    """Integers from 0 up to, but not including, `end` as uint32."""
    numbers = np.asarray(values)
    if numbers.size and numbers.dtype.kind not in "iu":
        raise TypeError(f"{name}: expected integers, found {numbers.dtype}")
    if numbers.shape != shape:
        raise ValueError(f"{name}: expected shape {shape}, found {numbers.shape}")
    if numbers.size and not (numbers.min() >= 0 and numbers.max() < end):
        wrong = numbers.min() if numbers.min() < 0 else numbers.max()
        raise ValueError(f"{name}: expected 0 or more, and below {end}, found {wrong}")
    return np.require(numbers, np.uint32, ["C", "A"])


def _poses(poses: Any, joints: int) -> Array:
    numbers = as_floats(poses, "poses")
    if numbers.shape[1:] != (joints, 3, 4):
        raise ValueError(f"poses: expected shape (instances, {joints}, 3, 4), found {numbers.shape}")
    return np.require(numbers, np.float32, ["C", "A"])


def _numbers(values: npt.ArrayLike, name: str, shape: tuple[int, ...]) -> Singles:
    numbers = as_floats(values, name)
    if numbers.shape != shape:
        raise ValueError(f"{name}: expected shape {shape}, found {numbers.shape}")
    return np.require(numbers, np.float32, ["C", "A"])


def _height_field(ground: tuple[npt.ArrayLike, npt.ArrayLike, float]) -> tuple[Singles, dict[str, Any]]:
    if not isinstance(ground, (tuple, list)) or len(ground) != 3:
        raise TypeError("ground: expected heights, origin and cell")
    heights = as_floats(ground[0], "ground: heights")
    if heights.ndim != 2:
        raise ValueError(f"ground: expected heights of shape (rows, columns), found {heights.shape}")
    rows, columns = (count_of(n, "ground: rows and columns", 2**32) for n in heights.shape)
    return np.require(heights, np.float32, ["C", "A"]), {
        "origin": _numbers(ground[1], "ground: origin", (2,)).tolist(), "cell": float(ground[2]),
        "rows": rows, "columns": columns}


def _placed(values: tuple[npt.ArrayLike, npt.ArrayLike], count: int, scalar_first: bool) -> Singles:
    """Rows of pm_placement."""
    if not isinstance(values, (tuple, list)) or len(values) != 2:
        raise TypeError("placements: expected a pair: positions and rotations")
    placements = np.zeros((count, 8), np.float32)
    rotations = _numbers(values[1], "placements: rotations", (count, 4))
    placements[:, :4] = with_scalar_last(rotations) if scalar_first else rotations
    placements[:, 4:7] = _numbers(values[0], "placements: positions", (count, 3))
    return placements


def _both(before: Array, after: Array) -> tuple[Array, Array]:
    first, second = _instances(before), _instances(after)
    if len(first) != len(second):
        raise ValueError(f"after: expected {len(first)} instances, found {len(second)}")
    return first, second


def _check_out(out: Array, shape: tuple[int, ...], dtype: np.dtype[Any],
               inputs: Mapping[str, Array], called: str = "out") -> None:
    if not isinstance(out, np.ndarray):
        raise TypeError(f"{called}: expected an array, found {type(out).__name__}")
    if out.shape != shape or out.dtype != dtype:
        raise ValueError(f"{called}: expected {dtype} of shape {shape}, "
                         f"found {out.dtype} of shape {out.shape}")
    if not out.flags.writeable:
        raise ValueError(f"{called}: is read-only")
    if len(out) == 0:
        return
    record = out[0].nbytes
    if not out[0].flags.c_contiguous or (len(out) > 1 and out.strides[0] < record):
        raise ValueError(f"{called}: the record of an instance must lie packed, and instances apart")
    if out.ctypes.data % 4 or (len(out) > 1 and out.strides[0] % 4):
        raise ValueError(f"{called}: address and stride must be multiples of 4")
    for name, array in inputs.items():
        if np.shares_memory(out, array):
            raise ValueError(f"{called}: overlaps the {name}")
