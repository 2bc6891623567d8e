"""The names of files that stand in a text of any language, found by their endings."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

_ENDINGS = pattern(
    rb"\.(?:sh|bash|tftpl|tpl|tmpl|j2|userdata|boothook|ya?ml|cfg|conf|toml|txt|gz|py|sbatch|slurm|json)(?![\w.-])"
)
# Backwards, from the ending on: the longest name of a path, and no more.
_BEFORE = pattern(rb"(?:[\w./~@%+-]|\}[\w.]{1,60}\{\$){1,255}")


@dataclass(frozen=True)
class Named:
    name: str
    line: int
    offset: int


def names_in(data: bytes) -> Iterator[Named]:
    """Each with its line; a name is at most 255 bytes long."""
    line, counted = 1, 0
    for ending in _ENDINGS.finditer(data):
        begins = ending.start()
        before = _BEFORE.match(data[max(0, begins - 255) : begins][::-1])
        if before is None:
            continue
        offset = begins - before.end()
        line += data.count(b"\n", counted, offset)
        counted = offset
        yield Named(data[offset : ending.end()].decode("utf-8", "replace"), line, offset)
