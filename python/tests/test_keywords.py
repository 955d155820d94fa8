# SPDX-License-Identifier: MIT
"""Keyword arguments: all rows of the table of options, of every function that takes them."""
from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import posemill as pm
from motion_files import WALK, command, needs_command
from posemill import _options
from posemill._library import ffi, lib, text


def drawn(motion: pm.Motion, **options: Any) -> None:
    motion.draw("walk.svg", **options)


# Each function with what it takes beside its keywords; steps and writing are of a motion.
CALLS: dict[str, Callable[..., Any]] = {
    "load": lambda m, **o: pm.load(WALK, **o), "join": lambda m, **o: pm.join([m, m], **o),
    "fill": lambda m, **o: m.fill(**o) if "fill" not in o else m.fill(o.pop("fill"), **o),
    "cut": pm.Motion.cut, "repeat": pm.Motion.repeat, "pick": pm.Motion.pick, "mirror": pm.Motion.mirror,
    "lowpass": pm.Motion.lowpass, "apply_scale": pm.Motion.apply_scale, "transform": pm.Motion.transform, "resample": pm.Motion.resample, "reduce": pm.Motion.reduce,
    "extract_root": lambda m, **o: m.extract_root(*([o.pop("extract_root")] if "extract_root" in o else []), **o),
    "save": lambda m, **o: m.save("a.bvh", **o), "convert": lambda m, **o: pm.convert(WALK, "b.bvh", **o),
    "compare": lambda m, **o: pm.compare(m, m, **o), "show": pm.Motion.show, "draw": drawn,
    "library": lambda m, **o: pm.MotionLibrary.from_files(WALK, **o),
    "batch": lambda m, **o: pm.batch.run(WALK, "out", **{"rate": 60} | o),
    "batch_reduce": lambda m, **o: pm.batch.reduce(WALK, "out", **o),
    "batch_steps": lambda m, **o: pm.batch.run(WALK, "out", steps=["mirror"], **o)}

ALL = [(function, name) for function in CALLS for name in _options.keywords(function)]


def info_of(function: str, name: str) -> Any:
    return lib.pm_option_get_info(_options.keywords(function)[name].row)


def words_of(function: str, name: str) -> list[str]:
    row, found = _options.keywords(function)[name].row, []
    while (word := lib.pm_option_get_word(row, len(found))) != ffi.NULL:
        found.append(text(word))
    return found


@pytest.fixture
def walk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pm.Motion:
    monkeypatch.chdir(tmp_path)
    return pm.load(WALK)


def test_every_function_of_the_table_is_called_here() -> None:
    assert set(CALLS) == set(_options._FUNCTIONS)
    assert len(ALL) > 150


def test_every_row_of_what_the_command_does_to_motions_is_a_keyword() -> None:
    taken = {key.row for function in CALLS for key in _options.keywords(function).values()}
    verbs = [b"resample", b"convert", b"edit", b"mirror", b"reduce", b"join", b"compare", b"view"]
    alone = {"out-dir", "files-from", "match", "jobs", "resume", "verify", "overwrite", "records", "report",
             "report-pages"}  # arguments of batches, and their reports
    rows = [row for row in range(lib.pm_option_count()) if any(lib.pm_option_is_of(row, verb) for verb in verbs)]
    names = {text(lib.pm_option_get_info(row).name) for row in rows} - alone
    assert names == {text(lib.pm_option_get_info(row).name) for row in taken}


@pytest.mark.parametrize("function, name", ALL)
def test_misspelt_keywords_are_refused_with_the_nearest(walk: pm.Motion, function: str, name: str) -> None:
    wrong = name[:-2] + name[-1] if len(name) > 3 else name + "x"
    assert wrong not in _options.keywords(function)
    with pytest.raises(TypeError, match=rf"^{function}\(\) has no keyword '{wrong}'; did you mean \w+\?$"):
        CALLS[function](walk, **{wrong: None})
    with pytest.raises(TypeError, match=r"has no keyword 'quux'$"):
        CALLS[function](walk, quux=1)


@pytest.mark.parametrize("function, name", ALL)
def test_false_is_of_flags_alone(walk: pm.Motion, function: str, name: str) -> None:
    if lib.native_option_is_flag(_options.keywords(function)[name].row):
        for no in (False, np.bool_(False)):
            assert _options.Options(function, {name: no}).given == ()
        assert _options._texts(True, name, _options.keywords(function)[name]) == ["true"]
    else:
        with pytest.raises(TypeError, match=rf"^{name}: expected .*, found bool"):
            CALLS[function](walk, **{name: False})


@pytest.mark.parametrize("function, name", ALL)
def test_none_is_as_if_left_out(function: str, name: str) -> None:
    assert _options.Options(function, {name: None}).given == ()


