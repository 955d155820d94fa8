#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the C source of the extension module posemill._native, by cffi in API mode.

usage: make_binding.py INCLUDE OUTPUT.c

The declarations are those of the public headers, without comments and preprocessor lines, and those
of python/native.h.
"""
import re
import sys
from pathlib import Path

import cffi

HEADERS = ["posemill.h", "posemill_crowd.h", "posemill_points.h", "posemill_cl.h", "posemill_motion.h",
           "posemill_library.h"]

# Names of other headers, which cffi does not read.
OPENCL = """
typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint32_t cl_bool;
typedef ... *cl_context;
typedef ... *cl_device_id;
typedef ... *cl_command_queue;
typedef ... *cl_mem;
typedef ... *cl_event;
"""

# Functions of Python that the library calls.
CALLBACKS = """
extern "Python" void python_keep_page(void *list, const char *text, size_t size);
extern "Python" pm_engine *python_open_device(void);
extern "Python" void python_note_warning(void *dict, pm_log_level level, const pm_error *remark);
"""

SOURCE = """
#include <posemill/posemill.h>
#include <posemill/posemill_cl.h>
#include <posemill/posemill_crowd.h>
#include <posemill/posemill_library.h>
#include <posemill/posemill_motion.h>
#include <posemill/posemill_points.h>

#include "functions.h"
#include "native.h"
"""


def declarations(text: str) -> str:
    """What cffi can parse of a header. Sizes of arrays that are constants of an enum stay names."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r'#ifdef __cplusplus\s*extern "C" \{\s*#endif', "", text)
    text = re.sub(r"#ifdef __cplusplus\s*\}\s*#endif", "", text)
    text = re.sub(r"^#define (\w+) (\d+)$", r"#define \1 ...", text, flags=re.M)
    text = re.sub(r"^#(?!define \w+ \.\.\.$).*(?:\\\n.*)*$", "", text, flags=re.M)
    text = re.sub(r"\b(PM_API|PM_EXPERIMENTAL|static inline[^{]*\{.*?^\})", "", text, flags=re.S | re.M)
    return text


def main() -> None:
    include, output = Path(sys.argv[1]), Path(sys.argv[2])
    builder = cffi.FFI()
    builder.cdef(OPENCL)
    for header in HEADERS:
        builder.cdef(declarations((include / "posemill" / header).read_text(encoding="utf-8")))
    for own in ("functions.h", "native.h"):
        builder.cdef(declarations((Path(__file__).parent / own).read_text(encoding="utf-8")))
    builder.cdef(CALLBACKS)
    builder.set_source("posemill._native", SOURCE, py_limited_api=True)
    builder.emit_c_code(str(output))


if __name__ == "__main__":
    main()
