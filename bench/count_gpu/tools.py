# SPDX-License-Identifier: MIT
"""Finding and running the compilers, and the failures of this package."""
import glob
import os
import re
import shutil
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
KERNELS = os.path.join(ROOT, "kernels")
# The folder into which `./dev count` installs NVIDIA's tools.
PRIVATE = os.path.join(ROOT, ".venv-count")
# Longer than any compilation takes; a compiler that hangs must not hold up the rest.
LONGEST_S = 300


class Failure(Exception):
    """An error, in one line."""


class Missing(Failure):
    """A missing tool, and the package that contains it; or an argument that is not valid."""


def find(name):
    """From the private folder, whose versions are fixed, or the path."""
    private = glob.glob(os.path.join(PRIVATE, "lib", "python3*", "site-packages", "nvidia", "*", "bin"))
    return next(filter(None, (shutil.which(name, path=folder) for folder in [*sorted(private), None])), None)


def need(name, package):
    """A tool, or a file by its whole path."""
    found = (name if os.path.exists(name) else None) if os.path.isabs(name) else find(name)
    if not found:
        raise Missing(f"{name} is missing; install {package}")
    return found


def first_error(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"error|fatal|fail", line, re.I)]
    return (telling or lines or ["no message"])[0]


def run(*command, cwd=None, environment=None):
    """The outputs of a command: (standard output, standard error)."""
    name = os.path.basename(command[0])
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False,
                              cwd=cwd, env={**os.environ, **(environment or {})}, timeout=LONGEST_S)
    except subprocess.TimeoutExpired as error:
        raise Failure(f"{name} did not end within {LONGEST_S} s") from error
    if done.returncode < 0:
        raise Failure(f"{name} died of signal {-done.returncode}")
    if done.returncode != 0:
        raise Failure(f"{name}: {first_error(done.stderr + done.stdout)}")
    return done.stdout, done.stderr


def version(tool):
    out, error = run(tool, "--version")
    found = re.search(r"(\d+\.\d+\.\d+)", out + error) or re.search(r"(\d+\.\d+)", out + error)
    return f"{os.path.basename(tool)} {found[1] if found else 'of unknown version'}"


def package_version(package):
    """The version of an installed Debian package, of tools that do not tell theirs."""
    if not shutil.which("dpkg-query"):
        return f"{package} of unknown version"
    done = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package],
                          capture_output=True, text=True, check=False)
    return f"{package} {done.stdout.strip() or 'of unknown version'}"


def kernels_version():
    """The last commit that changed the kernels, and whether they were changed since."""
    def git(*words):
        return subprocess.run(["git", "-C", ROOT, *words, "--", "kernels"], capture_output=True, text=True, check=True).stdout

    try:
        return git("log", "-1", "--format=%h", "--abbrev=12").strip() + ("-dirty" if git("status", "--porcelain") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
