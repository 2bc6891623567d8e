"""Whether a pod asks HAMi for anything: what it asks for, and its annotations, say so."""

from __future__ import annotations

from nodeworthy.facts.pod.containers import Container, is_gpu_resource
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.known.hami import Resources, annotation_names

POLICIES = (annotation_names().node_policy, annotation_names().gpu_policy)


def is_hamis(pod: PodTemplate, names: Resources, *, has_all_gpus: bool) -> bool:
    """Whether it says itself that it is for HAMi: by what it asks for, or by its annotations."""
    asked = {name for each in pod.containers for name in resources_asked_by(each)}
    if not asked.isdisjoint(names.shares) or any(name in pod.annotations for name in POLICIES):
        return True
    return has_all_gpus and names.count in asked


def asks_for_devices(pod: PodTemplate) -> bool:
    """Whether it asks for anything that HAMi could hand out, of any maker: `huawei.com/Ascend910B`, say."""
    asked = (name for each in pod.containers for name in resources_asked_by(each))
    return any(is_gpu_resource(name) or "/" in name for name in asked)


def resources_asked_by(container: Container) -> frozenset[str]:
    return frozenset((*container.limits.mapping, *container.requests.mapping))
