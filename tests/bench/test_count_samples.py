#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of bench/count-gpu --samples with listings small enough to count by hand.

    test_count_samples.py COUNT_GPU
"""
import unittest

from count_support import listed

from count_gpu import flow, nvidia, samples, sass, tools

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


def counted(text):
    program, _ = sass.parse_sass(listed(text))
    return program, samples.count(program)


class Counting(unittest.TestCase):
    def expect_mix(self, program, places, **kinds):
        wanted = {**dict.fromkeys(flow.KINDS, 0), **kinds}
        self.assertEqual(samples.mix(program, places), wanted)

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
        self.assertEqual([samples.short_name(call) for call in calls], ["sqrt_rn_f32"])

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
        self.assertEqual(samples.mix(program, found.sample, 2)["fp32"], 1.5)
        self.assertEqual(samples.mix(program, found.sample, 2)["store"], 1.5)

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
                with self.assertRaisesRegex(tools.Failure, words):
                    counted(text)

    def test_ptx_is_counted_where_no_disassembler_is(self):
        program = sass.parse_ptx("""
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
        found = samples.count(program)
        self.assertEqual(found.samples, 1)
        # the path over bra.uni to the stores is not part of every iteration
        self.expect_mix(program, found.sample, fp32=1, load=1, store=3, int=2, other=3)
        self.expect_mix(program, found.rare, mufu=1, other=2)
        self.assertEqual([i.bytes for i in program if i.bytes], [4, 8, 4, 4])

    def test_bounds_are_lanes_and_clocks_over_instructions(self):
        card = samples.Card("c", "sm_90", 10, 2.0, 64, 16, 32, 64, 1600)
        needs = {"fp32": 4, "mufu": 0, "load": 1, "store": 1, "int": 0, "other": 2}
        limits = samples.bounds(card, needs)
        self.assertEqual(limits["issue"], 10 * 2.0 * 128 / 8)
        self.assertEqual(limits["fp32"], 10 * 2.0 * 64 / 4)
        self.assertEqual(limits["mufu"], float("inf"))
        self.assertEqual(limits["load/store"], 10 * 2.0 * 32 / 2)
        self.assertEqual(limits["write"], 100.0)
        self.assertEqual([nvidia.warps(r, card.warps) for r in (32, 33, 64, 65, 255)], [64, 51, 32, 28, 8])


if __name__ == "__main__":
    unittest.main()
