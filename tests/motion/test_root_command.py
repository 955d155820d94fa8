#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`posemill convert --extract-root` and the same of resample: what they write, print and refuse.

usage: test_root_command.py POSEMILL DATA"""
import json
import os
from pathlib import Path

import command_case
from command_case import ARGUMENTS, WALK, Case

DATA = Path(os.environ.get("POSEMILL_DATA") or ARGUMENTS[0])

WRAPPED = """HIERARCHY
ROOT Wrapper
{
    OFFSET 0 0 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT Hips
    {
        OFFSET 0 9 0
        CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
        End Site
        {
            OFFSET 0 1 0
        }
    }
}
MOTION
Frames: 3
Frame Time: 0.5
0 0 0 0 9 0 0 0 0
0 0 0 1 9 60 0 0 45
0 0 0 0 9 118.7 0 0 90
"""


class RootCommand(Case):
    def extract(self, verb, source, out, *words):
        return json.loads(self.run_posemill(verb, source, "-o", out, "--json", *words).stdout)["root"]

    def fails(self, *words, says):
        done = self.run_posemill(*words, code=None)
        self.assertIn(done.returncode, (2, 4), (words, done.stdout, done.stderr))
        self.assertIn(says, done.stderr)

    def joints(self, a, b):
        """The distances and the angles of joints between two files, by name."""
        found = json.loads(self.run_posemill("compare", a, b, "--json").stdout)
        return {j["name"]: (j["max_distance"], j["max_degrees"]) for j in found["joints"]}

    def test_joints_keep_their_places_in_all_formats(self):
        for out in ("out.bvh", "out.glb", "out.npz"):
            root = self.extract("convert", WALK, out, "--extract-root", "Hips", "--overwrite")
            self.assertEqual((root["joint"], root["is_added"], root["up"]), ("Hips", True, "y"))
            self.assertAlmostEqual(root["degrees"], 360, 3)
            joints = self.joints(WALK, out)
            self.assertEqual(len(joints), 21)
            self.assertLess(max(distance for distance, _ in joints.values()), 2e-4)
            self.assertLess(max(angle for joint, (_, angle) in joints.items() if joint != "Hips"), 2e-4)
            self.assertGreater(joints["Hips"][1], 90) # relative to the root, which turns

    def test_the_first_joint_that_moves_is_found(self):
        rows = WALK.read_text().split("\n")
        first = rows.index("MOTION") + 3
        for k, row in enumerate(rows[first:]):  # walks on, by more than a twentieth of its size
            x, y, z, *angles = row.split() or [0, 0, 0]
            rows[first + k] = " ".join([str(x), str(y), str(float(z) + k), *angles]) if row else row
        (self.folder / "on.bvh").write_text("\n".join(rows))
        by_name = self.extract("convert", "on.bvh", "a.bvh", "--extract-root", "Hips")
        self.assertEqual(self.extract("convert", "on.bvh", "b.bvh", "--extract-root", "auto"), by_name)
        done = self.run_posemill("convert", WALK, "-o", "c.bvh", "--extract-root", "auto", code=2)
        self.assertIn("no position travels by a twentieth of the figure's size", done.stderr)
        self.assertEqual((self.folder / "a.bvh").read_bytes(), (self.folder / "b.bvh").read_bytes())

    def test_a_resampled_root_is_that_of_the_samples(self):
        root = self.extract("resample", WALK, "moving.bvh", "--rate", "60", "--extract-root", "Hips")
        self.run_posemill("resample", WALK, "-o", "plain.bvh", "--rate", "60")
        self.assertAlmostEqual(root["degrees"], 360, 3)
        joints = self.joints("plain.bvh", "moving.bvh")
        self.assertLess(max(distance for distance, _ in joints.values()), 2e-4)

    def test_a_root_that_stands_is_reported_and_moves_then(self):
        (self.folder / "wrapped.bvh").write_text(WRAPPED)
        said = self.run_posemill("info", "wrapped.bvh").stdout
        self.assertIn("'Hips' moves away, and 'Wrapper', the root above it, does not", said)
        root = self.extract("convert", "wrapped.bvh", "moving.bvh", "--extract-root", "Hips", "--up", "y")
        self.assertEqual(root["is_added"], False)
        self.assertAlmostEqual(root["distance"], 118.7, 1)
        self.assertAlmostEqual(root["degrees"], 90, 6)
        said = self.run_posemill("info", "moving.bvh").stdout
        self.assertNotIn("moves away", said)

    def test_options_say_what_the_root_receives(self):
        (self.folder / "wrapped.bvh").write_text(WRAPPED)
        common = ("--extract-root", "Hips", "--up", "y", "--overwrite")
        for words, distance, degrees in ((("--root-axes", "z"), 118.7, 90), (("--root-axes", "x"), 2, 90),
                                         (("--keep-heading", "--root-axes", "z"), 118.7, 0),
                                         (("--keep-position",), 0, 90)):
            root = self.extract("convert", "wrapped.bvh", "out.bvh", *common, *words)
            self.assertAlmostEqual(root["distance"], distance, 6)
            self.assertAlmostEqual(root["degrees"], degrees, 6)
        root = self.extract("convert", "wrapped.bvh", "out.bvh", *common, "--root-node", "new")
        self.assertEqual(root["is_added"], True)
        self.assertIn("ROOT root\n", (self.folder / "out.bvh").read_text())
        root = self.extract("convert", "wrapped.bvh", "out.bvh", *common, "--root-node", "Wrapper")
        self.assertEqual(root["is_added"], False)
        self.extract("convert", "wrapped.bvh", "z.bvh", "--extract-root", "Hips", "--up", "z")

    def test_meshes_are_listed_as_left_out(self):
        fox = DATA / "gltf/Fox.glb"
        if not fox.is_file():
            self.skipTest(f"{fox} is not there")
        said = self.run_posemill("convert", fox, "-o", "fox.glb", "--extract-root", "b_Hip_01").stdout
        self.assertIn("left out: 1 mesh", said)
        self.fails("convert", fox, "-o", "no.glb", "--extract-root", "b_Hip_01", "--strict", says="1 mesh")

    def test_batches_redo_what_has_another_root(self):
        (self.folder / "in").mkdir()
        (self.folder / "in" / "wrapped.bvh").write_text(WRAPPED)
        words = ("convert", "in", "--out-dir", "out", "--resume", "--extract-root", "Hips")
        self.assertIn("1 done", self.run_posemill(*words).stdout)
        first = (self.folder / "out/wrapped.bvh").read_bytes()
        self.assertIn("1 kept", self.run_posemill(*words).stdout)
        self.assertIn("1 done", self.run_posemill(*words, "--keep-heading").stdout)
        self.assertNotEqual(first, (self.folder / "out/wrapped.bvh").read_bytes())
        self.fails("resample", "in", "--out-dir", "other", "--rate", "4", "--extract-root", "Hips",
                   "--report", "pages", says="--extract-root")

    def test_what_makes_no_sense_is_refused(self):
        (self.folder / "wrapped.bvh").write_text(WRAPPED)
        for words, says in (
                (("--extract-root", "Pelvis"), "no joint is named 'Pelvis'"),
                (("--extract-root", "Hips", "--root-node", "Hips"), "'Hips' is not above the joint"),
                (("--extract-root", ""), "empty"), (("--root-axes", "xz"), "requires --extract-root"),
                (("--root-node", "new"), "requires --extract-root"),
                (("--keep-heading",), "requires"), (("--keep-position",), "requires"),
                (("--extract-root", "Hips", "--root-axes", "xx"), "axes such as xz"),
                (("--extract-root", "Hips", "--root-axes", "w"), "axes such as xz"),
                (("--extract-root", "Hips", "--up", "x"), "x"),
                (("--extract-root", "Hips", "--keep-position", "--root-axes", "x"), "--root-axes"),
                (("--extract-root", "Hips", "--keep-position", "--keep-heading"), "nothing")):
            self.fails("convert", "wrapped.bvh", "-o", "no.bvh", *words, says=says)
        self.assertFalse((self.folder / "no.bvh").exists())


if __name__ == "__main__":
    command_case.main()
