#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of bench/gpu-day: the drivers that it finds, its records, and steps that fail.

    test_gpu_day.py GPU_DAY POSEMILL
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

GPU_DAY, POSEMILL = map(os.path.abspath, sys.argv[1:3])
del sys.argv[1:]

# Stands for the command: writes what the loader would read, and does less.
STAND_IN = f"""#!/bin/sh
for one in "$OCL_ICD_VENDORS"/*.icd; do [ ! -e "$one" ] || cat "$one" >>"$SEEN"; done
case "$1:$MODE" in
--version:* | *:idle) ;;
verify:verify) echo "a problem" >&2; exit 5 ;;
bench:*) exec {POSEMILL} "$@" --case upsample-4/slerp --samples 4096 ;;
*) exec {POSEMILL} "$@" ;;
esac
"""


class GpuDay(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="posemill-test-gpu-day-")
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name).resolve()
        self.command = self.path / "posemill"
        self.command.write_text(STAND_IN)
        self.command.chmod(0o755)
        self.drivers = self.path / "lib"
        self.drivers.mkdir()

    def run_day(self, *words, **more):
        environment = {name: text for name, text in os.environ.items() if name != "OCL_ICD_VENDORS"}
        environment |= {"SEEN": str(self.path / "seen"), "MODE": "", **more}
        return subprocess.run([GPU_DAY, "--device", "none", "--quick", "--posemill", self.command, "--search",
                               self.drivers, "-o", self.path / "records", *words], capture_output=True, text=True,
                              check=False, env=environment)

    def test_a_device_is_verified_and_measured(self):
        done = self.run_day()
        self.assertEqual(done.returncode, 0, done.stderr)
        records = self.path / "records"
        self.assertIn("devices", json.loads((records / "devices.json").read_text()))
        self.assertTrue(json.loads((records / "verify.json").read_text()))
        self.assertEqual([case["name"] for case in json.loads((records / "bench.json").read_text())["cases"]],
                         ["upsample-4/slerp"])
        self.assertEqual(self.run_day().returncode, 1)  # the folder exists

    def test_drivers_are_found_and_stubs_are_not(self):
        for name in ("libnvidia-opencl.so.550.1", "stubs/libnvidia-opencl.so.1", "compat/libamdocl64.so"):
            (self.drivers / name).parent.mkdir(exist_ok=True)
            (self.drivers / name).write_text("a library")
        (self.drivers / "libnvidia-opencl.so.1").symlink_to("libnvidia-opencl.so.550.1")
        (self.drivers / "libamdocl64.so").write_text("")
        self.assertEqual(self.run_day(MODE="idle").returncode, 0)
        seen = (self.path / "seen").read_text()
        self.assertRegex(seen, rf"{self.drivers}/libnvidia-opencl\.so\.1\n")
        for name in ("stubs", "compat", "libamdocl64"):
            self.assertNotIn(f"{self.drivers}/{name}", seen)

    def test_a_folder_of_drivers_that_is_named_is_used(self):
        (self.drivers / "libnvidia-opencl.so.1").write_text("a library")
        named = self.path / "vendors"
        named.mkdir()
        (named / "own.icd").write_text("own.so\n")
        self.run_day(OCL_ICD_VENDORS=str(named), MODE="idle")
        self.assertEqual(set((self.path / "seen").read_text().split()), {"own.so"})

    def test_a_step_that_fails_stops_no_other(self):
        done = self.run_day(MODE="verify")
        self.assertEqual(done.returncode, 1)
        self.assertIn("verify: failed with code 5; a problem\n", done.stderr)
        self.assertIn("1 of 3 steps failed", done.stderr)
        self.assertTrue((self.path / "records" / "bench.json").exists())

    def test_wrong_arguments_are_told(self):
        for words in (["--minutes", "0"], ["--minutes", "121"], ["--minutes", "1x"], ["--device"], ["--search", "/none"],
                      ["--no-such"]):
            done = self.run_day(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertFalse((self.path / "records").exists())


if __name__ == "__main__":
    unittest.main()
