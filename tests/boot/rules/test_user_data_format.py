"""What is written is what the pool's image reads."""

from __future__ import annotations

import pytest

from nodeworthy.rules.user_data_format import RULE
from tests.boot.rules.userdata import (
    COORDINATES,
    NODE_CONFIG,
    SHELL,
    in_pool,
    judged,
    mime,
    node_config,
    read,
    shell,
    told,
)

BOOTSTRAP = shell(f"/etc/eks/bootstrap.sh gpu-dev {COORDINATES}")
TOML = '[settings.kubernetes]\ncluster-name = "gpu-dev"\n'
CLOUD = "#cloud-config\nruncmd:\n  - /etc/eks/bootstrap.sh gpu-dev\n"


@pytest.mark.parametrize(
    ("text", "pool", "message"),
    [
        (BOOTSTRAP, "os: al2023", "calls /etc/eks/bootstrap.sh, which does not exist on EKS' AL2023"),
        (CLOUD, "os: al2023", "calls /etc/eks/bootstrap.sh, which does not exist on EKS' AL2023"),
        (BOOTSTRAP, "distribution: k3s", "calls /etc/eks/bootstrap.sh, which does not exist on k3s"),
        (node_config(), "os: al2", "the user data is a NodeConfig, which nobody reads on EKS' AL2"),
        (node_config(), "os: ubuntu-24.04", "the user data is a NodeConfig, which nobody reads on EKS' Ubuntu"),
        (shell("nodeadm init"), "os: al2", "calls nodeadm, which does not exist on EKS' AL2"),
        (TOML, "os: al2023", "the user data is for Bottlerocket, which nobody reads on EKS' AL2023"),
        (
            BOOTSTRAP,
            "os: bottlerocket",
            "the user data is a shell script, and Bottlerocket reads its settings in TOML and nothing else",
        ),
        (
            node_config(),
            "os: bottlerocket",
            "the user data is a NodeConfig, and Bottlerocket reads its settings in TOML and nothing else",
        ),
        (shell("apt-get install -y jq"), "os: al2023", "installs with apt, which AL2023 does not have"),
        (shell("dnf install -y jq"), "os: al2", "installs with dnf, which AL2 does not have"),
        (shell("yum install -y jq"), "os: ubuntu-22.04", "installs with yum, which Ubuntu 22.04 does not have"),
    ],
)
def test_it_is_written_for_another_family(text: str, pool: str, message: str) -> None:
    judgement = judged(RULE, in_pool(read(text), pool))
    assert [each.message for each in judgement.findings] == [message]
    assert judgement.findings[0].on == ("pool 'cpu'",)
    assert judgement.findings[0].related


@pytest.mark.parametrize(
    ("text", "pool"),
    [
        (BOOTSTRAP, "os: al2"),
        (BOOTSTRAP, "os: ubuntu-22.04"),
        (CLOUD, "os: al2"),
        (mime((SHELL, BOOTSTRAP)), "os: al2"),
        (node_config(), "os: al2023"),
        (mime((SHELL, shell("dnf install -y jq")), (NODE_CONFIG, node_config())), "os: al2023"),
        (shell("systemctl disable nodeadm-run", "nodeadm init"), "os: al2023"),
        (TOML, "os: bottlerocket"),
        (shell("curl -sfL https://get.k3s.io | sh -"), "distribution: k3s, os: ubuntu-22.04"),
        (shell("kubeadm join 10.0.0.9:6443"), "distribution: kubeadm"),
        (
            shell("if command -v apt-get; then", "apt-get install -y jq", "else", "dnf install -y jq", "fi"),
            "os: al2023",
        ),
        (shell("dnf install -y jq || apt-get install -y jq"), "os: ubuntu-22.04"),
        (shell("if [ -f /etc/eks/bootstrap.sh ]; then", "/etc/eks/bootstrap.sh a", "fi"), "os: al2023"),
        (
            shell(
                ". /etc/os-release",
                'case "$ID" in',
                "ubuntu) apt-get install -y jq ;;",
                "*) yum install -y jq ;;",
                "esac",
            ),
            "os: ubuntu-22.04",
        ),
    ],
)
def test_it_is_written_for_this_family(text: str, pool: str) -> None:
    assert told(RULE, in_pool(read(text), pool)) == ["pass"]


