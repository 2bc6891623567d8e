"""The parts of a recording that tell a node's state, each turned into its fact."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.collect.node.processes import Process
from nodeworthy.collect.node.recording import Recording
from nodeworthy.collect.node.seen.boot import boot, boot_ended, kernel_log
from nodeworthy.collect.node.seen.disks import clock, room, storage
from nodeworthy.collect.node.seen.firewall import firewall
from nodeworthy.collect.node.seen.gpus import devices, driver, smi
from nodeworthy.collect.node.seen.registries import registries
from nodeworthy.collect.node.seen.units import kubelet, nodeadm
from nodeworthy.facts.node.seen import Seen
from nodeworthy.verdict import Place


def seen(recording: Recording, running: Sequence[Process], host: Place) -> Seen:
    return Seen(
        boot_ended=boot_ended(recording, host),
        kubelet=kubelet(recording, running, host),
        driver=driver(recording, host),
        devices=devices(recording, host),
        boot=boot(recording, host),
        clock=clock(recording, host),
        room=room(recording, host),
        kernel_log=kernel_log(recording, host),
        storage=storage(recording, host),
        registries=registries(recording, host),
        firewall=firewall(recording, host),
        nodeadm=nodeadm(recording, host),
        smi=smi(recording, host),
    )
