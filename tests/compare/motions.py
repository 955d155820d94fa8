# SPDX-License-Identifier: MIT
"""Motion files for the tests of `posemill compare`, read and evaluated by NumPy in double.

A Motion has joints with names, parents, rest poses, and channels of keys; `evaluate` gives the local
rotations and the places of all joints. Nothing here is shared with the command.
"""
import io
import zipfile
from pathlib import Path

import command_case

np = command_case.require_numpy()
import gltf_curves # pylint: disable=wrong-import-position
from rotations import quaternions, slerp # pylint: disable=wrong-import-position

JOINTS = [("Hips", -1, (0.0, 95.0, 0.0)), ("Spine", 0, (0.0, 20.0, 1.0)), ("Head", 1, (0.0, 30.0, 0.0)),
          ("LeftArm", 1, (15.0, 25.0, 0.0)), ("LeftHand", 3, (40.0, 0.0, 0.0)),
          ("LeftLeg", 0, (10.0, -45.0, 0.0)), ("LeftFoot", 5, (0.0, -45.0, 2.0))]
UPPER = JOINTS[:5]


# ---- quaternions x y z w -------------------------------------------------------------------


def product(a, b):
    x, y, z, w = np.moveaxis(a, -1, 0)
    i, j, k, l = np.moveaxis(b, -1, 0)
    return np.stack([w * i + x * l + y * k - z * j, w * j - x * k + y * l + z * i,
                     w * k + x * j - y * i + z * l, w * l - x * i - y * j - z * k], -1)


def conjugate(q):
    return q * np.array([-1.0, -1, -1, 1])


def rotate(q, v):
    t = 2 * np.cross(q[..., :3], v)
    return v + q[..., 3:] * t + np.cross(q[..., :3], t)


def about(axis, radians):
    q = np.zeros(np.shape(radians) + (4,))
    q[..., axis] = np.sin(np.asarray(radians) / 2)
    q[..., 3] = np.cos(np.asarray(radians) / 2)
    return q


def vector_between(a, b):
    """The rotation from a to b as axis times degrees, the shorter way."""
    d = product(b, conjugate(a))
    d = np.where(d[..., 3:] < 0, -d, d)
    sine = np.linalg.norm(d[..., :3], axis=-1, keepdims=True)
    angle = np.degrees(2 * np.arctan2(sine, d[..., 3:]))
    return d[..., :3] / np.where(sine > 0, sine, 1) * angle


# ---- motions -------------------------------------------------------------------------------


class Joint:
    def __init__(self, name, parent=-1, translation=(0, 0, 0), rotation=(0, 0, 0, 1), scale=(1, 1, 1)):
        self.name, self.parent = name, parent
        self.rest = {"rotation": np.array(rotation, float), "translation": np.array(translation, float),
                     "scale": np.array(scale, float)}
        self.channels = {} # path: (times, keys)


class Motion:
    def __init__(self, joints, has_places=True, other_times=()):
        self.joints, self.has_places = joints, has_places
        times = [t for j in joints for t, _ in j.channels.values()] + list(other_times)
        self.begin = min(t[0] for t in times)
        self.seconds = max(t[-1] for t in times) - self.begin
        self.keys = max(len(t) for t in times)
        self.times = np.concatenate([np.asarray(t) - self.begin for t in times])

    def value(self, joint, path, time):
        """Between keys slerp, or linear; at keys, the keys."""
        if path not in joint.channels:
            return joint.rest[path]
        times, keys = joint.channels[path]
        at = self.begin + time
        k = int(np.searchsorted(times, at + 1e-9, side="right")) - 1
        if k < 0 or k + 1 >= len(times) or abs(times[k] - at) < 1e-9:
            return keys[max(k, 0)]
        if abs(times[k + 1] - at) < 1e-9:
            return keys[k + 1]
        u = (at - times[k]) / (times[k + 1] - times[k])
        if path == "rotation":
            return slerp(keys[k], keys[k + 1], u)
        return keys[k] + u * (keys[k + 1] - keys[k])

    def evaluate(self, time):
        """(joints, 4) local rotations and (joints, 3) places."""
        rotations = np.array([self.value(j, "rotation", time) for j in self.joints])
        rotations /= np.linalg.norm(rotations, axis=1, keepdims=True)
        placed = {}

        def place(n):
            if n not in placed:
                joint, q = self.joints[n], rotations[n]
                turn = np.stack([rotate(q, axis) for axis in np.eye(3)], 1)
                matrix = np.eye(4)
                matrix[:3, :3] = turn * self.value(joint, "scale", time)
                matrix[:3, 3] = self.value(joint, "translation", time)
                placed[n] = matrix if joint.parent < 0 else place(joint.parent) @ matrix
            return placed[n]

        return rotations, np.array([place(n)[:3, 3] for n in range(len(self.joints))])


