"""Whether mig-parted can read what its configurations say: the keys that it knows, and what may stand behind them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.documents.settled import has_holes, why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.fleet_operator import DeclaredFleet
from nodeworthy.facts.operator.mig_layouts import MigEntry, MigLayout, MigLayouts
from nodeworthy.fleet.model import Pool
from nodeworthy.known.instances import gpus_of
from nodeworthy.known.mig import profiles_of, profiles_of_product
from nodeworthy.patterns import pattern
from nodeworthy.rules.sharing_configured import RULE
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, skip, value_if_known

_FILTER, _DEVICES, _ENABLED, _SLICES = "device-filter", "devices", "mig-enabled", "mig-devices"
_KEYS = (_FILTER, _DEVICES, _ENABLED, _SLICES)
_ABOVE = ("version", "mig-configs")
_ALL = "all"
_UNREAD = (
    "mig-parted can't read its file, and none of its configurations is applied: the MIG manager sets "
    "nvidia.com/mig.config.state=failed on the node"
)
_NOT_KNOWN = "what it says is not known"
# What stands before and behind a profile's slices and memory.
_BARE = pattern(r"(?:\dc\.)?(\dg\.\d{1,3}gb)\S{0,20}")


@RULE.check
def mig_parted_can_read_it(layouts: MigLayouts) -> Findings:
    if layouts.why_unread is not None or why_incomplete(layouts.tree) is not None:
        skip(_NOT_KNOWN)
    found = list(_what_it_can_not_read(layouts))
    if not found and has_holes(layouts.tree):
        skip(_NOT_KNOWN)
    yield from found


def _what_it_can_not_read(layouts: MigLayouts) -> Iterator[Draft]:
    yield from _of_the_file(layouts)
    for layout in layouts.layouts:
        is_known = not layout.tree.is_unknown and not any(each.is_unknown for each in layout.tree.sequence)
        if is_known and not layout.entries:
            yield _unread(
                layout.tree,
                f"the MIG configuration '{layout.name}' is no list of entries",
                is_=layout.tree.kind() if not layout.tree.is_sequence else "an empty list",
                should=f"- {_DEVICES}: {_ALL}, with {_ENABLED} and {_SLICES}",
            )
        for entry in layout.entries:
            if why_incomplete(entry.tree) is None:
                yield from _of_entry(layout, entry)


def _of_the_file(layouts: MigLayouts) -> Iterator[Draft]:
    """Outside of a ConfigMap, what says no version may be values of some chart that are called alike."""
    version = layouts.tree.get("version")
    if version.is_absent and not layouts.config_map:
        return
    if not version.is_unknown and version.value != "v1":
        yield _unread(
            version if not version.is_absent else layouts.tree,
            "the MIG configurations are of no version that mig-parted knows",
            is_="no version" if version.is_absent else version.located().shown(),
            should="version: v1",
        )
    for key in (each for each in layouts.tree.mapping if each not in _ABOVE):
        yield _unread(
            layouts.tree.get(key),
            "the MIG configurations have a key that mig-parted does not know",
            is_=key,
            should=" and ".join(_ABOVE),
        )


def _of_entry(layout: MigLayout, entry: MigEntry) -> Iterator[Draft]:
    title = f"an entry of the MIG configuration '{layout.name}'"
    for key in (each for each in entry.tree.mapping if each not in _KEYS):
        yield _unread(entry.tree.get(key), f"{title} has a key that mig-parted does not know", is_=key,
                      should=", ".join(_KEYS))  # fmt: skip
    yield from _of_devices(title, entry)
    enabled = entry.tree.get(_ENABLED)
    if not enabled.is_unknown and not isinstance(enabled.value, bool):
        yield _unread(enabled if not enabled.is_absent else entry.tree, f"{title} does not say whether MIG is on",
                      is_=_as_written(enabled), should=f"{_ENABLED}: true, or false")  # fmt: skip
    elif enabled.value is True and entry.slices.says_nothing:
        yield _unread(entry.slices if entry.slices.is_null else entry.tree, f"{title} switches MIG on and cuts nothing",
                      is_=f"no {_SLICES}", should=f"{_SLICES}: {{}}, or profiles with how many of each")  # fmt: skip
    yield from _of_counts(title, entry)


def _of_devices(title: str, entry: MigEntry) -> Iterator[Draft]:
    devices = entry.devices
    if (
        devices.is_unknown
        or devices.text == _ALL
        or (devices.is_sequence and all(map(_may_be_number, devices.sequence)))
    ):
        return
    number = devices.value if isinstance(devices.value, int) and not isinstance(devices.value, bool) else None
    yield _unread(
        devices if not devices.is_absent else entry.tree,
        f"{title} names its GPUs in a form that mig-parted does not read",
        is_=_as_written(devices),
        should=f"{_DEVICES}: [{number}], a list" if number is not None else f"{_DEVICES}: {_ALL}, or a list as [0, 1]",
    )


def _may_be_number(tree: Tree) -> bool:
    return tree.is_unknown or (isinstance(tree.value, int) and not isinstance(tree.value, bool))


def _of_counts(title: str, entry: MigEntry) -> Iterator[Draft]:
    counts = entry.slices.mapping
    for name, count in counts.items():
        if not _may_be_number(count) or (isinstance(count.value, int) and count.value < 0):
            yield _unread(count, f"{title} does not say how many of {name} it cuts", is_=_as_written(count),
                          should="a whole number")  # fmt: skip
    if counts and all(each.value == 0 for each in counts.values()):
        yield _unread(entry.slices, f"{title} cuts none of what it names", is_="0 of each",
                      should=f"{_SLICES}: {{}}, or one at least")  # fmt: skip


def _as_written(tree: Tree) -> str:
    if tree.says_nothing:
        return "not said"
    return tree.kind() if tree.is_mapping or tree.is_sequence else f"{tree.located().shown()} ({tree.kind()})"


def _unread(tree: Tree, says: str, *, is_: str, should: str) -> Draft:
    return fail(tree.heading, says, is_=is_, should=should, cause=_UNREAD, remedy=f"write {should}")


@RULE.check
def the_fleet_has_a_gpu_for_it(layouts: MigLayouts, declared: DeclaredFleet | None) -> Findings:
    """A map often serves several kinds of cards: it is told of only where none of it fits any of them."""
    if declared is None:
        skip("no fleet is declared, whose GPUs it would be for")
    there = {pool.name: _profiles(pool) for pool in declared.fleet.gpu_pools}
    asked = [
        (layout, name, entry.slices.get(name))
        for layout in layouts.layouts
        for entry in layout.entries
        if entry.tree.get(_FILTER).is_absent
        for name in entry.slices.mapping
    ]
    known = frozenset[str]().union(*there.values())
    if not asked or not there or not all(there.values()) or any(_bare(name) in known for _, name, _ in asked):
        skip("a GPU of the fleet may be cut by it, or what profiles these have is not known")
    layout, name, tree = asked[0]
    yield _of_no_card(layout, name, tree, declared.fleet.gpu_pools, known)


def _bare(profile: str) -> str:
    found = _BARE.fullmatch(profile)
    return found[1] if found else profile


def _profiles(pool: Pool) -> frozenset[str]:
    """Empty where nobody knows them."""
    kind = value_if_known(pool.instance_type)
    has = gpus_of(kind or "")
    if has is not None:
        return profiles_of(has.gpu, has.memory)
    return profiles_of_product(value_if_known(pool.gpu) or "")


def _of_no_card(layout: MigLayout, name: str, tree: Tree, pools: Sequence[Pool], known: frozenset[str]) -> Draft:
    return fail(
        tree.heading,
        f"the MIG configuration '{layout.name}' cuts by a profile that no GPU of the fleet has",
        is_=name,
        should=" or ".join(sorted(known)),
        related=[Related(each.gpu.place, f"pool '{each.name}' has {each.gpu.shown()}") for each in pools if each.gpu],
        cause="profiles are named after the memory of the card (an A100 of 80 GB has 2g.20gb, one of 40 GB 2g.10gb): "
        "the MIG manager sets nvidia.com/mig.config.state=failed on the node, and its GPUs stay as they were",
        remedy="write the profile as the GPU calls it: nvidia-smi mig -lgip on the node",
        severity=Severity.WARNING,
    )
