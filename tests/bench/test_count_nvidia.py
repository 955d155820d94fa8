#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of bench/count-nvidia with listings small enough to count by hand, and its errors.

    test_count_nvidia.py COUNT_NVIDIA

If clang-15, libclc and ptxas are installed the kernel of slerp is counted too.
"""
import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys
import unittest

SCRIPT = os.path.abspath(sys.argv.pop(1) if len(sys.argv) > 1 else "bench/count-nvidia")
sys.dont_write_bytecode = True  # keeps the folder of the script clean
LOADER = importlib.machinery.SourceFileLoader("count_nvidia", SCRIPT)
count_nvidia = importlib.util.module_from_spec(importlib.util.spec_from_loader("count_nvidia", LOADER))
LOADER.exec_module(count_nvidia)

SEGMENTS = """
walk:
    LDC R1, c[0x0][0x28]
    @P0 EXIT
segment:
    LDG.E R5, desc[UR8][R2.64]
    BSSY B0, found
search:
    IADD3 R3, R15, 0x1, RZ
    @P1 BRA leave
    LDG.E R2, desc[UR8][R2.64]
    @!P1 BRA search
leave:
    BSYNC B0
found:
    LDG.E.128 R8, desc[UR8][R8.64]
    FADD R11, -R18, R25
sample:
    LDG.E R33, desc[UR8][R10.64]
    FMUL R35, R33, R33
    FFMA R35, R35, R35, R33
    FSETP.GT.AND P4, PT, R35, 2, PT
    @P4 BRA rare
again:
    MUFU.RSQ R36, R35
    ISETP.NE.AND P1, PT, R28, RZ, PT
    STG.E.128 desc[UR8][R8.64], R36
    @P1 BRA sample
    @P2 EXIT
    BRA segment
rare:
    FMUL R35, R35, 0.5
    FMUL R35, R35, 0.5
    CALL.REL.NOINC $__internal_0_$__cuda_sm20_sqrt_rn_f32_slowpath
    BRA again
$__internal_0_$__cuda_sm20_sqrt_rn_f32_slowpath:
    MUFU.RSQ R2, R3
    RET.REL.NODEC R2 walk
"""


def listed(text, addresses=False):
    """The format of nvdisasm; with addresses instead of labels, that of cuobjdump."""
    lines, places, at = text.split("\n"), {}, 0
    for line in lines:
        if line.endswith(":"):
            places[line[:-1]] = at
        at += 16 if line.startswith(" ") else 0
    out, at = [], 0
    for line in lines:
        if not line.startswith(" "):
            out.append("" if addresses else line)
            continue
        *words, last = line.split()
        if re.search(r"\b(BRA|BSSY|CALL|RET)\b", line):
            place = f"{places.get(last, 0xfff0):#x}" if addresses else f"`({last})"
            words.append(place)
        else:
            words.append(last)
        out.append(f"        /*{at:04x}*/    {' '.join(words)} ;")
        if addresses:
            out[-1] += f"    /* 0x{at:016x} */\n        /* 0x000fe20000000800 */"
        at += 16
    return "\n".join(out)


def counted(text):
    program = count_nvidia.parse_sass(listed(text))
    return program, count_nvidia.count(program)


class Counting(unittest.TestCase):
    def expect_mix(self, program, places, **kinds):
        wanted = {**dict.fromkeys(count_nvidia.KINDS, 0), **kinds}
        self.assertEqual(count_nvidia.mix(program, places), wanted)

    def expect_segments(self, program, found):
        self.assertEqual((found.samples, found.loops), (1, 1))
        self.expect_mix(program, found.sample, fp32=2, mufu=1, load=1, store=1, int=1, other=3)
        self.expect_mix(program, found.rare, fp32=2, other=2)
        self.expect_mix(program, found.search, load=1, int=1, other=2)
        self.expect_mix(program, found.segment, fp32=1, load=2, other=4)

    def test_a_sample_is_told_from_its_segment_the_search_and_rare_ways(self):
        program, found = counted(SEGMENTS)
        self.expect_segments(program, found)
        calls = [program[i].calls for i in found.rare if program[i].calls]
        self.assertEqual([count_nvidia.short_name(call) for call in calls], ["sqrt_rn_f32"])

    def test_addresses_serve_as_well_as_labels(self):
        program = count_nvidia.parse_sass(listed(SEGMENTS, addresses=True))
        self.expect_segments(program, count_nvidia.count(program))

    def test_a_call_of_what_never_returns_is_a_jump(self):
        jumping = SEGMENTS.replace("    @P1 BRA sample\n", "    @!P1 CALL.REL.NOINC done\n"
                                   "    BRA sample\ndone:\n    BSYNC B1\n")
        program, found = counted(jumping)
        self.assertEqual(len(program), len(counted(SEGMENTS)[0]) + 2)
        self.expect_mix(program, found.sample, fp32=2, mufu=1, load=1, store=1, int=1, other=4)
        self.expect_mix(program, found.segment, fp32=1, load=2, other=5)

    def test_an_unrolled_loop_counts_by_the_samples_it_holds(self):
        program, found = counted("""
