"""`ssm://`: the requests as boto3 checks them and moto takes them, and an answer that is whole or none."""

from __future__ import annotations

import base64
import gzip
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest

from nodeworthy.collect.node import collector, specs, ssm
from nodeworthy.collect.node.asked import AskedHost
from nodeworthy.collect.node.backends import register
from nodeworthy.collect.node.connections import Connections, NotAnswering
from nodeworthy.collect.node.deadline import TooLate
from nodeworthy.collect.node.reach import Reach, _client
from nodeworthy.collect.node.ssm import Ssm
from tests.run import run

# What GetCommandInvocation hands over at most.
MOST = 24_000
REGION = "us-east-2"


class Agent:
    """What moto has not: it runs the commands, here, and cuts what they print as SSM does."""

    def __init__(self, plain: Callable[[Any, str, str], dict[str, Any]]) -> None:
        self.plain = plain
        self.sent: list[dict[str, Any]] = []
        self.status = "Success"
        self.cancelled = 0

    def runs(self, command: Any, instance_id: str, plugin_name: str) -> dict[str, Any]:
        self.sent.append({"document": command.document_name, "seconds": command.timeout_seconds, **command.parameters})
        line = "\n".join(command.parameters["commands"])
        ran = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60, check=False)
        said = self.plain(command, instance_id, plugin_name)
        return {**said, "Status": self.status, "StatusDetails": self.status, "StandardOutputContent": ran.stdout[:MOST]}


@pytest.fixture
def agent(monkeypatch: pytest.MonkeyPatch) -> Iterator[Agent]:
    # Two seconds, and most runs leave these tests out.
    from moto import mock_aws
    from moto.ssm import models
    from moto.ssm.responses import SimpleSystemManagerResponse

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    there = Agent(models.Command.invocation_response)

    def runs(command: Any, instance_id: str, plugin_name: str) -> dict[str, Any]:
        return there.runs(command, instance_id, plugin_name)

    def cancels(_: Any) -> str:
        there.cancelled += 1
        return "{}"

    monkeypatch.setattr(models.Command, "invocation_response", runs)
    # moto does not know it.
    monkeypatch.setattr(SimpleSystemManagerResponse, "cancel_command", cancels, raising=False)
    monkeypatch.setattr("nodeworthy.collect.node.ssm.POLL_SECONDS", 0.01)
    with mock_aws():
        _client.cache_clear()
        yield there
    _client.cache_clear()


def backend(seconds: float = 20) -> Ssm:
    register(Connections(seconds, Reach(region=REGION)))
    return Ssm("i-0abc")


def left() -> list[Path]:
    return [each for folder in ("/run", "/tmp") for each in Path(folder).glob("nodeworthy.*")]


def test_a_node_is_read_through_it(agent: Agent) -> None:
    (asked,) = collector.ask_all(specs.parse_all(["ssm://i-0abc"]), collector.Asking(30, reach=Reach(region=REGION)))
    assert isinstance(asked, AskedHost)
    assert asked.recording is not None
    assert asked.recording.unreached is None
    assert asked.recording.parts[-1].name == "done"
    assert asked.name == "ssm://i-0abc"
    assert len(agent.sent) <= 2, "at most two round trips"
    sent = agent.sent[0]
    assert (sent["document"], sent["seconds"], sent["executionTimeout"]) == ("AWS-RunShellScript", 30, ["30"])
    assert "{{" not in sent["commands"][0]


def test_both_streams_and_the_exit_code(agent: Agent) -> None:
    answer = backend().run("echo out; echo 'wrong \u00e4' >&2; exit 7")
    assert (answer.rc, answer.stdout, answer.stderr) == (7, "out\n", "wrong \u00e4\n")
    assert left() == []


def test_a_long_answer_comes_in_pages_and_whole(agent: Agent, tmp_path: Path) -> None:
    noise = base64.b64encode(bytes(subprocess.run(["head", "-c", "90000", "/dev/urandom"],
                                                  capture_output=True, check=True).stdout))  # fmt: skip
    (tmp_path / "noise").write_bytes(noise)
    answer = backend().run(f"cat {tmp_path}/noise")
    assert answer.stdout_bytes == noise
    assert len(agent.sent) > 4
    assert left() == []


def test_an_answer_that_is_too_long_is_none(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ssm, "MOST_PAGES", 2)
    with pytest.raises(NotAnswering, match="too many to be handed over through SSM"):
        backend().run("head -c 90000 /dev/urandom")
    assert left() == []


def test_what_prints_without_end_is_stopped(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ssm, "MOST_BYTES", 1024 * 1024)
    with pytest.raises(NotAnswering, match="prints more than 1 MiB"):
        backend().run("yes")
    assert left() == []


def test_a_deadline_ends_it(agent: Agent) -> None:
    agent.status = "InProgress"
    with pytest.raises(TooLate):
        backend(seconds=0.05).run("true")
    assert agent.cancelled == 1


@pytest.mark.parametrize(("status", "why"), [("TimedOut", "SSM says: TimedOut"), ("Undeliverable", "SSM says: ")])
def test_what_ssm_could_not_do(agent: Agent, status: str, why: str) -> None:
    agent.status = status
    with pytest.raises(NotAnswering, match=why):
        backend().run("true")


def test_a_page_that_was_cut_is_no_answer() -> None:
    stdout = b"x" * 100
    packed = base64.b64encode(gzip.compress(stdout)).decode()
    head = ssm.Head("/run/nodeworthy.a", 0, 100, 0, len(packed))
    assert ssm.unpack_pages(head, [packed]) == (stdout, b"")
    for cut in (packed[:-8], packed[:8], ""):
        with pytest.raises(ssm.BrokenAnswer):
            ssm.unpack_pages(head, [cut])


@pytest.mark.parametrize(
    "first", ["", "motd\n", "nodeworthy /etc 0 1 1 1\n", "nodeworthy /run/nodeworthy.a;reboot 0 1 1 1\n"]
)
def test_a_head_that_is_none_is_no_answer(first: str) -> None:
    with pytest.raises(ssm.BrokenAnswer):
        ssm.read_head(first)


def test_without_a_region_it_is_told_by_name(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    ran = run("node", "ssm://i-0abc", "--rule", "clock-right")
    assert ran.code == 3
    assert "You must specify a region" in ran.out


def test_an_instance_that_ssm_does_not_know(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = {"Error": {"Code": "InvalidInstanceId", "Message": "Instances not in a valid state for account"}}

    def refuses(*_: Any, **__: Any) -> None:
        raise boto3.client("ssm", REGION).exceptions.InvalidInstanceId(refusal, "SendCommand")

    monkeypatch.setattr(Ssm, "_start", refuses)
    with pytest.raises(NotAnswering, match=r"InvalidInstanceId.*not in a valid state"):
        backend().run("true")
