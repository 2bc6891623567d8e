"""`nodeworthy audit --kubernetes`: the nodes of a cluster, laid beside the machines of an account."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.cloud import cluster_nodes
from nodeworthy.collect.cloud.cluster_nodes import ask_nodes, recorded_nodes
from nodeworthy.collect.cluster.connection import Answer
from nodeworthy.errors import CouldNotLook, InputError
from nodeworthy.facts.aws.joined import JoinedNode
from tests.case_files import whole
from tests.cloud.recordings import edit, refuse, stock
from tests.run import Ran, run, run_json

ITS_SERVER = "https://0123456789ABCDEF0123456789ABCDEF.gr7.us-east-2.eks.amazonaws.com"
FIRST, SECOND, STRANGE = "i-0a100000000000001", "i-0a100000000000002", "i-0b900000000000009"


def node(machine: str, name: str = "", provider: str = "aws:///us-east-2a/{}") -> dict[str, Any]:
    return {"metadata": {"name": name or f"n-{machine}"}, "spec": {"providerID": provider.format(machine)}}


def said(folder: Path, *nodes: dict[str, Any], server: str = "https://other", **more: Any) -> None:
    data = {"schema": "nodeworthy/audit-nodes/v1", "server": server, "nodes": nodes, "pods": [], "refused": "", **more}
    (folder / "aws" / "kubernetes.json").write_text(json.dumps(data), encoding="utf-8")


def audit(folder: Path, *more: str, rule: str = "machines-are-nodes") -> Ran:
    return run_json("audit", "--from", "aws", "--rule", rule, "--rule", "looked-at", "--show-passed", *more, cwd=folder)


def told(ran: Ran) -> list[tuple[str, str]]:
    return sorted((each["rule"], each["verdict"]) for each in ran.findings if each["verdict"] != "pass")


def test_a_cluster_of_which_nobody_joined_is_known_by_its_url(tmp_path: Path) -> None:
    stock(tmp_path)
    said(tmp_path, server=ITS_SERVER.lower())
    [found] = [each for each in audit(tmp_path).findings if each["verdict"] == "fail"]
    assert found["victims"] == [FIRST, SECOND]
    assert found["message"] == "2 of 2 machines that Group 'gpu-dev-t4' has in service are no nodes of the cluster"


def test_another_accounts_cluster_is_not_taken_for_this_one(tmp_path: Path) -> None:
    stock(tmp_path)
    said(tmp_path, node(STRANGE))
    ran = audit(tmp_path)
    assert told(ran)[0] == ("looked-at", "unknown")
    assert "fail" not in {verdict for _, verdict in told(ran)}
    [found] = [each for each in ran.findings if each["rule"] == "looked-at"]
    assert "none of the 1 nodes of https://other in us-east-2 is a machine of account 111122223333" in found["message"]


def test_a_machine_has_time_to_join(tmp_path: Path) -> None:
    recording = stock(tmp_path)
    said(tmp_path, node(FIRST))
    for launched, count in (("2026-11-20T09:40:00+00:00", 0), ("2026-11-20T09:39:59+00:00", 1)):

        def start(page: dict[str, Any], launched: str = launched) -> None:
            page["Reservations"][0]["Instances"][1]["LaunchTime"] = launched

        edit(recording, "ec2", "DescribeInstances", start)
        assert len([each for each in audit(tmp_path).findings if each["verdict"] == "fail"]) == count


def test_nodes_that_are_no_machines_of_aws_and_those_elsewhere_are_left_out(tmp_path: Path) -> None:
    stock(tmp_path)
    others = ("eks-hybrid:///us-east-2/gpu-dev/mi-0123", "aws:///us-east-2a/0b1c2d-fargate-ip-10-0-1-9", "")
    elsewhere = node(STRANGE, provider="aws:///eu-central-1a/{}")
    said(tmp_path, node(FIRST), node(SECOND), *(node("", each, each) for each in others), elsewhere)
    ran = audit(tmp_path)
    assert (told(ran), ran.report["summary"]["pass"]) == ([], 3)


def test_of_one_pool_its_own_nodes(tmp_path: Path) -> None:
    stock(tmp_path)
    said(tmp_path, node(FIRST), node(SECOND), node(STRANGE))
    assert told(audit(tmp_path)) == [("machines-are-nodes", "fail")]
    ran = audit(tmp_path, "--pool", "t4")
    assert (told(ran), ran.report["summary"]["pass"]) == ([], 3)


def test_machines_that_aws_does_not_list_leave_it_unknown(tmp_path: Path) -> None:
    recording = stock(tmp_path)
    refuse(recording, "ec2", "DescribeInstances")
    said(tmp_path, node(FIRST), node(SECOND))
    verdicts = {verdict for rule, verdict in told(audit(tmp_path)) if rule == "machines-are-nodes"}
    assert verdicts == {"unknown"}


@pytest.mark.parametrize("rule", ["machines-are-nodes", "verified-since-boot"])
def test_a_server_that_refuses_leaves_both_rules_unknown(rule: str, tmp_path: Path) -> None:
    stock(tmp_path)
    said(tmp_path, refused="https://other does not list its nodes: forbidden")
    ran = audit(tmp_path, "--strict", rule=rule)
    assert {each["verdict"] for each in ran.findings if each["rule"] == rule} - {"skip"} == {"unknown"}
    assert ran.code == 3


def test_who_computes_on_old_nodes_is_said(tmp_path: Path) -> None:
    shutil.copytree(whole("nodes-current/bad-old-script") / "aws", tmp_path / "aws")
    pods = [
        {"metadata": {"namespace": "research", "name": f"train-{number}"}, "spec": {"nodeName": f"n-{FIRST}"}}
        for number in range(4)
    ]
    said(tmp_path, node(FIRST), node(SECOND), pods=pods)
    [found] = [each for each in audit(tmp_path, rule="nodes-current").findings if each["verdict"] == "fail"]
    works = {each["object"]: each["says"] for each in found["related"] if "object" in each}
    assert works == {
        f"Node/n-{each}": f"it is {each}; on its GPUs: research/train-0, research/train-1, research/train-2 and 1 more"
        if each == FIRST
        else f"it is {each}; nobody holds GPUs of it"
        for each in found["victims"]
    }


def test_a_file_that_is_none_and_a_context_beside_a_recording_are_refused(tmp_path: Path) -> None:
    stock(tmp_path)
    ran = run("audit", "--from", "aws", "--kubernetes", "dev", cwd=tmp_path)
    assert (ran.code, "--kubernetes is for an account; --from asks none" in ran.err) == (2, True)
    (tmp_path / "aws" / "kubernetes.json").write_text("{}", encoding="utf-8")
    ran = run("audit", "--from", "aws", cwd=tmp_path)
    assert (ran.code, "is of no recording that this version reads" in ran.err) == (2, True)


class Cluster:
    """An API server that gives two objects a page, and may not give pods."""

    server = "https://here"

    def __init__(self, nodes: Sequence[Any], pods: Sequence[Any] | None) -> None:
        self._said = {"/api/v1/nodes": nodes, "/api/v1/pods": pods}

    def get(self, path: str, query: dict[str, str]) -> Answer:
        found = self._said[path]
        if found is None:
            return Answer(403, {"message": "pods is forbidden"})
        at = int(query.get("continue", "0"))
        more = str(at + 2) if at + 2 < len(found) else ""
        return Answer(200, {"items": list(found[at : at + 2]), "metadata": {"continue": more}})


def pod(name: str, node: str, phase: str = "Running", gpus: str = "1") -> dict[str, Any]:
    container = {
        "name": "c",
        "resources": {"limits": {"nvidia.com/gpu": gpus, "cpu": "4"}},
        "env": [{"value": "s3cret"}],
    }
    return {
        "metadata": {"namespace": "research", "name": name, "uid": name},
        "spec": {"nodeName": node, "containers": [container]},
        "status": {"phase": phase},
    }


def connected(monkeypatch: pytest.MonkeyPatch, cluster: Cluster) -> None:
    monkeypatch.setattr("nodeworthy.collect.cluster.connection.Connection", lambda context: cluster)


def test_all_pages_are_asked_and_kept_less_what_nobody_asks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    marks = {
        "labels": {"nodeworthy/verified": "20261112T081500Z", "team": "x"},
        "annotations": {"nodeworthy/verified-boot": "b"},
    }
    nodes = [node(FIRST, "one"), node(SECOND, "two"), node(STRANGE, "three")]
    nodes[2]["metadata"].update(marks)
    nodes[2]["status"] = {"nodeInfo": {"bootID": "b"}}
    pods = [pod("a", "one"), pod("b", "two", "Succeeded"), pod("c", "three", gpus="0"), pod("d", ""), pod("e", "one")]
    connected(monkeypatch, Cluster(nodes, pods))
    asked = ask_nodes("dev")
    assert asked.nodes == [
        JoinedNode("one", FIRST, "us-east-2a", works=["research/a", "research/e"]),
        JoinedNode("two", SECOND, "us-east-2a", works=()),
        JoinedNode("three", STRANGE, "us-east-2a", "b", "20261112T081500Z", "b", ()),
    ]
    asked.write(tmp_path)
    kept = recorded_nodes(tmp_path)
    assert kept is not None
    assert (kept.nodes, kept.server) == (asked.nodes, "https://here")
    text = (tmp_path / "kubernetes.json").read_text(encoding="utf-8")
    assert "s3cret" not in text
    assert "team" not in text


def test_who_may_not_list_pods_still_sees_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    connected(monkeypatch, Cluster([node(FIRST)], None))
    asked = ask_nodes("dev")
    assert (asked.refused, [each.works for each in asked.nodes]) == ("", [None])


def test_a_server_that_is_not_reached_is_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(context: str) -> Cluster:
        raise CouldNotLook("no kubeconfig was found")

    monkeypatch.setattr("nodeworthy.collect.cluster.connection.Connection", away)
    assert ask_nodes("dev").refused == "no kubeconfig was found"


def test_nothing_was_recorded(tmp_path: Path) -> None:
    assert recorded_nodes(tmp_path) is None
    (tmp_path / cluster_nodes._FILE).write_text("[]", encoding="utf-8")
    with pytest.raises(InputError, match="is no recording"):
        recorded_nodes(tmp_path)
