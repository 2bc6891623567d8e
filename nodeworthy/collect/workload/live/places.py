"""How many nodes of a pool are held at once, and which are left alone: those in use, and the last that is free."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from nodeworthy.collect.workload.live.ledger import NodeLedger, others_on
from nodeworthy.collect.workload.live.piece import Piece
from nodeworthy.collect.workload.recording import LeftOut
from nodeworthy.facts.accept.measure import Shape
from nodeworthy.known.acceptance import NotRun
from nodeworthy.records import dataclass

# Of a pool, unless somebody names a number.
_SHARE = 0.25


@dataclass(frozen=True)
class Places:
    ledger: Mapping[str, NodeLedger]
    most: int | None
    last: bool

    def may_begin(self, piece: Piece, running: Sequence[Piece]) -> bool:
        """A group takes its turn alone, however large it is; of one node, several may be asked for parts."""
        if len(piece.nodes) > 1:
            return not running
        held = {name for each in running for name in each.nodes}
        if piece.asking is not None and piece.nodes[0] in held:
            return True
        pools = Counter(map(self._pool, held))
        pool = self._pool(piece.nodes[0])
        return pools[pool] < self.of_pool(pool)

    def of_pool(self, pool: str) -> int:
        there = [each for each in self.ledger.values() if each.pool == pool]
        share = self.most or max(1, math.ceil(_SHARE * len(there)))
        # Nodes that nobody else may come to yet keep nobody waiting.
        room = sum(1 for each in there if each.is_open and each.is_free) - (0 if self.last else 1)
        closed = sum(1 for each in there if not each.is_open)
        return max(1, min(share, room + closed))

    def turns(self, shapes: Sequence[Shape]) -> int:
        """How many rounds the pool needs that takes longest, if each place takes one piece after the other."""
        counted = Counter(self._pool(each.node) for each in shapes)
        return max((math.ceil(count / self.of_pool(pool)) for pool, count in counted.items()), default=0)

    def told(self) -> str:
        pools = sorted({each.pool for each in self.ledger.values()})
        counts = ", ".join(f"{self.of_pool(each)} of {each or 'all'}" for each in pools[:4])
        return f"at once at most {counts}"

    def _pool(self, node: str) -> str:
        return self.ledger[node].pool if node in self.ledger else ""


def in_the_way(
    shapes: Sequence[Shape], ledger: Mapping[str, NodeLedger], *, last: bool, together: bool = False
) -> dict[str, LeftOut]:
    """Nodes on which a run would keep others waiting, by their names. `together`: all of them are held at once."""
    found = {}
    for each in shapes:
        now = ledger.get(each.node)
        if now is None:
            found[each.node] = _left_out(each, NotRun.NODE_GONE, "it is gone, or offers no GPU any more")
        elif not now.is_free:
            found[each.node] = _left_out(each, NotRun.IN_USE, f"its GPUs are in use: {others_on(now)}")
    staying = [each for each in shapes if each.node not in found]
    return found if last else found | _last_ones(staying, ledger, together=together)


def _last_ones(shapes: Sequence[Shape], ledger: Mapping[str, NodeLedger], *, together: bool) -> dict[str, LeftOut]:
    """The last free node of each pool, which is left free."""
    found = {}
    for pool in {ledger[each.node].pool for each in shapes}:
        free = {each.node for each in ledger.values() if each.pool == pool and each.is_open and each.is_free}
        meant = [each for each in shapes if each.node in free]
        if meant and len(free) == (len(meant) if together else 1):
            why = f"it is the last free node of its pool ({pool or 'all nodes'}): --yes-last takes it all the same"
            found[meant[-1].node] = _left_out(meant[-1], NotRun.IN_USE, why)
    return found


def _left_out(shape: Shape, reason: NotRun, why: str) -> LeftOut:
    return LeftOut("", (shape.node,), reason, why)
