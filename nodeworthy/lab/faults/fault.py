"""The known faults: a shell script each, whose first comments say what it does and which rule must see it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path

from nodeworthy.errors import InputError
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

HERE = Path(__file__).parent
POOL = "h100"
_SAYS = pattern(r"^# (Fault|Harmless|Rule|Unknown|When|Pool): (.+)$", re.MULTILINE)
HEALTHY = "healthy"

# Rules about nodes that no fault can turn red here, and why.
NOT_INJECTED: Mapping[str, str] = {}


class When(StrEnum):
    # The node has booted, and is well.
    RUNNING = "running"
    # The script is the first part of the user data, the healthy one follows.
    BOOT = "boot"


@dataclass(frozen=True)
class LabFault:
    name: str
    says: str
    # The rule that must turn red; None where none may.
    rule: str | None
    # What perhaps nobody can know any more while this is so.
    unknown: frozenset[str]
    when: When
    # Of `fleet.yaml`.
    pool: str
    script: str
    # What must have been looked at, and be well.
    passes: frozenset[str] = frozenset()


def faults() -> Sequence[LabFault]:
    """The faults by rule, then by name; harmless ones come first."""
    found = (_read_fault(file) for file in (HERE / "scripts").glob("*.sh"))
    return sorted(found, key=lambda each: (each.rule or "", each.name))


def choose_faults(names: Sequence[str]) -> Sequence[LabFault]:
    """Raises InputError for a name that is none."""
    known = {each.name: each for each in faults()}
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            raise InputError(f"there is no fault {name!r}{f'; did you mean {near[0]}?' if near else ''}")
    return [each for each in known.values() if not names or each.name in names]


@cache
def healthy_scripts(pool: str) -> Sequence[str]:
    """The boot script of a node without faults, and what those of its pool have besides."""
    names = ("healthy.sh", f"healthy-{pool}.sh")
    return [(HERE / name).read_text() for name in names if (HERE / name).exists()]


def healthy(pool: str = POOL) -> LabFault:
    """No fault at all: the node that others are injected into. A rule that skipped it would see no fault either."""
    looked_at = frozenset(each.rule for each in faults() if each.rule and each.pool == pool)
    name = HEALTHY if pool == POOL else f"{HEALTHY}-{pool}"
    return LabFault(name, "nothing is wrong", None, frozenset(), When.RUNNING, pool, "#!/bin/sh\n", looked_at)


def with_healthy(named: Sequence[LabFault]) -> Sequence[LabFault]:
    """The healthy node of each pool first."""
    return [*map(healthy, sorted({each.pool for each in named} | {POOL})), *named]


def _read_fault(file: Path) -> LabFault:
    text = file.read_text()
    header = dict(_SAYS.findall(text))
    return LabFault(
        name=file.stem,
        says=header.get("Fault") or header["Harmless"],
        rule=header["Rule"] if "Fault" in header else None,
        unknown=frozenset(_listed(header.get("Unknown", ""))),
        when=When(header.get("When", When.RUNNING)),
        pool=header.get("Pool", POOL),
        script=text,
    )


def _listed(text: str) -> Iterator[str]:
    return (each.strip() for each in text.split(",") if each.strip())
