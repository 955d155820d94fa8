# SPDX-License-Identifier: MIT
"""Units and axes of a figure of known height in each pair of formats, measured by readers of other projects where
there are some: usd-core, trimesh and NumPy. docs/formats.md has the table of what is measured here."""
from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import motion_files
import numpy as np
import pytest

HEIGHT = 1.68  # metres, from the soles to the end of the head
UNITS = {"mm": 1.0, "cm": 10.0, "dm": 100.0, "m": 1000.0, "in": 25.4, "ft": 304.8, "in / 0.45": 25.4 / 0.45}

# Joints with parents before their children, and offsets x and up as parts of the height.
JOINTS = [("Hips", -1, 0.0, 0.0), ("Spine", 0, 0.0, 0.2), ("Head", 1, 0.0, 0.2), ("HeadEnd", 2, 0.0, 0.1),
          ("LeftUpLeg", 0, 0.1, 0.0), ("LeftFoot", 4, 0.0, -0.45), ("LeftToe", 5, 0.0, -0.05),
          ("RightUpLeg", 0, -0.1, 0.0), ("RightFoot", 7, 0.0, -0.45), ("RightToe", 8, 0.0, -0.05)]


def offsets(unit_mm: float, up: int) -> list[list[float]]:
    """Relative to the parents, in a unit, with axis 1 or 2 up."""
    size = HEIGHT * 1000 / unit_mm
    return [[x * size, u * size if up == 1 else 0.0, u * size if up == 2 else 0.0] for _, _, x, u in JOINTS]


# ---- sources ---------------------------------------------------------------------------------------------------


def write_bvh(path: Path, unit_mm: float, up: int) -> None:
    made = offsets(unit_mm, up)

    def joint(index: int) -> str:
        name, parent, _, _ = JOINTS[index]
        below = [i for i, (_, p, _, _) in enumerate(JOINTS) if p == index]
        places = "Xposition Yposition Zposition " if parent < 0 else ""
        return (f"{'ROOT' if parent < 0 else 'JOINT'} {name}\n{{\nOFFSET {' '.join(map(repr, made[index]))}\n"
                f"CHANNELS {6 if places else 3} {places}Zrotation Xrotation Yrotation\n"
                + ("".join(map(joint, below)) or "End Site\n{\nOFFSET 0 0 0\n}\n") + "}\n")

    row = " ".join(["0"] * (3 + 3 * len(JOINTS)))
    path.write_text(f"HIERARCHY\n{joint(0)}MOTION\nFrames: 2\nFrame Time: 0.05\n{row}\n{row}\n")


def write_amc(path: Path) -> None:
    """Inches, which the file multiplies by 0.45. A bone ends where its children begin."""
    made = offsets(25.4 / 0.45, 1)
    bones = hierarchy = ""
    for index, (name, parent, _, _) in enumerate(JOINTS[1:], 1):
        below = [i for i, (_, p, _, _) in enumerate(JOINTS) if p == index]
        length = float(np.linalg.norm(made[below[0]])) if below else 0.0
        direction = np.array(made[below[0]]) / length if below else np.array([0.0, 1.0, 0.0])
        if parent == 0:  # a bone from the hips to where this one begins
            own = float(np.linalg.norm(made[index]))
            toward = " ".join(map(repr, (np.array(made[index]) / own).tolist()))
            bones += f"begin\nid {20 + index}\nname To{name}\ndirection {toward}\nlength {own!r}\naxis 0 0 0 XYZ\nend\n"
            hierarchy += f"root To{name}\nTo{name} {name}\n"
        bones += (f"begin\nid {index}\nname {name}\ndirection {' '.join(map(repr, direction.tolist()))}\nlength {length!r}\n"
                  "axis 0 0 0 XYZ\ndof rx ry rz\nend\n")
        hierarchy += f"{JOINTS[parent][0]} {name}\n" if parent > 0 else ""
    path.with_suffix(".asf").write_text(
        ":version 1.10\n:name figure\n:units\nmass 1.0\nlength 0.45\nangle deg\n:root\norder TX TY TZ RX RY RZ\naxis XYZ\n"
        f"position 0 0 0\norientation 0 0 0\n:bonedata\n{bones}:hierarchy\nbegin\n{hierarchy}end\n")
    rows = "root 0 0 0 0 0 0\n" + "".join(f"{name} 0 0 0\n" for name, _, _, _ in JOINTS[1:])
    path.write_text(":FULLY-SPECIFIED\n:DEGREES\n" + "".join(f"{k}\n{rows}" for k in (1, 2)))


