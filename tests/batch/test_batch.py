#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Batches of `posemill resample` as users run them: any order, any interruption, the same bytes.

usage: test_batch.py POSEMILL
"""
import fcntl
import hashlib
import json
import os
import pty
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tarfile
import tempfile
import termios
import unittest
from pathlib import Path

import command_case
from archives import generate
from command_case import POSEMILL

SEED = int(os.environ.get("POSEMILL_TEST_SEED", "20260301"), 0)
FILES = 500
FILES_SHOWN = 13


def tree(folder):
    """Digests of all files below a folder, without hidden ones, by their paths."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        relative = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in relative.parts):
            found[str(relative)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def records(out, kills=0):
    """All records. Each kill may have torn the line that was being written."""
    found, torn = [], 0
    for path in sorted(Path(out).glob(".posemill/records-*.jsonl")):
        for line in filter(str.strip, path.read_text(errors="replace").splitlines()):
            try:
                found.append(json.loads(line))
            except json.JSONDecodeError:
                torn += 1
    assert torn <= kills, f"{torn} torn lines after {kills} kills"
    return found


def temporaries(folder):
    return [path for path in Path(folder).rglob(".posemill-*.part")]


def temporary_folder():
    """In memory where there is room: every output is flushed, and disks take most of the time."""
    memory = Path("/dev/shm")
    has_room = memory.is_dir() and shutil.disk_usage(memory).free > 1 << 30
    return tempfile.TemporaryDirectory(dir=memory if has_room else None)


class Case(command_case.Case):
    def setUp(self):
        super().setUp()
        holder = temporary_folder()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def resample(self, source, out, *words, code=0, device="none", **options):
        return self.run_posemill("resample", source, "--out-dir", out, "--rate", "60", "--device",
                                 device, *words, code=code, **options)

    def digest(self, *outs, code=0):
        report = json.loads(self.run_posemill("merge", *outs, "--json", code=code).stdout)
        return report["digest"]


class SameBytes(unittest.TestCase):
    """One archive of 500 files: every way of running gives one tree and one digest."""

    @classmethod
    def setUpClass(cls):
        cls.holder = temporary_folder()
        cls.folder = Path(cls.holder.name)
        generate("mixed", cls.folder / "takes", FILES)
        cls.start("jobs1", "--jobs", "1").communicate()
        cls.expected, cls.expected_digest = tree(cls.folder / "jobs1"), cls.merged("jobs1")

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    @classmethod
    def start(cls, out, *words, device="none", **options):
        """A run with --json that is not read from stops soon: its pipe takes some lines only."""
        return subprocess.Popen([POSEMILL, "resample", "takes", "--out-dir", out, "--rate", "60",
                                 "--device", device, "--quiet", *words], cwd=cls.folder, pipesize=4096,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)

    @classmethod
    def merged(cls, out):
        done = subprocess.run([POSEMILL, "merge", out, "--json"], cwd=cls.folder,
                              capture_output=True, text=True, check=True)
        return json.loads(done.stdout)["digest"]

    def finish(self, process):
        text = "".join(process.communicate())
        self.assertEqual(process.returncode, 0, text)

    def is_expected(self, out):
        self.assertEqual(tree(self.folder / out), self.expected)
        self.assertEqual(self.merged(out), self.expected_digest)
        self.assertEqual(temporaries(self.folder / out), [])
        shutil.rmtree(self.folder / out)

    def test_the_tree_has_every_file(self):
        self.assertEqual(len(self.expected), FILES)
        self.assertEqual(set(self.expected), set(tree(self.folder / "takes")))

    def test_seven_shards_at_once(self):
        for process in [self.start("shards", "--shard", f"{i}/7", "--jobs", "1") for i in range(7)]:
            self.finish(process)
        shares = [len((self.folder / f"shards/.posemill/records-{i}.jsonl").read_text().splitlines())
                  for i in range(7)]
        self.assertEqual(sum(shares), FILES)
        self.assertGreater(min(shares), 0)
        self.is_expected("shards")

    def test_an_opencl_device(self):
        self.finish(self.start("device", device="auto"))
        self.is_expected("device")

    def test_a_memory_limit_below_every_file(self):
        self.finish(self.start("limit", "--jobs", "4", "--memory", "1"))
        self.is_expected("limit")

    def killed_twenty_times(self, device):
        """Every output that is there is whole, after every kill."""
        chance = random.Random(SEED)
        out, ended = f"killed-{device}", 0
        for _ in range(20):
            process = self.start(out, "--resume", "--jobs", "2", "--json", device=device)
            more = chance.randint(0, FILES // 40)
            while more > 0 and (line := process.stdout.readline()):
                more -= json.loads(line)["status"] == "done"
            ended += more > 0
            process.kill()
            process.communicate()
            if (self.folder / out).is_dir():
                there = tree(self.folder / out)
                self.assertEqual(there, {name: self.expected[name] for name in there})
        self.assertLess(ended, 20)
        self.finish(self.start(out, "--resume", device=device))
        kept = sum(record["status"] == "kept" for record in records(self.folder / out, kills=20))
        self.assertGreater(kept, 0)
        self.is_expected(out)

    def test_killed_at_twenty_moments(self):
        print(f"# seed {SEED}", file=sys.stderr)
        self.killed_twenty_times("none")

    def test_a_signal_lets_files_in_work_be_finished(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            process = self.start("stopped", "--resume", "--jobs", "2", "--json")
            done = [json.loads(process.stdout.readline()) for _ in range(3)]
            process.send_signal(number)
            done += [json.loads(line) for line in process.stdout] # not communicate, which would lose lines
            errors = process.stderr.read()
            process.communicate()
            self.assertEqual(process.returncode, 1, errors)
            if number == signal.SIGTERM:
                self.assertLess(len(done), FILES)
                self.assertEqual(set(tree(self.folder / "stopped")), {r["name"] for r in done})
            self.assertTrue(all(r["status"] != "failed" for r in done))
            self.assertEqual(temporaries(self.folder / "stopped"), [])
        self.finish(self.start("stopped", "--resume"))
        self.is_expected("stopped")

    def test_a_second_signal_ends_it_at_once(self):
        """Both wait for a process that is stopped: it gets them before it does anything else."""
        process = self.start("twice", "--jobs", "1", "--json")
        process.stdout.readline()
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGCONT):
            process.send_signal(number)
        process.communicate()
        self.assertIn(process.returncode, (-signal.SIGTERM, -signal.SIGINT))
        there = tree(self.folder / "twice")
        self.assertEqual(there, {name: self.expected[name] for name in there})
        self.assertEqual(temporaries(self.folder / "twice"), [])
        self.finish(self.start("twice", "--resume"))
        self.is_expected("twice")


class Converting(Case):
    """`posemill convert` has the batches of `resample`: each result is that of the file alone."""

    def setUp(self):
        super().setUp()
        generate("bvh", self.folder / "takes", 6)
        self.names = sorted(tree(self.folder / "takes"))

    def test_results_are_those_of_single_files(self):
        for words in (["--scale", "0.01", "--up", "z", "--to-up", "y"], ["--to", "glb"],
                      ["--euler", "XYZ", "--decimals", "3"],
                      ["--rate", "24", "--device", "none", "--scale", "2"]):
            self.run_posemill("convert", "takes", "--out-dir", "many", "--jobs", "2", *words)
            for name in self.names:
                out = Path(name).with_suffix(".glb" if "glb" in words else ".bvh")
                self.run_posemill("convert", Path("takes") / name, "-o", f"one{out.suffix}", *words)
                self.assertEqual((self.folder / f"one{out.suffix}").read_bytes(),
                                 (self.folder / "many" / out).read_bytes())
            self.assertEqual(len(records(self.folder / "many")), len(self.names))
            shutil.rmtree(self.folder / "many")


class Resuming(Case):
    def setUp(self):
        super().setUp()
        generate("bvh", self.folder / "takes", 12)
        self.resample("takes", "out")
        self.names = sorted(tree(self.folder / "takes"))

    def statuses(self, *words, code=0):
        """What a resumed run did with each file."""
        text = self.resample("takes", "out", "--resume", "--json", *words, code=code).stdout
        return {r["name"]: r["status"] for r in map(json.loads, text.splitlines())}

    def all_but(self, *done):
        return {name: "done" if name in done else "kept" for name in self.names}

    def test_an_input_that_changed(self):
        path = self.folder / "takes" / self.names[3]
        before, text = path.stat(), path.read_text()
        path.write_text(text.replace("4.25", "4.26", 1))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns)) # the time is no proof
        self.assertFalse(text == path.read_text())
        self.assertEqual(self.statuses(), self.all_but(self.names[3]))
        self.assertEqual(self.statuses(), self.all_but())

    def test_an_output_that_changed(self):
        path = self.folder / "out" / self.names[5]
        right = path.read_bytes()
        path.write_bytes(right[:-1] + b"9")
        self.assertEqual(self.statuses(), self.all_but(self.names[5]))
        self.assertEqual(path.read_bytes(), right)

    def test_only_verify_sees_an_output_of_the_same_size_and_time(self):
        path = self.folder / "out" / self.names[5]
        right, before = path.read_bytes(), path.stat()
        path.write_bytes(right[:-3] + b"99\n")
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.assertEqual(self.statuses(), self.all_but())
        self.assertEqual(self.statuses("--verify"), self.all_but(self.names[5]))
        self.assertEqual(path.read_bytes(), right)

    def test_an_output_without_a_record_proves_nothing(self):
        for path in (self.folder / "out/.posemill").iterdir():
            path.unlink()
        self.assertEqual(set(self.statuses().values()), {"done"})

    def test_other_options_and_the_same_in_other_words(self):
        self.assertEqual(set(self.statuses("--rate", "60/1").values()), {"kept"})
        self.assertEqual(set(self.statuses("--rate", "60.0", "--jobs", "1").values()), {"kept"})
        for words in (["--method", "squad"], ["--method", "squad", "--decimals", "5"],
                      ["--start", "0.1"], ["--bvh-position", "add"], ["--scale", "0.01"],
                      ["--up", "z", "--to-up", "y"], ["--up", "y", "--to-up", "z"], ["--euler", "XYZ"]):
            self.assertEqual(set(self.statuses(*words).values()), {"done"}, words)
        self.assertEqual(set(self.statuses().values()), {"done"})

    def test_another_version_of_the_records(self):
        path = self.folder / "out/.posemill/records-0.jsonl"
        path.write_text(re.sub(r'"version": "[^"]*"', '"version": "0.0.9"', path.read_text()))
        self.assertEqual(set(self.statuses().values()), {"done"})

    def test_records_of_other_shards_count(self):
        shutil.rmtree(self.folder / "out")
        for i in range(3):
            self.resample("takes", "out", "--shard", f"{i}/3")
        self.assertEqual(self.statuses("--shard", "0/1"), self.all_but())

    def test_records_in_a_file_of_their_own(self):
        shutil.rmtree(self.folder / "out")
        self.resample("takes", "out", "--records", "kept/these.jsonl")
        self.assertFalse((self.folder / "out/.posemill").exists())
        self.assertEqual(self.statuses("--records", "kept/these.jsonl"), self.all_but())
        self.assertEqual(set(self.statuses().values()), {"done"})

    def test_a_clock_that_jumps(self):
        """Records from the future, and outputs from long ago: neither is taken for newer or older."""
        path = self.folder / "out/.posemill/records-0.jsonl"
        path.write_text(re.sub(r'"time": \d+', '"time": 9000000000000000000', path.read_text()))
        self.assertEqual(self.statuses(), self.all_but())
        path = self.folder / "out" / self.names[2]
        os.utime(path, ns=(0, 0))
        self.assertEqual(self.statuses(), self.all_but(self.names[2]))
        self.assertEqual(self.statuses(), self.all_but())


