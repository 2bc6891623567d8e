"""What rules say of a program, in the words of who writes HCL or a template."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from nodeworthy.known.tongues import EKSCTL, HCL, KARPENTER, TEMPLATE, in_tongue, pieces, tongue_of

_ROOMS = ("rules", "facts")


def _texts() -> list[str]:
    """All texts of rules and facts, as Python puts them together."""
    root = Path(__file__).parents[2] / "nodeworthy"
    files = [each for room in _ROOMS for each in (root / room).rglob("*.py")]
    trees = (ast.parse(each.read_text(encoding="utf-8")) for each in files)
    return [
        each.value
        for tree in trees
        for each in ast.walk(tree)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    ]


@pytest.mark.parametrize(
    ("path", "urn", "tongue"),
    [
        ("main.tf", None, HCL),
        ("a/nodes.tofu", None, HCL),
        ("plan.json", "aws_launch_template.gpu", HCL),
        ("main.tf", "aws_launch_template.gpu", HCL),
        ("nodes.yaml", None, TEMPLATE),
        ("cdk.out/Stack.template.json", None, TEMPLATE),
        (None, "urn:pulumi:dev::p::aws:ec2/launchTemplate:LaunchTemplate::gpu", ""),
        ("__main__.py", None, ""),
    ],
)
def test_the_place_says_what_its_reader_writes(path: str | None, urn: str | None, tongue: str) -> None:
    assert tongue_of(path, urn) == tongue


@pytest.mark.parametrize(
    ("subject", "tongue"),
    [
        ("managedNodeGroups[1].ssh.allow", EKSCTL),
        ("nodeGroups[0]", EKSCTL),
        ("spec.metadataOptions.httpTokens", KARPENTER),
        ("items[2].spec.blockDeviceMappings[0].ebs.encrypted", KARPENTER),
        ("spec.values.enableSqsTerminationDraining", TEMPLATE),
        ("Resources.Nodes.Properties", TEMPLATE),
    ],
)
def test_a_manifest_is_known_by_where_in_it_the_place_is(subject: str, tongue: str) -> None:
    assert tongue_of("gpu.yaml", None, subject) == tongue


def test_a_manifests_reader_is_told_its_own_keys() -> None:
    assert in_tongue("httpTokens: required", EKSCTL) == "disableIMDSv1: true"
    assert in_tongue("httpTokens: required", KARPENTER) == "httpTokens: required"
    assert in_tongue("encrypted: false", EKSCTL) == "volumeEncrypted: false"
    assert in_tongue("encrypted: false", HCL) == "encrypted = false"


@pytest.mark.parametrize(
    ("text", "hcl", "template"),
    [
        ("httpTokens: required", 'http_tokens = "required"', "HttpTokens: required"),
        ("httpPutResponseHopLimit: 3", "http_put_response_hop_limit = 3", "HttpPutResponseHopLimit: 3"),
        ("no httpTokens", "no http_tokens", "no HttpTokens"),
        (
            "enableSqsTerminationDraining: true",
            "enableSqsTerminationDraining: true",
            "enableSqsTerminationDraining: true",
        ),
        ("the cluster's own group", "the cluster's own group", "the cluster's own group"),
    ],
)
def test_names_are_those_of_the_reader(text: str, hcl: str, template: str) -> None:
    assert in_tongue(text, HCL) == hcl
    assert in_tongue(text, TEMPLATE) == template


def test_all_that_is_told_otherwise_is_what_a_rule_says() -> None:
    whole = "\0".join(_texts())
    assert [each for each in pieces() if each not in whole] == []


def test_no_rule_tells_a_reader_of_hcl_a_piece_of_python() -> None:
    said = [
        each for each in _texts() if any(mark in each for mark in ("aws.ec2.", "aws.autoscaling.", "aws.ebs.", '={"'))
    ]
    assert said
    assert [
        each for each in said if any(mark in in_tongue(each, HCL) for mark in ("aws.ec2.", "aws.autoscaling.", '={"'))
    ] == []
