"""Where something was seen, in SARIF's words: a region of a file, or the name of what is in no file."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from nodeworthy.patterns import pattern
from nodeworthy.report.in_checkout import path_of
from nodeworthy.report.printable import REPLACED, printable
from nodeworthy.verdict import Place, Related

ROOT = "%SRCROOT%"
# A name of bytes that are no UTF-8 is told by these bytes (surrogates of Python's own); other halves are none.
_NO_BYTE = pattern("[\ud800-\udc7f\udd00-\udfff]")


def location(place: Place, below: str) -> dict[str, Any]:
    path = path_of(place, below)
    told: dict[str, Any] = {}
    if path is not None:
        told["physicalLocation"] = {"artifactLocation": artifact(path), **_region(place)}
    names = _names(place)
    if names:
        told["logicalLocations"] = names
    return told


def related(number: int, each: Related, below: str) -> dict[str, Any]:
    return {"id": number, **location(each.place, below), "message": {"text": printable(each.says)}}


def artifact(path: str) -> dict[str, str]:
    uri = quote(_NO_BYTE.sub(REPLACED, path), errors="surrogateescape")
    return {"uri": f"file://{uri}"} if path.startswith("/") else {"uri": uri, "uriBaseId": ROOT}


def _region(place: Place) -> dict[str, Any]:
    if place.line is None:
        return {}
    column = {} if place.column is None else {"startColumn": place.column}
    return {"region": {"startLine": place.line, **column}}


def _names(place: Place) -> list[dict[str, str]]:
    named = (("resource", place.urn), ("host", place.host), ("object", place.object), ("member", place.subject))
    return [{"fullyQualifiedName": printable(name), "kind": kind} for kind, name in named if name]
