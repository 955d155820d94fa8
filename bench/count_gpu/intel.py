# SPDX-License-Identifier: MIT
"""Intel: ocloc compiles as the driver does, and its compiler IGC writes its listings."""
import glob
import os
import re
from pathlib import Path

from .programs import OPTIONS
from .tools import Failure, need, package_version, run

TARGETS = ("tgllp", "dg2", "skl", "pvc")
WITHOUT_DOUBLE = ("tgllp", "dg2")


class Tools:
    def __init__(self):
        self.ocloc = need("ocloc", "Debian package intel-opencl-icd")

    def versions(self):
        return [package_version("intel-opencl-icd"), package_version("libigc1")]


def compile_for(tools, target, program, folder):
    """(assembly, what the front end makes, the representation before the code, lanes of a thread)"""
    dumps = os.path.join(folder, "dumps")
    os.mkdir(dumps)
    environment = {"IGC_ShaderDumpEnable": "1", "IGC_DumpToCustomDir": dumps}
    options = " ".join((*OPTIONS, "-I .", *program.defines))
    run(tools.ocloc, "compile", "-file", f"{program.file}.cl", "-device", target, "-options", options,
        "-out_dir", folder, "-output", "program", cwd=program.folder, environment=environment)
    binaries = glob.glob(os.path.join(folder, "program*.bin"))
    if len(binaries) != 1:
        raise Failure(f"ocloc wrote {len(binaries)} binaries, expected 1")
    with open(binaries[0], "rb") as file:
        return listings(dumps, file.read())


def text_of(path):
    return Path(path).read_text(encoding="utf-8", errors="replace")


def listings(dumps, binary):
    """IGC compiles again with other settings, where its first result spills, and with several
    widths. The listing that counts is that of the code in the binary."""
    for code_path in sorted(glob.glob(os.path.join(dumps, "*.dat"))):
        with open(code_path, "rb") as file:
            code = file.read()
        if code and code in binary:
            named = re.fullmatch(r"(.*?_asm[0-9a-f]+)(_\d+)?_simd(\d+)_entry_\d+\.dat", code_path)
            if not named:
                raise Failure(f"IGC's listing {os.path.basename(code_path)} has an unknown name")
            stem, attempt = named[1], named[2] or ""
            return (text_of(code_path[:-3] + "asm"), text_of(f"{stem}_beforeUnification.ll"),
                    text_of(f"{stem}_codegen{attempt}.ll"), int(named[3]))
    raise Failure("IGC wrote no listing of the code in the binary")

OPERATION = re.compile(r"^(?:\([^)]*\))?\s+([a-z][a-z0-9_.]*) \((\d+)\|M(\d+)\)(.*)")

# The smallest width of a kernel. Narrower operations are of numbers that all lanes share.
LEAST_SIMD = 8


def fused_in(operation):
    """The fused operations of floating-point numbers in a line. The second half of one that the
    compiler divided is not counted, and a line of shared numbers is an operation for each of them.
    madm belongs to division and root."""
    line, name, width, first_lane, operands = operation.group(0, 1, 2, 3, 4)
    if name not in ("mad", "mac") or first_lane != "0" or not re.search(r":(?:f|hf|df)\b", operands):
        return 0
    return int(width) if line.startswith("(W)") and int(width) < LEAST_SIMD else 1


def said(assembly, what, default=None):
    found = re.search(rf"^//\.{what} +(\d+)", assembly, re.M)
    if not found and default is None:
        raise Failure(f"IGC's listing has no {what}")
    return int(found[1]) if found else default


def fused_extra(operations, source, ir):
    """A product and a sum that may be fused are a mad in what the front end makes, and fma in the
    representation right before the code."""
    allowed = len(re.findall(r"call .*_OpenCL_mad_", source))
    asked = len(re.findall(r"call .*@llvm\.(?:fma|genx\.GenISA\.fma\.rt\w)\.", ir))
    return sum(map(fused_in, operations)) - asked + allowed


def measure(tools, program, target, folder):
    assembly, source, ir, simd = compile_for(tools, target, program, folder)
    operations = [found for found in map(OPERATION.match, assembly.splitlines()) if found]
    grf = re.search(r"numGRF=(\d+)", assembly)
    if not grf or not operations:
        raise Failure("IGC's listing has no instructions")
    return {
        "registers": int(grf[1]),
        "spills": said(assembly, "spill size", 0),
        "scratch_bytes": -(-said(assembly, "private memory size", 0) // simd),
        "occupancy": simd,  # lanes that a thread computes at a time
        "instructions": said(assembly, "instCount"),
        "fused_extra": fused_extra(operations, source, ir),
    }
