# SPDX-License-Identifier: MIT
"""wrap="continue": lap k is the motion moved by M^k, which is written here with matrices; and nothing jumps that M
carries on."""
from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import posemill as pm

RATE = 30
FRAMES = 25
AXES = {"y": (1, [2, 0]), "z": (2, [0, 1])} # which is vertical, and those of the ground, so that turns are right-handed
PARENTS = [-1, 0, 1]


def skeleton_of(up, **options):
    places = np.zeros((3, 3))
    places[1:, AXES[up][0]] = 0.5
    return pm.Skeleton(["root", "back", "head"], PARENTS, positions=places, **options)


def keys_of(up, seed, *, hinges=0):
    """A walk along a bow that leans, and begins anywhere."""
    rng, (vertical, ground) = np.random.default_rng(seed), AXES[up]
    s = np.linspace(0, 1, FRAMES)
    bow = rng.uniform(-2.5, 2.5) * s + rng.uniform(-3, 3)
    about = np.zeros((FRAMES, 3))
    about[:, vertical] = bow
    lean = Rotation.from_rotvec(0.2 * np.cumsum(rng.normal(size=(FRAMES, 3)), axis=0) / np.sqrt(FRAMES))
    turns = (Rotation.from_rotvec(about) * lean).as_quat()
    places = np.empty((FRAMES, 3))
    places[:, ground] = np.cumsum(rng.normal(0.05, 0.02, (FRAMES, 2)), axis=0) + rng.normal(size=2)
    places[:, vertical] = 1 + 0.1 * np.cumsum(rng.normal(size=FRAMES)) / np.sqrt(FRAMES)
    if hinges:
        return pm.Keys(turns, places, rate=RATE, angles=rng.normal(size=(FRAMES, hinges)))
    others = Rotation.random(2 * FRAMES, random_state=seed).as_quat().reshape(FRAMES, 2, 4)
    return pm.Keys(np.concatenate([turns[:, None], others], axis=1), places, rate=RATE)


def lap_of(up, start, end):
    """M as a matrix: of the motion from start to end, what is on the ground."""
    vertical, ground = AXES[up]
    turn = Rotation.from_quat(end[1]) * Rotation.from_quat(start[1]).inv()
    parts = turn.as_quat()
    about = np.zeros(4)
    about[vertical], about[3] = parts[vertical], parts[3]
    m = np.eye(4)
    m[:3, :3] = Rotation.from_quat(about).as_matrix()
    moved = end[0] - m[:3, :3] @ start[0]
    m[ground, 3] = moved[ground]
    return m


@pytest.mark.parametrize("up", ["y", "z"])
@pytest.mark.parametrize("method", ["slerp", "squad", "spline"])
def test_laps_are_the_motion_moved(up, method):
    rng = np.random.default_rng(7)
    lib = pm.MotionLibrary(skeleton_of(up), {f"m{n}": keys_of(up, n) for n in range(4)}, method=method)
    ids, laps = rng.integers(0, 4, 200), rng.integers(-30, 31, 200)
    within = rng.uniform(0.01, 0.99, 200)
    fields = ["body_pos", "body_rot", "body_vel", "body_ang_vel", "local_rot"]
    plain = lib.sample(ids, within * lib.durations[ids], fields=fields)
    places, turns = rng.normal(size=(200, 3)), Rotation.random(200, random_state=8)
    found = lib.sample(ids, (laps + within) * lib.durations[ids], fields=fields, wrap="continue", up=up,
                       at=(places, turns.as_quat()))
    ends = {n: [[lib.sample([n], [t], fields=["root_pos", "root_rot"])[field][0].astype(float)
                 for field in ("root_pos", "root_rot")] for t in (0, lib.durations[n])] for n in range(4)}
    for i in range(200):
        m = np.linalg.matrix_power(lap_of(up, *ends[ids[i]]), int(laps[i]))
        turned = turns[i] * Rotation.from_matrix(m[:3, :3])
        far = 1e-6 * (1 + np.abs(m[:3, 3]).max()) * 20
        moved = plain["body_pos"][i] @ m[:3, :3].T + m[:3, 3]
        assert np.allclose(found["body_pos"][i], turns[i].apply(moved) + places[i], atol=far)
        apart = (turned * Rotation.from_quat(plain["body_rot"][i])).inv() * Rotation.from_quat(found["body_rot"][i])
        assert apart.magnitude().max() < 1e-5
        for field in ("body_vel", "body_ang_vel"): # whose times differ by roundings
            assert np.allclose(found[field][i], turned.apply(plain[field][i]), atol=2e-3)
    assert np.allclose(found["local_rot"], plain["local_rot"], atol=2e-5)


