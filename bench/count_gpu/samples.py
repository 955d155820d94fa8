# SPDX-License-Identifier: MIT
"""The instructions of a sample of `walk` on NVIDIA's cards, and the rate that they would allow.

The result is an upper bound of the speed of a card, not a measurement.
"""
import collections
import math
import re
import tempfile
import textwrap

from . import nvidia, sass
from .flow import KINDS, dominators, loops_of
from .programs import everything
from .tools import Failure, Wrong, kernels_version

SAMPLE_BYTES = 16
UPSAMPLING = 4  # samples per segment, as in the bench

# From NVIDIA's datasheets and architecture white papers: streaming multiprocessors, boost clock in
# GHz; per multiprocessor the lanes per clock for single precision, special functions, and loads and
# stores, and the maximum number of warps; memory bandwidth in GB/s. Each of four schedulers issues
# instructions of any kind for 32 lanes.
Card = collections.namedtuple("Card", "name sm units clock fp32 mufu memory warps bandwidth")
CARDS = (
    Card("H200", "sm_90", 132, 1.98, 128, 16, 32, 64, 4800),
    Card("H100 SXM", "sm_90", 132, 1.98, 128, 16, 32, 64, 3350),
    Card("RTX 4090", "sm_89", 128, 2.52, 128, 16, 16, 48, 1008),
    Card("L4", "sm_89", 58, 2.04, 128, 16, 16, 48, 300),
    Card("RTX 3090", "sm_86", 82, 1.695, 128, 16, 16, 48, 936),
    Card("A100 SXM", "sm_80", 108, 1.41, 64, 16, 32, 64, 2039),
    Card("T4", "sm_75", 40, 1.59, 64, 16, 16, 32, 320),
)
ISSUE = 128  # lanes per clock of a multiprocessor


# ---- counting ------------------------------------------------------------------------------------

Count = collections.namedtuple("Count", "sample samples rare search segment loops")


def stored(program, places):
    return sum(program[i].bytes for i in places if program[i].kind == "store")


def count(program):
    """The instructions per sample: the innermost loop that stores results, which contains several
    samples if it was unrolled; the other loops in the outermost one, which search the end of a
    segment; and the rest of the outermost loop, which runs once per segment."""
    if not program:
        raise Failure("the listing has no instructions")
    found, before = dominators(program)
    loops = loops_of(found, before)
    storing = [a for a in loops if stored(program, a.always)]
    inner = [a for a in storing if not any(b.body < a.body for b in storing)]
    if not inner:
        raise Failure("no loop stores results")
    chosen = max(inner, key=lambda a: stored(program, a.always))
    samples, odd = divmod(stored(program, chosen.always), SAMPLE_BYTES)
    if odd or samples == 0:
        raise Failure(f"the loop stores {stored(program, chosen.always)} bytes per iteration; "
                      f"expected a multiple of {SAMPLE_BYTES}")
    around = [a for a in loops if chosen.body < a.body]
    if not around:
        raise Failure("the loop that stores results is not in a loop over segments")
    outermost = max(around, key=lambda a: len(a.body))
    leaves = [a for a in loops if not any(b.body < a.body for b in loops)]
    beside = [a for a in leaves if a.body < outermost.body and not stored(program, a.body)]
    inside = set().union(*(a.body for a in inner + beside))
    on_the_way = {i for i in outermost.body if found[chosen.head] >> i & 1}
    segment = set().union(on_the_way, *(a.always for a in around)) - inside
    return Count(
        sample=chosen.always,
        samples=samples,
        rare=chosen.body - chosen.always,
        search=set().union(*(a.always for a in beside)),
        segment=segment,
        loops=len(inner),
    )


def mix(program, places, divisor=1):
    """Number of instructions of each kind, divided by `divisor`."""
    kinds = collections.Counter(program[i].kind for i in places)
    return {kind: kinds[kind] / divisor for kind in KINDS}


# ---- printing ----------------------------------------------------------------------------------


class Kernel:
    def __init__(self, curve, program, registers, spilled):
        counted = count(program)
        self.curve, self.registers, self.spilled = curve, registers, spilled
        self.sample = mix(program, counted.sample, counted.samples)
        self.search = mix(program, counted.search)
        self.segment = mix(program, counted.segment)
        self.rare = mix(program, counted.rare, counted.samples)
        self.samples, self.loops = counted.samples, counted.loops
        calls = [program[i].calls for i in counted.rare if program[i].calls]
        self.calls = collections.Counter(map(short_name, calls))
        self.sure_calls = [program[i].calls for i in counted.sample if program[i].calls]
        self.widths = {
            (kind, where): collections.Counter(
                program[i].bytes for i in places if program[i].kind == kind and program[i].bytes
            )
            for kind, where, places in (
                ("store", "per sample", counted.sample),
                ("load", "per segment", counted.segment),
            )
        }

    def upsampling(self):
        """All instructions per sample, at UPSAMPLING samples per segment."""
        return {
            kind: self.sample[kind] + self.search[kind] + self.segment[kind] / UPSAMPLING
            for kind in KINDS
        }


def short_name(routine):
    """The name of a routine. cuobjdump prints only addresses."""
    found = re.search(r"__cuda_sm\w+?_(\w+)", routine)
    return found[1].replace("_slowpath", "") if found else "of a routine"


def bounds(card, needs):
    """Upper bounds in 10^9 samples/s, by limiting resource."""
    clocks = card.units * card.clock

    def of(lanes, count):
        return clocks * lanes / count if count else math.inf

    return {
        "issue": of(ISSUE, sum(needs.values())),
        "fp32": of(card.fp32, needs["fp32"]),
        "mufu": of(card.mufu, needs["mufu"]),
        "load/store": of(card.memory, needs["load"] + needs["store"]),
        "write": card.bandwidth / SAMPLE_BYTES,
    }


