# SPDX-License-Identifier: MIT
"""Pickles as data: those of NumPy, joblib and ``torch.save``, without calling what they name.

A machine of our own runs the opcodes. It builds numbers, texts, lists, dictionaries and arrays. Names that a
pickle calls are looked up in one table, whose functions are of this module; any other name is refused with it.
Each opcode takes a byte of the file, and arrays no more than the bytes that it has, so memory is bounded by the
size of the file, and that of compressed ones by 4 GiB. Tensors become arrays: no module but NumPy is imported.
"""
from __future__ import annotations

import gzip
import importlib
import io
import math
import os
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from ._library import Path, printable
from ._views import Array

__all__ = ["load_pickle"]

_MOST_BYTES = 1 << 32  # that a compressed file may have
_MOST_AXES = 32
_KINDS = "biufSU"
_BEFORE_ZIP = 0x1950A86A20F9469CFC6C  # with which files of torch.save began before they were archives
_STORAGES = {"Float": "f4", "Double": "f8", "Half": "f2", "BFloat16": "bf2", "Long": "i8", "Int": "i4", "Short": "i2",
             "Char": "i1", "Byte": "u1", "Bool": "?"}


def _refuse(what: str) -> Any:
    raise ValueError(f"pickle: {what}")


# ---- what pickles build: their classes and functions are data of ours ----


class _Name:
    """A class or a function that a pickle names: REDUCE and NEWOBJ give its arguments to `make`."""

    def __init__(self, text: str, make: Callable[..., Any] | None = None) -> None:
        self.text, self.make = text, make


class _Made:
    """An object that BUILD gives its state. `value` is what it is afterwards."""

    def __init__(self, build: Callable[[Any], Any], value: Any = None) -> None:
        self.build, self.value = build, value


class _Type(_Made):
    """A dtype: `value` is one of NumPy's, "bf2", or "O" for objects."""


def _count(value: Any, what: str) -> int:
    if type(value) is not int or not 0 <= value < 1 << 62:
        _refuse(f"{what} is not a size")
    found: int = value
    return found


def _shape_of(value: Any) -> tuple[int, ...]:
    axes = value if isinstance(value, (tuple, list)) else (value,)
    if len(axes) > _MOST_AXES:
        _refuse(f"an array has {len(axes)} axes, at most {_MOST_AXES} are allowed")
    return tuple(_count(one, "an axis") for one in axes)


def _plain_type(text: Any) -> Any:
    if isinstance(text, bytes):
        text = text.decode("latin1")
    if not isinstance(text, str) or len(text) > 16:
        _refuse("a dtype is no text")
    if text.lstrip("|<>=") in ("O", "O8"):
        return "O"
    try:
        found = np.dtype(text)
    except (TypeError, ValueError) as error:
        raise ValueError(f"pickle: unknown dtype {printable(text)!r}") from error
    if found.kind not in _KINDS:
        _refuse(f"dtype {printable(text)!r} is neither of numbers nor of texts")
    return found


def _dtype(text: Any, *_: Any) -> _Type:
    made = _Type(lambda state: None, _plain_type(text))

    def build(state: Any) -> None:
        if not isinstance(state, tuple) or len(state) < 5 or any(state[n] is not None for n in (2, 3, 4)):
            _refuse("a dtype has fields, which are not supported")
        order = state[1].decode("latin1") if isinstance(state[1], bytes) else state[1]
        if order not in ("<", ">", "|", "="):
            _refuse("a dtype has no byte order")
        if made.value != "O" and order in ("<", ">"):
            made.value = made.value.newbyteorder(order)

    made.build = build
    return made


def _filled(kind: Any, shape: tuple[int, ...], data: Any, is_fortran: bool) -> Array:
    """The array of bytes, or of a list of objects."""
    count = math.prod(shape)
    if kind == "O":
        if not isinstance(data, list) or len(data) != count:
            _refuse("an array of objects has another number of objects than its shape")
        found = np.empty(count, object)
        for n, one in enumerate(data):  # one by one: NumPy would take lists for axes
            found[n] = _plain(one)
        return found.reshape(shape, order="F" if is_fortran else "C")
    if isinstance(data, str):
        data = data.encode("latin1")
    if not isinstance(data, (bytes, bytearray)) or len(data) != count * kind.itemsize:
        _refuse(f"an array of shape {shape} has {len(data) if isinstance(data, (bytes, bytearray)) else 'no'} bytes")
    if kind.itemsize == 0 and count > 1:
        _refuse(f"an array of shape {shape} has no bytes")
    if count == 0 or kind.itemsize == 0:
        return np.zeros(shape, kind)
    return np.frombuffer(data, kind).reshape(shape, order="F" if is_fortran else "C")


