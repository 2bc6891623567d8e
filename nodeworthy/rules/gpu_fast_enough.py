"""A GPU is as fast as its baseline, else as its fleet's floor, else as the table's.

What is measured is judged by the first of these that there is: a baseline that this fleet wrote of itself when it was
well (`accept --save-baseline`), the fleet's `accept.floors`, the table of published figures. A figure of the table that
was only derived from somebody's best run warns. Where nothing says how fast it must be, it is unknown, and no pass.

Everything is measured more than once, and the best counts: one slow round is noise. Why a GPU ran slower than it can
(power, heat, a clock somebody fixed) is recorded with each number, and is told. A PCIe link that is narrower or
slower than both of its ends can be is told as well: it is the usual reason of slow copies.

Whoever computes for half an hour (`accept --level burn`) becomes as hot as it will ever be. That its software keeps it
at its power or its temperature is how GPUs are; that its hardware has to hold it back is not.
"""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.facts.accept.burns import Burn
from nodeworthy.facts.accept.floors import Floor, GpuSpeeds, Speed, short, without_floor
from nodeworthy.facts.accept.measure import BY_LINK, Gpu, Measure, narrow_links
from nodeworthy.rule import Rule
from nodeworthy.verdict import Draft, Findings, Related, Severity, fail, unknown

RULE = Rule(
    "gpu-fast-enough",
    severity=Severity.ERROR,
    title="A GPU is as fast as its baseline, else as its fleet's floor, else as the table's",
    remedy="nvidia-smi -q -d PERFORMANCE,CLOCK,POWER,TEMPERATURE on the node; then measure once more alone on it",
)


@RULE.check
def it_reaches_its_floor(seen: GpuSpeeds) -> Findings:
    narrow = narrow_links(seen.links)
    slow: dict[str, list[Speed]] = {}
    for each in short(seen.speeds):
        if not (each.measure.name in BY_LINK and each.measure.gpu in narrow):
            slow.setdefault(each.measure.series, []).append(each)
    yield from (_slow(seen, some) for some in slow.values())
    for why, some in without_floor(seen.speeds).items():
        names = ", ".join(dict.fromkeys(each.measure.series for each in some))
        yield unknown(
            seen,
            f"whether {names} is fast enough is not known: {why}",
            is_=max(some, key=lambda each: each.best).in_words,
            remedy="--save-baseline of a run that is well, or accept.floors of the fleet",
        )
    yield from (_narrow(seen, gpu, *link) for gpu, link in narrow.items())


def _slow(seen: GpuSpeeds, some: Sequence[Speed]) -> Draft:
    """The worst of several GPUs that are slow for one cause."""
    worst = min(some, key=lambda each: -each.best if each.measure.is_time else each.best)
    measure, floor = worst.measure, worst.floor
    assert isinstance(floor, Floor)
    every = sum(each.measure.series == measure.series for each in seen.speeds)
    who = f"{len(some)} of {every} GPUs of {measure.node} are" if len(some) > 1 else f"{_who(measure)} is"
    return fail(
        seen,
        f"{who} slow: {measure.series}",
        is_=f"{worst.in_words}{f' ({_who(measure)})' if len(some) > 1 else ''}",
        should=f"{'at most' if measure.is_time else 'at least'} {floor.value:g} {measure.unit} ({floor.source})",
        related=[Related(floor.place, f"{floor.value:g} {measure.unit}")] if floor.place is not None else [],
        cause=_cause(some),
        severity=floor.severity,
    )


def _who(measure: Measure) -> str:
    return str(measure.gpu or f"rank {measure.rank}")


def _cause(some: Sequence[Speed]) -> str:
    held = [f"{_who(each.measure)}: {', '.join(each.measure.throttle)}" for each in some if each.measure.throttle]
    return f"held back meanwhile: {'; '.join(held)}" if held else "every rank of a job waits for its slowest"


# What protects the hardware from itself, whatever its software does.
_BY_HARDWARE = ("HW slowdown", "HW thermal slowdown", "HW power brake slowdown")


@RULE.check
def its_hardware_stands_a_burn(seen: Burn) -> Findings:
    held = {why: count for why, count in seen.held_back.items() if why in _BY_HARDWARE}
    if held:
        hottest = f"; {seen.hottest:g} °C at most" if seen.hottest is not None else ""
        yield fail(
            seen,
            f"{seen.gpu} is held back by its own hardware while it burns",
            is_=", ".join(f"{why} in {count} of {seen.looks} looks" for why, count in held.items()) + hottest,
            should=f"never, in {seen.seconds:g} s",
            cause="it protects itself from heat or from too little power: air, a fan, a heat sink, or a cable",
        )
    elif not seen.looks:
        yield unknown(seen, f"whether {seen.gpu} was held back while it burnt is not known: its driver was not asked")


_CALLED = {"link_width": ("narrower", "x"), "link_gen": ("of an older generation", "PCIe ")}


def _narrow(seen: GpuSpeeds, gpu: Gpu, name: str, is_: float, can: float) -> Draft:
    called, unit = _CALLED[name]
    return fail(
        seen,
        f"the PCIe link of {gpu} is {called} than it can be while it works",
        is_=f"{unit}{is_:g}",
        should=f"{unit}{can:g}",
        cause="copies from and to the host take as much longer",
        remedy="reseat the card, or have riser and slot looked at; lspci -vv shows LnkCap and LnkSta",
    )
