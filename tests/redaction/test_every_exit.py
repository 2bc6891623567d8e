"""Every shape of secret, in every carrier, by every way: whatever comes out is searched for it, packed or not."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.redaction.exits import EXITS
from tests.redaction.shapes import CARRIERS, SHAPES, encoded
from tests.redaction.test_texts import readable

EVERY = [(shape, carrier) for shape in SHAPES for carrier in CARRIERS]
SAMPLE = random.Random(20261123).sample(EVERY, 12)
# What is no secret, and has to come out of those that show all they were given.
SHOWS = "sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"


@pytest.mark.parametrize("way", EXITS)
def test_some_of_them(way: str, tmp_path: Path) -> None:
    assert leaks(way, SAMPLE, tmp_path) == []


@pytest.mark.night
@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("way", EXITS)
def test_all_of_them(way: str, carrier: str, tmp_path: Path) -> None:
    assert leaks(way, [(shape, carrier) for shape in SHAPES], tmp_path) == []


@pytest.mark.parametrize("way", ["preview", "node", "recorded", "repaired", "fleet"])
def test_what_is_none_comes_out(way: str, tmp_path: Path) -> None:
    assert SHOWS in EXITS[way]([SHOWS], tmp_path)


def leaks(way: str, pairs: list[tuple[str, str]], folder: Path) -> list[tuple[str, str, str]]:
    carried = [CARRIERS[carrier](SHAPES[shape][0]) for shape, carrier in pairs]
    every = "\n".join(readable(EXITS[way](carried, folder)))
    return [(shape, carrier, form) for shape, carrier in pairs for form in encoded(SHAPES[shape][1]) if form in every]
