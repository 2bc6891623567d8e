"""What the variables of Ansible are that a list of tasks uses, as far as the files around it say so.

A role's `vars/main.yml` outranks every inventory; of its `defaults/main.yml` follows what the role does by itself,
unless `group_vars` or `host_vars` say otherwise. What these don't agree on is not known, and neither is what any other
file sets: a play, `set_fact`, a file that `include_vars` names, an argument of `ansible-playbook` in a makefile.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto
from pathlib import Path

from nodeworthy.boot.playbook.variables import names_in, text_of
from nodeworthy.collect.source.files import STDIN, Source, any_text, shown_path
from nodeworthy.collect.source.scope import Scope
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.known.secrets import what_is
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

# Folders of a role whose files are lists of tasks.
_OF_TASKS = ("tasks", "handlers")
_INVENTORIES = ("group_vars", "host_vars")
# What lies there is for a role's own tests, describes its options, or is filled in with them.
_DECIDE_NOTHING = frozenset(("molecule", "tests", "templates", "files", "docs"))
_DESCRIBES = ("argument_specs", "galaxy", "requirements")
# Whatever else lies there may set a variable: an inventory is called as its owner likes, and any program may call
# ansible-playbook. These only tell of it, or are none of either.
_TELL_OF_IT = frozenset(
    (
        *(".md", ".mdx", ".rst", ".adoc", ".txt", ".html", ".css", ".svg", ".png", ".jpg", ".jpeg", ".gif", ".ico"),
        *(".pdf", ".drawio", ".gz", ".tgz", ".zip", ".go", ".c", ".h", ".ipynb", ".lock", ".sum", ".pem", ".crt"),
    )
)
_COMMENT = pattern(rb"(?m)^[ \t]*[#;][^\n]*$")
_SETS = pattern(
    rb"(?:(?:\bregister|\bloop_var|\bindex_var|-[ \t]+name)[ \t]*:[ \t]*[\"']?([A-Za-z_]\w*)(?![\w-])"
    rb"|(?<![\w.$-])([A-Za-z_]\w*)[\"']?[ \t]*[:=](?![=:]))"
)
_ENCRYPTED = b"$ANSIBLE_VAULT"


class _From(Enum):
    """The places that set a variable, in Ansible's order of precedence."""

    DEFAULTS = auto()
    INVENTORY = auto()
    ROLE = auto()
    # May outrank them all, or some of them.
    ANYBODY = auto()
    # What it says holds for another role.
    ANOTHER_ROLE = auto()


def variables_around(source: Source, data: bytes) -> Mapping[str, Tree]:
    """The variables that these tasks use, and those that they are made of, by name. A secret is told where it stands
    and is not carried to where it is used."""
    waiting = list(names_in(any_text(data))) if source.shown != STDIN else []
    if not waiting:
        return {}
    scope = source.scope
    if scope.variables is None:
        scope.variables = Variables(scope)
    role, found = _role_of(source.lies), dict[str, Tree]()
    asked = set[str]()
    while waiting:
        name = waiting.pop()
        tree = scope.variables.value(name, role) if name not in asked else None
        asked.add(name)
        if tree is not None and what_is(name, text_of(tree)) is None:
            found[name] = tree
            waiting += _names_within(tree)
    return found


def _role_of(path: str) -> str:
    """The folder of the role whose tasks lie there; "" for a playbook."""
    for folder in Path(path).parents:
        if folder.name in _OF_TASKS:
            return os.fspath(folder.parent)
    return ""


def _names_within(tree: Tree) -> Iterator[str]:
    for each in (*tree.mapping.values(), *tree.sequence):
        yield from _names_within(each)
    yield from names_in(tree.string)


