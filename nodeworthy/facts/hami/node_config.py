"""What is wrong with an entry of HAMi's `config.json`, which Go reads: one wrong type, and none of it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.hami.values import HamiNodeConfigs
from nodeworthy.known.hami import mig_strategies, modes
from nodeworthy.records import dataclass

_UNREAD = "the device plugin can't read the file then, and goes on as if it were not there: no node has its settings"
_AS_GIVEN = "the device plugin takes it as it stands, and knows no such {}"


@dataclass(frozen=True)
class ConfigFlaw:
    where: Tree
    message: str
    should: str
    cause: str


def flaws(configs: HamiNodeConfigs) -> Iterator[ConfigFlaw]:
    entries = configs.tree.get("nodeconfig")
    if not entries.is_sequence:
        yield ConfigFlaw(entries, "nodeconfig is no list of nodes", "a list of entries, one a node", _UNREAD)
        return
    for entry in configs.entries:
        yield from _names(entry)
        yield from _numbers(entry)
        yield from _filter(entry.get("filterdevices"))
    yield from _twice(configs.entries)


def _names(entry: Tree) -> Iterator[ConfigFlaw]:
    for key, known, what in (
        ("operatingmode", modes(), "operating mode"),
        ("migstrategy", mig_strategies(), "MIG strategy"),
    ):
        tree = entry.get(key)
        if tree.text and tree.text not in known:
            yield ConfigFlaw(tree, f"{key} is no {what} of HAMi", " or ".join(known), _AS_GIVEN.format(what))


def _numbers(entry: Tree) -> Iterator[ConfigFlaw]:
    for key in ("devicesplitcount", "devicememoryscaling", "devicecorescaling"):
        tree = entry.get(key)
        if isinstance(tree.value, (str, bool)):
            yield ConfigFlaw(tree, f"{key} is no number", "a number, without quotes", _UNREAD)
    name = entry.get("name")
    if name.is_absent or name.text == "":
        yield ConfigFlaw(
            entry, "this entry names no node", "the name of a node, as kubectl get nodes prints it", _UNNAMED
        )


_UNNAMED = "an entry is taken by the node of its name, so that no node takes this one"


def _filter(tree: Tree) -> Iterator[ConfigFlaw]:
    if tree.is_absent or tree.is_null or tree.is_unknown:
        return
    if not tree.is_mapping:
        yield ConfigFlaw(tree, "filterdevices is no filter", 'an object with the lists "uuid" and "index"', _UNREAD)
        return
    for key in ("uuid", "index"):
        chosen = tree.get(key)
        if not (chosen.is_absent or chosen.is_null or chosen.is_sequence):
            yield ConfigFlaw(chosen, f"filterdevices.{key} is no list", "a list", _UNREAD)
    for each in tree.get("uuid").sequence:
        yield from _uuid(each)
    for each in tree.get("index").sequence:
        if isinstance(each.value, bool) or not isinstance(each.value, int) or each.value < 0:
            yield ConfigFlaw(each, "this is no index of a GPU", "a number from 0, without quotes", _UNREAD)


def _uuid(tree: Tree) -> Iterator[ConfigFlaw]:
    if tree.text is None:
        yield ConfigFlaw(tree, "this is no UUID of a GPU", 'a string like "GPU-8dcd427f-…"', _UNREAD)
    elif not tree.text.startswith(("GPU-", "MIG-")):
        cause = "it is compared with the whole UUID, prefix included, and no GPU has this one: the filter does nothing"
        yield ConfigFlaw(tree, "this is no UUID of a GPU", "GPU-…, as nvidia-smi -L prints it", cause)


def _twice(entries: tuple[Tree, ...]) -> Iterator[ConfigFlaw]:
    counted = Counter(entry.get("name").text for entry in entries)
    seen: set[str | None] = set()
    for entry in entries:
        name = entry.get("name")
        if name.text and counted[name.text] > 1 and name.text in seen:
            cause = "each entry is laid over the one before it, and nobody sees which settings the node has"
            yield ConfigFlaw(name, "this node has another entry above", "one entry a node", cause)
        seen.add(name.text)
