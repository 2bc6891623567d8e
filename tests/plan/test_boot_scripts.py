"""A boot script in a planned launch template is the same fact as in a file: the same verdicts, in the same words."""

from __future__ import annotations

import base64
from functools import cache
from pathlib import Path

import pytest

from nodeworthy.boot.unpack import unpack
from nodeworthy.collect.plan.plan import PreviewedPlan, Resource
from nodeworthy.collect.plan.scene import scene_of
from nodeworthy.collect.source.boot_scripts import is_boot_script
from nodeworthy.engine import Judgement, judge
from nodeworthy.facts.boot.pools import in_fleet
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.fleet.model import Fleet
from nodeworthy.fleet.read import read_fleet_file
from nodeworthy.own_rules.cases import Case
from nodeworthy.rules import catalogue, rule
from nodeworthy.scene import Scene, make_scene
from nodeworthy.verdict import Place, Verdict
from tests.by_day import some
from tests.case_files import cases_of, whole
from tests.plan.programs import preview, project

TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"
URN = f"urn:pulumi:dev::toy::{TEMPLATE}::nodes"
TESTS = Path(__file__).parents[1]
# What a script installs is wrong only beside what the operator brings: its bad plans are cases of their own.
BESIDE_OTHERS = "one-toolkit"
# User data is run as root, who opens every file.
OF_PEOPLE = "root-opens-its-files"
BOOT_RULES = sorted(
    each.id
    for each in catalogue()
    if each.id not in (BESIDE_OTHERS, OF_PEOPLE) and any(check.subject is BootScript for check in each.checks)
)
NO_FLEET = "no fleet was given"


def planned(data: bytes, fleet: Fleet | None, pool: str | None, **inputs: object) -> Scene:
    tags = {"tags": {"nodeworthy/pool": pool}} if pool is not None else {}
    resource = Resource(URN, TEMPLATE, "nodes", None, {"userData": base64.b64encode(data).decode(), **tags, **inputs})
    plan = PreviewedPlan("toy", "dev", (resource,), {})
    return scene_of(plan, folder=Path.cwd(), fleet=fleet, no_fleet=NO_FLEET)


def of_rule(scene: Scene, name: str) -> list[Judgement]:
    made = judge([scene], [rule(name)], rule("rule-crashed"))
    return [each for each in made if isinstance(each.subject, BootScript)]


def said(judgements: list[Judgement]) -> list[tuple[object, ...]]:
    """What is told, less its places."""
    return sorted(
        (
            each.verdict,
            *(tuple(map(less_place, (f.sentence(), f.is_, f.should, f.cause, f.remedy))) for f in each.findings),
        )
        for each in judgements
    )


def less_place(text: str | None) -> str:
    """`line 4 of the user data` is line 4 of the file."""
    return (text or "").replace(" of the user data", "")


# What they say goes by the cloud.
OF_A_CLOUD = ("no-secret-in-plain-sight", "user-data-size")


@cache
def cases() -> list[tuple[Case, str]]:
    """Cases of one script that no template and no option makes something else of, with its name."""
    found: list[tuple[Case, str]] = []
    for each in (case for name in BOOT_RULES for case in cases_of(name)):
        files = {file.name: file for folder in (*each.bases, each.folder) for file in files_in(folder)}
        scripts = [name for name, file in files.items() if is_boot_script(file.read_bytes(), name)]
        if len(scripts) == 1 and not scripts[0].endswith((".tpl", ".tftpl", ".tmpl", ".j2")):
            found.append((each, scripts[0]))
    return found


def files_in(folder: Path) -> list[Path]:
    return [each for each in folder.iterdir() if each.is_file()] if folder.is_dir() else []


@pytest.mark.parametrize(
    ("case", "name_of_script"), some([*cases()], 60, lambda each: f"{each[0].rule}-{each[0].name}")
)
def test_it_is_judged_as_the_file_is(case: Case, name_of_script: str) -> None:
    name, script = case.rule, whole(case.id) / name_of_script
    stacks = sorted(script.parent.glob("Pulumi.*.yaml"))
    fleet = read_fleet_file(stacks[0], stacks[0].name) if len(stacks) == 1 else None
    place = Place(path="user-data.sh")
    read = unpack(script.read_bytes(), place, name=script.name)
    if read.is_template or read.is_braced or "base64" in read.wrapped:
        pytest.skip("a template is none any more when it is planned; what EC2 decodes is decoded once")
    file = in_fleet(BootScript(place, read), fleet, NO_FLEET)
    if len(file.pools) > 1:
        pytest.skip("a launch template is of one pool")
    pool = file.pools[0].pool.name if file.pools else None
    if name in OF_A_CLOUD and (file.cloud is None or file.cloud.key != "ec2"):
        pytest.skip("a plan says that it is EC2's, and this file does not")
    at_source, at_plan = (
        of_rule(make_scene([file]), name),
        of_rule(planned(script.read_bytes(), fleet, pool), name),
    )
    if file.pools or fleet is None:
        assert said(at_plan) == said(at_source)
    assert all(f.where.urn == URN for each in at_plan for f in each.findings)


