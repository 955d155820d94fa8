#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`posemill compare --json` against the same numbers computed by NumPy in double.

usage: test_compare.py POSEMILL DATA

Angles and distances must agree to 1e-9 of their size and 1e-9 degrees or units: both sides compute in
double, with other formulas. Where an angle is near 0, NumPy's is exact to some 1e-14. Speeds are
differences of angles, divided by times of 1e-3 s and more once or twice: 1e-6 degrees/s and
1e-3 degrees/s^2. Quaternions of float32 are not unit by 6e-8; the command takes the arc cosine of their
product as it is, as glTF's appendix says, and NumPy does not: the weights of slerp differ by some 1e-10 there.
"""
import base64
import json
import re
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import command_case
import motions
from command_case import ARGUMENTS, POSEMILL
from motions import JOINTS, np

DATA = Path(ARGUMENTS[0]).resolve()


def walk(frames, rate, seed=1, count=len(JOINTS)):
    return motions.walk(np.random.default_rng(seed), frames, rate, count=count)


def about_x(count):
    return motions.about(0, 0.3 * np.sin(np.arange(count) / 40))


def unpacked(data, bits):
    """The numbers of a GIF's LZW."""
    clear, at, out, table, size, last = 1 << bits, 0, [], [], bits + 1, None
    whole = int.from_bytes(data, "little")
    while True:
        code = whole >> at & ((1 << size) - 1)
        at += size
        if code == clear:
            table, size, last = [[i] for i in range(clear)] + [None, None], bits + 1, None
            continue
        if code == clear + 1:
            return out
        entry = table[code] if code < len(table) else last + last[:1]
        out += entry
        if last is not None and len(table) < 4096:
            table.append(last + entry[:1])
        size = min(max(size, len(table).bit_length()), 12)
        last = entry


def gif(data):
    """Width, height, delays and frames."""
    assert data[:6] == b"GIF89a"
    width, height, at = int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little"), 13 + 3 * 16
    delays, frames = [], []
    while data[at] != 0x3b:
        kind, is_control = data[at], data[at:at + 2] == b"!\xf9"
        at += 2 if kind == 0x21 else 11
        blocks = b""
        while data[at]:
            blocks += data[at + 1:at + 1 + data[at]]
            at += 1 + data[at]
        at += 1
        if is_control:
            delays.append(int.from_bytes(blocks[1:3], "little"))
        elif kind == 0x2c:
            frames.append(np.array(unpacked(blocks, 4)).reshape(height, width))
    return width, height, delays, frames


def union(a, b):
    """Key times of both within the shorter duration; those within 1e-9 s are one, the last."""
    end = min(a.seconds, b.seconds) + 1e-9
    times = np.sort(np.concatenate([a.times, b.times]))
    kept = []
    at = 0
    while at < len(times) and times[at] <= end:
        same = np.searchsorted(times, times[at] + 1e-9)
        kept.append(times[same - 1])
        at = max(same, at + 1)
    return np.array(kept)


def spaced(times, step):
    kept = [0]
    for i, time in enumerate(times):
        if i and time - times[kept[-1]] >= step - 1e-9:
            kept.append(i)
    return kept


def expected(a, b, pairs, times=None):
    """The numbers of each pair."""
    given = times is not None
    times = times if given else union(a, b)
    step = 0 if given else min(m.seconds / (m.keys - 1) for m in (a, b)) / 2
    ra, pa = map(np.array, zip(*(a.evaluate(t) for t in times)))
    rb, pb = map(np.array, zip(*(b.evaluate(t) for t in times)))
    at = spaced(times, step)
    t = times[at]
    found = {}
    for i, j in pairs:
        x, y = ra[:, i], rb[:, j]
        values = {"degrees": (times, np.linalg.norm(motions.vector_between(x, y), axis=1))}
        if a.has_places and b.has_places:
            values["distance"] = (times, np.linalg.norm(pa[:, i] - pb[:, j], axis=1))
        velocity, acceleration = [], []
        for q in (x[at], y[at]):
            velocity.append(motions.vector_between(q[:-2], q[2:]) / (t[2:] - t[:-2])[:, None])
            half = motions.vector_between(q[:-1], q[1:]) / np.diff(t)[:, None]
            acceleration.append(np.diff(half, axis=0) / ((t[2:] - t[:-2]) / 2)[:, None])
        values["degrees_per_s"] = (t[1:-1], np.linalg.norm(velocity[0] - velocity[1], axis=1))
        values["degrees_per_s2"] = (t[1:-1], np.linalg.norm(acceleration[0] - acceleration[1], axis=1))
        found[i] = values
    return times, found


TOLERANCES = {"degrees": 1e-9, "distance": 1e-9, "degrees_per_s": 1e-6, "degrees_per_s2": 1e-3}


class Case(command_case.Case):
    def run_posemill(self, *words, code=0):
        return super().run_posemill(*words, code=code, text=False)

    def compare(self, a, b, *options, code=0):
        return json.loads(self.run_posemill("compare", a, b, "--json", *options, code=code).stdout)

    def resample(self, source, target, *options):
        self.run_posemill("resample", source, "-o", target, "--device", "none", "--quiet", *options)

    def agrees(self, got, a, b, pairs=None, names=None, times=None, rate=None, slack=1):
        """All numbers of --json, joint by joint, and the clip's from them."""
        pairs = pairs or [(i, i) for i in range(len(a.joints))]
        used, found = expected(a, b, pairs, times)
        self.assertEqual(got["times"], len(used))
        self.assertEqual(got["rate"], rate)
        names = names or [j.name for j in a.joints]
        self.assertEqual(sorted(j["name"] for j in got["joints"]), sorted(names[i] for i, _ in pairs))
        worst = [j["max_degrees"] for j in got["joints"]]
        self.assertEqual(worst, sorted(worst, reverse=True))
        by_name = {names[i]: i for i, _ in pairs}
        for joint in got["joints"]:
            for measure, (at, values) in found[by_name[joint["name"]]].items():
                self.check_measure(joint, measure, at, values, slack)
            if "distance" not in found[by_name[joint["name"]]]:
                self.assertIsNone(joint["max_distance"])
        for measure, tolerance in TOLERANCES.items():
            all_values = [f[measure][1] for f in found.values() if measure in f]
            if not all_values:
                self.assertIsNone(got["clip"][f"max_{measure}"])
                continue
            values = np.concatenate(all_values)
            size = slack * tolerance * max(1, values.max())
            self.assertAlmostEqual(got["clip"][f"max_{measure}"], values.max(), delta=size)
            self.assertAlmostEqual(got["clip"][f"rms_{measure}"], np.sqrt((values ** 2).mean()), delta=size)

    def check_measure(self, joint, measure, at, values, slack):
        size = slack * TOLERANCES[measure] * max(1, values.max())
        name = "time_of_max" + ("" if measure == "degrees" else f"_{measure}")
        self.assertAlmostEqual(joint[f"max_{measure}"], values.max(), delta=size, msg=joint["name"])
        self.assertAlmostEqual(joint[f"rms_{measure}"], np.sqrt((values ** 2).mean()), delta=size)
        there = int(np.argmin(abs(at - joint[name])))
        self.assertAlmostEqual(at[there], joint[name], delta=1e-9)
        self.assertAlmostEqual(values[there], values.max(), delta=2 * size, msg=f"{joint['name']} {measure}")


