"""What Ansible's handlers of a repository answer to: their names, and what they listen to."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.collect.source.scope import Scope
from nodeworthy.patterns import pattern

_YAML = (".yml", ".yaml")
_REMEMBERED = "handlers of Ansible"
_OTHERS_MAY = "\0"
# Names of handlers, and the items of a list that some of them listen to: rather too many than one too few.
_NAMES = pattern(
    rb"(?m)^[ \t]*(?:-[ \t]+)?(?:(?:name|listen):[ \t]+|-[ \t]+)[\"']?(?P<name>[^\"'\n#]{1,200}?)[\"']?[ \t\r]*(?:#|$)"
)
_HOLDS_SOME = pattern(rb"(?m)^[ \t]*(?:-[ \t]+)?(?:handlers|listen):")
_A_PLAY = pattern(rb"(?m)^-?[ \t]*hosts:")
# Roles that lie elsewhere bring handlers along: by requirements.yml, by a command, by the name of a collection.
_REQUIREMENTS = ("requirements.yml", "requirements.yaml")
_OF_ROLES = pattern(rb"(?m)^roles:|^-[ \t]+(?:src|name):")
_FETCHED = pattern(
    rb"(?m)ansible-galaxy[ \t]+(?:role[ \t]+)?install"
    rb"|\b(?:include|import)_role:[ \t]*\n[ \t]+name:[ \t]*[\"']?[\w-]+\.\w"
    rb"|^[ \t]*roles:[ \t]*\n(?:[ \t]*-[^\n]*\n){0,40}?[ \t]*-[ \t]+(?:role:[ \t]+)?[\"']?[\w-]+\.\w"
)
_META = ("main.yml", "main.yaml")
_DEPENDENCIES = pattern(rb"(?m)^dependencies:[ \t]*\n(?P<items>(?:[ \t]*(?:[-#]|\w+:)[^\n]*\n?|[ \t]*\n)*)")
_DEPENDENCY = pattern(rb"(?m)^[ \t]*-[ \t]+(?:\{?[ \t]*(?:role|name):[ \t]*)?[\"']?(?P<role>[\w./-]+)")
_IN_A_FOLDER = "/handlers/"


def names_answered(scope: Scope) -> frozenset[str] | None:
    """None where others may answer, which nobody sees here."""
    if _REMEMBERED not in scope.remembered:
        scope.remembered[_REMEMBERED] = _OTHERS_MAY if _others_may(scope) else "\n".join(sorted(set(_names(scope))))
    kept = scope.remembered[_REMEMBERED]
    return frozenset(kept.split("\n")) if kept != _OTHERS_MAY else None


def _others_may(scope: Scope) -> bool:
    """A role by itself is called by plays that have handlers of their own."""
    if scope.root is None or scope.incomplete:
        return True
    if not any(scope.holding(_A_PLAY, _YAML)) or any(scope.holding(_FETCHED, _YAML)):
        return True
    required = (scope.read(path) for name in _REQUIREMENTS for path in scope.called(name))
    return any(_OF_ROLES.search(data) for data in required if data is not None) or _needs_another(scope)


def _needs_another(scope: Scope) -> bool:
    """Whether a role depends on one that does not lie here."""
    there = {path.rpartition("/tasks/")[0].rpartition("/")[2] for path in scope.names() if "/tasks/" in path}
    meta = (path for name in _META for path in scope.called(name) if path.parent.name == "meta")
    for data in map(scope.read, meta):
        found = _DEPENDENCIES.search(data or b"")
        needed = _DEPENDENCY.finditer(found["items"]) if found is not None else ()
        if any(each["role"].decode().rpartition("/")[2] not in there for each in needed):
            return True
    return False


def _names(scope: Scope) -> Iterator[str]:
    for path in scope.names():
        if (_IN_A_FOLDER in path or "handler" in path.rpartition("/")[2]) and path.endswith(_YAML):
            yield from _names_in(scope.read_listed(path) or b"")
    for each in scope.holding(_HOLDS_SOME, _YAML):
        yield from _names_in(each.data)


def _names_in(data: bytes) -> Iterator[str]:
    for found in _NAMES.finditer(data):
        yield found["name"].decode("utf-8", "replace").strip()
