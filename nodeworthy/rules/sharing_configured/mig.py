"""Whether the MIG manager can apply a configuration of mig-parted: before any GPU is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.documents.settled import has_holes
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.mig_layouts import OPERATORS_OWN, READ, MigEntry, MigLayout, MigLayouts, layouts_by_path
from nodeworthy.facts.operator.sharing import OPERATORS
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.patterns import pattern
from nodeworthy.rules.sharing_configured import RULE, SINGLE
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, need, skip, unknown

# 1g.10gb, 1g.10gb+me, 2c.3g.40gb, 1g.24gb.gfx and the like.
_PROFILE = pattern(r"(?:(\d)c\.)?(\d)g\.(\d{1,3})gb(?:\+(?:me(?:\.all)?|gfx)|-me|\.gfx)?")
# Of every GPU that can be cut: seven slices to compute with.
_SLICES = 7
# What the chart reads something of.
_KNOWN = (READ[0], "mig")
# The layout that NVIDIA's own map has, and that cuts a GPU into slices of several sizes.
_BALANCED = "all-balanced"
# A GPU of seven slices has eight parts of memory, of which 3g has four.
_PARTS, _OF_3G = 8, 4
# Names have whole gigabytes: of a card of 141 they say 18, 35, 71 and 141.
_ROUNDED = 0.05
_FAILS = "the MIG manager sets nvidia.com/mig.config.state=failed on the node, and its GPUs stay as they were"


@RULE.check
def the_mig_manager_can_apply_it(layouts: MigLayouts) -> Findings:
    if layouts.why_unread is not None:
        yield unknown(layouts, f"into what {layouts.title} cuts GPUs is not known: {layouts.why_unread}")
        return
    found = [each for layout in layouts.layouts for each in _of_layout(layout)]
    if not found and has_holes(layouts.tree):
        skip("not all that it cuts is known")
    yield from found


def _of_layout(layout: MigLayout) -> Iterator[Draft]:
    yield from _twice(layout)
    for entry in layout.entries:
        yield from _of_entry(layout, entry)


@RULE.check
def it_stays_as_it_is_written(layouts: MigLayouts) -> Findings:
    """Source: NVIDIA/gpu-operator, controllers/object_controls.go: createConfigMap updates the one that it finds."""
    if not layouts.config_map or layouts.is_of_a_cluster or layouts.is_nvidias:
        skip("nobody keeps it under a name of its own")
    if layouts.config_map != OPERATORS_OWN:
        return
    yield fail(
        layouts,
        f"the operator writes its own map over the ConfigMap '{OPERATORS_OWN}'",
        should="a name of one's own, which migManager.config.name gives",
        cause="it brings a map of this name and writes it back whenever it looks; where migManager.config.name names "
        "another one, it brings none, and nobody reads this one",
        remedy="call the ConfigMap otherwise (custom-mig-config), and set migManager.config.name to that",
    )


@RULE.check
def the_default_is_there(values: OperatorValues, layouts: Sequence[MigLayouts]) -> Findings:
    """Nodes without the label nvidia.com/mig.config are cut by the default."""
    chosen = values.tree.get("migManager", "config")
    name, default = need(chosen.get("name").located()), chosen.get("default")
    held = [each for each in layouts if each.config_map and each.config_map == name]
    wanted = need(default.located()) if held else None
    if not wanted or any(each.why_unread is not None for each in held):
        skip("no default of a ConfigMap that lies beside the values is named")
    names = sorted({layout.name for each in held for layout in each.layouts})
    if wanted in names or not names:
        return
    yield fail(
        default.located(),
        f"the ConfigMap '{name}' has no MIG configuration of this name",
        should=" or ".join(names),
        related=[Related(held[0].place, f"it has {', '.join(names)}")],
        cause=f"every node without a label nvidia.com/mig.config is to be cut by it: {_FAILS}",
        remedy=f"set migManager.config.default to {' or '.join(names)}, or write '{wanted}' into the ConfigMap",
    )


@RULE.check(unless=MigLayouts)
def what_nvidia_brings_fits_its_strategy(values: OperatorValues) -> Findings:
    yield from _of_unlike_slices(values, ())


@RULE.check
def the_default_fits_its_strategy(values: OperatorValues, layouts: Sequence[MigLayouts]) -> Findings:
    if any(each.why_unread is not None for each in layouts):
        skip("what the layouts are is not known")
    yield from _of_unlike_slices(values, [layout for each in layouts for layout in each.layouts])


def _of_unlike_slices(values: OperatorValues, layouts: Sequence[MigLayout]) -> Iterator[Draft]:
    """Source: NVIDIA/k8s-device-plugin, internal/lm/mig-strategy.go, and NVIDIA/gpu-operator#479."""
    strategy, config = values.tree.get("mig", "strategy").located(), values.tree.get("migManager", "config")
    default = need(config.get("default").located())
    if need(strategy) != SINGLE or not default or values.tree.get("migManager", "enabled").value is False:
        skip("no layout is chosen by default, or slices are not all called nvidia.com/gpu")
    own = [each for each in layouts if each.name == default]
    brought = default == _BALANCED and not need(config.get("name").located()) and not config.get("data").mapping
    if not (all(each.cuts_unlike for each in own) if own else brought):
        return
    yield fail(
        strategy,
        f"by the MIG strategy {SINGLE} a node offers no GPUs once '{default}' has cut them",
        should="mixed, or a layout whose slices are all of one size",
        related=[Related(config.get("default").place, f"migManager.config.default: {default}")],
        cause="it cuts a GPU into slices of several sizes, which have no one name: the node is labelled "
        "nvidia.com/gpu.product=…-MIG-INVALID with nvidia.com/gpu.count=0",
        remedy="set mig.strategy: mixed, and ask for slices by their profile (nvidia.com/mig-1g.10gb)",
        # Nodes whose label names another layout are not cut by the default.
        severity=Severity.WARNING,
    )