segment:
    NOP
twice:
    FADD R0, R0, R1
    FADD R0, R0, R1
    FADD R0, R0, R1
    STG.E.64 [R2.64], R4
    STG.E.64 [R2.64], R4
    STG.E.128 [R2.64], R4
    @P0 BRA twice
rest:
    FADD R0, R0, R1
    STG.E.128 [R2.64], R4
    @P0 BRA rest
    @P1 BRA segment
    EXIT
""")
        self.assertEqual((found.samples, found.loops), (2, 2))
        self.assertEqual(count_nvidia.mix(program, found.sample, 2)["fp32"], 1.5)
        self.assertEqual(count_nvidia.mix(program, found.sample, 2)["store"], 1.5)

    def test_a_branch_with_its_condition_among_the_operands_may_go_on(self):
        program, found = counted("""
segment:
    NOP
loop:
    STG.E.128 [R2.64], R4
    BRA !P6, loop
    @P1 BRA segment
    EXIT
""")
        self.assertEqual(program[2].next, [1, 3])
        self.assertEqual(found.sample, {1, 2})

    def test_a_store_that_not_every_turn_does_is_no_sample(self):
        with self.assertRaisesRegex(count_nvidia.Failure, "no loop stores"):
            counted("""
loop:
    @P1 BRA past
    STG.E.128 [R2.64], R4
past:
    @P0 BRA loop
    EXIT
""")

    def test_what_cannot_be_counted_is_refused(self):
        for text, words in (
            ("", "has no instructions"),
            ("loop:\n    FADD R0, R0, R1\n    @P0 BRA loop\n    EXIT\n", "no loop stores"),
            ("loop:\n    STG.E.64 [R2.64], R4\n    @P0 BRA loop\n    EXIT\n", "stores 8 bytes per iteration"),
            ("loop:\n    STG.E.128 [R2.64], R4\n    @P0 BRA loop\n    EXIT\n", "not in a loop over"),
            ("loop:\n    STG.E.128 [R2.64], R4\n    @P0 BRA nowhere\n    EXIT\n", "has no nowhere"),
            ("loop:\n    STG.E.128 [R2.64], R4\n    BRX R2\n    EXIT\n", "BRX is not supported"),
        ):
            with self.subTest(words=words):
                with self.assertRaisesRegex(count_nvidia.Failure, words):
                    counted(text)

    def test_ptx_is_counted_where_no_disassembler_is(self):
        program = count_nvidia.parse_ptx("""
