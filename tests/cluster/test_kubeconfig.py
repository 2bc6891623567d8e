"""Which cluster is meant, and how a kubeconfig that is none ends: before anything is asked of a server."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.cluster.connection import choose
from tests.run import run


@pytest.fixture(autouse=True)
def _at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    monkeypatch.delenv("KUBECONFIG", raising=False)


def config(current: str = "one", **user: Any) -> dict[str, Any]:
    return {
        "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}],
        "contexts": [{"name": each, "context": {"cluster": "c", "user": "u"}} for each in ("one", "two")],
        "users": [{"name": "u", "user": user}],
        "current-context": current,
    }


def use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *written: object) -> None:
    paths = [tmp_path / f"kubeconfig-{index}" for index in range(len(written))]
    for path, each in zip(paths, written, strict=True):
        path.write_bytes(each if isinstance(each, bytes) else json.dumps(each).encode())
    monkeypatch.setenv("KUBECONFIG", os.pathsep.join(map(str, paths)))


def test_none_is_nothing_to_look_at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ran = run("diagnose")
    assert (ran.code, ran.out) == (3, "")
    assert (
        ran.err == "nodeworthy diagnose: no cluster to look at: no kubeconfig was found (KUBECONFIG, ~/.kube/config)\n"
    )
    use(monkeypatch, tmp_path, {"clusters": None, "contexts": None, "users": None, "current-context": ""})
    assert run("diagnose").code == 3


def test_a_context_that_does_not_exist(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use(monkeypatch, tmp_path, config())
    ran = run("diagnose", "--context", "three")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "nodeworthy diagnose: there is no context 'three': there are one, two\n"


def test_no_context_was_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use(monkeypatch, tmp_path, config(current=""))
    assert run("diagnose").code == 2


@pytest.mark.parametrize(
    "written",
    [b"\xff\xfe\x00", b"a: [", b"- 1", b"contexts: yes", b"clusters: {a: b}", b"just words", b"\x00"],
)
def test_what_is_no_kubeconfig(written: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use(monkeypatch, tmp_path, written)
    ran = run("diagnose")
    assert (ran.code, ran.out) == (2, ""), ran.err
    assert "malformed" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    "broken", [{"contexts": [{"name": "one"}]}, {"clusters": []}, {"users": [{"name": "u", "user": 7}]}]
)
def test_what_hangs_together_badly(broken: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use(monkeypatch, tmp_path, {**config(), **broken})
    ran = run("diagnose")
    assert ran.code in (2, 3)
    assert len(ran.err.splitlines()) == 1, ran.err


def test_several_files_are_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use(monkeypatch, tmp_path, {"current-context": "two"}, config())
    chosen = choose(None)
    assert chosen is not None
    assert chosen.context == "two"


def test_who_acts_as_somebody_else_looks_as_somebody_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The Python client would leave it out, and look with more rights than were meant."""
    use(monkeypatch, tmp_path, config("one", **{"as": "tenant"}))
    chosen = choose("one")
    assert chosen is not None
    assert chosen.headers == {"Impersonate-User": "tenant"}
    use(monkeypatch, tmp_path, config("one", **{"as": "tenant", "as-groups": ["x"]}))
    assert run("diagnose").code == 2


def test_without_the_extra_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "kubernetes.client", None)
    ran = run("diagnose")
    assert (ran.code, ran.out) == (2, "")
    assert "pip install 'nodeworthy[cluster]'" in ran.err


def test_max_workers_is_a_number() -> None:
    for wrong in ("0", "-1", "many", "1000"):
        assert run("diagnose", "--max-workers", wrong).code == 2


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["no-such-program"], "No such file or directory: 'no-such-program'"),
        (["sh", "-c", "echo the session has expired >&2; exit 255"], "the session has expired"),
        (["echo", "{}"], "exec:"),
    ],
)
def test_a_command_that_gives_no_credentials_is_said_before_anybody_is_asked(
    command: list[str], said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plugin = {"apiVersion": "client.authentication.k8s.io/v1", "command": command[0], "args": command[1:]}
    use(monkeypatch, tmp_path, config(exec={**plugin, "interactiveMode": "Never"}))
    ran = run("diagnose")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("nodeworthy diagnose: the kubeconfig's command for credentials gave none: ")
    assert said in ran.err
    assert len(ran.err.splitlines()) == 1
