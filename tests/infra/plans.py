"""What our program plans for a stack, with made-up outputs where only the cloud could tell."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from nodeworthy.collect.plan.plan import PreviewedPlan, Resource
from nodeworthy.collect.plan.preview import PreviewRequest, prepare

ROOT = Path(__file__).parents[2]
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
GROUP = "aws:autoscaling/group:Group"
HOOK = "aws:autoscaling/lifecycleHook:LifecycleHook"
SECURITY_GROUP = "aws:ec2/securityGroup:SecurityGroup"
INGRESS = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
EGRESS = "aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule"
PLACEMENT = "aws:ec2/placementGroup:PlacementGroup"
RELEASE = "kubernetes:helm.sh/v3:Release"


@contextmanager
def house() -> Iterator[Path]:
    """This repository's program with stacks of its own."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("infra", "userdata", "Pulumi.yaml", ".venv"):
            Path(folder, name).symlink_to(ROOT / name)
        yield Path(folder)


@cache
def of_stack(stack: str) -> PreviewedPlan:
    return _planned(ROOT, stack)


@cache
def of_fleet(fleet: str, config: str = "") -> PreviewedPlan:
    """Of a fleet's keys as they stand below `nodeworthy:fleet`, and of lines that stand beside it."""
    with house() as folder:
        indented = "".join(f"    {line}\n" for line in fleet.splitlines())
        (folder / "Pulumi.made.yaml").write_text(
            f"config:\n  aws:region: us-east-2\n{config}  nodeworthy:fleet:\n    cluster: {{name: made}}\n{indented}"
        )
        return _planned(folder, "made")


def _planned(folder: Path, stack: str) -> PreviewedPlan:
    seen = prepare(PreviewRequest(folder, stack), frozenset()).run(None, lambda text: None)
    assert seen.ran.simulated is not None
    return seen.ran.simulated.plan


def all_of(plan: PreviewedPlan, kind: str) -> dict[str, Resource]:
    return {each.name: each for each in plan.resources if each.type == kind}


def inputs(plan: PreviewedPlan, kind: str) -> dict[str, Mapping[str, Any]]:
    return {name: each.shown_inputs for name, each in all_of(plan, kind).items()}


def referred(plan: PreviewedPlan, resource: Resource, name: str) -> set[str]:
    """The names of the resources that an input was made of."""
    urns = resource.property_dependencies.get(name, ())
    return {each.name for each in plan.resources if each.urn in urns}


def boot_script(plan: PreviewedPlan, name: str) -> str:
    return base64.b64decode(inputs(plan, TEMPLATE)[name]["userData"]).decode()
