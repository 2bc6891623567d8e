"""Whether the volume that a server of models fetches its model into has room for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.containers import Container, NotAQuantity, quantity
from nodeworthy.facts.pod.served_model import command_of, gigabytes, model_of, models_folder, mount_of
from nodeworthy.facts.pod.template import PodTemplate
from nodeworthy.facts.pod.volume_claim import VolumeClaim, claims_of_its_own
from nodeworthy.known.served_images import server_by_its_command, server_of
from nodeworthy.records import dataclass
from nodeworthy.rules.pod_can_use_gpus import RULE
from nodeworthy.verdict import Draft, Findings, Severity, fail, skip, value_if_known

# A model's weights are a little less or more than two bytes for each parameter of its name.
_AT_LEAST = Fraction(9, 10)
_GIGABYTE = 10**9


@dataclass(frozen=True)
class Room:
    amount: Tree
    says: str
    then: str
    severity: Severity = Severity.ERROR


@RULE.check
def its_model_has_room(pod: PodTemplate, claims: Sequence[VolumeClaim]) -> Findings:
    if pod.live is not None or not pod.uses_gpus or pod.elsewhere is not None:
        skip("what becomes of its volumes is seen in its log, it asks for no GPUs, or others say the rest of it")
    for container in pod.containers:
        command, model = command_of(container), model_of(container)
        server = server_of(str(value_if_known(container.image)), command) or server_by_its_command(command)
        size = gigabytes(model) if server is not None and server.loads else 0.0
        folder = models_folder(container, server) if server is not None and size else ""
        for room in _rooms(pod, container, folder, claims) if folder else ():
            yield from _too_small(pod, container, room, model, size)


def _rooms(pod: PodTemplate, container: Container, folder: str, claims: Sequence[VolumeClaim]) -> Iterator[Room]:
    mount = mount_of(container, folder)
    if mount is None:
        limit = container.limits.get("ephemeral-storage")
        yield Room(limit, "an ephemeral-storage", "kubelet evicts the pod as soon as it has written more")
        return
    name = mount.get("name").string
    volume = next((each for each in pod.spec.get("volumes").sequence if each.get("name").text == name), None)
    if volume is not None and volume.get("emptyDir").is_mapping:
        says = f"sizeLimit of the emptyDir {name}:"
        yield Room(volume.get("emptyDir", "sizeLimit"), says, "kubelet evicts the pod as soon as it holds more")
        return
    named = volume.get("persistentVolumeClaim", "claimName").text if volume is not None else None
    own = [each for each in claims_of_its_own(pod) if each.name == name] if volume is None else []
    found = own or [each for each in claims if each.name == named and each.is_of(pod)]
    if len(found) == 1 and found[0].is_counted:
        # A class that is not named may be of folders, of which nobody counts what is written.
        severity = Severity.ERROR if found[0].spec.get("storageClassName").text else Severity.WARNING
        then = "its download ends with no space left on device, and begins anew with each start"
        yield Room(found[0].asks_for, f"the volume {found[0].name} of", then, severity)


def _too_small(pod: PodTemplate, container: Container, room: Room, model: str, size: float) -> Iterator[Draft]:
    if room.amount.is_absent or room.amount.is_unknown:
        return
    try:
        has = quantity(room.amount.value)
    except NotAQuantity:
        return
    if 0 < has < Fraction(size) * _GIGABYTE * _AT_LEAST:
        written = room.amount.located().shown()
        yield fail(
            room.amount.place,
            f"{container.name} of {pod.title} fetches a model of {size:g} GB into {written}",
            is_=f"{room.says} {written}",
            should=f"{size * 1.25:.0f}G or more",
            cause=f"{model} has {size:g} GB in weights of 16 bits: {room.then}",
            remedy=f"ask for {size * 1.25:.0f}G or more, or take a packed model (AWQ, FP8)",
            severity=room.severity,
        )
