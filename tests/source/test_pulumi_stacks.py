"""A program of Pulumi in YAML is judged with what its stacks say in place of its defaults."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run import run

_PROGRAM = """\
name: training
runtime: yaml
config:
  instanceType: {type: string, default: DEFAULT}
resources:
  cluster:
    type: aws:eks:Cluster
    properties:
      name: training
      version: "1.33"
      roleArn: arn:aws:iam::111122223333:role/eks
      vpcConfig: {subnetIds: [subnet-0a1b2c3d]}
  gpu:
    type: aws:eks:NodeGroup
    properties:
      clusterName: training
      nodeRoleArn: arn:aws:iam::111122223333:role/nodes
      subnetIds: [subnet-0a1b2c3d]
      instanceTypes: ["${instanceType}"]
      amiType: AL2023_x86_64_NVIDIA
      scalingConfig: {desiredSize: 1, minSize: 1, maxSize: 1}
"""
_THERE, _NOWHERE = "g6.4xlarge", "g6.3xlarge"


@pytest.mark.parametrize(
    ("default", "stacks", "code", "where"),
    [
        (_NOWHERE, {}, 1, ("Pulumi.yaml", 4)),
        (_THERE, {"dev": f"training:instanceType: {_NOWHERE}"}, 1, ("Pulumi.dev.yaml", 2)),
        (_NOWHERE, {"dev": f"training:instanceType: {_THERE}"}, 0, None),
        # Another project's key, and a stack that says nothing.
        (_NOWHERE, {"dev": f"other:instanceType: {_THERE}"}, 1, ("Pulumi.yaml", 4)),
        (_NOWHERE, dict.fromkeys(("dev", "prod"), f"training:instanceType: {_THERE}"), 0, None),
        (
            _THERE,
            {"dev": f"training:instanceType: {_NOWHERE}", "prod": "aws:region: us-east-2"},
            3,
            ("Pulumi.yaml", 19),
        ),
        (_THERE, {"dev": "training:instanceType: {secure: AAABAxyz}"}, 3, ("Pulumi.yaml", 19)),
    ],
)
def test_a_value_of_the_stacks(
    tmp_path: Path, default: str, stacks: dict[str, str], code: int, where: tuple[str, int] | None
) -> None:
    (tmp_path / "Pulumi.yaml").write_text(_PROGRAM.replace("DEFAULT", default), encoding="utf-8")
    for name, line in stacks.items():
        (tmp_path / f"Pulumi.{name}.yaml").write_text(f"config:\n  {line}\n", encoding="utf-8")
    ran = run("check", ".", "--rule", "gpu-exists", "--format", "json", "--no-cache", cwd=tmp_path)
    told = [(each["where"]["path"], each["where"]["line"]) for each in ran.findings if each["verdict"] != "pass"]
    assert (ran.code, told) == (code, [where] if where is not None else [])


@pytest.mark.parametrize(
    ("stack", "code", "says"),
    [
        ("dev", 1, f"is      {_NOWHERE}"),
        ("prod", 0, ""),
        ("test", 2, "there is no stack 'test'"),
        (None, 3, ""),
    ],
)
@pytest.mark.parametrize("runtime", ["runtime: yaml", "runtime:\n  name: yaml", "runtime: {name: yaml}"])
def test_the_stack_that_is_named(tmp_path: Path, stack: str | None, code: int, says: str, runtime: str) -> None:
    """It declares no fleet, and its config alone is what counts."""
    text = _PROGRAM.replace("DEFAULT", _NOWHERE).replace("runtime: yaml", runtime)
    (tmp_path / "Pulumi.yaml").write_text(text, encoding="utf-8")
    for name, kind in (("dev", _NOWHERE), ("prod", _THERE)):
        (tmp_path / f"Pulumi.{name}.yaml").write_text(f"config:\n  training:instanceType: {kind}\n", encoding="utf-8")
    named = ("--stack", stack) if stack is not None else ()
    ran = run("check", ".", "--rule", "gpu-exists", *named, cwd=tmp_path)
    assert (ran.code, says in ran.out + ran.err) == (code, True), ran.out + ran.err
