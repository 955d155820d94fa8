# SPDX-License-Identifier: MIT
"""Motions of other projects' files: one robot's motion is written in each format and each way of naming files, and
gives the states that it has when its arrays are given."""
from __future__ import annotations

import os
import pickle
import threading
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import posemill as pm
import pytest
from posemill._pickles import load_pickle
from scipy.spatial.transform import Rotation
from test_pickles import Named, Storage, Tensor, joblib_bytes, torch_file

RATE = 30
FIELDS = ["body_pos", "body_rot", "dof_pos", "dof_vel", "root_vel"]


class Case:
    """A robot whose bodies have a hinge each, and motions of it."""

    def __init__(self, seed: int, folder: Path) -> None:
        rng = np.random.default_rng(seed)
        bodies = int(rng.integers(3, 7))
        element = ""
        for n in reversed(range(1, bodies)):
            axis, place = rng.normal(size=3), rng.normal(0, 0.3, 3)
            element = (f'<body name="part_{n}" pos="{" ".join(map(str, place))}"><joint name="turn_{n}_joint" '
                       f'axis="{" ".join(map(str, axis))}" range="-90 90" limited="true"/><geom size=".1"/>{element}</body>')
        (folder / "robot.xml").write_text(
            f'<mujoco><worldbody><body name="base"><freejoint name="root"/><geom size=".1"/>{element}</body>'
            "</worldbody></mujoco>", encoding="utf-8")
        self.robot, self.rng, self.folder = pm.Skeleton.from_mjcf(folder / "robot.xml"), rng, folder

    def motion(self, frames: int | None = None) -> dict[str, np.ndarray]:
        rng, count = self.rng, frames or int(self.rng.integers(4, 30))
        turns = Rotation.from_rotvec(np.cumsum(rng.normal(0, 0.1, (count, 3)), axis=0)).as_quat()
        return {"turns": turns.astype(np.float32), "places": np.cumsum(rng.normal(0, 0.1, (count, 3)), 0).astype(np.float32),
                "angles": np.cumsum(rng.normal(0, 0.1, (count, len(self.robot.hinges))), 0).astype(np.float32)}

    def library(self, **motions: Any) -> pm.MotionLibrary:
        return pm.MotionLibrary(self.robot, {name: pm.Keys(m["turns"], m["places"], rate=RATE, angles=m["angles"])
                                             for name, m in motions.items()}, engine=pm.Engine("none"))

    def bodies(self, m: Any) -> dict[str, np.ndarray]:
        count = len(m["turns"])
        return self.library(m=m).sample(np.zeros(count, int), steps=np.arange(count), rate=RATE, fields=["body_pos", "body_rot"])


@pytest.fixture
def case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    monkeypatch.chdir(tmp_path)
    return Case(int(os.environ.get("POSEMILL_TEST_SEED") or 7), tmp_path)


def compare(found: pm.MotionLibrary, wanted: pm.MotionLibrary, motion: int = 0, of: int = 0, start: float = 0.0) -> None:
    rng = np.random.default_rng(1)
    times = rng.uniform(0, found.durations[motion], 20)
    a = found.sample(np.full(20, motion), times, fields=FIELDS)
    b = wanted.sample(np.full(20, of), times + start, fields=FIELDS)
    for name in FIELDS:
        scale = max(1.0, float(np.abs(b[name]).max()))
        if name.endswith("_rot"):
            assert np.abs(np.sum(a[name] * b[name], axis=-1)).min() > 1 - 1e-5
        else:
            assert np.abs(a[name] - b[name]).max() < 2e-4 * scale, name


# ---- writers: each gives the path that is read ----


def write_gmr(case: Case, m: Any, **more: Any) -> str:
    data = {"fps": RATE, "root_pos": m["places"].astype(float), "root_rot": m["turns"].astype(float),
            "dof_pos": m["angles"].astype(float), "local_body_pos": None, "link_body_list": None, **more}
    (case.folder / "walk.pkl").write_bytes(pickle.dumps(data))
    return "walk.pkl"


def write_gmr_npz(case: Case, m: Any) -> str:
    np.savez("walk.npz", fps=RATE, root_pos=m["places"], root_rot=m["turns"], dof_pos=m["angles"])
    return "walk.npz"