@dataclass
class Variables:
    """The variables of one scope: which file sets which is found out once in a run."""

    scope: Scope
    _setters: Mapping[str, Sequence[str]] | None = None
    # An inventory that only its owner can read may set any of them.
    _is_hidden: bool = False
    _read: dict[str, Mapping[str, Tree] | None] = field(default_factory=dict)

    def value(self, name: str, role: str) -> Tree | None:
        """What it is in this role, or in a playbook; None where nobody says so, or several may decide."""
        by = dict[_From, list[str]]()
        for path in self._setting().get(name, ()):
            by.setdefault(_rank(path, role), []).append(path)
        if not by or _From.ANYBODY in by or self.scope.incomplete:
            return None
        if _From.ROLE in by:
            return self._agreed(name, by[_From.ROLE])
        if self._is_hidden:
            return None
        inventories = by.get(_From.INVENTORY, [])
        weak = [] if self._is_for_all(inventories) else by.get(_From.DEFAULTS, [])
        return self._agreed(name, [*inventories, *weak])

    def _is_for_all(self, inventories: Iterable[str]) -> bool:
        """Whether every inventory that lies here says it of all its hosts, so that no default is left."""
        of_all = {found[0] for each in inventories if (found := _of_all_hosts(each))}
        return bool(of_all) and of_all == self._inventories()

    def _inventories(self) -> set[str]:
        paths = (os.fspath(each) for each in self.scope.files((".yml", ".yaml", "")))
        return {each.rpartition("/group_vars/")[0] for each in paths if "/group_vars/" in each}

    def _agreed(self, name: str, paths: Iterable[str]) -> Tree | None:
        """The first, where all others say the same."""
        values = [document.get(name) if document is not None else None for document in map(self._document, paths)]
        first = values[0] if values else None
        if first is None or any(each is None or _plain(each) != _plain(first) for each in values):
            return None
        return first

    def _document(self, path: str) -> Mapping[str, Tree] | None:
        if path not in self._read:
            self._read[path] = _mapping(self.scope.read(Path(path)), path)
        return self._read[path]

    def _setting(self) -> Mapping[str, Sequence[str]]:
        if self._setters is None:
            setters = dict[str, list[str]]()
            root = os.fspath(self.scope.root or "")
            for path in map(os.fspath, self.scope.files()):
                inside = path.removeprefix(root)
                data = self.scope.read(Path(path)) if _may_decide(inside) else None
                for name in _names_set(data or b""):
                    setters.setdefault(name, []).append(path)
                self._is_hidden |= bool(data and data.startswith(_ENCRYPTED) and _is_of_an_inventory(path))
            self._setters = setters
        return self._setters


def _may_decide(path: str) -> bool:
    *folders, name = path.split("/")
    is_told = os.path.splitext(name)[1].lower() in _TELL_OF_IT  # noqa: PTH122 - of thousands of files
    return _DECIDE_NOTHING.isdisjoint(folders) and not is_told and not name.startswith(_DESCRIBES)


def _names_set(data: bytes) -> set[str]:
    if b"\0" in data:
        return set()
    return {(one or other).decode() for one, other in _SETS.findall(_COMMENT.sub(b"", data))}


def _is_of_an_inventory(path: str) -> bool:
    return not set(_INVENTORIES).isdisjoint(path.split("/"))


def _of_all_hosts(path: str) -> tuple[str] | None:
    before, _, behind = path.rpartition("/group_vars/")
    return (before,) if behind.partition("/")[0].partition(".")[0] == "all" else None


def _rank(path: str, role: str) -> _From:
    if _is_of_an_inventory(path):
        return _From.INVENTORY
    if role and _is_main(path, f"{role}/vars/"):
        return _From.ROLE
    if role and _is_main(path, f"{role}/defaults/"):
        return _From.DEFAULTS
    is_anothers = "/defaults/" in path and not (role and path.startswith(f"{role}/"))
    return _From.ANOTHER_ROLE if is_anothers else _From.ANYBODY


def _is_main(path: str, folder: str) -> bool:
    return path.startswith(folder) and path.removeprefix(folder).split("/")[0] in ("main", "main.yml", "main.yaml")


def _mapping(data: bytes | None, path: str) -> Mapping[str, Tree] | None:
    try:
        documents = read_all(any_text(data), Place(path=shown_path(Path(path)))) if data is not None else []
    except NotYaml:
        return None
    return documents[0].mapping if len(documents) == 1 else None


def _plain(tree: Tree) -> object:
    """The tree as a value to compare by, without its place; an unknown part equals nothing."""
    if tree.is_mapping:
        return {name: _plain(child) for name, child in tree.mapping.items()}
    if tree.is_sequence:
        return [_plain(child) for child in tree.sequence]
    return tree if tree.is_unknown else tree.value
