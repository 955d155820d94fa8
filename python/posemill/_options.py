# SPDX-License-Identifier: MIT
"""Keyword arguments as the C library takes them: the one door of its table of options.

Which keywords a function has, their types and their words are asked of the library. Values become the texts of
the command, and the library checks them: what it refuses names the keyword. None is as if left out.
"""
from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from keyword import iskeyword
from numbers import Integral, Rational, Real
from typing import Any, NamedTuple

import numpy as np

from ._library import call, ffi, lib, text
from ._shared import Shared

__all__ = ["Options", "keywords", "step_array", "step_of"]

_EXACT = (lib.PM_OPTION_RATE, lib.PM_OPTION_TIME)
_NUMBERS = (lib.PM_OPTION_NUMBER, lib.PM_OPTION_INTEGER, *_EXACT)
_LISTS = (lib.PM_OPTION_NUMBERS, lib.PM_OPTION_NAMES, lib.PM_OPTION_FORM)
_PATHS = (lib.PM_OPTION_FILE, lib.PM_OPTION_FORM, lib.PM_OPTION_TEXT)
_BETWEEN = {"A:B": ":", "WxH": "x"}  # numbers of a form


class Keyword(NamedTuple):
    """A row of the table: its index, the name with its NUL and the type of the option, and how it takes values."""

    row: int
    name: bytes
    type: int
    is_flag: bool  # or True is a value
    repeats: bool
    between: str


_FUNCTIONS = {text(lib.native_function_name(f)): f for f in range(lib.native_function_count())}


def _keyword(name: str) -> str:
    """Words of Python have a `_` behind."""
    name = name.replace("-", "_")
    return f"{name}_" if iskeyword(name) else name


@cache
def keywords(function: str) -> dict[str, Keyword]:
    """The keywords of a function of the table in `functions.c`."""
    found = {}
    for row in range(lib.pm_option_count()):
        info = lib.pm_option_get_info(row)
        if lib.native_function_takes(_FUNCTIONS[function], row):
            argument = "" if info.argument == ffi.NULL else text(info.argument)
            found[_keyword(text(info.name))] = Keyword(
                row, ffi.string(info.name) + b"\0", info.type, lib.native_option_is_flag(row), info.repeats,
                _BETWEEN.get(argument, ","))
    return found


def _number(one: Any, is_exact: bool) -> str:
    """A float stands for the decimal that Python prints for it."""
    if isinstance(one, Integral):
        return str(int(one))
    if not is_exact and not isinstance(one, Rational):
        return repr(float(one))
    try:
        return str(Fraction(one if isinstance(one, Rational) else repr(float(one))))
    except (ValueError, OverflowError):
        return repr(one)


def _part(one: Any, name: str, key: Keyword) -> str:
    """One of several values."""
    if isinstance(one, str):
        return one
    if one is None and key.between == ":":
        return ""  # an end that is left open
    if isinstance(one, Real) and not isinstance(one, (bool, np.bool_)) and key.type != lib.PM_OPTION_NAMES:
        return _number(one, key.between == ":")
    raise TypeError(f"{name}: expected {'names' if key.repeats else 'numbers'}, found {type(one).__name__}")


def _texts(value: Any, name: str, key: Keyword) -> list[str]:
    """A value as texts of the command: several of an option that may be repeated."""
    if isinstance(value, (bool, np.bool_)) and key.is_flag:
        return ["true"] if value else []
    if isinstance(value, str) and key.type != lib.PM_OPTION_FLAG:
        return [value]
    if isinstance(value, os.PathLike) and key.type in _PATHS:
        return [os.fsdecode(value)]
    if isinstance(value, Real) and not isinstance(value, (bool, np.bool_)) and (
            key.type in _NUMBERS or (key.type == lib.PM_OPTION_TEXT and key.repeats)):
        return [_number(value, key.type in _EXACT)]
    if isinstance(value, Mapping) and key.repeats and key.type == lib.PM_OPTION_FORM:
        return [f"{_part(old, name, key)}={_part(new, name, key)}" for old, new in value.items()]
    if isinstance(value, Iterable) and not isinstance(value, (bytes, Mapping)) and (
            key.type in _LISTS or key.repeats):
        parts = [_part(one, name, key) for one in value]
        if not parts:
            raise ValueError(f"{name}: expected at least one value")
        numbers = key.between.join(parts)
        return parts if key.repeats else [f"tcb:{numbers}" if name == "tangents" else numbers]
    expected = "True or False" if key.type == lib.PM_OPTION_FLAG else \
        "a number" if key.type in _NUMBERS else "a text"
    raise TypeError(f"{name}: expected {expected}, found {type(value).__name__}")


