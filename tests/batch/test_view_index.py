#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`posemill view FILES --out-dir DIR`: a page of each file, and an index that says what each is or why it failed.

usage: test_view_index.py POSEMILL
"""
import os
import re
import tarfile
from html.parser import HTMLParser
from urllib.parse import unquote

import command_case
import motions
from command_case import SEED, WALK
from motions import UPPER, np

HOSTILE = ["<img src=x onerror=alert(1)>&\"'{{rows}}.bvh", "a \x1b[31m\nb.bvh", "Gänge \u202e走.bvh", "-rf.bvh",
           "a..b.bvh", "100%20#?.bvh", "x" * 200 + ".bvh"]


class Rows(HTMLParser):
    """The rows of the index: the text of each cell, and where the name leads."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.links, self.tags, self.is_in = [], [], set(), False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag == "tbody":
            self.is_in = True
        elif self.is_in and tag == "tr":
            self.rows.append([])
            self.links.append(None)
        elif self.is_in and tag in ("th", "td"):
            self.rows[-1].append("")
        elif self.is_in and tag == "a":
            self.links[-1] = dict(attributes)["href"]

    def handle_endtag(self, tag):
        self.is_in = self.is_in and tag != "tbody"

    def handle_data(self, data):
        if self.is_in and self.rows and self.rows[-1] and data != "\n":
            self.rows[-1][-1] += data


def shown(name):
    """As pages spell a name."""
    return "".join(c if ord(c) >= 32 and c != "\u202e" else "".join(f"\\x{b:02x}" for b in c.encode()) for c in name)


