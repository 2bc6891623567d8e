"""User data that somebody damaged: cut, spliced, repeated, filled with what hurts, packed once more."""

from __future__ import annotations

import base64
import gzip
import random
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.boot import userdatas

ROOT = Path(__file__).resolve().parents[1]
# Larger ones are for the bench.
LARGEST = 200_000
NO_USER_DATA = ("cmd", "expected.json", "cases.toml", "quiet.json")

HURTS: Sequence[bytes] = [
    *(
        b"\0",
        b"\r\n",
        b"\r",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
        b"\x1f\x8b",
        b"\t",
        b"\x0c",
        "\u2028".encode(),
        b"\\\n",
        b"\\",
    ),
    *(b"'", b'"', b"`", b"$(", b"${", b"$((", b"((", b"[[", b"<(", b")", b"}", b"))", b"]]", b"${a:-${b", b"$'", b'$"'),
    *(
        b"<<EOF\n",
        b"<<'EOF'\n",
        b"<<-EOF\n",
        b"\nEOF\n",
        b"<<<",
        b"|",
        b"||",
        b"&&",
        b"&",
        b";",
        b";;",
        b">",
        b">&",
        b"2>&1",
    ),
    *(
        b"if ",
        b" then ",
        b" fi\n",
        b"for x in ",
        b" do\n",
        b" done\n",
        b"case x in ",
        b" esac\n",
        b"while ",
        b"{ ",
        b"f() ",
    ),
    *(
        b"eval ",
        b"source ",
        b"exec ",
        b"bash -c '",
        b"sudo ",
        b"xargs ",
        b"trap ",
        b"set -e\n",
        b"return\n",
        b"exit 0\n",
    ),
    *(b"%{ if x }", b"%{ endif }", b"%{ for a in b ~}\n", b"$${", b"{{ x }}", b"{% if %}", b"## template: jinja\n"),
    *(
        b"#cloud-config\n",
        b"#cloud-boothook\n",
        b"#!/bin/sh\n",
        b"#include\n",
        b"MIME-Version: 1.0\n",
        b"--==BOUNDARY==\n",
    ),
    *(b"--==BOUNDARY==--\n", b"Content-Type: multipart/mixed\n", b"Content-Transfer-Encoding: base64\n", b"\n\n"),
    *(
        b": ",
        b"- ",
        b"&a ",
        b"*a",
        b"!!binary ",
        b"|\n",
        b">\n",
        b"? ",
        b"<<: *a\n",
        b"[",
        b"{",
        b'"""',
        b"---\n",
        b"...\n",
    ),
]
WRAPS: Sequence[Callable[[bytes], bytes]] = [
    base64.b64encode,
    base64.encodebytes,
    lambda data: gzip.compress(data, mtime=0),
]


def corpus() -> list[bytes]:
    """What people write, what our cases hold, and what userdata/ writes."""
    found = [*userdatas.ALL.values()]
    for folder in ("cases", "userdata/golden"):
        paths = sorted(path for path in (ROOT / folder).rglob("*") if path.is_file())
        found += [
            path.read_bytes() for path in paths if path.name not in NO_USER_DATA and path.stat().st_size < LARGEST
        ]
    return found


def mutated(source: random.Random, all_of_them: Sequence[bytes]) -> bytes:
    data = source.choice(all_of_them)
    for _ in range(source.choice([1, 1, 2, 3, 5, 8, 20])):
        data = source.choice(_WAYS)(data, source, all_of_them)
    while source.random() < 0.1:
        data = source.choice(WRAPS)(data)
    return data[:LARGEST]


def _cut(data: bytes, source: random.Random, _: Sequence[bytes]) -> bytes:
    at, end = sorted((source.randint(0, len(data)), source.randint(0, len(data))))
    return source.choice([data[:at], data[at:], data[:at] + data[end:], data[at:end]])


def _hurt(data: bytes, source: random.Random, _: Sequence[bytes]) -> bytes:
    at = source.randint(0, len(data))
    return data[:at] + source.choice(HURTS) * source.choice([1, 1, 1, 2, 50]) + data[at:]


def _splice(data: bytes, source: random.Random, others: Sequence[bytes]) -> bytes:
    other = source.choice(others)
    at, from_ = source.randint(0, len(data)), source.randint(0, len(other))
    return data[:at] + other[from_ : from_ + source.choice([5, 50, 500, 5000])] + data[at:]


def _lines(data: bytes, source: random.Random, _: Sequence[bytes]) -> bytes:
    """A line is dropped, repeated, moved, or indented otherwise."""
    lines = data.split(b"\n")
    at, to = source.randrange(len(lines)), source.randrange(len(lines))
    line = lines.pop(at)
    lines[to:to] = source.choice([[], [line], [line, line], [line] * 100, [b"  " + line], [line.strip()]])
    return b"\n".join(lines)


def _flip(data: bytes, source: random.Random, _: Sequence[bytes]) -> bytes:
    at = source.randint(0, len(data))
    return data[:at] + bytes([source.randrange(256)]) + data[at + 1 :]


_WAYS = (_cut, _hurt, _hurt, _hurt, _splice, _lines, _lines, _flip)
