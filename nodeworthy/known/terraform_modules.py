"""Modules of Terraform's registry that are known without their files: in which versions, and what they make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

Plain = str | int | bool
_CONDITION = pattern(r"(~>|>=|<=|!=|=|>|<)?\s*v?(\d+(?:\.\d+)*)(?:-\S+)?")
_REF = pattern(r"[?&]ref=v?(\d[\w.]*)")
_PREFIX = pattern(r"^(?:git::)?(?:(?:https?|ssh)://)?(?:[\w.-]+@)?")
_OF_A_REGISTRY = ("registry.terraform.io/", "registry.opentofu.org/", "app.terraform.io/")
# No version has more parts that anybody compares, nor so large a one.
_PARTS, _LAST = 3, 1_000_000
_Version = tuple[int, ...]


@dataclass(frozen=True)
class KnownModule:
    """One as a root names it."""

    address: str
    folder: Path
    # What differs between its versions, under the name that the model has for it: the value where all versions that it
    # may be agree, None where they don't.
    by_version: Mapping[str, Plain | None]

    def texts(self) -> Iterator[str]:
        """The files of its model."""
        for path in sorted(self.folder.glob("*.tf")):
            yield path.read_text(encoding="utf-8")


@cache
def _rows() -> Sequence[Mapping[str, Any]]:
    rows: Sequence[Mapping[str, Any]] = table_of("terraform_modules")["module"]
    return rows


def known_module(source: str, version: str) -> KnownModule | None:
    """The module by its source and the version that is asked for, "" where none is. None for any other module, and for
    a version that is not in the table."""
    address, within, ref = _parts(source)
    for row in _rows():
        if address.lower() in (row["address"].lower(), row["git"].lower()) and within == row.get("within", ""):
            majors = [each for each in row["versions"] if _may_be(int(each), f"= {ref}" if ref else version)]
            return _module(row, majors) if majors else None
    return None


def _module(row: Mapping[str, Any], majors: Sequence[str]) -> KnownModule:
    differs: Mapping[str, Mapping[str, Plain]] = row.get("by_version", {})
    by_version = {name: _agreed([values[each] for each in majors]) for name, values in differs.items()}
    return KnownModule(row["address"], Path(__file__).with_name("modules") / row["model"], by_version)


def _agreed(values: Sequence[Plain]) -> Plain | None:
    return values[0] if all(each == values[0] for each in values) else None


def _parts(source: str) -> tuple[str, str, str]:
    """The module, the one inside it, and the version that a source of git names."""
    found = _REF.search(source)
    plain = _PREFIX.sub("", source.partition("?")[0]).replace("github.com:", "github.com/")
    for each in _OF_A_REGISTRY:
        plain = plain.removeprefix(each)
    address, _, within = plain.partition("//")
    return address.removesuffix(".git"), within.rstrip("/"), found[1] if found is not None else ""


def _may_be(major: int, constraint: str) -> bool:
    """Whether any version with this first number does."""
    least: _Version = (major, 0, 0)
    most: _Version = (major, _LAST, _LAST)
    for each in constraint.split(",") if constraint.strip() else ():
        found = _CONDITION.fullmatch(each.strip())
        if found is None:
            return True
        low, high = _range(found[1] or "=", tuple(int(part) for part in found[2].split(".")[:_PARTS]))
        least, most = max(least, low), min(most, high)
    return least <= most


def _range(sign: str, said: _Version) -> tuple[_Version, _Version]:
    whole = (*said, *(0,) * (_PARTS - len(said)))
    endless = (_LAST,) * _PARTS
    if sign == "~>":
        kept = said[:-1] if len(said) > 1 else ()
        return whole, (*kept, *(_LAST,) * (_PARTS - len(kept)))
    if sign in (">=", ">"):
        return whole, endless
    if sign == "<=":
        return (0,) * _PARTS, whole
    if sign == "<":
        return (0,) * _PARTS, _before(whole)
    return ((0,) * _PARTS, endless) if sign == "!=" else (whole, whole)


def _before(version: _Version) -> _Version:
    """The last one before it."""
    for at in reversed(range(len(version))):
        if version[at]:
            return (*version[:at], version[at] - 1, *(_LAST,) * (len(version) - at - 1))
    return (-1,) * len(version)
