"""What the operator's values tell its parts beyond being on or off: which ConfigMap they go by, how the device plugin
hands GPUs over. Most values say nothing of it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.sharing import MAKERS, MIG_STRATEGY
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

MIG_MANAGER = "migManager"
LISTS, IDS, FINDS = "deviceListStrategy", "deviceIDStrategy", "deviceDiscoveryStrategy"
_VARIABLES = {
    "MIG_STRATEGY": MIG_STRATEGY,
    "DEVICE_LIST_STRATEGY": LISTS,
    "DEVICE_ID_STRATEGY": IDS,
    "DEVICE_DISCOVERY_STRATEGY": FINDS,
}
# Each is an option of the plugin's command as well: --mig-strategy.
_OPTIONS = {f"--{name.lower().replace('_', '-')}": option for name, option in _VARIABLES.items()}


@dataclass(frozen=True, eq=False)
class ConfiguredPart:
    called: ClassVar[str] = "a part of the operator that goes by a ConfigMap"

    place: Place
    values: OperatorValues
    part: str

    @property
    def config(self) -> Tree:
        return self.values.tree.get(self.part, "config")


@dataclass(frozen=True, eq=False)
class ToldPlugin:
    called: ClassVar[str] = "options of the operator's device plugin"

    place: Place
    # Each with the name that the plugin's configuration has for it.
    said: tuple[tuple[Tree, str], ...]


def told_of_parts(values: OperatorValues) -> Iterator[ConfiguredPart | ToldPlugin]:
    for part in MAKERS:
        config = values.tree.get(part, "config")
        if config.get("create").value is True:
            yield ConfiguredPart(values.place, values, part)
    strategy = values.tree.get("mig", "strategy")
    said = [*options_in(values.tree.get("devicePlugin", "env"))]
    if not strategy.is_absent:
        said.append((strategy, MIG_STRATEGY))
    if said:
        yield ToldPlugin(values.place, tuple(said))


def options_in(env: Tree) -> Iterator[tuple[Tree, str]]:
    for each in env.sequence:
        option = _VARIABLES.get(each.get("name").string)
        if option is not None:
            yield each.get("value"), option


def options_of(container: Tree) -> Iterator[tuple[Tree, str]]:
    """What a container is told, by its variables or behind its command."""
    yield from options_in(container.get("env"))
    yield from ((said, _OPTIONS[name]) for name, said in options_given(container) if name in _OPTIONS)


def options_given(container: Tree) -> Iterator[tuple[str, Tree]]:
    """The options of its command: `--mig-strategy=none`, or as two words."""
    words = [each for part in ("command", "args") for each in container.get(part).sequence]
    for word, behind in zip_longest(words, words[1:]):
        name, is_one_word, said = word.string.partition("=")
        if is_one_word:
            yield name, Tree(said, word.place)
        elif behind is not None:
            yield name, behind
