#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# NumPy reads an NPZ file that was composed from a BVH, whose text says what must be there.
"""npz_composed.py BVH NPZ. Exits with 77 where NumPy is missing."""

import sys
import zipfile

try:
    import numpy as np
except ImportError:
    sys.exit(77)

with open(sys.argv[1], encoding="utf-8") as file:
    words = file.read().split()
heads = [i for i, word in enumerate(words) if word in ("ROOT", "JOINT")]
joints, sites = len(heads), words.count("Site")
frames = int(words[words.index("Frames:") + 1])
offsets = [i for i, word in enumerate(words) if word == "OFFSET" and words[i - 3] in ("ROOT", "JOINT")]

with zipfile.ZipFile(sys.argv[2]) as archive:
    assert archive.testzip() is None
    assert all(i.compress_type == zipfile.ZIP_STORED for i in archive.infolist())
    order = [i.filename[:-4] for i in archive.infolist()]
assert order == ["names", "parents", "offsets", "tails", "has_tail", "rotations", "positions", "rate"], order

arrays = np.load(sys.argv[2], allow_pickle=False)
expected = {
    "parents": ("<i4", (joints,)),
    "offsets": ("<f8", (joints, 3)),
    "tails": ("<f8", (joints, 3)),
    "has_tail": ("|b1", (joints,)),
    "rotations": ("<f8", (frames, joints, 4)),
    "positions": ("<f8", (frames, 3)),
}
for name, (dtype, shape) in expected.items():
    assert arrays[name].dtype.str == dtype, (name, arrays[name].dtype.str)
    assert arrays[name].shape == shape, (name, arrays[name].shape, shape)
assert arrays["names"].dtype.kind == "U"
assert list(arrays["names"]) == [words[i + 1] for i in heads]
assert arrays["rate"].shape == () and arrays["rate"] > 0
assert arrays["has_tail"].sum() == sites
assert np.array_equal(arrays["offsets"], [[float(x) for x in words[i + 1 : i + 4]] for i in offsets])
assert (arrays["parents"] == -1).sum() == 1 and (arrays["parents"] < np.arange(joints)).all()
assert np.abs(np.linalg.norm(arrays["rotations"], axis=-1) - 1).max() < 1e-12
assert np.isfinite(arrays["tails"]).all() and np.isfinite(arrays["positions"]).all()
