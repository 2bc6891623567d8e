"""What stands in a pod against the schema of Kubernetes: fields that it does not have, words that a field does not
take, amounts that are none. What stands at another depth than it should is told of elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.containers import Container, NotAQuantity, is_gpu_resource, quantity
from nodeworthy.facts.pod.misplaced import misplaced_settings, why_fields_are_free
from nodeworthy.facts.pod.refused import MADE_LATER, STANDS_FOR_ANOTHER, PodRefusal, is_whole
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.pod_fields import fields_of, group_of, is_standard_resource, words_of
from nodeworthy.patterns import pattern
from nodeworthy.records import replace

_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_HANDLERS = ("exec", "grpc", "httpGet", "tcpSocket")
_LISTS = ("ports", "env", "volumeMounts")
# Volumes of which it is known what may stand in them.
_SOURCES = ("emptyDir", "hostPath", "persistentVolumeClaim", "configMap", "secret")
_COUNTS = ("replicas", "parallelism", "completions", "backoffLimit")
# GPUs by a name without a domain.
_BARE = pattern(r"(?:nvidia[-.])?(?:com[-.])?gpus?|nvidia", re.IGNORECASE)
# An amount of 16 GB is `16G` or `16Gi`.
_LIKE_A_QUANTITY = "a quantity: 500m, 16Gi, 4"


def served_elsewhere(pod: PodTemplate) -> PodRefusal | None:
    """`kind: Deployment` of `apiVersion: v1`: a kind of Kubernetes itself, where it serves none of this name."""
    version, served = pod.document.get("apiVersion"), group_of(pod.kind)
    is_told = version.text and not MADE_LATER.search(version.text)
    if served is None or not is_told or version.text == served or not is_whole(pod):
        return None
    # Of another domain: a kind that somebody else calls so.
    if "." in version.string.partition("/")[0] or pod.elsewhere is not None:
        return None
    return PodRefusal(
        version.place,
        f"is asked for of {version.text}, where Kubernetes serves no {pod.kind}",
        version.string,
        f"apiVersion: {served}",
        f'no matches for kind "{pod.kind}" in version "{version.text}"',
    )


def against_the_schema(pod: PodTemplate) -> Iterator[PodRefusal]:
    if why_fields_are_free(pod) is not None:
        return
    told = {each.tree.heading for each in misplaced_settings(pod)}
    for found in _in_all_of_it(pod):
        if found.place not in told:
            yield found


def asks_in_vain(pod: PodTemplate) -> bool:
    """Whether GPUs are asked for where nobody reads it: in a field that containers do not have (`resource: {limits:
    {nvidia.com/gpu: 1}}`), or under a name without a domain (`gpu: 1`)."""
    unread = (tree for each in pod.containers for name, tree in each.tree.mapping.items() if _is_unread(name))
    held = (given for tree in unread for given in (tree, *tree.mapping.values()))
    return any(is_gpu_resource(name) for given in held for name in given.mapping) or any(
        _BARE.fullmatch(name)
        for each in pod.containers
        for given in (each.limits, each.requests)
        for name in given.mapping
    )


def _is_unread(name: str) -> bool:
    return name not in fields_of("container")


def _in_all_of_it(pod: PodTemplate) -> Iterator[PodRefusal]:
    yield from has_no(pod.document, "object", f"the {pod.kind} itself")
    if pod.kind != "Pod":
        yield from has_no(pod.document.get("spec"), pod.kind, f"{pod.kind}'s spec")
        yield from _is_no_count(pod.document.get("spec"))
    yield from has_no(pod.spec, "pod", "the pod's spec")
    yield from has_no(pod.spec.get("securityContext"), "pod-securityContext", "the pod's securityContext")
    yield from no_tolerations(pod.spec)
    yield from _no_affinity(pod.spec)
    for volume in pod.spec.get("volumes").sequence:
        yield from _in_a_volume(volume)
    for container in pod.containers:
        yield from _in_a_container(container)


def has_no(holder: Tree, what: str, called: str) -> Iterator[PodRefusal]:
    known = fields_of(what)
    for name, tree in holder.mapping.items() if known else ():
        if name in known or tree.is_unknown or tree.is_null or _is_another_way_to_write(name):
            continue
        meant = next(iter(get_close_matches(name, known, n=1, cutoff=0.75)), None)
        yield PodRefusal(
            tree.heading,
            f"says {name} in {called}, which has no such field",
            name,
            meant or f"no {name} there",
            f'strict decoding error: unknown field "{tree.place.subject}"',
        )


def _is_another_way_to_write(name: str) -> bool:
    """YAML's merge key, names of anchors alone, and what a program takes away or fills in before a server sees it."""
    return name.startswith(("<<", "x-", "$", "#", "_")) or MADE_LATER.search(name) is not None


def _is_no_count(spec: Tree) -> Iterator[PodRefusal]:
    for name in _COUNTS:
        tree = spec.get(name)
        if tree.text and tree.text.isdigit():
            yield PodRefusal(
                tree.place,
                f"says {name} as a text, where Kubernetes takes a number",
                f'"{tree.text}"',
                f"{name}: {tree.text}",
                f"cannot unmarshal string into Go struct field … {name} of type int32",
            )


