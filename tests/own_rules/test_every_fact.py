"""A rule of one's own over any kind of fact is judged at every moment that can have it, or skipped with a reason."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from nodeworthy.collect.collected import COLLECTED
from nodeworthy.facts.boot.script import BootPool, PromisedPool
from nodeworthy.facts.fleet.asked_for import MonitoringAsked, QueueAsked
from nodeworthy.facts.fleet.no_driver import GpusWithoutDriver
from nodeworthy.facts.fleet.pool_system import PoolSystem
from nodeworthy.facts.hami.setup import HamiRuntime
from nodeworthy.facts.not_seen import NotLookedAt, UnreadableInput
from nodeworthy.facts.operator.driver_flavour import DriverBranch, DriverFlavour
from nodeworthy.facts.operator.mig_layouts import MigLayouts
from nodeworthy.facts.operator.plugin_chart import PluginChart
from nodeworthy.facts.operator.told_of_parts import ToldPlugin
from nodeworthy.facts.pod.efa_plugin import EfaPlugin
from nodeworthy.facts.profiling.asked import ProfilingAsked
from nodeworthy.facts.profiling.nodes import DeclaredForProfiling
from nodeworthy.facts.secrets.planned_secret import CommittedPlan, SecretManifest
from nodeworthy.rule import Moment
from tests.case_files import command, whole
from tests.run import run_json

# Between them they have every kind of fact of their moment but those that are seldom, or come with their subject.
SHOWN: dict[Moment, Sequence[str]] = {
    Moment.SOURCE: (
        "dcgm-off-profiling-nodes/bad-source-registers-without-opting-out",
        "machine-drives-its-gpus/bad-secure-boot-and-the-extension",
        "one-device-plugin/bad-source-hamis-values-beside-the-manifest",
        "metrics-fit-their-disk/bad-source-fleet-says-otherwise",
        "hami-pods-mutated/bad-source-fleet-shares-all",
        "runtime-class-agrees/bad-source-no-such-runtime",
        "slurm-gpu-as-asked/bad-any-gpu",
        "slurm-gpu-as-asked/bad-fewer-than-promised",
        "slurm-gpu-as-asked/bad-node-sets-say-no-gres",
        "gpu-quantity/bad-its-queue-counts-none",
        "pod-can-use-gpus/bad-source-asked-where-nobody-listens",
        "pod-can-use-gpus/bad-source-room-for-its-model",
        "gpu-metrics-exist/bad-server-called-otherwise",
        "pod-can-use-gpus/bad-source-beside-it-an-api-gone",
        "firewall-no-wider/bad-defaults-file",
        "shell-parses/bad-lines-that-yaml-joins",
        "kubelet-survives-reboot/bad-archive-in-a-list",
        "database-replicated/bad-source-one-server",
        "hami-capacity-adds-up/bad-source-node-config",
        "hami-plugin-configured/bad-source-no-runtime",
        "metrics-fit-their-disk/bad-source-a-dash-too-many",
        "profiling-pod-privileged/bad-source-dedicated-node",
        "sharing-configured/good-time-slicing",
        "failure-is-loud/bad-goes-on-over-there",
        "one-driver/bad-source-user-data-of-karpenter",
        "containerd-paths/bad-source-nodes-of-eksctl",
        "efa-complete/bad-source-parallel-cluster",
        "not-open-to-the-world/bad-cloudformation-parameter",
        "not-open-to-the-world/bad-source-by-other-clouds-clients",
        "one-driver/bad-cdk-chart-beside-nvidia-image",
        "one-driver/bad-source-standard-image-under-pods",
        "one-driver/bad-source-gke-and-the-operator-leave-it",
        "no-secret-in-plain-sight/bad-cloudformation-parameter",
        "claims-resolvable/bad-source-names-that-are-not-there",
        "claims-resolvable/bad-source-driver-and-operator-disagree",
        "claims-resolvable/bad-source-release-without-the-override",
        "claims-resolvable/good-source-all-named",
        "efa-complete/bad-cloudformation-one-interface",
        "gpu-exists/bad-cloudformation-fleet",
        "input-readable/bad-key-that-stands-twice",
        "user-data-format/bad-source-terraform-after-nodeadm",
        "sharing-configured/bad-mig-that-nobody-can-cut",
        "driver-fits/bad-operator-open-modules-on-p3",
        "fleet-as-built/bad-source-cluster-of-terraform",
        "one-device-plugin/bad-image-has-one",
        "joins-its-cluster/bad-source-kubeadms-arguments",
        "metrics-fit-their-disk/bad-source-monitor-of-v1",
        "gpu-fits-a-node/bad-source-machines-of-cluster-api",
        "gpu-exists/bad-source-terraform-retired",
        "nodepool-can-serve/bad-classes-that-v1-refuses",
        "gpu-metrics-exist/bad-alert-on-no-metric",
        "gpu-metrics-exist/bad-list-of-the-exporter",
        "gpu-metrics-exist/bad-autoscaler-by-a-resource",
        "efa-complete/bad-plugin-of-other-machines",
        "sharing-configured/bad-options-that-it-does-not-know",
        "sharing-configured/bad-a-map-of-nothing",
        "slurm-configuration-read/good-cgroups",
        "gpu-quantity/good-source-quota-counts",
        "gpu-exists/bad-source-gke-refuses",
        "pool-size-fixed/bad-source-reserved-of-other-clouds",
        "driver-fits/bad-source-branches-of-the-operator",
        "driver-capabilities-allowed/good-source-dockerfile",
        "driver-capabilities-allowed/good-source-docker",
        "pod-can-use-gpus/good-source-compose-takes-it",
        "toolkit-env-wellformed/bad-source-patched-by-a-script",
        "gpu-quantity/good-source-queue",
        "gpu-metrics-exist/bad-options-of-the-exporter",
        "metrics-fit-their-disk/good-source-without-an-operator",
        "archives-answer/bad-old-key-of-cuda",
        "ansible-reads-tasks/bad-decimal-mode",
        "keys-kept-close/bad-keys-of-slurm",
        "munge-has-its-key/bad-started-again",
        "shell-parses/bad-epilog",
        "service-keeps-its-daemon/bad-simple",
        "node-configuration-read/bad-source-kubelet",
        "driver-fits/bad-source-extensions-of-two-branches",
    ),
    Moment.PLAN: (
        "sharing-configured/bad-plan-of-a-release",
        "claims-resolvable/bad-plan-classes",
        "gpu-quantity/bad-plan-quota-counts-nothing",
        "profiling-before-driver/bad-plan-october",
        "hami-pods-mutated/bad-plan-own-scheduler",
        "metrics-fit-their-disk/good-plan-fits",
        "database-replicated/bad-plan-none",
        "profiling-node-exists/good-plan-labels-in-a-file",
        "gpu-exists/bad-plan-fleets-of-ec2",
        "hami-policy-known/bad-plan-spelling",
        "hami-plugin-configured/bad-plan-mode",
        "metrics-fit-their-disk/bad-plan-none",
        "runtime-class-agrees/bad-plan-misspelt",
        "no-secret-in-plain-sight/bad-plan-stack-output",
        "database-replicated/bad-plan-password-in-the-pod",
        "no-secret-in-plain-sight/bad-plan-plain-in-the-stack",
        "no-secret-in-plain-sight/bad-plan-handed-to-kubernetes",
        "nodepool-can-serve/bad-plan-limit",
        "fleet-as-built/bad-plan-declared-otherwise",
        "os-fits-cluster/bad-plan-nodes-of-other-versions",
        "one-device-plugin/bad-plan-image-has-one",
    ),
    Moment.NODE: (
        "disk-has-room/bad-node-no-inodes",
        "pod-egress-forwarded/bad-node-incident",
        "registry-trusted/bad-node-k3s-by-https",
        "containerd-edit-survives/good-node-nodeadm",
        "gpus-healthy/bad-node-driver-lost-it",
        "driver-fits/bad-node-secure-boot",
    ),
    Moment.CLUSTER: (
        "hami-pods-mutated/bad-cluster-object-selector",
        "references-resolve/bad-cluster-queue-of-no-flavor",
        "containerd-paths/bad-cluster-incident",
        "profiling-node-exists/good-cluster-one-is-dedicated",
        "verification-yields/bad-cluster-incident",
        "gpus-not-held-idle/good-cluster-they-work",
        "pod-egress-forwarded/bad-cluster-incident",
        "database-replicated/bad-cluster-one-server",
        "gpu-quantity/bad-cluster-refused-by-the-api",
        "one-driver/bad-cluster-installer-beside-the-operators",
        "toolkit-reaches-containerd/bad-cluster-nobody-brings-the-runtime",
        "gpus-healthy/bad-cluster-eks-agent",
        "nodepool-can-serve/bad-cluster-limit",
    ),
}
SHOWN[Moment.WORKLOAD] = (
    "verification-yields/good-workload-given-back",
    "gpu-fast-enough/bad-below-the-baseline",
    "gpu-fast-enough/good-stands-a-burn",
    "storage-fast-enough/good-as-promised",
    "gpus-alike/bad-slow-sender",
    "decode-right/good-the-same",
    "allocation-honoured/good-one-and-four",
    "checkpoint-resumes/good-bitwise",
    "loader-feeds/good-workers-help",
    "gpu-as-asked/good-h100",
)
SHOWN[Moment.CLOUD] = (
    "cloud-matches-plan/good-as-declared",
    "cloud-matches-plan/unknown-program-breaks",
    "capacity-lasts/good-lasts-a-month",
    "machines-are-nodes/good-joined",
    "efa-complete/bad-cloud-group-not-open-to-itself",
)
ELSEWHERE: dict[Moment, set[type]] = {
    Moment.SOURCE: {BootPool, CommittedPlan, NotLookedAt, PromisedPool, QueueAsked, SecretManifest, UnreadableInput},
    Moment.PLAN: {
        BootPool,
        DeclaredForProfiling,
        DriverBranch,
        DriverFlavour,
        EfaPlugin,
        GpusWithoutDriver,
        HamiRuntime,
        MigLayouts,
        NotLookedAt,
        PluginChart,
        ProfilingAsked,
        PromisedPool,
        ToldPlugin,
        UnreadableInput,
    },
    Moment.NODE: {NotLookedAt, UnreadableInput},
    Moment.CLUSTER: {HamiRuntime, MonitoringAsked, NotLookedAt, QueueAsked, UnreadableInput},
    Moment.WORKLOAD: {NotLookedAt},
    Moment.CLOUD: {BootPool, NotLookedAt, PoolSystem, PromisedPool},
}
RULE = '''"""A rule of this house."""

from __future__ import annotations

from {module} import {fact}
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail

RULE = Rule(
    "{id}",
    severity=Severity.ERROR,
    title="Of this house",
    remedy="nothing",
    never_unknown="it only says that it was asked",
)


@RULE.check
def it_is_asked(fact: {fact}) -> Findings:
    yield fail(fact, "it was asked")
'''


def of_this_house(kind: type) -> str:
    return f"own-{kind.__name__.lower()}"


def judged(case: str, kinds: Sequence[type], folder: Path) -> dict[str, set[tuple[str, bool]]]:
    """What each rule said: its verdict, and whether it says more than that."""
    alone = shutil.copytree(whole(case), folder / case)
    (alone / "own").mkdir()
    for kind in kinds:
        text = RULE.format(module=kind.__module__, fact=kind.__name__, id=of_this_house(kind))
        (alone / f"own/{of_this_house(kind).replace('-', '_')}.py").write_text(text, encoding="utf-8")
    words = command(case)
    every = [each for before, each in pairwise(["", *words]) if "--rule" not in (before, each)]
    ran = run_json(*every, "--rules", "own", "--show-passed", cwd=alone)
    found: dict[str, set[tuple[str, bool]]] = defaultdict(set)
    for each in ran.findings:
        found[each["rule"]].add((each["verdict"], bool(each["message"])))
    return found


@pytest.mark.parametrize("moment", SHOWN, ids=lambda moment: moment.value)
def test_it_is_judged_or_skipped_with_a_reason(moment: Moment, tmp_path: Path) -> None:
    kinds = sorted(COLLECTED[moment], key=lambda kind: kind.__name__)
    seen = set[type]()
    for case in SHOWN[moment]:
        found = judged(case, kinds, tmp_path)
        for kind in kinds:
            said = found[of_this_house(kind)]
            assert said, f"nothing is said of {kind.__name__} in {case}"
            assert {verdict for verdict, _ in said} <= {"fail", "skip", "unknown"}
            assert all(has_words for _, has_words in said)
            if ("fail", True) in said:
                seen.add(kind)
    assert set(kinds) - seen == ELSEWHERE[moment]
