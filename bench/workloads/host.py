# SPDX-License-Identifier: MIT
"""What a record says about the machine that it was measured on. Needs no NumPy."""

import os
import platform
from pathlib import Path


def _first_line(path):
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def processor():
    for line in _first_line("/proc/cpuinfo").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine() or "unknown"


def cores():
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _system():
    for line in _first_line("/etc/os-release").splitlines():
        if line.startswith("PRETTY_NAME="):
            return f"{line.partition('=')[2].strip(chr(34))}, {platform.system()} {platform.release()}"
    return f"{platform.system()} {platform.release()}"


def describe(compiler):
    governor = _first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    return {"processor": processor(), "cores": cores(), "governor": governor or "unknown",
            "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            "os": _system(), "compiler": compiler}


def available_memory():
    """Bytes that programs can still take, or None where the system does not tell."""
    for line in _first_line("/proc/meminfo").splitlines():
        words = line.split()
        if words[:1] == ["MemAvailable:"] and words[1:2] and words[1].isdigit():
            return 1024 * int(words[1])
    return None
