"""HAMi as a whole: what all that was found says of it, and what it does where nobody says anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar

from nodeworthy.derive import derive
from nodeworthy.documents.settled import settle
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.hami.values import HamiNodeConfigs, HamiValues, truth
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.fleet.model import Fleet
from nodeworthy.known.hami import Resources, default, labels, resources
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Unknown

# A namespace whose pods HAMi's webhook leaves alone, for a label says so.


@dataclass(frozen=True, eq=False)
class OptedOutNamespace:
    called: ClassVar[str] = "a namespace without HAMi's webhook"
    origin: ClassVar[str] = "a manifest"

    place: Place
    name: str
    label: Located[Any]


def opted_out_namespaces(document: Tree) -> Iterator[OptedOutNamespace]:
    name = document.get("metadata", "name").text
    label = settle(document.get("metadata", "labels", labels().webhook))
    if document.get("kind").text == "Namespace" and name and label.state == Known(labels().webhook_off):
        yield OptedOutNamespace(document.place, name, label)


# HAMi beside the GPU operator, whose toolkit decides whether every pod gets the nvidia runtime.


@dataclass(frozen=True, eq=False)
class HamiRuntime:
    called: ClassVar[str] = "HAMi beside the GPU operator"

    setup: HamiSetup
    operator: OperatorValues

    @property
    def place(self) -> Place:
        return self.operator.place


@derive
def beside_the_operator(setup: HamiSetup, operator: OperatorValues) -> Iterator[HamiRuntime]:
    """HAMi beside the operator; nothing where HAMi's settings are not known."""
    if setup.values:
        yield HamiRuntime(setup, operator)


_NAMES = {
    "count": "resourceName",
    "memory": "resourceMem",
    "memory_percentage": "resourceMemPercentage",
    "cores": "resourceCores",
    "priority": "resourcePriority",
}


@dataclass(frozen=True, eq=False)
class HamiSetup:
    called: ClassVar[str] = "HAMi"
    whole_stack: ClassVar[bool] = True

    place: Place
    values: tuple[HamiValues, ...] = ()
    # Whether every GPU of the cluster is shared through it: the fleet says so, or it was seen there.
    has_all_gpus: bool = False
    # Namespaces whose label keeps the webhook from them.
    opted_out: tuple[OptedOutNamespace, ...] = ()

    def said(self, *names: str, otherwise: Any = None) -> Located[Any]:
        """A setting as the values say it, or as the chart does where they don't. Unknown where two of them differ."""
        found = [said for each in self.values if (said := each.said(*names)) is not None]
        unknown = next((each for each in found if isinstance(each.state, Unknown)), None)
        if unknown is not None:
            return unknown
        if not found:
            return Located(Known(otherwise), self.place.about(".".join(names)), written=False)
        if len({str(each.state) for each in found}) > 1:
            why = f"{len(found)} sets of values say different things of {'.'.join(names)}"
            return Located.unknown(why, found[0].place)
        return found[0]

    @cached_property
    def forces_its_scheduler(self) -> Located[bool]:
        """Whether its webhook takes pods that ask for the default scheduler, as every pod does that names none."""
        usual = bool(default("force_overwrite"))
        said = self.said("scheduler", "forceOverwriteDefaultScheduler", otherwise=usual)
        return truth(said, default=usual) or said

    @cached_property
    def scheduler(self) -> Located[Any]:
        return self.said("schedulerName", otherwise=default("scheduler"))

    @cached_property
    def has_webhook(self) -> Located[bool]:
        said = self.said("scheduler", "admissionWebhook", "enabled", otherwise=True)
        return truth(said, default=True) or said

    @cached_property
    def memory_scaling(self) -> Located[Any]:
        return self.said("devicePlugin", "deviceMemoryScaling", otherwise=default("memory_scaling"))

    @cached_property
    def memory_unit(self) -> Located[Any]:
        """How many MB one of what pods ask for is."""
        return self.said("devices", "nvidia", "memoryFactor", otherwise=1)

    @cached_property
    def names(self) -> Resources:
        """What pods ask for, by the names that are known; a name that is not keeps the chart's."""
        usual = resources()
        said = {name: self.said(key).state for name, key in _NAMES.items()}
        named = {name: state.value for name, state in said.items() if isinstance(state, Known) and state.value}
        return Resources(**{name: str(named.get(name, getattr(usual, name))) for name in _NAMES})

    def not_applied_to(self) -> Iterator[Located[Any]]:
        """The namespaces that the webhook is told to leave alone."""
        for each in self.values:
            for entry in each.tree.get("scheduler", "admissionWebhook", "whitelistNamespaces").sequence:
                yield settle(entry)


@dataclass(frozen=True)
class HamiAsked:
    """A fleet whose GPUs HAMi shares."""

    called: ClassVar[str] = "a fleet that asks for HAMi"

    place: Place


@derive
def hami_asked(fleet: Fleet) -> Iterator[HamiAsked]:
    if fleet.hami is not None:
        yield HamiAsked(fleet.hami.place)


@derive
def declared_setup(
    values: Sequence[HamiValues],
    others: Sequence[HamiNodeConfigs | HamiAsked],
    pods: Sequence[PodTemplate],
    opted_out: Sequence[OptedOutNamespace] | None,
) -> Iterator[HamiSetup]:
    """The declared setup of HAMi; none where nobody asks for HAMi."""
    has_all = any(isinstance(each, HamiAsked) for each in others)
    first = next(iter((*values, *others, *pods)))
    setup = HamiSetup(first.place, tuple(values), has_all, tuple(opted_out or ()))
    if values or others or _any_is_hamis(pods, setup):
        yield setup


def _any_is_hamis(pods: Sequence[PodTemplate], setup: HamiSetup) -> bool:
    from nodeworthy.facts.hami.pod import is_hamis

    return any(is_hamis(each, setup.names, has_all_gpus=setup.has_all_gpus) for each in pods)
