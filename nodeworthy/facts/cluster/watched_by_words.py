"""Conditions of a node that nobody knows by their type, and whose message says what is wrong with its hardware.

Everybody may let a node problem detector set conditions of their own, and most call them as they like: what the message
quotes of the driver, the kernel or a card is known all the same.
"""

from __future__ import annotations

from nodeworthy.known.chain import link_of_evidence
from nodeworthy.known.evidence import EvidenceMatch, in_text
from nodeworthy.known.gpu_conditions import GpuCondition
from nodeworthy.known.xid import xid_numbered
from nodeworthy.patterns import pattern

_KUBELETS = frozenset(
    (
        "Ready",
        "MemoryPressure",
        "DiskPressure",
        "PIDPressure",
        "NetworkUnavailable",
        "OutOfDisk",
        "ContainerRuntimeReady",
    )
)
# A condition of such a name is good where it is true; one of any other, where it is false.
_NAMES_WHAT_IS_WELL = pattern(r"(?i)(?:ready|healthy|health|ok|up|available|passed|well)\Z")
_NAMES_WHAT_IS_NOT = pattern(r"(?i)(?:not|un|in)(?:ready|healthy|health|available)\Z")
_LAYERS = frozenset(("hardware", "driver", "fabric", "network"))
# Its components watch the hardware, and a condition is made of what one of them says.
_WATCHES_IT = "leptonai/gpud"


def condition_by_words(kind: str, status: str, message: str) -> GpuCondition | None:
    """What such a condition tells of a fault; None of one that is as it should be, or speaks of something else."""
    good = str(_is_of_what_is_well(kind))
    if kind in _KUBELETS or status not in ("True", "False") or status == good:
        return None
    found = next((each for each in in_text(message) if _is_of_hardware(each)), None)
    if found is None:
        return None
    entry = xid_numbered(found.evidence.table, found.number) if found.number is not None else None
    said, link = found.evidence, link_of_evidence(found.evidence.id, found.evidence.layer)
    return GpuCondition(
        kind,
        "whoever watches nodes there",
        good,
        said.says if entry is None else f"Xid {found.number}: {entry.says}",
        said.cause,
        said.remedy,
        link or "healthy",
    )


def _is_of_what_is_well(kind: str) -> bool:
    return _NAMES_WHAT_IS_WELL.search(kind) is not None and _NAMES_WHAT_IS_NOT.search(kind) is None


def _is_of_hardware(found: EvidenceMatch) -> bool:
    """A program's own fault is none of the node's."""
    evidence = found.evidence
    entry = xid_numbered(evidence.table, found.number) if found.number is not None else None
    of_program = entry is not None and entry.whose == "program"
    of_hardware = evidence.layer in _LAYERS or _WATCHES_IT in evidence.source
    return of_hardware and not evidence.is_symptom and not evidence.is_family and not of_program