def _type_of(value: Any) -> Any:
    return value.value if isinstance(value, _Type) else _refuse("an array has no dtype")


def _array(*_: Any) -> _Made:
    def build(state: Any) -> None:
        if not isinstance(state, tuple) or len(state) != 5:
            _refuse("the state of an array is not known")
        made.value = _filled(_type_of(state[2]), _shape_of(state[1]), state[4], bool(state[3]))

    made = _Made(build)
    return made


def _from_buffer(data: Any, kind: Any, shape: Any, order: Any = "C", *_: Any) -> Array:
    return _filled(_type_of(kind), _shape_of(shape), data, order == "F")


def _scalar(kind: Any, data: Any = None) -> Any:
    found = _type_of(kind)
    return _plain(data) if found == "O" else _filled(found, (), data, False)[()]


def _encoded(text: Any, encoding: Any = "latin1", *_: Any) -> bytes:
    if not isinstance(text, str) or encoding not in ("latin1", "latin-1", "utf-8", "ascii"):
        _refuse("calls _codecs.encode with another encoding than latin1")
    found: bytes = text.encode(encoding)
    return found


def _ordered(pairs: Any = ()) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            _refuse("an OrderedDict is not of pairs")
        found[_key(pair[0])] = pair[1]
    return found


def _wrapper(*_: Any) -> _Made:
    """joblib's NumpyArrayWrapper: the bytes of the array follow its BUILD in the file."""

    def build(state: Any) -> None:
        made.value = state if isinstance(state, dict) else _refuse("the state of joblib's wrapper is not a dictionary")

    made = _Made(build)
    made.is_joblib = True  # type: ignore[attr-defined]
    return made


def _tensor(storage: Any, offset: Any, size: Any, stride: Any, *_: Any) -> Array:
    """A view of a storage. One that would leave it, or hold more numbers than it, is refused."""
    if not isinstance(storage, np.ndarray) or storage.ndim != 1:
        _refuse("a tensor has no storage")
    shape, steps, first = _shape_of(size), _shape_of(stride), _count(offset, "the offset of a tensor")
    if len(shape) != len(steps):
        _refuse(f"a tensor has shape {shape} and strides {steps}")
    count = math.prod(shape)
    last = first + sum((n - 1) * step for n, step in zip(shape, steps)) if count else first
    if last >= len(storage) + (count == 0) or count > len(storage):
        _refuse(f"a tensor of shape {shape}, strides {steps} and offset {first} leaves its storage of "
                f"{len(storage)} numbers")
    return np.lib.stride_tricks.as_strided(
        storage[first:], shape, [step * storage.itemsize for step in steps], writeable=False)


def _in_bytes(data: Any) -> Any:
    """The storage of a tensor in a pickle that is none of torch's: a whole file of torch's within its bytes."""
    if not isinstance(data, bytes):
        _refuse("a storage has no bytes")
    file = io.BytesIO(data)
    if _Machine(file, len(data), _no_storage).run() != _BEFORE_ZIP:
        _refuse("a storage is no file of torch")
    return _load_before_zip(file, len(data))


def _conversion(value: Any) -> str:
    """An enumeration of ProtoMotions, as its value: the order of bodies and joints."""
    return value if isinstance(value, str) else _refuse("a StateConversion is no text")


