"""The script joins the fleet's cluster, once."""

from __future__ import annotations

import base64

import pytest

from nodeworthy.rules import rule
from tests.boot.rules.userdata import (
    CA,
    COORDINATES,
    ENDPOINT,
    NODE_CONFIG,
    PEM,
    SHELL,
    in_pool,
    judged,
    mime,
    node_config,
    planned,
    read,
    shell,
    told,
)

RULE = rule("joins-its-cluster")
BOOTSTRAP = f"/etc/eks/bootstrap.sh gpu-dev {COORDINATES}"
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n"
TWICE = "joins the cluster a second time on the same path"


def packed(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


@pytest.mark.parametrize(
    "text",
    [
        shell(BOOTSTRAP),
        shell("/etc/eks/bootstrap.sh gpu-dev"),
        node_config(),
        mime((NODE_CONFIG, node_config()), (SHELL, shell("sysctl --system"))),
        mime((NODE_CONFIG, node_config(cidr="")), (NODE_CONFIG, node_config(name="gpu-dev"))),
        mime((NODE_CONFIG, node_config(cidr="")), (SHELL, shell("cp /opt/cidr.yaml /etc/eks/nodeadm.d/cidr.yaml"))),
        shell("if [ -f /etc/spot ]; then", BOOTSTRAP, "else", BOOTSTRAP, "fi"),
        shell(f"{BOOTSTRAP} || {BOOTSTRAP}"),
        shell("for i in 1 2 3; do", "kubeadm join 10.0.0.9:6443 && break", "sleep 5", "done"),
        shell("curl -sfL https://get.k3s.io | K3S_URL=https://10.0.0.9:6443 sh -", "systemctl enable --now k3s-agent"),
        shell("nodeadm init --skip run", "nodeadm init --skip config"),
        shell(
            "kubeadm join 10.0.0.9:6443 --token $T --discovery-token-ca-cert-hash $H",
            "kubeadm join phase control-plane-prepare download-certs --config join.yaml &&"
            " kubeadm join phase control-plane-prepare certs --config join.yaml",
        ),
        "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n  kubelet:\n    config: {maxPods: 110}\n",
        "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\nspec:\n"
        "  cluster: {name: a, region: us-east-2}\n  hybrid: {ssm: {}}\n",
        f'[settings.kubernetes]\ncluster-name = "a"\napi-server = "{ENDPOINT}"\ncluster-certificate = "{CA}"\n',
    ],
)
def test_joined_once_is_right(text: str) -> None:
    assert told(RULE, read(text)) == ["pass"]


@pytest.mark.parametrize("key", ["name", "apiServerEndpoint", "certificateAuthority", "cidr"])
def test_what_one_config_leaves_out_the_other_says(key: str) -> None:
    part, whole = (NODE_CONFIG, node_config(**{key: ""})), (NODE_CONFIG, node_config())
    for configs in ((part, whole), (whole, part)):
        assert told(RULE, read(mime(*configs))) == ["pass"]


@pytest.mark.parametrize(
    "text",
    [
        shell(BOOTSTRAP, BOOTSTRAP),
        shell(BOOTSTRAP, "nodeadm init -c file:///etc/node.yaml"),
        shell(BOOTSTRAP, "if [ -f /etc/labels ]; then", BOOTSTRAP, "fi"),
        shell("join() {", BOOTSTRAP, "}", "join", "join"),
        mime((SHELL, shell(BOOTSTRAP)), (SHELL, shell(BOOTSTRAP))),
    ],
)
def test_joined_twice_is_once_too_often(text: str) -> None:
    judgement = judged(RULE, read(text))
    assert [each.message for each in judgement.findings] == [TWICE]
    assert [each.says for each in judgement.findings[0].related] == ["it joins here already"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (node_config(cidr=""), "the NodeConfig leaves out cidr"),
        (node_config(apiServerEndpoint="", certificateAuthority=""), "the NodeConfig leaves out apiServerEndpoint and certificateAuthority"),
        (node_config(apiServerEndpoint="http://a.example"), "the endpoint is http, and EKS answers https alone"),
        (node_config(cidr="172.20.0.0/33"), "the service range is no range of addresses"),
        (node_config(cidr="172.20.0.0"), "the service range is an address and no range of them: the mask is missing"),
        (node_config(certificateAuthority="LS0tLS1CRUdJTi..."), "the CA is no base64"),
        (node_config(certificateAuthority=packed(CA)), "the CA is in base64 twice"),
        (node_config(certificateAuthority=packed(KEY)), "the CA is base64 of another thing: rsa private key"),
        (
            node_config(certificateAuthority="|\n" + "".join(f"      {line}\n" for line in PEM.splitlines())),
            "the CA is a certificate as it is, and must be in base64",
        ),
        (
            shell(f"/etc/eks/bootstrap.sh a --b64-cluster-ca {CA}"),
            "--b64-cluster-ca without --apiserver-endpoint is not used: bootstrap.sh asks EKS for both",
        ),
        (
            '[settings.kubernetes]\ncluster-name = "a"\n',
            "[settings.kubernetes] leaves out api-server and cluster-certificate",
        ),
    ],
)  # fmt: skip
def test_what_can_not_be_right(text: str, message: str) -> None:
    assert told(RULE, read(text)) == ["fail", message]


@pytest.mark.parametrize("authority", [CA, CA[:64], CA[:61], "Y2VydGlmaWNhdGVBdXRob3JpdHk=", "aGVsbG8gd29ybGQ="])
def test_a_certificate_may_be_cut_short(authority: str) -> None:
    """nodeadm's own documentation has such a one, and every example that is copied from it."""
    assert told(RULE, read(node_config(certificateAuthority=authority))) == ["pass"]


