# SPDX-License-Identifier: MIT
"""Objects that never change: their copies are they themselves."""
from __future__ import annotations

from typing import Any, TypeVar

__all__ = ["Shared"]

_Self = TypeVar("_Self")


class Shared:
    """Has the methods of copying."""

    def __copy__(self: _Self) -> _Self:
        return self

    def __deepcopy__(self: _Self, _: Any) -> _Self:
        return self
