"""A cluster's token that a script fills into the user data of the machines which it starts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from nodeworthy.boot.effects import How, Writes
from nodeworthy.boot.text import Hole, Text
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# `aws ec2 run-instances --user-data file:///tmp/worker.sh`, `az vm create --custom-data worker.sh`.
_GIVEN = pattern(r"--(?:user-data[=\s]+[\"']?file://|custom-data[=\s]+[\"']?@?)([^\s\"'\\]+)")
_TOKEN = pattern(r"(?:\b((?:K3S|K3S_AGENT|RKE2)_TOKEN)=|(--token)[=\s])[\"']?$")


@dataclass(frozen=True)
class TokenGiven:
    place: Place
    # K3S_TOKEN, --token
    called: str
    # The variable, as it is written.
    shown: str
    path: str


def user_data_given(script: BootScript) -> frozenset[str]:
    """The files that it hands over as the user data of machines which it starts."""
    return frozenset(path for part in script.userdata.parts for path in _GIVEN.findall(part.text))


def tokens_given(script: BootScript) -> Iterator[TokenGiven]:
    """The tokens that are filled in here. What the machine's own shell fills in is fetched by the machine."""
    paths = user_data_given(script)
    for each in script.timeline.of(Writes) if paths else ():
        path = each.path.shown()
        if path not in paths or each.how is How.DELETE or each.content is None:
            continue
        for line in each.content.lines:
            for called, hole in _filled_in(line.text):
                yield TokenGiven(line.place, called, hole.shown, path)


def _filled_in(text: Text) -> Iterator[tuple[str, Hole]]:
    for before, hole in pairwise(text.pieces):
        found = _TOKEN.search(before) if isinstance(before, str) else None
        if found is not None and isinstance(hole, Hole):
            yield found[1] or found[2], hole
