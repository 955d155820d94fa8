#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Inputs that cost too much, wait for ever or end what they should not: small archives, special files,
bad names, two runs in one folder, signals.

    test_hostile.py POSEMILL

Nothing here measures time: a run that hangs is ended by the test's own limit.
"""
import gzip
import io
import json
import locale
import os
import shutil
import signal
import struct
import subprocess
import tarfile
import unittest
import zipfile
from pathlib import Path

import command_case
from command_case import HANGS, POSEMILL

WALK = command_case.WALK.read_bytes()
MOST, FEW = 400 << 10, 128 << 10  # KiB of memory; that of this script counts too


def member(name, data=WALK, **values):
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in values.items():
        setattr(info, key, value)
    return info, data


def write_tar(path, *members, mode="w"):
    with tarfile.open(path, mode, format=tarfile.PAX_FORMAT) as tar:
        for info, data in members:
            tar.addfile(info, io.BytesIO(data))


def sparse_member(name, size, data, version):
    """A member whose holes are not in the archive, as GNU tar writes them."""
    if version == "1.0":
        head = f"1\n0\n{len(data)}\n".encode()
        stored = head + bytes(-len(head) % 512) + data
        headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": name,
                   "GNU.sparse.realsize": str(size)}
    else:
        stored = data
        headers = {"GNU.sparse.size": str(size), "GNU.sparse.numblocks": "1",
                   "GNU.sparse.map": f"0,{len(data)}", "GNU.sparse.name": name}
    return member(f"GNUSparseFile.0/{name}", stored, pax_headers=headers)


def write_array(archive, name, kind, shape, data=b"", zeros=0):
    """In pieces: the memory of a process counts for those that it starts."""
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {tuple(shape)!r}, }}".encode()
    fill = -(12 + len(text) + 1) % 64
    with archive.open(name, "w", force_zip64=True) as file:
        file.write(b"\x93NUMPY\x02\x00" + struct.pack("<I", len(text) + fill + 1) + text)
        file.write(b" " * fill + b"\n")
        for at in range(0, zeros, 1 << 20):
            file.write(bytes(min(zeros - at, 1 << 20)))
        file.write(data)


def write_npz(path, frames, more=0):
    """A motion of AMASS at rest: zeros, which deflate to a thousandth."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        write_array(archive, "trans.npy", "<f8", (frames, 3), zeros=24 * frames)
        write_array(archive, "mocap_framerate.npy", "<f8", (), struct.pack("<d", 60.0))
        write_array(archive, "poses.npy", "<f8", (frames, 156), zeros=8 * 156 * frames + more)


def moving_glb(nodes, duration):
    """Node n moves from 0 to n + 1 along x, at the height n; each has times of its own."""
    data = b"".join(struct.pack("<8f", 0, duration, 0, n, 0, n + 1, n, 0) for n in range(nodes))
    accessors, channels, samplers = [], [], []
    for n in range(nodes):
        accessors += [{"bufferView": 0, "byteOffset": 32 * n, "componentType": 5126, "count": 2,
                       "type": "SCALAR", "min": [0], "max": [duration]},
                      {"bufferView": 0, "byteOffset": 32 * n + 8, "componentType": 5126, "count": 2,
                       "type": "VEC3"}]
        samplers.append({"input": 2 * n, "output": 2 * n + 1})
        channels.append({"sampler": n, "target": {"node": n, "path": "translation"}})
    return command_case.glb({"asset": {"version": "2.0"}, "nodes": nodes * [{}], "accessors": accessors,
                             "animations": [{"channels": channels, "samplers": samplers}],
                             "buffers": [{"byteLength": len(data)}],
                             "bufferViews": [{"buffer": 0, "byteLength": len(data)}]}, data)


