# SPDX-License-Identifier: MIT
"""Programs with a graphical interface set the user's locale: numbers, files, pages and records are the
same with a decimal comma, and with a decimal point of several bytes.
"""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from motion_files import WALK

SCRIPT = """
import hashlib, json, locale, os, sys, warnings, posemill as pm
name, walk, folder = sys.argv[1:4]
if name != "C":
    locale.setlocale(locale.LC_ALL, name)
    assert locale.localeconv()["decimal_point"] != "."
os.chdir(folder)
motion = pm.load(walk)
for format in ("bvh", "gltf", "glb", "npz"):
    motion.save(f"whole.{format}", scale=0.5)
    half = motion.resample(47.5, "hermite", tangents=(0.5, 0.25, -0.5))
    half.save(f"half.{format}", scale=0.25)
    print(pm.load(f"half.{format}"))
found = pm.compare(motion, "half.glb", rate=12.5, unit=2.5)
print(found, json.dumps(found.numbers))
found.show().save("difference.html")
motion.show().save("walk.html")
def run():
    return pm.batch.run([walk], "out", "59.94", method="sterp", axis=(0.5, 0.25, 1.0),
                        swing=(0.125, 0.875), start=0.25, end=1.75, device="none")
print(run().digest)
before = os.stat("out/walk.bvh").st_mtime_ns
result = run()
print(result.done, result.failures, before == os.stat("out/walk.bvh").st_mtime_ns)
assert 0.0 < result.seconds < 1e4
assert all(json.loads(line) for line in open("out/.posemill/records-0.jsonl", encoding="utf-8"))
for call in (lambda: pm.RotationCurve([0, 1], [[0, 0, 0, 1.5], [0, 0, 0, 1.0]]),
             lambda: motion.save("a.bvh", decimals=0.5), lambda: motion.save("no/folder.bvh"),
             lambda: motion.resample(1.5, start=7.25)):
    try:
        call()
    except (ValueError, OSError) as error:
        print(error)
for path in sorted(os.listdir()):
    if os.path.isfile(path):
        print(path, hashlib.sha256(open(path, "rb").read()).hexdigest())
"""


def run(name: str, folder: Path, locales: Path) -> str:
    folder.mkdir()
    done = subprocess.run([sys.executable, "-c", SCRIPT, name, str(WALK), str(folder)],
                          env={**os.environ, "LOCPATH": str(locales)}, capture_output=True,
                          text=True, timeout=1200, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["de_DE", "ps_AF"])
def test_results_do_not_depend_on_the_locale(name: str, tmp_path: Path) -> None:
    if shutil.which("localedef") is None or not Path("/usr/share/i18n/locales", name).exists():
        pytest.skip("the sources of locales are not installed")
    subprocess.run(["localedef", "-i", name, "-f", "UTF-8", str(tmp_path / f"{name}.UTF-8")],
                   check=False, capture_output=True)
    there = run(f"{name}.UTF-8", tmp_path / "there", tmp_path)
    assert there == run("C", tmp_path / "here", tmp_path)
