# SPDX-License-Identifier: MIT
"""Words that are types are those that the library has."""
from __future__ import annotations

import typing
from typing import Any

import pytest

import posemill as pm
from posemill import _crowd, _description, _names
from reference import METHODS

TABLES: dict[str, tuple[Any, set[str]]] = {
    "methods": (_names.Method, set(METHODS)),
    "vector methods": (_names.VectorMethod, set(_description._VECTOR_METHODS)),
    "tangents": (_names.Tangents, set(_description._TANGENTS)),
    "ends": (_names.Ends, set(_description._ENDS)),
    "key formats": (_names.KeyFormat, set(_description.KEY_FORMATS)),
    "frames": (_names.Frame, set(_description.FRAMES)),
    "outputs": (_names.Output, set(_crowd._OUTPUTS)),
}


@pytest.mark.parametrize("name", list(TABLES))
def test_types_have_the_words_of_the_library(name: str) -> None:
    words, table = TABLES[name]
    assert set(typing.get_args(words)) == table


def test_methods_are_listed_with_what_they_are() -> None:
    assert list(pm.methods()) == METHODS and all(pm.methods().values())


@pytest.mark.parametrize("call", [
    lambda: pm.load("walk.bvh").resample(60, "quartic"), lambda: pm.RotationCurve([0, 1], [[0, 0, 0, 1]] * 2, "quartic"),
    lambda: pm.Crowd(pm.Skeleton(["a"], [-1]), [pm.Keys([[[0, 0, 0, 1.0]]], rate=1)], method="quartic"),
    lambda: pm.compare("walk.bvh", "walk.bvh", method="quartic"), lambda: pm.load("walk.bvh").at(0, "quartic")])
def test_an_unknown_method_is_answered_with_all_that_there_are(call: Any) -> None:
    with pytest.raises(ValueError, match="'quartic'") as refused:
        call()
    assert all(method in str(refused.value) for method in METHODS if method != "cubicspline")
