"""What other roles of a playbook bring to the nodes that one of its roles makes.

A role that installs NVIDIA's driver makes no node, and the one that installs k3s brings no driver: a playbook that
names both runs them on the same machines, or on the GPU nodes among them. So does one that imports playbooks that do.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence

from nodeworthy.facts.boot.pool_drivers import brought_by_scripts
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.surroundings import Surroundings
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.verdict import NotKnown, Place

_OF_A_ROLE = pattern(r"(?:(.*)/)?roles/([\w.-]+)/(?:tasks|templates|handlers|files|defaults|vars)/")
_PLAYS = pattern(
    rb"(?m)^[ \t]*(?:-[ \t]+)?(?:hosts|(?:ansible\.builtin\.)?import_playbook)[ \t]*:",
    words=(b"hosts", b"import_playbook"),
)
_IMPORTED = pattern(
    rb"(?m)^[ \t]*(?:-[ \t]+)?(?:ansible\.builtin\.)?import_playbook[ \t]*:[ \t]*[\"']?([\w./-]+)",
    words=(b"import_playbook",),
)
# `- nvidia`, `- role: nvidia`, `- {role: nvidia}`, `name: nvidia`
_NAMED = pattern(
    rb"(?m)^[ \t]*(?:-[ \t]+)?(?:\{[ \t]*)?(?:(?:role|name)[ \t]*:[ \t]*)?[\"']?([\w.-]{1,80})[\"']?[ \t\r]*(?:[#,}]|$)"
)
_LISTED = pattern(rb"(?m)^[ \t]*roles[ \t]*:[ \t]*\[([^\]\n]{1,500})\]", words=(b"roles",))
_YAML = (".yml", ".yaml")
_OF_AN_INVENTORY = "the nodes of inventory"


def with_other_roles(pools: Sequence[GpuPool], scripts: Sequence[BootScript]) -> list[GpuPool]:
    """The pools of roles with what the roles beside theirs install, where nothing of their own says it."""
    others = [(role, each) for each in scripts if (role := _role_of(each.place)) is not None and _brings(each)]
    return [_with(pool, others) for pool in pools] if others else list(pools)


def _with(pool: GpuPool, others: Sequence[tuple[tuple[str, str], BootScript]]) -> GpuPool:
    own = _role_of(pool.place)
    if own is not None:
        beside = [
            script
            for role, script in others
            if role[0] == own[0] and role != own and _are_named_together(own[1], role[1], script.surroundings)
        ]
    elif pool.noun == _OF_AN_INVENTORY:
        beside = [script for role, script in others if _are_for_its_nodes(role, pool, script.surroundings)]
    else:
        return pool
    if not beside:
        return pool
    return replace(brought_by_scripts(pool, beside), scripts=(*pool.scripts, *beside))


def _are_for_its_nodes(role: tuple[str, str], pool: GpuPool, around: Surroundings | None) -> bool:
    """Whether a playbook that lies with this inventory names the role beside one that makes such nodes."""
    if around is None or not f"{pool.place.file}".startswith(f"{role[0]}/" if role[0] else ""):
        return False
    made = pool.distribution.shown()
    return any(role[1] in names and any(made in each for each in names) for names in _playbooks(around))


def _role_of(place: Place) -> tuple[str, str] | None:
    """The folder of its roles, and its name."""
    found = _OF_A_ROLE.match(place.file.replace("\\", "/"))
    return (found[1] or "", found[2]) if found is not None else None


def _brings(script: BootScript) -> bool:
    """Whether it installs a driver or the container toolkit. What reads scripts is imported only where there are."""
    from nodeworthy.facts.boot.drivers import drivers
    from nodeworthy.facts.boot.toolkit_installed import toolkits

    try:
        return any(drivers(script.timeline)) or any(toolkits(script.timeline))
    except NotKnown:
        return False


def _are_named_together(one: str, other: str, around: Surroundings | None) -> bool:
    return around is not None and any({one, other} <= names for names in _playbooks(around))


def _playbooks(around: Surroundings) -> Iterator[set[str]]:
    """The names of roles, and all else that stands alone in a line, of each playbook with those that it imports."""
    every = {held.path.as_posix(): held.data for held in around.holding(_PLAYS, _YAML)}
    for path in every:
        yield {name for each in _with_imported(path, every) for name in _names_in(every[each])}


def _names_in(data: bytes) -> Iterator[str]:
    yield from (found[1].decode() for found in _NAMED.finditer(data))
    for found in _LISTED.finditer(data):
        yield from (each.strip(" \t\"'") for each in found[1].decode("utf-8", "replace").split(","))


def _with_imported(path: str, every: Mapping[str, bytes]) -> list[str]:
    found = [path]
    for each in found:
        for named in _IMPORTED.finditer(every[each]):
            other = posixpath.normpath(posixpath.join(posixpath.dirname(each), named[1].decode()))
            if other in every and other not in found:
                found.append(other)
    return found
