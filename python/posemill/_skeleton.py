# SPDX-License-Identifier: MIT
"""Skeletons: of motions, or from arrays."""
from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ._content import Character, Content
from ._library import Path, ffi, lib, printable
from ._mjcf import parts_of_mjcf
from ._names import Floats
from ._robot import Part, parts_of_model, parts_of_urdf, table_of
from ._views import Array, array_of, view

__all__ = ["Skeleton"]

_hinge = np.dtype([("joint", np.uint32), ("axis", np.float32, 3), ("reference", np.float32)])  # pm_hinge


class Skeleton:
    """Joints with their parents and their rest pose.

    Parameters
    ----------
    names : sequence of str
        One per joint.
    parents : array of int
        Index of each joint's parent; -1: a root. In any order, no cycles.
    rotations, positions, scales : array, optional
        The rest pose relative to the parents: (joints, 4) x y z w, (joints, 3), (joints, 3).
        Default: no rotation, 0 and 1.
    inverse_binds : array, optional
        (joints, 3, 4) matrices from the mesh's space to that of the joint in the bind pose.
        Default: the mesh was bound in the rest pose.
    axes : array, optional
        (joints, 3) axes of hinges in the joints' own frames; 0: a ball joint. The rotation of a hinge
        is that of the rest pose times a turn about the axis. Default: all are ball joints.
    references : array, optional
        (joints,) angles of hinges in the rest pose, in radians. Default: 0.
    points : array, optional
        (joints, 3) centres of mass in the joints' own frames; NaN: that of a joint is not known.

    Attributes
    ----------
    hinges : array of int
        The joints that are hinges, in the order of their angles.
    hinge_names : tuple of str
        Names of the hinges; of robots those of their joints, where `names` has their bodies.
    continuous : array of bool
        Of the hinges, those without limits, whose angles in files may be wrapped.
    balls : array of int
        Of robots: the joints that turn freely, in the order of their rotations from the rest pose. Other
        joints without an axis rest, but for the root.
    ball_names : tuple of str
        Names of the balls; of robots those of their joints.
    coordinates : array of int
        Of robots: the joints of MuJoCo's ``qpos`` in its order, which are the hinges, the balls, and the
        root if it moves freely.
    coordinate_names : tuple of str
        Their names: that of the root's body, and those of joints.
    bodies : array of int
        The joints that are bodies: of robots not those between two hinges of one body.
    nodes : array of int
        For skeletons of a motion: the index of each joint in ``Motion.names``.
    skin_slots : array of int or None
        For skeletons of a skin: for each of its joints, in the order to which the vertices of
        its meshes refer, its place in the outputs of :meth:`Crowd.pose`.
    moves_below_root : str or None
        For skeletons of a motion: the joint that moves away in a clip while the root does not, so
        that :meth:`Crowd.root_motion` leaves it out; :meth:`Motion.extract_root` moves the root.

    Examples
    --------
    >>> import posemill as pm
    >>> arm = pm.Skeleton(["upper", "lower"], [-1, 0], positions=[[0, 0, 0], [0, 1, 0]])
    >>> arm
    Skeleton(2 joints)
    >>> pm.load("walk.bvh").skeleton.names[:3]
    ('Hips', 'Spine', 'Chest')
    """

    names: tuple[str, ...]
    parents: npt.NDArray[np.int32]
    rotations: Floats
    positions: Floats
    scales: Floats
    inverse_binds: Floats | None
    nodes: npt.NDArray[np.uint32]
    skin_slots: npt.NDArray[np.uint32] | None
    axes: Floats | None
    references: Floats | None
    points: Floats | None
    hinges: npt.NDArray[np.uint32]
    hinge_names: tuple[str, ...]
    continuous: npt.NDArray[np.bool_]
    balls: npt.NDArray[np.uint32]
    ball_names: tuple[str, ...]
    coordinates: npt.NDArray[np.uint32]
    coordinate_names: tuple[str, ...]
    bodies: npt.NDArray[np.uint32]
    moves_below_root: str | None

    def __init__(self, names: Sequence[str], parents: npt.ArrayLike, *,
                 rotations: npt.ArrayLike | None = None, positions: npt.ArrayLike | None = None,
                 scales: npt.ArrayLike | None = None,
                 inverse_binds: npt.ArrayLike | None = None, axes: npt.ArrayLike | None = None,
                 references: npt.ArrayLike | None = None,
                 points: npt.ArrayLike | None = None) -> None:
        if isinstance(names, str):
            raise TypeError("names: expected a sequence of texts, found one")
        self.names = tuple(str(name) for name in names)
        count = len(self.names)
        self.parents = _parents(parents, count)
        self.rotations = _rows(rotations, "rotations", count, (4,), (0, 0, 0, 1))
        self.positions = _rows(positions, "positions", count, (3,), (0, 0, 0))
        self.scales = _rows(scales, "scales", count, (3,), (1, 1, 1))
        self.inverse_binds = (None if inverse_binds is None else
                              _rows(inverse_binds, "inverse_binds", count, (3, 4), ()))
        self.nodes = np.arange(count, dtype=np.uint32)
        self.skin_slots = None
        self.moves_below_root = None
        self.axes = None if axes is None else _rows(axes, "axes", count, (3,), ())
        self.references = (None if references is None else
                           _rows(references, "references", count, (), ()))
        self.points = None if points is None else _rows(points, "points", count, (3,), ())
        if self.references is not None and self.axes is None:
            raise ValueError("references: expected axes with them")
        turns = np.zeros(count, bool) if self.axes is None else self.axes.any(axis=1)
        plain = self._plain_coordinates(np.flatnonzero(turns))
        self._set_coordinates(plain, [self.names[n] for n in plain])
        self.bodies = np.arange(count, dtype=np.uint32)
        self._content: Content | None = None
        self._skin = 0

    @classmethod
    def from_mujoco(cls, model: Any) -> Skeleton:
        """The skeleton of a model of MuJoCo, whose bodies are in its order without the world.

        Parameters
        ----------
        model : mujoco.MjModel
            Its arrays are read. Slide joints are refused, and two bodies that move freely.

        Returns
        -------
        Skeleton
            With bodies, hinges and balls in the order of the model, and centres of mass. The body with the
            free joint is the root, which moves by the rotations and positions of motions; other bodies of
            the world rest. Without a free joint motions move the frame of the first body.

        Examples
        --------
        >>> import mujoco, posemill as pm
        >>> model = mujoco.MjModel.from_xml_string('''<mujoco><worldbody>
        ...   <body name="base"><freejoint/><geom size="0.1"/>
        ...     <body name="arm" pos="0 0 1"><joint name="elbow" axis="0 1 0"/><geom size="0.1"/></body>
        ...   </body></worldbody></mujoco>''')
        >>> pm.Skeleton.from_mujoco(model).hinge_names
        ('elbow',)
        """
        made = cls._of_parts(parts_of_model(model))
        count = 7 * made.root_is_free + len(made.hinges) + 4 * len(made.balls)
        if count != int(model.nq):
            raise ValueError(f"the model's nq is {int(model.nq)}, expected {count}")
        return made

    @classmethod
    def from_mjcf(cls, path: Path) -> Skeleton:
        """The skeleton of an MJCF file, without MuJoCo.

        Bodies with pos and all orientations; joints with type, axis, pos and ref; free joints; classes of
        defaults, childclass, angle and eulerseq of the compiler, and included files. What else moves a frame
        is refused by name. Centres of mass are those of inertial, else of geoms as MuJoCo computes them;
        those of bodies that have meshes and no inertial are not known: NaN in ``points``.

        Examples
        --------
        >>> import numpy as np, posemill as pm
        >>> _ = open("arm.xml", "w").write('''<mujoco><worldbody>
        ...   <body name="base"><freejoint/>
        ...     <body name="arm" pos="0 0 1"><joint name="elbow" axis="0 1 0"/></body>
        ...   </body></worldbody></mujoco>''')
        >>> robot = pm.Skeleton.from_mjcf("arm.xml")
        >>> robot.hinge_names, robot.names[robot.root]
        (('elbow',), 'base')
        """
        return cls._read(path, parts_of_mjcf)

    @classmethod
    def from_urdf(cls, path: Path) -> Skeleton:
        """The skeleton of a URDF file: links, and revolute, continuous and fixed joints.

        The link of a floating joint is the root, else the first link. Joints that mimic others are refused.
        Centres of mass are those of inertial; those of links that have collision shapes alone are not known.

        Examples
        --------
        >>> import posemill as pm
        >>> _ = open("arm.urdf", "w").write('''<robot name="one"><link name="base"/><link name="arm"/>
        ...   <joint name="elbow" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
        ... </robot>''')
        >>> robot = pm.Skeleton.from_urdf("arm.urdf")
        >>> robot.hinge_names, robot.continuous.tolist()
        (('elbow',), [True])
        """
        return cls._read(path, parts_of_urdf)

    @classmethod
    def _read(cls, path: Path, read: Callable[[Path], list[Part]]) -> Skeleton:
        try:
            return cls._of_parts(read(path))
        except ValueError as error:
            raise ValueError(printable(f"{os.fsdecode(path)}: {error}")) from error
        except RecursionError as error:
            raise ValueError(printable(f"{os.fsdecode(path)}: elements are nested too deep")) from error

    @classmethod
    def _of_parts(cls, parts: Sequence[Part]) -> Skeleton:
        table = table_of(parts)
        made = cls(table.names, table.parents, rotations=table.rotations, positions=table.positions,
                   axes=table.axes, references=table.references, points=table.points)
        made.bodies = np.array(table.bodies, np.uint32)
        made._set_coordinates(table.coordinates, table.coordinate_names)
        made.continuous = np.array([joint in table.continuous for joint in made.hinges.tolist()], bool)
        return made

    @classmethod
    def _of(cls, content: Content, skin: int) -> Skeleton:
        """The joints of a skin and their ancestors; of a motion without skins all nodes."""
        self = cls.__new__(cls)
        character = content.character(skin)
        desc, count = character.handle.skeleton, int(character.handle.skeleton.joint_count)
        self.nodes = character.nodes
        self.skin_slots = character.skin_slots
        below = int(character.handle.moves_below_root)
        self.moves_below_root = content.names[self.nodes[below]] if below < count else None
        self.names = tuple(content.names[n] for n in self.nodes)
        self.parents = view(character.handle, desc.parents, (count,), np.int32)
        self.rotations = _given(character, desc.rotations, count, 4)
        self.positions = _given(character, desc.positions, count, 3)
        self.scales = _given(character, desc.scales, count, 3)
        binds = array_of(character.handle, desc.inverse_binds, count, 12)
        self.inverse_binds = None if binds is None else binds.reshape(count, 3, 4)
        self.axes = self.references = self.points = None
        self._set_coordinates([], [])
        self.bodies = np.arange(count, dtype=np.uint32)
        self._content = content
        self._skin = skin
        return self

    @property
    def root(self) -> int:
        """The first joint without a parent, which keys of the root move."""
        return int(np.argmax(np.asarray(self.parents) < 0))

    @property
    def root_is_free(self) -> bool:
        """Whether the root is one of the coordinates, as of models with a free joint."""
        return self.root in self.coordinates

    def _plain_coordinates(self, hinges: Array) -> list[int]:
        """The coordinates where nothing states them: the root, unless it is a hinge, and the hinges."""
        numbers: list[int] = hinges.tolist()
        return ([self.root] if numbers and self.root not in numbers else []) + numbers

    def _set_coordinates(self, joints: Sequence[int], names: Sequence[str]) -> None:
        """Sets what turns; hinges have an axis."""
        root = self.root if len(joints) else -1
        has_axis = set() if self.axes is None else set(np.flatnonzero(self.axes.any(axis=1)).tolist())
        named = list(zip((int(joint) for joint in joints), names, strict=True))
        hinges = [(joint, name) for joint, name in named if joint in has_axis]
        balls = [(joint, name) for joint, name in named if joint not in has_axis and joint != root]
        self.coordinates = np.array([joint for joint, _ in named], np.uint32)
        self.coordinate_names = tuple(name for _, name in named)
        self.hinges, self.hinge_names = np.array([j for j, _ in hinges], np.uint32), tuple(n for _, n in hinges)
        self.continuous = np.zeros(len(hinges), bool)
        self.balls, self.ball_names = np.array([j for j, _ in balls], np.uint32), tuple(n for _, n in balls)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Skeleton({len(self)} joint{'' if len(self) == 1 else 's'})"

    def _describe(self, keep: list[Any]) -> Any:
        """A pm_skeleton_desc; `keep` receives what it points to."""
        desc = ffi.new("pm_skeleton_desc *", {"joint_count": len(self)})
        parents = np.ascontiguousarray(self.parents, np.int32)
        keep += [desc, parents]
        desc.parents = ffi.from_buffer("int32_t[]", parents)
        for field, values in (("rotations", self.rotations), ("positions", self.positions),
                              ("scales", self.scales), ("inverse_binds", self.inverse_binds)):
            if values is not None:
                numbers = np.ascontiguousarray(values, np.float64)
                keep.append(numbers)
                getattr(desc, field).data = ffi.cast("void *", numbers.ctypes.data)
                getattr(desc, field).type = lib.PM_FLOAT64
        if self.axes is not None and len(self.hinges):
            hinges = np.zeros(len(self.hinges), _hinge)
            hinges["joint"], hinges["axis"] = self.hinges, np.asarray(self.axes)[self.hinges]
            if self.references is not None:
                hinges["reference"] = np.asarray(self.references)[self.hinges]
            keep.append(hinges)
            desc.hinges, desc.hinge_count = ffi.cast("pm_hinge *", hinges.ctypes.data), len(hinges)
        return desc


def _given(character: Character, array: Any, count: int, width: int) -> Array:
    found = array_of(character.handle, array, count, width)
    assert found is not None  # pm_motion_character_create gives the whole rest pose
    return found


def _parents(values: npt.ArrayLike, count: int) -> Array:
    parents = np.asarray(values)
    if parents.shape != (count,):
        raise ValueError(f"parents: expected {count}, one per name, found shape {parents.shape}")
    if count and not np.issubdtype(parents.dtype, np.integer):
        raise TypeError(f"parents: expected integers, found {parents.dtype}")
    if count and (parents.min() < -1 or parents.max() >= count):
        raise ValueError(f"parents: expected -1 to {count - 1}")
    return parents.astype(np.int32)


def _rows(values: npt.ArrayLike | None, name: str, count: int, shape: tuple[int, ...],
          default: tuple[float, ...]) -> Array:
    if values is None:
        return np.tile(np.array(default, np.float64), (count, 1))
    rows = np.array(values, np.float64)
    if rows.shape != (count, *shape):
        raise ValueError(f"{name}: expected shape {(count, *shape)}, found {rows.shape}")
    return rows