class Case(command_case.Case):
    def setUp(self):
        super().setUp()
        (self.folder / "walk.bvh").write_bytes(WALK)

    def path(self, name):
        return self.folder / name

    def start(self, *words, **options):
        return subprocess.Popen([POSEMILL, *map(str, words)], cwd=self.folder,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def run_posemill(self, *words, code=0):
        """Returns what was printed, and the memory in KiB."""
        printed, memory = self.run_measured(*words, code=code)
        self.assertLess(memory >> 10, MOST, words)
        return printed, memory >> 10

    def resample(self, *words, out="out", code=0):
        return self.run_posemill("resample", *words, "--out-dir", out, "--rate", "30", "--device",
                                 "none", code=code)

    def records(self, out="out"):
        lines = self.path(f"{out}/.posemill/records-0.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines if line]

    def statuses(self, out="out"):
        return sorted(record["status"] for record in self.records(out))


class Archives(Case):
    def test_sparse_members_are_not_filled(self):
        for version in ("1.0", "0.1"):
            for size in (3 << 30, 17 << 30):
                write_tar(self.path("s.tar"), sparse_member("s.bvh", size, WALK[:1000], version),
                          member("walk.bvh"))
                shutil.rmtree(self.path("out"), ignore_errors=True)
                text, _ = self.resample("s.tar", code=1)
                self.assertIn("sparse", text)
                self.assertEqual(self.statuses(), ["done", "failed"])

    def test_first_bytes_of_members_are_checked(self):
        with tarfile.open(self.path("z.tar.gz"), "w:gz", compresslevel=1) as tar:
            with open(self.path("zeros"), "w+b") as zeros:
                zeros.truncate(64 << 20)
                for extension in ("bvh", "glb", "gltf", "npz", "csv"):
                    info = tarfile.TarInfo(f"z.{extension}")
                    info.size = 64 << 20
                    zeros.seek(0)
                    tar.addfile(info, zeros)
            tar.addfile(member("walk.bvh")[0], io.BytesIO(WALK))
        text, used = self.resample("z.tar.gz", "--jobs", "1", code=1)
        self.assertIn("not a BVH file", text)
        self.assertLess(used, FEW)
        self.assertEqual(self.statuses(), ["done"] + 5 * ["failed"])

    def test_long_names_are_cut_when_they_are_listed(self):
        names = [f"{i}{part * (300_000 // len(part.encode()))}/x.bvh" for i, part in
                 enumerate(["/a", "/..", "a", "\x01", "\u202e", "/\x7f", "//"])]
        write_tar(self.path("n.tar.gz"), *(member(name, b"x") for name in names),
                  member("walk.bvh"), mode="w:gz")
        text, _ = self.run_posemill("list", "n.tar.gz", "-o", "l.jsonl", code=1)
        self.assertLess(len(text), 30_000)
        self.assertLess(self.path("l.jsonl").stat().st_size, 10_000)
        self.resample("n.tar.gz", code=1)
        long = [record for record in self.records() if "longer than any system" in
                record.get("error", "")]
        self.assertEqual(len(long), 5)  # two are short without .. and //
        self.assertIn("done", self.statuses())
        self.resample("n.tar.gz", "--resume", code=1)
        self.assertEqual([record["status"] for record in self.records()
                          if record["name"] == "walk.bvh"], ["done", "kept"])

    def test_names_of_pax_headers_are_read_in_a_UTF_8_locale(self):
        """In the C locale libarchive takes microseconds for each of their bytes."""
        try:
            locale.setlocale(locale.LC_CTYPE, "C.UTF-8")
        except locale.Error:
            self.skipTest("the system has no locale C.UTF-8")
        write_tar(self.path("n.tar"), member("cafe\u0301.bvh"), member("walk\u00e9.bvh"))
        self.resample("n.tar")
        self.assertEqual(sorted(record["name"] for record in self.records()),
                         ["caf\u00e9.bvh", "walk\u00e9.bvh"])

    def test_what_libarchive_does_not_read_is_one_failure(self):
        for i, options in enumerate(({"name": "n" * (3 << 20) + ".bvh"},
                                     {"name": "x.bvh", "pax_headers": {"comment": "c" * (3 << 20)}})):
            write_tar(self.path(f"{i}.tar"), member(f"a{i}.bvh"), member(**options), member("z.bvh"))
        self.path("no.tar").write_bytes(b"no archive")
        text, _ = self.resample("0.tar", "no.tar", "1.tar", "walk.bvh", code=1)
        self.assertIn("Special header too large", text)
        done = {record["name"]: record["status"] for record in self.records()}
        self.assertEqual(done, {"a0.bvh": "done", "a1.bvh": "done", "walk.bvh": "done",
                                "0.tar": "failed", "1.tar": "failed", "no.tar": "failed"})
        self.resample("0.tar", "no.tar", "1.tar", "walk.bvh", "--resume", code=1)
        self.assertEqual(self.statuses().count("kept"), 3)

    def test_names_of_an_archive_are_bounded_together(self):
        with gzip.open(self.path("n.tar.gz"), "wb", compresslevel=1) as file:
            with tarfile.open(fileobj=file, mode="w|", format=tarfile.GNU_FORMAT) as tar:
                for i in range(17_000):
                    tar.addfile(tarfile.TarInfo(f"{i}{'/' + 'b' * 200}" + "c" * 3800 + ".bvh"))
        text, _ = self.run_posemill("list", "n.tar.gz", "-o", "l.jsonl", code=4)
        self.assertIn("128 MiB", text)


class Names(Case):
    def test_a_bad_name_fails_alone(self):
        bad = ["a" * 300 + ".bvh", "/".join(["d" * 254] * 16) + "/x.bvh", "f.bvh/inside.bvh",
               "f.bvh/in/side.bvh"]
        good = ["../../up.bvh", "/abs.bvh", "tab\t\x1b[2J.bvh", "right\u202eleft\u2028.bvh",
                "./dot.bvh", "f.bvh", "f.bvh-.bvh", "z.bvh", "-o.bvh"]
        write_tar(self.path("n.tar"), *(member(name) for name in bad + good))
        text, _ = self.resample("n.tar", code=1)
        for character in "\x1b\u202e\u2028\t":
            self.assertNotIn(character, text)
        records = self.records()
        self.assertEqual(len([r for r in records if r["status"] == "done"]), len(good))
        self.assertEqual(len([r for r in records if r["status"] == "failed"]), len(bad))
        self.assertFalse(Path("/abs.bvh").exists())
        raw = self.path("out/.posemill/records-0.jsonl").read_text()
        for character in "\x1b\u202e\u2028":
            self.assertNotIn(character, raw)
        self.resample("n.tar", "--resume", code=1)
        self.assertEqual(self.statuses().count("kept"), len(good))

    def test_a_bad_line_of_a_list_fails_alone(self):
        os.mkfifo(self.path("pipe.bvh"))
        self.path("dir.bvh").mkdir()
        os.symlink("loop.bvh", self.path("loop.bvh"))
        bad = [b"a" * 300 + b".bvh", b"b" * 100_000, b"d/" * 3000 + b"x.bvh", b"none.bvh",
               b"none.bvh", b"none/walk.bvh", b"../nowhere/none.bvh", b"dir.bvh", b"pipe.bvh",
               b"loop.bvh", b"/dev/zero", b"a\0b.bvh", b"c\x01\x1b[2J.bvh", b"\xff\xfe.bvh", b"/",
               b".", b"..", b".posemill/x.bvh", b"walk.bvh/x.bvh"]
        objects = [{"path": "e\0.bvh"}, {"path": "walk.bvh", "out": "f\0"},
                   {"path": "./..", "bytes": 5}, {"path": ".posemill/y.bvh", "bytes": 5},
                   {"path": "walk.bvh", "layout": "\0", "out": "g.bvh"},
                   {"path": "t.tar", "member": "h\0.bvh"}, {"path": "i" * 70_000}]
        lines = bad + [json.dumps(line).encode() for line in objects] + [b"walk.bvh"]
        self.path("list").write_bytes(b"\n".join(lines))
        text, _ = self.resample("--files-from", "list", code=1)
        self.assertNotIn("\x1b", text)
        self.assertLess(len(text), 30_000)
        # The missing file that is listed twice fails once.
        self.assertEqual(self.statuses(), ["done"] + (len(lines) - 2) * ["failed"])
        self.assertEqual([record["name"] for record in self.records()
                          if record["status"] == "done"], ["walk.bvh"])
        self.resample("--files-from", "list", "--resume", code=1)
        self.assertEqual(self.statuses().count("kept"), 1)
        self.run_posemill("merge", "out", "--list", "list", code=1)

    def test_what_stands_in_the_place_of_an_output(self):
        (self.path("in/sub")).mkdir(parents=True)
        for name in ("a.bvh", "b.bvh", "sub/c.bvh", "p.bvh"):
            self.path(f"in/{name}").write_bytes(WALK)
        self.path("out").mkdir()
        self.path("out/sub").write_text("a file in place of a folder")
        (self.path("out/a.bvh")).mkdir()
        os.mkfifo(self.path("out/p.bvh"))
        text, _ = self.resample("in", "--overwrite", code=1)
        self.assertEqual(self.statuses(), ["done", "failed", "failed", "failed"], text)
        self.assertTrue(self.path("out/b.bvh").is_file())

    def test_a_folder_that_cannot_be_written(self):
        if os.geteuid() == 0:
            self.skipTest("root writes everywhere")
        (self.path("in/sub")).mkdir(parents=True)
        self.path("in/a.bvh").write_bytes(WALK)
        self.path("in/sub/c.bvh").write_bytes(WALK)
        self.path("out/sub").mkdir(parents=True, mode=0o500)
        self.resample("in", code=1)
        self.assertEqual(self.statuses(), ["done", "failed"])


class SpecialFiles(Case):
    """Files that are named beside an input are opened without waiting, and only if they are regular."""

    def setUp(self):
        super().setUp()
        os.mkfifo(self.path("pipe"))
        write_npz(self.path("a.npz"), 10)
        with open(self.path("huge"), "wb") as file:
            file.truncate(1 << 33)

    def test_options(self):
        for special in ("/dev/zero", "pipe", "huge", "/dev/random", ".", "/proc/kmsg"):
            for option in ("--layout", "--rates"):
                self.run_posemill("info", "a.npz", option, special, code=4)
                self.resample("a.npz", option, special, code=4)
            self.run_posemill("compare", "walk.bvh", "walk.bvh", "--map", special, code=4)
        self.run_posemill("resample", "--files-from", "/dev/zero", "--out-dir", "out", "--rate", "30", code=4)

    def test_skeletons(self):
        """A device, a pipe, stdin and a file without end, as a motion and as JSON."""
        for target in ("/dev/zero", "pipe", "huge", "."):
            for name in ("joints.bvh", "joints.json", "joints"):
                os.symlink(target, self.path(name))
                printed = self.run_posemill("convert", "a.npz", "o.bvh", "--skeleton", name, code=4)[0]
                self.assertNotIn("no JSON", printed)  # it was not read
                os.remove(self.path(name))
        self.run_posemill("convert", "a.npz", "o.bvh", "--skeleton", "-", code=4)

    def test_curves(self):
        for target in ("/dev/zero", "pipe", "huge"):
            name = f"{Path(target).name}.npy"
            os.symlink(target, self.path(name))
            self.resample("walk.bvh", "--method", "hermite", "--tangents", name, code=4)

    def test_lines_of_a_list(self):
        lines = [{"path": "pipe", "out": "1.bvh"}, {"path": "pipe", "bytes": 10, "out": "2.bvh"},
                 {"path": "a.npz", "layout": "/dev/zero", "out": "3.npz"},
                 {"path": "a.npz", "layout": "pipe", "out": "4.npz"},
                 {"path": "a.npz", "layout": "huge", "out": "5.npz"},
                 {"path": "/dev/zero", "out": "6.bvh"}, {"path": "a.npz", "out": "good.npz"},
                 {"path": "/dev/zero", "bytes": 5, "out": "7.bvh"},
                 {"path": "walk.bvh", "out": "good.bvh"}]
        self.path("l.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        self.resample("--files-from", "l.jsonl", code=1)
        for record in self.records():
            self.assertEqual(record["status"] == "done", record["name"].startswith("good"), record)

    def test_a_buffer_beside_a_gltf(self):
        for uri in ("pipe", "huge"):
            self.path("a.gltf").write_text(json.dumps({
                "asset": {"version": "2.0"}, "buffers": [{"uri": uri, "byteLength": 4}]}))
            if uri == "pipe":
                self.run_posemill("info", "a.gltf", code=4)

    def test_a_pipe_in_place_of_an_output(self):
        os.mkfifo(self.path("pipe.bvh"))
        text, _ = self.run_posemill("convert", "walk.bvh", "pipe.bvh", code=6)
        self.assertIn("pipe.bvh: cannot be written", text)

    def test_a_pipe_with_a_reader_is_written(self):
        os.mkfifo(self.path("pipe.bvh"))
        reader = subprocess.Popen(["cat", "pipe.bvh"], cwd=self.folder, stdout=subprocess.PIPE)
        held = os.open(self.path("pipe.bvh"), os.O_RDWR)  # a reader, whenever cat comes
        self.addCleanup(reader.stdout.close)
        self.run_posemill("convert", "walk.bvh", "pipe.bvh")
        # Closed only when cat has read: without a writer, cat would wait for one in open.
        first = reader.stdout.read(9)
        os.close(held)
        self.assertEqual(first, b"HIERARCHY")
        self.assertEqual(reader.communicate(timeout=HANGS)[0][-1:], b"\n")

    def test_a_pipe_that_is_named_as_the_input_is_read(self):
        reader = self.start("info", "pipe", "--format", "bvh")
        with open(self.path("pipe"), "wb") as file:
            file.write(WALK)
        out, err = reader.communicate(timeout=HANGS)
        self.assertEqual(reader.returncode, 0, err)
        self.assertIn(b"21 nodes", out)

    def test_sparse_files_are_refused_by_their_first_bytes(self):
        for extension in ("glb", "gltf", "npz", "csv", "bvh", "npy"):
            with open(self.path(f"x.{extension}"), "wb") as file:
                file.truncate(2 << 30)
            words = (["eval", "--keys", "x.npy", "--key-rate", "30", "--rate", "30", "--method",
                      "slerp", "--out", "o.npy"] if extension == "npy" else
                     ["info", f"x.{extension}"])
            _, used = self.run_posemill(*words, code=4)
            self.assertLess(used, FEW, extension)


class Memory(Case):
    def test_compressed_files_are_admitted_by_what_they_unpack_to(self):
        self.path("in").mkdir()
        write_npz(self.path("in/0.npz"), 20_000)
        self.assertLess(self.path("in/0.npz").stat().st_size, 1 << 20)
        _, one = self.resample("in", out="one")
        for i in range(1, 6):
            shutil.copy(self.path("in/0.npz"), self.path(f"in/{i}.npz"))
        _, six = self.resample("in", "--memory", "64M", "--jobs", "6", out="six")
        self.assertLess(six, 1.6 * one)
        self.assertEqual(self.statuses("six"), 6 * ["done"])

    def test_of_many_rows_of_a_compressed_file_a_part_is_in_memory(self):
        """The source, a third of the result, and its compressed bytes, which are few."""
        write_npz(self.path("a.npz"), 80_000)
        _, used = self.run_posemill("resample", "a.npz", "-o", "o.npz", "--rate", "60", "--device", "none")
        self.assertLess(used * 1024, 1.6 * 80_000 * 8 * 159)
        with zipfile.ZipFile(self.path("o.npz")) as archive:
            self.assertIsNone(archive.testzip())
            self.assertEqual(archive.getinfo("poses.npy").file_size, 128 + 80_000 * 8 * 156)

    def test_a_member_larger_than_its_shape_is_not_unpacked(self):
        write_npz(self.path("b.npz"), 4, more=200 << 20)
        _, used = self.run_posemill("info", "b.npz", code=4)
        self.assertLess(used, FEW)

    def test_samples_of_a_glTF_are_held_in_blocks(self):
        nodes = 80
        with open(self.path("a.glb"), "wb") as file:
            file.write(moving_glb(nodes, 10.0))
        _, used = self.run_posemill("resample", "a.glb", "-o", "b.glb", "--rate", "10000",
                                    "--device", "none")
        self.assertLess(used, FEW)  # all of them are 192 MB
        with open(self.path("b.glb"), "rb") as file:
            file.seek(-12, os.SEEK_END)  # the last sample of a node
            x, y, z = struct.unpack("<3f", file.read(12))
        self.assertEqual((x, z), (y + 1, 0))


class TwoRuns(Case):
    def test_an_output_that_appears_meanwhile_is_not_replaced(self):
        second = self.start("resample", "-", "--format", "bvh", "--out-dir", "out", "--rate", "60",
                            "--device", "none", stdin=subprocess.PIPE)
        while not self.path("out/.posemill/records-0.jsonl").exists():
            self.assertIsNone(second.poll())
        self.path("in").mkdir()
        self.path("in/stdin.bvh").write_bytes(WALK)
        self.resample("in")
        before = self.path("out/stdin.bvh").read_bytes()
        _, err = second.communicate(WALK, timeout=HANGS)
        self.assertEqual(second.returncode, 6, err)
        self.assertIn(b"out/stdin.bvh: exists already", err)
        self.assertEqual(self.path("out/stdin.bvh").read_bytes(), before)
        self.assertEqual(list(self.path("out").glob(".posemill-*.part")), [])
        self.run_posemill("merge", "out", code=1)

    def test_results_of_two_kinds_of_options_are_not_complete(self):
        for name in ("a", "b", "c"):
            self.path(f"{name}.bvh").write_bytes(WALK)
        self.resample("a.bvh", "b.bvh")
        self.run_posemill("merge", "out")
        self.run_posemill("resample", "c.bvh", "--out-dir", "out", "--rate", "60", "--device", "none")
        text, _ = self.run_posemill("merge", "out", code=1)
        self.assertIn("different options: 2 files with", text)
        self.assertIn("different options: 1 file with", text)
        self.assertIn("not complete", text)
        found = json.loads(self.run_posemill("merge", "out", "--json", code=1)[0])
        self.assertEqual([group["files"] for group in found["options"]], [2, 1])
        self.assertFalse(found["complete"])
        self.resample("c.bvh", "--resume")
        self.run_posemill("merge", "out")


class Signals(Case):
    def test_no_signal_leaves_a_temporary_file(self):
        # A parent such as nohup may ignore it, and a program inherits that.
        self.addCleanup(signal.signal, signal.SIGHUP, signal.signal(signal.SIGHUP, signal.SIG_DFL))
        numbers = [signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGVTALRM,
                   signal.SIGPROF, signal.SIGIO, signal.SIGTERM, signal.SIGPIPE, signal.SIGXCPU,
                   signal.SIGABRT, signal.SIGRTMIN + 3]
        for number in numbers:
            run = self.start("resample", "walk.bvh", "-o", "o.bvh", "--rate", "90000000",
                             "--max-frames", "900000000", "--device", "none", "--quiet",
                             restore_signals=True)
            while not list(self.folder.glob(".posemill-*.part")):
                self.assertIsNone(run.poll())
            run.send_signal(number)
            run.communicate(timeout=HANGS)
            self.assertEqual(run.returncode, -number)
            self.assertEqual(list(self.folder.glob(".posemill-*.part")), [], number)


ATTACK = Path(os.environ.get("POSEMILL_DATA", "/nonexistent")) / "attack"


@unittest.skipUnless(ATTACK.is_dir(), "POSEMILL_DATA has no folder attack")
class Attack(Case):
    def test_every_file_is_done_or_refused_within_400_MB(self):
        for path in sorted(ATTACK.iterdir()):
            code = {"onename.tar.gz": 1, "npz-250MB-in-248KB.npz": 0,
                    "n_ok.npz": 0, "sparse3g.tar": 4, "zip64-local-offset.npz": 4,
                    "ln12.tar.gz": 4}.get(path.name)
            if code is not None:
                with self.subTest(path.name):
                    self.resample(path, "--overwrite", code=code)
        for name in ("n_ok.npz", "list-layout-devzero.jsonl"):
            shutil.copy(ATTACK / name, self.folder)
        self.resample("--files-from", "list-layout-devzero.jsonl", "--overwrite", code=4)


if __name__ == "__main__":
    command_case.main()