def write_gmr_npz_wxyz(case: Case, m: Any) -> str:
    order = case.rng.permutation(len(case.robot.hinges))
    np.savez("walk.npz", fps=RATE, root_pos=m["places"], root_rot=np.roll(m["turns"], 1, axis=1), root_rot_format="wxyz",
             dof_pos=m["angles"][:, order], dof_names=np.array(case.robot.hinge_names)[order])
    return "walk.npz"


def write_phc_robot(case: Case, m: Any) -> str:
    data = {"walk": {"root_trans_offset": m["places"], "root_rot": m["turns"], "dof": m["angles"],
                     "pose_aa": np.zeros((len(m["turns"]), 5, 3)), "fps": RATE}}
    (case.folder / "walk_all.pkl").write_bytes(joblib_bytes(data))
    return "walk_all.pkl"


def tensors(arrays: dict[str, Any], path: str) -> str:
    value, storages = {}, {}
    for n, (name, array) in enumerate(arrays.items()):
        if not isinstance(array, np.ndarray):
            value[name] = array
            continue
        kind = {"f4": "Float", "i8": "Long", "b1": "Bool"}[array.dtype.str[1:]]
        steps = [stride // array.itemsize for stride in np.ascontiguousarray(array).strides]
        value[name] = Tensor(Storage(kind, str(n), array.size), 0, array.shape, tuple(steps))
        storages[str(n)] = array.tobytes()
    os.replace(torch_file(value, storages), path)
    return path


class StateConversion:
    """ProtoMotions' enumeration, in a pickle."""

    def __init__(self, value: str) -> None:
        self.value = value

    def __reduce__(self) -> Any:
        return Named("protomotions.simulator.base_simulator.simulator_state\nStateConversion"), (self.value,)


def write_protomotions(case: Case, m: Any, order: str = "common") -> str:
    s = case.bodies(m)
    return tensors({"state_conversion": StateConversion(order), "fps": RATE, "rigid_body_pos": s["body_pos"], "rigid_body_rot": s["body_rot"], "dof_pos": m["angles"],
                    "dof_vel": m["angles"], "rigid_body_contacts": s["body_pos"][..., 2] > 0}, "walk.motion")


def packed(case: Case, motions: Any, path: str = "all.pt", weights: Any = None) -> str:
    states = [case.bodies(m) for m in motions]
    counts = np.array([len(m["turns"]) for m in motions], np.int64)
    return tensors({
        "gts": np.concatenate([s["body_pos"] for s in states]), "grs": np.concatenate([s["body_rot"] for s in states]),
        "dps": np.concatenate([m["angles"] for m in motions]), "motion_num_frames": counts,
        "length_starts": np.cumsum(counts) - counts, "motion_dt": np.full(len(motions), 1 / RATE, np.float32),
        "motion_lengths": ((counts - 1) / RATE).astype(np.float32),
        "motion_weights": np.array(weights or np.ones(len(motions)), np.float32),
        "motion_files": tuple(f"somewhere/walk{n or ''}.motion" for n in range(len(motions)))}, path)


def write_packed(case: Case, m: Any) -> str:
    return packed(case, [m])


def write_mimickit(case: Case, m: Any) -> str:
    frames = np.concatenate([m["places"], Rotation.from_quat(m["turns"]).as_rotvec(), m["angles"]], axis=1)
    (case.folder / "walk.pkl").write_bytes(pickle.dumps({"loop_mode": 1, "fps": RATE, "frames": frames}))
    return "walk.pkl"


def write_loco(case: Case, m: Any) -> str:
    order = case.rng.permutation(len(case.robot.hinges))
    np.savez("walk.npz", qpos=np.concatenate([m["places"], np.roll(m["turns"], 1, axis=1), m["angles"][:, order]], axis=1),
             qvel=np.zeros((len(m["turns"]), 6 + len(order))), frequency=float(RATE), split_points=[0, len(m["turns"])],
             joint_names=["root", *np.array(case.robot.hinge_names)[order]], jnt_type=[0, *[3] * len(order)],
             metadata=np.array(None, object))
    return "walk.npz"


def write_seed(case: Case, m: Any) -> str:
    """Centimetres and degrees about fixed axes."""
    order = case.rng.permutation(len(case.robot.hinges))
    angles = Rotation.from_quat(m["turns"]).as_euler("xyz", degrees=True)
    names = [f"{case.robot.hinge_names[n]}_dof" for n in order]
    head = ["Frame", *(f"root_{kind}{axis}" for kind in ("translate", "rotate") for axis in "XYZ"), *names]
    rows = np.concatenate([np.arange(len(angles))[:, None], 100 * m["places"], angles, np.degrees(m["angles"][:, order])], axis=1)
    np.savetxt("walk.csv", rows, "%.9g", ",", header=",".join(head), comments="")
    return "walk.csv"


WRITERS = [write_seed, write_gmr, write_gmr_npz, write_gmr_npz_wxyz, write_phc_robot, write_protomotions, write_packed, write_mimickit,
           write_loco]


@pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__[6:])
def test_each_format_gives_the_motion(case: Case, write: Any) -> None:
    m = case.motion()
    path = write(case, m)
    rate = {"source_rate": RATE} if write is write_seed else {}
    found = pm.MotionLibrary.from_files(path, case.robot, engine=pm.Engine("none"), **rate)
    assert found.names == ("walk",)
    compare(found, case.library(walk=m))
    pm.MotionLibrary.build("one.npz", path, "robot.xml", **rate)
    compare(pm.MotionLibrary.load("one.npz", engine=pm.Engine("none")), case.library(walk=m))