def test_nothing_that_joins_is_no_fault_of_a_helper() -> None:
    assert told(RULE, read(shell("modprobe br_netfilter"))) == ["skip"]
    assert told(RULE, in_pool(read(shell("modprobe br_netfilter"), "tune.sh"), "os: al2")) == ["skip"]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (shell("yum install -y jq"), "fail"),
        (shell("curl -fsSL https://example.com/join.sh | bash"), "unknown"),
        (mime((SHELL, shell("yum install -y jq"))), "skip"),
        ("#!/usr/bin/python3\nprint()\n", "unknown"),
    ],
)
def test_user_data_that_joins_nothing(text: str, verdict: str) -> None:
    assert told(RULE, in_pool(read(text), "os: al2"))[0] == verdict


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        (node_config(name="other"), "the cluster that it joins with is not the fleet's", 5),
        (node_config(cidr="10.100.0.0/16"), "the service range that it joins with is not the fleet's", 8),
    ],
)
def test_another_than_the_fleets(text: str, message: str, line: int) -> None:
    (found,) = judged(RULE, in_pool(read(text, "node.yaml"), "os: al2023")).findings
    assert (found.message, found.where.line) == (message, line)
    assert found.related[0].says.startswith("the fleet's")


def test_the_dns_server_is_in_the_service_range() -> None:
    text = shell(f"{BOOTSTRAP} --dns-cluster-ip 10.100.0.10")
    assert told(RULE, in_pool(read(text), "os: al2")) == [
        "fail",
        "--dns-cluster-ip is not in the fleet's service range",
    ]
    assert told(RULE, in_pool(read(text.replace("10.100", "172.20")), "os: al2")) == ["pass"]


def test_a_range_is_compared_as_one() -> None:
    assert told(RULE, in_pool(read(node_config(cidr="172.20.0.10/16")), "os: al2023")) == ["pass"]


def test_a_name_from_the_machine_is_not_known() -> None:
    text = shell('/etc/eks/bootstrap.sh "$(cat /etc/cluster)"')
    assert told(RULE, in_pool(read(text), "os: al2"))[0] == "unknown"
    assert told(RULE, read(text)) == ["pass"]


def test_a_pool_that_is_not() -> None:
    text = shell(f"{BOOTSTRAP} --kubelet-extra-args '--node-labels=nodeworthy/pool=h200'")
    assert told(RULE, in_pool(read(text), "os: al2")) == [
        "fail",
        "the node says that it is of the pool 'h200', which the fleet does not have",
    ]


def of(output: str) -> str | None:
    """What a preview made up, by what it stands for."""
    return {"https://standin1.example": "endpoint of one", "made-up": "name of one", "b3RoZXI=": "ca of two"}.get(
        output
    )


def test_what_a_preview_made_up_is_right_by_itself() -> None:
    text = node_config(apiServerEndpoint="https://standin1.example")
    assert told(RULE, planned(text, stands_for=of)) == ["pass"]


def test_a_made_up_name_is_not_the_fleets() -> None:
    script = in_pool(planned(node_config(name="made-up"), stands_for=of), "os: al2023")
    assert told(RULE, script) == [
        "unknown",
        "the cluster that it joins with is an output (name of one), which a preview does not know",
    ]


def test_outputs_of_two_clusters() -> None:
    text = node_config(apiServerEndpoint="https://standin1.example", certificateAuthority="b3RoZXI=")
    assert told(RULE, planned(text, stands_for=of)) == ["fail", "joins with outputs of two clusters: one and two"]


@pytest.mark.parametrize(
    "filled_in", ["<CA>", "%s", "PLACEHOLDER_CA", "'{{ .Values.ca }}'", "__CA__", "your-cluster-ca", "${eks_ca}"]
)
def test_what_somebody_fills_in_is_no_value(filled_in: str) -> None:
    assert told(RULE, read(node_config(certificateAuthority=filled_in))) == ["pass"]
    joins = f"/etc/eks/bootstrap.sh a --apiserver-endpoint '%s' --b64-cluster-ca \"{filled_in}\""
    assert told(RULE, read(shell(joins))) == ["pass"]


def test_who_answers_on_the_machine_itself_is_no_cluster() -> None:
    assert told(RULE, read(node_config(apiServerEndpoint="http://localhost:5000"))) == ["pass"]


TASKS = """\
- hosts: gpu
  tasks:
    - name: the agent
      ansible.builtin.shell: |
        curl -sfL https://get.k3s.io | \\
          INSTALL_K3S_VERSION="{{ release }}" \\
          K3S_URL="https://{{ server }}:6443" \\
          K3S_TOKEN="{{ token }}" \\
          INSTALL_K3S_EXEC="{{ options | trim }}" \\
          sh -
    - name: what its unit is given
      ansible.builtin.copy:
        dest: /etc/systemd/system/k3s-agent.service.env
        content: |
          K3S_TOKEN='{{ token }}'
          K3S_URL='https://10.0.0.4:6443'
"""


def test_what_another_task_copies_into_a_file_is_set_in_no_shell() -> None:
    assert not judged(RULE, read(TASKS, "agent.yml")).findings


@pytest.mark.parametrize("setting", ["A=1", "A='1'", "A=1 "])
def test_settings_without_end_take_no_time(setting: str) -> None:
    """Where each could end anywhere, looking for the end of all of them would never end."""
    script = f"#!/bin/bash\ncurl -sfL https://get.k3s.io | {setting * 3_000} |\n"
    assert not judged(RULE, read(script, "agent.sh")).findings
