"""What starts a node's kubelet, and which socket it talks to: its flag, else its configuration, else its default; also
inside k3s and microk8s."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from nodeworthy.collect.node.parts.processes import Process, processes
from nodeworthy.collect.node.parts.units import older, units
from nodeworthy.collect.node.recording import Recording
from nodeworthy.documents.tree import Tree
from nodeworthy.documents.yaml import NotYaml, read
from nodeworthy.facts.node.kubelet import NodeKubelet
from nodeworthy.known.containerd import containerd_of, defaults
from nodeworthy.scene import Missing
from nodeworthy.verdict import Known, Located, Place, Unknown

FLAG = "--container-runtime-endpoint"
KEY = "containerRuntimeEndpoint"
_SNAP = {"${SNAP_COMMON}": "/var/snap/microk8s/common", "${SNAP_DATA}": "/var/snap/microk8s/current"}
# Its config.yaml and config.yaml.d, and kubelet's own drop-ins; other files of k3s are about something else.
_K3S_FILES = ("file /etc/rancher/k3s/config.yaml", "file /var/lib/rancher/k3s/agent/etc/kubelet.conf.d/")
_MICROK8S_ARGUMENTS = "/var/snap/microk8s/current/args/kubelet"


_KUBELETS = ("kubelet", "kubelite", "k3s", "k3s-agent", "k3s-server")


def kubelet(recording: Recording, host: Place) -> NodeKubelet | Missing:
    place = host.about("kubelet")
    states = units(recording, "starts", host)
    if states is None:
        return older("which units start kubelet", place)
    own = [each for each in processes(recording) if each.name in _KUBELETS]
    unit = next((each.unit for each in own if each.unit), None)
    return NodeKubelet(place, states, bool(own), unit)


def labels(running: Sequence[Process]) -> dict[str, str]:
    """The labels that kubelet gives its own node."""
    said = [each.flag("--node-labels") or "" for each in running]
    pairs = [pair.partition("=") for text in said for pair in text.split(",") if "=" in pair]
    return {name.strip(): value.strip() for name, _, value in pairs}


def endpoint(recording: Recording, running: Sequence[Process], host: Place) -> Located[str]:
    """The socket's path, with the place where kubelet says it."""
    place = host.about("kubelet")
    kubelets = [each for each in running if each.name == "kubelet"]
    if len(kubelets) > 1:
        pids = " and ".join(str(each.pid) for each in kubelets)
        return Located.unknown(f"several kubelets run here (pid {pids})", place)
    if kubelets:
        return _path(_said_by_kubelet(kubelets[0], place))
    for process in running:
        if process.name == "kubelite":
            return _path(_said_by_microk8s(recording, place))
        if process.name.startswith("k3s"):
            return _path(_said_by_k3s(process, place))
    return Located.unknown("no kubelet runs here, so which runtime it uses can't be seen", place)


def _path(said: Located[str]) -> Located[str]:
    if isinstance(said.state, Unknown):
        return said
    path = said.state.value.strip().removeprefix("unix://")
    if not path.startswith("/"):
        return Located.unknown(f"kubelet's endpoint {said.state.value!r} is no socket on this host", said.place)
    return Located(Known(posixpath.normpath(path)), said.place, written=said.written)


def _said_by_kubelet(kubelet: Process, place: Place) -> Located[str]:
    flag = kubelet.flag(FLAG)
    if flag is not None:
        return Located.known(flag, place.about(f"kubelet {kubelet.pid} {FLAG}"))
    # Drop-ins are laid over the file in the order of their names.
    files = [*filter(None, [kubelet.flag("--config")]), *_drop_ins(kubelet.recording, kubelet.flag("--config-dir"))]
    said = _said_in_files(kubelet.recording, files, place)
    return said or Located(Known(defaults().socket), place.about(f"kubelet {kubelet.pid}, its default"), written=False)


def _said_in_files(recording: Recording, files: Sequence[str], place: Place) -> Located[str] | None:
    last: Located[str] | None = None
    for path in files:
        located = _configuration(recording, path, place).get(KEY).located()
        if isinstance(located.state, Unknown):
            return located
        if located.state.value not in (None, ""):
            last = Located(Known(str(located.state.value)), place.about(f"{path} {KEY}"))
    return last


def _configuration(recording: Recording, path: str, place: Place) -> Tree:
    part = recording.part(f"file {path}")
    where = place.about(path)
    if part is None or part.code != 0:
        why = part.why if part else "it was not read"
        return Tree(Unknown(f"kubelet's configuration {path} could not be read: {why}"), where)
    try:
        return read(part.stdout, where) or Tree(None, where)
    except NotYaml as problem:
        return Tree(Unknown(f"kubelet's configuration {path} is {problem.why}"), where)


def _drop_ins(recording: Recording, folder: str | None) -> Iterator[str]:
    paths = [part.name.removeprefix("file ") for part in recording.parts if part.name.startswith("file ")]
    yield from sorted(each for each in paths if folder and posixpath.dirname(each) == folder.rstrip("/"))


def _said_by_microk8s(recording: Recording, place: Place) -> Located[str]:
    part = recording.part(f"file {_MICROK8S_ARGUMENTS}")
    if part is None or part.code != 0:
        why = part.why if part else "it was not read"
        return Located.unknown(f"the arguments of microk8s's kubelet could not be read: {why}", place)
    text = part.stdout
    for name, value in _SNAP.items():
        text = text.replace(name, value)
    arguments = tuple(word for line in text.splitlines() for word in line.split())
    said = Process(0, "kubelet", arguments, recording).flag(FLAG)
    return _or_its_own(said, "microk8s", place.about(f"{_MICROK8S_ARGUMENTS} {FLAG}"))


def _said_by_k3s(process: Process, place: Place) -> Located[str]:
    flag = process.flag(FLAG)
    if flag is not None:
        return Located.known(flag, place.about(f"{process.name} {process.pid} {FLAG}"))
    if "--docker" in process.arguments:
        return Located.unknown("k3s runs with --docker", place)
    files = [part for part in process.recording.parts if part.name.startswith(_K3S_FILES)]
    for part in reversed(files):
        path = part.name.removeprefix("file ")
        for key in (KEY, FLAG.removeprefix("--")):
            located = _configuration(process.recording, path, place).get(key).located()
            if isinstance(located.state, Unknown) or located.state.value is not None:
                return located
    return _or_its_own(None, "k3s", place.about("k3s's own socket"))


def _or_its_own(said: str | None, distribution: str, place: Place) -> Located[str]:
    own = containerd_of(distribution).socket
    assert own is not None  # both distributions of this module have one
    return Located.known(said, place) if said else Located(Known(own), place, written=False)
