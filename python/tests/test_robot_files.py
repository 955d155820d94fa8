# SPDX-License-Identifier: MIT
"""Files of robots: what is written in any layout and any order is read as what it was, and files whose names, rates
or places contradict the robot are refused."""
from __future__ import annotations

import re
import warnings

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import posemill as pm

RATE = 50
FIELDS = ["root_pos", "root_rot", "body_pos", "body_rot", "dof_pos"]
TWO_HINGES = """<mujoco><worldbody><body name="base"><freejoint/><geom size=".1"/>
<body name="thigh"><joint name="hip" axis="0 1 0"/><geom size=".1"/>
<body name="shank" pos="0 0 -1"><joint name="knee" axis="0 1 0"/><geom size=".1"/></body></body></body></worldbody></mujoco>"""
HEAD = "root_pos_x,root_pos_y,root_pos_z,root_quat_x,root_quat_y,root_quat_z,root_quat_w"


def robot_of(tmp_path, text=TWO_HINGES):
    (tmp_path / "robot.xml").write_text(text, encoding="utf-8")
    return pm.Skeleton.from_mjcf(tmp_path / "robot.xml")


def random_robot(folder, seed, bodies=9):
    """A tree whose order breadth first is another than depth first, with up to two hinges a body."""
    rng = np.random.default_rng(seed)
    names = [f"part_{n}" for n in rng.permutation(bodies)]
    children = {n: [] for n in range(bodies)}
    for n in range(1, bodies):
        children[int(rng.integers(0, n))].append(n)
    joints = iter(rng.permutation(2 * bodies))

    def numbers(size):
        return " ".join(f"{v:.3f}" for v in rng.normal(0, size, 3))

    def element(n):
        count = 0 if n == 0 else int(rng.integers(0, 3)) if n > 1 else 1
        limits = ['range="-90 90"' if rng.random() < 0.5 else "" for _ in range(count)]
        hinges = "".join(f'<joint name="turn_{next(joints)}" axis="{numbers(1)}" pos="{numbers(0.1 * (k % 2))}" {limit}/>'
                         for k, limit in enumerate(limits))
        joint = "<freejoint/>" if n == 0 else hinges
        return (f'<body name="{names[n]}" pos="{numbers(0.3)}" euler="{numbers(20)}">{joint}<geom size=".1"/>'
                f'{"".join(element(c) for c in children[n])}</body>')

    (folder / "robot.xml").write_text(f"<mujoco><worldbody>{element(0)}</worldbody></mujoco>", encoding="utf-8")
    skeleton = pm.Skeleton.from_mjcf(folder / "robot.xml")
    frames = int(rng.integers(3, 20))
    turns = Rotation.from_rotvec(np.cumsum(rng.normal(0, 0.05, (frames, 3)), axis=0))
    places = rng.normal(0, 5, 3) + np.cumsum(rng.normal(0, 0.02, (frames, 3)), axis=0)
    keys = pm.Keys(turns.as_quat().astype(np.float32), places.astype(np.float32), rate=RATE,
                   angles=np.cumsum(rng.normal(0, 0.04, (frames, len(skeleton.hinges))), axis=0).astype(np.float32))
    return skeleton, keys, rng


# ---- writers: a path, a library of one motion, its keys, a source of random orders ----


def write_export(flavor, permuted):
    def write(path, skeleton, keys, rng):
        bodies, dofs = None, None
        if permuted:
            bodies = rng.permutation(skeleton.bodies).tolist()
            bodies = bodies if permuted == "all" else [*bodies[:3], int(skeleton.bodies[0])] if bodies.index(
                int(skeleton.bodies[0])) > 2 else bodies[:3]
            dofs = rng.permutation(len(skeleton.hinges)).tolist()
        pm.MotionLibrary(skeleton, {"m": keys}, bodies=bodies, dofs=dofs).export_npz(path, "m", RATE, flavor)
    return write


