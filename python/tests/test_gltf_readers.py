# SPDX-License-Identifier: MIT
"""GLB files that the library makes, as other libraries read them."""
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from motion_files import WALK

import posemill as pm


@pytest.fixture(params=["converted", "resampled", "reduced", "without the rest pose"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, pm.Motion]:
    walk, path = pm.load(WALK), tmp_path / "walk.glb"
    if request.param == "resampled":
        walk = walk.resample(50)
    elif request.param == "reduced":
        walk = pm.reduce(walk, angle=1).motion
    walk.save(path, drop_rest=request.param == "without the rest pose")
    return path, pm.load(path)


def test_pygltflib_finds_a_skin_of_all_joints(made: tuple[Path, pm.Motion]) -> None:
    pygltflib = pytest.importorskip("pygltflib", reason="pygltflib is not installed")
    path, motion = made
    file = pygltflib.GLTF2().load(str(path))
    assert [node.name for node in file.nodes] == list(motion.names)
    assert [skin.joints for skin in file.skins] == [list(range(len(motion.names)))]
    assert file.nodes[file.skins[0].skeleton].name == motion.names[0]
    assert len(file.animations) == 1
    accessor = file.accessors[file.skins[0].inverseBindMatrices]
    view = file.bufferViews[accessor.bufferView]
    binds = np.frombuffer(file.binary_blob(), np.float32, 16 * accessor.count, view.byteOffset + accessor.byteOffset)
    assert np.array_equal(binds.reshape(-1, 4, 4)[..., 3], np.tile(np.float32([0, 0, 0, 1]), (accessor.count, 1)))


def test_trimesh_finds_the_places_of_joints(made: tuple[Path, pm.Motion]) -> None:
    trimesh = pytest.importorskip("trimesh", reason="trimesh is not installed")
    path, motion = made
    scene = trimesh.load(str(path))
    skeleton = motion.skeleton
    places = np.zeros((len(motion.names), 3))
    for joint, parent in enumerate(skeleton.parents):
        places[joint] = skeleton.positions[joint] + (places[parent] if parent >= 0 else 0)
        found, _ = scene.graph.get(motion.names[joint])
        assert np.allclose(found[:3, 3], places[joint], atol=1e-5)
