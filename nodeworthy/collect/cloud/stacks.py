"""Which account and region a stack is for, as its own config says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from pathlib import Path

from nodeworthy.collect.plan.project import LARGEST, choose_stack, find_project, read_mapping, shown_path
from nodeworthy.collect.source.fleets import Fleets
from nodeworthy.documents.files import text_of
from nodeworthy.documents.tree import Tree
from nodeworthy.errors import InputError
from nodeworthy.fleet.model import Fleet, has_fleet
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, ToGive

_NO_FLEET = ToGive("no fleet was named to judge by", "give --stack NAME or --fleet FILE")
_ROLE = pattern(r"arn:aws[\w-]*:iam::(?P<account>\d{12}):role/")


@dataclass(frozen=True)
class StackAccount:
    fleet: Fleet | None = None
    no_fleet: str = _NO_FLEET
    named: str = ""
    region: str | None = None
    profile: str | None = None
    allowed: Sequence[str] = field(default_factory=tuple)
    forbidden: Sequence[str] = field(default_factory=tuple)

    def refuse_another(self, account: str) -> None:
        """Raises InputError where these credentials are of another account than the stack."""
        if self.allowed and account not in self.allowed:
            is_for = " or ".join(self.allowed)
            raise InputError(f"these credentials are of account {account}, and {self.named} is for {is_for}")
        if account in self.forbidden:
            raise InputError(f"these credentials are of account {account}, which {self.named} forbids")


def stack_account(fleet_file: str | None, stack: str | None) -> StackAccount:
    """Raises InputError where there is no such stack."""
    if fleet_file is None and stack is None:
        return StackAccount()
    bare = stack_without_fleet(stack) if fleet_file is None and stack is not None else None
    if bare is not None:
        return _of_config(None, f"stack {stack} declares no fleet (nodeworthy:fleet)", bare)
    fleet = Fleets(fleet_file, stack).asked_for()
    path = fleet.place.path if fleet is not None else None
    return _of_config(fleet, "", path) if path is not None else StackAccount(fleet)


def stack_without_fleet(stack: str) -> str | None:
    """The file of a stack that declares none: its program may say what runs all the same."""
    try:
        project = find_project(Path())
        file = project.stack_file(choose_stack(project, stack))
    except InputError:
        return None
    return shown_path(file) if not has_fleet(read_mapping(file)) else None


def _of_config(fleet: Fleet | None, no_fleet: str, path: str) -> StackAccount:
    config = _config(path)
    if config is None:
        return StackAccount(fleet, no_fleet or _NO_FLEET)
    return StackAccount(
        fleet,
        no_fleet,
        path,
        config.get("aws:region").text,
        config.get("aws:profile").text,
        (*_listed(config.get("aws:allowedAccountIds")), *_of_role(config)),
        tuple(_listed(config.get("aws:forbiddenAccountIds"))),
    )


def _config(path: str) -> Tree | None:
    from nodeworthy.documents import yaml

    read = yaml.read(text_of(Path(path), path, LARGEST, "the stack's config"), Place(path))
    return read.get("config") if read is not None else None


def _listed(said: Tree) -> list[str]:
    """A list; or the text of one, as `pulumi config set` writes it."""
    found = [each.written or str(each.value) for each in said.sequence if each.value is not None]
    if said.text:
        found += [each.strip(' "[]') for each in said.text.split(",")]
    return [each for each in found if each]


def _of_role(config: Tree) -> list[str]:
    arn = config.get("aws:assumeRole", "roleArn").string
    role = _ROLE.match(arn)
    return [role["account"]] if role is not None else []
