"""What a script brings: the boot of a node, work on another machine, what it asks of a cluster or a cloud, the objects
that it gives to a cluster, and secrets that it only hands on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nodeworthy.collect.objects import facts_of, objects
from nodeworthy.collect.source.boot_scripts import (
    asks_a_cluster,
    includes_tasks,
    is_boot_script,
    is_nodes_firewall,
    is_script,
    is_tasks_of_a_node,
    may_ask_for_nodes,
    may_give_objects,
    may_install_charts,
    may_send_scripts,
    may_write_for_slurm,
)
from nodeworthy.collect.source.comments import comments
from nodeworthy.collect.source.files import Source, any_text
from nodeworthy.collect.source.files_beside import FilesBeside
from nodeworthy.collect.source.parsing import FileContents, documents_in, variables_of_tasks, with_surroundings
from nodeworthy.collect.source.scripts_and_variables import secrets_beside, secrets_told_openly
from nodeworthy.facts.secrets.plain_text import PlainText
from nodeworthy.records import replace
from nodeworthy.scene import Fact
from nodeworthy.verdict import Place

if TYPE_CHECKING:
    from nodeworthy.collect.aws.stack import Stack
    from nodeworthy.facts.boot.script import BootScript

# By which Google's and Azure's clients open ports.
_OPENS = (b"firewall-rules", b"open-port", b"nsg rule")
_MAKEFILES = ("Makefile", "makefile", "GNUmakefile")


def contents(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    """A script that boots a node, that works on another machine, or that only hands secrets on; and the objects that it
    gives to a cluster."""
    found, applied = _read_commands(source, data, rules), [*_applied_objects(source, data), *_opened(source, data)]
    started = _machines_started(source, data)
    if not applied and not started:
        return found
    if found is None:
        told = comments(any_text(data), Place(source.shown), rules, is_yaml=False)
        return FileContents(applied, suppressions=list(told), stacks=started)
    return replace(found, facts=[*found.facts, *applied], stacks=[*found.stacks, *started])


def _machines_started(source: Source, data: bytes) -> list[Stack]:
    """The machines that a script has EC2 start."""
    if b"run-instances" not in data or not is_script(data, source.path.name):
        return []
    from nodeworthy.boot.unpack import unpack
    from nodeworthy.collect.source.machines_started import stack_of_machines
    from nodeworthy.facts.boot.script import BootScript

    place = Place(path=source.shown)
    stack = stack_of_machines(BootScript(place, unpack(data, place, name=source.path.name)), any_text(data))
    return [stack] if stack is not None else []


def _opened(source: Source, data: bytes) -> list[Fact]:
    """The ports that it has a cloud open, of the machines that it makes there."""
    if not any(sign in data for sign in _OPENS) or not is_script(data, source.path.name):
        return []
    from nodeworthy.boot.unpack import unpack
    from nodeworthy.collect.source.ports_of_clouds import opened_ports
    from nodeworthy.facts.boot.script import BootScript

    place = Place(path=source.shown)
    return list(opened_ports(BootScript(place, unpack(data, place, name=source.path.name))))


def _applied_objects(source: Source, data: bytes) -> list[Fact]:
    """The objects that a script gives to a cluster, or changes there, and the containers that it starts itself."""
    if not is_script(data, source.path.name):
        return _objects_applied(source, as_shell_script(source, data)) if may_give_objects(data) else []
    found = _objects_applied(source, data)
    if b"clusterpolic" in data:
        from nodeworthy.collect.source.patched_policies import patched_policies

        found += patched_policies(any_text(data), source.shown)
    if b"NVIDIA_" in data:
        from nodeworthy.facts.pod.docker_gpus import containers_run

        found += containers_run(any_text(data), source.shown)
    return found


def _objects_applied(source: Source, data: bytes) -> list[Fact]:
    if b"apiVersion" not in data or b"<<" not in data:
        return []
    from nodeworthy.collect.source.applied_manifests import applied_objects

    every = (with_surroundings(each, source) for each in applied_objects(any_text(data), source.shown))
    if not may_ask_for_nodes(data):
        return list(every)
    from nodeworthy.facts.fleet.asked_by_commands import OF_NODES

    return [each for each in every if type(each).__name__ not in OF_NODES]  # these are read with what asks for nodes


def _read_commands(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    if is_boot_script(data, source.path.name) or is_nodes_firewall(data) or _includes_tasks_of_a_node(source, data):
        found, started = _read_boot_script(source, data, rules), _scripts_for_new_machines(source, data)
        if found.scripts[0].is_meant or found.scripts[0].makes_a_node:
            facts = [*found.facts, *_facts_of_cluster_tasks(source, data), *_told_by_tasks(found, source, data, rules)]
            return replace(found, facts=facts, scripts=[*found.scripts, *started])
        if started:
            told = _beside_scripts(secrets_beside(source, data, rules), started)
            return replace(found, facts=[*found.facts, *told], scripts=started)
        if found.facts:
            # It makes no node of this machine, and asks something of another one, or of a cloud.
            return replace(found, scripts=[])
    elif _may_do_something_elsewhere(data) and (shell := as_shell_script(source, data, beside := FilesBeside(source))):
        found = _read_boot_script(source, shell, rules)
        if found.facts:
            facts = [*found.facts, *secrets_beside(source, data, rules)]
            return replace(found, scripts=[], facts=facts, beside=found.beside or beside)
    return secrets_told_openly(source, data, rules) if is_script(data, source.path.name) else None


def _may_do_something_elsewhere(data: bytes) -> bool:
    """Or for Slurm, of which a script makes no node that we know."""
    if may_install_charts(data) or may_ask_for_nodes(data) or may_send_scripts(data):
        return True
    return may_write_for_slurm(data)


def _beside_scripts(told: Sequence[Fact], scripts: Sequence[BootScript]) -> list[Fact]:
    """The secrets beside the scripts that a file hands over: these are looked at as what their machines are given."""
    less = [_without(each, scripts) if isinstance(each, PlainText) else each for each in told]
    return [each for each in less if not isinstance(each, PlainText) or each.secrets]


def _without(whole: PlainText, scripts: Sequence[BootScript]) -> PlainText:
    """The text with empty lines in place of the scripts."""
    lines = whole.text.split("\n")
    for part in (part for script in scripts for part in script.userdata.parts):
        first, count = (part.place.line or 1) - 1, len(part.text.split("\n"))
        lines[first : first + count] = [""] * count
    return replace(whole, text="\n".join(lines))


def _told_by_tasks(found: FileContents, source: Source, data: bytes, rules: frozenset[str]) -> Sequence[Fact]:
    """The secrets of Ansible's tasks, where their variables are set; another script's commands are looked at."""
    from nodeworthy.boot.userdata import PartKind

    return secrets_beside(source, data, rules) if found.scripts[0].userdata.has(PartKind.PLAYBOOK) else ()


def _includes_tasks_of_a_node(source: Source, data: bytes) -> bool:
    """Tasks that do nothing but include those of a node."""
    if not includes_tasks(data):
        return False
    from nodeworthy.collect.source.included_tasks import play_of

    play = play_of(source, data)
    return play is not None and play.is_of_a_node


def _scripts_for_new_machines(source: Source, data: bytes) -> list[BootScript]:
    """The user data that a script hands over to machines which it starts."""
    if not is_script(data, source.path.name):
        return []
    from nodeworthy.collect.source.handed_over import scripts_handed_over

    return list(scripts_handed_over(any_text(data), source.shown, source.scope))


def _facts_of_cluster_tasks(source: Source, data: bytes) -> list[Fact]:
    """What tasks that make a node ask of its cluster."""
    if not asks_a_cluster(data) or not is_tasks_of_a_node(data):
        return []
    around = variables_of_tasks(source, data)
    every = (one for document in documents_in(source, data)[0] for one in objects(document, around) if one.is_mapping)
    return [fact for each in every for fact in facts_of(each)]


def as_shell_script(source: Source, data: bytes, beside: FilesBeside | None = None) -> bytes:
    """A script as it stands. Of a makefile, a justfile or a pipeline, the script that its commands come down to."""
    if is_script(data, source.path.name):
        return data
    if source.path.name in _MAKEFILES or source.path.suffix == ".mk":
        from nodeworthy.collect.source.makefiles import as_shell

        return as_shell(data, beside)
    from nodeworthy.collect.source import justfiles, pipelines

    if justfiles.is_justfile(source.path.name):
        return justfiles.as_shell(data)
    return pipelines.as_shell(data) if pipelines.is_pipeline(data, source.path.name) else b""


def _read_boot_script(source: Source, data: bytes, rules: frozenset[str]) -> FileContents:
    from nodeworthy.collect.source.script_files import boot_script

    return boot_script(source, data, rules)
