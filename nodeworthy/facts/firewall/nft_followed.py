"""The rules of nftables that a packet meets, from the hook on: jumps, gotos, returns and verdict maps are followed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from nodeworthy.facts.firewall.both import both
from nodeworthy.facts.firewall.firewall import Filter
from nodeworthy.facts.firewall.nft_listing import Chain, Table
from nodeworthy.facts.firewall.nft_rule import Outcome, outcomes
from nodeworthy.facts.firewall.saved import Met, is_for_all
from nodeworthy.records import dataclass

_VERDICTS: dict[str, bool | None] = {"accept": True, "drop": False, "reject": False}
# What other conditions a packet must have escaped to meet a rule: more than these are told by nobody.
_MOST, _MOST_UNLESS = 20_000, 200


@dataclass
class Followed:
    """One table, whose chains know each other alone."""

    table: Table
    count: int = 0

    def met(self, chain: Chain, via: Filter) -> list[Met]:
        """What these packets meet. Raises ValueError where nobody could follow them all."""
        self.count = 0
        return list(self._walk(chain.name, via, ()))

    def _walk(self, name: str, via: Filter, path: tuple[str, ...]) -> Iterator[Met]:
        chain = self.table.chains.get(name)
        if chain is None or name in path:
            yield Met(replace(via, allows=None), name, f"jump {name}")
            return
        for words in chain.rules:
            for each in outcomes(words, via.side, self.table.sets):
                own = self._own(via, each, name)
                if own is None:
                    continue
                if each.verdict in ("jump", "goto"):
                    yield from self._walk(each.chain, own, (*path, name))
                elif each.verdict != "return":
                    yield Met(replace(own, allows=_VERDICTS.get(each.verdict)), name, " ".join(words))
                if each.verdict in ("goto", "return"):
                    if _is_everything(each.filter):
                        return
                    via = _without(via, each.filter)

    def _own(self, via: Filter, outcome: Outcome, name: str) -> Filter | None:
        self.count += 1
        if self.count > _MOST or len(via.unless) > _MOST_UNLESS:
            raise ValueError(f"the chain {name} leads to more rules than can be followed")
        return both(via, outcome.filter)


def _is_everything(asked: Filter) -> bool:
    return is_for_all(replace(asked, allows=True))


def _without(via: Filter, gone: Filter) -> Filter:
    """What is left of these packets: of those that a port or a protocol narrows, all others."""
    return via if gone.limits else replace(via, unless=(*via.unless, gone))
