# SPDX-License-Identifier: MIT
"""Finds the parts of the script under test, and writes listings as NVIDIA's tools do."""
import os
import re
import sys

SCRIPT = os.path.abspath(sys.argv.pop(1) if len(sys.argv) > 1 else "bench/count-gpu")
sys.dont_write_bytecode = True  # keeps the folder of the script clean
sys.path.insert(0, os.path.dirname(SCRIPT))


def listed(text):
    """The format of nvdisasm."""
    out, at = [], 0
    for line in text.split("\n"):
        if not line.startswith(" "):
            out.append(line)
            continue
        *words, last = line.split()
        if re.search(r"\b(BRA|BSSY|CALL|RET)\b", line):
            words.append(f"`({last})")
        else:
            words.append(last)
        out.append(f"        /*{at:04x}*/    {' '.join(words)} ;")
        at += 16
    return "\n".join(out)