def sampled(skeleton, keys):
    lib = pm.MotionLibrary(skeleton, {"m": keys})
    count = len(keys.rotations)
    return lib, lib.sample(np.zeros(count, int), steps=np.arange(count), rate=RATE,
                           fields=["body_pos", "body_rot", "body_vel", "body_ang_vel", "dof_pos", "dof_vel"])


def write_amp(scalar_last, named, ordered):
    """As Isaac Lab's AMP."""
    def write(path, skeleton, keys, rng):
        lib, s = sampled(skeleton, keys)
        bodies, dofs = np.arange(len(lib.body_names)), np.arange(len(lib.dof_names))
        if not ordered:
            bodies, dofs = rng.permutation(bodies), rng.permutation(dofs)
        names = {"dof_names": np.array(lib.dof_names)[dofs], "body_names": np.array(lib.body_names)[bodies]}
        np.savez(path, fps=RATE, dof_positions=s["dof_pos"][:, dofs], dof_velocities=s["dof_vel"][:, dofs],
                 body_positions=s["body_pos"][:, bodies], body_linear_velocities=s["body_vel"][:, bodies],
                 body_rotations=np.roll(s["body_rot"][:, bodies], 0 if scalar_last else 1, axis=-1),
                 body_angular_velocities=s["body_ang_vel"][:, bodies], **(names if named else {}))
    return write


def write_mimic(path, skeleton, keys, rng):
    """As whole_body_tracking, without names; with an array of contacts behind the angles, and an object."""
    _, s = sampled(skeleton, keys)
    frames = len(s["dof_pos"])
    np.savez(path, fps=np.array([RATE]), joint_pos=s["dof_pos"], joint_vel=s["dof_vel"], body_pos_w=s["body_pos"],
             body_quat_w=np.roll(s["body_rot"], 1, axis=-1), body_lin_vel_w=s["body_vel"],
             body_ang_vel_w=s["body_ang_vel"], contacts=rng.random((frames, 4), np.float32),
             object_pos_w=rng.normal(0, 1, (frames, 3)), object_quat_w=Rotation.random(frames, random_state=1).as_quat())


def write_csv(head, before=(), scalar_first=False, decorate="{}", quote=""):
    """A CSV whose joints are in a random order, where the header has names."""
    def write(path, skeleton, keys, rng):
        count = len(keys.rotations)
        order = rng.permutation(len(skeleton.hinges)) if head is not None else np.arange(len(skeleton.hinges))
        turns = np.roll(keys.rotations, 1, axis=1) if scalar_first else keys.rotations
        columns = {"frame": np.arange(count), "": np.arange(count), "time": np.arange(count) / RATE}
        rows = np.hstack([*(columns[name][:, None] for name in before), keys.positions, turns, keys.angles[:, order]])
        quaternion = [f"root_quat_{axis}" for axis in ("wxyz" if scalar_first else "xyzw")]
        names = [*before, "root_pos_x", "root_pos_y", "root_pos_z", *quaternion,
                 *(decorate.format(skeleton.hinge_names[n]) for n in order)]
        lines = [] if head is None else [head + ",".join(quote + name + quote for name in names)]
        path.write_text("\n".join(lines + [",".join(f"{v:.9g}" for v in row) for row in rows]) + "\n", encoding="utf-8")
    return write


