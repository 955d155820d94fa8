#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that the build runs on every processor of its architecture.

Reads compile_commands.json. No file may be compiled for the machine that builds it. Options that
enable an instruction set are allowed only in the targets named after that set, which the program
calls only after checking the processor. Options in CMAKE_C_FLAGS are accepted.
"""

import json
import re
import shlex
import sys

# -mtune is safe at run time, but a build must not depend on the machine.
FOR_ONE_MACHINE = re.compile(r"-m(arch|cpu|tune)=native")
TURNS_ON = re.compile(r"-m(arch|cpu)=.*|-m(avx|sse[34]|ssse|fma|bmi|f16c|lzcnt|popcnt).*")
SETS = re.compile(r"/posemill_(set|bench)_(avx2|avx512)\.dir/")


def faults(entry, given):
    words = [word for word in shlex.split(entry["command"]) if word not in given]
    output = "/" + words[words.index("-o") + 1] if "-o" in words else ""
    for word in words:
        if FOR_ONE_MACHINE.fullmatch(word) or (TURNS_ON.fullmatch(word) and not SETS.search(output)):
            yield f"{entry['file']}: {word} ({output[1:]})"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        entries = json.load(file)
    given = set(shlex.split(sys.argv[2]))
    found = [fault for entry in entries for fault in faults(entry, given)]
    sets = {match.group() for entry in entries if (match := SETS.search(entry["command"]))}
    print(f"{len(entries)} files, {len(sets)} targets of instruction sets")
    print("\n".join(found))
    return 1 if found or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