# ---- reading -------------------------------------------------------------------------------


def read_bvh(path):
    """Without end sites; positions replace OFFSET. The frame time is snapped to a whole rate."""
    words = iter(Path(path).read_text(encoding="utf-8").split())
    joints, stack, columns = [], [], []
    for word in words:
        if word in ("ROOT", "JOINT"):
            parent = stack[-1] if stack else -1
            joints.append(Joint(next(words), parent))
            stack.append(len(joints) - 1)
            assert next(words) == "{"
        elif word == "End":
            stack.append(-2)
            assert [next(words), next(words)] == ["Site", "{"]
        elif word == "OFFSET":
            offset = [float(next(words)) for _ in range(3)]
            if stack[-1] >= 0:
                joints[stack[-1]].rest["translation"] = np.array(offset)
        elif word == "CHANNELS":
            columns += [(stack[-1], next(words)) for _ in range(int(next(words)))]
        elif word == "}":
            stack.pop()
        elif word == "Frames:":
            frames = int(next(words))
        elif word == "Time:":
            step = float(next(words))
            break
    rate = round(1 / step)
    rows = np.array([float(w) for w in words]).reshape(frames, len(columns))
    times = np.arange(frames) / rate
    for n, joint in enumerate(joints):
        own = [(c, name) for c, (j, name) in enumerate(columns) if j == n]
        q = np.tile([0.0, 0, 0, 1], (frames, 1))
        for c, name in own:
            if name.endswith("rotation"):
                q = product(q, about("XYZ".index(name[0]), np.radians(rows[:, c])))
        if any(name.endswith("rotation") for _, name in own):
            joint.channels["rotation"] = (times, q)
        moved = [c for c, name in own if name.endswith("position")]
        if moved:
            joint.channels["translation"] = (times, rows[:, moved])
    return Motion(joints)


def read_glb(path, clip=0):
    """One clip; linear channels."""
    document = gltf_curves.Gltf(path)
    joints = [Joint(n.get("name", ""), document.parents[i], n.get("translation", (0, 0, 0)),
                    n.get("rotation", (0, 0, 0, 1)), n.get("scale", (1, 1, 1))) for i, n in enumerate(document.nodes)]
    for (node, path), (times, keys, kind) in document.channels(clip).items():
        assert kind == "LINEAR"
        joints[node].channels[path] = (times, keys)
    return Motion(joints)


def read_amass(path):
    with zipfile.ZipFile(path) as archive:
        arrays = {n[:-4]: np.load(io.BytesIO(archive.read(n))) for n in archive.namelist()}
    poses = arrays["poses"].astype(float).reshape(len(arrays["poses"]), -1, 3)
    times = np.arange(len(poses)) / float(arrays["mocap_framerate"])
    joints = [Joint(f"poses[{j}]") for j in range(poses.shape[1])]
    for j, joint in enumerate(joints):
        joint.channels["rotation"] = (times, quaternions(poses[:, j]))
    return Motion(joints, has_places=False)


