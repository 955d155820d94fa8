#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# NumPy writes NPZ files of every layout, the command resamples them, and NumPy reads the result.
# The expected rows are computed here in double precision, from the definition of slerp.
"""test_npz_read_back.py POSEMILL DATA: DATA is the folder of real files, which may be missing."""

import io
import json
import os
import pathlib
import re
import subprocess
import zipfile
from fractions import Fraction

import command_case
from command_case import ARGUMENTS, POSEMILL, SEED

np = command_case.require_numpy()
from rotations import angles, matrices, quaternions, slerp

DATA = ARGUMENTS[0]


def walk(rng, frames, joints, step=0.08, size=0.6):
    """Smooth rotation vectors (frames, joints, 3), some beyond pi."""
    phase = rng.uniform(0, 6, (1, joints, 3))
    return size * np.sin(step * np.arange(frames)[:, None, None] + phase) + rng.uniform(-1.5, 1.5, (1, joints, 3))


# ---- files -------------------------------------------------------------------------------------


def rewrite(source, target, rate, layout=None, *, strict=False, fails=False):
    """What the command says."""
    words = ["--layout", layout] if layout else []
    done = subprocess.run([POSEMILL, "resample", source, "-o", target, "--rate", str(rate), "--device", "none",
                           "--overwrite", "--end-rule", "fit", *words, *(["--strict"] if strict else [])],
                          capture_output=True, text=True, timeout=1200, check=False)
    if (done.returncode != 0) != fails:
        raise AssertionError(f"{source}: {done.returncode}: {done.stdout}{done.stderr}")
    return done.stderr


def layout_of(path, *options):
    done = subprocess.run([POSEMILL, "info", "--json", path, *options], capture_output=True, check=True)
    return json.loads(done.stdout)["layout"]


def members(path):
    """name -> (bytes, compression), in order."""
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {i.filename: (archive.read(i), i.compress_type) for i in archive.infolist()}


def places(frames, source, rate):
    """Source frame and fraction of every output frame."""
    step = Fraction(source) / Fraction(rate)
    count = int((frames - 1) / step) + 1
    return [(int(k * step), float(k * step - int(k * step))) for k in range(count)]


class Case(command_case.Case):
    def setUp(self):
        super().setUp()
        self.rng = np.random.default_rng(SEED)

    def path(self, name):
        return str(self.folder / name)

    def save(self, arrays, compressed=False):
        path = self.path("in.npz")
        (np.savez_compressed if compressed else np.savez)(path, **arrays)
        return path

    def through(self, arrays, source, rate, layout=None, compressed=False):
        """Saves and resamples arrays. Both paths, both files, where the rows of the result lie, and what was said."""
        path, out = self.save(arrays, compressed), self.path("out.npz")
        said = rewrite(path, out, rate, layout)
        a = np.load(path)
        frames = max(len(a[name]) for name in a.files if a[name].ndim > 1)
        return path, out, a, np.load(out), places(frames, source, rate), said

    def check_same(self, before, after, changed):
        """Members that are not resampled are equal byte for byte, all in the same order."""
        a, b = members(before), members(after)
        self.assertEqual(list(a), list(b))
        for name in a:
            self.assertEqual(a[name][1], b[name][1], name)
            if name[:-4] not in changed:
                self.assertEqual(a[name][0], b[name][0], name)

    def check_header(self, a, b, rows, name):
        self.assertEqual(a.dtype, b.dtype, name)
        self.assertEqual((rows,) + a.shape[1:], b.shape, name)
        if a.ndim > 1 and a.flags.f_contiguous != a.flags.c_contiguous and b.flags.f_contiguous != b.flags.c_contiguous:
            self.assertEqual(a.flags.f_contiguous, b.flags.f_contiguous, name)

    def check_rotations(self, a, b, where, to_quaternions, name, last=None):
        self.check_header(a, b, len(where), name)
        last = last or a.shape[-1]
        q = to_quaternions(a.reshape(len(a), -1, last).astype(float))
        q /= np.linalg.norm(q, axis=-1, keepdims=True)
        r = to_quaternions(b.reshape(len(b), -1, last).astype(float))
        for k, (f, u) in enumerate(where):
            if u == 0:
                self.assertEqual(a[f].tobytes(), b[k].tobytes(), f"{name} row {k}")
            else:
                error = angles(slerp(q[f], q[f + 1], u), r[k]).max()
                self.assertLessEqual(error, 1e-6, f"{name} row {k}")

    def check_numbers(self, a, b, where, name):
        self.check_header(a, b, len(where), name)
        for k, (f, u) in enumerate(where):
            if u == 0:
                self.assertEqual(a[f].tobytes(), b[k].tobytes(), f"{name} row {k}")
            else:
                expected = a[f] + u * (a[f + 1].astype(float) - a[f])
                error = np.abs(expected - b[k]).max()
                self.assertLessEqual(error, 2e-7 * max(1, np.abs(a).max()), f"{name} row {k}")

    def check_continuous(self, b, last, limit, name):
        """No jump between rows by whole turns, or of the sign."""
        d = np.diff(b.reshape(len(b), -1, last), axis=0)
        self.assertLess(np.abs(d).max(), limit, name)