def gltf(binary: bool) -> tuple[dict[str, Any], bytes]:
    data = struct.pack("<2f", 0.0, 0.5) + struct.pack("<8f", *[0, 0, 0, 1] * 2)
    nodes: list[dict[str, Any]] = [{"name": name, "translation": place}
                                   for (name, _, _, _), place in zip(JOINTS, offsets(1000.0, 1))]
    for index, (_, parent, _, _) in enumerate(JOINTS):
        if parent >= 0:
            nodes[parent].setdefault("children", []).append(index)
    buffer = {"byteLength": len(data)}
    if not binary:
        buffer["uri"] = "data:application/octet-stream;base64," + base64.b64encode(data).decode()  # type: ignore[assignment]
    return {"asset": {"version": "2.0"}, "nodes": nodes, "scenes": [{"nodes": [0]}], "scene": 0, "buffers": [buffer],
            "bufferViews": [{"buffer": 0, "byteLength": 8}, {"buffer": 0, "byteOffset": 8, "byteLength": 32}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0.0], "max": [0.5]},
                          {"bufferView": 1, "componentType": 5126, "count": 2, "type": "VEC4"}],
            "animations": [{"samplers": [{"input": 0, "output": 1}],
                            "channels": [{"sampler": 0, "target": {"node": 1, "path": "rotation"}}]}]}, data


def write_gltf(path: Path) -> None:
    path.write_text(json.dumps(gltf(False)[0]))


def write_glb(path: Path) -> None:
    document, data = gltf(True)
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data)) + struct.pack("<I4s", len(text), b"JSON")
                     + text + struct.pack("<I4s", len(data), b"BIN\0") + data)


def write_plain(path: Path) -> None:
    """Decimetres with z up."""
    np.savez(path, names=np.array([name for name, _, _, _ in JOINTS]), parents=np.array([p for _, p, _, _ in JOINTS]),
             offsets=np.array(offsets(100.0, 2)), rotations=np.tile([0.0, 0.0, 0.0, 1.0], (2, len(JOINTS), 1)),
             positions=np.zeros((2, 3)), rate=np.array(20))


def write_amass(path: Path) -> None:
    """A body that stands along y at rest and turns to z in its poses, in metres, and its joints."""
    names = ["pelvis", "left_hip", "right_hip", "spine1", "left_knee", "right_knee", "spine2", "left_ankle", "right_ankle",
             "spine3", "left_foot", "right_foot", "neck", "left_collar", "right_collar", "head", "left_shoulder",
             "right_shoulder", "left_elbow", "right_elbow", "left_wrist", "right_wrist"]
    parents = [-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19]
    up = {"pelvis": 0.02, "left_hip": 0.0, "right_hip": 0.0, "left_knee": -0.25, "right_knee": -0.25, "left_ankle": -0.2,
          "right_ankle": -0.2, "left_foot": -0.05, "right_foot": -0.05, "head": 0.1}
    made = [[0.1 * name.startswith("left") - 0.1 * name.startswith("right"), up.get(name, 0.1) * HEIGHT, 0.0] for name in names]
    made[names.index("neck")][1] = 0.1 * HEIGHT
    for side, wrist in (("left", 20), ("right", 21)):
        for finger in ("index", "middle", "pinky", "ring", "thumb"):
            for part in (1, 2, 3):
                names.append(f"{side}_{finger}{part}")
                parents.append(wrist if part == 1 else len(names) - 2)
                made.append([0.01, 0.0, 0.0])
    for index in range(13, len(made)):
        if names[index] != "head":
            made[index][1] = 0.0
    path.with_suffix(".json").write_text(json.dumps({"names": names, "parents": parents, "offsets": made}))
    poses = np.zeros((2, 156))
    poses[:, 0] = np.pi / 2
    np.savez(path, poses=poses, trans=np.zeros((2, 3)), mocap_framerate=np.array(20.0), betas=np.zeros(16), gender=np.array("neutral"))


# ---- readers ---------------------------------------------------------------------------------------------------

Places = tuple[np.ndarray, "float | None", "int | None"]  # (joints, 3), and what the file states


def rotation(axis: int, degrees: float) -> np.ndarray:
    turn = np.eye(3)
    a, b = (axis + 1) % 3, (axis + 2) % 3
    turn[a, a] = turn[b, b] = np.cos(np.radians(degrees))
    turn[b, a], turn[a, b] = np.sin(np.radians(degrees)), -np.sin(np.radians(degrees))
    return turn


def read_bvh(path: Path) -> Places:
    """The first frame."""
    head, rows = path.read_text().split("MOTION\n")
    numbers = iter(map(float, rows.split("\n")[2].split()))
    stack: list[tuple[np.ndarray, np.ndarray]] = [(np.zeros(3), np.eye(3))]
    places = []
    lines = iter(head.split("\n"))
    for line in lines:
        words = line.split()
        if words[:1] in (["ROOT"], ["JOINT"]):
            next(lines)
            offset = np.array(next(lines).split()[1:], float)
            channels = next(lines).split()[2:]
            turn = np.eye(3)
            for channel in channels:
                if channel.endswith("position"):
                    offset["XYZ".index(channel[0])] = next(numbers)
                else:
                    turn = turn @ rotation("XYZ".index(channel[0]), next(numbers))
            place, above = stack[-1]
            stack.append((place + above @ offset, above @ turn))
            places.append(stack[-1][0])
        elif words[:1] == ["End"]:
            stack.append(stack[-1])
        elif words == ["}"]:
            stack.pop()
    return np.array(places), None, None


def read_glb(path: Path) -> Places:
    """The rest pose."""
    trimesh = pytest.importorskip("trimesh", reason="trimesh is not installed")
    graph = trimesh.load(path, force="scene").graph
    return np.array([graph.get(node)[0][:3, 3] for node in graph.nodes if node != graph.base_frame]), None, None


