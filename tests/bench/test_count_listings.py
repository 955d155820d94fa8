#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of how bench/count-gpu reads the listings of three vendors: loops, calls, fused operations.

    test_count_listings.py COUNT_GPU
"""
import os
import tempfile
import unittest

from count_support import listed

from count_gpu import amd, fused, intel, nvidia, spirv, tools


class Loops(unittest.TestCase):
    """A call in a loop is found in each of the three listings, and a slow path is none."""

    CALLING = """
kernel:
    FADD R0, R0, R1
loop:
    @P1 BRA past
    CALL.REL.NOINC $kernel$place
past:
    @P2 CALL.REL.NOINC $__internal_0_$__cuda_sm20_sqrt_rn_f32_slowpath
    @P0 BRA loop
    EXIT
$kernel$place:
    RET.REL.NODEC R2 kernel
$__internal_0_$__cuda_sm20_sqrt_rn_f32_slowpath:
    RET.REL.NODEC R2 kernel
"""

    def hot_in(self, text):
        return nvidia.of_listing(listed(text))["hot_calls"]

    def test_a_call_in_a_loop_is_hot_on_nvidia(self):
        slow = "$__internal_0_$__cuda_sm20_sqrt_rn_f32_slowpath"
        self.assertEqual(self.hot_in(self.CALLING), ["$kernel$place", slow])
        behind = self.CALLING.replace("past:\n", "past:\n    @P3 BRA over\n").replace(
            "    @P0 BRA loop", "over:\n    @P0 BRA loop")
        self.assertEqual(self.hot_in(behind), ["$kernel$place"])
        before = self.CALLING.replace("loop:\n", "").replace("kernel:\n", "kernel:\nloop:\n", 1)
        self.assertEqual(self.hot_in(before.replace("@P0 BRA loop", "NOP loop")), [])

    def test_a_loop_in_a_called_routine_is_searched_too(self):
        text = self.CALLING.replace("    @P0 BRA loop\n", "").replace(
            "$kernel$place:\n", "$kernel$place:\n    @P1 CALL.REL.NOINC $kernel$far\n"
            "    @P0 BRA $kernel$place\n") + "$kernel$far:\n    RET.REL.NODEC R2 kernel\n"
        self.assertEqual(self.hot_in(text), ["$kernel$far"])

    AMD = """
planted:                                ; @planted
	s_load_dwordx2 s[0:1], s[4:5], 0x0
.LBB0_1:                                ; =>This Inner Loop Header: Depth=1
	s_add_u32 s6, s6, outside@rel32@lo+4
	s_addc_u32 s7, s7, outside@rel32@hi+12
	s_cbranch_vccnz .LBB0_2
	s_swappc_b64 s[30:31], s[6:7]
.LBB0_2:
	s_cbranch_scc1 .LBB0_1
	s_endpgm
.Lfunc_end0:
; codeLenInByte = 100
; Occupancy: 9
outside:                                ; @outside
	v_mov_b32_e32 v0, 0
	scratch_load_dword v1, off, s0
	s_setpc_b64 s[30:31]
.Lfunc_end1:
; codeLenInByte = 20
; Occupancy: 16
	.amdgpu_metadata
    .group_segment_fixed_size: 16
    .private_segment_fixed_size: 32
    .sgpr_count:     30
    .sgpr_spill_count: 3
    .vgpr_count:     40
    .vgpr_spill_count: 4
"""

    def test_the_assembly_for_amd(self):
        found = amd.of_assembly(self.AMD, "planted")
        self.assertEqual(
            [found[name] for name in ("registers", "sgprs", "spills", "sgpr_spills", "scratch_bytes", "local_bytes",
                                      "occupancy", "code_bytes", "calls", "hot_calls", "scratch_accesses")],
            [40, 30, 4, 3, 32, 16, 9, 120, 1, ["outside"], 1])
        once = self.AMD.replace("s_cbranch_scc1 .LBB0_1", "s_cbranch_scc1 .LBB0_2")
        self.assertEqual(amd.of_assembly(once, "planted")["hot_calls"], [])
        with self.assertRaisesRegex(tools.Failure, "has no walk"):
            amd.of_assembly(self.AMD, "walk")
        with self.assertRaisesRegex(tools.Failure, "has no .LBB0_1"):
            amd.of_assembly(self.AMD.replace(".LBB0_1:", ".LBB0_9:"), "planted")

    INTEL = """//.kernel planted
//.thread_config numGRF=128, numAcc=2, numSWSB=16
//.instCount 7
//.spill size 96
//.private memory size 4096

planted:
// B000: Preds:{},  Succs:{B001}
(W)     mov (16|M0)              r1.0<1>:f     0.0:f
// B001: [inDivergent],  Preds:{B000, B002},  Succs:{B002, B003}
        mad (16|M0)              r114.0<1>:f   r87.0<8;1>:f      r91.0<8;1>:f      r8.0<0>:f
        mad (16|M16)             r116.0<1>:f   r87.0<8;1>:f      r91.0<8;1>:f      r8.0<0>:f
(W)     mad (1|M0)               r3.0<1>:d     r87.0<0;0>:d      r91.0<0;0>:w      r8.0<0>:w
        madm (16|M0)             r114.0<1>:f   r87.0<8;1>:f      r91.0<8;1>:f      r8.0<0>:f
