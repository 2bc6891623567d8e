"""How a node joins, and what it says of the cluster."""

from __future__ import annotations

import pytest

from nodeworthy.boot.commands.fetching import fetched_script
from nodeworthy.boot.effects import Effect, Fetches, Installs, Joins, NotUnderstood, RefusedOptions, Unit
from nodeworthy.verdict import Known, Located
from tests.boot.commands.calls import PLACE, call, ran, text

URL = "https://10.0.0.1:6443"


def joins(line: str, files: dict[str, str] | None = None) -> Joins:
    (effect,) = ran(line, files=files).effects
    assert isinstance(effect, Joins)
    return effect


def value(located: Located[str] | None) -> str | None:
    if located is None:
        return None
    return located.state.value if isinstance(located.state, Known) else f"? {located.state.why}"


def said(effect: Joins) -> tuple[str | None, ...]:
    return tuple(value(each) for each in (effect.cluster, effect.endpoint, effect.authority, effect.service_cidr))


BOOTSTRAP = "/etc/eks/bootstrap.sh"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"{BOOTSTRAP} gpu", ("gpu", None, None, None)),
        (
            f"{BOOTSTRAP} gpu --apiserver-endpoint https://x --b64-cluster-ca Q0E= --dns-cluster-ip 10.0.0.10",
            ("gpu", "https://x", "Q0E=", None),
        ),
        (f"{BOOTSTRAP} --use-max-pods false --apiserver-endpoint=https://x gpu", ("gpu", "https://x", None, None)),
        (f"{BOOTSTRAP} ${{NAME}}", ("? ${NAME} is known on the node", None, None, None)),
        (f"{BOOTSTRAP} gpu --ip-family ipv6 --service-ipv6-cidr fd00::/108", ("gpu", None, None, "fd00::/108")),
        (
            f"{BOOTSTRAP} gpu-${{ENV}} --container-runtime containerd",
            (
                "? gpu-${ENV}: ${ENV} is known on the node",
                None,
                None,
                None,
            ),
        ),
    ],
)
def test_bootstrap_sh(line: str, expected: tuple[str | None, ...]) -> None:
    effect = joins(line)
    assert effect.how == "bootstrap.sh"
    assert said(effect) == expected
    assert effect.cluster is not None
    assert effect.cluster.place == PLACE


@pytest.mark.parametrize(
    ("told", "labels"),
    [
        ("--node-labels=pool=gpu,team=a --max-pods=110", (("pool", "gpu"), ("team", "a"))),
        ("--max-pods=110 --node-labels=pool=gpu", (("pool", "gpu"),)),
        ("--node-labels=pool=gpu,zone=${ZONE}", (("pool", "gpu"),)),
        ("--max-pods=110", ()),
        ("${EXTRA}", ()),
    ],
)
def test_labels(told: str, labels: tuple[tuple[str, str], ...]) -> None:
    assert joins(f"{BOOTSTRAP} gpu --kubelet-extra-args '{told}'").labels == labels


def test_a_bootstrap_without_a_name_joins_nothing() -> None:
    assert not [each for each in ran(f"{BOOTSTRAP} --help").effects if isinstance(each, Joins)]


NODE_CONFIG = """apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
metadata:
  name: not-the-cluster
spec:
  cluster:
    name: "gpu"
    apiServerEndpoint: https://${ENDPOINT}
    certificateAuthority: 'Q0E='
    cidr: 10.100.0.0/16
"""


def test_nodeadm_reads_the_file_that_the_script_wrote() -> None:
    effect = joins("nodeadm init -c file:///etc/eks/node.yaml", {"/etc/eks/node.yaml": NODE_CONFIG})
    assert effect.how == "nodeadm"
    assert said(effect) == (
        "gpu",
        "? https://${ENDPOINT}: ${ENDPOINT} is known on the node",
        "Q0E=",
        "10.100.0.0/16",
    )


@pytest.mark.parametrize(
    "line",
    [
        "nodeadm init",
        "nodeadm init --skip config",
        "nodeadm init --config-source imds://user-data",
        "nodeadm init -c file:///x",
    ],
)
def test_nodeadm_without_a_file_of_the_script_says_nothing(line: str) -> None:
    assert said(joins(line)) == (None, None, None, None)


