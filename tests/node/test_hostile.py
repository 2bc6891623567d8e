"""Whatever a host or a recording says, the reader ends with a fact, and an unread host never passes."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nodeworthy.collect.node.asked import Asked
from nodeworthy.collect.node.collector import scene
from nodeworthy.collect.node.pools import Declared
from nodeworthy.collect.node.recording import Recording, load, without_secrets
from nodeworthy.collect.node.script import Part, parts
from nodeworthy.engine import judge
from nodeworthy.rules import catalogue, rule
from nodeworthy.verdict import Verdict

from .recordings import CASES, MENDED, incident

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
    judgements = judge([scene(Asked(recording.host, recording), Declared(None))], catalogue(), rule("rule-crashed"))
    return {each.rule.id: each.verdict for each in judgements}


@pytest.mark.parametrize("number", ["9" * 5000, "1.2.3", ""])
def test_numbers_that_are_none_crash_nothing(number: str) -> None:
    for case in ("clock-right/good-node-chrony", "pod-egress-forwarded/good-node-four-rules"):
        whole = load(CASES / case / "node.json")
        for at, each in enumerate(whole.parts):
            strange = replace(each, stdout=re.sub(r"\d+", number, each.stdout))
            recording = replace(whole, parts=(*whole.parts[:at], strange, *whole.parts[at + 1 :]))
            assert scene(Asked(recording.host, recording), Declared(None)).facts, each.name


@settings(max_examples=80, deadline=None)
@given(st.lists(PARTS, max_size=4))
def test_a_strange_answer_is_judged_without_a_crash(changed: list[Part]) -> None:
    recording = replace(REAL, parts=without_secrets((*REAL.parts, *changed)))
    assert "rule-crashed" not in verdicts(recording)


@settings(max_examples=60, deadline=None)
@given(st.sets(st.sampled_from([each.name for each in REAL.parts])))
def test_what_was_not_read_never_makes_a_pass(lost: set[str]) -> None:
    """A part that failed can turn a pass into a doubt, and no doubt nor fault into a pass."""
    fault = incident()
    silenced = tuple(replace(each, code=1, stdout="") if each.name.split()[0] in {n.split()[0] for n in lost} else each
                     for each in fault.parts)  # fmt: skip
    found = verdicts(replace(fault, parts=silenced))
    assert Verdict.PASS not in {found["containerd-paths"], found["toolkit-reaches-containerd"]}


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=400), st.text(max_size=100))
def test_any_stream_is_taken_apart(stdout: str, stderr: str) -> None:
    framed = f"@@n begin 1.0 who\n{stdout}\n@@n end 2.0 0\n"
    (part,) = parts("@@n", framed, stderr)
    assert part.stdout == stdout.removesuffix("\n")
