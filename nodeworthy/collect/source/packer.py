"""Packer's templates, in HCL and in JSON: what they run on the machine of which they make an image, as the build of
one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import partial

from nodeworthy.collect.aws.filled_in import script_of
from nodeworthy.collect.aws.user_data import is_for_windows
from nodeworthy.collect.source.comments import comments
from nodeworthy.collect.source.files import Source, as_text
from nodeworthy.collect.source.parsing import InputRefused
from nodeworthy.collect.source.woven_text import Woven, hole, user_data_of
from nodeworthy.documents.files import tree_of
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read_all
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.hcl.blocks import body_value
from nodeworthy.hcl.disk import Disk
from nodeworthy.hcl.root import Module, open_root
from nodeworthy.hcl.scope import TooMuch
from nodeworthy.hcl.source import Malformed, Spot
from nodeworthy.hcl.syntax import Block
from nodeworthy.hcl.values import Lit, Piece, Seq, Str, Value, as_lines
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.suppression import Suppression
from nodeworthy.verdict import Place

ENDING = ".pkr.hcl"
_OF_EC2 = "amazon-"
# How Packer runs what stands inline, where nothing else is said.
_SHEBANG = "/bin/sh -e"
_STOPS = pattern(r"\s-\w*e")
_TO_A_SHELL = pattern(r"(?:^|[\s/])(?P<shell>(?:ba|da)?sh)(?P<options>(?:\s+-[a-zA-Z]+)*)\s+[\\\"']*\{\{-?\s*\.Path\b")


def scripts_of_template(source: Source) -> list[BootScript]:
    """What each build of this file runs; what lies in files of its own is looked at there. Raises InputRefused."""
    folder = os.path.dirname(source.lies)  # noqa: PTH120 - a path as text
    disk = Disk(
        tree_of(folder, source.below), lambda path: source.shown if path == source.lies else path, endings=(ENDING,)
    )
    try:
        disk.parsed(source.lies)
        module = open_root(folder, disk)
        builds = [each for each in module.blocks if each.kind == "build" and each.file.shown == source.shown]
        told = [made for each in builds if (made := _inline(each, module)) is not None]
        given = [each for each in map(partial(_user_data, module), module.blocks) if each is not None]
    except Malformed as problem:
        raise InputRefused(problem.place, f"this is no HCL that Packer reads: {problem.why}") from None
    except TooMuch as problem:
        raise InputRefused(Place(source.shown), f"this template was not read to its end: {problem}") from None
    return [
        *(script_of(each, source.scope) for each in given if each.spot.file.shown == source.shown),
        *(
            replace(script_of(each, source.scope, called="the script"), of_an_object=False, on_ec2=False)
            for each in told
        ),
    ]


def suppressions_of(data: bytes, source: Source, rules: frozenset[str]) -> list[Suppression]:
    return list(comments(as_text(data), Place(source.shown), rules, is_yaml=False))


def _user_data(module: Module, block: Block) -> Str | None:
    """What the machine boots with of which EC2's builders make an image, where it stands in the template itself."""
    if block.kind != "source" or not block.labels[0].startswith(_OF_EC2):
        return None
    said = body_value(block.body, module.scope(block.file), block.at).items.get("user_data")
    return said if isinstance(said, Str) and not is_for_windows(said.shown) else None


def _inline(build: Block, module: Module) -> Str | None:
    """One provisioner after the other, on one disk."""
    pieces: list[Piece] = []
    for each in build.body.of("provisioner"):
        if list(each.labels) == ["shell"] and "inline" in each.body.settings:
            said = body_value(each.body, module.scope(build.file), each.at).items
            told = _shell_of(said)
            spot = Spot(build.file, each.at)
            pieces += [] if pieces else [Lit(f"#!{told}\n", spot)]
            pieces += _in_its_own_shell(said["inline"], told, spot)
    return Str(pieces, Spot(build.file, build.at)) if pieces else None


def _shell_of(said: Mapping[str, Value]) -> str:
    """`execute_command = "sudo bash '{{ .Path }}'"` gives the file to a shell, and nobody reads its first line."""
    command, shebang = said.get("execute_command"), said.get("inline_shebang")
    given = _TO_A_SHELL.search(command.known or "") if isinstance(command, Str) else None
    if given is not None and "c" not in given["options"]:
        return f"/bin/{given['shell']}{given['options']}"
    return (shebang.known if isinstance(shebang, Str) else None) or _SHEBANG


def _in_its_own_shell(said: Value, shebang: str, spot: Spot) -> Iterator[Piece]:
    """What the provisioner before it set holds no more; and by its last command Packer sees whether it failed."""
    lines = said.items if isinstance(said, Seq) else [said]
    resets = "+o pipefail" if "bash" in shebang else ""
    if _STOPS.search(shebang) or any(isinstance(each, Str) and "<<" in each.shown for each in lines):
        yield Lit(f"set -e {resets}\n", spot)
        yield from as_lines(said)
        return
    yield Lit(f"set +e {resets}\n", spot)
    for each in lines[:-1]:
        yield from as_lines(each)
    yield Lit("set -e\n", spot)
    yield from as_lines(lines[-1]) if lines else ()


# Templates in JSON, as Packer took them before it had HCL.
_FILLED_IN = pattern(r"\{\{[ \t]*([^{}]{0,200}?)[ \t]*\}\}")


def scripts_in_json(source: Source, data: bytes) -> list[BootScript]:
    """What it runs inline; nothing of what is no template of Packer's."""
    try:
        documents = read_all(as_text(data), Place(source.shown))
    except NotYaml:
        return []
    steps = [each for document in documents[:1] for each in document.get("provisioners").sequence]
    texts = [text for each in steps if each.get("type").text == "shell" for text in _commands_of(each)]
    if not texts:
        return []
    place = texts[0].place
    read = user_data_of([Woven("#!/bin/sh", place, False), *texts], place)
    return [BootScript(place, read, is_build=True, on_ec2=False, surroundings=source.scope)]


def _commands_of(step: Tree) -> Iterator[Woven]:
    inline = step.get("inline")
    lines = inline.sequence or ([inline] if inline.text is not None else [])
    shell = step.get("execute_command").string
    found = _TO_A_SHELL.search(shell)
    shebang = f"/bin/{found['shell']}{found['options']}" if found is not None else step.get("inline_shebang").text
    stops = _STOPS.search(shebang or _SHEBANG) is not None
    told = [Woven(_with_holes(each.text), each.place, False) for each in lines if each.text is not None]
    if not told:
        return
    yield Woven("set -e" if stops else "set +e", told[0].place, False)
    yield from told[:-1]
    yield Woven("set -e", told[-1].place, False)
    yield told[-1]


def _with_holes(text: str) -> str:
    return _FILLED_IN.sub(lambda each: hole(each[1]), text)
