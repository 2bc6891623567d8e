"""What stands in a template, as everything that rules ask for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.collect.aws.stack import Stack
from nodeworthy.collect.charts import facts_of_release
from nodeworthy.collect.objects import facts_of, objects
from nodeworthy.collect.source.cloudformation.charts import CHARTS, object_of, release_of
from nodeworthy.collect.source.cloudformation.nodes import Node, child, items, pairs, scalar_text, spot_of
from nodeworthy.collect.source.cloudformation.resources import Resources
from nodeworthy.collect.source.cloudformation.template import FOR_EACH, Resource, Template
from nodeworthy.collect.source.cloudformation.user_data import reads_scripts
from nodeworthy.collect.source.comments import suppression
from nodeworthy.documents.yaml import compose
from nodeworthy.facts.aws.node_drainer import HANDLER, Handler, is_handler
from nodeworthy.facts.not_seen import NotLookedAt
from nodeworthy.facts.secrets.planned_secret import ParameterDefault, default_secret
from nodeworthy.facts.surroundings import Surroundings
from nodeworthy.hcl.scope import TooMuch
from nodeworthy.hcl.source import File
from nodeworthy.hcl.trees import tree
from nodeworthy.hcl.values import Obj, Refusal, Waits
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass, field
from nodeworthy.scene import Fact
from nodeworthy.suppression import Suppression
from nodeworthy.verdict import Place

_IGNORE = "ignore "
_KINDS = ("AWS::", "Custom::", "Alexa::")


# Properties that hold a program's source: what a variable is called there says nothing of what it holds.
_CODE = frozenset({"ZipFile", "InlineCode", "FunctionCode"})


@dataclass
class Read:
    # Its text, less the programs in it.
    text: str = ""
    facts: list[Fact] = field(default_factory=list)
    stacks: list[Stack] = field(default_factory=list)
    suppressions: list[Suppression] = field(default_factory=list)


def read_template(text: str, shown: str, rules: frozenset[str], around: Surroundings | None) -> Read | None:
    """None for a document that is none, or that makes nothing which is judged. Raises NotYaml."""
    roots = compose(text, Place(shown))
    if len(roots) != 1 or not _is_template(roots[0]):
        return None
    template = Template(File(shown, text), roots[0])
    read = Read()
    try:
        _judged(template, read, around)
    except TooMuch as problem:
        read.facts.append(NotLookedAt(Place(shown), f"this template was not read to its end: {problem}"))
    if not read.facts and not read.stacks:
        return None
    read.suppressions += _suppressions(template, rules)
    read.text = _without_code(text, roots[0])
    return read


def _without_code(text: str, root: Node) -> str:
    spans = [_span(each, text) for each in _codes(root)]
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + pattern(r"[^\n]").sub(" ", text[start:end]) + text[end:]
    return text


def _codes(root: Node) -> Iterator[Node]:
    waiting, seen = [root], set[int]()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        for name, (_, value) in pairs(node).items():
            if name in _CODE:
                yield value
            else:
                waiting.append(value)
        waiting += items(node)


def _span(node: Node, text: str) -> tuple[int, int]:
    start = node.start_mark.index
    if scalar_text(node) is not None:
        end = node.end_mark.index if node.end_mark is not None else text.find("\n", start)
        return start, end if end >= 0 else len(text)
    last = max(
        (_span(each, text)[1] for each in (*items(node), *(each for _, each in pairs(node).values()))), default=0
    )
    return start, max(start, last)


def _is_template(root: Node) -> bool:
    return any(kind.startswith(_KINDS) for kind in _kinds(child(root, "Resources")))


def _kinds(node: Node) -> Iterator[str]:
    """The types of its resources, those of loops among them."""
    for name, (_, value) in pairs(node).items():
        if name.startswith(FOR_EACH):
            for each in items(value):
                yield from _kinds(each)
        elif (kind := scalar_text(child(value, "Type"))) is not None:
            yield kind


def _judged(template: Template, read: Read, around: Surroundings | None) -> None:
    read.facts += facts_in(template)
    read.facts += _defaults(template)
    resources = Resources(template)
    stack = Stack(resources.stack, reads_scripts(resources.planned, around), list(handlers_in(template)))
    if stack.starts_nodes:
        read.stacks.append(stack)
    if read.facts or read.stacks:
        read.facts += [
            NotLookedAt(place, f"the macro {name} may make anything of this template, and is not run here")
            for name, place in template.macros
        ]


# Secrets


def _defaults(template: Template) -> Iterator[ParameterDefault]:
    for name, (_, node) in template.parameters.items():
        said = child(node, "Default")
        told = scalar_text(said)
        if said is not None and told:
            what = default_secret(name, told)
            if what is not None:
                yield ParameterDefault(spot_of(said, template.file).place, name, what)


# Suppressions


def _suppressions(template: Template, rules: frozenset[str]) -> Iterator[Suppression]:
    """`Metadata: {nodeworthy: {ignore: RULE-ID reason}}`, of a resource, and of the whole template."""
    every = pairs(child(template.root, "Resources"))
    starts = sorted(template.file.line(key.start_mark.index) for key, _ in every.values())
    for key, node in every.values():
        first = template.file.line(key.start_mark.index)
        until = next((each for each in starts if each > first), template.file.text.count("\n") + 2)
        yield from _suppressions_in(_ignored(node), range(first, until), template, rules)
    yield from _suppressions_in(_ignored(template.root), None, template, rules)


def _ignored(node: Node) -> Node | None:
    """Written as a comment has it, too: `nodeworthy: ignore RULE-ID reason`."""
    said = child(node, "Metadata", "nodeworthy")
    return said if (scalar_text(said) or "").startswith(_IGNORE) else child(node, "Metadata", "nodeworthy", "ignore")


def _suppressions_in(
    said: Node | None, lines: range | None, template: Template, rules: frozenset[str]
) -> Iterator[Suppression]:
    if said is None:
        return
    told: Sequence[tuple[str, Node]] = [(scalar_text(each) or "", each) for each in items(said) or [said]]
    told = [(f"{name} {scalar_text(each) or ''}", key) for name, (key, each) in pairs(said).items()] or told
    for text, node in told:
        rule, _, reason = text.strip().removeprefix(_IGNORE).strip().partition(" ")
        yield suppression(rule, reason.strip(), spot_of(node, template.file).place, lines, rules)


# What a template hands to a cluster: charts with their values, and CDK's manifests, which are JSON in a text.


MANIFEST = "Custom::AWSCDK-EKS-KubernetesResource"


def facts_in(template: Template) -> Iterator[Fact]:
    for each in template.resources.values():
        if each.type in CHARTS:
            yield from facts_of_release(release_of(template, each))
        elif each.type == MANIFEST:
            yield from _manifests(template, each)


def handlers_in(template: Template) -> Iterator[Handler]:
    """What cordons and drains nodes that are about to end, where CDK installs it."""
    for each in template.resources.values():
        if each.type in CHARTS:
            release = release_of(template, each)
            if is_handler(release.chart):
                yield Handler(f"{HANDLER} '{each.name}'", release.place, release.values, release.elsewhere)


def _manifests(template: Template, resource: Resource) -> Iterator[Fact]:
    said = template.properties(resource)
    given = said.items.get("Manifest") if isinstance(said, Obj) else None
    if given is None:
        return
    try:
        made = tree(object_of(template, given))
    except (Waits, Refusal):
        return
    for document in made.sequence or [made]:
        for each in objects(document):
            yield from facts_of(each)