LAYOUTS = {
    **{f"{flavor}{'-' + permuted if permuted else ''}": (write_export(flavor, permuted), "npz")
       for flavor in ("mjlab", "isaaclab2", "isaaclab3") for permuted in ("", "all", "some")},
    "amp": (write_amp(False, True, False), "npz"), "amp-xyzw": (write_amp(True, True, False), "npz"),
    "amp-unnamed": (write_amp(False, False, True), "npz"), "mimic": (write_mimic, "npz"),
    "csv": (write_csv(None), "csv"), "csv-named": (write_csv(""), "csv"), "csv-bom": (write_csv("\ufeff"), "csv"),
    "csv-wxyz": (write_csv("", scalar_first=True), "csv"), "csv-quoted": (write_csv("", quote='"'), "csv"),
    "csv-index": (write_csv("", before=("frame",)), "csv"), "csv-pandas": (write_csv("", before=("",)), "csv"),
    "csv-time": (write_csv("", before=("time",)), "csv"), "csv-both": (write_csv("", before=("frame", "time")), "csv"),
    "csv-dof": (write_csv("", decorate="{}_dof"), "csv"), "csv-pos": (write_csv("", decorate="{}.pos"), "csv"),
    "csv-joint": (write_csv("", decorate="Joint_{}"), "csv"),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_was_written_is_read(tmp_path, layout, seed):
    """Every layout through every reader, for robots whose bodies are in other orders."""
    skeleton, keys, rng = random_robot(tmp_path, 100 + seed)
    write, kind = LAYOUTS[layout]
    path = tmp_path / f"m.{kind}"
    write(path, skeleton, keys, rng)
    source = RATE if kind == "csv" else None
    wanted = pm.MotionLibrary(skeleton, {"m": keys})
    libraries = [pm.MotionLibrary.from_files([path], skeleton, source_rate=source)]
    resampled = tmp_path / f"again.{kind}" # at another rate, at which bodies move along chords
    pm.load(path, source_rate=source).resample(2 * RATE).save(resampled)
    libraries.append(pm.MotionLibrary.from_files([resampled], skeleton, source_rate=source and 2 * RATE))
    times = np.arange(len(keys.rotations)) / RATE
    a = wanted.sample(np.zeros(len(times), int), times, fields=FIELDS)
    for lib in libraries:
        assert (lib.body_names, lib.dof_names) == (wanted.body_names, wanted.dof_names)
        assert lib.durations[0] == pytest.approx(times[-1], abs=1e-6)
        b = lib.sample(np.zeros(len(times), int), times, fields=FIELDS)
        for field in ("root_pos", "body_pos", "dof_pos"):
            assert np.abs(a[field] - b[field]).max() < 2e-5, field
        for field in ("root_rot", "body_rot"):
            assert (Rotation.from_quat(a[field].reshape(-1, 4)).inv() *
                    Rotation.from_quat(b[field].reshape(-1, 4))).magnitude().max() < 2e-5, field
    pm.MotionLibrary.build(tmp_path / "built.npz", [path], skeleton, source_rate=source)
    libraries[0].save(tmp_path / "saved.npz")
    assert (tmp_path / "saved.npz").read_bytes() == (tmp_path / "built.npz").read_bytes()


# ---- names ----


def refused(path, skeleton, words, **options):
    with pytest.raises(ValueError, match=re.escape(path.name)) as told:
        pm.MotionLibrary.from_files(path, skeleton, **options)
    for word in words:
        assert word in str(told.value), (word, str(told.value))


def angles_of(path, skeleton, **options):
    lib = pm.MotionLibrary.from_files(path, skeleton, source_rate=RATE, **options)
    return dict(zip(lib.dof_names, lib.sample([0], [0.0], fields=["dof_pos"])["dof_pos"][0].astype(float).round(5).tolist(), strict=True))


@pytest.mark.parametrize(("names", "note"), [
    ("knee,hip", None), ('"knee" , hip', None), ("KNEE,Hip", "without regard to case"),
    ("knee_dof,hip_dof", "'hip_dof' is 'hip'"), ("knee_joint.pos,hip_joint.pos", "is 'hip'"),
    ("joint_knee,joint_hip", "is 'hip'"), ("dof_pos/knee (rad),dof_pos/hip (rad)", "is 'hip'")])
def test_headers_decide(tmp_path, names, note):
    path = tmp_path / "a.csv"
    path.write_text(f"{HEAD},{names}\n0,0,1,0,0,0,1,0.9,0.1\n0,0,1,0,0,0,1,0.9,0.1\n", encoding="utf-8")
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert angles_of(path, robot_of(tmp_path)) == {"hip": 0.1, "knee": 0.9}
    assert [note in str(one.message) for one in told] == ([True] if note else [])


@pytest.mark.parametrize("names", ["knee_deg,hip_deg", "knee (deg),hip [degrees]"])
def test_headers_say_degrees_and_lengths(tmp_path, names):
    path = tmp_path / "a.csv"
    head = "x (cm),y (cm),z (cm)," + HEAD.split(",", 3)[3]
    path.write_text(f"{head},{names}\n" + "1,2,100,0,0,0,1,90,5.72957795\n" * 2, encoding="utf-8")
    assert angles_of(path, robot_of(tmp_path)) == {"hip": 0.1, "knee": 1.5708}
    lib = pm.MotionLibrary.from_files(path, robot_of(tmp_path), source_rate=RATE)
    assert np.allclose(lib.sample([0], [0.0], fields=["root_pos"])["root_pos"], [0.01, 0.02, 1])


@pytest.mark.parametrize("names", ["joint_0,joint_1", "dof_pos_1,dof_pos_2"])
def test_headers_that_only_count_name_nothing(tmp_path, names):
    path = tmp_path / "a.csv"
    path.write_text(f"{HEAD},{names}\n0,0,1,0,0,0,1,0.1,0.9\n0,0,1,0,0,0,1,0.1,0.9\n", encoding="utf-8")
    with pytest.warns(pm.MotionWarning, match="numbered and not named"):
        assert angles_of(path, robot_of(tmp_path)) == {"hip": 0.1, "knee": 0.9}


@pytest.mark.parametrize(("names", "words"), [
    ("elbow,wrist", ["elbow, wrist", "hip, knee"]), ("hip,wrist", ["hip, wrist", "hip, knee"]),
    ("hip,hip", ["hip, hip", "hip, knee"]),
    ("hip_deg,knee_rad", ["degrees for 1 of 2 joints; expected one unit"]),
    ("joint_1,joint_0", ["joint_1, joint_0", "hip, knee"]), ("hip,knee,torso", ["hip, knee, torso", "hip, knee"])])
def test_headers_of_other_joints_are_refused_with_both_lists(tmp_path, names, words):
    path = tmp_path / "a.csv"
    more = ",0" * (names.count(",") - 1)
    path.write_text(f"{HEAD},{names}\n0,0,1,0,0,0,1,0.9,0.1{more}\n", encoding="utf-8")
    refused(path, robot_of(tmp_path), words, source_rate=RATE)


def test_headers_with_too_few_names_are_refused(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(f"{HEAD},hip\n0,0,1,0,0,0,1,0.9,0.1\n", encoding="utf-8")
    refused(path, robot_of(tmp_path), ["names 1 joints; expected 2"], source_rate=RATE)
    path.write_text(f"{HEAD}\n0,0,1,0,0,0,1,0.9,0.1\n", encoding="utf-8") # those of the root alone
    assert angles_of(path, robot_of(tmp_path)) == {"hip": 0.9, "knee": 0.1}


def test_long_lists_show_what_differs(tmp_path):
    """Of 40 joints, the one that each side lacks."""
    body = "".join(f'<body name="b{n}"><joint name="a_rather_long_name_{n}"/><geom size=".1"/></body>' for n in range(40))
    robot = robot_of(tmp_path, f'<mujoco><worldbody><body name="base"><freejoint/><geom size=".1"/>{body}</body>'
                               '</worldbody></mujoco>')
    names = [*robot.hinge_names[:33], "stranger", *robot.hinge_names[34:]]
    path = tmp_path / "a.csv"
    path.write_text(f"{HEAD},{','.join(names)}\n0,0,1,0,0,0,1{',0' * 40}\n", encoding="utf-8")
    refused(path, robot, ["stranger", "a_rather_long_name_33"], source_rate=RATE)


def npz_of(path, **changes):
    """Two frames of the robot at rest, as trackers have them."""
    places = np.tile(np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], float), (2, 1, 1))
    members = {"fps": [RATE], "joint_pos": np.zeros((2, 2)), "body_pos_w": places,
               "body_quat_w": np.tile([1.0, 0, 0, 0], (2, 3, 1)), "joint_names": ["hip", "knee"],
               "body_names": ["base", "thigh", "shank"]}
    np.savez(path, **{name: value for name, value in (members | changes).items() if value is not None})
    return path


