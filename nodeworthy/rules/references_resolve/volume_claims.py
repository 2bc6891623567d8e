"""A claim on a volume for many nodes is of a class that makes such volumes."""

from __future__ import annotations

from nodeworthy.facts.cluster.relations import Relations
from nodeworthy.facts.cluster.volume_claims import ImpossibleClaim
from nodeworthy.rules.references_resolve import RULE
from nodeworthy.verdict import Draft, Findings, fail


@RULE.check
def its_class_makes_such_volumes(relations: Relations) -> Findings:
    for each in relations.claims:
        yield _draft(each)


def _draft(found: ImpossibleClaim) -> Draft:
    namespace, name = found.key
    by = f"StorageClass '{found.named}'" if found.named else "the default StorageClass"
    return fail(
        found,
        f"the claim '{name}' asks for a volume that many nodes write to, and its class makes none",
        is_=f"ReadWriteMany of {by} ({found.by.provisioner})",
        should=f"ReadWriteOnce, or a class that makes such volumes: {found.by.instead}",
        cause=f"{found.by.is_made} is mounted by one node at a time: its provisioner refuses the claim, and pods wait",
        remedy=f"a claim's mode and class can't be changed: delete it and make it anew, with {found.by.instead}, or "
        f"ReadWriteOnce where one node is enough; to be sure: kubectl describe pvc -n {namespace} {name}",
        victims=found.victims,
        link="pod",
    )
