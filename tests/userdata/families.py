"""The fleet that has every family of images, and the scripts of its pools."""

from __future__ import annotations

import email
from functools import cache
from pathlib import Path

from nodeworthy.fleet.model import Fleet
from nodeworthy.fleet.read import read_fleet_file
from userdata import boot_script, made_up
from userdata.plan import NodePlan, plan

HERE = Path(__file__).parent
FLEET = HERE / "Pulumi.families.yaml"
GOLDEN = HERE / "golden"
SHELL = "text/x-shellscript"
BOOTHOOK = "text/cloud-boothook"
NODE_CONFIG = "application/node.eks.aws"


@cache
def fleet() -> Fleet:
    return read_fleet_file(FLEET, FLEET.name)


POOLS = [pool.name for pool in fleet().pools]


def plan_of(name: str) -> NodePlan:
    [pool] = [each for each in fleet().pools if each.name == name]
    return plan(fleet(), pool, made_up.told(fleet()))


def script_of(name: str) -> str:
    return boot_script.of(plan_of(name))


def parts_of(script: str) -> dict[str, str]:
    """The parts of a script by their type; a script of one part is itself."""
    if script.startswith("#!"):
        return {SHELL: script}
    read = email.message_from_string(script)
    assert read.is_multipart()
    return {each.get_content_type(): str(each.get_payload()) for each in read.walk() if not each.is_multipart()}


def shells_of(name: str) -> list[str]:
    """What of a pool's script a shell runs, in the order in which it does."""
    if name.startswith("bottlerocket"):
        return []
    parts = parts_of(script_of(name))
    return [parts[kind] for kind in (BOOTHOOK, SHELL) if kind in parts]
