"""The fleet, as the stack's config declares it.

It is read from Pulumi's config and not from the file: whatever runs this program (the CLI, an automation, the embedded
preview) has read, merged and decrypted the config already. Lines are lost on the way; the preview knows them.
"""

from __future__ import annotations

from pathlib import Path

import pulumi

from nodeworthy.documents.tree import plant
from nodeworthy.documents.yaml import NotYaml, read
from nodeworthy.fleet.model import Fleet
from nodeworthy.fleet.read import read_fleet
from nodeworthy.verdict import Place

KEY = "nodeworthy:fleet"


def fleet() -> Fleet:
    stack = pulumi.get_stack()
    config = {KEY: pulumi.Config("nodeworthy").require_object("fleet")}
    region = pulumi.Config("aws").get("region")
    if region:
        config["aws:region"] = region
    return read_fleet(plant({"config": config}, Place(path=f"Pulumi.{stack}.yaml")), stack)


def secret(name: str, section: str, wanted: str) -> pulumi.Output[str]:
    """What the fleet can't be built without, since it has this section."""
    value = pulumi.Config("nodeworthy").get_secret(name)
    if value is None:
        stack = pulumi.get_stack()
        raise pulumi.RunError(
            f"{_place_of(section, stack)}: the fleet of stack {stack} has {wanted}: "
            f"pulumi config set --secret nodeworthy:{name} --stack {stack}"
        )
    return value


def _place_of(section: str, stack: str) -> Place:
    """The line, where the stack's file lies beside Pulumi.yaml; it may lie elsewhere."""
    origin = Place(path=f"Pulumi.{stack}.yaml")
    try:
        tree = read(Path(pulumi.get_root_directory(), str(origin.path)).read_text(encoding="utf-8"), origin)
    except (OSError, UnicodeDecodeError, NotYaml):
        return origin
    return tree.get("config", KEY, section).place if tree is not None else origin


def is_secret() -> bool:
    """Whether something in the fleet is encrypted, so that what is made of it must not be shown."""
    return bool(pulumi.runtime.is_config_secret(KEY))
