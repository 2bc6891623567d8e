"""The pool that a node says it is of, where it is not the one that it boots for."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.effects import Joins
from nodeworthy.facts.boot.flaw import Flaw
from nodeworthy.facts.boot.pools import POOL_LABEL, named_pool
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.verdict import Related

_CAUSE = "nobody finds these nodes by their pool, and nothing is checked of them"


def another_pool(script: BootScript) -> Iterator[Flaw]:
    named = named_pool(script.timeline)
    unheard_of = not script.pools and f"'{named}'" in script.no_pool
    others = [each.pool for each in script.pools if each.pool.name != named]
    if named is None or not (unheard_of or others):
        return
    labelled = next(each for each in script.timeline.of(Joins) if (POOL_LABEL, named) in each.labels)
    says = f"the node says that it is of the pool '{named}', "
    says += f"and what starts it that it is of '{others[0].name}'" if others else "which the fleet does not have"
    right = f"{POOL_LABEL}={others[0].name}" if others else ""
    yield Flaw(
        labelled.place,
        says,
        right or "a pool of the fleet",
        _CAUSE,
        f"{POOL_LABEL}={named}",
        f"label it {right}" if right else "name one of the pools that `nodeworthy fleet` shows",
        tuple(Related(each.place, f"pool '{each.name}' is declared here") for each in others),
    )
