"""Which socket kubelet says it talks to, wherever it says so; and that it stays unknown where that can't be read."""

from __future__ import annotations

import pytest

from nodeworthy.collect.node.parts.kubelet import endpoint
from nodeworthy.collect.node.parts.processes import processes
from nodeworthy.collect.node.recording import Recording
from nodeworthy.known.containerd import containerd_of, defaults
from nodeworthy.verdict import Known, Located, Place, Unknown

from .recordings import but, part, told

CONFIG = """\
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cgroupDriver: systemd
containerRuntimeEndpoint: unix:///run/one/one.sock
"""


def said(recording: Recording) -> Located[str]:
    return endpoint(recording, list(processes(recording)), Place(host=recording.host))


def kubelet(*arguments: str) -> str:
    return "\n".join(["/usr/bin/kubelet", *arguments])


@pytest.mark.parametrize(
    "arguments",
    [
        ["--container-runtime-endpoint=unix:///run/one/one.sock"],
        ["--container-runtime-endpoint", "unix:///run/one/one.sock"],
        ["--container-runtime-endpoint=/run/one/one.sock"],
        ["--container-runtime-endpoint=/run/x.sock", "--container-runtime-endpoint=/run/one/one.sock"],
        ["--container-runtime-endpoint=unix:///run/one/one.sock", "--config=/var/lib/kubelet/config.yaml"],
    ],
)
def test_a_flag_wins_however_it_is_written(arguments: list[str]) -> None:
    found = said(told(process_7_kubelet=kubelet(*arguments)))
    assert found.state == Known("/run/one/one.sock")
    assert found.place.subject == "kubelet 7 --container-runtime-endpoint"


def with_config(text: str, *more: str) -> Recording:
    arguments = kubelet("--config=/etc/kubernetes/kubelet/config.json", *more)
    return but(told(process_7_kubelet=arguments), part("file /etc/kubernetes/kubelet/config.json", text))


def test_its_configuration_is_read_as_yaml() -> None:
    found = said(with_config(CONFIG))
    assert found.state == Known("/run/one/one.sock")
    assert (
        found.place.line == 4 or found.place.subject == "/etc/kubernetes/kubelet/config.json containerRuntimeEndpoint"
    )


def test_drop_ins_are_laid_over_the_configuration_in_the_order_of_their_names() -> None:
    folder = "/etc/kubernetes/kubelet/config.json.d"
    recording = but(
        with_config(CONFIG, f"--config-dir={folder}"),
        part(f"file {folder}/40-later.conf", "containerRuntimeEndpoint: unix:///run/later.sock"),
        part(f"file {folder}/00-nodeadm.conf", "containerRuntimeEndpoint: unix:///run/sooner.sock"),
        part("file /somewhere/else/99.conf", "containerRuntimeEndpoint: unix:///run/other.sock"),
    )
    assert said(recording).state == Known("/run/later.sock")


def test_where_it_says_nothing_its_default_holds() -> None:
    found = said(with_config("kind: KubeletConfiguration\n"))
    assert found.state == Known(defaults().socket)
    assert not found.written


@pytest.mark.parametrize(
    ("recording", "why"),
    [
        (told(process_7_crio="/usr/bin/crio"), "no kubelet runs here"),
        (told(process_7_kubelet=kubelet(), process_8_kubelet=kubelet()), "several kubelets"),
        (told(process_7_kubelet=kubelet("--container-runtime-endpoint=tcp://10.0.0.1:3735")), "is no socket"),
        (told(process_7_kubelet=kubelet("--config=/var/lib/kubelet/config.yaml")), "could not be read"),
        (with_config("containerRuntimeEndpoint: [\n"), "not YAML"),
        (told(process_7_kubelite="/snap/microk8s/8511/kubelite"), "arguments of microk8s's kubelet"),
        (told(process_7_k3s_server="x"), "no kubelet runs here"),
    ],
)
def test_what_can_not_be_read_is_unknown(recording: Recording, why: str) -> None:
    state = said(recording).state
    assert isinstance(state, Unknown)
    assert why in state.why


def test_permission_denied_is_told() -> None:
    path = "/var/lib/kubelet/config.yaml"
    refused = part(f"file {path}", code=1, stderr=f"cat: {path}: Permission denied")
    state = said(but(told(process_7_kubelet=kubelet(f"--config={path}")), refused)).state
    assert state == Unknown(f"kubelet's configuration {path} could not be read: cat: {path}: Permission denied")


def test_microk8s_keeps_kubelets_arguments_in_a_file() -> None:
    path = "/var/snap/microk8s/current/args/kubelet"
    text = (
        "--kubeconfig=${SNAP_DATA}/credentials/kubelet.config\n"
        "--container-runtime-endpoint=${SNAP_COMMON}/run/containerd.sock"
    )
    recording = but(
        told(process_7_kubelite="/snap/microk8s/8511/kubelite\n--start-control-plane=true"), part(f"file {path}", text)
    )
    assert said(recording).state == Known(containerd_of("microk8s").socket)


def test_k3s_has_its_own_socket_unless_it_was_told_another() -> None:
    agent = Recording("ssh://h1", (part("process 7 k3s-agent", "/usr/local/bin/k3s agent"),))
    assert said(agent).state == Known(containerd_of("k3s").socket)
    told_another = but(
        agent, part("file /etc/rancher/k3s/config.yaml", "container-runtime-endpoint: /run/containerd/other.sock")
    )
    assert said(told_another).state == Known("/run/containerd/other.sock")
    unreadable = but(agent, part("file /etc/rancher/k3s/config.yaml", code=1, stderr="cat: Permission denied"))
    assert isinstance(said(unreadable).state, Unknown)


def test_a_kubelet_inside_a_container_is_not_this_nodes() -> None:
    recording = told(
        ourselves="NSpid:\t900",
        process_7_kubelet=kubelet("--container-runtime-endpoint=/run/one/one.sock"),
        namespaces_7="NSpid:\t7\t31",
    )
    assert isinstance(said(recording).state, Unknown)