class View(command_case.Case):
    def setUp(self):
        super().setUp()
        self.takes, self.out = self.folder / "takes", self.folder / "out"
        self.takes.mkdir()

    def walk(self, name):
        path = self.takes / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(WALK.read_bytes())
        return path

    def view(self, *words, code=0):
        done = self.run_posemill("view", *words, "--out-dir", "out", code=code)
        self.html = (self.out / "index.html").read_text(encoding="utf-8")
        self.index = Rows(self.html)
        return done

    def names(self):
        return [row[0].strip() for row in self.index.rows]

    def test_a_row_says_what_a_file_is(self):
        self.walk("sub/walk.bvh")
        turn = motions.quaternions(np.zeros((41, len(UPPER), 3)))
        motions.write_glb(self.takes / "two.glb", UPPER, [("a", turn), ("b", turn)], 20)
        done = self.view("takes")
        self.assertIn("view: 2 pages; out/index.html", done.stdout)
        self.assertEqual(self.index.rows[0][:8], ["sub/walk.bvh", "bvh", "2", "30 Hz", "21", "1", "cm (estimated)",
                                                  "y (estimated)"])
        self.assertEqual(self.index.rows[1][:8], ["two.glb", "glb", "2", "20 Hz", str(len(UPPER)), "2", "m (stated)",
                                                  "y (stated)"])
        for row, link in zip(self.index.rows, self.index.links):
            page = (self.out / unquote(link)).read_text(encoding="utf-8")
            self.assertIn(f"<title>{row[0].split('/')[-1]}</title>", page)
        self.assertEqual(len(list((self.out / "pages").iterdir())), 2)

    def test_what_is_odd_is_there(self):
        """The remarks of info; walk.bvh has none."""
        self.walk("walk.bvh")
        rows = np.zeros((5, 3 + 3 * len(UPPER)))
        rows[0, 6] = 120  # as of a T-pose before the motion
        motions.write_bvh(self.takes / "odd.bvh", UPPER, rows, 30)
        self.view("takes")
        said = re.findall("odd: (.*)", self.run_posemill("info", "takes/odd.bvh").stdout)
        odd, walk = self.index.rows
        self.assertEqual(walk[8], "")
        self.assertIn("T-pose", said[0])
        self.assertEqual(odd[8], said[0] + (f"; and {len(said) - 1} more" if len(said) > 1 else ""))

    def test_hostile_names(self):
        for name in HOSTILE:
            self.walk(name)
        self.view("takes")
        self.assertEqual(set(self.names()), {shown(name) for name in HOSTILE})
        for link in self.index.links:
            self.assertRegex(link, r"\Apages/[0-9]{4}-[A-Za-z0-9._-]{1,120}\Z")
            self.assertTrue((self.out / link).is_file())
        self.assertEqual(len(set(self.index.links)), len(HOSTILE))
        self.assertNotIn("img", self.index.tags)
        self.assertNotRegex(self.html, "[\x00-\x09\x0b-\x1f\u202e]")
        self.assertNotRegex(self.html, r"https?://(?!www\.w3\.org/)")
        self.run_posemill("view", "--out-dir", "out", "--", "-rf.bvh", code=4)

    def test_failures_are_the_last_rows(self):
        self.walk("z.bvh")
        (self.takes / "bad<i>.bvh").write_text("<script>nothing")
        os.mkfifo(self.takes / "pipe.bvh")
        done = self.view("takes", "takes/pipe.bvh", "none.bvh", code=1)
        self.assertEqual(self.names(), ["z.bvh", "bad<i>.bvh", "none.bvh", "pipe.bvh"])
        self.assertEqual(self.index.links, [self.index.links[0]] + [None] * 3)
        for row, why in zip(self.index.rows[1:], ("not a BVH file", "cannot be opened", "is no regular file")):
            self.assertTrue(row[1].startswith("failed: "), row)
            self.assertIn(why, row[1])
            self.assertIn(why, done.stderr)
        self.assertNotIn("i", self.index.tags)
        self.assertIn("1 of 4 files have a page</strong>, 3 failed", self.html)
        self.assertIn("view: 1 page, 3 failed", done.stdout)

    def test_the_exit_code_is_that_of_batches(self):
        (self.takes / "bad.bvh").write_text("nothing")
        self.view("takes", code=4)
        self.run_posemill("view", "takes", "--match", "*.npz", "--out-dir", "out", code=4)
        for words in (["takes"], ["takes", "--match", "*"], ["--out-dir", "out"], ["takes", "--out-dir", "a", "-o", "b"],
                      ["takes", "--out-dir", "a", "--from", "side"]):
            self.run_posemill("view", *words, code=2)
        self.assertFalse((self.folder / "a").exists())

    def test_members_of_an_archive_and_lists(self):
        for name in ("b.bvh", "s/a.bvh"):
            self.walk(name)
        with tarfile.open(self.folder / "takes.tar.gz", "w:gz") as archive:
            for name in ("s/a.bvh", "b.bvh"):
                archive.add(self.takes / name, name)
        self.view("takes")
        want = [row for row in self.index.rows]
        self.view("takes.tar.gz")
        self.assertEqual(self.index.rows, want)
        (self.folder / "list").write_text('{"path": "takes/b.bvh", "out": "x.bvh", "source_rate": "60"}\n')
        self.view("--files-from", "list")
        self.assertEqual(self.index.rows[0][:4], ["x.bvh", "bvh", "1", "60 Hz"])

    def test_inputs_are_not_overwritten_and_names_do_not_collide(self):
        text = self.walk("index.html").read_bytes()
        done = self.run_posemill("view", "takes", "--match", "*", "--format", "bvh", "--out-dir", "takes", code=6)
        self.assertIn("would be overwritten by the pages", done.stderr)
        self.assertIn("--out-dir chooses another folder", done.stderr)
        self.assertEqual((self.takes / "index.html").read_bytes(), text)
        self.walk("a.bvh"), self.walk("s/a.bvh")
        self.run_posemill("view", "takes/a.bvh", "takes/s/a.bvh", "--out-dir", "out", code=2)
        self.assertFalse(self.out.exists())
        self.run_posemill("view", "takes/a.bvh", "--out-dir", "takes/a.bvh", code=6)

    def test_again(self):
        """The pages are no inputs of a later run, which replaces them."""
        self.walk("a.bvh")
        for _ in range(2):
            self.run_posemill("view", "takes", "--match", "*", "--out-dir", "takes/out")
        html = (self.takes / "out/index.html").read_text(encoding="utf-8")
        self.assertEqual(Rows(html).links, ["pages/0001-a.bvh.html"])
        self.assertEqual(len(re.findall("<tr><th scope=\"row\">", html)), 1)


if __name__ == "__main__":
    command_case.main()
