"""Finds for each resource that a program declares the one that AWS has of it: by its id, where a state tells it, else
by its name, or by the name that the provider makes of it, or by its tag."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from nodeworthy.collect.cloud import words
from nodeworthy.collect.cloud.as_it_is import AsItIs
from nodeworthy.collect.cloud.region import Region
from nodeworthy.facts.aws.deployment import DeclaredResource, Deployment
from nodeworthy.facts.aws.node_drainer import HOOK
from nodeworthy.facts.aws.stack import AwsResource, AwsStack
from nodeworthy.known.aws_told import compared_types
from nodeworthy.patterns import pattern
from nodeworthy.verdict import Located, Place

_NAMES = ("name", "nodeGroupName")
_PREFIXES = ("namePrefix", "nodeGroupNamePrefix")
# What the provider may append to the name of a resource that has none of its own: seven digits.
_APPENDED = r"(?:-[0-9a-f]{7})?"


class _Declared:
    """The resources of a program, of the kinds that AWS is asked for."""

    def __init__(self, region: Region, stack: AwsStack, ids: Mapping[str, str]) -> None:
        self._is = AsItIs(region)
        self._region = region
        self._stack = stack
        # By URN, as a state tells them.
        self._told = ids
        self._joined: dict[str, AwsResource] = {}
        self._why: dict[str, str] = {}
        self._gone: set[str] = set()

    def facts(self) -> Sequence[DeclaredResource]:
        """The declared resources beside their live ones. None where AWS has none of them: the program was brought up
        elsewhere."""
        ours = [each for each in self._stack.of(*compared_types()) if not each.is_read]
        for each in ours:
            if each.type not in (words.TEMPLATE, HOOK):
                self._join(each, self._is.of(each.type), self._is.refused(each.type))
        for each in ours:
            if each.type == HOOK:
                self._join_hook(each)
        found = [self._fact(each) for each in ours]
        return found if self.ids else []

    @cached_property
    def ids(self) -> dict[str, str]:
        found = {urn: str(each.outputs["id"]) for urn, each in self._joined.items()}
        for each in self._stack.of(words.TEMPLATE):
            identifier = self._told.get(each.urn) or self._template(each)
            if identifier:
                found[each.urn] = identifier
        return found

    @cached_property
    def _deployment(self) -> Deployment:
        place = Place(urn=f"{self._region.asked.account} {self._region.asked.region}")
        return Deployment(self._stack, AwsStack(place, self._is.of(words.SECURITY_GROUP)), self.ids)

    def _fact(self, each: AwsResource) -> DeclaredResource:
        return DeclaredResource(each.place, each, self._live(each), self._deployment)

    def _live(self, each: AwsResource) -> Located[Sequence[AwsResource] | None]:
        if each.type == words.TEMPLATE:
            return self._live_template(each)
        if each.urn in self._gone:
            return Located.known(None, each.place)
        if each.urn in self._joined:
            return Located.known([self._joined[each.urn]], each.place)
        return Located.unknown(self._why.get(each.urn, _not_found(each)), each.place)

    # By what it is called

    def _join(self, each: AwsResource, candidates: Sequence[AwsResource], refused: str) -> None:
        if refused:
            self._why[each.urn] = refused
            return
        found, is_certain = self._candidates(each, candidates)
        if len(found) == 1:
            self._joined[each.urn] = found[0]
        elif len(found) > 1:
            self._why[each.urn] = f"which of {len(found)} in AWS is {each.title} is not known{_with_state(each)}"
        elif is_certain:
            self._gone.add(each.urn)

    def _candidates(self, each: AwsResource, candidates: Sequence[AwsResource]) -> tuple[Sequence[AwsResource], bool]:
        """The resources that may be this one, and whether there could be no other."""
        told = self._told.get(each.urn)
        if told:
            return [one for one in candidates if told in (one.outputs["id"], one.outputs["arn"])], True
        named = next((each.get(name).text for name in _NAMES if each.get(name).text), None)
        if named:
            return [one for one in candidates if _name_of(one) == named], False
        prefix = next((each.get(name).text for name in _PREFIXES if each.get(name).text), None)
        made = f"{re.escape(prefix)}.+" if prefix else re.escape(each.name) + _APPENDED
        by_name = [one for one in candidates if pattern(made).fullmatch(_name_of(one))]
        return by_name or _of_tag(each, candidates), False

    # What belongs to a group

    def _join_hook(self, each: AwsResource) -> None:
        for group in self._groups_named(each, "autoscalingGroupName"):
            hooks, refused = self._is.hooks_of(group)
            self._join(each, hooks, refused)
            if each.urn not in self._joined and not refused and len(hooks) == 0:
                self._gone.add(each.urn)

    def _groups_named(self, holder: AwsResource, name: str) -> Sequence[str]:
        links = self._stack.links(holder, name, holder.get(name), words.SCALING_GROUP)
        return [_name_of(self._joined[one.urn]) for one in links.found if one.urn in self._joined]

    # Launch templates

    def _users(self, template: AwsResource) -> Sequence[str]:
        """The groups in AWS that start from it, as the program says."""
        groups = self._stack.of(words.SCALING_GROUP)
        using = [
            each
            for each in groups
            if template
            in self._stack.links(each, "launchTemplate", each.get("launchTemplate", "id"), words.TEMPLATE).found
        ]
        return [_name_of(self._joined[each.urn]) for each in using if each.urn in self._joined]

    def _template(self, template: AwsResource) -> str:
        found = {self._is.template_of(each) for each in self._users(template)} - {""}
        return found.pop() if len(found) == 1 else ""

    def _live_template(self, template: AwsResource) -> Located[Sequence[AwsResource] | None]:
        identifier = self.ids.get(template.urn)
        if identifier is None:
            return Located.unknown(_not_found(template), template.place)
        versions, refused = self._is.versions_of(identifier, self._users(template))
        if refused:
            return Located.unknown(refused, template.place)
        return Located.known(versions, template.place)


def declared_resources(region: Region, stack: AwsStack, ids: Mapping[str, str]) -> Sequence[DeclaredResource]:
    return _Declared(region, stack, ids).facts()


def _name_of(live: AwsResource) -> str:
    """A security group has a name beside its id; a managed group's id begins with its cluster."""
    return live.get("name").text or live.name.rsplit(":", 1)[-1]


def _of_tag(each: AwsResource, candidates: Sequence[AwsResource]) -> Sequence[AwsResource]:
    wanted = each.get("tags", "Name").text
    if not wanted:
        return []
    return [one for one in candidates if one.get("tags", "Name").text == wanted]


def _with_state(each: AwsResource) -> str:
    if each.is_translated:
        return "; the plan has no id of it: is it of the state that was applied here?"
    return "; give --state what `pulumi stack export` writes"


def _not_found(each: AwsResource) -> str:
    return f"which in AWS is {each.title} can't be told by a name or a tag{_with_state(each)}"
