"""The boot scripts of a cloud: as an account has them, or as a recording does, from which their secrets were taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from nodeworthy.collect.aws.user_data import scripts_of
from nodeworthy.facts.aws.stack import AwsResource
from nodeworthy.facts.boot.script import BootScript
from nodeworthy.known.secrets import HIDDEN


def cloud_scripts(resource: AwsResource) -> Sequence[BootScript]:
    """The boot scripts of a resource, each marked where a placeholder stands in place of a secret."""
    return [replace(each, holds_secret=True) if _is_hidden(each) else each for each in scripts_of(resource)]


def _is_hidden(script: BootScript) -> bool:
    return script.read is not None and any(HIDDEN in part.text for part in script.read.parts)