@pytest.mark.parametrize(
    "line",
    [
        "nodeadm config check",
        "nodeadm install 1.31 --credential-provider ssm",
        "kubeadm init",
        "nodeadm init --skip run",
        "k8s status",
    ],
)
def test_what_joins_nothing(line: str) -> None:
    assert not [each for each in ran(line).effects if isinstance(each, Joins)]


@pytest.mark.parametrize(
    ("line", "how", "endpoint"),
    [
        ("kubeadm join 10.0.0.1:6443 --token a.b --discovery-token-ca-cert-hash sha256:x", "kubeadm", "10.0.0.1:6443"),
        (
            "kubeadm join --discovery-token a.b ${HOST}:6443 --discovery-token-unsafe-skip-ca-verification",
            "kubeadm",
            "? ${HOST}:6443: ${HOST} is known on the node",
        ),
        ("kubeadm join --config /etc/kubeadm.yaml", "kubeadm", None),
        ("microk8s join 10.0.0.1:25000/token --worker", "microk8s", "10.0.0.1:25000"),
        ("k8s join-cluster token", "k8s-snap", None),
    ],
)
def test_other_ways(line: str, how: str, endpoint: str | None) -> None:
    effect = joins(line)
    assert (effect.how, value(effect.endpoint)) == (how, endpoint)


def fetched(url: str, arguments: str = "", **environment: str) -> list[Effect]:
    return list(fetched_script(text(url), call(arguments, environment=environment)).effects)


def acts(effects: list[Effect]) -> list[str]:
    return [f"{each.act.value} {each.unit.shown()}" for each in effects if isinstance(each, Unit)]


def joins_among(line: str) -> Joins:
    return next(each for each in ran(line).effects if isinstance(each, Joins))


def test_k3s_with_a_url_is_an_agent() -> None:
    effects = fetched("https://get.k3s.io", K3S_URL="https://10.0.0.1:6443", K3S_TOKEN="x")
    assert acts(effects) == ["enable k3s-agent.service", "start k3s-agent.service"]
    (effect,) = [each for each in effects if isinstance(each, Joins)]
    assert (effect.how, value(effect.endpoint)) == ("k3s", "https://10.0.0.1:6443")


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        ("agent --server https://10.0.0.1:6443 --node-label a=b", {}),
        ("", {"INSTALL_K3S_EXEC": "agent --server https://10.0.0.1:6443 --node-label a=b"}),
        ("--node-label a=b", {"K3S_URL": "https://10.0.0.1:6443"}),
    ],
)
def test_k3s_is_told_in_several_ways(arguments: str, environment: dict[str, str]) -> None:
    effects = fetched("https://get.k3s.io", arguments, **environment)
    (effect,) = [each for each in effects if isinstance(each, Joins)]
    assert value(effect.endpoint) == "https://10.0.0.1:6443"
    assert effect.labels == (("a", "b"),)
    assert acts(effects) == ["enable k3s-agent.service", "start k3s-agent.service"]


def test_k3s_without_a_url_begins_a_cluster() -> None:
    effects = fetched("https://get.k3s.io", "server --cluster-init")
    assert acts(effects) == ["enable k3s.service", "start k3s.service"]
    assert not [each for each in effects if isinstance(each, Joins)]


def test_k3s_may_be_told_not_to_start() -> None:
    effects = fetched("https://get.k3s.io", K3S_URL="https://x:6443", INSTALL_K3S_SKIP_START="true")
    assert acts(effects) == ["enable k3s-agent.service"]
    assert not [each for each in effects if isinstance(each, Joins)]


def test_rke2_leaves_its_units_to_the_user() -> None:
    (effect,) = fetched("https://get.rke2.io", INSTALL_RKE2_TYPE="agent")
    assert isinstance(effect, Installs)


def test_docker_is_started() -> None:
    assert acts(fetched("https://get.docker.com")) == ["enable docker.service", "start docker.service"]