class Failures(Case):
    def setUp(self):
        super().setUp()
        generate("bvh", self.folder / "takes", 8)
        self.names = sorted(tree(self.folder / "takes"))

    def failed(self, done):
        return {r["name"]: r for r in records(self.folder / "out") if r["status"] == "failed"}

    def test_a_broken_file_does_not_stop_the_others(self):
        path = self.folder / "takes" / self.names[1]
        path.write_bytes(path.read_bytes()[:500])
        done = self.resample("takes", "out", code=1)
        self.assertIn("8 files: 7 done, 1 failed", done.stdout)
        self.assertIn("failed: " + self.names[1], done.stdout)
        self.assertEqual(set(tree(self.folder / "out")), set(self.names) - {self.names[1]})
        failed = self.failed(done)
        self.assertEqual(set(failed), {self.names[1]})
        self.assertEqual(failed[self.names[1]]["code"], 4)
        self.assertIn(self.names[1], failed[self.names[1]]["error"])
        done = self.resample("takes", "out", "--resume", code=1) # tried again, the rest is kept
        self.assertIn("0 done, 7 kept, 1 failed", done.stdout)

    def test_a_full_disk_ends_the_run(self):
        small = self.folder / "small"
        small.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", small],
                                 capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest("cannot mount a tmpfs")
        self.addCleanup(subprocess.run, ["umount", small], check=True)
        done = self.resample("takes", small / "out", "--jobs", "1", code=6)
        self.assertIn("No space left", done.stderr)
        there = tree(small / "out")
        self.resample("takes", "out")
        right = tree(self.folder / "out")
        self.assertTrue(0 < len(there) < len(right))
        self.assertEqual(there, {name: right[name] for name in there})
        self.assertEqual(temporaries(small), [])
        self.assertIn("left", done.stdout)
        subprocess.run(["mount", "-o", "remount,size=100m", small], check=True)
        self.resample("takes", small / "out", "--resume")
        self.assertEqual(tree(small / "out"), right)
        self.assertEqual(self.digest(small / "out"), self.digest("out"))

    def test_a_device_that_is_not_there_ends_it_before_any_file(self):
        self.resample("takes", "out", device="9", code=3)
        self.assertFalse((self.folder / "out").exists())

    def test_no_input_at_all(self):
        (self.folder / "empty").mkdir()
        self.assertIn("no motion files", self.resample("empty", "out", code=4).stderr)
        self.resample("takes", "out", "--shard", "8/9") # nothing is left for this share
        self.assertEqual(tree(self.folder / "out"), {})


