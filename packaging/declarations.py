#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes declarations of all functions, structs, enums and constants of the public headers for another language.

usage: declarations.py rust|ctypes INCLUDE

The headers are parsed by the part of C's grammar that they use. Anything else is an error, so nothing is left out.
tests/engine/test_ffi.py compares what is written with what the C compiler says.
"""
import re
import sys
from pathlib import Path
from typing import Any, NamedTuple


class Base(NamedTuple):
    name: str
    const: bool


class Pointer(NamedTuple):
    to: Any
    const: bool


class Array(NamedTuple):
    of: Any
    size: int


class Function(NamedTuple):
    result: Any
    parameters: list  # of (name, type)


# Handles of <CL/cl.h>, whose own declarations are not read.
OPENCL = "typedef int32_t cl_int; typedef uint32_t cl_uint;" + "".join(
    f"typedef struct _cl_{name} *cl_{name};" for name in ("context", "device_id", "command_queue", "mem", "event"))
TOKEN = re.compile(r"\s*([A-Za-z_]\w*|\d[\w.]*|<<|[-+*|(){}\[\];,=])")
KEYWORDS = "as in loop match mod move ref type use where".split()  # of Rust, that are names in C
CONSTANTS = {"SIZE_MAX": 2**64 - 1, "UINT32_MAX": 2**32 - 1}
# Names of basic types in Rust and in ctypes.
BASIC = {"void": ("c_void", "None"), "char": ("c_char", "c_char"), "int": ("c_int", "c_int"),
         "unsigned": ("c_uint", "c_uint"), "bool": ("bool", "c_bool"), "size_t": ("usize", "c_size_t"),
         "ptrdiff_t": ("isize", "c_ssize_t"),
         "float": ("f32", "c_float"), "double": ("f64", "c_double"),
         **{f"{sign}int{bits}_t": (f"{'u' if sign else 'i'}{bits}", f"c_{sign}int{bits}")
            for sign in ("", "u") for bits in (8, 16, 32, 64)}}


class Headers:
    """All declarations of a folder of headers, in an order in which each follows what it needs."""

    def __init__(self, include: Path) -> None:
        self.constants: dict[str, Any] = {}
        self.typedefs: dict[str, Any] = {}
        self.enums: dict[str, list[str]] = {}
        self.structs: dict[str, dict[str, Any] | None] = {}  # None: opaque
        self.functions: dict[str, Function] = {}
        self.order: list[str] = []  # of typedefs, enums and structs
        self.read = set()
        self.parse(OPENCL)
        for header in sorted(include.glob("posemill/*.h")):
            self.include(header)

    def include(self, header: Path) -> None:
        if header in self.read:
            return
        self.read.add(header)
        text = header.read_text(encoding="utf-8")
        for name in re.findall(r"^#include <posemill/(\w+\.h)>", text, re.M):
            self.include(header.parent / name)
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
        text = re.sub(r"#ifdef __cplusplus.*?#endif", "", text, flags=re.S)
        # PM_API and PM_EXPERIMENTAL are attributes or nothing, and an option of OpenCL's headers is no constant.
        for name, value in re.findall(r"^#define (PM_\w+) +(?!__)(\S.*?) *$", text, re.M):
            self.constants[name] = self.value(value)
        self.parse(re.sub(r"^#.*$", "", text, flags=re.M))

    def value(self, text: str) -> Any:
        return eval(text, {"__builtins__": {}}, {**CONSTANTS, **self.constants})

    def parse(self, text: str) -> None:
        self.tokens, at = [], 0
        text = re.sub(r"\b(PM_API|PM_EXPERIMENTAL)\b", "", text).strip()
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                raise SyntaxError(f"cannot be parsed: {text[at:at + 60]!r}")
            self.tokens.append(match[1])
            at = match.end()
        self.tokens.reverse()
        while self.tokens:
            self.declaration()

    def next(self, *expected: str) -> str:
        token = self.tokens.pop() if self.tokens else "the end"
        if expected and token not in expected:
            raise SyntaxError(f"{token!r} {' '.join(self.tokens[:-9:-1])}: expected {' or '.join(expected)}")
        return token

    def take(self, token: str) -> bool:
        found = bool(self.tokens) and self.tokens[-1] == token
        if found:
            self.tokens.pop()
        return found

    def declaration(self) -> None:
        is_typedef = self.take("typedef")
        if self.take("enum"):
            return self.enum(is_typedef)
        base = self.base()
        if self.take("{"):
            return self.struct(base.name)
        for name, kind in self.declarators(base):
            if isinstance(kind, Function) and not is_typedef:
                self.functions[name] = kind
            elif not is_typedef:
                raise SyntaxError(f"{name} is neither a type nor a function")
            elif kind != Base(name, False):
                self.typedefs[name] = kind
                self.order.append(name)

    def enum(self, is_typedef: bool) -> None:
        name, names, last = self.next() if is_typedef else "", [], -1
        self.next("{")
        while not self.take("}"):
            names.append(self.next())
            last = self.until(",", "}") if self.take("=") else last + 1
            self.constants[names[-1]] = last
            self.take(",")
        if name:
            self.next(name)
            self.enums[name] = names
            self.order.append(name)
        self.next(";")

    def until(self, *ends: str) -> Any:
        text = ""
        while self.tokens and self.tokens[-1] not in ends:
            text += self.tokens.pop()
        return self.value(text)

    def struct(self, name: str) -> None:
        fields: dict[str, Any] = {}
        while not self.take("}"):
            fields.update(self.declarators(self.base()))
        self.next(name)
        self.next(";")
        if name in self.structs: # declared before
            self.order.remove(name)
        self.structs[name] = fields
        self.order.append(name)

    def base(self) -> Base:
        const = self.take("const")
        is_struct = self.take("struct")
        name = self.next()
        if is_struct and name not in self.structs and self.tokens[-1] != "{":
            self.structs[name] = None
            self.order.append(name)
        elif not is_struct and name not in {**BASIC, **self.typedefs, **self.enums, **self.structs}:
            raise SyntaxError(f"{name} {' '.join(self.tokens[:-9:-1])}: expected a type")
        return Base(name, const)

    def declarators(self, base: Base) -> list:
        found = [self.declarator(base)]
        while self.next(",", ";") == ",":
            found.append(self.declarator(base))
        return found

    def declarator(self, kind: Any) -> tuple:
        while self.take("*"):
            kind = Pointer(kind, self.take("const"))
        if not self.take("("):
            return self.next(), self.suffixes(kind)
        self.next("*")
        name = self.next()
        self.next(")")
        return name, Pointer(self.suffixes(kind), False)

    def suffixes(self, kind: Any) -> Any:
        if self.take("("):
            parameters = []
            while not self.take(")"):
                base = self.base()
                if not (base.name == "void" and self.tokens[-1] == ")"):
                    name, of = self.declarator(base)
                    parameters.append((name, Pointer(of.of, False) if isinstance(of, Array) else of))
                self.take(",")
            return Function(kind, parameters)
        if self.take("["):
            size = self.until("]")
            self.next("]")
            return Array(self.suffixes(kind), size)
        return kind


def rust_name(name: str) -> str:
    return f"r#{name}" if name in KEYWORDS else name


def as_rust(kind: Any) -> str:
    if isinstance(kind, Base):
        return BASIC.get(kind.name, (kind.name,))[0]
    if isinstance(kind, Array):
        return f"[{as_rust(kind.of)}; {kind.size}]"
    if isinstance(kind, Function):
        result = "" if kind.result == Base("void", False) else f" -> {as_rust(kind.result)}"
        return f"({', '.join(f'{rust_name(name)}: {as_rust(of)}' for name, of in kind.parameters)}){result}"
    if isinstance(kind.to, Function):
        return f'Option<unsafe extern "C" fn{as_rust(kind.to)}>'
    return f"*{'const' if kind.to.const else 'mut'} {as_rust(kind.to)}"


def rust(headers: Headers) -> str:
    lines = ["#![allow(non_camel_case_types)]", "use std::os::raw::{c_char, c_int, c_uint, c_void};"]
    for name in headers.order:
        if name in headers.typedefs:
            lines.append(f"pub type {name} = {as_rust(headers.typedefs[name])};")
        elif name in headers.enums:
            lines.append(f"pub type {name} = {enum_type(headers, name)};")
        else:
            fields = headers.structs[name]
            body = "_opaque: [u8; 0]" if fields is None else ", ".join(
                f"pub {rust_name(field)}: {as_rust(kind)}" for field, kind in fields.items())
            copy = "" if fields is None else "#[derive(Clone, Copy)] "
            lines.append(f"#[repr(C)] {copy}pub struct {name} {{ {body} }}")
    of = {constant: name for name, names in headers.enums.items() for constant in names}
    for name, value in headers.constants.items():
        kind = of.get(name) or ("f64" if isinstance(value, float) else "c_int" if value < 2**31 else
                                "u32" if value < 2**32 else "usize")
        lines.append(f"pub const {name}: {kind} = {value!r};")
    lines.append('extern "C" {')
    lines += [f"    pub fn {name}{as_rust(kind)};" for name, kind in headers.functions.items()]
    return "\n".join([*lines, "}", ""])


def enum_type(headers: Headers, name: str) -> str:
    return "c_int" if min(headers.constants[constant] for constant in headers.enums[name]) < 0 else "c_uint"


def as_ctypes(kind: Any) -> str:
    if isinstance(kind, Base):
        basic = BASIC.get(kind.name)
        return kind.name if not basic else basic[1] if kind.name == "void" else f"ctypes.{basic[1]}"
    if isinstance(kind, Array):
        return f"({as_ctypes(kind.of)} * {kind.size})"
    if isinstance(kind, Function):
        return ", ".join([as_ctypes(kind.result), *(as_ctypes(of) for _, of in kind.parameters)])
    if isinstance(kind.to, Function):
        return f"ctypes.CFUNCTYPE({as_ctypes(kind.to)})"
    text = {"void": "ctypes.c_void_p", "char": "ctypes.c_char_p"}
    return isinstance(kind.to, Base) and text.get(kind.to.name) or f"ctypes.POINTER({as_ctypes(kind.to)})"


def python(headers: Headers) -> str:
    lines = ["import ctypes", ""]
    lines += [f"{name} = {value!r}" for name, value in headers.constants.items()]
    lines += [f"{name} = type({name!r}, (ctypes.Structure,), {{}})" for name in headers.structs]
    for name in headers.order:
        if name in headers.typedefs:
            lines.append(f"{name} = {as_ctypes(headers.typedefs[name])}")
        elif name in headers.enums:
            lines.append(f"{name} = ctypes.{enum_type(headers, name)}")
        elif fields := headers.structs[name]:
            lines.append(f"{name}._fields_ = [" + ", ".join(
                f"({field!r}, {as_ctypes(kind)})" for field, kind in fields.items()) + "]")
    lines.append("#: Result and parameters of each function.")
    lines.append("FUNCTIONS = {")
    for name, kind in headers.functions.items():
        parameters = ", ".join(as_ctypes(of) for _, of in kind.parameters)
        lines.append(f"    {name!r}: ({as_ctypes(kind.result)}, [{parameters}]),")
    lines += ["}", "", "", "def bind(library):",
              '    """Gives the functions that a ctypes.CDLL has their types."""',
              "    for name, (result, parameters) in FUNCTIONS.items():",
              "        if hasattr(library, name):",
              "            getattr(library, name).restype = result",
              "            getattr(library, name).argtypes = parameters", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("rust", "ctypes"):
        sys.exit(__doc__)
    sys.stdout.write((rust if sys.argv[1] == "rust" else python)(Headers(Path(sys.argv[2]))))
