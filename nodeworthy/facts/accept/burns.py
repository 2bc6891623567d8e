"""How a GPU stood it to compute for half an hour: what held it back meanwhile, and how hot it became."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import ClassVar

from nodeworthy.derive import derive
from nodeworthy.facts.accept.measure import Gpu, Measure, RanTest, place_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place


@dataclass(frozen=True)
class Burn:
    called: ClassVar[str] = "how a GPU stood a burn"

    place: Place
    test: str
    nodes: tuple[str, ...]
    gpu: Gpu
    seconds: float
    # How often it was looked at, and of these how often it was held back, by its own words for why.
    looks: int
    held_back: Mapping[str, int]
    # None where its driver does not say.
    hottest: float | None


@derive
def burns(run: RanTest) -> Iterator[Burn]:
    for each in run.of("burn_s"):
        if each.gpu is not None:
            yield _burn(run, each, each.gpu)


def _burn(run: RanTest, whole: Measure, gpu: Gpu) -> Burn:
    own = [each for each in run.measures if each.gpu == gpu and each.name.startswith("burn_")]
    # Each look tells several things.
    looks = {each.where["second"]: each.throttle for each in own if "second" in each.where}
    held = Counter(why for throttle in looks.values() for why in throttle)
    hottest = max((each.number for each in own if each.name == "burn_temperature_c"), default=None)
    place = place_of(run.test, (whole.node,), gpu.uuid)
    return Burn(place, run.test, (whole.node,), gpu, whole.number, len(looks), held, hottest)