@pytest.mark.parametrize("url", ["https://example.com/install.sh", "${URL}", "https://${HOST}/get.k3s.io"])
def test_a_script_that_nobody_read_may_do_anything(url: str) -> None:
    fetches, gap = fetched(url)
    assert isinstance(fetches, Fetches)
    assert fetches.runs
    assert isinstance(gap, NotUnderstood)
    assert all(word in gap.text for word in (url, "nvidia", "kubelet"))


def test_k3s_in_the_foreground() -> None:
    effects = ran("k3s agent --server https://10.0.0.1:6443 --token x").effects
    assert [value(each.endpoint) for each in effects if isinstance(each, Joins)] == ["https://10.0.0.1:6443"]
    assert not [each for each in ran("k3s kubectl get nodes").effects if isinstance(each, Joins)]


@pytest.mark.parametrize(
    ("arguments", "environment", "refused"),
    [
        ("--disable-kube-proxy --tls-san a", {"K3S_URL": URL}, ("--disable-kube-proxy", "--tls-san")),
        ("", {"K3S_URL": URL, "INSTALL_K3S_EXEC": "agent --disable traefik --disable servicelb"}, ("--disable",)),
        (f"agent --server {URL} --flannel-iface ens5", {}, ()),
        ("server --disable traefik", {"K3S_URL": URL}, ()),
        ("--disable traefik", {"K3S_URL": "${URL}"}, ()),
        (f"--server {URL} --disable traefik", {}, ()),
    ],
)
def test_what_an_agent_of_k3s_does_not_know(
    arguments: str, environment: dict[str, str], refused: tuple[str, ...]
) -> None:
    """Whether a variable names a server nobody knows; an installer that is told none by K3S_URL makes a server."""
    effects = fetched("https://get.k3s.io", arguments, **environment)
    assert [each.options for each in effects if isinstance(each, RefusedOptions)] == [refused] * bool(refused)


def test_an_agent_of_k3s_in_the_foreground() -> None:
    call = "agent --server https://10.0.0.1:6443 --disable=traefik"
    assert [each.options for each in ran(f"k3s {call}").effects if isinstance(each, RefusedOptions)] == [("--disable",)]
    assert not [each for each in ran(f"rke2 {call}").effects if isinstance(each, RefusedOptions)]


@pytest.mark.parametrize(
    ("arguments", "environment", "expected"),
    [
        ("--no-deploy traefik", {}, ("k3s server", ("--no-deploy",), ("--disable",), "")),
        (
            "--no-deploy=traefik --no-flannel",
            {"INSTALL_K3S_CHANNEL": "stable"},
            ("k3s server", ("--no-deploy", "--no-flannel"), ("--disable", "--flannel-backend=none"), ""),
        ),
        (
            "",
            {"INSTALL_K3S_EXEC": "--no-deploy=traefik", "INSTALL_K3S_VERSION": "v1.25.0+k3s1"},
            ("k3s server", ("--no-deploy",), ("--disable",), ""),
        ),
        ("--no-deploy traefik", {"INSTALL_K3S_VERSION": "v1.24.17+k3s1"}, None),
        ("--no-deploy traefik", {"INSTALL_K3S_CHANNEL": "v1.22"}, None),
        ("--disable traefik", {}, None),
    ],
)
def test_what_k3s_takes_no_more(
    arguments: str, environment: dict[str, str], expected: tuple[object, ...] | None
) -> None:
    found = [
        each for each in fetched("https://get.k3s.io", arguments, **environment) if isinstance(each, RefusedOptions)
    ]
    assert [(each.program, each.options, each.instead, each.unless) for each in found] == (
        [expected] if expected else []
    )


def test_which_release_of_k3s_a_template_brings_nobody_knows() -> None:
    found = fetched("https://get.k3s.io", "--no-deploy traefik", INSTALL_K3S_VERSION="${VERSION}")
    (refused,) = (each for each in found if isinstance(each, RefusedOptions))
    assert refused.unless == "which release INSTALL_K3S_VERSION names is not known"


def test_what_k3s_takes_no_more_in_its_config_file() -> None:
    given = call("", files={"/etc/rancher/k3s/config.yaml": "no-deploy:\n  - traefik\n"})
    (refused,) = (
        each for each in fetched_script(text("https://get.k3s.io"), given).effects if isinstance(each, RefusedOptions)
    )
    assert refused.options == ("--no-deploy",)
