"""What a file of infrastructure brings: Terraform, its templates and plans, Packer, CloudFormation, Pulumi."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.collect.source.comments import comments
from nodeworthy.collect.source.files import Source, any_text, as_text
from nodeworthy.collect.source.files_beside import FilesBeside, Span
from nodeworthy.collect.source.parsing import (
    FileContents,
    InputRefused,
    is_arm_template,
    may_be_plan,
    scripts_of_classes,
)
from nodeworthy.facts.secrets.plain_text import IN_A_TEMPLATE, PlainText
from nodeworthy.records import replace
from nodeworthy.verdict import Place

if TYPE_CHECKING:
    from nodeworthy.collect.aws.stack import Stack
    from nodeworthy.facts.boot.script import BootScript
    from nodeworthy.scene import Fact

_OF_TERRAFORM = (".tf", ".tofu", ".tfvars", ".tf.json", ".tofu.json", ".tfvars.json", "terragrunt.hcl")
_OF_AZURE = (".bicep",)
# What has user data within it, beside what makes the machine.
_WRITES_USER_DATA = (*_OF_TERRAFORM, ".yaml", ".yml", ".json", ".template")


def read_by_its_tool(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    """A file that Terraform or Packer knows by its name, a plan, a preview."""
    if source.path.name.endswith(".pkr.hcl"):
        return _packer_template(source, data, rules)
    if source.path.name.endswith(_OF_TERRAFORM):
        return _root_of_terraform(source, any_text(data), rules)
    if source.path.name.endswith(_OF_AZURE) or is_arm_template(data):
        return _of_azure(source, data)
    if may_be_plan(data):
        return _plan(source, data, rules)
    return _preview(source, data)


def _of_azure(source: Source, data: bytes) -> FileContents | None:
    """The clusters of AKS that it makes; the rest of it is not looked at."""
    from nodeworthy.collect.objects import facts_of
    from nodeworthy.collect.source.azure import resources_in
    from nodeworthy.facts.fleet.azure_templates import objects_of_azure

    facts = [fact for each in objects_of_azure(resources_in(source, data)) for fact in facts_of(each)]
    return FileContents(facts) if facts else None


def _root_of_terraform(source: Source, text: str, rules: frozenset[str]) -> FileContents | None:
    from nodeworthy.collect.source.terraform import facts_in, suppressions_of

    brought = facts_in(source)
    if brought is None or not (brought.root.is_of_ours or (brought.text is not None and brought.text.found)):
        return None
    told = suppressions_of(text, source.shown, rules)
    beside = FilesBeside(source)
    root = brought.root
    beside.asked += map(Path, root.newly_asked())
    beside.read += map(Span, root.values)
    facts = [*brought.facts, *([brought.text] if brought.text is not None else [])]
    found = FileContents(facts, suppressions=told, beside=beside, root=root.folder, pools=root.pools)
    found.scripts += scripts_of_classes(found.facts, source)
    _add_scripts(found, *brought.provisioned, beside)
    found.facts += _done_at_boot(brought.stacks, beside)
    return replace(found, stacks=list(brought.stacks), files_of_root=brought.files, templates=root.templates)


def configuration_of_units(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    """What units of Terragrunt include and read: by itself it makes nothing, and says what it says in plain words."""
    from nodeworthy.collect.source.terraform import suppressions_of
    from nodeworthy.facts.secrets.terraform_text import text_of
    from nodeworthy.hcl.parse import parse
    from nodeworthy.hcl.source import File, Malformed

    text = any_text(data)
    file = File(source.shown, text)
    try:
        said = text_of(file, parse(file))
    except Malformed:
        return None
    return FileContents([said], suppressions=suppressions_of(text, source.shown, rules)) if said.found else None


def filled_in_template(
    source: Source, filling: Iterable[Path], data: bytes, rules: frozenset[str]
) -> FileContents | None:
    """A template as what it becomes: None of one that no root of Terraform in these folders fills in."""
    from nodeworthy.collect.source.terraform import root_of_template

    brought = root_of_template(source, filling)
    if brought is None:
        return None
    root, told = brought.root, list(comments(any_text(data), Place(source.shown), rules, is_yaml=True))
    beside = FilesBeside(source)
    found = FileContents(list(brought.facts), suppressions=told, beside=beside, root=root.folder, pools=root.pools)
    _add_scripts(found, *brought.provisioned, beside)
    return replace(found, stacks=list(brought.stacks), files_of_root=brought.files, templates=root.templates)


def _add_scripts(
    found: FileContents, on_machines: Sequence[BootScript], beside_itself: Sequence[BootScript], beside: FilesBeside
) -> None:
    found.scripts += (each for each in on_machines if each.makes_a_node)
    for script in (*on_machines, *beside_itself):
        from nodeworthy.collect.source.script_files import facts_of_commands

        found.facts += facts_of_commands(script, script.userdata.text.encode(), beside)


def _done_at_boot(stacks: Iterable[Stack], beside: FilesBeside) -> list[Fact]:
    """What user data installs into the cluster that it makes, where it stands in the program itself: a file of its own
    is looked at by itself."""
    found: list[Fact] = []
    for script in (each for stack in stacks for one in stack.resources.resources for each in stack.scripts(one)):
        if script.read is None or not script.place.file.endswith(_WRITES_USER_DATA):
            continue
        data = script.userdata.text.encode()
        if b"helm" in data:
            from nodeworthy.collect.source.script_files import charts_installed

            found += charts_installed(script, data, beside)
    return found


def pulumi_program(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    from nodeworthy.collect.source.pulumi_yaml import read_program
    from nodeworthy.documents.yaml import NotYaml

    try:
        read = read_program(
            as_text(data), source.shown, rules, source.scope, Path(source.lies), stack_name=source.scopes.stack
        )
    except NotYaml as problem:
        raise InputRefused(problem.place, problem.why) from None
    if read is None:
        return None
    found = FileContents(list(read.facts), suppressions=list(read.suppressions), stacks=list(read.stacks))
    beside = FilesBeside(source)
    _add_scripts(found, read.on_machines, read.beside_itself, beside)
    found.facts += _done_at_boot(read.stacks, beside)
    return found


def _plan(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    from nodeworthy.collect.source.terraform_plan import read_plan

    read = read_plan(source, data, rules)
    if read is None:
        return None
    beside = FilesBeside(source)
    beside.asked += read.asked
    found = FileContents(
        list(read.facts), suppressions=read.suppressions, stacks=read.stacks, beside=beside, is_plan=True
    )
    return replace(found, pools=read.pools)


def _preview(source: Source, data: bytes) -> FileContents | None:
    from nodeworthy.collect.source.pulumi_preview import read_preview

    read = read_preview(source, data)
    if read is None:
        return None
    beside = FilesBeside(source)
    beside.asked += read.asked
    return FileContents(read.facts, stacks=list(read.stacks), beside=beside, is_plan=True)


def cloudformation_template(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    from nodeworthy.collect.source.cloudformation.reading import read_template
    from nodeworthy.documents.yaml import NotYaml

    text = as_text(data)
    try:
        read = read_template(text, source.shown, rules, source.scope)
    except NotYaml as problem:
        if "{{" in text or "{%" in text:  # somebody fills it in first
            return None
        raise InputRefused(problem.place, problem.why) from None
    scripts = _run_on_machines(source, text)
    place = Place(source.shown)
    if read is None:
        kept = PlainText(place, text, "a template", IN_A_TEMPLATE)
        return FileContents([kept], scripts=scripts) if scripts else None
    facts = [*read.facts, PlainText(place, read.text, "a template", IN_A_TEMPLATE)]
    facts += _done_at_boot(read.stacks, FilesBeside(source))
    told = [*read.suppressions, *comments(text, place, rules, is_yaml=True)]
    return FileContents(facts, suppressions=told, stacks=read.stacks, scripts=scripts)


def _run_on_machines(source: Source, text: str) -> list[BootScript]:
    """What a template has run on machines beside their user data. Its reader is imported only where it has some."""
    if "AWS::CloudFormation::Init" not in text and "AWS::SSM::Document" not in text:
        return []
    from nodeworthy.collect.source.cloudformation.run_on_machines import scripts_in

    return [replace(each, surroundings=source.scope) for each in scripts_in(text, source.shown)]


def _packer_template(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    from nodeworthy.collect.source.packer import scripts_of_template, suppressions_of

    scripts = scripts_of_template(source)
    return FileContents(scripts=scripts, suppressions=suppressions_of(data, source, rules)) if scripts else None


def packer_in_json(source: Source, data: bytes, rules: frozenset[str]) -> FileContents | None:
    from nodeworthy.collect.source.packer import scripts_in_json, suppressions_of

    scripts = scripts_in_json(source, data)
    return FileContents(scripts=scripts, suppressions=suppressions_of(data, source, rules)) if scripts else None
