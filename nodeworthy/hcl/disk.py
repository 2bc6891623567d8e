"""The files of roots: which belong to one, read and parsed once, and none out of the tree in which they lie."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from nodeworthy.documents.files import leads_out
from nodeworthy.hcl.parse import parse
from nodeworthy.hcl.source import File, Malformed, Spot
from nodeworthy.hcl.syntax import Block, Body
from nodeworthy.hcl.values import Hole, Waits
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Place

ENDINGS = (".tf", ".tofu", ".tf.json", ".tofu.json")
VARIABLES = (".tfvars", ".tfvars.json")
# What makes a folder without Terraform of its own a unit of Terragrunt.
UNIT = "terragrunt.hcl"
_LARGEST = 10 * 1024 * 1024
# Files below a folder that a `fileset` goes through.
_MOST_LISTED = 2_000
_OVERRIDES = ("override", "_override")


@dataclass
class Parsed:
    file: File
    body: Body


@dataclass
class Bodies:
    """What stands in the files of one folder, and those that can't be parsed."""

    blocks: list[Block] = field(default_factory=list)
    faults: list[Malformed] = field(default_factory=list)


class Unread(Exception):
    """Why a file is not read."""


def read_file(path: str) -> bytes:
    try:
        if not Path(path).is_file():
            raise Unread("it is not there")
        with Path(path).open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as problem:
        raise Unread(f"it can't be read: {(problem.strerror or str(problem)).lower()}") from None
    if len(data) > _LARGEST:
        raise Unread("it is larger than what is read of a file")
    return data


