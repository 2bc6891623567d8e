"""The second run, with made-up outputs: what it decides says so, and what it only made up is never judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.collect.plan.protocol import UNKNOWN
from nodeworthy.collect.plan.simulated import merge_runs
from nodeworthy.collect.plan.standins import TEXT, StandIns, outputs
from nodeworthy.engine import Judgement, Nothing
from nodeworthy.known.containerd import containerd_of
from nodeworthy.rules import rule
from nodeworthy.verdict import Draft, Finding, Place, Verdict, fail, unknown
from tests.plan.programs import preview, project, verdicts

K3S = containerd_of("k3s").socket
KUBEADM = containerd_of("kubeadm").socket
URN = "urn:pulumi:dev::toy::aws:eks/cluster:Cluster::main"

LATE = """
cluster = Thing("cluster")
def env(socket):
    return {"toolkit": {"env": [{"name": "CONTAINERD_SOCKET", "value": socket}]}}
"""


def test_a_value_that_only_waits_for_an_output_is_judged_and_marked(tmp_path: Path) -> None:
    program = LATE + f"release(cluster.id.apply(lambda _: env({K3S!r})))\n"
    ran = preview(project(tmp_path, program))
    assert ran.code == 1
    assert verdicts(ran, "containerd-paths") == [("fail", True)]
    assert ran.report["preview"]["simulated"] is True
    plain = preview(tmp_path, "--no-simulate")
    assert plain.code == 3
    assert set(verdicts(plain, "containerd-paths")) == {("unknown", False)}
    assert plain.report["preview"]["simulated"] is False


def test_a_right_value_passes_and_says_that_it_was_simulated(tmp_path: Path) -> None:
    program = LATE + f"release(cluster.id.apply(lambda _: env({KUBEADM!r})))\n"
    ran = preview(project(tmp_path, program), "--show-passed")
    assert ran.code == 0, ran.findings
    assert verdicts(ran, "containerd-paths") == [("pass", True)]
    assert verdicts(ran, "gpu-exists") == [("pass", False)]


def test_the_made_up_value_itself_is_never_judged(tmp_path: Path) -> None:
    program = LATE + "release(cluster.id.apply(lambda it: env(f'/run/{it}/containerd.sock')))\n"
    ran = preview(project(tmp_path, program))
    assert ran.code == 3
    found = [each for each in ran.findings if each["rule"] == "containerd-paths"]
    assert {each["verdict"] for each in found} == {"unknown"}
    assert "known only after deployment: id of cluster" in found[0]["message"]
    assert "standin" not in ran.out


@pytest.mark.parametrize("computed", ["'/run/%d.sock' % len(i)", "'/run/%s.sock' % i[-2]"])
def test_a_value_computed_from_a_made_up_one_is_not_judged_either(tmp_path: Path, computed: str) -> None:
    program = f"""
thing = Thing("thing")
socket = thing.id.apply(lambda i: {computed})
release({{"toolkit": {{"env": [{{"name": "CONTAINERD_SOCKET", "value": socket}}]}}}})
"""
    ran = preview(project(tmp_path, program))
    assert (ran.code, verdicts(ran, "containerd-paths")) == (3, [("unknown", False)])


def test_what_the_plain_run_saw_stays(tmp_path: Path) -> None:
    program = (
        LATE
        + f"""
release(env({K3S!r}))
cluster.id.apply(lambda _: Thing("late"))
"""
    )
    ran = preview(project(tmp_path, program))
    assert verdicts(ran, "containerd-paths") == [("fail", False)]


def test_a_resource_of_the_second_run_alone_is_judged_as_simulated(tmp_path: Path) -> None:
    program = LATE + f"cluster.id.apply(lambda _: release(env({K3S!r})) and None)\n"
    ran = preview(project(tmp_path, program))
    assert ran.code == 1
    assert verdicts(ran, "containerd-paths") == [("fail", True)]


def test_a_program_that_can_not_take_made_up_values_is_judged_plainly(tmp_path: Path) -> None:
    program = LATE + f"release(cluster.id.apply(lambda it: env({K3S!r}) if int(it, 16) else None))\n"
    project(tmp_path, program)
    ran = preview(tmp_path)
    assert ran.code == 3
    assert "Traceback" not in ran.err
    assert ran.report["preview"]["simulated"] is False
    from tests.run import run

    assert "not simulated: the second run, with made-up outputs, could not be used" in run("preview", cwd=tmp_path).out


def test_boot_scripts_are_whole_where_the_type_tells_its_outputs(tmp_path: Path) -> None:
    program = """
