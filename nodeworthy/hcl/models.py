"""Modules whose files are not here and of which it is known what they make: a folder of Terraform says it for them.

All that a model makes stands where the module is called, for that is where a reader can change it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from nodeworthy.hcl.disk import Bodies
from nodeworthy.hcl.parse import parse
from nodeworthy.hcl.source import File, Spot
from nodeworthy.hcl.values import Hole, Obj, Scalar, Value, text_of
from nodeworthy.known.efa import efa_of
from nodeworthy.known.terraform_modules import KnownModule
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


class _CalledFile(File):
    def __init__(self, text: str, called: Spot) -> None:
        super().__init__("", text)
        self._called = called

    def place(self, at: int) -> Place:  # noqa: ARG002
        return self._called.place


@dataclass
class Model:
    module: KnownModule
    # Where the module is called, or the entry of the map of which one is made.
    called: Spot
    # What the reader calls it: the name of the call, or the key of the entry.
    title: str

    @cached_property
    def bodies(self) -> Bodies:
        bodies = Bodies()
        for each in self.module.texts():
            bodies.blocks += parse(_CalledFile(each, self.called)).blocks
        return bodies

    def given(self, arguments: Mapping[str, Callable[[], Value]]) -> Value:
        """All that it is called with, as one object."""
        return Obj("object", _Arguments(arguments), self.called, {})

    def says(self, name: str) -> Value | None:
        """What every model may refer to."""
        if name == "not_known":
            return Hole(f"the module {self.module.address} decides it", self.called)
        if name == "by_version":
            items = {each: self._of_versions(each, said) for each, said in self.module.by_version.items()}
            return Obj("object", items, self.called, {})
        if name == "network_cards":
            return Obj("object", _Cards(self.called), self.called, {})
        return None

    def _of_versions(self, name: str, said: str | int | bool | None) -> Value:
        if said is None:
            why = f"the versions of {self.module.address} that it may be differ in it: {name.replace('_', ' ')}"
            return Hole(why, self.called)
        return text_of(said, self.called) if isinstance(said, str) else Scalar(said, self.called)

    def within(self, source: str) -> KnownModule:
        """A model that this one calls."""
        return KnownModule(self.module.address, self.module.folder / source, {})


class _Arguments(Mapping[str, Value]):
    """Each evaluated when it is asked for: one may depend on what another one makes."""

    def __init__(self, arguments: Mapping[str, Callable[[], Value]]) -> None:
        self._arguments = arguments

    def __getitem__(self, name: str) -> Value:
        return self._arguments[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._arguments)

    def __len__(self) -> int:
        return len(self._arguments)


class _Cards(Mapping[str, Value]):
    """The number of network cards that take EFA, by instance type. A module asks for it on the first card of a type
    that has none, too."""

    def __init__(self, spot: Spot) -> None:
        self._spot = spot

    def __getitem__(self, name: str) -> Value:
        found = efa_of(name)
        if found is None:
            raise KeyError(name)
        return Scalar(found.interfaces or 1, self._spot)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0
