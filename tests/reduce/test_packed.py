#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`posemill reduce --quantize` and `--compress`: what is written, read by decoders of other authors and of the tests, is
within the bounds that are stated.

usage: test_packed.py POSEMILL DATA"""
import json
import os
import resource
from pathlib import Path

import command_case
from command_case import ARGUMENTS, SEED, WALK, Case

np = command_case.require_numpy()
import gltf_curves  # noqa: E402  needs NumPy
from gltf_curves import MESHOPT, Gltf  # noqa: E402

DATA = Path(os.environ.get("POSEMILL_DATA") or ARGUMENTS[0])
TIMES = 20000


def decode_by_another(data, count, stride):
    """By meshoptimizer in PyPI's almeshopt, where that is installed."""
    import almeshopt
    return np.asarray(almeshopt.decode_vertex_buffer(bytes(data), count, stride)).view(np.uint8).reshape(count, stride)


class Packed(Case):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(SEED)

    def reduce(self, *words):
        return json.loads(self.run_posemill("reduce", *words, "--json").stdout)

    def plain(self, source):
        """The source as a file that the tests can read, whose curves are the same."""
        if source.suffix == ".bvh":
            self.run_posemill("convert", source, "-o", "plain.glb")
            return Gltf(self.folder / "plain.glb")
        return Gltf(source)

    def times(self, gltf):
        last = max(keys[-1] for keys, _, _ in gltf.channels().values())
        return np.sort(self.random.uniform(0, last, TIMES))

    def sources(self):
        files = [WALK, DATA / "gltf/Fox.glb", DATA / "gltf/cesium_man.gltf", DATA / "bvh/mocapbank.bvh"]
        return [f for f in files if f.exists()]

    def test_angles_are_within_the_bound(self):
        for source in self.sources():
            plain = self.plain(source)
            times = self.times(plain)
            for how, angles in (("--quantize", (0.1, 0.5)), ("--compress", (0.002, 0.1, 0.5))):
                for angle in angles:
                    with self.subTest(source=source.name, how=how, angle=angle):
                        found = self.reduce(source, "-o", "out.glb", "--angle", angle, how)
                        self.assertLessEqual(found["angle_degrees"]["bound"], angle)
                        far = gltf_curves.rotation_error(plain, Gltf(self.folder / "out.glb"), times)
                        self.assertLessEqual(far, found["angle_degrees"]["bound"] + 1e-9)
                        self.assertGreater(far, angle / 4)  # what it is compared with is not itself

    def test_distances_are_within_the_bound(self):
        for source in self.sources():
            plain = self.plain(source)
            times = self.times(plain)[::8]
            heads = gltf_curves.matrices(plain, {}, times[:1])[:, 0, :, 3]
            size = np.ptp(heads, axis=0).max()
            scale = 1 if source.suffix != ".bvh" else 100
            for how in "--quantize", "--compress":
                with self.subTest(source=source.name, how=how):
                    found = self.reduce(source, "-o", "out.glb", "--distance", 0.004 * size * scale,
                                        "--at", 0.03 * size * scale, how)
                    bound = found["distance"]["bound"] / scale
                    far = gltf_curves.distance_error(plain, Gltf(self.folder / "out.glb"), times, 0.03 * size)
                    self.assertLessEqual(far, bound * (1 + 1e-6))
                    self.assertGreater(far, bound / 8)

    def test_a_distance_of_what_int16_rounds_takes_fewer_bytes_than_int16(self):
        """Also for readers that do not normalise. int16 without a filter takes 5 bytes a key here, times included."""
        source = DATA / "bvh/mocapbank.bvh"
        if not source.exists():
            self.skipTest("no data")
        plain, at = self.plain(source), 0.085
        found = self.reduce(source, "-o", "out.glb", "--distance", 0.0074, "--at", 100 * at, "--drop-rest",
                            "--compress")
        packed = Gltf(self.folder / "out.glb")
        size = sum(packed.json["bufferViews"][i]["extensions"][MESHOPT]["byteLength"]
                   for i in packed.animation_views()[1])
        self.assertLess(size, 4.9 * sum(len(times) for times, _, _ in packed.channels().values()))
        times = np.concatenate([self.times(plain)[::8], *{id(k): k for k, _, _ in plain.channels().values()}.values()])
        for normalises in True, False:
            far = gltf_curves.distance_error(plain, packed, times, at, normalises=normalises)
            self.assertLessEqual(far, found["distance"]["bound"] / 100 * (1 + 1e-6))
            self.assertGreater(far, found["distance"]["bound"] / 100 / 8)

    def test_rotations_are_integers_that_fill_what_is_smaller(self):
        sizes = []
        for how in (), ("--quantize",), ("--compress",):
            self.run_posemill("reduce", WALK, "-o", "out.glb", *how)
            sizes.append((self.folder / "out.glb").stat().st_size)
            gltf = Gltf(self.folder / "out.glb")
            for animation in gltf.json["animations"]:
                for channel in animation["channels"]:
                    output = gltf.json["accessors"][animation["samplers"][channel["sampler"]]["output"]]
                    is_int16 = bool(how) and channel["target"]["path"] == "rotation"
                    self.assertEqual(output["componentType"], 5122 if is_int16 else 5126)
                    self.assertEqual(output.get("normalized", False), is_int16)
            self.assertEqual(MESHOPT in gltf.json.get("extensionsRequired", []), how == ("--compress",))
        self.assertGreater(sizes[0], 1.2 * sizes[1])
        self.assertGreater(sizes[1], 1.2 * sizes[2])

    def test_a_bound_below_int16_packs_float32(self):
        """As multiples of a power of 2, by the filter EXPONENTIAL."""
        sizes = []
        for how in "--quantize", "--compress":
            self.run_posemill("reduce", WALK, "-o", "out.glb", "--angle", 0.002, how)
            sizes.append((self.folder / "out.glb").stat().st_size)
        gltf = Gltf(self.folder / "out.glb")
        output = gltf.json["accessors"][gltf.json["animations"][0]["samplers"][1]["output"]]
        self.assertEqual((output["componentType"], output["type"]), (5126, "VEC4"))
        self.assertEqual(gltf.json["bufferViews"][output["bufferView"]]["extensions"][MESHOPT]["filter"], "EXPONENTIAL")
        self.assertGreater(sizes[0], 1.5 * sizes[1])

    def test_the_fallback_buffer_is_not_written(self):
        self.run_posemill("reduce", WALK, "-o", "out.glb", "--compress")
        gltf = Gltf(self.folder / "out.glb")
        buffers, ends = gltf.json["buffers"], {}
        self.assertEqual([b.get("extensions", {}).get(MESHOPT, {}).get("fallback") for b in buffers], [None, True])
        self.assertNotIn("uri", buffers[1])
        self.assertLessEqual(buffers[0]["byteLength"], len(gltf.binary))
        for view in gltf.json["bufferViews"]:
            if "extensions" not in view:  # a skin's
                continue
            packed = view["extensions"][MESHOPT]
            self.assertEqual((view["buffer"], packed["buffer"]), (1, 0))
            self.assertEqual(view["byteLength"], packed["count"] * packed["byteStride"])
            self.assertGreaterEqual(view.get("byteOffset", 0), ends.get(1, 0))
            ends[1] = view.get("byteOffset", 0) + view["byteLength"]
        self.assertLessEqual(ends[1], buffers[1]["byteLength"])

    def test_the_command_reads_what_it_wrote(self):
        """Bit for bit: what it resamples at the keys are the values that the tests decode."""
        self.run_posemill("reduce", WALK, "-o", "out.glb", "--compress")
        self.run_posemill("convert", "out.glb", "-o", "again.gltf")
        mine, again = Gltf(self.folder / "out.glb").channels(), Gltf(self.folder / "again.gltf").channels()
        self.assertEqual(mine.keys(), again.keys())
        for key, (times, values, _) in mine.items():
            self.assertTrue(np.array_equal(times, again[key][0]))
            self.assertTrue(np.array_equal(values, again[key][1]))

    def test_another_decoder_reads_the_same(self):
        try:
            import almeshopt  # noqa: F401
        except ImportError:
            self.skipTest("almeshopt is missing")
        for source in self.sources():
            self.run_posemill("reduce", source, "-o", "out.glb", "--compress")
            path = self.folder / "out.glb"
            mine, other = Gltf(path).channels(), Gltf(path, decode_by_another).channels()
            for key, (times, values, _) in mine.items():
                self.assertTrue(np.array_equal(times, other[key][0]))
                self.assertTrue(np.array_equal(values, other[key][1]))

    def test_a_file_does_not_become_larger(self):
        source = DATA / "gltf/Fox.glb"
        if not source.exists():
            self.skipTest("no data")
        self.run_posemill("reduce", source, "-o", "packed.glb", "--angle", 1, "--compress")
        size = (self.folder / "packed.glb").stat().st_size
        said = self.run_posemill("reduce", "packed.glb", "-o", "plain.glb", "--angle", 0.01)
        self.assertIn("keeps its keys", said.stdout + said.stderr)
        self.assertLessEqual((self.folder / "plain.glb").stat().st_size, size)
        far = gltf_curves.rotation_error(Gltf(self.folder / "packed.glb"), Gltf(self.folder / "plain.glb"),
                                         self.times(Gltf(source)))
        self.assertLess(far, 1e-6)

    def test_presets_are_what_they_say(self):
        for preset, words in (("game", ["--angle", 0.5, "--quantize"]), ("web", ["--angle", 1, "--compress"]),
                              ("film", ["--angle", 0.05])):
            self.run_posemill("reduce", WALK, "-o", "a.glb", "--preset", preset)
            self.run_posemill("reduce", WALK, "-o", "b.glb", *words)
            self.assertEqual((self.folder / "a.glb").read_bytes(), (self.folder / "b.glb").read_bytes())
        self.assertEqual(self.reduce(WALK, "-o", "c.glb", "--preset", "web", "--angle", 0.2)["limits"]["angle_degrees"], 0.2)
        said = self.run_posemill("reduce", WALK, "-o", "out.npz", "--preset", "game", code=2).stderr
        self.assertIn("npz", said)

    def test_what_cannot_be_packed_is_refused(self):
        said = self.run_posemill("reduce", WALK, "-o", "out.glb", "--quantize", "--curve", "cubicspline", code=2).stderr
        self.assertIn("cubicspline", said)
        said = self.run_posemill("reduce", WALK, "-o", "out.npz", "--compress", code=2).stderr
        self.assertIn("npz", said)
        said = self.run_posemill("reduce", WALK, "-o", "out.glb", "--preset", "gmae", code=2).stderr
        self.assertIn("did you mean game?", said)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_full_disk_leaves_nothing(self):
        """Files of at most 4 kB, which is what a disk that is full does."""
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        self.run_posemill("reduce", WALK, "-o", "out.glb", "--compress", code=None, preexec_fn=limit)
        self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    command_case.main()