def _no_affinity(spec: Tree) -> Iterator[PodRefusal]:
    if not spec.get("affinity").is_mapping:
        return
    from nodeworthy.facts.pod.affinity import no_affinity

    yield from no_affinity(spec)


def no_tolerations(spec: Tree) -> Iterator[PodRefusal]:
    for each in spec.get("tolerations").sequence:
        yield from _tolerates_nothing(each)


def _tolerates_nothing(each: Tree) -> Iterator[PodRefusal]:
    yield from has_no(each, "toleration", "a toleration")
    for name in ("operator", "effect"):
        yield from is_no_word(each.get(name), name)
    value = each.get("value")
    if each.get("operator").text == "Exists" and value.text and not MADE_LATER.search(value.text):
        yield PodRefusal(
            value.place,
            f"tolerates {each.get('key').text or 'a taint'} that Exists, and says a value beside it",
            f"operator: Exists, value: {value.text}",
            f"operator: Exists alone, or operator: Equal with value: {value.text}",
            "tolerations[…].operator: Invalid value: value must be empty when `operator` is 'Exists'",
        )


def is_no_word(tree: Tree, field: str) -> Iterator[PodRefusal]:
    words = words_of(field)
    if not tree.text or tree.text in words or MADE_LATER.search(tree.text):
        return
    yield PodRefusal(
        tree.place,
        f"says {field.rpartition('-')[2]} {tree.text}, which is none of its words",
        tree.text,
        " or ".join(get_close_matches(tree.text, words, n=1) or words),
        f'{field.rpartition("-")[2]}: Unsupported value: "{tree.text}": supported values: {", ".join(words)}',
    )


def _in_a_container(container: Container) -> Iterator[PodRefusal]:
    tree = container.tree
    yield from has_no(tree, "container", f"the container {container.name}")
    yield from is_no_word(tree.get("imagePullPolicy"), "imagePullPolicy")
    yield from has_no(tree.get("resources"), "resources", f"resources of the container {container.name}")
    yield from _of_its_context(container)
    for name in _LISTS:
        for each in tree.get(name).sequence:
            yield from has_no(each, name, f"{name} of the container {container.name}")
    for name in ("requests", "limits"):
        yield from _asks_for_nothing(container, name)
    for name in _PROBES:
        yield from _asks_nobody(tree.get(name), name, container)
    for port in tree.get("ports").sequence:
        yield from _is_no_port(port.get("containerPort"))


def _of_its_context(container: Container) -> Iterator[PodRefusal]:
    called = f"securityContext of the container {container.name}"
    for found in has_no(container.tree.get("securityContext"), "container-securityContext", called):
        is_the_pods = found.is_ in fields_of("pod-securityContext")
        yield replace(found, should=f"{found.is_} in the pod's securityContext") if is_the_pods else found


def _in_a_volume(volume: Tree) -> Iterator[PodRefusal]:
    called = f"the volume {volume.get('name').text or '?'}"
    yield from has_no(volume, "volumes", called)
    for name, source in volume.mapping.items():
        if name in _SOURCES:
            yield from has_no(source, name, f"{name} of {called}")


def _asks_for_nothing(container: Container, name: str) -> Iterator[PodRefusal]:
    for resource, amount in container.tree.get("resources", name).mapping.items():
        is_to_come = MADE_LATER.search(resource) or STANDS_FOR_ANOTHER.search(resource)
        if amount.is_unknown or amount.is_null or is_gpu_resource(resource) or is_to_come:
            continue
        if not is_standard_resource(resource):
            yield PodRefusal(
                amount.heading,
                f"has {resource} among its {name}, which is no resource",
                resource,
                "cpu, memory, ephemeral-storage, or a device by its domain: nvidia.com/gpu",
                f"resources.{name}[{resource}]: Invalid value: must be a standard resource for containers",
            )
        elif not _is_a_quantity(amount):
            written = amount.written or (str(amount.value) if amount.text is not None else amount.kind())
            yield PodRefusal(
                amount.place,
                f"asks for {written} of {resource}, which is no amount",
                written,
                _LIKE_A_QUANTITY,
                "quantities must match the regular expression …",
            )


def _is_a_quantity(amount: Tree) -> bool:
    if amount.text is not None and (not amount.text or MADE_LATER.search(amount.text)):
        return True
    try:
        quantity(amount.value)
    except NotAQuantity:
        return False
    return True


def _asks_nobody(probe: Tree, name: str, container: Container) -> Iterator[PodRefusal]:
    yield from has_no(probe, "probe", f"{name} of the container {container.name}")
    given = probe.mapping.values()
    if not probe.mapping or any(each.is_unknown for each in given) or any(map(_is_another_way_to_write, probe.mapping)):
        return
    if all(probe.get(each).is_absent for each in _HANDLERS):
        yield PodRefusal(
            probe.heading,
            f"has a {name} that asks nobody",
            ", ".join(probe.mapping),
            "one of httpGet, tcpSocket, exec, grpc in it",
            f"{name}: Required value: must specify a handler type",
        )


def _is_no_port(port: Tree) -> Iterator[PodRefusal]:
    if port.text and port.text.isdigit():
        yield PodRefusal(
            port.place,
            "says containerPort as a text, where Kubernetes takes a number",
            f'"{port.text}"',
            f"containerPort: {port.text}",
            "cannot unmarshal string into Go struct field … containerPort of type int32",
        )
