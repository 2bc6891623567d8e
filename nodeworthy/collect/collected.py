"""Which facts are collected at which moment. A collector that makes another kind of fact adds its type here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from nodeworthy.facts.accept.baseline import Baseline
from nodeworthy.facts.accept.burns import Burn
from nodeworthy.facts.accept.floors import CollectiveSpeeds, FleetFloors, GpuSpeeds, StorageSpeeds
from nodeworthy.facts.accept.given import Allocation, Loading, SeenGpus, Transport
from nodeworthy.facts.accept.given_back import GpusGivenBack
from nodeworthy.facts.accept.measure import RanTest
from nodeworthy.facts.accept.peers import PairMatrix, Peers
from nodeworthy.facts.accept.right import CheckpointCycle, Decoding, GpuChecksums, RanksAgreement
from nodeworthy.facts.ansible.tasks_as_written import TasksAsWritten
from nodeworthy.facts.aws.deployment import DeclaredResource, UnseenProgram
from nodeworthy.facts.aws.disk import Disk
from nodeworthy.facts.aws.efa_group import EfaGroups
from nodeworthy.facts.aws.ends import AnnouncedEvents, ClusterRelease, ImageAge
from nodeworthy.facts.aws.joined import JoinedMachines, NodeOfMachine
from nodeworthy.facts.aws.node_drainer import NodeDrainers
from nodeworthy.facts.aws.node_group import NodeGroup
from nodeworthy.facts.aws.node_sides import GuardedNodes
from nodeworthy.facts.aws.node_types import Ec2Fleet
from nodeworthy.facts.aws.parallel_cluster import ParallelCluster
from nodeworthy.facts.aws.room import NodeReservation, QuotaRoom, SubnetRoom
from nodeworthy.facts.aws.running import RunningNodes
from nodeworthy.facts.aws.security_group import SecurityGroup
from nodeworthy.facts.aws.settling import InstanceRefreshes, Launches
from nodeworthy.facts.aws.stack import AwsResource, AwsStack
from nodeworthy.facts.aws.world_ports import OpenedPort
from nodeworthy.facts.boot.broken_shell import BrokenShell
from nodeworthy.facts.boot.forking_service import ForkingService
from nodeworthy.facts.boot.gone_source_asked import GoneSourceAsked
from nodeworthy.facts.boot.kubeadm_config import KubeadmConfig
from nodeworthy.facts.boot.left_out import LeftOut
from nodeworthy.facts.boot.named_archives import NamedArchive
from nodeworthy.facts.boot.remote_script import RemoteScript, SendingScript
from nodeworthy.facts.boot.script import BootPool, BootScript, PromisedPool
from nodeworthy.facts.cluster.admission_causes import Admissions
from nodeworthy.facts.cluster.classes import ClusterClasses, RuntimeClass
from nodeworthy.facts.cluster.gpu_stack import GpuStack
from nodeworthy.facts.cluster.idle_holders import HeldGpus
from nodeworthy.facts.cluster.node_gpu_count import NodeGpuCount
from nodeworthy.facts.cluster.node_gpus import WatchedGpus
from nodeworthy.facts.cluster.offered_gpus import OfferedGpus
from nodeworthy.facts.cluster.pending_causes import Waiting
from nodeworthy.facts.cluster.plugins_on_nodes import PluginsOnNodes
from nodeworthy.facts.cluster.refused_pod import RefusedPods
from nodeworthy.facts.cluster.relations import Relations
from nodeworthy.facts.cluster.unanswered_pods import UnansweredPods
from nodeworthy.facts.containerd.image_handlers import ImageHandlers
from nodeworthy.facts.firewall.ufw_files import UfwFirewall
from nodeworthy.facts.fleet.as_built import BuiltCluster, BuiltNodes, UnbuiltPool
from nodeworthy.facts.fleet.asked_for import MonitoringAsked, MonitoringNotPlanned, QueueAsked, QueueNotPlanned
from nodeworthy.facts.fleet.asked_nodes import AskedNodes, SaidCluster, SaidMachines
from nodeworthy.facts.fleet.gpu_machine import GpuMachine
from nodeworthy.facts.fleet.gpu_pool import (
    AskedTypes,
    GpuPool,
    PoolDoor,
    RefusedMachines,
    ReservedMachines,
    RetiredMachines,
)
from nodeworthy.facts.fleet.karpenter import KarpenterClass, KarpenterPool, MisplacedNodes
from nodeworthy.facts.fleet.karpenter_choice import ChosenClass
from nodeworthy.facts.fleet.no_driver import DriverLeft, GpusWithoutDriver
from nodeworthy.facts.fleet.node_configuration import NodeConfiguration
from nodeworthy.facts.fleet.node_size import NodeSize
from nodeworthy.facts.fleet.pool_claim import PoolClaim
from nodeworthy.facts.fleet.pool_system import ClusterVersion, NodeVersion, PoolSystem
from nodeworthy.facts.fleet.served_pods import NodePools
from nodeworthy.facts.fleet.talos_extensions import NvidiaExtensions
from nodeworthy.facts.hami.cluster import HamiInstallations
from nodeworthy.facts.hami.crash import HamiCrashes
from nodeworthy.facts.hami.fault import HamiPluginNodes, HamiSums, UnmutatedPods
from nodeworthy.facts.hami.health import HamiComponents
from nodeworthy.facts.hami.metrics import HamiMetrics
from nodeworthy.facts.hami.pod import HamiPod
from nodeworthy.facts.hami.policies import Policy
from nodeworthy.facts.hami.setup import HamiRuntime, HamiSetup
from nodeworthy.facts.hami.shares import HamiGpus
from nodeworthy.facts.hami.values import HamiNodeConfigs, HamiValues
from nodeworthy.facts.node.boot import BootEnd, NodeBoot
from nodeworthy.facts.node.disks import NodeClock, NodeRoom
from nodeworthy.facts.node.driver import NodeDriver
from nodeworthy.facts.node.efa import NodeEfa
from nodeworthy.facts.node.fabric import NodeFabric
from nodeworthy.facts.node.files import NodeFiles
from nodeworthy.facts.node.firewall import NodeFirewall
from nodeworthy.facts.node.gpus import HostGpus, NodeSmi
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.kernel_log import NodeKernelLog
from nodeworthy.facts.node.kubelet import NodeKubelet
from nodeworthy.facts.node.module import NodeModule
from nodeworthy.facts.node.nodeadm import NodeNodeadm
from nodeworthy.facts.node.registries import NodeRegistries
from nodeworthy.facts.node.runtimes import NodeRuntimes, NodeToolkit
from nodeworthy.facts.node.storage import NodeStorage
from nodeworthy.facts.not_seen import DoubledKey, NotLookedAt, UnreadableInput
from nodeworthy.facts.operator.by_helm import OperatorByHelm
from nodeworthy.facts.operator.daemonset_manifest import DaemonSetManifest
from nodeworthy.facts.operator.device_plugins import DevicePlugins, PluginBesideImage
from nodeworthy.facts.operator.door_visitor import DoorVisitor
from nodeworthy.facts.operator.driver_daemonset import DriversOnNodes
from nodeworthy.facts.operator.driver_flavour import DriverBranch, DriverFlavour
from nodeworthy.facts.operator.mig_layouts import MigLayouts
from nodeworthy.facts.operator.plugin_chart import PluginChart
from nodeworthy.facts.operator.sharing import SharingConfig
from nodeworthy.facts.operator.told_of_parts import ConfiguredPart, ToldPlugin
from nodeworthy.facts.operator.toolkit_on_nodes import ToolkitOnNodes, UnservedFailures
from nodeworthy.facts.operator.values import OperatorValues, PatchedPolicy
from nodeworthy.facts.pod.beside_pods import ObjectOfGoneApi
from nodeworthy.facts.pod.claims import ClaimsAround, ComputeDomain, DeviceClass, DraDriver, ResourceClaim
from nodeworthy.facts.pod.docker_gpus import DockerGpus
from nodeworthy.facts.pod.efa_plugin import EfaPlugin
from nodeworthy.facts.pod.named_images import NamedImage, SaidCapabilities
from nodeworthy.facts.pod.queues import GpuQueue, LocalQueue, QueueCover
from nodeworthy.facts.pod.quotas import DeviceQuota
from nodeworthy.facts.pod.service import PodService
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.facts.pod.volume_claim import VolumeClaim
from nodeworthy.facts.profiling.asked import ProfilingAsked
from nodeworthy.facts.profiling.nodes import DeclaredForProfiling, ProfilingNodes, WatchedNode
from nodeworthy.facts.profiling.promise import ProfilingPromise
from nodeworthy.facts.secrets.keys_left_open import KeyLeftOpen
from nodeworthy.facts.secrets.plain_text import PlainText
from nodeworthy.facts.secrets.planned_secret import (
    CommittedPlan,
    ParameterDefault,
    PlannedObject,
    PlannedSecret,
    SecretManifest,
    StackOutput,
)
from nodeworthy.facts.secrets.terraform_text import TerraformText
from nodeworthy.facts.services.exporter_options import RefusedExporterOption
from nodeworthy.facts.services.gpu_queries import CollectedGpuMetric, GpuQuery
from nodeworthy.facts.services.gpu_scaling import GpuScaling
from nodeworthy.facts.services.monitoring_stack import (
    ExporterMonitor,
    MisplacedMonitor,
    MonitoringStack,
    Scraping,
    SplitEndpoint,
)
from nodeworthy.facts.services.prometheus_by_hand import HandmadePrometheus
from nodeworthy.facts.services.queue_database import QueueDatabase
from nodeworthy.facts.services.server_queries import ServerQuery
from nodeworthy.facts.slurm.configuration import GresConf, SlurmConf
from nodeworthy.facts.slurm.configuration_faults import CgroupConf
from nodeworthy.facts.slurm.job import SlurmJob
from nodeworthy.facts.slurm.munge_key import MungeKeyLaid
from nodeworthy.facts.slurm.node_sets import SlinkyNodeSet
from nodeworthy.facts.verification.work import VerificationWork
from nodeworthy.rule import BoundCheck, Many, Moment, Rule

Facts = frozenset[type[Any]]

# Kubernetes objects and Helm values, in a file, in a program, in a cluster.
_DECLARED_OR_RUNNING: Final[Facts] = frozenset(
    {
        ClusterClasses,
        GpuPool,
        HamiGpus,
        HamiNodeConfigs,
        HamiPod,
        HamiRuntime,
        HamiSetup,
        HamiValues,
        KarpenterPool,
        MonitoringAsked,
        MonitoringStack,
        NodeSize,
        OperatorValues,
        PodTemplate,
        Policy,
        QueueAsked,
        QueueDatabase,
        RuntimeClass,
        Scraping,
    }
)
# Whatever declares a fleet says it, as a file or as a program.
_DECLARED: Final[Facts] = frozenset(
    {
        BootPool,
        BootScript,
        BuiltCluster,
        BuiltNodes,
        ClaimsAround,
        ClusterVersion,
        ComputeDomain,
        DaemonSetManifest,
        DeclaredForProfiling,
        DeviceClass,
        DevicePlugins,
        DeviceQuota,
        DraDriver,
        DoorVisitor,
        DriverBranch,
        DriverFlavour,
        PlainText,
        GpusWithoutDriver,
        ImageHandlers,
        PluginBesideImage,
        PoolClaim,
        PoolDoor,
        PoolSystem,
        ProfilingAsked,
        ProfilingNodes,
        PromisedPool,
        ResourceClaim,
        MigLayouts,
        NodePools,
        NodeVersion,
        SharingConfig,
        ConfiguredPart,
        EfaPlugin,
        PluginChart,
        ToldPlugin,
    }
)
# Files alone say it.
_FILES: Final[Facts] = frozenset(
    {
        NvidiaExtensions,
        AskedNodes,
        AskedTypes,
        CgroupConf,
        CollectedGpuMetric,
        CommittedPlan,
        DockerGpus,
        DoubledKey,
        ExporterMonitor,
        GpuQuery,
        GpuMachine,
        GpuQueue,
        GpuScaling,
        GresConf,
        HandmadePrometheus,
        ServerQuery,
        ChosenClass,
        KarpenterClass,
        KubeadmConfig,
        LeftOut,
        LocalQueue,
        MisplacedMonitor,
        MisplacedNodes,
        NamedArchive,
        NamedImage,
        NodeConfiguration,
        NodeFiles,
        OpenedPort,
        OperatorByHelm,
        ParallelCluster,
        PatchedPolicy,
        ObjectOfGoneApi,
        PodService,
        QueueCover,
        SlinkyNodeSet,
        ParameterDefault,
        RefusedExporterOption,
        GoneSourceAsked,
        BrokenShell,
        ForkingService,
        KeyLeftOpen,
        MungeKeyLaid,
        TasksAsWritten,
        TerraformText,
        RemoteScript,
        RefusedMachines,
        DriverLeft,
        ReservedMachines,
        RetiredMachines,
        SaidCapabilities,
        SaidCluster,
        SaidMachines,
        SecretManifest,
        SendingScript,
        SlurmConf,
        SlurmJob,
        SplitEndpoint,
        UfwFirewall,
        VolumeClaim,
    }
)
# Resources of AWS say it: a Pulumi program, a template of CloudFormation, a plan of Terraform.
_OF_AWS: Final[Facts] = frozenset(
    {
        AwsResource,
        AwsStack,
        Disk,
        Ec2Fleet,
        EfaGroups,
        GuardedNodes,
        NodeDrainers,
        NodeGroup,
        NotLookedAt,
        SecurityGroup,
    }
)
# A Pulumi program says it.
_PROGRAM: Final[Facts] = frozenset(
    {
        MonitoringNotPlanned,
        PlannedObject,
        PlannedSecret,
        ProfilingPromise,
        QueueNotPlanned,
        StackOutput,
        UnbuiltPool,
    }
)
# AWS says it of what runs.
_CLOUD: Final[Facts] = frozenset(
    {
        AnnouncedEvents,
        BootPool,
        BootScript,
        ClusterRelease,
        DeclaredResource,
        GpuPool,
        ImageAge,
        InstanceRefreshes,
        JoinedMachines,
        Launches,
        NodeOfMachine,
        NodeReservation,
        NotLookedAt,
        PoolSystem,
        PromisedPool,
        QuotaRoom,
        RunningNodes,
        SubnetRoom,
        UnseenProgram,
    }
)
# A machine says it.
_MACHINE: Final[Facts] = frozenset(
    {
        BootEnd,
        HostGpus,
        NodeBoot,
        NodeClock,
        NodeDriver,
        NodeEfa,
        NodeFabric,
        NodeFirewall,
        NodeIdentity,
        NodeKernelLog,
        NodeKubelet,
        NodeModule,
        NodeNodeadm,
        NodeRegistries,
        NodeRoom,
        NodeRuntimes,
        NodeSmi,
        NodeStorage,
        NodeToolkit,
        NotLookedAt,
    }
)
# A running cluster says it.
_RUNNING: Final[Facts] = frozenset(
    {
        Admissions,
        GpuStack,
        HamiComponents,
        HamiCrashes,
        HamiInstallations,
        HamiMetrics,
        HamiPluginNodes,
        HamiSums,
        HeldGpus,
        NodeGpuCount,
        NotLookedAt,
        OfferedGpus,
        PluginsOnNodes,
        ProfilingPromise,
        RefusedPods,
        Relations,
        DriversOnNodes,
        ToolkitOnNodes,
        UnansweredPods,
        UnmutatedPods,
        UnservedFailures,
        VerificationWork,
        Waiting,
        WatchedGpus,
        WatchedNode,
    }
)
# Real work says it.
_WORK: Final[Facts] = frozenset(
    {
        Allocation,
        Baseline,
        Burn,
        CheckpointCycle,
        CollectiveSpeeds,
        Decoding,
        FleetFloors,
        GpuChecksums,
        GpuSpeeds,
        GpusGivenBack,
        Loading,
        NotLookedAt,
        PairMatrix,
        Peers,
        RanTest,
        RanksAgreement,
        SeenGpus,
        StorageSpeeds,
        Transport,
    }
)

COLLECTED: Final[Mapping[Moment, Facts]] = {
    Moment.SOURCE: _DECLARED_OR_RUNNING | _DECLARED | _FILES | _OF_AWS | {UnreadableInput},
    Moment.PLAN: _DECLARED_OR_RUNNING | _DECLARED | _PROGRAM | _OF_AWS | {UnreadableInput},
    Moment.CLOUD: (_OF_AWS - {AwsResource, Ec2Fleet}) | _CLOUD,
    Moment.NODE: _MACHINE | {UnreadableInput},
    Moment.CLUSTER: _DECLARED_OR_RUNNING | _RUNNING | {UnreadableInput},
    Moment.WORKLOAD: _WORK,
}


# A rule's moments follow from what its checks ask for; nobody writes them down.


def moments_of(rule: Rule) -> tuple[Moment, ...]:
    """The moments at which a rule can be proven, in their order. The engine's own findings are made at each."""
    return tuple(
        moment
        for moment, facts in COLLECTED.items()
        if (not rule.checks and rule.about_ourselves) or any(_has_all(check, facts) for check in rule.checks)
    )


def _has_all(check: BoundCheck, facts: Facts) -> bool:
    asked = (check.subject, *(each.type for each in check.context if each.many is not Many.OPTIONAL))
    return all(each in facts for each in asked)
