#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether packaging/declarations.py describes the public headers as the C compiler sees them.

usage: test_ffi.py SOURCE COMPILER

The compiler confirms the type of each field and function, and prints sizes, offsets and values; those of the
declarations in Python, and in Rust where rustc is installed, must be the same.
"""
import ctypes
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path

COMPILER = sys.argv.pop()
SOURCE = Path(sys.argv.pop()).resolve()
sys.path.insert(0, str(SOURCE / "packaging"))
sys.dont_write_bytecode = True
import declarations as d

INCLUDE = SOURCE / "include"
HEADERS = d.Headers(INCLUDE)
STRUCTS = {name: fields for name, fields in HEADERS.structs.items() if fields}
LIBRARY = "".join(f"#include <posemill/{path.name}>\n" for path in sorted(INCLUDE.glob("posemill/*.h")))


def as_c(kind, inner: str = "") -> str:
    """A declaration of `inner`, in C."""
    if isinstance(kind, d.Base):
        tag = "struct " if kind.name.startswith("_cl_") else ""
        return f"{'const ' if kind.const else ''}{tag}{kind.name} {inner}"
    if isinstance(kind, d.Pointer):
        inner = ("* const " if kind.const else "*") + inner
        return as_c(kind.to, f"({inner})" if isinstance(kind.to, (d.Array, d.Function)) else inner)
    if isinstance(kind, d.Array):
        return as_c(kind.of, f"{inner}[{kind.size}]")
    return as_c(kind.result, f"{inner}({', '.join(as_c(of, name) for name, of in kind.parameters) or 'void'})")


def same(expression: str, kind) -> str:
    return (f"_Static_assert(__builtin_types_compatible_p(__typeof__({expression}), {as_c(kind)}), "
            f'"{expression}");\n')


def c_program() -> str:
    text = f"{LIBRARY}#include <stdio.h>\n"
    text += "".join(same(name, kind) for name, kind in HEADERS.functions.items())
    text += "".join(same(f"((struct {name} *)0)->{field}", kind)
                    for name, fields in STRUCTS.items() for field, kind in fields.items())
    text += "int main(void) {\n"
    for name, fields in STRUCTS.items():
        text += f'printf("{name} %zu %zu\\n", sizeof({name}), _Alignof({name}));\n'
        text += "".join(f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}), '
                        f"sizeof((({name} *)0)->{field}));\n" for field in fields)
    for name in HEADERS.enums:
        text += f'printf("{name} %zu %d\\n", sizeof({name}), ({name})-1 < 0);\n'
    for name, value in HEADERS.constants.items():
        kind, cast = ("%.17g", "double") if isinstance(value, float) else ("%lld", "long long") if value < 0 else (
            "%llu", "unsigned long long")
        text += f'printf("{name} {kind}\\n", ({cast}){name});\n'
    return text + "}\n"


def rust_program() -> str:
    text = "mod posemill;\nuse posemill::*;\nuse std::mem::{align_of, size_of, MaybeUninit};\n"
    text += "fn size_at<T>(_: *const T) -> usize { size_of::<T>() }\nfn main() {\n"
    for name, fields in STRUCTS.items():
        text += f'println!("{name} {{}} {{}}", size_of::<{name}>(), align_of::<{name}>());\n'
        text += f"let at = MaybeUninit::<{name}>::uninit();\nlet at = at.as_ptr();\n"
        for field in fields:
            text += (f"let field = unsafe {{ std::ptr::addr_of!((*at).{d.rust_name(field)}) }};\n"
                     f'println!("{name}.{field} {{}} {{}}", field as usize - at as usize, size_at(field));\n')
    for name in HEADERS.enums:
        text += f'println!("{name} {{}} {{}}", size_of::<{name}>(), ({name}::MIN != 0) as u8);\n'
    return text + "".join(f'println!("{name} {{}}", {name});\n' for name in HEADERS.constants) + "}\n"


def python_facts(module) -> str:
    lines = []
    for name, fields in STRUCTS.items():
        struct = getattr(module, name)
        lines.append(f"{name} {ctypes.sizeof(struct)} {ctypes.alignment(struct)}")
        lines += [f"{name}.{field} {getattr(struct, field).offset} {getattr(struct, field).size}" for field in fields]
    for name in HEADERS.enums:
        kind = getattr(module, name)
        lines.append(f"{name} {ctypes.sizeof(kind)} {int(kind(-1).value < 0)}")
    for name in HEADERS.constants:
        value = getattr(module, name)
        lines.append(f"{name} {value:.17g}" if isinstance(value, float) else f"{name} {value}")
    return "\n".join(lines) + "\n"


class Declarations(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = Path(cls.folder.name)
        (cls.path / "facts.c").write_text(c_program(), encoding="utf-8")
        cls.compile("facts.c", "-o", "facts", check=True)
        cls.facts = subprocess.run([cls.path / "facts"], check=True, stdout=subprocess.PIPE, text=True).stdout

    @classmethod
    def compile(cls, *arguments, **options):
        return subprocess.run([COMPILER, "-std=c11", f"-I{INCLUDE}", *arguments], cwd=cls.path, **options)

    def test_something_is_compared(self):
        self.assertGreater(len(STRUCTS), 80)
        self.assertGreater(len(HEADERS.functions), 120)
        self.assertGreater(len(HEADERS.enums), 20)

    def test_python_has_the_layout_of_c(self):
        module = types.ModuleType("posemill_declarations")
        exec(d.python(HEADERS), module.__dict__)
        self.assertEqual(python_facts(module), self.facts)
        for result, parameters in module.FUNCTIONS.values():
            ctypes.CFUNCTYPE(result, *parameters)
        abs_only = types.SimpleNamespace(pm_version=types.SimpleNamespace())
        module.bind(abs_only)
        self.assertEqual(abs_only.pm_version.restype, ctypes.c_char_p)

    @unittest.skipUnless(shutil.which("rustc"), "rustc is not installed")
    def test_rust_has_the_layout_of_c(self):
        (self.path / "posemill.rs").write_text(d.rust(HEADERS), encoding="utf-8")
        (self.path / "main.rs").write_text(rust_program(), encoding="utf-8")
        subprocess.run(["rustc", "--edition", "2021", "-A", "dead_code", "-D", "improper_ctypes", "-C", "debuginfo=0",
                        "main.rs"], cwd=self.path, check=True)
        printed = subprocess.run([self.path / "main"], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual(printed, self.facts)

    def test_what_cannot_be_parsed_is_an_error(self):
        for text in ("union a { int b; };", "int a;", "typedef struct a { int b : 3; } a;", "unknown f(void);",
                     "int f(int a, ...);", "typedef struct a { int b; } c;", "int f(", "volatile int *f(void);"):
            with self.subTest(text), self.assertRaises(SyntaxError):
                d.Headers(INCLUDE).parse(text)

    def test_what_is_experimental_causes_warnings_on_request(self):
        for name, used in {"all": "", "pm_motion_reduce": "void *f(void) { return (void *)pm_motion_reduce; }",
                           "task": "int f(pm_motion_batch_task *t) { return !t->reduce; }"}.items():
            (self.path / f"{name}.c").write_text(f"{LIBRARY}{used}\n", encoding="utf-8")
            for flags, fails in ([], False), (["-DPOSEMILL_STABLE_ONLY"], bool(used)):
                done = self.compile("-fsyntax-only", "-Werror", *flags, f"{name}.c", stderr=subprocess.PIPE, text=True)
                self.assertEqual(done.returncode != 0, fails, done.stderr)
                self.assertEqual("experimental" in done.stderr, fails)

    def test_documents_name_all_experimental_functions(self):
        text = "".join(path.read_text(encoding="utf-8") for path in INCLUDE.glob("posemill/*.h"))
        marked = [line.split("(")[0].split()[-1].lstrip("*") for line in text.split("PM_API PM_EXPERIMENTAL ")[1:]]
        stable = (SOURCE / "docs" / "stability.md").read_text(encoding="utf-8")
        self.assertGreater(len(marked), 3)
        self.assertEqual([name for name in marked if f"`{name}`" not in stable], [])


if __name__ == "__main__":
    unittest.main()
