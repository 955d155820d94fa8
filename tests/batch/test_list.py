#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""posemill list as users run it: folders with odd entries, lists and archives, exit codes.

    test_list.py POSEMILL
"""
import json
import os
import shutil
import subprocess
import unittest

import command_case
from command_case import POSEMILL

NOBODY = 65534


class Folder(command_case.Case):
    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)

    def put(self, name, data=b"x", at=None):
        path = os.path.join(os.fsencode(at or self.folder), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)

    def run_list(self, *words, code=0, text=None, before=()):
        done = subprocess.run([*before, POSEMILL, "list", *words], cwd=self.folder, input=text,
                              capture_output=True, check=False, timeout=120)
        self.assertEqual(done.returncode, code, f"{words}: {done.stderr}")
        for stream in (done.stdout, done.stderr):
            shown = stream.decode("utf-8") # fails where the output is not UTF-8
            harmful = [c for c in shown if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160)]
            self.assertEqual(harmful, [], "control characters reach the terminal")
        return done.stdout, done.stderr.decode()

    def lines(self, *words, **how):
        return [json.loads(line) for line in self.run_list(*words, **how)[0].splitlines()]


class Folders(Folder):
    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "requires root and setpriv")
    def test_folders_that_cannot_be_read(self):
        self.put("in/a.bvh")
        self.put("in/closed/b.bvh")
        self.put("in/names-only/c.bvh")
        (self.folder / "in/closed").chmod(0o000)
        (self.folder / "in/names-only").chmod(0o744)
        as_nobody = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
        out, errors = self.run_list("in", code=1, before=as_nobody)
        self.assertEqual(json.loads(out)["path"], "in/a.bvh")
        self.assertIn("in/closed: Permission denied", errors)
        self.assertIn("in/names-only/c.bvh: Permission denied", errors)
        _, errors = self.run_list("in/closed", code=4, before=as_nobody)
        self.assertIn("no file can be used", errors)


class Lists(Folder):
    def test_what_is_printed(self):
        self.put("in/a.bvh", b"123")
        out, _ = self.run_list("in", "-o", "takes.jsonl")
        self.assertEqual(out, b"takes.jsonl: 1 file, 3 bytes\n")
        self.assertEqual(self.run_list("in", "-o", "takes.jsonl", "-q")[0], b"")
        os.symlink(".", self.folder / "in/loop")
        report = json.loads(self.run_list("in", "-o", "takes.jsonl", "--json", code=1)[0])
        self.assertEqual((report["list"], report["files"], report["bytes"]), ("takes.jsonl", 1, 3))
        self.assertEqual([fault["path"] for fault in report["faults"]], ["in/loop"])

    def test_usage(self):
        self.put("in/a.bvh")
        self.put("other/a.bvh")
        for words in ((), ("in", "--json"), ("in", "-o", "x.bvh"), ("in", "-o", "x.tar.gz"),
                      ("in", "other"), ("in", "--match", "")):
            self.run_list(*words, code=2)
        self.assertEqual(sorted(os.listdir(self.folder)), ["in", "other"])

    def test_outputs_that_cannot_be_written(self):
        self.put("in/a.bvh")
        self.run_list("in", "-o", "none/takes.jsonl", code=6)
        self.run_list("in", "-o", "in", code=6)
        done = subprocess.run(f"'{POSEMILL}' list in >/dev/full", shell=True, cwd=self.folder,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 6)
        self.assertEqual(os.listdir(self.folder), ["in"])

    def test_the_list_of_a_list_is_the_same(self):
        self.put("in/a.bvh", b"123")
        self.put("in/s/b.npz")
        self.run_list("in", "-o", "takes.jsonl")
        text = (self.folder / "takes.jsonl").read_bytes()
        self.assertEqual(self.run_list("--files-from", "takes.jsonl")[0], text)
        self.assertEqual(self.run_list("--files-from", "-", text=text)[0], text)
        plain = b"in/a.bvh\r\n\r\nin/s/b.npz"
        sizes = [line["bytes"] for line in self.lines("--files-from", "-", text=plain)]
        self.assertEqual(sizes, [3, 1])
        # The list may be replaced by its own list.
        self.run_list("--files-from", "takes.jsonl", "-o", "takes.jsonl")
        self.assertEqual((self.folder / "takes.jsonl").read_bytes(), text)


if __name__ == "__main__":
    command_case.main()
