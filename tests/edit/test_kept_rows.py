#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Frames that no step changed keep their text in BVH and CSV, and their bytes in NPZ, wherever they end up.

usage: test_kept_rows.py POSEMILL
"""
import json
import random

import command_case
from command_case import WALK

np = command_case.require_numpy()

HIERARCHY = """HIERARCHY
ROOT Hips
{
  OFFSET 0 90 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Spine
  {
    OFFSET 0 10 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 5 0
    }
  }
  JOINT Leg
  {
    OFFSET 5 -10 0
    CHANNELS 3 Yrotation Xrotation Zrotation
    End Site
    {
      OFFSET 0 -40 0
    }
  }
}
"""


class Case(command_case.Case):
    def setUp(self):
        super().setUp()
        self.random = random.Random(command_case.SEED)

    def make(self, *words):
        self.run_posemill(*words, "--overwrite")

    def number(self):
        """A number as no writer of ours has it."""
        style = self.random.choice(("%+.3f", "%.1e", "%07.2f", "%.9f", "%g"))
        return style % self.random.uniform(-70, 70)


class Text(Case):
    """Rows of text. Subclasses make files of them."""

    def test_a_cut_of_a_cut(self):
        rows = self.write("a", 12)
        self.make("edit", self.name("a"), "-o", self.name("b"), "--cut", "2f:10f", "--repeat", "2")
        self.make("edit", self.name("b"), "-o", self.name("made"), "--cut", "5f:12f")
        self.assertEqual(self.rows("made"), (2 * rows[2:11])[5:13])

    def test_a_repeat_with_a_crossfade(self):
        rows = self.write("a", 20)
        self.make("edit", self.name("a"), "-o", self.name("made"), "--repeat", "2", "--blend", "0.1")
        made = self.rows("made")
        self.assertEqual(len(made), 37)
        self.assertEqual(made[:17] + made[20:], rows[:17] + rows[3:])
        self.assertFalse(set(made[17:20]) & set(rows))

    def test_gaps_that_are_filled(self):
        rows = self.write("a", 12, gaps=(4, 5))
        self.make("resample", self.name("a"), "-o", self.name("made"), "--rate", "60", "--fill")
        made = self.rows("made")
        self.assertEqual(made[0:7:2] + made[12::2], rows[:4] + rows[6:])
        self.assertNotIn("nan", "".join(made))

    def test_a_cut_that_is_resampled(self):
        rows = self.write("a", 12)
        self.run_posemill("edit", self.name("a"), "-o", self.name("made"), "--cut", "2f:9f", "--rate", "60")
        self.assertEqual(self.rows("made")[::2], rows[2:10])


class Bvh(Text):
    def name(self, stem):
        return f"{stem}.bvh"

    def write(self, stem, count, gaps=(), hierarchy=HIERARCHY):
        rows = [" ".join("nan" if k in gaps and c == 7 else self.number() for c in range(12)) for k in range(count)]
        text = "\n".join([f"{hierarchy}MOTION", f"Frames: {count}", "Frame Time: 0.0333333", *rows, ""])
        (self.folder / self.name(stem)).write_text(text)
        return rows

    def rows(self, stem):
        lines = (self.folder / self.name(stem)).read_text().splitlines()
        return lines[next(i for i, line in enumerate(lines) if line.startswith("Frame Time")) + 1:]

    def test_files_that_are_joined(self):
        a, b = self.write("a", 5), self.write("b", 4)
        self.make("join", "a.bvh", "b.bvh", "a.bvh", "-o", "made.bvh")
        self.assertEqual(self.rows("made"), a + b + a)

    def test_a_part_of_joined_files_by_other_names(self):
        a, b = self.write("a", 5), self.write("b", 4)
        self.make("join", "a.bvh", "b.bvh", "-o", "both.bvh")
        self.make("edit", "both.bvh", "-o", "made.bvh", "--cut", "3f:6f", "--rename", "Leg=Foot")
        self.assertEqual(self.rows("made"), (a + b)[3:7])

    def test_joined_files_with_other_orders_are_computed(self):
        a = self.write("a", 5)
        self.write("b", 4, hierarchy=HIERARCHY.replace("Yrotation Xrotation Zrotation", "Zrotation Yrotation Xrotation"))
        self.make("join", "a.bvh", "b.bvh", "-o", "made.bvh")
        made, b = self.rows("made"), self.rows("b")
        self.assertEqual(made[:5], a)
        numbers = np.array([row.split() for row in made[5:]], float)
        wanted = np.array([row.split() for row in b], float)
        self.assertLess(np.abs(numbers[:, :3] - wanted[:, :3]).max(), 1e-6)
        self.assertGreater(np.abs(numbers[:, 9:] - wanted[:, 9:]).max(), 1)

    def test_samples_on_frames_that_a_step_changed_are_these_frames(self):
        """To the last digit: those between are single precision. Angles may go another way round."""
        self.write("a", 9, hierarchy=HIERARCHY.replace("JOINT Leg", "JOINT RightLeg").replace("Spine", "LeftLeg"))
        self.make("mirror", "a.bvh", "-o", "mirrored.bvh", "--plane", "x")
        self.make("mirror", "a.bvh", "-o", "faster.bvh", "--rate", "x2", "--plane", "x")
        mirrored, faster = ([row.split()[:3] for row in self.rows(stem)] for stem in ("mirrored", "faster"))
        self.assertEqual(faster[::2], mirrored)

    def test_numbers_beside_scaled_ones(self):
        rows = self.write("a", 6)
        self.make("convert", "a.bvh", "-o", "made.bvh", "--scale", "0.5")
        for made, row in zip(self.rows("made"), rows, strict=True):
            self.assertEqual(made.split()[3:], row.split()[3:])
            self.assertLess(np.abs(np.array(made.split()[:3], float) * 2 - np.array(row.split()[:3], float)).max(), 2e-6)


class Csv(Text):
    def name(self, stem):
        return f"{stem}.csv"

    def write(self, stem, count, gaps=()):
        rows = []
        for k in range(count):
            half = 0.1 * k
            turn = [f"{x:.7f}" for x in (0, 0, np.sin(half), np.cos(half))]
            joints = [self.number() for _ in range(3)]
            joints[1] = "nan" if k in gaps else joints[1]
            rows.append(",".join([*(self.number() for _ in range(3)), *turn, *joints]))
        (self.folder / self.name(stem)).write_text("\n".join(rows) + "\n")
        return rows

    def rows(self, stem):
        return (self.folder / self.name(stem)).read_text().splitlines()


class Npz(Case):
    FRAMES = 12

    def write(self, stem, frames=FRAMES, **others):
        numbers = np.random.default_rng(self.random.randrange(2**32))
        arrays = {"poses": numbers.normal(0, 0.4, (frames, 156)), "trans": numbers.normal(0, 1, (frames, 3)),
                  "betas": np.zeros(16), "gender": np.array("female"), "mocap_framerate": np.array(30.0),
                  "dmpls": numbers.normal(0, 1, (frames, 8)), **others}
        np.savez(self.folder / f"{stem}.npz", **arrays)
        return arrays

    def expect(self, stem, *parts):
        """The rows of the parts, to the bit."""
        made = np.load(self.folder / f"{stem}.npz")
        for name in ("poses", "trans", "dmpls"):
            wanted = np.vstack([rows[name] for rows in parts])
            self.assertEqual(made[name].dtype, wanted.dtype)
            self.assertEqual(made[name].tobytes(), wanted.tobytes(), name)

    @staticmethod
    def part(arrays, begin, end):
        return {name: arrays[name][begin:end] for name in ("poses", "trans", "dmpls")}

    def test_a_cut_that_is_repeated(self):
        a = self.write("a")
        self.make("edit", "a.npz", "-o", "made.npz", "--cut", "3f:8f", "--repeat", "2")
        self.expect("made", self.part(a, 3, 9), self.part(a, 3, 9))

    def test_a_cut_that_is_resampled(self):
        a = self.write("a")
        self.run_posemill("edit", "a.npz", "-o", "made.npz", "--cut", "3f:8f", "--rate", "60")
        made = np.load(self.folder / "made.npz")
        for name in ("poses", "trans"):
            self.assertEqual(made[name][::2].tobytes(), a[name][3:9].tobytes(), name)

    def test_a_repeat_with_a_crossfade(self):
        a = self.write("a", 20)
        self.make("edit", "a.npz", "-o", "made.npz", "--repeat", "2", "--blend", "0.1")
        made = np.load(self.folder / "made.npz")
        for name in ("poses", "trans"):
            self.assertEqual(made[name][:17].tobytes(), a[name][:17].tobytes(), name)
            self.assertEqual(made[name][20:].tobytes(), a[name][3:].tobytes(), name)

    def test_files_that_are_joined(self):
        a, b, c = self.write("a"), self.write("b", 7), self.write("c", 5)
        self.make("join", "a.npz", "b.npz", "c.npz", "b.npz", "-o", "made.npz")
        self.expect("made", a, b, c, b)


class Gltf(Case):
    def times(self, stem):
        """The bounds of times that the file states, and those that it has."""
        data = (self.folder / f"{stem}.glb").read_bytes()
        size = int.from_bytes(data[12:16], "little")
        document, binary = json.loads(data[20:20 + size]), data[28 + size:]
        for index in {s["input"] for a in document["animations"] for s in a["samplers"]}:
            accessor = document["accessors"][index]
            at = document["bufferViews"][accessor["bufferView"]].get("byteOffset", 0) + accessor.get("byteOffset", 0)
            values = np.frombuffer(binary, "<f4", accessor["count"], at).astype(float)
            yield [*accessor["min"], *accessor["max"]], [values.min(), values.max()]

    def test_bounds_of_times_are_those_of_the_times(self):
        """In single precision, as validators of glTF compare them."""
        self.make("convert", WALK, "-o", "walk.glb")
        for stem, words in (("cut", ("edit", "walk.glb", "--cut", "0.31:1.07")), ("joined", ("join", "walk.glb", "walk.glb")),
                            ("reduced", ("reduce", "walk.glb", "--angle", "1")),
                            ("faster", ("resample", "walk.glb", "--rate", "47.3"))):
            self.make(*words, "-o", f"{stem}.glb")
            found = list(self.times(stem))
            self.assertTrue(found)
            for stated, real in found:
                self.assertEqual(stated, real, stem)


class Runs(Case):
    """Steps in any order, each as often as it is named."""

    def run_steps(self, *words, code=0):
        return self.run_posemill("run", WALK, *words, code=code)

    def same(self, one, other):
        self.assertEqual((self.folder / one).read_bytes(), (self.folder / other).read_bytes())

    def test_the_steps_of_verbs(self):
        self.run_steps("-o", "a.bvh", "cut", "--cut", "10f:20f", "repeat", "--repeat", "2")
        self.make("edit", WALK, "-o", "b.bvh", "--cut", "10f:20f", "--repeat", "2")
        self.same("a.bvh", "b.bvh")
        self.run_steps("-o", "c.bvh", "resample", "--rate", "50", "--method", "squad")
        self.make("resample", WALK, "-o", "d.bvh", "--rate", "50", "--method", "squad")
        self.same("c.bvh", "d.bvh")

    def test_a_step_that_is_taken_twice(self):
        self.run_steps("-o", "a.bvh", "mirror", "cut", "--cut", "3f:9f", "mirror")
        self.make("mirror", WALK, "-o", "b.glb")
        self.run_posemill("run", "b.glb", "-o", "c.glb", "mirror", "cut", "--cut", "3f:9f")
        self.run_posemill("compare", "a.bvh", "c.glb", "--tolerance", "0.01,0.01")

    def test_steps_behind_a_resampling(self):
        rows = WALK.read_text().splitlines()[-61:]
        self.run_steps("-o", "a.bvh", "resample", "--rate", "60", "cut", "--cut", "10f:30f", "resample", "--rate", "30")
        self.assertEqual((self.folder / "a.bvh").read_text().splitlines()[-11:], [" ".join(r.split()) for r in rows[5:16]])

    def test_what_is_no_step_or_no_option_of_one(self):
        self.assertIn("--rate: is no option of the step mirror",
                      self.run_steps("-o", "x.bvh", "mirror", "--rate", "3", code=2).stderr)
        self.assertIn("step: missing", self.run_steps("-o", "x.bvh", code=2).stderr)
        self.assertIn("rate: is missing", self.run_steps("-o", "x.bvh", "resample", code=2).stderr)

    def test_a_file_that_is_named_like_a_step(self):
        (self.folder / "mirror").write_text(WALK.read_text())
        self.run_posemill("run", "./mirror", "-o", "x.bvh", "cut", "--cut", ":3f")

    def test_a_batch(self):
        words = ("run", "--out-dir", "out", WALK, "--resume", "mirror", "cut", "--cut")
        self.assertIn("1 done", self.run_posemill(*words, ":9f").stdout)
        self.assertIn("1 kept", self.run_posemill(*words, ":9f").stdout)
        self.assertIn("1 done", self.run_posemill(*words, ":8f").stdout)


del Text

if __name__ == "__main__":
    command_case.main()
