"""The rights that `diagnose` needs, as `--print-role` prints them: each kind, and nothing that writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from nodeworthy.collect.cluster.kinds import ASKED_FOR
from tests.run import run

READS = {"get", "list", "watch"}


def printed(*arguments: str) -> dict[str, Any]:
    ran = run("diagnose", "--print-role", *arguments)
    assert (ran.code, ran.err) == (0, "")
    documents = list(yaml.safe_load_all(ran.out))
    return {each["kind"]: each for each in documents}


def granted(role: dict[str, Any]) -> dict[str, set[str]]:
    return {name: set(rule["apiGroups"]) for rule in role["rules"] for name in rule["resources"]}


def test_every_kind_is_in_it() -> None:
    of_kinds = {kind.plural: set(kind.groups) for kind in ASKED_FOR}
    assert granted(printed()["ClusterRole"]) == {**of_kinds, "pods/log": {""}}


def test_logs_are_in_it_only_where_a_rule_needs_them() -> None:
    with_logs = printed("--rule", "hami-crash-explained")["ClusterRole"]["rules"]
    assert [rule["verbs"] for rule in with_logs if "pods/log" in rule["resources"]] == [["get"]]
    ran = run("diagnose", "--print-role", "--rule", "gpu-count-complete")
    assert "pods/log" not in ran.out
    assert "no logs of containers" in ran.out


def test_every_kind_says_what_for() -> None:
    assert [kind.plural for kind in ASKED_FOR if not kind.what_for] == []
    text = run("diagnose", "--print-role").out
    assert [kind.plural for kind in ASKED_FOR if f"  # {kind.what_for}\n" not in text] == []


@pytest.mark.parametrize("arguments", [(), ("--namespace", "team-a")])
def test_nothing_in_it_writes_and_nothing_is_a_wildcard(arguments: tuple[str, ...]) -> None:
    documents = printed(*arguments)
    role = documents.get("ClusterRole") or documents["Role"]
    for rule in role["rules"]:
        assert set(rule) == {"apiGroups", "resources", "verbs"}
        assert set(rule["verbs"]) == ({"get"} if rule["resources"] == ["pods/log"] else READS)
        assert not {"*", "secrets", "pods/exec", "nodes/proxy"}.intersection(rule["apiGroups"] + rule["resources"])


def test_the_account_has_the_role() -> None:
    documents = printed()
    account, binding = documents["ServiceAccount"]["metadata"], documents["ClusterRoleBinding"]
    assert binding["roleRef"]["name"] == documents["ClusterRole"]["metadata"]["name"]
    assert binding["subjects"] == [{"kind": "ServiceAccount", **account}]
    assert account["namespace"] == documents["Namespace"]["metadata"]["name"]


def test_for_one_namespace_there_is_nothing_cluster_wide() -> None:
    documents = printed("--namespace", "team-a")
    assert set(documents) == {"ServiceAccount", "Role", "RoleBinding"}
    assert {each["metadata"]["namespace"] for each in documents.values()} == {"team-a"}
    assert set(granted(documents["Role"])) == {*(kind.plural for kind in ASKED_FOR if kind.namespaced), "pods/log"}


def test_it_is_the_same_every_time_and_in_a_file(tmp_path: Path) -> None:
    first = run("diagnose", "--print-role").out
    assert run("diagnose", "--print-role", "--output", str(tmp_path / "role.yaml")).out == ""
    assert (tmp_path / "role.yaml").read_text() == first


@pytest.mark.parametrize("name", ["", "Team", "a\nb: c", "a/b", "a-", "a" * 64])
def test_what_is_no_namespace_is_refused(name: str) -> None:
    ran = run("diagnose", "--print-role", "--namespace", name)
    assert (ran.code, ran.out) == (2, "")
    assert "is no name of a namespace" in ran.err


@pytest.mark.parametrize("option", ["--from", "--record", "--context"])
def test_it_looks_at_nothing(option: str) -> None:
    ran = run("diagnose", "--print-role", option, "x")
    assert (ran.code, ran.out) == (2, "")
    assert option in ran.err
