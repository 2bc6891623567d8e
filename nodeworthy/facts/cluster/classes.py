"""The classes that pods name: of runtimes and of priorities; and who else makes some of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from nodeworthy.derive import derive
from nodeworthy.documents.settled import settle
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.containerd.runtimes import ConfiguredHandlers
from nodeworthy.facts.operator.fleet_operator import FleetsOperator
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.known.containerd import defaults
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Known, Located, Place, Placed, Unknown, value_if_known

# What the operator calls its classes beside the first, and what k3s finds by itself.
_NVIDIA = "nvidia"
BESIDE = ("-cdi", "-legacy")
EXPERIMENTAL = "-experimental"


@dataclass(frozen=True)
class RuntimeClass:
    called: ClassVar[str] = "a RuntimeClass"
    origin: ClassVar[str] = "a manifest"

    place: Place
    # Empty where a template writes it.
    name: str
    handler: Located[Any]
    why_unnamed: str | None = None
    # The object, where it is written down.
    document: Tree | None = None

    @property
    def title(self) -> str:
        return f"the RuntimeClass {self.name}" if self.name else "this RuntimeClass"

    @property
    def is_nvidias(self) -> bool:
        """Whether it is NVIDIA's, by its name or by its handler."""
        below = (
            ()
            if self.document is None
            else (self.document.get("spec", "handler"), self.document.get("metadata", "handler"))
        )
        handler = value_if_known(self.handler)
        return any(_NVIDIA in str(each).lower() for each in (self.name, handler, *(one.text for one in below)))


@dataclass(frozen=True)
class PriorityClass:
    called: ClassVar[str] = "a PriorityClass"
    origin: ClassVar[str] = "a manifest"

    place: Place
    name: str
    value: Located[Any]


@dataclass(frozen=True)
class ClusterClasses:
    called: ClassVar[str] = "what says which classes there are (an operator, a RuntimeClass)"
    whole_stack: ClassVar[bool] = True

    place: Place
    runtimes: tuple[RuntimeClass, ...] = ()
    priorities: tuple[PriorityClass, ...] = ()
    # Names of runtimes that the operator makes, and the handlers that its toolkit writes; None where nobody says it.
    made: tuple[str, ...] = ()
    handlers: tuple[str, ...] | None = None
    # Who says so: the operator's settings, its toolkit's DaemonSet.
    maker: Place | None = None
    # Why the operator's own class, or one in a manifest, may be called otherwise.
    hidden: str | None = None
    # These are all that there are: a cluster was asked.
    is_whole: bool = False
    # The pods of a cluster by the class that they name.
    pods_of: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # What files of containerd's configuration give it.
    configured: tuple[ConfiguredHandlers, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*(each.name for each in self.runtimes if each.name), *self.made)))

    def priority(self, name: str) -> PriorityClass | None:
        return next((each for each in self.priorities if each.name == name), None)


def class_of(document: Tree) -> Iterator[RuntimeClass | PriorityClass]:
    written = document.get("metadata", "name")
    name, state = written.text, settle(written).state
    if document.get("kind").text == "RuntimeClass" and isinstance(state, Unknown):
        yield RuntimeClass(document.place, "", settle(document.get("handler")), state.why, document)
    elif name is None:
        return
    elif document.get("kind").text == "RuntimeClass":
        yield RuntimeClass(document.place, name, settle(document.get("handler")), document=document)
    elif document.get("kind").text == "PriorityClass":
        yield PriorityClass(document.place, name, settle(document.get("value")))


@derive
def declared_classes(
    runtimes: Sequence[RuntimeClass],
    priorities: Sequence[PriorityClass],
    settings: Sequence[OperatorValues | FleetsOperator],
    configured: Sequence[ConfiguredHandlers] | None,
) -> Iterator[ClusterClasses]:
    operators = [each.values if isinstance(each, FleetsOperator) else each for each in settings]
    made = {name for each in operators for name in _family(each.runtime_name)}
    handlers = {name for each in operators for name in _family(each.toolkit_runtime_name)}
    decided = operators and not any(map(_hides_its_handlers, operators))
    maker = operators[0].place if operators else None
    said: tuple[Placed, ...] = (*runtimes, *priorities)
    place = maker or said[0].place
    names = tuple(sorted(handlers)) if decided else None
    hidden = next(filter(None, (*map(_why_hidden, operators), *map(why_unnamed_too, runtimes))), None)
    yield ClusterClasses(
        place,
        tuple(runtimes),
        tuple(priorities),
        tuple(sorted(made)),
        names,
        maker,
        hidden,
        configured=tuple(configured or ()),
    )


def why_unnamed_too(runtime: RuntimeClass) -> str | None:
    return runtime.why_unnamed and f"nor is the name of the RuntimeClass in {runtime.place} ({runtime.why_unnamed})"


def _why_hidden(values: OperatorValues) -> str | None:
    named = values.runtime_name
    if isinstance(named.state, Unknown):
        return named.state.why
    return values.elsewhere if not named.written else None


def _family(name: Located[Any]) -> tuple[str, ...]:
    base = defaults().runtime_class
    beside = tuple(f"{base}{suffix}" for suffix in BESIDE)
    return beside if isinstance(name.state, Unknown) else (str(name.state.value), *beside)


def _hides_its_handlers(values: OperatorValues) -> bool:
    """Whether containerd's runtimes may be somebody else's work, or have another name than can be seen."""
    states = (values.toolkit.enabled.state, values.toolkit_runtime_name.state, values.toolkit.uses_nri.state)
    if any(isinstance(state, Unknown) for state in states) or values.elsewhere is not None:
        return True
    return states[0] != Known(True) or states[2] != Known(False)
