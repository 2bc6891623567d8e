"""A driver that fits, on the node itself: who holds the cards, why the module is not loaded, what its libraries are."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.facts.node.boot import BootEnd
from nodeworthy.facts.node.gpus import HostGpus, NodeSmi
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.module import NodeModule, held_by_others, module_fault, no_card_answers, versions_differ
from nodeworthy.rules.driver_fits import RULE
from nodeworthy.verdict import Draft, Findings, need, skip, unknown


@RULE.check
def the_driver_has_the_cards(
    gpus: HostGpus, identity: NodeIdentity, end: BootEnd, module: NodeModule | None, smi: NodeSmi | None
) -> Findings:
    identity.only_with_gpus()
    need(gpus.there)
    found = next(_faults(gpus, module, smi), None)
    if found is None and smi is not None and not smi.lost:
        need(smi.gpus)
    if found is None and gpus.without_driver:
        skip("the module is not loaded, and nothing says why: gpu-count-complete tells it")
    if found is not None and not need(end.reached):
        yield unknown(gpus, "the driver does not have every GPU, and the boot script has not ended yet", link="module")
    elif found is not None:
        yield found


def _faults(gpus: HostGpus, module: NodeModule | None, smi: NodeSmi | None) -> Iterator[Draft]:
    """The faults in the order of the links: what holds a card, whether there is a module, whether its libraries fit."""
    held = held_by_others(gpus)
    fault = module_fault(module, gpus) if module is not None else None
    differs = versions_differ(smi) if smi is not None else None
    started = no_card_answers(module, gpus, smi) if module is not None and smi is not None else None
    yield from (each for each in (held, fault, differs, started) if each is not None)
