#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times of motions through the command: clips that start late, cuts, rates, and their messages.

usage: test_times.py POSEMILL
"""
import base64
import json
import struct
from fractions import Fraction

import command_case

BROADCAST = ("59.94", "60000/1001", "29.97", "30000/1001", "23.976", "24000/1001", "119.88", "120000/1001",
             "47.952", "12.5", "2997/100", "25", "10/3")


def floats(values):
    return struct.pack(f"<{len(values)}f", *values)


def gltf_text(times, interpolation="LINEAR"):
    """A node that moves along x by one at each key."""
    numbers = floats(times) + floats([x for k in range(len(times)) for x in (k, 0.0, 0.0)])
    times = struct.unpack(f"<{len(times)}f", floats(times))
    accessor = {"bufferView": 0, "componentType": 5126, "count": len(times)}
    return json.dumps({
        "asset": {"version": "2.0"}, "nodes": [{"name": "a"}],
        "buffers": [{"byteLength": len(numbers),
                     "uri": "data:application/octet-stream;base64," + base64.b64encode(numbers).decode()}],
        "bufferViews": [{"buffer": 0, "byteLength": len(numbers)}],
        "accessors": [{**accessor, "type": "SCALAR", "min": [times[0]], "max": [times[-1]]},
                      {**accessor, "type": "VEC3", "byteOffset": 4 * len(times)}],
        "animations": [{"samplers": [{"input": 0, "output": 1, "interpolation": interpolation}],
                        "channels": [{"sampler": 0, "target": {"node": 0, "path": "translation"}}]}]})


def bvh_text(frames, frame_time="0.0333333"):
    rows = "\n".join(f"{k} 0 0 0 0 {3 * k}" for k in range(frames))
    return ("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Xrotation Yrotation "
            f"Zrotation\n}}\nMOTION\nFrames: {frames}\nFrame Time: {frame_time}\n{rows}\n")


class Times(command_case.Case):
    def file(self, name, text):
        (self.folder / name).write_text(text, "utf-8")
        return self.folder / name

    def resample(self, source, name, *options, code=0):
        done = self.run_posemill("resample", "--device", "none", source, "-o", self.folder / name, *options,
                                 code=code)
        return done.stderr

    def clip(self, name):
        return json.loads(self.run_posemill("info", "--json", self.folder / name).stdout)["clips"][0]

    def expect(self, name, rate, keys, begin=0):
        clip = self.clip(name)
        self.assertEqual((Fraction(clip["rate"]), clip["keys"]), (Fraction(rate), keys))
        self.assertAlmostEqual(clip["begin"], begin, places=6)

    def test_a_late_clip_becomes_any_format(self):
        late = self.file("late.gltf", gltf_text([k / 24 for k in range(1, 5)]))
        for name in ("o.bvh", "o.npz"):
            self.run_posemill("convert", late, self.folder / name)
            self.expect(name, 24, 4)
            self.run_posemill("convert", late, self.folder / name, "--rate", "24", "--device", "none")
            self.expect(name, 24, 4)
        for rate, keys in (("x1", 4), ("x2", 7), ("x3", 10), ("24", 4)):
            self.resample(late, "o.glb", "--rate", rate)
            self.expect("o.glb", 24 * (keys - 1) // 3, keys, 1 / 24)

    def test_a_clip_that_starts_hours_late_keeps_its_end(self):
        """Timecode: float32 has lost so much that many rates are possible, also the one that is asked for."""
        for rate, first, keys in (("60000/1001", 375631, 40), ("24000/1001", 230436, 22), ("48", 209754, 14),
                                  ("24000/1001", 176184, 5), ("30000/1001", 264148, 54)):
            times = [float((first + k) / Fraction(rate)) for k in range(keys)]
            source = self.file("late.gltf", gltf_text(times))
            for times_as_many in (1, 2, 3):
                with self.subTest(rate=rate, times_as_many=times_as_many):
                    target = Fraction(rate) * times_as_many
                    stderr = self.resample(source, "late.npz", "--rate", str(target))
                    self.assertNotIn("left out", stderr)
                    self.expect("late.npz", target, (keys - 1) * times_as_many + 1)

    def test_steps_are_sampled_for_formats_without_them(self):
        source = self.file("s.gltf", gltf_text([0.5, 0.75, 1.25], "STEP"))
        other = json.loads(source.read_text())
        other["animations"][0]["samplers"].append({"input": 0, "output": 2})
        other["animations"][0]["channels"].append({"sampler": 1, "target": {"node": 0, "path": "rotation"}})
        other["accessors"].append({"componentType": 5126, "count": 3, "type": "VEC4", "sparse": {
            "count": 3, "indices": {"bufferView": 1, "componentType": 5121}, "values": {"bufferView": 2}}})
        numbers = bytes(range(3)) + b"\0" + floats([0, 0, 0, 1] * 3)
        other["buffers"].append({"byteLength": len(numbers), "uri": "data:application/octet-stream;base64,"
                                 + base64.b64encode(numbers).decode()})
        other["bufferViews"] += [{"buffer": 1, "byteLength": 3},
                                 {"buffer": 1, "byteOffset": 4, "byteLength": 48}]
        source.write_text(json.dumps(other), "utf-8")
        self.resample(source, "s.bvh", "--rate", "4")
        rows = (self.folder / "s.bvh").read_text().split("Frame Time:")[1].split("\n")[1:5]
        self.assertEqual([float(row.split()[0]) for row in rows], [0, 1, 1, 2])

    def test_times_are_kept_only_where_there_are_some(self):
        walk = self.file("walk.bvh", bvh_text(91))
        self.resample(walk, "a.bvh", "--rate", "30", "--start", "1", "--keep-time", code=2)
        self.resample(walk, "a.glb", "--rate", "30", "--keep-time", code=2)

    def test_ends_beyond_the_clip_are_named(self):
        walk = self.file("walk.bvh", bvh_text(91))
        for option in ("--start", "--end"):
            told = self.resample(walk, "a.bvh", "--rate", "30", option, "99", code=4)
            self.assertIn(f"{option}: is after the last key (99 s; the last key is 3 s", told)

    def test_options_of_the_curve_take_effect_or_are_a_warning(self):
        given = {"--tangents": "mean", "--ends": "zero", "--loop": "9", "--swing": "0,0.5", "--twist": "0,0.5",
                 "--axis": "0,1,0", "--axis-frame": "parent", "--unlimited": None}
        glb = self.file("a.gltf", gltf_text([0, 0.5, 1, 2]))
        walk = self.file("walk.bvh", bvh_text(9))
        for option, value in given.items():
            words = [option] if value is None else [option, value]
            self.assertIn(f"{option}: has no effect", self.resample(glb, "o.glb", "--rate", "8", *words))
            self.assertIn(f"{option}: has no effect",
                          self.resample(walk, "o.glb", "--rate", "60", "--method", "authored", *words))
        told = self.resample(walk, "o.bvh", "--rate", "60", "--tangents", "mean")
        self.assertIn("--tangents: has no effect on slerp", told)
        self.assertEqual(self.resample(glb, "a.glb", "--rate", "8", "--method", "squad", "--ends", "zero"), "")
        self.resample(glb, "b.glb", "--rate", "8", "--method", "squad")
        self.assertNotEqual((self.folder / "a.glb").read_bytes(), (self.folder / "b.glb").read_bytes())


if __name__ == "__main__":
    command_case.main()
