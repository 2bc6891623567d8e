"""Boot scripts under the pack: what is read blocks, what a first preview can't know yet only tells how it is verified."""

from __future__ import annotations

import base64
from typing import Any

from nodeworthy.collect.plan.protocol import UNKNOWN
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.rules import catalogue
from nodeworthy.verdict import Severity
from tests.policy.pack import Pack, Planned, fleet, secret

A10G = {"gpu": "a10g", "instanceType": "g5.12xlarge", "nodes": 1, "driver": "user-data"}
OCTOBER = """\
#!/bin/bash
set -e
dnf install -y nvidia-driver
echo "options nvidia NVreg_RestrictProfilingToAdminUsers=0" > /etc/modprobe.d/nvprof.conf
nodeadm init
systemctl enable --now kubelet
"""
FIRST, SECOND = OCTOBER.splitlines()[2:4]
MENDED = OCTOBER.replace(f"{FIRST}\n{SECOND}", f"{SECOND}\n{FIRST}")
RULE = "profiling-before-driver"


def template(user_data: Any, **inputs: Any) -> Planned:
    told = {"userData": user_data, "instanceType": "g5.12xlarge", **inputs}
    return Planned("aws:ec2/launchTemplate:LaunchTemplate", "nodes", told)


def encoded(script: str) -> str:
    return base64.b64encode(script.encode()).decode()


def test_a_script_that_is_known_blocks_with_both_ends(pack: Pack) -> None:
    pack.configure_stack(fleet(a10g=A10G))
    [told] = pack.deployment(template(encoded(OCTOBER))).of(RULE)
    assert told.level == "mandatory"
    assert "line 4 of the user data" in told.message
    assert "line 3 of the user data" in told.message
    assert pack.deployment(template(encoded(MENDED))).of(RULE) == []


def test_an_update_blocks_before_the_template_is_made(pack: Pack) -> None:
    pack.configure_stack(fleet(a10g=A10G))
    assert pack.analyze(template(encoded(OCTOBER))).of(RULE)


def test_what_is_not_known_yet_is_an_advisory_that_names_what_verifies_it(pack: Pack) -> None:
    pack.configure_stack(fleet(a10g=A10G))
    told = pack.deployment(template(UNKNOWN)).told
    judging = {each.id for each in catalogue() if any(check.subject is BootScript for check in each.checks)}
    errors = {each.id for each in catalogue() if each.severity is Severity.ERROR}
    assert {each.policy for each in told if each.level == "mandatory"} & judging == set()
    assert RULE in {each.policy for each in told if each.level == "advisory"}
    assert judging & errors
    [profiling] = [each for each in told if each.policy == RULE]
    assert "nodeworthy preview --stack dev" in profiling.message


def test_a_secret_of_the_program_in_user_data_is_a_fault_and_is_not_shown(pack: Pack) -> None:
    pack.configure_stack(fleet(a10g=A10G))
    token = "ghp_" + "a1B2" * 9
    script = MENDED + f"docker login ghcr.io -u bot -p {token}\n"
    for user_data in (encoded(script), secret(encoded(script))):
        told = pack.deployment(template(user_data)).of("no-secret-in-plain-sight")
        assert {each.level for each in told} == {"mandatory"}
        assert token not in "".join(each.message for each in told)
