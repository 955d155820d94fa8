# SPDX-License-Identifier: MIT
"""Compiles programs for targets, several at a time, and remembers results by what they depend on."""
import concurrent.futures
import functools
import hashlib
import json
import os
import sys
import tempfile

from . import amd, flow, fused, intel, nvidia, sass, spirv
from .programs import OPTIONS, source_path
from .tools import ROOT, Failure, Missing, need, run

MAKERS = (nvidia, amd, intel, spirv)
TARGETS = tuple(target for maker in MAKERS for target in maker.TARGETS)
MEMORY = os.path.join(ROOT, "build", "count-gpu")
FIGURES = ("registers", "spills", "scratch_bytes", "occupancy", "simd", "code_bytes", "calls",
           "fused_extra")


def maker_of(target):
    return next(maker for maker in MAKERS if target in maker.TARGETS)


@functools.cache
def tools_of(maker):
    return maker.Tools()


@functools.cache
def versions_of(maker):
    return tuple(tools_of(maker).versions())


def versions(targets):
    """The tools of the targets; fails where one is missing."""
    makers = dict.fromkeys(map(maker_of, targets))
    return {maker.__name__.rpartition(".")[2]: list(versions_of(maker)) for maker in makers}


# ---- remembering -------------------------------------------------------------------------------


@functools.cache
def own_sources(maker):
    """A digest of what measures a program: a change of it makes what is remembered void."""
    digest = hashlib.sha256()
    for module in (maker, flow, fused, sass):
        with open(module.__file__, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


@functools.cache
def source_of(program):
    """The program's text after the preprocessor, which holds all of its options but OPTIONS."""
    text, _ = run(need("clang-15", "Debian package clang-15"), "-x", "cl", *OPTIONS,
                  "-D__OPENCL_VERSION__=120", "-target", "spir64-unknown-unknown", "-E", "-P",
                  *program.defines, source_path(program))
    return text


def key_of(program, target, tools):
    parts = (own_sources(maker_of(target)), target, program.file, *OPTIONS, *tools, source_of(program))
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def recall(key):
    try:
        with open(os.path.join(MEMORY, f"{key}.json"), encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return None


def remember(key, figures):
    """Written beside and renamed, because several processes may write the same."""
    os.makedirs(MEMORY, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=MEMORY, delete=False, encoding="utf-8") as file:
        json.dump(figures, file)
    os.replace(file.name, os.path.join(MEMORY, f"{key}.json"))


def recorded(rows):
    """What a record says, by the key of each row. A sixteenth is left out, which is compiled in any case
    and compared with the record."""
    return {row["key"]: row for row in rows if row.get("key") and int(row["key"], 16) % 16}


# ---- compiling ---------------------------------------------------------------------------------


def compile_one(program, target, fresh, record=None):
    """(figures, whether they were remembered)"""
    maker = maker_of(target)
    tools = tools_of(maker)
    try:
        key = key_of(program, target, versions_of(maker))
        known = None if fresh else (record or {}).get(key) or recall(key)
        if known:
            return known, True
        with tempfile.TemporaryDirectory(prefix="posemill-count-") as folder:
            measured = maker.measure(tools, program, target, folder)
        figures = json.loads(json.dumps({**measured, "key": key}))  # as a record has them
        remember(key, figures)
        return figures, False
    except Missing:
        raise
    except Failure as failure:
        return {**dict.fromkeys(FIGURES), "hot_calls": [], "error": str(failure)}, False


def show(done, total, target, name):
    if sys.stderr.isatty():
        print(f"\r\033[K{done} of {total}: {target} {name}", end="", file=sys.stderr, flush=True)


def everything(programs, targets, jobs, fresh=False, record=None):
    """A row for each target and program that it can run. `record` has figures by key, which need no compiler."""
    work = [(program, target) for target in targets for program in programs
            if not (program.doubles and target in intel.WITHOUT_DOUBLE)]
    rows, remembered = [None] * len(work), 0
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        waiting = {pool.submit(compile_one, program, target, fresh, record): i
                   for i, (program, target) in enumerate(work)}
        for done, future in enumerate(concurrent.futures.as_completed(waiting), 1):
            program, target = work[waiting[future]]
            figures, known = future.result()
            rows[waiting[future]] = {**figures, "target": target, "program": program.name}
            remembered += known
            show(done, len(work), target, program.name)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    return rows, remembered
