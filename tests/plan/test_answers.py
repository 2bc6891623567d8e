"""What a program asks while it runs: answered from a file, by the account once, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from nodeworthy.collect.plan.answers import Question
from nodeworthy.collect.plan.ask_aws import AskAws
from nodeworthy.errors import InputError
from tests.plan.programs import inputs, preview, project

ZONES = """
import pulumi.runtime
zones = pulumi.runtime.invoke("aws:index/getAvailabilityZones:getAvailabilityZones", {"state": "available"}).value
Thing("a", {"zones": zones["names"]})
"""
ANSWER = """\
- call: aws:index/getAvailabilityZones:getAvailabilityZones
  arguments: {state: available}
  answer: {id: us-east-2, names: [us-east-2a, us-east-2b]}
"""


def test_a_question_without_an_answer_names_itself_and_both_ways(tmp_path: Path) -> None:
    ran = preview(project(tmp_path, ZONES))
    assert (ran.code, ran.out) == (2, "")
    assert 'aws:index/getAvailabilityZones:getAvailabilityZones with {"state": "available"}' in ran.err
    assert "nodeworthy.answers.yaml" in ran.err
    assert "--answers" in ran.err
    assert "--ask-aws" in ran.err
    assert "Traceback" not in ran.err


def test_what_it_prints_for_the_file_is_what_the_file_takes(tmp_path: Path) -> None:
    ran = preview(project(tmp_path, ZONES))
    entry = [line[2:] for line in ran.err.splitlines() if line.startswith(("  - ", "    "))]
    written = "\n".join(entry).replace("'…': '…'", "names: [us-east-2c]").replace("…: …", "names: [us-east-2c]")
    (tmp_path / "nodeworthy.answers.yaml").write_text(written + "\n")
    assert inputs(preview(tmp_path))["a"] == {"zones": ["us-east-2c"]}


def test_an_answer_is_found_beside_the_project_or_where_it_is_named(tmp_path: Path) -> None:
    project(tmp_path, ZONES)
    (tmp_path / "nodeworthy.answers.yaml").write_text(ANSWER)
    assert inputs(preview(tmp_path))["a"] == {"zones": ["us-east-2a", "us-east-2b"]}
    (tmp_path / "other.yaml").write_text(ANSWER.replace("us-east-2b", "us-east-2c"))
    assert inputs(preview(tmp_path, "--answers", "other.yaml"))["a"] == {"zones": ["us-east-2a", "us-east-2c"]}


def test_another_question_is_another_question(tmp_path: Path) -> None:
    project(tmp_path, ZONES)
    (tmp_path / "nodeworthy.answers.yaml").write_text(ANSWER.replace("available", "impaired"))
    assert preview(tmp_path).code == 2


@pytest.mark.parametrize("text", ["a: b\n", "- call: x\n", "- {call: x, arguments: [], answer: {}}\n", "- [\n"])
def test_a_malformed_file_is_refused_with_its_place(tmp_path: Path, text: str) -> None:
    project(tmp_path, ZONES)
    (tmp_path / "nodeworthy.answers.yaml").write_text(text)
    ran = preview(tmp_path)
    assert ran.code == 2
    assert ran.err.startswith("nodeworthy preview: nodeworthy.answers.yaml:")


def test_a_question_about_what_does_not_exist_yet_is_not_asked(tmp_path: Path) -> None:
    program = """
import pulumi.runtime
a = Thing("a")
told = pulumi.runtime.invoke_output("aws:eks/getClusterAuth:getClusterAuth", {"name": a.id}) if hasattr(
    pulumi.runtime, "invoke_output") else a.id.apply(lambda it: pulumi.runtime.invoke("aws:x/y:z", {"name": it}).value)
Thing("b", {"told": told})
"""
    ran = preview(project(tmp_path, program))
    assert ran.code == 0, ran.err
    assert inputs(ran)["b"] == {"told": "(unknown)"}


@pytest.fixture
def moto(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    yield f"http://{host}:{port}"
    server.stop()


def test_the_account_is_asked_once_and_the_answer_kept(
    tmp_path: Path, moto: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = "config:\n  aws:region: us-east-2\n"
    ran = preview(project(tmp_path, ZONES, config), "--ask-aws")
    assert inputs(ran)["a"] == {"zones": ["us-east-2a", "us-east-2b", "us-east-2c"]}
    assert "1 new answers written" in ran.err
    kept = (tmp_path / "nodeworthy.answers.yaml").read_text()
    assert "call: aws:index/getAvailabilityZones:getAvailabilityZones" in kept
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    assert inputs(preview(tmp_path))["a"] == inputs(ran)["a"]
    assert inputs(preview(tmp_path, "--ask-aws"))["a"] == inputs(ran)["a"]
    assert (tmp_path / "nodeworthy.answers.yaml").read_text() == kept


def test_every_call_that_it_knows_is_answered_by_aws(moto: str) -> None:
    asks = AskAws("us-east-2")
    ami = asks(Question("aws:ec2/getAmi:getAmi", {"owners": ["amazon"], "mostRecent": True}))
    assert ami is not None
    assert ami["id"].startswith("ami-")
    identity = asks(Question("aws:index/getCallerIdentity:getCallerIdentity", {}))
    assert identity is not None
    assert identity["accountId"] == "123456789012"
    vpc = asks(Question("aws:ec2/getVpc:getVpc", {"default": True}))
    assert vpc is not None
    assert vpc["id"].startswith("vpc-")
    filters = [{"name": "vpc-id", "values": [vpc["id"]]}]
    subnets = asks(Question("aws:ec2/getSubnets:getSubnets", {"filters": filters}))
    assert subnets is not None
    assert len(subnets["ids"]) == 3
    assert asks(Question("aws:index/getRegion:getRegion", {})) is not None
    name = "/aws/service/ami-amazon-linux-latest/amzn2-ami-hvm-x86_64-gp2"
    parameter = asks(Question("aws:ssm/getParameter:getParameter", {"name": name}))
    assert parameter is not None
    assert parameter["value"].startswith("ami-")
    assert asks(Question("aws:rds/getInstance:getInstance", {})) is None


def test_what_aws_refuses_is_one_sentence(moto: str) -> None:
    with pytest.raises(InputError, match="AWS refuses aws:ssm/getParameter"):
        AskAws("us-east-2")(Question("aws:ssm/getParameter:getParameter", {"name": "/no/such"}))


def test_a_refusal_in_the_middle_of_a_run_is_one_sentence_too(tmp_path: Path, moto: str) -> None:
    program = """
import pulumi.runtime
pulumi.runtime.invoke("aws:ssm/getParameter:getParameter", {"name": "/no/such"})
"""
    ran = preview(project(tmp_path, program, "config:\n  aws:region: us-east-2\n"), "--ask-aws")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("nodeworthy preview: AWS refuses aws:ssm/getParameter:getParameter")
    assert "Traceback" not in ran.err


def test_what_it_can_not_ask_is_still_a_question(tmp_path: Path, moto: str) -> None:
    program = 'import pulumi.runtime\npulumi.runtime.invoke("aws:rds/getInstance:getInstance", {})\n'
    ran = preview(project(tmp_path, program), "--ask-aws")
    assert ran.code == 2
    assert "aws:rds/getInstance:getInstance with {}" in ran.err
    assert ran.err.endswith("--ask-aws (which does not know how to ask this)\n")
