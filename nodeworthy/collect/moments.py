"""Which facts are collected at which moment, and so which rules can be proven when.

A collector that learns to make another kind of fact adds its type here; a rule's moments follow from what its
checks ask for, and nobody writes them down.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from nodeworthy.rule import BoundCheck, Many, Moment, Rule


@cache
def collected() -> Mapping[Moment, frozenset[type[Any]]]:
    """Every moment that has a collector, with the types of the facts that it makes."""
    from nodeworthy.facts.aws_stack import AwsResource, AwsStack
    from nodeworthy.facts.boot_script import BootPool, BootScript
    from nodeworthy.facts.daemonset_manifest import DaemonSetManifest
    from nodeworthy.facts.device_plugins import DevicePlugins
    from nodeworthy.facts.disk import Disk
    from nodeworthy.facts.efa_group import EfaGroups
    from nodeworthy.facts.gpu_pool import GpuPool
    from nodeworthy.facts.node import Node
    from nodeworthy.facts.node_drainer import NodeDrainers
    from nodeworthy.facts.node_files import NodeFiles
    from nodeworthy.facts.node_group import NodeGroup
    from nodeworthy.facts.node_sides import GuardedNodes
    from nodeworthy.facts.not_seen import NotLookedAt, UnreadableInput
    from nodeworthy.facts.operator_values import OperatorValues
    from nodeworthy.facts.plain_text import PlainText
    from nodeworthy.facts.plugins_on_nodes import PluginsOnNodes
    from nodeworthy.facts.pool_claim import PoolClaim
    from nodeworthy.facts.pool_system import PoolSystem
    from nodeworthy.facts.profiling_nodes import DeclaredForProfiling, ProfilingNodes
    from nodeworthy.facts.profiling_promise import ProfilingPromise
    from nodeworthy.facts.secret_manifest import SecretManifest
    from nodeworthy.facts.security_group import SecurityGroup
    from nodeworthy.facts.slurm_job import SlurmJob
    from nodeworthy.facts.toolkit_on_nodes import ToolkitOnNodes, UnservedFailures
    from nodeworthy.facts.ufw_firewall import UfwFirewall
    from nodeworthy.facts.watched_node import WatchedNode

    of_aws: set[type[Any]] = {
        AwsStack,
        AwsResource,
        NodeGroup,
        GuardedNodes,
        SecurityGroup,
        Disk,
        EfaGroups,
        NodeDrainers,
    }
    of_parts: frozenset[type[Any]] = frozenset(
        {DaemonSetManifest, DevicePlugins, ProfilingNodes, DeclaredForProfiling, PoolSystem}
    )
    return {
        Moment.SOURCE: of_parts
        | _of_pods()
        | _of_platform()
        | _of_hami()
        | frozenset(
            {
                BootScript,
                BootPool,
                OperatorValues,
                GpuPool,
                PoolClaim,
                PlainText,
                UnreadableInput,
                NodeFiles,
                SecretManifest,
                SlurmJob,
                UfwFirewall,
            }
        ),
        Moment.PLAN: of_parts
        | _of_pods()
        | _of_platform()
        | _of_hami()
        | _left_out()
        | frozenset(
            {
                ProfilingPromise,
                BootScript,
                BootPool,
                OperatorValues,
                GpuPool,
                PoolClaim,
                NotLookedAt,
                UnreadableInput,
            }
            | of_aws
        ),
        Moment.NODE: frozenset({Node, NotLookedAt, UnreadableInput}),
        Moment.CLUSTER: _of_pods()
        | _of_capacity()
        | _of_platform()
        | _of_hami()
        | _of_live_hami()
        | _of_live_pods()
        | frozenset(
            {
                PluginsOnNodes,
                WatchedNode,
                ProfilingPromise,
                OperatorValues,
                GpuPool,
                ToolkitOnNodes,
                UnservedFailures,
                NotLookedAt,
                UnreadableInput,
            }
        ),
    }


def _of_pods() -> frozenset[type[Any]]:
    """What makes pods, and what it is judged by."""
    from nodeworthy.facts.cluster_classes import ClusterClasses, RuntimeClass
    from nodeworthy.facts.node_size import NodeSize
    from nodeworthy.facts.pod_template import PodTemplate

    return frozenset({PodTemplate, NodeSize, RuntimeClass, ClusterClasses})


def _of_platform() -> frozenset[type[Any]]:
    """What measures the cluster, and what keeps its queue."""
    from nodeworthy.facts.asked_for import MonitoringAsked, QueueAsked
    from nodeworthy.facts.monitoring_stack import MonitoringStack, Scraping
    from nodeworthy.facts.queue_database import QueueDatabase

    return frozenset({MonitoringAsked, QueueAsked, MonitoringStack, Scraping, QueueDatabase})


def _of_hami() -> frozenset[type[Any]]:
    """What shares GPUs, and who asks for a share."""
    from nodeworthy.facts.hami_gpus import HamiGpus
    from nodeworthy.facts.hami_pod import HamiPod
    from nodeworthy.facts.hami_policies import Policy
    from nodeworthy.facts.hami_runtime import HamiRuntime
    from nodeworthy.facts.hami_setup import HamiSetup
    from nodeworthy.facts.hami_values import HamiNodeConfigs, HamiValues

    return frozenset({HamiValues, HamiNodeConfigs, HamiSetup, HamiPod, HamiGpus, HamiRuntime, Policy})


def _left_out() -> frozenset[type[Any]]:
    from nodeworthy.facts.asked_for import MonitoringNotPlanned, QueueNotPlanned

    return frozenset({MonitoringNotPlanned, QueueNotPlanned})


def _of_live_hami() -> frozenset[type[Any]]:
    """HAMi as a cluster has it."""
    from nodeworthy.facts.hami_crash import HamiCrashes
    from nodeworthy.facts.hami_health import HamiComponents
    from nodeworthy.facts.hami_installed import HamiInstallations
    from nodeworthy.facts.hami_metrics import HamiMetrics
    from nodeworthy.facts.hami_nodes import HamiPluginNodes
    from nodeworthy.facts.hami_skipped import UnmutatedPods
    from nodeworthy.facts.hami_sums import HamiSums

    return frozenset(
        {HamiInstallations, HamiComponents, HamiCrashes, HamiMetrics, HamiPluginNodes, UnmutatedPods, HamiSums}
    )


def _of_live_pods() -> frozenset[type[Any]]:
    from nodeworthy.facts.refused_pod import RefusedPods
    from nodeworthy.facts.verification_work import VerificationWork

    return frozenset({RefusedPods, VerificationWork})


def moments_of(rule: Rule) -> tuple[Moment, ...]:
    """The moments at which a rule can be proven, in their order. The engine's own findings are made at each."""
    return tuple(
        moment
        for moment, facts in collected().items()
        if (not rule.checks and rule.about_ourselves) or any(_has_all(check, facts) for check in rule.checks)
    )


def _has_all(check: BoundCheck, facts: frozenset[type[Any]]) -> bool:
    asked = (check.subject, *(each.type for each in check.context if each.many is not Many.OPTIONAL))
    return all(each in facts for each in asked)


def _of_capacity() -> frozenset[type[Any]]:
    """What is held, lost and waited for, which only a cluster tells."""
    from nodeworthy.facts.admissions import Admissions
    from nodeworthy.facts.idle_holders import HeldGpus
    from nodeworthy.facts.node_gpu_count import NodeGpuCount
    from nodeworthy.facts.pending_causes import Waiting

    return frozenset({Admissions, HeldGpus, NodeGpuCount, Waiting})
