"""Faults of the catalogue, one each, put into the `prod` stack: into its fleet, its program, or its boot scripts.

Each is an edit as somebody might make it, with the rule that must stop it and the line to which it must point.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nodeworthy.known.containerd import containerd_of, defaults

ROOT = Path(__file__).resolve().parents[2]
STACK = "prod"
FLEET = "Pulumi.prod.yaml"
CHART = "      chart: 26.3.0\n"


# Where the program registers them.
RELEASE = [("infra/gpu_operator.py", "return Release(")]
TEMPLATE = [("infra/launch_template.py", "return aws.ec2.LaunchTemplate(")]
SCALING_GROUP = [("infra/pools.py", "return aws.autoscaling.Group(")]
SECURITY_GROUP = [("infra/security.py", "return aws.ec2.SecurityGroup(")]
LET_IN = [("infra/security.py", "aws.vpc.SecurityGroupIngressRule(")]
SERVER = [("infra/job_queue.py", "return kubernetes.apps.v1.StatefulSet(")]


@dataclass(frozen=True)
class Edit:
    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Mutation:
    name: str
    rule: str
    edit: Edit
    # The lines that the findings are about, as a file and what stands there, after the edit.
    at: Sequence[tuple[str, str]]
    # Only who reads boot scripts can see it.
    in_boot_script: bool = False

    def put_into(self, project: Path) -> None:
        path = project / self.edit.file
        text = path.read_text(encoding="utf-8")
        assert text.count(self.edit.old) == 1, f"{self.name}: {self.edit.file} has it {text.count(self.edit.old)} times"
        path.write_text(text.replace(self.edit.old, self.edit.new), encoding="utf-8")

    def lines(self, project: Path) -> set[tuple[str, int]]:
        return {(file, _line(project / file, text)) for file, text in self.at}


def _line(path: Path, text: str) -> int:
    found = [n for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1) if text in line]
    assert len(found) == 1, f"{path.name} has {text!r} in lines {found}"
    return found[0]


def copy(folder: Path) -> Path:
    """The stacks of this repository with their program, and the writer of boot scripts where the program finds it
    first."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "infra", folder / "infra", ignore=ignored)
    shutil.copytree(ROOT / "userdata", folder / "infra" / "userdata", ignore=ignored)
    for file in ROOT.glob("Pulumi*.yaml"):
        shutil.copy(file, folder)
    return folder


def values(text: str) -> Edit:
    """Values of the operator, in the fleet."""
    return Edit(FLEET, CHART, f"{CHART}      values:\n{text}")


def socket(path: str) -> str:
    return f"        toolkit: {{env: [{{name: CONTAINERD_SOCKET, value: {path}}}]}}\n"


MUTATIONS = [
    Mutation(
        "the socket of k3s on EKS",
        "containerd-paths",
        values(socket(str(containerd_of("k3s").socket))),
        [(FLEET, "/run/k3s")],
    ),
    Mutation(
        "a URL where a path is asked for",
        "toolkit-env-wellformed",
        values(socket(f"unix://{defaults().socket}")),
        [(FLEET, "unix://")],
    ),
    Mutation(
        "a containerd that the toolkit's drop-in breaks",
        "operator-release-works",
        Edit(FLEET, "        nodes: 3\n", '        nodes: 3\n        containerd: "1.7"\n'),
        RELEASE,
    ),
    Mutation(
        "the operator's driver beside the image's",
        "one-driver",
        values("        driver: {enabled: true}\n"),
        [(FLEET, "driver: {enabled: true}")],
    ),
    Mutation(
        "DCGM on profiling nodes",
        "dcgm-off-profiling-nodes",
        Edit("infra/userdata/registration.py", '("dcgm", "dcgm-exporter")', '("dcgm",)'),
        TEMPLATE,
        in_boot_script=True,
    ),
    Mutation(
        "profiling nodes that register without their label",
        "profiling-node-exists",
        Edit("infra/userdata/registration.py", '        **({PROFILING: "true"} if profiling else {}),\n', ""),
        [(FLEET, "      h100:"), (FLEET, "      b200:")],
        in_boot_script=True,
    ),
    Mutation(
        "a fabric that lets nothing out",
        "efa-complete",
        Edit("infra/efa.py", ', ("out", aws.vpc.SecurityGroupEgressRule))', ",)"),
        SECURITY_GROUP,
    ),
    Mutation(
        "a capacity block without its market",
        "capacity-block-placed",
        Edit("infra/launch_template.py", "        instance_market_options=placement.market(pool),\n", ""),
        TEMPLATE,
    ),
    Mutation(
        "a GPU pool that may grow",
        "pool-size-fixed",
        Edit("infra/pools.py", "max_size=part.max,", "max_size=part.max + 1,"),
        SCALING_GROUP,
    ),
    Mutation(
        "nobody waits until a node is drained",
        "rollout-drains",
        Edit("infra/rollout.py", "autoscaling:EC2_INSTANCE_TERMINATING", "autoscaling:EC2_INSTANCE_LAUNCHING"),
        SCALING_GROUP,
    ),
    Mutation(
        "NodePorts closed",
        "node-ports-open",
        Edit("infra/security.py", "NODE_PORTS = (30000, 32767)", "NODE_PORTS = (30000, 30080)"),
        SECURITY_GROUP,
    ),
    Mutation(
        "NodePorts open to the world",
        "not-open-to-the-world",
        Edit(FLEET, "nodePortsFrom: [10.0.0.0/8]", "nodePortsFrom: [0.0.0.0/0]"),
        LET_IN,
    ),
    Mutation(
        "a database whose servers share a node",
        "database-replicated",
        Edit("infra/postgres.py", "required_during_scheduling_ignored", "preferred_during_scheduling_ignored"),
        SERVER,
    ),
    Mutation(
        "a misspelt key",
        "aws-accepts",
        Edit("infra/launch_template.py", '"http_endpoint": "enabled"', '"http_endpont": "enabled"'),
        TEMPLATE,
    ),
    Mutation(
        "the option after the driver",
        "profiling-before-driver",
        Edit(
            "infra/userdata/steps.py",
            '        yield allow_profiling()\n        yield Step(f"NVIDIA driver {driver_version}", ("install_driver",), f"{family}/driver", version)\n',
            '        yield Step(f"NVIDIA driver {driver_version}", ("install_driver",), f"{family}/driver", version)\n        yield allow_profiling()\n',
        ),
        TEMPLATE,
        in_boot_script=True,
    ),
    Mutation(
        "nothing starts kubelet after a reboot",
        "kubelet-survives-reboot",
        Edit(
            "infra/userdata/bodies/al2023/kubelet.sh",
            "    systemctl enable nodeadm-run.service\n    systemctl enable kubelet.service\n",
            "    systemctl disable nodeadm-run.service\n    systemctl disable kubelet.service\n",
        ),
        TEMPLATE,
        in_boot_script=True,
    ),
    Mutation(
        "a token in the boot script",
        "no-secret-in-plain-sight",
        Edit(
            "infra/userdata/bodies/registry.sh",
            "trust_registry() {\n",
            "trust_registry() {\n    export GHCR_TOKEN=ghp_0123456789abcdefABCDEF0123456789abcd\n",
        ),
        TEMPLATE,
        in_boot_script=True,
    ),
]
