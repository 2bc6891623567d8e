"""The GPU operator's settings, wherever they are kept: Helm values, a ClusterPolicy, a planned release."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, TypeVar

from nodeworthy.documents.settled import settle
from nodeworthy.documents.tree import Tree
from nodeworthy.known.containerd import defaults
from nodeworthy.known.operator_parts import CONFIG, RUNTIME_CLASS, RUNTIME_CONFIG, SOCKET, meant_variable
from nodeworthy.known.releases import knows_nri
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Known, Located, Place, Unknown

Text = TypeVar("Text", str, None)

# Templates of Helm, Argo CD and Flux, and Kubernetes' own references to other variables.
_FILLED_IN_LATER = ("{{", "${", "$(")


@dataclass(frozen=True)
class EnvVar:
    """One entry of toolkit.env as it was written."""

    tree: Tree
    # Anything may stand where a string should.
    name: Located[Any]
    value: Located[Any]

    @property
    def place(self) -> Place:
        return self.value.place

    def has(self, only: str) -> bool:
        """Whether it says this one thing and nothing else."""
        return list(self.tree.mapping) == [only]

    @cached_property
    def meant(self) -> str | None:
        """The variable of a path that it was meant to be, where it is another one by a letter."""
        name = self.name.state
        return meant_variable(name.value) if isinstance(name, Known) and isinstance(name.value, str) else None


@dataclass(frozen=True)
class ToolkitSettings:
    tree: Tree
    # Why settings may also come from somewhere that was not read (`valuesFrom`, `valueFiles`); None if they can't.
    elsewhere: str | None = None
    nri: Tree | None = None

    @cached_property
    def enabled(self) -> Located[bool]:
        return boolean("toolkit.enabled", self.tree.get("enabled"), default=True)

    @cached_property
    def uses_nri(self) -> Located[bool]:
        if self.nri is None:
            return Located(Known(False), self.tree.place, written=False)
        return boolean("cdi.nriPluginEnabled", self.nri, default=False)

    @property
    def env(self) -> Tree:
        return self.tree.get("env")

    @property
    def is_a_list(self) -> bool:
        """Whether the variables stand in the form that the chart takes; nothing at all is one."""
        return self.env.is_sequence or self.env.says_nothing or self.env.is_unknown

    @cached_property
    def variables(self) -> tuple[EnvVar, ...]:
        return tuple(_variables(self.env))

    @cached_property
    def split_by_a_dash(self) -> list[tuple[int, EnvVar]]:
        """Entries (by their number) that have a name alone, each with the next, that has a value alone."""
        pairs = enumerate(pairwise(self.variables))
        return [(index, after) for index, (before, after) in pairs if before.has("name") and after.has("value")]

    @cached_property
    def socket(self) -> Located[str]:
        """The socket whose folder the operator mounts: for the host path it reads only CONTAINERD_SOCKET."""
        return self._setting((SOCKET,), defaults().socket)

    @cached_property
    def config(self) -> Located[str]:
        return self._setting((CONFIG, RUNTIME_CONFIG), defaults().config)

    def named(self, name: str) -> EnvVar | None:
        """The variable of this name; of duplicates the first wins."""
        return next((each for each in self.variables if each.name.state == Known(name)), None)

    def said(self, name: str) -> Located[str | None]:
        """What a variable says; None where there is none of this name, for certain."""
        variable = self.named(name)
        return variable.value if variable is not None else self._unsaid(name, None)

    def _setting(self, names: tuple[str, ...], default: str) -> Located[str]:
        for name in names:
            variable = self.named(name)
            if variable is not None:
                return variable.value
        return self._unsaid(names[0], default)

    def _unsaid(self, name: str, default: Text) -> Located[Text]:
        env = self.env
        place = env.heading.about(f"toolkit.env[{name}]")
        if isinstance(env.value, Unknown):
            return Located(env.value, place)
        hidden = next((each for each in self.variables if isinstance(each.name.state, Unknown)), None)
        if hidden is not None:
            return Located(hidden.name.state, place)
        if self.elsewhere is not None and env.is_absent:
            return Located.unknown(self.elsewhere, place)
        return Located(Known(default), place, written=False)


def _variables(env: Tree) -> Iterator[EnvVar]:
    for index, entry in enumerate(env.sequence):
        name = entry.get("name").located()
        called = name.state.value if isinstance(name.state, Known) and name.written else str(index)
        yield EnvVar(entry, name, _value(entry, f"toolkit.env[{called}]"))


def _value(entry: Tree, subject: str) -> Located[str]:
    value = entry.get("value")
    if value.is_absent and not entry.get("valueFrom").is_absent:
        source = entry.get("valueFrom")
        return Located.unknown("its value comes from another object (valueFrom)", source.place.about(subject))
    located = value.located()
    state = located.state
    if value.text is not None and any(mark in value.text for mark in _FILLED_IN_LATER):
        state = Unknown(f"{value.text} is filled in by something that was not read")
    return Located(state, located.place.about(subject), located.secret, located.written)


def boolean(name: str, tree: Tree, *, default: bool) -> Located[bool]:
    """A setting that is on or off."""
    located = tree.located()
    if isinstance(located.state, Unknown):
        return Located(Unknown(f"{name} is not known: {located.state.why}"), located.place)
    # The chart's template writes the value bare, so a quoted "false" is false all the same.
    known = {True: True, False: False, "true": True, "false": False, None: default}
    if tree.is_mapping or tree.is_sequence or located.state.value not in known:
        return Located.unknown(f"{name} is {tree.kind()}, neither true nor false", located.place)
    return Located(Known(known[located.state.value]), located.place, written=located.written)


@dataclass(frozen=True)
class OperatorValues:
    called: ClassVar[str] = "GPU operator values"

    place: Place
    # The effective values: the chart's own shape, or a ClusterPolicy's spec, which is the same.
    tree: Tree
    # Where they were kept, in a reader's words.
    origin: str
    # The chart's version, None where nobody says it.
    release: Located[str | None]
    elsewhere: str | None = None
    # Of a ClusterPolicy.
    name: str = ""
    # Nobody wrote these: they follow from the fleet's pools.
    implied: bool = False
    # The version as it was written, where that is a range.
    asked_release: str = ""
    # The namespace that they are installed into, and how its cluster is called; empty where nothing says it.
    namespace: str = ""
    cluster: str = ""
    # Not these settings say the release, but the fleet beside them.
    release_is_the_fleets: bool = False
    # By which facts of a type these alone are judged, where there are others that are not about them.
    own: Mapping[type[Any], Sequence[Any]] = field(default_factory=dict)

    @cached_property
    def toolkit(self) -> ToolkitSettings:
        nri = self.tree.get("cdi", "nriPluginEnabled") if self._knows_nri else None
        return ToolkitSettings(self.tree.get("toolkit"), self.elsewhere, nri)

    def judged_by(self, kind: type[Any]) -> Sequence[Any] | None:
        return self.own.get(kind)

    def part(self, name: str, *, default: bool) -> Located[bool]:
        """Whether the operator deploys one of its parts."""
        part = self.tree.get(name)
        if part.is_absent and self.elsewhere is not None:
            return Located.unknown(f"{name}.enabled is not known: {self.elsewhere}", part.place)
        return boolean(f"{name}.enabled", part.get("enabled"), default=default)

    @cached_property
    def brings_driver(self) -> Located[bool]:
        """Whether the operator installs the driver on the nodes, which the chart does where nobody says otherwise."""
        return self.part("driver", default=True)

    @cached_property
    def chooses_drivers(self) -> Located[bool]:
        """Whether NVIDIADriver resources say which nodes get which driver."""
        told = self.tree.get("driver", "nvidiaDriverCRD", "enabled")
        return boolean("driver.nvidiaDriverCRD.enabled", told, default=False)

    @property
    def runtime_name(self) -> Located[Any]:
        """What the operator calls its RuntimeClass, and the handler that it names."""
        named = settle(self.tree.get("operator", "runtimeClass"))
        if isinstance(named.state, Known) and not named.state.value:
            return Located(Known(defaults().runtime_class), named.place, written=False)
        return named

    @property
    def toolkit_runtime_name(self) -> Located[Any]:
        """What the toolkit calls the runtime that it writes into containerd: its own setting, else the operator's."""
        variable = self.toolkit.named(RUNTIME_CLASS)
        return variable.value if variable is not None else self.runtime_name

    @property
    def _knows_nri(self) -> bool:
        """Whether the release reads the setting at all; older ones do not."""
        release = self.release.state
        return not isinstance(release, Known) or release.value is None or knows_nri(release.value)


@dataclass(frozen=True)
class PatchedPolicy:
    """What a script changes of the ClusterPolicy that is in a cluster: what it does not say stands there."""

    called: ClassVar[str] = "a patch of a ClusterPolicy"
    origin: ClassVar[str] = "a script"

    values: OperatorValues

    @property
    def place(self) -> Place:
        return self.values.place
