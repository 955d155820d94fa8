# SPDX-License-Identifier: MIT
"""Finds the parts of the script under test, and writes listings as NVIDIA's tools do."""
import os
import re
import sys

SCRIPT = os.path.abspath(sys.argv.pop(1) if len(sys.argv) > 1 else "bench/count-gpu")
sys.dont_write_bytecode = True  # keeps the folder of the script clean
sys.path.insert(0, os.path.dirname(SCRIPT))


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
