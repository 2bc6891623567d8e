"""Reads what `kubectl get -o json` or `-o yaml`, `kubectl cluster-info dump`, `kubectl describe` or our own recording
wrote: a folder of it, one file, or what comes through a pipe.

What a file is, is seen from what stands in it. Only an empty `List` of kubectl says of nothing what it is: there
the file's name is asked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import timedelta
from pathlib import Path
from typing import Any

from nodeworthy.backstop import TookTooLong, call_bounded
from nodeworthy.collect.cluster import divided, dump_yaml, hami_logs, logs
from nodeworthy.collect.cluster.described import Descriptions, is_described, time_before
from nodeworthy.collect.cluster.dump_text import STDIN, PrintedLogs, Unreadable, text_of, without_logs
from nodeworthy.collect.cluster.kinds import KINDS, NODES, PODS, ObjectKind, kind_named, kind_of, kind_of_list
from nodeworthy.collect.cluster.recording import is_recording, refusal, refused_logs, refused_usage
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.collect.cluster.tables import PodTable, is_table_of_pods
from nodeworthy.collect.source.files import shown_path
from nodeworthy.documents.json_objects import Item, NotJson, Whole, read_objects
from nodeworthy.documents.plain import mapping_at, text_at
from nodeworthy.documents.yaml import NotYaml
from nodeworthy.errors import InputError
from nodeworthy.facts.cluster.idle_holders import is_answer
from nodeworthy.facts.not_seen import UnreadableInput
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# How sos and others call a file by the command that wrote it.
_DESCRIBED, _AS_JSON, _AS_YAML = "describe", "-o_json", "-o_yaml"
# The first line of what kubectl get prints without -o.
_TABLE = pattern(r"NAME(?:SPACE)?  +[A-Z]{2}")
_Reader = Callable[[Iterable[str], Place], Iterator[Item | Whole]]


@dataclass
class _File:
    """One file as it is read: objects that do not say their kind wait until their list does."""

    path: str
    waiting: list[Mapping[str, Any]] = field(default_factory=list)
    objects: int = 0
    # A list of none is an answer, too.
    is_list: bool = False
    # Of which kind the last of them was.
    last: ObjectKind | None = None
    # Of which kinds it has lists, and of which namespaces its objects are.
    listed: set[str] = field(default_factory=set)
    namespaces: set[str] = field(default_factory=set)
    # What was said of it already: a list of a million numbers is one fault.
    faults: set[str] = field(default_factory=set)

    @property
    def used(self) -> str:
        """Words for how much of a broken file was used."""
        return f"; the {self.objects} objects before that were used" if self.objects else ""

    def end(self, seen: ClusterObjects) -> None:
        """Notes that the file cannot be read to its end: there may be more of the kind that it held."""
        kind = self.last or kind_named(Path(self.path).stem)
        if kind is not None:
            seen.cut[kind.key] = f"not all {kind.full_name} were read: {self.path} can't be read to its end"

    def end_list(self, seen: ClusterObjects) -> None:
        seen.add_list(self.listed, self.namespaces)
        self.listed.clear()
        self.namespaces.clear()

    def fault(self, why: str, seen: ClusterObjects) -> None:
        if why not in self.faults:
            self.faults.add(why)
            seen.unreadable.append(UnreadableInput(Place(path=self.path), why))


def look(named: str, namespace: str | None) -> ClusterObjects:
    """Reads everything in a folder and below, or in one file; `-` is standard input."""
    seen = ClusterObjects(namespace)
    root = Path(named)
    written = logs.Index()
    if named == STDIN or (root.exists() and not root.is_dir()):
        written.add_printed(_read_named(root, seen))
        _read_logs(seen, written)
        return seen
    if not root.exists():
        raise InputError(f"{named}: there is no such folder and no such file")
    if not os.access(root, os.R_OK | os.X_OK):
        raise InputError(f"{named}: may not be read")
    _read_files([*_files(root, seen)], seen, written)
    _read_logs(seen, written)
    return seen


def _read_files(paths: Sequence[Path], seen: ClusterObjects, written: logs.Index) -> None:
    with divided.begin(filter(_is_json, paths), _read_faultless, seen.namespace) as begun:
        for path in paths:
            if _is_json(path):
                _read_json(path, text_of(path), seen, begun)
            elif path.suffix.lower() in dump_yaml.SUFFIXES or _AS_YAML in path.name:
                _read_if_dumped(path, seen)
            elif _DESCRIBED in path.name:
                _read_if_described(path, seen)
            else:
                written.add(path)


def _is_json(path: Path) -> bool:
    return path.suffix.lower() == ".json" or _AS_JSON in path.name


def _read_logs(seen: ClusterObjects, written: logs.Index) -> None:
    from nodeworthy.collect.cluster import lingering_logs, starters_logs

    logs.read_last_words(seen, written)
    hami_logs.read(seen, written)
    logs.read_users_words(seen, written)
    starters_logs.read(seen, written)
    lingering_logs.read(seen, written)


def _read_named(path: Path, seen: ClusterObjects) -> PrintedLogs:
    """Reads one file that somebody named, and returns the logs in it. What can't be read of it, or holds nothing of a
    cluster, is a mistake of the call."""
    printed = PrintedLogs()
    pieces = _Pieces(path, without_logs(text_of(path), printed))
    is_json = pieces.begins.lstrip("\ufeff \t\r\n").startswith(("{", "["))
    if not is_json and is_described(pieces.begins):
        file = _read_described(path, pieces, seen)
    elif not is_json and is_table_of_pods(pieces.begins):
        file = _read_table(path, pieces, seen)
    else:
        file = _read_json(path, pieces, seen) if is_json else _read_file(path, pieces, dump_yaml.read_objects, seen)
    if file.objects or file.is_list:
        return printed
    told = [f"{each.place}: {each.why}" for each in seen.unreadable]
    problem = told[0] if told else f"{file.path}: no object of Kubernetes stands in it"
    raise InputError("; ".join(filter(None, (problem, _what_to_give(pieces.begins)))))


def _what_to_give(text: str) -> str:
    """What somebody could give instead of a text that holds no object in any form."""
    if _TABLE.match(text.lstrip()) is not None:
        return "this is a table, which leaves out why: give what -o yaml prints, or kubectl describe"
    if text.strip() and not text.lstrip().startswith("{") and not dump_yaml.may_hold_objects(text):
        return "what is known of a log's lines, nodeworthy explain tells"
    return ""


def _read_if_dumped(path: Path, seen: ClusterObjects) -> None:
    pieces = _Pieces(path)
    if pieces.problem is None and dump_yaml.may_hold_objects(pieces.begins):
        _read_file(path, pieces, dump_yaml.read_objects, seen)


def _read_if_described(path: Path, seen: ClusterObjects) -> None:
    pieces = _Pieces(path)
    if pieces.problem is None and is_described(pieces.begins):
        _read_described(path, pieces, seen)


def _read_described(path: Path, pieces: _Pieces, seen: ClusterObjects) -> _File:
    """Reads descriptions. Nothing says that they are all: only the scheduler counts the nodes, and a node its GPUs."""
    whole = {kind for kind in (NODES, PODS) if seen.has(kind)}
    told = Descriptions()
    file = _read_file(path, pieces, told.read, seen)
    if told.nodes_are_all:
        whole.add(NODES)
        if told.holders_are_all:
            whole.add(PODS)
    for kind in KINDS:
        if seen.has(kind) and kind not in whole:
            seen.cut.setdefault(kind.key, f"only those {kind.full_name} are known that {file.path} describes")
    return file


def _read_table(path: Path, pieces: _Pieces, seen: ClusterObjects) -> _File:
    """Reads a table of pods, which was printed now, as far as anybody knows."""
    told = PodTable()
    file = _read_file(path, pieces, told.read, seen)
    seen.capacity.newest = max(seen.capacity.newest, time_before(told.printed, timedelta()))
    seen.cut.setdefault(PODS.plural, f"of pods no more is known than the table in {file.path} says")
    return file


class _Pieces:
    """The text of a file, whose beginning was looked at."""

    def __init__(self, path: Path, text: Iterator[str] | None = None) -> None:
        self._rest = text_of(path) if text is None else text
        self.begins = ""
        self.problem: Unreadable | None = None
        try:
            self.begins = next(self._rest, "")
        except Unreadable as problem:
            self.problem = problem

    def __iter__(self) -> Iterator[str]:
        if self.problem is not None:
            raise self.problem
        yield self.begins
        yield from self._rest


def _files(root: Path, seen: ClusterObjects) -> Iterator[Path]:
    def refused(problem: OSError) -> None:
        place = Place(path=shown_path(Path(problem.filename)))
        seen.unreadable.append(UnreadableInput(place, f"it can't be read: {problem.strerror}"))

    for above, folders, names in os.walk(root, onerror=refused):
        folders.sort()
        yield from (Path(above, name) for name in sorted(names))


def _read_json(path: Path, pieces: Iterable[str], seen: ClusterObjects, begun: divided.Begun | None = None) -> _File:
    pods = divided.read_pods(path, _read_faultless, seen, begun)
    if pods:
        return _File(shown_path(path), objects=pods, is_list=True, last=PODS)
    return _read_file(path, pieces, read_objects, seen)


def _read_faultless(path: Path, pieces: Iterable[str], seen: ClusterObjects) -> int | None:
    file = _read_file(path, pieces, read_objects, seen)
    return None if file.waiting or seen.unreadable or seen.refused or seen.cut else file.objects


def _read_file(path: Path, pieces: Iterable[str], read: _Reader, seen: ClusterObjects) -> _File:
    file = _File(shown_path(path))
    try:
        call_bounded(_read_parts, pieces, read, file, seen)
    except TookTooLong as problem:
        file.fault(f"{problem.why}{file.used}", seen)
        file.end(seen)
    except (NotJson, NotYaml) as problem:
        seen.unreadable.append(UnreadableInput(problem.place, f"{problem.why}{file.used}"))
        file.end(seen)
    except Unreadable as problem:
        file.fault(f"{problem}{file.used}", seen)
        file.end(seen)
    return file


def _read_parts(pieces: Iterable[str], read: _Reader, file: _File, seen: ClusterObjects) -> None:
    for part in read(pieces, Place(path=file.path)):
        if isinstance(part, Item):
            _add_item(part, file, seen)
        else:
            file.is_list = file.is_list or part.has_items
            _add_whole(part.data, part.has_items, file, seen)


def _add_item(item: Item, file: _File, seen: ClusterObjects) -> None:
    if not isinstance(item.data, dict):
        file.fault("an item of its list is no object", seen)
        return
    own = text_at(item.data, "kind")
    if own:
        _add_listed(kind_of(own, text_at(item.data, "apiVersion")), item.data, file, seen)
    elif item.list_kind:
        _add_listed(kind_of_list(item.list_kind, item.list_version), item.data, file, seen)
    else:
        file.waiting.append(item.data)


def _add(kind: ObjectKind | None, data: Mapping[str, Any], file: _File, seen: ClusterObjects) -> None:
    if kind is None:
        return
    if not text_at(data, "metadata", "name"):
        file.fault(f"a {kind.kind} in it has no name", seen)
        return
    file.objects += 1
    file.last = kind
    if kind.namespaced:
        file.namespaces.add(text_at(data, "metadata", "namespace"))
    seen.add(kind, data)


def _add_listed(kind: ObjectKind | None, data: Mapping[str, Any], file: _File, seen: ClusterObjects) -> None:
    _add(kind, data, file, seen)
    if kind is not None:
        file.listed.add(kind.key)


def _add_whole(data: Mapping[str, Any], has_items: bool, file: _File, seen: ClusterObjects) -> None:
    """A single object; or what a list says of its items, if they are none."""
    kind, version = text_at(data, "kind"), text_at(data, "apiVersion")
    if is_recording(data):
        seen.namespace = seen.namespace or text_at(data, "namespace") or None
        seen.is_recorded = True
        seen.no_logs.update(refused_logs(data))
        seen.capacity.usage.unseen = refused_usage(data)
    elif is_answer(data):
        seen.capacity.usage.add(data)
    elif kind == "Status":
        _add_refusal(data, seen)
    elif has_items:
        listed = kind_of_list(kind, version)
        for each in file.waiting:
            _add_listed(listed, each, file, seen)
        file.waiting.clear()  # another list may follow
        named = listed or (kind_named(Path(file.path).stem) if kind == "List" and not file.objects else None)
        if named is not None:
            seen.kinds.add(named.key)
            file.listed.add(named.key)
        file.end_list(seen)
    elif mapping_at(data, "metadata"):
        _add(kind_of(kind, version), data, file, seen)


def _add_refusal(data: Mapping[str, Any], seen: ClusterObjects) -> None:
    refused = refusal(data)
    if refused is not None:
        kind, why = refused
        seen.refused[kind.key] = why