.visible .entry walk( .param .u64 walk_param_0 )
{
    .reg .f32 %f<9>; // registers
$L__BB0_0:
    ld.param.u64 %rd1, [walk_param_0];
$L__BB0_1:
    ld.global.f32 %f1, [%rd1];
    fma.rn.f32 %f2, %f1, %f1, %f1;
    setp.gt.f32 %p1, %f2, 0f3F800000;
    @%p1 bra $L__BB0_3;
    bra.uni $L__BB0_2;
$L__BB0_2:
    st.global.v2.f32 [%rd1], {%f1, %f2};
    st.global.f32 [%rd1+8], %f2;
    st.global.f32 [%rd1+12], %f2;
    add.s64 %rd1, %rd1, 16;
    setp.ne.s32 %p2, %r1, 0;
    @%p2 bra $L__BB0_1;
    @%p3 bra $L__BB0_0;
    ret;
$L__BB0_3:
    sqrt.rn.f32 %f2, %f2;
    bra.uni $L__BB0_2;
}
""")
        found = count_nvidia.count(program)
        self.assertEqual(found.samples, 1)
        # the path over bra.uni to the stores is not part of every iteration
        self.expect_mix(program, found.sample, fp32=1, load=1, store=3, int=2, other=3)
        self.expect_mix(program, found.rare, mufu=1, other=2)
        self.assertEqual([i.bytes for i in program if i.bytes], [4, 8, 4, 4])

    def test_bounds_are_lanes_and_clocks_over_instructions(self):
        card = count_nvidia.Card("c", "sm_90", 10, 2.0, 64, 16, 32, 64, 1600)
        needs = {"fp32": 4, "mufu": 0, "load": 1, "store": 1, "int": 0, "other": 2}
        limits = count_nvidia.bounds(card, needs)
        self.assertEqual(limits["issue"], 10 * 2.0 * 128 / 8)
        self.assertEqual(limits["fp32"], 10 * 2.0 * 64 / 4)
        self.assertEqual(limits["mufu"], float("inf"))
        self.assertEqual(limits["load/store"], 10 * 2.0 * 32 / 2)
        self.assertEqual(limits["write"], 100.0)
        self.assertEqual([count_nvidia.warps(r, card) for r in (32, 33, 64, 65, 255)], [64, 51, 32, 28, 8])

    def test_the_curves_are_those_of_rotations(self):
        curves = count_nvidia.curves()
        self.assertIn("slerp", curves)
        self.assertIn("cubicspline", curves)
        self.assertEqual([name for name in curves if name.startswith("vector")], [])


class Command(unittest.TestCase):
    def run_script(self, *arguments, **environment):
        return subprocess.run(
            [sys.executable, SCRIPT, *arguments],
            capture_output=True, text=True, check=False, env={**os.environ, **environment},
        )

    def expect_failure(self, done, code, words):
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertRegex(done.stderr, rf"^count-nvidia: [^\n]*{words}[^\n]*\n$")

    def test_a_missing_tool_is_told_with_its_package(self):
        done = self.run_script("slerp", PATH="/nowhere")
        self.expect_failure(done, 2, "clang-15 is missing; install Debian package clang-15")

    def test_what_is_not_known_is_refused(self):
        self.expect_failure(self.run_script("sLerp"), 1, "sLerp: unknown; expected one of slerp, ")
        self.expect_failure(self.run_script("--card", "GTX 1"), 1, "unknown; expected one of H200, ")
        self.expect_failure(self.run_script("--sm", "sm_87"), 1, "choose one with --card")
        for architecture in ("90", "sm_", "sm_90;", "sm_1000"):
            self.assertEqual(self.run_script("--sm", architecture).returncode, 2)

    def test_the_kernel_of_slerp_is_counted_where_there_are_tools(self):
        done = self.run_script("--card", "L4", "slerp")
        if done.returncode == 2:
            self.skipTest(done.stderr)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("An estimate, not a measurement.", done.stdout)
        rows = [line.split() for line in done.stdout.split("\n") if line.startswith("slerp ")]
        self.assertEqual(len(rows), 3)
        registers, spilled, _, everything, fp32 = map(float, rows[0][1:6])
        self.assertTrue(8 <= registers <= 255 and spilled % 1 == 0)
        # two weights from one polynomial each, four products, one renormalisation
        self.assertTrue(20 <= fp32 < everything)


if __name__ == "__main__":
    unittest.main()
