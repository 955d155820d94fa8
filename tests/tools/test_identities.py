# SPDX-License-Identifier: MIT
"""What errors and warnings of the libraries name: each is an option of the command, or a field of a public struct."""
import re
import subprocess
import sys
import unittest
from pathlib import Path

ROOT, POSEMILL = Path(sys.argv.pop(1)), sys.argv.pop(1)

NAME = r'"([a-z][a-z-]*)"'
# Calls and designators that set a name.
PLACES = (r"(?:pm_fail_field|pm_name_field|motion_fail_option|motion_name_option|\bwarn)\(([^;]*?);",
          r"refuse_cut\(([^,]*)", r"refuse_part\(([^;]*?)error", r"motion_cure\([^,]*,([^,]*)",
          r"\.(?:option|cure) = ([^,}]*)", r"\(hint_cure\)\{([^,]*)", r"names\[PM_KEYED_COUNT\](.*?)\};")


def sources():
    return [path for room in ("host", "motion") for path in (ROOT / room).rglob("*.[ch]")]


def named():
    """Pairs of a name and the file that sets it."""
    return {(name, path.name) for path in sources() for place in PLACES
            for call in re.findall(place, path.read_text(), re.S) for name in re.findall(NAME, call)}


def options():
    """All options of all verbs."""
    def said(*words):
        return subprocess.run([POSEMILL, *words], capture_output=True, text=True, check=True).stdout
    return {option for verb in said("help", "--commands").split()
            for option in re.findall(r"--([a-z][a-z-]*)", said(verb, "--help=all"))}


def fields():
    """Names in public structs, with the hyphens of options."""
    found = set()
    for header in (ROOT / "include" / "posemill").glob("*.h"):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        for body in re.findall(r"typedef struct \w+ \{(.*?)\n\}", text, re.S):
            found |= set(re.findall(r"(\w+)(?:\[\w+\])?[;,]", body))
    found |= {"scalars_in", "scalars_out"}  # keys_in and keys_out of pm_clip_desc.scalars
    return {field.replace("_", "-") for field in found}


class Identities(unittest.TestCase):
    def test_each_name_is_an_option_or_a_field(self):
        known, found = options() | fields(), named()
        self.assertGreater(len(found), 60)
        self.assertGreater(len(known), 150)
        self.assertEqual({pair for pair in found if pair[0] not in known}, set())

    def test_no_text_of_the_motion_library_has_an_option_of_the_command(self):
        said = {(path.name, line) for path in (ROOT / "motion").rglob("*.[ch]")
                for line in re.findall(r'"[^"\n]*--[a-z][^"\n]*"', path.read_text())}
        self.assertEqual(said, set())


if __name__ == "__main__":
    unittest.main()
