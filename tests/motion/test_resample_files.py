#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files of the test data through `posemill resample`, against computations in double precision.

usage: test_resample_files.py POSEMILL DATA

NumPy reads what was written; gltf_curves.py reads and evaluates glTF.
"""
import json
import sys
from pathlib import Path

import command_case
from command_case import ARGUMENTS

np = command_case.require_numpy()
from gltf_curves import Gltf, evaluate
from rotations import angles

DATA = Path(ARGUMENTS[0])
if not DATA.is_dir():
    print(f"not tested: {DATA} is not there")
    sys.exit(77)


class Case(command_case.Case):
    def resample(self, source, name, *options):
        out = self.folder / name
        self.run_posemill("resample", "--quiet", "--device", "none", source, "-o", out, *options)
        return out

    def report(self, source, name, *options):
        done = self.run_posemill("resample", "--json", "--device", "none", source, "-o", name, *options)
        return json.loads(done.stdout)


class Reports(Case):
    def test_the_rate_of_the_report_is_that_of_the_member(self):
        source = DATA / "amass_synthetic/smplh_ssm_59p99999hz.npz"
        report = self.report(source, "out.npz", "--rate", "30")
        self.assertEqual(float(report["frame_time"]), float(np.load(source)["mocap_framerate"]))
        self.assertEqual((report["source_rate"], report["source_rate_is"]), ("60/1", "snapped"))

    def test_arrays_that_no_layout_names_are_listed(self):
        source = self.folder / "more.npz"
        rows = np.arange(12.0).reshape(6, 2)
        np.savez(source, poses=np.zeros((6, 156)), trans=np.zeros((6, 3)), mocap_framerate=120.0, effort=rows,
                 phase=np.arange(6))
        report = self.report(source, "out.npz", "--rate", "60")
        self.assertEqual(report["other_arrays"], "effort, phase (nearest earlier frame)")
        self.assertTrue(np.array_equal(np.load(self.folder / "out.npz")["effort"], rows[::2]))


class Times(Case):
    """Times in a column of CSV count rows: they are no samples of a curve."""

    def written(self, count, rate, decimals, begin=0.0):
        path = self.folder / "times.csv"
        rows = [f"{begin + k / rate:.{decimals}f},{k * 0.01:.4f},0,0,0,0,0,1,{k * 0.02:.3f}\n" for k in range(count)]
        path.write_text("time,x,y,z,qx,qy,qz,qw,knee\n" + "".join(rows))
        return path

    def times(self, path):
        return [line.split(",")[0] for line in path.read_text().splitlines()[1:]]

    def rate(self, path):
        done = self.run_posemill("info", "--json", path)
        return json.loads(done.stdout)["clips"][0]["rate"]

    def test_resampled_times_are_at_the_new_rate(self):
        rng = np.random.default_rng(5)
        for decimals in (3, 4, 6, 9):
            rate, target = (int(n) for n in rng.choice([24, 25, 30, 50, 60, 100, 120], 2, replace=False))
            begin = float(rng.integers(0, 20))
            source = self.written(60, rate, decimals, begin)
            out = self.resample(source, "out.csv", "--rate", str(target), "--end-rule", "fit")
            told = [float(t) for t in self.times(out)]
            step = (told[-1] - told[0]) / (len(told) - 1)
            self.assertEqual(told[0], begin)
            for k, t in enumerate(told):
                self.assertLess(abs(t - begin - k * step), 1.1 * 10.0 ** -decimals, (decimals, rate, target, k))
        out = self.resample(self.written(60, 30, 6), "out.csv", "--rate", "60")
        self.assertEqual(self.rate(out), "60/1")

    def test_times_too_short_for_a_rate_are_written_anew(self):
        out = self.resample(self.written(100, 10, 1), "out.csv", "--rate", "400")
        self.assertEqual(self.times(out)[:3], ["0.000000000", "0.002500000", "0.005000000"])
        self.assertEqual(self.rate(out), "400/1")

    def test_rows_that_are_cut_keep_theirs_and_repeated_ones_go_on(self):
        source = self.written(40, 30, 6)
        out = self.folder / "cut.csv"
        self.run_posemill("edit", "--quiet", source, "-o", out, "--cut", "10f:20f")
        self.assertEqual(self.times(out), self.times(source)[10:21])
        filled = self.folder / "gap.csv"
        lines = source.read_text().splitlines(keepends=True)
        lines[11] = lines[11].replace(",0.1000,", ",nan,")
        filled.write_text("".join(lines))
        self.run_posemill("run", "--quiet", filled, "-o", out, "fill", "cut", "--cut", "10f:20f")
        self.assertEqual(self.times(out), self.times(source)[10:21])
        self.run_posemill("edit", "--quiet", source, "-o", out, "--cut", "10f:20f", "--repeat", "3")
        for k, t in enumerate(self.times(out)):
            self.assertLess(abs(float(t) - (10 + k) / 30), 2e-6)
        self.assertEqual(self.rate(out), "30/1")


class LowPass(Case):
    def filtered(self, numbers, rate, cutoff):
        """A sinc in a Kaiser window, on the point reflection about both ends."""
        reach = int(5 * rate / cutoff)
        at = np.arange(-reach, reach + 1)
        inside = np.maximum(0, 1 - (at * cutoff / rate / 5) ** 2)
        kernel = np.i0(6.3 * np.sqrt(inside)) * np.sinc(2 * cutoff / rate * at) * (inside > 0)
        padded = np.pad(numbers, ((reach, reach), (0, 0)), mode="reflect", reflect_type="odd")
        return np.stack([np.convolve(column, kernel / kernel.sum(), mode="valid") for column in padded.T], axis=1)

    def test_positions_are_a_sum_in_double_and_a_batch_has_the_same_bytes(self):
        source = DATA / "amass_synthetic/smplh_ssm_59p99999hz.npz"
        report = self.report(source, "out.npz", "--rate", "x1", "--lowpass", "6")
        self.assertEqual((report["lowpass"], report["kept_frames"]), (6, 0))
        trans = np.load(source)["trans"].astype(float)
        found = np.load(self.folder / "out.npz")["trans"]
        self.assertEqual(found.shape, trans.shape)
        self.assertLess(np.abs(found - self.filtered(trans, 60, 6)).max(), 1e-5)
        folder = self.folder / "batch"
        self.run_posemill("resample", "--quiet", "--reference", source, "--out-dir", folder, "--rate", "x1",
                          "--lowpass", "6")
        [made] = folder.rglob("*.npz")
        self.assertEqual(made.read_bytes(), (self.folder / "out.npz").read_bytes())


# ---- glTF ----------------------------------------------------------------------------------------


class Curves(Case):
    """Channels of a result against the source's curves."""

    def check_channel(self, name, source, result):
        path, (times, values, kind) = source[1:]
        at, found, found_kind = result[2]
        self.assertEqual(source[:2], result[:2], name)
        self.assertEqual(found_kind, "STEP" if kind == "STEP" else "LINEAR", name)
        if kind == "STEP":
            self.assertTrue(np.array_equal(times, at) and np.array_equal(values, found), name)
            return 0
        exact = evaluate(source[2], path, at)
        error = (angles(exact, found) if path == "rotation"
                 else np.abs(exact - found) / max(1, np.abs(values).max()))
        self.assertLess(error.max(), 1e-6, name)
        return len(at)

    def check_animation(self, name, source, result, index, rate):
        channels = list(zip(source.curves(index), result.curves(index), strict=True))
        moving = [a[2][0] for a, _ in channels]
        begin, end = min(t[0] for t in moving), max(t[-1] for t in moving)
        # Key times have lost some distances of float32: AnimatedMorphCube adds them up.
        lost = 6 * float(np.spacing(np.float32(end)))
        expected = [begin + k / rate for k in range(int((end - begin + 2 * lost) * rate) + 1)]
        checked = 0
        for a, b in channels:
            checked += self.check_channel(f"{name} animation {index} {a[:2]}", a, b)
            (_, values, kind), (times, _, _) = a[2], b[2]
            if kind == "LINEAR" and (values == values[0]).all():  # one key where others have the end
                self.assertIn([float(t) for t in times], (expected[:1], expected[:1] + expected[-1:]), name)
            elif kind != "STEP":
                self.assertEqual(len(expected), len(times), name)
                self.assertLessEqual(np.abs(np.array(expected) - times).max(), lost, name)
                self.assertEqual(times[0], np.float32(begin), name)
        return checked


