# SPDX-License-Identifier: MIT
"""What a record says about the machine that it was measured on. Needs no NumPy."""

import os
import platform
import re
from pathlib import Path


def _found(path, pattern):
    """The first group of a pattern in a file of the system, or nothing."""
    try:
        found = re.search(pattern, Path(path).read_text(encoding="utf-8"), re.M)
    except (OSError, UnicodeDecodeError):
        return ""
    return found[1].strip() if found else ""


def processor():
    return _found("/proc/cpuinfo", r"^model name[^:]*:(.*)$") or platform.processor() or platform.machine() or "unknown"


def cores():
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def describe(compiler):
    distribution = _found("/etc/os-release", r'^PRETTY_NAME="?([^"]*)"?$')
    return {"processor": processor(), "cores": cores(),
            "governor": _found("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "(.*)") or "unknown",
            "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
            "os": f"{distribution + ', ' if distribution else ''}{platform.system()} {platform.release()}",
            "compiler": compiler}


def available_memory():
    """Bytes that programs can still take, or None where the system does not tell."""
    kilobytes = _found("/proc/meminfo", r"^MemAvailable: *(\d+)")
    return 1024 * int(kilobytes) if kilobytes else None
