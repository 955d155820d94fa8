#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`posemill reduce`: what it writes, what it prints, and what it refuses.

usage: test_reduce_command.py POSEMILL DATA"""
import json
import os
import struct
from pathlib import Path

import numpy as np

import command_case
from command_case import ARGUMENTS, WALK, Case
from gltf_curves import Gltf

DATA = Path(os.environ.get("POSEMILL_DATA") or ARGUMENTS[0])


class Reducing(Case):
    def reduce(self, *words):
        return json.loads(self.run_posemill("reduce", *words, "--json").stdout)

    def differences(self, a, b, *words):
        return json.loads(self.run_posemill("compare", a, b, "--json", *words).stdout)

    def test_the_result_is_within_the_bound_that_is_printed(self):
        found = self.reduce(WALK, "-o", "small.glb", "--angle", "0.3")
        self.assertLess(found["keys_after"], found["keys_before"] * 0.7)
        self.assertLessEqual(found["angle_degrees"]["bound"], 0.3)
        self.assertLessEqual(found["angle_degrees"]["found"], found["angle_degrees"]["bound"])
        far = self.differences(WALK, "small.glb", "--rate", "1000")["clip"]
        self.assertLessEqual(far["max_degrees"], found["angle_degrees"]["bound"] + 1e-9)
        self.assertGreater(far["max_degrees"], 0.25)
        joints = [c for c in found["channels"] if c["path"] == "rotation"]
        self.assertTrue(all(c["bound"] <= 0.3 for c in joints))
        self.assertEqual(sum(c["keys_after"] for c in found["channels"]), found["keys_after"])

    def test_the_report_names_the_joint_and_the_time(self):
        said = self.run_posemill("reduce", WALK, "-o", "small.glb").stdout
        found = self.reduce(WALK, "-o", "small.glb")
        self.assertIn(f"{found['keys_before']} -> {found['keys_after']} keys", said)
        self.assertIn(f"{(self.folder / 'small.glb').stat().st_size} bytes written", said)
        self.assertIn(found["angle_degrees"]["name"], said)
        self.assertEqual(self.run_posemill("reduce", WALK, "-o", "small.glb", "-q").stdout, "")
        for name in ("small.gltf", "small.npz"):  # the default of --to was not given
            self.assertEqual(self.run_posemill("reduce", WALK, "-o", name).stderr, "")

    def test_positions_have_a_bound_of_their_own(self):
        found = self.reduce(WALK, "-o", "small.glb", "--position", "0.5")
        self.assertLessEqual(found["position"]["bound"], 0.5)
        self.assertLess(found["keys_after"], self.reduce(WALK, "-o", "small.glb")["keys_after"])

    def test_a_distance_holds_in_model_space(self):
        found = self.reduce(WALK, "-o", "small.glb", "--distance", "0.2")
        self.assertLessEqual(found["distance"]["bound"], 0.2)
        self.assertEqual(found["limits"]["at"], 10)
        far = self.differences(WALK, "small.glb", "--rate", "1000")["clip"]
        self.assertLessEqual(far["max_distance"], found["distance"]["bound"] + 1e-9)
        both = self.reduce(WALK, "-o", "small.glb", "--distance", "0.2", "--angle", "0.1")
        self.assertLessEqual(both["distance"]["bound"], 0.2)
        self.assertLessEqual(both["angle_degrees"]["bound"], 0.1)
        self.assertGreater(both["keys_after"], found["keys_after"])

    def test_a_refusal_states_what_was_found(self):
        """Not the rough bound that decided: rounding to float32 moves no joint of the walk by more than this."""
        said = self.run_posemill("reduce", WALK, "-o", "small.glb", "--distance", "1e-5", code=2).stderr
        found = float(said.split("the keys are up to ")[1].split()[0])
        self.assertTrue(1e-5 < found < 1e-3, said)
        said = self.run_posemill("reduce", WALK, "-o", "small.glb", "--distance", "1e-5", "--position", "1", code=2).stderr
        self.assertIn("errors of positions and scales add up down the chain", said)

    def test_compare_certifies_what_reduce_did(self):
        found = self.reduce(WALK, "-o", "small.glb", "--angle", "0.3")
        said = self.differences(WALK, "small.glb", "--certify")
        self.assertGreaterEqual(said["certified"]["degrees"], said["clip"]["max_degrees"] - 1e-9)
        self.assertLessEqual(said["certified"]["degrees"], 0.3 * 1.001)
        self.assertAlmostEqual(said["certified"]["degrees"], found["angle_degrees"]["bound"], delta=1e-3)
        self.assertIn("certified: no angle exceeds", self.run_posemill("compare", WALK, "small.glb", "--certify").stdout)
        self.assertIsNone(self.differences(WALK, "small.glb")["certified"])

    def test_a_certificate_is_larger_than_what_is_sampled(self):
        """Keys at frames alone do not show what lies between them."""
        self.run_posemill("resample", WALK, "-o", "slow.bvh", "--rate", "10")
        self.run_posemill("convert", "slow.bvh", "slow.glb")
        said = self.differences(WALK, "slow.glb", "--certify", "--rate", "10")
        dense = self.differences(WALK, "slow.glb", "--rate", "2000")
        self.assertLess(said["clip"]["max_degrees"], 0.01)
        self.assertGreater(said["certified"]["degrees"], 1)
        self.assertGreaterEqual(said["certified"]["degrees"], dense["clip"]["max_degrees"] - 1e-9)
        self.assertLessEqual(said["certified"]["degrees"], dense["clip"]["max_degrees"] * 1.01)
        self.assertGreater(said["certified"]["distance"], said["clip"]["max_distance"] + 0.1)
        self.assertGreaterEqual(said["certified"]["distance"], dense["clip"]["max_distance"] - 1e-9)
        self.assertLessEqual(said["certified"]["distance"], dense["clip"]["max_distance"] * 1.01)

    def test_distances_are_certified_of_joints_in_any_order(self):
        self.run_posemill("resample", WALK, "-o", "slow.bvh", "--rate", "10")
        self.run_posemill("convert", "slow.bvh", "slow.gltf")
        asset = json.loads((self.folder / "slow.gltf").read_text())
        last = len(asset["nodes"]) - 1
        asset["nodes"].reverse()
        for node in asset["nodes"]:
            node["children"] = [last - child for child in node.pop("children", [])]
            if not node["children"]:
                del node["children"]
        for scene in asset["scenes"]:
            scene["nodes"] = [last - node for node in scene["nodes"]]
        for skin in asset.get("skins", []):
            skin["joints"] = [last - node for node in skin["joints"]]
            skin.pop("skeleton", None)
        for channel in asset["animations"][0]["channels"]:
            channel["target"]["node"] = last - channel["target"]["node"]
        (self.folder / "other.gltf").write_text(json.dumps(asset))
        same = self.differences("slow.gltf", "other.gltf", "--certify")
        self.assertLess(same["certified"]["distance"], 1e-3)
        said = [self.differences(WALK, name, "--certify")["certified"] for name in ("slow.gltf", "other.gltf")]
        self.assertGreater(said[0]["distance"], 0.1)
        self.assertAlmostEqual(said[0]["distance"], said[1]["distance"], delta=1e-3)
        self.assertEqual(said[0]["distance_name"], said[1]["distance_name"])

    def test_distances_without_places_are_not_certified(self):
        (self.folder / "turns.csv").write_text("0,0,0,0,0,0,1,0.5\n0,0,0,0,0,1,0,0.5\n")
        said = self.differences("turns.csv", "turns.csv", "--certify")
        self.assertIsNone(said["certified"]["distance"])
        self.assertIsNone(said["certified"]["distance_name"])
        self.assertIsNotNone(said["certified"]["name"])

    def test_a_certificate_is_of_whole_clips_by_their_own_curves(self):
        self.reduce(WALK, "-o", "small.glb")
        for words in (("--start", "0.5"), ("--trim-start", "1"), ("--method", "nlerp", "--device", "none")):
            done = self.run_posemill("compare", WALK, "small.glb", "--certify", *words, code=2)
            self.assertIn("at all times", done.stderr)

    def test_a_method_is_certified_through_the_keys_of_each_rotation(self):
        """The root keeps all keys of its positions, and few of its rotations."""
        for curve in ("slerp", "squad", "hermite", "spline"):
            found = self.reduce(WALK, "-o", "few.glb", "--curve", curve)
            said = self.differences("few.glb", WALK, "--method", curve, "--certify", "--rate", "600", "--device", "none")
            bound, clip = said["certified"], said["clip"]
            self.assertEqual(said["method"], curve)
            self.assertAlmostEqual(bound["degrees"], found["angle_degrees"]["bound"], delta=1e-3)
            self.assertGreaterEqual(bound["degrees"], clip["max_degrees"])
            self.assertLess(bound["degrees"], clip["max_degrees"] * 1.02 + 1e-3)
            self.assertGreaterEqual(bound["distance"], clip["max_distance"])
            self.assertLess(bound["distance"], clip["max_distance"] * 1.02)
        wrong = self.differences("few.glb", WALK, "--method", "slerp", "--certify", "--device", "none")
        self.assertGreater(wrong["certified"]["degrees"], 2 * bound["degrees"])

    def test_a_method_takes_the_values_of_cubic_splines(self):
        self.reduce(WALK, "-o", "cubics.glb", "--curve", "cubicspline")
        words = ("cubics.glb", WALK, "--method", "hermite", "--certify", "--device", "none")
        said = self.differences(*words, "--rate", "600")
        self.assertGreaterEqual(said["certified"]["degrees"], said["clip"]["max_degrees"])
        self.assertLess(said["certified"]["degrees"], said["clip"]["max_degrees"] * 1.02)

    def test_a_loop_without_its_last_frame_gets_it(self):
        """The walk ends as it begins; without its last frame the walk itself is what the loop is compared with."""
        self.run_posemill("edit", WALK, "-o", "open.bvh", "--cut", "0f:59f")
        for words in (), ("--compress",), ("--curve", "cubicspline", "--smooth"):
            found = self.reduce("open.bvh", "-o", "loop.glb", "--loop", "--angle", "0.4", *words)
            self.assertEqual(found["loops"], {"closed": 0, "extended": 1, "not": 0})
            self.assertLessEqual(found["angle_degrees"]["bound"], 0.4)
            said = self.differences(WALK, "loop.glb", "--rate", "1000")["clip"]
            self.assertLessEqual(said["max_degrees"], found["angle_degrees"]["bound"] + 1e-4)
            for (_, path), (times, values, interpolation) in Gltf(self.folder / "loop.glb").channels().items():
                if path == "rotation":
                    values = values[:, 1] if interpolation == "CUBICSPLINE" else values
                    self.assertEqual(times[-1], 2)
                    self.assertEqual(min(abs(values[0] - values[-1]).max(), abs(values[0] + values[-1]).max()), 0)
        self.assertIn("1 with a key that closes them", self.run_posemill("reduce", "open.bvh", "-o", "l.glb", "--loop").stdout)

    def test_an_addition_is_bounded_on_what_it_is_added_to(self):
        words = (WALK, "-o", "added.glb", "--distance", "0.5")
        found = self.reduce(*words, "--additive", "rest")
        self.assertEqual(found["limits"]["additive"], "rest")
        self.assertLessEqual(found["distance"]["bound"], 0.5)
        self.assertNotEqual(found["distance"], self.reduce(*words)["distance"])
        self.assertIn("requires", self.run_posemill("reduce", WALK, "-o", "o.glb", "--additive", "rest", code=2).stderr)
        self.assertIn("no clip has the name walking",
                      self.run_posemill("reduce", *words, "--additive", "walking", code=2).stderr)

    def test_common_keys(self):
        self.reduce(WALK, "-o", "small.glb", "--common", "--angle", "5", "--position", "1")
        info = json.loads(self.run_posemill("info", "small.glb", "--json").stdout)
        self.assertTrue(info)
        found = self.reduce(WALK, "-o", "small.glb", "--common", "--angle", "5", "--position", "1")
        self.assertEqual(len({c["keys_after"] for c in found["channels"]}), 1)

    def test_cubic_splines(self):
        lines = self.reduce(WALK, "-o", "lines.glb", "--angle", "0.3")
        cubics = self.reduce(WALK, "-o", "cubics.glb", "--angle", "0.3", "--curve", "cubicspline")
        self.assertEqual(cubics["curve"], "cubicspline")
        self.assertLessEqual(cubics["angle_degrees"]["bound"], 0.3)
        self.assertLess(2 * cubics["moving_rotation_keys_after"], lines["moving_rotation_keys_after"])
        rotations = [c for c in cubics["channels"] if c["path"] == "rotation" and c["moves"]]
        self.assertTrue(all(c["interpolation"] == "cubicspline" for c in rotations))
        self.assertTrue(all(c["interpolation"] == "linear" for c in lines["channels"]))
        said = self.differences(WALK, "cubics.glb", "--rate", "2000")
        self.assertLessEqual(said["clip"]["max_degrees"], cubics["angle_degrees"]["bound"] * 1.00001)
        done = self.run_posemill("reduce", WALK, "-o", "o.glb", "--curve", "cubicspline", "--common", code=2)
        self.assertIn("cubicspline cannot be combined", done.stderr)

    def test_curves_through_fewer_keys(self):
        lines = self.reduce(WALK, "-o", "lines.glb")
        for curve in ("squad", "hermite", "spline"):
            found = self.reduce(WALK, "-o", "few.glb", "--curve", curve)
            self.assertEqual(found["curve"], curve)
            self.assertLessEqual(found["angle_degrees"]["bound"], 0.5)
            self.assertLess(found["keys_after"], lines["keys_after"])
            self.assertTrue(all(c["interpolation"] == "linear" for c in found["channels"]))
            self.run_posemill("resample", "few.glb", "-o", "played.glb", "--method", curve, "--rate", "960",
                              "--device", "none", "--overwrite")
            shown = self.run_posemill("reduce", WALK, "-o", "few.glb", "--curve", curve).stdout
            self.assertIn(f"--method {curve}", shown)
            said = self.differences("played.glb", WALK, "--rate", "960")
            self.assertLessEqual(said["clip"]["max_degrees"], found["angle_degrees"]["bound"] + 1e-4)
            self.assertGreater(said["clip"]["max_degrees"], 0.4)
            common = self.reduce(WALK, "-o", "common.glb", "--curve", curve, "--common", "--position", "1", "--angle", "3")
            self.assertEqual(len({c["keys_after"] for c in common["channels"]}), 1)
            self.assertLess(common["keys_after"], common["keys_before"] / 2)

    def test_joints_that_a_curve_leaves_keep_slerp_in_the_file_too(self):
        done = self.run_posemill("reduce", WALK, "-o", "few.glb", "--curve", "squad", "--angle", "0.1", "--json")
        found = json.loads(done.stdout)
        kept = [c for c in found["channels"] if c["note"]]
        self.assertTrue(0 < len(kept) < len([c for c in found["channels"] if c["moves"]]))
        for channel in kept[:8]:
            self.assertIn(f"the rotation of '{channel['name']}' keeps slerp: squad through its keys is", done.stderr)
        self.assertLessEqual(found["angle_degrees"]["bound"], 0.1)
        said = self.differences("few.glb", WALK, "--method", "squad", "--certify", "--rate", "600", "--device", "none")
        self.assertLessEqual(said["certified"]["degrees"], 0.101)
        self.assertLessEqual(said["clip"]["max_degrees"], 0.101)
        asset = Gltf(self.folder / "few.glb").json  # which says so in the extras, until it is resampled
        self.assertEqual([c["target"]["path"] for c in asset["animations"][0]["channels"]
                          if asset["animations"][0]["samplers"][c["sampler"]].get("extras") != {"alwaysLinear": True}],
                         ["rotation"] * (len(found["channels"]) - len(kept) - 1))
        self.run_posemill("resample", "few.glb", "-o", "played.glb", "--method", "squad", "--rate", "60")
        done = self.run_posemill("reduce", WALK, "-o", "few.npz", "--curve", "squad", "--angle", "0.1", code=4)
        self.assertIn("which npz cannot say", done.stderr)
        self.assertNotIn("alwaysLinear", json.dumps(Gltf(self.folder / "played.glb").json))

    def test_a_distance_holds_with_curves_through_fewer_keys(self):
        found = self.reduce(WALK, "-o", "few.glb", "--curve", "squad", "--distance", "1")
        self.assertLessEqual(found["distance"]["bound"], 1)
        self.assertLess(found["keys_after"], found["keys_before"] / 2)

    def test_a_distance_holds_with_cubic_splines(self):
        lines = self.reduce(WALK, "-o", "lines.glb", "--distance", "0.2")
        cubics = self.reduce(WALK, "-o", "cubics.glb", "--distance", "0.2", "--curve", "cubicspline")
        self.assertLessEqual(cubics["distance"]["bound"], 0.2)
        self.assertLess(1.3 * cubics["moving_rotation_keys_after"], lines["moving_rotation_keys_after"])
        said = self.differences(WALK, "cubics.glb", "--certify", "--rate", "2000")
        self.assertLessEqual(said["clip"]["max_distance"], said["certified"]["distance"] + 1e-9)
        self.assertLessEqual(said["certified"]["distance"], 0.2)

    def test_gltf_keeps_all_else(self):
        def mesh_of(path):
            data = Path(path).read_bytes()
            return json.loads(data[20:20 + struct.unpack("<I", data[12:16])[0]])
        fox = DATA / "gltf" / "Fox.glb"
        if not fox.exists():
            self.skipTest("Fox.glb is missing")
        self.reduce(fox, "-o", "fox.glb", "--angle", "1")
        before, after = mesh_of(fox), mesh_of(self.folder / "fox.glb")
        for what in ("meshes", "materials", "nodes", "skins", "scenes"):
            self.assertEqual(len(before[what]), len(after[what]), what)
        self.assertLess((self.folder / "fox.glb").stat().st_size, fox.stat().st_size)
        self.reduce(fox, "-o", "run.glb", "--clip", "Run", "--angle", "1")
        for clip, most in (("Run", 1), ("Walk", 0)):
            far = self.differences(fox, "run.glb", "--clip", clip, "--rate", "500")["clip"]
            self.assertLessEqual(far["max_degrees"], most + 1e-9)
        self.reduce(fox, "-o", "fox.gltf")
        self.assertEqual(len(json.loads((self.folder / "fox.gltf").read_text())["meshes"]), len(before["meshes"]))

    def test_what_cannot_hold_sparse_keys_is_refused(self):
        for out in ("small.bvh", "small.csv"):
            done = self.run_posemill("reduce", WALK, "-o", out, code=2)
            self.assertIn("cannot hold keys at some times only", done.stderr)
            self.assertFalse((self.folder / out).exists())

    def test_npz_has_common_keys_with_their_times(self):
        words = (WALK, "--angle", "1", "--position", "1", "--to-unit", "keep")
        common, arrays = self.reduce(*words, "-o", "few.glb", "--common"), self.reduce(*words, "-o", "few.npz")
        self.assertEqual(arrays["keys_after"], common["keys_after"])
        self.assertLess(arrays["keys_after"], 0.9 * arrays["keys_before"])
        with np.load(self.folder / "few.npz") as read:
            self.assertNotIn("rate", read)
            self.assertEqual(read["times"].shape, read["rotations"].shape[:1])
            self.assertGreater(np.ptp(np.diff(read["times"])), 0.01)
        same = self.differences("few.glb", "few.npz", "--rate", "1000", "--unit", "cm")["clip"]
        self.assertEqual((same["max_degrees"], same["max_distance"]), (0, 0))
        said = self.differences(WALK, "few.npz", "--certify")["certified"]
        self.assertAlmostEqual(said["degrees"], arrays["angle_degrees"]["bound"], delta=1e-6)
        # Written again, at a rate and with other lengths.
        for rate in ("60", "x2"):
            done = self.run_posemill("resample", "few.npz", "-o", f"even{rate}.npz", "--rate", rate, "--device", "none",
                                     code=0 if rate == "60" else 2)
        self.assertIn("rate", done.stderr)
        far = self.differences(WALK, "even60.npz", "--rate", "60")["clip"]
        self.assertLessEqual(far["max_degrees"], arrays["angle_degrees"]["bound"] + 1e-5)
        with np.load(self.folder / "even60.npz") as read:
            np.testing.assert_allclose(read["times"], np.arange(121) / 60, atol=1e-12)
        self.run_posemill("convert", "few.npz", "scaled.npz", "--scale", "0.01")
        with np.load(self.folder / "few.npz") as read, np.load(self.folder / "scaled.npz") as scaled:
            np.testing.assert_array_equal(read["times"], scaled["times"])
            np.testing.assert_allclose(scaled["positions"], read["positions"] * 0.01, rtol=1e-12)

    def test_npz_is_refused_what_it_cannot_hold_within_the_bound(self):
        done = self.run_posemill("reduce", WALK, "-o", "few.npz", "--curve", "cubicspline", code=2)
        self.assertIn("npz has no tangents", done.stderr)
        self.run_posemill("convert", WALK, "steps.gltf")
        asset = json.loads((self.folder / "steps.gltf").read_text())
        asset["animations"][0]["samplers"][3]["interpolation"] = "STEP"
        (self.folder / "steps.gltf").write_text(json.dumps(asset))
        done = self.run_posemill("reduce", "steps.gltf", "-o", "few.npz", code=4)
        self.assertIn("steps or cubic splines", done.stderr)
        self.assertFalse((self.folder / "few.npz").exists())
        self.reduce("steps.gltf", "-o", "few.glb")

    def test_a_conversion_of_common_keys_has_their_times_too(self):
        words = (WALK, "--position", "1", "--angle", "1")
        self.reduce(*words, "-o", "common.glb", "--common")
        self.run_posemill("convert", "common.glb", "common.npz")
        same = self.differences("common.glb", "common.npz", "--rate", "1000")["clip"]
        self.assertLess(same["max_degrees"], 1e-4)
        self.reduce(*words, "-o", "own.glb")
        refused = self.run_posemill("convert", "own.glb", "own.npz", code=4).stderr
        self.assertIn("requires a rate, or the same times for all joints", refused)

    def test_arguments_are_checked(self):
        for words, reason in ((("--angle", "0"), "--angle"), (("--angle", "x"), "--angle"),
                              (("--angle", "nan"), "--angle"), (("--angle", "181"), "--angle"),
                              (("--position", "-1"), "--position"), (("--scale-error", "inf"), "--scale-error"),
                              (("--curve", "slrep"), "did you mean slerp?"),
                              (("--frobnicate",), "unknown option")):
            done = self.run_posemill("reduce", WALK, "-o", "o.glb", *words, code=2)
            self.assertIn(reason, done.stderr)
        self.run_posemill("reduce", WALK, code=2)
        self.run_posemill("reduce", WALK, WALK, "-o", "o.glb", code=2)
        self.run_posemill("reduce", WALK, "-o", "-", "--json", code=2)
        self.run_posemill("reduce", WALK, "-o", "o.glb", "--clip", "none", code=4)
        self.run_posemill("reduce", "missing.bvh", "-o", "o.glb", code=4)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_an_input_is_not_replaced_unless_asked(self):
        self.reduce(WALK, "-o", "a.glb", "--angle", "0.01")
        before = (self.folder / "a.glb").read_bytes()
        self.run_posemill("reduce", "a.glb", "-o", "a.glb", code=6)
        self.assertEqual((self.folder / "a.glb").read_bytes(), before)
        self.reduce("a.glb", "-o", "a.glb", "--overwrite")
        self.assertLess((self.folder / "a.glb").stat().st_size, len(before))

    def test_a_batch_is_the_files_one_by_one(self):
        takes = self.folder / "takes" / "day1"
        takes.mkdir(parents=True)
        (takes / "walk.bvh").write_bytes(WALK.read_bytes())
        (takes / "broken.bvh").write_text("HIERARCHY\n")
        words = ("reduce", "takes", "--out-dir", "small", "--distance", "0.2", "--angle", "1")
        done = self.run_posemill(*words, "--json", code=1)
        records = {Path(record["name"]).name: record for record in map(json.loads, done.stdout.splitlines())}
        self.assertEqual(records["broken.glb"]["status"], "failed")
        record = records["walk.glb"]
        self.assertEqual((record["status"], record["method"], record["rate"]), ("done", "slerp", None))
        alone = self.reduce(WALK, "-o", "alone.glb", "--distance", "0.2", "--angle", "1")
        self.assertEqual((self.folder / "small" / "day1" / "walk.glb").read_bytes(),
                         (self.folder / "alone.glb").read_bytes())
        self.assertEqual(record["reduced"], {
            "keys_before": alone["keys_before"], "keys_after": alone["keys_after"],
            "degrees": alone["angle_degrees"]["bound"], "distance": alone["distance"]["bound"],
            "position": alone["position"]["bound"], "scale": None})
        again = self.run_posemill(*words, "--resume", code=1)
        self.assertIn("1 kept, 1 failed", again.stdout)
        other = self.run_posemill(*words, "--resume", "--common", code=1)
        self.assertIn("1 done, 1 failed", other.stdout)
        self.assertIn("1 done, 1 failed", self.run_posemill("merge", "small", code=1).stdout)

    def test_a_batch_checks_its_options_first(self):
        for words, reason in ((("--to", "bvh"), "cannot hold keys at some times only"),
                              (("-o", "o.glb"), "cannot be combined with --out-dir"),
                              (("--verify",), "requires --resume")):
            done = self.run_posemill("reduce", WALK, "--out-dir", "small", *words, code=2)
            self.assertIn(reason, done.stderr)
        done = self.run_posemill("reduce", WALK, "-o", "o.glb", "--jobs", "2", code=2)
        self.assertIn("--jobs", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    command_case.main()
