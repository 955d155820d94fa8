#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of bench/count-gpu: its programs, limits, arguments and errors.

    test_count_gpu.py COUNT_GPU

Where compilers are installed, a kernel with planted faults shows that each of them reports those.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.abspath(sys.argv.pop(1) if len(sys.argv) > 1 else "bench/count-gpu")
sys.dont_write_bytecode = True  # keeps the folder of the script clean
sys.path.insert(0, os.path.dirname(SCRIPT))

from count_gpu import limits, programs, tools, work


class Record(unittest.TestCase):
    def row(self, key, registers=40):
        return {"target": "sm_90", "program": "walk/slerp", "key": key, "registers": registers}

    def test_of_sixteen_programs_one_is_compiled_in_any_case(self):
        rows = [self.row(f"{i:032x}") for i in range(32)] + [{"target": "sm_90", "program": "old"}]
        known = work.recorded(rows)
        self.assertEqual(len(known), 30)
        self.assertNotIn(f"{16:032x}", known)
        self.assertEqual(len(work.recorded(rows, every=True)), 32)

    def test_other_figures_than_the_record_has_are_a_fault(self):
        record = [self.row("a0"), self.row("b0")]
        self.assertEqual(work.changed([self.row("a0"), self.row("c0", 50)], record), [])
        faults = work.changed([self.row("a0"), self.row("b0", 41)], record)
        self.assertEqual(len(faults), 1)
        self.assertIn("sm_90 walk/slerp: the record has other figures", faults[0])


# The low-pass has no limits yet.
NOT_COUNTED = {"lowpass"}


class Variants(unittest.TestCase):
    def test_the_options_are_those_of_the_host(self):
        folders = [os.path.join(tools.ROOT, "host", room) for room in ("opencl", "programs")]
        text = "".join(programs.read(folder, name) for folder in folders for name in sorted(os.listdir(folder)))
        host = set(re.findall(r"-D(PM_\w+)=", text))
        ours = {re.match(r"-D(\w+)=", define)[1] for one in programs.everything() for define in one.defines}
        self.assertEqual(ours, host)
        for option in programs.OPTIONS:
            self.assertIn(option, text)

    def test_the_files_are_those_of_the_host(self):
        files = {one.file for one in programs.everything()}
        kernels = {name[:-3] for name in os.listdir(tools.KERNELS) if name.endswith(".cl")}
        self.assertEqual(files, kernels - NOT_COUNTED)

    def test_every_row_of_the_tables_is_a_program(self):
        names = {one.name for one in programs.everything()}
        self.assertEqual(len(names), len(programs.everything()))
        for curve in programs.curves("ROTATION"):
            for group in ("walk", "gather", "velocity", "acceleration", *(f"crowd/{o}" for o, _ in programs.outputs())):
                self.assertIn(f"{group}/{curve}".replace("_", "-"), names)
        for curve in programs.curves("VECTOR"):
            self.assertIn(f"walk/{curve}".replace("_", "-"), names)
        self.assertIn("crowd/palette-half/slerp/log48", names)
        self.assertNotIn("walk/squad/log48", names)

    def test_crowds_have_every_output_curve_format_and_kind_of_timeline(self):
        def values(name):
            return {define.partition("=")[2] for one in programs.everything() if one.file.startswith("crowd")
                    for define in one.defines if define.startswith(f"-D{name}=")}
        self.assertEqual(values("PM_METHOD"), {f"pm_{curve}" for curve in programs.curves("ROTATION")})
        self.assertEqual(values("PM_VECTOR_METHOD"), {f"pm_{curve}" for curve in programs.curves("VECTOR")})
        self.assertEqual(values("PM_OUTPUT"), {str(number) for _, number in programs.outputs()})
        self.assertEqual(values("PM_KEYS"), {str(number) for _, number in programs.formats()})
        self.assertEqual(values("PM_PER_JOINT"), {"0", "1"})


ROW = {"target": "gfx1030", "program": "crowd/palette/slerp", "registers": 60, "spills": 0,
       "scratch_bytes": 128, "occupancy": 9, "instructions": 2048, "fused_extra": 0}
TABLE = """
# the general, then the special
*       *        spills        <= 0
*       *        scratch_bytes <= 0
gfx*    crowd/*  scratch_bytes <= 128   # slots
gfx1030 crowd/*  occupancy     >= 8
*       *        instructions  <= 3000
*       *        fused_extra   <= 0
"""


