# SPDX-License-Identifier: MIT
"""NVIDIA: clang and libclc make PTX, ptxas machine code, nvdisasm a listing."""
import math
import os
import re

from . import fused, sass
from .flow import hot_calls
from .programs import OPTIONS, source_path
from .tools import Failure, find, need, need_file, run, version

TARGETS = ("sm_90",)
LIBCLC = "/usr/lib/clc/nvptx64--nvidiacl.bc"
WARPS, REGISTERS = 64, 65536  # of a multiprocessor of sm_90


class Tools:
    def __init__(self, _targets=TARGETS):
        self.clang = need("clang-15", "Debian package clang-15")
        need_file(LIBCLC, "Debian package libclc-15")
        self.ptxas = need("ptxas", "pip package nvidia-cuda-nvcc, or NVIDIA's CUDA toolkit")
        self.nvdisasm = find("nvdisasm")
        self.cuobjdump = None if self.nvdisasm else find("cuobjdump")
        self.lists_calls = bool(self.nvdisasm or self.cuobjdump)

    def versions(self):
        tools = (self.clang, self.ptxas, self.nvdisasm, self.cuobjdump)
        return [version(tool) for tool in tools if tool]

    def counted(self):
        if self.lists_calls:
            return "machine instructions"
        return "PTX, because nvdisasm is missing (pip package nvidia-cuda-nvdisasm)"


def ptx_of(tools, program, sm, folder, more=()):
    """The PTX file, and what the compiler printed: its last representation before PTX. Clang 15
    supports GPUs up to sm_86; newer GPUs accept that code too."""
    name = os.path.join(folder, "program.ptx")
    known = min(int(sm[3:]), 86)
    _, log = run(
        tools.clang, "-x", "cl", *OPTIONS, "-O3", "-target", "nvptx64--nvidiacl",
        *f"-Xclang -target-cpu -Xclang sm_{known}".split(),
        *"-Xclang -target-feature -Xclang +ptx75 -Xclang -finclude-default-header".split(),
        *f"-Xclang -mlink-builtin-bitcode -Xclang {LIBCLC}".split(),
        *program.defines, *more, "-S", "-o", name, source_path(program),
    )
    with open(name, encoding="utf-8") as file:
        text = file.read()
    if known < int(sm[3:]):
        newest = "7.8" if int(sm[3:]) <= 90 else "8.7"
        text = re.sub(r"^\.target .*", f".target {sm}", text, flags=re.M)
        text = re.sub(r"^\.version .*", f".version {newest}", text, flags=re.M)
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
    return name, log


def assemble(tools, ptx, sm):
    """(name of the binary, registers, spilled bytes, bytes of the stack)"""
    binary = ptx[: -len("ptx")] + "cubin"
    log = "".join(run(tools.ptxas, "-v", f"-arch={sm}", ptx, "-o", binary))
    used = re.findall(r"Used (\d+) registers", log)
    spilled = re.findall(r"(\d+) bytes spill (?:stores|loads)", log)
    frames = re.findall(r"(\d+) bytes (?:cumulative stack size|stack frame)", log)
    if not used or not spilled:
        raise Failure("ptxas: the output has no registers and spills")
    return binary, max(map(int, used)), sum(map(int, spilled)), max(map(int, frames or [0]))


def listing(tools, binary):
    """The machine code, or None where no disassembler is installed."""
    if tools.nvdisasm:
        return run(tools.nvdisasm, "-c", binary)[0]
    if tools.cuobjdump:
        return run(tools.cuobjdump, "-sass", binary)[0]
    return None


def warps(registers, most=WARPS):
    """The number of warps per multiprocessor; registers are allocated in units of eight."""
    return min(most, REGISTERS // (32 * math.ceil(max(registers, 1) / 8) * 8))


def is_slow_path(name):
    """Whether ptxas added the routine, for a division, a root or the remainder of 64 bits."""
    return "__cuda_sm" in name or "__internal_" in name or name.isdigit()


def of_listing(text):
    """The counts of a listing of machine code."""
    program, starts = sass.parse_sass(text)
    if not program:
        raise Failure("the listing has no instructions")
    calls = [one.calls for one in program if one.calls]
    return {
        "code_bytes": 16 * len(program),  # of every architecture since sm_70
        "instructions": len(program),
        "calls": len(calls),
        "hot_calls": hot_calls(program, is_slow_path, starts),
        "generic_loads": len(re.findall(r"\sLD\.", text)),
        "local_accesses": len(re.findall(r"\s(?:LDL|STL)\b", text)),
        "fused": len(re.findall(r"\sFFMA", text)),
    }


def measure(tools, program, target, folder):
    ptx, log = ptx_of(tools, program, target, folder, fused.BEFORE)
    binary, registers, spilled, frame = assemble(tools, ptx, target)
    found = {"registers": registers, "spills": spilled, "scratch_bytes": frame,
             "occupancy": warps(registers), "simd": None}
    text = listing(tools, binary)
    found.update(of_listing(text) if text else {"code_bytes": None, "calls": None, "hot_calls": None})
    with open(ptx, encoding="utf-8") as file:
        found["fused_extra"] = fused.extra_of_ptx(file.read(), log)
    return found
