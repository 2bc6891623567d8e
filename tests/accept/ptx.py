"""So much of PTX as our kernels are written in, read and computed as its specification says."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable

MASK = 0xFFFFFFFF
_LINE = re.compile(r"(?:@(%\w+)\s+)?([\w.]+)\s+([^;]*);")


def last_word(text: str, index: int, threads: int) -> int:
    """What the thread of this index stores."""
    body = text[text.index("ld.param") : text.rindex("}")]
    lines = [each.strip() for each in body.splitlines() if each.strip()]
    labels = {each[:-1]: at for at, each in enumerate(lines) if each.endswith(":")}
    registers: dict[str, float] = {"%ctaid.x": index // threads, "%ntid.x": threads, "%tid.x": index % threads}
    at, stored = 0, -1
    while lines[at] != "ret;":
        found = _LINE.fullmatch(lines[at])
        at += 1
        if found is None:
            assert lines[at - 1].endswith(":"), lines[at - 1]
            continue
        condition, name, words = found[1], found[2], [each.strip(" []") for each in found[3].split(",")]
        if condition and not registers[condition]:
            continue
        if name == "bra":
            at = labels[words[0]]
        elif name == "st.global.u32":
            stored = int(registers[words[1]])
        elif name not in ("ld.param.u64", "cvta.to.global.u64", "mul.wide.u32", "add.u64"):  # where, and not what
            given = [_value(each, registers) for each in words[1:]]
            registers[words[0]] = MEANINGS[name](*given)
    return stored


def _value(word: str, registers: dict[str, float]) -> float:
    if word.startswith("0f"):
        return float(struct.unpack(">f", bytes.fromhex(word[2:]))[0])
    return registers[word] if word.startswith("%") else int(word)


def _exact(value: float) -> float:
    """Of our numbers a float loses nothing: then rounding has no say."""
    assert struct.unpack("f", struct.pack("f", value))[0] == value, value
    return value


MEANINGS: dict[str, Callable[..., float]] = {
    "mov.u32": lambda a: a,
    "mad.lo.u32": lambda a, b, c: (a * b + c) & MASK,
    "add.u32": lambda a, b: (a + b) & MASK,
    "shr.u32": lambda a, b: a >> b,
    "xor.b32": lambda a, b: a ^ b,
    "and.b32": lambda a, b: a & b,
    "setp.lt.u32": lambda a, b: a < b,
    "cvt.rn.f32.u32": lambda a: _exact(float(a)),
    "fma.rn.f32": lambda a, b, c: _exact(a * b + c),
    "mul.rn.f32": lambda a, b: _exact(a * b),
    "cvt.rmi.f32.f32": lambda a: _exact(float(math.floor(a))),
    "cvt.rzi.u32.f32": int,
}
