"""How a preview ends whose input can't be: one sentence with the stack file's line, before the program runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.plan.programs import preview, project

# It would leave a file behind if it ran.
PROGRAM = "open('ran', 'w').close()\n"


def stack(*, region: str = "us-east-2", cluster: str = "name: c", network: str = "", more: str = "", pool: str) -> str:
    lines = [f"cluster: {{{cluster}}}", *([f"network: {{{network}}}"] if network else []), *([more] if more else [])]
    body = "".join(f"    {line}\n" for line in (*lines, f"pools: {{{pool}}}"))
    return f"config:\n  aws:region: {region}\n  nodeworthy:fleet:\n{body}"


T4 = "t4: {instanceType: g4dn.xlarge}"
MALFORMED = {
    "ranges that overlap": (
        stack(cluster="name: c, serviceCidr: 10.0.0.0/16", network="vpcCidr: 10.0.0.0/8", pool=T4),
        "Pulumi.dev.yaml:4:37: cluster.serviceCidr is 10.0.0.0/16, and must not overlap with",
    ),
    "a negative count": (
        stack(pool="t4: {instanceType: g4dn.xlarge, nodes: -1}"),
        "Pulumi.dev.yaml:5:52: pools.t4.nodes is -1, and must be a whole number, 0 or more",
    ),
    "two zones for EFA": (
        stack(network="zone: [us-east-2a, us-east-2b]", pool=T4),
        "Pulumi.dev.yaml:5:21: network.zone is a list, and must be an availability zone such as us-east-2a",
    ),
    "a zone of another region": (
        stack(network="zone: eu-west-1a", pool=T4),
        "Pulumi.dev.yaml:5:21: network.zone is eu-west-1a, and must be a zone of aws:region, which is us-east-2",
    ),
    "no such NodePort": (
        stack(more="monitoring: {grafanaNodePort: 40080}", pool=T4),
        "Pulumi.dev.yaml:5:35: monitoring.grafanaNodePort is 40080, and must be a whole number from 30000 to 32767",
    ),
    "a name past its limit": (
        stack(pool=f"{'p' * 64}: {{instanceType: g4dn.xlarge}}"),
        "must be letters, digits, '-', '_' and '.', 63 at most",
    ),
    "a value that holds itself": (
        "config:\n  toy:x: &a [*a]\n",
        "Pulumi.dev.yaml:2:10: an anchor stands within what it names, so it has no end",
    ),
}


@pytest.mark.parametrize("what", sorted(MALFORMED))
def test_a_malformed_fleet_is_refused(tmp_path: Path, what: str) -> None:
    config, said = MALFORMED[what]
    ran = preview(project(tmp_path, PROGRAM, config))
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert ran.err.startswith("nodeworthy preview: Pulumi.dev.yaml:")
    assert len(ran.err.splitlines()) == 1
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("config", "said", "column"),
    [
        (stack(pool="t4: {gpu: h100, instanceType: g4dn.xlarge}"), "g4dn.xlarge has 1 × T4, not H100", 23),
        (
            stack(region="eu-central-1", pool="b: {instanceType: p6-b200.48xlarge}"),
            "p6-b200.48xlarge is not offered in eu-central-1",
            31,
        ),
    ],
)
def test_an_impossible_one_is_a_finding(tmp_path: Path, config: str, said: str, column: int) -> None:
    ran = preview(project(tmp_path, PROGRAM, config))
    assert ran.code == 1
    (found,) = ran.findings
    assert (found["rule"], found["verdict"]) == ("gpu-exists", "fail")
    assert said in found["message"]
    assert (found["where"]["path"], found["where"]["line"], found["where"]["column"]) == ("Pulumi.dev.yaml", 5, column)
    assert not (tmp_path / "ran").exists()


def test_what_a_region_offers_is_unknown_where_nobody_asked(tmp_path: Path) -> None:
    config = stack(region="mx-central-1", pool="b: {instanceType: p6-b200.48xlarge}")
    ran = preview(project(tmp_path, "Thing('a')\n", config), "--no-simulate", "--rule", "gpu-exists")
    assert (ran.code, [each["verdict"] for each in ran.findings]) == (3, ["unknown"])


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("import os\nThing('a')\nos.kill(os.getpid(), 9)\n", "nodeworthy preview: the program was ended by SIGKILL\n"),
        (
            "import os\nThing('a').urn.apply(lambda _: os.kill(os.getpid(), 9))\n",
            "nodeworthy preview: the program was ended by SIGKILL\n",
        ),
        (
            "pulumi.Config().require_secret('token')\n",
            "Missing required configuration variable 'toy:token'\n"
            "\tplease set a value using the command `pulumi config set --secret toy:token <value>`\n",
        ),
    ],
)
def test_one_that_dies_or_lacks_a_secret_says_only_that(tmp_path: Path, program: str, said: str) -> None:
    ran = preview(project(tmp_path, program, "config: {}\n"), "--no-simulate")
    assert (ran.code, ran.out, ran.err) == (2, "", said)


def test_resources_that_wait_for_each_other_end_with_their_time(tmp_path: Path) -> None:
    program = """
import asyncio
later = asyncio.get_event_loop().create_future()
a = Thing("a", {"peer": pulumi.Output.from_input(later)})
b = Thing("b", {"peer": a.urn})
b.urn.apply(later.set_result)
"""
    ran = preview(project(tmp_path, program, "config: {}\n"), "--no-simulate", "--timeout", "3")
    assert (ran.code, ran.out) == (3, "")
    assert "did not end within 3 seconds" in ran.err