def read_csv(path, rate):
    """A robot: the root's position and quaternion, and angles, which turn about x."""
    rows = np.array([[float(w) for w in line.split(",")] for line in Path(path).read_text().split()])
    times = np.arange(len(rows)) / rate
    joints = []
    for k in range(rows.shape[1] - 6):
        keys = rows[:, 3:7] if k == 0 else about(0, rows[:, 6 + k])
        joints.append(Joint(f"{k}"))
        joints[-1].channels["rotation"] = (times, keys / np.linalg.norm(keys, axis=1, keepdims=True))
    return Motion(joints, has_places=False)


# ---- writing -------------------------------------------------------------------------------


def walk(random, frames, rate, speed=1.0, count=len(JOINTS), most=5, size=40):
    """Rows of angles in degrees that turn smoothly."""
    t = np.arange(frames)[:, None] / rate
    phase, pace = random.uniform(0, 6, 3 * count), speed * random.uniform(1, most, 3 * count)
    return np.hstack([20 * t, 95 + np.sin(3 * t), 5 * t, size * np.sin(phase + pace * t)])


def write_bvh(path, joints, rows, rate, rename=lambda name: name):
    """joints: (name, parent, offset), parents first, depth first. Rows: root position, then Z X Y of each."""
    lines, depth = ["HIERARCHY"], []

    def close(parent):
        while depth and depth[-1] != parent:
            lines.append("}")
            depth.pop()

    for n, (name, parent, offset) in enumerate(joints):
        close(parent)
        lines.append(f"{'ROOT' if parent < 0 else 'JOINT'} {rename(name)}")
        lines.append("{\nOFFSET " + " ".join(map(repr, offset)))
        moved = "Xposition Yposition Zposition " if parent < 0 else ""
        lines.append(f"CHANNELS {6 if moved else 3} {moved}Zrotation Xrotation Yrotation")
        depth.append(n)
        if not any(p == n for _, p, _ in joints):
            lines.append("End Site\n{\nOFFSET 0 1 0\n}")
    close(None)
    lines.append(f"MOTION\nFrames: {len(rows)}\nFrame Time: {1 / rate!r}")
    lines += [" ".join(f"{x:.9f}" for x in row) for row in rows]
    Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_amass(path, poses, rate):
    np.savez(path, poses=poses, trans=np.zeros((len(poses), 3)), mocap_framerate=np.float64(rate),
             betas=np.zeros(16), gender=np.array("neutral"))


def write_glb(path, joints, clips, rate):
    """joints: (name, parent, translation), parents first. clips: name, and (frames, joints, 4)
    rotations, or (frames, 4) that all joints share."""
    views, accessors, binary = [], [], b""

    def accessor(array, kind):
        nonlocal binary
        data = np.ascontiguousarray(array, "<f4").tobytes()
        views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(data)})
        entry = {"bufferView": len(views) - 1, "componentType": 5126, "count": len(array), "type": kind}
        if kind == "SCALAR":
            entry.update(min=[float(np.float32(array[0]))], max=[float(np.float32(array[-1]))])
        accessors.append(entry)
        binary += data
        return len(accessors) - 1

    animations = []
    for name, rotations in clips:
        times = accessor(np.arange(len(rotations)) / rate, "SCALAR")
        animations.append({"name": name, "channels": [], "samplers": []})
        if rotations.ndim == 2:
            animations[-1]["samplers"].append({"input": times, "output": accessor(rotations, "VEC4")})
        for j in range(len(joints)):
            if rotations.ndim == 2:
                animations[-1]["channels"].append({"sampler": 0, "target": {"node": j, "path": "rotation"}})
                continue
            animations[-1]["channels"].append({"sampler": j, "target": {"node": j, "path": "rotation"}})
            animations[-1]["samplers"].append({"input": times, "output": accessor(rotations[:, j], "VEC4")})
    nodes = [{"name": name, "translation": list(place)} for name, _, place in joints]
    for child, (_, parent, _) in enumerate(joints):
        if parent >= 0:
            nodes[parent].setdefault("children", []).append(child)
    Path(path).write_bytes(command_case.glb(
        {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": nodes, "animations": animations,
         "bufferViews": views, "accessors": accessors, "buffers": [{"byteLength": len(binary)}]}, binary))
