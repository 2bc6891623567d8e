"""Whether what asks the server of a pod with GPUs (its probes, the Services before it) asks where it listens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.documents.settled import why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.containers import Container
from nodeworthy.facts.pod.listening import Listening, listening, names_number, server_in
from nodeworthy.facts.pod.refused import MADE_LATER
from nodeworthy.facts.pod.service import PodService
from nodeworthy.facts.pod.template import OF_VALUES, PodTemplate
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.rules.pod_can_use_gpus import RULE
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, skip

_PROBES = {
    "startupProbe": "kubelet ends the container when its time is up, and starts it again, for ever",
    "livenessProbe": "kubelet ends the container after some failures, and starts it again, for ever",
    "readinessProbe": "the pod is never Ready, and its Service sends nothing to it",
}
_HANDLERS = ("httpGet", "tcpSocket")
# What puts other containers, and their ports, into pods of these.
_OF_ANOTHER = ("kserve", "knative")

# What gives all that a Kustomization holds other names.
_RENAMES = pattern(rb"(?m)^name(?:Prefix|Suffix): *\S")


@RULE.check
def its_probes_ask_where_it_listens(pod: PodTemplate) -> Findings:
    if not _is_all_told(pod):
        skip("what its probes find is seen in its events, or not all of it stands here")
    together = pod.at_work
    for container in together:
        served = listening(container) if len(together) == 1 else None
        for probe in _PROBES:
            for handler in _HANDLERS:
                port = container.tree.get(probe, handler, "port")
                yield from _asks_at_no_name(f"{container.name} of {pod.title}", container, port, probe)
                if served is not None:
                    yield from _asks_elsewhere(f"{container.name} of {pod.title}", container, port, probe, served)


def _is_all_told(pod: PodTemplate) -> bool:
    is_whole = pod.elsewhere is None and pod.why_hidden is None and pod.kind != OF_VALUES
    is_others = any(each in pod.document.get("apiVersion").string for each in _OF_ANOTHER)
    return pod.live is None and pod.uses_gpus and is_whole and not is_others


def _asks_at_no_name(called: str, container: Container, port: Tree, probe: str) -> Iterator[Draft]:
    ports = container.tree.get("ports")
    is_name = port.text and not port.text.isdigit() and not MADE_LATER.search(port.text)
    if not port.text or not is_name or why_incomplete(ports) is not None or _numbers_named(port.text, [container]):
        return
    said = ", ".join(filter(None, (each.get("name").text for each in ports.sequence))) or "none"
    yield fail(
        port.place,
        f"the {probe} of {called} asks at the port {port.text}, and it has none of that name",
        is_=f"port: {port.text}; its ports by name: {said}",
        should="the name of one of its own ports, or a number",
        cause=f"kubelet can't look the name up, and the probe fails each time: {_PROBES[probe]}",
        remedy=f"name one of its ports {port.text}, or write the number",
    )


def _asks_elsewhere(called: str, container: Container, port: Tree, probe: str, served: Listening) -> Iterator[Draft]:
    number = port.value
    if not isinstance(number, int) or number in served.ports or names_number(container, number):
        return
    yield fail(
        port.place,
        f"the {probe} of {called} asks at {number}, and {served.server} listens on {served.shown()}",
        is_=f"port: {number}",
        should=f"port: {served.shown()}",
        cause=f"nothing answers there (connection refused): {_PROBES[probe]}",
        remedy=f"ask at {served.shown()}, or tell {served.server} to listen on {number}",
    )


@RULE.check
def its_services_send_where_it_listens(
    pod: PodTemplate, services: Sequence[PodService], every: Sequence[PodTemplate]
) -> Findings:
    if not _is_all_told(pod):
        skip("whom its Services reach is seen in their endpoints, or not all of it stands here")
    for service in services:
        if not service.sends_to(pod):
            continue
        reached = [each for each in every if service.sends_to(each)]
        beside = [each for each in reached if each.document.place.path == service.place.path]
        others = [each for each in beside or reached if each is not pod]
        if pod in (beside or reached) and all(map(_is_all_told, others)):
            yield from _sent_in_vain(pod, service, others)


def _sent_in_vain(pod: PodTemplate, service: PodService, others: Sequence[PodTemplate]) -> Iterator[Draft]:
    found = []
    for port in service.ports:
        target = port.get("targetPort") if not port.get("targetPort").is_absent else port.get("port")
        named = target.text if target.text and not target.text.isdigit() else None
        if named is not None and not MADE_LATER.search(named) and _has_none(named, [pod, *others]):
            found.append(_to_nobodys_name(pod, service, target, named))
        elif not others:
            found += _at_no_server(pod, service, target, named)
    # By another of its ports the server is reached.
    is_all = len(found) == len(service.ports)
    yield from found if is_all else (replace(each, severity=Severity.WARNING) for each in found)


def _at_no_server(pod: PodTemplate, service: PodService, target: Tree, named: str | None) -> Iterator[Draft]:
    numbers = _numbers_named(named, pod.at_work) if named is not None else [target.value]
    number = numbers[0] if len(numbers) == 1 else None
    served = _only_server(pod)
    if not isinstance(number, int) or served is None or number in served[1].ports or names_number(served[0], number):
        return
    yield _to_nobodys_port(pod, service, target, number, served[1])


def _numbers_named(name: str, containers: Sequence[Container]) -> list[object]:
    ports = [port for each in containers for port in each.tree.get("ports").sequence]
    return [each.get("containerPort").value for each in ports if each.get("name").text == name]


def _has_none(name: str, pods: Sequence[PodTemplate]) -> bool:
    containers = [each for pod in pods for each in pod.containers]
    hidden = any(why_incomplete(each.tree.get("ports")) is not None for each in containers)
    return not hidden and not _numbers_named(name, containers)


def _only_server(pod: PodTemplate) -> tuple[Container, Listening] | None:
    together = pod.at_work
    found = listening(together[0]) if len(together) == 1 else None
    return (together[0], found) if found is not None else None


def _to_nobodys_name(pod: PodTemplate, service: PodService, target: Tree, named: str) -> Draft:
    return fail(
        target.place,
        f"the Service '{service.name}' sends to the port {named} of {pod.title}, which has none of that name",
        is_=f"targetPort: {named}",
        should="the name of a port of its containers, or a number",
        related=[Related(pod.place, "it chooses this pod")],
        cause="a pod without a port of that name is no endpoint of the Service for it: whoever calls gets no answer",
        remedy=f"name the container's port {named}, or write its number as targetPort",
    )


def _to_nobodys_port(pod: PodTemplate, service: PodService, target: Tree, number: int, served: Listening) -> Draft:
    return fail(
        target.place,
        f"the Service '{service.name}' sends to {number} of {pod.title}, and {served.server} listens there on "
        f"{served.shown()}",
        is_=f"targetPort: {target.text or number}" + ("" if target.text is None else f", which is {number}"),
        should=f"targetPort: {served.shown()}",
        related=[Related(pod.place, "it chooses this pod, in which nothing else runs")],
        cause="nothing listens there (connection refused): whoever calls the Service at this port gets no answer",
        remedy=f"send to {served.shown()}, or tell {served.server} to listen on {number}",
    )


@RULE.check
def no_service_sets_its_variables(pod: PodTemplate, services: Sequence[PodService]) -> Findings:
    if not _is_all_told(pod) or pod.spec.get("enableServiceLinks").value is False:
        skip("kubelet tells it of no Service by variables, or not all of it stands here")
    for container in pod.containers:
        server = server_in(container)
        if server is None:
            continue
        for service in services:
            if service.variable in server.linked and _is_told_of(pod, container, service):
                yield _takes_an_address(pod, container, service, server.name)


def _is_told_of(pod: PodTemplate, container: Container, service: PodService) -> bool:
    """Whether nothing else says the variable, and the Service keeps its name."""
    says = container.variable(service.variable) is not None or not container.tree.get("envFrom").is_absent
    # Of several files some may stand for one another: in another one it is its own Service.
    is_in_its_file = pod.document.place.path == service.place.path
    is_its_own = service.is_in_the_namespace_of(pod) if is_in_its_file else service.sends_to(pod)
    is_beside = is_its_own and not service.is_headless
    if says or not is_beside or any(service.variable in each for each in container.words):
        return False
    if pod.surroundings is None:
        return is_in_its_file
    return (
        next(iter(pod.surroundings.holding(_RENAMES, (".yaml", ".yml"), (b"namePrefix", b"nameSuffix"))), None) is None
    )


def _takes_an_address(pod: PodTemplate, container: Container, service: PodService, server: str) -> Draft:
    return fail(
        service.place,
        f"the Service '{service.name}' gives {container.name} of {pod.title} an address as {service.variable}, which "
        f"{server} reads as its own",
        is_=f"a Service called {service.name}, in the namespace of a pod of {server}",
        should=f"another name ({service.name}-server), or enableServiceLinks: false in the pod's spec",
        related=[Related(pod.place, f"{server} runs here")],
        cause=f"kubelet tells each new pod of the namespace's Services by variables: {service.variable}=tcp://…, and "
        f"{server} ends with: {service.variable} 'tcp://…' appears to be a URI. It does so with the next start of the "
        "pod, if the Service came behind it",
        remedy=f"call it {service.name}-server, or say enableServiceLinks: false beside containers",
    )
