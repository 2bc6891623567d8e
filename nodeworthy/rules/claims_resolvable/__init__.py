"""GPU claims (Dynamic Resource Allocation) name API versions, classes, templates and requests that exist.

A pod asks by name: its `resourceClaims` name a ResourceClaim or a template of one in its namespace, its containers name
those entries (`resources.claims`), and maybe one of the claim's requests. A request names a DeviceClass, which a driver
makes. Of a name that is not there the pod stays Pending for ever ("cannot allocate all claims", "resourceclaim not
found"), or the API server refuses it.

The API has changed its shape with almost every version. `v1alpha2` (`resourceClassName`, Kubernetes 1.27 to 1.30) is
gone. Up to `v1beta1` a request says its class itself (`deviceClassName`), from `v1beta2` on below `exactly`, or in a
list `firstAvailable`. In the other form the class is an unknown field, and the claim is refused: it asks for nothing.

NVIDIA's driver hands devices over by CDI alone. Where the operator's values switch CDI off, its runtime goes by the
variables of old: a pod sees all GPUs, or none, whatever its claim says. The driver must know where the libraries are:
below `/run/nvidia/driver` where the operator brings them, else at `/`. Its chart refuses to hand out whole GPUs without
`gpuResourcesEnabledOverride`; with `resources.gpus.enabled: false` it serves ComputeDomains alone, and a claim for a
GPU waits.

A class or a template that is not beside a claim may be elsewhere: it is missing only where it is called almost like one
that is here, and that one is named by nobody.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from nodeworthy.documents.settled import settle, why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.fleet_operator import DeclaredFleet
from nodeworthy.facts.operator.values import boolean
from nodeworthy.facts.pod.claims import ClaimsAround, ComputeDomain, DraDriver, ResourceClaim
from nodeworthy.known.dra import (
    GROUP,
    IN_EXACTLY,
    IN_REQUEST,
    IN_SPEC,
    DraVersion,
    classes_of_gpus,
    dra_versions,
    is_nvidias,
    nvidias_classes,
    version_for,
)
from nodeworthy.known.versions import numbers
from nodeworthy.patterns import pattern
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Known, Related, Severity, Unknown, fail, need, skip, unknown

RULE = Rule(
    "claims-resolvable",
    severity=Severity.ERROR,
    title="GPU claims name API versions, classes, templates and requests that exist",
    remedy="name what is there: kubectl get deviceclasses,resourceclaimtemplates,resourceclaims -A",
)

_OLD_CLASS, _CLASS = "resourceClassName", "deviceClassName"
_WRITTEN = {
    IN_SPEC: _OLD_CLASS,
    IN_REQUEST: f"{_CLASS} in each request",
    IN_EXACTLY: f"{_CLASS} below exactly (or in firstAvailable)",
}
_REFUSED = "the API server does not know the field: it refuses the claim, or drops the field and finds no class"
WAITS = "its pod stays Pending"
NEAR = 0.8
_OF_A_DEVICE = pattern(r"\bdevice\.(?P<what>attributes|capacity)\[[\"'](?P<domain>[^\"'\]]{1,120})[\"']\]")


@RULE.check
def its_version_is_served(claim: ResourceClaim, declared: DeclaredFleet | None) -> Findings:
    written, version = claim.document.get("apiVersion"), claim.version
    if version is None:
        if need(settle(written)):
            yield fail(written.located(), f"{claim.title} is of a version that {GROUP} never had",
                       should=" or ".join(dra_versions()))  # fmt: skip
        return
    if declared is None:
        if version.is_over:
            newest = list(dra_versions().values())[-1]
            yield _not_served(claim, version, newest, "no maintained Kubernetes serves")
        return
    kubernetes = declared.fleet.cluster.version
    if isinstance(kubernetes.state, Unknown):
        yield unknown(written, f"whether {GROUP}/{version.name} is served is not known: {kubernetes.state.why}")
        return
    minor = numbers(kubernetes.state.value)[1]
    if not version.is_in(minor):
        told = Related(kubernetes.place, f"the fleet's Kubernetes is 1.{minor}")
        yield _not_served(claim, version, version_for(minor), f"Kubernetes 1.{minor} does not serve", related=[told])


def _not_served(
    claim: ResourceClaim, version: DraVersion, best: DraVersion | None, how: str, *, related: Sequence[Related] = ()
) -> Draft:
    """`best` is the version that is served in its place."""
    cause = f"{version.name} is served by {version.span}: no matches for kind {claim.kind}"
    if version.named == IN_SPEC:
        cause = (
            f"{version.name} is served by {version.span}: the API server refuses the claim "
            f"(no matches for kind {claim.kind}), and no DeviceClass or driver of today knows a {_OLD_CLASS}"
        )
    return fail(
        claim.document.get("apiVersion").located(),
        f"{claim.title} is of a version that {how}",
        should=f"{GROUP}/{best.name}" if best is not None else "a Kubernetes of 1.26 or newer",
        related=related,
        cause=cause,
        remedy=f"write it as {GROUP}/{best.name}: {_WRITTEN[best.named]}" if best is not None else None,
    )


@RULE.check
def it_has_its_versions_shape(claim: ResourceClaim) -> Findings:
    version = claim.version
    if version is None or version.is_over:
        skip("its version is wrong, which is told by itself")
    if why := why_incomplete(claim.document) or why_incomplete(claim.outer):
        yield unknown(claim, f"what {claim.title} asks for is not known: {why}")
        return
    if claim.is_template and claim.outer.get("spec").is_absent and claim.outer.get("devices").is_mapping:
        yield fail(
            claim.outer.get("devices").heading,
            f"{claim.title} says what it asks for one level too high",
            is_="spec.devices",
            should="spec.spec.devices: a template has a spec of its own, and in it that of the claim",
            cause=_REFUSED,
            remedy="move devices below spec.spec",
        )
        return
    for holder in (claim.outer, claim.spec):
        if (old := holder.get(_OLD_CLASS)).text is not None:
            yield _misshapen(claim, old, version)
            return
    for each in claim.requests:
        if (wrong := _of_another_version(each.tree, version)) is not None:
            yield _misshapen(claim, wrong, version)
        yield from _without_class(claim, each.asks, each.tree, version)


def _of_another_version(request: Tree, version: DraVersion) -> Tree | None:
    exactly, named = request.get("exactly"), request.get(_CLASS)
    if version.named == IN_REQUEST:
        return exactly if exactly.is_mapping else None
    is_bare = exactly.is_absent and request.get("firstAvailable").is_absent
    return named if is_bare and not named.is_absent else None


def _misshapen(claim: ResourceClaim, tree: Tree, version: DraVersion) -> Draft:
    name = (tree.place.subject or "").rpartition(".")[2]
    fits = [each.name for each in dra_versions().values() if _fits(name, each)]
    return fail(
        tree.heading,
        f"{claim.title} of {version.name} says its class as {' and '.join(fits)} would",
        is_=name,
        should=_WRITTEN[version.named],
        related=[Related(claim.document.get("apiVersion").place, f"its version is {version.name}")],
        cause=_REFUSED,
        remedy=f"write {_WRITTEN[version.named]}",
    )


def _fits(field: str, version: DraVersion) -> bool:
    return version.named == {_OLD_CLASS: IN_SPEC, _CLASS: IN_REQUEST}.get(field, IN_EXACTLY)


def _without_class(claim: ResourceClaim, asks: Sequence[Tree], request: Tree, version: DraVersion) -> Iterator[Draft]:
    if _of_another_version(request, version) is not None:
        return
    for each in asks:
        if not why_incomplete(each) and each.is_mapping and each.get(_CLASS).is_absent:
            yield fail(
                each.heading,
                f"a request of {claim.title} names no class",
                is_=f"no {_CLASS}",
                should=_WRITTEN[version.named],
                cause=f"{_CLASS} is required: the API server refuses the claim",
                remedy=f"name the class: {_CLASS}: {nvidias_classes()[2]}",
            )


@RULE.check
def its_class_is_there(claim: ResourceClaim, around: ClaimsAround) -> Findings:
    made = {each.name for each in around.classes} | {*nvidias_classes()}
    named = [each.get(_CLASS) for request in claim.requests for each in request.asks if each.get(_CLASS).text]
    if not named:
        skip("it names no class that can be read")
    for each in named:
        name = need(settle(each))
        near = next(iter(difflib.get_close_matches(name, sorted(made), 1, NEAR)), None)
        if name in made or not (is_nvidias(name) or name.startswith("nvidia.com/")):
            continue
        yield fail(
            each.located(),
            f"{claim.title} names a class of NVIDIA's that its driver does not make",
            should=near or " or ".join(nvidias_classes()),
            cause=f'{WAITS}: deviceclass.resource.k8s.io "{name}" not found',
            remedy=f"name {near}" if near else "kubectl get deviceclasses shows which there are",
        )


@RULE.check
def its_requests_are_named_as_they_are(claim: ResourceClaim) -> Findings:
    names = claim.names_of_requests
    if names is None:
        skip("not all names of its requests can be read")
    devices = claim.spec.get("devices")
    users = [*devices.get("constraints").sequence, *devices.get("config").sequence]
    for each in (name for user in users for name in user.get("requests").sequence):
        if isinstance(settle(each).state, Known) and each.text is not None and each.text not in names:
            yield fail(
                each.located(),
                f"{claim.title} speaks of a request that it does not have",
                should=" or ".join(sorted(names)) or "a request",
                cause="the API server refuses the claim: must be the name of a request in the claim",
            )


@RULE.check
def its_selectors_ask_what_devices_say(claim: ResourceClaim) -> Findings:
    """A device's attributes stand below the domain of its driver: without one the expression fails on every device."""
    for request in claim.requests:
        for ask in request.asks:
            for selector in ask.get("selectors").sequence:
                yield from _without_domain(claim, selector.get("cel", "expression"))


