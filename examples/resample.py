#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Resamples a motion file to 120 Hz and to NTSC's 30000/1001, and says what it did.

usage: resample.py FILE
"""
import sys
from pathlib import Path

import numpy as np

import posemill as pm


def main() -> None:
    source = Path(sys.argv[1])
    devices = ", ".join(device.name for device in pm.devices()) or "none, plain C serves"
    print(f"posemill {pm.__version__}; OpenCL devices: {devices}")
    motion = pm.load(source)
    print(f"{source.name}: {motion}")
    plain = pm.Engine(device="none")
    for rate, method in (("120", "squad"), ("30000/1001", "slerp")):
        sampled = motion.resample(rate, method)
        same = motion.resample(rate, method, engine=plain)
        target = f"{source.stem}-{rate.replace('/', '-')}{source.suffix}"
        sampled.save(target)
        clip, bits = sampled.clips[0], same.clips[0]
        equal = np.array_equal(clip.rotations, bits.rotations)
        print(f"{target}: {method}, {len(clip.times)} frames at {clip.rate} Hz, "
              f"{'the bits of plain C' if equal else 'NOT the bits of plain C'}")


if __name__ == "__main__":
    main()
