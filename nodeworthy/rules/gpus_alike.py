"""No GPU, node, direction or path is much slower than its peers.

GPUs of one model in one fleet do the same work in the same time, within a few per cent. One that lacks a tenth of what
the others show, and more than their own spread, in each round, is an outlier, whatever any table says. Fewer than four
can't be compared.

Between nodes everybody sends to everybody, and rows and columns of that matrix are judged by their medians, never by a
cell: single pairs of a healthy network may be three times apart. Who sends and receives slowly is a slow node; who does
only one of them has a bad card or cable in that direction; a single pair that is slow each time, while both of them are
well with all others, is a bad path between the two. Of two nodes nobody can tell which one is slow.
"""

from __future__ import annotations

from nodeworthy.facts.accept.peers import (
    LEAST,
    LEAST_NODES,
    LOW,
    SHARE,
    PairMatrix,
    Peers,
    Series,
    Slow,
    slow_parts,
)
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Severity, fail, unknown

RULE = Rule(
    "gpus-alike",
    severity=Severity.ERROR,
    title="No GPU, node, direction or path is much slower than its peers",
    remedy="measure it once more beside others; if it is slow again, take the node out of work and have it looked at",
)


@RULE.check
def no_gpu_is_an_outlier(peers: Peers) -> Findings:
    if peers.count < LEAST:
        yield unknown(
            peers,
            f"whether GPUs of the model {peers.model} are alike is not known: {peers.count} are too few to compare",
            should=f"at least {LEAST}",
        )
        return
    for series in peers.series:
        yield from (_outlier(peers, series, uuid, lack) for uuid, lack in series.suspects().items())


def _outlier(peers: Peers, series: Series, uuid: str, lack: float) -> Draft:
    measure = series.first[uuid]
    if series.rounds < 2:
        return unknown(
            peers,
            f"{measure.gpu} on {measure.node} may be slow: it lacks {lack:.0%} of its peers in {series.name}, and was "
            "measured only once",
        )
    cause = f"it was held back meanwhile: {', '.join(measure.throttle)}" if measure.throttle else ""
    return fail(
        peers,
        f"{measure.gpu} on {measure.node} is slower than its peers in {series.name}, each time",
        is_=f"{max(series.samples[uuid]):g} {series.unit}, {lack:.0%} less",
        should=f"as the {len(series.samples) - 1} others: about {series.middle:g} {series.unit}, and at most "
        f"{SHARE:.0%} less",
        cause=cause or "every rank of a job waits for its slowest",
        nodes=[measure.node],
    )


_WHAT = {
    "node": ("sends and receives slowly", "the node itself, or all of its network cards"),
    "sends": (
        "sends slowly to every partner, and receives as its peers do",
        "the sending side of a card or cable",
    ),
    "receives": ("receives slowly from every partner, and sends as its peers do", "the receiving side of a card"),
}


@RULE.check
def no_node_direction_or_path_is(matrix: PairMatrix) -> Findings:
    if len(matrix.nodes) < LEAST_NODES:
        names = " and ".join(matrix.nodes)
        yield unknown(
            matrix, f"which of {names} would be the slow one nobody can tell: a third would", should="3 nodes"
        )
        return
    yield from (_slow(matrix, each) for each in slow_parts(matrix.rounds))


def _slow(matrix: PairMatrix, slow: Slow) -> Draft:
    is_ = f"{slow.value:g} GB/s"
    if slow.what == "path":
        one, other = slow.names
        racks = [f"{name} in {matrix.racks[name]}" for name in slow.names if name in matrix.racks]
        return fail(
            matrix,
            f"the path between {one} and {other} is slow each time, and both are well with all others",
            is_=is_,
            should=f"about {slow.usual:g} GB/s, as with their other partners",
            cause="; ".join(["a switch or a cable between the two", *racks]),
            nodes=slow.names,
        )
    says, cause = _WHAT[slow.what]
    return fail(
        matrix,
        f"{slow.names[0]} {says}",
        is_=is_,
        should=f"about {slow.usual:g} GB/s, as the others, and at least {LOW:.0%} of that",
        cause=cause,
        remedy=f"nodeworthy node node://{slow.names[0]} --rule efa-complete; if that is well, replace the node",
        nodes=slow.names,
    )
