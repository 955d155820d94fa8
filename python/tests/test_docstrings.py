# SPDX-License-Identifier: MIT
"""The docstrings: each example runs, and everything public has one."""
from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import posemill as pm
import pytest
from motion_files import WALK
from posemill import learning

MODULES = [m.name for m in pkgutil.iter_modules(pm.__path__) if m.name != "_native"]
MODULES += [f"learning.{m.name}" for m in pkgutil.iter_modules(learning.__path__)]
NEEDS = {"_curve": "pyopencl", "_dropin": "scipy", "_engine": "pyopencl", "_skeleton": "mujoco", "torch": "torch",
         "learning.mjlab": "mjlab",
         **dict.fromkeys(("learning._motions", "learning.mimickit", "learning.protomotions"), "torch")}


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(NEEDS.get(name, "numpy"))
    shutil.copy(WALK, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert doctest.testmod(importlib.import_module(f"posemill.{name}")).failed == 0


def public() -> Iterator[tuple[str, Any]]:
    """Classes, functions and methods, without properties: their class shows them."""
    for module in (pm, pm.batch):
        for name in module.__all__:
            found = getattr(module, name)
            if inspect.isfunction(found):
                yield name, found
            elif inspect.isclass(found):
                yield name, found
                for method, value in vars(found).items():
                    value = getattr(value, "__func__", value)
                    if inspect.isfunction(value) and not method.startswith("_"):
                        yield f"{name}.{method}", value


@pytest.mark.parametrize("name, found", [pytest.param(*one, id=one[0]) for one in public()])
def test_everything_public_has_an_example(name: str, found: Any) -> None:
    assert ">>> " in (inspect.getdoc(found) or ""), f"{name} has no example"
