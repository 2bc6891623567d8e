"""What a script brings: what it does to the machine that it boots, and what its commands do elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from nodeworthy.collect.source.boot_scripts import (
    includes_tasks,
    is_firewall_script,
    is_meant_as_one,
    is_script,
    is_tasks_of_a_node,
    may_ask_for_nodes,
    may_install_charts,
    may_write_for_slurm,
)
from nodeworthy.collect.source.comments import comments
from nodeworthy.collect.source.files import STDIN, Source, any_text
from nodeworthy.collect.source.files_beside import FilesBeside
from nodeworthy.collect.source.fleets import Fleets
from nodeworthy.collect.source.parsing import FileContents, InputRefused, content
from nodeworthy.documents.tree import Tree
from nodeworthy.errors import InputError
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.fleet.model import Firewall
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.scene import Fact
from nodeworthy.verdict import Place

if TYPE_CHECKING:
    from nodeworthy.collect.source.included_tasks import Play

_TASKS = (".yml", ".yaml")
# It has another file's variables.
_SOURCES = pattern(rb"(?m)(?:^|[;&|])[ \t]*(?:source|\.)[ \t]+[^\s;]")
# By what a script reaches another machine.
_ELSEWHERE = (b"ssh", b"pdsh", b"clush", b"ansible ", b"multipass exec", b"lxc exec", b"limactl shell", b"send-command")


def boot_script(source: Source, data: bytes, rules: frozenset[str]) -> FileContents:
    from nodeworthy.boot.unpack import unpack

    _refuse_unquoted(source, data)
    play = _play(source, data)
    if play is not None:
        return play.contents(source, data, rules)
    place = Place(path=source.shown)
    is_meant = is_meant_as_one(source.path.name)
    read = unpack(data, place, name=source.path.name, variables=variables_of(source, data))
    script = BootScript(place, read, is_meant=is_meant, surroundings=source.scope)
    told = list(comments(any_text(data), place, rules, is_yaml=False))
    beside = FilesBeside(source)
    return FileContents(facts_of_commands(script, data, beside), scripts=[script], suppressions=told, beside=beside)


def _refuse_unquoted(source: Source, data: bytes) -> None:
    if not source.path.name.endswith(_TASKS) or b"{{" not in data or not is_tasks_of_a_node(data):
        return
    from nodeworthy.collect.source.unquoted_fillings import WHY, first_unquoted

    found = first_unquoted(any_text(data), Place(path=source.shown))
    if found is not None:
        raise InputRefused(found, WHY)


def _play(source: Source, data: bytes) -> Play | None:
    """What these tasks are a part of, with all that stands in it."""
    if not (includes_tasks(data) or is_tasks_of_a_node(data)):
        return None
    from nodeworthy.collect.source.included_tasks import play_of

    play = play_of(source, data)
    return play if play is not None and play.is_of_a_node else None


def variables_of(source: Source, data: bytes) -> Mapping[str, Tree]:
    """The variables that a role and an inventory fill into Ansible's tasks."""
    if b"{{" not in data or not is_tasks_of_a_node(data):
        return {}
    from nodeworthy.collect.source.role_variables import variables_around

    return variables_around(source, data)


def facts_of_commands(script: BootScript, data: bytes, beside: FilesBeside) -> list[Fact]:
    """What it does elsewhere: on machines that it logs in to, in clusters that it installs charts into."""
    elsewhere = [
        *for_other_machines(script, data),
        *charts_installed(script, data, beside),
        *_of_nodes(script, data, beside),
    ]
    return [*elsewhere, *_images(script, data), *_manifests(script, data, beside), *_of_slurm(script, data)]


def _of_slurm(script: BootScript, data: bytes) -> list[Fact]:
    if not may_write_for_slurm(data):
        return []
    from nodeworthy.collect.source.slurm_files_written import slurm_files_written

    return list(slurm_files_written(script))


def _manifests(script: BootScript, data: bytes, beside: FilesBeside) -> list[Fact]:
    """The objects that it gives to a cluster, where it is no script as it stands: of those the text is looked at."""
    if b"apiVersion" not in data or is_script(data, beside.source.path.name) or is_tasks_of_a_node(data):
        return []
    from nodeworthy.collect.source.manifests_on_nodes import manifests_on_nodes

    return list(manifests_on_nodes(script))


def _images(script: BootScript, data: bytes) -> list[Fact]:
    """NVIDIA's images that the script pulls or runs; whether they exist does not depend on this machine."""
    if b"nvidia/cuda" not in data:
        return []
    from nodeworthy.facts.pod.named_images import images_of_script

    return list(images_of_script(script))


def for_other_machines(script: BootScript, data: bytes) -> list[Fact]:
    if not any(mark in data for mark in _ELSEWHERE):
        return []
    from nodeworthy.facts.boot.remote_script import remote_scripts, sending_script

    return [*remote_scripts(script), *sending_script(script)]


def charts_installed(script: BootScript, data: bytes, beside: FilesBeside) -> list[Fact]:
    if not may_install_charts(data):
        return []
    from nodeworthy.collect.source.helm_commands import installed_by_helm

    return list(installed_by_helm(script, beside))


def _of_nodes(script: BootScript, data: bytes, beside: FilesBeside) -> list[Fact]:
    if not may_ask_for_nodes(data):
        return []
    from nodeworthy.collect.objects import facts_of
    from nodeworthy.facts.fleet.asked_by_commands import asked_by_commands

    return list(asked_by_commands(_told_by_others(script, data, beside), facts_of))


def _told_by_others(script: BootScript, data: bytes, beside: FilesBeside) -> BootScript:
    """The same script, with the variables of the files that it sources."""
    if _SOURCES.search(data) is None or not is_script(data, beside.source.path.name):
        return script
    from nodeworthy.boot.unpack import unpack
    from nodeworthy.collect.source.sourced_variables import with_sourced_variables

    text = with_sourced_variables(any_text(data), beside)
    if text is None:
        return script
    return replace(script, read=unpack(text.encode(), script.place, name=beside.source.path.name))


def firewall_script(source: Source, fleets: Fleets, rules: frozenset[str]) -> FileContents | None:
    """A script that only sets up a firewall is a node's where a pool of the fleet beside it has one."""
    if source.shown == STDIN:
        return None
    try:
        data = content(source)
    except InputRefused:
        return None
    if data is None or not is_firewall_script(data):
        return None
    try:
        fleet = fleets.beside(source.path.parent).fleet
    except InputError:
        return boot_script(source, data, rules)  # whose it is, nobody can say, and that is told with it
    wanted = fleet is not None and any(pool.firewall is Firewall.UFW for pool in fleet.pools)
    return boot_script(source, data, rules) if wanted else None
