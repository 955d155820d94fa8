# SPDX-License-Identifier: MIT
"""The examples of both README.md and of the documents run as they are printed."""
from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def examples(document: str) -> list[tuple[int, str]]:
    """The blocks of Python of a document, with the numbers of their first lines."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return [(text.count("\n", 0, found.start(1)), found[1])
            for found in re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S)]


@pytest.mark.parametrize("document, files", [("README.md", ["walk.bvh"]), ("python/README.md", ["walk.bvh"]),
                                             ("docs/python.md", []), ("docs/learning.md", ["walk.bvh"]),
                                             ("docs/points.md", [])])
def test_examples_run(document: str, files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block alone: nothing is left of others but files. docs/python.md makes its own."""
    pytest.importorskip("scipy")
    for name in files:
        shutil.copy(ROOT / "examples" / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    blocks = examples(document)
    assert blocks
    for line, source in blocks:
        exec(compile("\n" * line + source, document, "exec"), {"__name__": "__main__"})