def test_bodies_that_contradict_the_angles_are_refused(case: Case) -> None:
    m = case.motion()
    s = case.bodies(m)
    s["body_pos"][:, -1] += 0.1
    tensors({"fps": RATE, "rigid_body_pos": s["body_pos"], "rigid_body_rot": s["body_rot"], "dof_pos": m["angles"]}, "a.motion")
    with pytest.raises(ValueError, match=r"a\.motion.*part_"):
        pm.MotionLibrary.from_files("a.motion", case.robot)
    with pytest.raises(ValueError, match=r"walk\.motion.*state_conversion"):
        pm.MotionLibrary.from_files(write_protomotions(case, m, "simulator"), case.robot)


def test_places_around_the_root_are_compared_with_the_angles(case: Case) -> None:
    m = case.motion()
    still = {**m, "places": 0 * m["places"], "turns": 0 * m["turns"] + np.float32([0, 0, 0, 1])}
    names = list(case.robot.names)
    chosen = case.rng.permutation(len(names))[:-1]
    around = case.bodies(still)["body_pos"][:, chosen]
    given = {"local_body_pos": around, "link_body_list": [names[n] for n in chosen]}
    order = case.rng.permutation(m["angles"].shape[1])
    joints = {"dof_pos": m["angles"][:, order], "dof_names": [case.robot.hinge_names[n] for n in order]}
    for change in (given, given | joints):
        compare(pm.MotionLibrary.from_files(write_gmr(case, m, **change), case.robot), case.library(m=m))
    wrong = [({**given, "dof_pos": np.roll(m["angles"], 1, axis=1) + 0.3}, "body 'part_.*dof_names"),
             ({**given, "local_body_pos": around[:, 1:]}, "shape"), ({**given, "local_body_pos": around[1:]}, "frames"),
             ({**given, "local_body_pos": around * np.nan}, "finite")]
    for change, words in wrong:
        with pytest.raises(ValueError, match=rf"walk\.pkl.*{words}"):
            pm.MotionLibrary.from_files(write_gmr(case, m, **change), case.robot)


@pytest.mark.parametrize("write, rate", [("gmr", "fps"), ("npz", "fps"), ("loco", "frequency"), ("list", "fps")])
def test_a_rate_that_a_file_does_not_state_is_given(case: Case, write: str, rate: str) -> None:
    m = case.motion()
    members = {"root_pos": m["places"], "root_rot": m["turns"], "dof_pos": m["angles"]}
    path = Path("walk.pkl" if write in ("gmr", "list") else "walk.npz")
    if write == "loco":
        members = {"qpos": np.column_stack([m["places"], np.roll(m["turns"], 1, axis=1), m["angles"]])}
    if path.suffix == ".pkl":
        path.write_bytes(pickle.dumps({**members, rate: None} if write == "list" else members))
    else:
        np.savez(path, **members)
    with pytest.raises(ValueError, match=rf"{path.name}.*no rate.*source_rate"):
        pm.MotionLibrary.from_files(path, case.robot)
    Path("all.yaml").write_text(f"motions:\n- {{file: {path}, fps: {RATE}}}\n", encoding="utf-8")
    found = (pm.MotionLibrary.from_files("all.yaml", case.robot) if write == "list" else
             pm.MotionLibrary.from_files(path, case.robot, source_rate=RATE))
    compare(found, case.library(m=m))


