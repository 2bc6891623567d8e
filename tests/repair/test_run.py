"""Several changes at once: all of them, or none."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from nodeworthy.engine import Judgement, Nothing
from nodeworthy.errors import CouldNotLook, InputError
from nodeworthy.repair.change import Target
from nodeworthy.repair.edit import TOOLKIT_ENV, Edit, RepairRefused
from nodeworthy.repair.record import Record
from nodeworthy.repair.run import Looked, Repair, preview_as_data
from nodeworthy.repair.server import PatchAnswer
from nodeworthy.repair.undo import undo, would_undo
from nodeworthy.rules import rule
from nodeworthy.verdict import Finding, Place, Verdict

from .stand_in_server import StandIn

A, B = Target("Node", "a"), Target("Node", "b")


def finding(name: str) -> Finding:
    remedy = f"kubectl label node {name} x=1"
    return Finding(Verdict.FAIL, f"{name} lacks a label", Place(object=f"Node/{name}"), rule="r", remedy=remedy)


@dataclass
class World:
    """A cluster whose rule wants a label on two nodes."""

    server: StandIn = field(default_factory=lambda: StandIn({A: {"metadata": {}}, B: {"metadata": {}}}))
    said: list[str] = field(default_factory=list)
    helps: bool = True

    def look(self) -> Looked:
        wrong = [finding(each.name) for each in (A, B) if not (self.helps and self.labelled(each))]
        verdict = Verdict.FAIL if wrong else Verdict.PASS
        judgement = Judgement(rule("containerd-paths"), Nothing(Place()), verdict, tuple(wrong))
        return Looked([judgement], [], 1 if wrong else 0)

    def labelled(self, target: Target) -> bool:
        return "x" in self.server.objects[target]["metadata"].get("labels", {})

    def fix(self, agreed: Callable[[str], bool] = lambda _: True) -> int:
        repair = Repair(self.look, agreed, self.server, None, 0.01, self.said.append)
        return repair.fix(self.look(), self.server)

    @property
    def told(self) -> str:
        return "".join(self.said)

    @property
    def state(self) -> list[bool]:
        return [self.labelled(each) for each in (A, B)]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.chdir(tmp_path)
    return World()


def kept() -> list[str]:
    return [json.loads(each.read_text())["state"] for each in Path.cwd().glob("nodeworthy-fix-*.json")]


def test_all_of_them(world: World) -> None:
    assert world.fix() == 0
    assert (world.state, kept(), world.server.leases) == ([True, True], ["applied"], [])
    (file,) = Path.cwd().glob("nodeworthy-fix-*.json")
    assert undo(file, world.server, None, world.said.append) == 0
    assert world.state == [False, False]


def test_who_says_no(world: World) -> None:
    assert world.fix(lambda _: False) == 1
    assert (world.state, kept(), world.told.endswith("nothing was changed\n")) == ([False, False], [], True)


def fails_for(target: Target, how: Callable[[], PatchAnswer | None]) -> Callable[[Target], PatchAnswer | None]:
    return lambda each: how() if each == target else None


def no() -> PatchAnswer:
    return PatchAnswer(500, {"message": "etcd is full"})


def lost() -> PatchAnswer:
    raise CouldNotLook("no answer within 35 s")


@pytest.mark.parametrize("how", [no, lost])
def test_if_the_second_fails_the_first_is_put_back(world: World, how: Callable[[], PatchAnswer]) -> None:
    world.server.before_patch = fails_for(B, how)
    assert world.fix() == 1
    assert (world.state, kept(), world.server.leases) == ([False, False], ["put back"], [])
    assert "put back: Node/a\n" in world.told


def test_if_the_first_is_refused_nothing_was_done(world: World) -> None:
    world.server.before_patch = fails_for(A, no)
    with pytest.raises(RepairRefused, match="etcd is full"):
        world.fix()
    assert (world.state, kept(), world.server.leases) == ([False, False], [], [])


def test_what_did_not_help_is_put_back(world: World) -> None:
    world.helps = False
    assert world.fix() == 1
    assert (world.state, kept()) == ([False, False], ["put back"])
    assert "it has not helped: r: a lacks a label" in world.told


def test_what_somebody_takes_back_meanwhile_has_not_helped(world: World) -> None:
    """Whatever rules say."""

    def taken_back() -> Looked:
        return Looked([], [], 0)

    world.server.before_patch = fails_for(B, lambda: world.server.touch(A, {"metadata": {"labels": {"x": None}}}))
    repair = Repair(taken_back, lambda _: True, world.server, None, 0.01, world.said.append)
    assert repair.fix(world.look(), world.server) == 1
    assert world.state == [False, False]
    assert "metadata.labels[x] of Node/a was changed back meanwhile" in world.told
    assert "as it was already: Node/a\n" in world.told


def test_a_list_that_somebody_makes_unreadable_has_not_helped(world: World) -> None:
    policy, env = Target("ClusterPolicy", "c"), Edit(TOOLKIT_ENV, "X", None, "1")
    taken = {"name": "X", "valueFrom": {"configMapKeyRef": {}}}
    server = StandIn({policy: {"metadata": {"name": "c"}, "spec": {"toolkit": {"env": [taken]}}}})
    repair = Repair(world.look, lambda _: True, server, None)
    still = repair._still_wrong([], [Record(policy, "", (env,))], world.look())
    assert still == "spec.toolkit.env[X] of ClusterPolicy/c was changed back meanwhile"


@pytest.mark.parametrize(("now", "code"), [("1", 1), (None, 0), ("of somebody else", 3)])
def test_what_an_undo_would_do(world: World, now: str | None, code: int) -> None:
    assert world.fix() == 0
    (file,) = Path.cwd().glob("nodeworthy-fix-*.json")
    for each in (A, B):
        world.server.touch(each, {"metadata": {"labels": {"x": now}}})
    assert would_undo(file, world.server, world.said.append) == code


def test_what_can_not_be_put_back_is_said_and_the_file_still_tells(world: World) -> None:
    world.helps = False
    patched: list[Target] = []

    def full_after_two(target: Target) -> PatchAnswer | None:
        patched.append(target)
        return no() if len(patched) > 2 else None

    world.server.before_patch = full_after_two
    assert world.fix() == 1
    assert (world.state, kept()) == ([True, True], ["applied"])
    assert "not put back: Node/b: the server refused to change Node/b: etcd is full\n" in world.told


def test_who_is_interrupted_keeps_the_file_and_frees_the_lock(world: World) -> None:
    repair = Repair(interrupted, lambda _: True, world.server, None, 5, world.said.append)
    with pytest.raises(KeyboardInterrupt):
        repair.fix(world.look(), world.server)
    assert (world.state, kept(), world.server.leases) == ([True, True], ["applied"], [])


def interrupted() -> Looked:
    raise KeyboardInterrupt


def test_a_file_that_can_not_be_written_anew_does_not_end_it(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path.cwd() / "kept"
    folder.mkdir()
    monkeypatch.chdir(folder)
    world.server.before_patch = fails_for(B, lambda: shutil.rmtree(folder))
    assert world.fix() == 0
    assert world.state == [True, True]
    assert "can't be kept in" in world.told
    assert "verified after" in world.told


def test_what_was_changed_elsewhere_is_not_put_back_here(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    assert world.fix() == 0
    (file,) = Path.cwd().glob("nodeworthy-fix-*.json")
    monkeypatch.setattr(world.server, "server", "https://another:6443")
    with pytest.raises(InputError, match="and this is https://another:6443: nothing was put back"):
        undo(file, world.server, None, print)
    with pytest.raises(InputError, match="nothing was put back"):
        would_undo(file, world.server, print)
    assert world.state == [True, True]


def test_a_program_is_told_what_would_change(world: World) -> None:
    repair = Repair(world.look, lambda _: True, world.server, None, 0.01, world.said.append)
    data, code = preview_as_data(repair, world.look(), world.server)
    assert (code, data["schema"], data["left"], world.told) == (1, "nodeworthy/repair/v1", [], "")
    assert [each["object"] for each in data["changes"]] == ["Node/a", "Node/b"]
    first = data["changes"][0]
    assert (first["how"], first["dry_run"]) == ("patch", {"accepted": True, "why_not": None})
    assert first["edits"] == [{"within": ["metadata", "labels"], "name": "x", "before": None, "after": "1"}]
    assert first["because"][0]["message"] == "a lacks a label"
    assert world.state == [False, False]
