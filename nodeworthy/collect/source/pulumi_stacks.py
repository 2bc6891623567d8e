"""What the stacks of a program of Pulumi in YAML say in place of its defaults: `Pulumi.dev.yaml` beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath

from nodeworthy.collect.source.cloudformation.nodes import Node, child, items, pairs, scalar, scalar_text, spot_of
from nodeworthy.collect.source.files import Unreadable, as_text
from nodeworthy.collect.source.stack_files import STACK_FILE
from nodeworthy.documents.yaml import NotYaml, compose
from nodeworthy.facts.surroundings import Surroundings
from nodeworthy.hcl.source import File, Spot
from nodeworthy.hcl.values import Hole, Obj, Seq, Value
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

_HAS_CONFIG = pattern(rb"(?m)^config:")


@dataclass(frozen=True)
class StackConfig:
    name: str
    file: File
    config: Mapping[str, Node]

    def said(self, name: str, project: str) -> Node | None:
        """The program's own keys are under its name."""
        return self.config.get(name if ":" in name else f"{project}:{name}")


def stacks_beside(around: Surroundings | None, lies: Path, shown: str, only: str | None = None) -> list[StackConfig]:
    """The stacks in the program's own folder. One that cannot be read says nothing here and is reported for itself."""
    if around is None:
        return []
    found = around.holding(_HAS_CONFIG, (".yaml", ".yml"))
    beside = sorted((each for each in found if each.path.parent == lies.parent), key=lambda each: each.path)
    read = (_read_stack(each.path.name, each.data, PurePath(shown).parent) for each in beside)
    return [each for each in read if each is not None and only in (None, each.name)]


def _read_stack(name: str, data: bytes, folder: PurePath) -> StackConfig | None:
    stack = STACK_FILE.fullmatch(name)
    if stack is None:
        return None
    shown = str(folder / name)
    try:
        text = as_text(data)
        roots = compose(text, Place(shown))
    except (NotYaml, Unreadable):
        return None
    config = pairs(child(roots[0], "config")) if len(roots) == 1 else {}
    return StackConfig(stack["stack"], File(shown, text), {key: node for key, (_, node) in config.items()})


def agreed_value(
    default: Node | None, stacks: Sequence[StackConfig], name: str, project: str, spot: Spot
) -> Value | None:
    """What all of them say; None where none says anything, and the default holds."""
    said = [(each, each.said(name, project)) for each in stacks]
    own = [(stack, node) for stack, node in said if node is not None]
    if not own:
        return None
    texts = {repr(_flat(node if node is not None else default)) for _, node in said}
    if len(texts) > 1:
        told = " and ".join(each.name for each, _ in said[:2])
        return Hole(f"the stacks say it differently: {told}", spot, name)
    stack, node = own[0]
    return _value(node, stack.file)


def _flat(node: Node | None) -> object:
    if node is None or scalar_text(node) is not None:
        return scalar_text(node)
    return {key: _flat(each) for key, (_, each) in pairs(node).items()} or [_flat(each) for each in items(node)]


def _value(node: Node, file: File) -> Value:
    spot = spot_of(node, file)
    if scalar_text(node) is not None:
        return scalar(node, file)
    said = pairs(node)
    if list(said) == ["secure"]:
        return Hole("it is encrypted in the stack's config", spot, "secure", secret=True)
    if said:
        keys = {name: spot_of(key, file) for name, (key, _) in said.items()}
        return Obj("object", {name: _value(each, file) for name, (_, each) in said.items()}, spot, keys)
    return Seq("list", list(_each(node, file)), spot)


def _each(node: Node, file: File) -> Iterator[Value]:
    yield from (_value(each, file) for each in items(node))
