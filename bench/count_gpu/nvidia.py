# SPDX-License-Identifier: MIT
"""NVIDIA: clang and libclc make PTX, ptxas machine code, nvdisasm a listing."""
import math
import os
import re

from . import fused
from .programs import OPTIONS, source_path
from .tools import Failure, need, run, version

TARGETS = ("sm_90",)
LIBCLC = "/usr/lib/clc/nvptx64--nvidiacl.bc"
WARPS, REGISTERS = 64, 65536  # of a multiprocessor of sm_90


class Tools:
    def __init__(self):
        self.clang = need("clang-15", "Debian package clang-15")
        need(LIBCLC, "Debian package libclc-15")
        self.ptxas = need("ptxas", "pip package nvidia-cuda-nvcc")
        self.nvdisasm = need("nvdisasm", "pip package nvidia-cuda-nvdisasm")

    def versions(self):
        return [version(tool) for tool in (self.clang, self.ptxas, self.nvdisasm)]


def ptx_of(tools, program, sm, folder):
    """(file, PTX, what the compiler printed: its last representation before PTX). Clang 15 supports GPUs up to
    sm_86; newer GPUs accept that code too."""
    name = os.path.join(folder, "program.ptx")
    _, log = run(
        tools.clang, "-x", "cl", *OPTIONS, "-O3", "-target", "nvptx64--nvidiacl",
        *"-Xclang -target-cpu -Xclang sm_86".split(),
        *"-Xclang -target-feature -Xclang +ptx75 -Xclang -finclude-default-header".split(),
        *f"-Xclang -mlink-builtin-bitcode -Xclang {LIBCLC}".split(),
        *program.defines, *fused.BEFORE, "-S", "-o", name, source_path(program),
    )
    with open(name, encoding="utf-8") as file:
        text = re.sub(r"^\.target .*", f".target {sm}", file.read(), flags=re.M)
    text = re.sub(r"^\.version .*", ".version 7.8", text, flags=re.M)
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    return name, text, log


def warps(registers):
    """The number of warps per multiprocessor; registers are allocated in units of eight."""
    return min(WARPS, REGISTERS // (32 * math.ceil(max(registers, 1) / 8) * 8))


def measure(tools, program, target, folder):
    ptx, text, log = ptx_of(tools, program, target, folder)
    binary = os.path.join(folder, "program.cubin")
    said = "".join(run(tools.ptxas, "-v", f"-arch={target}", ptx, "-o", binary))
    used = [int(one) for one in re.findall(r"Used (\d+) registers", said)]
    spilled = [int(one) for one in re.findall(r"(\d+) bytes spill (?:stores|loads)", said)]
    frames = [int(one) for one in re.findall(r"(\d+) bytes (?:cumulative stack size|stack frame)", said)]
    if not used or not spilled:
        raise Failure("ptxas: the output has no registers and spills")
    listing, _ = run(tools.nvdisasm, "-c", binary)
    return {"registers": max(used), "spills": sum(spilled), "scratch_bytes": max(frames, default=0),
            "occupancy": warps(max(used)),
            "instructions": len(re.findall(r"^\s*/\*[0-9a-f]+\*/\s+[^;\n]*;", listing, re.M)),
            "fused_extra": fused.extra_of_ptx(text, log)}
