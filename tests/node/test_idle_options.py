"""Options of `nodeworthy node` that would do nothing where they stand."""

from __future__ import annotations

import pytest

from tests.run import run

from .recordings import INCIDENT

HOST = f"replay:{INCIDENT}"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (
            ["--via", "ssm"],
            "--via says how the instances of --asg are reached: name a group, or spell the hosts ssm://",
        ),
        (["--via", "ssh"], "--via says how the instances of --asg are reached"),
        (["--yes"], "--yes answers what --reboot, --taint and --in-cluster ask: without them nothing is asked"),
        (["--context", "c"], "--context is for node:// and --selector, and for --taint, and here are only replay"),
        (["--namespace", "n"], "--namespace is for node:// and --selector, and here are only replay"),
        (["--image", "i"], "--image is for node:// and --selector"),
        (["--region", "us-east-2"], "--region is for ssm:// and --asg"),
        (["--profile", "p"], "--profile is for ssm:// and --asg"),
        (["--endpoint-url", "http://127.0.0.1:1"], "--endpoint-url is for ssm:// and --asg"),
        (["--ssh-config", "f"], "--ssh-config is for ssh:// and --asg with --via ssh"),
        (["--ssh-identity-file", "f"], "--ssh-identity-file is for ssh:// and --asg with --via ssh"),
    ],
)
def test_an_option_without_what_it_is_for(options: list[str], why: str) -> None:
    ran = run("node", HOST, *options)
    assert (ran.code, ran.out) == (2, "")
    assert why in ran.err
    assert len(ran.err.splitlines()) == 1


def test_one_host_of_its_kind_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    ran = run("node", HOST, "ssh://no-such-host.invalid", "--ssh-config", "/dev/null", "--deadline", "20s")
    assert "--ssh-config" not in ran.err
    assert ran.code == 1
