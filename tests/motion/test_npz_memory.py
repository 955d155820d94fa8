#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The peak memory of `posemill resample` of a stored NPZ file, and its values where channels are
resampled in several blocks.

usage: test_npz_memory.py POSEMILL
"""
import zipfile

import command_case
from command_case import SEED

np = command_case.require_numpy()

FILE_BYTES = 64_000_000
COLUMNS, RATE = 156, 120.0
MOST = 3           # times the larger of input and output
FIXED = 8_000_000  # bytes of a process that resamples a file of one frame: 5 MB, and more with other libraries
FIRST = 200        # frames that a second file has


def write_array(archive, name, shape, kind, rows):
    with archive.open(name, "w", force_zip64=True) as member:
        np.lib.format.write_array_header_1_0(
            member, {"descr": np.dtype(kind).str, "fortran_order": False, "shape": shape})
        for piece in rows:
            member.write(np.asarray(piece, kind).tobytes())


def write_file(path, frames, kind):
    """In pieces: the peak of this process counts as that of its children until they call exec."""
    rng = np.random.default_rng(SEED)
    phase, speed = rng.uniform(0, 6, COLUMNS), rng.uniform(0.3, 3, COLUMNS)

    def rows(columns):
        for first in range(0, frames, 1000):
            time = np.arange(first, min(first + 1000, frames))[:, None] / RATE
            yield np.sin(phase[:columns] + speed[:columns] * time)

    with zipfile.ZipFile(path, "w") as archive:
        write_array(archive, "poses.npy", (frames, COLUMNS), kind, rows(COLUMNS))
        write_array(archive, "trans.npy", (frames, 3), kind, rows(3))
        write_array(archive, "mocap_framerate.npy", (), "f8", [RATE])


def read_rows(path, name, count):
    """The number of rows of an array, and the first `count` of them."""
    with zipfile.ZipFile(path) as archive, archive.open(name) as member:
        np.lib.format.read_magic(member)
        shape, _, kind = np.lib.format.read_array_header_1_0(member)
        size = count * shape[1] * kind.itemsize
        return shape[0], np.frombuffer(member.read(size), kind).reshape(count, shape[1])


class Memory(command_case.Case):
    def resample(self, source, target, rate, *options):
        """Peak bytes of the process."""
        return self.run_measured("resample", source, "-o", target, "--rate", rate, "--device", "none", "-q", "--overwrite",
                                 *options)[1]

    def expect_peak(self, rate, *options):
        peak = self.resample(self.large, self.out, rate, *options)
        files = max(self.large.stat().st_size, self.out.stat().st_size)
        print(f"{rate}: peak {peak / 1e6:.0f} MB, {peak / files:.2f} of {files / 1e6:.0f} MB")
        self.assertLessEqual(peak, MOST * files + FIXED, rate)

    def expect_rows(self, samples, first, rate, *options):
        """The file of the first frames has the first rows, and is resampled in one block."""
        expected = self.folder / "expected.npz"
        self.resample(self.small, expected, rate, *options)
        for name in ("poses.npy", "trans.npy"):
            count, rows = read_rows(self.out, name, first)
            self.assertEqual(count, samples)
            np.testing.assert_array_equal(rows, read_rows(expected, name, first)[1], f"{rate} {name}")

    def expect_file(self, kind):
        self.large, self.small, self.out = (self.folder / name for name in ("large.npz", "small.npz", "out.npz"))
        frames = FILE_BYTES // ((COLUMNS + 3) * np.dtype(kind).itemsize)
        write_file(self.large, frames, kind)
        write_file(self.small, FIRST, kind)
        for rate, samples, first in (("x1", frames, FIRST), ("/4", (frames + 3) // 4, FIRST // 4),
                                     ("x2", 2 * frames - 1, 2 * FIRST - 1)):
            self.expect_peak(rate)
            self.expect_rows(samples, first, rate)
        part = ("--start", "0.1", "--end", "1.65", "--end-rule", "include")
        self.expect_peak("47", *part)
        self.expect_rows(74, 74, "47", *part)  # 1.55 s, and the end itself

    def test_float64(self):
        self.expect_file("f8")

    def test_float32(self):
        self.expect_file("f4")


if __name__ == "__main__":
    command_case.main()
