"""Raw requests to an API server: the Python client validates bodies itself, and the server's own no is never heard."""

from __future__ import annotations

import json
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from .daemon import PATIENCE

# A CRD's own words for "anything goes below here".
ANY_OBJECT: Mapping[str, Any] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


class Answer(NamedTuple):
    status: int
    body: dict[str, Any]

    @property
    def message(self) -> str:
        return str(self.body.get("message", ""))


class RefusedError(Exception):
    """The server said no where a test needed a yes."""


@dataclass(frozen=True)
class KubeClient:
    """Speaks as the administrator, or `as_user`, who has no rights but those that the test gives."""

    url: str
    token: str
    ca_file: Path

    def request(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        content_type: str = "application/json",
        as_user: str | None = None,
    ) -> Answer:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": content_type}
        if as_user:
            headers["Impersonate-User"] = as_user
        data = None if body is None else json.dumps(body).encode()
        asked = urllib.request.Request(self.url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(asked, context=self.trust(), timeout=PATIENCE) as response:
                return Answer(response.status, parsed(response.read()))
        except urllib.error.HTTPError as refusal:
            return Answer(refusal.code, parsed(refusal.read()))

    def get(self, path: str) -> dict[str, Any]:
        return self.expect("GET", path)

    def create(self, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
        return self.expect("POST", path, body)

    def patch_status(self, path: str, status: Mapping[str, Any]) -> dict[str, Any]:
        """What a kubelet or a device plugin would report, such as how many GPUs a node has."""
        patch = "application/merge-patch+json"
        return self.expect("PATCH", f"{path}/status", {"status": status}, content_type=patch)

    def expect(self, method: str, path: str, body: Mapping[str, Any] | None = None, **options: str) -> dict[str, Any]:
        answer = self.request(method, path, body, **options)
        if answer.status >= 300:
            raise RefusedError(f"{method} {path}: {answer.status} {answer.message}")
        return answer.body

    def create_crd(self, group: str, version: str, kind: str, *, plural: str, namespaced: bool = False) -> None:
        """A kind with no schema of its own, served when this returns: `("nvidia.com", "v1", "ClusterPolicy", …)`."""
        definition = custom_resource_definition(group, version, kind, plural=plural, namespaced=namespaced)
        self.create(DEFINITIONS, definition)
        wait_for(lambda: self.request("GET", f"/apis/{group}/{version}/{plural}").status == 200)

    def remove_crd(self, name: str, path: str) -> None:
        """Gone when this returns: while it goes its list at `path` still answers, and nothing can be created there."""
        self.request("DELETE", f"{DEFINITIONS}/{name}")
        wait_for(lambda: self.request("GET", f"{DEFINITIONS}/{name}").status == 404)
        wait_for(lambda: self.request("GET", path).status == 404)

    def answers(self, path: str) -> bool:
        """False while the server is not up yet, too."""
        try:
            return self.request("GET", path).status == 200
        except OSError:
            return False

    def trust(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=self.ca_file)


def parsed(body: bytes) -> dict[str, Any]:
    """Objects and errors are JSON; health endpoints answer in plain text."""
    try:
        found = json.loads(body)
    except ValueError:
        return {"message": body.decode(errors="replace")}
    return found if isinstance(found, dict) else {"message": found}


def wait_for(happened: Callable[[], bool], *, seconds: float = PATIENCE) -> None:
    deadline = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > deadline:
            raise TimeoutError(f"nothing after {seconds} s")
        time.sleep(0.05)


def custom_resource_definition(group: str, version: str, kind: str, *, plural: str, namespaced: bool) -> dict[str, Any]:
    served = {
        "name": version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": ANY_OBJECT},
        "subresources": {"status": {}},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
            "scope": "Namespaced" if namespaced else "Cluster",
            "versions": [served],
        },
    }