def test_each_package_manager_is_told_once() -> None:
    text = shell("apt-get update", "apt-get install -y jq", "apt-get install -y curl")
    assert told(RULE, in_pool(read(text), "os: al2023")) == ["fail", "installs with apt, which AL2023 does not have"]


def test_faults_of_the_packing_are_its_faults() -> None:
    verdict, message = told(RULE, read("\n" + mime((SHELL, shell("true"))), "user-data.mime"))
    assert verdict == "fail"
    assert "blank line" in message


def test_faults_of_the_documents_are_its_faults() -> None:
    verdict, *messages = told(RULE, read("#cloud-config\nruncmd: [a\n", "user-data.yaml"))
    assert (verdict, len(messages)) == ("fail", 1)
    verdict, *messages = told(RULE, read('[settings.kubernetes\ncluster-name = "a"\n', "user-data.toml"))
    assert (verdict, len(messages)) == ("fail", 1)


def test_another_language_is_not_read() -> None:
    assert told(RULE, read("#!/usr/bin/python3\nprint()\n"))[0] == "unknown"


def test_for_two_families_at_once() -> None:
    both = mime((NODE_CONFIG, node_config()), (SHELL, BOOTSTRAP))
    assert told(RULE, read(both)) == ["fail", "calls /etc/eks/bootstrap.sh beside a NodeConfig, and no image has both"]
    asked = shell("if [ -x /etc/eks/bootstrap.sh ]; then", "/etc/eks/bootstrap.sh gpu-dev", "fi")
    assert told(RULE, read(mime((NODE_CONFIG, node_config()), (SHELL, asked)))) == ["pass"]


def test_what_was_not_read_passes_nowhere() -> None:
    assert told(RULE, read(b"\x1f\x8b\x08\x00truncated", "user-data.gz"))[0] in ("fail", "unknown")


@pytest.mark.parametrize(
    "begins",
    [
        '%{ if warm ~}\nContent-Type: multipart/mixed; boundary="B"\nMIME-Version: 1.0\n\n--B\n%{ endif ~}\n',
        "%{ if warm }Content-Type: multipart/mixed; boundary=B\n%{ endif }\n",
        "%{ if warm == false }\nset -e\n",
    ],
)
def test_how_a_template_begins_that_begins_with_a_directive_is_not_known(begins: str) -> None:
    script = read(f"{begins}set -e\n/etc/eks/bootstrap.sh ${{name}}\n", "user-data.tpl", template=True)
    assert [found.verdict for found in judged(RULE, script).findings] == []


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("user-data.sh", "set -e\nsystemctl enable kubelet\n", "x-not-multipart"),
        ("user-data.mime", mime((SHELL, "set -e\nsystemctl enable kubelet\n")), "Exec format error"),
    ],
)
def test_what_happens_without_a_first_line(name: str, text: str, message: str) -> None:
    (found,) = judged(RULE, read(text, name)).findings
    assert message in found.message


@pytest.mark.parametrize(
    ("text", "messages"),
    [
        ("set -e\nsystemctl enable kubelet\n", []),
        (" #!/bin/sh\nsystemctl enable kubelet\n", []),
        ("#!/bin/sh\r\nsystemctl enable kubelet\r\n", ["this script has Windows line ends"]),
    ],
)
def test_a_script_that_people_run_is_no_user_data(text: str, messages: list[str]) -> None:
    found = judged(RULE, read(text, "setup-node.sh")).findings
    assert [each.message.partition(":")[0] for each in found] == messages
