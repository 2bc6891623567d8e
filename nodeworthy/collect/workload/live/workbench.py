"""What of a cluster a run makes, reads and removes: each thing by its uid, so that nobody else's is ever touched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from nodeworthy.collect.cluster.connection import Answer
from nodeworthy.collect.in_cluster.cluster import MANAGER, PAGE, Cluster, NotDone
from nodeworthy.documents.plain import mapping_at, mappings_at, text_at

# In the order in which they are removed: what holds GPUs first.
_PATHS: Final[Mapping[str, str]] = {
    "Job": "/apis/batch/v1/namespaces/{}/jobs",
    "Service": "/api/v1/namespaces/{}/services",
    "ConfigMap": "/api/v1/namespaces/{}/configmaps",
    "Lease": "/apis/coordination.k8s.io/v1/namespaces/{}/leases",
}
MADE: Final = ("Job", "Service", "ConfigMap")


class Workbench(Cluster):
    """One namespace of a cluster. Raises CouldNotLook where no answer came, NotDone where it was a no."""

    def make(self, wanted: Mapping[str, Any]) -> Answer:
        """What the server says to it, whatever it says."""
        return self.write("POST", self._path(text_at(wanted, "kind")), {"fieldManager": MANAGER}, wanted)

    def replace(self, wanted: Mapping[str, Any]) -> Answer:
        """Replaces the version that the object names, and no other."""
        path = f"{self._path(text_at(wanted, 'kind'))}/{text_at(wanted, 'metadata', 'name')}"
        return self.write("PUT", path, {"fieldManager": MANAGER}, wanted)

    def there(self, kind: str, selector: str) -> Sequence[Mapping[str, Any]]:
        """The objects of a kind that are there. The server does not say the kind of what it lists."""
        found = self._read(self._path(kind), {"labelSelector": selector}, f"the list of {kind}s")
        return [{**each, "kind": kind} for each in mappings_at(found, "items")]

    def lease(self, name: str) -> Mapping[str, Any] | None:
        return self._found(f"{self._path('Lease')}/{name}", f"Lease {name}")

    def discard(self, made: Mapping[str, Any]) -> None:
        """Deletes it with its pods. What is gone, or is another's by now, is no trouble: a Lease is handed on under its
        uid."""
        name, kind = text_at(made, "metadata", "name"), text_at(made, "kind")
        known_by = ("uid", "resourceVersion") if kind == "Lease" else ("uid",)
        options = {
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": "Background",
            "preconditions": {each: text_at(made, "metadata", each) for each in known_by},
        }
        answer = self.write("DELETE", f"{self._path(kind)}/{name}", {}, options)
        if not (200 <= answer.status < 300 or answer.status in (404, 409)):
            raise NotDone(f"{kind} {name} could not be removed: {answer.why}")

    def pods_of(self, selector: str) -> Sequence[Mapping[str, Any]]:
        return mappings_at(self._read(f"{self._here}/pods", {"labelSelector": selector}, "the list of pods"), "items")

    def all_pods(self) -> Iterator[Mapping[str, Any]]:
        """The pods of every namespace that are not over."""
        query = {"limit": PAGE, "fieldSelector": "status.phase!=Succeeded,status.phase!=Failed"}
        while True:
            page = self._read("/api/v1/pods", query, "the list of all pods")
            yield from mappings_at(page, "items")
            more = text_at(page, "metadata", "continue")
            if not more:
                return
            query = {**query, "continue": more}

    def _path(self, kind: str) -> str:
        return _PATHS[kind].format(self.namespace)


def is_going(made: Mapping[str, Any]) -> bool:
    return bool(text_at(mapping_at(made, "metadata"), "deletionTimestamp"))
