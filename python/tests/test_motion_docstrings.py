# SPDX-License-Identifier: MIT
"""The examples in the docstrings of motions, crowds and batches."""
from __future__ import annotations

import doctest
import importlib
import shutil
from pathlib import Path

import pytest
from motion_files import WALK


@pytest.mark.parametrize("name", ["_clip", "_crowd", "_engine", "_keys", "_motion", "_skeleton",
                                  "batch"])
def test_examples(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(WALK, tmp_path)
    monkeypatch.chdir(tmp_path)
    found = doctest.testmod(importlib.import_module(f"posemill.{name}"))
    assert found.failed == 0 and found.attempted > 0
