# SPDX-License-Identifier: MIT
"""Listings for NVIDIA: machine code from nvdisasm or cuobjdump, and PTX."""
import re

from .flow import Instruction
from .tools import Failure

SASS_LINE = re.compile(
    r"^(?:(?P<label>[.$\w]+):"
    r"|/\*(?P<at>[0-9a-f]+)\*/\s+(?P<guard>@!?U?PT?\d*\s+)?(?P<op>[A-Z]\w*(?:\.\w+)*)(?P<rest>[^;]*);)"
)
SASS_KINDS = (
    ("fp32", r"F(FMA|MUL|ADD)(32I)?"),
    ("mufu", r"MUFU"),
    ("load", r"LD[GLS]?"),
    ("store", r"ST[GLS]?"),
    ("int", r"U?(IADD3?|IMAD|IMUL|ISETP|IMNMX|IABS|LEA|LOP3|SHF|SHL|SHR|SEL|VIADD\w*|VIMNMX)"),
)


def kind_of(stem, kinds):
    return next((kind for kind, pattern in kinds if re.fullmatch(pattern, stem)), "other")


def sass_bytes(op):
    if op.split(".")[0] not in ("LDG", "STG", "LD", "ST"):
        return 0
    return next((int(bits) // 8 for bits in re.findall(r"\.(128|64)\b", op)), 4)


def target_of(rest):
    """The label or address of the target of a branch."""
    found = re.search(r"`\(([^)]+)\)|\b0x([0-9a-f]+)\b", rest)
    if not found:
        raise Failure("the listing has a branch without a target")
    return found[1] or int(found[2], 16)


def index_of(indices, target):
    if target not in indices:
        raise Failure(f"the listing has no {target}")
    return indices[target]


def sass_next(lines, places, index):
    """The possible successors of a line. Predicates are before an instruction or among its operands."""
    op, guard, rest = lines[index]
    stem = op.split(".")[0]
    following = [index + 1] if index + 1 < len(lines) else []
    if stem == "BRA":
        sure = not guard and not re.match(r"\s*!?U?P\d", rest) and ".DIV" not in op
        return [index_of(places, target_of(rest))] + ([] if sure else following)
    if stem in ("EXIT", "RET"):
        return following if guard else []
    if stem in ("BRX", "JMX", "JMP", "BRXU"):
        raise Failure(f"{op} is not supported")
    if stem == "BSYNC" and BARRIER_END in rest:
        return [index_of(places, target_of(rest))]
    return following


def returns(lines, places, start):
    """Whether the code at `start` is a routine. Some calls are jumps to code that never returns."""
    seen, waiting = set(), [start]
    while waiting:
        index = waiting.pop()
        if index in seen:
            continue
        seen.add(index)
        if lines[index][0].startswith("RET."):
            return True
        waiting += sass_next(lines, places, index)
    return False


BARRIER_END = " continues at "


def with_end(op, rest, ends):
    """The operands of an instruction; a BSYNC gets the end that the last BSSY of its barrier set."""
    stem = op.split(".")[0]
    if stem == "BSSY":
        ends[rest.split()[0].rstrip(",")] = rest
    elif stem == "BSYNC" and rest.split()[0] in ends:
        return rest + BARRIER_END + ends[rest.split()[0]]
    return rest


def read_sass(text):
    """The instructions, and the index of each label and address."""
    lines, places, ends = [], {}, {}
    for line in text.splitlines():
        found = SASS_LINE.match(line.strip())
        if found and found["label"]:
            places[found["label"]] = len(lines)
        elif found:
            places[int(found["at"], 16)] = len(lines)
            lines.append((found["op"], bool(found["guard"]), with_end(found["op"], found["rest"], ends)))
    return lines, places


def parse_sass(text):
    """Parses the output of nvdisasm -c or cuobjdump -sass for one kernel: the program, and the
    indices where it and its routines start."""
    lines, places = read_sass(text)
    program, starts, real = [], {0}, {}
    for index, (op, guard, rest) in enumerate(lines):
        stem, calls = op.split(".")[0], None
        successors = sass_next(lines, places, index)
        if stem == "CALL":
            start = index_of(places, target_of(rest))
            if start not in real:
                real[start] = returns(lines, places, start)
            if real[start]:
                calls = str(target_of(rest))
                starts.add(start)
            else:
                successors = [start] + (successors if guard else [])
        program.append(Instruction(kind_of(stem, SASS_KINDS), sass_bytes(op), successors, calls))
    return program, sorted(starts)


PTX_KINDS = (
    ("fp32", r"(fma|mul|add|sub)\.(\w+\.)*f32"),
    ("mufu", r"(sqrt|rsqrt|rcp|div|sin|cos|ex2|lg2)\..*"),
    ("load", r"ld\.(global|local|shared)\..*"),
    ("store", r"st\.(global|local|shared)\..*"),
    ("int", r"(add|sub|mul|mad|min|max|abs|neg|shl|shr|and|or|xor|not|setp|selp)\..*[subi]\d+|and\.pred"),
)


def ptx_statements(text):
    """The statements of the kernel, and the index of each label."""
    kernel = re.search(r"\.entry[^{]*\{(.*?)\n\}", text, re.S)
    if not kernel:
        raise Failure("the PTX has no kernel")
    statements, places = [], {}
    for statement in kernel[1].split(";"):
        statement = re.sub(r"//.*|[{}]", "", statement).strip()
        while found := re.match(r"([$\w]+):\s*", statement):
            places[found[1]] = len(statements)
            statement = statement[found.end() :]
        if statement and not statement.startswith("."):
            statements.append(statement)
    return statements, places


def parse_ptx(text):
    """Parses the statements of the kernel. They are not machine code: ptxas expands a division and
    removes moves."""
    statements, places = ptx_statements(text)
    program = []
    for index, statement in enumerate(statements):
        guard, op, rest = re.match(r"(@!?%p\d+\s+)?(\S+)\s*(.*)", statement, re.S).groups()
        following = [index + 1] if index + 1 < len(statements) else []
        stem = op.split(".")[0]
        if stem == "bra":
            successors = [index_of(places, rest.strip())] + (following if guard else [])
        elif stem in ("ret", "exit"):
            successors = following if guard else []
        else:
            successors = following
        width = re.match(r"(?:ld|st)\.global(?:\.\w+)*?(?:\.v(\d))?\.[a-z](\d+)$", op)
        size = int(width[1] or 1) * int(width[2]) // 8 if width else 0
        calls = "a function" if stem == "call" else None
        program.append(Instruction(kind_of(op, PTX_KINDS), size, successors, calls))
    return program
