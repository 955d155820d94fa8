# SPDX-License-Identifier: MIT
"""Comparisons and pages: against NumPy, against the command, and with what is wrong."""
from __future__ import annotations

import io
import json
import os
import re
from html import unescape
from pathlib import Path

import numpy as np
import posemill as pm
import pytest
from motion_files import WALK, bvh_text, command, needs_command

pytestmark = pytest.mark.filterwarnings("ignore::posemill.MotionWarning")

SEED = 20261123
FRAMES, JOINTS = 40, 5


@pytest.fixture
def walk() -> pm.Motion:
    return pm.load(WALK)


def plain(path: Path, rotations: np.ndarray, rate: float = 30.0) -> Path:
    np.savez(path, rotations=rotations.astype(np.float32), fps=np.array(rate))
    return path


def random_rotations(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    steps = rng.normal(size=(FRAMES, JOINTS, 4)) / 6 + [0, 0, 0, 2]
    return np.array(steps / np.linalg.norm(steps, axis=-1, keepdims=True))


@needs_command
@pytest.mark.parametrize("options", [{}, {"rate": "47/2"}, {"unit": 1.0}, {"method": "squad"},
                                     {"start": 0.5, "end": "3/2"}, {"trim_start": 3}, {"up": "z"}],
                         ids=str)
def test_numbers_are_those_of_the_command(options: dict[str, object], tmp_path: Path,
                                          walk: pm.Motion) -> None:
    other = tmp_path / "walk50.glb"
    walk.resample(50).save(other)
    words = [word for key, value in options.items() 
             for word in (f"--{key.replace('_', '-')}", str(value))]
    device = ["--device", "none"] if "method" in options else []
    told = json.loads(command("compare", WALK, other, "--json", *words, *device).stdout)
    if "method" in options:
        options = {**options, "engine": pm.Engine("none")}
    found = pm.compare(WALK, other, **options).numbers  # type: ignore[arg-type]
    for side in ("a", "b"):  # what is read from memory has no digest
        told[side].pop("digest"), found[side].pop("digest")
    for hint in (*told["hints"], *found["hints"]):  # which name options and arguments
        hint["hint"] = re.sub(r"--(unit|scale) |(unit|scale)=", "", hint["hint"])
    assert found == told


def test_motions_paths_and_files_are_taken(walk: pm.Motion) -> None:
    with WALK.open("rb") as file:
        assert pm.compare(walk, file).clip["max_degrees"] == 0.0
    assert pm.compare(io.BytesIO(WALK.read_bytes()), str(WALK)).clip["max_distance"] == 0.0


def test_a_page_says_what_is_compared(tmp_path: Path, walk: pm.Motion) -> None:
    thin = walk.resample("/4")
    page = pm.compare(walk, thin).show()
    assert f"{WALK}, resampled to /4" in page.html and 'class="two"' in page.html
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_bytes() == page.html.encode()
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]
    with pytest.raises(OSError):
        page.save(tmp_path / "none" / "page.html")
    framed = page._repr_html_()
    assert framed.count('"') == 6 and "<script" not in framed and 'sandbox="allow-scripts"' in framed


def test_show_and_plot(walk: pm.Motion) -> None:
    assert '<html lang="en" class="one" data-joint="0">' in walk.show().html
    foot = walk.names.index("LeftFoot")
    for joint in ("LeftFoot", foot):
        html = walk.plot(joint).html
        assert f'<html lang="en" class="one curves-only" data-joint="{foot}">' in html
    assert "Motion.plot()" in walk.plot().html
    assert walk.plot(clip=0).html == walk.plot().html


def test_a_motion_without_a_skeleton_is_shown(tmp_path: Path) -> None:
    motion = pm.load(plain(tmp_path / "a.npz", random_rotations(SEED)))
    assert motion.names == ()
    assert 'data-joint="3"' in motion.plot(3).html
    with pytest.raises(ValueError, match="joint: 5 is none of 5"):
        motion.plot(JOINTS)


@pytest.mark.skipif(os.name == "nt", reason="no file has such a name there")
def test_names_are_text(tmp_path: Path) -> None:
    name = "<img/src=x/onerror=alert(1)>"
    path = tmp_path / "hostile\x1b[31m<b>.bvh"
    path.write_text(bvh_text(SEED, 4).replace("Hips", name))
    motion = pm.load(path)
    for html in (motion.show().html, pm.compare(motion, motion.resample("x2")).show().html):
        assert "<img" not in html and "\x1b" not in html and "<b>.bvh" not in html
    shown = pm.compare(motion, motion)
    assert "<img" not in shown._repr_html_() and "\x1b" not in shown._repr_html_()


def test_what_cannot_be_compared_is_refused(tmp_path: Path, walk: pm.Motion) -> None:
    few = plain(tmp_path / "few.npz", random_rotations(SEED)[:, :3])
    with pytest.raises(ValueError, match="no name in common"):
        pm.compare(walk, few)
    with pytest.raises(ValueError, match="'cubicspline' is unknown"):
        pm.compare(walk, walk, method="cubicspline")
    with pytest.raises(ValueError, match="method"):
        pm.compare(walk, walk, method="quartic")
    with pytest.raises(ValueError, match="clip: 1 is none of 1"):
        pm.compare(walk, walk, clip=1)
    assert pm.compare(walk, walk, clip="run").joints  # one clip without a name needs none
    for unit in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="unit"):
            pm.compare(walk, walk, unit=unit)
    with pytest.raises(ValueError, match="map"):
        pm.compare(walk, walk, map=tmp_path / "map.txt")
    with pytest.raises(FileNotFoundError):
        pm.compare(walk, tmp_path / "none.bvh")
    with pytest.raises(TypeError):
        pm.compare(walk, 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="joint: none is named 'Tail'"):
        walk.plot("Tail")
    for joint in (-1, 21):
        with pytest.raises(ValueError, match="joint"):
            walk.plot(joint)
    with pytest.raises(TypeError, match="joint"):
        walk.plot(1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="clip"):
        walk.show(clip=1)