@pytest.mark.parametrize("change, words", [
    ({"root_rot": np.ones((5, 4))}, "lengths"), ({"fps": 0}, "rate"), ({"root_pos": np.zeros((4, 3))}, "agree"),
    ({"root_pos": np.full((5, 3), np.nan)}, "finite"), ({"dof_names": ["a", "b"]}, "a"),
    ({"root_rot_format": "zyx"}, "order"), ({"dof_pos": np.zeros((5, 1))}, "joint")])
def test_what_does_not_fit_is_refused_by_the_file(case: Case, change: Any, words: str) -> None:
    write_gmr(case, case.motion(5), **change)
    with pytest.raises(ValueError, match=words) as error:
        pm.MotionLibrary.from_files("walk.pkl", case.robot)
    assert "walk.pkl" in str(error.value)


def test_hostile_and_unknown_files_are_named(case: Case) -> None:
    write_gmr(case, case.motion())
    Path("bad.pkl").write_bytes(b"cposix\nsystem\n(S'touch called'\ntR.")
    Path("other.pkl").write_bytes(pickle.dumps({"weights": [1]}))
    for name, words in (("bad.pkl", "posix.system"), ("other.pkl", "no format")):
        with pytest.raises(ValueError, match=words) as error:
            pm.MotionLibrary.build("all.npz", ["walk.pkl", name], case.robot)
        assert name in str(error.value) and not Path("all.npz").exists() and not Path("called").exists()
        assert [p for p in os.listdir() if p.startswith(".posemill") or p.endswith(".parts")] == []
    with pytest.raises(ValueError, match=r"walk\.pkl.*skeleton"):
        pm.MotionLibrary.from_files("walk.pkl")


def test_arrays_that_claim_more_than_there_is_are_refused(case: Case) -> None:
    m = case.motion(6)
    with np.load(write_gmr_npz(case, m)) as members:
        good = dict(members)

    def member(header: str, data: bytes) -> bytes:
        text = header.encode() + b" " * (117 - len(header)) + b"\n"
        return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data

    claims = {"too many": member("{'descr': '<f8', 'fortran_order': False, 'shape': (9223372036854775807, 3), }", b"\0" * 48),
              "another": member("{'descr': '<f8', 'fortran_order': False, 'shape': (6, 4), }", b"\0" * 48),
              "pickled": member("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", b"cposix\nsystem\n(S'x'\ntR."),
              "no header": b"nothing"}
    for data in claims.values():
        np.savez("bad.npz", **{name: value for name, value in good.items() if name != "dof_pos"})
        with zipfile.ZipFile("bad.npz", "a") as archive:
            archive.writestr("dof_pos.npy", data)
        with pytest.raises(ValueError, match=r"bad\.npz") as error:
            pm.MotionLibrary.from_files("bad.npz", case.robot)
        assert "posix" not in str(error.value)


def test_damaged_arrays_raise_nothing_else(case: Case) -> None:
    from posemill._takes import takes_of

    good, rng = Path(write_gmr_npz(case, case.motion(6))).read_bytes(), np.random.default_rng(1)
    for _ in range(400):
        bad = bytearray(good)
        for at in rng.integers(0, len(bad), rng.integers(1, 6)):
            bad[at] = rng.integers(0, 256)
        Path("bad.npz").write_bytes(bad[:rng.integers(1, len(bad) + 1)] if rng.random() < 0.3 else bad)
        try:
            takes_of("bad.npz")
        except ValueError:
            pass


def test_csv_of_seed_without_a_rate_has_120_and_says_so(case: Case) -> None:
    path = write_seed(case, case.motion(13))
    with pytest.warns(pm.MotionWarning, match=r"walk\.csv.*120"):
        assert np.allclose(pm.MotionLibrary.from_files(path, case.robot, engine=pm.Engine("none")).durations, 0.1)


def test_warnings_of_many_files_are_one(case: Case) -> None:
    os.makedirs("takes")
    for n in range(3):
        m = case.motion(6)
        np.savez(f"takes/m{n}.npz", poses=np.zeros((6, 72)), trans=m["places"], mocap_framerate=30.0)
    text = Path("robot.xml").read_text().replace('"base"', '"Pelvis"').replace("</worldbody>", "").replace("</mujoco>", "")
    ends = "".join(f'<body name="{name}" pos="{place}"><joint name="{name}" type="ball"/><geom size=".1"/></body>'
                   for name, place in (("L_Hip", "0 .1 0"), ("R_Hip", "0 -.1 0"), ("Head", "0 0 .6")))
    Path("human.xml").write_text(f"{text[:-len('</body>')]}{ends}</body></worldbody></mujoco>")
    with pytest.warns(pm.MotionWarning) as found:
        pm.MotionLibrary.from_files("takes", "human.xml", engine=pm.Engine("none"))
    texts = [str(one.message) for one in found]
    assert len(texts) == 2 and all("so in 3 files" in text and "m0.npz" in text for text in texts)


