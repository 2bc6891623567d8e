"""Whatever a host or a recording says, the reader ends with a fact, and an unread host never passes."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from testinfra.backend.base import BaseBackend, CommandResult
from testinfra.host import Host

from nodeworthy.collect.node import asked as asking
from nodeworthy.collect.node import script
from nodeworthy.collect.node.asked import AskedHost, observe
from nodeworthy.collect.node.collector import scene
from nodeworthy.collect.node.connections import Connections, WithDeadline
from nodeworthy.collect.node.pools import Declared
from nodeworthy.collect.node.recording import Recording, load, without_secrets
from nodeworthy.collect.node.script import Part, parts
from nodeworthy.engine import judge
from nodeworthy.limits import MOST_PARTS
from nodeworthy.rules import catalogue, rule
from nodeworthy.verdict import Verdict
from tests.case_files import whole

from .recordings import MENDED, incident

REAL = load(MENDED)
NAMES = st.sampled_from(
    [each.name for each in REAL.parts] + ["process x y", "process 9 kubelet", "ages 9", "", "file /x"]
)
TEXT = st.one_of(
    st.text(max_size=200),
    st.sampled_from([each.stdout for each in REAL.parts]),
    st.sampled_from(
        ["process -1\nfile x y", "0::", "1:name=systemd:", "socket:[", "a\n\nb=c", "--config\n--config=", "[x"]
    ),
)
PARTS = st.builds(
    Part, name=NAMES, code=st.sampled_from([0, 0, 1, 124]), seconds=st.just(0.1), stdout=TEXT, stderr=TEXT
)


def verdicts(recording: Recording) -> dict[str, Verdict]:
    judgements = judge([scene(AskedHost(recording.host, recording), Declared(None))], catalogue(), rule("rule-crashed"))
    return {each.rule.id: each.verdict for each in judgements}


@pytest.mark.parametrize("number", ["9" * 5000, "1.2.3", ""])
def test_numbers_that_are_none_crash_nothing(number: str) -> None:
    for case in ("clock-right/good-node-chrony", "pod-egress-forwarded/good-node-four-rules"):
        said = load(whole(case) / "node.json")
        for at, each in enumerate(said.parts):
            strange = replace(each, stdout=re.sub(r"\d+", number, each.stdout))
            recording = replace(said, parts=(*said.parts[:at], strange, *said.parts[at + 1 :]))
            assert scene(AskedHost(recording.host, recording), Declared(None)).facts, each.name


@settings(max_examples=30, deadline=None)
@given(st.lists(PARTS, max_size=4))
def test_a_strange_answer_is_judged_without_a_crash(changed: list[Part]) -> None:
    recording = replace(REAL, parts=without_secrets((*REAL.parts, *changed)))
    assert "rule-crashed" not in verdicts(recording)


@settings(max_examples=25, deadline=None)
@given(st.sets(st.sampled_from([each.name for each in REAL.parts])))
def test_what_was_not_read_never_makes_a_pass(lost: set[str]) -> None:
    """A part that failed can turn a pass into a doubt, and no doubt nor fault into a pass."""
    fault = incident()
    silenced = tuple(replace(each, code=1, stdout="") if each.name.split()[0] in {n.split()[0] for n in lost} else each
                     for each in fault.parts)  # fmt: skip
    found = verdicts(replace(fault, parts=silenced))
    assert Verdict.PASS not in {found["containerd-paths"], found["toolkit-reaches-containerd"]}


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=400), st.text(max_size=100))
def test_any_stream_is_taken_apart(stdout: str, stderr: str) -> None:
    framed = f"@@n begin 1.0 who\n{stdout}\n@@n end 2.0 0\n"
    (part,) = parts("@@n", framed, stderr)
    assert part.stdout == stdout.removesuffix("\n")


class Answering:
    """A host that says this, whatever it is asked."""

    def __init__(self, said: str) -> None:
        self.backend = self
        self.said = said

    def get_pytest_id(self) -> str:
        return "ssh://h9"

    def run(self, _: str) -> CommandResult:
        return CommandResult(cast("BaseBackend", self), 0, b"", self.said.encode(), b"")

    def decode(self, data: bytes) -> str:
        return data.decode()


@pytest.fixture(autouse=True)
def known_nonce(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "new_nonce", lambda: "@@n")


def framed(names: Sequence[str], said: str = "x") -> str:
    return "".join(f"@@n begin 1.00 {name}\n{said}\n@@n end 1.50 0\n" for name in names)


TORN = {
    "frames that never end": "@@n begin 1.00 file /x\n" * 50_000 + framed(["done"]),
    "frames without a beginning": "@@n end 1.00 0\n" * 50_000 + framed(["done"]),
    "blank lines": framed(["done"], "\n" * 1_000_000),
    "numbers that are none": "@@n begin 1.2.3 a\n@@n end ٣ 0\n@@n begin 1 b\n@@n end 1 99999\n" * 9 + framed(["done"]),
}


@pytest.mark.parametrize("said", TORN.values(), ids=TORN)
def test_an_answer_is_taken_apart_line_by_line(said: str) -> None:
    began = time.process_time()
    (done,) = parts("@@n", said, said)
    assert done.name == "done"
    assert time.process_time() - began < 5


def test_a_host_that_answers_in_more_parts_than_anybody_asks_for_is_not_believed() -> None:
    host = cast("Host", Answering(framed(["x"] * (MOST_PARTS + 1))))
    assert observe(host).unreached == f"it answers in more than {MOST_PARTS:,} parts, and is not believed"


def test_what_takes_longer_to_read_than_it_may_to_be_asked_ends_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(some: tuple[Part, ...]) -> tuple[Part, ...]:
        until = time.thread_time() + 0.05
        while time.thread_time() < until:
            pass
        return some

    monkeypatch.setattr(asking, "without_secrets", slow)
    monkeypatch.setattr(WithDeadline, "connections", Connections(seconds=0.2))
    said = framed([f"part {n}" for n in range(40)])
    asked = AskedHost("ssh://h9", observe(cast("Host", Answering(said))))
    assert asked.recording is not None
    assert asked.recording.unreached == f"its answer of {len(said):,} characters could not be read within 0.2 s"
    assert [type(each).__name__ for each in scene(asked, Declared(None)).facts] == ["NotLookedAt"]
