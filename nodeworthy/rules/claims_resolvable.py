"""What claims GPUs by Dynamic Resource Allocation names versions, classes, templates and requests that are there.

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
from collections.abc import Iterable, Iterator, Sequence

from nodeworthy.documents.release import LOOSE
from nodeworthy.documents.settled import settle, why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.fleet_operator import DeclaredFleet
from nodeworthy.facts.operator.values import OperatorValues, boolean
from nodeworthy.facts.pod.claims import ClaimsAround, ComputeDomain, DraDriver, ResourceClaim
from nodeworthy.facts.pod.node_choice import Selection
from nodeworthy.facts.pod.refused import MADE_LATER
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.dra import (
    GROUP,
    IN_EXACTLY,
    IN_REQUEST,
    IN_SPEC,
    DraVersion,
    classes_of_gpus,
    dra_versions,
    driver_roots,
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
    title="What claims GPUs names versions, classes, templates and requests that are there",
    remedy="name what is there: kubectl get deviceclasses,resourceclaimtemplates,resourceclaims -A",
)

_OLD_CLASS, _CLASS = "resourceClassName", "deviceClassName"
_WRITTEN = {
    IN_SPEC: _OLD_CLASS,
    IN_REQUEST: f"{_CLASS} in each request",
    IN_EXACTLY: f"{_CLASS} below exactly (or in firstAvailable)",
}
_REFUSED = "the API server does not know the field: it refuses the claim, or drops the field and finds no class"
_WAITS = "its pod stays Pending"
_NEAR = 0.8
# By which GKE's nodes are chosen, and where its installer puts the driver on them.
_OF_GKE, _GKES_ROOT = "cloud.google.com/gke-", "/home/kubernetes/bin/nvidia"
_PUT_TOGETHER = "a name of its claims is filled in later"
_OF_A_DEVICE = pattern(r"\bdevice\.(?P<what>attributes|capacity)\[[\"'](?P<domain>[^\"'\]]{1,120})[\"']\]")


@RULE.check
def its_version_is_served(claim: ResourceClaim, declared: DeclaredFleet | None) -> Findings:
    written = claim.document.get("apiVersion")
    if claim.version is None:
        if need(settle(written)):
            yield fail(written.located(), f"{claim.title} is of a version that {GROUP} never had",
                       should=" or ".join(dra_versions()))  # fmt: skip
        return
    minor = _minor(declared)
    if isinstance(minor, str):
        yield unknown(written, f"whether {GROUP}/{claim.version.name} is served is not known: {minor}")
        return
    if claim.version.is_in(minor) if minor is not None else not claim.version.is_over:
        return
    best = version_for(minor) if minor is not None else list(dra_versions().values())[-1]
    yield fail(
        written.located(),
        f"{claim.title} is of a version that "
        + (f"Kubernetes 1.{minor} does not serve" if minor is not None else "no maintained Kubernetes serves"),
        should=f"{GROUP}/{best.name}" if best is not None else "a Kubernetes of 1.26 or newer",
        related=[Related(declared.fleet.cluster.version.place, f"the fleet's Kubernetes is 1.{minor}")]
        if declared
        else (),
        cause=f"{claim.version.name} is served by {claim.version.span}: the API server refuses the claim "
        f"(no matches for kind {claim.kind}), and no DeviceClass or driver of today knows a {_OLD_CLASS}"
        if claim.version.named == IN_SPEC
        else f"{claim.version.name} is served by {claim.version.span}: no matches for kind {claim.kind}",
        remedy=f"write it as {GROUP}/{best.name}: {_WRITTEN[best.named]}" if best is not None else None,
    )


def _minor(declared: DeclaredFleet | None) -> int | str | None:
    """The fleet's minor release of Kubernetes, why it is not known, or None where there is no fleet."""
    if declared is None:
        return None
    state = declared.fleet.cluster.version.state
    return state.why if isinstance(state, Unknown) else numbers(state.value)[1]


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
        near = next(iter(difflib.get_close_matches(name, sorted(made), 1, _NEAR)), None)
        if name in made or not (is_nvidias(name) or name.startswith("nvidia.com/")):
            continue
        yield fail(
            each.located(),
            f"{claim.title} names a class of NVIDIA's that its driver does not make",
            should=near or " or ".join(nvidias_classes()),
            cause=f'{_WAITS}: deviceclass.resource.k8s.io "{name}" not found',
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
def containers_name_claims_of_their_pod(pod: PodTemplate) -> Findings:
    if pod.live is not None:
        skip("the API server has taken it")
    asking = [(each, name) for each in pod.containers for name in each.tree.get("resources", "claims").sequence]
    if not asking:
        skip("none of its containers names a claim")
    if why := pod.elsewhere or why_incomplete(pod.spec) or why_incomplete(_entries(pod)):
        skip(why)
    if _is_put_together(
        [*(each.get("name") for each in _entries(pod).sequence), *(each.get("name") for _, each in asking)]
    ):
        skip(_PUT_TOGETHER)
    names = {each.get("name").text for each in _entries(pod).sequence}
    for container, claimed in asking:
        name = settle(claimed.get("name"))
        if isinstance(name.state, Known) and name.state.value not in names:
            yield fail(
                name,
                f"{container.name} of {pod.title} names a claim that its pod does not have",
                should=" or ".join(sorted(filter(None, names))) or "an entry of the pod's resourceClaims",
                cause="the API server refuses the pod: spec.containers[].resources.claims must name an entry of "
                "spec.resourceClaims",
                remedy="name an entry of resourceClaims, by its name there and not by that of the claim",
            )


@RULE.check
def the_entries_name_one_claim(pod: PodTemplate) -> Findings:
    if pod.live is not None or not _entries(pod).sequence:
        skip("it has no claims")
    for each in _entries(pod).sequence:
        old, one, other = each.get("source"), each.get("resourceClaimName"), each.get("resourceClaimTemplateName")
        if why_incomplete(each):
            continue
        if old.is_mapping and one.is_absent and other.is_absent:
            yield fail(
                old.heading,
                f"{pod.title} names its claim below source, which no Kubernetes since 1.31 reads",
                is_="source",
                should="resourceClaimName or resourceClaimTemplateName beside the name",
                cause="the API server refuses the pod: resourceClaimName or resourceClaimTemplateName must be set",
                remedy="write what stands below source beside the name",
            )
        elif one.is_absent == other.is_absent:
            yield fail(
                each.place,
                f"{pod.title} has an entry of resourceClaims with " + ("no claim" if one.is_absent else "two claims"),
                is_="neither" if one.is_absent else "both",
                should="one of resourceClaimName and resourceClaimTemplateName",
                cause="the API server refuses the pod",
            )


@RULE.check
def its_claims_are_there(pod: PodTemplate, around: ClaimsAround, every: Sequence[PodTemplate]) -> Findings:
    entries = [each for each in _entries(pod).sequence if each.is_mapping]
    if pod.live is not None or not entries:
        skip("it has no claims")
    for each in entries:
        for field, is_template in (("resourceClaimName", False), ("resourceClaimTemplateName", True)):
            said = each.get(field)
            if said.text is not None and not _is_put_together([said]):
                yield from _is_there(pod, said, around, every, is_template=is_template)


def _is_put_together(names: Iterable[Tree]) -> bool:
    """Whoever applies the file fills one in (`${GPU}`): until then it may be any."""
    return any(MADE_LATER.search(each.string) is not None for each in names)


@RULE.check
def its_containers_use_them(pod: PodTemplate) -> Findings:
    entries = [each for each in _entries(pod).sequence if each.is_mapping and each.get("name").text]
    if pod.live is not None or not entries or pod.elsewhere is not None or pod.why_hidden is not None:
        skip("it has no claims, or not all of it is seen here")
    named = [each.get("name") for one in pod.containers for each in one.tree.get("resources", "claims").sequence]
    if _is_put_together([*named, *(each.get("name") for each in entries)]):
        skip(_PUT_TOGETHER)
    used = {each.text for each in named}
    for each in entries:
        if each.get("name").text not in used:
            yield fail(
                each.get("name").located(),
                f"{pod.title} has a claim that none of its containers uses",
                should=f"resources.claims: [{{name: {each.get('name').text}}}] in the container that is to have it",
                cause="the device is reserved for the pod, and no container is given it: a program there finds no GPU",
                remedy="name it in the container's resources.claims",
                severity=Severity.WARNING,
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
                cause=f"no device has such a key: the expression fails on each of them, and {_WAITS}",
                remedy="write the driver's domain in the brackets, and the attribute behind them",
            )


def _is_there(
    pod: PodTemplate, said: Tree, around: ClaimsAround, every: Sequence[PodTemplate], *, is_template: bool
) -> Findings:
    name = need(settle(said))
    found = around.named(name, is_template=is_template)
    if found:
        yield from _requests_are_there(pod, said, [each for each in found if isinstance(each, ResourceClaim)])
        return
    other = around.named(name, is_template=not is_template)
    kinds = ("a ResourceClaim", "a ResourceClaimTemplate")
    if other:
        yield fail(
            said.located(),
            f"{pod.title} names {kinds[is_template]}, and what is called so is {kinds[not is_template]}",
            should="resourceClaimName" if is_template else "resourceClaimTemplateName",
            related=[Related(other[0].place, f"this is {kinds[not is_template]}")],
            cause=f'{_WAITS}: {kinds[is_template].split()[1].lower()} "{name}" not found',
            remedy="name it by the other field",
        )
        return
    used = set(_names_of_claims(every))
    left = [each for each in around.names(is_template=is_template) if each not in used]
    near = next((each for each in left if _is_a_slip(name, each)), None)
    if near is not None:
        yield fail(
            said.located(),
            f"{pod.title} names {kinds[is_template]} that is not beside it, and nobody names one that is called alike",
            should=near,
            related=[Related(around.named(near, is_template=is_template)[0].place, f"'{near}' is here")],
            cause=f"{_WAITS}: a claim that is not there is never allocated",
            remedy=f"name {near}",
        )
    elif pod.place.path in around.files:
        yield unknown(said, f"whether there is {kinds[is_template]} '{name}' is not known: it is not in these files")


def _is_a_slip(name: str, other: str) -> bool:
    """Whether one name is a slip for the other; two that differ in a number alone are not."""
    digits = ["".join(filter(str.isdigit, each)) for each in (name, other)]
    return digits[0] == digits[1] and bool(difflib.get_close_matches(name, [other], 1, _NEAR))


def _requests_are_there(pod: PodTemplate, said: Tree, claims: Sequence[ResourceClaim]) -> Findings:
    entry = next((each for each in _entries(pod).sequence if said in each.mapping.values()), None)
    known = [each.names_of_requests for each in claims]
    if entry is None or not known or None in known:
        return
    names = {name for each in known if each is not None for name in each}
    for container in pod.containers:
        for each in container.tree.get("resources", "claims").sequence:
            asked = each.get("request")
            if each.get("name").text == entry.get("name").text and asked.text and asked.text not in names:
                yield fail(
                    asked.located(),
                    f"{container.name} of {pod.title} names a request that its claim does not have",
                    should=" or ".join(sorted(names)),
                    related=[Related(claims[0].place, f"this is {claims[0].title}")],
                    cause="kubelet finds no device for the request: the pod stays in ContainerCreating",
                )


def _entries(pod: PodTemplate) -> Tree:
    return pod.spec.get("resourceClaims")


def _names_of_claims(pods: Sequence[PodTemplate]) -> Iterator[str]:
    for pod in pods:
        for each in _entries(pod).sequence:
            said = (each.get("resourceClaimName").text, each.get("resourceClaimTemplateName").text)
            yield from filter(None, said)


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
def cdi_is_on(driver: DraDriver, operators: Sequence[OperatorValues]) -> Findings:
    for values in operators:
        said = values.tree.get("cdi", "enabled")
        if said.is_absent:
            continue
        if need(boolean("cdi.enabled", said, default=True)) or not need(values.toolkit.enabled):
            continue
        yield fail(
            said,
            "the operator's values switch CDI off, and NVIDIA's DRA driver hands devices over by CDI alone",
            is_="cdi.enabled: false",
            should="cdi.enabled: true",
            related=[Related(driver.place, "the DRA driver is installed here")],
            cause="the toolkit's runtime then goes by NVIDIA_VISIBLE_DEVICES: a pod sees other GPUs than its claim has",
            remedy="set cdi.enabled: true in the operator's values",
        )


@RULE.check
def the_driver_is_where_it_is_looked_for(driver: DraDriver, operators: Sequence[OperatorValues]) -> Findings:
    host, theirs = driver_roots()
    if len(operators) != 1 or (driver.elsewhere is not None and driver.root.is_absent):
        skip("who brings the driver is not told by one operator's values")
    brings = need(operators[0].brings_driver)
    root = need(settle(driver.root)) or host
    wanted = theirs if brings else host
    if root not in (host, theirs) or root == wanted:
        return
    yield fail(
        driver.root.located() if not driver.root.is_absent else driver.place,
        "NVIDIA's DRA driver looks for the GPU driver in another place than where it is",
        is_=f"nvidiaDriverRoot: {root}",
        should=wanted,
        related=[Related(operators[0].brings_driver.place, "the operator brings the driver" if brings else
                         "the operator brings no driver: it is on the host")],
        cause="its kubelet plugin finds no libnvidia-ml.so.1 and stays in Init: no ResourceSlice, and all claims wait",
        remedy=f"set nvidiaDriverRoot: {wanted}",
    )  # fmt: skip


@RULE.check
def nobody_else_hands_them_out(driver: DraDriver, operators: Sequence[OperatorValues]) -> Findings:
    if len(operators) != 1 or driver.elsewhere is not None or operators[0].implied:
        skip("what hands out GPUs beside it is not told by one operator's values")
    if not need(boolean("resources.gpus.enabled", driver.shares_gpus, default=True)):
        skip("it hands out no GPUs, but ComputeDomains")
    if not need(boolean("gpuResourcesEnabledOverride", driver.override, default=False)):
        skip("its chart refuses to hand out GPUs, which is told by itself")
    plugin = operators[0].part("devicePlugin", default=True)
    if not need(plugin):
        return
    yield fail(
        driver.override.heading,
        "NVIDIA's DRA driver hands out GPUs beside the operator's device plugin",
        is_="gpuResourcesEnabledOverride: true, and devicePlugin " + ("on" if plugin.written else "on by default"),
        should="devicePlugin.enabled: false in the operator's values, or resources.gpus.enabled: false here",
        related=[Related(plugin.place, "the operator's device plugin is on here")],
        cause="each gives the same GPUs away and knows nothing of the other: a claim and a pod with nvidia.com/gpu get "
        "one and the same",
        remedy="leave one of them, on each node; who has both keeps them apart by labels (nvidia.com/gpu.deploy."
        "device-plugin=false)",
        severity=Severity.WARNING,
    )


@RULE.check
def the_driver_is_where_gke_puts_it(driver: DraDriver) -> Findings:
    chooses = Selection(driver.tree.get("kubeletPlugin"))
    keys = [*chooses.selector, *(each.key for term in chooses.terms for each in term)]
    found = next((each for each in keys if each.startswith(_OF_GKE)), None)
    if driver.root.is_mapping or driver.root.is_sequence:
        skip("its root is no path")
    root = str(need(settle(driver.root)) or driver_roots()[0])
    if found is None or (driver.root.is_absent and driver.elsewhere is not None):
        skip("nothing says that its nodes are GKE's")
    if root.rstrip("/") == _GKES_ROOT or root == driver_roots()[1]:
        return
    yield fail(
        driver.root.located() if not driver.root.is_absent else driver.place,
        "NVIDIA's DRA driver looks for the GPU driver in another place than where GKE puts it",
        is_=f"nvidiaDriverRoot: {root}",
        should=_GKES_ROOT,
        cause=f"it chooses nodes by {found}, and Google's installer puts the driver there: the kubelet plugin finds no "
        "libnvidia-ml.so.1 and stays in Init, no ResourceSlice comes, and all claims wait",
        remedy=f"set nvidiaDriverRoot: {_GKES_ROOT}",
        severity=Severity.WARNING,
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
        cause=f"the driver publishes no GPUs, and its chart makes no DeviceClass {named.text}: {_WAITS}",
        remedy="set resources.gpus.enabled: true and gpuResourcesEnabledOverride: true (where no device plugin hands "
        "the same GPUs out), or ask for nvidia.com/gpu instead of a claim",
    )


@RULE.check
def its_chart_agrees_to_share_gpus(driver: DraDriver) -> Findings:
    gpus, override = driver.shares_gpus, driver.override
    if (gpus.is_absent or override.is_absent) and driver.elsewhere is not None:
        yield unknown(driver, f"whether the driver hands out GPUs is not known: {driver.elsewhere}")
        return
    if not need(boolean("resources.gpus.enabled", gpus, default=True)):
        skip("it hands out no GPUs, but ComputeDomains")
    if need(boolean("gpuResourcesEnabledOverride", override, default=False)):
        return
    if driver.origin == LOOSE:
        skip("who installs the chart with these values may say more")
    if gpus.is_absent and override.is_absent:
        skip("what a release does not say is often said on the command line")
    yield fail(
        override.located() if not override.is_absent else gpus.heading,
        "the DRA driver is to hand out whole GPUs, which its chart refuses without the override",
        is_=f"gpuResourcesEnabledOverride: {'false' if not override.is_absent else 'not said'}",
        should="gpuResourcesEnabledOverride: true, or resources.gpus.enabled: false",
        cause="the chart's validation ends `helm install` with an error: it collides with the device plugin on a node",
        remedy="set gpuResourcesEnabledOverride: true where no device plugin runs; else resources.gpus.enabled: false",
        severity=Severity.WARNING,
    )
