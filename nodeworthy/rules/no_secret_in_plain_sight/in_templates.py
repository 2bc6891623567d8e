"""No secret in a template of CloudFormation, nor in a plan of Terraform that the repository keeps."""

from __future__ import annotations

from nodeworthy.facts.secrets.planned_secret import CommittedPlan, ParameterDefault
from nodeworthy.known.secrets import HIDDEN
from nodeworthy.rules.no_secret_in_plain_sight import RULE, Sight
from nodeworthy.verdict import Findings, fail

_READ = "whoever may read the repository reads it, and every clone of it keeps it"
_SHOWN = 3


@RULE.check
def defaults_hold_none(default: ParameterDefault) -> Findings:
    remedy = "give the parameter no default (a dynamic reference to Secrets Manager, or who deploys it); then change it"
    yield Sight("a template", _READ, remedy).finding(default.place, default.what, f"the default of {default.name}")


@RULE.check
def committed_plans_hold_none(plan: CommittedPlan) -> Findings:
    shown = " and ".join(
        filter(None, [", ".join(plan.names[:_SHOWN]), f"{len(plan.names) - _SHOWN} more" * (len(plan.names) > _SHOWN)])
    )
    yield fail(
        plan,
        f"a plan of Terraform is kept in the repository, and holds in plain words what is sensitive: {shown}",
        is_=HIDDEN,
        should="a plan that nobody keeps, or only its binary form where few may read it",
        cause="`show -json` writes sensitive values as they are, and whoever may read the repository reads them",
        remedy="git rm --cached it, add it to .gitignore, and change what it shows, for it has been seen",
    )
