#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""posemill merge on records written here: counts, exit codes, and a digest that does not depend on
the order of records, on shards or on resumes.

    test_merge.py POSEMILL
"""
import json
import os
import random
import shutil
import subprocess

import command_case
from command_case import WALK

try:
    import xxhash
except ImportError:
    xxhash = None


def digest_text(number):
    return f"{number:032x}"


def record(name, status="done", output=None, time=1, **members):
    """A line; `output` is a number that stands for the digest, that of the name by default."""
    value = {"name": name, "in": f"in/{name}", "out": f"out/{name}", "status": status,
             "input_digest": digest_text(7), "options_digest": digest_text(8),
             "output_digest": None, "version": "0.1.0", "source_rate": "120/1", "rate": "30000/1001",
             "frames": 10, "joints": 5, "method": "slerp", "device": "none", "warnings": [],
             "seconds": 0.5, "bytes_read": 100, "bytes_written": 25, "output_time": 1, "time": time}
    if status == "failed":
        value.update(error="line 7: 'x' is no number", code=4)
    else:
        number = sum(name.encode("utf-8", "surrogatepass")) if output is None else output
        value["output_digest"] = digest_text(number)
    value.update(members)
    return json.dumps(value) + "\n"


class Merge(command_case.Case):
    def write(self, name, *lines):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = "".join(lines)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())

    def merge(self, *words, code=0):
        done = self.run_posemill("merge", *words, code=code)
        self.errors = done.stderr
        return done.stdout

    def merge_json(self, *words, code=0):
        value = json.loads(self.merge(*words, "--json", code=code))
        states = [file["state"] for file in value["files"]]
        for state in ("done", "failed", "missing", "conflicting"):
            self.assertEqual(states.count(state), value[state], state)
        self.assertEqual(value["complete"], code == 0)
        names = [bytes.fromhex(file["name_bytes"]) if "name_bytes" in file else
                 file["name"].encode() for file in value["files"]]
        self.assertEqual(names, sorted(set(names)))
        return value

    # ---- the digest ----

    def test_the_digest_does_not_depend_on_order_shards_and_resumes(self):
        source = random.Random(7)
        names = [f"walks/{i}/take é {i}.bvh" for i in range(40)]
        self.write("one.jsonl", *(record(name) for name in names))
        expected = self.merge_json("one.jsonl")["digest"]
        for _ in range(8):
            source.shuffle(names)
            cut = source.randrange(1, 39)
            kept = source.sample(names, 9) # of a resume
            failed = source.sample(names, 5) # before they were done
            self.write("out/.posemill/records-0of2.jsonl",
                       *(record(name, "failed") for name in failed),
                       *(record(name, time=5) for name in names[:cut]))
            self.write("out/.posemill/records-1of2.jsonl",
                       *(record(name, time=9) for name in names[cut:]),
                       *(record(name, "kept", time=20, frames=3) for name in kept))
            self.assertEqual(self.merge_json("out")["digest"], expected)
            files = [f"out/.posemill/records-{i}of2.jsonl" for i in (1, 0)]
            self.assertEqual(self.merge_json(*files)["digest"], expected)

    def test_the_digest_covers_names_and_outputs(self):
        found = set()
        for lines in ([record("a", output=1)], [record("b", output=1)], [record("a", output=2)],
                      [record("a", output=1), record("b", output=1)], []):
            self.write("r.jsonl", *lines)
            found.add(self.merge_json("r.jsonl", code=0 if lines else 1)["digest"])
        self.assertEqual(len(found), 5)

    def test_the_digest_can_be_computed_by_others(self):
        if xxhash is None and shutil.which("xxh128sum") is None:
            self.skipTest("neither Python's xxhash nor xxh128sum is installed")
        names = ["b", "a/é", "a.bvh", "a-z", "B"]
        self.write("r.jsonl", *(record(name, output=i) for i, name in enumerate(names)),
                   record("failed", "failed"))
        lines = sorted(f"{name}\0{digest_text(i)}\n".encode() for i, name in enumerate(names))
        data = b"".join(lines)
        if xxhash is not None:
            expected = xxhash.xxh3_128_hexdigest(data)
        else:
            done = subprocess.run(["xxh128sum"], input=data, capture_output=True, check=True)
            expected = done.stdout.decode().split()[0]
        self.assertEqual(self.merge_json("r.jsonl", code=1)["digest"], expected)

    # ---- states ----

    def test_different_results_conflict(self):
        self.write("0.jsonl", record("a", output=1), record("b", output=1))
        self.write("1.jsonl", record("a", output=1), record("b", output=2, time=3))
        value = self.merge_json("0.jsonl", "1.jsonl", code=1)
        self.assertEqual((value["done"], value["conflicting"]), (1, 1))
        text = self.merge("0.jsonl", "1.jsonl", code=1)
        line = next(line for line in text.split("\n") if line.startswith("conflicting: b"))
        for word in (digest_text(1), digest_text(2), "0.jsonl", "1.jsonl", "same input"):
            self.assertIn(word, line)
        self.write("1.jsonl", record("b", output=2, options_digest=digest_text(99)))
        self.assertIn("other options", self.merge("0.jsonl", "1.jsonl", code=1))
        self.write("1.jsonl", record("b", output=2, input_digest=digest_text(99)))
        self.assertIn("other inputs", self.merge("0.jsonl", "1.jsonl", code=1))
        self.write("1.jsonl", record("b", output=2, version="0.0.9"))
        self.assertIn("other versions", self.merge("0.jsonl", "1.jsonl", code=1))

    def test_a_failure_does_not_conflict(self):
        self.write("0.jsonl", record("a"))
        self.write("1.jsonl", record("a", "failed", time=9, output_digest=digest_text(3)))
        value = self.merge_json("0.jsonl", "1.jsonl")
        self.assertEqual((value["done"], len(value["files"][0]["records"])), (1, 2))

    def test_files_of_the_list_without_records_are_missing(self):
        self.write("list.jsonl", '{"path": "in/a.bvh", "out": "a.bvh"}\n',
                   '{"path": "in/c.bvh", "out": "c.bvh"}\n', '{"path": "in/b.bvh", "out": "b.bvh"}\n')
        self.write("r.jsonl", record("b.bvh"), record("z.bvh"))
        value = self.merge_json("r.jsonl", "--list", "list.jsonl", code=1)
        found = {file["name"]: (file["state"], file["listed"]) for file in value["files"]}
        self.assertEqual(found, {"a.bvh": ("missing", True), "b.bvh": ("done", True),
                                 "c.bvh": ("missing", True), "z.bvh": ("done", False)})
        self.assertEqual((value["missing"], value["unlisted"]), (2, 1))
        text = self.merge("r.jsonl", "--list", "list.jsonl", code=1)
        for word in ("missing: a.bvh", "missing: c.bvh", "2 missing", "1 of them is not in the list",
                     "not complete"):
            self.assertIn(word, text)
        self.write("s.jsonl", record("a.bvh"), record("c.bvh"))
        text = self.merge("r.jsonl", "s.jsonl", "--list", "list.jsonl")
        self.assertIn(", complete", text)

    def test_outputs_of_another_format_are_those_of_the_list(self):
        self.write("list.jsonl", '{"path": "in/a.b.bvh", "out": "x/a.b.bvh"}\n',
                   '{"path": "in/c.npz", "out": "x/c.npz"}\n', '{"path": "in/d.npz", "out": "x/d.npz"}\n')
        self.write("r.jsonl", record("x/a.b.glb", **{"in": "/other/a.b.bvh"}),
                   record("x/c.glb", **{"in": "in/c.npz"}),
                   record("x/d.bvh", **{"in": "in/d.csv"})) # another file
        value = self.merge_json("r.jsonl", "--list", "list.jsonl", code=1)
        found = {file["name"]: (file["state"], file["listed"]) for file in value["files"]}
        self.assertEqual(found, {"x/a.b.glb": ("done", True), "x/c.glb": ("done", True),
                                 "x/d.bvh": ("done", False), "x/d.npz": ("missing", True)})

    # ---- what resample writes ----

    def test_shards_of_a_batch_merge(self):
        for i, name in enumerate(("a", "sub/b", "sub/c", "d", "e")):
            path = self.folder / "takes" / f"{name}.bvh"
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(WALK, path)
            with path.open("a") as file:
                file.write("\n" * i) # other bytes
        self.run_posemill("list", "takes", "-o", "list.jsonl")
        words = ["resample", "--files-from", "list.jsonl", "--rate", "24", "--device", "none", "--to",
                 "glb", "--out-dir"]
        self.run_posemill(*words, "one")
        whole = self.merge_json("one", "--list", "list.jsonl")
        self.assertEqual((whole["done"], whole["unlisted"]), (5, 0))
        self.run_posemill(*words, "two", "--shard", "1/2")
        part = self.merge_json("two", "--list", "list.jsonl", code=1)
        self.assertGreater(part["missing"], 0)
        self.assertEqual(part["done"] + part["missing"], 5)
        self.run_posemill(*words, "two", "--shard", "0/2")
        self.run_posemill(*words, "two", "--resume", "--shard", "0/1")
        self.assertEqual(self.merge_json("two", "--list", "list.jsonl")["digest"], whole["digest"])

    def test_sums_are_those_of_the_records_that_count(self):
        self.write("0.jsonl", record("a"), record("b", "failed"), record("c", frames=7))
        self.write("1.jsonl", record("a", "kept", time=2, frames=20))
        value = self.merge_json("0.jsonl", "1.jsonl", code=1)
        found = [value[key] for key in ("frames", "joint_samples", "bytes_read", "bytes_written",
                                        "seconds")]
        self.assertEqual(found, [27, 135, 200, 50, 1])

    # ---- odd files ----

    def test_torn_lines_are_dropped_with_a_warning(self):
        whole, torn = record("a"), record("b")
        self.write("0.jsonl", whole, torn[:-9])
        value = self.merge_json("0.jsonl")
        self.assertEqual((value["done"], value["dropped_lines"]), (1, 1))
        self.assertIn("1 line was dropped", self.errors)
        self.write("0.jsonl", whole, "\n", torn)
        self.assertEqual(self.merge_json("0.jsonl")["dropped_lines"], 0)
        self.assertEqual(self.errors, "")

    def test_no_record_is_not_complete(self):
        self.write("out/.posemill/records-0.jsonl")
        self.assertEqual(self.merge_json("out", code=1)["files"], [])
        text = self.merge("out", code=1)
        self.assertIn("there is no record", text)
        self.assertIn(", not complete", text)

    def test_what_cannot_be_read_is_refused(self):
        self.write("empty/x")
        self.write("0.jsonl", record("a"))
        os.mkfifo(self.folder / "fifo")
        for words in (["none.jsonl"], ["empty"], ["fifo"], ["0.jsonl", "none.jsonl"],
                      ["0.jsonl", "--list", "none"]):
            self.assertEqual(self.merge(*words, code=4), "")
            self.assertTrue(self.errors.startswith("posemill: "), self.errors)
        self.merge(code=2)
        self.merge("0.jsonl", "--lists", "x", code=2)


if __name__ == "__main__":
    command_case.main()
