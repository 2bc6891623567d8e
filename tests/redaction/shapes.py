"""What secrets look like, and in what they are carried. None was ever valid; they are put together here, so that nobody's
scanner takes them for real."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable
from urllib.parse import quote

LETTERS = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA"
HEX = "9f0b7c2e41d86a35"


def made(prefix: str, length: int) -> str:
    return prefix + (LETTERS * 10)[:length]


PASSWORD, WORDY = "Tr0ub4dor-9x", "k7-Plover-Quartz-51"
BODY = "\n".join((LETTERS * 2)[shift : shift + 40] for shift in range(3))
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n-----END RSA PRIVATE KEY-----"
PGP = f"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: 2\n\n{BODY}\n-----END PGP PRIVATE KEY BLOCK-----"
USER_AND_PASSWORD = base64.b64encode(f"bot:{PASSWORD}".encode()).decode()

# The text that holds it, and what nobody may read of that.
SHAPES: dict[str, tuple[str, str]] = {
    **{
        name: (value, value)
        for name, value in {
            "github": made("ghp_", 36),
            "github, fine-grained": made("github_pat_", 82),
            "gitlab": made("glpat-", 20),
            "slack": made("xoxb-", 40),
            "hugging face": made("hf_", 34),
            "nvidia": made("nvapi-", 64),
            "google key": made("AIza", 35),
            "google access": made("ya29.", 60),
            "npm": made("npm_", 36),
            "pulumi": "pul-" + HEX * 2 + HEX[:8],
            "aws id": "ASIA" + "Q7RZ2M5XW8KD3TNB",
            "vault": made("hvs.", 30),
            "k3s": "K10" + HEX * 4 + "::server:" + HEX,
            "jwt": f"{made('eyJ', 20)}.{made('eyJ', 40)}.{made('', 43)}",
        }.items()
    },
    "kubeadm": ("kubeadm join 10.0.0.9:6443 --token 4fzk1q.7hd92mqp0s8x3vbn", "4fzk1q.7hd92mqp0s8x3vbn"),
    "private key": (PEM, LETTERS[4:30]),
    "pgp": (PGP, LETTERS[4:30]),
    "variable": (f"DB_PWD={PASSWORD}", PASSWORD),
    "exported": (f'export POSTGRES_PASSWORD="{PASSWORD}"', PASSWORD),
    "key": (f"adminPassword: {PASSWORD}", PASSWORD),
    "several words": ("password: plover quartz 51 lamp", "quartz"),
    "pass": (f"pass: {PASSWORD}", PASSWORD),
    "pw": (f"pw: {PASSWORD}", PASSWORD),
    "json": (json.dumps({"user": "bot", "apiKey": WORDY}), WORDY),
    "docker's auth": (json.dumps({"auth": USER_AND_PASSWORD}), USER_AND_PASSWORD),
    "folded": (f"password: >-\n  {PASSWORD}\nnext: 1", PASSWORD),
    "toml": (f'password = """\n{PASSWORD}"""', PASSWORD),
    "list": (f"tokens:\n  - {WORDY}\n  - other-{PASSWORD}\nnext: 1", WORDY),
    "in a url": (f"https://bot:{PASSWORD}@nexus.internal/x", PASSWORD),
    "token in a url": (f"https://{made('', 24)}@git.internal/x", made("", 24)),
    "signed url": (f"https://x.blob.example/a?sv=2024&sig={made('', 40)}", made("", 40)),
    "aws signature": (f"https://s3.example/a?X-Amz-Signature={HEX * 4}&X-Amz-Date=1", HEX * 4),
    "bearer": (f"Authorization: Bearer {made('', 24)}", made("", 24)),
    "cookie": (f"Cookie: sid={made('', 24)}; theme=dark", made("", 24)),
    "curl": (f"curl -u admin:{PASSWORD} https://nexus.internal/x", PASSWORD),
    "login": (f"docker login -u bot -p {PASSWORD} ghcr.io", PASSWORD),
    "flag": (f"serve --api-key {WORDY} --port 8000", WORDY),
}


def _escaped(text: str) -> str:
    return json.dumps({"script": f"#!/bin/sh\n{text}\n"})


def _wrapped(text: str) -> str:
    packed = base64.b64encode(f"#!/bin/sh\n# starts the node\n{text}\nexit 0\n".encode()).decode()
    return "\n".join(packed[at : at + 76] for at in range(0, len(packed), 76))


CARRIERS: dict[str, Callable[[str], str]] = {
    "plain": lambda text: text,
    "behind a time": lambda text: f"2026-11-23T05:00:01Z node-1 [41]:\n{text}",
    "json": _escaped,
    "base64": lambda text: base64.b64encode(f"{text}\n".encode()).decode(),
    "base64, from the second byte": lambda text: base64.b64encode(f"#\n{text}\n".encode()).decode(),
    "base64, from the third byte": lambda text: base64.b64encode(f"\n{text}\n".encode()).decode(),
    "base64 in lines": _wrapped,
    "gzip": lambda text: base64.b64encode(gzip.compress(f"#!/bin/sh\n{text}\n".encode(), mtime=0)).decode(),
    "hex": lambda text: f"{text}\n".encode().hex(),
    "percents": lambda text: f"https://10.0.0.1/run?x={quote(text, safe='')}",
}

# What looks like one and is none: what points to one, what is public, what tells things apart.
NONE = (
    "--discovery-token-ca-cert-hash sha256:" + HEX * 4,
    "GPU-3f1c2a7e-9b1d-4c52-8f0e-5a6b7c8d9e0f",
    "ghcr.io/x/y@sha256:" + HEX * 4,
    "arn:aws:secretsmanager:us-east-2:123456789012:secret:ghcr-a1b2c3",
    "PASSWORD=${GRAFANA_PASSWORD}",
    "HF_TOKEN=$(cat /run/secrets/hf-1)",
    "password: {{ .Values.password1 }}",
    "passwordFile: /run/secrets/db-1",
    "token: vault:secret/data/gpu-1#token",
    "-----BEGIN CERTIFICATE-----\n" + BODY + "\n-----END CERTIFICATE-----",
    "existingSecret: grafana-admin-1",
    "max_tokens: 4096",
)


def encoded(value: str) -> list[str]:
    """The value in every form in which somebody could read it; base64 at each of its three places."""
    raw = value.encode()
    forms = [value, raw.hex(), quote(value, safe=""), json.dumps(value)[1:-1]]
    for before in range(3):
        packed = base64.b64encode(b"x" * before + raw + b"xxx").decode()
        forms.append(packed[(before * 8 + 5) // 6 : (before + len(raw)) * 8 // 6])
    return forms
