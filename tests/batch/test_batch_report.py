#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The report of a batch: its numbers against NumPy in double, its files, and what must not happen.

usage: test_batch_report.py POSEMILL

Angles and distances agree to 1e-9 of their size, speeds and their jumps to 1e-6 degrees/s, which are
differences of angles divided by 1/120 s, as in test_compare.py.
"""
import json
import os
import re
import shutil
import signal
import subprocess
import tarfile

import command_case
import motions
from command_case import POSEMILL, SEED
from motions import UPPER as JOINTS, np, walk



def poses_at(motion, times):
    rotations, places = zip(*(motion.evaluate(t) for t in times))
    return np.array(rotations), np.array(places)


def jumps(motion, times):
    """Of each joint the largest change of its angular velocity, and when."""
    q, _ = poses_at(motion, times)
    velocity = motions.vector_between(q[:-1], q[1:]) / np.diff(times)[:, None, None]
    change = np.linalg.norm(np.diff(velocity, axis=0), axis=2)
    return change.max(axis=0), times[1:-1][change.argmax(axis=0)]


def expected(a, b, begin=0.0, end=np.inf):
    """The numbers of a row. The part of A between two times was resampled; its frames are uniform."""
    times = np.unique(np.round(a.times, 12))
    span = min(b.seconds, end - begin, a.seconds - begin)
    times = times[(times >= begin - 1e-9) & (times <= begin + span + 1e-9)]
    (ra, pa), (rb, pb) = poses_at(a, times), poses_at(b, times - begin)
    found = {"frames": len(times), "degrees": np.linalg.norm(motions.vector_between(ra, rb), axis=2)}
    if a.has_places and b.has_places:
        found["distance"] = np.linalg.norm(pa - pb, axis=2)
    if len(times) > 2:
        velocity = [motions.vector_between(r[:-2], r[2:]) / (times[2:] - times[:-2])[:, None, None]
                    for r in (ra, rb)]
        found["degrees_per_s"] = np.linalg.norm(velocity[0] - velocity[1], axis=2)
    own = np.unique(np.round(b.times, 12))
    found["source_jumps"], found["jumps"] = jumps(a, times)[0], jumps(b, own)[0]
    return found


class Case(command_case.Case):
    def setUp(self):
        super().setUp()
        (self.folder / "takes").mkdir()
        self.random = np.random.default_rng(SEED)

    def bvh(self, name, frames=61, rate=60, speed=1.0, joints=JOINTS):
        path = self.folder / "takes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        motions.write_bvh(path, joints, walk(self.random, frames, rate, speed, len(joints)), rate)
        return path

    def resample(self, *words, code=0, rate="20", source="takes", **options):
        sources = [source] if source else []
        return self.run_posemill("resample", *sources, "--out-dir", "out", "--rate", rate, "--device", "none",
                                 *words, code=code, **options)

    def report(self, *words, **options):
        """Runs a batch with a report. Returns the rows of index.json."""
        self.resample("--report", "report", *words, **options)
        return self.rows()

    def rows(self):
        self.index = json.loads((self.folder / "report/index.json").read_bytes())
        return self.index["rows"]

    def agrees(self, row, a, b, names, **span):
        want = expected(a, b, **span)
        self.assertEqual(row["frames"], want["frames"])
        self.assertEqual((row["only_in_source"], row["only_in_output"]), (0, 0))
        for measure, tolerance in (("degrees", 1e-9), ("distance", 1e-9), ("degrees_per_s", 1e-6)):
            if measure not in want:
                self.assertIsNone(row[f"max_{measure}"])
                continue
            values, size = want[measure], tolerance * max(1, want[measure].max())
            self.assertAlmostEqual(row[f"max_{measure}"], values.max(), delta=size, msg=f"seed {SEED}: {measure}")
            self.assertAlmostEqual(row[f"rms_{measure}"], np.sqrt((values ** 2).mean()), delta=size)
            key = "joint_of_max" + ("" if measure == "degrees" else f"_{measure}")
            joint = names.index(row[key])
            self.assertAlmostEqual(values[:, joint].max(), values.max(), delta=2 * size)
        more = want["jumps"] - want["source_jumps"]
        joint = names.index(row["joint_of_jump"])
        self.assertAlmostEqual(more[joint], more.max(), delta=1e-5)
        for key, value in (("jump", want["jumps"][joint]), ("source_jump", want["source_jumps"][joint]),
                           ("jump_excess", more.max())):
            self.assertAlmostEqual(row[key], value, delta=1e-5, msg=f"seed {SEED}: {key}")


class Numbers(Case):
    names = [name for name, _, _ in JOINTS]

    def test_bvh(self):
        for method in ("slerp", "squad"):
            for rate in ("20", "47", "120"):
                path = self.bvh("a.bvh")
                row, = self.report("--method", method, "--overwrite", rate=rate)
                if rate != "120": # which keeps all frames of the source
                    self.assertGreater(row["max_degrees_per_s"], 1e-5)
                self.agrees(row, motions.read_bvh(path), motions.read_bvh(self.folder / "out/a.bvh"), self.names)
                self.assertEqual((row["source_rate"], row["rate"]), ("60/1", f"{rate}/1"))

    def test_a_robot_whose_files_have_no_rate(self):
        rows = np.hstack([np.zeros((41, 3)), np.tile([0, 0, 0, 1.0], (41, 1)),
                          np.radians(walk(self.random, 41, 50, 2.0, 2)[:, 3:])])
        np.savetxt(self.folder / "takes/a.csv", rows, fmt="%.9f", delimiter=",")
        row, = self.report("--source-rate", "50", rate="20")
        a, b = (motions.read_csv(self.folder / folder / "a.csv", rate) for folder, rate in (("takes", 50), ("out", 20)))
        self.agrees(row, a, b, ["rotation[0]" if row["joint_of_max"] == "rotation[0]" else "root"] +
                    [f"joints[{j}]" for j in range(6)])

    def test_a_part_of_the_source(self):
        """The frames that --start, --end and --trim-start leave out are not compared."""
        path = self.bvh("a.bvh")
        for words, span in ((["--start", "0.25", "--end", "0.8"], {"begin": 0.25, "end": 0.8}),
                            (["--trim-start", "7"], {"begin": 7 / 60})):
            row, = self.report(*words, "--overwrite", rate="30")
            self.agrees(row, motions.read_bvh(path), motions.read_bvh(self.folder / "out/a.bvh"), self.names, **span)
            self.assertLess(row["max_degrees"], 2)

    def test_steps_keep_their_times_beside_a_part(self):
        """Channels with steps keep all keys of the source, so that the output begins earlier than its samples."""
        rotations = motions.quaternions(np.radians(walk(self.random, 61, 60, count=5)[:, 3:]).reshape(61, 5, 3))
        path = self.folder / "takes/a.glb"
        motions.write_glb(path, JOINTS, [("only", rotations)], 60)
        data = path.read_bytes()
        old = b'"samplers": [{"input": 0,'
        self.assertIn(old, data)
        size = int.from_bytes(data[12:16], "little")
        document = json.loads(data[20:20 + size])
        document["animations"][0]["samplers"][0]["interpolation"] = "STEP"
        text = json.dumps(document).encode()
        text += b" " * (-len(text) % 4)
        rest = data[20 + size:]
        path.write_bytes(data[:8] + (20 + len(text) + len(rest)).to_bytes(4, "little") +
                         len(text).to_bytes(4, "little") + data[16:20] + text + rest)
        row, = self.report("--start", "0.5", rate="60")
        self.assertEqual(row["frames"], 31)
        self.assertLess(row["max_degrees"], 1e-3)

    def test_every_clip_has_a_row(self):
        turns = {"Run": 4.0, "": 1.0, "Walk": 2.0}
        clips = [(name, motions.quaternions(np.radians(walk(self.random, 61, 60, speed, 5)[:, 3:]).reshape(61, 5, 3)))
                 for name, speed in turns.items()]
        motions.write_glb(self.folder / "takes/a.glb", JOINTS, clips, 60)
        rows = self.report()
        self.assertEqual({row["clip"] for row in rows}, set(turns))
        self.assertEqual((self.index["files"], self.index["compared"]), (1, 1))
        for row in rows:
            at = list(turns).index(row["clip"])
            want = expected(motions.read_glb(self.folder / "takes/a.glb", at),
                            motions.read_glb(self.folder / "out/a.glb", at))
            self.assertAlmostEqual(row["max_degrees"], want["degrees"].max(), delta=1e-6)
        row, = self.report("--clip", "Walk", "--overwrite")
        want = expected(motions.read_glb(self.folder / "takes/a.glb", 2), motions.read_glb(self.folder / "out/a.glb"))
        self.assertEqual(row["clip"], "Walk")
        self.assertAlmostEqual(row["max_degrees"], want["degrees"].max(), delta=1e-6)

    def test_short_and_large_motions(self):
        many = [(f"j{i}", i - 1, (0.0, 1.0, 0.0)) for i in range(1000)]
        self.bvh("one.bvh", frames=1)
        self.bvh("two.bvh", frames=2)
        self.bvh("many.bvh", frames=7, joints=many)
        (self.folder / "takes/none.bvh").write_text(
            self.bvh("x/gone.bvh").read_text().split("MOTION")[0] + "MOTION\nFrames: 0\nFrame Time: 0.1\n")
        shutil.rmtree(self.folder / "takes/x")
        rows = {row["name"]: row for row in self.report(code=1)}
        self.assertEqual(set(rows), {"one.bvh", "two.bvh", "many.bvh", "none.bvh"})
        for name in ("one.bvh", "two.bvh"):
            self.assertEqual(rows[name]["max_degrees"], 0)
            self.assertEqual(rows[name]["frames"], 1)
            self.assertIsNone(rows[name]["jump"])
            self.assertIsNone(rows[name]["max_degrees_per_s"])
        self.agrees(rows["many.bvh"], motions.read_bvh(self.folder / "takes/many.bvh"),
                    motions.read_bvh(self.folder / "out/many.bvh"), [name for name, _, _ in many])
        self.assertIn("no frames", rows["none.bvh"]["error"])

    def test_npz(self):
        rows = walk(self.random, 121, 120, 3.0, 24)
        motions.write_amass(self.folder / "takes/a.npz", np.radians(rows[:, 3:]), 120)
        row, = self.report(rate="30")
        self.assertGreater(row["max_degrees"], 0.1)
        self.agrees(row, motions.read_amass(self.folder / "takes/a.npz"), motions.read_amass(self.folder / "out/a.npz"),
                    [f"poses[{j}]" for j in range(24)])


class Files(Case):
    def pages(self):
        return sorted(path.name for path in (self.folder / "report/pages").iterdir())

    def test_pages_of_the_worst(self):
        for i in range(5):
            self.bvh(f"s{i}/take {i}.bvh", speed=2.0 ** i / 2)
        rows = self.report("--report-pages", "3")
        self.assertEqual([row["page"] for row in rows[3:]], [None] * 2)
        self.assertEqual([row["name"] for row in rows[:3]], [f"s{i}/take {i}.bvh" for i in (4, 3, 2)])
        self.assertEqual(["pages/" + name for name in self.pages()], [row["page"] for row in rows[:3]])
        self.assertEqual(rows[0]["page"], "pages/0001-s4_take_4.bvh.html")
        # The page is that of compare.
        text = (self.folder / "report" / rows[0]["page"]).read_text(encoding="utf-8")
        numbers = json.loads(re.search(r'id="numbers">(.*?)</script>', text, re.S)[1])
        compared = self.run_posemill("compare", "takes/s4/take 4.bvh", "out/s4/take 4.bvh", "--json").stdout
        self.assertEqual(numbers, json.loads(compared))
        html = (self.folder / "report/index.html").read_text(encoding="utf-8")
        links = set(re.findall(r'href="(pages/[^"#]*)', html))
        self.assertEqual(links, {row["page"] for row in rows[:3]})

    def test_members_of_an_archive(self):
        for i in range(6):
            self.bvh(f"s{i % 2}/take{i}.bvh", speed=1 + i)
        want = self.report()
        with tarfile.open(self.folder / "takes.tar.gz", "w:gz") as archive:
            archive.add(self.folder / "takes", "takes")
        shutil.rmtree(self.folder / "out")
        shutil.rmtree(self.folder / "report")
        got = self.report("--report-pages", "2", "--jobs", "3", source="takes.tar.gz")
        for a, b in zip(want, got):
            self.assertEqual("takes/" + a.pop("name"), b.pop("name"))
            for key in ("in", "out", "page"):
                a.pop(key), b.pop(key)
        self.assertEqual(got, want)
        self.assertEqual(len(self.pages()), 2)

    def test_failures_are_rows(self):
        self.bvh("good.bvh")
        (self.folder / "takes/bad<i>.bvh").write_text("nothing")
        rows = self.report(code=1)
        self.assertEqual([(row["name"], row["status"]) for row in rows],
                         [("good.bvh", "done"), ("bad<i>.bvh", "failed")])
        self.assertIn("not a BVH file", rows[1]["error"])
        self.assertEqual((self.index["files"], self.index["compared"], self.index["failed"]), (2, 1, 1))
        self.assertIn("1 of 2 files compared", (self.folder / "report/index.html").read_text())

    def test_a_file_that_cannot_be_compared_is_a_row(self):
        path = self.bvh("a.bvh")
        with open(path, "rb") as file:
            done = self.resample("--report", "report", "--to", "bvh", source="-", stdin=file)
        row, = self.rows()
        self.assertEqual((row["status"], row["error"]), ("done", "standard input cannot be read again"))
        self.assertIn("report: no file compared, 1 not; report/index.html", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_a_motion_too_large_for_a_page(self):
        self.bvh("a.bvh", frames=2, rate=10, joints=[(f"j{i}", i - 1, (0.0, 1.0, 0.0)) for i in range(4001)])
        self.assertEqual(self.resample("--report", "report").stderr, "")
        row, = self.rows()
        self.assertIsNone(row["page"])
        self.assertIn("a page holds 4000", row["page_error"])
        self.assertEqual(row["joints"], 4001)

    def test_resumed(self):
        for i in range(4):
            self.bvh(f"{i}.bvh", speed=1 + i)
        self.resample()
        os.remove(self.folder / "out/2.bvh")
        rows = self.report("--resume")
        self.assertEqual({row["name"]: row["status"] for row in rows},
                         {f"{i}.bvh": "done" if i == 2 else "kept" for i in range(4)})
        fresh = self.report("--overwrite")
        for row in rows + fresh:
            row.pop("status")
        self.assertEqual(rows, fresh)

    def test_the_folder_is_no_input(self):
        """Of later runs, wherever it lies, whatever --match says."""
        self.bvh("a.bvh")
        for folder in ("takes/report", "takes/out/report", "out/report"):
            for out in ("out", "takes/out"):
                shutil.rmtree(self.folder / out, ignore_errors=True)
            words = ["resample", "takes", "--match", "*", "--rate", "20", "--device", "none", "--out-dir",
                     "takes/out" if "takes/out" in folder else "out", "--report", folder]
            self.run_posemill(*words)
            self.run_posemill(*words, "--resume")
            index = json.loads((self.folder / folder / "index.json").read_bytes())
            self.assertEqual([row["name"] for row in index["rows"]], ["a.bvh"])
            shutil.rmtree(self.folder / folder)

    def test_nothing_of_the_batch_is_overwritten(self):
        text = self.bvh("a.bvh").read_bytes()
        for name in ("index.html", "pages/0001-index.html.html", "index.json"):
            shutil.rmtree(self.folder / "takes")
            (self.folder / "takes" / name).parent.mkdir(parents=True)
            (self.folder / "takes" / name).write_bytes(text)
            words = ["--match", "*", "--format", "bvh", "--to", "bvh"]
            for report in ("takes", "./takes/../takes"):
                done = self.resample(*words, "--report", report, code=6)
                self.assertIn("would be overwritten by the report", done.stderr)
                self.assertFalse((self.folder / "out").exists())
                self.assertEqual((self.folder / "takes" / name).read_bytes(), text)
            for report in ("out", "./out/../out"):
                self.resample(*words, "--report", report, code=6)
                self.assertFalse((self.folder / "out/index.json").exists() and name != "index.json")
            shutil.rmtree(self.folder / "out", ignore_errors=True)


class Ends(Case):
    def test_what_is_printed(self):
        for i in range(3):
            self.bvh(f"{i}.bvh", speed=1 + i)
        done = self.resample("--report", "report")
        worst = self.rows()[0]
        self.assertEqual(done.stdout.splitlines()[-1],
                         f"report: 3 files compared, worst {worst['max_degrees']:.4g} degrees in "
                         f"{worst['name']}; report/index.html")
        self.assertEqual(done.stderr, "")
        done = self.resample("--report", "report", "--json", "--overwrite")
        self.assertEqual({json.loads(line)["status"] for line in done.stdout.splitlines()}, {"done"})
        self.assertIn("report: 3 files compared", done.stderr)
        done = self.resample("--report", "report", "--quiet", "--overwrite")
        self.assertEqual((done.stdout, done.stderr), ("", ""))

    def test_a_report_that_cannot_be_written(self):
        """The batch is complete and recorded, and the code is that of outputs."""
        self.bvh("a.bvh")
        (self.folder / "file").write_text("")
        done = self.resample("--report", "file/report", code=6)
        self.assertIn("1 file: 1 done", done.stdout)
        self.assertTrue((self.folder / "out/a.bvh").exists())
        self.run_posemill("merge", "out")
        shutil.rmtree(self.folder / "out")
        done = self.resample("--report", "file", code=6)
        self.assertIn("is a file; expected a folder", done.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_a_batch_that_is_stopped_writes_none(self):
        """The records of all files do not fit its output, which is read once the signal is sent."""
        for i in range(80):
            self.bvh(f"{i}.bvh", frames=5)
        process = subprocess.Popen([POSEMILL, "resample", "takes", "--out-dir", "out", "--rate", "20", "--device",
                                    "none", "--jobs", "1", "--report", "report", "--json"], cwd=self.folder,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, pipesize=4096)
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn("(--resume writes it)", errors)
        self.assertFalse((self.folder / "report").exists())

    def test_usage(self):
        self.bvh("a.bvh")
        for words, expects in ((["-o", "x.bvh", "--report", "report"], "posemill compare"),
                               (["-o", "x.bvh", "--report-pages", "2"], "requires --report"),
                               (["--out-dir", "out", "--report-pages", "2"], "requires --report"),
                               (["--out-dir", "out", "--report", "report", "--report-pages", "-1"], "from 0 to 10000"),
                               (["--out-dir", "out", "--report", "report", "--report-pages", "10001"], "from 0 to"),
                               (["--out-dir", "out", "--report", ""], "--report"),
                               (["--out-dir", "out", "--report", "report", "--shard", "1/3"],
                                "posemill resample --resume --report")):
            done = self.run_posemill("resample", "takes/a.bvh", "--rate", "20", "--device", "none", *words, code=2)
            self.assertIn(expects, done.stderr)
            self.assertEqual({p.name for p in self.folder.iterdir()}, {"takes"})

    def test_the_document_has_the_numbers(self):
        """index.json fits docs/schema/report.json."""
        self.bvh("a.bvh")
        (self.folder / "takes/bad.bvh").write_text("nothing")
        self.report(code=1)
        schema = json.loads((command_case.SOURCES / "docs/schema/report.json").read_text(encoding="utf-8"))
        row = schema["properties"]["rows"]["items"]
        self.assertEqual(set(self.index), set(schema["required"]))
        found = [set(entry) for entry in self.index["rows"]]
        self.assertEqual(found[1], set(row["required"]))
        self.assertEqual(found[0] | {"page_error", "name_bytes", "in_bytes", "out_bytes"}, set(row["properties"]))


if __name__ == "__main__":
    command_case.main()