def table(heading, rows):
    rows = [[str(cell) for cell in row] for row in [heading, *rows]]
    wide = [max(len(row[i]) for row in rows) for i in range(len(heading))]
    for row in rows:
        cells = [row[0].ljust(wide[0])] + [c.rjust(w) for c, w in zip(row[1:], wide[1:])]
        yield "  ".join(cells).rstrip()


def number(value):
    return "-" if math.isinf(value) else f"{value:.4g}"


def counts(kinds):
    return [number(sum(kinds.values())), *(number(kinds[kind]) for kind in KINDS)]


def notes(kernels):
    for k in kernels:
        said = []
        for (kind, where), widths in k.widths.items():
            narrow = sum(n for width, n in widths.items() if width < SAMPLE_BYTES)
            if narrow > 1 and where == "per segment" or narrow > k.samples:
                said.append(f"{narrow / (k.samples if where == 'per sample' else 1):g} {kind}s of "
                            f"less than {SAMPLE_BYTES} bytes {where}")
        if k.samples > 1:
            said.append(f"unrolled to {k.samples} samples per iteration")
        if k.loops > 1:
            said.append(f"{k.loops} loops store results; the one that stores most bytes is counted")
        if k.sure_calls:
            said.append("calls for every sample: " + ", ".join(map(short_name, k.sure_calls)))
        if k.calls:
            calls = ", ".join(f"{n} {name}" for name, n in sorted(k.calls.items()))
            said.append("calls behind branches: " + calls)
        if said:
            yield from textwrap.wrap(f"{k.curve}: " + "; ".join(said), 98, subsequent_indent="    ")


def report(kernels, tools, card):
    paragraphs = (
        "An estimate, not a measurement. NVIDIA's OpenCL compiler differs from this one, and the "
        "listing does not show the stalls of a kernel.",
        f"walk, one lane, kernels of commit {kernels_version()}, for {card.sm}, by "
        f"{', '.join(tools.versions())}. Counted: {tools.counted()}.",
        "The first table is for the innermost loop that stores results, for samples that are not on "
        "a key (those cost a copy). It counts the instructions of every iteration, per sample. "
        "Instructions with a predicate count, because they are issued. Behind branches: instructions "
        "of only some iterations, such as slow paths for numbers out of range, and both sides of a "
        "branch; bodies of called routines are excluded. fp32: add, multiply and fma. mufu: special "
        "functions. load, store: memory, except constants. int: integers, their comparison and "
        "selection. other: moves, constants, float comparison and selection, and control.",
    )
    for paragraph in paragraphs:
        yield from textwrap.wrap(paragraph, 98)
        yield ""
    heading = ["per sample", "registers", "spilled, B", "warps", "all", *KINDS, "behind branches"]
    rows = [
        [k.curve, k.registers, k.spilled, nvidia.warps(k.registers, card.warps), *counts(k.sample),
         number(sum(k.rare.values()))]
        for k in kernels
    ]
    yield from table(heading, rows)
    yield ""
    yield from textwrap.wrap(
        "The second table is for the loops around it, in a work-item of one track: the search of the "
        "segment end, per sample, and the work per segment.", 98)
    yield ""
    heading = ["around", "search: all", "load", "segment: all", *KINDS]
    rows = [
        [k.curve, number(sum(k.search.values())), number(k.search["load"]), *counts(k.segment)]
        for k in kernels
    ]
    yield from table(heading, rows)
    yield ""
    yield from textwrap.wrap(
        f"Upsampling by {UPSAMPLING} on {card.name} ({card.units} multiprocessors at {card.clock} "
        f"GHz, {card.bandwidth} GB/s): upper bound in 10^9 samples/s for each resource alone. "
        f"Accesses of {SAMPLE_BYTES} bytes and strided accesses count as single accesses.", 98)
    yield ""
    rows = []
    for k in kernels:
        limits = bounds(card, k.upsampling())
        lowest = min(limits, key=limits.get)
        rows.append([k.curve, number(sum(k.upsampling().values())),
                     *map(number, limits.values()), lowest])
    yield from table(["bounds", "instructions", *limits, "lowest"], rows)
    yield ""
    yield from notes(kernels)


# ---- the command -------------------------------------------------------------------------------


def choose_card(name):
    known = {card.name.lower(): card for card in CARDS}
    if name.lower() not in known:
        raise Wrong(f"--samples {name}: unknown; expected one of {', '.join(card.name for card in CARDS)}")
    return known[name.lower()]


def is_counted(program):
    """Rotations with keys of float32."""
    return program.file == "walk" and {"-DPM_COMPONENTS=4", "-DPM_KEYS=0"} <= set(program.defines)


def kernel_of(tools, program, card):
    """A sample on a key is a copy of it: that path is left out."""
    with tempfile.TemporaryDirectory(prefix="posemill-count-") as folder:
        ptx, _ = nvidia.ptx_of(tools, program, card.sm, folder, ("-DPM_PASSES=0",))
        binary, registers, spilled, _ = nvidia.assemble(tools, ptx, card.sm)
        text = nvidia.listing(tools, binary)
        if text:
            listed, _ = sass.parse_sass(text)
        else:
            with open(ptx, encoding="utf-8") as file:
                listed = sass.parse_ptx(file.read())
    return Kernel(program.name.partition("/")[2], listed, registers, spilled)


def lines(name, programs=None):
    """The report for the card, of those of `programs` that are counted."""
    card = choose_card(name)
    chosen = [one for one in programs or everything() if is_counted(one)]
    if not chosen:
        raise Wrong("--samples counts walk with a rotation curve; expected such a program")
    tools = nvidia.Tools()
    return report([kernel_of(tools, one, card) for one in chosen], tools, card)
