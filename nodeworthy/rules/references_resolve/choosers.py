"""What chooses nodes by labels chooses some."""

from __future__ import annotations

from nodeworthy.facts.cluster.choosers import ChoosesNone
from nodeworthy.facts.cluster.references import kind_of
from nodeworthy.facts.cluster.relations import Relations
from nodeworthy.rules.references_resolve import RULE
from nodeworthy.verdict import Draft, Findings, Severity, fail

_SHOWN = 4


@RULE.check
def it_chooses_some(relations: Relations) -> Findings:
    for each in relations.chosen.found:
        yield _draft(each)


def _draft(found: ChoosesNone) -> Draft:
    kind, _, name = found.chooser.id
    others = ", ".join(found.others[:_SHOWN]) + (" …" if len(found.others) > _SHOWN else "")
    missed = ", ".join(f"{label}={value}" if value else label for label, value in found.unmet)
    return fail(
        found,
        f"{kind_of(kind)} '{name}' chooses nodes by labels, and no node has them",
        is_=found.chooser.shown,
        should=f"labels of nodes that are there: {others}" if others else f"a node with {missed}",
        cause=found.chooser.by.then,
        remedy=found.chooser.by.mend,
        victims=found.victims,
        # Nodes of that kind may not have been started yet.
        severity=Severity.ERROR if found.victims or found.chooser.by.only_near else Severity.WARNING,
    )