@pytest.mark.filterwarnings("ignore:.*order of its quaternions")
@pytest.mark.parametrize(("changes", "words"), [
    ({"joint_names": ["elbow", "wrist"]}, ["elbow, wrist", "hip, knee"]),
    ({"joint_names": ["hip"]}, ["'joint_names' has no 2 texts"]),
    ({"joint_names": np.array(["hip", "knee"], object)}, ["'joint_names' has no 2 texts"]),
    ({"body_names": ["base", "thigh", "foot"]}, ["base, thigh, foot", "base, thigh, shank"]),
    ({"body_names": ["base", "thigh"]}, ["'body_names' has no 3 texts"]),
    ({"body_names": ["thigh", "shank", "shank"]}, ["shank"]),
    ({"body_pos_w": np.zeros((2, 2, 3)), "body_quat_w": np.tile([1.0, 0, 0, 0], (2, 2, 1)),
      "body_names": ["thigh", "shank"]}, ["has no body 'base'"]),
    ({"joint_pos": np.zeros((2, 1)), "joint_names": None}, ["expected 2 angles of hinges a frame, found 1"]),
])
def test_names_of_npz_that_do_not_fit_are_refused(tmp_path, changes, words):
    refused(npz_of(tmp_path / "a.npz", **changes), robot_of(tmp_path), words)


