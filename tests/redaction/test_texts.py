"""Every shape in every carrier: nobody can read it, and what could be parsed still can be."""

from __future__ import annotations

import base64
import binascii
import json
import re
import time
import tomllib
import zlib
from collections.abc import Iterator

import pytest
import yaml

from nodeworthy import redaction
from nodeworthy.known.secrets import HIDDEN
from nodeworthy.redaction import hidden_data, hidden_lines, hide_secrets
from tests.redaction.shapes import CARRIERS, NONE, PASSWORD, SHAPES, encoded, made


def readable(text: str, depth: int = 3) -> Iterator[str]:
    """The text, and what is packed in it."""
    yield text
    joined = re.sub(r"(?<=[A-Za-z0-9+/]{40})(?:\\n|\n)[ \t]*(?=[A-Za-z0-9+/]{4})", "", text)
    for run in re.findall(r"[A-Za-z0-9+/_-]{16,}", joined) if depth else ():
        for skipped in range(4):
            packed = run[skipped:].replace("-", "+").replace("_", "/")
            try:
                data = base64.b64decode(packed[: len(packed) // 4 * 4])
            except binascii.Error:
                continue
            if data.startswith(b"\x1f\x8b"):
                data = zlib.decompressobj(wbits=31).decompress(data)
            yield from readable(data.decode("utf-8", "replace"), depth - 1)


def leaked(text: str, value: str) -> list[str]:
    every = list(readable(text))
    return [form for form in encoded(value) if any(form in each for each in every)]


@pytest.mark.parametrize("shape", SHAPES)
def test_nobody_reads_it(shape: str) -> None:
    text, value = SHAPES[shape]
    for name, carry in CARRIERS.items():
        carried = carry(text)
        for shown in (hide_secrets(carried), hidden_lines(carried), json.dumps(hidden_data({"x": [carried]}))):
            assert leaked(shown, value) == [], name
        assert hide_secrets(hide_secrets(carried)) == hide_secrets(carried), name
        assert hidden_lines(carried).count("\n") == carried.count("\n"), name


@pytest.mark.parametrize("text", NONE)
@pytest.mark.parametrize("carrier", CARRIERS)
def test_what_is_none_stays(text: str, carrier: str) -> None:
    carried = CARRIERS[carrier](text)
    assert hide_secrets(carried) == carried


@pytest.mark.parametrize(
    "text",
    [
        '{\n "authorization": {"mode": "Webhook"},\n "containerRuntimeEndpoint": "unix:///run/x.sock"\n}',
        '{"token": 12345678, "nested": {"password": "Tr0ub4dor-9x", "keep": [1, 2]}}',
        '{"args": ["--password", "Tr0ub4dor-9x", "password: 12345"], "keep": 1}',
        '{"staticPodURLHeader": {"X-Key": ["Tr0ub4dor-9x"]}, "keep": true}',
    ],
)
def test_json_stays_json(text: str) -> None:
    was, now = json.loads(text), json.loads(hide_secrets(text))
    assert list(now) == list(was)
    assert json.loads(hide_secrets(json.dumps(was))) == now
    assert {name: now[name] for name in now if "keep" in name or "Endpoint" in name} == {
        name: was[name] for name in was if "keep" in name or "Endpoint" in name
    }


@pytest.mark.parametrize(
    "text",
    [
        "a:\n- password: |\n    Tr0ub4dor-9x\n  keep: 1\nkept: yes",
        "password: 'it''s Tr0ub4dor'\nkept: [1, 2]",
        'password: "over\n  two lines 22"\nkept: {a: b}',
        "env: {password: Tr0ub4dor-9x, keep: 1}\nkept: 1",
        "{\n token: abc123def,\n keep: 1\n}",
        "tokens: [abc123def, 'ghi456jkl']\nkept: 1",
        "token: abc123def # as told\nkept: 1",
    ],
)
def test_yaml_stays_yaml(text: str) -> None:
    was, now = yaml.safe_load(text), yaml.safe_load(hide_secrets(text))
    assert list(now) == list(was)
    assert {name: now[name] for name in now if name in ("kept", "keep")} == {
        name: was[name] for name in was if name in ("kept", "keep")
    }
    assert HIDDEN in hide_secrets(text)


def test_toml_stays_toml() -> None:
    text = '[a.auth]\n  user = "bob"\n  n = ["x1y2z3w4"]\n[b]\n  token = 12345678\n  password = """\nTr0ub4dor"""\n  keep = "this"\n'
    assert tomllib.loads(hide_secrets(text))["b"]["keep"] == "this"
    assert "bob" not in hide_secrets(text)


def test_by_what_stands_beside_it() -> None:
    env = [{"name": "POSTGRES_PASSWORD", "value": "plain"}, {"name": "HF_HOME", "value": "/models"}]
    assert hidden_data(env) == [{"name": "POSTGRES_PASSWORD", "value": HIDDEN}, {"name": "HF_HOME", "value": "/models"}]
    assert hidden_data(["serve", "--token", "plover", "--port", "8000"])[2:] == [HIDDEN, "--port", "8000"]
    secret = {"kind": "Secret", "data": {"ci": "aHVudGVy"}, "metadata": {"name": "pull"}}
    assert hidden_data(secret) == {"kind": "Secret", "data": {"ci": HIDDEN}, "metadata": {"name": "pull"}}
    assert "aHVudGVy" not in hide_secrets(json.dumps(secret))
    reference = {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf", "key": "token"}}}
    assert hidden_data(reference) == reference


def test_a_bomb_is_not_unpacked() -> None:
    member = zlib.compressobj(9, wbits=31)
    packed = member.compress(b"\0" * (40 << 20)) + member.flush()
    assert "(packed)" in base64.b64decode(hide_secrets(base64.b64encode(packed).decode())).decode()


UNITS = [
    "tokens: [", "staticPodURLHeader: {", "-----BEGIN RSA PRIVATE KEY-----\n", "authorization: ", "cookie: x", "password: |\n", "  password: |\n   ",
    "tokens:\n", "headers:\n", "[a.auth]\n", 'password: "', "password: '", 'password = """', "%41", "<password>", "--token\n",
    "eyJaaaaaaaa.", "AAAAAAAAAAAAAAAAAAAAAAAA\n", "kind: Secret\n", "password: ${", "token={{", "password:\n  a\n", "sig=aaaaaaaaaaaaaaaa",
]  # fmt: skip
# What takes this long for an eighth of a megabyte is no longer linear.
HANGS = 5


@pytest.mark.parametrize("unit", UNITS)
def test_no_text_takes_long(unit: str) -> None:
    begins = time.process_time()
    # Some shapes are only looked for where a mark of theirs stands somewhere.
    hide_secrets(f"{unit * ((1 << 17) // len(unit))} %41 \\n")
    assert time.process_time() - begins < HANGS


@pytest.mark.long
def test_ten_megabytes_take_seconds() -> None:
    line = f"2026-11-23 node kubelet: token=1 key: v image=x@sha256:{'0' * 64} {made('', 20)} took 1.2s\n"
    text = line * ((10 << 20) // len(line))
    begins = time.process_time()
    shown = hide_secrets(text + f"DB_PWD={PASSWORD}")
    assert time.process_time() - begins < 30
    assert shown.endswith(f"DB_PWD={HIDDEN}")


def test_what_was_shown_before_it_was_called_a_secret_is_hidden_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redaction, "_told", {})
    said = "joined as quartz-heron-seven"
    assert hide_secrets(said) is said
    redaction.keep_secret(["quartz-heron-seven"])
    assert hide_secrets(said) == f"joined as {HIDDEN}"


def test_the_same_object_comes_back_however_often_its_words_were_asked_about() -> None:
    for text in ("a rule's words", "a longer text. " * 300):
        other = f"{text[:3]}{text[3:]}"
        assert hide_secrets(text) is text
        assert hide_secrets(other) is other
