"""What a Pulumi program in YAML makes: its resources of AWS, its charts and objects of Kubernetes, as they stand there.

What is interpolated (`${cluster.name}`) is known where a variable says it, and else a resource's output: unknown, and
by it one resource refers to another. Functions (`fn::invoke`) are not called.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from nodeworthy.collect.aws.stack import Stack
from nodeworthy.collect.aws.user_data import scripts_of
from nodeworthy.collect.objects import facts_of, facts_of_release
from nodeworthy.documents.release import Release
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import read
from nodeworthy.facts.aws.stack import AwsResource, AwsStack
from nodeworthy.facts.not_seen import NotLookedAt
from nodeworthy.patterns import pattern
from nodeworthy.scene import Fact
from nodeworthy.verdict import Place, Unknown

_RUNTIME = "yaml"
_HELM = "kubernetes:helm.sh/"
# They open other files, or charts whose objects nobody sees here.
_OPENED_LATER = ("kubernetes:yaml", "kubernetes:kustomize")
_WHOLE = pattern(r"\$\{([A-Za-z_][\w-]*)((?:[.\[][^${}]*)?)\}")
_PART = pattern(r"(?<!\$)\$\{")
_TO_BASE64 = "fn::toBase64"
_FUNCTION = "fn::"


def read_program(text: str, shown: str) -> tuple[list[Fact], list[Stack]] | None:
    """Its facts, and the stack of its resources of AWS; None where it is no such program. Raises NotYaml."""
    document = read(text, Place(path=shown))
    if document is None or not _is_program(document):
        return None
    program = _Program(document)
    return list(program.facts()), list(program.stacks())


def _is_program(document: Tree) -> bool:
    runtime = document.get("runtime")
    named = runtime.text or runtime.get("name").text
    types = [each.get("type").text or "" for each in document.get("resources").mapping.values()]
    return (named is None or named == _RUNTIME) and any(each.count(":") > 1 for each in types)


class _Program:
    def __init__(self, document: Tree) -> None:
        self._document = document
        self._resources = document.get("resources").mapping
        self._variables = document.get("variables").mapping

    def stacks(self) -> Iterator[Stack]:
        made = [self._of_aws(name, each) for name, each in self._resources.items() if _type(each).startswith("aws:")]
        stack = Stack(AwsStack(self._document.place, made), scripts_of)
        if made and stack.starts_nodes:
            yield stack

    def _of_aws(self, name: str, resource: Tree) -> AwsResource:
        said = resource.get("properties")
        named = {top: tuple(dict.fromkeys(self._named_in(each))) for top, each in said.mapping.items()}
        plant = partial(self._filled_in, said)
        return AwsResource(_type(resource), name, name, resource.place, plant, {k: v for k, v in named.items() if v})

    def facts(self) -> Iterator[Fact]:
        for name, each in self._resources.items():
            kind = _type(each)
            if kind.startswith(_HELM):
                yield from facts_of_release(self._release(name, each))
            elif kind.startswith(_OPENED_LATER):
                yield NotLookedAt(each.place, f"{kind} '{name}' opens other files, which are not read from here")
            elif kind.startswith("kubernetes:"):
                yield from facts_of(self._object(each, kind))

    def _release(self, name: str, resource: Tree) -> Release:
        said = self._filled_in(resource.get("properties"))
        files = said.get("valueYamlFiles")
        elsewhere = None if files.is_absent else "valueYamlFiles may hold it, which are not read from here"
        title = f"{_type(resource).rpartition(':')[2]} '{name}'"
        values = said.get("values")
        named = said.get("name").text or name
        metadata = Tree({"name": Tree(named, resource.place)}, resource.place)
        place = values.place if not values.is_absent else resource.place
        return Release(
            title, title, place, said.get("chart"), said.get("version"), values, elsewhere, named, metadata=metadata
        )

    def _object(self, resource: Tree, kind: str) -> Tree:
        """Its type says which API it is of."""
        said = self._filled_in(resource.get("properties"))
        group = kind.removeprefix("kubernetes:").rpartition(":")[0].removeprefix("core/")
        own = {"apiVersion": Tree(group, resource.place), "kind": Tree(kind.rpartition(":")[2], resource.place)}
        return Tree({**own, **said.mapping}, resource.place)

    # What is interpolated

    def _filled_in(self, tree: Tree) -> Tree:
        function = next((name for name in tree.mapping if name.startswith(_FUNCTION)), None)
        if function is not None:
            return self._called(function, tree)
        if tree.is_mapping:
            return replace(tree, value={name: self._filled_in(each) for name, each in tree.mapping.items()})
        if tree.is_sequence:
            return replace(tree, value=[self._filled_in(each) for each in tree.sequence])
        return self._text(tree) if tree.text is not None else tree

    def _called(self, function: str, tree: Tree) -> Tree:
        given = self._filled_in(tree.get(function))
        if function == _TO_BASE64 and given.text is not None:
            return replace(tree, value=base64.b64encode(given.text.encode()).decode())
        return replace(tree, value=Unknown(f"{function} is called when the program runs"))

    def _text(self, tree: Tree) -> Tree:
        text = tree.text or ""
        whole = _WHOLE.fullmatch(text)
        if whole is None:
            unknown = Unknown(f"a part of it is known only when the program runs: {text[:60]}")
            return replace(tree, value=unknown) if _PART.search(text) else tree
        name, path = whole[1], whole[2]
        variable = self._variables.get(name)
        if variable is not None and not path and variable.text is not None and not _PART.search(variable.text):
            return replace(tree, value=variable.value)
        of = name if name in self._resources else ""
        return replace(tree, value=Unknown(f"{text} is known only when the program runs", of))

    def _named_in(self, tree: Tree) -> Iterator[str]:
        if tree.text is not None:
            yield from (each[1] for each in _WHOLE.finditer(tree.text) if each[1] in self._resources)
        for each in (*tree.mapping.values(), *tree.sequence):
            yield from self._named_in(each)


def _type(resource: Tree) -> str:
    """As the engine calls it: `aws:eks:NodeGroup` stands for `aws:eks/nodeGroup:NodeGroup`."""
    said = resource.get("type").text or ""
    package, _, rest = said.partition(":")
    module, _, name = rest.partition(":")
    if package != "aws" or "/" in module or not name:
        return said
    return f"aws:{module}/{name[:1].lower()}{name[1:]}:{name}"
