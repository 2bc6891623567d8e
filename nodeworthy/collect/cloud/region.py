"""What one region of an account has that starts nodes, and what AWS refused to say of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

from nodeworthy.collect.cloud import calls
from nodeworthy.collect.cloud.answers import Answer, RegionAnswers
from nodeworthy.collect.cloud.words import tags_of
from nodeworthy.documents.plain import mapping_at, mappings_at, strings_at, text_at
from nodeworthy.facts.boot.script import POOL_LABEL
from nodeworthy.known.instances import has_gpus
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

Data = Mapping[str, Any]
# Asked of the whole region, whatever there is in it.
_AT_FIRST: Final = (
    calls.SCALING_GROUPS,
    calls.INSTANCES,
    calls.CLUSTERS,
    calls.SECURITY_GROUPS,
    calls.SUBNETS,
    calls.NETWORKS,
    calls.PLACEMENT_GROUPS,
    calls.RESERVATIONS,
    calls.STATUSES,
    calls.ENCRYPTION,
    calls.POLICIES,
    calls.SCHEDULES,
    calls.QUOTAS,
    calls.CLUSTER_VERSIONS,
    calls.EVENT_RULES,
    calls.FILE_SYSTEMS,
)
_OF_A_CLUSTER = ("kubernetes.io/cluster/", "k8s.io/cluster/")
_CLUSTER_NAMES = ("eks:cluster-name", "aws:eks:cluster-name", "alpha.eksctl.io/cluster-name", "KubernetesCluster")
_NAMES_AT_ONCE, _VOLUMES_AT_ONCE = 100, 200


@dataclass(frozen=True)
class Version:
    """A version of a launch template, as it is named: a number, or the newest, or the default one."""

    template: str
    named: str


class Region:
    """The answers of one region, each asked for once and found by name."""

    def __init__(self, asked: RegionAnswers) -> None:
        self.asked = asked

    def place_of_machine(self, identifier: str) -> Place:
        return Place(urn=f"arn:aws:ec2:{self.asked.region}:{self.asked.account}:instance/{identifier}")

    def ask_at_first(self) -> None:
        self.asked.ask_at_once((each, {}) for each in _AT_FIRST)
        names = list(self.cluster_names.items)
        about = [(calls.CLUSTER, {"name": each}) for each in names]
        about += [(call, {"clusterName": each}) for each in names for call in (calls.NODE_GROUPS, calls.INSIGHTS)]
        self.asked.ask_at_once(about)

    # Clusters

    @property
    def cluster_names(self) -> Answer:
        return self.asked.ask(calls.CLUSTERS)

    @cached_property
    def managed_groups(self) -> Sequence[Data]:
        """The managed node groups, as EKS describes them."""
        named = [(name, one) for name in self.cluster_names.items for one in self._names_of_groups(str(name))]
        asked = [(calls.NODE_GROUP, {"clusterName": name, "nodegroupName": one}) for name, one in named]
        return [found for each in self.asked.ask_at_once(asked) if isinstance(found := each.one, dict)]

    def _names_of_groups(self, cluster: str) -> Sequence[str]:
        return list(map(str, self.asked.ask(calls.NODE_GROUPS, clusterName=cluster).items))

    @property
    def refused_managed_groups(self) -> str:
        """Why not all of them are known."""
        if self.cluster_names.refused:
            return self.cluster_names.refused
        for name in self.cluster_names.items:
            listed = self.asked.ask(calls.NODE_GROUPS, clusterName=name)
            each = [
                self.asked.ask(calls.NODE_GROUP, clusterName=name, nodegroupName=one).refused for one in listed.items
            ]
            why = listed.refused or next(filter(None, each), "")
            if why:
                return why
        return ""

    # Groups

    @property
    def scaling_groups(self) -> Answer:
        return self.asked.ask(calls.SCALING_GROUPS)

    @cached_property
    def owned_by_eks(self) -> Mapping[str, Data]:
        """The managed node groups, by the names of the auto scaling groups behind them."""
        found: dict[str, Data] = {}
        for each in self.managed_groups:
            for one in mappings_at(each, "resources", "autoScalingGroups"):
                found[text_at(one, "name")] = each
        return found

    @cached_property
    def groups(self) -> Sequence[Data]:
        """The auto scaling groups that start nodes, or machines with GPUs. Those of web servers are nobody's business
        here."""
        return [each for each in self.scaling_groups.items if self._starts_nodes(each)]

    def _starts_nodes(self, group: Data) -> bool:
        tags = tags_of(group.get("Tags"))
        if cluster_of(tags) or POOL_LABEL in tags or text_at(group, "AutoScalingGroupName") in self.owned_by_eks:
            return True
        types = {text_at(each, "InstanceType") for each in mappings_at(group, "Instances")}
        types |= {text_at(each, "InstanceType") for each in overrides_of(group)}
        if not types and (version := version_of(group)) is not None:
            types = {text_at(self.version(version), "LaunchTemplateData", "InstanceType")}
        return any(has_gpus(each) for each in types if each)

    # Launch templates

    def version(self, named: Version) -> Data:
        """Empty where AWS does not say; `refused_version` says why."""
        found: Data = next(iter(self._version(named).items), {})
        return found

    def refused_version(self, named: Version) -> str:
        answer = self._version(named)
        gone = f"the launch template {named.template} has no version {named.named}"
        return answer.refused or ("" if answer.items else gone)

    def _version(self, named: Version) -> Answer:
        return self.asked.ask(calls.TEMPLATE_VERSIONS, LaunchTemplateId=named.template, Versions=[named.named])

    def ask_for_versions(self, named: Iterable[Version]) -> None:
        each = ({"LaunchTemplateId": one.template, "Versions": [one.named]} for one in named)
        self.asked.ask_at_once((calls.TEMPLATE_VERSIONS, arguments) for arguments in each)

    # Machines

    @property
    def instances_answer(self) -> Answer:
        return self.asked.ask(calls.INSTANCES)

    @cached_property
    def instances(self) -> Mapping[str, Data]:
        """The instances by their ids."""
        every = (one for each in self.instances_answer.items for one in mappings_at(each, "Instances"))
        return {text_at(each, "InstanceId"): each for each in every}

    def in_no_group(self, cluster: str) -> Sequence[str]:
        """The machines of a cluster that no auto scaling group started: Karpenter's, and single ones."""
        grouped = {identifier for group in self.scaling_groups.items for identifier, _ in members(group)}
        return [
            identifier
            for identifier, data in self.instances.items()
            if identifier not in grouped
            and text_at(data, "State", "Name") in ("pending", "running")
            and cluster_of(tags_of(data.get("Tags"))) == cluster
        ]

    @cached_property
    def volumes(self) -> Mapping[str, Data]:
        """The volumes, by their ids, of the machines that groups of nodes have."""
        return {text_at(one, "VolumeId"): one for each in self._volumes for one in each.items}

    @property
    def refused_volumes(self) -> str:
        return next((each.refused for each in self._volumes if each.refused), "")

    @cached_property
    def _volumes(self) -> Sequence[Answer]:
        attached = (
            text_at(each, "Ebs", "VolumeId")
            for group in self.groups
            for identifier, _ in members(group)
            for each in mappings_at(self.instances.get(identifier), "BlockDeviceMappings")
        )
        wanted = sorted(filter(None, attached))
        parts = [wanted[at : at + _VOLUMES_AT_ONCE] for at in range(0, len(wanted), _VOLUMES_AT_ONCE)]
        asked = ((calls.VOLUMES, {"Filters": [{"Name": "volume-id", "Values": part}]}) for part in parts)
        return self.asked.ask_at_once(asked)

    @cached_property
    def statuses(self) -> Mapping[str, Data]:
        return {text_at(each, "InstanceId"): each for each in self.asked.ask(calls.STATUSES).items}

    def images(self, ids: Iterable[str]) -> tuple[Mapping[str, Data], str]:
        """The images by their ids, and why not all are known."""
        wanted = sorted({each for each in ids if each.startswith("ami-")})
        parts = [wanted[at : at + _NAMES_AT_ONCE] for at in range(0, len(wanted), _NAMES_AT_ONCE)]
        answers = self.asked.ask_at_once(
            (calls.IMAGES, {"Filters": [{"Name": "image-id", "Values": part}]}) for part in parts
        )
        found = {text_at(one, "ImageId"): one for each in answers for one in each.items}
        return found, next((each.refused for each in answers if each.refused), "")

    def parameter(self, name: str) -> tuple[str, str]:
        """What stands in the parameter store, and why it is not known."""
        answer = self.asked.ask(calls.PARAMETER, Name=name)
        return text_at(answer.one, "Value"), answer.refused


