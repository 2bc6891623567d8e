"""Lists of Ansible's tasks as they are written, whatever else is read of the file in which they stand."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from nodeworthy.boot.playbook.recognition import is_playbook
from nodeworthy.collect.source.comments import comments
from nodeworthy.collect.source.files import Source, any_text
from nodeworthy.collect.source.handlers import names_answered
from nodeworthy.collect.source.parsing import FileContents
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.facts.ansible.tasks_as_written import TasksAsWritten
from nodeworthy.records import replace
from nodeworthy.scene import Fact
from nodeworthy.verdict import Place

_HANDLERS = "handlers"


def with_tasks(found: FileContents | None, source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    """What was found in the file, and its tasks."""
    facts = tasks_as_written(source, data)
    if not facts:
        return found
    if found is None:
        told = comments(any_text(data), Place(path=source.shown), rules, is_yaml=True)
        return FileContents(list(facts), suppressions=list(told))
    return replace(found, facts=[*found.facts, *facts])


def tasks_as_written(source: Source, data: bytes) -> Sequence[Fact]:
    text = any_text(data)
    if not is_playbook(text):
        return ()
    try:
        trees = [each for each in read_all(text, Place(path=source.shown)) if not each.is_null]
    except NotYaml:
        return ()
    if len(trees) != 1 or not trees[0].is_sequence:
        return ()
    are_handlers = _HANDLERS in (Path(source.lies).parent.name, source.path.stem)
    beside = _tasks_beside(source) if are_handlers and "block:" in text else ()
    answered = names_answered(source.scope) if "notify:" in text else None
    return (TasksAsWritten(Place(path=source.shown), trees[0], text, are_handlers, tuple(beside), answered),)


def _tasks_beside(source: Source) -> Iterator[tuple[Place, str]]:
    """The files of the role's tasks."""
    lies = Path(source.lies)
    folder = lies.parent.parent / "tasks"
    for path in source.scope.files((".yml", ".yaml")):
        if path.is_relative_to(folder):
            shown = os.path.relpath(path, lies.parent)
            yield (
                Place(path=os.path.normpath(PurePath(source.shown).parent / shown)),
                any_text(source.scope.read(path) or b""),
            )
