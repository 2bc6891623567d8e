"""Collectives add up right, and are as fast as their baseline, else as the fleet's floor, else as the table's.

What counts is the bus bandwidth of one payload, from 1 GiB: an average over all payloads from some bytes on says more
about the list of payloads than about the network. Two nodes may show more than the wire has, for the algorithm sends
less over it than the formula assumes; so a floor is of one number of nodes and ranks, and of no other.
"""

from __future__ import annotations

from nodeworthy.facts.accept.floors import CollectiveSpeeds, Floor, Speed, short, without_floor
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, unknown

RULE = Rule(
    "collectives-fast-enough",
    severity=Severity.ERROR,
    title="Collectives add up right, and are as fast as their baseline, else as the fleet's floor, else as the table's",
    remedy="nodeworthy node node://NODE --rule efa-complete --rule fabric-manager-runs; NCCL_DEBUG=INFO names the way",
)

# Small payloads show latency, which nobody has a floor for.
_GIB = 1 << 30


@RULE.check
def they_reach_their_floor(seen: CollectiveSpeeds) -> Findings:
    if not seen.is_sum_right:
        yield fail(
            seen,
            "a collective gave a wrong sum",
            is_="not what its ranks put in",
            should="the sum of all ranks",
            cause="gradients that are added up wrongly spoil the model without any error",
            remedy="take these nodes out of work, and run gpu-sanity on each",
        )
    yield from (_slow(seen, each) for each in short(seen.speeds))
    for why, some in without_floor([each for each in seen.speeds if _is_large(each)]).items():
        names = ", ".join(dict.fromkeys(each.measure.series for each in some))
        yield unknown(seen, f"whether {names} is fast enough is not known: {why}", is_=some[0].in_words)


def _is_large(speed: Speed) -> bool:
    size = speed.measure.where.get("bytes")
    return isinstance(size, int) and size >= _GIB


def _slow(seen: CollectiveSpeeds, speed: Speed) -> Draft:
    assert isinstance(speed.floor, Floor)
    floor = speed.floor
    return fail(
        seen,
        f"{speed.measure.series} is slow on {', '.join(seen.nodes)}",
        is_=speed.in_words,
        should=f"at least {floor.value:g} {speed.measure.unit} ({floor.source})",
        related=[Related(floor.place, f"{floor.value:g} {speed.measure.unit}")] if floor.place is not None else [],
        cause="training of several GPUs is as fast as its collectives",
        severity=floor.severity,
    )