class Pairs(Case):
    def bvh(self, name, frames=61, rate=30, **options):
        rows = options.pop("rows", walk(frames, rate))
        motions.write_bvh(self.folder / name, options.pop("joints", JOINTS), rows, rate, **options)
        return self.folder / name

    def test_resampled_by_squad(self):
        a = self.bvh("a.bvh")
        self.resample(a, self.folder / "b.bvh", "--rate", "60", "--method", "squad")
        got = self.compare(a, "b.bvh")
        self.agrees(got, motions.read_bvh(a), motions.read_bvh(self.folder / "b.bvh"))
        self.assertGreater(got["clip"]["max_degrees"], 0.01)
        again = self.compare(a, "b.bvh", "--method", "squad", "--device", "none")
        self.assertEqual((again["method"], again["precision"]), ("squad", "float32"))
        self.assertLess(again["clip"]["max_degrees"], 1e-4)

    def test_one_joint_spoiled_at_one_moment(self):
        rows = walk(61, 30)
        spoiled = rows.copy()
        spoiled[40, 3 + 3 * 4] += 25 # LeftHand about z
        a, b = self.bvh("a.bvh", rows=rows), self.bvh("b.bvh", rows=spoiled)
        got = self.compare(a, b)
        self.agrees(got, motions.read_bvh(a), motions.read_bvh(b))
        first = got["joints"][0]
        self.assertEqual(first["name"], "LeftHand")
        self.assertAlmostEqual(first["max_degrees"], 25, delta=1e-9)
        self.assertAlmostEqual(first["time_of_max"], 40 / 30, delta=1e-9)
        self.assertEqual((got["moments"][0]["name"], len(got["moments"])), ("LeftHand", 1))
        self.assertEqual([j["max_degrees"] for j in got["joints"][1:]], [0] * 6)

    def test_of_equal_angles_all_results_name_the_same_first(self):
        rows = np.zeros((61, 3 + 3 * len(JOINTS)))
        spoiled = rows.copy()
        for joint, frame in ((5, 10), (2, 50), (2, 30), (4, 20)):
            spoiled[frame, 3 + 3 * joint] += 25
        got = self.compare(self.bvh("a.bvh", rows=rows), self.bvh("b.bvh", rows=spoiled))
        self.assertEqual(len({m["degrees"] for m in got["moments"]}), 1)
        worst = got["joints"][0]
        first = [(m["name"], m["time"]) for m in got["moments"]]
        self.assertEqual(first[0], (JOINTS[2][0], 1.0))
        self.assertEqual([worst["time_of_max"], got["clip"]["time_of_max"]], [1.0, 1.0])
        self.assertEqual([round(30 * t) for _, t in first], [30, 50, 20, 10])

    def test_missing_joints(self):
        rows = walk(61, 30)
        a = self.bvh("a.bvh", rows=rows)
        b = self.bvh("b.bvh", rows=rows[:, :3 + 3 * 5] + 1, joints=JOINTS[:5])
        got = self.compare(a, b)
        self.agrees(got, motions.read_bvh(a), motions.read_bvh(b), [(i, i) for i in range(5)])
        self.assertEqual((got["only_in_a"], got["only_in_b"]), (["LeftLeg", "LeftFoot"], []))
        self.assertEqual(got["matched_by"], "name")

    def test_other_names(self):
        a, b = self.bvh("a.bvh"), self.bvh("b.bvh", rows=walk(61, 30, 2), rename=lambda n: "x" + n)
        got = self.compare(a, b)
        self.assertEqual(got["matched_by"], "order")
        self.agrees(got, motions.read_bvh(a), motions.read_bvh(b))
        (self.folder / "map.txt").write_text("Hips\txHead\r\nLeftHand\txLeftFoot\n\nHead\txSpine")
        got = self.compare(a, b, "--map", "map.txt")
        self.agrees(got, motions.read_bvh(a), motions.read_bvh(b), [(0, 2), (4, 6), (2, 1)])
        self.assertEqual(got["matched_by"], "map")
        for text in ("Hips xHead", "Hips\tnone", "none\txHips", "Hips\txHips\nHips\txHead", "\n"):
            (self.folder / "map.txt").write_text(text)
            self.run_posemill("compare", a, b, "--map", "map.txt", code=4)

    def test_glb_against_bvh(self):
        a = self.bvh("a.bvh")
        self.run_posemill("convert", a, "a.glb")
        self.resample(self.folder / "a.glb", self.folder / "b.glb", "--rate", "60")
        b = motions.read_glb(self.folder / "b.glb")
        got = self.compare(a, "b.glb", "--unit", "cm", "--up", "y")  # as they are, metres beside centimetres
        names = [j.name for j in motions.read_bvh(a).joints]
        pairs = [(i, [j.name for j in b.joints].index(n)) for i, n in enumerate(names)]
        self.agrees(got, motions.read_bvh(a), b, pairs, slack=10)
        self.assertEqual(got["unit_mm"], 10)
        self.assertLess(got["clip"]["max_degrees"], 1e-3)

    def test_csv(self):
        random = np.random.default_rng(4)
        root = random.normal(0, 1, (50, 4))
        root = np.cumsum(root * 0.02, 0) + [0, 0, 0, 1]
        rows = np.hstack([random.normal(0, 1, (50, 3)), root / np.linalg.norm(root, axis=1, keepdims=True),
                          np.cumsum(random.normal(0, 0.05, (50, 5)), 0)])
        other = rows.copy()
        other[30, 9] += 0.5
        for name, numbers in (("a", rows), ("b", other)):
            text = "\n".join(",".join(f"{x:.9f}" for x in row) for row in numbers)
            (self.folder / f"{name}.csv").write_text(text + "\n")
        got = self.compare("a.csv", "b.csv", "--source-rate", "50")
        a, b = (motions.read_csv(self.folder / f"{n}.csv", 50) for n in "ab")
        names = ["rotation[0]"] + [f"joints[{k}]" for k in range(5)]
        names[0] = next(j["name"] for j in got["joints"] if not j["name"].startswith("joints["))
        self.agrees(got, a, b, names=names)
        self.assertEqual(got["joints"][0]["name"], "joints[2]")
        self.assertAlmostEqual(got["joints"][0]["max_degrees"], np.degrees(0.5), delta=1e-6)


    def test_csv_whose_columns_are_in_another_order(self):
        head = "x,y,z,qx,qy,qz,qw"
        for name, names, angles in (("a", "hip,knee", "0.1,0.9"), ("b", "knee,hip", "0.9,0.1"), ("c", "knee,toe", "0.9,0.1")):
            (self.folder / f"{name}.csv").write_text(f"{head},{names}\n" + f"0,0,1,0,0,0,1,{angles}\n" * 3)
        got = self.compare("a.csv", "b.csv")
        self.assertEqual(got["clip"]["max_degrees"], 0)
        self.assertEqual({j["name"] for j in got["joints"]} - {"root"}, {"hip", "knee"})
        got = self.compare("a.csv", "c.csv")
        self.assertEqual((got["only_in_a"], got["only_in_b"]), (["hip"], ["toe"]))


