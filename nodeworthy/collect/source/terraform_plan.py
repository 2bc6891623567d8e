"""A plan of Terraform or OpenTofu in JSON: what it makes, with the root beside it for what the plan does not say."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from nodeworthy.collect.aws.stack import Stack
from nodeworthy.collect.source.files import Source, shown_path_beside
from nodeworthy.collect.source.git_index import is_kept
from nodeworthy.collect.source.parsing import InputRefused, parse_json
from nodeworthy.collect.source.terraform import suppressions_of
from nodeworthy.collect.source.terraform_charts import DECLARING, facts_declared_by, handlers_declared_by
from nodeworthy.collect.source.terraform_nodes import pools_of_other_clouds, stack_of
from nodeworthy.documents.files import tree_of
from nodeworthy.facts.aws.stack import AskedImage
from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.not_seen import NotLookedAt
from nodeworthy.facts.secrets.planned_secret import CommittedPlan
from nodeworthy.hcl.disk import ENDINGS, Disk
from nodeworthy.hcl.instances import Instance
from nodeworthy.hcl.planned import Planned, TerraformPlan
from nodeworthy.hcl.root import open_root
from nodeworthy.hcl.scope import TooMuch
from nodeworthy.hcl.values import Str
from nodeworthy.known.terraform import FIREWALLS
from nodeworthy.records import dataclass, field, replace
from nodeworthy.redaction import keep_secret
from nodeworthy.scene import Fact
from nodeworthy.suppression import Suppression
from nodeworthy.verdict import Place

_MAJOR = "1"
_AWS = "aws_"
_PARAMETER, _IMAGE = "data.aws_ssm_parameter", "data.aws_ami"


@dataclass
class Read:
    facts: list[Fact] = field(default_factory=list)
    stacks: list[Stack] = field(default_factory=list)
    suppressions: list[Suppression] = field(default_factory=list)
    # The GPU nodes that it asks of other clouds.
    pools: Sequence[GpuPool] = ()
    # The files beside it that were read for it.
    asked: Sequence[Path] = ()


def read_plan(source: Source, data: bytes, rules: frozenset[str]) -> Read | None:
    """None for what is none. Raises InputRefused for a plan that can't be read."""
    place = Place(source.shown)
    said = _parsed(data, place)
    if said is None:
        return None
    plan = TerraformPlan(source.shown, os.path.dirname(source.lies), said)  # noqa: PTH120 - a path as text
    keep_secret(plan.secrets)
    read = Read()
    if plan.sensitive and is_kept(Path(source.lies)):
        read.facts.append(CommittedPlan(place, list(dict.fromkeys(plan.sensitive))))
    beside = _roots_files(plan.folder)
    if beside and not source.named:
        # A plan that nobody asks about may be an old one: what counts is the root that it lies in.
        return read if read.facts else None
    if plan.errored:
        why = "Terraform ended this plan with an error, so there may be more than it says"
        read.facts.append(NotLookedAt(place, why))
    try:
        if beside:
            _with_source(plan, source, rules, read)
        read.facts += facts_declared_by(plan.everything(DECLARING))
        _with_stack(plan, source, read)
        read.pools = pools_of_other_clouds(plan.instances)
        if any(each.type.startswith(FIREWALLS) for each in plan.instances):
            from nodeworthy.collect.source.terraform_machines import ports_opened

            read.facts += ports_opened(plan.instances)
    except TooMuch as problem:
        read.facts.append(NotLookedAt(place, f"this plan was not read to its end: {problem}"))
    return read


def _parsed(data: bytes, place: Place) -> Mapping[str, Any] | None:
    said = parse_json(data, place, "this plan of Terraform")
    if not isinstance(said, dict) or not isinstance(said.get("format_version"), str):
        return None
    version = str(said["format_version"])
    if version.partition(".")[0] != _MAJOR:
        why = f"this plan is of format {version[:20]}, and those of format {_MAJOR} are read"
        raise InputRefused(place, f"{why}: `terraform show -json` of 1.1 or newer writes one, and OpenTofu's does")
    return said


# The root beside it


def _roots_files(folder: str) -> Sequence[str]:
    try:
        return sorted(each.name for each in os.scandir(folder) if each.name.endswith(ENDINGS))
    except OSError:
        return ()


def _with_source(plan: TerraformPlan, source: Source, rules: frozenset[str], read: Read) -> None:
    disk = Disk(tree_of(plan.folder, source.below), partial(shown_path_beside, source))
    module = open_root(plan.folder, disk)
    wanted = {each.type for each in plan.instances}
    for each in module.everything(wanted):
        if isinstance(each, Instance) and (planned := plan.by_address.get(each.address)) is not None:
            planned.stand_with(each)
    read.asked = [Path(each) for each in sorted(disk.asked)]
    for path in sorted(each for folder in disk.folders for each in _paths(folder)):
        parsed = disk.body(path)
        if parsed is not None:
            found = suppressions_of(parsed.file.text, parsed.file.shown, rules)
            read.suppressions += (replace(each, is_borrowed=True) for each in found)


def _paths(folder: str) -> Iterator[str]:
    yield from (f"{folder}{os.sep}{each}" for each in _roots_files(folder))


# Resources of AWS


def _with_stack(plan: TerraformPlan, source: Source, read: Read) -> None:
    made = [each for each in plan.instances if each.type.startswith(_AWS) and not each.is_data]
    images = dict(_images(each for each in plan.instances if each.is_data))
    handlers = handlers_declared_by(plan.everything(DECLARING))
    stack = stack_of(Place(source.shown), made, images, list(handlers), source.scope)
    if stack.starts_nodes:
        read.stacks.append(stack)


def _images(looked_up: Iterator[Planned]) -> Iterator[tuple[str, AskedImage]]:
    """What an image was looked up as, by the id that was found."""
    for each in looked_up:
        said = {name: value.known for name, value in each.values.items.items() if isinstance(value, Str)}
        kind, name = f"data.{each.type}", said.get("name")
        if kind == _PARAMETER and name:
            yield from ((found, AskedImage(name)) for one in ("value", "insecure_value") if (found := said.get(one)))
        elif kind == _IMAGE and name:
            owners = frozenset(found for one in ("owner_id", "image_owner_alias") if (found := said.get(one)))
            yield from ((found, AskedImage(name, owners)) for one in ("id", "image_id") if (found := said.get(one)))
