"""One toolkit, by what a boot script installs beside what its image has and what the operator brings."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from nodeworthy.facts.boot.script import BootPool, BootScript
from nodeworthy.facts.boot.toolkit_installed import told_containerd, toolkits
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.facts.profiling.nodes import registrations
from nodeworthy.known.containerd import containerd_of
from nodeworthy.rules.one_toolkit import OWN_TOOLKIT, OWN_TOOLKIT_LABEL, RULE, TWICE
from nodeworthy.verdict import Draft, Findings, Place, Related, fail, need, skip, value_if_known


@RULE.check
def the_scripts_is_not_beside_the_operators(script: BootScript, operators: Sequence[OperatorValues]) -> Findings:
    found = _installed(script)
    if found is None:
        return
    place, says = found
    if any(labels.get(OWN_TOOLKIT_LABEL) == "false" for _, labels in registrations(script)):
        skip("its nodes register with the label that keeps the operator's toolkit off")
    meant = [each for each in operators if _are_for_its_nodes(each, script)]
    if not meant:
        skip("no operator's settings are known to be for its nodes")
    for values in meant:
        enabled = values.toolkit.enabled
        if need(enabled):
            how = "" if enabled.written else ", unless toolkit.enabled is false"
            yield _twice(place, [says, Related(enabled.place, f"the operator brings a toolkit{how}")], "the operator")
            return


def _are_for_its_nodes(values: OperatorValues, script: BootScript) -> bool:
    """A fleet is one cluster; without one, only what lies in one folder is taken to be for one cluster. What follows
    from the fleet alone nobody has asked for."""
    if values.implied:
        return False
    folders = {posixpath.dirname(each.place.file) for each in (values, script)}
    return bool(script.pools) or len(folders) == 1


@RULE.check
def the_scripts_is_not_beside_the_images(script: BootScript, pool: BootPool) -> Findings:
    found = _installed(script)
    if found is None:
        return
    place, says = found
    image, runtime = pool.image, value_if_known(pool.pool.runtime)
    if image is None or not image.has_driver:
        skip(f"no image of {pool.title} is known to have a driver, and a toolkit with it")
    if runtime is not None and runtime.toolkit_in_image:
        yield _twice(place, [says, image.told()], "its image").with_more(on=pool.title)


@RULE.check
def what_a_stack_boots_has_one(script: BootScript) -> Findings:
    """Where no fleet says it, the image does from which a stack starts its machines."""
    image = script.image
    if script.pools or not script.holder or image is None or not image.has_driver or image.distribution is None:
        skip("a pool says what its image has" if script.pools else "no image of a stack is known to bring a toolkit")
    found = _installed(script)
    if found is not None and containerd_of(image.distribution).toolkit_in_image:
        place, says = found
        yield _twice(place, [says, image.told()], "its image")


def _installed(script: BootScript) -> tuple[Place, Related] | None:
    """Where it installs one, and tells containerd of it; None where no containerd is told."""
    found = next(toolkits(script.timeline), None)
    if found is None:
        skip("the script installs no toolkit")
    install, package = found
    told = told_containerd(script.timeline)
    if told is None:
        return None
    return install.place.about(package), Related(told.place, "containerd is told of it here")


def _twice(place: Place, related: Sequence[Related], other: str) -> Draft:
    return fail(
        place,
        f"the script installs the container toolkit, and {other} brings one, too",
        is_=place.subject,
        should="one toolkit",
        related=related,
        cause=TWICE,
        remedy="take this install out"
        if other == "its image"
        else f"set toolkit.enabled: false in the operator's values, or register these nodes with {OWN_TOOLKIT}",
    )
