"""What a pod says of its claims: its entries, what its containers name of them, and whether they are there."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence

from nodeworthy.documents.settled import settle, why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.claims import ClaimsAround, ResourceClaim
from nodeworthy.facts.pod.containers import Container
from nodeworthy.facts.pod.refused import MADE_LATER
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.patterns import pattern
from nodeworthy.rules.claims_resolvable import NEAR, RULE, WAITS
from nodeworthy.verdict import Findings, Known, Related, Severity, fail, need, skip, unknown

_PUT_TOGETHER = "a name of its claims is filled in later"
_BY_ITSELF, _BY_TEMPLATE = "resourceClaimName", "resourceClaimTemplateName"
_KINDS = ("ResourceClaim", "ResourceClaimTemplate")
_KIND_BEHIND = pattern(r"(?:-(?:resource|claim|template))+$")


@RULE.check
def containers_name_claims_of_their_pod(pod: PodTemplate) -> Findings:
    if pod.live is not None:
        skip("the API server has taken it")
    asking = [(each, name) for each in pod.containers for name in _named_by(each)]
    if not asking:
        skip("none of its containers names a claim")
    if why := pod.elsewhere or why_incomplete(pod.spec) or why_incomplete(_entries(pod)):
        skip(why)
    if _is_put_together(
        [*(each.get("name") for each in _entries(pod).sequence), *(each.get("name") for _, each in asking)]
    ):
        skip(_PUT_TOGETHER)
    if any(each.is_unknown or each.get("name").is_unknown for each in _entries(pod).sequence):
        skip("what its claims are called is filled in later")
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
        old, one, other = each.get("source"), each.get(_BY_ITSELF), each.get(_BY_TEMPLATE)
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
        for field in (_BY_ITSELF, _BY_TEMPLATE):
            said = each.get(field)
            if said.text is not None and not _is_put_together([said]):
                yield from _is_there(pod, each, said, around, every, is_template=field == _BY_TEMPLATE)


def _is_put_together(names: Iterable[Tree]) -> bool:
    """Whoever applies the file fills one in (`${GPU}`): until then it may be any."""
    return any(MADE_LATER.search(each.string) is not None for each in names)


@RULE.check
def its_containers_use_them(pod: PodTemplate) -> Findings:
    entries = [each for each in _entries(pod).sequence if each.is_mapping and each.get("name").text]
    if pod.live is not None or not entries or pod.elsewhere is not None or pod.why_hidden is not None:
        skip("it has no claims, or not all of it is seen here")
    named = [each.get("name") for one in pod.containers for each in _named_by(one)]
    if _is_put_together([*named, *(each.get("name") for each in entries)]):
        skip(_PUT_TOGETHER)
    if any(each.is_unknown for each in named):
        skip("which claims its containers use is filled in later")
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


def _is_there(
    pod: PodTemplate, entry: Tree, said: Tree, around: ClaimsAround, every: Sequence[PodTemplate], *, is_template: bool
) -> Findings:
    name = need(settle(said))
    found = around.named(name, is_template=is_template)
    if found:
        yield from _requests_are_there(pod, entry, [each for each in found if isinstance(each, ResourceClaim)])
        return
    kind, other_kind = _KINDS[is_template], _KINDS[not is_template]
    other = around.named(name, is_template=not is_template)
    if other:
        yield fail(
            said.located(),
            f"{pod.title} names a {kind}, and what is called so is a {other_kind}",
            should=_BY_ITSELF if is_template else _BY_TEMPLATE,
            related=[Related(other[0].place, f"this is a {other_kind}")],
            cause=f'{WAITS}: {kind.lower()} "{name}" not found',
            remedy="name it by the other field",
        )
        return
    used = set(_names_of_claims(every))
    left = [each for each in around.names(is_template=is_template) if each not in used]
    near = next((each for each in left if _is_a_slip(name, each)), None)
    if near is not None:
        yield fail(
            said.located(),
            f"{pod.title} names a {kind} that is not beside it, and nobody names one that is called alike",
            should=near,
            related=[Related(around.named(near, is_template=is_template)[0].place, f"'{near}' is here")],
            cause=f"{WAITS}: a claim that is not there is never allocated",
            remedy=f"name {near}",
        )
    elif pod.place.path in around.files:
        yield unknown(said, f"whether there is a {kind} '{name}' is not known: it is not in these files")


def _is_a_slip(name: str, other: str) -> bool:
    """Whether one name is a slip for the other, or says its kind behind it (`one-gpu-template`); two that differ in a
    number alone are not."""
    digits = ["".join(filter(str.isdigit, each)) for each in (name, other)]
    alike = difflib.get_close_matches(name, [other], 1, NEAR) or _of_its_kind(name) == _of_its_kind(other)
    return digits[0] == digits[1] and bool(alike)


def _of_its_kind(name: str) -> str:
    return _KIND_BEHIND.sub("", name)


def _requests_are_there(pod: PodTemplate, entry: Tree, claims: Sequence[ResourceClaim]) -> Findings:
    known = [each.names_of_requests for each in claims]
    # The template that a ComputeDomain makes is none of these.
    if not claims or None in known:
        return
    names = {name for each in known for name in each or ()}
    for container in pod.containers:
        for each in _named_by(container):
            asked = each.get("request")
            if each.get("name").text == entry.get("name").text and asked.text and asked.text not in names:
                yield fail(
                    asked.located(),
                    f"{container.name} of {pod.title} names a request that its claim does not have",
                    should=" or ".join(sorted(names)),
                    related=[Related(claims[0].place, f"this is {claims[0].title}")],
                    cause="kubelet finds no device for the request: the pod stays in ContainerCreating",
                )


def _named_by(container: Container) -> Sequence[Tree]:
    """What it names of its pod's claims."""
    return container.tree.get("resources", "claims").sequence


def _entries(pod: PodTemplate) -> Tree:
    return pod.spec.get("resourceClaims")


def _names_of_claims(pods: Sequence[PodTemplate]) -> Iterator[str]:
    for pod in pods:
        for each in _entries(pod).sequence:
            yield from filter(None, (each.get(_BY_ITSELF).text, each.get(_BY_TEMPLATE).text))
