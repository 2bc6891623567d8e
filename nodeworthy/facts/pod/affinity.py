"""How a pod chooses its nodes by affinity, against the schema of Kubernetes: what is required is written otherwise than
what is preferred, and a node is chosen otherwise than the pods beside."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.refused import PodRefusal
from nodeworthy.facts.pod.schema import has_no, is_no_word

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_NODES, _PODS = "nodeAffinity", ("podAffinity", "podAntiAffinity")
# Operators beside which values stand for nothing, and are refused.
_WITHOUT_VALUES = ("Exists", "DoesNotExist")


def no_affinity(spec: Tree) -> Iterator[PodRefusal]:
    affinity = spec.get("affinity")
    yield from has_no(affinity, "affinity", "affinity")
    yield from _no_nodes(affinity.get(_NODES))
    for name in _PODS:
        yield from _no_pods(affinity.get(name), name)


def _no_nodes(nodes: Tree) -> Iterator[PodRefusal]:
    yield from has_no(nodes, "affinity-of-a-kind", _NODES)
    required, preferred = nodes.get(_REQUIRED), nodes.get(_PREFERRED)
    if required.is_sequence:
        yield _of_another_form(required, _NODES, "a list", "nodeSelectorTerms: […]")
    yield from has_no(required, "node-required", f"what {_NODES} requires")
    for term in required.get("nodeSelectorTerms").sequence:
        yield from _no_term_of_nodes(term)
    if preferred.is_mapping:
        yield _of_another_form(preferred, _NODES, "a mapping", "- {weight: …, preference: {…}}")
    for each in preferred.sequence:
        yield from has_no(each, "node-preferred", f"what {_NODES} prefers")
        yield from _no_term_of_nodes(each.get("preference"))


def _no_term_of_nodes(term: Tree) -> Iterator[PodRefusal]:
    yield from has_no(term, "node-term", f"a term of {_NODES}")
    for name in ("matchExpressions", "matchFields"):
        for each in term.get(name).sequence:
            yield from _no_expression(each)


def _no_expression(each: Tree) -> Iterator[PodRefusal]:
    yield from has_no(each, "expression", "an expression of it")
    yield from is_no_word(each.get("operator"), "expression-operator")
    operator, values = each.get("operator").text, each.get("values")
    if operator in _WITHOUT_VALUES and values.sequence:
        yield PodRefusal(
            values.heading,
            f"asks that {each.get('key').text or 'a label'} {operator}, and says values beside it",
            f"operator: {operator}, and values",
            f"operator: {operator} alone, or operator: In with the values",
            "values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        )


def _no_pods(pods: Tree, name: str) -> Iterator[PodRefusal]:
    yield from has_no(pods, "affinity-of-a-kind", name)
    required, preferred = pods.get(_REQUIRED), pods.get(_PREFERRED)
    if required.is_mapping:
        yield _of_another_form(required, name, "a mapping", "- {labelSelector: {…}, topologyKey: …}")
    if preferred.is_mapping:
        yield _of_another_form(preferred, name, "a mapping", "- {weight: …, podAffinityTerm: {…}}")
    for each in required.sequence:
        yield from has_no(each, "pod-term", f"what {name} requires")
    for each in preferred.sequence:
        yield from has_no(each, "pod-preferred", f"what {name} prefers")
        yield from has_no(each.get("podAffinityTerm"), "pod-term", f"a term of {name}")


def _of_another_form(tree: Tree, name: str, form: str, should: str) -> PodRefusal:
    where = "requires" if (tree.place.subject or "").rpartition(".")[2] == _REQUIRED else "prefers"
    return PodRefusal(
        tree.heading,
        f"writes what {name} {where} as {form}",
        form,
        should,
        f"cannot unmarshal {'array' if tree.is_sequence else 'object'} into Go struct field … {name}",
    )
