"""What stands inside of each other, or behind each other's conditions, as often as nobody writes it."""

from __future__ import annotations

import pytest

from nodeworthy.boot.effects import NotUnderstood
from tests.boot.walk.told import timeline, told


@pytest.mark.parametrize("wrapper", ["sudo", "env A=1", "xargs", "nice timeout 5"])
def test_wrappers_around_each_other_end(wrapper: str) -> None:
    (given_up,) = timeline(f"{wrapper} " * 5_000 + "systemctl enable a").effects
    assert isinstance(given_up, NotUnderstood)
    assert given_up.why == "it is nested too deeply"


@pytest.mark.parametrize("wrapper", ["sudo", "env A=1", "$SUDO", "nice timeout 5"])
def test_a_few_are_followed(wrapper: str) -> None:
    assert told(f"{wrapper} " * 10 + "systemctl enable a\n" + "systemctl enable b") == [
        "enables a.service",
        "enables b.service",
    ]


def test_each_of_a_long_chain_stands_under_all_before_it() -> None:
    chain = "".join(f"elif [ -e /b{at} ]; then systemctl enable b{at}\n" for at in range(100))
    effects = timeline(f"if [ -e /a ]; then systemctl enable a\n{chain}fi\nsystemctl enable c").effects
    assert [len(each.conditions) for each in effects] == [*range(1, 102), 0]


def test_who_has_left_a_hundred_times_is_followed_and_four_thousand_times_given_up() -> None:
    leaves = [f"[ -e /a{at} ] || exit 1\n" for at in range(4_000)]
    assert told("".join([*leaves[:100], "systemctl enable c"]))[-1].count(" and ") == 99
    assert any(isinstance(each, NotUnderstood) for each in timeline("".join(leaves)).effects)
