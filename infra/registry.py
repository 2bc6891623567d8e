"""Registry caches inside the cluster: nodes pull through them, by names that their boot scripts know the address of."""

from __future__ import annotations

from typing import Any

import pulumi
import pulumi_kubernetes as kubernetes
from cluster import Cluster
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from registry_pod import Cache, cache, config, pod
from storage import Disks

from nodeworthy.fleet.model import Fleet
from nodeworthy.rules import registry_resolvable
from nodeworthy.verdict import need

ROOM = "200Gi"
BUILT_IN = ("default", "kube-system", "kube-public", "kube-node-lease")
# The token in the stack's config is for this registry, and is sent to no other.
PRIVATE = "ghcr.io"


def build(fleet: Fleet, cluster: Cluster, disks: Disks) -> list[kubernetes.core.v1.Service]:
    caches = {each.name: each for each in map(cache, fleet.registries) if registry_resolvable.is_in_cluster(each.name)}
    token = pulumi.Config("nodeworthy").get_secret("registryToken")
    by = pulumi.ResourceOptions(provider=cluster.kubernetes)
    within = [
        kubernetes.core.v1.Namespace(name, metadata={"name": name}, opts=by)
        for name in sorted({each.namespace for each in caches.values()} - set(BUILT_IN))
    ]
    opts = pulumi.ResourceOptions.merge(by, pulumi.ResourceOptions(depends_on=within))
    return [
        _built(each, _address(fleet, cluster, each), disks, token if each.registry.mirrors == PRIVATE else None, opts)
        for each in caches.values()
    ]


def _address(fleet: Fleet, cluster: Cluster, cache: Cache) -> pulumi.Output[str]:
    """The address that the nodes' boot scripts write beside its name."""
    hosts = [need(each.host) for each in fleet.registries]
    services = cluster.control_plane.kubernetes_network_config.service_ipv4_cidr
    return services.apply(lambda told: registry_resolvable.registry_addresses(hosts, told)[cache.name])


def _built(
    cache: Cache,
    address: pulumi.Output[str],
    disks: Disks,
    token: pulumi.Output[str] | None,
    opts: pulumi.ResourceOptions,
) -> kubernetes.core.v1.Service:
    name, metadata = cache.resource, cache.metadata()
    claim = disks.claim(name, metadata, ROOM, opts)
    told = kubernetes.core.v1.ConfigMap(name, metadata=metadata, data={"config.yml": config(cache)}, opts=opts)
    credentials = _secret(name, metadata, token, opts) if token is not None else None
    deployment: Any = {
        "replicas": 1,
        # Its disk is in one place at a time.
        "strategy": {"type": "Recreate"},
        "selector": {"match_labels": cache.labels},
        "template": {"metadata": {"labels": cache.labels}, "spec": pod(cache, told, claim, credentials)},
    }
    kubernetes.apps.v1.Deployment(name, metadata=metadata, spec=deployment, opts=opts)
    ports = [{"name": "registry", "port": cache.port, "target_port": "registry"}]
    service: Any = {"cluster_ip": address, "selector": cache.labels, "ports": ports}
    return kubernetes.core.v1.Service(name, metadata=metadata, spec=service, opts=opts)


def _secret(
    name: str, metadata: ObjectMetaArgs, token: pulumi.Output[str], opts: pulumi.ResourceOptions
) -> kubernetes.core.v1.Secret:
    # The registry wants a name beside a token, and any will do.
    holds = token.apply(lambda token: {"username": "token", "password": token})
    return kubernetes.core.v1.Secret(name, metadata=metadata, string_data=holds, opts=opts)
