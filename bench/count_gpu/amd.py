# SPDX-License-Identifier: MIT
"""AMD: clang and the bitcode of ROCm's device libraries make assembly with its resources."""
import functools
import os
import re
import tempfile

from . import fused
from .programs import OPTIONS, source_path
from .tools import Failure, Missing, need, package_version, run, version

TARGETS = ("gfx1030", "gfx1100", "gfx90a", "gfx942")
BITCODE = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
LIBRARIES = ("opencl", "ocml", "ockl", "oclc_abi_version_500", "oclc_correctly_rounded_sqrt_on",
             "oclc_daz_opt_off", "oclc_finite_only_off", "oclc_unsafe_math_off")
AFTER = ("-mllvm", "-print-after=finalize-isel")
AFTER_HEAD = "# *** IR Dump After Finalize ISel"

# One operation each, of which a probe counts the fused instructions.
PROBES = {
    "div": "kernel void probe(global float *a) { *a = a[1] / a[2]; }",
    "sqrt": "kernel void probe(global float *a) { *a = sqrt(a[1]); }",
    "long_div": "kernel void probe(global ulong *a) { *a = a[1] / a[2]; }",
}


class Tools:
    def __init__(self):
        self.clang = need("clang-19", "Debian package clang-19")
        need(os.path.join(BITCODE, "ocml.bc"), "Debian package rocm-device-libs")

    def versions(self):
        return [version(self.clang), package_version("rocm-device-libs")]


def isa_library(target):
    """The library of constants of a target, or of the newest one before it that there is: those of
    Debian are older than gfx942 and gfx1100. The kernels use nothing that depends on them."""
    prefix, wanted = "oclc_isa_version_", target[3:]
    known = [name[len(prefix):-3] for name in os.listdir(BITCODE) if name.startswith(prefix)]
    fitting = [one for one in known if len(one) == len(wanted) and one <= wanted]
    if not fitting:
        raise Missing(f"{BITCODE} has no {prefix}{wanted}.bc; install Debian package rocm-device-libs")
    return prefix + max(fitting)


def libraries(target):
    wave = "oclc_wavefrontsize64_" + ("off" if target.startswith("gfx1") else "on")
    for name in (*LIBRARIES, wave, isa_library(target)):
        yield from ("-Xclang", "-mlink-builtin-bitcode", "-Xclang", f"{BITCODE}/{name}.bc")


def compile_for(tools, target, source, options, folder):
    """(assembly, what the compiler printed around the selection of instructions)"""
    name = os.path.join(folder, "program.s")
    _, log = run(tools.clang, "-x", "cl", *OPTIONS, "-O3", "-nogpulib", "-target", "amdgcn-amd-amdhsa",
                 f"-mcpu={target}", "-mcode-object-version=5", *libraries(target), *fused.BEFORE,
                 *AFTER, *options, "-S", "-o", name, source)
    with open(name, encoding="utf-8") as file:
        return file.read(), log


FUSED = re.compile(r"\bV_(PK_)?(?:FMA|FMAC|FMAAK|FMAMK|MAD|MAC|FMA_MIX\w*?)_(?:LEGACY_)?F(?:16|32|64)")


def after_selection(log):
    return "\n".join(part.split(fused.BEFORE_HEAD)[0] for part in log.split(AFTER_HEAD)[1:])


def fused_count(text):
    """The fused instructions of floating-point numbers; packed ones count twice. The last step of a
    division is among those of the division."""
    return sum(2 if packed else 1 for packed in FUSED.findall(text))


@functools.cache
def weights(clang, target):
    """The number of fused instructions of each operation that the compiler expands."""
    tools, found = Tools(), {}
    with tempfile.TemporaryDirectory(prefix="posemill-count-") as folder:
        for name, source in PROBES.items():
            path = os.path.join(folder, "probe.cl")
            with open(path, "w", encoding="utf-8") as file:
                file.write(source)
            _, log = compile_for(tools, target, path, (), folder)
            asked = fused.asked_of(fused.before_selection(log))
            if getattr(asked, name) != 1:
                raise Failure(f"{clang}: the probe of {name} has {getattr(asked, name)}, expected 1")
            found[name] = fused_count(after_selection(log)) - asked.fma
    return found


def number(text, pattern):
    found = re.findall(pattern, text, re.M)
    if not found:
        raise Failure(f"the assembly has no {pattern.split(':')[0]}")
    return int(found[-1])


def measure(tools, program, target, folder):
    text, log = compile_for(tools, target, source_path(program), program.defines, folder)
    code, _, meta = text.partition(".amdgpu_metadata")
    return {
        "registers": number(meta, r"\.vgpr_count: +(\d+)"),
        "spills": number(meta, r"\.vgpr_spill_count: +(\d+)"),
        "scratch_bytes": number(meta, r"\.private_segment_fixed_size: +(\d+)"),
        "occupancy": number(code, r"^; Occupancy: (\d+)"),
        "instructions": len(re.findall(r"^\s+[a-z]\w+(?:\s|$)", code, re.M)),
        "fused_extra": fused.extra(fused_count(after_selection(log)), fused.asked_of(fused.before_selection(log)),
                                   weights(tools.clang, target)),
    }
