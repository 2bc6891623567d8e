"""Plans of Terraform in JSON: what they make, what they wait for, what the root beside them says, and what is shown."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.hcl.planned import TerraformPlan, without_keys
from nodeworthy.hcl.planned_references import Configuration
from nodeworthy.hcl.values import Hole
from tests.run import Ran, run
from tests.source.terraform_plans import SENSITIVE, a_plan, change

FORMATS = ("text", "json", "sarif", "junit", "github", "markdown", "html")
_ROOT = """
resource "aws_eks_cluster" "this" {
  name     = "training"
  version  = "1.33"
  role_arn = "arn:aws:iam::111122223333:role/eks"
}
resource "aws_launch_template" "gpu" {
  image_id      = data.aws_ami.gpu.id
  instance_type = "g6e.12xlarge"
  user_data = base64encode(<<-EOT
    #!/bin/bash
    set -e
    if true; then
    /etc/eks/bootstrap.sh training --apiserver-endpoint x
    EOT
  )
  metadata_options {
    http_tokens = "optional"
  }
}
"""


def check(folder: Path, plan: Any, *words: str, name: str = "plan.json") -> Ran:
    (folder / name).write_text(json.dumps(plan), encoding="utf-8")
    return run("check", name, *words, "--format", "json", "--no-cache", cwd=folder)


def told(ran: Ran, rule: str) -> list[dict[str, Any]]:
    return [each for each in ran.findings if each["rule"] == rule]


def test_what_it_makes_is_judged_at_its_address(tmp_path: Path) -> None:
    ran = check(tmp_path, a_plan())
    assert ran.code == 1
    doors = told(ran, "not-open-to-the-world")
    assert [(each["where"]["urn"], each["is"]) for each in doors] == [
        ("aws_security_group.nodes", "tcp 22 from 0.0.0.0/0")
    ]
    driver = told(ran, "one-driver")[0]
    assert driver["where"]["urn"] == "helm_release.operator"
    assert "amazon-eks-node-al2023-x86_64-nvidia" in driver["related"][0]["says"]
    assert not [each for each in ran.findings if each["where"].get("urn") == "aws_instance.gone"]


@pytest.mark.parametrize("actions", [["no-op"], ["update"], ["delete", "create"], ["create", "delete"], ["read"]])
def test_what_stays_and_what_is_replaced_is_judged(tmp_path: Path, actions: list[str]) -> None:
    plan = a_plan()
    for each in plan["resource_changes"]:
        each["change"]["actions"] = actions
    assert told(check(tmp_path, plan), "not-open-to-the-world")


def test_what_is_forgotten_is_left_out(tmp_path: Path) -> None:
    plan = a_plan()
    for each in plan["resource_changes"]:
        each["change"]["actions"] = ["forget"]
    assert check(tmp_path, plan).code == 3


def test_what_is_not_known_says_what_it_waits_for(tmp_path: Path) -> None:
    ran = check(tmp_path, a_plan(user_data=None), "--rule", "shell-parses", "--rule", "no-secret-in-plain-sight")
    message = told(ran, "no-secret-in-plain-sight")[0]["message"]
    assert message == "the user data is not known: it is known only after it is applied: aws_eks_cluster.this.endpoint"


def test_a_digest_is_no_script(tmp_path: Path) -> None:
    plan = a_plan()
    machine = {"ami": "ami-1", "instance_type": "g5.xlarge", "user_data": "da39a3ee5e6b4b0d3255bfef95601890afd80709"}
    plan["resource_changes"].append(change("aws_instance.one", machine))
    finding = told(check(tmp_path, plan, "--rule", "no-secret-in-plain-sight"), "no-secret-in-plain-sight")[0]
    assert finding["where"]["urn"] == "aws_instance.one"
    assert "no more than a digest" in finding["message"]


def test_a_plan_that_ended_early_may_hold_more(tmp_path: Path) -> None:
    ran = check(tmp_path, a_plan(errored=True), "--rule", "looked-at")
    assert "ended this plan with an error" in ran.findings[0]["message"]
    assert ran.code == 3


@pytest.mark.parametrize("version", ["2.0", "0.2", "", "x"])
def test_another_format_is_refused_in_one_sentence(tmp_path: Path, version: str) -> None:
    ran = check(tmp_path, a_plan(format_version=version))
    assert ran.code == 2
    assert len(ran.err.strip().splitlines()) == 1
    assert f"of format {version}" in ran.err


def test_a_newer_minor_format_is_read(tmp_path: Path) -> None:
    assert check(tmp_path, a_plan(format_version="1.9", something={"new": 1})).code == 1


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_sensitive_is_shown(tmp_path: Path, form: str) -> None:
    script = (
        f"#!/bin/bash\nset -e\nif true; then\ndocker login -u x -p {SENSITIVE[0]} example.com --token {SENSITIVE[3]}\n"
    )
    (tmp_path / "plan.json").write_text(json.dumps(a_plan(user_data=script)), encoding="utf-8")
    ran = run("check", "plan.json", "--format", form, "--show-passed", "--show-unknown", "--no-cache", cwd=tmp_path)
    assert ran.code == 1
    assert not [each for each in SENSITIVE if each in ran.out + ran.err]


def test_one_that_git_keeps_is_a_finding_itself(tmp_path: Path) -> None:
    assert not told(check(tmp_path, a_plan(), "--rule", "no-secret-in-plain-sight"), "no-secret-in-plain-sight")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    assert not told(check(tmp_path, a_plan(), "--rule", "no-secret-in-plain-sight"), "no-secret-in-plain-sight")
    subprocess.run(["git", "add", "plan.json"], cwd=tmp_path, check=True)
    found = told(check(tmp_path, a_plan(), "--rule", "no-secret-in-plain-sight"), "no-secret-in-plain-sight")
    assert "var.token" in found[0]["message"]
    plain = a_plan(prior_state={}, configuration={})
    plain["resource_changes"] = plain["resource_changes"][:4]
    assert not told(check(tmp_path, plain, "--rule", "no-secret-in-plain-sight"), "no-secret-in-plain-sight")


def test_the_root_beside_it_has_the_lines(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text(_ROOT, encoding="utf-8")
    ran = check(tmp_path, a_plan(), "--rule", "instance-metadata-guarded")
    where = ran.findings[0]["where"]
    assert (where["path"], where["line"], where["urn"]) == ("main.tf", 18, "aws_launch_template.gpu")


def test_where_the_plan_knows_nothing_the_source_has_its_parts(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text(
        _ROOT.replace("endpoint x", "endpoint ${aws_eks_cluster.this.endpoint}"), encoding="utf-8"
    )
    ran = check(tmp_path, a_plan(user_data=None))
    assert not [each for each in ran.findings if "the user data is not known" in each["message"]]
    (tmp_path / "main.tf").write_text(_ROOT, encoding="utf-8")
    parsed = told(check(tmp_path, a_plan(user_data=None), "--rule", "shell-parses"), "shell-parses")[0]
    assert (parsed["where"]["path"], parsed["where"]["urn"]) == ("main.tf", "aws_launch_template.gpu")


def test_what_the_source_suppresses_is_suppressed(tmp_path: Path) -> None:
    said = 'http_tokens = "optional" # nodeworthy: ignore instance-metadata-guarded only for a week'
    (tmp_path / "main.tf").write_text(_ROOT.replace('http_tokens = "optional"', said), encoding="utf-8")
    ran = check(tmp_path, a_plan(), "--rule", "instance-metadata-guarded")
    assert ran.report["summary"]["suppressed"] == 1


def test_what_a_source_in_json_suppresses_is_suppressed(tmp_path: Path) -> None:
    said = {"//": "nodeworthy: ignore instance-metadata-guarded only for a week", "http_tokens": "optional"}
    gpu = {"image_id": "${data.aws_ami.gpu.id}", "instance_type": "g6e.12xlarge", "metadata_options": said}
    root = {"resource": {"aws_launch_template": {"gpu": gpu}}}
    (tmp_path / "main.tf.json").write_text(json.dumps(root, indent=2), encoding="utf-8")
    ran = check(tmp_path, a_plan(), "--rule", "instance-metadata-guarded")
    assert ran.report["summary"]["suppressed"] == 1


def test_one_that_lies_in_its_root_is_judged_where_it_is_named(tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text(_ROOT, encoding="utf-8")
    check(tmp_path, a_plan())
    ran = run("check", ".", "--format", "json", "--no-cache", cwd=tmp_path)
    assert not [each for each in ran.findings if each["where"].get("urn")]


@pytest.mark.parametrize(
    ("address", "block"),
    [
        ("aws_a.b", "aws_a.b"),
        ("aws_a.b[0]", "aws_a.b"),
        ('module.x["a.b"].module.y[2].aws_a.b["c]\\"d"]', "module.x.module.y.aws_a.b"),
    ],
)
def test_an_address_without_its_keys(address: str, block: str) -> None:
    assert without_keys(address) == block


def test_references_go_through_variables_and_outputs() -> None:
    child = {
        "resources": [],
        "outputs": {"id": {"expression": {"references": ["aws_sg.own.id", "aws_sg.own"]}}},
    }
    root = {
        "module_calls": {
            "doors": {"module": child},
            "nodes": {"module": {}, "expressions": {"groups": {"references": ["module.doors.id", "module.doors"]}}},
        }
    }
    found = Configuration({"root_module": root})
    assert found.resources(("nodes",), ["var.groups"]) == ["module.doors.aws_sg.own"]
    assert found.resources((), ['aws_sg.a["x.y"].id', 'aws_sg.a["x.y"]', "aws_sg.a"]) == ['aws_sg.a["x.y"]']
    assert found.resources((), ["local.x", "each.value", "path.module"]) == []


def test_what_nobody_set_is_not_there() -> None:
    plan = TerraformPlan("plan.json", "/", a_plan())
    values = plan.by_address["aws_security_group.nodes"].values
    assert "egress" not in values.items
    assert "endpoint" not in plan.by_address["aws_eks_cluster.this"].values.items
    group = plan.by_address["aws_eks_node_group.gpu"].values
    named = group.items["cluster_name"]
    assert isinstance(named, Hole)
    assert named.of == "aws_eks_cluster.this"


def test_one_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    whole = json.dumps(a_plan())
    (tmp_path / "plan.json").write_text(whole[:-40], encoding="utf-8")
    ran = run("check", "plan.json", cwd=tmp_path)
    assert ran.code == 2
    assert "no JSON" in ran.err


def test_nothing_in_it_makes_it_fail(tmp_path: Path) -> None:
    """Each part of a plan in turn is something else than it should be."""
    made = random.Random(3)
    for _ in range(60):
        plan = copy.deepcopy(a_plan())
        _spoil(plan, made)
        ran = check(tmp_path, plan)
        assert ran.code in (0, 1, 2, 3), ran.err
        assert "fault of nodeworthy" not in ran.err
        assert not told(ran, "rule-crashed") if ran.out else True


def _spoil(plan: Any, made: random.Random) -> None:
    at = plan
    while True:
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        key = made.choice(keys)
        inner = at[key]
        if not isinstance(inner, (dict, list)) or not inner or made.random() < 0.15:
            at[key] = made.choice([None, True, 7, "x", [], {}, [None], [[1]], {"a": {"b": []}}, "0" * 50])
            return
        at = inner


def test_a_large_one_takes_its_share_and_no_more(tmp_path: Path) -> None:
    took = []
    for many in (1_000, 4_000):
        plan = a_plan()
        plan["resource_changes"] += [
            change(f"module.m.aws_iam_role.r[{index}]", {"name": f"r{index}", "policy": "x" * 800})
            for index in range(many)
        ]
        (tmp_path / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
        began = time.process_time()
        assert run("check", "plan.json", "--no-cache", cwd=tmp_path).code == 1
        took.append(time.process_time() - began)
    assert took[1] < 8 * took[0] + 1