@pytest.mark.parametrize("name", BOOT_RULES)
def test_every_rule_of_boot_scripts_fails_in_a_plan(name: str) -> None:
    """Not every bad case can be planned, but one at least is."""
    failed = False
    for each, name_of_script in cases():
        if each.rule == name and each.name.startswith("bad-"):
            script = whole(each.id) / name_of_script
            stacks = sorted(script.parent.glob("Pulumi.*.yaml"))
            fleet = read_fleet_file(stacks[0], stacks[0].name) if len(stacks) == 1 else None
            pools = [pool.name for pool in fleet.pools] if fleet is not None else [None]
            for pool in pools:
                judged = of_rule(planned(script.read_bytes(), fleet, pool), name)
                failed = failed or any(one.verdict is Verdict.FAIL for one in judged)
    assert failed


OCTOBER = """\
#!/bin/bash
set -e
dnf install -y nvidia-driver
echo "options nvidia NVreg_RestrictProfilingToAdminUsers=0" > /etc/modprobe.d/nvprof.conf
nodeadm init
systemctl enable --now kubelet
"""
PROGRAM = """
import base64
SCRIPT = {script!r}
cluster = Raw("aws:eks/cluster:Cluster", "gpu", {{"name": "onprem"}})
def encoded(script):
    return base64.b64encode(script.encode()).decode()
Raw("aws:ec2/launchTemplate:LaunchTemplate", "nodes", {{"userData": {user_data}, "instanceType": "g5.12xlarge"}})
"""
EKS = """\
config:
  nodeworthy:fleet:
    cluster: {name: onprem}
    operator: false
    pools:
      a10g: {gpu: a10g, instanceType: g5.12xlarge, nodes: 1, driver: user-data}
"""


def test_the_october_incident_is_caught_in_preview(tmp_path: Path) -> None:
    program = PROGRAM.format(script=OCTOBER, user_data="encoded(SCRIPT)")
    ran = preview(project(tmp_path, program, EKS))
    assert ran.code == 1, ran.err
    (found,) = [each for each in ran.findings if each["rule"] == "profiling-before-driver"]
    assert found["where"]["urn"].endswith("LaunchTemplate::nodes")
    assert found["where"]["subject"] == "line 4 of the user data"
    assert [each["subject"] for each in found["related"] if "subject" in each][:1] == ["line 3 of the user data"]
    assert "simulated" not in found


def test_what_waits_for_an_output_is_read_in_the_second_run(tmp_path: Path) -> None:
    late = 'cluster.id.apply(lambda it: encoded(SCRIPT + f"# {it}\\n"))'
    ran = preview(project(tmp_path, PROGRAM.format(script=OCTOBER, user_data=late), EKS))
    assert ran.code == 1, ran.err
    (found,) = [each for each in ran.findings if each["rule"] == "profiling-before-driver"]
    assert (found["verdict"], found["simulated"]) == ("fail", True)
    plain = preview(tmp_path, "--no-simulate")
    unknowns = [each for each in plain.findings if each["rule"] == "profiling-before-driver"]
    assert [each["verdict"] for each in unknowns] == ["unknown"]
    assert "known only after deployment" in unknowns[0]["message"]


def test_what_is_no_base64_is_said() -> None:
    scene = scene_of(
        PreviewedPlan("toy", "dev", (Resource(URN, TEMPLATE, "nodes", None, {"userData": OCTOBER}),), {}),
        folder=Path.cwd(),
        fleet=None,
        no_fleet=NO_FLEET,
    )
    (judged,) = of_rule(scene, "user-data-format")
    assert judged.verdict is Verdict.FAIL
    assert any("no base64" in each.message for each in judged.findings)


def test_an_instance_takes_it_as_it_is() -> None:
    kind = "aws:ec2/instance:Instance"
    instance = Resource(f"urn:pulumi:dev::toy::{kind}::one", kind, "one", None, {"userData": OCTOBER})
    scene = scene_of(PreviewedPlan("toy", "dev", (instance,), {}), folder=Path.cwd(), fleet=None, no_fleet=NO_FLEET)
    (judged,) = of_rule(scene, "profiling-before-driver")
    assert judged.verdict is Verdict.FAIL


def test_a_template_that_nothing_says_the_pool_of_is_judged_without_one() -> None:
    path = TESTS / "fleet" / "Pulumi.example.yaml"
    fleet = read_fleet_file(path, path.name)
    other = {"instanceType": "g5.xlarge"}
    scripts = [each for each in planned(OCTOBER.encode(), fleet, None, **other).facts if isinstance(each, BootScript)]
    assert [each.pools for each in scripts] == [()]
    assert "no tag nodeworthy/pool" in scripts[0].no_pool
    tagged = [each for each in planned(OCTOBER.encode(), fleet, "nobody").facts if isinstance(each, BootScript)]
    assert "'nobody'" in tagged[0].no_pool
