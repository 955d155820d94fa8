#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether the structs and enums of the public headers can grow without breaking programs.

usage: test_headers.py SOURCE

A struct ends in `next`, or is one of those that never grow. Where `next` must be NULL, a test shows that
other values are refused.
"""
import re
import sys
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop())

# "growth" in posemill.h.
VALUES = """pm_rational pm_device_claims pm_array pm_timeline pm_windows pm_hinge pm_crowd_instance pm_crowd_range
    pm_placement pm_root_motion pm_crowd_event pm_host pm_cl_input pm_cl_field pm_motion_name
    pm_motion_error_bound pm_motion_extent pm_motion_difference pm_motion_jump pm_library_extra_target
    pm_crowd_layer pm_crowd_marker pm_chain_use pm_chain_goal pm_stand_goal pm_height_field
    pm_stamps pm_coordinates pm_coordinates_out pm_track_field pm_fixed_pose pm_moving_frame""".split()


def structs() -> dict[str, str]:
    """The bodies of all structs by name."""
    found = {}
    for header in sorted((SOURCE / "include" / "posemill").glob("*.h")):
        text = header.read_text(encoding="utf-8")
        found.update({name: body for name, body in re.findall(
            r"^typedef struct (\w+) \{\n(.*?)^\} \1;$", text, re.S | re.M)})
    return found


class Headers(unittest.TestCase):
    def test_every_struct_can_grow_or_is_known_not_to(self):
        found = structs()
        self.assertGreater(len(found), 50)
        without = {name for name, body in found.items()
                   if not re.search(r"\n    const void \*next; /\* (must be )?NULL \*/\n\Z", body)}
        self.assertEqual(without, set(VALUES))

    def test_every_description_is_refused_with_a_next(self):
        tests = "".join(path.read_text(encoding="utf-8") for path in SOURCE.glob("tests/*/test_*.c"))
        called = re.sub(r"(?i)expect_\w*next_refused\(\s*", "refused(", tests)
        must = {name for name, body in structs().items() if "next; /* must be" in body}
        self.assertGreater(len(must), 20)
        missing = [name for name in must if f"refused({name}," not in called]
        self.assertEqual(sorted(missing), [])

    def test_no_enumerator_is_a_count(self):
        for header in (SOURCE / "include" / "posemill").glob("*.h"):
            self.assertNotRegex(header.read_text(encoding="utf-8"), r"\bPM_\w+_COUNT\b")


if __name__ == "__main__":
    unittest.main()
