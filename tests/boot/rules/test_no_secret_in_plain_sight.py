"""Secrets in user data, in files and in planned values; the finding never holds one."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import pytest

from nodeworthy.documents.tree import Tree, plant
from nodeworthy.documents.yaml import read_all
from nodeworthy.engine import Judgement, judge
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.facts.secrets.plain_text import PlainText, what_is_in_plain_words
from nodeworthy.facts.secrets.planned_secret import secret_manifests, without_packed
from nodeworthy.rules.no_secret_in_plain_sight import RULE
from nodeworthy.rules.rule_crashed import RULE as CRASHED
from nodeworthy.scene import Fact, make_scene
from nodeworthy.verdict import Known, Located, Place
from tests.boot.rules.userdata import CA, NODE_CONFIG, SHELL, judged, mime, node_config, planned, read, shell, told

TOKEN = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA" + "bC4d"


def places(text: str, name: str = "user-data.sh") -> list[tuple[int | None, int | None]]:
    return [(each.where.line, each.where.column) for each in judged(RULE, read(text, name)).findings]


def of(fact: Fact) -> Judgement:
    (judgement,) = judge([make_scene([fact])], [RULE], CRASHED)
    return judgement


def test_it_is_told_where_it_stands_and_never_what_it_is() -> None:
    (found,) = judged(RULE, read(shell(f"export GHCR_TOKEN={TOKEN}"))).findings
    assert found.message == "a GitHub token stands in user data, as GHCR_TOKEN"
    assert (found.is_, found.where.line, found.where.column) == ("(secret)", 3, 19)
    assert TOKEN not in repr(found)


def test_in_every_part_and_form() -> None:
    cloud = f"#cloud-config\nruncmd:\n  - [sh, -c, 'DB_PASSWORD=hunter2 /opt/setup']\nwrite_files:\n  - content: |\n      {TOKEN}\n"
    assert len(places(cloud, "user-data.yaml")) == 2
    heredoc = shell("cat > /etc/app.conf <<EOF", "password = hunter2", "EOF")
    assert places(heredoc) == [(4, 12)]
    parts = mime((NODE_CONFIG, node_config()), (SHELL, shell(f"curl -u bot:{TOKEN} https://x")))
    assert len(places(parts, "user-data.mime")) == 1


def test_in_a_file_that_is_packed() -> None:
    content = base64.b64encode(b"[registry]\npassword = hunter2\n").decode()
    cloud = f"#cloud-config\nwrite_files:\n  - path: /etc/app.conf\n    encoding: b64\n    content: {content}\n"
    (found,) = judged(RULE, read(cloud, "user-data.yaml")).findings
    assert found.where.line == 5
    assert "hunter2" not in repr(found)


def test_in_base64_as_a_whole() -> None:
    text = base64.b64encode(shell(f"export GHCR_TOKEN={TOKEN}", "systemctl enable --now kubelet").encode())
    assert len(judged(RULE, read(text, "user-data.b64")).findings) == 1


@pytest.mark.parametrize(
    "line",
    [
        f"/etc/eks/bootstrap.sh gpu-dev --b64-cluster-ca {CA} --apiserver-endpoint https://a.example",
        'GHCR_TOKEN=""',
        'GHCR_TOKEN="<PLACEHOLDER>"',
        "GHCR_TOKEN=$(aws secretsmanager get-secret-value --secret-id ghcr --query SecretString --output text)",
        "kubeadm join 10.0.0.9:6443 --token $T --discovery-token-ca-cert-hash sha256:4f53cda18c2baa0c0354bb5f9a3ecbe5",
    ],
)
def test_silent_on_what_is_none(line: str) -> None:
    assert told(RULE, read(shell(line))) == ["pass"]


def test_of_a_template() -> None:
    text = shell("GHCR_TOKEN='${ghcr_token}'", "REGISTRY_PASSWORD='${registry_auth}'", "A='${cluster_name}'")
    findings = judged(RULE, read(text, "node.tftpl", template=True)).findings
    assert [(each.verdict.value, each.where.line) for each in findings] == [("fail", 3), ("unknown", 4)]
    assert told(RULE, read(text, "user-data.sh", template=False)) == ["pass"]


def test_a_secret_of_the_program_is_one_however_it_looks() -> None:
    assert told(RULE, planned(shell("setup my-plain-word"), holds_secret=True)) == [
        "fail",
        "a secret of the program stands in user data",
    ]
    named = planned(shell("DB_PASSWORD=hunter2"), holds_secret=True)
    assert told(RULE, named) == ["fail", "a password stands in user data, as DB_PASSWORD"]


def test_what_is_not_known_does_not_pass() -> None:
    script = replace(read(shell("true")), read=None, unread="it is an output of a new resource")
    assert told(RULE, script) == ["unknown", "it is an output of a new resource"]


def test_a_ca_key_that_a_template_fills_in() -> None:
    cloud = "#cloud-config\nwrite_files:\n  - path: /tls/ca.key\n    encoding: b64\n    content: ${server_ca_key}\n"
    assert [each.message for each in judged(RULE, read(cloud, "init.tftpl")).findings] == [
        "the template writes its variable server_ca_key into user data"
    ]
    assert told(RULE, read(cloud.replace("_key", "_cert"), "init.tftpl")) == ["pass"]


def test_in_a_file() -> None:
    text = f"grafana:\n  adminPassword: prom-operator\n  existingSecret: grafana-admin\nextra:\n  - {TOKEN}\n"
    judgement = of(PlainText(Place(path="values.yaml"), text, "Helm values"))
    found = [(each.message, each.where.line, each.where.column) for each in judgement.findings]
    assert found == [
        ("a GitHub token stands in Helm values", 5, 5),
        ("the kube-prometheus-stack chart's default password stands in Helm values, as adminPassword", 2, 18),
    ]


def test_the_name_of_a_secret_may_have_a_digit() -> None:
    text = "a:\n  token: k8s-registry-login\n  secret: minio-s3-creds\n  auth_token: abc123def456\n"
    found = of(PlainText(Place(path="values.yaml"), text, "Helm values")).findings
    assert [(each.message, each.where.line) for each in found] == [("a token stands in Helm values, as auth_token", 4)]


def test_what_is_said_of_a_token_is_none() -> None:
    text = (
        "a:\n  - token: JupyterHub API token\n  - args: --ServerApp.token= --ServerApp.password= --port=1\n"
        '  - private_key: "-----BEGIN PRIVATE KEY-----\\nREPLACE_ME\\n-----END PRIVATE KEY-----\\n"\n'
        "  - token: JupyterHub7 # of its API, for all\n"
    )
    found = of(PlainText(Place(path="values.yaml"), text, "Helm values")).findings
    assert [(each.message, each.where.line) for each in found] == [("a token stands in Helm values, as token", 5)]


def test_a_key_in_base64_below_its_name_is_told_of_once() -> None:
    pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA1c7z5Pad7OejecsQ0buozW0WbBqKuMbdYvUmDgAx5Xk\n"
    packed = base64.b64encode(pem.encode()).decode()
    text = f"apiVersion: v1\nkind: Secret\nmetadata: {{name: tls}}\ndata:\n  ca.key: |\n    {packed}\n  a: eA==\n"
    (secret,) = secret_manifests(read_all(text, Place(path="tls.yaml")))
    assert without_packed(text, [secret]) == text.replace(f"  ca.key: |\n    {packed}\n  a: eA==", "\n\n")


def test_what_describes_others_holds_none() -> None:
    definition = (
        "kind: CustomResourceDefinition\nspec:\n  description: |-\n    Pass: instructs the traffic to skip rules\n"
        "    password: the-password-of-its-user\n---\n"
    )
    text = f"{definition}kind: Other\npassword: hunter2\n"
    plain = what_is_in_plain_words(text, read_all(text, Place(path="crds.yaml")))
    found = of(PlainText(Place(path="crds.yaml"), plain, "this file")).findings
    assert [(each.message, each.where.line) for each in found] == [("a password stands in this file, as password", 8)]
    prose = "Deny: denies the traffic\nPass: instructs the traffic to skip rules\n"
    assert of(PlainText(Place(path="notes.yaml"), prose, "this file")).findings == ()


def values(data: object, **place: Any) -> OperatorValues:
    at = Place(**place)
    return OperatorValues(at, plant(data, at), "Helm values of a release", Located(Known(None), at))


def test_in_planned_values() -> None:
    data = {
        "driver": {"licensingConfig": {"secretName": "licence-1"}},
        "toolkit": {"env": [{"name": "NGC_API_KEY", "value": "0a1b2c3d4e5f6071"}, {"name": "A", "value": "b"}]},
        "gds": {"imagePullSecrets": ["regcred-1"]},
        "password": "hunter2",
    }
    judgement = of(values(data, urn="urn:pulumi:dev::gpu::kubernetes:helm.sh/v3:Release::gpu-operator"))
    assert [each.message for each in judgement.findings] == [
        "a key stands in Helm values of a release, as NGC_API_KEY",
        "a password stands in Helm values of a release, as password",
    ]


def test_values_of_a_file_are_looked_at_with_the_file() -> None:
    assert of(values({"password": "hunter2"}, path="values.yaml")).findings == ()


def test_what_the_program_keeps_secret_is_not_in_plain_sight() -> None:
    at = Place(urn="urn:pulumi:dev::gpu::kubernetes:helm.sh/v3:Release::gpu-operator")
    tree = Tree({"password": Tree("hunter2", at, secret=True)}, at)
    assert of(OperatorValues(at, tree, "Helm values", Located(Known(None), at))).verdict == "pass"


@pytest.mark.parametrize(
    ("above", "found"),
    [
        ("secretRefKey", 0),
        ("existingSecretKeys", 0),
        ("auth:\n    secretKeys", 0),
        ("secret:\n    keys", 0),
        ("accounts:\n    keys", 2),
        ("auth", 2),
        ("secretRef: db\n  auth", 2),
    ],
)
def test_what_the_keys_of_a_secret_are_called_is_none(above: str, found: int) -> None:
    """As a chart's values name them, beside the Secret itself."""
    text = f"db:\n  {above}:\n      username: postgres\n      # of it\n\n      password: db-password-2\n      adminPassword: admin-2\n"
    assert len(of(PlainText(Place("values.yaml", 1, 1), text, "Helm values")).findings) == found


@pytest.mark.parametrize(
    ("name", "password", "count"),
    [
        ("slurmdbd.conf", "Vq7tXh2LmPz9", 1),
        ("slurmdbd.conf.example", "Vq7tXh2LmPz9", 0),
        ("values.sample.yaml", "Vq7tXh2LmPz9", 0),
        ("example.yaml", "Vq7tXh2LmPz9", 1),
        ("slurmdbd.conf.example", TOKEN, 1),
    ],
)
def test_a_sample_holds_what_is_to_be_filled_in(name: str, password: str, count: int) -> None:
    """What has a form that its maker gave it is real there, too."""
    text = PlainText(Place(name), f"StorageUser=slurm\nStoragePass={password}\n", "slurmdbd.conf")
    assert len(of(text).findings) == count
