"""`NVIDIA_DRIVER_CAPABILITIES` holds only what the runtime allows.

The runtime knows compute, utility, graphics, video, display, ngx and compat32, in small letters, or `all`. Anything
else ends the container before it starts: `unsupported capabilities found in 'compute,profile,utility' (allowed
'compute,utility')`. `profile` is none of them: profiling needs the capability SYS_ADMIN in the pod's securityContext,
and no word in this variable. An empty value stands for the default, which is `compute,utility`.
Docker's containers end the same way: a service of a compose file, `docker run -e` in a script.
"""

from __future__ import annotations

import difflib
from typing import Any

from nodeworthy.documents.settled import settle
from nodeworthy.facts.pod.containers import Container
from nodeworthy.facts.pod.docker_gpus import DockerGpus
from nodeworthy.facts.pod.named_images import SaidCapabilities
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.driver_capabilities import ALL, SUPPORTED, VARIABLE, split
from nodeworthy.records import replace
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Located, Severity, Unknown, fail, skip, unknown

RULE = Rule(
    "driver-capabilities-allowed",
    severity=Severity.ERROR,
    incident="D",
    title="NVIDIA_DRIVER_CAPABILITIES holds only what the runtime allows",
    remedy="keep to compute,utility in NVIDIA_DRIVER_CAPABILITIES; for profiling give the pod SYS_ADMIN instead",
)

_OF_PROFILING = ("profile", "profiling", "prof")
_DOCKERS = "remove it, and give the container SYS_ADMIN for profiling (cap_add: [SYS_ADMIN], --cap-add SYS_ADMIN)"


@RULE.check
def every_capability_is_one(pod: PodTemplate) -> Findings:
    saying = [each for each in pod.containers if each.variable(VARIABLE) is not None]
    if not saying:
        skip(f"no container sets {VARIABLE}")
    for container in saying:
        yield from _of_a_container(pod, container)


@RULE.check
def every_capability_of_a_service_is_one(run: DockerGpus) -> Findings:
    """What compose fills in is another's to say."""
    given = run.variables.get(VARIABLE)
    variable = settle(given) if given is not None else None
    if variable is None or isinstance(variable.state, Unknown) or "$" in str(variable.state.value):
        skip(f"it sets no {VARIABLE}, or something fills it in")
    if not run.capabilities_asked_for.isdisjoint(SUPPORTED):
        skip("its device request says them, which counts before the variable")
    named = split(str(variable.state.value or ""))
    for each in _others_than_allowed(variable, named, run.title, ()):
        is_of_profiling = any(name in _OF_PROFILING for name in named)
        yield replace(each, remedy=_DOCKERS) if is_of_profiling else each


@RULE.check
def an_image_names_only_such(said: SaidCapabilities) -> Findings:
    for each in _others_than_allowed(said.value.located(), split(said.value.string), "this image", ()):
        yield replace(each, remedy=_DOCKERS) if each.remedy == _remedy(["profile"]) else each


def _of_a_container(pod: PodTemplate, container: Container) -> Findings:
    variable = container.variable(VARIABLE)
    assert variable is not None
    if isinstance(variable.state, Unknown):
        yield unknown(variable, f"{VARIABLE} of {container.name} is not known: {variable.state.why}")
        return
    victims = pod.live.objects if pod.live is not None else ()
    yield from _others_than_allowed(variable, split(str(variable.state.value or "")), container.name, victims)


def _others_than_allowed(
    variable: Located[Any], named: tuple[str, ...], title: str, victims: tuple[str, ...]
) -> Findings:
    allowed = tuple(each for each in named if each in SUPPORTED)
    others = [each for each in named if each not in SUPPORTED]
    if not others or ALL in named:
        return
    yield fail(
        variable,
        f"{' and '.join(others)} of {title} {'is' if len(others) == 1 else 'are'} no driver capability",
        should=_instead(named),
        cause=f"the container never starts: unsupported capabilities found in '{','.join(named)}' "
        f"(allowed '{','.join(allowed)}')",
        remedy=_remedy(others),
        victims=victims,
    )


def _instead(named: tuple[str, ...]) -> str:
    meant = [each if each in SUPPORTED else _near(each) for each in named]
    return ",".join(dict.fromkeys(filter(None, meant))) or "compute,utility"


def _near(name: str) -> str | None:
    if name in _OF_PROFILING:
        return None
    return next(iter(difflib.get_close_matches(name.lower(), SUPPORTED, cutoff=0.7)), None)


def _remedy(others: list[str]) -> str:
    if any(each in _OF_PROFILING for each in others):
        return "remove it, and give the container securityContext.capabilities.add: [SYS_ADMIN] for profiling"
    return f"keep to {', '.join(SUPPORTED)}, or {ALL}"
