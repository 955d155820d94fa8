# SPDX-License-Identifier: MIT
"""The programs that the library builds at one lane, from the tables of its sources.

Nothing is listed here: curves, outputs, key formats and the vector curve of each method are read
from the kernels and from host/, so that a new method or output is counted without a change.
"""
import collections
import functools
import itertools
import os
import re

from .tools import KERNELS, ROOT, Failure

# `name` is that of reports, `file` the kernel's, `defines` what host/programs/program.c defines.
# `doubles`: for devices with double.
Program = collections.namedtuple("Program", "name file defines folder doubles", defaults=(KERNELS, False))

# Options of every program; the rest are those of `defines`.
OPTIONS = ("-cl-std=CL1.2", "-cl-fp32-correctly-rounded-divide-sqrt")


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def must(found, what):
    if not found:
        raise Failure(f"{what} cannot be read")
    return found


def x_table(text, macro):
    """The rows of an X-macro, each a tuple of its arguments, with those of the tables that it names."""
    table = re.search(rf"#define {macro}\(X\)((?:.*\\\n)*.*)", text)
    rows = []
    for name, cells in re.findall(r"\b(\w+)\(([^)]*)\)", table[1]) if table else []:
        if name == "X":
            rows.append(tuple(cell.strip() for cell in cells.split(",")))
        elif cells == "X":
            rows += x_table(text, name)
    return must(rows, f"table {macro}")


def curves(kind):
    """The names of the curves: kind is ROTATION or VECTOR."""
    return [row[0] for row in x_table(read("kernels", "pm_methods.h"), f"PM_{kind}_CURVES")]


def outputs():
    """(name, number) of the outputs of crowds. States of bodies are not counted: a work-item keeps the
    bodies whose children are not computed yet in private memory, so that the counts tell little."""
    table = x_table(read("kernels", "pm_crowd_outputs.h"), "PM_CROWD_POSE_OUTPUTS")
    return [(row[0].lower(), int(row[1])) for row in table]


def formats():
    """(name, number) of the key formats."""
    listed = re.search(r"typedef enum pm_key_format \{(.*?)\}",
                       read("include", "posemill", "posemill.h"), re.S)
    names = re.findall(r"^\s*PM_KEYS_(\w+)\b", listed[1], re.M) if listed else []
    return [(name.lower(), i) for i, name in enumerate(must(names, "enum pm_key_format"))
            if name != "COUNT"]


@functools.cache
def coefficients():
    """The planes that each curve stores beside its keys; 48-bit keys require none."""
    kernels = os.path.join(ROOT, "kernels")
    found = {}
    for name in sorted(os.listdir(kernels)):
        found.update(re.findall(r"#define pm_(\w+)_coefficients (\w+)", read("kernels", name)))

    def value(curve):
        said = must(found.get(curve), f"pm_{curve}_coefficients")
        other = re.fullmatch(r"pm_(\w+)_coefficients", said)
        return value(other[1]) if other else int(said)

    return {curve: value(curve) for curve in curves("ROTATION") + curves("VECTOR")}


@functools.cache
def vector_curves_of_methods():
    """For each rotation curve the vector curves that its methods select."""
    text = read("host", "clip", "method.c")
    listed = text.partition("vector_impls[")[2].partition("\n};")[0]
    impls = dict(re.findall(r"\[(PM_VECTOR_\w+)\]\s*=\s*\{\s*\.curve = PM_CURVE_(\w+)", listed))
    found = collections.defaultdict(list)
    for row in re.split(r"\n    \[PM_METHOD_", text)[1:]:
        method = re.search(r"\.vector_method = (PM_VECTOR_\w+)", row)
        curve = re.search(r"\.curve = PM_CURVE_(\w+)", row)
        if method and curve and method[1] in impls and impls[method[1]] not in found[curve[1]]:
            found[curve[1]].append(impls[method[1]])
    for curve in curves("ROTATION"):
        must(found.get(curve), f"the vector method of {curve}")
    return dict(found)


def source_path(program):
    return os.path.join(program.folder, f"{program.file}.cl")


def make(name, file, curve, components, keys, **more):
    defines = {"PM_METHOD": f"pm_{curve}", "PM_COMPONENTS": components, "PM_LANES": 1,
               "PM_KEYS": keys, **more}
    return Program("/".join(name).replace("_", "-"), file,
                   tuple(f"-D{key}={value}" for key, value in defines.items()))


def rotations():
    """(names, curve, number of the key format) of each rotation curve with each format it takes."""
    for curve in curves("ROTATION"):
        for name, number in formats():
            if number == 0 or coefficients()[curve] == 0:
                yield [curve] + ([name] if number else []), curve, number


