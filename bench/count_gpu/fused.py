# SPDX-License-Identifier: MIT
"""Fused multiply-adds that the source does not ask for.

Compilers fuse a product and a sum where they are instructions of a block, so the representation
right before instruction selection is compared with the one right after it: each call of fma becomes
one instruction, and each division, root and 64-bit division a fixed number of them, which a probe
of one operation each tells. What is left was fused without permission. Later steps copy or merge
whole blocks, and fuse nothing.
"""
import collections
import re

# Prints the representation that instruction selection takes.
BEFORE = ("-mllvm", "-print-isel-input")
BEFORE_HEAD = "*** Final LLVM Code input to ISel ***"

# What may become fused instructions: calls of fma, and operations that compilers expand.
Asked = collections.namedtuple("Asked", "fma div sqrt long_div")
EXPANDED = ("div", "sqrt", "long_div")

IR = {
    "fma": r"call [^@]*?(?:<(\d+) x \w+>|\w+) @llvm\.(?:nvvm\.)?fma\.",
    "div": r"= fdiv (?:\w+ )*?(?:<(\d+) x )?(?:float|half)",
    "sqrt": r"call [^@]*?(?:<(\d+) x \w+>|\w+) @llvm\.(?:nvvm\.)?sqrt\.",
    "long_div": r"= [us](?:div|rem) (?:exact )?(?:<(\d+) x )?i64 ",
}


# Selection makes a sum of a product with 1 or -1, which has the same bits.
PLAIN_SUM = re.compile(r"@llvm\.(?:nvvm\.)?fma\.[^(]*\((?:[^,]*, )?\w+ (?:noundef )?-?1\.0+e\+00, ")


def asked_of(text):
    """The counts of LLVM's representation; a vector counts as its elements."""
    lines = [line for line in text.splitlines() if not PLAIN_SUM.search(line)]
    found = {name: sum(int(width or 1) for line in lines for width in re.findall(pattern, line))
             for name, pattern in IR.items()}
    return Asked(**found)


def before_selection(log):
    """The functions that -print-isel-input printed, without what was printed in between."""
    parts = log.split(BEFORE_HEAD)[1:]
    return "\n".join(part.split("# *** IR Dump")[0] for part in parts)


def extra(machine, asked, weights):
    """`machine` fused instructions, less those that the operations asked for explain."""
    explained = asked.fma + sum(weights[name] * getattr(asked, name) for name in EXPANDED)
    return machine - explained


def extra_of_ptx(text, log):
    """PTX has instructions for division and root, so nothing is expanded. ptxas may fuse products
    and sums without a rounding, and never those that have one."""
    fused = len(re.findall(r"^\s*(?:@\S+\s+)?(?:fma|mad)\.(?:\w+\.)*f(?:16|32|64)\b", text, re.M))
    free = len(re.findall(r"^\s*(?:@\S+\s+)?(?:mul|add|sub)\.(?:ftz\.|sat\.)*f(?:16|32|64)\b", text, re.M))
    return extra(fused, asked_of(before_selection(log)), dict.fromkeys(EXPANDED, 0)) + free