# ---- many files ----


def many(case: Case, count: int = 4) -> list[Any]:
    motions = [case.motion() for _ in range(count)]
    for n, m in enumerate(motions):
        os.makedirs(f"takes/{n % 2}", exist_ok=True)
        os.replace(write_gmr(case, m), f"takes/{n % 2}/m{n}.pkl")
    return motions


@pytest.mark.parametrize("paths", ["takes", "takes/**/*.pkl", ["takes/0", "takes/1/*"]], ids=str)
def test_folders_patterns_and_lists(case: Case, paths: Any) -> None:
    motions = many(case)
    Path("takes/notes.txt").write_text("no motion")
    found = pm.MotionLibrary.from_files(paths, case.robot, engine=pm.Engine("none"))
    assert found.names == ("m0", "m2", "m1", "m3")
    wanted = case.library(**{f"m{n}": m for n, m in enumerate(motions)})
    for n, name in enumerate(found.names):
        compare(found, wanted, n, wanted.names.index(name))
    with pytest.raises(ValueError, match="no motion files"):
        pm.MotionLibrary.from_files("takes/*.bvh", case.robot)


def test_formats_mix_in_the_order_given(case: Case) -> None:
    motions = [case.motion(6) for _ in range(3)]
    case.library(a=motions[0]).export_npz("a.npz", "a", RATE)
    os.replace(write_mimickit(case, motions[1]), "b.pkl")
    os.replace(write_loco(case, motions[2]), "c.npz")
    found = pm.MotionLibrary.from_files(["b.pkl", "a.npz", "c.npz"], case.robot, engine=pm.Engine("none"))
    assert found.names == ("b", "a", "c")
    wanted = case.library(a=motions[0], b=motions[1], c=motions[2])
    for n, name in enumerate(found.names):
        compare(found, wanted, n, wanted.names.index(name))


def test_a_list_of_yaml_has_weights_and_clips(case: Case) -> None:
    motions = [case.motion(31), case.motion(20)]
    for n, m in enumerate(motions):
        os.replace(write_gmr(case, m), f"m{n}.pkl")
    Path("all.yaml").write_text("""
motions:
- file: m0.pkl
  fps: 30
  weight: 5.0
  sub_motions:
  - timings: {start: 0.2, end: 0.6}
    weight: 2.0
  - timings: {start: 0.5, end: 1.0}
- {file: m1.pkl, weight: 0.25}
- file: m1.pkl
""")
    found = pm.MotionLibrary.from_files("all.yaml", case.robot, engine=pm.Engine("none"))
    assert found.names == ("m0", "m0_2", "m1", "m1_2")
    assert found.weights.tolist() == [2.0, 5.0, 0.25, 1.0]
    assert np.allclose(found.durations, [0.4, 0.5, 19 / 30, 19 / 30])
    wanted = case.library(m0=motions[0], m1=motions[1])
    for n, (of, start) in enumerate(((0, 0.2), (0, 0.5), (1, 0), (1, 0))):
        times = np.linspace(0.1, found.durations[n] - 0.1, 9)
        a = found.sample(np.full(9, n), times, fields=["body_pos", "dof_vel"])
        b = wanted.sample(np.full(9, of), times + start, fields=["body_pos", "dof_vel"])
        assert np.abs(a["body_pos"] - b["body_pos"]).max() < 1e-4
        assert np.abs(a["dof_vel"] - b["dof_vel"]).max() < 1e-3


@pytest.mark.parametrize("text, words", [
    ("a: 1", "motions"), ("motions: []", "motions"), ("motions: [{}]", "file"), ("motions: [{file: gone.pkl}]", "gone"),
    ("motions: [{file: walk.pkl, weight: -1}]", "weight"), ("motions: [{file: walk.pkl, start: 2, end: 1}]", "end"),
    ("motions: [{file: walk.pkl, start: 99, end: 100}]", "clip"), ("motions: [{file: walk.pkl, fps: 60}]", "60"),
    ("motions: [{file: walk.pkl, weight: yes}]", "weight"), ("motions: !!python/object/apply:os.system [x]", "constructor"),
    ("motions: [{file: walk.pkl, weight: 0}]", "weight 0"), ("motions: [", "while")])