def cluster_of(tags: Mapping[str, str]) -> str:
    """The cluster that tags name; empty where they name none."""
    for name in _CLUSTER_NAMES:
        if tags.get(name):
            return tags[name]
    prefixed = (name.removeprefix(prefix) for name in tags for prefix in _OF_A_CLUSTER if name.startswith(prefix))
    return next(prefixed, "")


def version_of(group: Data) -> Version | None:
    """The launch template that a group starts from now, and which version of it."""
    said = mapping_at(group, "LaunchTemplate") or mapping_at(
        group, "MixedInstancesPolicy", "LaunchTemplate", "LaunchTemplateSpecification"
    )
    identifier = text_at(said, "LaunchTemplateId")
    return Version(identifier, text_at(said, "Version") or "$Default") if identifier else None


def overrides_of(group: Data) -> Sequence[Data]:
    return mappings_at(group, "MixedInstancesPolicy", "LaunchTemplate", "Overrides")


def members(group: Data) -> Iterator[tuple[str, Data]]:
    """The instances of a group by id, as auto scaling lists them."""
    for each in mappings_at(group, "Instances"):
        yield text_at(each, "InstanceId"), each


def version_claimed(member: Data) -> Version | None:
    """What a machine says it was started from."""
    identifier = text_at(member, "LaunchTemplate", "LaunchTemplateId")
    return Version(identifier, text_at(member, "LaunchTemplate", "Version")) if identifier else None


def cluster_name(data: Data) -> str:
    """The name of a managed node group's cluster."""
    return text_at(data, "clusterName") or cluster_of(strings_at(data, "tags"))