# ---- AMASS -------------------------------------------------------------------------------------


def amass(rng, frames, rate, dtype=float, columns=156, order="C", name="mocap_framerate"):
    poses = walk(rng, frames, columns // 3).reshape(frames, columns).astype(dtype, order=order)
    trans = np.cumsum(rng.normal(0, 0.01, (frames, 3)), 0).astype(dtype)
    return {
        "trans": trans,
        "gender": np.array("female"),
        name: rate,
        "betas": rng.normal(size=16).astype(dtype),
        "dmpls": rng.normal(size=(frames, 8)).astype(dtype),
        "poses": poses,
    }


class Amass(Case):
    def run_one(self, arrays, source, rate, compressed=False, name="mocap_framerate"):
        path, out, a, b, where, _ = self.through(arrays, source, rate, compressed=compressed)
        self.check_rotations(a["poses"], b["poses"], where, quaternions, "poses", 3)
        self.check_numbers(a["trans"], b["trans"], where, "trans")
        self.check_numbers(a["dmpls"], b["dmpls"], where, "dmpls")
        self.check_continuous(b["poses"], 3, 1.0, "poses")
        self.assertEqual(a[name].dtype, b[name].dtype)
        self.assertEqual(a[name].shape, b[name].shape)
        self.assertEqual(b[name], np.array(float(Fraction(rate))).astype(a[name].dtype))
        self.check_same(path, out, {"poses", "trans", "dmpls", name})

    def test_deflated_members_stay_deflated(self):
        self.run_one(amass(self.rng, 97, np.array(120.0)), 120, 30, compressed=True)

    def test_a_rate_that_float32_rounded(self):
        self.run_one(amass(self.rng, 90, np.array(59.9999885559082)), 60, 30)

    def test_an_integer_rate_and_fortran_order_of_float32(self):
        self.run_one(amass(self.rng, 101, np.array(250), np.float32, order="F"), 250, 20)

    def test_members_by_random_counts(self):
        for _ in range(6):
            frames, rate = int(self.rng.integers(2, 70)), int(self.rng.integers(10, 260))
            dtype = [np.float32, np.float64][int(self.rng.integers(2))]
            order = "CF"[int(self.rng.integers(2))]
            target = int(self.rng.integers(5, 300))
            with self.subTest(frames=frames, rate=rate, target=target, dtype=dtype, order=order):
                self.run_one(amass(self.rng, frames, np.array(float(rate)), dtype, order=order), rate, target)

    def test_an_integer_rate_refuses_a_fraction(self):
        path = self.save(amass(self.rng, 10, np.array(120)))
        self.assertIn("mocap_framerate", rewrite(path, self.path("out.npz"), "30000/1001", fails=True))

    def test_members_that_the_layout_does_not_name(self):
        arrays = amass(self.rng, 41, np.array(120.0))
        markers = self.rng.normal(size=(41, 5, 3))
        gaps = markers.astype(np.float32).copy()
        gaps[7, 2] = np.nan
        others = {
            "markers": markers,
            "contact": self.rng.integers(0, 2, (41, 2)).astype(bool),
            "labels": np.array([f"f{i}" for i in range(41)]),
            "big_endian": np.arange(41, dtype=">i4"),
            "gaps": gaps,
            "objects": np.array([{"a": 1}, [2]] * 20 + [None], dtype=object),
        }
        path, out = self.save({**arrays, **others}), self.path("out.npz")
        said = rewrite(path, out, 50)
        self.assertIn("'gaps'", said)
        self.assertIn("'objects'", said)
        a, b = np.load(path), np.load(out)
        where = places(41, 120, 50)
        self.check_numbers(a["markers"], b["markers"], where, "markers")
        for name in ("contact", "labels", "big_endian", "gaps"):
            self.check_header(a[name], b[name], len(where), name)
            self.assertEqual(a[name][[f for f, _ in where]].tobytes(), b[name].tobytes(), name)
        changed = {"poses", "trans", "dmpls", "mocap_framerate", *others} - {"objects"}
        self.check_same(path, out, changed)

    def test_parts_follow_their_whole(self):
        parts = {"root_orient": 3, "pose_body": 63, "pose_jaw": 3, "pose_eye": 6, "pose_hand": 90}
        arrays = amass(self.rng, 50, np.array(120.0), columns=165, name="mocap_frame_rate")
        at = 0
        for name, size in parts.items():
            arrays[name] = arrays["poses"][:, at : at + size].copy()
            at += size
        _, _, _, b, where, said = self.through(arrays, 120, 50)
        self.assertNotIn("warning", said)
        a = arrays
        self.check_rotations(a["poses"], b["poses"], where, quaternions, "poses", 3)
        self.assertEqual(np.concatenate([b[n] for n in parts], 1).tobytes(), b["poses"].tobytes())
        arrays["pose_body"] = arrays["pose_body"] + 0.125
        _, _, a, b, where, said = self.through(arrays, 120, 50)
        self.assertIn("side by side", said)
        for name in ("poses", *parts):
            self.check_rotations(a[name], b[name], where, quaternions, name, 3)

    def test_vectors_of_many_turns(self):
        poses = walk(self.rng, 30, 52, size=0.3).reshape(30, 156) * self.rng.choice([1.0, 60.0], (1, 156))
        # Steps below half a turn: otherwise the short way between two frames is not the curve's.
        poses = poses[:1] + 0.01 * np.cumsum(self.rng.normal(size=poses.shape), 0)
        for dtype, bound in ((np.float64, 1e-6), (np.float32, 2e-5)):
            arrays = {"poses": poses.astype(dtype), "mocap_framerate": np.array(100.0)}
            path, out = self.save(arrays), self.path("out.npz")
            rewrite(path, out, 70)
            a, b = arrays["poses"].astype(float).reshape(30, 52, 3), np.load(out)["poses"].reshape(-1, 52, 3)
            q = quaternions(a)
            for k, (f, u) in enumerate(places(30, 100, 70)):
                expected = q[f] if u == 0 else slerp(q[f], q[f + 1], u)
                self.assertLess(angles(expected, quaternions(b[k])).max(), bound, f"row {k}")
            self.assertLess(np.abs(np.diff(b.astype(float), axis=0)).max(), 1.0)

    def test_real_files(self):
        folder = os.path.join(DATA, "amass_synthetic")
        if not os.path.isdir(folder):
            self.skipTest("no real files")
        for name, source, rate in (
            ("smplh_120hz_stored", 120, 30),
            ("smplh_120hz_deflate", 120, 30),
            ("smplh_ssm_59p99999hz", 60, 30),
            ("smplh_eyes_250hz_float32_fortran", 250, 20),
            ("smplx_stageii_120hz", 120, 100),
            ("object_dtype_pickled_field", 120, 30),
        ):
            with self.subTest(name):
                path, out = os.path.join(folder, name + ".npz"), self.path("out.npz")
                rewrite(path, out, rate)
                a, b = np.load(path), np.load(out)
                where = places(len(a["poses"]), source, rate)
                changed = {"trans"}
                self.check_numbers(a["trans"], b["trans"], where, "trans")
                for part in ("poses", "root_orient", "pose_body", "pose_hand", "pose_jaw", "pose_eye"):
                    if part in a:
                        self.check_rotations(a[part], b[part], where, quaternions, part, 3)
                        changed.add(part)
                for other in ("dmpls", "mocap_framerate", "mocap_frame_rate"):
                    changed |= {other} if other in a else set()
                self.assertEqual(layout_of(path), "amass-x" if "smplx" in name or "pickled" in name else "amass")
                self.check_same(path, out, changed)


# ---- robots ------------------------------------------------------------------------------------


class Robots(Case):
    def run_one(self, names, rate_array, dtype):
        quat, pos, joints, joint_vel, lin, ang = names
        frames, bodies, rate = 45, 4, 50
        q = quaternions(walk(self.rng, frames, bodies))
        q[frames // 2 :] *= -1  # a change of sign inside
        p = np.cumsum(self.rng.normal(0, 0.01, (frames, bodies, 3)), 0)
        j = np.cumsum(self.rng.normal(0, 0.02, (frames, 7)), 0)
        arrays = {
            "fps": rate_array,
            joints: j.astype(dtype),
            joint_vel: np.gradient(j, axis=0).astype(dtype) * rate,
            pos: p.astype(dtype),
            quat: q[..., [3, 0, 1, 2]].astype(dtype),
            lin: np.gradient(p, axis=0).astype(dtype) * rate,
            ang: self.rng.normal(size=(frames, bodies, 3)).astype(dtype),
        }
        _, _, a, b, where, _ = self.through(arrays, rate, 120)
        self.check_rotations(a[quat], b[quat], where, lambda r: r[..., [1, 2, 3, 0]], quat)
        self.check_numbers(a[pos], b[pos], where, pos)
        self.check_numbers(a[joints], b[joints], where, joints)
        between = [(k, f) for k, (f, u) in enumerate(where) if u != 0]
        for name, of in ((joint_vel, joints), (lin, pos)):
            self.check_header(a[name], b[name], len(where), name)
            for k, f in between:
                expected = (a[of][f + 1].astype(float) - a[of][f]) * rate
                self.assertLess(np.abs(b[name][k] - expected).max(), 1e-4, name)
        for k, f in between:
            x, y = a[quat][f].astype(float), a[quat][f + 1].astype(float)
            y = np.where(np.sum(x * y, -1, keepdims=True) < 0, -y, y)
            w = y[:, :1] * -x[:, 1:] + x[:, :1] * y[:, 1:] + np.cross(y[:, 1:], -x[:, 1:])
            s = np.linalg.norm(w, axis=-1, keepdims=True)
            speed = 2 * np.arctan2(s, np.sum(x * y, -1, keepdims=True)) * rate
            self.assertLess(np.abs(b[ang][k] - w / s * speed).max(), 2e-4)
        for name in (joint_vel, lin, ang):  # on keys too, those of the curve
            self.assertTrue(np.isfinite(b[name]).all())
        self.assertEqual(b["fps"].dtype, rate_array.dtype)
        self.assertEqual(b["fps"].shape, rate_array.shape)
        self.assertTrue((b["fps"] == 120).all())

    def test_beyondmimic(self):
        names = ("body_quat_w", "body_pos_w", "joint_pos", "joint_vel", "body_lin_vel_w", "body_ang_vel_w")
        self.run_one(names, np.array([50]), np.float32)
        self.run_one(names, np.array([50.0]), np.float64)

    def test_isaaclab(self):
        self.run_one(
            ("body_rotations", "body_positions", "dof_positions", "dof_velocities", "body_linear_velocities", "body_angular_velocities"),
            np.array(50, np.uint8),
            np.float32,
        )


def turning(q, rate):
    """Central angular velocities of x y z w in the world, of the inner frames; the ends are copies."""
    a, b = q[:-2], q[2:] * np.where(np.sum(q[:-2] * q[2:], -1, keepdims=True) < 0, -1, 1)
    v = b[..., 3:] * -a[..., :3] + a[..., 3:] * b[..., :3] + np.cross(b[..., :3], -a[..., :3])
    s = np.linalg.norm(v, axis=-1, keepdims=True)
    w = v / np.maximum(s, 1e-30) * 2 * np.arctan2(s, np.sum(a * b, -1, keepdims=True)) * rate / 2
    return np.concatenate([w[:1], w, w[-1:]])


def robot(rng, frames=80, bodies=5, rate=50, centres=0.0, order="wxyz", dtype=np.float32):
    """A chain of bodies that walks, in the layout of BeyondMimic. `centres`: how far the centres of mass, whose
    velocities are stored, are from the links."""
    q = quaternions(walk(rng, frames, bodies))
    bones = rng.normal(0, 0.2, (bodies, 3))
    p = np.zeros((frames, bodies, 3))
    t = np.arange(frames) / rate
    p[:, 0] = np.stack([0.9 * t, 0.03 * np.sin(5 * t), 0.8 + 0.02 * np.sin(9 * t)], -1)
    for b in range(1, bodies):
        p[:, b] = p[:, b - 1] + matrices(q[:, b - 1]) @ bones[b]
    w = turning(q, rate)
    arms = rng.normal(size=(bodies, 3))
    arms *= centres / np.linalg.norm(arms, axis=-1, keepdims=True)
    v = np.gradient(p, axis=0) * rate + np.cross(w, (matrices(q) @ arms[..., None])[..., 0])
    j = np.sin(3 * t[:, None] + rng.uniform(0, 6, (1, 7)))
    named = {"fps": np.array([rate]), "joint_pos": j, "joint_vel": np.gradient(j, axis=0) * rate, "body_pos_w": p,
             "body_quat_w": q if order == "xyzw" else q[..., [3, 0, 1, 2]], "body_lin_vel_w": v, "body_ang_vel_w": w}
    return {name: array if name == "fps" else array.astype(dtype) for name, array in named.items()}


class Velocities(Case):
    def test_those_of_centres_of_mass_are_a_warning_or_refused(self):
        for dtype in (np.float32, np.float64):
            arrays = robot(self.rng, centres=0.12, dtype=dtype)
            path, out = self.save(arrays), self.path("out.npz")
            said = rewrite(path, out, 100)
            self.assertIn("'body_lin_vel_w' is not the derivative of 'body_pos_w'", said)
            self.assertNotIn("'body_ang_vel_w' is not", said)
            b = np.load(out)
            self.assertEqual(b["body_lin_vel_w"][::2].tobytes(), arrays["body_lin_vel_w"].tobytes())
            self.assertIn("is not the derivative", rewrite(path, out, 100, strict=True, fails=True))

    def test_other_units_and_rates_are_a_warning(self):
        arrays = robot(self.rng)
        arrays["joint_vel"] = np.degrees(arrays["joint_vel"])
        self.assertIn("'joint_vel' is not", rewrite(self.save(arrays), self.path("out.npz"), 100))
        arrays = robot(self.rng)
        arrays["fps"] = np.array([30])
        self.assertIn("'body_lin_vel_w' is not", rewrite(self.save(arrays), self.path("out.npz"), 60))

    def test_what_stands_still_is_silent(self):
        arrays = {name: array if name == "fps" else np.repeat(array[:1], 80, 0) * (0 if "vel" in name else 1)
                  for name, array in robot(self.rng).items()}
        self.assertNotIn("warning", rewrite(self.save(arrays), self.path("out.npz"), 100, strict=True))


class Orders(Case):
    def check(self, arrays, layout, q, *words):
        path = self.save(arrays)
        said = rewrite(path, self.path("out.npz"), 100, *words)
        self.assertEqual(layout_of(path, *(["--layout", *words] if words else [])), layout)
        b = np.load(self.path("out.npz"))
        expected = turning(q.astype(float), 50)
        self.assertLess(np.abs(b["body_ang_vel_w"][::2] - expected)[1:-1].max(), 2e-4)
        for k in range(1, len(q) - 3):  # between two frames that turn alike
            low, high = np.minimum(expected[k - 1], expected[k + 2]), np.maximum(expected[k - 1], expected[k + 2])
            self.assertTrue((b["body_ang_vel_w"][2 * k + 1] > low - 0.4).all(), k)
            self.assertTrue((b["body_ang_vel_w"][2 * k + 1] < high + 0.4).all(), k)
        return said

    def test_velocities_tell_the_order(self):
        for order, layout in (("wxyz", "beyondmimic"), ("xyzw", "beyondmimic-xyzw")):
            arrays = robot(self.rng, order=order)
            q = arrays["body_quat_w"] if order == "xyzw" else arrays["body_quat_w"][..., [1, 2, 3, 0]]
            said = self.check(arrays, layout, q)
            self.assertEqual("are read as x y z w" in said, order == "xyzw")
            self.assertNotIn("warning", self.check(arrays, layout, q, layout))
            rewrite(self.save(arrays), self.path("out.npz"), 100, strict=True, fails=order == "xyzw")

    def test_bones_tell_the_order(self):
        for order, layout in (("wxyz", "beyondmimic"), ("xyzw", "beyondmimic-xyzw")):
            arrays = robot(self.rng, order=order)
            del arrays["body_ang_vel_w"]
            path = self.save(arrays)
            said = rewrite(path, self.path("out.npz"), 100)
            self.assertEqual(layout_of(path), layout)
            self.assertNotIn("nothing in the file", said)

    def test_what_nothing_tells_is_said_or_refused(self):
        arrays = robot(self.rng)
        for name in ("body_ang_vel_w", "body_lin_vel_w", "body_pos_w"):
            del arrays[name]
        path, out = self.save(arrays), self.path("out.npz")
        self.assertIn("nothing in the file tells", rewrite(path, out, 100))
        self.assertIn("beyondmimic-xyzw", rewrite(path, out, 100, strict=True, fails=True))
        self.assertNotIn("warning", rewrite(path, out, 100, "beyondmimic", strict=True))


# ---- members that no layout names ------------------------------------------------------------------


class Unnamed(Case):
    def with_member(self, name, array):
        return {"poses": walk(self.rng, 12, 52).reshape(12, 156), "mocap_framerate": np.array(120.0), name: array}

    def test_rotations_are_refused_by_name_or_numbers(self):
        n = lambda *shape: self.rng.normal(size=(12, *shape))
        q = quaternions(walk(self.rng, 12, 3))
        for name, array in (("object_quat", n(4)), ("hand_quats", n(5, 4)), ("obj_rot", n(3)), ("root_rot", n(4)),
                            ("wrist_rotvec", n(2, 3)), ("Root_Rotation", n(3)), ("rot6d", n(22, 6)), ("R_rotmat", n(3, 3)),
                            ("head_euler", n(3)), ("yaw_euler", n()), ("pose_lhand", n(45)), ("body_pose", n(63)),
                            ("poses2", n(2, 3)), ("object_pose", n(7)), ("global_orient", n(3)), ("orientation", n(4)),
                            ("axis_angle", n(3)), ("h", q), ("h", q[:, 0].astype(np.float32)), ("h", matrices(q)),
                            ("h", np.concatenate([matrices(q), n(3, 3, 1)], -1)), ("h", q.reshape(12, 12)),
                            ("h", matrices(q).reshape(12, 27)), ("h", matrices(q)[:, 0].reshape(12, 9)),
                            ("h", matrices(q)[:, :, :2].reshape(12, 18))):
            path = self.save(self.with_member(name, array))
            said = rewrite(path, self.path("out.npz"), 100, fails=True)
            self.assertIn(f"member '{name}'", said)
            self.assertIn("no layout names it", said)

    def test_other_members_are_interpolated_or_carried_over(self):
        n = lambda *shape: self.rng.normal(size=(12, *shape))
        feet = np.eye(4)[self.rng.integers(0, 4, 12)]
        for name, array in (("rotation_count", np.array(3)), ("rotation_count", np.arange(12)), ("poses_mask", np.ones((12, 156), bool)),
                            ("poses_mask", np.ones((12, 156))), ("pose_body", n(63)[:7]), ("root_rot", self.rng.normal(size=4)),
                            ("root_rot_velocity", n(3)), ("rotor_speed", n(4)), ("rot", n()), ("pose_conf", n(3)), ("joints", n(24, 3)),
                            ("contact", feet), ("feet", feet), ("direction", n(3)), ("h", n(9)), ("h", n(18)), ("positions", n(3)), ("quaternion", np.array("xyzw")),
                            ("quat_ids", np.arange(48).reshape(12, 4)), ("contacts", np.zeros((12, 4))), ("theta", n(4))):
            path, out = self.save(self.with_member(name, array)), self.path("out.npz")
            rewrite(path, out, 240)
            a, b = np.load(path)[name], np.load(out)[name]
            self.assertEqual(a.dtype, b.dtype)
            if a.ndim and len(a) == 12:
                self.assertEqual(a.tobytes(), b[::2].tobytes(), name)
            else:
                self.assertEqual(a.tobytes(), b.tobytes(), name)

    def test_a_layout_decides(self):
        q = quaternions(walk(self.rng, 12, 1))[:, 0]
        arrays = self.with_member("obj_quat", q)
        arrays["pose_3d"] = self.rng.normal(size=(12, 3))
        layout, out = self.path("mine.json"), self.path("out.npz")
        with open(layout, "w", encoding="utf-8") as file:
            file.write('{"extends": "amass", "rotations": [{"member": "obj_quat", "as": "quaternion-xyzw"}],'
                       ' "scalars": ["pose_3d"]}')
        rewrite(self.save(arrays), out, 240, layout)
        b, where = np.load(out), places(12, 120, 240)
        self.check_rotations(q, b["obj_quat"], where, lambda r: r, "obj_quat")
        self.check_rotations(arrays["poses"], b["poses"], where, quaternions, "poses", 3)
        self.check_numbers(arrays["pose_3d"], b["pose_3d"], where, "pose_3d")
        with open(layout, "w", encoding="utf-8") as file:
            file.write('{"extends": "smplz", "rotations": []}')
        self.assertIn("/extends", rewrite(self.save(arrays), out, 240, layout, fails=True))

    def test_numbers_far_from_unit_are_no_quaternions(self):
        angles_ = self.rng.uniform(-90, 90, (20, 3, 4))
        for name in ("quats", "rotations", "body_quat_w", "body_rotations"):
            arrays = {name: angles_, "fps": np.array(30.0)}
            self.assertIn("is no quaternions", rewrite(self.save(arrays), self.path("out.npz"), 60, fails=True))
        arrays = {"quats": angles_, "fps": np.array(30.0)}
        self.assertIn("are normalised", rewrite(self.save(arrays), self.path("out.npz"), 60, "plain"))

    def test_a_row_of_quaternions_is_no_row_of_rotation_vectors(self):
        arrays = {"poses": quaternions(walk(self.rng, 12, 24)), "mocap_framerate": np.array(120.0)}
        self.assertIn("expected (frames, 3 * joints)", rewrite(self.save(arrays), self.path("out.npz"), 60, fails=True))


class Layouts(Case):
    def test_the_help_and_the_page_name_those_that_there_are(self):
        """The table is the one that an unknown layout is answered with."""
        path = self.save({"poses": np.zeros((3, 3)), "mocap_framerate": np.array(30.0)})
        told = rewrite(path, self.path("out.npz"), 60, "nothing", fails=True)
        names = re.search(r"expected ([\w, -]+) or a JSON file", told).group(1).split(", ")
        self.assertIn("plain", names)
        shown = subprocess.run([POSEMILL, "resample", "--help=all"], capture_output=True, text=True, check=True).stdout
        self.assertIn(f"NPZ: {', '.join(names)}, or a JSON file", " ".join(shown.split()))
        page = (pathlib.Path(__file__).parents[2] / "docs/motion-layouts.md").read_text(encoding="utf-8")
        table = page[page.index("| layout |"):page.index("`joint_names` and")]
        self.assertEqual(re.findall(r"^\| `([\w-]+)`", table, re.M), names)

    def test_inter_x(self):
        n = lambda *shape: walk(self.rng, 31, int(np.prod(shape)) // 3).reshape(31, *shape)
        for dtype in (np.float32, np.float64):
            arrays = {"pose_body": n(21, 3), "pose_lhand": n(15, 3), "pose_rhand": n(15, 3), "root_orient": n(3),
                      "trans": n(3)}
            arrays = {name: array.astype(dtype) for name, array in arrays.items()}
            arrays |= {"betas": self.rng.normal(size=(1, 10)), "gender": np.array("male")}
            path, out, _, b, where, said = self.through(arrays, 120, 50)
            self.assertEqual(layout_of(path), "inter-x")
            self.assertIn("taken as 120 Hz", said)
            for name in ("pose_body", "pose_lhand", "pose_rhand", "root_orient"):
                self.check_rotations(arrays[name], b[name], where, quaternions, name, 3)
            self.check_numbers(arrays["trans"], b["trans"], where, "trans")
            self.check_same(path, out, {"pose_body", "pose_lhand", "pose_rhand", "root_orient", "trans"})

    def test_objects_beside_beyondmimic(self):
        for order in ("wxyz", "xyzw"):
            arrays = robot(self.rng, order=order)
            thing = robot(self.rng, bodies=1, order=order)
            for name in ("pos", "quat", "lin_vel", "ang_vel"):
                arrays[f"object_{name}_w"] = thing[f"body_{name}_w"][:, 0]
            _, _, _, b, where, said = self.through(arrays, 50, 75)
            self.assertNotIn("derivative", said)
            self.check_rotations(arrays["object_quat_w"], b["object_quat_w"], where, lambda r: r, "object_quat_w", 4)
            self.check_numbers(arrays["object_pos_w"], b["object_pos_w"], where, "object_pos_w")
            for k, (f, u) in enumerate(where):
                if u != 0:
                    expected = (arrays["object_pos_w"][f + 1].astype(float) - arrays["object_pos_w"][f]) * 50
                    self.assertLess(np.abs(b["object_lin_vel_w"][k] - expected).max(), 1e-3)


# ---- plain, and layouts of one's own --------------------------------------------------------------


def npy(array):
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


class Plain(Case):
    def test_quaternions_with_a_skeleton(self):
        for order in "CF":
            for name in ("rotations", "quats"):
                q = quaternions(walk(self.rng, 31, 3)).astype(np.float32)
                arrays = {
                    name: np.asarray(q, order=order),
                    "positions": self.rng.normal(size=(31, 3, 3)),
                    "names": np.array(["hip", "knie", "fuß"]),
                    "parents": np.array([-1, 0, 1]),
                    "offsets": self.rng.normal(size=(3, 3)),
                    "rate": np.array(30.0),
                }
                path, out, a, b, where, _ = self.through(arrays, 30, 48)
                self.assertEqual(layout_of(path), "plain")
                self.check_rotations(a[name], b[name], where, lambda r: r, name)
                self.check_numbers(a["positions"], b["positions"], where, "positions")
                self.check_same(path, out, {name, "positions", "rate"})
                self.assertEqual(b["rate"], 48)

    def test_signs_continue(self):
        q = quaternions(walk(self.rng, 31, 2))
        arrays = {"quats": q, "fps": np.array(30.0)}
        self.check_continuous(self.through(arrays, 30, 77)[3]["quats"], 4, 0.5, "quats")

    def test_more_members_than_16_bits_count(self):
        path, out = self.path("in.npz"), self.path("out.npz")
        with zipfile.ZipFile(path, "w") as archive:
            for name, array in (("quats", quaternions(walk(self.rng, 9, 1))), ("fps", np.array(30.0))):
                archive.writestr(name + ".npy", npy(array))
            for i in range(66000):
                archive.writestr(zipfile.ZipInfo(str(i)), b"")
        rewrite(path, out, 60)
        self.check_same(path, out, {"quats", "fps"})

    def test_a_layout_from_a_file(self):
        layout = self.path("mine.json")
        with open(layout, "w", encoding="utf-8") as file:
            file.write('{"name": "mine", "rotations": [{"member": "aa", "as": "axis-angle", "parts": ["a", "b"]},'
                       ' {"member": "q", "as": "quaternion-wxyz"}], "vectors": ["v"], "scalars": ["s"],'
                       ' "velocities": [{"member": "sv", "of": "s"}], "rates": ["hz"], "constants": ["c"]}')
        aa = walk(self.rng, 20, 3).reshape(20, 9)
        arrays = {
            "aa": aa, "a": aa[:, :3], "b": aa[:, 3:], "q": quaternions(walk(self.rng, 20, 2))[..., [3, 0, 1, 2]],
            "v": self.rng.normal(size=(20, 3)), "s": self.rng.normal(size=(20, 2, 2)),
            "sv": self.rng.normal(size=(20, 2, 2)), "hz": np.array(24.0), "c": self.rng.normal(size=20),
        }
        path, out, a, b, where, _ = self.through(arrays, 24, 30, layout)
        self.assertEqual(layout_of(path, "--layout", layout), "mine")
        self.check_rotations(a["aa"], b["aa"], where, quaternions, "aa", 3)
        self.assertEqual(np.concatenate([b["a"], b["b"]], 1).tobytes(), b["aa"].tobytes())
        self.check_rotations(a["q"], b["q"], where, lambda r: r[..., [1, 2, 3, 0]], "q")
        self.check_numbers(a["s"], b["s"], where, "s")
        self.check_numbers(a["v"], b["v"], where, "v")
        self.assertEqual(b["sv"].shape, (len(where), 2, 2))
        self.check_same(path, out, {"aa", "a", "b", "q", "v", "s", "sv", "hz"})


if __name__ == "__main__":
    command_case.main()
