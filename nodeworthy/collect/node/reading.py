"""From what a host said to the fact that rules judge."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence

from nodeworthy.collect.node import kubelet
from nodeworthy.collect.node.containerd import idle_containerds
from nodeworthy.collect.node.pools import Belonging, Declared
from nodeworthy.collect.node.processes import RUNTIMES, Process, Sockets, claims, processes, runtime_of
from nodeworthy.collect.node.recording import Recording
from nodeworthy.collect.node.seen import seen
from nodeworthy.collect.node.seen.units import units
from nodeworthy.facts.node.node import Node, RuntimeProcess
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Known, Located, Place, Unknown

_INSTANCE_TYPE = pattern(r"[a-z]\w*(?:-\w+)?\.\w[\w-]*")


def node(recording: Recording, declared: Declared | None = None) -> Node:
    place = Place(host=recording.host)
    running = list(processes(recording))
    sockets = Sockets(recording)
    runtimes = [runtime_of(each, sockets, place) for each in running if each.name in RUNTIMES]
    endpoint = kubelet.endpoint(recording, running, place)
    used = _listening(endpoint, runtimes, running, sockets, recording)
    chosen = used.state.value if isinstance(used.state, Known) else None
    belonging = _belonging(recording, running, chosen, place)
    by = declared or Declared(None)
    return Node(
        place=place,
        endpoint=endpoint,
        runtime=used,
        others=tuple(each for each in runtimes if each is not chosen),
        gpu=Located.known(bool(_lines(recording, "gpus")), place.about("GPUs")),
        toolkit_due=_toolkit_due(recording, place),
        pool=by.pool_of(belonging),
        seen=seen(recording, running, place),
        declared=by.member_of(belonging),
        fleet=by.fleet,
        instance_type=belonging.instance_type,
        idle=tuple(idle_containerds(recording, units(recording, "units", place), place)),
    )


def _listening(
    endpoint: Located[str],
    runtimes: Sequence[RuntimeProcess],
    running: Sequence[Process],
    sockets: Sockets,
    recording: Recording,
) -> Located[RuntimeProcess]:
    if isinstance(endpoint.state, Unknown):
        return Located(endpoint.state, endpoint.place)
    path, place = endpoint.state.value, endpoint.place
    inodes = sockets.at(path)
    if not inodes:
        return Located.unknown(_dead(path, recording), place)
    by_pid = {each.pid: each for each in runtimes}
    seen = [each for each in running if each.pid in by_pid]
    owners = [by_pid[each.pid] for each in seen if sockets.held_by(each) & inodes]
    if not owners and not all(sockets.can_see(each) for each in seen):
        # Not root: who holds a socket can't be seen. What runs and says that it listens there is as good, if it is one.
        owners = [each for each in runtimes if claims(each, path, sockets)]
    if len(owners) == 1:
        return Located.known(owners[0], place)
    who = " and ".join(each.title for each in owners)
    return Located.unknown(f"who listens on kubelet's socket {path} can't be told{f': {who}' if who else ''}", place)


def _dead(path: str, recording: Recording) -> str:
    states = [_unit_state(block) for block in "\n".join(_lines(recording, "units", keep_blank=True)).split("\n\n")]
    down = ", ".join(filter(None, states))
    return f"nothing listens on {path}, the socket that kubelet talks to{f' ({down})' if down else ''}"


def _unit_state(block: str) -> str | None:
    said = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
    if said.get("LoadState") != "loaded" or said.get("ActiveState") == "active":
        return None
    return f"{said.get('Id')} is {said.get('ActiveState')}"


def _toolkit_due(recording: Recording, place: Place) -> Located[bool]:
    where = place.about("toolkit")
    traces = _lines(recording, "toolkit")
    by_operator = [each for each in traces if posixpath.dirname(each) not in ("/usr/bin", "/usr/local/bin", "/bin")]
    if by_operator and _lines(recording, "nri"):
        why = "an NRI plugin is connected to containerd; if it is the operator's, the runtime is in no configuration"
        return Located.unknown(why, where)
    if by_operator:
        return Located.known(True, where.about(f"the operator's toolkit ran: {by_operator[0]}"))
    if not traces:
        return Located.unknown("no trace of the NVIDIA toolkit is on this host yet, so it was not due", where)
    if not set(_lines(recording, "boot")) & {"none", "finished"}:
        return Located.unknown("the boot script has not ended yet, so the toolkit was not due", where)
    return Located.known(True, where.about(f"the toolkit is installed: {traces[0]}"))


def _belonging(
    recording: Recording, running: Sequence[Process], used: RuntimeProcess | None, place: Place
) -> Belonging:
    product = "".join(_lines(recording, "product"))
    models = [line.removeprefix("model ") for line in _lines(recording, "gpus") if line.startswith("model ")]
    return Belonging(
        place=place,
        labels=kubelet.labels(running),
        instance_type=product if _INSTANCE_TYPE.fullmatch(product) else "",
        model=models[0] if models else "",
        is_gpu=bool(_lines(recording, "gpus")),
        used=used,
        traces=tuple(_lines(recording, "traces")),
        os=dict(line.replace('"', "").split("=", 1) for line in _lines(recording, "os") if "=" in line),
    )


def _lines(recording: Recording, name: str, *, keep_blank: bool = False) -> list[str]:
    part = recording.part(name)
    lines = part.stdout.splitlines() if part else []
    return [line.strip() for line in lines if keep_blank or line.strip()]
