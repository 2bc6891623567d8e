"""Faults of a group of GPU nodes at EKS, each as what is asked for, with what would be right in its place.

`shown` is what the finding is about: the line that has these words is where it stands, by whatever tool it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from nodeworthy.known.containerd import containerd_of

Values = Mapping[str, Any]


@dataclass(frozen=True)
class Sizes:
    least: int = 2
    most: int = 2
    wanted: int = 2


@dataclass(frozen=True)
class Group:
    """What somebody asks for. What is empty is not said."""

    version: str = "1.33"
    image: str = "AL2023_x86_64_NVIDIA"
    # An image of one's own, by its id.
    own_image: str = ""
    machine: str = "g5.12xlarge"
    sizes: Sizes = field(default_factory=Sizes)
    capacity: str = ""
    effect: str = "NO_SCHEDULE"
    # The key by which people log in, and the group from which alone they may.
    key: str = ""
    let_in: str = ""
    tokens: str = ""
    hops: int = 0
    # What its nodes boot with before they join, a script.
    script: str = ""
    # The values of the GPU operator, where one is installed.
    values: Values | None = None


@dataclass(frozen=True)
class Seed:
    name: str
    rule: str
    faulty: Group
    healthy: Group
    shown: str


_AS_IT_SHOULD_BE: Final = Group()
_OPERATOR: Final = {"driver": {"enabled": False}, "toolkit": {"enabled": False}}
_WITH_OPERATOR: Final = replace(_AS_IT_SHOULD_BE, values=_OPERATOR)
_LIMITED: Final = replace(_AS_IT_SHOULD_BE, tokens="required", hops=1)
_FORM: Final = "#!/bin/bash\nset -euo pipefail\n"
_SCRIPT: Final = _FORM + "sysctl -w vm.max_map_count=262144\n"


def _of(name: str, rule: str, shown: str, healthy: Group = _AS_IT_SHOULD_BE, **faulty: Any) -> Seed:
    return Seed(name, rule, replace(healthy, **faulty), healthy, shown)


SEEDS: Final = (
    _of("no-such-type", "gpu-exists", "p5.16xlarge", machine="p5.16xlarge"),
    _of("no-such-image", "aws-accepts", "AL2023_x86_64_GPU", image="AL2023_x86_64_GPU"),
    _of("no-such-payment", "aws-accepts", "ONDEMAND", capacity="ONDEMAND"),
    _of("image-for-arm", "aws-accepts", "g5.12xlarge", image="AL2023_ARM_64_NVIDIA"),
    _of("taint-in-kubernetes-words", "aws-accepts", "NoSchedule", effect="NoSchedule"),
    _of("more-at-least-than-at-most", "aws-accepts", "4", sizes=Sizes(least=4)),
    _of("no-fixed-size", "pool-size-fixed", "0", sizes=Sizes(least=0, most=8)),
    _of("al2-is-no-more", "os-fits-cluster", "AL2_x86_64_GPU", image="AL2_x86_64_GPU"),
    _of("kubernetes-is-no-more", "cluster-supported", "1.27", version="1.27"),
    _of("own-image-never-joins", "joins-its-cluster", "ami-0a1b2c3d4e5f60718", own_image="ami-0a1b2c3d4e5f60718"),
    _of(
        "ssh-for-everyone",
        "not-open-to-the-world",
        "",
        replace(_AS_IT_SHOULD_BE, key="ops", let_in="sg-0a1"),
        let_in="",
    ),
    _of("metadata-without-a-token", "instance-metadata-guarded", "optional", _LIMITED, tokens="optional"),
    _of("metadata-for-pods-of-pods", "instance-metadata-guarded", "3", _LIMITED, hops=3),
    _of(
        "script-of-al2",
        "user-data-format",
        "/etc/eks/bootstrap.sh",
        replace(_AS_IT_SHOULD_BE, script=_SCRIPT),
        script=_FORM + "/etc/eks/bootstrap.sh train\n",
    ),
    _of(
        "token-in-the-script",
        "no-secret-in-plain-sight",
        "HF_TOKEN",
        replace(_AS_IT_SHOULD_BE, script=_SCRIPT),
        script=_FORM + "export HF_TOKEN=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\n",
    ),
    _of(
        "driver-over-the-images",
        "one-driver",
        "dnf install",
        replace(_AS_IT_SHOULD_BE, script=_SCRIPT),
        script=_FORM + "dnf install -y nvidia-driver\n",
    ),
    _of(
        "profiling-too-late",
        "profiling-before-driver",
        "NVreg_RestrictProfilingToAdminUsers",
        replace(_AS_IT_SHOULD_BE, script=_SCRIPT),
        script=_FORM + "echo options nvidia NVreg_RestrictProfilingToAdminUsers=0 > /etc/modprobe.d/nvprof.conf\n",
    ),
    _of("driver-of-both", "one-driver", "", _WITH_OPERATOR, values={"toolkit": {"enabled": False}}),
    _of("driver-of-neither", "one-driver", "", _WITH_OPERATOR, image="AL2023_x86_64_STANDARD"),
    _of(
        "toolkit-of-both",
        "one-toolkit",
        "",
        _WITH_OPERATOR,
        values={"driver": {"enabled": False}, "toolkit": {"enabled": True}},
    ),
    _of(
        "socket-of-k3s",
        "containerd-paths",
        "",
        _WITH_OPERATOR,
        values={
            "driver": {"enabled": False},
            "toolkit": {"env": [{"name": "CONTAINERD_SOCKET", "value": containerd_of("k3s").socket}]},
        },
    ),
)
