"""What a template has machines run beside their user data: what cfn-init lays down and calls, and Systems Manager's
documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from nodeworthy.collect.source.scripts_of_tools import scripts_of_tools
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import read
from nodeworthy.facts.boot.given_script import ScriptLines, given_script, script_of
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.verdict import Place

_INIT, _SETS = "AWS::CloudFormation::Init", "configSets"
_DOCUMENT = "AWS::SSM::Document"
# What a shell of Linux is never told.
_OF_WINDOWS = pattern(r"(?i)\b(?:powershell|cmd|msiexec|[\w-]{1,40})\.exe\b|(?:^|[|;&]\s{0,8})powershell\b")
# What stands behind it is a text as it is written, but for what is filled in.
_SUB = pattern(r"!Sub(?=[ \t\n])", words=("!Sub",))
_FILLED_IN = pattern(r"\$\{[\w.:]{1,255}\}", words=("${",))


def scripts_in(text: str, shown: str) -> Iterator[BootScript]:
    """Those that make their machine a node."""
    document = read(_SUB.sub("    ", text), Place(shown))
    for each in document.get("Resources").mapping.values() if document is not None else ():
        if each.get("Type").text == _DOCUMENT:
            yield from scripts_of_tools(each.get("Properties", "Content"))
        init = each.get("Metadata", _INIT)
        if init.is_mapping:
            yield from (script for script in _of_init(init) if script.makes_a_node)


def _of_init(init: Tree) -> Iterator[BootScript]:
    """The commands of all its configs are one script, which ends where one fails; a file that one of them calls is
    another."""
    configs = list(_in_order(init))
    called = list(chain.from_iterable(map(_commands, configs)))
    if any(_OF_WINDOWS.search(said.string) for said, _ in called):
        return
    steps = [ScriptLines(_filled_in(text.string) + after, text) for text, after in called]
    told = " ".join(each.text for each in steps)
    scripts = [given_script(each, "the file") for each in _files(configs, told)]
    for script in (*scripts, script_of(steps, on_ec2=True, stops=True)):
        if script is not None:
            yield replace(script, of_an_object=False, by_hand=True)


def _in_order(init: Tree) -> Iterator[Tree]:
    """The configs, as the first of its sets names them; without one, as they are written."""
    sets = list(init.get(_SETS).mapping.values())
    named = [each.string for each in sets[0].sequence] if sets else []
    every: Mapping[str, Tree] = {name: each for name, each in init.mapping.items() if name != _SETS}
    yield from (every[name] for name in named if name in every) if named else every.values()


def _commands(config: Tree) -> Sequence[tuple[Tree, str]]:
    """cfn-init runs them by their names."""
    found = []
    for _, each in sorted(config.get("commands").mapping.items()):
        said = _text(each.get("command"))
        if said.text:
            found.append((said, " || true" if str(each.get("ignoreErrors").value).lower() == "true" else ""))
    return found


def _files(configs: Sequence[Tree], told: str) -> Iterator[Tree]:
    for config in configs:
        for path, file in config.get("files").mapping.items():
            content = _text(file.get("content"))
            if path in told and content.string.startswith("#!"):
                yield content


def _text(said: Tree) -> Tree:
    """A text, where parts of it are filled in as well."""
    return said.get("Fn::Sub") if said.is_mapping else said


def _filled_in(text: str) -> str:
    return _FILLED_IN.sub("${filled_in}", text.rstrip("\n"))