_NUMPY = ("numpy.core", "numpy._core")
_CALLS: tuple[tuple[str, Callable[..., Any] | None], ...] = (
    *((f"{base}.multiarray._reconstruct", _array) for base in _NUMPY),
    *((f"{base}.multiarray.scalar", _scalar) for base in _NUMPY),
    *((f"{base}.numeric._frombuffer", _from_buffer) for base in _NUMPY),
    ("numpy.dtype", _dtype), ("numpy.ndarray", None), ("_codecs.encode", _encoded),
    ("collections.OrderedDict", _ordered), ("builtins.dict", _ordered), ("builtins.bytes", lambda: b""),
    ("builtins.bytearray", lambda data=b"", encoding="latin1": _encoded(data, encoding)
     if isinstance(data, str) else data if isinstance(data, bytes) else _refuse("a bytearray has no bytes")),
    ("torch.Size", lambda axes=(): _shape_of(axes)), ("torch._utils._rebuild_tensor_v2", _tensor),
    ("torch.storage._load_from_bytes", _in_bytes),
    ("protomotions.simulator.base_simulator.simulator_state.StateConversion", _conversion),
    ("joblib.numpy_pickle.NumpyArrayWrapper", _wrapper),
    *((f"torch.{name}Storage", None) for name in _STORAGES))
_NAMES = {name: _Name(name, make) for name, make in _CALLS}
_COPIES = ("_codecs.encode", "builtins.bytearray", "torch.storage._load_from_bytes")
_OLD_MODULES = {"__builtin__": "builtins"}


def _named(module: Any, name: Any) -> _Name:
    if not isinstance(module, str) or not isinstance(name, str):
        _refuse("names what is no text")
    full = f"{_OLD_MODULES.get(module, module)}.{name}"
    return _NAMES.get(full) or _refuse(f"calls {printable(full[:200])!r}, which motions do not need")


def _key(value: Any) -> Any:
    """A key of a dictionary. Others could take for ever to be hashed."""
    if not isinstance(value, (str, bytes, int, float, bool, np.generic, type(None))):
        _refuse(f"a dictionary has a key of type {type(value).__name__}")
    return value


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, _Made) and not isinstance(value, _Type) else value


# ---- the machine ----

_SIZED = {"<B": 1, "<H": 2, "<i": 4, "<I": 4, "<Q": 8, ">d": 8}


class _Machine:
    def __init__(self, file: Any, size: int, storage: Callable[[Any], Array] | None) -> None:
        self.file, self.size, self.storage, self.left = file, size, storage, size
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}

    def read(self, count: int) -> bytes:
        left = self.size - self.file.tell()
        if count > left:
            _refuse(f"ends within {count} bytes, of which {max(left, 0)} are there")
        data: bytes = self.file.read(count)
        if len(data) != count:
            _refuse("ends early")
        return data

    def number(self, form: str) -> Any:
        return struct.unpack(form, self.read(_SIZED[form]))[0]

    def line(self) -> str:
        data = self.file.readline(1 << 16)
        if not data.endswith(b"\n"):
            _refuse("a line does not end")
        return str(data[:-1].decode("latin1"))

    def pop(self) -> Any:
        if len(self.stack) <= (self.marks[-1] if self.marks else 0):
            _refuse("takes more from the stack than there is")
        return self.stack.pop()

    def since_mark(self) -> list[Any]:
        if not self.marks:
            _refuse("has no mark")
        at = self.marks.pop()
        found, self.stack[at:] = self.stack[at:], []
        return found

    def top(self, kind: type) -> Any:
        if len(self.stack) <= (self.marks[-1] if self.marks else 0) or not isinstance(self.stack[-1], kind):
            _refuse(f"expected a {kind.__name__} on the stack")
        return self.stack[-1]

    def pairs(self, items: list[Any]) -> None:
        if len(items) % 2:
            _refuse("a dictionary has a key without a value")
        self.top(dict).update((_key(items[n]), items[n + 1]) for n in range(0, len(items), 2))

    def called(self, name: Any, arguments: Any) -> Any:
        if not isinstance(name, _Name):
            _refuse(f"calls a value of type {type(name).__name__}")
        if name.make is None or not isinstance(arguments, tuple) or (name.make is _in_bytes and self.storage):
            _refuse(f"calls {name.text!r}")  # storages within storages would take a copy of the file each
        if name.text in _COPIES and arguments and isinstance(arguments[0], (str, bytes)):
            self.left -= len(arguments[0])  # a memo could be copied again and again
            if self.left < 0:
                _refuse(f"calls {name.text!r} with more bytes than it has")
        try:
            return name.make(*arguments)
        except TypeError as error:
            raise ValueError(f"pickle: calls {name.text!r} with {len(arguments)} arguments: {error}") from error

    def build(self) -> None:
        state, made = self.pop(), self.pop()
        if isinstance(made, dict) and isinstance(state, dict) and set(state) <= {"_metadata"}:
            self.stack.append(made)  # of a state_dict of torch
            return
        if not isinstance(made, _Made):
            _refuse(f"sets the state of a value of type {type(made).__name__}")
        made.build(state)
        if hasattr(made, "is_joblib"):
            made.value = self.joblib_array(made.value)
        self.stack.append(made)

    def joblib_array(self, state: dict[str, Any]) -> Array:
        kind, shape = _type_of(state.get("dtype")), _shape_of(state.get("shape", ()))
        is_fortran = state.get("order") == "F"
        if kind == "O":
            inner = _Machine(self.file, self.size, self.storage)
            inner.left = self.left
            found, self.left = inner.run(), inner.left
            return found if isinstance(found, np.ndarray) and found.shape == shape else _refuse(
                "an array of objects has another shape than it says")
        if state.get("numpy_array_alignment_bytes") is not None:
            self.read(self.read(1)[0])
        return _filled(kind, shape, self.read(math.prod(shape) * kind.itemsize), is_fortran)

    def get(self, index: int) -> None:
        if index not in self.memo:
            _refuse(f"memo {index} is not there")
        self.stack.append(self.memo[index])

    def put(self, index: int) -> None:
        self.memo[index] = self.top(object)

    def text(self, count: int, encoding: str = "utf-8", errors: str = "surrogatepass") -> None:
        try:
            self.stack.append(self.read(count).decode(encoding, errors))
        except UnicodeDecodeError as error:
            raise ValueError(f"pickle: a text is not {encoding}") from error

    def run(self) -> Any:
        operations, read = _OPERATIONS, self.file.read
        while True:
            code = read(1)
            if not code:
                _refuse("ends before its STOP")
            if code == b".":
                return _unwrapped(self.pop())
            operation = operations.get(code)
            if operation is None:
                _refuse(_ODD.get(code, f"has the unknown opcode {code!r}"))
            else:
                operation(self)