def test_lists_that_are_wrong_are_refused(case: Case, text: str, words: str) -> None:
    write_gmr(case, case.motion())
    Path("all.yaml").write_text(text)
    with pytest.raises((ValueError, FileNotFoundError), match=words):
        pm.MotionLibrary.from_files("all.yaml", case.robot)


def test_files_of_a_list_that_could_be_two_are_refused(case: Case) -> None:
    os.makedirs("lists")
    os.replace(write_gmr(case, case.motion()), "lists/walk.pkl")
    Path("lists/all.yaml").write_text("motions: [{file: walk.pkl}]")
    assert pm.MotionLibrary.from_files("lists/all.yaml", case.robot).names == ("walk",)
    write_gmr(case, case.motion())
    with pytest.raises(ValueError, match="could be"):
        pm.MotionLibrary.from_files("lists/all.yaml", case.robot)


def test_packed_weights_names_and_columns(case: Case) -> None:
    motions = [case.motion() for _ in range(3)]
    packed(case, motions, "all.pt", [1.0, 0.0, 3.0])
    found = pm.MotionLibrary.from_files("all.pt", case.robot, engine=pm.Engine("none"))
    assert found.names == ("walk", "walk1", "walk2") and found.weights.tolist() == [1, 0, 3]
    for n, m in enumerate(motions):
        compare(found, case.library(m=m), n)
    path = write_protomotions(case, motions[0])
    marked = pm.MotionLibrary.from_files(path, case.robot, extras=["contacts"], engine=pm.Engine("none"))
    count = len(motions[0]["turns"])
    s = marked.sample(np.zeros(count, int), steps=np.arange(count), rate=RATE, fields=["contacts"])
    assert np.array_equal(s["contacts"], load_pickle(path)["rigid_body_contacts"])
    with pytest.raises(ValueError, match=r"walk\.motion.*phase"):
        pm.MotionLibrary.from_files(path, case.robot, extras=["phase"])


def test_trajectories_of_loco_mujoco_are_split(case: Case) -> None:
    m = case.motion(12)
    path = write_loco(case, m)
    with np.load(path, allow_pickle=True) as members:
        np.savez("two.npz", **{**members, "split_points": [0, 5, 12]})
    found = pm.MotionLibrary.from_files("two.npz", case.robot, engine=pm.Engine("none"))
    assert found.names == ("two-1", "two-2") and np.allclose(found.durations, [4 / RATE, 6 / RATE])
    compare(found, case.library(m={name: rows[5:] for name, rows in m.items()}), 1)
    with np.load(path, allow_pickle=True) as members:
        np.savez("bad.npz", **{**members, "split_points": [0, 9, 5, 12]})
    with pytest.raises(ValueError, match="split_points"):
        pm.MotionLibrary.from_files("bad.npz", case.robot)


def test_build_takes_what_from_files_takes(case: Case) -> None:
    motions = many(case, 3)
    phase = {f"m{n}": np.linspace(0, 1, len(m["turns"])) for n, m in enumerate(motions)}
    pm.MotionLibrary.build("all.npz", "takes", case.robot, weights=[1, 2, 3], extras={"phase": phase}, bodies=["part_1"],
                           dofs=[0])
    found = pm.MotionLibrary.load("all.npz", engine=pm.Engine("none"))
    assert found.body_names == ("part_1",) and found.dof_names == case.robot.hinge_names[:1]
    assert found.weights.tolist() == [1, 2, 3] and found.extra_names == ("phase",)
    assert found.sample([1], [found.durations[1]], fields=["phase"])["phase"].tolist() == [1.0]
    with pytest.raises(ValueError, match="weights"):
        pm.MotionLibrary.build("all.npz", "takes", case.robot, weights=[1, 2])
    with pytest.raises(ValueError, match="m2"):
        pm.MotionLibrary.build("all.npz", "takes", case.robot, extras={"phase": {**phase, "m2": [1.0]}})


