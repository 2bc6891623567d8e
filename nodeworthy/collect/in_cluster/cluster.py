"""What of a cluster a look by Jobs reads, and what it makes and removes."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from nodeworthy.collect.cluster.connection import CONNECT_SECONDS, READ_SECONDS, Connection
from nodeworthy.documents.plain import mapping_at, mappings_at, number_at, text_at
from nodeworthy.errors import CouldNotLook

MANAGER = "nodeworthy"
# Of a log: what a node prints is kept in memory, and nobody believes more.
MOST_BYTES = 16 * 1024 * 1024
LOG_SECONDS = 60.0
PAGE = "500"
_JOBS = "/apis/batch/v1/namespaces/{}/jobs"
_NODES = "/api/v1/nodes"
_PRIORITIES = "/apis/scheduling.k8s.io/v1/priorityclasses"


class NotDone(CouldNotLook):
    """The server has refused it, in its own words."""


class Busy(NotDone):
    """The server will take it later."""


class NotBelieved(CouldNotLook):
    """An answer came, and it is nothing that our program would have printed."""


class Cluster(Connection):
    """One namespace of it. Everything here raises CouldNotLook where no answer came, NotDone where it was a no."""

    def __init__(self, context: str | None, namespace: str) -> None:
        super().__init__(context)
        self.namespace = namespace

    def nodes(self, selector: str) -> Iterator[Mapping[str, Any]]:
        query = {"limit": PAGE, **({"labelSelector": selector} if selector else {})}
        while True:
            page = self._read(_NODES, query, "the list of nodes")
            yield from mappings_at(page, "items")
            more = text_at(page, "metadata", "continue")
            if not more:
                return
            query = {**query, "continue": more}

    def node(self, name: str) -> Mapping[str, Any] | None:
        return self._found(f"{_NODES}/{name}", f"node {name}")

    def has_namespace(self) -> bool:
        """Whether the namespace is there. An account that may not ask is believed: its first Job will tell."""
        return self.get(self._here, {}).status != 404

    def priority(self, name: str) -> int | None:
        """The number of a PriorityClass. None where there is none, or where we may not know it."""
        answer = self.get(f"{_PRIORITIES}/{name}", {})
        value = answer.body.get("value", 0) if answer.status == 200 else None
        return value if isinstance(value, int) else None

    def create(self, job: Mapping[str, Any]) -> Mapping[str, Any]:
        name = text_at(job, "metadata", "name")
        answer = self.write("POST", self._jobs, {"fieldManager": MANAGER}, job)
        if answer.status == 429:
            raise Busy(f"the server has no time for its Job {name}: {answer.why}")
        if not 200 <= answer.status < 300:
            raise NotDone(f"the server refused its Job {name}: {answer.why}")
        return answer.body

    def job(self, name: str) -> Mapping[str, Any] | None:
        return self._found(f"{self._jobs}/{name}", f"Job {name}")

    def jobs(self, selector: str) -> Sequence[Mapping[str, Any]]:
        return mappings_at(self._read(self._jobs, {"labelSelector": selector}, "the list of Jobs"), "items")

    def pods(self, job: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        """The pods of this Job and of no other of its name, the oldest first."""
        query = {"labelSelector": f"job-name={text_at(job, 'metadata', 'name')}"}
        found = mappings_at(self._read(f"{self._here}/pods", query, "the list of pods"), "items")
        own = [each for each in found if controller_uid(each) == text_at(job, "metadata", "uid")]
        return sorted(own, key=lambda each: text_at(each, "metadata", "creationTimestamp"))

    def warnings(self, job: Mapping[str, Any]) -> list[str]:
        """What the cluster says against the Job, the newest last. Who may not know hears nothing."""
        about = f"involvedObject.uid={text_at(job, 'metadata', 'uid')},type=Warning"
        answer = self.get(f"{self._here}/events", {"fieldSelector": about})
        found = mappings_at(answer.body, "items") if answer.status == 200 else ()
        inorder = sorted(found, key=lambda each: text_at(each, "lastTimestamp"))
        return [text_at(each, "message") for each in inorder]

    def remove(self, name: str, uid: str) -> None:
        """Removes the Job with its pods, and no other Job of this name."""
        options = {
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "propagationPolicy": "Background",
            "preconditions": {"uid": uid},
        }
        answer = self.write("DELETE", f"{self._jobs}/{name}", {}, options)
        # 409: it is not ours any more, and so ours is gone.
        if not (200 <= answer.status < 300 or answer.status in (404, 409)):
            raise NotDone(f"Job {name} could not be removed: {answer.why}")

    def log(self, pod: Mapping[str, Any]) -> bytes:
        """The log of a pod. It is read as it comes, for a minute, and no more of it than anybody would believe."""
        from urllib3 import Timeout
        from urllib3.exceptions import HTTPError

        name = text_at(pod, "metadata", "name")
        query = urlencode({"limitBytes": str(MOST_BYTES + 1)})
        try:
            response = self._http.request(
                "GET",
                f"{self.server}{self._here}/pods/{name}/log?{query}",
                headers={**self._headers, **self._credentials()},
                timeout=Timeout(connect=CONNECT_SECONDS, read=READ_SECONDS),
                retries=False,
                preload_content=False,
            )
            try:
                said = _bounded(response)
            finally:
                response.close()
        except (HTTPError, OSError) as problem:
            raise CouldNotLook(f"the log of pod {name} broke off: {type(problem).__name__}") from None
        if response.status != 200:
            raise NotDone(f"the log of pod {name} can't be read: {_message(said) or response.status}")
        return said

    @property
    def _here(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}"

    @property
    def _jobs(self) -> str:
        return _JOBS.format(self.namespace)

    def _read(self, path: str, query: dict[str, str], what: str) -> Mapping[str, Any]:
        answer = self.get(path, query)
        if answer.status != 200:
            raise NotDone(f"{what} can't be read: {answer.why}")
        return answer.body

    def _found(self, path: str, what: str) -> Mapping[str, Any] | None:
        answer = self.get(path, {})
        if answer.status == 404:
            return None
        if answer.status != 200:
            raise NotDone(f"{what} can't be read: {answer.why}")
        return answer.body


def _bounded(response: Any) -> bytes:
    """Raises NotBelieved where it does not end."""
    until = time.monotonic() + LOG_SECONDS
    said = bytearray()
    while piece := response.read1(1 << 16):
        said += piece
        if len(said) > MOST_BYTES:
            raise NotBelieved(f"it prints more than {MOST_BYTES // 2**20} MiB, and is not believed")
        if time.monotonic() > until:
            raise NotBelieved(f"its log did not end within {LOG_SECONDS:g} s")
    return bytes(said)


def controller_uid(pod: Mapping[str, Any]) -> str:
    """The uid of the object that made this pod. Empty where none did."""
    owners = mappings_at(pod, "metadata", "ownerReferences")
    return next((text_at(each, "uid") for each in owners if each.get("controller") is True), "")


def _message(said: bytes) -> str:
    try:
        return text_at(json.loads(said), "message")
    except ValueError:
        return said[:200].decode("utf-8", "replace").strip()


def container_state(pod: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the kubelet says of the pod's only container."""
    return next(iter(mappings_at(pod, "status", "containerStatuses")), {})


def exit_code(pod: Mapping[str, Any]) -> int | None:
    """None where it has not run to an end of its own."""
    return number_at(mapping_at(container_state(pod), "state", "terminated"), "exitCode")
