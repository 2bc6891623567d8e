"""A server in memory: counts versions as the real one does, and fails where a test wants it to."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from typing import Any

from nodeworthy.repair.change import Target
from nodeworthy.repair.edit import merge_json_patch
from nodeworthy.repair.server import PatchAnswer, Server, version_of

Object = dict[str, Any]


class StandIn(Server):
    server = "https://stand-in"

    def __init__(self, objects: Mapping[Target, Object]) -> None:
        self.objects = {target: _with_version(data, 1) for target, data in objects.items()}
        self.leases: list[Mapping[str, Any]] = []
        # Before a patch is looked at: what others do, or how the server fails.
        self.before_patch: Callable[[Target], PatchAnswer | None] = lambda _: None
        self.webhook: Callable[[Object], Object] = lambda data: data

    def object(self, target: Target) -> Mapping[str, Any] | None:
        return copy.deepcopy(self.objects.get(target))

    def phase_of_pod(self, namespace: str, name: str) -> str | None:
        return None

    def touch(self, target: Target, patch: Object) -> None:
        now = self.objects[target]
        self.objects[target] = _with_version(merge_json_patch(now, patch), int(version_of(now)) + 1)

    def patch(self, target: Target, patch: Mapping[str, Any], version: str, *, dry: bool = False) -> PatchAnswer:
        said = None if dry else self.before_patch(target)
        if said is not None:
            return said
        now = self.objects[target]
        if version and version != version_of(now):
            return PatchAnswer(409, {"message": "the object has been modified"})
        then = _with_version(self.webhook(merge_json_patch(now, patch)), int(version_of(now)) + 1)
        if not dry:
            self.objects[target] = then
        return PatchAnswer(200, then)

    def lease(self, namespace: str, name: str) -> Mapping[str, Any] | None:
        return self.leases[0] if self.leases else None

    def create_lease(self, namespace: str, lease: Mapping[str, Any]) -> PatchAnswer:
        self.leases.append(lease)
        return PatchAnswer(201, lease)

    def delete_lease(self, namespace: str, name: str, uid: str, version: str) -> PatchAnswer:
        self.leases.clear()
        return PatchAnswer(200, {})


def _with_version(data: Object, version: int) -> Object:
    return merge_json_patch(data, {"metadata": {"resourceVersion": str(version), "uid": "uid"}})  # type: ignore[no-any-return]