def test_a_build_goes_on_where_it_ended(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    many(case)
    good = Path("takes/1/m3.pkl").read_bytes()
    Path("takes/1/m3.pkl").write_bytes(good[:-9])
    counts: list[tuple[int, int]] = []
    with pytest.raises(ValueError, match=r"m3\.pkl"):
        pm.MotionLibrary.build("all.npz", "takes", case.robot, resume=True)
    kept = [name for name in os.listdir("all.npz.parts") if name.endswith(".npz")]
    assert kept and not Path("all.npz").exists()
    Path("takes/1/m3.pkl").write_bytes(good)
    read: list[str] = []
    import posemill._library_build as build

    monkeypatch.setattr(build, "takes_of", lambda path, own=build.takes_of: read.append(path) or own(path))
    pm.MotionLibrary.build("all.npz", "takes", case.robot, resume=True, progress=lambda n, of: counts.append((n, of)))
    assert len(read) == 4 - len(kept) and counts[0] == (0, 4) and counts[-1] == (4, 4)
    assert not Path("all.npz.parts").exists()
    whole = Path("all.npz").read_bytes()
    pm.MotionLibrary.build("other.npz", "takes", case.robot)
    assert Path("other.npz").read_bytes() == whole


def test_a_folder_that_is_of_no_build_is_kept(case: Case) -> None:
    many(case, 2)
    os.makedirs("all.npz.parts")
    Path("all.npz.parts/mine.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"mine\.txt"):
        pm.MotionLibrary.build("all.npz", "takes", case.robot, resume=True)
    assert Path("all.npz.parts/mine.txt").read_text() == "mine"


def test_a_core_holds_one_file_at_a_time(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    many(case, 8)
    import posemill._library_build as build

    lock, now, most = threading.Lock(), [0], [0]

    def counted(*arguments: Any, own: Any = build._make_part) -> Any:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        try:
            return own(*arguments)
        finally:
            with lock:
                now[0] -= 1

    monkeypatch.setattr(build, "_make_part", counted)
    pm.MotionLibrary.build("all.npz", "takes", case.robot)
    assert 1 <= most[0] <= (os.cpu_count() or 1)


def test_joints_of_bvh_in_another_order_are_joined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    parents = {"hips": None, "left": "hips", "right": "hips", "foot": "left"}
    for n, names in enumerate((["hips", "left", "foot", "right"], ["hips", "right", "left", "foot"])):
        offsets = rng.normal(size=(4, 3))
        turns = Rotation.from_rotvec(rng.normal(0, 0.5, (20, 3))).as_quat().reshape(5, 4, 4)
        np.savez(f"m{n}.npz", rotations=turns.astype(np.float32), positions=rng.normal(size=(5, 3)), names=names, rate=30,
                 parents=[-1 if parents[name] is None else names.index(parents[name]) for name in names], offsets=offsets)
    Path("all.yaml").write_text("motions: [{file: m0.npz, weight: 2}, {file: m1.npz}]")
    found = pm.MotionLibrary.from_files("all.yaml", engine=pm.Engine("none"))
    for n in range(2):
        one = pm.MotionLibrary.from_files(f"m{n}.npz", engine=pm.Engine("none"), bodies=found.body_names)
        a, b = (lib.sample([at], [0.07]) for lib, at in ((found, n), (one, 0)))
        for name in a:
            assert np.allclose(a[name], b[name], atol=1e-5), name
    Path("plain.yaml").write_text("motions: [{file: m0.npz}, {file: m1.npz}]")
    pm.MotionLibrary.build("a.npz", "plain.yaml")
    pm.MotionLibrary.build("b.npz", ["m0.npz", "m1.npz"], progress=lambda done, total: None)
    assert Path("a.npz").read_bytes() == Path("b.npz").read_bytes()


@pytest.mark.parametrize("library", ["torch", "joblib"])
def test_files_that_the_libraries_write(case: Case, library: str) -> None:
    m = case.motion()
    if library == "torch":
        torch = pytest.importorskip("torch")
        torch.save({name: torch.from_numpy(np.array(value)) if isinstance(value, np.ndarray) else value
                    for name, value in load_pickle(write_protomotions(case, m)).items()}, "walk.motion")
        path = "walk.motion"
    else:
        joblib = pytest.importorskip("joblib")
        joblib.dump({"walk": {"root_trans_offset": m["places"], "root_rot": m["turns"], "dof": m["angles"], "fps": RATE}},
                    "all.pkl", compress=True)
        path = "all.pkl"
    compare(pm.MotionLibrary.from_files(path, case.robot, engine=pm.Engine("none")), case.library(walk=m))
