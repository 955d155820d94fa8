#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests of cuda_check with a stand-in for NVIDIA's driver, which runs the kernels on the host.

    test_cuda_check.py CUDA_CHECK STANDIN MAKE_PTX

The PTX is real, so clang-15 and libclc-15 are required: the parameters of the kernels are compared
with the arguments. Without them the test is skipped, or fails where POSEMILL_REQUIRE_PTX is 1.
"""
import functools
import importlib.machinery
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CHECK, STANDIN, MAKE = (os.path.abspath(name) for name in sys.argv[1:4])
del sys.argv[1:]
FOLDER = tempfile.mkdtemp(prefix="posemill-test-cuda-")
PTX = os.path.join(FOLDER, "ptx")


def run(*arguments, standin=STANDIN, plant="", ptx=PTX):
    done = subprocess.run(
        [CHECK, "--library", standin, "--samples", "20", *arguments, *([ptx] if ptx else [])],
        capture_output=True, text=True, check=False, env={**os.environ, "CUDA_STANDIN": plant})
    return done.returncode, done.stdout, done.stderr


def changed(name, pattern, text):
    """A copy of the PTX with one program changed."""
    folder = tempfile.mkdtemp(dir=FOLDER)
    shutil.copytree(PTX, folder, dirs_exist_ok=True)
    path = os.path.join(folder, name + ".ptx")
    with open(path, encoding="utf-8") as file:
        before = file.read()
    after = re.sub(pattern, text, before, count=1)
    assert after != before, pattern
    with open(path, "w", encoding="utf-8") as file:
        file.write(after)
    return folder


class Check(unittest.TestCase):
    def test_all_programs_have_the_bits_of_the_reference(self):
        path = os.path.join(FOLDER, "record.json")
        code, out, err = run("--json", path)
        self.assertEqual(code, 0, err)
        with open(path, encoding="utf-8") as file:
            record = json.load(file)
        listed = subprocess.run([MAKE, "--list"], capture_output=True, text=True, check=True)
        names = listed.stdout.split()
        self.assertEqual(sorted(names), sorted(p["program"] for p in record["programs"]))
        self.assertIn(f"{len(names)} of {len(names)} programs have the bits", out)
        self.assertTrue(all(p["numbers"] > 0 for p in record["programs"]))

    def test_a_wrong_bit_is_found_in_each_kernel(self):
        for name in ("walk/squad", "gather/vector-linear", "walk/slerp/log48", "velocity/hermite",
                     "acceleration/nlerp/smallest48", "crowd/palette/slerp",
                     "crowd/dual/slerp/per-joint"):
            with self.subTest(name):
                code, out, err = run(plant=f"flip:{name}")
                self.assertEqual(code, 1)
                self.assertRegex(out, rf"(?m)^{name} .* differ$")
                self.assertEqual(len(re.findall(r"differ$", out, re.M)), 1, out)
                self.assertRegex(err, rf"{name}: .*number 0 is .*, expected ")

    def test_rejected_ptx_prints_the_log_of_the_driver(self):
        code, out, err = run(plant="reject:gather/sterp")
        self.assertEqual(code, 1)
        self.assertIn("ptxas fatal: gather/sterp is rejected", err)
        self.assertRegex(out, r"(?m)^gather/sterp .* not loaded$")
        self.assertRegex(out, r"(?m)^walk/sterp .* identical$")

    def test_parameters_that_do_not_fit_are_refused_before_a_launch(self):
        for pattern, text, message in (
            (r"\t\.param \.u64 walk_param_0,\n", "", "walk/squad has 11 parameters, expected 12"),
            (r"\.u32 walk_param_7", ".u64 walk_param_7",
             "walk/squad: parameter 7 has 8 bytes, expected 4: track_count"),
        ):
            with self.subTest(message):
                code, out, err = run(ptx=changed("walk/squad", pattern, text))
                self.assertEqual(code, 1)
                self.assertIn(message, err)
                self.assertRegex(out, r"(?m)^walk/squad .* not run$")

    def test_a_missing_program_is_named(self):
        folder = tempfile.mkdtemp(dir=FOLDER)
        code, out, err = run(ptx=folder)
        self.assertEqual(code, 1)
        self.assertIn(f"{folder}/walk/squad.ptx: No such file", err)
        self.assertIn("0 of ", out)

    def test_a_machine_without_cuda_is_no_failure(self):
        for standin, plant, message in (
            ("libno-such-driver.so.1", "", "no CUDA driver: libno-such-driver.so.1"),
            (STANDIN, "fail:cuInit", "cuInit: "),
            (STANDIN, "fail:cuDeviceGetCount", "the CUDA driver has no device"),
        ):
            with self.subTest(message):
                code, out, err = run(standin=standin, plant=plant)
                self.assertEqual((code, out), (77, ""))
                self.assertIn(message, err)

    def test_a_library_without_the_calls_is_refused(self):
        code, _, err = run(standin="libm.so.6")
        self.assertEqual(code, 1)
        self.assertIn("the driver library has no cuInit", err)

    def test_failed_calls_are_named(self):
        for call in ("cuMemAlloc", "cuLaunchKernel", "cuCtxSynchronize"):
            with self.subTest(call):
                code, out, err = run(plant=f"fail:{call}")
                self.assertEqual(code, 1)
                self.assertIn(f"cuda_check: {call}: CUDA_ERROR_OF_THE_STAND_IN", err)
                self.assertNotIn("identical", out)
                self.assertNotIn("cuCtxDestroy", err)

    def test_after_a_failed_launch_nothing_is_run(self):
        _, _, err = run(plant="fail:cuLaunchKernel")
        self.assertEqual(err.count("cuLaunchKernel"), 1)

    def test_wrong_arguments_end_with_2(self):
        for arguments in (["--samples", "0"], ["--samples", "x"], ["--json"], ["--wrong"], ["more"]):
            with self.subTest(arguments):
                code, out, err = run(*arguments, ptx="" if arguments == ["--json"] else PTX)
                self.assertEqual((code, out), (2, ""))
                self.assertIn(arguments[0] if arguments != ["more"] else PTX, err)
        code, _, err = run(ptx="")
        self.assertEqual(code, 2)
        self.assertIn("FOLDER is missing", err)

    def test_a_record_that_cannot_be_written_is_named(self):
        code, _, err = run("--json", "/dev/full")
        self.assertEqual(code, 1)
        self.assertIn("/dev/full: cannot be written: No space left", err)

    def test_a_report_that_cannot_be_written_is_named(self):
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([CHECK, "--library", STANDIN, "--samples", "1", PTX], stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the report cannot be written: No space left", done.stderr)


@functools.cache
def loaded():
    """The script make-ptx as a module."""
    loader = importlib.machinery.SourceFileLoader("make_ptx", MAKE)
    make = importlib.util.module_from_spec(importlib.util.spec_from_loader("make_ptx", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(make)
    return make


class Making(unittest.TestCase):
    def test_arguments(self):
        for arguments, message in (([], "FOLDER is missing"),
                                   (["--sm", "40", PTX], "--sm is 40, expected 60 to 86")):
            done = subprocess.run([MAKE, *arguments], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)

    def test_operations_that_a_driver_may_fuse_are_refused(self):
        make = loaded()
        kept = ".target sm_70, texmode_independent\n\tadd.rn.f32 \t%f1, %f2, %f3;\n"
        self.assertEqual(make.finish("walk/x", kept),
                         "// walk/x\n" + kept.replace(", texmode_independent", ""))
        for free in ("add.f32", "@%p1 mul.ftz.f32", "sub.f64"):
            with self.assertRaisesRegex(make.Failure, "walk/x: the PTX has 1 operations that a driver"):
                make.finish("walk/x", kept.replace("add.rn.f32", free))

    def test_parameters_of_shared_memory_are_offsets_in_that_of_the_launch(self):
        def crowd(*path):
            with open(os.path.join(PTX, "crowd", *path) + ".ptx", encoding="utf-8") as file:
                return file.read()

        text = crowd("palette", "slerp")
        self.assertEqual(text.count(".extern .shared .align 16 .b8 pm_shared_memory[];\n"), 1)
        self.assertEqual(text.count("\tmov.u64 \t%pm_shared_memory, pm_shared_memory;\n"), 1)
        for number in (22, 23):
            self.assertRegex(text, rf"\[crowd_workgroup_param_{number}\];\n"
                             r"\tadd\.s64 \t(%rd\d+), \1, %pm_shared_memory;\n")
        with open(os.path.join(PTX, "walk", "squad.ptx"), encoding="utf-8") as file:
            self.assertNotIn("pm_shared", file.read())
        with self.assertRaisesRegex(loaded().Failure, "crowd/x: parameter 22 is used other than"):
            loaded().share("crowd/x", text.replace("ld.param.u64 \t", "ld.param.u64 "), [22])

    def test_a_folder_that_cannot_be_made_is_named(self):
        done = subprocess.run([MAKE, "/dev/null/ptx"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("/dev/null/ptx", done.stderr)


def main():
    made = subprocess.run([MAKE, PTX], capture_output=True, text=True, check=False)
    if made.returncode == 2:
        print(made.stderr.strip())
        return 1 if os.environ.get("POSEMILL_REQUIRE_PTX") == "1" else 77
    if made.returncode != 0:
        print(made.stderr.strip())
        return 1
    return 0 if unittest.main(exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    finally:
        shutil.rmtree(FOLDER)
