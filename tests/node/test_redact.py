"""No secret leaves the collector, and nothing that a rule reads is lost."""

from __future__ import annotations

import tomllib

import pytest

from nodeworthy.documents.yaml import read
from nodeworthy.known.secrets import HIDDEN as SECRET
from nodeworthy.redaction import hide_secrets as redact
from nodeworthy.verdict import Place

from .recordings import incident, named

JWT = "eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJzdWIiOiJzeXN0ZW06bm9kZSJ9.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg"


PART = "/var/lib/cloud/instance/scripts/part-001:"
HF, GITHUB = "hf_aBcDeFgHiJkLmNoPqRsTuVwXyZ01234567", "ghp_1a2B3c4D5e6F7g8H9i0JkLmNoPqRsTuVwXyZ"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("kubelet\n--token=abcdef0123\n--v=2", "abcdef0123"),
        ("kubelet\n--token\nhunter22\n--v=2", "hunter22"),
        ("k3s\n--node-ip=10.0.0.1\n--agent-token\nhunter22", "hunter22"),
        ("token: K10c2f0a1b2c3d4e5f60718293a4b5c6d7e8f9::server:9f8e7d", "9f8e7d"),
        ("server: https://10.0.0.1:6443\nagent-token: hunter22\n", "hunter22"),
        ("  password = 'hunter22'", "hunter22"),
        ('  identitytoken = "hunter22"', "hunter22"),
        ('[plugins."io.containerd.cri.v1.images".registry.configs."r.local:5000".auth]\n  username = "bob"', "bob"),
        ('[plugins."io.containerd.grpc.v1.cri".registry.headers]\n  X-Meta-Key = ["hunter22"]', "hunter22"),
        ("staticPodURLHeader:\n  X-Anything:\n  - hunter22\nrotateCertificates: true", "hunter22"),
        (f"note {JWT} end", JWT),
        ("join abcdef.0123456789abcdef now", "0123456789abcdef"),
        ("proxy http://bob:hunter22@proxy:3128/", "hunter22"),
        ("Authorization: Bearer c2VjcmV0LXRva2Vu", "c2VjcmV0LXRva2Vu"),
        ("AKIAQ7RZ2M5XW8KD3TNB", "AKIAQ7RZ2M5XW8KD3TNB"),
        ("-----BEGIN EC PRIVATE KEY-----\nMHcCAQEE\n-----END EC PRIVATE KEY-----", "MHcCAQEE"),
        ("client-key-data: LS0tLS1CRUdJTg==", "LS0tLS1CRUdJTg=="),
        # What a boot script printed where it failed, and what fstab has of a share.
        (f"{PART} line 12: HF_TOKEN={HF}: command not found", HF),
        (f"{PART} line 9: {GITHUB}: command not found", GITHUB),
        (f"{PART} line 4: WANDB_API_KEY=hunter22x9: no", "hunter22x9"),
        ("+ curl -u admin:hunter22x9 https://nexus.example/x", "hunter22x9"),
        ("Failed running docker login -u bot -p hunter22x9 ghcr.io", "hunter22x9"),
        ("Runparts: 1 failed (part-001 --secret hunter22x9)", "hunter22x9"),
        ("//nas/share /mnt cifs user=u,pass=hunter22x9,_netdev 0 0", "hunter22x9"),
    ],
)
def test_a_secret_is_gone(text: str, secret: str) -> None:
    redacted = redact(text)
    assert secret not in redacted
    assert SECRET in redacted
    assert redact(redacted) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "kubelet\n--authorization-mode=Webhook\n--authentication-token-webhook=true\n--rotate-certificates=true",
        "--kubeconfig=/var/lib/kubelet/kubeconfig\n--bootstrap-kubeconfig=/etc/kubernetes/bootstrap.conf",
        "--container-runtime-endpoint=unix:///run/k8s/k8s.sock\n--node-labels=nodeworthy/pool=h100",
        "containerRuntimeEndpoint: unix:///run/x.sock\nauthentication:\n  anonymous:\n    enabled: false",
        "serverTLSBootstrap: true\nauthorization:\n  mode: Webhook",
        "0::/system.slice/snap.k8s.containerd.service",
        "containerd github.com/containerd/containerd/v2 v2.2.9 9f8e7d6c5b4a39281706f5e4d3c2b1a098765432",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == text


def test_a_dump_can_still_be_parsed_and_says_the_same() -> None:
    for part in named(incident(), "dump"):
        assert tomllib.loads(redact(part.stdout)) == tomllib.loads(part.stdout)


def test_what_was_redacted_can_still_be_parsed() -> None:
    toml = '[a.auth]\n  username = "bob"\n  password = "x\\"y"\n[b]\n  token = 12345678\n  keep = "this"\n'
    assert tomllib.loads(redact(toml))["b"]["keep"] == "this"
    yaml = "token: abc def\nstaticPodURLHeader:\n  X-A:\n  - b\ncontainerRuntimeEndpoint: unix:///run/x.sock\n"
    tree = read(redact(yaml), Place())
    assert tree is not None
    assert tree.get("containerRuntimeEndpoint").text == "unix:///run/x.sock"


def test_a_secret_within_a_line() -> None:
    mount = "//nas/share /shared cifs username=gpu,password=hunter2,vers=3.0,_netdev 0 0"
    assert redact(mount) == "//nas/share /shared cifs username=gpu,password=(secret),vers=3.0,_netdev 0 0"
    said = "/var/lib/cloud/instance/scripts/part-001: line 4: HF_TOKEN=abcdef0123: command not found"
    assert redact(said) == "/var/lib/cloud/instance/scripts/part-001: line 4: HF_TOKEN=(secret): command not found"
