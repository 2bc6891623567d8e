"""A driver that fits, on the node itself: who holds the cards, why the module is not loaded, what its libraries are."""

from __future__ import annotations

from nodeworthy.facts.node.boot import BootEnd
from nodeworthy.facts.node.driver import NodeDriver
from nodeworthy.facts.node.gpus import HostGpus, NodeSmi
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.module import NodeModule, held_by_others, module_fault, versions_differ
from nodeworthy.rules.driver_fits import RULE
from nodeworthy.verdict import Findings, need, skip, unknown


@RULE.check
def nobody_else_has_the_cards(gpus: HostGpus, identity: NodeIdentity, end: BootEnd) -> Findings:
    identity.only_with_gpus()
    need(gpus.there)
    found = held_by_others(gpus)
    if found is not None and not need(end.reached):
        yield unknown(gpus, "another driver has GPUs of this node, and the boot script has not ended yet", link="bound")
    elif found is not None:
        yield found


@RULE.check
def its_module_is_one_that_the_kernel_takes(
    module: NodeModule, gpus: HostGpus, identity: NodeIdentity, end: BootEnd
) -> Findings:
    identity.only_with_gpus()
    found = module_fault(module, gpus)
    if found is None and gpus.without_driver:
        skip("the module is not loaded, and nothing says why: gpu-count-complete tells it")
    if found is not None and not need(end.reached):
        yield unknown(
            module, "the driver does not have every GPU, and the boot script has not ended yet", link="module"
        )
    elif found is not None:
        yield found


@RULE.check
def its_libraries_are_the_modules(said: NodeSmi, driver: NodeDriver) -> Findings:
    found = versions_differ(said, driver)
    if found is not None:
        yield found
