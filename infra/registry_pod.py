"""What a registry cache is made of: its config, and the pod that it runs in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml
from pulumi_kubernetes.core.v1 import ConfigMap, PersistentVolumeClaim, Secret
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs

from nodeworthy.fleet.model import Registry
from nodeworthy.rules import registry_resolvable
from nodeworthy.verdict import need

IMAGE = "docker.io/library/registry:3.0.0"
CONFIG = "/etc/distribution"
STORE = "/var/lib/registry"
CERTIFICATE = "/etc/tls"
# Where the registry of a name is reached, if not under that name.
UPSTREAM = {"docker.io": "registry-1.docker.io"}


@dataclass(frozen=True)
class Cache:
    """What a host such as registry-ghcr.gpu-controlplane.svc.cluster.local:5000 asks for."""

    registry: Registry
    name: str
    port: int

    @property
    def service(self) -> str:
        return self.name.split(".")[0]

    @property
    def namespace(self) -> str:
        return [*self.name.split("."), "default"][1]

    @property
    def resource(self) -> str:
        return f"{self.service}.{self.namespace}"

    @property
    def labels(self) -> dict[str, str]:
        return {"app.kubernetes.io/name": "registry", "app.kubernetes.io/instance": self.service}

    def metadata(self) -> ObjectMetaArgs:
        return ObjectMetaArgs(name=self.service, namespace=self.namespace, labels=self.labels)


def cache(registry: Registry) -> Cache:
    host = need(registry.host)
    name = registry_resolvable.name_of(host)
    port = host.removeprefix(name).removeprefix(":") or ("80" if registry.plain_http else "443")
    return Cache(registry, name, int(port))


def config(cache: Cache) -> str:
    http: dict[str, Any] = {"addr": f":{_inside(cache)}"}
    if not cache.registry.plain_http:
        http["tls"] = {"certificate": f"{CERTIFICATE}/tls.crt", "key": f"{CERTIFICATE}/tls.key"}
    told: dict[str, Any] = {
        "version": 0.1,
        "log": {"level": "info"},
        "storage": {"filesystem": {"rootdirectory": STORE}, "delete": {"enabled": True}},
        "http": http,
        "health": {"storagedriver": {"enabled": True, "interval": "10s", "threshold": 3}},
    }
    mirrors = cache.registry.mirrors
    if mirrors is not None:
        told["proxy"] = {"remoteurl": f"https://{UPSTREAM.get(mirrors, mirrors)}"}
    return yaml.safe_dump(told, sort_keys=False)


def _inside(cache: Cache) -> int:
    """Who is not root can't listen below 1024."""
    return cache.port if cache.port > 1023 else 5000


def pod(cache: Cache, told: ConfigMap, claim: PersistentVolumeClaim, credentials: Secret | None) -> dict[str, Any]:
    volumes: list[dict[str, Any]] = [
        {"name": "config", "config_map": {"name": told.metadata.name}},
        {"name": "store", "persistent_volume_claim": {"claim_name": claim.metadata.name}},
    ]
    mounts: list[dict[str, Any]] = [
        {"name": "config", "mount_path": CONFIG},
        {"name": "store", "mount_path": STORE},
    ]
    if not cache.registry.plain_http:
        # Whoever hands out certificates in this cluster keeps the cache's own there.
        volumes.append({"name": "certificate", "secret": {"secret_name": f"{cache.service}-tls"}})
        mounts.append({"name": "certificate", "mount_path": CERTIFICATE, "read_only": True})
    return {
        "automount_service_account_token": False,
        "security_context": {"run_as_non_root": True, "run_as_user": 1000, "run_as_group": 1000, "fs_group": 1000},
        "containers": [{**_container(cache), "env": _credentials(credentials), "volume_mounts": mounts}],
        "volumes": volumes,
    }


def _container(cache: Cache) -> dict[str, Any]:
    scheme = "HTTP" if cache.registry.plain_http else "HTTPS"
    answers = {"path": "/", "port": "registry", "scheme": scheme}
    return {
        "name": "registry",
        "image": IMAGE,
        "args": ["serve", f"{CONFIG}/config.yml"],
        "ports": [{"name": "registry", "container_port": _inside(cache)}],
        "readiness_probe": {"http_get": answers, "period_seconds": 5},
        "liveness_probe": {"http_get": answers, "period_seconds": 20, "failure_threshold": 6},
        "resources": {"requests": {"cpu": "250m", "memory": "512Mi"}, "limits": {"memory": "2Gi"}},
        "security_context": {"allow_privilege_escalation": False, "capabilities": {"drop": ["ALL"]}},
    }


def _credentials(secret: Secret | None) -> list[dict[str, Any]]:
    """By reference: the token stands in the Secret, and in no manifest."""
    if secret is None:
        return []
    keys = {"REGISTRY_PROXY_USERNAME": "username", "REGISTRY_PROXY_PASSWORD": "password"}
    return [
        {"name": name, "value_from": {"secret_key_ref": {"name": secret.metadata.name, "key": key}}}
        for name, key in keys.items()
    ]