@RULE.check
def they_stand_where_the_chart_reads_them(values: OperatorValues) -> Findings:
    if OPERATORS.isdisjoint(values.tree.mapping):
        skip("these may be values of another chart")
    elsewhere = [(path, tree) for path, tree in layouts_by_path(values.tree) if path != READ]
    if not elsewhere:
        skip("no MIG configuration stands in these values where the chart does not look")
    for path, _ in elsewhere:
        top = values.tree.get(*path[: 2 if path[0] in _KNOWN else 1])
        yield fail(
            top.heading,
            f"the operator's chart reads no MIG configurations below {'.'.join(path)}",
            is_=".".join(path),
            should=f"{'.'.join(READ)}, with create: true and name",
            cause="its templates look there for nothing of this name, and Helm says nothing: no ConfigMap is made of "
            "it, and where nothing else makes one, no GPU is cut",
            remedy=f"move it to {'.'.join(READ)} and set create: true; `helm template` shows what comes of it",
            severity=Severity.WARNING if values.tree.get(*READ[:2], "name").text else Severity.ERROR,
        )


def _of_entry(layout: MigLayout, entry: MigEntry) -> Iterator[Draft]:
    if entry.is_off and entry.slices.mapping:
        yield fail(
            entry.slices.heading,
            f"the MIG configuration '{layout.name}' cuts GPUs whose MIG mode it switches off",
            is_="mig-enabled: false",
            should="mig-enabled: true",
            cause=f"slices need MIG mode: {_FAILS}",
            remedy="set mig-enabled: true, or leave mig-devices out",
        )
    strange = [each for each in entry.slices.mapping if _PROFILE.fullmatch(each) is None]
    for name in strange:
        yield _no_profile(layout, name, entry.slices.get(name))
    if not strange:
        too_many = list(_too_many(layout, entry))
        of_two_cards = list(_of_two_cards(layout, entry))
        yield from (*too_many, *of_two_cards)
        if not too_many and not of_two_cards:
            yield from _too_much_memory(layout, entry)


def _no_profile(layout: MigLayout, name: str, tree: Tree) -> Draft:
    return fail(
        tree.heading,
        f"the MIG configuration '{layout.name}' names a profile that no GPU has",
        is_=name,
        should="a name like 1g.10gb, as nvidia-smi mig -lgip lists them",
        cause=f"mig-parted can't read its file: {_FAILS}",
        remedy="write the profile as the GPU calls it: nvidia-smi mig -lgip on the node",
    )