class Inputs(Case):
    def test_a_list_a_folder_and_an_archive_give_the_same(self):
        generate("mixed", self.folder / "takes", 30)
        self.resample("takes", "out1")
        self.run_posemill("list", "takes", "-o", "list.jsonl")
        with tarfile.open(self.folder / "takes.tar.gz", "w:gz") as archive:
            archive.add(self.folder / "takes", "takes")
        words = ["--out-dir", "out2", "--rate", "60", "--device", "none"]
        self.run_posemill("resample", "--files-from", "takes.tar.gz", *words)
        words[1] = "out3"
        self.run_posemill("resample", "--files-from", "list.jsonl", *words)
        expected = tree(self.folder / "out1")
        self.assertEqual(len(expected), 30)
        self.assertEqual(tree(self.folder / "out2/takes"), expected)
        self.assertEqual(tree(self.folder / "out3"), expected)
        self.assertEqual(self.digest("out1"), self.digest("out3"))
        # A resumed archive is read again, and nothing is written.
        words[1] = "out2"
        text = self.run_posemill("resample", "--files-from", "takes.tar.gz", *words, "--resume",
                                 "--json").stdout
        self.assertEqual({json.loads(line)["status"] for line in text.splitlines()}, {"kept"})

    def test_rates_and_outputs_of_a_list(self):
        generate("bvh", self.folder / "takes", 2)
        first, second = sorted(tree(self.folder / "takes"))
        (self.folder / "list").write_text(
            json.dumps({"path": f"takes/{first}", "source_rate": "15", "out": "slow.bvh"}) + "\n" +
            f"takes/{second}\n")
        self.run_posemill("resample", "--files-from", "list", "--out-dir", "out", "--rate", "30",
                          "--device", "none")
        found = {r["name"]: r for r in records(self.folder / "out")}
        self.assertEqual(set(found), {"slow.bvh", f"takes/{second}"})
        self.assertEqual(found["slow.bvh"]["source_rate"], "15/1")
        self.assertEqual(found[f"takes/{second}"]["source_rate"], "30/1")

    def test_ends_that_are_left_out_are_one_warning(self):
        takes = self.folder / "takes"
        takes.mkdir()
        for name, frames in (("even", 5), ("odd", 4), ("other", 6), ("third", 2)):
            (takes / f"{name}.bvh").write_text(
                "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\n"
                f"OFFSET 0 1 0\n}}\n}}\nMOTION\nFrames: {frames}\nFrame Time: 0.1\n" + "1 2 3\n" * frames)
        words = ["resample", "takes", "--rate", "5", "--device", "none", "--out-dir"]
        said = self.run_posemill(*words, "out").stderr
        self.assertEqual(said.count("left out"), 1, said)
        self.assertIn("warning: up to 0.1 s are left out at the ends of 3 files, on which", said)
        told = {r["name"]: [w for w in r["warnings"] if "the last 0.1 s are left out" in w] for r in records(self.folder / "out")}
        self.assertEqual({name: len(found) for name, found in told.items()},
                         {"even.bvh": 0, "odd.bvh": 1, "other.bvh": 1, "third.bvh": 1})
        for more in (["--resume"], ["--overwrite", "--quiet"], ["--overwrite", "--end-rule", "fit"]):
            self.assertNotIn("left out", self.run_posemill(*words, "out", *more).stderr)
        (takes / "odd.bvh").unlink()
        (takes / "other.bvh").unlink()
        self.assertIn("at the ends of 1 file, on which", self.run_posemill(*words, "one").stderr)

    def test_outputs_in_the_folder_of_the_inputs(self):
        generate("bvh", self.folder / "takes", 4)
        self.resample("takes", "takes/out")
        self.resample("takes", "takes/out", "--resume")
        self.assertEqual(len(tree(self.folder / "takes/out")), 4)
        self.assertEqual(self.resample("takes", "takes", "--resume", code=6).stdout, "")