class Disk:
    """The files of one run. Paths are absolute, and shown as the reader knows them."""

    def __init__(
        self,
        tree: str,
        shown: Callable[[str], str] = str,
        read: Callable[[str], bytes] = read_file,
        named: Sequence[str] = (),
        endings: tuple[str, ...] = ENDINGS,
    ) -> None:
        self._tree = tree
        # How the files are called that make a folder what it is.
        self._endings = endings
        # What somebody named himself is read wherever it lies.
        self._named = frozenset(named)
        self.shown: Callable[[str], str] = cache(shown)
        self._read = read
        self._files: dict[str, File | str] = {}
        self._parsed: dict[str, Parsed | Malformed | None] = {}
        self._gathered: tuple[int, frozenset[str]] = (0, frozenset())
        self.folders: dict[str, Bodies] = {}
        # Whom a folder is told to that is looked into for the first time.
        self.tell: Callable[[str], None] | None = None
        # All that was looked at, whether it is there or not.
        self.asked: set[str] = set()

    def open(self, path: str, spot: Spot) -> File:
        found = self._file(os.path.normpath(path))
        if isinstance(found, str):
            raise Waits(Hole(f"{self.shown(os.path.normpath(path))}: {found}", spot))
        return found

    def _file(self, path: str) -> File | str:
        if path not in self._files:
            self.asked.add(path)
            self._files[path] = self._text(path)
        return self._files[path]

    def _text(self, path: str) -> File | str:
        if path not in self._named and leads_out(path, self._tree):
            return "it lies out of the tree in which this file lies, and is not read"
        try:
            text = self._read(path).decode("utf-8-sig")
        except Unread as why:
            return str(why)
        except UnicodeDecodeError:
            return "it is no text in UTF-8"
        return File(self.shown(path), text)

    def exists(self, path: str, spot: Spot) -> bool:
        path = os.path.normpath(path)
        self.asked.add(path)
        if leads_out(path, self._tree):
            raise Waits(Hole("it lies out of the tree in which this file lies", spot))
        return os.path.isfile(path)  # noqa: PTH113 - paths here are texts

    def listed(self, folder: str, spot: Spot) -> Sequence[str]:
        folder = os.path.normpath(folder)
        if leads_out(folder, self._tree):
            raise Waits(Hole("it lies out of the tree in which this file lies", spot))
        found: list[str] = []
        for above, folders, files in os.walk(folder):
            folders[:] = sorted(each for each in folders if each not in (".git", ".terraform"))
            found += [os.path.relpath(os.path.join(above, each), folder) for each in sorted(files)]
            if len(found) > _MOST_LISTED:
                raise Waits(Hole("so many files are not gone through", spot))
        return found

    def why_not(self, folder: str) -> str:
        """Why a module's folder is not read; empty where it is."""
        if leads_out(folder, self._tree):
            return "it lies out of the tree in which this file lies"
        return "" if any(each.endswith(self._endings) for each in _names(folder)) else "its folder holds no Terraform"

    def holds(self, folder: str) -> bool:
        """Whether a folder lies in the tree in which files are read."""
        return not leads_out(folder, self._tree)

    # Modules

    def is_unit(self, folder: str) -> bool:
        """Whether Terragrunt calls a module from here."""
        names = _names(folder)
        return UNIT in names and not any(each.endswith(self._endings) for each in names)

    def bodies(self, folder: str) -> Bodies:
        if folder not in self.folders:
            self.folders[folder] = self._all_of(folder)
            if self.tell is not None:
                self.tell(folder)
        return self.folders[folder]

    def _all_of(self, folder: str) -> Bodies:
        bodies = Bodies()
        names = [each for each in _names(folder) if each.endswith(self._endings)]
        # OpenTofu takes `a.tofu` in place of `a.tf`.
        names = [each for each in names if not (each.endswith(".tf") and f"{each[:-3]}.tofu" in names)]
        for name in sorted(names, key=lambda each: (_overrides(each), each)):
            self._add(os.path.join(folder, name), bodies, overrides=_overrides(name))
        return bodies

    def _add(self, path: str, bodies: Bodies, *, overrides: bool) -> None:
        try:
            parsed = self.parsed(path)
        except Malformed as problem:
            bodies.faults.append(problem)
            return
        for each in parsed.body.blocks:
            if not (overrides and _overridden(each, bodies.blocks)):
                bodies.blocks.append(each)

    def parsed(self, path: str) -> Parsed:
        """Raises Malformed."""
        if path not in self._parsed:
            self._parsed[path] = self._parse(path)
        found = self._parsed[path]
        if isinstance(found, Malformed):
            raise found
        assert found is not None
        return found

    def _parse(self, path: str) -> Parsed | Malformed:
        file = self._file(path)
        if isinstance(file, str):
            return Malformed(file, Place(self.shown(path)))
        try:
            if path.endswith(".json"):
                from nodeworthy.hcl.json_syntax import body_of

                return Parsed(file, body_of(file, is_flat=path.endswith(".tfvars.json")))
            return Parsed(file, parse(file))
        except Malformed as problem:
            return problem

    @property
    def parsed_files(self) -> frozenset[str]:
        """All of HCL, as the reader knows them. Each file of a root asks: they are gathered once."""
        if len(self._parsed) != self._gathered[0]:
            self._gathered = len(self._parsed), frozenset(map(self.shown, self._parsed))
        return self._gathered[1]

    @property
    def templates(self) -> Iterator[str]:
        """The templates that were filled in, as the reader knows them."""
        return (each.shown for each in self._files.values() if isinstance(each, File) and each.is_filled_in)

    @property
    def values(self) -> Iterator[str]:
        """The files that releases take their values from, as the reader knows them."""
        return (each.shown for each in self._files.values() if isinstance(each, File) and each.is_of_a_release)

    def says(self, words: str) -> bool:
        """Whether these words stand in any file that was read so far."""
        return any(isinstance(each, File) and words in each.text for each in self._files.values())

    # Variables

    def body(self, path: str) -> Parsed | None:
        """None for one that can't be parsed: that is told where it is judged."""
        try:
            return self.parsed(path)
        except Malformed:
            return None

    def var_files(self, folder: str) -> Iterator[str]:
        """The variable files that Terraform takes by itself, in its order."""
        names = _names(folder)
        plain = [each for each in ("terraform.tfvars", "terraform.tfvars.json") if each in names]
        auto = sorted(each for each in names if each.endswith((".auto.tfvars", ".auto.tfvars.json")))
        yield from (os.path.join(folder, each) for each in (*plain, *auto))

    def installed(self, folder: str) -> Mapping[str, str]:
        """Where `init` has put the modules of this root."""
        path = os.path.join(folder, ".terraform", "modules", "modules.json")
        self.asked.add(path)
        try:
            found = _listed(self._read(path)) if not leads_out(path, self._tree) else ()
            return {str(each["Key"]): str(each["Dir"]) for each in found if each.get("Key")}
        except (Unread, ValueError, AttributeError, KeyError, TypeError, RecursionError):
            return {}


def _names(folder: str) -> Sequence[str]:
    try:
        return sorted(each.name for each in os.scandir(folder) if not each.name.startswith((".", "#", "~")))
    except OSError:
        return ()


def _overrides(name: str) -> bool:
    return name.partition(".")[0].endswith(_OVERRIDES[1]) or name.partition(".")[0] == _OVERRIDES[0]


def _overridden(block: Block, blocks: list[Block]) -> bool:
    """What stands in an override replaces what the block says that it names; nested blocks replace those of a kind."""
    for index, each in enumerate(blocks):
        if each.kind == block.kind and list(each.labels) == list(block.labels) and each.kind != "locals":
            kinds = {inner.kind for inner in block.body.blocks}
            kept = [inner for inner in each.body.blocks if inner.kind not in kinds]
            body = Body({**each.body.settings, **block.body.settings}, [*kept, *block.body.blocks])
            blocks[index] = Block(each.at, each.kind, each.labels, body, each.file)
            return True
    return False


def _listed(text: bytes) -> Sequence[Any]:
    from json import loads

    return loads(text).get("Modules") or ()
