"""No secret in a file of Terraform: not as a variable's default, in a file of variables, nor among what is set."""

from __future__ import annotations

from nodeworthy.facts.secrets.terraform_text import TerraformText
from nodeworthy.rules.no_secret_in_plain_sight import RULE, Sight
from nodeworthy.verdict import Findings

_READ = "whoever may read the repository reads it, and so does whoever may read the state"
_REMEDY = (
    "give the variable no default and set it where few may read it (TF_VAR_…), or look it up (data "
    '"aws_secretsmanager_secret_version"); then change it, for it has been seen'
)


@RULE.check
def files_of_terraform_hold_none(text: TerraformText) -> Findings:
    for each in text.found:
        yield Sight(text.what, _READ, _REMEDY).finding(each.place, each.what, each.name)