class Shards(Case):
    def test_auto_is_the_share_that_the_environment_names(self):
        """test_shard reads what each launcher sets."""
        generate("bvh", self.folder / "takes", 9)
        for words, variables in ((["--shard", "1/3"], {}), (["--shard", "auto"], {"POSEMILL_SHARD": "1/3"})):
            self.resample("takes", f"out{len(variables)}", *words, env={**os.environ, **variables})
        self.assertEqual(tree(self.folder / "out0"), tree(self.folder / "out1"))
        self.resample("takes", "all", "--shard", "auto")
        self.assertEqual(len(tree(self.folder / "all")), 9)

    def test_mpirun(self):
        if shutil.which("mpirun") is None:
            if os.environ.get("POSEMILL_REQUIRE_MPI"):
                self.fail("mpirun is missing")
            self.skipTest("mpirun is missing")
        generate("mixed", self.folder / "takes", 40)
        self.resample("takes", "one")
        subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4", POSEMILL,
                        "resample", "takes", "--out-dir", "four", "--rate", "60", "--device", "none",
                        "--jobs", "1", "--shard", "auto", "--quiet"], cwd=self.folder, check=True,
                       capture_output=True)
        self.assertEqual(len(list((self.folder / "four/.posemill").iterdir())), 4)
        self.assertEqual(tree(self.folder / "four"), tree(self.folder / "one"))
        self.assertEqual(self.digest("four"), self.digest("one"))


