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
    from nodeworthy.facts.aws.disk import Disk
    from nodeworthy.facts.aws.efa_group import EfaGroups
    from nodeworthy.facts.aws.node_drainer import NodeDrainers
    from nodeworthy.facts.aws.node_group import NodeGroup
    from nodeworthy.facts.aws.node_sides import GuardedNodes
    from nodeworthy.facts.aws.security_group import SecurityGroup
    from nodeworthy.facts.aws.stack import AwsResource, AwsStack
    from nodeworthy.facts.boot.script import BootPool, BootScript
    from nodeworthy.facts.cluster.plugins_on_nodes import PluginsOnNodes
    from nodeworthy.facts.firewall.ufw_firewall import UfwFirewall
    from nodeworthy.facts.fleet.gpu_pool import GpuPool
    from nodeworthy.facts.fleet.pool_claim import PoolClaim
    from nodeworthy.facts.fleet.pool_system import PoolSystem
    from nodeworthy.facts.node.files import NodeFiles
    from nodeworthy.facts.node.node import Node
    from nodeworthy.facts.not_seen import NotLookedAt, UnreadableInput
    from nodeworthy.facts.operator.daemonset_manifest import DaemonSetManifest
    from nodeworthy.facts.operator.device_plugins import DevicePlugins
    from nodeworthy.facts.operator.toolkit_on_nodes import ToolkitOnNodes, UnservedFailures
    from nodeworthy.facts.operator.values import OperatorValues
    from nodeworthy.facts.profiling.nodes import DeclaredForProfiling, ProfilingNodes
    from nodeworthy.facts.profiling.promise import ProfilingPromise
    from nodeworthy.facts.profiling.watched_node import WatchedNode
    from nodeworthy.facts.secrets.plain_text import PlainText
    from nodeworthy.facts.secrets.secret_manifest import SecretManifest
    from nodeworthy.facts.slurm.job import SlurmJob

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
                PlainText,
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
    from nodeworthy.facts.cluster.classes import ClusterClasses, RuntimeClass
    from nodeworthy.facts.fleet.node_size import NodeSize
    from nodeworthy.facts.pod.template import PodTemplate

    return frozenset({PodTemplate, NodeSize, RuntimeClass, ClusterClasses})


def _of_platform() -> frozenset[type[Any]]:
    """What measures the cluster, and what keeps its queue."""
    from nodeworthy.facts.fleet.asked_for import MonitoringAsked, QueueAsked
    from nodeworthy.facts.services.monitoring_stack import MonitoringStack, Scraping
    from nodeworthy.facts.services.queue_database import QueueDatabase

    return frozenset({MonitoringAsked, QueueAsked, MonitoringStack, Scraping, QueueDatabase})


def _of_hami() -> frozenset[type[Any]]:
    """What shares GPUs, and who asks for a share."""
    from nodeworthy.facts.hami.gpus import HamiGpus
    from nodeworthy.facts.hami.pod import HamiPod
    from nodeworthy.facts.hami.policies import Policy
    from nodeworthy.facts.hami.runtime import HamiRuntime
    from nodeworthy.facts.hami.setup import HamiSetup
    from nodeworthy.facts.hami.values import HamiNodeConfigs, HamiValues

    return frozenset({HamiValues, HamiNodeConfigs, HamiSetup, HamiPod, HamiGpus, HamiRuntime, Policy})


def _left_out() -> frozenset[type[Any]]:
    from nodeworthy.facts.fleet.asked_for import MonitoringNotPlanned, QueueNotPlanned

    return frozenset({MonitoringNotPlanned, QueueNotPlanned})


def _of_live_hami() -> frozenset[type[Any]]:
    """HAMi as a cluster has it."""
    from nodeworthy.facts.hami.crash import HamiCrashes
    from nodeworthy.facts.hami.health import HamiComponents
    from nodeworthy.facts.hami.installed import HamiInstallations
    from nodeworthy.facts.hami.metrics import HamiMetrics
    from nodeworthy.facts.hami.nodes import HamiPluginNodes
    from nodeworthy.facts.hami.skipped import UnmutatedPods
    from nodeworthy.facts.hami.sums import HamiSums

    return frozenset(
        {HamiInstallations, HamiComponents, HamiCrashes, HamiMetrics, HamiPluginNodes, UnmutatedPods, HamiSums}
    )


def _of_live_pods() -> frozenset[type[Any]]:
    from nodeworthy.facts.cluster.refused_pod import RefusedPods
    from nodeworthy.facts.verification.work import VerificationWork

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
    from nodeworthy.facts.cluster.admissions import Admissions
    from nodeworthy.facts.cluster.idle_holders import HeldGpus
    from nodeworthy.facts.cluster.node_gpu_count import NodeGpuCount
    from nodeworthy.facts.cluster.pending_causes import Waiting

    return frozenset({Admissions, HeldGpus, NodeGpuCount, Waiting})
