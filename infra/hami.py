"""HAMi, where the fleet shares GPUs: it hands them out then, in place of the operator's device plugin.

Its plugin runs on the nodes that say `gpu=on`, which ours do as they register (`userdata`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gpu_operator
import pulumi
import pulumi_kubernetes as kubernetes
from pulumi_kubernetes.helm.v3 import Release, ReleaseArgs, RepositoryOptsArgs

from nodeworthy.fleet.model import Fleet
from nodeworthy.verdict import need

NAME = "hami"
VERSION = "2.10.0"
REPOSITORY = "https://project-hami.github.io/HAMi/"
RUNTIME_CLASS = "nvidia"


def build(fleet: Fleet, provider: kubernetes.Provider | None, after: Sequence[pulumi.Resource]) -> Release | None:
    if fleet.hami is None or not fleet.gpu_pools:
        return None
    return Release(
        NAME,
        ReleaseArgs(
            name=NAME,
            chart=NAME,
            version=VERSION,
            repository_opts=RepositoryOptsArgs(repo=REPOSITORY),
            namespace=fleet.hami.namespace,
            create_namespace=True,
            values={
                "scheduler": _scheduler(fleet),
                "devicePlugin": _plugin(fleet),
                "prometheus": {"enabled": fleet.monitoring is not None},
            },
        ),
        opts=pulumi.ResourceOptions(provider=provider, depends_on=after),
    )


def _scheduler(fleet: Fleet) -> dict[str, Any]:
    # Of the cluster's own version, or it speaks with an API server that it does not know.
    told: dict[str, Any] = {"kubeScheduler": {"image": {"tag": f"v{need(fleet.cluster.version)}.0"}}}
    if any(not pool.is_gpu for pool in fleet.pools):
        return told
    return {**told, "tolerations": gpu_operator.TOLERATIONS, "patch": {"tolerations": gpu_operator.TOLERATIONS}}


def _plugin(fleet: Fleet) -> dict[str, Any]:
    return {
        "runtimeClassName": RUNTIME_CLASS,
        # The operator makes it, where there is one.
        "createRuntimeClass": fleet.operator is None,
        "tolerations": gpu_operator.TOLERATIONS,
    }
