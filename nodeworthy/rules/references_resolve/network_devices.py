"""A pod asks for the device that its second network moves into it."""

from __future__ import annotations

from nodeworthy.facts.cluster.network_devices import NoDevice
from nodeworthy.facts.cluster.relations import Relations
from nodeworthy.rules.references_resolve import RULE
from nodeworthy.verdict import Draft, Findings, Place, Related, fail


@RULE.check
def it_asks_for_its_device(relations: Relations) -> Findings:
    for each in relations.devices:
        yield _not_asked_for(each) if each.resource else _of_none(each)


def _not_asked_for(found: NoDevice) -> Draft:
    name = "/".join(found.network)
    return fail(
        found,
        f"a pod is on the network '{name}', and asks for no device of it",
        is_=f"no {found.resource} among its resources",
        should=f"limits: {found.resource}: 1 in a container of it, as often as it names such networks",
        cause=f"the network's plugin ({found.plugin}) moves a device of {found.resource} into the pod, and only what "
        "kubelet has given the pod can be moved: no sandbox is made",
        remedy=f'ask for it: resources: {{limits: {{{found.resource}: "1"}}}} (an injector of network resources writes '
        "it by itself, where one runs)",
        related=[_network_of(found)],
        victims=found.pods,
        link="pod",
    )


def _of_none(found: NoDevice) -> Draft:
    namespace, name = found.network
    return fail(
        found,
        f"a pod is on the network '{namespace}/{name}', which says of no resource that its device is of it",
        is_="no annotation k8s.v1.cni.cncf.io/resourceName",
        should="the resource that its devices are offered as",
        cause=f"its plugin ({found.plugin}) is told no device, and Multus hands on only devices of the resource that "
        "the network names: no sandbox is made",
        remedy=f"kubectl annotate network-attachment-definitions -n {namespace} {name} k8s.v1.cni.cncf.io/resourceName="
        "RESOURCE (one that nodes offer: kubectl describe nodes), and ask for it in the pod; where an operator makes "
        "the network, set resourceName in its HostDeviceNetwork or SriovNetwork",
        related=[_network_of(found)],
        victims=found.pods,
        link="pod",
    )


def _network_of(found: NoDevice) -> Related:
    place = Place(object="/".join(("NetworkAttachmentDefinition", *found.network)))
    return Related(place, f"its plugin is {found.plugin}")
