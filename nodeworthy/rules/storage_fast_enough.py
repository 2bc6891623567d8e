"""Storage and network of the node are as fast as its baseline, else as the fleet says.

No table has a floor for them: they are what somebody built. `accept.storage` and `accept.network` of the fleet say what
was promised (`write: 1.5GB/s`); where neither they nor a baseline do, it is unknown.
"""

from __future__ import annotations

from nodeworthy.facts.accept.floors import Floor, Promise, Speed, StorageSpeeds, short, without_floor
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, unknown

RULE = Rule(
    "storage-fast-enough",
    severity=Severity.ERROR,
    title="Storage and network of the node are as fast as its baseline, else as the fleet says",
    remedy="measure once more alone; then the mount's options (nfsstat -m), the volume's own limits, the network card",
)

_MEANT = {
    "write": "writing to the scratch",
    "read": "reading from the scratch",
    "node": "the network between nodes",
    "download": "a download",
}
# What is measured beside them, a node's own disk and the network of a group, is judged where somebody promised it.
_ASKED_FOR = ("write", "read", "download")
_MEASURED_BY = {"download": "--download-url URL of what nodes download", "node": "--test multi-node, on two nodes"}


@RULE.check
def they_reach_what_was_promised(seen: StorageSpeeds) -> Findings:
    yield from (_slow(seen, each) for each in short(seen.speeds))
    for some in without_floor([each for each in seen.speeds if each.measure.key in _ASKED_FOR]).values():
        shown = ", ".join(f"{each.measure.series} {each.best:g} {each.measure.unit}" for each in some)
        yield unknown(
            seen,
            "whether storage and network are fast enough is not known: nobody says what was promised",
            is_=shown,
            remedy="accept.storage.write, .read and accept.network.node, .download of the fleet, or --save-baseline",
        )
    yield from (_not_measured(seen, each) for each in seen.unmeasured)


def _not_measured(seen: StorageSpeeds, promise: Promise) -> Draft:
    return unknown(
        seen,
        f"whether {_MEANT[promise.key]} is as fast as promised is not known: this run did not measure it",
        should=f"at least {promise.value:g} GB/s (the fleet's accept)",
        related=[Related(promise.place, f"{promise.value:g} GB/s")],
        remedy=_MEASURED_BY.get(promise.key, "run disk-and-network again, and see what it printed"),
    )


def _slow(seen: StorageSpeeds, speed: Speed) -> Draft:
    assert isinstance(speed.floor, Floor)
    measure, floor = speed.measure, speed.floor
    return fail(
        seen,
        f"{measure.series} is slow on {measure.node}",
        is_=f"{speed.best:g} {measure.unit}, the best of {len(speed.rounds)}",
        should=f"at least {floor.value:g} {measure.unit} ({floor.source})",
        related=[Related(floor.place, f"{floor.value:g} {measure.unit}")] if floor.place is not None else [],
        cause="checkpoints hold all GPUs while they are written, and GPUs wait for data that comes late",
    )