class Behaviour(Case):
    def setUp(self):
        super().setUp()
        self.rows = walk(31, 30)
        motions.write_bvh(self.folder / "a.bvh", JOINTS, self.rows, 30)

    def test_equal_files_differ_by_exactly_0(self):
        got = self.compare("a.bvh", "a.bvh", "--tolerance", "0,0")
        self.assertEqual([v for k, v in got["clip"].items() if k.startswith(("max", "rms"))], [0] * 9)
        self.assertEqual((got["moments"], got["tolerance"]["exceeded"]), ([], False))
        self.assertEqual(got["a"]["digest"], got["b"]["digest"])
        if got["a"]["digest"] and subprocess.run(["which", "xxh128sum"], capture_output=True, check=False).returncode == 0:
            text = subprocess.run(["xxh128sum", self.folder / "a.bvh"], capture_output=True, text=True,
                                  check=True).stdout
            self.assertEqual(got["a"]["digest"], text.split()[0])

    def test_tolerance(self):
        self.rows[10, 3 + 3 * 4] += 2
        motions.write_bvh(self.folder / "b.bvh", JOINTS, self.rows, 30)
        self.compare("a.bvh", "b.bvh", "--tolerance", "2.001,1000")
        self.compare("a.bvh", "b.bvh", "--tolerance", "1.999,1000", code=1)
        self.rows[10, 3 + 3 * 4] -= 2
        self.rows[10, 1] += 3 # 3 cm
        motions.write_bvh(self.folder / "b.bvh", JOINTS, self.rows, 30)
        self.compare("a.bvh", "b.bvh", "--tolerance", "0,30.001")
        self.compare("a.bvh", "b.bvh", "--tolerance", "0,29.999", code=1)
        self.compare("a.bvh", "b.bvh", "--tolerance", "0,3.001", "--unit", "1")
        self.compare("a.bvh", "b.bvh", "--tolerance", "0,2.999", "--unit", "1", code=1)
        for wrong in ("1", "1,2,3", "-1,2", "x,1", "nan,1"):
            self.run_posemill("compare", "a.bvh", "b.bvh", "--tolerance", wrong, code=2)
        done = self.run_posemill("compare", "a.bvh", "b.bvh", "--tolerance", "0,29", "--quiet", code=1)
        self.assertEqual((done.stdout, done.stderr), (b"", b""))

    def test_a_foot_that_slides(self):
        """The root turns the legs of A never; in B it moves 4 cm while A stands."""
        still = np.zeros((61, 3 + 3 * len(JOINTS)))
        still[:, 1] = 95
        moved = still.copy()
        moved[20:41, 0] = 4 * np.sin(np.linspace(0, np.pi, 21))
        for name, rows in (("a", still), ("b", moved)):
            motions.write_bvh(self.folder / f"{name}.bvh", JOINTS, rows, 30)
        got = self.compare("a.bvh", "b.bvh")
        foot = next(j for j in got["joints"] if j["name"] == "LeftFoot")
        self.assertAlmostEqual(foot["max_slide"], 4, delta=1e-6)
        self.assertAlmostEqual(foot["time_of_slide"], 1, delta=1e-9)
        head = next(j for j in got["joints"] if j["name"] == "Head")
        self.assertEqual((head["max_slide"], head["planted_seconds"]), (0, 0))

    def test_contacts_of_feet(self):
        """Both drift, hop and sink at random, some of the time slowly enough."""
        random, motion = np.random.default_rng(command_case.SEED), {}
        for name in ("a", "b"):
            rows = np.zeros((91, 3 + 3 * len(JOINTS)))
            for axis, most in ((0, 0.3), (2, 0.15)):
                rows[:, axis] = np.cumsum(random.uniform(-most, most, 91))
            rows[:, 1] = 95
            rows[:, 3 + 3 * 5] = 25 * np.repeat(random.uniform(-1, 1, 13), 7)
            motions.write_bvh(self.folder / f"{name}.bvh", JOINTS, rows, 30)
            motion[name] = motions.read_bvh(self.folder / f"{name}.bvh")
        before = self.compare("a.bvh", "b.bvh")
        got = self.compare("a.bvh", "b.bvh", "--contacts", "feet")
        contacts = got.pop("contacts")
        self.assertEqual(got, before)
        self.assertEqual((contacts["height_mm"], contacts["mm_per_s"], contacts["frames"]), (100, 50, 91))
        foot, = contacts["feet"]
        self.assertEqual((foot["name"], foot["name_b"]), ("LeftFoot", "LeftFoot"))
        times, on, moves = np.arange(91) / 30, {}, {}
        for name in ("a", "b"):
            places = np.array([motion[name].evaluate(t)[1] for t in times]) * 10
            height = places[:, 6, 1] - places[:, :, 1].min(1)
            step = np.diff(places[:, 6], axis=0)
            on[name] = (height[1:] <= 100) & (np.linalg.norm(step, axis=1) * 30 <= 50)
            moves[name] = np.linalg.norm(step[:, [0, 2]], axis=1)
            self.assertEqual(foot[f"frames_{name}"], on[name].sum())
            edges = np.diff(np.concatenate([[0], on[name], [0]]).astype(int))
            spans = np.stack([times[1:][np.flatnonzero(edges > 0)], times[1:][np.flatnonzero(edges < 0) - 1]], 1)
            np.testing.assert_allclose(foot[f"spans_{name}"], spans, atol=1e-9)
        self.assertGreater(on["a"].sum(), 5)
        self.assertEqual(foot["frames_both"], (on["a"] & on["b"]).sum())
        self.assertAlmostEqual(foot["seconds"], on["a"].sum() / 30, delta=1e-9)
        for name in ("a", "b"):
            slide = moves[name][on["a"]].sum() / foot["seconds"]
            self.assertAlmostEqual(foot[f"slide_{name}"], slide, delta=1e-6 * slide)
        self.assertAlmostEqual(foot["slide_caused"], foot["slide_b"] - foot["slide_a"], delta=1e-9)
        said = self.run_posemill("compare", "a.bvh", "b.bvh", "--contacts", "LeftFoot,Head").stdout.decode()
        self.assertIn("at most 100 mm above the lowest joint, at most 50 mm/s", said)
        self.assertRegex(said, rf"\nLeftFoot +{foot['frames_a']} +{foot['frames_b']} +{foot['frames_both']} ")
        self.assertRegex(said, r"\nHead +0 +0 +0 +- +- +-\n")

    def svg(self, *words):
        self.run_posemill("view", "a.bvh", "-o", "p.svg", *words)
        root = ElementTree.parse(self.folder / "p.svg").getroot()
        bones = [np.array(re.findall(r"[-.0-9]+", path.get("d")), float).reshape(-1, 2, 2)
                 for path in root.iter("{http://www.w3.org/2000/svg}path")]
        labels = [label.text for label in root.iter("{http://www.w3.org/2000/svg}text")]
        return root, bones, labels

    def test_a_strip_of_poses(self):
        """Ends of bones are where NumPy projects them, but for one scale and one shift of each pose."""
        motions.write_bvh(self.folder / "a.bvh", JOINTS, walk(31, 30), 30)
        motion = motions.read_bvh(self.folder / "a.bvh")
        views = {"front": (1, 0, 0, 1), "side": (-1, 2, 0, 1), "top": (1, 0, 0, 2), "back": (-1, 0, 0, 1)}
        for view, (sign, across, _, up) in views.items():
            root, bones, labels = self.svg("--from", view, "--poses", "3", "--size", "600x240")
            self.assertEqual((root.get("width"), root.get("height")), ("600", "240"))
            self.assertEqual(labels, ["0 s", "0.5 s", "1 s"])
            scales = []
            for k, drawn in enumerate(bones):
                places = motion.evaluate(k / 2)[1]
                flat = np.stack([sign * places[:, across], places[:, up] * (1 if view == "top" else -1)], 1)
                flat = np.array([[flat[parent], flat[j]] for j, (_, parent, _) in enumerate(JOINTS) if parent >= 0])
                self.assertEqual(drawn.shape, flat.shape)
                a, b = drawn.reshape(-1, 2), flat.reshape(-1, 2)
                a, b = a - a[0], b - b[0]
                scales.append((a * b).sum() / (b * b).sum())
                np.testing.assert_allclose(a, scales[-1] * b, atol=0.3)
                self.assertTrue((drawn[..., 0] >= 200 * k).all() and (drawn[..., 0] <= 200 * k + 200).all())
                self.assertTrue((drawn[..., 1] >= 0).all() and (drawn[..., 1] <= 222).all())
            self.assertLess(np.ptp(scales), 0.02 * np.mean(scales))
            self.assertGreater(np.mean(scales), 0)

    def test_a_picture_of_a_part(self):
        motions.write_bvh(self.folder / "a.bvh", JOINTS, walk(61, 30), 30)
        _, bones, labels = self.svg("--poses", "3", "--start", "0.5", "--end", "1.5")
        self.assertEqual(labels, ["0.5 s", "1 s", "1.5 s"])
        whole = self.svg("--poses", "5")[1]
        for part, pose in zip(bones, whole[1:4]):
            sizes = [np.linalg.norm(drawn[:, 1] - drawn[:, 0], axis=1) for drawn in (part, pose)]
            np.testing.assert_allclose(sizes[0] / sizes[0].sum(), sizes[1] / sizes[1].sum(), atol=0.01)
        self.assertEqual(self.svg("--poses", "2", "--trim-start", "30")[2], ["1 s", "2 s"])

    def test_an_animation(self):
        """Frames, delays and pixels, unpacked here."""
        motions.write_bvh(self.folder / "a.bvh", JOINTS, walk(31, 30), 30)
        words = ("view", "a.bvh", "-o", "p.gif", "--poses", "4", "--size", "120x100")
        done = subprocess.run([POSEMILL, *words], cwd=self.folder, capture_output=True, check=False)
        if b"giflib" in done.stderr:
            self.skipTest("this build has no giflib")
        self.assertEqual(done.returncode, 0, done.stderr)
        width, height, delays, frames = gif((self.folder / "p.gif").read_bytes())
        self.assertEqual((width, height, len(frames)), (120, 100, 4))
        self.assertEqual(delays, [33, 34, 33, 33])
        for frame in frames:
            self.assertEqual(frame.shape, (100, 120))
            self.assertTrue(50 < (frame > 7).sum() < 2000 and (frame[0] == 0).all())
        self.assertTrue((frames[0] != frames[2]).any())
        # The largest extent of all poses fills the picture but for the margin.
        rows, columns = np.nonzero(np.max(frames, 0) > 7)
        self.assertTrue(abs(np.ptp(rows) - 84) < 4 or abs(np.ptp(columns) - 104) < 4)

    def one_bone(self, name, offset, place, angle="0"):
        """Two joints, with places and offsets that a picture has to fit."""
        (self.folder / name).write_text(
            "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
            f"JOINT b\n{{\nOFFSET {offset}\nCHANNELS 3 Zrotation Xrotation Yrotation\n}}\n}}\nMOTION\nFrames: 2\n"
            f"Frame Time: 0.1\n" + 2 * f"{place} {' '.join(6 * [angle])}\n")

    def test_figures_of_any_size_stay_in_their_picture(self):
        """Points, bones that are rounding beside their place, and numbers that float32 cannot hold."""
        for offset, place, angle in (("0 0 0", "0 95.3 0", "0"), ("0 1e-13 0", "0 64.0000038 0", "0"), ("1 1 1", "1e30 1e30 1e30", "1e30"),
                                     ("3 0 0", "1e12 1e12 1e12", "0"), ("0 0 0", "0 0 0", "0"), ("1e-20 1e-20 0", "0 0 0", "0")):
            self.one_bone("a.bvh", offset, place, angle)
            for view in ("front", "side", "top", "back"):
                _, bones, _ = self.svg("--from", view, "--poses", "2", "--size", "400x200")
                for k, drawn in enumerate(bones):
                    self.assertTrue((drawn[..., 0] >= 200 * k).all() and (drawn[..., 0] <= 200 * k + 200).all(), (offset, drawn))
                    self.assertTrue((drawn[..., 1] >= 0).all() and (drawn[..., 1] <= 200).all(), (offset, drawn))
                words = ("view", "a.bvh", "-o", "p.gif", "--from", view, "--poses", "2", "--size", "64x64")
                done = subprocess.run([POSEMILL, *words], cwd=self.folder, capture_output=True, check=False)
                if b"giflib" not in done.stderr:
                    self.assertEqual(done.returncode, 0, done.stderr)
                    for frame in gif((self.folder / "p.gif").read_bytes())[3]:
                        self.assertTrue(0 < (frame > 7).sum() < 500)

    def test_pictures_that_cannot_be(self):
        motions.write_bvh(self.folder / "a.bvh", JOINTS, walk(3, 30), 30)
        (self.folder / "turns.csv").write_text("0,0,0,0,0,0,1,0.5\n0,0,0,0,0,1,0,0.5\n")
        for words, reason in ((("a.bvh", "--size", "31x99"), "size is 31x99"), (("a.bvh", "--size", "x"), "--size"),
                              (("a.bvh", "--from", "below"), "front side top back"), (("a.bvh", "--poses", "3001"), "--poses"),
                              (("turns.csv",), "has no skeleton")):
            done = subprocess.run([POSEMILL, "view", *words, "-o", "p.svg"], cwd=self.folder, capture_output=True, check=False)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(reason, done.stderr.decode())
            self.assertFalse((self.folder / "p.svg").exists())
        (self.folder / "b.svg").write_bytes((self.folder / "a.bvh").read_bytes())
        done = self.run_posemill("view", "b.svg", "-o", "b.svg", code=6)
        self.assertIn("would be overwritten", done.stderr.decode())

    def test_contacts_that_cannot_be_found(self):
        motions.write_bvh(self.folder / "a.bvh", JOINTS, np.zeros((5, 3 + 3 * len(JOINTS))), 30)
        motions.write_bvh(self.folder / "u.bvh", motions.UPPER, np.zeros((5, 3 + 3 * len(motions.UPPER))), 30)
        (self.folder / "turns.csv").write_text("0,0,0,0,0,0,1,0.5\n0,0,0,0,0,1,0,0.5\n")
        for file, names, reason in (("a.bvh", "LeftFoot,Tail", "named 'Tail'"), ("a.bvh", "LeftFoot,", "named ''"),
                                    ("a.bvh", "", "value is empty"), ("u.bvh", "feet", "foot, toe or ankle"),
                                    ("turns.csv", "feet", "require skeletons")):
            done = self.run_posemill("compare", file, file, "--contacts", names, "--unit", "cm", code=2)
            self.assertIn(reason, done.stderr.decode())

    def gltf(self, name, change):
        """a.bvh as glTF, with a change of its JSON."""
        self.run_posemill("convert", "a.bvh", f"{name}.gltf", "--quiet")
        document = json.loads((self.folder / f"{name}.gltf").read_text())
        change(document)
        (self.folder / f"{name}.gltf").write_text(json.dumps(document))

    def test_joints_without_names(self):
        def without(*nodes):
            return lambda document: [document["nodes"][n].pop("name") for n in nodes]
        self.gltf("one", without(3))
        self.gltf("other", without(3))
        self.gltf("two", without(3, 4))
        got = self.compare("one.gltf", "other.gltf")
        self.assertEqual((len(got["joints"]), got["only_in_a"]), (len(JOINTS), []))
        got = self.compare("one.gltf", "two.gltf")
        self.assertEqual((sorted(got["only_in_a"]), got["only_in_b"]), (["", "LeftHand"], ["", ""]))

    def test_steps_at_times_that_are_nearly_the_same(self):
        """Keys of B are 1e-10 s later; steps do not differ for that."""
        def steps(later, interpolation="STEP"):
            def change(document):
                times = np.float32(np.arange(31) * 0.0001)
                times[1:] = np.nextafter(times[1:], np.float32(later))
                head, data = document["buffers"][0]["uri"].split(",")
                data = bytearray(base64.b64decode(data))
                for clip in document["animations"]:
                    for sampler in clip["samplers"]:
                        sampler["interpolation"] = interpolation
                    accessor = document["accessors"][clip["samplers"][0]["input"]]
                view = document["bufferViews"][accessor["bufferView"]]
                at = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
                data[at:at + times.nbytes] = times.tobytes()
                accessor["max"] = [float(times[-1])]
                document["buffers"][0]["uri"] = head + "," + base64.b64encode(bytes(data)).decode()
            return change
        self.gltf("early", steps(-1))
        self.gltf("late", steps(1))
        got = self.compare("early.gltf", "late.gltf")
        self.assertEqual(got["clip"]["max_degrees"], 0)
        self.assertLess(got["times"], 40)
        self.assertEqual(self.compare("late.gltf", "early.gltf")["clip"]["max_degrees"], 0)
        self.gltf("early", steps(-1, "LINEAR"))
        self.gltf("late", steps(1, "LINEAR"))
        self.assertEqual(self.compare("early.gltf", "late.gltf")["clip"]["max_degrees"], 0)

    def test_steps_keep_their_keys_whatever_the_method(self):
        def change(document):
            for sampler in document["animations"][0]["samplers"]:
                sampler["interpolation"] = "STEP"
        self.gltf("steps", change)
        linear = self.compare("steps.gltf", "steps.gltf", "--rate", "100", "--method", "slerp", "--device", "none")
        self.assertEqual(linear["clip"]["max_degrees"], 0) # steps keep their keys

    def test_durations_and_one_frame(self):
        motions.write_bvh(self.folder / "b.bvh", JOINTS, self.rows[:11], 30)
        motions.write_bvh(self.folder / "one.bvh", JOINTS, self.rows[:1], 30)
        got = self.compare("a.bvh", "b.bvh")
        self.assertEqual((got["times"], got["a"]["seconds"], got["clip"]["max_degrees"]), (11, 1, 0))
        self.assertAlmostEqual(got["seconds"], 1 / 3)
        text = self.run_posemill("compare", "a.bvh", "b.bvh").stdout.decode()
        self.assertIn("durations differ: 1 s and 0.333333333 s", text)
        got = self.compare("one.bvh", "a.bvh")
        self.assertEqual((got["times"], got["clip"]["max_degrees_per_s"]), (1, None))

    def test_hostile_names(self):
        name = "\x1b[31m\u202e<b>"
        motions.write_bvh(self.folder / "b.bvh", JOINTS, self.rows, 30,
                          rename=lambda n: name if n == "Head" else n)
        done = self.run_posemill("compare", "a.bvh", "b.bvh")
        self.assertNotIn(b"\x1b", done.stdout + done.stderr)
        self.assertIn(b"\\x1b[31m", done.stdout)
        self.assertEqual(self.compare("a.bvh", "b.bvh")["only_in_b"], [name])

    def test_refusals(self):
        (self.folder / "nan.bvh").write_text(
            (self.folder / "a.bvh").read_text().replace(f"{self.rows[0, 3]:.9f}", "nan", 1))
        (self.folder / "empty.bvh").write_text("")
        for words in (["nan.bvh", "a.bvh"], ["empty.bvh", "a.bvh"], ["a.bvh", "gone.bvh"], ["a.bvh", "."]):
            self.run_posemill("compare", *words, code=4)
        motions.write_bvh(self.folder / "b.bvh", [("x", -1, (0.0, 0.0, 0.0))], np.zeros((2, 6)), 30)
        done = self.run_posemill("compare", "a.bvh", "b.bvh", code=4)
        self.assertIn(b"--map", done.stderr)
        for words in ([], ["a.bvh"], ["-", "-"], ["a.bvh", "a.bvh", "a.bvh"], ["a.bvh", "a.bvh", "--unit", "0"]):
            self.run_posemill("compare", *words, code=2)
        self.run_posemill("compare", "a.bvh", "a.bvh", "--method", "slerp", "--device", "no such", code=3)

    def test_a_foot_moves_more_than_in_a(self):
        """A drifts at 30 mm/s, which counts as standing; B drifts at 50 mm/s."""
        for name, speed in (("a", 3.0), ("b", 5.0)):
            rows = np.zeros((31, 3 + 3 * len(JOINTS)))
            rows[:, 0] = speed * np.arange(31) / 30
            motions.write_bvh(self.folder / f"{name}.bvh", JOINTS, rows, 30)
        got = self.compare("a.bvh", "b.bvh")
        foot = next(j for j in got["joints"] if j["name"] == "LeftFoot")
        self.assertAlmostEqual(foot["max_slide"], 2 * 29 / 30, delta=1e-6)
        self.assertAlmostEqual(foot["planted_seconds"], 29 / 30, delta=1e-9)

    def test_standard_input(self):
        text = (self.folder / "a.bvh").read_bytes()
        done = subprocess.run([POSEMILL, "compare", "-", "a.bvh", "--format", "bvh", "--json"], input=text,
                              cwd=self.folder, capture_output=True, check=True)
        got = json.loads(done.stdout)
        self.assertEqual((got["a"]["file"], got["a"]["digest"]), ("-", got["b"]["digest"]))

    def test_names_in_pictures_are_text(self):
        name = 'a<b>&"\x1b.bvh'
        motions.write_bvh(self.folder / name, JOINTS, walk(3, 30), 30)
        self.run_posemill("view", name, "-o", "p.svg")
        root = ElementTree.parse(self.folder / "p.svg").getroot()
        self.assertEqual(root[0].text, 'a<b>&"\\x1b.bvh, from the front')


