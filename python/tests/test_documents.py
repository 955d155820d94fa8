# SPDX-License-Identifier: MIT
"""The examples of both README.md and of the documents run as they are printed."""
from __future__ import annotations

import json
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
                                             ("docs/python.md", []), ("docs/learning.md", ["walk.bvh"])])
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


def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cell after cell, as Jupyter runs them; outputs are not stored in the file."""
    notebook = json.loads((ROOT / "examples/motion.ipynb").read_text(encoding="utf-8"))
    shutil.copy(ROOT / "examples/walk.bvh", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert notebook["nbformat"] == 4
    names: dict[str, object] = {}
    ran = 0
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
            exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
            ran += 1
    assert ran > 5 and (tmp_path / "walk50.npz").exists()
