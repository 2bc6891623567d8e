"""A cluster that may be written to: patches that say who made them, and that know which state they are about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nodeworthy.collect.cluster.connection import JSON, Answer, Connection
from nodeworthy.documents.plain import mappings_at, text_at
from nodeworthy.errors import CouldNotLook
from nodeworthy.records import dataclass
from nodeworthy.repair.change import Target

MANAGER = "nodeworthy"
_MERGE = "application/merge-patch+json"
_LEASES = "/apis/coordination.k8s.io/v1/namespaces/{}/leases"


@dataclass(frozen=True)
class PatchAnswer(Answer):
    """What the server said to a patch."""

    @property
    def is_yes(self) -> bool:
        return 200 <= self.status < 300

    @property
    def is_conflict(self) -> bool:
        return self.status == 409

    @property
    def is_for_now(self) -> bool:
        """A no of a server that has too much to do, or whose store just has no leader."""
        return self.status == 429 or self.status >= 500


class Server(Connection):
    def object(self, target: Target) -> Mapping[str, Any] | None:
        return self._found(target.url, str(target))

    def nodes(self) -> Sequence[Mapping[str, Any]]:
        found = self._found("/api/v1/nodes", "the list of nodes")
        return mappings_at(found, "items")

    def phase_of_pod(self, namespace: str, name: str) -> str | None:
        found = self._found(f"/api/v1/namespaces/{namespace}/pods/{name}", f"Pod/{namespace}/{name}")
        return None if found is None else text_at(found, "status", "phase")

    def patch(self, target: Target, patch: Mapping[str, Any], version: str, *, dry: bool = False) -> PatchAnswer:
        """Patches that version of the object and no other. The server refuses where somebody was faster."""
        body = {**patch, "metadata": {**patch.get("metadata", {}), **({"resourceVersion": version} if version else {})}}
        query = {"fieldManager": MANAGER, **({"dryRun": "All"} if dry else {})}
        return self._write("PATCH", target.url, query, body, kind=_MERGE)

    def lease(self, namespace: str, name: str) -> Mapping[str, Any] | None:
        return self._found(f"{_LEASES.format(namespace)}/{name}", f"Lease/{namespace}/{name}")

    def create_lease(self, namespace: str, lease: Mapping[str, Any]) -> PatchAnswer:
        return self._send("POST", _LEASES.format(namespace), lease)

    def replace_lease(self, namespace: str, name: str, lease: Mapping[str, Any]) -> PatchAnswer:
        return self._send("PUT", f"{_LEASES.format(namespace)}/{name}", lease)

    def delete_lease(self, namespace: str, name: str, uid: str, version: str) -> PatchAnswer:
        held = {"uid": uid, "resourceVersion": version}
        options = {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": held}
        return self._send("DELETE", f"{_LEASES.format(namespace)}/{name}", options)

    def _send(self, method: str, path: str, body: Mapping[str, Any]) -> PatchAnswer:
        query = {"fieldManager": MANAGER} if method != "DELETE" else {}
        return self._write(method, path, query, body)

    def _write(
        self, method: str, path: str, query: dict[str, str], body: Mapping[str, Any], *, kind: str = JSON
    ) -> PatchAnswer:
        answer = self.write(method, path, query, body, kind=kind)
        return PatchAnswer(answer.status, answer.body)

    def _found(self, path: str, name: str) -> Mapping[str, Any] | None:
        answer = self.get(path, {})
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise CouldNotLook(f"{name} can't be read: {answer.why}")
        return answer.body


def version_of(data: Mapping[str, Any]) -> str:
    return text_at(data, "metadata", "resourceVersion")


def uid_of(data: Mapping[str, Any]) -> str:
    return text_at(data, "metadata", "uid")