def _unwrapped(top: Any) -> Any:
    """Values in place of what BUILD was given. Each container once, without recursion."""
    holder: Any = [top]
    seen, waiting = {id(holder)}, [holder]
    keep: list[Any] = []  # whose numbers are in `seen`

    def found(value: Any) -> Any:
        value = _plain(value)
        if isinstance(value, (list, dict)) and id(value) not in seen:
            seen.add(id(value))
            waiting.append(value)
        elif isinstance(value, tuple):
            key = id(value)
            if key not in tuples:
                keep.append(value)
                tuples[key] = list(value)
                seen.add(id(tuples[key]))
                waiting.append(tuples[key])
            return tuples[key]
        return value

    tuples: dict[int, list[Any]] = {}
    while waiting:
        one: Any = waiting.pop()
        for key in (list(one) if isinstance(one, dict) else range(len(one))):
            one[key] = found(one[key])
    return holder[0]


def _int_of(text: str) -> Any:
    if text in ("00", "01"):
        return text == "01"
    try:
        return int(text.rstrip("L"))
    except ValueError as error:
        raise ValueError("pickle: a number is none") from error


def _float_of(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise ValueError("pickle: a number is none") from error


def _quoted(m: _Machine) -> None:
    text = m.line()
    if len(text) < 2 or text[0] != text[-1] or text[0] not in "'\"" or "\\" in text:
        _refuse("a text has no quotes, or escapes")
    m.stack.append(text[1:-1])


def _unicode(m: _Machine) -> None:
    try:
        m.stack.append(m.line().encode("latin1").decode("raw-unicode-escape"))
    except UnicodeDecodeError as error:
        raise ValueError("pickle: a text has wrong escapes") from error


def _new_object(m: _Machine, with_names: bool) -> None:
    if with_names and m.pop():
        _refuse("calls with names of arguments")
    arguments, name = m.pop(), m.pop()
    m.stack.append(m.called(name, arguments))


def _no_storage(given: Any) -> Any:
    _refuse("has a persistent id, which only torch's files have")


def _persistent(m: _Machine) -> None:
    m.stack.append((m.storage or _no_storage)(m.pop()))


def _marked_call(m: _Machine, named: bool) -> None:
    name = _named(m.line(), m.line()) if named else None
    arguments = m.since_mark()
    if name is None and not arguments:
        _refuse("calls nothing")
    m.stack.append(m.called(name or arguments.pop(0), tuple(arguments)))


def _global(m: _Machine) -> None:
    name, module = m.pop(), m.pop()
    m.stack.append(_named(module, name))


def _reduce(m: _Machine) -> None:
    arguments, name = m.pop(), m.pop()
    m.stack.append(m.called(name, arguments))


def _tuple(count: int) -> Callable[[_Machine], None]:
    def operation(m: _Machine) -> None:
        found = [m.pop() for _ in range(count)]
        m.stack.append(tuple(reversed(found)))
    return operation


def _pushes(make: Callable[[_Machine], Any]) -> Callable[[_Machine], None]:
    return lambda m: m.stack.append(make(m))


def _append(m: _Machine) -> None:
    value = m.pop()
    m.top(list).append(value)


def _set_item(m: _Machine) -> None:
    value, key = m.pop(), m.pop()
    m.pairs([key, value])


def _extend(m: _Machine) -> None:
    items = m.since_mark()
    m.top(list).extend(items)


def _pop_mark(m: _Machine) -> None:
    m.since_mark()


def _dict_of(m: _Machine) -> None:
    items = m.since_mark()
    m.stack.append({})
    m.pairs(items)


def _long(m: _Machine, form: str) -> int:
    size = m.number(form)
    if size < 0:
        _refuse("a number has a negative size")
    return int.from_bytes(m.read(size), "little", signed=True)


def _version(m: _Machine) -> None:
    if m.number("<B") > 5:
        _refuse("is of a protocol above 5")


def _sized(form: str, use: Callable[[_Machine, int], None]) -> Callable[[_Machine], None]:
    def operation(m: _Machine) -> None:
        count = m.number(form)
        if count < 0:
            _refuse("has a negative size")
        use(m, count)
    return operation


def _bytes(m: _Machine, count: int) -> None:
    m.stack.append(m.read(count))


_OPERATIONS: dict[bytes, Callable[[_Machine], Any]] = {
    b"\x80": _version, b"\x95": lambda m: m.read(8), b"(": lambda m: m.marks.append(len(m.stack)),
    b"0": _Machine.pop, b"1": _pop_mark, b"2": lambda m: m.stack.append(m.top(object)),
    b"N": _pushes(lambda m: None), b"\x88": _pushes(lambda m: True), b"\x89": _pushes(lambda m: False),
    b"I": _pushes(lambda m: _int_of(m.line())), b"L": _pushes(lambda m: _int_of(m.line())),
    b"F": _pushes(lambda m: _float_of(m.line())), b"J": _pushes(lambda m: m.number("<i")),
    b"K": _pushes(lambda m: m.number("<B")), b"M": _pushes(lambda m: m.number("<H")),
    b"G": _pushes(lambda m: m.number(">d")), b"\x8a": _pushes(lambda m: _long(m, "<B")),
    b"\x8b": _pushes(lambda m: _long(m, "<i")), b"S": _quoted, b"V": _unicode,
    b"T": _sized("<i", lambda m, n: m.text(n, "latin1")), b"U": _sized("<B", lambda m, n: m.text(n, "latin1")),
    b"X": _sized("<I", _Machine.text), b"\x8c": _sized("<B", _Machine.text), b"\x8d": _sized("<Q", _Machine.text),
    b"B": _sized("<I", _bytes), b"C": _sized("<B", _bytes), b"\x8e": _sized("<Q", _bytes),
    b"\x96": _sized("<Q", _bytes), b"]": _pushes(lambda m: []), b"}": _pushes(lambda m: {}),
    b")": _pushes(lambda m: ()), b"l": _pushes(lambda m: m.since_mark()),
    b"t": _pushes(lambda m: tuple(m.since_mark())), b"d": _dict_of, b"\x85": _tuple(1), b"\x86": _tuple(2),
    b"\x87": _tuple(3), b"a": _append, b"e": _extend, b"s": _set_item, b"u": lambda m: m.pairs(m.since_mark()),
    b"q": _sized("<B", _Machine.put), b"r": _sized("<I", _Machine.put), b"\x94": lambda m: m.put(len(m.memo)),
    b"p": lambda m: m.put(_count(_int_of(m.line()), "a memo")), b"h": _sized("<B", _Machine.get),
    b"j": _sized("<I", _Machine.get), b"g": lambda m: m.get(_count(_int_of(m.line()), "a memo")),
    b"c": _pushes(lambda m: _named(m.line(), m.line())), b"\x93": _global, b"R": _reduce, b"b": _Machine.build,
    b"\x81": lambda m: _new_object(m, False), b"\x92": lambda m: _new_object(m, True),
    b"i": lambda m: _marked_call(m, True), b"o": lambda m: _marked_call(m, False), b"Q": _persistent,
}
_ODD = {b"\x82": "calls by a number of copyreg's extensions", b"\x83": "calls by a number of copyreg's extensions",
        b"\x84": "calls by a number of copyreg's extensions",
        b"P": "has a persistent id, which only torch's files have",
        b"\x97": "has buffers that are elsewhere", b"\x98": "has buffers that are elsewhere",
        b"\x8f": "has a set", b"\x90": "has a set", b"\x91": "has a set"}


# ---- files ----

def _opened_by(module: str, name: str) -> Callable[[Any], Any]:
    """A module that a build of Python may lack is imported for the files that need it."""
    def opener(file: Any) -> Any:
        try:
            return getattr(importlib.import_module(module), name)(file)
        except ImportError as error:
            raise ValueError(f"pickle: is compressed, and this Python has no {module}") from error
    return opener


_LZMA = _opened_by("lzma", "LZMAFile")
_PACKED: tuple[tuple[bytes, Callable[[Any], Any] | None], ...] = (
    (b"\x1f\x8b", lambda file: gzip.GzipFile(fileobj=file)), (b"BZh", _opened_by("bz2", "BZ2File")),
    (b"\xfd7zXZ", _LZMA), (b"\x5d\x00\x00", _LZMA), (b"\x78", None))


def _unpacked(file: Any, most: int) -> tuple[Any, int]:
    """The bytes of a file that joblib may have compressed, and how many there are."""
    head = file.read(5)
    file.seek(0)
    for magic, opener in _PACKED:
        if not head.startswith(magic):
            continue
        out, reader = io.BytesIO(), zlib.decompressobj() if opener is None else opener(file)
        try:
            while True:
                if isinstance(reader, type(zlib.decompressobj())):
                    data = reader.decompress(reader.unconsumed_tail or file.read(1 << 20), 1 << 22)
                    is_done = reader.eof or not (data or reader.unconsumed_tail)
                else:
                    data = reader.read(1 << 22)
                    is_done = not data
                out.write(data)
                if out.tell() > most:
                    _refuse(f"unpacks to more than {most} bytes")
                if is_done:
                    break
        except (OSError, EOFError, zlib.error, getattr(sys.modules.get("lzma"), "LZMAError", OSError)) as error:
            raise ValueError(f"pickle: is damaged: {error}") from error
        size = out.tell()
        out.seek(0)
        return out, size
    return file, os.fstat(file.fileno()).st_size


def _load_zip(path: Path) -> Any:
    """What ``torch.save`` wrote. Storages are stored members; each is read once."""
    with zipfile.ZipFile(path) as archive:
        members = {info.filename: info for info in archive.infolist()}
        if len(members) != len(archive.infolist()):
            _refuse("two members of the archive have the same name")
        pickles = [name for name in members if name.endswith("/data.pkl") and name.count("/") == 1]
        if len(pickles) != 1:
            _refuse("the archive has no data.pkl, which torch's files have")
        folder = pickles[0][:-len("data.pkl")]
        left = os.path.getsize(path)

        def member(name: str) -> bytes:
            nonlocal left
            info = members.get(name) or _refuse(f"the archive has no member {printable(name[:200])!r}")
            if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 1:
                _refuse(f"member {printable(name[:200])!r} is not stored")
            left -= info.file_size
            if left < 0:
                _refuse("members are larger than the archive")
            return archive.read(info)

        order = member(folder + "byteorder").strip() if folder + "byteorder" in members else b"little"
        known: dict[str, tuple[str, Array]] = {}

        def storage(given: Any) -> Array:
            kind, key, count = _storage_id(given)
            if key not in known:
                known[key] = kind, _storage_of(member(f"{folder}data/{key}"), kind, order)
            return _known(known, kind, key, count)

        data = member(pickles[0])
        return _Machine(io.BytesIO(data), len(data), storage).run()


def _load_before_zip(file: Any, size: int) -> Any:
    """What ``torch.save`` wrote before it wrote archives, behind the number that it begins with: pickles of a version,
    of the machine, of the value and of the names of its storages; then these, each behind its number of elements.
    Tensors are views of storages that are filled afterwards."""
    version, machine = (_Machine(file, size, _no_storage).run() for _ in range(2))
    if version != 1001 or not isinstance(machine, dict) or not isinstance(machine.get("little_endian"), bool):
        _refuse("is of an unknown version of torch's files")
    order = b"little" if machine["little_endian"] else b"big"
    known: dict[str, tuple[str, Array]] = {}
    left = size

    def storage(given: Any) -> Array:
        nonlocal left
        kind, key, count = _storage_id(given)
        if key not in known:
            left -= count * np.dtype(_number_of(kind)).itemsize
            if left < 0:
                _refuse("storages are larger than the file")
            known[key] = kind, np.zeros(count, "f4" if kind == "bf2" else kind)
        return _known(known, kind, key, count)

    value = _Machine(file, size, storage).run()
    names, reader = _Machine(file, size, _no_storage).run(), _Machine(file, size, None)
    if not isinstance(names, list) or any(type(name) is not str for name in names) or sorted(names) != sorted(known):
        _refuse("the names of storages are not those of its tensors")
    for name in names:
        kind, numbers = known[name]
        if reader.number("<Q") != len(numbers):
            _refuse(f"storage {printable(name[:200])!r} has another size than its tensors say")
        numbers[:] = _storage_of(reader.read(len(numbers) * np.dtype(_number_of(kind)).itemsize), kind, order)
    return value


def _storage_id(given: Any) -> tuple[str, str, int]:
    """Kind, name and size. Files before archives have a view, too, which is None."""
    if (not isinstance(given, tuple) or not (len(given) == 5 or len(given) == 6 and given[5] is None)
            or given[0] != "storage" or not isinstance(given[1], _Name) or not isinstance(given[2], str)):
        _refuse("a persistent id is no storage")
    kind = _STORAGES.get(given[1].text.removeprefix("torch.").removesuffix("Storage")) or _refuse(
        f"{given[1].text!r} is no storage")
    return kind, given[2], _count(given[4], "the size of a storage")


def _known(known: dict[str, tuple[str, Array]], kind: str, key: str, count: int) -> Array:
    found_kind, found = known[key]
    if found_kind != kind or len(found) != count:
        _refuse(f"storage {printable(key[:200])!r} has {len(found)} numbers, expected {count}")
    return found


def _number_of(kind: str) -> str:
    return "u2" if kind == "bf2" else kind


def _storage_of(data: bytes, kind: str, order: bytes) -> Array:
    dtype = np.dtype(_number_of(kind)).newbyteorder(">" if order == b"big" else "<")
    if len(data) % dtype.itemsize:
        _refuse("a storage has a part of a number")
    found = np.frombuffer(data, dtype)
    return (found.astype(np.uint32) << 16).view(np.float32) if kind == "bf2" else found


def load_pickle(path: Path) -> Any:
    """The value of a pickle, of joblib's file, or of an archive of ``torch.save``: numbers, texts, lists (tuples too),
    dictionaries and arrays. ValueError names what is not that."""
    try:
        with open(path, "rb") as file:
            is_zip = file.read(4) == b"PK\x03\x04"
            file.seek(0)
            if not is_zip:
                data, size = _unpacked(file, _MOST_BYTES)
                value = _Machine(data, size, None).run()
                return _load_before_zip(data, size) if type(value) is int and value == _BEFORE_ZIP else value
        try:
            return _load_zip(path)
        except OSError as error:  # of places that a damaged archive names
            raise ValueError(f"pickle: {error}") from error
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RecursionError, OverflowError, struct.error) as error:
        raise ValueError(f"pickle: {error}") from error
