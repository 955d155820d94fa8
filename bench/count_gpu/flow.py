# SPDX-License-Identifier: MIT
"""Loops of a listing: dominators, natural loops, and the calls inside them."""
import collections

# An instruction or a block of them. `kind` is one of KINDS, `bytes` the width of a load or store of
# global memory (0 for others), `next` the indices of possible successors, `calls` the name of a
# called routine or None.
KINDS = ("fp32", "mufu", "load", "store", "int", "other")
Instruction = collections.namedtuple("Instruction", "kind bytes next calls")


def order_of(program, start):
    """The reachable instructions, each before those that only it leads to."""
    order, seen, stack = [], {start}, [(start, iter(program[start].next))]
    while stack:
        at, rest = stack[-1]
        for to in rest:
            if to not in seen:
                seen.add(to)
                stack.append((to, iter(program[to].next)))
                break
        else:
            order.append(at)
            stack.pop()
    order.reverse()
    return order


def dominators(program, start=0):
    """For each reachable instruction the set of its dominators, as bits; and its predecessors."""
    order = order_of(program, start)
    before = collections.defaultdict(list)
    for at in order:
        for to in program[at].next:
            before[to].append(at)
    everything = (1 << len(program)) - 1
    found = dict.fromkeys(order, everything)
    found[start] = 1 << start
    changed = True
    while changed:
        changed = False
        for at in order[1:]:
            bits = everything
            for one in before[at]:
                bits &= found[one]
            bits |= 1 << at
            changed = changed or bits != found[at]
            found[at] = bits
    return found, before


class Loop:
    """A natural loop: the instructions that lead back to `head` without passing it. `always` holds
    those that every iteration runs; the others are behind a branch."""

    def __init__(self, head, tails, before, found):
        self.head = head
        self.body = {head}
        waiting = list(tails)
        while waiting:
            at = waiting.pop()
            if at not in self.body:
                self.body.add(at)
                waiting += before[at]
        common = -1
        for tail in tails:
            common &= found[tail]
        self.always = {at for at in self.body if common >> at & 1}


def loops_of(found, before):
    tails = collections.defaultdict(list)
    for to, sources in before.items():
        for at in sources:
            if found[at] >> to & 1:
                tails[to].append(at)
    return [Loop(head, ends, before, found) for head, ends in tails.items()]


def hot_calls(program, is_rare, starts=(0,)):
    """The names of routines that a loop calls. A slow path, which `is_rare` knows by its name, counts
    only where every iteration calls it."""
    if not any(one.calls for one in program):
        return []
    hot = set()
    for start in starts:
        found, before = dominators(program, start)
        calls = [at for at in found if program[at].calls]
        for loop in loops_of(found, before) if calls else []:
            hot |= {at for at in calls if at in loop.body
                    and (at in loop.always or not is_rare(program[at].calls))}
    return [program[at].calls for at in sorted(hot)]
