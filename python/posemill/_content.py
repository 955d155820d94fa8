# SPDX-License-Identifier: MIT
"""What a pm_motion holds: shared by a Motion, its clips and its skeleton."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, partial
from typing import Any

import numpy as np

from ._library import call, ffi, lib, text
from ._shared import Shared
from ._views import Array, address, name_of, view

__all__ = ["Character", "Content"]


def _destroy_motion(handle: Any, *, data: Any) -> None:
    """`data` are the bytes of a file in memory, or the motions that this one was made of, whose bytes it points
    into: they end after the motion.
    """
    lib.pm_motion_destroy(ffi.new("pm_motion **", handle))


def _destroy_character(handle: Any) -> None:
    lib.pm_motion_character_destroy(ffi.new("pm_motion_character **", handle))


class Character:
    """A skeleton and its clips, as crowds take them."""

    def __init__(self, motion: Any, skin: int, file: bytes | None = None) -> None:
        name = ffi.NULL if file is None else ffi.new("char[]", file)
        # Clips of a crowd may be of several motions.
        options = ffi.new("pm_motion_character_options *", {"skin": skin, "all_positions": True, "file": name})
        made = ffi.new("pm_motion_character **")
        call(lib.pm_motion_character_create, motion, options, made)
        self.handle = ffi.gc(made[0], _destroy_character)

    @property
    def nodes(self) -> Array:
        """The nodes of the motion that the joints are."""
        return view(self.handle, self.handle.nodes, (self.handle.skeleton.joint_count,),
                    np.uint32)

    @property
    def skin_slots(self) -> Array | None:
        """Where the joints of the skin stand in the outputs of crowds."""
        if self.handle.skin_slots == ffi.NULL:
            return None
        return view(self.handle, self.handle.skin_slots, (self.handle.skin_joint_count,),
                    np.uint32)

    def of_crowd(self) -> dict[str, Any]:
        """What its file says, and the radii of its meshes, as arguments of a Crowd."""
        desc = self.handle.skeleton
        joints = int(desc.joint_count)
        masks = {text(self.handle.mask_names[k]): view(self.handle, desc.masks + k * joints, (joints,), np.float32)
                 for k in range(desc.mask_count)}
        subsets = {text(self.handle.subset_names[k]): list(desc.subsets[k].joints[0:desc.subsets[k].joint_count])
                   for k in range(desc.subset_count)}
        chains = {text(self.handle.chain_names[k]): self._chain(desc.chains[k], self.handle.chain_flags[k])
                  for k in range(desc.chain_count)}
        radii = None if desc.radii == ffi.NULL else view(self.handle, desc.radii, (joints,), np.float32)
        return {"masks": masks, "subsets": subsets, "chains": chains, "radii": radii}

    @staticmethod
    def _chain(chain: Any, flags: int) -> dict[str, Any]:
        kind = {lib.PM_CHAIN_TWO_BONES: "two_bones", lib.PM_CHAIN_AIM: "aim", lib.PM_CHAIN_PIN: "pin"}[chain.kind]
        found: dict[str, Any] = {"kind": kind, "joints": list(chain.joints[0:chain.joint_count])}
        if kind != "pin":
            found |= {"axis": list(chain.axis), "limit": chain.limit,
                      "pole": "direction" if flags & lib.PM_CHAIN_POLE_DIRECTION else "point"}
        if kind == "aim":
            found["forward"] = list(chain.forward)
        if chain.shares != ffi.NULL:
            found["shares"] = list(chain.shares[0:chain.joint_count])
        return found


class Content(Shared):
    """A motion in C memory. A pickle of it has a function and arguments that make it once more.

    Attributes
    ----------
    handle : cdata
        The pm_motion, which is destroyed with the last reference.
    owner : cdata
        What keeps all pointers of `c` valid.
    c : cdata
        The pm_motion_content.
    reduction : dict or None
        The numbers of the step that reduced it, where that was the last one.
    """

    handle: Any

    def __init__(self, pointer: Any, made_by: tuple[Callable[..., Content], tuple[Any, ...]],
                 data: Any = None, *, sources: Iterable[Content] = ()) -> None:
        self._made_by = made_by
        handles = [source.handle for source in sources]
        self.handle = ffi.gc(pointer, partial(_destroy_motion, data=handles or data))
        self.owner = self.handle
        self.c = lib.pm_motion_get_content(self.handle)
        self.reduction: dict[str, Any] | None = None
        self._characters: dict[int, Character] = {}

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(name_of(self.c.nodes[n].name) for n in range(self.c.node_count))

    def _of_nodes(self, field: str, width: int) -> Array:
        """A field of doubles of all nodes."""
        count = int(self.c.node_count)
        start = address(self.c.nodes) + ffi.offsetof("pm_motion_node", field)
        return view(self.owner, ffi.cast("void *", start), (count, width), np.float64,
                    (ffi.sizeof("pm_motion_node"), 8))

    @cached_property
    def parents(self) -> Array:
        start = address(self.c.nodes) + ffi.offsetof("pm_motion_node", "parent")
        return view(self.owner, ffi.cast("void *", start), (int(self.c.node_count),), np.int32,
                    (ffi.sizeof("pm_motion_node"),))

    def rest(self, path: str) -> Array:
        """The rest pose of all nodes: rotation, translation or scale."""
        return self._of_nodes("position" if path == "translation" else path, 4 if path == "rotation" else 3)

    def character(self, skin: int) -> Character:
        """Made once for each skin; of several threads, the first has made it."""
        found = self._characters.get(skin)
        return found or self._characters.setdefault(skin, Character(self.handle, skin))

    def __reduce__(self) -> tuple[Callable[..., Content], tuple[Any, ...]]:
        return self._made_by
