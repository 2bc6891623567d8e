"""The name at which ranks look for their first one is known to the cluster's DNS."""

from __future__ import annotations

from nodeworthy.facts.cluster.meeting_points import NoMeetingPoint
from nodeworthy.facts.cluster.relations import Relations
from nodeworthy.rules.references_resolve import RULE
from nodeworthy.verdict import Draft, Findings, fail


@RULE.check
def they_find_each_other(relations: Relations) -> Findings:
    for each in relations.meeting_points:
        yield _draft(each)


def _draft(found: NoMeetingPoint) -> Draft:
    namespace = found.pods[0].split("/")[1]
    bare = found.said.partition(":")[0] == found.service
    kind, besides = ("Service", "") if bare else ("headless Service", ", and let it be the subdomain of the pods")
    return fail(
        found,
        f"{found.variable} names '{found.said}', which no pod can resolve: there is no Service '{found.service}'",
        is_=f"{found.variable}={found.said}",
        should=found.meant or f"a name that a Service of namespace {namespace} makes known",
        cause="a pod is known to others as HOSTNAME.SUBDOMAIN of a headless Service of that name, and by nothing else: "
        "the ranks wait for their first one and end (Name or service not known)",
        remedy=f"let it be {found.meant} (the subdomain of the pods: kubectl get services -n {namespace})"
        if found.meant
        else f"make a {kind} '{found.service}'{besides}; or name one that is there: kubectl get services "
        f"-n {namespace}",
        victims=found.pods,
        link="pod",
    )
