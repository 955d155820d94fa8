#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`posemill mirror`, `join`, `edit` and `resample --fill` on files, USD that is written, and Acclaim that is read.

usage: test_edit_command.py POSEMILL DATA
"""
import json
import math
import re
import unittest
from pathlib import Path

import command_case
from command_case import ARGUMENTS, WALK

np = command_case.require_numpy()
from rotations import matrices

DATA = Path(ARGUMENTS[0])


def rows_of(path):
    """The lines of a BVH behind its frame time."""
    lines = Path(path).read_text().splitlines()
    return lines[next(i for i, line in enumerate(lines) if line.startswith("Frame Time")) + 1:]


class Case(command_case.Case):
    def make(self, *words, code=0):
        return self.run_posemill(*words, code=code)

    def refused(self, *words, code, says):
        done = self.run_posemill(*words, code=code)
        self.assertIn(says, done.stderr)
        return done

    def with_rows(self, name, change):
        """The walk with changed rows."""
        lines = WALK.read_text().splitlines()
        first = len(lines) - len(rows_of(WALK))
        rows = [line.split() for line in lines[first:]]
        change(rows)
        path = self.folder / name
        path.write_text("\n".join(lines[:first] + [" ".join(row) for row in rows]) + "\n")
        return path


class Mirrors(Case):
    def test_the_report_names_pairs_and_joints_without_a_partner(self):
        source = self.folder / "one.bvh"
        source.write_text(WALK.read_text().replace("RightToe", "Paw").replace("LeftToe", "LeftFlipper"))
        done = self.make("mirror", source, "-o", "out.bvh")
        self.assertIn("7 pairs: LeftCollar = RightCollar", done.stdout)
        self.assertIn("no partner: LeftFlipper", done.stdout)
        report = json.loads(self.make("mirror", source, "out.bvh", "--json", "--overwrite").stdout)
        self.assertIn("7 pairs", report["edited"])

    def test_pairs_of_a_file_and_planes(self):
        pairs = self.folder / "pairs.txt"
        pairs.write_text("LeftUpLeg\tRightUpLeg\nLeftLeg RightLeg\r\n\nLeftFoot RightFoot\nLeftToe RightToe\n")
        done = self.make("mirror", WALK, "-o", "out.glb", "--pairs", pairs, "--plane", "z")
        self.assertIn("4 pairs", done.stdout)
        pairs.write_text("LeftUpLeg Rightupleg\n")
        self.refused("mirror", WALK, "-o", "x.glb", "--pairs", pairs, code=4, says="line 1: no joint is named 'Rightupleg'")
        pairs.write_text("LeftLeg RightLeg\nLeftLeg RightFoot\n")
        self.refused("mirror", WALK, "-o", "x.glb", "--pairs", pairs, code=4, says="line 2")
        pairs.write_text("LeftLeg RightFoot\n")
        self.refused("mirror", WALK, "-o", "x.glb", "--pairs", pairs, code=4, says="hang on joints that are no pair")
        self.refused("mirror", WALK, "-o", "x.glb", "--plane", "w", code=2, says="expected one of: x y z")

    @unittest.skipUnless(DATA.is_dir(), "the test data are not there")
    def test_a_figure_whose_sides_lie_along_z_walks_on(self):
        source = DATA / "reports4/sides_along_z.bvh"
        done = self.make("mirror", source, "-o", "out.bvh")
        self.assertIn("plane z found from 1 of 1 pairs", done.stdout)
        before, after = (np.loadtxt(rows_of(path)) for path in (source, self.folder / "out.bvh"))
        self.assertTrue(np.array_equal(after[:, :6], before[:, :6]))
        self.assertLess(np.abs(after[:, 6:] - np.hstack([before[:, 9:], -before[:, 6:9]])).max(), 2e-6)

    @unittest.skipUnless(DATA.is_dir(), "the test data are not there")
    def test_public_skeletons_have_pairs_and_a_plane(self):
        for name, says in (("gltf/Fox.glb", "7 pairs; 12 in the middle; plane x found from 7 of 7 pairs"),
                           ("bvh/freebvh_mixamorig.bvh", "24 pairs; 7 in the middle; plane x found from 24 of 24 pairs"),
                           ("bvh/makehuman_walk1.bvh", "31 pairs; 13 in the middle; plane x found from 31 of 31 pairs"),
                           ("bvh/mocapbank.bvh", "7 pairs; 5 in the middle; plane x found from 6 of 7 pairs; LeftAnkle and "
                                                 "RightAnkle are 1.95 from mirror images at rest")):
            done = self.make("mirror", DATA / name, "-o", "out.glb", "--overwrite")
            self.assertIn(says, re.sub(r"pairs: [^;]*;", "pairs;", done.stdout))

    def test_robots_are_referred_to_their_skeleton(self):
        (self.folder / "robot.csv").write_text("0,0,1,0,0,0,1,0.5,0.25\n" * 2)
        self.refused("mirror", "robot.csv", "-o", "x.csv", "--source-rate", "30", code=4, says="Motion.mirror(robot=...)")

    @unittest.skipUnless(DATA.is_dir(), "the test data are not there")
    def test_meshes_of_gltf_remain(self):
        source = DATA / "gltf/Fox.glb"
        names = [f"b_{side}{joint}" for joint in ("UpperArm", "ForeArm", "Hand") for side in ("Left", "Right")]
        self.make("convert", source, "fox.gltf")
        nodes = [node["name"] for node in json.loads((self.folder / "fox.gltf").read_text())["nodes"]]
        found = {name: next(n for n in nodes if n.startswith(name)) for name in names}
        pairs = self.folder / "pairs.txt"
        pairs.write_text("".join(f"{found[a]} {found[b]}\n" for a, b in zip(names[::2], names[1::2])))
        self.make("mirror", source, "-o", "m.glb", "--pairs", pairs)
        self.make("convert", "m.glb", "m.gltf")
        mirrored = json.loads((self.folder / "m.gltf").read_text())
        self.assertEqual(len(mirrored["meshes"]), 1)
        self.assertEqual(len(mirrored["animations"]), 3)
        self.make("mirror", "m.glb", "-o", "again.glb", "--pairs", pairs)
        self.make("compare", source, "again.glb", "--tolerance", "0.001,0.001")
        self.make("compare", source, "m.glb", "--tolerance", "1,1", code=1)


class Joins(Case):
    def test_frames_follow_each_other(self):
        done = self.make("join", WALK, WALK, "-o", "two.bvh")
        self.assertIn("2 motions -> two.bvh: 21 nodes, 122 frames", done.stdout)
        both = np.loadtxt(rows_of(self.folder / "two.bvh"))
        walk = np.loadtxt(rows_of(WALK))
        apart = both - np.vstack([walk, walk])
        apart[:, 3:] = np.remainder(apart[:, 3:] + 180, 360) - 180  # angles keep their branch from frame to frame
        self.assertLess(np.abs(apart).max(), 2e-6)
        self.make("join", WALK, WALK, WALK, "-o", "three.glb", "--blend", "0.2", "--continue-root")
        self.assertIn("171 keys", self.make("info", "three.glb").stdout)

    def test_wrong_arguments_are_refused(self):
        self.refused("join", WALK, "-o", "x.bvh", code=2, says="expected two motion files")
        self.refused("join", WALK, WALK, code=2, says="expected -o OUT")
        self.refused("join", WALK, WALK, "-o", "x.bvh", "--blend", "9", code=4, says="longer than half")
        self.make("resample", WALK, "-o", "w60.bvh", "--rate", "60", "--device", "none")
        self.refused("join", WALK, "w60.bvh", "-o", "x.bvh", code=4, says="w60.bvh: has 60 Hz")
        self.refused("join", "w60.bvh", WALK, "-o", "w60.bvh", code=6, says="would be overwritten")
        self.refused("join", "-", WALK, "-", "-o", "x.bvh", code=2, says="2 are standard input, which can be read once")
        self.assertFalse((self.folder / "x.bvh").exists())


class Edits(Case):
    def test_joints_are_renamed_in_the_text_of_the_file(self):
        self.make("edit", WALK, "-o", "out.bvh", "--rename", "Hips=Pelvis", "--rename", "LeftToe=Toe {1}")
        expected = WALK.read_text().replace("ROOT Hips", "ROOT Pelvis").replace("LeftToe", "Toe _1_")
        made = (self.folder / "out.bvh").read_text()
        self.assertEqual(made[:made.index("MOTION")], expected[:expected.index("MOTION")])

    def test_batches_edit_each_file(self):
        takes = self.folder / "takes"
        takes.mkdir()
        for name in ("a.bvh", "b.bvh"):
            (takes / name).write_text(WALK.read_text())
        self.make("edit", takes, "--out-dir", "short", "--cut", "0:1")
        for name in ("a.bvh", "b.bvh"):
            self.assertEqual(rows_of(self.folder / "short" / name), rows_of(WALK)[:31])
        self.make("edit", takes, "--out-dir", "short", "--cut", "0:0.5", "--resume")
        self.assertEqual(rows_of(self.folder / "short/a.bvh"), rows_of(WALK)[:16])
        self.make("mirror", takes, "--out-dir", "mirrored", "--to", "glb")
        self.make("compare", takes / "a.bvh", "mirrored/a.glb", "--tolerance", "1,1", code=1)

    def test_wrong_arguments_are_refused(self):
        for cut in ("3", "2:1", "1f:2s", "1.5f:3f", ":", "x:y", "-1:2"):
            self.refused("edit", WALK, "-o", "x.bvh", f"--cut={cut}", code=2, says="frames such as 10f:40f")
        self.refused("edit", WALK, "-o", "x.bvh", "--cut", "61f:", code=4, says="no frame is in the part")
        self.refused("edit", WALK, "-o", "x.bvh", "--joints", "Hips,,Spine", code=2, says="--joints")
        self.refused("edit", WALK, "-o", "x.bvh", "--joints", "Tail", code=4, says="no joint is named 'Tail'")
        self.refused("edit", WALK, "-o", "x.bvh", "--rename", "Hips", code=2, says="expected OLD=NEW")
        self.refused("edit", WALK, "-o", "x.bvh", "--blend", "0.1", code=2, says="repeat")


class Roots(Case):
    def extract(self, up, *words, code=0):
        return self.run_posemill("convert", *words, "-o", f"{up}.bvh", "--extract-root", "Hips", "--up", up, code=code)

    def test_roots_are_reported(self):
        for up in "yz":
            root = json.loads(self.extract(up, WALK, "--json").stdout)["root"]
            self.assertEqual((root["joint"], root["is_added"], root["up"]), ("Hips", True, up))
        said = self.run_posemill("resample", WALK, "-o", "a.bvh", "--rate", "60", "--extract-root", "Hips").stdout
        self.assertIn("root", said)
        for axes in ("xx", "w"):
            self.assertIn("axes such as xz", self.extract("y", WALK, "--root-axes", axes, code=2).stderr)

    def test_a_root_that_stands_is_noted_until_it_moves(self):
        (self.folder / "still.bvh").write_text(
            "HIERARCHY\nROOT Wrapper\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nJOINT Hips\n{\n"
            "OFFSET 0 9 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\nEnd Site\n{\n"
            "OFFSET 0 1 0\n}\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.5\n0 0 0 0 9 0 0 0 0\n0 0 0 0 9 118.7 0 0 90\n")
        noted = "'Hips' moves away, and 'Wrapper', the root above it, does not"
        self.assertIn(noted, self.run_posemill("info", "still.bvh").stdout)
        root = json.loads(self.extract("y", "still.bvh", "--json").stdout)["root"]
        self.assertEqual((root["is_added"], round(root["distance"], 4), round(root["degrees"], 4)), (False, 118.7, 90))
        self.assertNotIn(noted, self.run_posemill("info", "y.bvh").stdout)


class Names(Case):
    def test_joints_without_a_name_are_numbered(self):
        self.make("convert", WALK, "a.gltf")
        document = json.loads((self.folder / "a.gltf").read_text())
        for node in document["nodes"]:
            del node["name"]
        (self.folder / "a.gltf").write_text(json.dumps(document))
        done = self.make("compare", "a.gltf", "a.gltf")
        for number in range(21):
            self.assertRegex(done.stdout, rf"(?m)^joint {number} ")
        done = self.make("resample", "a.gltf", "-o", "x.glb", "--rate", "5", "--device", "none")
        self.assertRegex(done.stdout, r"degrees rms at 'joint \d+'")


class Fills(Case):
    def test_gaps_of_every_format_are_filled(self):
        def spoil(rows):
            for row in rows[20:24]:
                row[9] = "nan"
        source = self.with_rows("gaps.bvh", spoil)
        self.refused("resample", source, "-o", "x.bvh", "--rate", "60", "--device", "none", code=4, says="not a finite number")
        done = self.make("resample", source, "-o", "out.bvh", "--rate", "x1", "--device", "none", "--fill")
        self.assertIn("filled: 1 gap of 4 keys that were not finite", done.stdout)
        self.assertIn("57 of them copied from the source", done.stdout)
        rows = np.loadtxt(rows_of(self.folder / "out.bvh"))
        walk = np.loadtxt(rows_of(WALK))
        self.assertLess(np.abs(rows - walk).max(), 3)
        other = np.r_[0:20, 24:len(walk)]
        self.assertLess(np.abs(rows[other] - walk[other]).max(), 2e-6)

    def test_long_gaps_and_frozen_joints(self):
        def hold(rows):
            for row in rows[11:26]:
                row[9:12] = rows[10][9:12]
        source = self.with_rows("frozen.bvh", hold)
        words = ("resample", source, "-o", "out.bvh", "--rate", "x1", "--device", "none")
        self.refused(*words, "--fill=frozen:5", code=4, says="has a gap of 0.533333 s at 0.366667 s")
        done = self.make(*words, "--fill=frozen:5", "--fill-max", "0.6")
        self.assertIn("1 gap of 15 frozen keys", done.stdout)
        self.assertIn("0 gaps", self.make(*words, "--fill").stdout)
        for wrong in ("frozen", "frozen:0", "jumps:0", "jumps:181", "jumps:", "nan,", "nan,jump"):
            self.refused(*words, f"--fill={wrong}", code=2, says="expected nan, frozen:N")
        self.refused(*words, "--fill-max", "1", code=2, says="requires --fill")


    def test_jumps_are_named(self):
        def flip(rows):
            for row in rows[20:23]:
                row[9] = str(float(row[9]) + 180)
            for row in rows[40:]:
                row[12] = str(float(row[12]) + 120)
        source = self.with_rows("off.bvh", flip)
        words = ("resample", source, "-o", "out.bvh", "--rate", "x1", "--device", "none")
        plain = self.make(*words)
        self.assertNotIn("jump", plain.stdout)
        done = self.make(*words, "--fill=frozen:50,jumps", "--overwrite")
        self.assertRegex(done.stdout, r"jumps above 30 degrees: 1 repaired: 'Chest' by 180 degrees at key 20 "
                                      r"\(0.666667 s\), 3 keys; 1 stay as they are: 'Neck' by 120 degrees at key 40")
        self.assertEqual(rows_of(self.folder / "out.bvh")[:20], rows_of(source)[:20])
        self.assertEqual(rows_of(self.folder / "out.bvh")[23:], rows_of(source)[23:])
        rows, walk = (np.loadtxt(rows_of(path)) for path in (self.folder / "out.bvh", WALK))
        self.assertLess(np.abs(rows[20:23] - walk[20:23]).max(), 3)
        self.make("run", source, "-o", "run.bvh", "fill", "--fill=jumps")
        self.assertEqual(rows_of(self.folder / "run.bvh"), rows_of(self.folder / "out.bvh"))
        self.assertIn("1 jumps come back, which resample --fill=jumps repairs: 'Chest'", self.make("info", source).stdout)

    def test_records_of_batches_name_jumps(self):
        def flip(rows):
            for row in rows[20:23]:
                row[9] = str(float(row[9]) + 180)
        self.with_rows("off.bvh", flip)
        done = self.make("resample", "off.bvh", "--out-dir", "out", "--rate", "x1", "--fill=jumps", "--json")
        warnings = json.loads(done.stdout.splitlines()[0])["warnings"]
        self.assertRegex("|".join(warnings), r"1 jump repaired: 'Chest' by 180 degrees at key 20")

    @unittest.skipUnless(DATA.is_dir(), "the test data are not there")
    def test_what_info_counts_is_what_is_repaired_or_left(self):
        found = {}
        for path in sorted((DATA / "bvh").glob("*.bvh")):
            clip, = json.loads(self.make("info", path, "--json").stdout)["clips"]
            report = json.loads(self.make("resample", path, "-o", "out.bvh", "--rate", "x1", "--fill=jumps", "--json",
                                          "--device", "none", "--overwrite").stdout)
            jumps = clip["jumps"]
            self.assertEqual(jumps, report.get("jumps", []), path.name)
            self.assertEqual(clip["begins_with_jump"], any(jump["kind"] == "start" for jump in jumps))
            off = {frame for jump in jumps for frame in range(jump["key"], jump["key"] + jump["keys"])}
            self.assertEqual(report["kept_frames"], report["frames"] - len(off))
            before, after = rows_of(path), rows_of(self.folder / "out.bvh")
            changed = {k for k, (a, b) in enumerate(zip(before, after)) if a.split() != b.split()}
            self.assertEqual(changed, off, path.name)
            found[path.name] = {kind: sum(jump["kind"] == kind for jump in jumps) for kind in ("back", "stays", "start")}
        # The thumb of one take flips by a half turn, some toes and fingers are off in single frames; three takes begin
        # with a T-pose; and a list of poses jumps, as it is no motion. Fast motions are left alone.
        self.assertEqual({name: counts for name, counts in found.items() if any(counts.values())}, {
            "cmu_01_01.bvh": {"back": 0, "stays": 0, "start": 5},
            "cmu_01_03.bvh": {"back": 20, "stays": 4, "start": 7},
            "cmu_12_01_walk_mixed_eol.bvh": {"back": 0, "stays": 0, "start": 6},
            "makehuman_face_poseunits.bvh": {"back": 12, "stays": 3, "start": 0}})


class BodyModels(Case):
    """AMASS stays AMASS: what is no motion remains, and what is keeps its members."""
    FRAMES = 24
    JOINTS = {"amass": 52, "amass-x": 55}

    def write(self, layout, name, spoil=None):
        """A file of the layout with smooth turns, and the arrays that it has."""
        random = np.random.default_rng(command_case.SEED)
        t = np.arange(self.FRAMES)[:, None] / 60
        count = 3 * self.JOINTS[layout]
        poses = 0.4 * np.sin(t * random.uniform(1, 4, count) + random.uniform(0, 6, count))
        arrays = {"poses": poses, "trans": np.hstack([t, -2 * t, 1 + 0 * t]), "betas": np.linspace(-1, 1, 16),
                  "gender": np.array("female"), "anything": np.arange(5)}
        if layout == "amass":
            arrays.update(dmpls=random.normal(size=(self.FRAMES, 8)), mocap_framerate=np.float64(60))
        else:
            arrays.update(root_orient=poses[:, :3], pose_body=poses[:, 3:66], pose_jaw=poses[:, 66:69],
                          pose_eye=poses[:, 69:75], pose_hand=poses[:, 75:], mocap_frame_rate=60,
                          surface_model_type=np.array("smplx"))
        if spoil is not None:
            arrays = {key: np.array(value, copy=True) for key, value in arrays.items()}
            arrays["poses"][spoil, 9:12] = np.nan
            if layout == "amass-x":
                arrays["pose_body"][spoil, 6:9] = np.nan
        np.savez(self.folder / name, **arrays)
        return arrays

    def made(self, source, frames, name="made.npz"):
        """What was written: the members of the source, those that are no motion with their bytes."""
        made = np.load(self.folder / name)
        self.assertEqual(list(made.files), list(source))
        for key, value in source.items():
            if np.ndim(value) > 1:
                self.assertEqual(made[key].shape, (frames, *value.shape[1:]), key)
                self.assertEqual(made[key].dtype, value.dtype, key)
            elif "rate" not in key:
                self.assertTrue(np.array_equal(made[key], value), key)
        return made

    def each(self):
        for layout, model in (("amass", "smplh"), ("amass-x", "smplx")):
            for words in ((), ("--skeleton", model)):
                yield layout, words

    @staticmethod
    def partner(joints):
        """The joint of the other side, by the models' order."""
        pairs = [(1, 2), (4, 5), (7, 8), (10, 11), (13, 14), (16, 17), (18, 19), (20, 21)]
        first = 22 if joints == 52 else 25
        pairs += [(23, 24)] if joints == 55 else []
        pairs += [(first + i, first + 15 + i) for i in range(15)]
        other = np.arange(joints)
        for a, b in pairs:
            other[a], other[b] = b, a
        return other

    def test_mirrored(self):
        for layout, words in self.each():
            source = self.write(layout, "a.npz")
            self.make("mirror", "a.npz", "-o", "made.npz", "--overwrite", *words)
            made = self.made(source, self.FRAMES)
            joints = self.JOINTS[layout]
            turned = source["poses"].reshape(-1, joints, 3)[:, self.partner(joints)] * [1, -1, -1]
            self.assertLess(np.abs(made["poses"].reshape(-1, joints, 3) - turned).max(), 1e-6)
            self.assertLess(np.abs(made["trans"] - source["trans"] * [-1, 1, 1]).max(), 1e-6)
            if layout == "amass-x":
                self.assertTrue(np.array_equal(made["pose_hand"], made["poses"][:, 75:]))

    def test_bodies_that_differ_are_said(self):
        source = self.write("amass", "a.npz")
        np.savez(self.folder / "b.npz", **{**source, "betas": np.zeros(16), "gender": np.array("male")})
        done = self.make("join", "a.npz", "b.npz", "-o", "made.npz")
        self.assertIn("b.npz: differs from a.npz in what is no motion, of which that is kept: betas, gender", done.stderr)
        self.made(source, 2 * self.FRAMES)
        np.savez(self.folder / "c.npz", **source, phase=np.arange(self.FRAMES))
        done = self.make("join", "c.npz", "c.npz", "-o", "made.npz", "--overwrite")
        self.assertNotIn("left out: ", done.stdout)
        self.assertEqual(np.load(self.folder / "made.npz")["phase"].tolist(), 2 * list(range(self.FRAMES)))

    def joints(self, layout):
        """The joints of the body, with a place where the pelvis rests, about which it turns."""
        self.make("convert", "a.npz", "names.npz", "--skeleton", {"amass": "smplh", "amass-x": "smplx"}[layout], "--overwrite")
        found = np.load(self.folder / "names.npz")
        (self.folder / "joints.json").write_text(json.dumps({
            "names": found["names"].tolist(), "parents": found["parents"].tolist(),
            "offsets": [[0.01, -0.2, 0.03]] + [[0.0, 0.1, 0.0]] * (len(found["names"]) - 1)}))
        return "--skeleton", "joints.json"

    def test_turned_and_changed_otherwise(self):
        """What else is done to a file, its turn is that of the whole file."""
        turn = ("--up", "z", "--to-up", "y", "--overwrite")
        for layout in ("amass", "amass-x"):
            source = self.write(layout, "a.npz")
            words = (*turn, *self.joints(layout))
            self.make("convert", "a.npz", "whole.npz", *words)
            whole = np.load(self.folder / "whole.npz")
            for change, rows in ((("edit", "--cut", "4f:9f"), slice(4, 10)),
                                 (("resample", "--rate", "/2", "--device", "none"), slice(None, None, 2))):
                self.make(change[0], "a.npz", "-o", "made.npz", *change[1:], *words)
                made = self.made(source, len(whole["poses"][rows]))
                for key in ("poses", "trans"):
                    self.assertLess(np.abs(made[key] - whole[key][rows]).max(), 1e-6)

    def test_filled(self):
        gap = slice(10, 13)
        for layout, words in self.each():
            whole, source = self.write(layout, "whole.npz"), self.write(layout, "a.npz", gap)
            done = self.make("resample", "a.npz", "-o", "made.npz", "--rate", "x1", "--fill", "--device", "none",
                             "--overwrite", *words)
            self.assertIn(f"{self.FRAMES - 3} of them copied", done.stdout)
            made = self.made(source, self.FRAMES)
            self.assertLess(np.abs(made["poses"] - whole["poses"]).max(), 0.01)
            kept = np.r_[0:10, 13:self.FRAMES]
            self.assertTrue(np.array_equal(made["poses"][kept], whole["poses"][kept]))
            self.assertTrue(np.array_equal(made["trans"][kept], whole["trans"][kept]))
            self.assertLess(np.abs(made["trans"] - whole["trans"]).max(), 1e-6)
            self.make("resample", "a.npz", "-o", "made.npz", "--rate", "30", "--fill", "--device", "none",
                      "--overwrite", *words)
            made = self.made(source, self.FRAMES // 2)
            self.assertEqual(float(made["mocap_framerate" if layout == "amass" else "mocap_frame_rate"]), 30)
            self.assertLess(np.abs(made["poses"] - whole["poses"][::2]).max(), 0.01)

    def test_gaps_of_robots_are_filled(self):
        header, rows = "x,y,z,qx,qy,qz,qw,hip", ["0,0,1,0,0,0,1,.1", "0,0,1,0,0,0,1,nan", "0,0,1,0,0,0,1,.3"]
        for lines in ([header] + rows, rows):
            (self.folder / "gap.csv").write_text("\n".join(lines) + "\n")
            self.make("resample", "gap.csv", "-o", "made.csv", "--rate", "x1", "--fill", "--device", "none", "--overwrite")
            made = (self.folder / "made.csv").read_text().splitlines()
            self.assertEqual(made[:-2] + made[-1:], lines[:-2] + lines[-1:])
            self.assertEqual(np.float32(made[-2].split(",")[7]), np.float32(.2))


class Usd(Case):
    def test_names_become_identifiers_of_their_own(self):
        text = WALK.read_text()
        for old, new in (("LeftUpLeg", "leg:1"), ("RightUpLeg", "leg 1"), ("Spine", "2nd")):
            text = re.sub(rf"JOINT {old}\b", f"JOINT {new}", text)
        (self.folder / "odd.bvh").write_text(text)
        self.make("convert", "odd.bvh", "odd.usda")
        made = (self.folder / "odd.usda").read_text()
        joints = re.search(r"joints = \[(.*)\]", made).group(1).replace('"', "").split(", ")
        self.assertEqual(len(set(joints)), 21)
        self.assertTrue(all(re.fullmatch(r"[A-Za-z_]\w*", name) for joint in joints for name in joint.split("/")))
        self.assertIn("Hips/_2nd", joints)
        self.refused("info", "odd.usda", code=4, says="USD, which is written, and not read")

    def test_rates_that_are_no_integers(self):
        self.make("resample", WALK, "-o", "ntsc.usda", "--rate", "30000/1001", "--device", "none")
        rate = re.search(r"timeCodesPerSecond = (.*)", (self.folder / "ntsc.usda").read_text()).group(1)
        self.assertTrue(math.isclose(float(rate), 30000 / 1001, rel_tol=1e-15))


# ---- Acclaim --------------------------------------------------------------------------------------


def turn_of(order, angles):
    """The matrix of turns about fixed axes, one after another, in degrees."""
    matrix = np.eye(3)
    for axis, angle in zip(order, np.radians(angles)):
        i, (c, s) = "xyz".index(axis), (np.cos(angle), np.sin(angle))
        turn = np.eye(3)
        j, k = (i + 1) % 3, (i + 2) % 3
        turn[j, j], turn[j, k], turn[k, j], turn[k, k] = c, -s, s, c
        matrix = turn @ matrix
    return matrix


def read_asf(path):
    """Bones by name: the direction times the length, the axis frame, degrees of freedom, the parent."""
    bones, parents, bone = {"root": {"offset": np.zeros(3), "axis": np.eye(3), "dof": []}}, {}, None
    in_tree = False
    for words in (line.split() for line in Path(path).read_text().splitlines()):
        if not words:
            continue
        in_tree = words[0] == ":hierarchy" or (in_tree and words[0][0] != ":")
        if words[0] == "name":
            bone = bones.setdefault(words[1], {"dof": []})
        elif words[0] == "direction":
            direction = np.array(words[1:4], float)
        elif words[0] == "length" and bone is not None:
            bone["offset"] = direction / np.linalg.norm(direction) * float(words[1])
        elif words[0] == "axis" and bone is not None:
            bone["axis"] = turn_of(words[4].lower(), np.array(words[1:4], float))
        elif words[0] == "dof":
            bone["dof"] = [word[1] for word in words[1:]]
        elif in_tree and words[0] in bones:
            parents.update({child: words[0] for child in words[1:]})
    return bones, parents


def world_of(bones, parents, values, name):
    """Where a bone begins, and its rotation in the world."""
    if name == "root":
        return values["root"][:3], turn_of("xyz", values["root"][3:])
    bone, (place, above) = bones[name], world_of(bones, parents, values, parents[name])
    turn = bone["axis"] @ turn_of(bone["dof"], values.get(name, [])) @ bone["axis"].T
    return place + above @ bones[parents[name]]["offset"], above @ turn


ASF = """:version 1.10
:units
  length 0.45
  angle deg
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name hip
    direction 1 2 0
    length 3
    axis 10 20 30 XYZ
    dof rx rz
    limits (-160.0 20.0)
           (-70.0 70.0)
  end
  begin
    name knee
    direction 0 -1 0
    length 2
    axis 0 0 0 XYZ
  end
:hierarchy
  begin
    root hip
    hip knee
  end
"""
AMC = ":FULLY-SPECIFIED\n:DEGREES\n1\nroot 1 2 3 4 5 6\nhip 7 8\n2\nroot 1 2 3 4 5 6\nhip -7 170\n"


class Acclaim(Case):
    def check_world(self, amc, asf, frames):
        self.make("convert", amc, "out.npz", "--skeleton", asf, "--quiet")
        made = np.load(self.folder / "out.npz")
        bones, parents = read_asf(asf)
        names = [str(name) for name in made["names"]]
        at, values = 0, []
        for words in (line.split() for line in Path(amc).read_text().splitlines()):
            if len(words) == 1 and words[0].isdigit():
                values.append({})
            elif values:
                values[-1][words[0]] = np.array(words[1:], float)
        turns = made["rotations"].reshape(len(values), len(names), 4)
        root = np.asarray(made["positions"]).reshape(len(values), -1, 3)[:, 0]
        offsets = made["offsets"]
        for at in frames:
            places, worlds = {}, {}
            for j, name in enumerate(names):
                parent = int(made["parents"][j])
                local = matrices(turns[at, j])
                places[j] = root[at] if parent < 0 else places[parent] + worlds[parent] @ offsets[j]
                worlds[j] = local if parent < 0 else worlds[parent] @ local
                place, world = world_of(bones, parents, values[at], name)
                self.assertLess(np.abs(places[j] - place).max(), 1e-4, name)
                angle = np.arccos(np.clip((np.trace(world.T @ worlds[j]) - 1) / 2, -1, 1))
                self.assertLess(np.degrees(angle), 0.05, name)  # arccos of float32
                self.assertLess(np.abs(world - worlds[j]).max(), 1e-4 * np.pi / 1.8, name)  # 0.01 degrees
        return len(values)

    def test_a_small_take_stands_where_its_definition_says(self):
        (self.folder / "a.asf").write_text(ASF)
        (self.folder / "a.amc").write_text(AMC)
        self.assertEqual(self.check_world(self.folder / "a.amc", self.folder / "a.asf", range(2)), 2)
        done = self.run_posemill("resample", "a.amc", "-o", "a.bvh", "--rate", "240", "--source-rate", "120", "--device",
                                 "none", "--json")
        report = json.loads(done.stdout)
        self.assertEqual((report["frames"], report["kept_frames"]), (3, 2))
        done = self.make("resample", "a.amc", "-o", "a.bvh", "--rate", "60", "--device", "none")
        self.assertIn("has no rate; 120 frames per second are taken", done.stderr)
        done = self.make("convert", "a.amc", "b.bvh", "--source-rate", "60")
        self.assertEqual(done.stderr, "")
        self.assertIn("Frame Time: 0.0166666667", (self.folder / "b.bvh").read_text())

    @unittest.skipUnless(DATA.is_dir(), "the test data are not there")
    def test_a_take_of_cmu_stands_where_its_definition_says(self):
        asf, amc = DATA / "asfamc/11.asf", DATA / "asfamc/11_01.amc"
        self.assertGreater(self.check_world(amc, asf, range(0, 500, 37)), 500)
        self.assertIn("120 Hz", self.make("info", amc).stdout)  # 11.asf is beside it

    def test_in_a_tree_another_format_is_asked_for(self):
        tree = self.folder / "tree"
        tree.mkdir()
        (tree / "a.asf").write_text(ASF)
        (tree / "a.amc").write_text(AMC)
        for verb in (("convert",), ("resample", "--rate", "60", "--device", "none"), ("edit", "--cut", "0f:1f")):
            done = self.run_posemill(verb[0], "tree", "--out-dir", "made", *verb[1:], code=2)
            self.assertIn("amc, which is read, and not written", done.stderr)
            self.assertIn("--to bvh chooses another format", done.stderr)
            self.make(verb[0], "tree", "--out-dir", "made", *verb[1:], "--to", "bvh", "--overwrite")
        done = self.run_posemill("resample", tree / "a.amc", "-o", "-", "--rate", "60", code=2)
        self.assertIn("--to bvh", done.stderr)

    def test_damaged_files_are_refused(self):
        def refused(asf, amc, says):
            (self.folder / "x.asf").write_text(asf)
            (self.folder / "x.amc").write_text(amc)
            self.refused("convert", "x.amc", "x.bvh", code=4, says=says)
        refused(ASF.replace("hip knee", "knee hip").replace("root hip\n", ""), AMC, "does not hang on the root")
        refused(ASF.replace("hip knee", "hip knee\n    knee hip"), AMC, "has a parent already: 'hip'")
        refused(ASF.replace("root hip\n    hip knee", "root knee\n    hip hip"), AMC, "does not hang on the root")
        refused(ASF.replace("hip knee", "hip tail"), AMC, "no bone is named 'tail'")
        refused(ASF.replace("name knee", "name hip"), AMC, "is no new name of a bone: 'hip'")
        refused(ASF.replace("dof rx rz", "dof rx l"), AMC, "expected rx, ry, rz, tx, ty or tz, found 'l'")
        refused(ASF.replace("10 20 30 XYZ", "10 20 30 XYQ"), AMC, "is no order of axes: 'XYQ'")
        refused(ASF[:ASF.index("length 3")], AMC, "ends inside a bone")
        refused(ASF.replace(":units", ":units\n  angle grad"), AMC, "expected deg or rad, found 'angle grad'")
        refused(ASF, AMC.replace("hip 7 8", "hip 7"), "too few numbers, or one that is not finite, of 'hip'")
        refused(ASF, AMC.replace("hip 7 8", "hip 7 nan"), "of 'hip'")
        refused(ASF, AMC.replace("hip 7 8", "hip 7 8 9"), "more numbers than the skeleton has for 'hip'")
        refused(ASF, AMC.replace("hip 7 8\n", ""), "line 5: the frame before has no line of 'hip'")
        refused(ASF, AMC.replace("hip 7 8", "hip 7 8\nhip 7 8"), "two lines of 'hip'")
        refused(ASF, AMC.replace("hip 7 8", "tail\x1b 7"), "the skeleton has no bone 'tail\\x1b'")
        refused(ASF, ":FULLY-SPECIFIED\n", "has no frames")
        refused(ASF, ":FULLY-SPECIFIED\n" + "1\n" * 1000, "fewer numbers than its frames")
        (self.folder / "x.asf").write_text(ASF)
        (self.folder / "x.amc").write_text(re.sub(r"(?m)^2$", "4", AMC))
        done = self.make("convert", "x.amc", "x.bvh")
        self.assertIn("frame 4 follows frame 1; they are taken as neighbours", done.stderr)
        self.refused("convert", "x.amc", "x.bvh", "--strict", code=4, says="expected the number of the next frame, found '4'")
        (self.folder / "x.asf").unlink()
        self.refused("convert", "x.amc", "x.bvh", code=4, says="has no skeleton beside it")
        self.refused("convert", "x.amc", "x.bvh", "--skeleton", "no.asf", code=4, says="no.asf")
        self.refused("convert", WALK, "-o", "x.amc", code=2, says="amc")


if __name__ == "__main__":
    command_case.main()
