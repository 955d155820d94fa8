#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of bench/gpu-day: a pack is made, unpacked elsewhere, and run in an empty environment.

    test_gpu_day.py GPU_DAY BUILD

One quick test travels in place of the device tests, beside one that fails and one that hangs.
"""
import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import unittest

GPU_DAY, BUILD = sys.argv[1:3]
del sys.argv[1:]
FOLDER = os.path.realpath(tempfile.mkdtemp(prefix="posemill-test-gpu-day-"))
SMALL = os.path.join(FOLDER, "build")
PACK = os.path.join(FOLDER, "pack.tar.gz")
THERE = os.path.join(FOLDER, "another folder")
UNPACKED = os.path.join(THERE, "posemill-gpu-day")
HOME = os.path.join(FOLDER, "home-of-nobody")
KEPT = ("OCL_ICD_VENDORS", "XDG_CACHE_HOME", "LSAN_OPTIONS")


def run(*command, more=None, **options):
    """Runs a command with almost no environment."""
    known = {name: os.environ[name] for name in KEPT if name in os.environ}
    empty = {"PATH": "/usr/bin:/bin", "HOME": HOME, **known, **(more or {})}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=THERE,
                          env={name: text for name, text in empty.items() if text}, **options)


def there(*arguments, **options):
    """Searches no more than FOLDER: where a disk is slow, a search of a whole machine ends unfinished."""
    return run(os.path.join(UNPACKED, "gpu-day"), "--quick", "--device", "cpu", "--search", FOLDER,
               *arguments, **options)


def make_small_build():
    """A build folder with four tests: one that passes, and three that are made from programs here."""
    os.makedirs(os.path.join(SMALL, "bin"))
    os.symlink(os.path.join(BUILD, "posemill"), os.path.join(SMALL, "posemill"))
    os.symlink(os.path.join(BUILD, "bin", "test_convert"), os.path.join(SMALL, "bin", "test_convert"))
    for name, program in (("test_fails", "/bin/false"), ("test_hangs", "/bin/sleep"), ("test_skips", "/bin/true")):
        shutil.copy(program, os.path.join(SMALL, "bin", name))
    with open(os.path.join(SMALL, "device_tests.txt"), "w", encoding="utf-8") as file:
        file.write("test_fails\ntest_convert\ntest_hangs\ntest_skips\n")


def make_pack():
    os.makedirs(THERE)
    os.makedirs(HOME)
    make_small_build()
    return run(GPU_DAY, "--pack", PACK, "--from", SMALL)


def unpack():
    """Unpacks the programs, and replaces one by a test that prints names of this machine, and hangs where
    POSEMILL_HANGS is set, and one by a test that is skipped."""
    with tarfile.open(PACK) as archive:
        archive.extractall(THERE)
    with open(os.path.join(UNPACKED, "bin", "test_hangs"), "w", encoding="utf-8") as file:
        file.write('#!/bin/sh\necho "$PWD $HOME $TMPDIR $(uname -n)"\n${POSEMILL_HANGS:+sleep infinity}\n')
    with open(os.path.join(UNPACKED, "bin", "test_skips"), "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexit 77\n")


class Archive:
    def __init__(self, path):
        with tarfile.open(path) as archive:
            self.files = {os.path.basename(m.name): archive.extractfile(m).read()
                          for m in archive.getmembers() if m.isfile()}
            self.names = archive.getnames()
        self.manifest = json.loads(self.files["manifest.json"])
        self.steps = {step["name"]: step for step in self.manifest["steps"]}

    def status(self, name):
        return self.steps[name]["status"]


# A chosen folder of drivers prevents the search, which would find those of this machine.
DRIVERS = {"OCL_ICD_VENDORS": os.environ.get("OCL_ICD_VENDORS", "/etc/OpenCL/vendors")}


class Run(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.out = os.path.join(THERE, "records.tar.gz")
        cls.done = there("--minutes", "120", "--out", cls.out, "--only",
                         "list,devices,bench-quick,tests", more=DRIVERS)
        cls.archive = Archive(cls.out)
        if (cls.archive.status("devices") == "no device"
                and os.environ.get("POSEMILL_REQUIRE_DEVICE") != "1"):
            raise unittest.SkipTest("no OpenCL device")

    def test_steps_that_work_pass(self):
        for name in ("list", "devices", "bench-quick", "tests/test_convert"):
            self.assertEqual(self.archive.status(name), "passed", self.done.stderr)
        record = json.loads(self.archive.files["bench-quick.json"])
        self.assertEqual([case["name"] for case in record["cases"] if "slerp" in case["name"]],
                         ["upsample-4/slerp"])

    def test_failures_are_recorded_and_the_next_step_goes_on(self):
        self.assertEqual(self.done.returncode, 1)
        self.assertEqual(self.archive.status("tests/test_fails"), "failed")
        self.assertEqual(self.archive.steps["tests/test_fails"]["exit_code"], 1)
        self.assertEqual(self.archive.status("tests/test_hangs"), "passed")
        self.assertEqual(self.archive.status("tests/test_skips"), "skipped")
        self.assertIn("1 steps failed or ran out of time", self.done.stderr)
        self.assertNotIn("verify", self.archive.steps)

    def test_a_test_that_hangs_is_ended(self):
        out = os.path.join(THERE, "hangs.tar.gz")
        done = there("--minutes", "1", "--out", out, "--only", "tests", more={**DRIVERS, "POSEMILL_HANGS": "1"})
        archive = Archive(out)
        self.assertEqual(archive.status("tests/test_hangs"), "timed out")
        self.assertLess(archive.steps["tests/test_hangs"]["limit_s"], 25)
        self.assertIn("2 steps failed or ran out of time", done.stderr)

    def test_the_manifest_names_commit_files_and_system(self):
        manifest = self.archive.manifest
        self.assertRegex(manifest["commit"], r"^([0-9a-f]{12}(-dirty)?|unknown)$")
        self.assertEqual(manifest["system"]["programs"], "changed after packing")
        self.assertTrue(manifest["system"]["processor"] and manifest["system"]["libc"])
        listed = {file["name"]: file["sha256"] for file in manifest["files"]}
        found = {name: hashlib.sha256(text).hexdigest()
                 for name, text in self.archive.files.items() if name != "manifest.json"}
        self.assertEqual(listed, found)

    def test_no_path_and_no_host_name_is_recorded(self):
        self.assertIn("test_hangs.log", self.archive.files)
        for name, text in self.archive.files.items():
            for word in (THERE, HOME, FOLDER, socket.gethostname()):
                if len(word) > 2:
                    self.assertNotIn(word.encode(), text, name)


class Drivers(unittest.TestCase):
    def test_without_a_device_only_the_list_is_made(self):
        out = os.path.join(THERE, "nothing.tar.gz")
        done = there("--device", "no such device", "--out", out, "--only", "list,verify,tests")
        archive = Archive(out)
        self.assertEqual([archive.status(name) for name in ("list", "verify", "tests")],
                         ["passed", "no device", "no device"])
        self.assertEqual(done.returncode, 0, done.stderr)


class Refusals(unittest.TestCase):
    def expect(self, code, message, *arguments, **options):
        done = there(*arguments, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(message, done.stderr)

    def test_an_older_c_library_is_refused(self):
        path = os.path.join(UNPACKED, "glibc")
        with open(path, encoding="utf-8") as file:
            wanted = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write("99.1\n")
        try:
            self.expect(1, "expected 99.1 or newer", "--only", "list")
        finally:
            with open(path, "w", encoding="utf-8") as file:
                file.write(wanted)


def main():
    made = make_pack()
    if made.returncode != 0:
        print(made.stderr)
        return 1
    unpack()
    return 0 if unittest.main(exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    finally:
        shutil.rmtree(FOLDER)
