"""ufw's files as they are kept beside each other: one firewall, and the pools of a fleet that want it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

from nodeworthy.boot.content import Content, Line
from nodeworthy.facts.boot.script import BootPool
from nodeworthy.facts.firewall.firewall import UFW, Does, Step
from nodeworthy.facts.firewall.pods import speaks_of_pods
from nodeworthy.facts.firewall.state import DEFAULTS as UFWS_OWN
from nodeworthy.facts.firewall.state import Firewall, left_by
from nodeworthy.facts.firewall.ufw_files import BEFORE, DEFAULTS, SWITCH, USER, Told, steps_of
from nodeworthy.fleet.model import Firewall as Wanted
from nodeworthy.fleet.model import Fleet
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, skip

_ORDER = (DEFAULTS, USER, BEFORE, SWITCH)


@dataclass(frozen=True, eq=False)
class UfwFile:
    """One file of ufw's: its rules, its defaults, its switch."""

    called: ClassVar[str] = "a file of ufw's"

    place: Place
    kind: str
    content: Content
    # The folder that stands for the node's root, or that holds all of them.
    root: str = ""


@dataclass(frozen=True, eq=False)
class UfwFirewall:
    called: ClassVar[str] = "a firewall in ufw's files"

    place: Place
    files: tuple[UfwFile, ...]
    pools: tuple[BootPool, ...] = ()
    no_pool: str = ""

    def judged_by(self, kind: type[Any]) -> Sequence[Any] | str | None:
        """The engine asks: it is for the pools that want ufw."""
        return (self.pools or self.no_pool) if kind is BootPool else None

    @cached_property
    def steps(self) -> list[Step]:
        ordered = sorted(self.files, key=lambda each: _ORDER.index(each.kind))
        found = [step for each in ordered for step in steps_of(each.kind, each.content, Told(each.place, ""))]
        # A file says no more than that it is off until somebody switches it on; and what is ufw's default nobody says.
        return [each for each in found if each.does is not Does.OFF and not _is_default(each)]

    @property
    def switch(self) -> Line | None:
        """The line that says whether it is on."""
        files = (each.content for each in self.files if each.kind == SWITCH)
        return next((line for content in files for line in content.find("ENABLED=")), None)

    @property
    def is_on(self) -> bool:
        """Where nobody keeps the switch, the rules are kept for a firewall that is on."""
        return self.switch is None or any(each.does is Does.ON for each in self.steps)

    @property
    def rules(self) -> UfwFile | None:
        return next((each for each in self.files if each.kind == USER), None)

    def left(self) -> Firewall:
        on = Step(Does.ON, UFW, (self.rules or self.files[0]).place, "")
        return left_by([*(each for each in self.steps if each.does is not Does.ON), *([on] if self.is_on else [])])

    def of_a_node(self) -> None:
        """Skips the firewall of some other machine, as far as anybody says."""
        if not self.pools and not speaks_of_pods(self.steps):
            skip("nothing says that these files of ufw are for a node of Kubernetes")


def _is_default(step: Step) -> bool:
    return step.does is Does.POLICY and all(UFWS_OWN[side] is step.allows for side in step.sides)


def firewalls(files: Sequence[UfwFile], fleet: Fleet | None, why: str) -> list[UfwFirewall]:
    """The files of one root are one firewall."""
    by_root: dict[str, list[UfwFile]] = {}
    for each in files:
        by_root.setdefault(each.root, []).append(each)
    pools = tuple(BootPool(each, fleet) for each in fleet.pools if each.firewall is Wanted.UFW) if fleet else ()
    no_pool = "" if pools else why or "no pool of the fleet has ufw as its firewall"
    return [UfwFirewall(each[0].place, tuple(each), pools, no_pool) for each in by_root.values()]
