"""From what a host said to the fact: who listens where, what each containerd knows, and what stays unknown."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.collect.node.asked import AskedHost
from nodeworthy.collect.node.collector import scene
from nodeworthy.collect.node.pools import Declared
from nodeworthy.collect.node.recording import Recording, load
from nodeworthy.errors import InputError
from nodeworthy.facts.node.identity import NodeIdentity
from nodeworthy.facts.node.runtimes import NodeRuntimes, NodeToolkit, RuntimeProcess
from nodeworthy.fleet.model import Fleet
from nodeworthy.fleet.read import read_fleet_file
from nodeworthy.known.containerd import containerd_of, defaults
from nodeworthy.verdict import Known, Located, Unknown

from .recordings import EMPTY, MENDED, but, incident, named, part, part_of, told, without

BASE_DIR = containerd_of("k8s-snap", "/var/lib/k8s-containerd/k8s-containerd")


def runtimes(recording: Recording) -> NodeRuntimes:
    return part_of(recording, NodeRuntimes)


def used(fact: NodeRuntimes) -> RuntimeProcess:
    assert isinstance(fact.used.state, Known)
    return fact.used.state.value


def identity(recording: Recording, declared: Declared | None = None) -> NodeIdentity:
    [found] = scene(AskedHost(recording.host, recording), declared or Declared(None)).told.of(NodeIdentity)
    return found


def why(located: Located[object]) -> str:
    assert isinstance(located.state, Unknown)
    return located.state.why


def pid(recording: Recording, unit: str) -> str:
    """The process that runs in this unit."""
    return next(each.name.split()[1] for each in named(recording, "cgroup") if f"/{unit}" in each.stdout)


def test_the_incidents_node_has_two_containerds_and_kubelet_uses_the_snaps() -> None:
    fact = runtimes(incident())
    assert fact.endpoint.state == Known(BASE_DIR.socket)
    assert (used(fact).unit, used(fact).config) == ("snap.k8s.containerd.service", BASE_DIR.config)
    assert used(fact).version.state == Known("v2.2.9")
    assert used(fact).handlers.state == Known(("runc",))
    (other,) = fact.others
    assert (other.unit, other.config) == ("containerd.service", defaults().config)
    assert other.socket.state == Known(defaults().socket)
    assert other.handlers.state == Known(("nvidia",)), "on 1.6 a drop-in replaces what it lies over"
    assert identity(incident()).has_gpu.state == Known(True)
    assert part_of(incident(), NodeToolkit).due.state == Known(True)


def test_a_socket_is_found_through_a_link() -> None:
    recording = incident()
    kubelet = named(recording, "process")[-1]
    linked = part(kubelet.name, kubelet.stdout.replace(f"unix://{BASE_DIR.socket}", "unix:///run/cri.sock"))
    fact = runtimes(but(recording, linked, part("resolved", f"/run/cri.sock {BASE_DIR.socket}")))
    assert used(fact).unit == "snap.k8s.containerd.service"


def test_a_dead_containerd_is_unknown_and_its_unit_is_named() -> None:
    recording = incident()
    listening = next(each for each in recording.parts if each.name == "listening").stdout.splitlines()
    alive = [line for line in listening if str(BASE_DIR.socket) not in line]
    units = (
        "Id=containerd.service\nLoadState=loaded\nActiveState=active\nSubState=running\n\n"
        "Id=snap.k8s.containerd.service\nLoadState=loaded\nActiveState=failed\nSubState=failed\n\n"
        "Id=k3s.service\nLoadState=not-found\nActiveState=inactive\nSubState=dead"
    )
    fact = runtimes(but(recording, part("listening", "\n".join(alive)), part("units", units)))
    assert why(fact.used) == (
        f"nothing listens on {BASE_DIR.socket}, the socket that kubelet talks to "
        "(snap.k8s.containerd.service is failed)"
    )


def test_without_root_a_containerd_that_was_told_its_address_is_believed_alone() -> None:
    recording = incident()
    sockets = named(recording, "sockets")
    hidden = [part(each.name, stderr="ls: cannot open directory: Permission denied") for each in sockets]
    assert used(runtimes(but(recording, *hidden))).unit == "snap.k8s.containerd.service"
    # Two that claim the same: nobody can tell.
    pids = [each.name.split()[1] for each in named(recording, "dump")]
    both = [
        part(f"process {each} containerd", f"containerd\n--address\n{BASE_DIR.socket}\n--config=/x.toml")
        for each in pids
    ]
    assert "can't be told" in why(runtimes(but(recording, *hidden, *both)).used)


def test_a_dump_that_failed_is_unknown_in_the_programs_words() -> None:
    recording = incident()
    dump = f"dump {pid(recording, 'snap.k8s.containerd.service')}"
    said = "containerd: failed to unmarshal TOML at row 1 column 5: toml: array is incomplete"
    broken = runtimes(but(recording, part(dump, code=1, stderr=f"time=… level=error\n{said}")))
    assert why(used(broken).handlers) == f"its configuration could not be read: {said}"
    late = runtimes(but(recording, part(dump, code=124)))
    assert "took longer than" in why(used(late).handlers)
    assert "can't be parsed" in why(used(runtimes(but(recording, part(dump, "x = [")))).handlers)


def test_a_containerd_without_its_cri_plugin_has_no_runtimes() -> None:
    recording = incident()
    dump = f"dump {pid(recording, 'containerd.service')}"
    off = runtimes(but(recording, part(dump, 'version = 2\ndisabled_plugins = ["cri"]\n[plugins]')))
    assert off.others[0].handlers.state == Known(())
    strange = runtimes(but(recording, part(dump, "version = 9\n[plugins]")))
    assert "no CRI plugin that we know" in why(strange.others[0].handlers)


def test_a_containers_own_containerd_is_none_of_the_nodes() -> None:
    recording = incident()
    other = pid(recording, "containerd.service")
    nested = part(f"namespaces {other}", f"NSpid:\t{other}\t12")
    assert runtimes(but(recording, nested)).others == ()
    in_a_pod = part(f"cgroup {other}", "0::/kubepods.slice/kubepods-besteffort.slice/cri-containerd-9f8e.scope")
    assert runtimes(but(recording, in_a_pod)).others == ()


def test_cgroup_v1_names_the_unit_too() -> None:
    recording = incident()
    other = pid(recording, "containerd.service")
    v1 = part(
        f"cgroup {other}",
        "12:pids:/system.slice/containerd.service\n1:name=systemd:/system.slice/containerd.service\n0::/",
    )
    assert runtimes(but(recording, v1)).others[0].unit == "containerd.service"


@pytest.mark.parametrize(
    ("toolkit", "boot", "nri", "due"),
    [
        ("/usr/local/nvidia/toolkit/nvidia-container-runtime", "finished", "", True),
        ("/run/nvidia/toolkit/toolkit.pid", "none", "", True),
        ("/run/nvidia/toolkit/toolkit.pid", "none", "/var/run/nri/nri.sock", "NRI plugin"),
        ("/usr/bin/nvidia-ctk\n/usr/bin/nvidia-container-runtime", "finished", "", True),
        ("/usr/bin/nvidia-ctk", "none", "", True),
        ("/usr/bin/nvidia-ctk", "", "", "boot script has not ended"),
        ("", "finished", "", "no trace"),
    ],
)
def test_when_the_toolkit_was_due(toolkit: str, boot: str, nri: str, due: bool | str) -> None:
    recording = told(toolkit=toolkit, boot=boot, nri=nri)
    state = part_of(recording, NodeToolkit).due.state
    assert state == Known(True) if due is True else isinstance(state, Unknown) and str(due) in state.why


def fleet(folder: Path, *pools: str) -> Fleet:
    path = folder / "Pulumi.here.yaml"
    lines = [
        "config:",
        "  nodeworthy:fleet:",
        "    cluster: {name: here}",
        "    pools:",
        *(f"      {each}" for each in pools),
    ]
    path.write_text("\n".join(lines))
    return read_fleet_file(path, "Pulumi.here.yaml")


SNAP = "onprem: {gpu: h200, gpusPerNode: 8, distribution: k8s-snap}"
EKS = "cloud: {gpu: h100, instanceType: p5.48xlarge, distribution: eks-al2023}"
CPU = "cpu: {instanceType: c7i.4xlarge}"


def pool_of(recording: Recording, declared: Declared) -> str | None:
    state = identity(recording, declared).gpu_pool.state
    assert isinstance(state, Known)
    return state.value.name if state.value else None


def test_the_only_pool_that_fits_is_its_own(tmp_path: Path) -> None:
    assert pool_of(load(MENDED), Declared(fleet(tmp_path, SNAP, EKS, CPU))) == "onprem"
    assert pool_of(load(MENDED), Declared(None)) is None


def test_its_label_decides_where_several_fit(tmp_path: Path) -> None:
    two = Declared(fleet(tmp_path, SNAP, SNAP.replace("onprem", "second"), EKS))
    assert "several pools" in why(identity(load(EMPTY), two).gpu_pool)
    kubelet = named(load(EMPTY), "process")[-1]
    labelled = but(load(EMPTY), part(kubelet.name, f"{kubelet.stdout}\n--node-labels=a=b,nodeworthy/pool=second"))
    assert pool_of(labelled, two) == "second"
    assert pool_of(load(EMPTY), Declared(two.fleet, "onprem")) == "onprem"


def test_where_no_pool_fits_it_is_unknown(tmp_path: Path) -> None:
    assert "fits no pool" in why(identity(load(EMPTY), Declared(fleet(tmp_path, EKS))).gpu_pool)


def test_a_pool_that_was_named_has_to_be_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no pool 'h100'; there are onprem"):
        Declared(fleet(tmp_path, SNAP), "h100")
    with pytest.raises(InputError, match="needs a fleet"):
        Declared(None, "h100")


def test_a_node_without_any_sign_of_gpus(tmp_path: Path) -> None:
    cpu = but(incident(), part("gpus"), part("toolkit"))
    assert identity(cpu).has_gpu.state == Known(False)


K3S_LEFT, KUBEADM_LEFT = "/var/lib/rancher/k3s/agent", "/var/lib/kubelet/kubeadm-flags.env"


def left(recording: Recording, *paths: str) -> Recording:
    return but(recording, part("traces", "\n".join(paths)))


def test_what_lies_on_a_node_says_what_it_is(tmp_path: Path) -> None:
    # Without its runtime's unit nothing else tells the two pools apart.
    two = Declared(fleet(tmp_path, SNAP.replace("k8s-snap", "k3s"), SNAP.replace("onprem", "old")))
    alone = without(load(EMPTY), *(each.name for each in named(load(EMPTY), "cgroup")))
    assert "several pools" in why(identity(alone, two).gpu_pool)
    assert pool_of(left(alone, K3S_LEFT), two) == "onprem"


def test_what_was_there_before_is_no_contradiction_and_what_nothing_explains_is(tmp_path: Path) -> None:
    one = Declared(fleet(tmp_path, SNAP))
    assert pool_of(left(load(EMPTY), K3S_LEFT, "/var/snap/k8s/common"), one) == "onprem"
    said = why(identity(left(load(EMPTY), KUBEADM_LEFT), one).gpu_pool)
    assert f"as k8s-snap has it, and {KUBEADM_LEFT} is of kubeadm or crio" in said
    assert pool_of(left(load(EMPTY), KUBEADM_LEFT), Declared(one.fleet, "onprem")) == "onprem"
