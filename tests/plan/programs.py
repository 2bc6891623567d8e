"""Tiny Pulumi programs, run for real: a project in a folder, and the preview of it as a user sees it."""

from __future__ import annotations

from pathlib import Path

from tests.run import Ran, run

# Resources by their token, without a provider's SDK: half a second less a run.
PRELUDE = """
import pulumi

class Raw(pulumi.CustomResource):
    def __init__(self, token, name, props=None, opts=None):
        super().__init__(token, name, props or {}, opts)

class Thing(Raw):
    def __init__(self, name, props=None, opts=None):
        super().__init__("toy:index:Thing", name, props, opts)

def release(values, name="gpu-operator", **more):
    props = {"chart": "gpu-operator", "version": "v26.3.0", "values": values, **more}
    return Raw("kubernetes:helm.sh/v3:Release", name, props)
"""

FLEET = """\
config:
  nodeworthy:fleet:
    cluster: {name: onprem}
    pools:
      onprem:
        gpu: h200
        distribution: %s
        provision: false
"""
KUBEADM = FLEET % "kubeadm"


def project(folder: Path, program: str, config: str = KUBEADM, *, prelude: bool = True) -> Path:
    (folder / "Pulumi.yaml").write_text("name: toy\nruntime: python\n")
    (folder / "Pulumi.dev.yaml").write_text(config)
    (folder / "__main__.py").write_text((PRELUDE if prelude else "") + program)
    return folder


def preview(folder: Path, *options: str) -> Ran:
    return run("preview", "--format", "json", "--timeout", "60", *options, cwd=folder)


def inputs(ran: Ran) -> dict[str, object]:
    """What each resource of the report was given, by name."""
    return {each["name"]: each["inputs"] for each in ran.report["preview"]["resources"]}


def verdicts(ran: Ran, rule: str) -> list[tuple[str, bool]]:
    """The verdicts of a rule in the report's findings, and which of them needed the simulated run."""
    return [(each["verdict"], each.get("simulated", False)) for each in ran.findings if each["rule"] == rule]