def _too_many(layout: MigLayout, entry: MigEntry) -> Iterator[Draft]:
    """Slices to compute with count; those that share one (`1c.3g.40gb`) are of the same."""
    used = 0
    for name, count in entry.slices.mapping.items():
        found = _PROFILE.fullmatch(name)
        if found is None or found[1] or not isinstance(count.value, int):
            return
        used += int(found[2]) * count.value
    if used > _SLICES:
        told = ", ".join(f"{name}: {tree.value}" for name, tree in entry.slices.mapping.items())
        yield fail(
            entry.slices.heading,
            f"the MIG configuration '{layout.name}' cuts more off a GPU than it has",
            is_=f"{told} ({used} slices)",
            should=f"{_SLICES} slices at most",
            cause=f"no order of them fits on the card: {_FAILS}",
            remedy=f"take profiles of {_SLICES} slices together, the number before the g each",
        )


def _too_much_memory(layout: MigLayout, entry: MigEntry) -> Iterator[Draft]:
    """A card that knows 3g gives it half of its memory, whatever it computes with: two of them leave nothing."""
    counted = [(_PROFILE.fullmatch(name), count.value) for name, count in entry.slices.mapping.items()]
    memory = [(int(found[3]), times) for found, times in counted if found and not found[1] and isinstance(times, int)]
    half = next((int(found[3]) for found, _ in counted if found and found[2] == "3"), None)
    if half is None or len(memory) != len(counted):
        return
    used = sum(round(each * _OF_3G / half) * times for each, times in memory)
    if used > _PARTS:
        told = ", ".join(f"{name}: {tree.value}" for name, tree in entry.slices.mapping.items())
        yield fail(
            entry.slices.heading,
            f"the MIG configuration '{layout.name}' takes more memory off a GPU than it has",
            is_=f"{told} ({used} eighths)",
            should=f"{_PARTS} eighths of its memory at most: half of it goes to each 3g or 4g",
            cause=f"no order of them fits on the card, also where slices to compute with are left: {_FAILS}",
            remedy="take profiles that share the memory, a 3g beside a 2g and two 1g say: nvidia-smi mig -lgipp",
        )


def _of_two_cards(layout: MigLayout, entry: MigEntry) -> Iterator[Draft]:
    """A card's memory is halved until it is the smallest slice's: of two profiles of one card one has once, twice, four
    or eight times the memory of the other."""
    first, *others = entry.slices.mapping or ("",)
    odd = next((each for each in others if not _may_be_of_one_card(first, each)), None)
    if odd is None:
        return
    tree = entry.slices.get(odd)
    yield fail(
        tree.heading,
        f"the MIG configuration '{layout.name}' takes profiles that no GPU has both of",
        is_=f"{first} and {odd}",
        should="profiles of one card, as nvidia-smi mig -lgip lists them",
        cause=f"the card that has the one does not know the other: {_FAILS}",
        remedy="write the profile as the GPU calls it: nvidia-smi mig -lgip on the node",
    )


def _may_be_of_one_card(one: str, other: str) -> bool:
    small, large = sorted(int(_PROFILE.sub(r"\3", each)) for each in (one, other))
    return any(abs(large - small * times) <= _ROUNDED * large for times in (1, 2, 4, 8))


def _twice(layout: MigLayout) -> Iterator[Draft]:
    """Entries with a filter are for other kinds of cards, and may name the same numbers."""
    seen: dict[int, Tree] = {}
    for entry in (each for each in layout.entries if each.tree.get("device-filter").is_absent):
        for number, tree in entry.numbers:
            if number in seen:
                yield fail(
                    tree.located(),
                    f"the MIG configuration '{layout.name}' says two things of GPU {number}",
                    should="each GPU once",
                    related=[Related(seen[number].place, "it is named here, too")],
                    cause=f"the second one undoes the first, and the check that follows fails: {_FAILS}",
                    remedy=f"name GPU {number} in one entry",
                )
            seen.setdefault(number, tree)
