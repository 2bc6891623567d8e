"""Whether node feature discovery, which the operator's chart brings, sets the label by which the operator knows nodes
with GPUs."""

from __future__ import annotations

from nodeworthy.documents.settled import why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.values import OperatorValues, boolean
from nodeworthy.known.operator_parts import GPU_SIGNS
from nodeworthy.rules.nodepool_can_serve import RULE
from nodeworthy.verdict import Draft, Findings, Severity, fail, need, skip, unknown

_AT = ("node-feature-discovery", "worker", "config", "sources", "pci")
_FIELDS, _CLASSES = "deviceLabelFields", "deviceClassWhitelist"
# What the labels that the operator looks for are made of.
_KNOWN = (["vendor"], ["class", "vendor"])
# PCI's class of what drives displays or computes in three dimensions.
_DISPLAY = "03"
_UNHEARD = (
    f"the operator looks for {', '.join(name.rpartition('/')[2] for name, _ in GPU_SIGNS)}, and brings nothing to a "
    "node without: pods that ask for a GPU stay Pending"
)


@RULE.check
def its_finder_labels_the_cards(values: OperatorValues) -> Findings:
    pci = values.tree.get(*_AT)
    if pci.is_absent:
        skip("the chart's own configuration of node feature discovery suits the operator")
    if not need(boolean("nfd.enabled", values.tree.get("nfd", "enabled"), default=True)):
        skip("node feature discovery is not the chart's")
    if why := why_incomplete(pci) or why_incomplete(pci.get(_FIELDS)) or why_incomplete(pci.get(_CLASSES)):
        yield unknown(pci, f"by what node feature discovery labels cards is not known: {why}")
        return
    fields, classes = pci.get(_FIELDS), pci.get(_CLASSES)
    if fields.sequence and _texts(fields) not in _KNOWN:
        yield _unlabelled(fields, _FIELDS, "[vendor]", "its labels of NVIDIA's cards are called otherwise")
    if classes.sequence and not any(each.startswith(_DISPLAY) for each in _texts(classes)):
        yield _unlabelled(classes, _CLASSES, '"0300" and "0302" among them', "it passes GPUs over")


def _texts(listed: Tree) -> list[str]:
    return [each.string for each in listed.sequence]


def _unlabelled(listed: Tree, key: str, should: str, does: str) -> Draft:
    return fail(
        listed.heading,
        f"node feature discovery labels no node with GPUs as the operator knows it: {does}",
        is_=f"{key}: {', '.join(_texts(listed))}",
        should=should,
        cause=_UNHEARD,
        remedy=f"leave {key} out of the values (the chart's own suits the operator), or write {should}",
        # Its label may be given to nodes by somebody else.
        severity=Severity.WARNING,
    )
