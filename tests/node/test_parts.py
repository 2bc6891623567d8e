"""A node is the sum of its parts: what could not be read of one takes its own rules away, and no other's."""

from __future__ import annotations

import pytest

from nodeworthy.collect.collected import COLLECTED, moments_of
from nodeworthy.collect.node.asked import AskedHost
from nodeworthy.collect.node.collector import scene
from nodeworthy.collect.node.parts import READERS
from nodeworthy.collect.node.pools import Declared
from nodeworthy.collect.node.recording import Recording
from nodeworthy.engine import Judgement, judge
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.not_seen import NotLookedAt, UnreadableInput
from nodeworthy.known.containerd import defaults
from nodeworthy.rule import Moment
from nodeworthy.rules import catalogue
from nodeworthy.scene import Missing
from nodeworthy.verdict import Place, ToGive, Unknown, Verdict

from .recordings import but, part, without
from .test_state import GOOD, judged

ABOUT_NODES = tuple(each for each in catalogue() if not each.about_ourselves and Moment.NODE in moments_of(each))
# What is lost of a node that is well, and the rules that then know nothing.
OF_PART = {
    "boot": {"boot-finished"},
    "cloud": {"boot-finished"},
    "failed": {"boot-finished"},
    "chrony": {"clock-right"},
    "room": {"disk-has-room"},
    "inodes": {"disk-has-room"},
    "kernel log": {"kernel-log-clean"},
    "mounts": {"shared-storage-mounted"},
    "fstab": {"shared-storage-mounted"},
    "starts": {"kubelet-survives-reboot"},
    "params": {"profiling-before-driver"},
    "options": {"profiling-before-driver"},
    "driver": {"fabric-manager-runs"},
    "fabric": {"fabric-manager-runs"},
    "fabric version": {"fabric-manager-runs"},
    "bus": {"driver-fits", "gpu-count-complete", "efa-complete"},
    "driven": {"gpu-count-complete"},
    "rdma": {"efa-complete"},
}


def changed(recording: Recording) -> dict[str, Judgement]:
    """By rule, what is judged otherwise than of the node as it was read whole."""
    before, now = judged(GOOD), judged(recording)
    assert before.keys() == now.keys()
    return {rule: each for rule, each in now.items() if _said(each) != _said(before[rule])}


def _said(judgement: Judgement) -> object:
    return judgement.verdict, judgement.findings, judgement.reasons


@pytest.mark.parametrize("name", OF_PART)
def test_what_could_not_be_read_is_unknown_to_its_own_rules_with_why(name: str) -> None:
    lost = changed(but(GOOD, part(name, code=124)))
    assert set(lost) == OF_PART[name]
    for each in lost.values():
        [why] = {found.message for found in each.findings}
        assert each.verdict is Verdict.UNKNOWN
        assert "could not be read" in why or why.endswith("reading it ended with 124")


def test_who_listens_where_is_not_known_where_nobody_could_look() -> None:
    lost = changed(but(GOOD, part("listening", code=124)))
    why = f"who listens on kubelet's socket {defaults().socket} could not be read: it took longer than 0.01 s"
    unknown = {rule for rule, each in lost.items() if each.verdict is Verdict.UNKNOWN}
    assert unknown == {"containerd-config-read", "containerd-paths", "toolkit-reaches-containerd"}
    assert {found.message for rule in unknown for found in lost[rule].findings} == {why}
    assert set(lost) - unknown == {"containerd-edit-survives", "runtime-class-agrees"}


OLDER = {
    "clock": {"clock-right"},
    "room": {"disk-has-room"},
    "kernel log": {"kernel-log-clean"},
    "cloud": {"boot-finished"},
    "starts": {"kubelet-survives-reboot"},
    "params": {"profiling-before-driver", "fabric-manager-runs"},
    "bus": {"driver-fits", "gpu-count-complete", "efa-complete"},
}


@pytest.mark.parametrize("name", OLDER)
def test_a_part_that_an_older_recording_lacks_is_skipped_by_its_own_rules_with_what_to_give(name: str) -> None:
    lost = changed(without(GOOD, name))
    assert set(lost) == OLDER[name]
    for each in lost.values():
        assert each.verdict is Verdict.SKIP
        assert isinstance(each.why, ToGive)
        assert each.why.give == "record the node anew"


def test_every_part_is_declared_and_asked_for() -> None:
    parts = {NodeIdentity, *READERS}
    assert parts | {NotLookedAt, UnreadableInput} == COLLECTED[Moment.NODE]
    checks = [check for each in ABOUT_NODES for check in each.checks]
    assert parts <= {kind for check in checks for kind in (check.subject, *(each.type for each in check.context))}


def test_a_rule_has_one_part_of_a_node_for_its_subject() -> None:
    """So that a host and a rule have one verdict."""
    for each in ABOUT_NODES:
        assert len({check.subject for check in each.checks if check.subject in READERS}) == 1, each.id


@pytest.mark.parametrize("kind", READERS, ids=lambda kind: kind.__name__)
def test_a_part_is_of_its_host_or_is_missing_there(kind: type) -> None:
    nothing = READERS[kind](Recording("ssh://h1"), Place(host="ssh://h1"))
    assert nothing.place.host == "ssh://h1"
    assert isinstance(nothing, Missing | kind)


def test_of_a_host_that_was_not_reached_each_rule_says_so_once() -> None:
    dead = Recording("ssh://h1", unreached="no route to host")
    found = judge([scene(AskedHost("ssh://h1", dead), Declared(None))], ABOUT_NODES, ABOUT_NODES[0])
    assert sorted(each.rule.id for each in found) == sorted(each.id for each in ABOUT_NODES)
    assert {(each.verdict, each.why) for each in found} == {
        (Verdict.SKIP, "the host was not reached: no route to host")
    }


def test_whether_there_is_a_gpu_is_not_known_where_nobody_could_look() -> None:
    """Else its rules would be skipped, as on a host that has none."""
    bare = but(GOOD, part("gpus", code=124), part("product", "box"))
    [identity] = scene(AskedHost(bare.host, bare), Declared(None)).told.of(NodeIdentity)
    assert identity.has_gpu.state == Unknown("whether there is a GPU could not be read: it took longer than 0.01 s")
    found = judged(but(GOOD, part("gpus", code=124), part("product", "box")))["profiling-before-driver"]
    assert (found.verdict, found.findings[0].message) == (
        Verdict.UNKNOWN,
        "whether there is a GPU could not be read: it took longer than 0.01 s",
    )