def read_npz(path: Path) -> Places:
    """The first frame."""
    with np.load(path) as found:
        parents, made, turns = found["parents"], found["offsets"].astype(float), found["rotations"][0].astype(float)
        moved = found["positions"][0].astype(float)
    made[...] = moved if moved.ndim == 2 else made
    if moved.ndim == 1:
        made[list(parents).index(-1)] = moved
    x, y, z, w = turns.T
    matrices = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                         [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                         [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]).transpose(2, 0, 1)
    world: list[tuple[np.ndarray, np.ndarray]] = []
    for parent, place, turn in zip(parents, made, matrices):
        at, above = world[parent] if parent >= 0 else (np.zeros(3), np.eye(3))
        world.append((at + above @ place, above @ turn))
    return np.array([place for place, _ in world]), None, None


def read_usd(path: Path) -> Places:
    """The first frame, and the metadata of the stage."""
    usd = pytest.importorskip("pxr.Usd", reason="usd-core is not installed")
    skel, geometry = pytest.importorskip("pxr.UsdSkel"), pytest.importorskip("pxr.UsdGeom")
    stage = usd.Stage.Open(str(path))
    cache = skel.Cache()
    cache.Populate(skel.Root(stage.GetDefaultPrim()), usd.PrimDefaultPredicate)
    query = cache.GetSkelQuery(skel.Skeleton.Get(stage, "/Motion/Skeleton"))
    places = np.array([np.array(m)[3, :3] for m in query.ComputeJointSkelTransforms(0)])
    return places, geometry.GetStageMetersPerUnit(stage) * 1000, "XYZ".index(geometry.GetStageUpAxis(stage))


# ---- the table -------------------------------------------------------------------------------------------------

SOURCES: list[tuple[str, str, Callable[[Path], None], str]] = [
    ("BVH of a figure in cm, y up", "bvh", lambda path: write_bvh(path, 10.0, 1), "estimated"),
    ("BVH of a figure in inches, z up", "bvh", lambda path: write_bvh(path, 25.4, 2), "estimated"),
    ("BVH of CMU, y up", "bvh", lambda path: write_bvh(path, 25.4 / 0.45, 1), "estimated"),
    ("ASF and AMC in inches by 0.45", "amc", write_amc, "estimated"),
    ("glTF", "gltf", write_gltf, "stated"),
    ("GLB", "glb", write_glb, "stated"),
    ("NPZ `plain` of a figure in dm, z up", "npz", write_plain, "estimated"),
    ("NPZ of AMASS, with joints", "npz", write_amass, "stated")]
TARGETS: list[tuple[str, str, Callable[[Path], Places]]] = [
    ("BVH", "bvh", read_bvh), ("glTF, GLB", "glb", read_glb), ("NPZ `plain`", "npz", read_npz), ("USD", "usda", read_usd)]


def measure(places: np.ndarray) -> tuple[str, int]:
    """The unit in which the figure has its height, and the axis along which it stands. The head is between both feet."""
    extent = np.ptp(places, axis=0)
    up = int(np.argmax(extent))
    found = [name for name, unit in UNITS.items() if abs(extent[up] * unit / 1000 / HEIGHT - 1) < 1e-5]
    assert len(found) == 1, f"{extent} of {HEIGHT} m"
    top, sole = places[np.argmax(places[:, up])], places[np.argmin(places[:, up])]
    assert abs(top[0]) < 1e-3 * extent[up] < abs(sole[0]), "the figure stands on its head"
    return found[0], up


@motion_files.needs_command
def test_each_pair_of_formats_has_the_unit_and_axis_of_the_table(tmp_path: Path) -> None:
    lines = ["| from | its unit and axis are | " + " | ".join(title for title, _, _ in TARGETS) + " |",
             "|---|---|" + "---|" * len(TARGETS)]
    for number, (title, extension, write, source) in enumerate(SOURCES):
        path = tmp_path / f"{number}.{extension}"
        write(path)
        words = ["--skeleton", path.with_suffix(".json")] if "AMASS" in title else []
        known = json.loads(motion_files.command("info", path, "--json", *words).stdout)
        assert known["unit_from"] == known["up_from"] == source, (title, known["unit_mm"], known["up"])
        cells = []
        for _, kind, read in TARGETS:
            out = tmp_path / f"{number}-out.{kind}"
            done = motion_files.command("convert", path, out, *words)
            assert done.returncode == 0, done.stderr.decode()
            places, stated, stated_up = read(out)
            unit, up = measure(places)
            assert stated is None or abs(stated / UNITS[unit] - 1) < 1e-9
            assert stated_up is None or stated_up == up
            cells.append(f"{unit}, {'xyz'[up]}" + (", stated" if stated else ""))
        lines.append(f"| {title} | {source} | " + " | ".join(cells) + " |")
    table = "\n".join(lines)
    assert table in (motion_files.ROOT / "docs" / "formats.md").read_text(encoding="utf-8"), f"docs/formats.md lacks\n{table}"
