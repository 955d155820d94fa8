# SPDX-License-Identifier: MIT
"""Compiles programs for targets, several at a time. A result depends on its key alone, so that what a record has
need not be compiled again."""
import concurrent.futures
import functools
import hashlib
import tempfile

from . import amd, fused, intel, nvidia, spirv
from .limits import FIGURES
from .programs import OPTIONS, source_path
from .tools import Failure, Missing, need, run

MAKERS = (nvidia, amd, intel, spirv)
TARGETS = tuple(target for maker in MAKERS for target in maker.TARGETS)


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


@functools.cache
def own_sources(maker):
    """A digest of what measures a program: a change of it makes what is recorded void."""
    digest = hashlib.sha256()
    for module in (maker, fused):
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


def recorded(rows, every=False):
    """What a record says, by the key of each row. Unless `every` is asked for, a sixteenth is left out, which is
    compiled in any case and compared with the record."""
    return {row["key"]: row for row in rows if row.get("key") and (every or int(row["key"], 16) % 16)}


def changed(rows, record):
    """Programs that are the record's, and have other figures than it."""
    said = {row["key"]: row for row in record if row.get("key")}
    return [f"{row['target']} {row['program']}: the record has other figures; record them again"
            for row in rows if row.get("key") in said and row != said[row["key"]]]


def compile_one(program, target, known):
    """(figures, whether they were known)"""
    maker = maker_of(target)
    try:
        key = key_of(program, target, versions_of(maker))
        if key in known:
            return known[key], True
        with tempfile.TemporaryDirectory(prefix="posemill-count-") as folder:
            measured = maker.measure(tools_of(maker), program, target, folder)
        return {**dict.fromkeys(FIGURES), **measured, "key": key}, False
    except Missing:
        raise
    except Failure as failure:
        return {**dict.fromkeys(FIGURES), "error": str(failure)}, False


def everything(programs, targets, jobs, known):
    """A row for each target and program that it can run, and how many were known."""
    work = [(program, target) for target in targets for program in programs
            if not (program.doubles and target in intel.WITHOUT_DOUBLE)]
    rows, count = [None] * len(work), 0
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        waiting = {pool.submit(compile_one, program, target, known): i for i, (program, target) in enumerate(work)}
        for future in concurrent.futures.as_completed(waiting):
            program, target = work[waiting[future]]
            figures, was_known = future.result()
            rows[waiting[future]] = {**figures, "target": target, "program": program.name}
            count += was_known
    return rows, count