@pytest.mark.filterwarnings("ignore:.*order of its quaternions")
def test_places_are_compared_with_the_angles(tmp_path):
    robot = robot_of(tmp_path)
    places = np.tile(np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], float), (2, 1, 1))
    pm.MotionLibrary.from_files(npz_of(tmp_path / "a.npz", body_pos_w=places + np.array([[0, 0, 0], [0, 0.004, 0], [0.009, 0, 0]])), robot)
    far = places.copy()
    far[1, 2, 0] = 0.011
    for names in (["base", "thigh", "shank"], None):
        refused(npz_of(tmp_path / "a.npz", body_pos_w=far, body_names=names), robot,
                ["body 'shank' is 0.011 m", "at frame 1"])
    # Breadth first without names: bodies are not where the robot's order has them.
    swapped = {"body_pos_w": places[:, [0, 2, 1]], "joint_names": None, "body_names": None}
    refused(npz_of(tmp_path / "a.npz", **swapped), robot, ["body 'thigh' is 1 m"])


# ---- rates ----


def rows_of(path, frames=61, head="", time=None):
    """61 rows at 50 Hz are 1.2 s."""
    at = np.arange(frames)
    columns = [] if time is None else [[time.format(k / RATE) for k in at]]
    rows = [*columns, *[["0"] * frames] * 6, ["1"] * frames, [f"{0.01 * k:g}" for k in at], ["0"] * frames]
    path.write_text(head + "\n".join(",".join(row) for row in zip(*rows, strict=True)) + "\n", encoding="utf-8")
    return path


def test_one_word_says_the_rate_of_the_source_and_another_resamples(tmp_path):
    robot, path = robot_of(tmp_path), rows_of(tmp_path / "a.csv")
    for rate, frames in ((None, 61), (25, 31), (100, 121), ("30000/1001", 36)):
        lib = pm.MotionLibrary.from_files(path, robot, source_rate=RATE, rate=rate)
        lib.save(tmp_path / "saved.npz")
        at = np.load(tmp_path / "saved.npz")["dof"]
        assert len(at) == frames and lib.durations[0] <= 1.2 < lib.durations[0] + 1 / 25
        exact = float(RATE if rate is None else 30000 / 1001 if rate == "30000/1001" else rate)
        assert np.abs(at[:, 0] - 0.5 * np.arange(frames) / exact).max() < 1e-6
    with pytest.warns(pm.MotionWarning, match="has no rate; 30 frames per second are taken .source_rate= gives another"):
        assert pm.MotionLibrary.from_files(path, robot).durations[0] == 2.0
    pm.convert(path, tmp_path / "b.csv", source_rate=RATE, rate=25)
    assert len((tmp_path / "b.csv").read_text().splitlines()) == 31
    with pytest.raises(ValueError, match="'x2' is not a number or a fraction"):
        pm.MotionLibrary.build(tmp_path / "x.npz", path, robot, rate="x2")


