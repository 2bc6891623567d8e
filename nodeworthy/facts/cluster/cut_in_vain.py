"""Nodes whose GPUs are to be cut by MIG, and where nothing came of it that a device plugin could offer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nodeworthy.facts.cluster.node_gpus import NodeGpus
from nodeworthy.facts.cluster.node_labels import COUNT, INVALID, LAYOUT, PRODUCT, wrongly_cut
from nodeworthy.facts.cluster.offered_gpus import first_link
from nodeworthy.facts.cluster.pod import ClusterPod
from nodeworthy.known.mig import profiles_of_product
from nodeworthy.patterns import pattern

_ONE_NAME = (
    "by the MIG strategy single all of a node's GPUs are cut, and into slices of one size; by the layout '{}' they are "
    "not, and feature discovery calls them MIG-INVALID"
)
_ONE_SIZE = (
    "take the strategy mixed (mig.strategy=mixed of the operator, migStrategy of the plugin's chart) and let pods ask "
    "for nvidia.com/mig-…, or a layout of one size: kubectl label node {} nvidia.com/mig.config=LAYOUT --overwrite"
)
_UNCUT = (
    "MIG mode is on (nvidia.com/mig.config={}), and feature discovery finds no MIG device there (MIG-INVALID, 0 of "
    "them): the mode waits for a reset of the GPU or a reboot, or its instances went with the last one"
)
_CUT_ANEW = (
    "see nvidia-smi -L and nvidia-smi mig -lgi on {0}; reboot it where the mode is Pending; then let the MIG manager "
    "cut anew: kubectl label node {0} nvidia.com/mig.config=all-disabled --overwrite, and then the wanted one again"
)
_NOT_CUT = (
    "MIG mode is on, and nothing is cut (MIG-INVALID, 0 of them): no layout is chosen (no label "
    "nvidia.com/mig.config), so that no MIG manager cuts them; the mode may have been on before the operator came"
)
_CHOOSE_ONE = (
    "choose a layout: kubectl label node {0} nvidia.com/mig.config=all-1g.… --overwrite (where no MIG manager comes to "
    "the node, nvidia.com/gpu.deploy.mig-manager=true as well), or cut it by hand (nvidia-smi mig -cgi … -C); or turn "
    "the mode off (nvidia-smi -mig 0, then a reset) and restart the device plugin"
)
_OF_ANOTHER_CARD = (
    "MIG mode is on and no slice was made (MIG-INVALID, 0 of them): the layout '{}' cuts by the profile {}, which {} "
    "does not have; it has {}"
)
_OF_THIS_CARD = (
    "take a layout of this card's profiles: kubectl label node {} nvidia.com/mig.config=all-{} --overwrite; nvidia-smi "
    "mig -lgip on the node lists them"
)
# The layouts of mig-parted that cut every GPU by one profile.
_OF_ONE_PROFILE = pattern(r"all-(?P<profile>\d{1,2}g\.\d{1,3}gb)(?:\.me)?")


def why_cut_in_vain(nodes: Sequence[NodeGpus]) -> tuple[str, str] | None:
    """Why and what to do; None where no node says so of its GPUs."""
    found = next(((node, layout) for node in nodes if (layout := wrongly_cut(node.labels)) is not None), None)
    if found is None:
        return None
    node, layout = found
    if node.labels.get(COUNT) != "0":
        return _ONE_NAME.format(layout), _ONE_SIZE.format(node.name)
    if LAYOUT not in node.labels:
        return _NOT_CUT, _CHOOSE_ONE.format(node.name)
    return _by_its_profile(node.name, layout, node.labels) or (_UNCUT.format(layout), _CUT_ANEW.format(node.name))


def link_of_cut(nodes: Sequence[NodeGpus], beside: Sequence[ClusterPod]) -> str:
    """Which link is broken: what does not run beside the plugin comes before it, and how GPUs are cut behind it."""
    return "mig" if not beside and why_cut_in_vain(nodes) is not None else first_link(beside)


def _by_its_profile(name: str, layout: str, labels: Mapping[str, str]) -> tuple[str, str] | None:
    named, card = _OF_ONE_PROFILE.fullmatch(layout), labels[PRODUCT].removesuffix(INVALID)
    there = sorted(profiles_of_product(card))
    if named is None or not there or named["profile"] in there:
        return None
    return _OF_ANOTHER_CARD.format(layout, named["profile"], card, ", ".join(there)), _OF_THIS_CARD.format(
        name, there[0]
    )
