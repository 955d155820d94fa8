#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command on arrays: numbers that no output can hold, large members, the order of joints.

usage: test_arrays.py POSEMILL DATA
"""
import base64
import io
import json
import struct
import zipfile
from pathlib import Path

import command_case
from command_case import ARGUMENTS, SEED, WALK

np = command_case.require_numpy()
import motions
import rotations
from rotations import angles, matrices

DATA = Path(ARGUMENTS[0])


class Case(command_case.Case):
    run_posemill = command_case.Case.run_measured

    def setUp(self):
        super().setUp()
        self.rng = np.random.default_rng(SEED)

    def resample(self, source, out, *options, code=0):
        return self.run_posemill("resample", source, "-o", self.folder / out, "--device", "none", "--rate", "x2",
                                 *options, code=code)[0]

    def save(self, name, **arrays):
        np.savez(self.folder / name, **arrays)
        return self.folder / name

    def quaternions(self, *shape):
        q = self.rng.normal(size=(*shape, 4))
        return q / np.linalg.norm(q, axis=-1, keepdims=True)


class TooLarge(Case):
    def expect_refused(self, source, out, *options, what="cannot hold"):
        said = self.resample(source, out, *options, code=4)
        self.assertIn(what, said)
        self.assertFalse((self.folder / out).exists())
        checked = self.resample(source, out, "--check", *options, code=4)
        self.assertEqual(checked.split("\n", 1)[1] if "is compared with itself" in checked else checked, said)
        return said

    def test_rotation_vectors_beyond_all_turns(self):
        for kind, size in ((np.float64, 1e308), (np.float64, 1.7e308)):
            poses = np.full((4, 9), 0.1, kind)
            poses[:, 3:6] = size
            source = self.save("a.npz", poses=poses, trans=np.zeros((4, 3)), mocap_framerate=60.0)
            self.expect_refused(source, "b.npz", what="'poses' becomes")

    def test_scaled_beyond_all_numbers(self):
        plain = {"rotations": self.quaternions(5, 2), "parents": np.array([-1, 0]), "rate": np.array(30)}
        source = self.save("a.npz", positions=np.full((5, 3), 1e300), offsets=np.full((2, 3), 1e300), **plain)
        for out in ("b.npz", "b.bvh", "b.glb"):
            said = self.run_posemill("convert", source, self.folder / out, "--scale", "1e10", code=4)[0]
            self.assertIn("cannot hold", said)


class Large(Case):
    MOST = 100_000_000

    def write(self, name, members):
        """Deflated members of zeros, whatever their size."""
        with zipfile.ZipFile(self.folder / name, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, (kind, shape, head) in members.items():
                with archive.open(member + ".npy", "w", force_zip64=True) as file:
                    if head is None:
                        np.lib.format.write_array_header_1_0(
                            file, {"descr": np.dtype(kind).str, "fortran_order": False, "shape": shape})
                    else:
                        file.write(head)
                    left = int(np.prod(shape)) * np.dtype(kind).itemsize
                    while left > 0:
                        file.write(bytes(min(left, 1 << 20)))
                        left -= 1 << 20
        return self.folder / name

    def with_rate(self, source):
        buffer = io.BytesIO()
        np.save(buffer, np.array(120.0))
        with zipfile.ZipFile(source, "a") as archive:
            archive.writestr("mocap_framerate.npy", buffer.getvalue())
        return source

    def test_info_reads_headers(self):
        frames = 120_000  # 180 MB
        source = self.with_rate(self.write("a.npz", {"poses": ("f8", (frames, 156), None), "trans": ("f8", (frames, 3), None),
                                                     "extra": ("f8", (frames, 30), None)}))
        said, peak = self.run_posemill("info", source, "--json")
        info = json.loads(said)
        self.assertLess(peak, self.MOST)
        self.assertEqual(info["layout"], "amass")
        self.assertIn("2 large arrays were not looked at", said)
        self.assertEqual(info["clips"][0]["keys"], frames)
        said, _ = self.run_posemill("info", source)
        self.assertIn("120 Hz", said)

    def test_headers_are_bounded(self):
        blanks = 150_000_000
        text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 156), }"
        for member in ("poses", "extra"):
            head = b"\x93NUMPY\x02\x00" + struct.pack("<I", len(text) + blanks) + text
            members = {"poses": ("f8", (2, 156), None)} | {member: ("u1", (blanks,), head)}
            source = self.with_rate(self.write("a.npz", members))
            for verb in (("info", source), ("resample", source, "-o", self.folder / "b.npz", "--rate", "x2", "--device", "none")):
                said, peak = self.run_posemill(*verb, code=4 if member == "poses" else 0)
                self.assertLess(peak, self.MOST)
                self.assertEqual("header has" in said, member == "poses", said)

    def test_lines_are_bounded(self):
        source = self.folder / "a.csv"
        with open(source, "wb") as file:
            for _ in range(30):
                file.write(b"1," * 1_000_000)
            file.write(b"1\n")
        for verb in (("info", source), ("resample", source, "-o", self.folder / "b.csv", "--rate", "60")):
            said, peak = self.run_posemill(*verb, code=4)
            self.assertIn("more than 65536 columns", said)
            self.assertLess(peak, 2 * self.MOST)  # the file has 60 MB

    def test_rotations_are_in_memory_once(self):
        """In every verb that has them as keys: neither the member nor a second copy is beside them."""
        frames, joints = 80_000, 52
        source = self.with_rate(self.write("a.npz", {"poses": ("f8", (frames, 3 * joints), None)}))
        keys, rest = frames * joints * 4 * 8, 90_000_000  # a page takes 77 MB; the member has 100 MB
        out = [self.folder / f"b.{kind}" for kind in ("npz", "bvh", "glb", "html")]
        for code, *words in ((0, "convert", source, out[0]), (4, "convert", source, out[1]),
                             (4, "resample", source, "-o", out[2], "--rate", "60", "--device", "none"),
                             (0, "compare", source, source), (0, "view", source, "-o", out[3])):
            _, peak = self.run_posemill(*words, code=code)
            self.assertLess(peak, keys + rest, words)


class Order(Case):
    def test_members_are_those_of_a_bvh_file(self):
        files = sorted((DATA / "bvh").glob("*.bvh"))
        for path in (WALK, *files):
            with self.subTest(path.name):
                self.check_bvh(path)

    def check_bvh(self, path):
        """All numbers of NPZ against an independent reading; NPZ has the bits of what the library reads."""
        out = self.folder / "a.npz"
        self.run_posemill("convert", path, out, "--overwrite")
        words, motion = path.read_text("latin-1").split(), motions.read_bvh(path)
        heads = [i for i, word in enumerate(words) if word in ("ROOT", "JOINT")]
        joints, frames = len(heads), int(words[words.index("Frames:") + 1])
        with zipfile.ZipFile(out) as archive:
            self.assertIsNone(archive.testzip())
            self.assertTrue(all(i.compress_type == zipfile.ZIP_STORED for i in archive.infolist()))
            self.assertEqual([i.filename[:-4] for i in archive.infolist()],
                             ["names", "parents", "offsets", "tails", "has_tail", "rotations", "positions", "rate"])
        arrays = np.load(out, allow_pickle=False)
        moving = [j for j in motion.joints if "translation" in j.channels]
        places = (frames, 3) if moving == motion.joints[:1] else (frames, joints, 3)
        for name, kind, shape in (("parents", "<i4", (joints,)), ("offsets", "<f8", (joints, 3)), ("tails", "<f8", (joints, 3)),
                                  ("has_tail", "|b1", (joints,)), ("rotations", "<f8", (frames, joints, 4)),
                                  ("positions", "<f8", places)):
            self.assertEqual((arrays[name].dtype.str, arrays[name].shape), (kind, shape), name)
        self.assertEqual(arrays["names"].tolist(), [j.name for j in motion.joints])
        self.assertEqual(arrays["parents"].tolist(), [j.parent for j in motion.joints])
        self.assertEqual(arrays["offsets"].tolist(), [j.rest["translation"].tolist() for j in motion.joints])
        tails = {sum(head < i for head in heads) - 1: [float(x) for x in words[i + 3 : i + 6]]
                 for i, word in enumerate(words) if word == "Site"}
        self.assertEqual({j: arrays["tails"][j].tolist() for j in np.flatnonzero(arrays["has_tail"])}, tails)
        for j, joint in enumerate(motion.joints):
            _, q = joint.channels.get("rotation", (None, np.tile([0.0, 0, 0, 1], (frames, 1))))
            self.assertLess(angles(q, arrays["rotations"][:, j]).max(), 1e-14, joint.name)
            if joint in moving:
                found = arrays["positions"] if len(places) == 2 else arrays["positions"][:, j]
                np.testing.assert_array_equal(found, joint.channels["translation"][1])
        self.assertTrue(arrays["rate"].shape == () and arrays["rate"] > 0)

    def test_parents_come_first(self):
        """A chain and a fork whose nodes stand in every order."""
        parents = [-1, 0, 1, 1, 3, 0]
        for _ in range(8):
            order = self.rng.permutation(6)
            place = np.argsort(order)  # of each joint among the nodes
            q = self.quaternions(3, 6).astype(np.float32)
            times = np.float32([0, 0.5, 1])
            data = times.tobytes() + b"".join(q[:, j].tobytes() for j in range(6))
            views = [{"buffer": 0, "byteLength": 12}] + [{"buffer": 0, "byteOffset": 12 + 48 * j, "byteLength": 48} for j in range(6)]
            nodes = [{"name": f"j{j}", "translation": [float(j), 0, 0],
                      "children": [int(place[k]) for k in range(6) if parents[k] == j]} for j in order]
            for node in nodes:
                if not node["children"]:
                    del node["children"]
            document = {
                "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [int(place[0])]}], "nodes": nodes,
                "buffers": [{"byteLength": len(data), "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}],
                "bufferViews": views,
                "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "SCALAR", "min": [0], "max": [1]}] +
                             [{"bufferView": 1 + j, "componentType": 5126, "count": 3, "type": "VEC4"} for j in range(6)],
                "animations": [{"samplers": [{"input": 0, "output": 1 + j} for j in range(6)],
                                "channels": [{"sampler": j, "target": {"node": int(place[j]), "path": "rotation"}} for j in range(6)]}],
            }
            (self.folder / "a.gltf").write_text(json.dumps(document))
            self.run_posemill("convert", self.folder / "a.gltf", self.folder / "b.npz")
            b = np.load(self.folder / "b.npz")
            found = [int(name[1:]) for name in b["names"]]
            self.assertEqual(sorted(found), list(range(6)))
            for row, joint in enumerate(found):
                self.assertLess(b["parents"][row], row)
                self.assertEqual(-1 if b["parents"][row] < 0 else found[b["parents"][row]], parents[joint])
                self.assertTrue(np.array_equal(b["rotations"][:, row], q[:, joint]))
                self.assertEqual(b["offsets"][row, 0], joint)
            if (order == np.arange(6)).all():
                self.assertEqual(found, list(range(6)))


# ---- joints ---------------------------------------------------------------------------------------

BODY = ("pelvis left_hip right_hip spine1 left_knee right_knee spine2 left_ankle right_ankle spine3 left_foot right_foot "
        "neck left_collar right_collar head left_shoulder right_shoulder left_elbow right_elbow left_wrist right_wrist").split()
PARENTS = [-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19]


def hands(first):
    names, parents = [], []
    for side, wrist in (("left", 20), ("right", 21)):
        for finger in ("index", "middle", "pinky", "ring", "thumb"):
            for bone in (1, 2, 3):
                parents.append(wrist if bone == 1 else first + len(names) - 1)
                names.append(f"{side}_{finger}{bone}")
    return names, parents


def model(name):
    """Names and parents, as they are published."""
    if name == "smpl":
        return BODY + ["left_hand", "right_hand"], PARENTS + [20, 21]
    face = (["jaw", "left_eye", "right_eye"], [15, 15, 15]) if name == "smplx" else ([], [])
    names, parents = hands(22 + len(face[0]))
    return BODY + face[0] + names, PARENTS + face[1] + parents


def turns(v):
    """Matrices of rotation vectors."""
    return rotations.matrices(rotations.quaternions(v))


class Skeletons(Case):
    def amass(self, joints, frames=7, name="a.npz", **more):
        poses = self.rng.normal(0, 0.6, (frames, joints, 3))
        trans = self.rng.normal(0, 1, (frames, 3))
        return self.save(name, poses=poses.reshape(frames, -1), trans=trans, mocap_framerate=60.0, **more), poses, trans

    def read(self, source, *options):
        """The plain layout of a file, whose joints are found by name."""
        out = self.folder / "plain.npz"
        said, _ = self.run_posemill("convert", source, out, *options)
        return np.load(out), said

    def check_places(self, b, names, parents, offsets, poses, trans):
        """Joints in the world, against forward kinematics here."""
        expected, turned = [], []
        for j, parent in enumerate(parents):
            own = turns(poses[:, j])
            turned.append(own if parent < 0 else turned[parent] @ own)
            expected.append(trans + offsets[j] if parent < 0 else expected[parent] + turned[parent] @ offsets[j])
        found, world = {}, []
        positions = np.broadcast_to(b["offsets"], (len(trans), *b["offsets"].shape)).copy()
        if b["positions"].ndim == 2:
            positions[:, list(b["parents"]).index(-1)] = b["positions"]
        else:
            positions = b["positions"]
        for row, parent in enumerate(b["parents"]):
            own = matrices(b["rotations"][:, row].astype(float))
            place = positions[:, row].astype(float)
            if parent >= 0:
                place = world[parent][0] + (world[parent][1] @ place[..., None])[..., 0]
                own = world[parent][1] @ own
            world.append((place, own))
            found[str(b["names"][row])] = row
        for j, name in enumerate(names):
            place, own = world[found[name]]
            self.assertLess(np.abs(place - expected[j]).max(), 1e-4, name)
            self.assertLess(np.abs(own - turned[j]).max(), 1e-5, name)

    def test_models_have_names_and_parents(self):
        for name in ("smpl", "smplh", "smplx"):
            names, parents = model(name)
            source, poses, trans = self.amass(len(names))
            for end in ("bvh", "glb", "gltf"):
                said, _ = self.run_posemill("convert", source, self.folder / f"b.{end}", "--skeleton", name, "--to-up", "keep")
                self.assertIn("no bones", said)
                b, _ = self.read(self.folder / f"b.{end}")
                parent_names = [None if p < 0 else str(b["names"][p]) for p in b["parents"]]
                self.assertEqual(dict(zip(map(str, b["names"]), parent_names)),
                                 dict(zip(names, [None if p < 0 else names[p] for p in parents])))
                self.check_places(b, names, parents, np.zeros((len(names), 3)), poses, trans)
            self.run_posemill("resample", source, "-o", self.folder / "c.glb", "--rate", "x2", "--device", "none", "--skeleton", name)
            self.run_posemill("view", source, "-o", self.folder / "v.html", "--skeleton", name)
            done, _ = self.run_posemill("compare", source, self.folder / "b.bvh", "--skeleton", name)
            self.assertIn(names[-1], done)

    def test_joints_of_files_give_lengths(self):
        for name, title in (("smpl", str), ("smplh", lambda n: n.replace("left_", "L_").replace("right_", "R_")), ("smplx", str.upper)):
            names, parents = model(name)
            offsets = self.rng.normal(0, 0.2, (len(names), 3))
            shown = [title(n) for n in names]
            joints = self.folder / "joints.json"
            joints.write_text(json.dumps({"names": shown, "parents": parents, "offsets": offsets.tolist()}))
            source, poses, trans = self.amass(len(names))
            b, said = self.read(source, "--skeleton", joints)
            self.assertNotIn("no bones", said)
            self.check_places(b, shown, parents, offsets, poses, trans)
            # Files of other formats have the joints in other orders: they are found by their names.
            for end in ("bvh", "glb", "npz"):
                other = self.folder / f"joints.{end}"
                self.run_posemill("convert", source, other, "--skeleton", joints, "--to-up", "keep", *(["--decimals", "9"] if end == "bvh" else []))
                b, _ = self.read(source, "--skeleton", other)
                offset = b["offsets"][list(b["names"]).index(shown[5])]
                self.assertLess(np.abs(offset - offsets[5]).max(), 1e-6)

    def test_hands_without_a_face(self):
        frames = 5
        parts = {name: self.rng.normal(0, 0.5, (frames, n, 3)) for name, n in (("pose_body", 21), ("pose_lhand", 15), ("pose_rhand", 15))}
        root, trans = self.rng.normal(size=(frames, 3)), self.rng.normal(size=(frames, 3))
        source = self.save("x.npz", root_orient=root, trans=trans, betas=np.zeros(10), **parts)
        names, parents = model("smplh")
        poses = np.concatenate([root[:, None], *parts.values()], 1)
        for skeleton in ("smplh", "smplx"):
            b, _ = self.read(source, "--skeleton", skeleton)
            self.assertEqual(len(b["names"]), 52 if skeleton == "smplh" else 55)
            self.check_places(b, names, parents, np.zeros((52, 3)), poses, trans)

    def test_what_does_not_fit_is_refused(self):
        source, _, _ = self.amass(52)
        out = self.folder / "b.bvh"
        said, _ = self.run_posemill("convert", source, out, code=4)
        self.assertIn("requires a skeleton", said)
        self.assertIn("--skeleton", said)
        self.assertIn("as smplh has", self.run_posemill("convert", source, out, "--skeleton", "smpl", code=4)[0])
        for text, why in (("{}", "no lists"), ('{"parents": [0]}', "parent"), ("[", "no JSON"), ('{"parents": [-1], "names": []}', "no lists"),
                          (json.dumps({"parents": [-1] + [0] * 51}), "neither the names nor the parents")):
            joints = self.folder / "joints.json"
            joints.write_text(text)
            self.assertIn(why, self.run_posemill("convert", source, out, "--skeleton", joints, code=4)[0])
        self.run_posemill("convert", source, out, "--skeleton", self.folder / "none.json", code=4)
        self.run_posemill("convert", source, out, "--skeleton", source, code=4)
        q = np.tile(np.float32([1, 0, 0, 0]), (4, 2, 1))
        robot = self.save("r.npz", body_quat_w=q, body_pos_w=np.zeros((4, 2, 3)), fps=np.array(50))
        self.assertIn("in the world", self.run_posemill("convert", robot, out, "--skeleton", "smpl", code=4)[0])
        rows = self.folder / "r.csv"
        rows.write_text("1,2,3,0,0,0,1,5\n")
        self.run_posemill("convert", rows, out, "--skeleton", "smpl", code=4)


class Turned(Case):
    UP = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])  # z becomes y

    def pelvis(self, name, at):
        """The joints of a body model, of which only the place of the pelvis matters here."""
        names, parents = model(name)
        joints = self.folder / f"{name}.json"
        joints.write_text(json.dumps({"names": names, "parents": parents,
                                      "offsets": [list(at), *([[0.0, 0.1, 0.0]] * (len(names) - 1))]}))
        return joints

    def test_a_body_without_a_pelvis_is_refused(self):
        """Where its pelvis rests decides what it turns about; names and parents do not say it."""
        source = self.save("a.npz", poses=np.zeros((2, 156)), trans=np.zeros((2, 3)), mocap_framerate=30.0)
        for words in ([], ["--skeleton", "smplh"]):
            said, _ = self.run_posemill("convert", source, self.folder / "b.npz", "--to-up", "y", *words, code=4)
            self.assertIn("a body turns about the rest place of its pelvis", said)
            self.assertIn("--skeleton gives it", said)
        self.run_posemill("convert", source, self.folder / "b.npz", "--scale", "2")
        self.assertEqual(np.load(self.folder / "b.npz")["trans"].shape, (2, 3))

    def test_amass_turns_about_its_pelvis(self):
        place = np.array([0.02, -0.21, 0.03])
        for kind in (np.float32, np.float64):
            poses, trans = self.rng.normal(0, 0.8, (9, 52, 3)).astype(kind), self.rng.normal(size=(9, 3)).astype(kind)
            source = self.save("a.npz", poses=poses.reshape(9, -1), trans=trans, dmpls=self.rng.normal(size=(9, 8)).astype(kind),
                               betas=np.arange(16.0), gender=np.array("male"), mocap_framerate=np.array(59.94))
            out = self.folder / "b.npz"
            joints = self.pelvis("smplh", place)
            self.run_posemill("convert", source, out, "--to-up", "y", "--skeleton", joints)
            a, b = np.load(source), np.load(out)
            self.assertEqual(list(a), list(b))
            self.assertEqual(b["poses"].dtype, kind)
            self.assertLess(np.abs(turns(b["poses"][:, :3].astype(float)) - self.UP @ turns(poses[:, 0].astype(float))).max(), 1e-5)
            self.assertLess(np.abs(turns(b["poses"].reshape(9, 52, 3)[:, 1:].astype(float)) - turns(poses[:, 1:].astype(float))).max(), 1e-5)
            self.assertLess(np.abs(b["trans"] - ((trans + place) @ self.UP.T - place)).max(), 1e-6)
            for name in ("dmpls", "betas", "gender", "mocap_framerate"):
                self.assertEqual(a[name].tobytes(), b[name].tobytes(), name)
            self.run_posemill("convert", out, self.folder / "c.npz", "--up", "y", "--to-up", "z", "--skeleton", joints)
            self.assertLess(np.abs(np.load(self.folder / "c.npz")["trans"] - trans).max(), 1e-5)

    def test_parts_turn_with_their_whole(self):
        poses = self.rng.normal(0, 0.8, (5, 165))
        parts = {name: poses[:, a:b] for name, a, b in (("root_orient", 0, 3), ("pose_body", 3, 66), ("pose_jaw", 66, 69),
                                                        ("pose_eye", 69, 75), ("pose_hand", 75, 165))}
        source = self.save("a.npz", poses=poses, trans=np.zeros((5, 3)), mocap_frame_rate=60.0, **parts)
        self.run_posemill("convert", source, self.folder / "b.npz", "--to-up", "y", "--skeleton", self.pelvis("smplx", [0, 0.3, 0]))
        b = np.load(self.folder / "b.npz")
        self.assertEqual(np.concatenate([b[name] for name in parts], 1).tobytes(), b["poses"].tobytes())
        self.assertLess(np.abs(turns(b["root_orient"]) - self.UP @ turns(poses[:, :3])).max(), 1e-9)

    def test_rows_of_robots(self):
        source = self.folder / "a.csv"
        source.write_text("x,y,z,qx,qy,qz,qw,knee\n1,2,3,0,0,0.6,0.8,0.25\n2,3,4,0,0,0.8,0.6,0.5\n")
        self.run_posemill("convert", source, self.folder / "b.csv", "--up", "z", "--to-up", "y", "--scale", "2")
        rows = np.loadtxt(self.folder / "b.csv", delimiter=",", skiprows=1)
        self.assertLess(np.abs(rows[:, :3] - [[2, 6, -4], [4, 8, -6]]).max(), 1e-6)
        self.assertLess(np.abs(matrices(rows[:, 3:7]) - self.UP @ matrices(np.array([[0, 0, 0.6, 0.8], [0, 0, 0.8, 0.6]]))).max(), 1e-6)
        self.assertEqual(rows[:, 7].tolist(), [0.25, 0.5])

    def robot(self, w_first, kind=np.float32):
        """Bodies on circles, turned at steady speeds about axes of their own; and a joint."""
        frames, bodies, hertz = 9, 3, 50
        t = np.arange(frames)[:, None, None] / hertz
        axis = self.rng.normal(size=(bodies, 3))
        axis /= np.linalg.norm(axis, axis=-1, keepdims=True)
        speed = self.rng.uniform(-3, 3, (bodies, 1))
        xyz, w = axis * np.sin(speed * t / 2), np.cos(speed * t / 2)
        phase = t * self.rng.uniform(1, 3, (bodies, 3))
        return {name: numbers.astype(kind) for name, numbers in {
            "body_quat_w": np.concatenate([w, xyz] if w_first else [xyz, w], -1), "body_pos_w": np.sin(phase),
            "joint_pos": np.sin(t[:, 0]), "joint_vel": np.cos(t[:, 0]), "body_lin_vel_w": np.cos(phase) * phase / np.maximum(t, 0.01),
            "body_ang_vel_w": np.broadcast_to(axis * speed, (frames, bodies, 3)), "fps": np.array([hertz])}.items()}

    def test_velocities_turn_with_what_they_belong_to(self):
        for w_first in (True, False):
            a = self.robot(w_first)
            source = self.save("a.npz", **a)
            said, _ = self.run_posemill("convert", source, self.folder / "b.npz", "--up", "z", "--to-up", "y", "--scale", "2",
                                        "--layout", "beyondmimic" if w_first else "beyondmimic-xyzw")
            self.assertNotIn("warning", said)
            b = np.load(self.folder / "b.npz")
            for name, scale in (("body_pos_w", 2), ("body_lin_vel_w", 2), ("body_ang_vel_w", 1)):
                x, y, z = np.moveaxis(scale * a[name], -1, 0)
                self.assertEqual(b[name].tolist(), np.stack([x, z, -y], -1).tolist(), name)
            for name in ("joint_pos", "joint_vel", "fps"):
                self.assertEqual(a[name].tobytes(), b[name].tobytes(), name)
            order = [1, 2, 3, 0] if w_first else [0, 1, 2, 3]
            self.assertLess(np.abs(matrices(b["body_quat_w"][..., order]) - self.UP @ matrices(a["body_quat_w"][..., order])).max(), 1e-6)
            self.run_posemill("convert", self.folder / "b.npz", self.folder / "c.npz", "--up", "y", "--to-up", "z", "--scale", "0.5",
                              "--strict", "--layout", "beyondmimic" if w_first else "beyondmimic-xyzw")
            c = np.load(self.folder / "c.npz")
            for name in ("body_pos_w", "body_lin_vel_w", "body_ang_vel_w"):
                self.assertEqual(a[name].tolist(), c[name].tolist(), name)

    def test_arrays_that_no_layout_names_are_said_to_stay(self):
        a = self.robot(True)
        a.pop("body_pos_w")
        a["wind"] = self.rng.normal(size=(9, 3))
        said, _ = self.run_posemill("convert", self.save("a.npz", **a), self.folder / "b.npz", "--up", "y", "--to-up", "z")
        self.assertIn("not scaled or turned, because no layout names them: body_lin_vel_w, wind", said)
        for name in ("body_lin_vel_w", "wind"):
            self.assertEqual(np.load(self.folder / "b.npz")[name].tolist(), a[name].tolist(), name)


class Options(Case):
    USED = {"--source-rate 40": "bvh npz csv", "--layout FITS": "npz csv", "--rates RATES": "npz", "--nan hold": "bvh",
            "--literal-rate": "bvh npz", "--bvh-position add": "bvh"}

    def setUp(self):
        super().setUp()
        self.files = {kind: self.folder / f"a.{kind}" for kind in ("bvh", "gltf", "glb", "npz", "csv")}
        q = np.tile([0, 0, 0, 1.0], (3, 1, 1))
        self.save("a.npz", rotations=q, positions=np.zeros((3, 1, 3)), parents=np.array([-1]), rate=np.array(30))
        for kind in ("bvh", "gltf", "glb"):
            self.run_posemill("convert", self.files["npz"], self.files[kind])
        self.files["csv"].write_text("x,y,z,qx,qy,qz,qw\n" + "0,0,0,0,0,0,1\n" * 3)
        (self.folder / "rates").write_text("* 30\n")

    def words(self, option, kind):
        return option.replace("FITS", "robot" if kind == "csv" else "plain").replace("RATES", str(self.folder / "rates")).split()

    def test_options_about_other_inputs_are_said_to_have_no_effect(self):
        for kind, file in self.files.items():
            out = self.folder / f"o.{kind}"
            for verb in (["convert", file, out], ["resample", file, "-o", out, "--rate", "15", "--device", "none"], ["info", file],
                         ["view", file, "-o", self.folder / "o.html"], ["compare", file, file]):
                if kind == "csv" and verb[0] in ("view", "compare"):
                    continue  # refused: no joints
                for option, kinds in self.USED.items():
                    words = self.words(option, kind)
                    with self.subTest(verb=verb[0], kind=kind, option=option):
                        said, _ = self.run_posemill(*verb, *words, *(["--overwrite"] if verb[0] in ("convert", "resample") else []))
                        told = f"warning: {words[0]}: has no effect; it is for inputs of {kinds.split()[0]}" in said
                        self.assertEqual(told, kind not in kinds.split(), said)

    def test_one_of_several_inputs_is_enough(self):
        bvh, npz, glb = (self.files[kind] for kind in ("bvh", "npz", "glb"))
        for verb in (["info", bvh, npz], ["compare", npz, bvh]):
            self.assertNotIn("no effect", self.run_posemill(*verb, "--layout", "plain")[0])
        for verb in (["info", bvh, glb], ["compare", glb, bvh]):
            self.assertIn("--layout: has no effect", self.run_posemill(*verb, "--layout", "plain")[0])
        folder = self.folder / "out"
        self.assertNotIn("no effect", self.run_posemill("convert", bvh, npz, "--out-dir", folder, "--layout", "plain")[0])

    def test_what_a_conversion_does_not_use(self):
        convert = ["convert", self.files["npz"], self.folder / "o.bvh"]
        self.assertIn("--to: has no effect; the name of the output says bvh", self.run_posemill(*convert, "--to", "glb")[0])
        self.assertNotIn("no effect", self.run_posemill(*convert, "--to", "bvh", "--overwrite")[0])
        for option in (["--device", "none"], ["--reference"]):
            told = f"{option[0]}: has no effect without --rate"
            self.assertIn(told, self.run_posemill(*convert, *option, "--overwrite")[0])
            self.assertNotIn(told, self.run_posemill(*convert, *option, "--rate", "60", "--overwrite")[0])


if __name__ == "__main__":
    command_case.main()