class Limits(unittest.TestCase):
    def faults(self, **changes):
        return list(limits.faults(limits.parse(TABLE), [{**ROW, **changes}]))

    def test_what_is_within_the_limits_passes(self):
        self.assertEqual(self.faults(), [])
        self.assertEqual(self.faults(spills=None, scratch_bytes=None, occupancy=None), [])

    def test_each_excess_is_told(self):
        for figure, value, words in (
            ("spills", 4, "spills is 4, expected <= 0"),
            ("scratch_bytes", 132, "scratch_bytes is 132, expected <= 128"),
            ("occupancy", 7, "occupancy is 7, expected >= 8"),
            ("instructions", 3001, "instructions is 3001, expected <= 3000"),
            ("fused_extra", 1, "fused_extra is 1, expected <= 0"),
            ("error", "ocloc died of signal 6", "ocloc died of signal 6"),
        ):
            with self.subTest(figure=figure):
                self.assertEqual(self.faults(**{figure: value}), [f"gfx1030 crowd/palette/slerp: {words}"])
        self.assertEqual(len(self.faults(program="walk/slerp")), 1)
        self.assertEqual(len(self.faults(target="sm_90")), 1)

    def test_a_line_that_nothing_needs_is_told(self):
        table = limits.parse(TABLE + "gfx1030 walk/* scratch_bytes <= 8\nsm_90 * spills <= 1\n")
        idle = list(limits.idle(table, [ROW]))
        self.assertEqual(len(idle), 2)  # line 4 is replaced by line 5; line 9 is about no program
        self.assertRegex(idle[1], "line 9 .*gfx1030 walk/\\* scratch_bytes")

    def test_the_committed_limits_are_read(self):
        figures = {limit.figure for limit in limits.read()}
        self.assertLessEqual({"spills", "scratch_bytes", "occupancy", "instructions", "fused_extra"}, figures)


class Command(unittest.TestCase):
    def run_script(self, *arguments, **environment):
        return subprocess.run(
            [sys.executable, SCRIPT, *arguments],
            capture_output=True, text=True, check=False, env={**os.environ, **environment},
        )

    def expect_failure(self, done, code, words):
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertRegex(done.stderr, rf"^count-gpu: [^\n]*{words}[^\n]*\n$")

    def test_a_missing_tool_is_told_with_its_package(self):
        done = self.run_script("--target", "gfx1030", PATH="/nowhere")
        self.expect_failure(done, 2, "clang-19 is missing; install Debian package clang-19")
        done = self.run_script("--target", "tgllp", PATH="/nowhere")
        self.expect_failure(done, 2, "ocloc is missing; install Debian package intel-opencl-icd")

    def test_names_that_are_unknown_are_told(self):
        self.expect_failure(self.run_script("--target", "sm_1"), 2, "--target sm_1: unknown; expected one of sm_90")
        self.expect_failure(self.run_script("--program", "none*"), 2, "--program none\\*: no program has this name")


# IGC tells the size of private memory where a function is called.
PLANTED = """
static __attribute__((noinline)) float outside(global const float *from, float a) {
    for (int i = 0; i < 3; i++)
        a = a * from[(int)a & 255] + from[i];
    return a;
}

kernel void planted(global const float *from, global float *to, int count, int at) {
    float kept[64];
    for (int i = 0; i < 64; i++)
        kept[i] = from[i + at];
    float sum = 0.0f;
    for (int i = 0; i < count; i++) {
        sum = outside(from, sum);
        kept[i & 63] += sum;
        to[i] = kept[(i * at) & 63] * from[i] + sum;
    }
}
"""


class Compilers(unittest.TestCase):
    """One target of each maker, where its tools are installed; POSEMILL_REQUIRE_COMPILERS=1 makes a
    missing tool a failure."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def give_up(self, missing):
        if os.environ.get("POSEMILL_REQUIRE_COMPILERS") == "1":
            self.fail(str(missing))
        self.skipTest(str(missing))

    def write(self, name, text):
        with open(os.path.join(self.folder.name, f"{name}.cl"), "w", encoding="utf-8") as file:
            file.write(text)

    def measured(self, program, target):
        maker = work.maker_of(target)
        try:
            kit = maker.Tools()
        except tools.Missing as missing:
            self.give_up(missing)
        with tempfile.TemporaryDirectory() as folder:
            return maker.measure(kit, program, target, folder)

    def expect_planted(self, target):
        self.write("planted", PLANTED)
        planted = programs.Program("planted", "planted", (), self.folder.name)
        found = self.measured(planted, target)
        self.assertGreater(found["fused_extra"], 0)
        if target != "spirv":
            self.assertGreaterEqual(found["scratch_bytes"], 256)
            self.assertGreater(found["instructions"], 20)
        self.write("planted", PLANTED.replace("{", "{\n#pragma OPENCL FP_CONTRACT OFF\n"))
        self.assertEqual(self.measured(planted, target)["fused_extra"], 0)

    def test_planted_faults_for_nvidia(self):
        self.expect_planted("sm_90")

    def test_planted_faults_for_amd(self):
        self.expect_planted("gfx1030")

    def test_planted_faults_for_intel(self):
        self.expect_planted("tgllp")

    def test_planted_faults_in_spirv(self):
        self.expect_planted("spirv")

    def test_a_program_is_counted_for_each_target(self):
        record = os.path.join(self.folder.name, "record.json")
        done = subprocess.run([sys.executable, SCRIPT, "--fresh", "--program", "walk/slerp", "--json", record],
                              capture_output=True, text=True, check=False)
        if done.returncode == 2:
            self.give_up(done.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(record, encoding="utf-8") as file:
            rows = json.load(file)["programs"]
        self.assertEqual([row["target"] for row in rows], list(work.TARGETS))
        for row in rows:
            self.assertEqual((row["spills"] or 0, row["scratch_bytes"] or 0, row["fused_extra"]), (0, 0, 0))
            self.assertEqual(row["occupancy"] is None, row["target"] == "spirv")


if __name__ == "__main__":
    unittest.main()
