"""Objects that a machine gives to its cluster while it boots: files of cloud-config that K3s, RKE2 or kubelet apply by
themselves, or that a later command gives to kubectl, and what a command is given itself."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from nodeworthy.boot.content import Content
from nodeworthy.boot.effects import Runs, Writes
from nodeworthy.collect.objects import facts_of_given, objects
from nodeworthy.collect.source.applied_manifests import WATCHED
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.scene import Fact
from nodeworthy.verdict import NotKnown

_GIVES = ("apply", "create", "replace")
_FROM = ("-f", "--filename")


def manifests_on_nodes(script: BootScript) -> Iterator[Fact]:
    """What all of them bring. What the shell fills in is not known, and says nothing."""
    try:
        runs = [each for each in script.timeline.of(Runs) if _gives(_words(each))]
        written = list(script.timeline.of(Writes))
    except NotKnown:  # what can't be read of it, other rules tell
        return
    given = {path for each in runs for path in _paths(_words(each))}
    for file in written:
        path = file.path.known or ""
        if path and (path in given or WATCHED.search(path)):
            yield from _facts_in(file.content)
    for run in runs:
        if "-" in _paths(_words(run)):
            yield from _facts_in(run.given)


def _words(run: Runs) -> list[str]:
    return [each.known or "" for each in run.arguments]


def _gives(words: list[str]) -> bool:
    is_dry = any(each.startswith("--dry-run") for each in words)
    return bool(words) and not is_dry and any(each in _GIVES for each in words[1:3]) and words[0].endswith("kubectl")


def _paths(words: list[str]) -> list[str]:
    found = [behind for word, behind in pairwise(words) if word in _FROM]
    return found + [word.partition("=")[2] for word in words if word.startswith(tuple(f"{each}=" for each in _FROM))]


def _facts_in(content: Content | None) -> Iterator[Fact]:
    text = content.known if content is not None else None
    if content is None or text is None or "apiVersion" not in text or "{{" in text:
        return
    try:
        documents = read_all(text, content.lines[0].place)
    except NotYaml:
        return
    for document in documents:
        for each in objects(document):
            yield from facts_of_given(each)
