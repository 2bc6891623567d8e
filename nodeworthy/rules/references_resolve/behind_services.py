"""Behind a Service is who was meant: whom the API server asks (webhooks about pods and jobs, and what serves a part of
its API), and pods with GPUs."""

from __future__ import annotations

from nodeworthy.facts.cluster.relations import Relations
from nodeworthy.facts.cluster.services_of_nobody import ServiceOfNobody
from nodeworthy.facts.cluster.unanswered_services import Unanswered
from nodeworthy.rules.references_resolve import RULE
from nodeworthy.verdict import Draft, Findings, Place, Related, Severity, fail

_SHOWN = 4


@RULE.check
def whom_it_asks_answers(relations: Relations) -> Findings:
    for each in relations.services.found:
        yield _api_service(each) if each.first.says else _webhook(each)


@RULE.check
def it_leads_to_pods(relations: Relations) -> Findings:
    for each in relations.services.of_nobody:
        yield _of_nobody(each)


def _of_nobody(found: ServiceOfNobody) -> Draft:
    namespace, name = found.key
    labels = ", ".join(f"{label}={value}" if value else f"no label {label}" for label, value in found.differs)
    return fail(
        found,
        f"{found.kind} '{name}' leads to no pod: its selector is not that of the pod beside it",
        is_=", ".join(f"{label}={value}" for label, value in found.selector.items()),
        should=labels,
        cause="no pod of its namespace has all of these labels, so it has no endpoints, and who asks it gets no answer",
        remedy=f"let its selector be labels that the pod has: kubectl get pods -n {namespace} --show-labels",
        related=[Related(Place(object=found.pod), f"has {labels}")],
    )


def _webhook(found: Unanswered) -> Draft:
    namespace, name = found.first.service
    about = dict.fromkeys(what for each in found.askers for what in each.about)
    return fail(
        found,
        f"the API server has to ask a webhook about {_some(list(about))}, and nobody answers",
        is_=_nobody(found),
        should="a pod that is ready behind the Service",
        cause=f"with failurePolicy Fail it refuses what it can't ask about (failed calling webhook, no endpoints "
        f'available for service "{name}"): none of these is made or changed{_who_is_down(found)}',
        remedy=f"bring its pods up: kubectl get deployments,pods -n {namespace} (scaled to 0, crashing, without "
        f"its certificate); if it was uninstalled: kubectl delete {found.first.kind.lower()} {found.first.name}",
        related=[Related(Place(object=pod), fares) for pod, fares in found.pods[:_SHOWN]],
        victims=found.victims,
    )


def _api_service(found: Unanswered) -> Draft:
    namespace = found.first.service[0]
    return fail(
        found,
        f"the API server does not reach what serves {found.first.name}",
        is_=f"Available=False: {found.first.says}",
        should="condition Available",
        cause="what goes by it gets nothing (autoscalers no metrics); helm and kubectl complain of it, and namespaces "
        f"that are deleted do not go while it is away{_who_is_down(found)}",
        remedy=f"bring its pods up: kubectl get deployments,pods -n {namespace}; if it was uninstalled: kubectl delete "
        f"apiservice {found.first.name}",
        related=[Related(Place(object=pod), fares) for pod, fares in found.pods[:_SHOWN]],
        severity=Severity.WARNING,
    )


def _nobody(found: Unanswered) -> str:
    namespace, name = found.first.service
    which = f"Service {namespace}/{name}"
    return f"{which} has no pod that is ready" if found.is_there else f"{which} is not there"


def _who_is_down(found: Unanswered) -> str:
    return "".join(f"; {pod} behind it is {fares}" for pod, fares in found.pods[:1])


def _some(names: list[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (" …" if len(names) > _SHOWN else "")