class Scene(Case):
    """The part that is compared, what lies apart, the axis that points up, and the unit."""

    def setUp(self):
        super().setUp()
        self.rows = walk(61, 30)
        motions.write_bvh(self.folder / "a.bvh", JOINTS, self.rows, 30)

    def changed(self, name, change):
        """a.bvh with other rows."""
        rows = self.rows.copy()
        change(rows)
        motions.write_bvh(self.folder / name, JOINTS, rows, 30)

    def with_pose(self, frames=(0,), noise=0.3):
        """Small differences everywhere, and a T-pose in some frames of b.bvh."""
        def change(rows):
            rows[:, 3:] += noise * np.sin(np.arange(rows.shape[0])[:, None] + np.arange(rows.shape[1] - 3))
            rows[list(frames), 3:] = 0
        self.changed("b.bvh", change)

    def test_a_pose_of_one_frame_does_not_make_the_scale(self):
        self.with_pose()
        got = self.compare("a.bvh", "b.bvh")
        _, found = expected(motions.read_bvh(self.folder / "a.bvh"), motions.read_bvh(self.folder / "b.bvh"),
                            [(i, i) for i in range(len(JOINTS))])
        angles = np.array([f["degrees"][1] for f in found.values()]).max(axis=0)
        self.assertGreater(angles[0], 10 * angles[1:].max())
        scale = got["scales"]["degrees"]
        self.assertAlmostEqual(scale["end"], angles[1:].max(), delta=1e-9)
        self.assertEqual((scale["times_beyond"], scale["first_beyond"], scale["last_beyond"]), (1, 0, 0))
        self.assertAlmostEqual(got["clip"]["max_degrees"], angles[0], delta=1e-9)
        text = self.run_posemill("compare", "a.bvh", "b.bvh").stdout.decode()
        headlines = [line for line in text.splitlines() if "angles are at most" in line]
        self.assertEqual(len(headlines), 1)
        self.assertRegex(headlines[0], rf"^angles are at most {angles[0]:.4g} degrees, of \w+ at 0 s; without the outliers, "
                                       rf"at 1 of 61 times, 0 s, at most {angles[1:].max():.4g} degrees$")
        self.assertIn("--trim-start 1", text)
        self.assertLess(text.index("outliers"), text.index("LeftArm"))
        page = self.run_posemill("compare", "a.bvh", "b.bvh", "-o", "-", "--quiet").stdout.decode()
        self.assertIn(f"The largest angle is <strong>{angles[0]:.4g} degrees</strong>, of ", page)

    def test_poses_in_the_middle_are_apart_with_their_times(self):
        self.with_pose((30, 31))
        scale = self.compare("a.bvh", "b.bvh")["scales"]["degrees"]
        self.assertEqual(scale["times_beyond"], 2)
        self.assertAlmostEqual(scale["first_beyond"], 1, delta=1e-9)
        self.assertAlmostEqual(scale["last_beyond"], 31 / 30, delta=1e-9)
        self.assertNotIn(b"--trim-start", self.run_posemill("compare", "a.bvh", "b.bvh").stdout)

    def test_nothing_is_apart_where_differences_are_alike(self):
        for change in (lambda rows: rows.__iadd__(1), lambda rows: None,
                       lambda rows: rows.__setitem__((40, 5), 20 + rows[40, 5])):
            self.changed("b.bvh", change)
            got = self.compare("a.bvh", "b.bvh")
            scale = got["scales"]["degrees"]
            self.assertEqual((scale["end"], scale["times_beyond"]), (got["clip"]["max_degrees"], 0))
            self.assertEqual(scale["first_beyond"], None)
            self.assertNotIn(b"apart", self.run_posemill("compare", "a.bvh", "b.bvh").stdout)

    def test_a_part_has_the_numbers_of_its_times(self):
        self.changed("b.bvh", lambda rows: rows.__iadd__(np.sin(np.arange(61))[:, None]))
        a, b = (motions.read_bvh(self.folder / f"{n}.bvh") for n in "ab")
        for options, first, last in ((["--start", "0.5"], 15, 60), (["--end", "1.01"], 0, 30),
                                     (["--start", "1/3", "--end", "1.5"], 10, 45), (["--trim-start", "7"], 7, 60),
                                     (["--trim-start", "7", "--start", "1"], 30, 60),
                                     (["--start", "2"], 60, 60), (["--end", "0"], 0, 0)):
            got = self.compare("a.bvh", "b.bvh", *options)
            times, found = expected(a, b, [(i, i) for i in range(len(JOINTS))], np.arange(first, last + 1) / 30)
            self.assertEqual(got["times"], len(times), options)
            for joint in got["joints"]:
                at, values = found[[n for n, _, _ in JOINTS].index(joint["name"])]["degrees"]
                self.check_measure(joint, "degrees", at, values, 1)
        got = self.compare("a.bvh", "b.bvh", "--start", "0.51", "--end", "0.6", "--rate", "100")
        self.assertEqual((got["times"], got["start"]), (10, 0.51))
        self.assertAlmostEqual(got["seconds"], 0.09, delta=1e-12)

    def test_a_part_that_is_not_there_is_refused_with_the_end(self):
        motions.write_bvh(self.folder / "short.bvh", JOINTS, self.rows[:31], 30)
        for options, code, says in ((["--end", "99"], 4, b"a.bvh: --end: is after the last key, at 2 s"),
                                    (["--start", "2.5"], 4, b"at 2 s"), (["--start", "-1"], 2, b"--start"),
                                    (["--trim-start", "61"], 4, b"all 61 keys"), (["--end", "x"], 2, b"--end"),
                                    (["--start", "1", "--end", "0.5"], 2, b"before the beginning, at 1 s"),
                                    (["--start", "1.01", "--end", "1.02"], 2, b"--rate gives times")):
            done = self.run_posemill("compare", "a.bvh", "a.bvh", *options, code=code)
            self.assertIn(says, done.stderr)
        done = self.run_posemill("compare", "a.bvh", "short.bvh", "--end", "1.5", code=4)
        self.assertIn(b"short.bvh: --end: is after the last key, at 1 s", done.stderr)

    def turned(self, name, *words):
        self.run_posemill("convert", "a.bvh", name, "--quiet", *words)

    def hints(self, *words):
        return [hint["hint"] for hint in self.compare(*words)["hints"]]

    def test_the_axis_along_which_the_figure_stands_is_up_and_that_is_said(self):
        self.turned("z.bvh", "--up", "y", "--to-up", "z")
        self.turned("z.glb", "--up", "y", "--to-up", "z", "--scale", "0.01")
        self.assertEqual((self.compare("a.bvh", "a.bvh")["up"], self.hints("a.bvh", "a.bvh")), ("y", []))
        for name, up, says, cure in (("z.bvh", "z", "z is taken as up, a guess", "--up y"),
                                     ("z.glb", "y", "y is up, as the format states, and the figure stands along z", "--up z")):
            got = self.compare(name, name)
            self.assertEqual(got["up"], up)
            self.assertIn(says, got["hints"][0]["hint"])
            self.assertIn(cure, got["hints"][0]["hint"])
            for verb in (["compare", name, name], ["view", name, "-o", "page.html"]):
                self.assertIn(says.encode(), self.run_posemill(*verb).stderr)
            self.assertIn(says, (self.folder / "page.html").read_text())
            got = self.compare(name, name, "--up", "y")
            self.assertEqual((got["up"], got["hints"]), ("y", []))
        self.assertEqual(self.compare("a.bvh", "a.bvh", "--up", "z")["up"], "z")
        self.run_posemill("view", "a.bvh", "-o", "page.html", "--up", "x", code=2)
        self.assertIn("(--to-up y turns B when it is converted)", self.hints("a.bvh", "z.bvh")[1])

    def test_who_lies_on_the_ground_does_not_stand(self):
        """On the back, head along z, y up: the limbs move, and the back does not leave the ground."""
        def change(rows):
            rows[:, 0] = rows[:, 2] = 0
            rows[:, 1] = 15
            rows[:, 3:] /= 40
            rows[:, 3:6] = 0, 90, 0
            rows[:, 4 + 3 * 5] += 20 * np.sin(np.arange(61) / 3) + 20
        self.changed("b.bvh", change)
        places = np.array([motions.read_bvh(self.folder / "b.bvh").evaluate(t / 30)[1] for t in range(0, 61, 5)])
        spread = np.ptp(places, axis=1).mean(axis=0)
        self.assertGreater(spread[2], 2.5 * spread[1])
        self.assertEqual(self.compare("b.bvh", "b.bvh")["up"], "y")

    def test_an_animal_stands_on_its_feet(self):
        """A spine along z that is longer than the legs, with y up."""
        joints = [("root", -1, (0.0, 60.0, 0.0)), ("spine", 0, (0.0, 0.0, 90.0)), ("neck", 1, (0.0, 10.0, 60.0)),
                  ("front", 1, (5.0, -30.0, 0.0)), ("frontpaw", 3, (0.0, -30.0, 0.0)),
                  ("hind", 0, (5.0, -30.0, 0.0)), ("hindpaw", 5, (0.0, -30.0, 0.0))]
        rows = np.zeros((61, 3 + 3 * len(joints)))
        rows[:, 1], rows[:, 2] = 60, 40 * np.arange(61) / 30
        rows[:, 4 + 3 * 3] = 15 * np.sin(np.arange(61) / 4)
        motions.write_bvh(self.folder / "b.bvh", joints, rows, 30)
        spread = np.ptp(motions.read_bvh(self.folder / "b.bvh").evaluate(0)[1], axis=0)
        self.assertGreater(spread[2], 1.8 * spread[1])
        self.assertEqual(self.compare("b.bvh", "b.bvh")["up"], "y")

    def test_a_height_that_is_not_of_a_body_is_said_with_its_unit(self):
        self.turned("small.glb", "--scale", "0.003")
        got = self.compare("small.glb", "small.glb")
        self.assertEqual(len(got["hints"]), 1)
        hint = got["hints"][0]
        self.assertEqual(hint["file"], "small.glb")
        for words in ("taken as 1000 mm", "not the height of a body", "--unit"):
            self.assertIn(words, hint["hint"])
        _, places = motions.read_glb(self.folder / "small.glb").evaluate(0)
        millimetres = float(hint["hint"].split(" mm tall")[0].split()[-1])
        self.assertAlmostEqual(millimetres / (1000 * np.ptp(places[:, 1])), 1, delta=0.3)
        for verb in (["compare", "small.glb", "small.glb"], ["view", "small.glb", "-o", "page.html"]):
            self.assertIn(b"taken as 1000 mm", self.run_posemill(*verb).stderr)
            self.assertNotIn(b"taken", self.run_posemill(*verb, "--unit", "56").stderr)
            self.assertNotIn(b"taken", self.run_posemill(*verb, "--quiet").stderr)
        self.assertEqual(self.hints("small.glb", "small.glb", "--unit", "56"), [])
        note = hint["hint"].replace("makes it", "of compare and view makes it", 1)
        self.assertIn(f"  odd: {note}\n".encode(), self.run_posemill("info", "small.glb").stdout)
        self.assertEqual(json.loads(self.run_posemill("info", "small.glb", "--json").stdout)["notes"], [note])
        self.assertEqual(json.loads(self.run_posemill("info", "small.glb", "--json", "--unit", "56").stdout)["notes"], [])

    def test_a_factor_between_the_units_of_both_is_said(self):
        for scale, factor, back in (("0.01", "100", "100"), ("10", "10", "0.1"), ("0.3937007874", "2.54", "2.54")):
            self.turned("b.bvh", "--scale", scale)
            found = [h for h in self.hints("a.bvh", "b.bvh") if "a factor of" in h]
            self.assertEqual(len(found), 1)
            self.assertIn(f"a factor of {factor}, as between units", found[0])
            self.assertIn(f"(--scale {back} brings B to the unit of A when it is converted)", found[0])
            self.run_posemill("convert", "b.bvh", "back.bvh", "--scale", back, "--quiet")
            self.assertEqual([h for h in self.hints("a.bvh", "back.bvh") if "a factor of" in h], [])
        self.turned("b.bvh", "--scale", "1.3")
        self.assertEqual([h for h in self.hints("a.bvh", "b.bvh") if "a factor of" in h], [])

    def test_b_is_compared_in_the_unit_and_with_the_axis_of_a(self):
        self.turned("b.glb")
        self.run_posemill("convert", "b.glb", "c.npz", "--to-up", "z", "--quiet")
        got = self.compare("a.bvh", "b.glb")
        self.assertLess(got["clip"]["max_distance"], 1e-4)
        self.assertEqual((got["unit_mm"], got["up"]), (10, "y"))
        self.assertEqual([h["hint"] for h in got["hints"]], ["is compared as A has it: unit m to cm"])
        turned = self.compare("b.glb", "c.npz")
        self.assertLess(turned["clip"]["max_distance"], 1e-5)
        self.assertLess(turned["clip"]["max_degrees"], 1e-3)
        self.assertIn("is compared as A has it: up z (estimated) to y", self.hints("b.glb", "c.npz"))

    def test_pages_are_html(self):
        for name in ("r.png", "r.gif", "r.svg", "r.mp4", "r.pdf", "r.json", "folder/r.PNG", "r.html.zip"):
            # `view` draws pictures of its own.
            for verb in (["view", "a.bvh"], ["compare", "a.bvh", "a.bvh"])[name in ("r.gif", "r.svg"):]:
                done = self.run_posemill(*verb, "-o", name, code=2)
                self.assertIn(b".html", done.stderr)
        for name in ("r.html", "r.HTM", "page", ".page", "a.b/page"):
            (self.folder / name).parent.mkdir(exist_ok=True)
            self.run_posemill("view", "a.bvh", "-o", name)
            self.assertTrue((self.folder / name).read_bytes().startswith(b"<!DOCTYPE html>"))
        self.assertEqual({p.name for p in self.folder.iterdir()}, {"a.bvh", "r.html", "r.HTM", "page", ".page", "a.b"})

    def test_many_joints_that_share_keys_are_compared_at_fewer_times_and_that_is_said(self):
        joints = [(f"j{i}", i - 1 if i % 40 else -1 if not i else 0, (0.0, 1.0, 0.0)) for i in range(600)]
        motions.write_glb(self.folder / "b.glb", joints, [("clip", about_x(20001))], 60)
        got = self.compare("b.glb", "b.glb")
        self.assertEqual(got["key_times"], 20001)
        self.assertLess(got["times"] * 600, 4.1e6)
        self.assertGreater(got["times"] * 600, 2e6)
        done = self.run_posemill("compare", "b.glb", "b.glb", "-o", "page.html")
        says = f"at {got['times']} of 20001 key times".encode()
        self.assertIn(says, done.stdout)
        self.assertIn(says, (self.folder / "page.html").read_bytes())
        self.assertLess((self.folder / "page.html").stat().st_size, 20e6)
        got = self.compare("b.glb", "b.glb", "--rate", "20")
        self.assertEqual(got["times"], 6667)


if __name__ == "__main__":
    command_case.main()
