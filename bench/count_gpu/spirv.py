# SPDX-License-Identifier: MIT
"""SPIR-V: what clang and its translator make is valid for OpenCL 1.2, and forbids contraction."""
import os
import re

from .programs import OPTIONS, source_path
from .tools import need, package_version, run, version

TARGETS = ("spirv",)


class Tools:
    def __init__(self):
        self.clang = need("clang-15", "Debian package clang-15")
        self.translator = need("llvm-spirv-15", "Debian package llvm-spirv-15")
        self.validator = need("spirv-val", "Debian package spirv-tools")
        self.disassembler = need("spirv-dis", "Debian package spirv-tools")

    def versions(self):
        return [version(self.clang), package_version("llvm-spirv-15"), package_version("spirv-tools")]


def measure(tools, program, _target, folder):
    name = os.path.join(folder, "program")
    run(tools.clang, "-x", "cl", *OPTIONS, "-target", "spir64-unknown-unknown", "-Xclang",
        "-finclude-default-header", "-Xclang", "-disable-llvm-passes",
        *program.defines, "-emit-llvm", "-c", "-o", f"{name}.bc", source_path(program))
    run(tools.translator, "--spirv-max-version=1.0", f"{name}.bc", "-o", f"{name}.spv")
    run(tools.validator, "--target-env", "opencl1.2", f"{name}.spv")
    text, _ = run(tools.disassembler, f"{name}.spv")
    # Without the mode ContractionOff a driver may fuse products with sums. The translator leaves it out where a
    # kernel has no sums. A mad may be fused or not.
    kernels = set(re.findall(r"OpEntryPoint Kernel (%\w+)", text))
    strict = set(re.findall(r"OpExecutionMode (%\w+) ContractionOff", text))
    free = min(len(re.findall(r"= OpFMul ", text)), len(re.findall(r"= OpF(?:Add|Sub) ", text)))
    mads = len(re.findall(r"OpExtInst .* mad ", text))
    return {"fused_extra": mads + (free if kernels - strict else 0)}
