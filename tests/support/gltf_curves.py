# SPDX-License-Identifier: MIT
"""Animations of glTF files and the poses that they make, in double precision: an evaluator that shares no code with the
library. Compressed views are decoded as the text of EXT_meshopt_compression says, sections "Mode 0: attributes" and
"Filters"."""
import base64
import json
import struct
from pathlib import Path

import numpy as np
import rotations

MESHOPT = "EXT_meshopt_compression"
TYPES = {5120: np.int8, 5121: np.uint8, 5122: np.int16, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


def decode_group(control, data, at):
    """16 bytes of deltas, and where the next group begins."""
    if control == 0:
        return [0] * 16, at
    if control == 3:
        return list(data[at:at + 16]), at + 16
    bits = 2 * control
    packed, sentinel = data[at:at + 2 * bits], (1 << bits) - 1
    at += 2 * bits
    out = []
    for i in range(16):
        value = packed[i * bits // 8] >> (8 - bits - i * bits % 8) & sentinel
        if value == sentinel:
            value = data[at]
            at += 1
        out.append(value)
    return out, at


def decode_attributes(data, count, stride):
    """The elements of a bit stream of mode ATTRIBUTES, version 0."""
    if data[0] != 0xA0:
        raise ValueError(f"header {data[0]:#x}")
    out = np.zeros((count, stride), np.uint8)
    last = np.frombuffer(data[len(data) - stride:], np.uint8).copy()
    most = min((8192 // stride) & ~15, 256)
    at = 1
    for first in range(0, count, most):
        size = min(most, count - first)
        groups = (size + 15) // 16
        for byte in range(stride):
            header = data[at:at + (groups + 3) // 4]
            at += (groups + 3) // 4
            deltas = []
            for group in range(groups):
                part, at = decode_group(header[group // 4] >> (group % 4 * 2) & 3, data, at)
                deltas += part
            deltas = np.array(deltas[:size], np.int64)
            signed = np.where(deltas & 1, -1 - (deltas >> 1), deltas >> 1)
            out[first:first + size, byte] = (int(last[byte]) + np.cumsum(signed)) & 255
        last = out[first + size - 1]
    if at + max(32, stride) != len(data):
        raise ValueError(f"{len(data) - at} bytes are left")
    return out


def filter_quaternions(words):
    """Components of sqrt(1/2) at most, the largest one from unit length, as int16."""
    words = words.view("<i2").astype(int)
    scale = np.sqrt(0.5) / (words[:, 3] | 3)
    small = words[:, :3] * scale[:, None]
    large = np.sqrt(np.maximum(0, 1 - (small ** 2).sum(1)))
    out = np.zeros((len(words), 4))
    rows = np.arange(len(words))
    for i in range(3):
        out[rows, (words[:, 3] + 1 + i) & 3] = small[:, i]
    out[rows, words[:, 3] & 3] = large
    scaled = out * 32767
    return (np.sign(scaled) * np.floor(np.abs(scaled) + 0.5)).astype("<i2")


def filter_exponential(words):
    words = words.view("<i4")
    return np.ldexp(((words << 8) >> 8).astype(float), words >> 24).astype("<f4")


class Gltf:
    """A document, its accessors as double, and the curves of its animations."""

    def __init__(self, path, decode=decode_attributes):
        data = Path(path).read_bytes()
        self.folder, self.decode, self.binary = Path(path).parent, decode, b""
        if data[:4] == b"glTF":
            size = struct.unpack_from("<I", data, 12)[0]
            self.json = json.loads(data[20:20 + size])
            self.binary = data[28 + size:]
        else:
            self.json = json.loads(data)
        self.nodes = self.json.get("nodes", [])
        self.views = {}  # that were read: packers put thousands of accessors in one
        self.parents = [-1] * len(self.nodes)
        for i, node in enumerate(self.nodes):
            for child in node.get("children", []):
                self.parents[child] = i

    def buffer(self, index):
        uri = self.json["buffers"][index].get("uri")
        if uri is None:
            return self.binary
        return base64.b64decode(uri.split(",", 1)[1]) if uri.startswith("data:") else (self.folder / uri).read_bytes()

    def view(self, index):
        if index not in self.views:
            self.views[index] = self.read_view(index)
        return self.views[index]

    def read_view(self, index):
        view = self.json["bufferViews"][index]
        packed = view.get("extensions", {}).get(MESHOPT)
        source = packed or view
        at = source.get("byteOffset", 0)
        data = self.buffer(source["buffer"])[at:at + source["byteLength"]]
        if not packed:
            return data
        if packed["mode"] != "ATTRIBUTES":
            raise ValueError(packed["mode"])
        words = self.decode(data, packed["count"], packed["byteStride"])
        made = {"NONE": lambda w: w, "QUATERNION": filter_quaternions,
                "EXPONENTIAL": filter_exponential}[packed.get("filter", "NONE")](words)
        return made.tobytes()

    def accessor(self, index):
        a = self.json["accessors"][index]
        kind, width = TYPES[a["componentType"]], WIDTHS[a["type"]]
        values = np.frombuffer(self.view(a["bufferView"]), np.uint8)[a.get("byteOffset", 0):]
        size = np.dtype(kind).itemsize * width
        values = np.frombuffer(values[:a["count"] * size].tobytes(), kind).reshape(a["count"], width).astype(float)
        if a.get("normalized"):
            values = np.maximum(values / np.iinfo(kind).max, -1)
        return values

    def curves(self, animation=0):
        """(node, path, (times, values, interpolation)) of each channel; a row of values for each key, of three for
        cubic splines."""
        a = self.json["animations"][animation]
        for channel in a["channels"]:
            sampler, target = a["samplers"][channel["sampler"]], channel["target"]
            kind, times = sampler.get("interpolation", "LINEAR"), self.accessor(sampler["input"])[:, 0]
            values = self.accessor(sampler["output"]).reshape(len(times) * (3 if kind == "CUBICSPLINE" else 1), -1)
            yield target.get("node"), target["path"], (times, values, kind)

    def channels(self, animation=0):
        """(node, path) -> (times, values, interpolation)"""
        return {(node, path): curve for node, path, curve in self.curves(animation)
                if node is not None and path != "weights"}

    def animation_views(self):
        """Accessors and views that only animations use."""
        used = {s[k] for a in self.json.get("animations", []) for s in a["samplers"] for k in ("input", "output")}
        views = {self.json["accessors"][i].get("bufferView") for i in used} - {None}
        return used, views


def evaluate(curve, path, times, normalises=True):
    """Values of a curve at times. Rotations are normalised, but for linear ones of readers that do not."""
    keys, values, interpolation = curve
    is_rotation = path == "rotation"
    if interpolation == "CUBICSPLINE":
        values = values.reshape(len(keys), 3, -1)
    i = np.clip(np.searchsorted(keys, times, "right") - 1, 0, max(len(keys) - 2, 0))
    j = np.minimum(i + 1, len(keys) - 1)
    h = np.where(keys[j] > keys[i], keys[j] - keys[i], 1)
    u = np.clip((times - keys[i]) / h, 0, 1)
    u = np.where(keys[j] > keys[i], u, 0)
    if interpolation == "CUBICSPLINE":
        v = u[:, None]
        out = ((1 + 2 * v) * (1 - v) ** 2 * values[i, 1] + v * (1 - v) ** 2 * h[:, None] * values[i, 2]
               + v ** 2 * (3 - 2 * v) * values[j, 1] + v ** 2 * (v - 1) * h[:, None] * values[j, 0])
        return out / np.linalg.norm(out, axis=1, keepdims=True) if is_rotation else out
    if interpolation == "STEP":
        return values[np.clip(np.searchsorted(keys, times, "right") - 1, 0, len(keys) - 1)]
    if not is_rotation:
        return values[i] + u[:, None] * (values[j] - values[i])
    lengths = np.linalg.norm(values, axis=1, keepdims=True)
    unit = values / lengths
    out = rotations.slerp(unit[i], unit[j], u[:, None])
    return out if normalises else out * (lengths[i] + u[:, None] * (lengths[j] - lengths[i]))


def angles(a, b):
    """Degrees between rotations."""
    return np.degrees(rotations.angles(a, b))


def matrices(gltf, channels, times, normalises=True):
    """Of each node in model space: (node, time, 3, 4)."""
    out = [None] * len(gltf.nodes)

    def local(n):
        node = gltf.nodes[n]
        rest = {"translation": node.get("translation", [0, 0, 0]), "rotation": node.get("rotation", [0, 0, 0, 1]),
                "scale": node.get("scale", [1, 1, 1])}
        t, q, s = (evaluate(channels[n, p], p, times, normalises) if (n, p) in channels else np.tile(np.array(rest[p], float),
                                                                                      (len(times), 1))
                   for p in ("translation", "rotation", "scale"))
        x, y, z, w = (q / np.linalg.norm(q, axis=1, keepdims=True) if normalises else q).T
        m = np.empty((len(times), 3, 4))
        m[:, :, :3] = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                                [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                                [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]).transpose(2, 0, 1)
        m[:, :, :3] *= s[:, None, :]
        m[:, :, 3] = t
        return m

    def place(n):
        if out[n] is None:
            m, parent = local(n), gltf.parents[n]
            if parent >= 0:
                above = place(parent)
                m = np.concatenate([above[:, :, :3] @ m[:, :, :3],
                                    above[:, :, :3] @ m[:, :, 3:] + above[:, :, 3:]], axis=2)
            out[n] = m
        return out[n]

    return np.array([place(n) for n in range(len(gltf.nodes))])


def rotation_error(a, b, times, animation=0):
    """The largest degrees between the rotations of two files with the same nodes, at times."""
    of_a, of_b = a.channels(animation), b.channels(animation)
    return max((angles(evaluate(of_a[k], "rotation", times), evaluate(of_b[k], "rotation", times)).max()
                for k in of_a if k[1] == "rotation" and k in of_b), default=0.0)


def distance_error(a, b, times, at, animation=0, normalises=True):
    """The largest distance in model space of joints and three points at a length on their axes, below all scales.
    Without `normalises` the reader of B takes unit length for granted."""
    of_a, of_b = (matrices(g, g.channels(animation), times, normalises or g is a) for g in (a, b))
    largest = np.linalg.norm(of_a[..., 3] - of_b[..., 3], axis=-1).max()
    for axis in range(3):
        points = [m[..., 3] + at * m[..., axis] for m in (of_a, of_b)]
        largest = max(largest, np.linalg.norm(points[0] - points[1], axis=-1).max())
    return largest