class Animations(Curves):
    FILES = ("Fox.glb", "SimpleSkin.gltf", "box_animated.gltf", "cesium_man.gltf", "interpolation_test.gltf",
             "quantized_gp_Fox.glb", "AnimatedMorphCube.gltf", "InfiniteSkinnedTentacle.glb")

    def test_the_curve_of_each_channel(self):
        checked = 0
        for name in self.FILES:
            path = DATA / "gltf" / name
            for rate in (30, 17):
                out = self.resample(path, "out" + path.suffix, "--rate", str(rate))
                a, b = Gltf(path), Gltf(out)
                for i in range(len(a.json["animations"])):
                    checked += self.check_animation(name, a, b, i, rate)
        self.assertGreater(checked, 50000)


class CubicKeys(Curves):
    """CUBICSPLINE rotations of every storage are evaluated as they are decoded; no folder of data is needed."""

    def write(self, values, component_type, *kinds, times=None):
        """The same keys in a node for each kind of interpolation."""
        kinds = kinds or ("CUBICSPLINE",)
        rows = 3 if kinds == ("CUBICSPLINE",) else 1
        keys = len(values) // rows
        times = np.arange(keys) if times is None else times
        data = times.astype("<f4").tobytes() + values.tobytes()
        document = {
            "asset": {"version": "2.0"}, "nodes": [{} for _ in kinds], "buffers": [{"byteLength": len(data)}],
            "bufferViews": [{"buffer": 0, "byteLength": 4 * keys},
                            {"buffer": 0, "byteOffset": 4 * keys, "byteLength": len(data) - 4 * keys}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": keys, "type": "SCALAR", "min": [float(times[0])],
                           "max": [float(times[-1])]},
                          {"bufferView": 1, "componentType": component_type, "count": rows * keys, "type": "VEC4",
                           "normalized": component_type != 5126}],
            "animations": [{"samplers": [{"input": 0, "output": 1, "interpolation": kind} for kind in kinds],
                            "channels": [{"sampler": n, "target": {"node": n, "path": "rotation"}} for n in range(len(kinds))]}]}
        path = self.folder / "keys.glb"
        path.write_bytes(command_case.glb(document, data))
        return path

    def keys(self, rng):
        """Quaternions a quarter of a radian apart, with tangents on both sides."""
        q, rows = rng.normal(size=4), []
        for _ in range(9):
            q = q / np.linalg.norm(q)
            rows += [rng.uniform(-0.5, 0.5, 4), q, rng.uniform(-0.5, 0.5, 4)]
            q = q + rng.normal(0, 0.06, 4)
        return np.array(rows)

    def test_keys_of_every_storage_are_not_normalised(self):
        rng = np.random.default_rng(20)
        kinds = ((5120, "i1", 127, 0), (5122, "<i2", 32767, 0), (5126, "<f4", 1, 0.3))
        for component_type, kind, steps, spread in kinds * 4:
            rows = self.keys(rng)
            rows[1::3] *= rng.uniform(1 - spread, 1 + spread, (9, 1))
            rows = np.round(rows * steps) if steps > 1 else rows
            path = self.write(rows.astype(kind), component_type)
            out = self.resample(path, "out.glb", "--rate", "17")
            checked = self.check_animation(str(component_type), Gltf(path), Gltf(out), 0, 17)
            self.assertGreater(checked, 100)

    def test_another_method_takes_the_directions_of_the_keys(self):
        rows = self.keys(np.random.default_rng(21))
        results = []
        for factor in (1, 3):
            scaled = rows.copy()
            scaled[1::3] *= factor
            path = self.write(scaled.astype("<f4"), 5126)
            out = Gltf(self.resample(path, f"out{factor}.glb", "--rate", "17", "--method", "squad"))
            results.append(next(out.curves())[2][1])
        self.assertLess(angles(*results).max(), 1e-6)

    def test_what_is_written_of_keys_is_unit(self):
        rows = self.keys(np.random.default_rng(23))
        rows[1::3] *= 3
        path = self.write(rows.astype("<f4"), 5126)
        samples = next(Gltf(self.resample(path, "out.glb", "--rate", "3")).curves())[2][1]
        self.run_posemill("convert", "--quiet", path, "-o", self.folder / "out.npz")
        keys = np.load(self.folder / "out.npz")["rotations"][:, 0]
        for found, expected in ((keys, rows[1::3]), (samples[::3], rows[1::3])):
            self.assertLess(np.abs(np.linalg.norm(found, axis=-1) - 1).max(), 1e-6)
            self.assertLess(angles(found, expected / 3).max(), 1e-6)

    def test_linear_keys_on_both_sides_of_the_tolerance_are_normalised(self):
        """A key that is nearer to unit length by its factor may be the further one by its difference."""
        lengths = ((0.9990005, 1.0010003), (0.998, 1.0005), (1.002, 0.9995), (1, 1.0010003))
        for short, long in lengths:
            rows = self.keys(np.random.default_rng(24))[1::3]
            rows[2] *= short
            rows[5] *= long
            path = self.write(rows.astype("<f4"), 5126, "LINEAR")
            out = self.resample(path, "out.glb", "--rate", "17")
            self.assertGreater(self.check_animation("linear", Gltf(path), Gltf(out), 0, 17), 100)

    def test_steps_are_sampled_for_formats_without_them(self):
        times = np.array([0.5, 0.75, 1.25])
        path = self.write(self.keys(np.random.default_rng(25))[1:9:3].astype("<f4"), 5126, "STEP", "LINEAR", times=times)
        done = self.run_posemill("resample", "--device", "none", path, "-o", "s.bvh", "--rate", "4")
        self.assertIn("with listed key times -> 4 Hz, 3 -> 4 frames", done.stdout)
        rows = (self.folder / "s.bvh").read_text().split("Frame Time:")[1].split("\n")[1:5]
        steps, lines = ([half.index(row) for row in half] for half in zip(*[(r.split()[3:6], r.split()[9:]) for r in rows]))
        self.assertEqual((steps, lines), ([0, 1, 1, 3], [0, 1, 2, 3]))

    def test_options_of_the_curve_take_effect_or_are_a_warning(self):
        path = self.write(self.keys(np.random.default_rng(26))[1::3].astype("<f4"), 5126, "LINEAR")
        for words in (["--tangents", "mean"], ["--ends", "zero"], ["--loop", "9"], ["--swing", "0,0.5"],
                      ["--twist", "0,0.5"], ["--axis", "0,1,0"], ["--axis-frame", "parent"], ["--unlimited"]):
            for method in ([], ["--method", "authored"]):
                done = self.run_posemill("resample", "--device", "none", path, "-o", "o.glb", "--rate", "8", *method, *words)
                self.assertIn(f"{words[0]}: has no effect", done.stderr)
        done = self.run_posemill("resample", command_case.WALK, "-o", "a.bvh", "--rate", "30", "--keep-time", code=2)
        self.assertIn("--keep-time", done.stderr)

    def test_keys_without_a_direction_are_refused(self):
        for length in (0, 1e-7, 1e7):
            rows = self.keys(np.random.default_rng(22))
            rows[4] *= length
            done = self.run_posemill("info", self.write(rows.astype("<f4"), 5126), "--strict", code=4)
            self.assertIn("key 1 has the length", done.stderr)


if __name__ == "__main__":
    command_case.main()
