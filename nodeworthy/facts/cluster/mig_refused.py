"""Why the MIG manager could not cut a node as its label asks: what the configurations say that it goes by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from nodeworthy.facts.cluster.node_labels import PRODUCT
from nodeworthy.facts.operator.mig_layouts import MigLayout, MigLayouts
from nodeworthy.known.evidence import in_text
from nodeworthy.known.mig import profiles_of_product
from nodeworthy.records import dataclass

_WANTED = "nvidia.com/mig.config"
# Feature discovery counts the slices where the strategy single has cut them, and says so behind the product.
_COUNT, _CUT = "nvidia.com/gpu.count", "-MIG-"


@dataclass(frozen=True)
class MigReason:
    cause: str
    remedy: str


def why_not_cut(labels: Mapping[str, str], name: str, maps: Sequence[MigLayouts]) -> MigReason | None:
    """The reason in the ConfigMap of that name, which the ClusterPolicy gives to the MIG manager; None where it has
    none."""
    wanted = labels.get(_WANTED, "")
    if not wanted or not maps or any(each.why_unread is not None for each in maps):
        return None
    layouts = {layout.name: layout for each in maps for layout in each.layouts}
    layout = layouts.get(wanted)
    if layout is None:
        return _of_no_layout(wanted, name, layouts)
    return _of_its_profiles(layout, name, labels) or _of_its_numbers(layout, name, labels)


def by_its_words(words: str) -> MigReason | None:
    """The reason that the MIG manager's log has; None where it has none that is known."""
    known = next((each.evidence for each in in_text(words)), None) if words else None
    return MigReason(f"{known.why}; the MIG manager said: {words}", known.mending) if known is not None else None


def _of_no_layout(wanted: str, name: str, layouts: Iterable[str]) -> MigReason:
    there = ", ".join(sorted(layouts)[:6]) or "none at all"
    return MigReason(
        f"the ConfigMap '{name}', which the ClusterPolicy gives to the MIG manager, has no configuration '{wanted}': "
        f"it has {there}",
        f"write '{wanted}' into the ConfigMap '{name}', or label the node with one that is in it; then set it anew",
    )


def _of_its_profiles(layout: MigLayout, name: str, labels: Mapping[str, str]) -> MigReason | None:
    product = labels.get(PRODUCT, "")
    known = profiles_of_product(product)
    asked = [profile for entry in layout.entries if not entry.is_off for profile in entry.slices.mapping]
    strange = next((each for each in asked if known and _plain(each) not in known), None)
    if strange is None:
        return None
    return MigReason(
        f"the configuration '{layout.name}' of the ConfigMap '{name}' cuts by the profile {strange}, which a {product} "
        f"does not have: it has {', '.join(sorted(known))}",
        f"name profiles of this GPU in '{layout.name}' (nvidia-smi mig -lgip on the node), and set the label anew",
    )


def _plain(profile: str) -> str:
    """The profile without its extras (media, graphics) and without the compute instances that share it."""
    return profile.partition("+")[0].rpartition("c.")[2]


def _of_its_numbers(layout: MigLayout, name: str, labels: Mapping[str, str]) -> MigReason | None:
    counted = labels.get(_COUNT, "")
    if not counted.isdecimal() or len(counted) > 3 or counted == "0" or _CUT in labels.get(PRODUCT, ""):
        return None
    beyond = [number for entry in layout.entries for number, _ in entry.numbers if number >= int(counted)]
    if not beyond:
        return None
    return MigReason(
        f"the configuration '{layout.name}' of the ConfigMap '{name}' names GPU {beyond[0]}, and the node has "
        f"{counted}, counted from 0",
        f"let '{layout.name}' name GPUs that there are (devices: all, or from 0 on), and set the label anew",
    )