import pulumi, pulumi_aws as aws
c = aws.eks.Cluster("c", role_arn="arn:x", vpc_config={"subnet_ids": ["subnet-1"]})
told = pulumi.Output.all(c.endpoint, c.certificate_authority.data, c.arn)
told.apply(lambda it: print(*it))
aws.ec2.LaunchTemplate("lt", user_data=told.apply(lambda it: "#!/bin/sh\\n" + it[0]),
                       vpc_security_group_ids=[c.vpc_config.cluster_security_group_id])
"""
    from nodeworthy.collect.plan.preview import PreviewRequest, prepare

    seen = prepare(PreviewRequest(project(tmp_path, program, prelude=False)), frozenset()).run(None, lambda text: None)
    [plain] = [each for each in seen.plan.resources if each.name == "lt"]
    assert plain.inputs == {"userData": UNKNOWN, "vpcSecurityGroupIds": [UNKNOWN]}
    assert seen.ran.simulated is not None
    [whole] = [each for each in seen.ran.simulated.plan.resources if each.name == "lt"]
    made = seen.ran.simulated.made
    assert whole.inputs["userData"].startswith("#!/bin/sh\nhttps://")
    assert made.origin(whole.inputs["userData"]) == "endpoint of c"
    assert made.inside(whole.inputs["vpcSecurityGroupIds"]) == "vpcConfig.clusterSecurityGroupId of c"


def test_every_made_up_value_is_recognised_again() -> None:
    made = StandIns("eu-west-1")
    shape = {"arn": TEXT, "endpoint": TEXT, "certificateAuthority": {"data": TEXT}, "ids": [TEXT], "size": None}
    told = outputs({"arn": "given"}, shape, URN, made)
    assert told["arn"] == "given"
    assert told["size"] == UNKNOWN
    assert made.origin(f"of {told['endpoint']}!") == "endpoint of main"
    assert made.origin(told["certificateAuthority"]["data"]) == "certificateAuthority.data of main"
    assert made.inside(told["ids"]) == "ids[0] of main"
    assert made.origin("nothing made up") is None
    assert made.output(URN, "arn").startswith("arn:aws:eks:eu-west-1:")


def judgement(*drafts: Draft, verdict: Verdict, at: str = "a") -> Judgement:
    findings = tuple(Finding.of(each, "containerd-paths") for each in drafts)
    return Judgement(rule("containerd-paths"), Nothing(Place(urn=at)), verdict, findings)


def test_merging_keeps_what_is_unknown_in_both_and_unmarked() -> None:
    where = Place(urn="a")
    [both] = merge_runs(
        [judgement(unknown(where, "later"), verdict=Verdict.UNKNOWN)],
        [judgement(unknown(where, "later: endpoint"), verdict=Verdict.UNKNOWN)],
    )
    assert both.verdict is Verdict.UNKNOWN
    assert not both.simulated
    assert [(each.message, each.simulated) for each in both.findings] == [("later: endpoint", False)]


def test_merging_never_loses_a_failure_of_the_plain_run() -> None:
    where = Place(urn="a")
    seen = judgement(fail(where, "wrong"), unknown(where, "later"), verdict=Verdict.FAIL)
    [both] = merge_runs([seen], [judgement(verdict=Verdict.PASS)])
    assert both.verdict is Verdict.FAIL
    assert not both.simulated
    assert [each.message for each in both.findings] == ["wrong"]
    assert merge_runs([seen], []) == [seen]


def test_merging_a_rule_that_turned_out_not_to_apply_leaves_nothing_open() -> None:
    where = Place(urn="a")
    late = judgement(unknown(where, "later"), verdict=Verdict.UNKNOWN)
    [both] = merge_runs([late], [judgement(verdict=Verdict.SKIP)])
    assert both.verdict is Verdict.SKIP
    assert both.simulated
    failed = judgement(fail(where, "wrong"), verdict=Verdict.FAIL)
    assert merge_runs([failed], [judgement(verdict=Verdict.SKIP)]) == [failed]
