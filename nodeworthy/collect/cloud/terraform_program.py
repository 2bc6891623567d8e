"""What a plan of Terraform or OpenTofu declares of the cloud, as `show -json` writes it: with the ids of what is there,
and of each resource only what its configuration writes. What the provider works out beside that is nobody's word."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from nodeworthy.collect.cloud.program import Program
from nodeworthy.collect.source.terraform_nodes import stack_of
from nodeworthy.documents.files import text_of
from nodeworthy.documents.plain import mapping_at, text_at
from nodeworthy.documents.tree import Tree
from nodeworthy.errors import InputError
from nodeworthy.facts.aws.stack import AwsResource, AwsStack
from nodeworthy.hcl.planned import Planned, TerraformPlan, without_keys
from nodeworthy.known.terraform import name_of
from nodeworthy.redaction import keep_secret
from nodeworthy.verdict import Place

_LARGEST = 256 * 1024 * 1024
_CALLED = "a plan of Terraform"
_HOW = "`terraform plan -out=tfplan && terraform show -json tfplan` writes one"


def read_terraform(named: str) -> Program:
    """`-` is standard input. Raises InputError for what is no plan."""
    shown = "standard input" if named == "-" else named
    text = sys.stdin.read(_LARGEST) if named == "-" else text_of(Path(named), named, _LARGEST, _CALLED)
    plan = TerraformPlan(shown, ".", _parse_plan(text, shown))
    keep_secret(plan.secrets)
    place = Place(shown)
    if plan.errored:
        return Program(unseen="Terraform ended this plan with an error, so there may be more than it says", place=place)
    made = [each for each in plan.instances if each.type.startswith("aws_") and not each.is_data]
    if not made:
        return Program(none=f"{shown} declares nothing of AWS", place=place)
    return Program(dict(_by_region(plan, made)), dict(_ids(made)), place=place)


def _parse_plan(text: str, shown: str) -> Mapping[str, Any]:
    try:
        said = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as problem:
        raise InputError(f"{shown}: no plan of Terraform in JSON ({problem}); {_HOW}") from None
    if not isinstance(said, dict) or not isinstance(said.get("resource_changes"), list):
        is_state = isinstance(said, dict) and "values" in said
        what = "a state, which says what was made and not what should be" if is_state else "no plan of Terraform"
        raise InputError(f"{shown} is {what}; {_HOW}")
    return said


def _by_region(plan: TerraformPlan, made: Sequence[Planned]) -> Iterator[tuple[str | None, AwsStack]]:
    """Where one resource alone says its region, the others are there as well."""
    told = {each.address: _region_of(each) for each in made}
    own = _region_of_provider(plan) or next(iter(sorted(filter(None, told.values()))), None)
    for region in dict.fromkeys(told[each.address] or own for each in made):
        of_region = [each for each in made if (told[each.address] or own) == region]
        stack = stack_of(Place(plan.shown), of_region, {}, (), None).resources
        written = (_as_written(plan, each) for each in stack.of(*stack.by_type))
        yield region, AwsStack(stack.place, [each for each in written if each is not None])


def _region_of_provider(plan: TerraformPlan) -> str | None:
    said = plan.configuration.provider("aws")
    return text_at(said, "region", "constant_value") or None


def _region_of(each: Planned) -> str | None:
    """The region of the resource, else the one in its ARN."""
    for values in _values(each):
        parts = text_at(values, "arn").split(":")
        found = text_at(values, "region") or (parts[3] if len(parts) > 5 else "")
        if found:
            return found
    return None


def _values(each: Planned) -> Sequence[Mapping[str, Any]]:
    """The values before and after the change: AWS still has the former of a resource that is replaced."""
    return [mapping_at(each.said, "change", "before"), mapping_at(each.said, "change", "after")]


def _ids(made: Iterable[Planned]) -> Iterator[tuple[str, str]]:
    for each in made:
        found = next((text_at(one, "id") for one in _values(each) if text_at(one, "id")), "")
        if found:
            yield each.address, found


# What somebody wrote


def _as_written(plan: TerraformPlan, resource: AwsResource) -> AwsResource | None:
    """None where its configuration is not in the plan: what of it somebody wrote is not known."""
    said = plan.configuration.expressions(without_keys(resource.urn))
    if said is None:
        return None
    return replace(resource, plant=partial(_planted_tree, resource.plant, said))


def _planted_tree(plant: Any, said: Mapping[str, Any]) -> Tree:
    tree: Tree = plant()
    return _without_unset_blocks(tree, said)


def _without_unset_blocks(tree: Tree, said: Any) -> Tree:
    """Blocks without the arguments that nobody set; anything else whole."""
    blocks = said if isinstance(said, list) else [said]
    if not all(_is_block(each) for each in blocks) or not blocks:
        return tree
    if tree.is_sequence:
        if len(tree.sequence) != len(blocks):
            return tree  # made in a loop: which of them is which is not said
        kept = [_without_unset_blocks(each, one) for each, one in zip(tree.sequence, blocks, strict=True)]
        return Tree(kept, tree.place, tree.key, tree.secret)
    if not tree.is_mapping or len(blocks) != 1:
        return tree
    by_name = {name_of(name): each for name, each in blocks[0].items()}
    inner = {name: _without_unset_blocks(each, by_name[name]) for name, each in tree.mapping.items() if name in by_name}
    return Tree(inner, tree.place, tree.key, tree.secret)


def _is_block(said: Any) -> bool:
    return isinstance(said, dict) and "references" not in said and "constant_value" not in said
