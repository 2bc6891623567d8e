"""What a script does that is walked from its change on is what it does when it is walked from its beginning."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from bench.boot import script as generated
from nodeworthy.boot.effects import Effect, Stage
from nodeworthy.boot.origin import Straight
from nodeworthy.boot.read import timeline_of
from nodeworthy.boot.shell import parse, rewalk
from nodeworthy.boot.shell.state import State
from nodeworthy.boot.shell.walker import Walker
from nodeworthy.boot.unpack import unpack
from nodeworthy.verdict import Place
from tests.boot.shell.test_reread import edits

# What is known above a change, and asked for below it.
KNOWING = """\
set -euo pipefail
NAME=one; LIST=(a b); mkdir -p /opt/x; cd /opt/x
f() { echo "$1" >> /etc/f.conf; }
trap 'echo failed' EXIT
[ -f /etc/done ] && exit 0
ln -s /etc/a /etc/b
curl -fsSL https://example.com/a.sh -o /tmp/a.sh
T=$(mktemp)
echo "x=$NAME" > /etc/b
if [ "$NAME" = two ]; then VERSION=2; else VERSION=3; fi
[ -n "$FOO" ] || FOO=bar
f one
bash /tmp/a.sh
apt-get install -y "nvidia-driver-$VERSION"
systemctl enable --now containerd
cat /etc/f.conf /etc/b
"""


@pytest.fixture(autouse=True)
def remembers() -> Iterator[None]:
    """Only in these tests."""
    before = [*parse._REMEMBERED], [*rewalk._REMEMBERED]
    parse.remember_scripts()
    rewalk.remember_walks()
    yield
    parse._REMEMBERED[:], rewalk._REMEMBERED[:] = before


def does(text: str) -> Sequence[Effect]:
    return timeline_of(unpack(text.encode(), Place("user-data"))).effects


def does_anew(text: str) -> Sequence[Effect]:
    held = [*parse._REMEMBERED], [*rewalk._REMEMBERED]
    parse._REMEMBERED.clear()
    rewalk._REMEMBERED.clear()
    effects = does(text)
    parse._REMEMBERED[:], rewalk._REMEMBERED[:] = held
    return effects


@pytest.mark.parametrize("seed", range(10))
def test_it_does_the_same(seed: int) -> None:
    source = random.Random(seed)
    text = f"#!/bin/bash\n{KNOWING}{generated(source, 40).removeprefix('#!/bin/bash')}"
    does(text)
    for each in edits(source, text, 25):
        assert repr(does(each)) == repr(does_anew(each)), each


def test_it_is_the_same_however_often_one_line_is_typed() -> None:
    text = f"#!/bin/bash\n{KNOWING * 2}"
    at = text.rindex("f one")
    for each in range(1, 12):
        typed = f"{text[:at]}VERSION={'1' * each}\n{text[at:]}"
        assert repr(does(typed)) == repr(does_anew(typed))


def test_what_stands_above_is_not_walked_again() -> None:
    lines = [f"echo {each} > /etc/{each}" for each in range(60)]
    seen = [does("\n".join(["#!/bin/bash", *lines[:50], f"touch /{'x' * each}", *lines[50:], ""])) for each in range(4)]
    ids = [{id(effect) for effect in each} for each in seen]
    # The last one above it runs again: what comes behind a command may decide how it runs.
    assert len(ids[2] & ids[3]) == 49
    assert not ids[0] & ids[1]


# What a walker is made with or makes for itself, and what is empty between two statements of a script that was begun
# alone (`_is_alone`, `_may_stand`).
MADE_WITH_IT = {"origin", "text", "stage", "environment", "expander", "tests", "most_steps"}
AT_REST = {"flow", "machines", "via", "is_last", "in_a_subshell", "gave_up", "printed", "depth", "running"}
OF_A_CALL = {"given", "run_at", "locals"}
GIVEN_TO_THE_SCRIPT = {"given"}


class Asked:
    """Notes by which names something was asked."""

    def __init__(self, of: Any) -> None:
        self.of = of
        self.names: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        self.names.add(name)
        return getattr(self.of, name)


def test_nothing_that_a_walker_knows_is_left_behind() -> None:
    there = Walker(Straight(Place("user-data")), Stage.BOOTCMD)
    walker, state = Asked(there), Asked(there.state)
    rewalk._copy(walker, Walker(there.origin, there.stage))  # type: ignore[arg-type]  # it asks like a walker
    assert walker.names | MADE_WITH_IT | AT_REST | OF_A_CALL == set(vars(there))
    rewalk._copy_state(state, State())  # type: ignore[arg-type]  # it asks like a state
    assert state.names | GIVEN_TO_THE_SCRIPT == set(vars(there.state))
