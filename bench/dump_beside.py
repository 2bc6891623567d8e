"""What stands in a large cluster beside nodes and pods: queues and their work, volumes, services, devices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

Object = dict[str, Any]
_WHEN = "2026-03-02T08:15:00Z"
_KUEUE, _DRA = "kueue.x-k8s.io/v1beta1", "resource.k8s.io/v1"
_TEAMS = 16
# A training job has eight nodes, and a Deployment pods on ten of them.
_NODES_A_JOB, _NODES_A_DEPLOYMENT = 8, 10
_CLAIMS_A_NODE = 4
_ZONES = ("eu-west-1a", "eu-west-1b", "eu-west-1c")


def beside(nodes: int) -> Mapping[str, Iterator[Object]]:
    """By the name of the list."""
    jobs, deployments = max(nodes // _NODES_A_JOB, 1), max(nodes // _NODES_A_DEPLOYMENT, 1)
    claims = range(nodes * _CLAIMS_A_NODE)
    of_teams = [(team, each) for team in range(_TEAMS) for each in range(deployments)]
    return {
        "namespaces": (_object("v1", "Namespace", _team(team), "", labels={"team": _team(team)}) for team in range(16)),
        "jobs": (_job(each) for each in range(jobs)),
        "workloads": (_workload(each, admitted=each % 2 == 0) for each in range(jobs * 2)),
        "localqueues": (_queue(team) for team in range(_TEAMS)),
        "clusterqueues": iter([_cluster_queue()]),
        "resourceflavors": iter([_object(_KUEUE, "ResourceFlavor", "h200", "")]),
        "persistentvolumeclaims": map(_claim, claims),
        "persistentvolumes": map(_volume, claims),
        "storageclasses": iter([{**_object("storage.k8s.io/v1", "StorageClass", "fast", ""), "provisioner": "disk"}]),
        "services": (_service(*each) for each in of_teams),
        "endpointslices": (_slice(*each) for each in of_teams),
        "deployments": (_deployment(*each) for each in of_teams),
        "resourceslices": map(_devices, range(nodes)),
        "network-attachment-definitions": map(_network, range(_TEAMS)),
    }


def _team(number: int) -> str:
    return f"team-{number:02}"


def _object(version: str, kind: str, name: str, namespace: str, labels: Mapping[str, str] | None = None) -> Object:
    where = {"namespace": namespace} if namespace else {}
    metadata = {"creationTimestamp": _WHEN, "name": name, **where, "resourceVersion": "1482301", "labels": labels or {}}
    return {"apiVersion": version, "kind": kind, "metadata": metadata}


def _template(gpus: int) -> Object:
    amounts = {"cpu": "2", "memory": "4Gi", **({"nvidia.com/gpu": str(gpus)} if gpus else {})}
    container = {"name": "main", "image": "registry.example.com/team/image:1.2.3", "resources": {"requests": amounts}}
    return {"metadata": {"labels": {"app": "main"}}, "spec": {"containers": [container]}}


def _job(number: int) -> Object:
    labels = {"kueue.x-k8s.io/queue-name": "gpus"}
    spec = {"parallelism": _NODES_A_JOB, "suspend": False, "template": _template(8)}
    return {**_object("batch/v1", "Job", f"train-{number}", "research", labels), "spec": spec}


def _workload(number: int, *, admitted: bool) -> Object:
    made = _object(_KUEUE, "Workload", f"job-train-{number // 2}-{number:05}", _team(number % _TEAMS))
    made["metadata"]["ownerReferences"] = [{"apiVersion": "batch/v1", "kind": "Job", "name": f"train-{number // 2}"}]
    told = {"lastTransitionTime": _WHEN, "message": "couldn't assign flavors: insufficient unused quota", "reason": "x"}
    conditions = [{**told, "type": "Admitted" if admitted else "QuotaReserved", "status": str(admitted)}]
    spec = {"queueName": "gpus", "podSets": [{"count": _NODES_A_JOB, "name": "main", "template": _template(8)}]}
    return {**made, "spec": spec, "status": {"conditions": conditions}}


def _queue(team: int) -> Object:
    return {**_object(_KUEUE, "LocalQueue", "gpus", _team(team)), "spec": {"clusterQueue": "all"}}


def _cluster_queue() -> Object:
    flavors = [{"name": "h200", "resources": [{"name": "nvidia.com/gpu", "nominalQuota": 40_000}]}]
    groups = [{"coveredResources": ["nvidia.com/gpu"], "flavors": flavors}]
    return {**_object(_KUEUE, "ClusterQueue", "all", ""), "spec": {"namespaceSelector": {}, "resourceGroups": groups}}


def _claim(number: int) -> Object:
    made = _object("v1", "PersistentVolumeClaim", f"data-{number:06}", _team(number % _TEAMS))
    spec = {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast", "volumeName": f"pvc-{number:06}"}
    return {**made, "spec": spec, "status": {"phase": "Bound"}}


def _volume(number: int) -> Object:
    zone = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [_ZONES[number % len(_ZONES)]]}
    affinity = {"required": {"nodeSelectorTerms": [{"matchExpressions": [zone]}]}}
    spec = {
        "storageClassName": "fast",
        "nodeAffinity": affinity,
        "csi": {"driver": "disk", "volumeHandle": f"{number}"},
    }
    made = _object("v1", "PersistentVolume", f"pvc-{number:06}", "")
    return {**made, "spec": spec, "status": {"phase": "Bound"}}


def _service(team: int, number: int) -> Object:
    spec = {"clusterIP": "10.0.0.1", "ports": [{"port": 80}], "selector": {"app": f"web-{number}"}}
    return {**_object("v1", "Service", f"web-{number}", _team(team)), "spec": spec}


def _slice(team: int, number: int) -> Object:
    labels = {"kubernetes.io/service-name": f"web-{number}"}
    ends = [{"addresses": ["10.1.1.1"], "conditions": {"ready": True}}] * _NODES_A_DEPLOYMENT
    made = _object("discovery.k8s.io/v1", "EndpointSlice", f"web-{number}-x", _team(team), labels)
    return {**made, "addressType": "IPv4", "endpoints": ends, "ports": [{"port": 80}]}


def _deployment(team: int, number: int) -> Object:
    spec = {"replicas": _NODES_A_DEPLOYMENT, "selector": {"matchLabels": {"app": "main"}}, "template": _template(0)}
    return {**_object("apps/v1", "Deployment", f"web-{number}", _team(team)), "spec": spec}


def _devices(number: int) -> Object:
    node = f"gpu-node-{number:05}"
    devices = [{"name": f"gpu-{each}", "attributes": {"type": {"string": "gpu"}}} for each in range(8)]
    spec = {"driver": "gpu.nvidia.com", "nodeName": node, "pool": {"name": node}, "devices": devices}
    return {**_object(_DRA, "ResourceSlice", f"{node}-gpu", ""), "spec": spec}


def _network(team: int) -> Object:
    made = _object("k8s.cni.cncf.io/v1", "NetworkAttachmentDefinition", "rail", _team(team))
    made["metadata"]["annotations"] = {"k8s.v1.cni.cncf.io/resourceName": "nvidia.com/rail"}
    return {**made, "spec": {"config": '{"cniVersion": "0.3.1", "type": "ib-sriov"}'}}