@pytest.mark.parametrize("time", ["{:.2f}", "{:.9f}", "{:.17g}", "1234{:.2f}"])
def test_a_column_of_times_is_the_rate(tmp_path, time):
    time = time.replace("1234{", "{") if time.startswith("1234") else time
    path = rows_of(tmp_path / "a.csv", head=f"time,{HEAD},hip,knee\n", time=time)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pm.MotionLibrary.from_files(path, robot_of(tmp_path)).durations[0] == pytest.approx(1.2, abs=1e-9)
        assert pm.MotionLibrary.from_files(path, robot_of(tmp_path), source_rate=RATE).durations[0] == pytest.approx(1.2, abs=1e-9)
    refused(path, robot_of(tmp_path), ["states a rate of 50 Hz", "source rate is 60 Hz"], source_rate=60)


@pytest.mark.parametrize("name", ["time_ms", "Time (ms)", "timestamp_us", "timestamp [ns]"])
@pytest.mark.parametrize("start", [0, 1_700_000_000])
def test_a_column_of_times_has_the_unit_of_its_name(tmp_path, name, start):
    per_second = {"m": 10**3, "u": 10**6, "n": 10**9}[name.strip("])")[-2]]
    path = tmp_path / "a.csv"
    rows = [f"{(50 * start + n) * per_second // 50},0,0,1,0,0,0,1,{0.02 * n:.2f},0.1\n" for n in range(61)]
    path.write_text(f"{name},{HEAD},hip,knee\n" + "".join(rows), encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lib = pm.MotionLibrary.from_files(path, robot_of(tmp_path))
    assert lib.durations[0] == pytest.approx(1.2, abs=1e-9)
    assert lib.sample([0], [0.5], fields=["dof_vel"])["dof_vel"][0, 0] == pytest.approx(1.0, abs=1e-4)
    refused(path, robot_of(tmp_path), ["states a rate of 50 Hz", "source rate is 60 Hz"], source_rate=60)


@pytest.mark.parametrize("times", [["0", "0.02", "0.05"], ["0", "20", "40"], ["0", "0", "0"], ["0", "-0.02", "-0.04"]])
def test_times_that_are_no_seconds_at_one_rate_are_said(tmp_path, times):
    path = tmp_path / "a.csv"
    path.write_text(f"time,{HEAD},hip,knee\n" + "".join(f"{t},0,0,1,0,0,0,1,0.9,0.1\n" for t in times), encoding="utf-8")
    with pytest.warns(pm.MotionWarning, match="times in column 1 are not seconds at one rate; 30 frames"):
        pm.load(path)


@pytest.mark.filterwarnings("ignore:.*order of its quaternions")
def test_files_that_state_their_rate_refuse_another(tmp_path):
    robot = robot_of(tmp_path)
    refused(npz_of(tmp_path / "a.npz"), robot, ["states a rate of 50 Hz", "source rate is 30 Hz"], source_rate=30)
    pm.MotionLibrary.from_files(tmp_path / "a.npz", robot, source_rate=RATE)
    bvh = tmp_path / "a.bvh"
    bvh.write_text("HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\n"
                   "OFFSET 0 1 0\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.0333333\n0 0 0\n0 0 0\n", encoding="utf-8")
    refused(bvh, None, ["states a rate of 30 Hz", "source rate is 60 Hz"], source_rate=60)
    assert pm.MotionLibrary.from_files(bvh, None, source_rate=30).durations[0] == pytest.approx(1 / 30)
    pm.convert(bvh, tmp_path / "a.glb")
    with pytest.raises(ValueError, match="a.glb: states a rate of 30 Hz"):
        pm.MotionLibrary.from_files(tmp_path / "a.glb", source_rate=60)
    assert pm.load(bvh, source_rate=60).clips[0].rate == 60 # a file that is wrong


def test_libraries_of_other_files_are_resampled_when_they_are_built(tmp_path):
    """Splines of glTF by themselves; the bytes are those of from_files."""
    bvh = tmp_path / "a.bvh"
    rows = "".join(f"{10 * k} {k * k} 0\n" for k in range(12))
    bvh.write_text("HIERARCHY\nROOT hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\n"
                   f"OFFSET 0 1 0\n}}\n}}\nMOTION\nFrames: 12\nFrame Time: 0.1\n{rows}", encoding="utf-8")
    pm.reduce(pm.load(bvh), angle=1.0, curve="cubicspline").motion.save(tmp_path / "a.glb")
    for path in (bvh, tmp_path / "a.glb"):
        assert pm.MotionLibrary.from_files(path, None, rate=25).durations[0] == pytest.approx(1.08)


# ---- angles ----


def urdf_of(tmp_path, kind):
    (tmp_path / "r.urdf").write_text(
        f'<robot name="r"><link name="base"/><link name="a"/><joint name="yaw" type="{kind}"><parent link="base"/>'
        '<child link="a"/><axis xyz="0 0 1"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint></robot>',
        encoding="utf-8")
    return pm.Skeleton.from_urdf(tmp_path / "r.urdf")


def wrapped_file(path):
    """pi rad/s at 30 Hz for 5 s, in +-pi."""
    angles = np.pi * np.arange(151) / 30
    wrapped = np.angle(np.exp(1j * angles))
    np.savetxt(path, np.hstack([np.tile([0, 0, 1, 0, 0, 0, 1], (151, 1)), wrapped[:, None]]), delimiter=",", fmt="%.6f")
    return angles


@pytest.mark.parametrize("rate", [None, 30, 77])
def test_wrapped_angles_of_continuous_joints_go_on(tmp_path, rate):
    path = tmp_path / "a.csv"
    angles = wrapped_file(path)
    with pytest.warns(pm.MotionWarning, match=r"joint 'yaw': its angle was wrapped \d times, the first at frame 3[01]"):
        lib = pm.MotionLibrary.from_files(path, urdf_of(tmp_path, "continuous"), source_rate=30, rate=rate)
    times = np.linspace(0.01, 4.9, 50)
    s = lib.sample(np.zeros(50, int), times, fields=["dof_pos", "dof_vel"])
    assert np.abs(s["dof_vel"] - np.pi).max() < 1e-3
    assert np.abs(s["dof_pos"][:, 0] - np.interp(times, np.arange(151) / 30, angles)).max() < 1e-4


def test_jumps_of_other_joints_are_named(tmp_path):
    path = tmp_path / "a.csv"
    wrapped_file(path)
    words = r"joint 'yaw': its angle steps by more than half a turn \d times, the first to frame 3[01]"
    with pytest.warns(pm.MotionWarning, match=words):
        lib = pm.MotionLibrary.from_files(path, urdf_of(tmp_path, "revolute"), source_rate=30)
    assert np.abs(lib.sample(np.zeros(151, int), np.arange(151) / 30, fields=["dof_pos"])["dof_pos"]).max() < 3.15
    with pytest.warns(pm.MotionWarning, match=r"\d steps of joint angles are above half a turn, the first to frame 3[01]"):
        pm.load(path, source_rate=30)


def test_who_says_otherwise_is_obeyed(tmp_path):
    path, robot = tmp_path / "a.csv", urdf_of(tmp_path, "revolute")
    wrapped_file(path)
    robot.continuous = [True]
    with pytest.warns(pm.MotionWarning, match="joint 'yaw': its angle was wrapped"):
        pm.MotionLibrary.from_files(path, robot, source_rate=30)
    robot.continuous = [True, False]
    with pytest.raises(ValueError, match="broadcast"):
        pm.MotionLibrary.from_files(path, robot, source_rate=30)


JOINTS = ['<joint name="{}"/>', '<joint name="{}" range="-1 1"/>', '<joint name="{}" range="0 0"/>',
          '<joint name="{}" limited="true" range="-1 1"/>', '<joint name="{}" limited="false" range="-1 1"/>',
          '<joint name="{}" limited="auto" range="-1 1"/>', '<joint name="{}" class="bounded"/>']


@pytest.mark.parametrize("compiler", ["", '<compiler autolimits="true"/>', '<compiler autolimits="false"/>'])
def test_joints_are_continuous_where_mujoco_has_no_limits(tmp_path, compiler):
    joints = [joint for joint in JOINTS if "false" not in compiler or 'limited="' in joint or "range" not in joint]
    joints = [joint for joint in joints if "false" not in compiler or "auto" not in joint and "bounded" not in joint]
    body = "".join(f'<body name="b{n}">{joint.format(f"j{n}")}<geom size=".1"/></body>' for n, joint in enumerate(joints))
    robot = robot_of(tmp_path, f'<mujoco>{compiler}<default><default class="bounded"><joint range="-1 1"/></default>'
                               f"</default><worldbody>{body}</worldbody></mujoco>".replace(
                                   '<default class="bounded"><joint range="-1 1"/></default>',
                                   '<default class="bounded"><joint range="-1 1" limited="true"/></default>'
                                   if "false" in compiler else '<default class="bounded"><joint range="-1 1"/></default>'))
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "robot.xml"))
    assert robot.continuous.tolist() == (model.jnt_limited == 0).tolist() == pm.Skeleton.from_mujoco(model).continuous.tolist()
    assert 0 < robot.continuous.sum() < len(joints)


