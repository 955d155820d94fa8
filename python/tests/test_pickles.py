# SPDX-License-Identifier: MIT
"""Pickles as data: what NumPy, joblib and torch write is read, and whatever a hostile pickle calls is refused by its
name and never called. joblib's and torch's files are written here as the libraries write them; where these are
installed, they write them, too."""
from __future__ import annotations

import io
import pickle
import struct
import zipfile
import zlib
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from posemill._pickles import load_pickle

MARKER = "called"


@pytest.fixture(autouse=True)
def nothing_is_called(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield
    assert not Path(MARKER).exists()


def read(data: bytes) -> Any:
    Path("one.pkl").write_bytes(data)
    return load_pickle("one.pkl")


def alike(a: Any, b: Any) -> bool:
    if isinstance(b, dict):
        return isinstance(a, dict) and list(a) == list(b) and all(alike(a[k], b[k]) for k in b)
    if isinstance(b, (list, tuple)):
        return isinstance(a, list) and len(a) == len(b) and all(map(alike, a, b))
    if isinstance(b, np.ndarray) and b.dtype == object:
        return a.shape == b.shape and all(map(alike, a.tolist(), b.tolist()))
    if isinstance(b, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and bool(np.all(a == b))
    return type(a) is type(b) and a == b


def lists_in_an_array() -> np.ndarray:
    found = np.empty(2, object)
    found[0], found[1] = [1, 2], [3, 4]
    return found


def values() -> dict[str, Any]:
    rng = np.random.default_rng(11)
    shared = rng.normal(size=(4, 3))
    return {
        "numbers": [0, -1, 255, 65536, -2**31, 2**40, -2**700, 1.5, True, None],
        "texts": ["", "walk", "Ärmel \u2603", "x" * 70000, b"", b"\0" * 300],
        "nested": {"a": [(1, (2, [3])), {"b": OrderedDict(c=1)}], 5: ()},
        "arrays": [rng.normal(size=(3, 4)).astype(t) for t in ("f2", "f4", "f8", ">f4", "i1", "u2", "i8")],
        "odd": [np.zeros((0, 3)), np.array(7.5), np.asfortranarray(rng.normal(size=(5, 4))), rng.normal(size=9)[::2],
                np.array(["neutral", "x"]), np.array([True, False]), np.float32(2.5), np.str_("male"),
                np.bytes_(b"male")],
        "objects": [np.array([{"a": 1}, "text", None], object), lists_in_an_array()],
        "shared": [shared, shared]}


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_values_of_all_protocols_are_read(protocol: int) -> None:
    wanted = values()
    if protocol == 0:
        wanted["texts"] = wanted["texts"][:2]  # others have escapes, and bytes are calls
    found = read(pickle.dumps(wanted, protocol))
    assert alike(found, wanted)


def test_what_refers_to_itself_ends() -> None:
    one: list[Any] = [1]
    one.append(one)
    found = read(pickle.dumps(one))
    assert found[1] is found


# ---- hostile ----


class Calls:
    def __init__(self, function: Any, *arguments: Any) -> None:
        self.call = function, arguments

    def __reduce__(self) -> Any:
        return self.call


def short(text: str) -> bytes:
    data = text.encode()
    return b"\x8c" + bytes([len(data)]) + data


OPEN = short("builtins") + short("open") + b"\x93"
ARGUMENTS = short(MARKER) + short("w") + b"\x86"
DEEP = b"(" * 3 + b"l" * 3
HOSTILE = {
    "reduce": (pickle.dumps(Calls(open, MARKER, "w")), "io.open"),
    "os.system": (b"cos\nsystem\n(S'touch called'\ntR.", "os.system"),
    "nested in a dictionary": (pickle.dumps({"fps": 30, "root_pos": [Calls(open, MARKER, "w")]}), "io.open"),
    "exec": (pickle.dumps(Calls(exec, "open('called', 'w')")), "builtins.exec"),
    "getattr": (b"\x80\x04" + short("builtins") + short("getattr") + b"\x93.", "builtins.getattr"),
    "stack global": (b"\x80\x04" + OPEN + ARGUMENTS + b"R.", "builtins.open"),
    "inst": (b"(S'called'\nS'w'\nibuiltins\nopen\n.", "builtins.open"),
    "inst of an old name": (b"(S'called'\nS'w'\ni__builtin__\nopen\n.", "builtins.open"),
    "obj": (b"(c__builtin__\nopen\nS'called'\nS'w'\no.", "builtins.open"),
    "newobj": (b"\x80\x04" + OPEN + ARGUMENTS + b"\x81.", "builtins.open"),
    "newobj with names": (b"\x80\x04" + OPEN + ARGUMENTS + b"}\x92.", "builtins.open"),
    "ext1": (b"\x80\x02\x82\x01.", "extensions"), "ext2": (b"\x80\x02\x83\x01\x01.", "extensions"),
    "ext4": (b"\x80\x02\x84\x01\x01\x01\x01.", "extensions"),
    "persistent id": (b"Popen\n.", "persistent id"), "persistent object": (b"K\x01Q.", "persistent id"),
    "build of a dictionary": (b"}}S'__class__'\nK\x01sb.", "sets the state"),
    "build of a name": (b"cnumpy\nndarray\n}b.", "sets the state"),
    "a class as a function": (b"cnumpy\nndarray\n(tR.", "numpy.ndarray"),
    "a value as a function": (b"K\x05(tR.", "calls a value of type int"),
    "dotted": (b"\x80\x04" + short("numpy") + short("ndarray.tofile") + b"\x93.", "numpy.ndarray.tofile"),
    "torch's own loader": (b"ctorch\nload\n(S'called'\ntR.", "torch.load"),
    "codec": (b"c_codecs\nencode\n(S'a'\nS'zlib_codec'\ntR.", "_codecs.encode"),
    "copies of a text": (b"\x80\x04c_codecs\nencode\nq\x000X" + struct.pack("<I", 9999) + b"a" * 9999 + b"q\x010("
                         + b"h\x00h\x01\x85R" * 1000 + b"l.", "more bytes than it has"),
    "numpy's loader": (b"cnumpy\nload\n(S'called'\ntR.", "numpy.load"),
    "module that is no text": (b"\x80\x04K\x01K\x02\x93.", "no text"),
    "in joblib's objects": (pickle.dumps(np.array([Calls(open, MARKER, "w")], object)), "io.open"),
    "memo that is not there": (b"\x80\x04h\x05.", "memo 5"),
    "large memo": (b"\x80\x04K\x01r\xff\xff\xff\xff0h\x05.", "memo 5"),
    "bytes of a size that overflows": (b"\x8e" + struct.pack("<Q", 2**64 - 1) + b"a.", "ends within"),
    "text of a size that overflows": (b"\x8d" + struct.pack("<Q", 2**63) + b"a.", "ends within"),
    "negative bytes": (b"T\xff\xff\xff\xff.", "negative"), "negative number": (b"\x8b\xff\xff\xff\xff.", "negative"),
    "number of many digits": (b"I" + b"9" * 5000 + b"\n.", "number"),
    "frame alone": (b"\x95" + struct.pack("<Q", 2**63), "STOP"), "no stop": (b"K\x01", "STOP"), "empty": (b"", "STOP"),
    "empty stack": (b".", "stack"), "no mark": (b"t.", "mark"), "below the mark": (b"K\x01(0.", "stack"),
    "key without a value": (b"}(K\x01u.", "key"), "key that is a list": (b"}]K\x01s.", "key of type list"),
    "key of tuples": (b"}" + b")" + b"2\x86" * 60 + b"K\x01s.", "key of type tuple"),
    "buffers elsewhere": (b"\x80\x05\x97.", "buffers"), "unknown opcode": (b"\x80\x04\xf0.", "unknown opcode"),
    "later protocol": (b"\x80\x09K\x01.", "protocol"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_pickles_are_refused(name: str) -> None:
    data, words = HOSTILE[name]
    with pytest.raises(ValueError, match="pickle: ") as error:
        read(data)
    assert words in str(error.value)


def array_pickle(shape: tuple[Any, ...], kind: str, data: Any) -> bytes:
    """As NumPy 1 writes it, with any numbers."""
    core = np._core if hasattr(np, "_core") else np.core

    class Array:
        def __reduce__(self) -> Any:
            return core.multiarray._reconstruct, (np.ndarray, (0,), b"b"), (1, shape, np.dtype(kind), False, data)
    return pickle.dumps(Array(), 2)


@pytest.mark.parametrize("shape", [(2**62, 4), (2**40, 2**40), (-1, -3), (3.0,), (1,) * 40, ("a",), (4,)])
def test_arrays_whose_sizes_are_not_those_of_their_bytes_are_refused(shape: tuple[Any, ...]) -> None:
    with pytest.raises(ValueError, match="array|axis"):
        read(array_pickle(shape, "f4", b"\0" * 12))


def test_texts_without_bytes_are_refused() -> None:
    with pytest.raises(ValueError, match="no bytes"):
        read(array_pickle((2**40,), "U", b""))


def test_doubling_references_take_no_memory() -> None:
    found = read(b"\x80\x04K\x01" + doubling(60) + b".")
    for _ in range(60):
        found = found[0]
    assert found == []


def doubling(times: int) -> bytes:
    """A list of twice a list of twice a list."""
    code = b"0]q\x00"
    for n in range(times):
        code += b"0]q" + bytes([n + 1]) + (b"h" + bytes([n]) + b"a") * 2
    return code


@pytest.mark.parametrize("cut", [1, 2, 5, 30, 100])
def test_any_cut_is_refused(cut: int) -> None:
    data = pickle.dumps(values(), 4)
    with pytest.raises(ValueError, match="pickle: "):
        read(data[:-cut])


def test_damage_raises_nothing_else() -> None:
    rng = np.random.default_rng(3)
    data = pickle.dumps({k: v for k, v in values().items() if k != "texts"}, 4)
    for _ in range(500):
        bad = bytearray(data)
        for at in rng.integers(0, len(bad), rng.integers(1, 6)):
            bad[at] = rng.integers(0, 256)
        try:
            read(bytes(bad))
        except ValueError:
            pass


# ---- joblib ----


class NumpyArrayWrapper:
    """Of the name and with the state of joblib's."""

    def __init__(self, array: np.ndarray) -> None:
        self.subclass, self.shape, self.order = np.ndarray, array.shape, "C"
        self.dtype, self.allow_mmap, self.numpy_array_alignment_bytes = array.dtype, True, 16


NumpyArrayWrapper.__module__ = "joblib.numpy_pickle"


class JoblibPickler(pickle._Pickler):  # type: ignore[misc,name-defined]
    """Arrays are wrappers, whose bytes follow them in the file, on a boundary of 16."""

    def save(self, obj: Any, save_persistent_id: bool = True) -> None:
        if type(obj) is not np.ndarray:
            super().save(obj)
            return
        super().save(NumpyArrayWrapper(obj))
        self.framer.commit_frame(force=True)
        at = self.file.tell()
        pad = 16 - (at + 1) % 16
        self.file.write(bytes([pad]) + b"\xff" * pad + obj.tobytes())

    def save_global(self, obj: Any, name: Any = None) -> None:
        if obj is NumpyArrayWrapper:
            self.write(b"cjoblib.numpy_pickle\nNumpyArrayWrapper\n")
            self.memoize(obj)
        else:
            super().save_global(obj, name)

    dispatch = {**pickle._Pickler.dispatch, type: lambda self, obj: self.save_global(obj)}  # type: ignore[attr-defined]


def joblib_bytes(value: Any) -> bytes:
    file = io.BytesIO()
    pickler = JoblibPickler(file, 4)
    pickler.file = file
    pickler.dump(value)
    return file.getvalue()


MOTION = {"walk": {"pose_aa": np.arange(12.0).reshape(2, 6), "dof": np.ones((2, 3), np.float32), "fps": 30}}


@pytest.mark.parametrize("pack", [lambda data: data, lambda data: zlib.compress(data, 3)])
def test_files_of_joblib(pack: Any) -> None:
    assert alike(read(pack(joblib_bytes(MOTION))), MOTION)


def test_the_array_of_joblib_ends_with_its_file() -> None:
    data = joblib_bytes(MOTION)
    with pytest.raises(ValueError, match="ends within"):
        read(data[:-40])
    with pytest.raises(ValueError, match="damaged|ends"):
        read(zlib.compress(data)[:-20])


@pytest.mark.parametrize("compress", [0, 3, ("gzip", 3), ("bz2", 3), ("xz", 3), ("lzma", 3)])
def test_joblib_itself(compress: Any) -> None:
    joblib = pytest.importorskip("joblib")
    wanted = {**MOTION, **values()}
    joblib.dump(wanted, "one.pkl", compress=compress)
    assert alike(load_pickle("one.pkl"), wanted)


# ---- torch ----


class Storage:
    def __init__(self, kind: str, key: str, count: int) -> None:
        self.id = "storage", Named(f"torch\n{kind}Storage"), key, "cpu", count


class Named:
    def __init__(self, name: str) -> None:
        self.name = name


class TorchPickler(pickle._Pickler):  # type: ignore[misc,name-defined]
    def persistent_id(self, obj: Any) -> Any:
        return obj.id if isinstance(obj, Storage) else None

    def save(self, obj: Any, save_persistent_id: bool = True) -> None:
        if isinstance(obj, Named):
            self.write(b"c" + obj.name.encode() + b"\n")
        else:
            super().save(obj, save_persistent_id)

    def save_reduce(self, func: Any, args: Any, *rest: Any, **more: Any) -> None:
        self.save(func)
        self.save(args)
        self.write(b"R")


class Tensor:
    def __init__(self, storage: Storage, offset: Any, size: Any, stride: Any) -> None:
        self.state = storage, offset, size, stride, False, OrderedDict()

    def __reduce__(self) -> Any:
        return Named("torch._utils\n_rebuild_tensor_v2"), self.state


def torch_file(value: Any, storages: dict[str, bytes], **odd: Any) -> str:
    file = io.BytesIO()
    TorchPickler(file, 2).dump(value)
    with zipfile.ZipFile("one.pt", "w", odd.get("packed", zipfile.ZIP_STORED)) as archive:
        archive.writestr("one/data.pkl", file.getvalue())
        archive.writestr("one/byteorder", odd.get("order", "little"))
        for key, data in storages.items():
            archive.writestr(f"one/data/{key}", data)
    return "one.pt"


NUMBERS = np.arange(24, dtype=np.float32)


def test_tensors_share_a_storage() -> None:
    storage = Storage("Float", "0", 24)
    found = load_pickle(torch_file({"a": Tensor(storage, 0, (2, 3, 4), (12, 4, 1)), "b": Tensor(storage, 4, (5, 3), (1, 5)),
                                    "fps": 30, "none": Tensor(storage, 24, (0, 3), (3, 1))}, {"0": NUMBERS.tobytes()}))
    assert np.array_equal(found["a"], NUMBERS.reshape(2, 3, 4))
    assert np.array_equal(found["b"], NUMBERS[4:19].reshape(3, 5).T)
    assert found["none"].shape == (0, 3) and found["fps"] == 30


@pytest.mark.parametrize("offset, size, stride", [
    (1, (24,), (1,)), (0, (25,), (1,)), (0, (2, 12), (13, 1)), (2**61, (1,), (1,)), (-1, (2,), (1,)), (0, (2,), (-1,)),
    (0, (2**31, 2**31), (1, 1)), (0, (25,), (0,)), (0, (4,), (2**62,)), (0, (4,), (1, 1)), (25, (0,), (1,)),
    (0, (4.0,), (1,))])
def test_tensors_that_leave_their_storage_are_refused(offset: Any, size: Any, stride: Any) -> None:
    torch_file(Tensor(Storage("Float", "0", 24), offset, size, stride), {"0": NUMBERS.tobytes()})
    with pytest.raises(ValueError, match="tensor|axis|is not a size"):
        load_pickle("one.pt")


def test_archives_that_are_odd_are_refused() -> None:
    whole = Tensor(Storage("Float", "0", 24), 0, (24,), (1,))
    for given, storages, odd, words in (
            (whole, {}, {}, "no member"), (whole, {"0": NUMBERS.tobytes()[:-4]}, {}, "expected 24"),
            (whole, {"0": NUMBERS.tobytes()[:-1]}, {}, "part of a number"),
            (whole, {"0": NUMBERS.tobytes()}, {"packed": zipfile.ZIP_DEFLATED}, "not stored"),
            (Tensor(Storage("Float", "../one", 24), 0, (24,), (1,)), {"0": NUMBERS.tobytes()}, {}, "no member"),
            (Tensor(Storage("Odd", "0", 24), 0, (24,), (1,)), {"0": NUMBERS.tobytes()}, {}, "OddStorage")):
        with pytest.raises(ValueError, match=words):
            load_pickle(torch_file(given, storages, **odd))
    with zipfile.ZipFile("one.pt", "w") as archive:
        archive.writestr("one/data.pkl", b"cposix\nsystem\n(S'touch called'\ntR.")
    with pytest.raises(ValueError, match="posix.system"):
        load_pickle("one.pt")


def test_damaged_archives_raise_nothing_else() -> None:
    torch_file({"a": Tensor(Storage("Float", "0", 24), 0, (4, 6), (6, 1))}, {"0": NUMBERS.tobytes()})
    rng, data = np.random.default_rng(5), Path("one.pt").read_bytes()
    for packed, path in ((data, "bad.pt"), (zlib.compress(joblib_bytes(MOTION)), "bad.pkl")):
        for _ in range(300):
            bad = bytearray(packed)
            for at in rng.integers(0, len(bad), rng.integers(1, 6)):
                bad[at] = rng.integers(0, 256)
            Path(path).write_bytes(bad[:rng.integers(1, len(bad) + 1)] if rng.random() < 0.3 else bad)
            try:
                load_pickle(path)
            except ValueError:
                pass


def before_zip(value: Any, storages: Any, version: int = 1001, machine: Any = None) -> bytes:
    """What torch.save wrote before it wrote archives, and what tensors are in pickles of others. `storages` are (name,
    count, bytes)."""
    file = io.BytesIO()
    for one in (0x1950A86A20F9469CFC6C, version, machine or {"little_endian": True, "protocol_version": 1001}):
        pickle.dump(one, file, 2)
    TorchPickler(file, 2).dump(value)
    pickle.dump([name for name, *_ in storages], file, 2)
    for _, count, data in storages:
        file.write(struct.pack("<q", count) + data)
    return file.getvalue()


def in_bytes(data: bytes) -> bytes:
    return b"\x80\x04ctorch.storage\n_load_from_bytes\nB" + struct.pack("<I", len(data)) + data + b"\x85R."


def old_storage(kind: str = "Float", count: int = 24) -> Storage:
    found = Storage(kind, "0", count)
    found.id = (*found.id, None)
    return found


def test_tensors_before_archives_and_in_other_pickles() -> None:
    storage, whole = old_storage(), ("0", 24, NUMBERS.tobytes())
    found = read(before_zip({"a": Tensor(storage, 4, (5, 3), (1, 5)), "b": Tensor(storage, 0, (24,), (1,))}, [whole]))
    assert np.array_equal(found["a"], NUMBERS[4:19].reshape(3, 5).T) and np.array_equal(found["b"], NUMBERS)
    assert np.array_equal(read(in_bytes(before_zip(storage, [whole]))), NUMBERS)
    swapped = before_zip(storage, [("0", 24, NUMBERS.byteswap().tobytes())], machine={"little_endian": False})
    assert np.array_equal(read(in_bytes(swapped)), NUMBERS)
    halves = (NUMBERS.view(np.uint32) >> 16).astype(np.uint16)
    assert np.array_equal(read(before_zip(old_storage("BFloat16"), [("0", 24, halves.tobytes())])), NUMBERS)


@pytest.mark.parametrize("storage, storages, more, words", [
    (old_storage(count=2**40), [("0", 2**40, b"")], {}, "larger than the file"),
    (old_storage(), [("0", 24, NUMBERS.tobytes()[:-1])], {}, "ends within"),
    (old_storage(), [("0", 23, NUMBERS.tobytes())], {}, "another size"),
    (old_storage(), [("1", 24, NUMBERS.tobytes())], {}, "names of storages"), (old_storage(), [], {}, "names of storages"),
    (old_storage(), [("0", 24, NUMBERS.tobytes())], {"version": 1002}, "unknown version"),
    (Tensor(old_storage(), 1, (24,), (1,)), [("0", 24, NUMBERS.tobytes())], {}, "leaves its storage"),
    (old_storage(), [("0", 24, NUMBERS.tobytes())], {"machine": {"little_endian": Calls(open, MARKER, "w")}}, "io.open")])
@pytest.mark.parametrize("pack", [bytes, in_bytes])
def test_files_before_archives_that_are_odd_are_refused(storage: Any, storages: Any, more: Any, words: str, pack: Any) -> None:
    with pytest.raises(ValueError, match=words):
        read(pack(before_zip(storage, storages, **more)))


def test_storages_within_storages_are_refused() -> None:
    inner = in_bytes(before_zip(old_storage(), [("0", 24, NUMBERS.tobytes())]))[:-1]
    for data in (b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19." + inner + b".", inner[2:] + b".", b"K\x01."):
        with pytest.raises(ValueError, match="_load_from_bytes|no file of torch"):
            read(in_bytes(data))
    again = inner[:-2] + b"q\x000"  # the bytes in a memo
    with pytest.raises(ValueError, match="more bytes than it has"):
        read(again + b"(" + b"ctorch.storage\n_load_from_bytes\nh\x00\x85R" * 9 + b"l.")


def test_torch_itself() -> None:
    torch = pytest.importorskip("torch")
    base = torch.arange(60, dtype=torch.float32).reshape(3, 4, 5)
    wanted = {"base": base, "turned": base.permute(2, 0, 1), "part": base[1:, 2], "half": base.half(),
              "bf": base.bfloat16(), "flags": base > 7, "long": base.long(), "files": ("a.motion", "b"), "fps": 30.0,
              "double": base.double(), "none": None, "empty": torch.zeros(0, 3), "scalar": torch.tensor(2.5)}
    torch.save(wanted, "one.pt")
    torch.save(wanted, "old.pt", _use_new_zipfile_serialization=False)
    Path("one.pkl").write_bytes(pickle.dumps(wanted))
    for path in ("one.pt", "old.pt", "one.pkl"):
        compare_with_torch(torch, load_pickle(path), wanted)


def compare_with_torch(torch: Any, found: Any, wanted: Any) -> None:
    assert list(found) == list(wanted)
    for name, value in wanted.items():
        if isinstance(value, torch.Tensor):
            value = value.float() if value.dtype == torch.bfloat16 else value
            assert found[name].dtype == value.numpy().dtype
            assert np.array_equal(found[name], value.numpy())
        else:
            assert found[name] == (list(value) if isinstance(value, tuple) else value)