def samplers():
    """Programs of samples: host/plan/sample_plan.c."""
    for file in ("walk", "gather"):
        for names, curve, number in rotations():
            yield make([file, *names], file, curve, 4, number)
        for curve in curves("VECTOR"):
            yield make([file, curve], file, curve, 3, 0)
    for file in ("velocity", "acceleration"):
        for names, curve, number in rotations():
            yield make([file, *names], file, curve, 3, number)
    yield make(["locate"], "locate", "slerp", 4, 0)


def points():
    """Programs of points: host/plan/points_plan.c. One rotation shows each vector curve."""
    yield make(["points"], "points", "slerp", 4, 0)
    yield make(["points", "arcs"], "points_arcs", "slerp", 4, 0)._replace(doubles=True)
    for names, curve, number in rotations():
        own = vector_curves_of_methods()[curve][0]
        for vector in curves("VECTOR") if names == [curves("ROTATION")[0]] else [own]:
            yield make(["points", *names] + ([] if vector == own else [vector]), "points_curves", curve, 4, number,
                       PM_VECTOR_METHOD=f"pm_{vector}", PM_OUTPUT=0, PM_PER_JOINT=0)._replace(doubles=True)


def builders():
    """Programs that build clips: host/plan/clip_plan.c. The curve is that of segments alone."""
    def build(what, file, curve, components=4, keys=0):
        return make([f"build/{file}", *what], f"build_{file}", curve, components, keys)._replace(doubles=True)

    for file, (name, number) in itertools.product(("steps", "keys", "ends"), formats()):
        yield build([name] if number else [], file, "squad", keys=number)
    yield build([], "signs", "squad")
    for file in ("check", "rates"):
        yield build(["rotations"], file, "squad")
        yield build(["vectors"], file, "squad", 3)
    for (curve,) in x_table(read("host", "segments", "segments.h"), "PM_BUILDERS"):
        yield build([curve], "segments", curve, 3 if curve.startswith("vector") else 4)


def crowds():
    """Programs of crowds: host/opencl/crowd.c. The name says the vector curve where it is not the
    first that the methods of the rotation curve select, and whether timelines are per joint. The vector
    curve and the locating of keys are code beside that of the rotation: one rotation shows each vector
    curve, one output the timelines per joint. Those that only a caller's own choice builds are left out."""
    every = itertools.product(outputs(), rotations(), curves("VECTOR"), (0, 1))
    for (output, number), (names, curve, keys), vector, per_joint in every:
        own = vector_curves_of_methods()[curve]
        shown = vector in own or names == [curves("ROTATION")[0]]
        if shown and (not per_joint or (number == 0 and vector == own[0])):
            name = ["crowd", output, *names] + ([] if vector == own[0] else [vector])
            yield make(name + ["per-joint"] * per_joint, "crowd_workgroup", curve, 4, keys,
                       PM_VECTOR_METHOD=f"pm_{vector}", PM_OUTPUT=number, PM_PER_JOINT=per_joint)
    for names, curve, keys in rotations():
        vector = vector_curves_of_methods()[curve][0]
        # What is given has no curves, and transitions come after them, so one program shows each.
        for kind, define in (("layers", "PM_LAYERED"), ("given", "PM_GIVEN"), ("transitions", "PM_TRANSITIONS")):
            if keys == 0 and (kind == "layers" or names == ["slerp"]):
                yield make(["crowd", "palette", *names, kind], "crowd_workgroup", curve, 4, keys,
                           PM_VECTOR_METHOD=f"pm_{vector}", PM_OUTPUT=0, PM_PER_JOINT=0, **{define: 1})
    for name, file in (("chains", "crowd_reach"), ("ground", "crowd_ground"), ("capture", "crowd_capture")):
        yield make(["crowd", name], file, "slerp", 4, 0)
    yield make(["crowd", "planted"], "crowd_ground", "slerp", 4, 0, PM_TRANSITIONS=1)


def bodies():
    """Programs of the states of bodies: one rotation shows each vector curve and timelines per joint."""
    for (names, curve, keys), per_joint in itertools.product(rotations(), (0, 1)):
        own = vector_curves_of_methods()[curve]
        for vector in curves("VECTOR") if names == [curves("ROTATION")[0]] else own[:1]:
            if not per_joint or (names == [curves("ROTATION")[0]] and vector == own[0]):
                name = ["bodies", *names] + ([] if vector == own[0] else [vector])
                yield make(name + ["per-joint"] * per_joint, "bodies_workgroup", curve, 4, keys,
                           PM_VECTOR_METHOD=f"pm_{vector}", PM_OUTPUT=0, PM_PER_JOINT=per_joint)


@functools.cache
def everything():
    return [*samplers(), *points(), *builders(), *crowds(), *bodies()]