def _destroy(handle: Any) -> None:
    lib.pm_motion_options_destroy(ffi.new("pm_motion_options **", handle))


class Options(Shared):
    """The keyword arguments of one call, checked.

    Attributes
    ----------
    function : str
    given : tuple of (str, str)
        Their names and texts.
    values : cdata
        A pm_motion_option_values.
    """

    def __init__(self, function: str, given: Mapping[str, Any], **others: Any) -> None:
        known = keywords(function)
        others = {name: value for name, value in others.items() if value is not None}
        texts = []
        for name, value in (*given.items(), *others.items()):
            if name not in known:
                raise TypeError(f"{function}() has no keyword {name!r}{_nearest(function, name)}")
            if name in given and name in others:
                raise TypeError(f"{function}(): {name} is given twice")
            if value is not None:
                texts += [(name, one) for one in _texts(value, name, known[name])]
        self._set(function, tuple(texts))

    @classmethod
    def of_texts(cls, function: str, given: tuple[tuple[str, str], ...]) -> Options:
        """Once more, in another process."""
        self = cls.__new__(cls)
        self._set(function, given)
        return self

    def _set(self, function: str, given: tuple[tuple[str, str], ...]) -> None:
        self.function, self.given = function, given
        known = keywords(function)
        texts = b""
        for name, one in given:
            if "\0" in one:
                raise ValueError(f"{name}: has a NUL character")
            texts += known[name].name + os.fsencode(one) + b"\0"
        made, found = ffi.new("pm_motion_options **"), ffi.new("pm_motion_option_values **")
        call(lib.native_function_set, _FUNCTIONS[function], texts, len(given), made, found)
        self._owner, self.values = ffi.gc(made[0], _destroy), found[0]

    def __contains__(self, name: str) -> bool:
        return any(one == name for one, _ in self.given)

    def absolute(self) -> Options:
        """For processes that may have another working folder. Names of layouts are no files."""
        known = keywords(self.function)
        return Options.of_texts(self.function, tuple(
            (name, os.path.abspath(value) if os.path.exists(value) and (
                known[name].type == lib.PM_OPTION_FILE or value.endswith(".npy")) else value)
            for name, value in self.given))

    def without_effect(self, format: int) -> list[str]:
        """Options that do nothing for inputs of a format."""
        known = keywords(self.function)
        formats = {name: int(lib.native_option_formats(known[name].row)) for name, _ in self.given}
        return [name for name, bits in formats.items() if bits and not bits >> format & 1]

    def __reduce__(self) -> Any:
        return Options.of_texts, (self.function, self.absolute().given)


def _nearest(function: str, name: str) -> str:
    found = lib.native_function_nearest(_FUNCTIONS[function], os.fsencode(name.replace("_", "-").split("\0")[0]))
    return "" if found == ffi.NULL else f"; did you mean {_keyword(text(found))}?"


def step_of(name: str, options: Mapping[str, Any]) -> Options:
    """The options of a step by its name of the command, or of the method."""
    for function, number in _FUNCTIONS.items():
        step = lib.native_function_step(number)
        if step != ffi.NULL and name in (function, text(step)):
            return Options(function, options)
    known = [function for function, number in _FUNCTIONS.items() if lib.native_function_step(number) != ffi.NULL]
    raise ValueError(f"steps: {name!r} is unknown; expected one of: {' '.join(known)}")


def step_array(steps: Sequence[Options]) -> Any:
    """A pm_motion_step array; the options must outlive it."""
    return ffi.new("pm_motion_step[]", [
        {"name": lib.native_function_step(_FUNCTIONS[step.function]), "options": step.values.task}
        for step in steps])