def _without_domain(claim: ResourceClaim, expression: Tree) -> Findings:
    for found in _OF_A_DEVICE.finditer(expression.string):
        if "." not in found["domain"]:
            yield fail(
                expression.located(),
                f"{claim.title} asks for an attribute of a device without the domain of its driver",
                is_=found[0],
                should=f'device.{found["what"]}["gpu.nvidia.com"].{found["domain"]}',
                cause=f"no device has such a key: the expression fails on each of them, and {WAITS}",
                remedy="write the driver's domain in the brackets, and the attribute behind them",
            )


@RULE.check
def a_domain_names_its_template(domain: ComputeDomain) -> Findings:
    if why := why_incomplete(domain.document.get("spec")):
        yield unknown(domain, f"what the ComputeDomain '{domain.name}' says is not known: {why}")
    elif domain.template.is_absent:
        yield fail(
            domain.document.get("spec").heading,
            f"the ComputeDomain '{domain.name}' names no template for its channel",
            is_="no channel.resourceClaimTemplate.name",
            should="channel: {resourceClaimTemplate: {name: NAME}}",
            cause="the API server refuses it; and pods need the template's name to ask for a channel",
            remedy="write spec.channel.resourceClaimTemplate.name",
        )


@RULE.check
def their_driver_hands_out_gpus(claim: ResourceClaim, drivers: Sequence[DraDriver]) -> Findings:
    """Where every driver beside the claim is told to serve ComputeDomains alone."""
    asked = [each for request in claim.requests for ask in request.asks if (each := ask.get(_CLASS)).text]
    named = next((each for each in asked if each.text in classes_of_gpus()), None)
    if named is None or not drivers:
        skip("it asks for none of NVIDIA's GPUs, or no driver's values lie beside it")
    if any(need(boolean("resources.gpus.enabled", each.shares_gpus, default=True)) for each in drivers):
        return
    yield fail(
        named.located(),
        f"{claim.title} asks for a GPU, and the DRA driver beside it hands out none",
        is_=named.text,
        should="resources.gpus.enabled: true in the driver's values",
        related=[Related(drivers[0].shares_gpus.place, "here it is told to serve ComputeDomains alone")],
        cause=f"the driver publishes no GPUs, and its chart makes no DeviceClass {named.text}: {WAITS}",
        remedy="set resources.gpus.enabled: true and gpuResourcesEnabledOverride: true (where no device plugin hands "
        "the same GPUs out), or ask for nvidia.com/gpu instead of a claim",
    )