def test_bounds_at_all_times(walk: pm.Motion) -> None:
    found = pm.reduce(walk, angle=0.5)
    said = pm.compare(walk, found.motion, certify=True).numbers
    assert said["clip"]["max_degrees"] <= said["certified"]["degrees"] <= 0.5 * 1.001
    assert said["clip"]["max_distance"] <= said["certified"]["distance"] <= said["clip"]["max_distance"] * 1.1
    assert pm.compare(walk, walk).numbers["certified"] is None
    with pytest.raises(ValueError, match="all times"):
        pm.compare(walk, walk, certify=True, trim_start=1)
    curved = pm.reduce(walk, angle=0.5, curve="squad")
    said = pm.compare(curved.motion, walk, method="squad", certify=True).numbers["certified"]
    assert abs(said["degrees"] - curved.numbers["angle_degrees"]["bound"]) < 1e-3
    with pytest.raises(ValueError, match="not of cubic"):
        pm.compare(curved.motion, walk, method="cubic", certify=True)


def test_pictures(walk: pm.Motion, tmp_path: Path) -> None:
    walk.draw(tmp_path / "walk.svg", from_="side", poses=3, size=(300, 200), start=0.5, end=1.5)
    text = (tmp_path / "walk.svg").read_text()
    assert text.startswith("<svg") and text.count("<path") == 3 and ">0.5 s<" in text and ">1.5 s<" in text
    with pytest.raises(ValueError, match="giflib"):
        walk.draw(tmp_path / "walk.gif")
    with pytest.raises(ValueError, match="size is 5x5"):
        walk.draw(tmp_path / "walk.svg", size=(5, 5))
    with pytest.raises(ValueError, match="from: 'under'"):
        walk.draw(tmp_path / "walk.svg", from_="under")  # type: ignore[arg-type]


@pytest.mark.filterwarnings("default")
def test_guesses_are_warnings(tmp_path: Path, walk: pm.Motion) -> None:
    pm.convert(WALK, tmp_path / "z.bvh", up="y", to_up="z", scale=0.01)
    with pytest.warns(pm.MotionWarning) as told:
        pm.compare(walk, tmp_path / "z.bvh")
    messages = [str(warning.message) for warning in told]
    assert any("z is taken as up, a guess" in m and '(up="y" says otherwise)' in m for m in messages)
    assert any("a factor of 100, as between units" in m and m.endswith("(scale=100 brings B to the unit of A when it is converted)")
               for m in messages)
    assert any(m.endswith('(to_up="y" turns B when it is converted)') for m in messages)
    assert not any("--" in m for m in messages)
    assert {warning.filename for warning in told} == {__file__}
    page = pm.load(tmp_path / "z.bvh").show().html
    assert "z is taken as up, a guess" in page and '"up": 2' in page


OPTION = re.compile(r"(?<![\w-])--[a-z]")


def said(page: pm.Page) -> str:
    """What a page says, without names, styles, scripts and their data."""
    found = re.sub(r"<(style|script)\b.*?</\1>", "", page.html, flags=re.S)
    return unescape(re.sub(r"<bdi>.*?</bdi>", "", found))


def test_pages_name_parameters(tmp_path: Path, walk: pm.Motion) -> None:
    """Guesses, keys that are apart, and notes: what cures them is an argument."""
    pm.convert(WALK, tmp_path / "z.bvh", up="y", to_up="z", scale=0.01)
    z = pm.load(tmp_path / "z.bvh")
    pages = {'(up="y" says otherwise)': z.show(), '(to_up="y" turns B': pm.compare(walk, z).show(),
             "(scale=100 brings B": pm.compare(walk, z).show()}
    apart = np.array(walk.resample(walk.clips[0].rate, method="bspline").clips[0].rotations)
    apart[0, 1:] = [1, 0, 0, 0]
    made = pm.Motion(apart, walk.clips[0].positions, walk.clips[0].rate, walk.parents, walk.names)
    pages["(trim_start=1 leaves it out)"] = pm.compare(walk, made).show()
    walk.save(tmp_path / "tall.glb", to_unit="keep")
    pages["makes it 1.7 m; 1000 is for metres"] = pm.load(tmp_path / "tall.glb").show()
    turns = pm.from_euler("X", np.linspace(0.0, 1.0, 8).reshape(4, 2), dtype=np.float32)
    np.savez(tmp_path / "a.npz", body_quat_w=turns, body_pos_w=np.zeros((4, 2, 3), np.float32), fps=np.array([50]))
    pages['layout="'] = pm.load(tmp_path / "a.npz").show()
    for words, page in pages.items():
        assert words in said(page), words
        assert OPTION.search(said(page)) is None, words


def test_summaries(walk: pm.Motion) -> None:
    found = pm.compare(walk, walk.resample("/4"))
    assert re.fullmatch(r"Comparison\((at most [\d.]+ degrees, and apart )?[\d.]+ degrees of '\w+' at [\d.]+ s, 21 joints\)",
                        repr(found))
    assert "largest angle" in found._repr_html_()