@pytest.mark.parametrize("up", ["y", "z"])
def test_nothing_jumps_at_a_seam_that_goes_on(up):
    """Places on the ground and headings are continuous over all laps; a modulo jumps. Height and tilt are those of the
    clip."""
    vertical, ground = AXES[up]
    for seed in range(12):
        lib = pm.MotionLibrary(skeleton_of(up), {"m": keys_of(up, seed)})
        seconds = lib.durations[0]
        seams = np.arange(-3, 4)[:, None] * seconds + np.array([-1e-6, 1e-6])
        times = np.sort(np.concatenate([np.linspace(-3.2 * seconds, 3.2 * seconds, 4001), seams.reshape(-1)]))
        zeros = np.zeros(len(times), int)
        s = lib.sample(zeros, times, fields=["root_pos", "root_rot"], wrap="continue", up=up)
        steps = np.linalg.norm(np.diff(s["root_pos"][:, ground].astype(float), axis=0), axis=1)
        keys = keys_of(up, seed)
        fastest = np.linalg.norm(np.diff(keys.positions[:, ground].astype(float), axis=0), axis=1).max() * RATE
        assert (steps <= fastest * np.diff(times) * 1.001 + 2e-5).all()
        twist = s["root_rot"][:, [vertical, 3]].astype(float)
        heading = np.unwrap(2 * np.arctan2(twist[:, 0], twist[:, 1]))
        modulo = lib.sample(zeros, times, fields=["root_pos", "root_rot"], wrap=True)
        assert np.allclose(s["root_pos"][:, vertical], modulo["root_pos"][:, vertical], atol=1e-5)
        tilt = [Rotation.from_quat(r["root_rot"]).inv().apply(np.eye(3)[vertical]) for r in (s, modulo)]
        assert np.abs(tilt[0] - tilt[1]).max() < 1e-5
        # The heading goes on by that of M at each lap; between them it is that of the clip.
        at_laps = np.searchsorted(times, np.arange(-3, 4) * seconds + 1e-6)
        gained = np.diff(heading[at_laps])
        assert np.allclose(np.mod(gained - gained[0] + np.pi, 2 * np.pi), np.pi, atol=1e-4)
        if np.linalg.norm(keys.positions[-1, ground] - keys.positions[0, ground]) > 0.1:
            assert np.linalg.norm(np.diff(modulo["root_pos"][:, ground], axis=0), axis=1).max() > 0.1


def test_windows_do_not_cross_an_end_unless_asked():
    lib = pm.MotionLibrary(skeleton_of("z"), {"m": keys_of("z", 3)})
    end = lib.durations[0]
    offsets = [0.0, 0.05, 0.1, 0.5]
    held = lib.sample([0], [end - 0.02], offsets, ["body_pos"])["body_pos"][0]
    last = lib.sample([0], [end], fields=["body_pos"])["body_pos"][0]
    assert all(np.array_equal(held[k], last) for k in (1, 2, 3))
    curriculum = pm.Curriculum(lib, window=0.5)
    ids, times = curriculum.draw(1000)
    assert (times + 0.5 <= end).all()
    going = lib.sample([0], [end - 0.02], offsets, ["body_pos"], wrap="continue", up="z")["body_pos"][0]
    alone = lib.sample([0] * 4, end - 0.02 + np.array(offsets), fields=["body_pos"], wrap="continue", up="z")["body_pos"]
    assert np.allclose(going, alone, atol=1e-5) and not np.allclose(going[1], last, atol=1e-4)


