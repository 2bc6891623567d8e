"""What is written down can be sent to somebody."""

from __future__ import annotations

import json
from typing import Any

import pytest

from nodeworthy.collect.cluster.recording import keepable_part as without_secrets
from nodeworthy.known.secrets import HIDDEN
from nodeworthy.redaction import hide_secrets as log_without_secrets
from tests.cluster import incident


@pytest.mark.parametrize(
    "secret",
    [
        {"name": "HF_TOKEN", "value": "plain words"},
        {"name": "POSTGRES_PASSWORD", "value": "x"},
        {"name": "aws_secret_access_key", "value": "wJalrXUtnFEMI"},
        {"args": ["--password", "hunter2hunter2"]},
        {"args": ["--api-key=abcdefgh"]},
        {"command": ["sh", "-c", "login --token abcdefgh && run"]},
        {"value": "postgres://queue:hunter2hunter2@db:5432/queue"},
        {"value": "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJrdWJlcm5ldGVzIn0.c2lnbmF0dXJl"},
        {"value": "-----BEGIN RSA PRIVATE KEY-----\nMIIE"},
        {"message": "curl -H 'Authorization: Bearer 9f2c7b41e8d05a63'"},
    ],
)
def test_it_is_hidden(secret: dict[str, Any]) -> None:
    kept = json.dumps(without_secrets(secret))
    assert HIDDEN in kept
    for plain in ("plain words", "hunter2", "wJalr", "abcdefgh", "c2lnbmF0", '"x"'):
        assert plain not in kept


def test_what_nobody_needs_is_not_kept() -> None:
    applied = {"kubectl.kubernetes.io/last-applied-configuration": "{}", "mine": "yes"}
    kept = without_secrets({"metadata": {"managedFields": [{}], "annotations": applied}})
    assert kept == {"metadata": {"annotations": {"mine": "yes"}}}


def test_nothing_else_is_touched() -> None:
    for objects in (incident.incident(), incident.recovered()):
        assert without_secrets(objects) == objects
    plain = {"name": "TOKENIZERS_PARALLELISM", "value": "false"}
    source = {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf", "key": "token"}}}
    assert without_secrets(source) == source
    assert without_secrets(plain) == plain


@pytest.mark.parametrize(
    ("log", "kept"),
    [
        ("HF_TOKEN=abcdefgh1234 started", "HF_TOKEN=(secret) started"),
        ('{"db_password": "hunter2hunter2", "port": 5432}', '{"db_password": "(secret)", "port": 5432}'),
        ("api_key: 0a1b2c3d4e5f", "api_key: (secret)"),
        ("--token abcdefgh1234 --port 1", "--token (secret) --port 1"),
        ("max_tokens: 4096, tokenizer: llama", "max_tokens: 4096, tokenizer: llama"),
        ("total_token = 128 per second", "total_token = 128 per second"),
        ("CUDA out of memory. Tried to allocate 2 GiB", "CUDA out of memory. Tried to allocate 2 GiB"),
    ],
)
def test_a_log_keeps_its_words_and_not_its_secrets(log: str, kept: str) -> None:
    assert log_without_secrets(log) == kept
