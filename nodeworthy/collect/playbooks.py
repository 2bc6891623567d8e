"""What tasks of Ansible ask of a cluster: objects (`kubernetes.core.k8s`) and releases (`kubernetes.core.helm`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from nodeworthy.boot.playbook.tasks import Task, tasks_anywhere
from nodeworthy.boot.playbook.variables import fill_tree, text_of
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all_inside

_OBJECTS, _RELEASES = ("k8s", "kubernetes"), ("helm",)
_DEFINITIONS = ("definition", "resource_definition", "inline")


def asked_of_a_cluster(document: Tree, around: Mapping[str, Tree]) -> Iterator[Tree]:
    """Objects as they are defined, and the arguments of what installs a chart; none of what is taken away."""
    tasks = list(tasks_anywhere(document, around))
    yield from _given_by_commands(tasks)
    for task in tasks:
        if _is_gone(task):
            continue
        if task.module in _OBJECTS:
            yield from _defined(task)
        elif task.module in _RELEASES and "chart_ref" in task.values:
            yield from (fill_tree(each, task.scope) for each in _arguments(task))


def _is_gone(task: Task) -> bool:
    return any(text_of(task.values.get(name)) == "absent" for name in ("state", "release_state"))


def _defined(task: Task) -> Iterator[Tree]:
    for given in (task.values[name] for name in _DEFINITIONS if name in task.values):
        for each in given.sequence or _mappings_in(given):
            yield fill_tree(each, task.scope)


def _mappings_in(given: Tree) -> list[Tree]:
    """A mapping, or a text of YAML."""
    if given.is_mapping:
        return [given]
    try:
        return [each for each in read_all_inside(given) if each.is_mapping]
    except NotYaml:  # a template, or a file that is looked up
        return []


_COMMANDS = ("shell", "command", "raw")
_GIVES = frozenset(("apply", "create", "replace"))
_FROM = ("-f", "--filename")


def _given_by_commands(tasks: Sequence[Task]) -> Iterator[Tree]:
    """What a command gives to kubectl: a text within it, or a file that a task has written before."""
    texts = [each for task in tasks if task.module in _COMMANDS and (each := _command(task)) is not None]
    given = {path.strip("\"'") for each in texts for path in _files_given(each.string)}
    for task in tasks if given else ():
        dest = text_of(task.values.get("dest"))
        if task.module == "copy" and dest in given and "content" in task.values:
            yield from _mappings_in(task.values["content"])
    for each in texts:
        if "<<" in each.string and each.inside is not None and "{{" not in each.string:
            from nodeworthy.collect.source.applied_manifests import objects_in_script

            yield from objects_in_script(each.string, each.inside)


def _files_given(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        words = line.split()
        if _GIVES.isdisjoint(words) or not any(each.endswith(("kubectl", "oc")) for each in words):
            continue
        yield from (behind for word, behind in pairwise(words) if word in _FROM)
        yield from (word.partition("=")[2] for word in words if word.startswith(("-f=", "--filename=")))


def _command(task: Task) -> Tree | None:
    return task.free if task.free is not None else task.values.get("cmd")


def _arguments(task: Task) -> Iterator[Tree]:
    place = task.values["chart_ref"].heading
    yield Tree(dict(task.values), place)
