# SPDX-License-Identifier: MIT
"""The examples of both README.md and of the documents run as they are printed."""
from __future__ import annotations

import json
import re
import shutil
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import posemill as pm
import pytest

ROOT = Path(__file__).resolve().parents[2]


def examples(document: str) -> list[tuple[int, str, str | None]]:
    """The blocks of Python of a document, with the numbers of their first lines, and the text that they print."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return [(text.count("\n", 0, found.start(1)), found[1], found[2])
            for found in re.finditer(r"^```python\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", text, re.M | re.S)]


def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cells, one after another; their last lines are shown."""
    shutil.copy(ROOT / "examples" / "walk.bvh", tmp_path)
    monkeypatch.chdir(tmp_path)
    book = json.loads((ROOT / "examples" / "learning.ipynb").read_text(encoding="utf-8"))
    names: dict[str, object] = {"__name__": "__main__"}
    cells = ["".join(cell["source"]) for cell in book["cells"] if cell["cell_type"] == "code"]
    assert cells and all(cell["outputs"] == [] for cell in book["cells"] if cell["cell_type"] == "code")
    for cell in cells:
        exec(compile(cell, "learning.ipynb", "exec"), names)


HUMAN = ("Pelvis", "0 0 .9"), ("L_Hip", "0 .1 -.1"), ("R_Hip", "0 -.1 -.1"), ("Head", "0 0 .6")


def files_of_learners() -> None:
    """What the tries of docs/learning.md begin with: a robot, a model of SMPL, and folders of motions."""
    rng = np.random.default_rng(2)
    arm = "".join(f'<body name="part{n}" pos="0 0 .2"><joint name="turn{n}" axis="0 1 0"/><geom size=".1"/>' for n in range(3))
    Path("robot.xml").write_text(f'<mujoco><worldbody><body name="base"><freejoint/><geom size=".1"/>{arm}{"</body>" * 4}'
                                 "</worldbody></mujoco>", encoding="utf-8")
    hinges = "".join(f'<joint name="{{0}}_{axis}" axis="{values}"/>' for axis, values in
                     (("x", "1 0 0"), ("y", "0 1 0"), ("z", "0 0 1")))
    below = "".join(f'<body name="{name}" pos="{place}">{hinges.format(name)}<geom size=".1"/></body>' for name, place in HUMAN[1:])
    Path("human.xml").write_text(f'<mujoco><worldbody><body name="Pelvis" pos="0 0 .9"><freejoint/><geom size=".1"/>{below}'
                                 "</body></worldbody></mujoco>", encoding="utf-8")
    robot = pm.Skeleton.from_mjcf("robot.xml")
    for folder in ("motions", "csv", "amass"):
        Path(folder).mkdir()
    for name in ("walk", "run"):
        angles = np.cumsum(rng.normal(0, 0.1, (40, 3)), axis=0)
        turns, places = np.tile([0.0, 0, 0, 1], (40, 1)), np.cumsum(rng.normal(0, 0.02, (40, 3)), axis=0)
        pm.MotionLibrary(robot, {name: pm.Keys(turns, places, rate=30, angles=angles)}).export_npz(
            f"motions/{name}.npz", name, 30)
        head = "x,y,z,qx,qy,qz,qw," + ",".join(robot.hinge_names)
        np.savetxt(f"csv/{name}.csv", np.concatenate([places, turns, angles], axis=1), "%.7g", ",", header=head, comments="")
        np.savez(f"amass/{name}_poses.npz", poses=np.cumsum(rng.normal(0, 0.05, (60, 156)), axis=0) * (np.arange(156) < 9),
                 trans=np.zeros((60, 3)), mocap_framerate=60.0, gender="male", betas=np.zeros(16))
    np.savez("amass/shape.npz", betas=np.zeros(16))
    Path("motions.yaml").write_text("motions:\n- {file: motions/walk.npz, weight: 2}\n- {file: motions/run.npz}\n")


@pytest.mark.parametrize("document, files", [("README.md", ["walk.bvh"]), ("python/README.md", ["walk.bvh"]),
                                             ("docs/python.md", []), ("docs/learning.md", ["walk.bvh"]),
                                             ("docs/points.md", []), ("docs/tutorial-lidar.md", []),
                                             ("docs/tutorial-rolling-shutter.md", [])])
def test_examples_run(document: str, files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                      capsys: pytest.CaptureFixture[str]) -> None:
    """Each block alone: nothing is left of others but files. docs/python.md makes its own."""
    pytest.importorskip("scipy")
    for name in files:
        shutil.copy(ROOT / "examples" / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    if document == "docs/learning.md":
        files_of_learners()
    blocks = examples(document)
    assert blocks
    for line, source, printed in blocks:
        if re.search(r"\bpm\.torch\b|learning\.protomotions", source) and not find_spec("torch"):
            continue
        exec(compile("\n" * line + source, document, "exec"), {"__name__": "__main__"})
        if printed is not None and "/tutorial-" in document:
            assert capsys.readouterr().out == printed
        capsys.readouterr()
    for picture in tmp_path.glob("*.svg"):  # drawn by a tutorial
        numbers = [np.array(re.findall(r"-?\d+(?:\.\d+)?", path.read_text(encoding="utf-8")), float)
                   for path in (picture, ROOT / "docs" / "pictures" / picture.name)]
        assert np.abs(numbers[0] - numbers[1]).max() < 0.11  # a last digit