@pytest.mark.parametrize("function, name", ALL)
def test_words_and_values_of_other_types_are_refused(walk: pm.Motion, function: str, name: str) -> None:
    key = _options.keywords(function)[name]
    spelled = name.removesuffix("_")
    if key.type == lib.PM_OPTION_WORD:
        with pytest.raises(ValueError, match=f"^{spelled}: 'waltz' is unknown; expected") as refused:
            CALLS[function](walk, **{name: "waltz"})
        assert all(word in str(refused.value) for word in words_of(function, name))
    if key.type in (lib.PM_OPTION_FLAG, lib.PM_OPTION_WORD):
        with pytest.raises(TypeError, match=f"^{name}: expected"):
            CALLS[function](walk, **{name: 1})
    with pytest.raises(TypeError, match=f"^{name}: expected"):
        CALLS[function](walk, **{name: object()})


@pytest.mark.parametrize("function, name", [one for one in ALL if info_of(*one).most > info_of(*one).least
                                            or info_of(*one).least > 0 or info_of(*one).is_above])
def test_numbers_out_of_range_are_refused(walk: pm.Motion, function: str, name: str) -> None:
    info = info_of(function, name)
    low = info.least if info.is_above else info.least - 1
    wrong: list[Any] = [int(low) if info.type == lib.PM_OPTION_INTEGER else low, float("nan")]
    if info.type == lib.PM_OPTION_NUMBERS:
        wrong = [(low, low + 2), (0.0, float("nan"))]
    for value in wrong:
        with pytest.raises(ValueError, match=f"^{name}: '.*' is"):
            CALLS[function](walk, **{name: value})


def test_a_repeat_of_0_is_refused_as_the_command_refuses_it(walk: pm.Motion) -> None:
    with pytest.raises(ValueError, match="^repeat: '0' is invalid; expected a whole number from 1 on"):
        walk.repeat(0)


def test_what_options_require_of_each_other_is_spelled_as_keywords(walk: pm.Motion) -> None:
    with pytest.raises(ValueError, match="^keep_time: requires start or trim_start$"):
        walk.resample(60, keep_time=True)
    with pytest.raises(ValueError, match="^fill_max: requires fill$"):
        pm.load(WALK, fill_max=0.5)
    with pytest.raises(TypeError, match="rate is given twice"):
        walk.resample(60, rate=60)
    for step in (walk.resample, walk.cut, walk.repeat):
        with pytest.raises(TypeError, match="is missing"):
            step()


VALUES: list[tuple[str, str, Any, list[str]]] = [
    ("resample", "rate", 29.97, ["2997/100"]), ("resample", "rate", np.float32(0.5), ["1/2"]), ("resample", "start", 1, ["1"]),
    ("resample", "lowpass", 2.5, ["2.5"]), ("resample", "swing", (0, np.float64(0.5)), ["0,0.5"]),
    ("resample", "tangents", (0, 0.5, -1), ["tcb:0,0.5,-1"]), ("resample", "axis", np.array([0, 1.0, 0]), ["0.0,1.0,0.0"]),
    ("cut", "cut", (0.5, None), ["1/2:"]), ("pick", "joints", ("a", "b"), ["a", "b"]),
    ("pick", "rename", {"a": "b", "c": "d"}, ["a=b", "c=d"]), ("save", "clip", [0, "run"], ["0", "run"]),
    ("draw", "size", (64, 32), ["64x32"]), ("load", "skeleton", Path("a.bvh"), ["a.bvh"]),
    ("compare", "contacts", ["a", "b"], ["a,b"])]


@pytest.mark.parametrize("function, name, value, texts", VALUES)
def test_values_of_python_are_texts_of_the_command(function: str, name: str, value: Any, texts: list[str]) -> None:
    assert _options.Options(function, {name: value}).given == tuple((name, one) for one in texts)


# ---- steps ----


def choices(rng: random.Random) -> Iterator[tuple[str, list[str], dict[str, Any]]]:
    """Steps: the name, the words of the command, the keywords."""
    start, frames = rng.randint(0, 8), rng.randint(20, 30)
    yield "cut", ["--cut", f"{start}f:{start + frames}f"], {"cut": f"{start}f:{start + frames}f"}
    times = rng.randint(2, 3)
    yield "repeat", ["--repeat", str(times), "--continue-root"], {"repeat": times, "continue_root": True}
    yield "mirror", [], {}
    yield "pick", ["--rename", "Hips=Pelvis"], {"rename": {"Hips": "Pelvis"}}
    rate, method = rng.choice([15, 60, "x2", 47]), rng.choice(["slerp", "squad", "hermite"])
    yield "resample", ["--rate", str(rate), "--method", method], {"rate": rate, "method": method}
    yield "fill", ["--fill=frozen:3"], {"fill": "frozen:3"}
    yield "lowpass", ["--lowpass", "5"], {"lowpass": 5}
    yield "apply_scale", [], {}
    up = rng.choice("yz")
    yield "transform", ["--scale", "2", "--up", "y", "--to-up", up], {"scale": 2, "up": "y", "to_up": up}
    yield "extract_root", ["--extract-root", "auto", "--root-axes", "z"], {"extract_root": "auto", "root_axes": "z"}


COMMANDS = {"extract_root": "root", "apply_scale": "apply-scale"}


