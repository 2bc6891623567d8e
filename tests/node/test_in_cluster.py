"""`node --in-cluster`: its Job is one that our own rules let pass, and its options are refused where they do not fit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from nodeworthy.collect.in_cluster.job import HOST, Terms, job, name_of
from nodeworthy.collect.in_cluster.role import manifests
from nodeworthy.collect.node.recording import load
from tests.run import run, run_json

from .recordings import MENDED

IMAGE = "registry.example/nodeworthy:1"
TERMS = Terms("ab12", IMAGE, "30s", None, 299.5, 3600, "nodeworthy-verification")
GPU = {"nvidia.com/gpu": "1"}


def written(folder: Path, terms: Terms = TERMS, **resources: Any) -> dict[str, Any]:
    """Beside what --print-role prints."""
    made = job("look", "gpu-1", terms)
    container = made["spec"]["template"]["spec"]["containers"][0]
    for part, more in resources.items():
        container["resources"][part] |= more
    (folder / "job.yaml").write_text(yaml.safe_dump(made))
    (folder / "role.yaml").write_text(manifests(None, taints=True))
    return made


def pod_of(made: dict[str, Any]) -> dict[str, Any]:
    pod: dict[str, Any] = made["spec"]["template"]["spec"]
    return pod


def test_our_own_rules_find_nothing(tmp_path: Path) -> None:
    written(tmp_path)
    ran = run_json("check", str(tmp_path), "--strict", cwd=tmp_path)
    assert (ran.code, ran.findings) == (0, [])


def test_it_would_yield_even_if_it_held_gpus(tmp_path: Path) -> None:
    """It holds none, so that the rule has nothing to say of it as it is."""
    written(tmp_path, limits=GPU, requests=GPU)
    ran = run_json("check", ".", "--rule", "verification-yields", "--show-passed", cwd=tmp_path)
    assert [each["verdict"] for each in ran.findings if each["rule"] == "verification-yields"] == ["pass"]


@pytest.mark.parametrize("part", ["affinity", "priorityClassName"])
def test_the_rule_would_see_what_is_missing(tmp_path: Path, part: str) -> None:
    made = written(tmp_path, limits=GPU, requests=GPU)
    del pod_of(made)[part]
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(made))
    assert run("check", ".", "--rule", "verification-yields", cwd=tmp_path).code == 1


def test_it_takes_nothing_and_ends_by_itself(tmp_path: Path) -> None:
    made = written(tmp_path)
    pod = pod_of(made)
    (container,) = pod["containers"]
    assert container["resources"]["requests"] == {"cpu": "0", "memory": "0"}
    assert pod["tolerations"] == [{"operator": "Exists"}]
    assert pod["automountServiceAccountToken"] is False
    assert not any("hostPath" in each for each in pod["volumes"])
    spec = made["spec"]
    assert (spec["backoffLimit"], spec["activeDeadlineSeconds"], spec["ttlSecondsAfterFinished"]) == (1, 300, 600)


def test_the_command_of_its_pod_is_one_that_we_know(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    terms = Terms("ab12", IMAGE, "20s", "1s", 60, 60, None)
    program, *arguments = terms.command()
    assert program == "nodeworthy"
    assert HOST in arguments
    ran = run(*(f"replay:{MENDED}" if each == HOST else each for each in arguments), cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    (tmp_path / "said").write_text(ran.out)
    assert load(tmp_path / "said").parts == load(MENDED).parts


def test_what_was_not_reached_is_printed_too(tmp_path: Path) -> None:
    ran = run("node", "nsenter:///gone", "--record", "-", cwd=tmp_path)
    assert ran.code == 3
    assert '"unreached": "/gone can\'t be read' in ran.out


def test_names_stay_apart_and_short() -> None:
    long = "ip-10-0-0-1.us-east-2.compute.internal.and.more.of.it.still"
    names = [name_of("ab12cd34", number, long) for number in (9998, 9999)]
    assert len(set(names)) == 2
    assert all(len(each) <= 52 and each.strip("-.") == each for each in names)


IN = ("node", "--in-cluster", "--image", IMAGE)


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("node", "--in-cluster", "node://a"), "name it with --image"),
        (IN, "no node is named"),
        ((*IN, "ssh://a"), "ssh://a is not node://NAME"),
        ((*IN, "node://a?context=b"), "is not node://NAME"),
        ((*IN, "--selector", " "), "--selector says nothing"),
        ((*IN, "node://a", "--reboot", "--yes"), "a pod does not outlive the --reboot"),
        ((*IN, "--asg", "a"), "choose them with --selector"),
        ((*IN, "node://a", "--ssh-config", "x"), "--ssh-config is for ssh://"),
        ((*IN, "node://a", "--job-deadline", "10s"), "ends before a node had its --deadline 30s"),
        ((*IN, "node://a", "--namespace", "A"), "'A' is no name of a namespace"),
        ((*IN, "node://a", "--pool", "h100"), "needs a fleet"),
        ((*IN, "node://a", "--taint"), "--taint asks before it changes a node"),
        ((*IN, "node://a", "--dry-run", "--record", "d"), "--record does not go with it"),
        ((*IN, "node://a", "--dry-run", "--format", "json"), "--format does not go with it"),
        ((*IN, "node://a", "--record", "-", "--taint", "--yes"), "--taint does not go with it"),
        ((*IN, "node://a", "--rule", "no-such"), "there is no rule 'no-such'"),
        (("node", "local://", "--record", "-", "--format", "json"), "--format does not go with it"),
        (("node", "local://", "--print-role"), "--print-role is for --in-cluster"),
        (("node", "local://", "--job-deadline", "1m"), "--job-deadline is for --in-cluster"),
    ],
)
def test_what_does_not_go_together(arguments: tuple[str, ...], why: str) -> None:
    ran = run(*arguments)
    assert (ran.code, why in ran.err) == (2, True), ran.err


def test_the_role(tmp_path: Path) -> None:
    """That of one namespace makes no namespace; nobody may write to nodes but for --taint."""
    ran = run("node", "--in-cluster", "--print-role", "--namespace", "ops", "--output", str(tmp_path / "role.yaml"))
    assert (ran.code, ran.out) == (0, "")
    kinds = [each["kind"] for each in yaml.safe_load_all((tmp_path / "role.yaml").read_text())]
    assert kinds == ["PriorityClass", "ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"]
    assert "patch" not in (tmp_path / "role.yaml").read_text()
    assert "verbs: [patch]" in run("node", "--in-cluster", "--print-role", "--taint").out
