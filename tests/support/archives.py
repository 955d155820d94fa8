# SPDX-License-Identifier: MIT
"""Writes an archive of motion files in the shape of public sets.

usage: archives.py bvh|mixed|tiny|large FOLDER FILES [SEED]

Every number that moves is a slow sine of random amplitude, rate and phase. BVH has 60 joints at 30 Hz and 6
decimals; NPZ is as AMASS has it, stored or deflated, at 120 Hz in float64.
"""
import io
import math
import random
import struct
import sys
import zipfile
from pathlib import Path

# One of eight files has a name of its own kind; a thousand of the others share a folder.
KINDS = (("two words/Walk  (slow) ", ""), ("J\u00f6rg/\u6b69\u304f_", ""), ("a/b/c/d/e/f/g/h/deep_", ""),
         ("quotes/it's \"", "\"; $HOME & #1"), ("dots/v1.2.take.", ""), ("-dash/--rate=", ""),
         ("emoji \U0001f57a/", "%"), ("CASE/Take_", ""))


def of_subject(i):
    return f"{1 + i // 14:02}/{1 + i // 14:02}_{1 + i % 14:02}"


def of_set(i):
    take = ("walk", "turn_left", "jump_forward", "stand_up")[i // 3 % 4]
    return f"{('ACCAD', 'BMLmovi', 'KIT')[i % 3]}/s{i // 12:03}/{take}{i % 12:02}_poses"


def of_kind(i):
    before, after = KINDS[i // 8 % 8]
    return f"{before}{i}{after}" if i % 8 == 0 else f"all/{i // 1000}/take {i:05}"


def of_any(i):
    return f"{'abc'[i % 3]}/{(of_subject, of_set, of_kind)[i % 3](i // 3)}"


def of_number(i):
    return f"{i // 1000:02}/{i:06}"


# The names, the share of BVH, and the fewest and most frames.
SHAPES = {"bvh": (of_subject, 1.0, 100, 100), "mixed": (of_any, 0.7, 9, 80), "tiny": (of_number, 1.0, 9, 9),
          "large": (of_number, 1.0, 5600, 5600)}


def waves(rng, columns, frames, rate, size):
    """Rows of numbers."""
    made = [(size * rng.random(), math.tau * (0.1 + 1.9 * rng.random()) / rate, math.tau * rng.random())
            for _ in range(columns)]
    return [[a * math.sin(w * k + phase) for a, w, phase in made] for k in range(frames)]


def joint(n, children):
    """A spine of six joints, and limbs of six joints on it."""
    root = n == 0
    channels = "6 Xposition Yposition Zposition" if root else "3"
    inside = "".join(joint(child, children) for child in children[n]) or "End Site\n{\nOFFSET 0 1 0\n}\n"
    return (f"{'ROOT' if root else 'JOINT'} joint{n}\n{{\nOFFSET {n % 6 + 0.5} {4 + n % 5 + 0.25} 0\n"
            f"CHANNELS {channels} Zrotation Xrotation Yrotation\n{inside}}}\n")


def hierarchy(joints=60):
    children = [[] for _ in range(joints)]
    for n in range(1, joints):
        children[n - 1 if n % 6 else n // 6 % 6 if n // 6 % 6 < n else 0].append(n)
    return "HIERARCHY\n" + joint(0, children)


SKELETON = hierarchy()


def write_bvh(path, rng, frames):
    line = " ".join(["%.6f"] * 183)
    rows = "\n".join(line % tuple(row) for row in waves(rng, 183, frames, 30, 60.0))
    path.write_text(f"{SKELETON}MOTION\nFrames: {frames}\nFrame Time: 0.033333\n{rows}\n", encoding="utf-8")


def npy(shape, numbers):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.encode() + struct.pack(f"<{len(numbers)}d", *numbers)


def write_npz(path, rng, frames):
    method = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    members = {"poses": npy((frames, 156), sum(waves(rng, 156, frames, 120, 0.9), [])),
               "trans": npy((frames, 3), sum(waves(rng, 3, frames, 120, 2.0), [])),
               "betas": npy((16,), [rng.random() for _ in range(16)]), "mocap_framerate": npy((), [120.0])}
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", method) as archive:
        for name, member in members.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), member, method)
    path.write_bytes(data.getvalue())


def generate(shape, folder, files, seed=1):
    name_of, share, least, most = SHAPES[shape]
    for i in range(files):
        rng = random.Random(seed * 1000003 + i)
        kind, write = ("bvh", write_bvh) if rng.random() < share else ("npz", write_npz)
        path = Path(folder) / f"{name_of(i)}.{kind}"
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, rng, rng.randint(least, most))


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5) or sys.argv[1] not in SHAPES:
        sys.exit(__doc__)
    generate(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) == 5 else 1)