def test_robots_are_upright_about_z():
    skeleton = skeleton_of("z", axes=[[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    lib = pm.MotionLibrary(skeleton, {"m": keys_of("z", 5, hinges=2)})
    times = np.linspace(-2, 4, 50)
    a, b = (lib.sample([0] * 50, times, fields=["root_pos", "root_rot", "dof_pos"], wrap="continue", **options)
            for options in ({}, {"up": "z"}))
    assert all(np.array_equal(a[field], b[field]) for field in a)
    plain = lib.sample([0] * 50, times, fields=["dof_pos"], wrap=True)
    assert np.allclose(a["dof_pos"], plain["dof_pos"], atol=1e-6)


def test_laps_of_loops_and_of_single_frames_stay():
    """A loop whose last key leads back to the first has been carried on by its keys."""
    keys = keys_of("z", 6)
    loop = pm.Keys(keys.rotations, keys.positions, rate=RATE, loop=(FRAMES + 1) / RATE)
    one = pm.Keys(keys.rotations[:1], keys.positions[:1], rate=RATE)
    lib = pm.MotionLibrary(skeleton_of("z"), {"loop": loop, "one": one})
    ids, times = np.repeat([0, 1], 40), np.tile(np.linspace(-2, 5, 40) + 0.001, 2)
    a = lib.sample(ids, times, fields=["body_pos", "body_rot"], wrap="continue", up="z")
    b = lib.sample(ids, times, fields=["body_pos", "body_rot"], wrap=True)
    assert all(np.allclose(a[field], b[field], atol=1e-5) for field in a)


@pytest.mark.parametrize(("options", "words"), [
    ({"wrap": "continue"}, "does not know which axis points up"), ({"wrap": "x"}, "wrap: 'x' is unknown"),
    ({"wrap": "continue", "up": "x"}, "up: 'x' is unknown")])
def test_wrong_laps(options, words):
    lib = pm.MotionLibrary(skeleton_of("z"), {"m": keys_of("z", 3)})
    with pytest.raises(ValueError, match=words):
        lib.sample([0], [0], **options)


@pytest.mark.parametrize("up, hinges, flat", [("y", 0, False), ("z", 0, True), ("z", 2, True)])
def test_bent_ends_have_no_seam(up, hinges, flat):
    """Both sides of each seam are one pose; the way on the ground and the heading stay, and so do frames before."""
    rng = np.random.default_rng(4)
    axes = {"axes": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]} if hinges else {}
    skeleton = skeleton_of(up, **axes)
    for seed in range(6):
        keys = keys_of(up, seed, hinges=hinges)
        if not flat:
            places = np.tile(skeleton.positions, (FRAMES, 1, 1)) + rng.normal(0, 0.1, (FRAMES, 3, 3))
            places[:, 0] = keys.positions
            keys = pm.Keys(keys.rotations, places, rate=RATE)
        bent = keys.seamless(skeleton, 0.3, up=None if hinges else up)
        kept = int((FRAMES - 1) - 0.3 * RATE) + 1
        for name in ("rotations", "positions", "angles"):
            if getattr(keys, name) is not None:
                assert np.allclose(getattr(bent, name)[:kept], getattr(keys, name)[:kept], atol=1e-6), name
        before, lib = (pm.MotionLibrary(skeleton, {"m": k}) for k in (keys, bent))
        seconds, laps = lib.durations[0], np.arange(-2, 4)
        options = {"fields": ["body_pos", "body_rot"], "wrap": "continue", "up": up}
        sides = [lib.sample(np.zeros(6, int), laps * seconds + shift, **options) for shift in (-1e-9, 1e-9)]
        assert np.abs(sides[0]["body_pos"] - sides[1]["body_pos"]).max() < 2e-5
        apart = [Rotation.from_quat(side["body_rot"].reshape(-1, 4)) for side in sides]
        assert (apart[0].inv() * apart[1]).magnitude().max() < 1e-5
        jumps = [before.sample(np.zeros(6, int), laps * seconds + shift, **options)["body_pos"]
                 for shift in (-1e-9, 1e-9)]
        assert np.abs(jumps[0] - jumps[1]).max() > 1e-2
        ends = [[one.sample([0], [t], fields=["root_pos", "root_rot"]) for t in (0, seconds)] for one in (before, lib)]
        laps_of = [lap_of(up, *[[side[name][0].astype(float) for name in ("root_pos", "root_rot")] for side in both])
                   for both in ends]
        assert np.allclose(*laps_of, atol=1e-5)


def test_wrong_bends():
    keys, skeleton = keys_of("z", 1), skeleton_of("z")
    for arguments, words in (((0.3,), "up: expected"), ((0.0, "z"), "seconds"), ((9.0, "z"), "seconds"),
                             ((float("nan"), "z"), "seconds")):
        with pytest.raises(ValueError, match=words):
            keys.seamless(skeleton, *arguments)
    with pytest.raises(ValueError, match="loop"):
        pm.Keys(keys.rotations, rate=RATE, loop=2).seamless(skeleton, 0.2, "z")
