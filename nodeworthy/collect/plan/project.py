"""The Pulumi project and its stacks: what `Pulumi.yaml` and `Pulumi.<stack>.yaml` say, as the CLI would read them."""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nodeworthy.collect.plan.protocol import UNKNOWN
from nodeworthy.documents import yaml
from nodeworthy.documents.files import text_of
from nodeworthy.documents.tree import Tree
from nodeworthy.errors import InputError
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

FILE = "Pulumi.yaml"
LARGEST = 8_000_000
_OF_ANY_LANGUAGE = (
    "; `pulumi preview --json --show-sames > preview.json`, then `nodeworthy check preview.json` reads what it makes"
)


@dataclass(frozen=True)
class Project:
    root: Path
    name: str
    # The folder in which the program runs, and what runs there.
    folder: Path
    entry: str
    # The interpreter that has the program's packages.
    python: str
    stack_folder: Path
    defaults: Mapping[str, Tree]

    @property
    def stacks(self) -> tuple[str, ...]:
        found = (path.name for path in self.stack_folder.glob("Pulumi.?*.yaml"))
        return tuple(sorted(name.removeprefix("Pulumi.").removesuffix(".yaml") for name in found))

    def stack_file(self, stack: str) -> Path:
        return self.stack_folder / f"Pulumi.{stack}.yaml"


@dataclass(frozen=True)
class StackConfig:
    """Config as the program receives it: strings, JSON for what is nested."""

    values: Mapping[str, str]
    secret_keys: tuple[str, ...]

    @property
    def region(self) -> str | None:
        region = self.values.get("aws:region")
        return None if region is None or UNKNOWN in region else region


def find_project(folder: Path) -> Project:
    """The project of this folder: its own `Pulumi.yaml`, else the nearest above, as the CLI does it."""
    for root in (folder, *folder.resolve().parents):
        if (root / FILE).is_file():
            return _project(root)
    raise InputError(f"there is no {FILE} here; a preview runs in the folder of a Pulumi project")


def choose_stack(project: Project, asked: str | None) -> str:
    """The stack that was asked for, else the only one."""
    stacks = project.stacks
    named = ", ".join(stacks) or f"none (a stack is a file Pulumi.<name>.yaml beside {FILE})"
    if asked is None:
        if len(stacks) == 1:
            return stacks[0]
        raise InputError(f"which stack? --stack names one of those that exist: {named}")
    asked = asked.rsplit("/", 1)[-1]  # the CLI's organization/project/stack
    if asked not in stacks:
        near = difflib.get_close_matches(asked, stacks, 1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise InputError(f"there is no stack {asked!r}{hint}; there are {named}")
    return asked


def _project(root: Path) -> Project:
    tree = read_mapping(root / FILE)
    runtime, options = tree.get("runtime"), tree.get("runtime", "options")
    language = runtime.text or runtime.get("name").text
    if language != "python":
        elsewhere = f"; `nodeworthy check {FILE}` reads it as it stands" if language == "yaml" else _OF_ANY_LANGUAGE
        raise InputError(
            f"{runtime.place}: only Python programs can be previewed, and this one's runtime is {language}{elsewhere}"
        )
    name = tree.get("name").text
    if not name:
        raise InputError(f"{tree.place}: {FILE} gives the project no name")
    folder, entry = _main(root, tree.get("main"))
    config = tree.get("config")
    kept_in = tree.get("stackConfigDir").text or config.text or "."
    return Project(
        root, name, folder, entry, _python(root, options.get("virtualenv").text), root / kept_in, config.mapping
    )


def _main(root: Path, main: Tree) -> tuple[Path, str]:
    path = root / (main.text or ".")
    if not path.exists():
        raise InputError(f"{main.place}: the program {main.text} is not there")
    if path.is_dir():
        return path, "."
    return path.parent, path.name


def _python(root: Path, virtualenv: str | None) -> str:
    """The virtual environment that the project names, where it is there; else the one that runs us."""
    if virtualenv:
        for inside in ("bin/python", "Scripts/python.exe"):
            if (root / virtualenv / inside).is_file():
                return str(root / virtualenv / inside)
    return sys.executable


def read_mapping(path: Path, *, sequence: bool = False) -> Tree:
    """A YAML file that holds a mapping, or a list of them."""
    shown = shown_path(path)
    try:
        tree = yaml.read(text_of(path, shown, LARGEST, "a stack's config"), Place(path=shown))
    except yaml.NotYaml as problem:
        raise InputError(str(problem)) from None
    if tree is None or not (tree.is_sequence if sequence else tree.is_mapping):
        raise InputError(f"{shown}: not a {'list' if sequence else 'mapping'}")
    return tree


def shown_path(path: Path) -> str:
    """Relative to where the command was run."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def read_config(project: Project, stack: str) -> StackConfig:
    """What the CLI would hand the program. A `secure:` value can't be read without its passphrase: it is unknown."""
    config = read_mapping(project.stack_file(stack)).get("config")
    if not (config.is_mapping or config.says_nothing):
        raise InputError(f"{config.place}: config is {config.kind()}, not a mapping")
    found = {_full(project.name, key): _declared(value) for key, value in project.defaults.items()}
    found |= {_full(project.name, key): value for key, value in config.mapping.items()}
    values: dict[str, str] = {}
    secret: list[str] = []
    for key, value in sorted(found.items()):
        if value.is_absent:
            continue
        data, hides = _plain(value)
        values[key] = data if isinstance(data, str) else json.dumps(data, sort_keys=True, separators=(",", ":"))
        if hides:
            secret.append(key)
    return StackConfig(values, tuple(secret))


def _full(project: str, key: str) -> str:
    """A key without a namespace is the project's; the old `ns:config:key` is `ns:key`."""
    parts = key.split(":")
    if len(parts) == 3 and parts[1] == "config":
        return f"{parts[0]}:{parts[2]}"
    return key if ":" in key else f"{project}:{key}"


def _declared(value: Tree) -> Tree:
    """A project's own config is a value, or a declaration that may hold one."""
    if not value.is_mapping:
        return value
    given = value.get("value")
    return given if not given.is_absent else value.get("default")


def _plain(tree: Tree) -> tuple[Any, bool]:
    """A value as the program sees it, and whether a secret is in it."""
    if tree.is_mapping:
        if set(tree.mapping) == {"secure"} and tree.get("secure").text is not None:
            return UNKNOWN, True
        pairs = {name: _plain(child) for name, child in tree.mapping.items()}
        return {name: data for name, (data, _) in pairs.items()}, any(hides for _, hides in pairs.values())
    if tree.is_sequence:
        items = [_plain(child) for child in tree.sequence]
        return [data for data, _ in items], any(hides for _, hides in items)
    return (UNKNOWN if tree.is_unknown else tree.value), False
