# SPDX-License-Identifier: MIT
"""Estimates how long a GPU takes for the palettes of a crowd, from what the compilers report.

An estimate, not a measurement: the largest of four lower bounds of the time, each from one resource
alone, with the assumptions that are constants here.
"""
import collections
import math

# From the vendors' datasheets: compute units, their schedulers (SIMDs) and lanes per clock, clock in
# GHz, memory bandwidth in GB/s, local memory per compute unit in KB; `width` is the lanes of a wave,
# `waves` the maximum per scheduler.
Gpu = collections.namedtuple("Gpu", "name target units simds lanes width waves clock bandwidth shared")
GPUS = (
    Gpu("H100 SXM", "sm_90", 132, 4, 128, 32, 16, 1.98, 3350, 228),
    Gpu("RX 6900 XT", "gfx1030", 80, 2, 64, 32, 16, 2.25, 512, 64),
    Gpu("RX 7900 XTX", "gfx1100", 96, 2, 64, 32, 16, 2.5, 960, 64),
    Gpu("MI250, one die", "gfx90a", 104, 4, 64, 64, 8, 1.7, 1638, 64),
    Gpu("MI300X", "gfx942", 304, 4, 64, 64, 8, 2.1, 5300, 64),
    Gpu("Tiger Lake, 96 EU", "tgllp", 6, 16, 128, None, 7, 1.35, 68, 128),
    Gpu("Arc A770", "dg2", 32, 16, 128, None, 8, 2.1, 560, 128),
    Gpu("HD 630, 24 EU", "skl", 3, 8, 64, None, 7, 1.15, 34, 64),
    Gpu("Max 1550, one stack", "pvc", 64, 8, 128, None, 8, 1.6, 1638, 128),
)

INSTANCES, JOINTS, STAGES = 10000, 64, 12  # a person with hands: 12 depths
RECORD_BYTES = 48
DEPENDENT = 5  # clocks from an instruction to the next one of the same wave
# Work-groups: work-items, instances at most, groups for each compute unit, local memory in KB; see
# host/plan/step.c.
GROUP, PER_GROUP, GROUPS_PER_UNIT, GROUP_KB = 64, 12, 8, 8

TEXT = f"""Microseconds for {INSTANCES:,} palettes of {JOINTS} joints in {STAGES} depths, and the resource that decides. The columns
"before" are the kernel with one instance for each work-item (record `gpu-before-workgroups.json`). An estimate is the
largest of four lower bounds, each from one resource alone, and no measurement:

- *issue*: every instruction of the program once for each joint, on all lanes of the GPU at its boost clock;
- *waiting*: the steps of a work-item one after another ({JOINTS} joints before, {STAGES} stages now), at {DEPENDENT} clocks for each
  instruction, as often as work-items fill the room that registers and local memory leave;
- *records*: {RECORD_BYTES} bytes for each joint at the bandwidth of the memory;
- *scratch*: {2 * RECORD_BYTES} bytes more for each joint where slots are in memory.

Instructions are counted too high: paths for blends, listed key times and unaligned memory do not run here. Numbers of
the GPUs are from datasheets, in `bench/count_gpu/estimate.py`."""


def waves_per_simd(gpu, row):
    """The waves that registers leave room for."""
    if row["occupancy"] is None:
        return gpu.waves
    return row["occupancy"] / gpu.simds if gpu.target.startswith("sm_") else row["occupancy"]


def instances_per_group(gpu):
    """OpenCL's compute units are multiprocessors, on Intel's GPUs execution units."""
    units = gpu.units if gpu.width else gpu.units * gpu.simds
    return max(1, min(PER_GROUP, INSTANCES // (GROUPS_PER_UNIT * units)))


def bounds(gpu, row, grouped):
    """Microseconds by resource. Every instruction of the program counts once for each joint, which is
    too many: paths for blends, listed key times and unaligned memory are among them."""
    width = gpu.width or row["simd"]
    joints, hertz = INSTANCES * JOINTS, gpu.clock * 1e3  # per microsecond
    items = math.ceil(INSTANCES / instances_per_group(gpu)) * GROUP if grouped else INSTANCES
    steps = STAGES if grouped else JOINTS
    room = gpu.units * gpu.simds * waves_per_simd(gpu, row) * width
    if grouped:
        room = min(room, gpu.units * (gpu.shared // GROUP_KB) * GROUP)
    rounds = math.ceil(items / room)
    return {
        "issue": joints * row["instructions"] / (gpu.units * gpu.lanes * hertz),
        "waiting": rounds * steps * row["instructions"] * DEPENDENT / hertz,
        "records": joints * RECORD_BYTES / (gpu.bandwidth * 1e3),
        # Slots in memory: a matrix is written once and read once for each joint.
        "scratch": 0 if not row["scratch_bytes"] else joints * 2 * RECORD_BYTES / (gpu.bandwidth * 1e3),
    }


def cell(gpu, row, grouped):
    if row is None or row.get("error") or row.get("instructions") is None:
        return "-"
    found = bounds(gpu, row, grouped)
    most = max(found, key=found.get)
    return f"{found[most]:.0f} ({most})"


def of(rows, target, program):
    return next((row for row in rows if row["target"] == target and row["program"] == program), None)


def lines(rows, rows_before):
    """A line for each GPU: program by program, before and with work-groups."""
    programs = ("crowd/palette/slerp", "crowd/palette/squad", "crowd/palette/circular-c2")
    for gpu in GPUS:
        cells = [f"{gpu.name} ({gpu.target})"]
        for program in programs:
            cells.append(cell(gpu, of(rows_before, gpu.target, program), False))
            cells.append(cell(gpu, of(rows, gpu.target, program), True))
        yield cells


HEADING = ("GPU", "slerp, before", "slerp", "squad, before", "squad", "circular-c2, before", "circular-c2")
