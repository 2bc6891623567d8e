"""Whether the option is in time on a pool, whose image, user data or operator brings the driver."""

from __future__ import annotations

from typing import Any

from nodeworthy.boot.effects import Effect, Installs, Stage
from nodeworthy.boot.text import Text
from nodeworthy.rules.profiling_before_driver import RULE
from tests.boot.rules.boots import (
    OPTION,
    common,
    in_pool,
    judged,
    load,
    profiler,
    reboot,
    script,
    unload,
    write,
)


def installs(line: int, package: str) -> Effect:
    return Installs(manager="dnf", packages=(Text.of(package),), **common(line, {}))


def of_pool(pool: str, *effects: Effect) -> tuple[str, Any]:
    judgement = judged(RULE, in_pool(pool, script(*effects)))
    return judgement.verdict.value, judgement.findings


# A pool that promises a node for profiling asks for the option.
PLAIN = "instanceType: p5.48xlarge"
GPU = f"{PLAIN}\nprofilingDedicated: 1"


def test_a_pool_whose_image_loads_the_driver() -> None:
    late = of_pool(GPU, write(19, OPTION))
    assert late[0] == "fail"
    assert "cloud-boothook" in late[1][0].remedy
    assert late[1][0].on == ("pool 'a'",)
    assert of_pool(GPU, write(19, OPTION, stage=Stage.BOOTHOOK))[0] == "pass"
    assert of_pool(GPU, write(19, OPTION), reboot(20))[0] == "pass"
    assert of_pool(GPU, write(19, OPTION), unload(20), load(21))[0] == "pass"
    assert of_pool(GPU)[0] == "fail"


def test_other_pools() -> None:
    assert of_pool(f"{GPU}\ndriver: operator")[0] == "skip"
    assert of_pool(f"{GPU}\ndriver: operator", load(23))[0] == "fail"
    assert of_pool(f"{GPU}\ndriver: user-data")[0] == "fail"
    assert of_pool(f"{GPU}\ndriver: user-data", write(19, OPTION))[0] == "pass"
    assert of_pool(f"{GPU}\nos: bottlerocket")[0] == "skip"
    assert of_pool(f"{GPU}\nos: al2", write(19, OPTION))[0] == "unknown"
    assert of_pool("instanceType: m7i.xlarge")[0] == "skip"
    assert of_pool("instanceType: m7i.xlarge", load(23))[0] == "skip"
    assert of_pool("instanceType: m7i.xlarge", installs(23, "nvidia-driver"), load(23), profiler())[0] == "fail"
    assert of_pool(GPU, installs(23, "nvidia-driver"), load(23), write(59, OPTION))[1][0].where.line == 59
    assert of_pool(GPU, write(19, OPTION), installs(23, "nvidia-driver"), load(23))[0] == "pass"


def test_what_is_missing_is_told_of_the_script() -> None:
    (found,) = of_pool(GPU)[1]
    assert found.where.path == "user-data.sh"
    assert {each.place for each in found.related} == {in_pool(GPU, script()).pools[0].place}
    assert found.related[-1].says == "pool 'a' promises nodes for profiling"


def test_a_pool_that_promises_none_asks_for_nothing() -> None:
    for effects in ((), (load(23),), (installs(23, "nvidia-driver"), load(23))):
        assert of_pool(PLAIN, *effects)[0] == "skip"
        assert of_pool(f"{PLAIN}\ndriver: user-data", *effects)[0] == "skip"
