# SPDX-License-Identifier: MIT
"""The package as it is installed: its version, its files, and where no OpenCL loader is."""
from __future__ import annotations

import importlib.metadata
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import posemill as pm
from posemill import _native

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(pm.__file__).parent

of_linux = pytest.mark.skipif(sys.platform != "linux", reason="files and loaders of Linux")


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A process of this interpreter, with further variables."""
    return subprocess.run([sys.executable, *arguments], env={**os.environ, **environment},
                          capture_output=True, text=True, timeout=1200)


def header_version() -> str:
    header = (ROOT / "include/posemill/posemill.h").read_text(encoding="utf-8")
    return ".".join(re.findall(r"^#define PM_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", header, re.M))


def test_the_source_tree_is_not_imported() -> None:
    assert ROOT / "python" not in PACKAGE.parents


def test_the_version_is_that_of_the_header() -> None:
    assert pm.__version__ == header_version()
    assert importlib.metadata.version("posemill") == header_version()


def test_public_names_exist() -> None:
    assert len(set(pm.__all__)) == len(pm.__all__)
    for name in pm.__all__:
        assert getattr(pm, name).__doc__, name


def test_types_are_marked() -> None:
    assert (PACKAGE / "py.typed").exists()
    assert (PACKAGE / "_native.pyi").exists()


def test_one_extension_serves_all_versions_of_python() -> None:
    assert Path(_native.__file__).name.split(".", 1)[1] == ("pyd" if os.name == "nt" else "abi3.so")
    wheel = importlib.metadata.distribution("posemill").read_text("WHEEL") or ""
    assert re.search(r"^Tag: cp310-abi3-", wheel, re.M)


def test_licenses_are_in_the_wheel() -> None:
    files = importlib.metadata.files("posemill") or []
    names = {file.name for file in files if "licenses" in file.parts}
    assert {"LICENSE", "bundled-libraries.txt"} <= names


def mapped_files() -> list[Path]:
    """The files in the memory of a process that has imported the package."""
    found = run("-c", "import posemill; print(open('/proc/self/maps').read())").stdout
    return [Path(line.split(maxsplit=5)[5]) for line in found.splitlines() if line.count("/")]


@of_linux
def test_no_opencl_loader_is_linked() -> None:
    names = {file.name.split(".")[0] for file in mapped_files()}
    assert "_native" in names
    assert "libOpenCL" not in names
    assert b"libOpenCL.so.1\0" in Path(_native.__file__).read_bytes()  # the name for dlopen


def test_libraries_are_in_the_wheel() -> None:
    if "manylinux" not in (importlib.metadata.distribution("posemill").read_text("WHEEL") or ""):
        pytest.skip("the wheel was not repaired")
    ours = PACKAGE.parent / "posemill.libs"
    for name in ("libjansson", "libmeshoptimizer", "libxxhash"):
        folders = {file.parent for file in mapped_files() if file.name.startswith(name)}
        assert folders <= {ours}, name
    assert any(ours.iterdir())
    assert not any(file.name.startswith(("libarchive", "libxml2")) for file in mapped_files())


@of_linux
def test_one_function_is_exported() -> None:
    names = subprocess.run(["nm", "-D", "--defined-only", _native.__file__], capture_output=True,
                           text=True, check=True).stdout.split()
    assert names[2::3] == ["PyInit__native"]


@pytest.fixture
def broken_loader(tmp_path: Path) -> str:
    """A folder whose loaders dlopen refuses, for LD_LIBRARY_PATH: the search ends at them."""
    for name in ("libOpenCL.so", "libOpenCL.so.1"):
        (tmp_path / name).write_text("no library")
    return str(tmp_path)


@of_linux
def test_plain_c_serves_where_no_loader_is(broken_loader: str) -> None:
    script = "import posemill as pm; print(pm.devices(), pm.Engine().device.type)"
    found = run("-c", script, LD_LIBRARY_PATH=broken_loader)
    assert (found.stdout, found.returncode) == ("[] reference\n", 0), found.stderr


@of_linux
def test_a_device_is_refused_where_no_loader_is(broken_loader: str) -> None:
    script = "import posemill as pm; pm.Engine('cpu')"
    found = run("-c", script, LD_LIBRARY_PATH=broken_loader)
    assert found.returncode == 1
    assert "DeviceError: no OpenCL driver" in found.stderr
    assert "ocl-icd-libopencl1" in found.stderr


def test_the_script_is_the_command(tmp_path: Path) -> None:
    script = Path(sys.executable).parent / "posemill"
    commands = [[sys.executable, "-m", "posemill"]] + ([[str(script)]] if script.exists() else [])
    for command in commands:
        done = subprocess.run([*command, "--version"], capture_output=True, text=True)
        assert (done.stdout, done.returncode) == (f"posemill {pm.__version__}\n", 0), done.stderr


def test_the_command_resamples(tmp_path: Path) -> None:
    output = tmp_path / "walk.bvh"
    walk = str(ROOT / "examples/walk.bvh")
    done = run("-m", "posemill", "resample", walk, "--rate", "120", "--device", "none", "-o",
               str(output))
    assert done.returncode == 0, done.stderr
    assert "Frame Time: 0.00833333" in output.read_text()
    assert run("-m", "posemill", "resample", walk).returncode == 2


def test_the_command_refuses_tar_archives(tmp_path: Path) -> None:
    (tmp_path / "a.tar").write_bytes(bytes(10240))
    done = run("-m", "posemill", "list", str(tmp_path / "a.tar"))
    assert done.returncode == 4
    assert "without libarchive" in done.stderr


def test_the_users_script_runs() -> None:
    runpy.run_path(str(Path(__file__).with_name("user_script.py")), run_name="__main__")
