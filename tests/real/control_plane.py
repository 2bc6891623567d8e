"""A real Kubernetes control plane on 127.0.0.1: etcd, an API server and, where they matter, its controllers.

There is no kubelet, so nothing runs: what this proves is what the API server, the scheduler and the controllers say.
`kubelet_node.py` adds one.
"""

from __future__ import annotations

import json
import secrets
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from .certificates import Authority, new_key, save_key
from .daemon import Daemon, scratch
from .kube_client import KubeClient
from .ports import free_ports
from .tools import Tools

SERVICE_RANGE = "10.96.0.0/16"


class ControlPlane:
    """With `controllers`, the scheduler and the controller manager run too, and service accounts come to be."""

    url: str
    home: Path
    ca_file: Path
    kubeconfig: Path
    client: KubeClient

    def __init__(self, tools: Tools, *, controllers: bool = False, service_range: str = SERVICE_RANGE) -> None:
        names = ["etcd", "kube-apiserver", *(["kube-scheduler", "kube-controller-manager"] if controllers else [])]
        self.programs = {name: tools.path(name) for name in names}
        self.controllers = controllers
        self.service_range = service_range
        self.token = secrets.token_hex(16)
        self.daemons: dict[str, Daemon] = {}
        self._cleanup = ExitStack()

    def __enter__(self) -> Self:
        try:
            self.home = Path(self._cleanup.enter_context(scratch("control-plane")))
            self._write_credentials()
            self._start_api_server(self._start_etcd())
            if self.controllers:
                self._start_controllers()
        except BaseException:
            self._cleanup.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._cleanup.close()  # last started, first killed

    def kubeconfig_for(self, user: str | None = None) -> str:
        """For the administrator, or for a user of any name who has no rights but those that the test gives."""
        who = {"token": self.token, **({"as": user} if user else {})}
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "real", "cluster": {"server": self.url, "certificate-authority": str(self.ca_file)}}],
            "users": [{"name": "real", "user": who}],
            "contexts": [{"name": "real", "context": {"cluster": "real", "user": "real"}}],
            "current-context": "real",
        }
        return json.dumps(document, indent=2)  # JSON is YAML

    def _write_credentials(self) -> None:
        authority = Authority.create()
        self.ca_file = authority.save(self.home / "ca.crt")
        authority.issue_for_localhost(self.home / "server.crt", self.home / "server.key")
        save_key(new_key(), self.home / "service-accounts.key")
        (self.home / "tokens.csv").write_text(f'{self.token},admin,admin,"system:masters"\n')

    def _start_etcd(self) -> str:
        """Answers where it listens."""
        client_port, peer_port = free_ports(2)
        client, peer = f"http://127.0.0.1:{client_port}", f"http://127.0.0.1:{peer_port}"
        self._start(
            "etcd",
            f"--data-dir={self.home}/etcd",
            "--unsafe-no-fsync",  # nothing here outlives the test
            f"--listen-client-urls={client}",
            f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=default={peer}",
        )
        return client

    def _start_api_server(self, etcd: str) -> None:
        (port,) = free_ports(1)
        self.url = f"https://127.0.0.1:{port}"
        self.client = KubeClient(self.url, self.token, self.ca_file)
        self.kubeconfig = self.home / "kubeconfig"
        self.kubeconfig.write_text(self.kubeconfig_for())
        daemon = self._start("kube-apiserver", f"--etcd-servers={etcd}", f"--secure-port={port}", *self._server_flags())
        daemon.wait_until(lambda: self.client.answers("/readyz"))
        # Made by the server itself, a moment after it calls itself ready.
        daemon.wait_until(lambda: self.client.answers("/api/v1/namespaces/default"))

    def _server_flags(self) -> list[str]:
        flags = [
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",
            "--endpoint-reconciler-type=none",  # it refuses a loopback address as an endpoint
            f"--tls-cert-file={self.home}/server.crt",
            f"--tls-private-key-file={self.home}/server.key",
            f"--token-auth-file={self.home}/tokens.csv",
            "--authorization-mode=RBAC",
            "--kubelet-preferred-address-types=InternalIP",  # no name server knows our nodes
            "--allow-privileged=true",  # the GPU operator's pods are
            f"--service-cluster-ip-range={self.service_range}",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={self.home}/service-accounts.key",
            f"--service-account-signing-key-file={self.home}/service-accounts.key",
        ]
        # Without the controller manager no service account is ever made, and every pod would be refused for it.
        return flags if self.controllers else [*flags, "--disable-admission-plugins=ServiceAccount"]

    def _start_controllers(self) -> None:
        common = (f"--kubeconfig={self.kubeconfig}", "--leader-elect=false", "--secure-port=0")
        self._start("kube-scheduler", *common)
        manager = self._start(
            "kube-controller-manager",
            *common,
            f"--root-ca-file={self.ca_file}",
            f"--service-account-private-key-file={self.home}/service-accounts.key",
        )
        account = "/api/v1/namespaces/default/serviceaccounts/default"
        manager.wait_until(lambda: self.client.answers(account))

    def _start(self, name: str, *flags: str) -> Daemon:
        daemon = Daemon([self.programs[name], *flags], self.home / f"{name}.log")
        self._cleanup.callback(daemon.kill)
        self.daemons[name] = daemon
        return daemon