class Memory(Case):
    def test_many_small_files(self):
        """The batch needs no more for many files than for few, but for their names."""
        generate("tiny", self.folder / "takes", 3000)
        peaks = []
        for source in (next(p for p in (self.folder / "takes").iterdir() if p.is_dir()), "takes"):
            pid = os.posix_spawn(POSEMILL, [str(POSEMILL), "resample", str(self.folder / source),
                                            "--out-dir", str(self.folder / f"out{len(peaks)}"),
                                            "--rate", "60", "--device", "none", "--quiet", "--jobs", "2"],
                                 os.environ)
            _, status, usage = os.wait4(pid, 0)
            self.assertEqual(status, 0)
            peaks.append(usage.ru_maxrss)
        self.assertLess(peaks[1] - peaks[0], 10000) # KiB: 3.4 KiB a file

    def test_large_files_wait_for_each_other(self):
        """With room for one file of four, four jobs take the memory of one. At this rate nearly
        all samples are computed."""
        generate("large", self.folder / "takes", 4)
        peaks = {}
        for words in (("--jobs", "1"), ("--jobs", "4", "--memory", "64M")):
            pid = os.posix_spawn(POSEMILL, [str(POSEMILL), "resample", str(self.folder / "takes"),
                                            "--out-dir", str(self.folder / words[1]), "--rate",
                                            "119", "--device", "none", "--quiet", *words], os.environ)
            _, status, usage = os.wait4(pid, 0)
            self.assertEqual(status, 0)
            peaks[words[1]] = usage.ru_maxrss
        self.assertLess(peaks["4"], 1.3 * peaks["1"])