// B002: Preds:{B001},  Succs:{B001}
(W&f0)  call (16|M0)             r3.2          outside                          {@1}
// B003: Preds:{B001},  Succs:{}
(W)     send.gtwy (8|M0)         null     r112    null:0  0x0            0x02000010           {EOT}
"""

    def test_the_listing_of_intel(self):
        asked = "%1 = call float @llvm.fma.f32(float %a, float %b)"
        found = intel.of_listings(self.INTEL, "", asked, 800, 32)
        self.assertEqual(
            [found[name] for name in ("registers", "spills", "scratch_bytes", "simd", "code_bytes",
                                      "instructions", "calls", "hot_calls", "fused_extra")],
            [128, 96, 128, 32, 800, 7, 1, ["outside"], 0])
        allowed = "%1 = call float @__builtin_spirv_OpenCL_mad_f32_f32_f32(float %a)"
        self.assertEqual(intel.of_listings(self.INTEL, allowed, "", 800, 32)["fused_extra"], 2)
        with self.assertRaisesRegex(tools.Failure, "has no instructions"):
            intel.of_listings("//.kernel planted", "", "", 0, 8)

    def test_the_listing_of_the_code_in_the_binary_is_taken(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("simd16_entry_0001.dat", "first"), ("1_simd8_entry_0001.dat", "second"),
                               ("simd16_entry_0001.asm", "one"), ("1_simd8_entry_0001.asm", "two"),
                               ("beforeUnification.ll", "source"), ("codegen.ll", "three"),
                               ("codegen_1.ll", "four")):
                with open(os.path.join(folder, f"x_asm12ab_{name}"), "w", encoding="utf-8") as file:
                    file.write(text)
            self.assertEqual(intel.listings(folder, b"..second.."), ("two", "source", "four", 6, 8))
            self.assertEqual(intel.listings(folder, b"..first.."), ("one", "source", "three", 5, 16))
            with self.assertRaisesRegex(tools.Failure, "no listing of the code"):
                intel.listings(folder, b"third")


class Fused(unittest.TestCase):
    IR = """
define void @k() {
  %1 = tail call float @llvm.fma.f32(float %a, float %b, float %c)
  %2 = call fast <2 x float> @llvm.fma.v2f32(<2 x float> %a, <2 x float> %b, <2 x float> %c)
  %3 = call float @llvm.fma.f32(float noundef %a, float noundef -1.000000e+00, float %c)
  %4 = fdiv float %a, %b, !fpmath !1
  %5 = call float @llvm.sqrt.f32(float %a)
  %6 = urem i64 %x, %y
  %7 = udiv i32 %z, 3
  %8 = fmul float %a, %b
}
"""

    def test_what_the_source_asks_for(self):
        self.assertEqual(fused.asked_of(self.IR), fused.Asked(fma=3, div=1, sqrt=1, long_div=1))
        log = f"noise @llvm.fma.\n{fused.BEFORE_HEAD}\n{self.IR}\n# *** IR Dump After\n@llvm.fma.f32(\n"
        self.assertEqual(fused.asked_of(fused.before_selection(log)).fma, 3)

    def test_a_contraction_is_left_over(self):
        asked, weights = fused.asked_of(self.IR), {"div": 5, "sqrt": 2, "long_div": 2}
        self.assertEqual(fused.extra(3 + 9, asked, weights), 0)
        self.assertEqual(fused.extra(3 + 9 + 1, asked, weights), 1)

    def test_machine_instructions_of_amd(self):
        text = "V_FMA_F32_e64 V_FMAC_F32_e64 V_PK_FMA_F32 V_MAD_U64_U32_e64 V_DIV_FMAS_F32_e64 V_MUL_F32_e64"
        self.assertEqual(amd.fused_count(text), 4)

    def test_ptx_that_may_be_fused_counts(self):
        log = f"{fused.BEFORE_HEAD}\n%1 = call float @llvm.fma.f32(float %a, float %b, float %c)\n"
        strict = "fma.rn.f32 %f1, %f2, %f3, %f4;\nmul.rn.f32 %f1, %f2, %f3;\nadd.rn.f32 %f1, %f2, %f3;\n"
        self.assertEqual(fused.extra_of_ptx(strict, log), 0)
        self.assertEqual(fused.extra_of_ptx(strict + "    fma.rn.f32 %f1, %f2, %f3, %f4;\n", log), 1)
        self.assertEqual(fused.extra_of_ptx(strict.replace("mul.rn", "mul"), log), 1)
        whole = "mul.lo.s32 %r1, %r2, %r3;\nadd.s64 %rd1, %rd2, 1;\n"
        self.assertEqual(fused.extra_of_ptx(strict + whole, log), 0)

    def test_spirv_that_allows_contraction_counts(self):
        module = ('OpEntryPoint Kernel %7 "walk" %3\nOpExecutionMode %7 ContractionOff\n'
                  "%1 = OpFMul %float %a %b\n%2 = OpFAdd %float %1 %c\n"
                  "%4 = OpExtInst %float %e fma %a %b %c\n")
        self.assertEqual(spirv.of_listing(module)["fused_extra"], 0)
        free = module.replace("OpExecutionMode %7", "OpExecutionMode %8")
        self.assertEqual(spirv.of_listing(free)["fused_extra"], 1)
        self.assertEqual(spirv.of_listing(free.replace("OpFAdd", "OpFDiv"))["fused_extra"], 0)
        self.assertEqual(spirv.of_listing(module.replace(" fma ", " mad "))["fused_extra"], 1)


if __name__ == "__main__":
    unittest.main()
