"""User data as people write it, read as a boot script, and as that of a fleet's pools."""

from __future__ import annotations

import base64
from dataclasses import replace

from nodeworthy.boot.unpack import unpack
from nodeworthy.engine import Judgement, judge
from nodeworthy.facts.boot.pools import in_fleet
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.rule import Rule
from nodeworthy.rules import rule as whole
from nodeworthy.rules.rule_crashed import RULE as CRASHED
from nodeworthy.scene import make_scene
from nodeworthy.verdict import Place
from tests.fleet.reading import fleet_of

PEM = "-----BEGIN CERTIFICATE-----\nMIIBfzCCASWgAwIBAgIUQQtwbcqsf2cb\n-----END CERTIFICATE-----\n"
CA = base64.b64encode(PEM.encode()).decode()
ENDPOINT = "https://4A5B6C7D.gr7.us-east-2.eks.amazonaws.com"
COORDINATES = f"--apiserver-endpoint {ENDPOINT} --b64-cluster-ca {CA}"


def read(text: str | bytes, name: str = "user-data.sh", *, template: bool | None = None) -> BootScript:
    place = Place(path=name)
    data = text if isinstance(text, bytes) else text.encode()
    return BootScript(place, unpack(data, place, name=name, template=template))


def planned(text: str, **what: object) -> BootScript:
    """The same as it stands in a plan."""
    script = read(text)
    return replace(script, place=Place(urn="urn:pulumi:dev::gpu::aws:ec2/launchTemplate:LaunchTemplate::gpu"), **what)  # type: ignore[arg-type]


def in_pool(script: BootScript, pool: str, cluster: str = "name: gpu-dev, serviceCidr: 172.20.0.0/16") -> BootScript:
    """`pool` is YAML in one line: `os: al2`."""
    fleet = fleet_of(f"cluster: {{{cluster}}}\npools: {{cpu: {{instanceType: c7i.4xlarge, {pool}}}}}\n")
    return in_fleet(script, fleet, "")


def shell(*lines: str) -> str:
    return "\n".join(["#!/bin/bash", "set -euo pipefail", *lines, ""])


def node_config(**cluster: str) -> str:
    said = {"name": "gpu-dev", "apiServerEndpoint": ENDPOINT, "certificateAuthority": CA, "cidr": "172.20.0.0/16"}
    lines = [f"    {key}: {value}" for key, value in {**said, **cluster}.items() if value]
    return "\n".join(["apiVersion: node.eks.aws/v1alpha1", "kind: NodeConfig", "spec:", "  cluster:", *lines, ""])


def mime(*parts: tuple[str, str]) -> str:
    head = 'MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="B"\n\n'
    body = "".join(f"--B\nContent-Type: {kind}\n\n{text}\n" for kind, text in parts)
    return f"{head}{body}--B--\n"


NODE_CONFIG, SHELL = "application/node.eks.aws", "text/x-shellscript"


def judged(rule: Rule, script: BootScript) -> Judgement:
    (judgement,) = judge([make_scene([script])], [whole(rule.id)], CRASHED)
    assert judgement.crashed is None, judgement.findings
    return judgement


def told(rule: Rule, script: BootScript) -> list[str]:
    """The verdict, and what was found."""
    judgement = judged(rule, script)
    return [judgement.verdict.value, *(each.message for each in judgement.findings)]
