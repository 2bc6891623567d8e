"""HAMi's settings, wherever they are kept: its chart's values, or the ConfigMap that the chart makes of them."""

from __future__ import annotations

from typing import Any, ClassVar

from nodeworthy.documents.settled import settled
from nodeworthy.documents.tree import Tree
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Unknown


@dataclass(frozen=True, eq=False)
class HamiValues:
    called: ClassVar[str] = "a set of HAMi's values"

    place: Place
    # Under the chart's names.
    tree: Tree
    # Where they were kept, in a reader's words.
    origin: str
    # Why settings may also come from somewhere that was not read; None if they can't.
    elsewhere: str | None = None

    def written(self, *names: str) -> Tree | None:
        """A setting as somebody wrote it; None where nobody did."""
        tree = self.tree.get(*names)
        return None if tree.is_absent or tree.is_null or tree.text == "" else tree

    def said(self, *names: str) -> Located[Any] | None:
        """The same, settled; unknown where somebody else may say it."""
        tree = self.written(*names)
        if tree is not None:
            return settled(tree)
        if self.elsewhere is not None:
            return Located.unknown(f"{names[-1]} is not known: {self.elsewhere}", self.tree.get(*names).place)
        return None

    @property
    def node_selector(self) -> Tree:
        """Of the device plugin's nodes; the chart has spelt it in two ways."""
        plugin = self.tree.get("devicePlugin")
        former = plugin.get("nvidianodeSelector")
        return former if not former.is_absent else plugin.get("nvidiaNodeSelector")


@dataclass(frozen=True, eq=False)
class HamiNodeConfigs:
    """What HAMi's device plugin reads for each node (`config.json`), which goes before everything else there."""

    called: ClassVar[str] = "a config of HAMi's device plugin"

    place: Place
    tree: Tree
    origin: str
    # Why Go's JSON would not take it; the device plugin then goes on without.
    broken: str | None = None

    @property
    def entries(self) -> tuple[Tree, ...]:
        return tuple(each for each in self.tree.get("nodeconfig").sequence if each.is_mapping)


def truth(located: Located[Any] | None, *, default: bool) -> Located[bool] | None:
    """A switch, which people also write as a string; None where nobody says it, and it has no such value."""
    if located is None:
        return None
    if isinstance(located.state, Unknown):
        return located
    value = located.state.value
    if isinstance(value, str):
        value = {"true": True, "false": False}.get(value.lower())
    return Located(Known(value if isinstance(value, bool) else default), located.place)
