"""`node --in-cluster`: which nodes are chosen, and what a Job's life comes to where the cluster does not behave."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from nodeworthy.collect.in_cluster import looking, state
from nodeworthy.collect.in_cluster.chosen import choose
from nodeworthy.collect.in_cluster.cluster import Busy, Cluster, NotBelieved, NotDone
from nodeworthy.collect.in_cluster.job import Terms
from nodeworthy.collect.in_cluster.looking import Looking, recording
from nodeworthy.collect.node.recording import Recording, as_text, load
from nodeworthy.collect.source.fleets import Fleets
from nodeworthy.errors import CouldNotLook

from .recordings import MENDED

TERMS = Terms("ab12", "i", "30s", None, 300, 3600, None)
FIT = as_text(load(MENDED)).encode()
FLEET = """\
config:
  nodeworthy:fleet:
    cluster: {name: c}
    pools:
      h100: {gpu: h100, instanceType: p5.48xlarge, nodes: 1}
      cpu: {instanceType: c7i.4xlarge, nodes: 1}
"""
DONE = {"status": {"phase": "Succeeded"}}
TOLD: list[str] = []


def node(name: str, **labels: str) -> dict[str, Any]:
    return {"metadata": {"name": name, "labels": {key.replace("__", "/"): value for key, value in labels.items()}}}


class InMemory(Cluster):
    """A cluster whose answers are what a test puts in; an exception is raised, a list is told one by one."""

    def __init__(self, **says: Any) -> None:
        self.server, self.namespace = "https://here", "nodeworthy"
        self.says: dict[str, Any] = {"pods": [DONE], "log": FIT, "node": node("a"), "warnings": [], **says}
        self.kept: dict[str, Mapping[str, Any]] = {}
        self.removed: list[tuple[str, str]] = []

    def _told(self, what: str) -> Any:
        said = self.says[what]
        if isinstance(said, Iterator):
            said = next(said)
        if isinstance(said, Exception):
            raise said
        return said

    def nodes(self, selector: str) -> Iterator[Mapping[str, Any]]:
        return iter(self.says["nodes"][selector])

    def node(self, name: str) -> Mapping[str, Any] | None:
        found: Mapping[str, Any] | None = self._told("node")
        return found

    def create(self, job: Mapping[str, Any]) -> Mapping[str, Any]:
        name = job["metadata"]["name"]
        if "create" in self.says:
            self._told("create")
        self.kept[name] = {**job, "metadata": {**job["metadata"], "uid": f"uid of {name}"}}
        if "created" in self.says:
            self._told("created")
        return self.kept[name]

    def job(self, name: str) -> Mapping[str, Any] | None:
        return {**self.kept[name], **self.says.get("job", {})} if name in self.kept else None

    def jobs(self, selector: str) -> Sequence[Mapping[str, Any]]:
        assert selector == "nodeworthy/run=ab12"
        return list(self.kept.values())

    def pods(self, job: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        found: Sequence[Mapping[str, Any]] = self._told("pods")
        return found

    def warnings(self, job: Mapping[str, Any]) -> list[str]:
        found: list[str] = self._told("warnings")
        return found

    def log(self, pod: Mapping[str, Any]) -> bytes:
        found: bytes = self._told("log")
        return found

    def remove(self, name: str, uid: str) -> None:
        if "remove" in self.says:
            self._told("remove")
        self.removed.append((name, uid))
        self.kept.pop(name, None)


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("POLL_SECONDS", "NODE_SECONDS", "NO_POD_SECONDS"):
        monkeypatch.setattr(looking, name, 0.0)
    monkeypatch.setattr(looking, "SWEEP_SECONDS", 0.0)
    TOLD.clear()


def looked(cluster: InMemory, seconds: float = 60.0) -> Recording:
    return Looking(cluster, TERMS, time.monotonic() + seconds).look("node://a", "a", "job-a")


def test_the_pools_of_a_fleet(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.dev.yaml").write_text(FLEET)
    fleet = Fleets(str(tmp_path / "Pulumi.dev.yaml")).asked_for()
    kind = "node.kubernetes.io/instance-type"
    there = [
        node("named", nodeworthy__pool="h100"),
        node("fits", **{kind: "p5.48xlarge"}),
        node("cpu", **{kind: "c7i.4xlarge"}),
        node("strange", **{kind: "m5.large"}),
        node("theirs", nodeworthy__pool="h100", **{"coreweave.com/hpc-verify": "disabled"}),
    ]
    cluster = InMemory(nodes={"": there})
    every = choose(cluster, [], [], fleet, None)
    assert list(every.nodes.values()) == ["cpu", "fits", "named"]
    assert every.opted_out == {"node://theirs": "coreweave.com/hpc-verify=disabled"}
    assert every.told == ("4 nodes are of the pools h100, cpu",)
    assert list(choose(cluster, [], [], fleet, "h100").nodes) == ["node://fits", "node://named"]


def test_named_and_selected_together() -> None:
    cluster = InMemory(nodes={"a=b": [node("two"), node("a")]})
    chosen = choose(cluster, ["node://a"], ["a=b"], None, None)
    assert (list(chosen.nodes), chosen.told) == (["node://a", "node://two"], ("2 nodes have the label a=b",))
    cluster.says["node"] = None
    assert choose(cluster, ["node://gone"], [], None, None).missing == ("node://gone",)


def test_its_job_is_removed_by_what_it_is() -> None:
    cluster = InMemory()
    assert looked(cluster).unreached is None
    assert cluster.removed == [("job-a", "uid of job-a")]


@pytest.mark.parametrize(
    "says",
    [
        {"create": iter((Busy("later"), Busy("later"), None))},
        {"pods": iter((CouldNotLook("away"), [], [DONE]))},
        {"log": iter((NotDone("not yet"), CouldNotLook("broke off"), FIT))},
    ],
)
def test_what_comes_to_be_again_is_asked_again(says: Any) -> None:
    cluster = InMemory(**says)
    assert looked(cluster).unreached is None
    assert cluster.kept == {}


def test_a_fresh_node_has_its_time_to_reach_a_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    backs_off = {"status": {"containerStatuses": [{"state": {"waiting": {"reason": "ImagePullBackOff"}}}]}}
    assert looked(InMemory(pods=iter(([backs_off], [backs_off], [DONE])))).unreached is None
    monkeypatch.setattr(looking, "START_SECONDS", 0.0)
    assert looked(InMemory(pods=[backs_off])).unreached == "its pod does not start: ImagePullBackOff"


def pod_in(**state: Any) -> dict[str, Any]:
    return {"status": {"containerStatuses": [{"state": state}]}}


RUNNING = {"status": {"phase": "Running"}}
MISSING = 'exec: "nodeworthy": executable file not found in $PATH'
NOT_OURS = pod_in(terminated={"exitCode": 128, "reason": "StartError", "message": MISSING})
OVER = {"status": {"conditions": [{"type": "Failed", "status": "True", "reason": "DeadlineExceeded", "message": "m"}]}}


@pytest.mark.parametrize(
    ("says", "why"),
    [
        ({"create": NotDone("forbidden")}, "forbidden"),
        ({"log": NotBelieved("it prints more than 16 MiB")}, "it prints more than 16 MiB"),
        ({"log": NotDone("no such container")}, "no such container"),
        ({"log": b'{\n "schema": "nodeworthy/recording/v9"\n}'}, "its log is no recording: it is nodeworthy/recording"),
        ({"log": b'{\n "schema"' + b"[" * 100_000}, "its log is no whole recording"),
        ({"pods": [RUNNING], "node": None}, "the node is gone from the cluster"),
        ({"pods": [RUNNING], "node": node("a", nodeworthy__verify="disabled")}, "the node has opted out meanwhile"),
        (
            {"pods": [], "warnings": ["pods is forbidden: violates PodSecurity"]},
            "its pod is refused: pods is forbidden",
        ),
        ({"pods": iter(([RUNNING], [])), "job": {}, "node": iter((node("a"), None))}, "the node is gone"),
        ({"pods": [], "job": OVER}, "DeadlineExceeded: m); before: nothing was heard of its Job"),
        ({"pods": [pod_in(waiting={"reason": "InvalidImageName", "message": "must be lowercase"})]}, "be lowercase"),
        ({"job": OVER, "pods": [NOT_OURS], "log": b""}, f"it ended with 128 (StartError: {MISSING})"),
    ],
)
def test_why_nothing_came(says: Any, why: str) -> None:
    cluster = InMemory(**says)
    assert why in (looked(cluster).unreached or "")
    assert cluster.kept == {}


def test_a_job_that_somebody_deletes(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = InMemory(pods=[RUNNING])
    monkeypatch.setattr(cluster, "job", lambda _: None)
    assert looked(cluster).unreached == "somebody has deleted its Job"


def test_all_together_take_only_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    assert looked(InMemory(), -1).unreached == "its turn did not come within 3600 s"
    waits = {"status": {"conditions": [{"type": "PodScheduled", "status": "False", "reason": "U", "message": "none"}]}}
    cluster = InMemory(pods=[waits])
    asked = Looking(cluster, TERMS, time.monotonic() + 60)

    def late(_: object) -> Sequence[Mapping[str, Any]]:
        monkeypatch.setattr(looking, "time", SimpleNamespace(monotonic=lambda: asked.until))
        return [waits]

    monkeypatch.setattr(cluster, "pods", late)
    said = asked.look("node://a", "a", "job-a").unreached or ""
    assert said.startswith("its Job was not over within")
    assert said.endswith(": U: none")


def all_of(cluster: InMemory, hosts: int, each: Callable[[int, int, Recording], None]) -> list[str | None]:
    nodes = {f"node://{n}": f"{n}" for n in range(hosts)}
    asked = looking.ask_all(cluster, TERMS, nodes, workers=2, progress=each, tell=TOLD.append)
    return [one.recording.unreached if one.recording else "" for one in asked]


def test_they_come_in_order_and_are_told_as_they_come() -> None:
    done: list[tuple[int, int]] = []
    assert all_of(InMemory(), 5, lambda *told: done.append(told[:2])) == [None] * 5
    assert done == [(n, 5) for n in range(1, 6)]


def test_one_that_was_made_without_our_hearing_so_is_removed() -> None:
    cluster = InMemory(created=CouldNotLook("no answer within 35 s"))
    assert all_of(cluster, 1, lambda *_: None) == ["no answer within 35 s"]
    assert cluster.removed == [("nodeworthy-ab12-0-0", "uid of nodeworthy-ab12-0-0")]


def test_what_can_not_be_removed_is_told() -> None:
    cluster = InMemory(remove=NotDone("no"))
    assert all_of(cluster, 1, lambda *_: None) == [None]
    (told,) = TOLD
    assert told.endswith("(no): kubectl delete jobs -n nodeworthy -l nodeworthy/run=ab12")


def test_whoever_stops_leaves_nothing() -> None:
    cluster = InMemory(pods=[RUNNING])

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    cluster.pods = lambda job: [DONE] if job["metadata"]["name"].endswith("-0") else [RUNNING]  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        all_of(cluster, 9, stop)
    assert cluster.kept == {}


def test_the_name_is_ours_whatever_a_log_says() -> None:
    lying = FIT.replace(b'"host": "', b'"host": "node://other')
    assert recording("node://a", b"\xff\xfe noise\n" + lying, "").host == "node://a"


def test_what_is_said_of_a_node_is_short_and_on_one_line() -> None:
    pod = {"status": {"reason": "Evicted", "message": "so\nlong " * 200}}
    said = state.waiting([pod], ())
    assert len(said) < 500
    assert "\n" not in said