class Progress(Case):
    """On a terminal a line, which is gone at the end; in a pipe none."""

    def setUp(self):
        super().setUp()
        generate("bvh", self.folder / "takes", FILES_SHOWN - 1)
        self.walk = next((self.folder / "takes").rglob("*.bvh")).read_bytes()

    def start(self, out, *words, **options):
        """A batch that cannot end before it gets its last file, from its standard input."""
        return subprocess.Popen([POSEMILL, "resample", "takes", "-", "--format", "bvh", "--out-dir", out,
                                 "--rate", "60", "--device", "none", "--jobs", "1", *words],
                                cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, **options)

    def test_a_run_with_other_options_at_once_is_refused(self):
        """One that resumes works until its last file has come. Runs with its options share the folder."""
        for words in ("--resume", "--overwrite"):
            with self.start("shared", words, "--json", stderr=subprocess.PIPE) as process:
                process.stdout.readline()  # its first file is done
                refused = self.resample("takes", "shared", "--resume", "--scale", "2", code=6)
                self.assertIn("shared: a run with other options writes into this folder now", refused.stderr)
                self.resample("takes", "shared", "--resume", "--format", "bvh")
                process.communicate(self.walk)
                self.assertEqual(process.returncode, 0)
        self.resample("takes", "shared", "--resume", "--scale", "2")
        self.assertEqual(len({record["options_digest"] for record in records(self.folder / "shared")}), 2)

    def on_terminal(self, columns):
        """What a batch shows, which gets its last file when it has shown some lines."""
        master, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = self.start(f"out{columns}", stderr=terminal)
        os.close(terminal)
        seen = b""
        while piece := self.read_terminal(master):
            seen += piece
            if not process.stdin.closed and len(self.lines(seen.decode())) > 2:
                process.stdin.write(self.walk)
                process.stdin.close()
        process.stdout.read()
        process.stdout.close()
        os.close(master)
        self.assertEqual(process.wait(), 0)
        return seen.decode()

    @staticmethod
    def read_terminal(master):
        try:
            return os.read(master, 65536)
        except OSError:  # no process has it any more
            return b""

    @staticmethod
    def lines(text):
        return [part.strip() for part in text.split("\r") if part.strip()]

    def screen(self, text, columns):
        """What a terminal shows at the end, and the widest line that it ever showed."""
        row, at, widest = [" "] * columns, 0, 0
        for character in text:
            if character == "\r":
                at = 0
            elif character == "\n":
                row, at = [" "] * columns, 0
            else:
                self.assertTrue(character.isprintable(), repr(character))
                self.assertLess(at, columns - 1, "the line would wrap")
                row[at] = character
                at += 1
                widest = max(widest, at)
        return "".join(row).rstrip(), widest

    def test_it_is_right_at_80_and_200_columns(self):
        for columns, bar in ((80, False), (200, True)):
            seen = self.on_terminal(columns)
            for line in self.lines(seen):
                self.assertRegex(line, rf"^(\[#*\.*\] )?\d+/{FILES_SHOWN} files, [\d.]+ MB/s, [\d.]+ .?"
                                       r" ?joint samples/s, 0 failed(, (\d+:)?\d+:\d\d left)?$")
                self.assertEqual(line.startswith("["), bar)
            last, widest = self.screen(seen, columns)
            self.assertEqual(last, "")
            self.assertGreater(widest, 60 if bar else 40)

    def test_it_is_not_there_in_a_pipe_or_when_quiet(self):
        """While another batch, which begins later, shows its lines."""
        master, terminal = pty.openpty()
        piped = self.start("piped", stderr=subprocess.PIPE)
        quiet = self.start("quiet", "--quiet", stderr=terminal)
        os.close(terminal)
        self.on_terminal(80)
        out, errors = piped.communicate(self.walk)
        self.assertEqual((piped.returncode, len(out.splitlines()), errors), (0, 1, b""))
        quiet.communicate(self.walk)
        self.assertEqual((quiet.returncode, self.read_terminal(master)), (0, b""))
        os.close(master)


class Usage(Case):
    def test_wrong_arguments(self):
        generate("bvh", self.folder / "takes", 1)
        name = next(iter(tree(self.folder / "takes")))
        for words, expected in (
                (["takes", "-o", "x.bvh"], "is a folder"),
                ([f"takes/{name}", "-o", "x.bvh", "--resume"], "requires --out-dir"),
                (["takes", "--out-dir", "out", "--memory", "4X"], "expected bytes"),
                (["takes", "--out-dir", "out", "--memory", "99999999999T"], "expected bytes"),
                (["takes", "--out-dir", "out", "--shard", "1"], "--shard")):
            done = subprocess.run([POSEMILL, "resample", *words, "--rate", "60", "--device", "none"],
                                  cwd=self.folder, capture_output=True, text=True, check=False)
            self.assertIn(done.returncode, (2, 4), words)
            self.assertIn(expected, done.stderr, words)
            self.assertFalse((self.folder / "out").exists(), words)
            self.assertFalse((self.folder / "x.bvh").exists(), words)


if __name__ == "__main__":
    command_case.main()
