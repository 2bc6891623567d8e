"""What mends toolkit.env where there is no choice: a path set, its spelling mended, the second of two equal entries."""

from __future__ import annotations

from nodeworthy.edit import Edit, EditKind, replacing
from nodeworthy.facts.operator.values import EnvVar
from nodeworthy.verdict import Located, Unknown


def setting(name: str, path: Located[str], right: str | None) -> Edit | None:
    if right is None:
        return None
    title = f"Set {name} to {right}"
    if path.written:
        return replacing(path, right, title)
    return Edit(EditKind.VARIABLE, path.place, "", f"{name}={right}", title)


def bare(path: Located[str], written: str) -> Edit | None:
    """A path that is right but for what stands around it."""
    right = written.strip().removeprefix("unix://")
    if right == written or not right.startswith("/") or "://" in right:
        return None
    return replacing(path, right, "Write the bare path" if "://" in written else "Take off the white space")


def without_dash(other: EnvVar) -> Edit | None:
    place = other.value.place
    if other.value.secret or place.line is None:
        return None
    return Edit(EditKind.DASH, other.tree.place, "value", "", "Take the dash before value away")


def without_twin(first: EnvVar, other: EnvVar) -> Edit | None:
    if first.value.secret or first.value.state != other.value.state or isinstance(first.value.state, Unknown):
        return None
    return Edit(EditKind.TWIN, other.place, other.value.shown(), "", "Remove the second entry, which says the same")
