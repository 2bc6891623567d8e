"""The bill of materials (CycloneDX 1.6) of what `pip install 'nodeworthy[all]'` brings, from locks/all.txt."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

PINNED = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>\S+?)(?: ; (?P<marker>.+?))?(?: \\)?$")
HASH = re.compile(r"--hash=sha256:(?P<digest>[0-9a-f]{64})")
# Who wants it: on the line of `via`, or on one of its own beneath.
WANTED_BY = re.compile(r"^    # (?:via )?\s*(?P<who>\S.*)$")
OURS = "nodeworthy (pyproject.toml)"


@dataclass(frozen=True)
class Locked:
    name: str
    version: str
    marker: str
    digests: tuple[str, ...]
    wanted_by: frozenset[str]

    @property
    def reference(self) -> str:
        return f"pkg:pypi/{self.name}@{self.version}"


def read(lock: str) -> list[Locked]:
    found: list[Locked] = []
    for block in re.split(r"^(?=\S+==)", lock, flags=re.MULTILINE):
        lines = block.splitlines()
        pinned = PINNED.match(lines[0]) if lines else None
        if pinned:
            wanted = frozenset(
                each["who"] for line in lines if (each := WANTED_BY.match(line)) and each["who"] != "via"
            )
            digests = tuple(each["digest"] for each in HASH.finditer(block))
            found.append(Locked(pinned["name"], pinned["version"], pinned["marker"] or "", digests, wanted))
    return found


def brought(locked: Iterable[Locked]) -> list[Locked]:
    """Those that the wheel asks for, with or without an extra, and what they ask for in their turn; no tool of ours."""
    every = list(locked)
    names, taken = {OURS}, set[str]()
    while names - taken:
        taken |= names
        names |= {each.name for each in every if each.wanted_by & names}
    return [each for each in every if each.name in taken]


def bill(version: str, lock: str, epoch: int, files: Mapping[str, str]) -> dict[str, Any]:
    """`files` are those of the release, by name, with their SHA-256."""
    parts = brought(read(lock))
    ours = f"pkg:pypi/nodeworthy@{version}"
    named = "\n".join([ours, *(each.reference for each in parts), *files.values()])
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, named)}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(epoch, UTC).isoformat().replace("+00:00", "Z"),
            "component": _ours(version, ours, files),
        },
        "components": [_component(each) for each in parts],
        "dependencies": _dependencies(ours, parts),
    }


def _ours(version: str, reference: str, files: Mapping[str, str]) -> dict[str, Any]:
    return {
        "type": "application",
        "bom-ref": reference,
        "name": "nodeworthy",
        "version": version,
        "purl": reference,
        "licenses": [{"license": {"id": "Apache-2.0"}}],
        "components": [
            {"type": "file", "bom-ref": name, "name": name, "hashes": [_hash(digest)]} for name, digest in files.items()
        ],
    }


def _component(each: Locked) -> dict[str, Any]:
    said: dict[str, Any] = {
        "type": "library",
        "bom-ref": each.reference,
        "name": each.name,
        "version": each.version,
        "purl": each.reference,
        # One of each file that may be installed: which one, decides the machine.
        "hashes": [_hash(digest) for digest in each.digests],
    }
    if each.marker:
        said["properties"] = [{"name": "nodeworthy:marker", "value": each.marker}]
    return said


def _hash(digest: str) -> dict[str, str]:
    return {"alg": "SHA-256", "content": digest}


def _dependencies(ours: str, parts: list[Locked]) -> list[dict[str, Any]]:
    names = {OURS: ours} | {each.name: each.reference for each in parts}
    asks = {
        reference: [each.reference for each in parts if name in each.wanted_by] for name, reference in names.items()
    }
    return [{"ref": reference, "dependsOn": sorted(set(asked))} for reference, asked in asks.items()]