def chain_of(motion: pm.Motion, steps: list[tuple[str, dict[str, Any]]]) -> pm.Motion:
    for name, options in steps:
        motion = motion._then(name, name, options)
    return motion


@pytest.mark.filterwarnings("ignore::posemill.MotionWarning")
@needs_command
@pytest.mark.parametrize("seed", range(24))
def test_steps_in_every_order_write_what_the_command_writes(walk: pm.Motion, seed: int) -> None:
    rng = random.Random(seed)
    chosen = [rng.choice([*choices(rng)]) for _ in range(rng.randint(1, 5))]
    renames = [step for step in chosen if step[0] == "pick"]
    chosen = [step for step in chosen if step[0] != "pick" or step is renames[0]]  # Hips have the name once
    source, suffix = (rng.choice(["bvh", "glb", "npz"]) for _ in range(2))
    walk.save(f"a.{source}")
    steps = [(name, options) for name, _, options in chosen]
    words = [word for name, given, _ in chosen for word in (COMMANDS.get(name, name), *given)]
    ran = command("run", f"a.{source}", "-o", f"c.{suffix}", *words)
    try:
        chain_of(pm.load(f"a.{source}"), steps).save(f"p.{suffix}")
    except ValueError as error:
        assert ran.returncode != 0, error
        return
    assert ran.returncode == 0, (words, ran.stderr)
    assert Path(f"p.{suffix}").read_bytes() == Path(f"c.{suffix}").read_bytes(), words
    result = pm.batch.run(f"a.{source}", "out", steps=steps, to=suffix, device="none")
    assert result.done == 1, result.failures
    assert Path(f"out/a.{suffix}").read_bytes() == Path(f"c.{suffix}").read_bytes(), words


def test_converting_has_a_place_for_every_keyword() -> None:
    parts = {name for function in ("load", "save", "extract_root") for name in _options.keywords(function)}
    assert set(_options.keywords("convert")) - parts == {"rate", "apply_scale"}


def test_every_step_is_a_method() -> None:
    steps = {name: lib.native_function_step(number) for name, number in _options._FUNCTIONS.items()}
    steps = {name: text(step) for name, step in steps.items() if step != ffi.NULL}
    assert set(steps.values()) == set(text(lib.native_step_names()).split())
    assert all(callable(getattr(pm.Motion, name)) for name in steps)


def test_nothing_is_computed_before_it_is_asked_for(walk: pm.Motion, monkeypatch: pytest.MonkeyPatch) -> None:
    from posemill import _motion
    made: list[int] = []
    whole = _motion.make
    monkeypatch.setattr(_motion, "make", lambda chain: made.append(len(chain[1])) or whole(chain))
    chain = walk.cut("0:1").mirror().resample(60)
    chain.save("a.bvh")
    assert made == []
    assert len(chain.clips[0].times) == 61 and made == [3]
    assert len(chain.mirror().clips[0].times) == 61 and made == [3, 1]
    assert repr(chain) and made == [3, 1]


def test_what_is_wrong_with_the_motion_is_raised_when_it_is_computed(walk: pm.Motion) -> None:
    wrong = walk.pick(joints=["Tail"]).resample(60)
    with pytest.raises(ValueError, match="Tail"):
        wrong.clips
    with pytest.raises(ValueError, match="Tail"):
        wrong.save("a.bvh")


def test_computed_and_written_steps_are_the_same(walk: pm.Motion) -> None:
    chain = walk.resample(47, "squad").cut("0.25:1.5").mirror()
    chain.save("a.glb", to_unit="keep")
    saved = pm.load("a.glb")
    for ours, theirs in zip(chain.clips[0].channels, saved.clips[0].channels, strict=True):
        assert np.allclose(ours.values, theirs.values, atol=1e-6)


def test_steps_on_different_engines_run_one_after_another(walk: pm.Motion) -> None:
    a, b = pm.Engine("none"), pm.Engine("none", host_threads=1)
    both = walk.resample(60, engine=a).resample(90, engine=b)
    assert len(both.clips[0].times) == 181
    assert both._chain(again=True)[3] is b
    both.save("a.bvh")


def test_splines_that_a_step_has_made_are_followed(walk: pm.Motion) -> None:
    few = walk.reduce(angle=0.01, curve="cubicspline")
    times = walk.clips[0].times
    whole = walk.clips[0].rotations
    again = few.resample(30).clips[0].rotations[:len(times)]
    cosine = np.abs(np.sum(again * whole, axis=-1)).clip(0, 1)
    assert np.rad2deg(2 * np.arccos(cosine)).max() < 0.2


def test_unknown_steps_are_refused(walk: pm.Motion) -> None:
    for steps, error in ((["mirrored"], ValueError), ([], ValueError), ("mirror", TypeError),
                         ([("cut", {"cuts": "0:1"})], TypeError), ([("cut", {"cut": "x"})], ValueError)):
        with pytest.raises(error):
            pm.batch.run(WALK, "out", steps=steps)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="or steps"):
        pm.batch.run(WALK, "out")
    with pytest.raises(TypeError, match="or steps"):
        pm.batch.run(WALK, "out", 60, steps=["mirror"])