# ---- arguments ----


def test_what_does_not_exist_is_refused(tmp_path):
    lib = pm.MotionLibrary.from_files(rows_of(tmp_path / "a.csv"), robot_of(tmp_path), source_rate=RATE)
    for ids, words in (([1], "ids: 1 at 0 is none of 1 motions"), ([0, -1], "ids: -1 at 1"), ([0, 2**40], "ids: 1099511627776 at 1")):
        with pytest.raises(ValueError, match=words):
            lib.sample(ids, np.zeros(len(ids)))
    with pytest.raises(ValueError) as told:
        lib.sample([0], [0.0], fields=["body_position"])
    for name in ("'body_position'", "body_pos", "body_ang_vel", "local_rot", "root_vel", "dof_vel"):
        assert name in str(told.value)
    assert "angle_rate" not in str(told.value)
    lib.weights = [2.5]
    assert lib.weights.tolist() == [2.5]
    with pytest.raises(ValueError, match="read-only"):
        lib.weights[0] = 2


def test_a_file_of_a_list_that_fails_is_named(tmp_path):
    robot, good = robot_of(tmp_path), rows_of(tmp_path / "good.csv")
    bad = tmp_path / "bad.csv"
    for text, options in (("1,2,3\n", {}), (f"{HEAD},a,b\n0,0,1,0,0,0,1,0,0\n", {}), ("0,0,1,0,0,0,1,0\n", {}),
                          ("0,0,1,0,0,0,1,0,0\n" * 4, {"rate": 10**12})):
        bad.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=r"bad\.csv: "):
            pm.MotionLibrary.from_files([good, bad] if "rate" not in options else [bad], robot, source_rate=RATE, **options)
    with pytest.raises(FileNotFoundError, match=r"none\.csv"):
        pm.MotionLibrary.from_files([good, tmp_path / "none.csv"], robot, source_rate=RATE)
    flat = tmp_path / "flat.csv" # no skeleton, and none is given
    flat.write_text("0,0,1,0,0,0,1,0,0\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"flat\.csv: "):
        pm.MotionLibrary.from_files(flat, source_rate=RATE)
    with pytest.raises(TypeError, match="colour"):
        pm.MotionLibrary.from_files(good, robot, colour="red")
